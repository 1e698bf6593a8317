#pragma once

/// A push service that no burst can flood: at most N sends run, at most Q wait, and whoever comes
/// on top hears "503, retry later" at once. On shutdown the sends in flight complete.
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <weir/thread_pool.hpp>

constexpr std::size_t k_senders = 2, k_waiting = 2, k_connections = 8;

// [task_queue]
/// Lets cpp-httplib serve its connections on a weir pool. When that is full the listener waits.
class connection_queue final : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> serve) override { pool_.execute(std::move(serve)); }
  void shutdown() override { pool_.shutdown(std::chrono::hours(1)); }

 private:
  weir::thread_pool pool_{{.core = k_connections,
                           .max = k_connections,
                           .capacity = k_connections,
                           .on_saturation = weir::saturation::block}};
};
// [task_queue]

/// Stands for the push provider, which tolerates `k_senders` calls at once.
struct provider {
  std::string push(const std::string& message) {
    if (++calls > k_senders) overrun = true;
    open.wait(false);
    --calls;
    return "sent " + message;
  }
  void set_open(bool value) { open = value, open.notify_all(); }

  std::atomic<bool> open{false}, overrun{false};
  std::atomic<std::size_t> calls{0};
};

struct service {
  explicit service(provider& to) : target(to) {
    server.new_task_queue = [] { return new connection_queue; };
    server.Post("/notify", [this](const auto& request, auto& answer) { notify(request, answer); });
    port = server.bind_to_any_port("127.0.0.1");
    listener = std::jthread([this] { server.listen_after_bind(); });
  }
  // [handler]
  void notify(const httplib::Request& request, httplib::Response& answer) {
    auto sent = sends.try_submit(&provider::push, &target, request.body);
    if (sent) return answer.set_content(sent->get(), "text/plain");
    answer.status = 503;
    answer.set_header("Retry-After", "1");
  }
  // [handler]
  // [shut_down]
  void shut_down() {
    sends.close();    // from here on every request hears 503
    sends.join();     // the sends in flight complete
    server.stop();    // the listener leaves …
    listener.join();  // … when the last answer is written
  }
  // [shut_down]
  provider& target;
  weir::thread_pool sends = weir::thread_pool::fixed(k_senders, k_waiting);
  httplib::Server server;
  int port = 0;
  std::jthread listener;
};
