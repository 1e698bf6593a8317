#include <omp.h>

#include "systems/all.hpp"
#include "workloads/submit.hpp"

namespace bench {

namespace {

/// OpenMP's tasks belong to a team, whose producer is one of it: a team of workers and one more.
/// From outside of a team nothing can be submitted, so it takes part in this one workload.
samples run_openmp_submit(const params& p) {
  const auto tasks = static_cast<std::uint64_t>(p["tasks"]);
  const auto team = static_cast<int>(p["workers"]) + 1;
  const auto burst = [team](tally& sum, std::uint64_t count) {
    auto* const counter = &sum;
    std::int64_t begin = 0;
#pragma omp parallel num_threads(team)
#pragma omp single
    {
      begin = now_ns();
      for (std::uint64_t i = 0; i < count; ++i) {
        const tick body{counter, 1};
#pragma omp task firstprivate(body)
        body();
      }
    }
    return begin;
  };
  tally warm(20'000);
  burst(warm, 20'000);
  tally sum(tasks);
  const auto before = usage::now();
  const auto begin = burst(sum, tasks);
  sum.wait();
  const auto spent = usage::now() - before;
  verify("bodies run", sum.count(), tasks);
  return per_task(sum.finished_ns() - begin, spent, p["tasks"], false);
}

}  // namespace

void add_openmp(experiments& all, const scale& size) {
  for (auto& p : submit_cases(size, true)) {
    all.push_back({"submit", std::move(p), "OpenMP tasks", run_openmp_submit});
  }
}

}  // namespace bench
