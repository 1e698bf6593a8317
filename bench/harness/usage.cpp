#include "usage.hpp"

#include <sys/resource.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "allocations.hpp"

namespace bench {

namespace {

std::int64_t nanoseconds_of(const timeval& time) noexcept {
  return time.tv_sec * 1'000'000'000LL + time.tv_usec * 1000LL;
}

}  // namespace

usage usage::now() {
  rusage all{};
  rusage own{};
  getrusage(RUSAGE_SELF, &all);
  getrusage(RUSAGE_THREAD, &own);
  return {.cpu_ns = nanoseconds_of(all.ru_utime) + nanoseconds_of(all.ru_stime),
          .own_cpu_ns = nanoseconds_of(own.ru_utime) + nanoseconds_of(own.ru_stime),
          .switches = all.ru_nvcsw + all.ru_nivcsw,
          .own_switches = own.ru_nvcsw + own.ru_nivcsw,
          .allocations = allocation_count()};
}

usage usage::operator-(const usage& before) const noexcept {
  return {.cpu_ns = cpu_ns - before.cpu_ns,
          .own_cpu_ns = own_cpu_ns - before.own_cpu_ns,
          .switches = switches - before.switches,
          .own_switches = own_switches - before.own_switches,
          .allocations = allocations - before.allocations};
}

std::int64_t resident_bytes() {
  // The sum over the mappings; the counters of statm are approximate on several processors.
  std::ifstream file("/proc/self/smaps_rollup");
  std::string word;
  while (file >> word) {
    std::int64_t kib = 0;
    if (word == "Rss:" && file >> kib) return kib * 1024;
  }
  throw std::runtime_error("/proc/self/smaps_rollup shows no Rss");
}

}  // namespace bench
