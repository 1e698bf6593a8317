#include "process/run_snapshot.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "process/byte_size.hpp"
#include "process/time_text.hpp"

namespace weir::process {
namespace {

using json = nlohmann::ordered_json;
using std::chrono::nanoseconds;

std::string name_of(const roster::entry& one) {
  std::string text = std::to_string(one.seq);
  if (one.line != 0) {
    text += " (line " + std::to_string(one.line) + ")";
  }
  return text;
}

std::string line(const char* what, const roster::entry& one, const std::string& details) {
  std::string text = std::string("weir:   ") + what + " " + name_of(one) + details;
  if (one.key) {
    text += ", key '" + *one.key + "'";
  }
  return text + ": " + one.text + "\n";
}

std::string running_line(const roster::entry& one, roster::steady_time now) {
  if (one.where == standing::ending) {
    return line("writes output of", one, "");
  }
  std::string details = " for " + shown_seconds_text(now - one.time);
  if (one.pid != 0) {
    details += ", pid " + std::to_string(one.pid);
  }
  if (one.attempt > 1) {
    details += ", attempt " + std::to_string(one.attempt);
  }
  return line("runs", one, details);
}

std::string retrying_line(const roster::entry& one, roster::steady_time now) {
  return line(
      "retries", one,
      " in " + shown_seconds_text(one.time - now) + ", attempt " + std::to_string(one.attempt));
}

std::string lane_line(const roster::lane& one) {
  return "weir:   key '" + one.key + "': " + std::to_string(one.waiting) + " behind command " +
         std::to_string(one.holder) + "\n";
}

std::string rest_line(std::size_t all, std::size_t shown, const char* what) {
  return all <= shown ? "" : "weir:   and " + std::to_string(all - shown) + what + "\n";
}

const char* stage_text(run_snapshot::stage how) {
  switch (how) {
    case run_snapshot::stage::going:
      return "";
    case run_snapshot::stage::stopping:
      return "stopping, ";
    case run_snapshot::stage::ending:
      return "ending what runs, ";
  }
  return "";
}

// What has ended, by kind; the summary of a run would call what still runs missing.
std::string ended_text(const run_counts& counts) {
  std::string text = std::to_string(counts.ended() + counts.skipped);
  if (counts.total) {
    text += " of " + std::to_string(*counts.total);
  }
  text += " done";
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) {
      text += ", " + std::to_string(count) + what;
    }
  };
  add(counts.failed, " failed");
  add(counts.timed_out, " timed out");
  add(counts.cancelled, " cancelled");
  add(counts.never_started, " never to start");
  add(counts.skipped, " done before");
  return text;
}

std::string head_line(const run_snapshot& seen) {
  const roster::view& held = seen.held;
  std::string text =
      std::string("weir: ") + stage_text(seen.how) + "after " + shown_seconds_text(seen.elapsed) +
      ": " + ended_text(seen.counts) + "; " + std::to_string(held.running.size()) + " running, " +
      std::to_string(held.ready_count) + " ready, " + std::to_string(held.behind_key_count) +
      " behind a key, " + std::to_string(held.retrying_count) + " to retry; " +
      byte_size_text(held.bytes);
  if (seen.max_bytes != 0) {
    text += " of " + byte_size_text(seen.max_bytes);
  }
  text += " held";
  if (held.reader_waits) {
    text += "; command " + std::to_string(held.last_read) + " finds no room yet";
  }
  return text + "\n";
}

json to_json(const roster::entry& one) {
  json object{{"seq", one.seq}};
  if (one.line != 0) {
    object["line"] = one.line;
  }
  object["command"] = one.text;
  if (one.key) {
    object["key"] = *one.key;
  }
  object["attempt"] = one.attempt;
  return object;
}

json running_json(const roster::entry& one, roster::steady_time now) {
  json object = to_json(one);
  object["writes_output"] = one.where == standing::ending;
  if (one.where == standing::running) {
    object["pid"] = one.pid != 0 ? json(one.pid) : json(nullptr);
    object["seconds"] = shown_seconds(now - one.time);
  }
  return object;
}

const char* stage_name(run_snapshot::stage how) {
  switch (how) {
    case run_snapshot::stage::going:
      return "going";
    case run_snapshot::stage::stopping:
      return "stopping";
    case run_snapshot::stage::ending:
      return "ending";
  }
  return "";
}

json counts_json(const run_snapshot& seen) {
  const run_counts& counts = seen.counts;
  return {{"stage", stage_name(seen.how)},
          {"seconds", shown_seconds(seen.elapsed)},
          {"total", counts.total ? json(*counts.total) : json(nullptr)},
          {"succeeded", counts.succeeded},
          {"failed", counts.failed},
          {"timed_out", counts.timed_out},
          {"cancelled", counts.cancelled},
          {"never_started", counts.never_started},
          {"done_before", counts.skipped},
          {"bytes", seen.held.bytes},
          {"max_bytes", seen.max_bytes != 0 ? json(seen.max_bytes) : json(nullptr)},
          {"reader_waits", seen.held.reader_waits}};
}

}  // namespace

std::string snapshot_text(const run_snapshot& seen) {
  const roster::view& held = seen.held;
  std::string text = head_line(seen);
  for (const roster::entry& one : held.running) {
    text += running_line(one, seen.now);
  }
  for (const roster::entry& one : held.ready) {
    text += line("ready", one, "");
  }
  text += rest_line(held.ready_count, held.ready.size(), " more ready");
  for (const roster::entry& one : held.retrying) {
    text += retrying_line(one, seen.now);
  }
  text += rest_line(held.retrying_count, held.retrying.size(), " more to retry");
  for (const roster::lane& one : held.lanes) {
    text += lane_line(one);
  }
  return text + rest_line(held.lane_count, held.lanes.size(), " more keys with commands behind");
}

std::string snapshot_json(const run_snapshot& seen) {
  const roster::view& held = seen.held;
  json running = json::array();
  for (const roster::entry& one : held.running) {
    running.push_back(running_json(one, seen.now));
  }
  json ready = json::array();
  for (const roster::entry& one : held.ready) {
    ready.push_back(to_json(one));
  }
  json retrying = json::array();
  for (const roster::entry& one : held.retrying) {
    retrying.push_back(to_json(one));
    retrying.back()["due_in"] = shown_seconds(one.time - seen.now);
  }
  json lanes = json::array();
  for (const roster::lane& one : held.lanes) {
    lanes.push_back({{"key", one.key}, {"waiting", one.waiting}, {"behind", one.holder}});
  }
  json all = counts_json(seen);
  all["running"] = std::move(running);
  all["ready"] = {{"count", held.ready_count}, {"next", std::move(ready)}};
  all["retrying"] = {{"count", held.retrying_count}, {"next", std::move(retrying)}};
  all["behind_key"] = {
      {"count", held.behind_key_count}, {"keys", held.lane_count}, {"longest", std::move(lanes)}};
  const json document{{"snapshot", std::move(all)}};
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace weir::process
