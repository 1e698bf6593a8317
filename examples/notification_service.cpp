/// Drives the service of notification_service.hpp over real connections: a burst while the provider
/// hangs, a load, a shutdown with sends in flight.
#include "notification_service.hpp"

#include <httplib.h>

#include <thread>
#include <utility>
#include <vector>
#include <weir/thread_pool.hpp>

#include "check.hpp"

namespace {

constexpr std::size_t k_bound = k_senders + k_waiting, k_requests = 400;
constexpr std::size_t k_clients = 6;  // what cpp-httplib's backlog holds while its listener is busy

/// One request: its status, or 0 without an answer or where a 503 does not say when to come back.
int post(int port) {
  httplib::Client client("127.0.0.1", port);
  const auto answer = client.Post("/notify", "hello", "text/plain");
  if (!answer || answer->has_header("Retry-After") != (answer->status == 503)) return 0;
  return answer->status;
}

/// How many of the answers are 200, how many 503.
std::pair<std::size_t, std::size_t> count(std::vector<weir::future<int>> answers) {
  std::pair<std::size_t, std::size_t> sums;
  for (auto& each : answers) {
    const int status = each.get();
    sums.first += status == 200;
    sums.second += status == 503;
  }
  return sums;
}

}  // namespace

int main() {
  provider push;
  service mail(push);
  weir::thread_pool clients = weir::thread_pool::fixed(k_clients, k_requests);
  const auto load = [&](std::size_t requests) {
    return clients.submit_all(std::vector(requests, [&] { return post(mail.port); }));
  };
  const auto in_flight = [&] { return mail.sends.stats().running + mail.sends.stats().queued; };

  auto burst = load(k_clients);  // while the provider hangs
  while (mail.sends.stats().refused + in_flight() < k_clients) std::this_thread::yield();
  check(in_flight() == k_bound, "exactly N + Q sends are in flight");
  push.set_open(true);
  check(count(std::move(burst)) == std::pair(k_bound, k_clients - k_bound), "the rest heard 503");

  const auto [sent, refused] = count(load(k_requests));
  check(sent + refused == k_requests, "under load every request heard 200 or 503");
  check(!push.overrun && mail.sends.stats().waiting_max == k_waiting, "never more than N and Q");

  push.set_open(false);
  auto last = load(k_bound);
  while (in_flight() < k_bound) std::this_thread::yield();
  mail.sends.close();
  check(post(mail.port) == 503, "a closed service still answers");
  push.set_open(true);
  mail.shut_down();
  check(count(std::move(last)).first == k_bound, "the sends in flight at shutdown completed");
}
