#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// One figure of one run of one system.
struct sample {
  std::string metric;
  std::string unit;
  double value = 0;
};

using samples = std::vector<sample>;

/// Thrown when the result of an operation is wrong: its time is then worth nothing.
class wrong_result : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws `wrong_result` unless both counts agree.
inline void verify(const char* what, std::uint64_t found, std::uint64_t expected) {
  if (found == expected) return;
  throw wrong_result(std::string(what) + ": " + std::to_string(found) + " instead of " +
                     std::to_string(expected));
}

/// The named numbers of a workload, in the order in which they are shown.
class params {
 public:
  params(std::initializer_list<std::pair<std::string, std::int64_t>> values) : values_(values) {}

  /// Throws `std::out_of_range` for a name that is not there.
  [[nodiscard]] std::int64_t operator[](const std::string& name) const {
    for (const auto& [key, value] : values_) {
      if (key == name) return value;
    }
    throw std::out_of_range("no parameter " + name);
  }

  [[nodiscard]] const auto& all() const noexcept { return values_; }
  [[nodiscard]] bool operator==(const params&) const = default;

 private:
  std::vector<std::pair<std::string, std::int64_t>> values_;
};

/// One workload with its parameters on one system. `run` does it once.
struct experiment {
  std::string workload;
  params parameters;
  std::string system;
  std::function<samples(const params&)> run;
  /// Whether each run gets a process of its own. False: `run` talks to another process itself.
  bool forked = true;
  /// Rounds at most; 0 = as many as were asked for.
  int rounds = 0;
};

/// How large the workloads are.
struct scale {
  bool quick = false;
  std::int64_t idle_seconds = 10;

  [[nodiscard]] std::int64_t pick(std::int64_t full, std::int64_t small) const {
    return quick ? small : full;
  }
};

using experiments = std::vector<experiment>;

}  // namespace bench
