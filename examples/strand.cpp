/// Serial work on a pool: what belongs together runs in order, everything else side by side.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include <weir/keyed_strand.hpp>
#include <weir/limiter.hpp>
#include <weir/strand.hpp>
#include <weir/task_group.hpp>
#include <weir/thread_pool.hpp>

#include "check.hpp"

namespace {

void one_strand(weir::thread_pool& pool) {
  // [strand]
  std::vector<std::string> log;  // only tasks of the strand touch it, so it needs no lock
  weir::strand writer(pool, 1000);
  for (int line = 1; line <= 3; ++line) {
    writer.execute([&log, line] { log.push_back("line " + std::to_string(line)); });
  }
  auto length = writer.submit([&log] { return log.size(); });
  check(length.get() == 3, "each task sees what the ones before it did");
  // [strand]
}

void one_per_key(weir::thread_pool& pool) {
  // [keyed]
  std::map<std::string, int> balance{{"ada", 0}, {"bob", 0}};
  weir::keyed_strand<std::string> accounts(pool, 100, 10'000);
  accounts.execute("ada", [&] { balance.at("ada") += 50; });
  accounts.execute("bob", [&] { balance.at("bob") += 20; });
  auto left = accounts.submit("ada", [&] { return balance.at("ada") -= 30; });
  check(left.get() == 20, "the second task of a key comes after its first");
  // [keyed]
}

void a_quota(weir::thread_pool& pool) {
  // [limiter]
  weir::limiter tenant(pool, 1, 2);  // one task at once, two that wait
  std::size_t refused = 0;
  for (int call = 0; call < 100; ++call) {
    if (!tenant.try_submit([] { /* the tenant's work */ }).accepted()) ++refused;
  }
  tenant.wait_idle();
  std::printf("%zu of 100 calls were refused; the pool never saw them\n", refused);
  // [limiter]
}

void a_group(weir::thread_pool& pool) {
  // [group]
  long sums[2] = {};
  try {
    weir::task_group group(pool);
    group.run([&] { sums[0] = 1 + 2; });
    group.run([&] { sums[1] = 3 + 4; });
    group.run([] { throw std::runtime_error("no third half"); });
    group.wait();
    check(false, "the failure of a task comes out of wait");
  } catch (const std::runtime_error&) {
    check(true, "all tasks have ended: what they refer to may go");
  }
  // [group]
}

}  // namespace

int main() {
  weir::thread_pool pool = weir::thread_pool::fixed(2, 100);
  one_strand(pool);
  one_per_key(pool);
  a_quota(pool);
  a_group(pool);
}
