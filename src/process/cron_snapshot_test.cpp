#include "process/cron_snapshot.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "process/crontab.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/watchdog.hpp"

namespace weir::process {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::gate;
using testing::opens_at_exit;
using wall_point = std::chrono::system_clock::time_point;

constexpr wall_point k_noon = wall_point(std::chrono::seconds(1'767'268'800));

cron_snapshot sample() {
  cron_snapshot of;
  of.elapsed = 12340ms;
  of.seen.now = k_noon;
  of.seen.counts.succeeded = 40;
  of.seen.counts.failed = 2;
  of.seen.running.push_back({43, 4, "./backup", false, 72340ms});
  of.seen.running.push_back({44, 9, "./old", true, 1s});
  of.seen.lines.push_back({4, "./backup", k_noon + 90s, false, 0, 1, 8, 1, 3});
  of.seen.lines.push_back({7, "./poll", k_noon + 30s, true, 2, 0, 35, 1, 0});
  of.seen.lines.push_back({8, "./prepare", std::nullopt, false, 0, 0, 1, 0, 0});
  return of;
}

TEST(CronSnapshot, text) {
  EXPECT_EQ(snapshot_text(sample()),
            "weir: after 12.3s: 3 lines; 2 running, 1 waiting for a place; 42 done, 2 failed, "
            "3 not started\n"
            "weir:   run 43 (line 4) runs for 72.3s: ./backup\n"
            "weir:   run 44 (line 9, no longer in the crontab) runs for 1.0s: ./old\n"
            "weir:   line 4: next at 2026-01-01T12:01:30Z, in 90.0s; 8 runs, 1 failed, 3 skipped, "
            "1 running: ./backup\n"
            "weir:   line 7: next at 2026-01-01T12:00:30Z, in 30.0s; 35 runs, 1 failed, 0 skipped, "
            "waits for a place, owes 2: ./poll\n"
            "weir:   line 8: no next time; 1 run, 0 failed, 0 skipped: ./prepare\n");
  cron_snapshot ending = sample();
  ending.how = cron_snapshot::stage::ending;
  EXPECT_EQ(snapshot_text(ending).rfind("weir: ending what runs, after 12.3s", 0), 0u);
}

TEST(CronSnapshot, json) {
  cron_snapshot of = sample();
  of.seen.lines[0].command = "\xff";
  const std::string text = snapshot_json(of);
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line";
  const auto seen = nlohmann::json::parse(text)["snapshot"];
  EXPECT_EQ(seen["stage"], "going");
  EXPECT_EQ(seen["time"], "2026-01-01T12:00:00Z");
  EXPECT_EQ(seen["skipped"], 3);
  EXPECT_EQ(seen["running"][1]["retired"], true);
  EXPECT_EQ(seen["running"][0]["seconds"], 72.34);
  EXPECT_EQ(seen["lines"][0]["command"], "\xef\xbf\xbd");
  EXPECT_EQ(seen["lines"][1]["due_in"], 30.0);
  EXPECT_EQ(seen["lines"][1]["owed"], 2);
  EXPECT_TRUE(seen["lines"][2]["next"].is_null());
  EXPECT_EQ(seen["further_lines"], 0);
}

// Of very many lines those that run, then those due first, in the order of the crontab.
TEST(CronSnapshot, of_too_many_lines_the_busy_and_the_next_are_shown) {
  cron_snapshot of;
  of.seen.now = k_noon;
  const std::size_t most = cron_snapshot::k_most_lines;
  for (std::uint64_t line = 1; line <= most + 10; ++line) {
    of.seen.lines.push_back({line, "c", k_noon + (2000 - line) * 1s, line == 1, 0, 0, 0, 0, 0});
  }
  const auto seen = nlohmann::json::parse(snapshot_json(of))["snapshot"];
  EXPECT_EQ(seen["lines"].size(), most);
  EXPECT_EQ(seen["further_lines"], 10);
  EXPECT_EQ(seen["lines"][0]["line"], 1) << "it waits";
  EXPECT_EQ(seen["lines"][1]["line"], 12) << "those above are due last";
  EXPECT_EQ(seen["lines"][most - 1]["line"], most + 10);
  const std::string text = snapshot_text(of);
  EXPECT_NE(text.find("weir:   and 10 more lines\n"), std::string::npos);
}

class silent final : public cron_listener {
 public:
  void started(const cron_run&) override {}
  void ended(const cron_run&, finished_command&&) override {}
  void skipped(const cron_run&, cron_skip, std::uint64_t, std::uint64_t) override {}
  void trouble(const std::string& what) override { ADD_FAILURE() << what; }
};

cron_table table_of(const std::string& text) {
  const spawner starter;
  return make_cron_table(read_crontab(text, {}), starter);
}

/// A daemon at noon whose command `long` goes on until `held` is open, and whose `false` fails.
struct watched_daemon {
  explicit watched_daemon(catch_up misfire) {
    cron_policies policies;
    policies.misfire = misfire;
    policies.clock = &clock;
    daemon.emplace(
        policies,
        [this](const cron_run& run) {
          if (run.job.entry.command == "long") held.wait();
          finished_command done;
          done.how = run.job.entry.command == "false" ? outcome::failed : outcome::succeeded;
          return done;
        },
        listener);
  }
  bool sees(std::uint64_t runs, std::uint64_t skipped) const {
    return eventually([&] {
      const cron_view seen = daemon->look();
      return seen.lines.at(0).runs == runs && seen.lines.at(0).skipped == skipped;
    });
  }

  testing::watchdog dog{"a watched daemon"};
  gate held;
  silent listener;
  manual_clock clock{{}, k_noon};
  std::optional<cron_daemon> daemon;
};

TEST(CronDaemonLook, case_176_what_runs_for_how_long_and_what_was_passed_over) {
  watched_daemon at(catch_up::coalesce);
  const opens_at_exit opens(at.held);
  at.daemon->start(table_of("* * * * * long\n0 13 * * * false\n"));
  EXPECT_EQ(at.daemon->look().lines.at(0).next, k_noon + 1min);
  at.clock.advance(1min);
  ASSERT_TRUE(at.sees(1, 0));
  at.clock.advance(1min);
  ASSERT_TRUE(at.sees(1, 1));
  const cron_view seen = at.daemon->look();
  ASSERT_EQ(seen.running.size(), 1u);
  EXPECT_EQ(seen.running[0].number, 1u);
  EXPECT_EQ(seen.running[0].command, "long");
  EXPECT_EQ(seen.running[0].elapsed, 1min);
  EXPECT_EQ(seen.lines.at(0).running, 1u);
  EXPECT_EQ(seen.lines.at(1).next, k_noon + 1h);
  at.held.open();
  ASSERT_TRUE(eventually([&] { return at.daemon->look().running.empty(); }));
}

TEST(CronDaemonLook, failures_are_those_of_their_line) {
  watched_daemon at(catch_up::coalesce);
  at.daemon->start(table_of("@reboot false\n@reboot true\n"));
  ASSERT_TRUE(eventually([&] { return at.daemon->counts().ended() == 2; }));
  const cron_view seen = at.daemon->look();
  EXPECT_EQ(seen.lines.at(0).failures, 1u);
  EXPECT_EQ(seen.lines.at(1).failures, 0u);
  EXPECT_EQ(seen.lines.at(1).runs, 1u);
  EXPECT_EQ(seen.lines.at(0).next, std::nullopt);
}

// What is passed over under `skip` is told to the log by the next run, and shown at once.
TEST(CronDaemonLook, case_61_what_was_missed_is_known_before_the_next_run_tells_of_it) {
  watched_daemon at(catch_up::skip);
  at.daemon->start(table_of("* * * * * a\n"));
  at.clock.advance(5min + 30s);
  ASSERT_TRUE(at.sees(0, 5));
  EXPECT_EQ(at.daemon->skips(), 0u);
  at.clock.advance(30s);
  ASSERT_TRUE(at.sees(1, 5)) << "not counted again";
  EXPECT_EQ(at.daemon->skips(), 5u);
}

TEST(CronDaemonLook, case_175_what_runs_of_a_line_that_is_gone) {
  watched_daemon at(catch_up::coalesce);
  const opens_at_exit opens(at.held);
  at.daemon->start(table_of("@reboot long\n"));
  ASSERT_TRUE(at.sees(1, 0));
  at.daemon->replace(table_of("@daily other\n"));
  const cron_view seen = at.daemon->look();
  ASSERT_EQ(seen.running.size(), 1u);
  EXPECT_TRUE(seen.running[0].retired);
  ASSERT_EQ(seen.lines.size(), 1u);
  EXPECT_EQ(seen.lines[0].command, "other");
}

}  // namespace
}  // namespace weir::process
