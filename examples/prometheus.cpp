/// Pools shown to Prometheus. A server would register `shown` with its `prometheus::Exposer`.
#include <prometheus/text_serializer.h>

#include <iostream>
#include <sstream>
#include <weir/prometheus.hpp>
#include <weir/thread_pool.hpp>

#include "check.hpp"

int main() {
  // [prometheus]
  weir::thread_pool pool({.core = 2, .max = 2, .capacity = 100, .name = "mail"});
  weir::prometheus_collector shown;
  shown.add(pool);

  pool.submit([] {}).get();
  std::ostringstream page;
  prometheus::TextSerializer().Serialize(page, shown.Collect());
  // [prometheus]

  std::cout << page.str();
  check(page.str().find("weir_tasks_succeeded_total{pool=\"mail\"} 1") != std::string::npos,
        "the page shows the task");
  shown.remove(pool);
}
