#include "process/json_report.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "process/utf8.hpp"

namespace weir::process {
namespace {

using json = nlohmann::ordered_json;

// RFC 4648; nlohmann-json has no encoder for it.
std::string base64(std::string_view bytes) {
  constexpr std::string_view k_digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out.push_back(i <= group.size() ? k_digits[bits >> (18 - 6 * i) & 63] : '=');
    }
  }
  return out;
}

// The characters of a JSON string without its quotes.
std::string escaped(std::string_view text) {
  const std::string quoted = json(text).dump();
  return quoted.substr(1, quoted.size() - 2);
}

bool is_text(const capture& stream) {
  utf8_check check;
  stream.for_each_piece([&](std::string_view piece) { return check.feed(piece); });
  return check.complete();
}

// Pieces end anywhere; `keep_back` says how many bytes belong to the next one.
template <class Encode, class KeepBack>
bool write_encoded(const capture& stream, output_port& to, Encode encode, KeepBack keep_back) {
  std::string rest;
  const bool whole = stream.for_each_piece([&](std::string_view piece) {
    rest += piece;
    const std::size_t ready = rest.size() - keep_back(rest);
    const bool written = to.write(encode(std::string_view(rest).substr(0, ready)));
    rest.erase(0, ready);
    return written;
  });
  return whole && to.write(encode(rest));
}

bool write_stream(const char* name, const capture& stream, output_port& to) {
  const bool text = is_text(stream);
  if (!to.write(std::string(",\"") + name + (text ? "\":\"" : "_base64\":\""))) {
    return false;
  }
  const bool written = text ? write_encoded(stream, to, escaped, unfinished_tail)
                            : write_encoded(stream, to, base64,
                                            [](std::string_view rest) { return rest.size() % 3; });
  return written && to.write("\"");
}

void put_text(json& object, const std::string& name, std::string_view text) {
  utf8_check check;
  check.feed(text);
  if (check.complete()) {
    object[name] = text;
  } else {
    object[name + "_base64"] = base64(text);
  }
}

json head(const finished_command& ended) {
  json object;
  object["seq"] = ended.what.seq;
  if (ended.what.line != 0) {
    object["line"] = ended.what.line;
  }
  put_text(object, "command", ended.what.text);
  if (ended.what.key) {
    put_text(object, "key", *ended.what.key);
  }
  object["outcome"] = to_string(ended.how);
  const bool exited = ended.status.how == exit_status::kind::exited;
  object["exit"] = ended.ran && exited ? json(ended.status.value) : json(nullptr);
  object["signal"] = ended.ran && !exited ? json(ended.status.value) : json(nullptr);
  if (!ended.problem.empty()) {
    put_text(object, "problem", ended.problem);
  }
  object["attempts"] = ended.attempts;
  object["start"] = std::chrono::duration<double>(ended.started.time_since_epoch()).count();
  object["seconds"] = std::chrono::duration<double>(ended.run_time).count();
  return object;
}

}  // namespace

bool write_json(const finished_command& ended, output_port& to, std::string_view before) {
  std::string line = "{" + std::string(before) + head(ended).dump().substr(1);
  line.pop_back();
  return to.write(line) && write_stream("stdout", ended.out, to) &&
         write_stream("stderr", ended.err, to) && to.write("}\n");
}

}  // namespace weir::process
