#include <omp.h>

#include "systems/all.hpp"
#include "workloads/all.hpp"

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

class openmp_forks {
 public:
  static constexpr const char* k_name = "OpenMP tasks";

  explicit openmp_forks(std::size_t workers) : team_(static_cast<int>(workers)) {}

  template <class F>
  std::uint64_t run(F&& f) {
    std::uint64_t result = 0;
#pragma omp parallel num_threads(team_)
#pragma omp single
    result = f();
    return result;
  }

  template <class F, class G>
  static void join(F&& f, G&& g) {
#pragma omp task shared(g)
    g();
    f();
#pragma omp taskwait
  }

 private:
  int team_;
};

/// One loop over all, handed out in pieces that get smaller: what OpenMP has for uneven bodies.
class openmp_loops {
 public:
  static constexpr const char* k_name = "OpenMP, guided";

  explicit openmp_loops(std::size_t workers) { team = static_cast<int>(workers); }

  template <class F>
  auto run(F&& f) {
    return f();
  }

  template <class Body>
  static void loop(std::size_t count, Body&& body) {
#pragma omp parallel for schedule(guided) num_threads(team)
    for (std::size_t i = 0; i < count; ++i) body(i);
  }

 private:
  static inline int team = 1;
};

}  // namespace

void add_openmp(experiments& all, const scale& size) {
  for (auto& p : submit_cases(size, true)) {
    all.push_back({"submit", std::move(p), "OpenMP tasks", run_openmp_submit});
  }
  add_fork_workloads<openmp_forks>(all, size);
  add_loops<openmp_loops>(all, size);
}

}  // namespace bench
