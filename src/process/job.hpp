#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "process/command.hpp"
#include "process/roster.hpp"

namespace weir::process {

struct job;

/// Whoever runs jobs, and hears of those that are let go without having been run to their end.
class job_owner {
 public:
  virtual void let_go(job& one) noexcept = 0;

 protected:
  ~job_owner() = default;
};

/// A command on its way through the pool. `record.attempts` tells whether it ran before.
struct job {
  job_owner* owner = nullptr;
  std::uint64_t place = 0;  ///< in the order of output
  finished_command record;
  std::optional<roster_place> held;  ///< until it has ended
};

/// Tells the owner before it deletes.
struct let_go_and_delete {
  void operator()(job* one) const noexcept {
    one->owner->let_go(*one);
    delete one;
  }
};

/// Owns a job while the pool has it: a task that is cancelled drops its captures, and so the owner
/// learns of every command that never ran, whichever way it left the pool.
using job_ticket = std::unique_ptr<job, let_go_and_delete>;

}  // namespace weir::process
