#include "weir/json.hpp"

#include <nlohmann/json.hpp>

#include "observe/count_fields.hpp"
#include "weir/pool_options.hpp"

namespace weir {

namespace {

using json = nlohmann::ordered_json;

std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json limit_of(std::size_t value) { return value == unbounded ? json(nullptr) : json(value); }

void put_counts(json& object, const pool_counts& counts) {
  for (const auto& field : detail::k_totals) object[field.json] = counts.*field.value;
  for (const auto& field : detail::k_levels) object[field.json] = counts.*field.value;
}

json summary_of(const timing_summary& of) {
  return {{"count", of.count},         {"total_ns", of.total.count()}, {"max_ns", of.max.count()},
          {"p50_ns", of.p50.count()},  {"p90_ns", of.p90.count()},     {"p99_ns", of.p99.count()},
          {"p999_ns", of.p999.count()}};
}

void put_instant(json& object, const char* name, const std::optional<clock::time_point>& at) {
  if (at) object[name] = std::chrono::nanoseconds(at->time_since_epoch()).count();
}

json object_of(const task_snapshot& task) {
  json object{{"id", task.id}};
  if (!task.name.empty()) object["name"] = task.name;
  if (!task.key.empty()) object["key"] = task.key;
  if (task.weight != 0) object["weight"] = task.weight;
  object["state"] = to_string(task.state);
  if (task.worker == worker_info::k_caller) {
    object["worker"] = "caller";
  } else if (task.worker) {
    object["worker"] = *task.worker;
  }
  put_instant(object, "due_ns", task.due);
  put_instant(object, "submitted_ns", task.submitted);
  put_instant(object, "started_ns", task.started);
  put_instant(object, "ended_ns", task.ended);
  if (task.reason) object["reason"] = to_string(*task.reason);
  if (task.cancellation) object["cancellation"] = to_string(*task.cancellation);
  return object;
}

json object_of(const series_snapshot& series) {
  json object{{"id", series.id}};
  if (!series.name.empty()) object["name"] = series.name;
  object["state"] = to_string(series.state);
  object["runs"] = series.runs;
  object["failures"] = series.failures;
  object["skipped"] = series.skipped;
  object["running"] = series.running;
  put_instant(object, "next_due_ns", series.next_due);
  if (series.next_wall_due) {
    const auto since = series.next_wall_due->time_since_epoch();
    object["next_wall_due_ns"] = std::chrono::nanoseconds(since).count();
  }
  return object;
}

json list_of(const std::vector<task_snapshot>& tasks, clock::time_point now) {
  json list = json::array();
  for (const task_snapshot& task : tasks) {
    json& object = list.emplace_back(object_of(task));
    if (const auto age = task.age(now)) object["age_ns"] = age->count();
    if (const auto runs = task.running_for(now)) object["running_for_ns"] = runs->count();
  }
  return list;
}

}  // namespace

std::string to_json(const pool_stats& stats) {
  json object;
  put_counts(object, stats);
  object["wait"] = summary_of(stats.wait);
  object["run"] = summary_of(stats.run);
  object["lateness"] = summary_of(stats.lateness);
  return text_of(object);
}

std::string to_json(const pool_snapshot& snapshot) {
  json object{{"pool", snapshot.name},
              {"closed", snapshot.closed},
              {"paused", snapshot.paused},
              {"terminated", snapshot.terminated},
              {"core", snapshot.core},
              {"max", snapshot.max},
              {"capacity", limit_of(snapshot.capacity)},
              {"capacity_weight", limit_of(snapshot.capacity_weight)}};
  put_instant(object, "taken_ns", snapshot.taken);
  put_counts(object["counts"], snapshot.counts);
  object["running"] = list_of(snapshot.running, snapshot.taken);
  object["queued"] = list_of(snapshot.queued, snapshot.taken);
  object["delayed"] = list_of(snapshot.delayed, snapshot.taken);
  object["series"] = json::array();
  for (const series_snapshot& each : snapshot.series) object["series"].push_back(object_of(each));
  object["left_out"] = snapshot.left_out;
  object["ending"] = snapshot.ending;
  return text_of(object);
}

std::string to_json(const task_snapshot& task) { return text_of(object_of(task)); }

}  // namespace weir
