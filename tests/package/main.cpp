// The smallest program that a user of the installed library writes.
#include <weir/thread_pool.hpp>
#include <weir/version.hpp>

static_assert(WEIR_VERSION > 0);

int main() {
  weir::thread_pool pool = weir::thread_pool::fixed(1, 1);
  return pool.submit([] { return 7; }).get() == 7 ? 0 : 1;
}
