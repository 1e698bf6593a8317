#include "process/cron_daemon.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "process/crontab.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/utc.hpp"
#include "support/watchdog.hpp"
#include "sync/mutex.hpp"

namespace weir::process {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::eventually;
using testing::gate;
using testing::opens_at_exit;
using wall_point = std::chrono::system_clock::time_point;

struct skip_seen {
  std::string command;
  cron_skip why;
  std::uint64_t count;
  std::uint64_t total;
};

// Hears all, and stands for the commands: those with a gate are held until it is opened.
class recorder final : public cron_listener {
 public:
  void started(const cron_run& run) override {
    const sync::lock_guard held(lock_);
    starts_[run.job.entry.command].push_back(run.due.value_or(wall_point()));
    lines_[run.job.entry.command] = run.line;
  }
  void ended(const cron_run& run, finished_command&&) override {
    const sync::lock_guard held(lock_);
    ++ends_[run.job.entry.command];
  }
  void skipped(const cron_run& run, cron_skip why, std::uint64_t count,
               std::uint64_t total) override {
    const sync::lock_guard held(lock_);
    skips_.push_back({run.job.entry.command, why, count, total});
  }
  void trouble(const std::string& what) override {
    const sync::lock_guard held(lock_);
    troubles_.push_back(what);
  }

  finished_command run(const cron_run& run) {
    gate* hold = nullptr;
    {
      const sync::lock_guard held(lock_);
      order_.push_back(run.job.entry.command);
      most_ = std::max(most_, ++running_);
      hold = holds_[run.job.entry.command];
      if (hold != nullptr) ++held_now_;
    }
    if (hold != nullptr) hold->wait();
    const sync::lock_guard held(lock_);
    --running_;
    if (hold != nullptr) --held_now_;
    finished_command done;
    done.how = run.job.entry.command == "false" ? outcome::failed : outcome::succeeded;
    return done;
  }
  void hold(const std::string& command, gate* by) {
    const sync::lock_guard held(lock_);
    holds_[command] = by;
  }

  std::vector<wall_point> starts(const std::string& command) const {
    const sync::lock_guard held(lock_);
    const auto found = starts_.find(command);
    return found == starts_.end() ? std::vector<wall_point>() : found->second;
  }
  std::size_t ends(const std::string& command) const {
    const sync::lock_guard held(lock_);
    const auto found = ends_.find(command);
    return found == ends_.end() ? 0 : found->second;
  }
  std::vector<skip_seen> skips() const {
    const sync::lock_guard held(lock_);
    return skips_;
  }
  std::vector<std::string> order() const {
    const sync::lock_guard held(lock_);
    return order_;
  }
  std::vector<std::string> troubles() const {
    const sync::lock_guard held(lock_);
    return troubles_;
  }
  std::size_t held_now() const {
    const sync::lock_guard held(lock_);
    return held_now_;
  }
  std::size_t most_at_once() const {
    const sync::lock_guard held(lock_);
    return most_;
  }
  std::uint64_t line_of(const std::string& command) const {
    const sync::lock_guard held(lock_);
    return lines_.at(command);
  }

 private:
  mutable sync::mutex lock_;
  std::map<std::string, std::vector<wall_point>> starts_;
  std::map<std::string, std::size_t> ends_;
  std::map<std::string, std::uint64_t> lines_;
  std::map<std::string, gate*> holds_;
  std::vector<skip_seen> skips_;
  std::vector<std::string> order_;
  std::vector<std::string> troubles_;
  std::size_t running_ = 0;
  std::size_t held_now_ = 0;
  std::size_t most_ = 0;
};

cron_table table_of(const std::string& text) {
  const spawner starter;
  cron_table table = make_cron_table(read_crontab(text, {}), starter);
  EXPECT_TRUE(table.sound()) << describe_problem("text", table.problems.front());
  return table;
}

// A daemon on a clock that stands still.
class CronDaemon : public ::testing::Test {
 protected:
  static constexpr wall_point k_noon = wall_point(std::chrono::seconds(1'767'268'800));

  explicit CronDaemon(wall_point wall = k_noon) : clock_({}, wall) {}

  cron_daemon& start(const std::string& text, cron_policies policies = {}) {
    policies.clock = &clock_;
    daemon_.emplace(
        policies, [this](const cron_run& run) { return seen_.run(run); }, seen_);
    daemon_->start(table_of(text));
    return *daemon_;
  }
  // Waits until no command runs but those that are held: then no line is passed over by chance.
  void settle() {
    ASSERT_TRUE(
        eventually([&] { return !daemon_ || daemon_->counts().running == seen_.held_now(); }));
  }
  // One due time after the other, each with its commands run to their end.
  void live_until(wall_point end, const std::string& command, const schedule& expected) {
    auto due = expected.next(clock_.wall_now());
    for (; due && *due <= end; due = expected.next(*due)) {
      const std::size_t before = seen_.ends(command);
      clock_.advance(*due - clock_.wall_now());
      ASSERT_TRUE(eventually([&] { return seen_.ends(command) > before; }));
      settle();
    }
  }
  void advance_and_see(std::chrono::nanoseconds step, const std::string& command,
                       std::size_t starts) {
    settle();
    clock_.advance(step);
    ASSERT_TRUE(eventually([&] { return seen_.starts(command).size() >= starts; }));
    ASSERT_EQ(seen_.starts(command).size(), starts);
  }
  void advance_and_skip(std::chrono::nanoseconds step, std::size_t skips) {
    clock_.advance(step);
    ASSERT_TRUE(eventually([&] { return seen_.skips().size() >= skips; }));
    ASSERT_EQ(seen_.skips().size(), skips);
  }

  testing::watchdog watchdog_{"a cron daemon"};
  gate held_;  // outlives who waits for it
  manual_clock clock_;
  recorder seen_;
  std::optional<cron_daemon> daemon_;
};

TEST_F(CronDaemon, runs_each_line_at_its_times) {
  start("*/5 * * * * five\n0 * * * * hour\n");
  advance_and_see(4min + 59s, "five", 0);
  advance_and_see(1s, "five", 1);
  EXPECT_EQ(seen_.starts("five").front(), k_noon + 5min);
  for (std::size_t i = 2; i <= 12; ++i) advance_and_see(5min, "five", i);
  ASSERT_TRUE(eventually([&] { return seen_.starts("hour").size() == 1; }));
  EXPECT_TRUE(seen_.skips().empty());
}

TEST_F(CronDaemon, jitter_puts_a_start_off_and_not_its_time) {
  cron_policies policies;
  policies.jitter = 30s;
  start("* * * * * a\n", policies);
  advance_and_see(59s, "a", 0);
  advance_and_see(31s, "a", 1);
  EXPECT_EQ(seen_.starts("a").front(), k_noon + 1min);
}

TEST_F(CronDaemon, reboot_lines_run_once_at_the_start_and_not_at_a_reload) {
  cron_daemon& daemon = start("@reboot first\n@daily other\n");
  ASSERT_TRUE(eventually([&] { return seen_.ends("first") == 1; }));
  daemon.replace(table_of("@reboot first\n@reboot second\n* * * * * now\n"));
  advance_and_see(1min, "now", 1);
  EXPECT_EQ(seen_.starts("first").size(), 1u);
  EXPECT_TRUE(seen_.starts("second").empty());
}

TEST_F(CronDaemon, case_176_a_line_that_goes_on_is_passed_over_at_its_time) {
  // A body of 150 s each minute: starts at 0 and 3 min, not at 2.5.
  const opens_at_exit opens(held_);
  seen_.hold("long", &held_);
  start("* * * * * long\n");
  advance_and_see(1min, "long", 1);
  advance_and_skip(1min, 1);
  advance_and_skip(1min, 2);
  EXPECT_EQ(seen_.skips().back().why, cron_skip::goes_on);
  EXPECT_EQ(seen_.skips().back().total, 2u);
  EXPECT_EQ(daemon_->skips(), 2u);
  clock_.advance(30s);
  held_.open();
  ASSERT_TRUE(eventually([&] { return seen_.ends("long") == 1; }));
  ASSERT_TRUE(eventually([&] { return daemon_->counts().running == 0; }));
  EXPECT_EQ(seen_.starts("long").size(), 1u);
  advance_and_see(30s, "long", 2);
}

TEST_F(CronDaemon, case_176_runs_of_a_line_overlap_where_that_is_allowed) {
  const opens_at_exit opens(held_);
  seen_.hold("long", &held_);
  cron_policies policies;
  policies.overlap = overlap::allow;
  start("* * * * * long\n", policies);
  for (std::size_t i = 1; i <= 5; ++i) advance_and_see(1min, "long", i);
  EXPECT_TRUE(seen_.skips().empty());
  EXPECT_EQ(daemon_->counts().running, 5u);
}

TEST_F(CronDaemon, no_more_commands_run_at_once_than_jobs_and_lines_wait_for_their_place) {
  const opens_at_exit opens(held_);
  std::string text;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    seen_.hold(name, &held_);
    text += std::string("* * * * * ") + name + "\n";
  }
  cron_policies policies;
  policies.jobs = 2;
  start(text, policies);
  clock_.advance(1min);
  ASSERT_TRUE(eventually([&] { return daemon_->counts().running == 2; }));
  // A minute later all five are passed over, those that wait as well.
  advance_and_skip(1min, 5);
  held_.open();
  ASSERT_TRUE(eventually([&] { return seen_.ends("e") == 1 && seen_.ends("d") == 1; }));
  EXPECT_EQ(seen_.most_at_once(), 2u);
}

TEST_F(CronDaemon, with_overlap_one_run_of_a_line_waits_for_a_place_and_no_more) {
  const opens_at_exit opens(held_);
  seen_.hold("long", &held_);
  cron_policies policies;
  policies.overlap = overlap::allow;
  policies.jobs = 1;
  start("* * * * * long\n", policies);
  advance_and_see(1min, "long", 1);
  clock_.advance(1min);
  ASSERT_TRUE(eventually([&] { return daemon_->waiting() == 1; }));
  advance_and_skip(1min, 1);
  advance_and_skip(1min, 2);
  held_.open();
  ASSERT_TRUE(eventually([&] { return seen_.ends("long") == 2; }));
}

TEST_F(CronDaemon, case_175_a_new_table_holds_at_once_while_a_long_command_goes_on) {
  const opens_at_exit opens(held_);
  seen_.hold("long", &held_);
  cron_daemon& daemon = start("* * * * * long\n30 12 * * * gone\n*/2 * * * * kept\n");
  advance_and_see(1min, "long", 1);
  const cron_changes changes =
      daemon.replace(table_of("# moved down\n*/2 * * * * kept\n* * * * * new\n"));
  EXPECT_EQ(changes.kept, 1u);
  EXPECT_EQ(changes.added, 1u);
  EXPECT_EQ(changes.removed, 2u);
  EXPECT_EQ(daemon.lines(), 2u);
  advance_and_see(1min, "new", 1);
  ASSERT_TRUE(eventually([&] { return seen_.starts("kept").size() == 1; }));
  EXPECT_EQ(seen_.line_of("kept"), 2u) << "where it stands now";
  for (std::size_t i = 2; i <= 40; ++i) advance_and_see(1min, "new", i);
  EXPECT_TRUE(seen_.starts("gone").empty());
  EXPECT_EQ(seen_.starts("long").size(), 1u);
  EXPECT_EQ(seen_.ends("long"), 0u) << "the old table's command is let run";
  daemon.close();
  EXPECT_FALSE(daemon.wait_for(0s)) << "and the end waits for it";
  held_.open();
  daemon.wait();
  EXPECT_EQ(seen_.ends("long"), 1u);
}

TEST_F(CronDaemon, an_unchanged_line_still_knows_after_a_reload_that_it_runs) {
  const opens_at_exit opens(held_);
  seen_.hold("long", &held_);
  cron_daemon& daemon = start("* * * * * long\n");
  advance_and_see(1min, "long", 1);
  EXPECT_EQ(daemon.replace(table_of("\n* * * * * long\n")).kept, 1u);
  advance_and_skip(1min, 1);
  EXPECT_EQ(seen_.starts("long").size(), 1u);
}

TEST_F(CronDaemon, a_line_is_another_one_if_its_zone_environment_input_or_shell_is) {
  cron_daemon& daemon = start("0 3 * * * a\n");
  const auto added = [&](const std::string& text) { return daemon.replace(table_of(text)).added; };
  EXPECT_EQ(added("0 3 * * * a\n"), 0u);
  EXPECT_EQ(added("CRON_TZ=Asia/Tokyo\n0 3 * * * a\n"), 1u);
  EXPECT_EQ(added("X=1\n0 3 * * * a\n"), 1u);
  EXPECT_EQ(added("Y=1\n0 3 * * * a\n"), 1u);
  EXPECT_EQ(added("Z=0\nY=1\n0 3 * * * a\n"), 1u);
  EXPECT_EQ(added("Y=1\nZ=0\n0 3 * * * a\n"), 0u);
  EXPECT_EQ(added("Y=1\nZ=0\n0 3 * * * a%input\n"), 1u);
  EXPECT_EQ(added("0 3 * * * a\n0 3 * * * a\n"), 2u) << "equal lines are counted";
  EXPECT_EQ(added("0 3 * * * a\n"), 0u);
  EXPECT_EQ(daemon.lines(), 1u);
}

TEST_F(CronDaemon, a_run_that_waits_for_a_place_is_withdrawn_with_its_line) {
  const opens_at_exit opens(held_);
  seen_.hold("a", &held_);
  cron_policies policies;
  policies.jobs = 1;
  cron_daemon& daemon = start("@reboot a\n* * * * * b\n", policies);
  ASSERT_TRUE(eventually([&] { return seen_.held_now() == 1; }));
  clock_.advance(1min);
  ASSERT_TRUE(eventually([&] { return daemon.waiting() == 1; }));
  EXPECT_EQ(daemon.replace(table_of("* * * * * c\n")).removed, 2u);
  held_.open();
  ASSERT_TRUE(eventually([&] { return seen_.skips().size() == 1; }));
  EXPECT_EQ(seen_.skips().front().command, "b");
  EXPECT_EQ(seen_.skips().front().why, cron_skip::withdrawn);
  EXPECT_TRUE(seen_.starts("b").empty());
  advance_and_see(1min, "c", 1);
}

TEST_F(CronDaemon, close_starts_nothing_more_and_counts_what_waited) {
  const opens_at_exit opens(held_);
  for (const char* name : {"a", "b", "c"}) seen_.hold(name, &held_);
  cron_policies policies;
  policies.jobs = 1;
  cron_daemon& daemon = start("@reboot a\n@reboot b\n@reboot c\n* * * * * d\n", policies);
  ASSERT_TRUE(eventually([&] { return daemon.counts().running == 1; }));
  daemon.close();
  daemon.close();
  clock_.advance(1h);
  EXPECT_FALSE(daemon.wait_for(0s));
  held_.open();
  daemon.wait();
  EXPECT_EQ(seen_.order().size(), 1u);
  EXPECT_EQ(daemon.counts().succeeded, 1u);
  EXPECT_EQ(daemon.counts().never_started, 2u);
  EXPECT_EQ(daemon.counts().running, 0u);
}

TEST_F(CronDaemon, run_each_runs_all_lines_in_the_order_of_the_file) {
  cron_policies policies;
  policies.jobs = 1;
  policies.clock = &clock_;
  cron_daemon daemon(
      policies, [this](const cron_run& run) { return seen_.run(run); }, seen_);
  daemon.run_each(table_of("0 0 1 1 * z\n@reboot y\n* * * * * false\n@daily w\n"));
  daemon.wait();
  EXPECT_THAT(seen_.order(), ElementsAre("z", "y", "false", "w"));
  EXPECT_EQ(daemon.counts().succeeded, 3u);
  EXPECT_EQ(daemon.counts().failed, 1u);
}

TEST_F(CronDaemon, what_a_runner_throws_is_told_and_the_line_goes_on) {
  cron_policies policies;
  policies.clock = &clock_;
  cron_daemon daemon(
      policies,
      [](const cron_run&) -> finished_command { throw std::runtime_error("no memory, say"); },
      seen_);
  daemon.start(table_of("* * * * * a\n"));
  for (std::size_t i = 1; i <= 2; ++i) {
    advance_and_see(1min, "a", i);
    ASSERT_TRUE(eventually([&] { return seen_.troubles().size() == i; }));
    ASSERT_TRUE(eventually([&] { return daemon.counts().running == 0; }));
  }
  EXPECT_EQ(seen_.troubles().front(), "line 1, run 1, failed: no memory, say");
  EXPECT_EQ(daemon.counts().failed, 2u);
}

// The clock jumps over ten minutes, as when the machine sleeps.
class CronMisfire : public CronDaemon {
 protected:
  void sleep_through(catch_up misfire) {
    cron_policies policies;
    policies.misfire = misfire;
    start("* * * * * a\n", policies);
    advance_and_see(1min, "a", 1);
    ASSERT_TRUE(eventually([&] { return daemon_->counts().succeeded == 1; }));
    clock_.advance(10min);
    ASSERT_TRUE(eventually([&] { return daemon_->next_due() > clock_.now(); }));
  }
};

TEST_F(CronMisfire, coalesce_runs_once_for_all) {
  sleep_through(catch_up::coalesce);
  ASSERT_TRUE(eventually([&] { return seen_.starts("a").size() == 2; }));
  ASSERT_TRUE(eventually([&] { return seen_.skips().size() == 1; }));
  EXPECT_EQ(seen_.skips().front().why, cron_skip::missed);
  EXPECT_EQ(seen_.skips().front().count, 9u);
  ASSERT_TRUE(eventually([&] { return daemon_->counts().succeeded == 2; }));
  advance_and_see(1min, "a", 3);
}

TEST_F(CronMisfire, burst_runs_each_one_after_the_other_whatever_overlap_says) {
  sleep_through(catch_up::burst);
  ASSERT_TRUE(eventually([&] { return daemon_->counts().succeeded == 11; }));
  EXPECT_EQ(seen_.starts("a").size(), 11u);
  EXPECT_EQ(seen_.most_at_once(), 1u);
  EXPECT_TRUE(seen_.skips().empty());
  advance_and_see(1min, "a", 12);
}

TEST_F(CronMisfire, skip_runs_none_of_them) {
  sleep_through(catch_up::skip);
  advance_and_see(1min, "a", 2);
  EXPECT_EQ(seen_.starts("a").back(), k_noon + 12min);
  ASSERT_TRUE(eventually([&] { return seen_.skips().size() == 1; }));
  EXPECT_EQ(seen_.skips().front().count, 10u);
}

TEST_F(CronDaemon, a_clock_that_is_set_back_repeats_nothing) {
  start("0 13 * * * a\n");
  advance_and_see(1h, "a", 1);
  ASSERT_TRUE(eventually([&] { return daemon_->counts().succeeded == 1; }));
  clock_.set_wall(k_noon);
  clock_.advance(2h);
  clock_.set_wall(k_noon + 24h);
  advance_and_see(1h, "a", 2);
}

TEST_F(CronDaemon, a_clock_that_is_set_forward_is_heard) {
  start("0 13 * * * a\n");
  clock_.set_wall(k_noon + 1h);
  ASSERT_TRUE(eventually([&] { return seen_.starts("a").size() == 1; }));
}

// Four days of a container around the night in which Berlin's clocks go forward, then back.
class CronDays : public CronDaemon {
 protected:
  CronDays() : CronDaemon(testing::utc("2026-03-28T00:00:00Z")) {}

  static constexpr const char* k_table =
      "CRON_TZ = Europe/Berlin\n"
      "30 2 * * * nightly\n"
      "*/10 * * * * often\n"
      "CRON_TZ = UTC\n"
      "0 12 * * * noon\n";
};

TEST_F(CronDays, case_70_a_night_without_half_past_two_has_its_nightly_run) {
  start(k_table);
  const cron often("*/10 * * * *", "Europe/Berlin");
  live_until(testing::utc("2026-03-31T23:55:00Z"), "often", often);
  ASSERT_TRUE(eventually([&] { return seen_.ends("nightly") == 4 && seen_.ends("noon") == 4; }));
  EXPECT_THAT(
      seen_.starts("nightly"),
      ElementsAre(testing::utc("2026-03-28T01:30:00Z"), testing::utc("2026-03-29T01:00:00Z"),
                  testing::utc("2026-03-30T00:30:00Z"), testing::utc("2026-03-31T00:30:00Z")));
  EXPECT_EQ(seen_.ends("often"), 4u * 24 * 6 - 1) << "every ten minutes of real time";
  EXPECT_TRUE(seen_.skips().empty());
}

TEST_F(CronDays, case_71_a_night_with_two_half_past_twos_has_one_nightly_run) {
  clock_.set_wall(testing::utc("2026-10-24T12:00:00Z"));
  start(k_table);
  const cron often("*/10 * * * *", "Europe/Berlin");
  live_until(testing::utc("2026-10-26T12:00:00Z"), "often", often);
  ASSERT_TRUE(eventually([&] { return seen_.ends("nightly") == 2; }));
  EXPECT_THAT(seen_.starts("nightly"), ElementsAre(testing::utc("2026-10-25T00:30:00Z"),
                                                   testing::utc("2026-10-26T01:30:00Z")));
  EXPECT_EQ(seen_.ends("often"), 2u * 24 * 6);
}

}  // namespace
}  // namespace weir::process
