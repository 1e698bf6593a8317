#pragma once

#include <string>

#include "experiment.hpp"

namespace bench {

/// What one run has said, line by line: {"metric", "unit", "value"} objects, or one {"error"}.
class run_output {
 public:
  /// Takes more of the text. True when it is complete: an error, or the line {"done": true}.
  bool feed(std::string_view text);

  /// The figures; throws `wrong_result` when the run reported an error or broke off.
  [[nodiscard]] samples take() const;

 private:
  void line(const std::string& text);

  std::string rest_;
  samples found_;
  std::string error_;
  bool complete_ = false;
};

/// The lines that a `run_output` reads.
[[nodiscard]] std::string to_lines(const samples& found);
[[nodiscard]] std::string error_line(const std::string& what);

/// Reads the output of one run from a descriptor until it is complete, the writer is gone or the
/// time is over; the last throws `wrong_result`.
void read_run(int descriptor, run_output& out, int limit_ms);

}  // namespace bench
