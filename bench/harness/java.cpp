#include "java.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <system_error>

#include "output.hpp"
#include "workloads/all.hpp"

namespace bench {

namespace {

/// The virtual machine at the other end of two pipes: a request is a line
/// `workload<TAB>system<TAB>name=value…`, an answer is what `run_output` reads.
class virtual_machine {
 public:
  virtual_machine(std::string classes, int limit_ms)
      : classes_(std::move(classes)), limit_ms_(limit_ms) {}
  virtual_machine(const virtual_machine&) = delete;
  virtual_machine& operator=(const virtual_machine&) = delete;
  ~virtual_machine() { stop(); }

  samples ask(const std::string& workload, const std::string& system, const params& p) {
    if (process_ < 0) start();
    std::string request = workload + "\t" + system;
    for (const auto& [name, value] : p.all()) request += "\t" + name + "=" + std::to_string(value);
    request += "\n";
    if (write(requests_, request.data(), request.size()) != static_cast<ssize_t>(request.size())) {
      stop();
      throw wrong_result("the Java virtual machine is gone");
    }
    run_output out;
    try {
      read_run(answers_, out, limit_ms_);
      return out.take();
    } catch (const wrong_result&) {
      stop();
      throw;
    }
  }

 private:
  void start() {
    int there[2];
    int back[2];
    if (pipe2(there, O_CLOEXEC) != 0 || pipe2(back, O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "pipe");
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, there[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, back[1], STDOUT_FILENO);
    std::string words[] = {"java", "-cp", classes_, "WeirBench"};
    char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                               nullptr};
    const int error = posix_spawnp(&process_, "java", &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(there[0]);
    close(back[1]);
    requests_ = there[1];
    answers_ = back[0];
    if (error == 0) return;
    process_ = -1;
    throw std::system_error(error, std::generic_category(), "java");
  }

  void stop() noexcept {
    if (process_ < 0) return;
    close(requests_);
    close(answers_);
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  std::string classes_;
  int limit_ms_;
  pid_t process_ = -1;
  int requests_ = -1;
  int answers_ = -1;
};

class java_experiments {
 public:
  java_experiments(experiments& all, std::shared_ptr<virtual_machine> machine)
      : all_(all), machine_(std::move(machine)) {}

  void add(const std::string& workload, const params& p, const std::string& system,
           int rounds = 0) {
    const auto run = [machine = machine_, workload, system](const params& given) {
      return machine->ask(workload, system, given);
    };
    all_.push_back({workload, p, system, run, false, rounds});
  }

 private:
  experiments& all_;
  std::shared_ptr<virtual_machine> machine_;
};

}  // namespace

void add_java(experiments& all, const scale& size, const std::string& classes, int limit_ms) {
  java_experiments java(all, std::make_shared<virtual_machine>(classes, limit_ms));
  for (const char* system : {"java ThreadPoolExecutor", "java ForkJoinPool"}) {
    for (const auto& p : submit_cases(size, false)) java.add("submit", p, system);
    java.add("future", {{"producers", 1}, {"workers", 2}, {"tasks", size.pick(200'000, 20'000)}},
             system);
    java.add("pending", {{"workers", 2}, {"tasks", size.pick(1'000'000, 100'000)}}, system, 3);
    java.add("latency", latency_case(size), system);
    java.add("cancel", {{"workers", 1}, {"rounds", size.pick(1'000'000, 100'000)}}, system);
    for (const auto& p : growth_cases(size)) java.add("growth", p, system);
  }
  const char* forks = "java ForkJoinPool";
  for (const std::int64_t workers : {2, 1}) java.add("fib", fib_case(size, workers), forks);
  java.add("tree", tree_case(size), forks);
  java.add("nqueens", nqueens_case(size), forks);
  const char* timers = "java ScheduledThreadPoolExecutor";
  java.add("timer_churn", {{"workers", 1}, {"timers", size.pick(1'000'000, 100'000)}}, timers);
  java.add("timer_lateness", {{"workers", 2}, {"timers", size.pick(100'000, 10'000)}}, timers);
  java.add("timer_single", {{"workers", 2}, {"timers", size.pick(500, 100)}}, timers);
}

}  // namespace bench
