#include "process/run_snapshot.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace weir::process {
namespace {

using namespace std::chrono_literals;

roster::entry entry_of(std::uint64_t seq, standing where, std::string text) {
  roster::entry one;
  one.seq = seq;
  one.line = seq + 1;
  one.where = where;
  one.text = std::move(text);
  return one;
}

run_snapshot sample() {
  run_snapshot seen;
  seen.now = roster::steady_time(100s);
  seen.elapsed = 12340ms;
  seen.counts.succeeded = 40;
  seen.counts.failed = 2;
  seen.max_bytes = 65536;
  roster::view& held = seen.held;
  held.running.push_back(entry_of(7, standing::running, "sleep 100"));
  held.running[0].time = roster::steady_time(96800ms);
  held.running[0].pid = 4711;
  held.running[0].attempt = 2;
  held.running[0].key = "db";
  held.running.push_back(entry_of(8, standing::ending, "echo"));
  held.ready.push_back(entry_of(9, standing::ready, "next"));
  held.ready_count = 4;
  held.retrying.push_back(entry_of(3, standing::retrying, "false"));
  held.retrying[0].time = roster::steady_time(104500ms);
  held.retrying[0].attempt = 2;
  held.retrying_count = 1;
  held.lanes.push_back({"db", 3, 7});
  held.lane_count = 2;
  held.behind_key_count = 4;
  held.bytes = 1536;
  held.last_read = 15;
  return seen;
}

TEST(RunSnapshot, ForPeople) {
  EXPECT_EQ(snapshot_text(sample()),
            "weir: after 12.3s: 42 done, 2 failed; 2 running, 4 ready, 4 behind a key, 1 to retry; "
            "1.5 KiB of 64 KiB held\n"
            "weir:   runs 7 (line 8) for 3.2s, pid 4711, attempt 2, key 'db': sleep 100\n"
            "weir:   writes output of 8 (line 9): echo\n"
            "weir:   ready 9 (line 10): next\n"
            "weir:   and 3 more ready\n"
            "weir:   retries 3 (line 4) in 4.5s, attempt 2: false\n"
            "weir:   key 'db': 3 behind command 7\n"
            "weir:   and 1 more keys with commands behind\n");
}

TEST(RunSnapshot, SaysHowTheRunStands) {
  run_snapshot seen = sample();
  seen.how = run_snapshot::stage::stopping;
  seen.counts.total = 100;
  seen.held.reader_waits = true;
  const std::string text = snapshot_text(seen);
  EXPECT_TRUE(text.starts_with("weir: stopping, after 12.3s: 42 of 100 done")) << text;
  EXPECT_NE(text.find("held; command 15 finds no room yet\n"), std::string::npos) << text;
}

TEST(RunSnapshot, ForPrograms) {
  run_snapshot asked = sample();
  asked.held.ready[0].text = "\xff";
  const std::string line = snapshot_json(asked);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto seen = nlohmann::json::parse(line).at("snapshot");
  EXPECT_EQ(seen.at("stage"), "going");
  EXPECT_EQ(seen.at("succeeded"), 40);
  EXPECT_TRUE(seen.at("total").is_null());
  EXPECT_EQ(seen.at("running").at(0).at("pid"), 4711);
  EXPECT_EQ(seen.at("running").at(0).at("key"), "db");
  EXPECT_EQ(seen.at("running").at(0).at("attempt"), 2);
  EXPECT_EQ(seen.at("running").at(1).at("writes_output"), true);
  EXPECT_EQ(seen.at("ready").at("count"), 4);
  EXPECT_EQ(seen.at("ready").at("next").size(), 1u);
  EXPECT_EQ(seen.at("retrying").at("next").at(0).at("due_in"), 4.5);
  EXPECT_EQ(seen.at("behind_key").at("longest").at(0).at("behind"), 7);
  EXPECT_EQ(seen.at("bytes"), 1536);
}

TEST(RunSnapshot, OfNothingIsSoundToo) {
  EXPECT_EQ(snapshot_text(run_snapshot()),
            "weir: after 0.0s: 0 done; 0 running, 0 ready, 0 behind a key, 0 to retry; "
            "0 bytes held\n");
  EXPECT_TRUE(nlohmann::json::parse(snapshot_json(run_snapshot())).at("snapshot").is_object());
}

}  // namespace
}  // namespace weir::process
