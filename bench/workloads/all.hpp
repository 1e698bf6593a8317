#pragma once

#include "cancel.hpp"
#include "fib.hpp"
#include "finished.hpp"
#include "future.hpp"
#include "growth.hpp"
#include "idle.hpp"
#include "latency.hpp"
#include "loops.hpp"
#include "nqueens.hpp"
#include "pending.hpp"
#include "submit.hpp"
#include "timer_churn.hpp"
#include "timer_lateness.hpp"
#include "timer_single.hpp"
#include "tree.hpp"

namespace bench {

/// Every workload of a system that runs tasks.
template <class System>
void add_pool_workloads(experiments& all, const scale& size) {
  add_submit<System>(all, size);
  add_future<System>(all, size);
  add_pending<System>(all, size);
  add_latency<System>(all, size);
  add_idle<System>(all, size);
  add_cancel<System>(all, size);
  add_growth<System>(all, size);
  add_finished<System>(all, size);
}

/// Every workload of a system that has timers, but for `idle`.
template <class System>
void add_timer_workloads(experiments& all, const scale& size) {
  add_timer_churn<System>(all, size);
  add_timer_lateness<System>(all, size);
  add_timer_single<System>(all, size);
}

/// Every workload of a system that forks and joins.
template <class System>
void add_fork_workloads(experiments& all, const scale& size) {
  for (const std::int64_t workers : {2, 1}) {
    all.push_back({"fib", fib_case(size, workers), System::k_name, run_fib<System>});
  }
  all.push_back({"tree", tree_case(size), System::k_name, run_tree<System>});
  all.push_back({"nqueens", nqueens_case(size), System::k_name, run_nqueens<System>});
}

}  // namespace bench
