#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <memory>
#include <string>
#include <vector>

#include "weir/thread_pool.hpp"

namespace weir {

/// Shows pools to Prometheus: register it with an exposer, or hand what it collects to a
/// `prometheus::TextSerializer`. In the target `weir::prometheus`, which needs prometheus-cpp.
///
/// Counters `weir_tasks_accepted_total` and so on, gauges `weir_tasks_queued` and so on, histograms
/// `weir_task_wait_seconds`, `weir_task_run_seconds`, `weir_task_lateness_seconds`, each with the
/// label `pool`. Of waiting and running they hold what `pool_options::timing` measures: by default
/// one task in 64, good for quantiles and means, not for rates. Shared objects: safe.
class prometheus_collector final : public prometheus::Collectable {
 public:
  prometheus_collector();
  ~prometheus_collector() override;

  /// Shows the pool under its name. It must be removed before it is destroyed. Throws
  /// `std::invalid_argument` if a pool of that name is there already.
  void add(const thread_pool& pool);
  void add(const thread_pool& pool, std::string name);
  /// When this returns the pool is not looked at any more; blocks while it is. Nothing happens if
  /// it is not there.
  void remove(const thread_pool& pool) noexcept;

  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  class registered;
  std::unique_ptr<registered> pools_;
};

}  // namespace weir
