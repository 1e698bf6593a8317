#include "weir/prometheus.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "observe/count_fields.hpp"
#include "sync/fork.hpp"
#include "sync/mutex.hpp"

namespace weir {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

double seconds(std::chrono::nanoseconds value) {
  return std::chrono::duration<double>(value).count();
}

ClientMetric labelled(const std::string& pool) {
  ClientMetric metric;
  metric.label = {{"pool", pool}};
  return metric;
}

/// What was read of one pool.
struct reading {
  std::string pool;
  pool_counts counts;
  pool_timings timings;
};

// From a microsecond to more than a minute, each four times the last: powers of two, as there the
// histogram is exact.
ClientMetric::Histogram buckets_of(const histogram& from) {
  constexpr int k_first_bit = 10;
  constexpr int k_last_bit = 36;
  ClientMetric::Histogram to;
  to.sample_count = from.count();
  to.sample_sum = seconds(from.sum());
  for (int bit = k_first_bit; bit <= k_last_bit; bit += 2) {
    const std::chrono::nanoseconds bound(std::int64_t{1} << bit);
    to.bucket.push_back({from.count_up_to(bound), seconds(bound)});
  }
  to.bucket.push_back({from.count(), std::numeric_limits<double>::infinity()});
  return to;
}

template <class Fill>
MetricFamily family(const char* name, const char* help, MetricType type,
                    const std::vector<reading>& readings, Fill fill) {
  MetricFamily all{name, help, type, {}};
  for (const reading& each : readings) fill(all.metric.emplace_back(labelled(each.pool)), each);
  return all;
}

}  // namespace

class prometheus_collector::registered {
 public:
  void add(const thread_pool& pool, std::string name) {
    const sync::lock_guard lock(mutex_);
    const auto taken = [&name](const auto& each) { return each.second == name; };
    if (std::any_of(pools_.begin(), pools_.end(), taken)) {
      throw std::invalid_argument("weir: a pool '" + name + "' is shown to Prometheus already");
    }
    pools_.emplace_back(&pool, std::move(name));
  }

  void remove(const thread_pool& pool) noexcept {
    const sync::lock_guard lock(mutex_);
    std::erase_if(pools_, [&pool](const auto& each) { return each.first == &pool; });
  }

  std::vector<reading> read() const {
    const sync::lock_guard lock(mutex_);
    std::vector<reading> readings;
    for (const auto& [pool, name] : pools_) {
      readings.push_back({name, pool->stats(), pool->timings()});
    }
    return readings;
  }

 private:
  mutable sync::mutex mutex_;
  // Pools' locks are taken under it, as under that of a clock.
  const sync::fork_guard fork_guard_{mutex_, sync::fork_rank::clock};
  std::vector<std::pair<const thread_pool*, std::string>> pools_ WEIR_GUARDED_BY(mutex_);
};

prometheus_collector::prometheus_collector() : pools_(std::make_unique<registered>()) {}
prometheus_collector::~prometheus_collector() = default;

void prometheus_collector::add(const thread_pool& pool) { add(pool, pool.name()); }
void prometheus_collector::add(const thread_pool& pool, std::string name) {
  pools_->add(pool, std::move(name));
}
void prometheus_collector::remove(const thread_pool& pool) noexcept { pools_->remove(pool); }

std::vector<MetricFamily> prometheus_collector::Collect() const {
  const std::vector<reading> readings = pools_->read();
  std::vector<MetricFamily> all;
  if (readings.empty()) return all;
  for (const auto& field : detail::k_totals) {
    all.push_back(family(field.metric, field.help, MetricType::Counter, readings,
                         [&field](ClientMetric& metric, const reading& from) {
                           metric.counter.value = static_cast<double>(from.counts.*field.value);
                         }));
  }
  for (const auto& field : detail::k_levels) {
    all.push_back(family(field.metric, field.help, MetricType::Gauge, readings,
                         [&field](ClientMetric& metric, const reading& from) {
                           metric.gauge.value = static_cast<double>(from.counts.*field.value);
                         }));
  }
  const struct {
    histogram pool_timings::*value;
    const char* metric;
    const char* help;
  } durations[] = {
      {&pool_timings::wait, "weir_task_wait_seconds", "From submission or due time to start."},
      {&pool_timings::run, "weir_task_run_seconds", "From the start of the body to its end."},
      {&pool_timings::lateness, "weir_task_lateness_seconds", "From due time to start."},
  };
  for (const auto& field : durations) {
    all.push_back(family(field.metric, field.help, MetricType::Histogram, readings,
                         [&field](ClientMetric& metric, const reading& from) {
                           metric.histogram = buckets_of(from.timings.*field.value);
                         }));
  }
  return all;
}

}  // namespace weir
