#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_annotations.hpp"
#include "process/command.hpp"
#include "sync/mutex.hpp"
#include "sync/parker.hpp"

namespace weir::process {

/// Where a command stands that was read and has not ended.
enum class standing : std::uint8_t {
  ready,       ///< waits for a worker
  behind_key,  ///< waits for the command before it that has the same key
  running,
  retrying,  ///< failed, and waits for its next attempt
  ending,    ///< over; its output is being written
};

/// The commands that were read and have not ended: how many there may be, how many bytes they may
/// have, and what a snapshot says about them. Shared objects: safe; one thread calls `enter`.
class roster {
 public:
  using steady_time = std::chrono::steady_clock::time_point;

  struct entry {
    std::uint64_t seq = 0;
    std::uint64_t line = 0;
    std::string text;                ///< an excerpt
    std::optional<std::string> key;  ///< an excerpt
    std::size_t bytes = 0;
    standing where = standing::ready;
    unsigned attempt = 1;  ///< the one that runs or comes next
    pid_t pid = 0;         ///< of the running one
    steady_time time;      ///< since when it runs, or when its retry is due
  };

  /// A key for which commands wait.
  struct lane {
    std::string key;
    std::size_t waiting = 0;
    std::uint64_t holder = 0;  ///< the command that they wait for
  };

  /// What `look` has seen at one moment. Lists of what waits are cut, counts are not.
  struct view {
    std::vector<entry> running;   ///< all that run or write their output, in the order of the input
    std::vector<entry> ready;     ///< the first few
    std::vector<entry> retrying;  ///< those that are due first
    std::vector<lane> lanes;      ///< the longest ones
    std::size_t ready_count = 0;
    std::size_t behind_key_count = 0;
    std::size_t retrying_count = 0;
    std::size_t lane_count = 0;
    std::size_t bytes = 0;
    std::uint64_t last_read = 0;
    bool reader_waits = false;  ///< the command that was read last finds no room
  };

  /// The text and, where there is a template, the value of `one`.
  static std::size_t bytes_of(const command& one);

  /// `most_bytes` 0: no bound on bytes.
  roster(std::size_t most, std::size_t most_bytes) : most_(most), most_bytes_(most_bytes) {}

  /// Blocks until there is room for `one`; if it alone has more bytes than the bound, until there
  /// is no other. It stands behind its key if it has one. Returns false once `stop` was called;
  /// then it has not entered.
  bool enter(const command& one) WEIR_EXCLUDES(mutex_);
  void stop() noexcept WEIR_EXCLUDES(mutex_);

  // What becomes of a command that has entered.

  void is_ready(std::uint64_t seq) WEIR_EXCLUDES(mutex_);
  void runs(std::uint64_t seq, unsigned attempt) WEIR_EXCLUDES(mutex_);
  void has_process(std::uint64_t seq, pid_t pid) WEIR_EXCLUDES(mutex_);
  void retries(std::uint64_t seq, unsigned attempt, steady_time due) WEIR_EXCLUDES(mutex_);
  void ends(std::uint64_t seq) WEIR_EXCLUDES(mutex_);
  /// Does nothing for a command that has not entered.
  void leave(std::uint64_t seq) noexcept WEIR_EXCLUDES(mutex_);

  /// At most `few` of each kind that waits.
  [[nodiscard]] view look(std::size_t few) const WEIR_EXCLUDES(mutex_);

 private:
  [[nodiscard]] bool has_room_locked(std::size_t bytes) const WEIR_REQUIRES(mutex_);
  template <class Change>
  void change(std::uint64_t seq, Change&& change) WEIR_EXCLUDES(mutex_);

  const std::size_t most_;
  const std::size_t most_bytes_;
  sync::parker room_;
  mutable sync::mutex mutex_;
  std::map<std::uint64_t, entry> entries_ WEIR_GUARDED_BY(mutex_);
  std::size_t bytes_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_read_ WEIR_GUARDED_BY(mutex_) = 0;
  bool reader_waits_ WEIR_GUARDED_BY(mutex_) = false;
  bool stopped_ WEIR_GUARDED_BY(mutex_) = false;
};

/// A command's place in a roster: it leaves when this is destroyed.
class roster_place {
 public:
  roster_place(roster& of, std::uint64_t seq) : of_(of), seq_(seq) {}
  ~roster_place() { of_.leave(seq_); }
  roster_place(const roster_place&) = delete;
  roster_place& operator=(const roster_place&) = delete;

 private:
  roster& of_;
  const std::uint64_t seq_;
};

}  // namespace weir::process
