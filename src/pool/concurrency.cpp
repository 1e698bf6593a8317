#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "pool/cpu_quota.hpp"
#include "weir/pool_options.hpp"

namespace weir {

namespace detail {

std::optional<double> quota_from_cpu_max(std::istream& cpu_max) {
  std::string quota;
  double period = 0;
  if (!(cpu_max >> quota >> period) || quota == "max" || period <= 0) return std::nullopt;
  try {
    return std::stod(quota) / period;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::size_t workers_for(std::size_t processors, std::optional<double> quota) {
  const std::size_t usable = std::max<std::size_t>(1, processors);
  if (!quota || *quota >= static_cast<double>(usable)) return usable;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(*quota)));
}

}  // namespace detail

namespace {

std::size_t processors_by_affinity() {
  for (int set_size = 1024; set_size <= 1 << 20; set_size *= 2) {
    cpu_set_t* set = CPU_ALLOC(set_size);
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(set_size);
    const bool known = ::sched_getaffinity(0, bytes, set) == 0;
    const int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (known) return static_cast<std::size_t>(std::max(1, count));
  }
  return 1;
}

// The smallest quota on the way from this process's control group (version 2) to the root.
std::optional<double> quota_by_cgroup() {
  std::ifstream membership("/proc/self/cgroup");
  std::string line;
  std::string group;
  while (std::getline(membership, line)) {
    if (line.rfind("0::", 0) == 0) group = line.substr(3);
  }
  std::optional<double> smallest;
  for (;;) {
    std::ifstream limit("/sys/fs/cgroup" + group + "/cpu.max");
    const auto quota = detail::quota_from_cpu_max(limit);
    if (quota && (!smallest || *quota < *smallest)) smallest = quota;
    const auto slash = group.find_last_of('/');
    if (slash == std::string::npos) break;
    group.resize(slash);
  }
  if (smallest) return smallest;
  std::ifstream quota_us("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream period_us("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  if (quota_us >> quota && period_us >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

}  // namespace

std::size_t default_concurrency() {
  return detail::workers_for(processors_by_affinity(), quota_by_cgroup());
}

}  // namespace weir
