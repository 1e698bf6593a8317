#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "harness/child.hpp"
#include "harness/clock.hpp"
#include "harness/java.hpp"
#include "systems/all.hpp"

namespace bench {

namespace {

struct settings {
  scale size;
  int rounds = 7;
  int limit_s = 180;
  std::string json;
  std::string java;
  std::vector<std::string> workloads;
  std::vector<std::string> systems;
};

/// All runs of one experiment, collected over the rounds.
struct series {
  const experiment* what;
  std::vector<std::string> order = {};
  std::map<std::string, std::string> units = {};
  std::map<std::string, std::vector<double>> values = {};
  std::string trouble = {};

  void add(const samples& found) {
    for (const auto& each : found) {
      if (!values.contains(each.metric)) order.push_back(each.metric);
      units[each.metric] = each.unit;
      values[each.metric].push_back(each.value);
    }
  }
};

experiments all_experiments(const settings& chosen) {
  experiments all;
  add_weir(all, chosen.size);
  add_weir_fork(all, chosen.size);
#ifdef WEIR_BENCH_TBB
  add_tbb(all, chosen.size);
#endif
#ifdef WEIR_BENCH_ASIO
  add_asio(all, chosen.size);
#endif
#ifdef WEIR_BENCH_OPENMP
  add_openmp(all, chosen.size);
#endif
#ifdef WEIR_BENCH_LIBUV
  add_libuv(all, chosen.size);
#endif
  add_naive(all, chosen.size);
  add_heap(all, chosen.size);
  if (!chosen.java.empty()) add_java(all, chosen.size, chosen.java, chosen.limit_s * 1000);
  return all;
}

/// Throws `std::invalid_argument` for a name that none of the experiments has.
void check_names(const std::vector<std::string>& asked, const experiments& all,
                 std::string experiment::*field, const std::string& kind) {
  for (const auto& name : asked) {
    std::set<std::string> known;
    for (const auto& each : all) known.insert(each.*field);
    if (known.contains(name)) continue;
    std::string text = "there is no " + kind + " '" + name + "' here; there are: ";
    for (const auto& each : known) text += (each == *known.begin() ? "" : ", ") + each;
    throw std::invalid_argument(text);
  }
}

/// Those that were asked for, put into groups that share workload and parameters. A group's systems
/// run in turn, so that a machine that slows down slows all of them.
std::vector<std::vector<series>> groups_of(const experiments& all, const settings& chosen) {
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::vector<series>> groups;
  for (const auto& each : all) {
    if (!among(chosen.workloads, each.workload) || !among(chosen.systems, each.system)) continue;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return group.front().what->workload == each.workload &&
             group.front().what->parameters == each.parameters;
    });
    if (same == groups.end()) {
      groups.push_back({series{&each}});
    } else {
      same->push_back(series{&each});
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& left, const auto& right) {
    return left.front().what->workload < right.front().what->workload;
  });
  return groups;
}

std::string title_of(const experiment& what) {
  std::string title = what.workload;
  for (const auto& [name, value] : what.parameters.all()) {
    title += " " + name + "=" + std::to_string(value);
  }
  return title;
}

void run_once(series& one, int limit_ms) {
  try {
    one.add(one.what->forked ? run_in_child(*one.what, limit_ms)
                             : one.what->run(one.what->parameters));
  } catch (const std::exception& failure) {
    // What has failed once is not believed in any other round either.
    one.trouble = failure.what();
  }
}

void run_group(std::vector<series>& group, const settings& chosen) {
  std::printf("%s\n", title_of(*group.front().what).c_str());
  std::fflush(stdout);
  for (int round = 0; round < chosen.rounds; ++round) {
    for (auto& one : group) {
      if (one.what->rounds > 0 && round >= one.what->rounds) continue;
      if (one.trouble.empty()) run_once(one, chosen.limit_s * 1000);
    }
  }
}

nlohmann::ordered_json row_of(const series& one, const std::string& metric) {
  auto values = one.values.at(metric);
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  nlohmann::ordered_json parameters;
  for (const auto& [name, value] : one.what->parameters.all()) parameters[name] = value;
  return {{"workload", one.what->workload},
          {"params", parameters},
          {"system", one.what->system},
          {"metric", metric},
          {"unit", one.units.at(metric)},
          {"median", median},
          {"min", values.front()},
          {"max", values.back()},
          {"n", values.size()}};
}

void print(const series& one) {
  if (!one.trouble.empty()) {
    std::printf("  %-34s FAILED: %s\n", one.what->system.c_str(), one.trouble.c_str());
    return;
  }
  std::printf("  %-34s", one.what->system.c_str());
  for (const auto& metric : one.order) {
    const auto row = row_of(one, metric);
    std::printf(" %s %.4g%s", metric.c_str(), row["median"].get<double>(),
                one.units.at(metric).c_str());
  }
  std::printf("\n");
}

int measure(const settings& chosen) {
  const auto all = all_experiments(chosen);
  check_names(chosen.workloads, all, &experiment::workload, "workload");
  check_names(chosen.systems, all, &experiment::system, "system");
  auto groups = groups_of(all, chosen);
  auto rows = nlohmann::ordered_json::array();
  auto failures = nlohmann::ordered_json::array();
  for (auto& group : groups) {
    run_group(group, chosen);
    for (const auto& one : group) {
      print(one);
      if (one.trouble.empty()) {
        for (const auto& metric : one.order) rows.push_back(row_of(one, metric));
      } else {
        failures.push_back(
            {{"run", title_of(*one.what)}, {"system", one.what->system}, {"trouble", one.trouble}});
      }
    }
    std::fflush(stdout);
  }
  const bool failed = !failures.empty();
  const nlohmann::ordered_json document{
      {"quick", chosen.size.quick},      {"rounds", chosen.rounds},
      {"compiler", WEIR_BENCH_COMPILER}, {"flags", WEIR_BENCH_FLAGS},
      {"failures", std::move(failures)}, {"rows", std::move(rows)}};
  if (!chosen.json.empty()) {
    std::ofstream file(chosen.json);
    file << document.dump(1) << "\n";
    if (!file.flush()) {
      std::fprintf(stderr, "weir_bench: cannot write %s\n", chosen.json.c_str());
      return 1;
    }
  }
  return failed ? 1 : 0;
}

}  // namespace

}  // namespace bench

int main(int count, char** words) {
  bench::settings chosen;
  CLI::App app("Measures weir beside its peers. tools/bench builds and runs it.", "weir_bench");
  app.add_flag("--quick", chosen.size.quick, "small sizes and three rounds");
  auto* rounds = app.add_option("--rounds", chosen.rounds, "runs of each, in turn (default 7)")
                     ->check(CLI::Range(1, 1000));
  app.add_option("--limit", chosen.limit_s, "seconds that one run may take (default 180)")
      ->check(CLI::Range(1, 86400));
  app.add_option("--idle-seconds", chosen.size.idle_seconds, "how long to watch silence")
      ->check(CLI::Range(1, 86400));
  app.add_option("--json", chosen.json, "where the rows go");
  app.add_option("--java", chosen.java, "the folder with WeirBench.class");
  app.add_option("--system", chosen.systems, "only this system; may be given several times")
      ->allow_extra_args(false);
  app.add_option("workload", chosen.workloads, "only these");
  CLI11_PARSE(app, count, words);
  if (chosen.size.quick && rounds->empty()) chosen.rounds = 3;
  // A virtual machine that died shows as a failed write.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return bench::measure(chosen);
  } catch (const std::invalid_argument& wrong) {
    std::fprintf(stderr, "weir_bench: %s\n", wrong.what());
    return 2;
  }
}
