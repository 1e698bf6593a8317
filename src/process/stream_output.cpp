#include "process/stream_output.hpp"

#include <string_view>

namespace weir::process {
namespace {

// Puts `prefix` before each line of a stream that comes in pieces.
class tagged_lines {
 public:
  tagged_lines(const std::string& tag, output_port& to) : prefix_(tag + "\t"), to_(to) {}

  bool write(std::string_view piece) {
    std::string out;
    while (!piece.empty()) {
      if (at_start_) {
        out += prefix_;
      }
      const auto newline = piece.find('\n');
      const std::size_t length = newline == std::string_view::npos ? piece.size() : newline + 1;
      out += piece.substr(0, length);
      at_start_ = newline != std::string_view::npos;
      piece.remove_prefix(length);
    }
    return to_.write(out);
  }
  bool finish() { return at_start_ || to_.write("\n"); }

 private:
  std::string prefix_;
  output_port& to_;
  bool at_start_ = true;
};

}  // namespace

void write_stream(const capture& stream, const std::string* tag, output_port& to) {
  if (stream.empty()) {
    return;
  }
  if (tag == nullptr) {
    stream.for_each_piece([&](std::string_view piece) { return to.write(piece); });
    return;
  }
  tagged_lines lines(*tag, to);
  if (stream.for_each_piece([&](std::string_view piece) { return lines.write(piece); })) {
    lines.finish();
  }
}

}  // namespace weir::process
