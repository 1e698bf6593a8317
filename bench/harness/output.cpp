#include "output.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "clock.hpp"

namespace bench {

bool run_output::feed(std::string_view text) {
  rest_ += text;
  for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
    line(rest_.substr(0, end));
    rest_.erase(0, end + 1);
  }
  return complete_;
}

void run_output::line(const std::string& text) {
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (object.contains("error")) {
    error_ = object["error"];
    complete_ = true;
  } else if (object.contains("done")) {
    complete_ = true;
  } else if (object.contains("metric")) {
    found_.push_back({object["metric"], object["unit"], object["value"]});
  } else {
    error_ = "unreadable: " + text;
    complete_ = true;
  }
}

samples run_output::take() const {
  if (!error_.empty()) throw wrong_result(error_);
  if (!complete_) throw wrong_result("it ended before it was done");
  return found_;
}

std::string to_lines(const samples& found) {
  std::string text;
  for (const auto& each : found) {
    text +=
        nlohmann::json{{"metric", each.metric}, {"unit", each.unit}, {"value", each.value}}.dump() +
        "\n";
  }
  return text + "{\"done\":true}\n";
}

std::string error_line(const std::string& what) {
  return nlohmann::json{{"error", what}}.dump() + "\n";
}

void read_run(int descriptor, run_output& out, int limit_ms) {
  const auto deadline = now_ns() + limit_ms * 1'000'000LL;
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto left = (deadline - now_ns()) / 1'000'000;
    pollfd watched{descriptor, POLLIN, 0};
    const int ready = left > 0 ? poll(&watched, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      throw wrong_result("still running after " + std::to_string(limit_ms / 1000) + " s");
    }
    const auto count = read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    if (out.feed({buffer.data(), static_cast<std::size_t>(count)})) return;
  }
}

}  // namespace bench
