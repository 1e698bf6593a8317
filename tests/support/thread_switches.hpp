#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace weir::testing {

/// How often the system has switched to each thread of this process whose name begins with
/// `prefix`: by thread number, voluntary and forced switches together. A thread that sleeps does
/// not count on.
inline std::map<std::string, std::uint64_t> switches_of_threads(const std::string& prefix) {
  std::map<std::string, std::uint64_t> found;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(thread.path() / "status");
    std::string name;
    std::uint64_t switches = 0;
    for (std::string key; status >> key;) {
      std::uint64_t count = 0;
      if (key == "Name:") status >> name;
      if (key.ends_with("voluntary_ctxt_switches:") && status >> count) switches += count;
    }
    if (name.starts_with(prefix)) found[thread.path().filename()] = switches;
  }
  return found;
}

/// Whether every thread whose name begins with `prefix` sleeps, and there is one at least. A thread
/// that waits for a lock sleeps as well, so let nobody hold one that matters.
inline bool threads_sleep(const std::string& prefix) {
  std::size_t asleep = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(thread.path() / "status");
    std::string name;
    std::string state;
    for (std::string key; state.empty() && status >> key;) {
      if (key == "Name:") status >> name;
      if (key == "State:") status >> state;
    }
    if (!name.starts_with(prefix)) continue;
    if (state != "S") return false;
    ++asleep;
  }
  return asleep > 0;
}

}  // namespace weir::testing
