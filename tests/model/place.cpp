#include <unistd.h>

#include <cstdio>
#include <map>
#include <string_view>

#include "model/engine.hpp"

namespace weir::model {

// Only ever called for a failure, so the tool's slowness does not matter. The program is linked at
// fixed addresses. The address is that of the return; the call stands before it.
std::string place_of(const void* code) {
  constexpr std::string_view k_inlined = "(inlined by) ";
  static std::map<const void*, std::string> k_known;
  if (code == nullptr) return "its end";
  std::string& known = k_known[code];
  if (!known.empty()) return known;
  char command[96];
  std::snprintf(command, sizeof command, "addr2line -spfiC -e /proc/%d/exe %p 2>/dev/null",
                static_cast<int>(::getpid()),
                static_cast<const void*>(static_cast<const char*>(code) - 1));
  if (std::FILE* answer = ::popen(command, "r")) {
    char line[512];
    while (std::fgets(line, sizeof line, answer) != nullptr) {
      std::string text = line;
      text.erase(text.find_last_not_of('\n') + 1);
      // The seam's own frames say nothing.
      if (text.find("seam.hpp") == std::string::npos) {
        const auto inlined = text.find(k_inlined);
        known = inlined == std::string::npos ? text : text.substr(inlined + k_inlined.size());
        break;
      }
    }
    ::pclose(answer);
  }
  if (known.empty()) {
    std::snprintf(command, sizeof command, "%p", code);
    known = command;
  }
  return known;
}

}  // namespace weir::model
