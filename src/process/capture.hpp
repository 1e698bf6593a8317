#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/unique_fd.hpp"

namespace weir::process {

/// Keeps one stream of a command, byte-exact whatever its size: in memory up to a bound, the rest
/// in a file. With a mirror, every byte goes there as it arrives and the rest is read back from it;
/// without one, or when the mirror is full, the rest goes to an unlinked temporary file.
/// Distinct objects: safe. Shared objects: unsafe.
class capture {
 public:
  static constexpr std::size_t k_memory = 1024 * 1024;

  explicit capture(std::size_t memory_bound = k_memory) : memory_bound_(memory_bound) {}

  /// Writes every byte through to `mirror`, an empty file open for reading and writing. Call it
  /// before the first `append`.
  void set_mirror(unique_fd mirror) { mirror_ = std::move(mirror); }

  /// Takes a piece of output. Never throws for a full disk: see `lost_error` and `mirror_error`.
  void append(std::string_view piece);

  /// Hands the bytes that were kept to `sink(std::string_view)` in order, in pieces; stops when it
  /// returns false. Returns whether all of them were handed on.
  template <class Sink>
  bool for_each_piece(Sink&& sink) const {
    if (!memory_.empty() && !sink(std::string_view(memory_))) return false;
    std::string piece;
    for (std::uint64_t at = memory_.size(); at < kept_; at += piece.size()) {
      if (!read_back(at, piece) || !sink(std::string_view(piece))) return false;
    }
    return true;
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool ends_with_newline() const { return last_ == '\n'; }

  /// errno of the write for want of which bytes after the first `kept()` are gone; 0 if none are.
  [[nodiscard]] int lost_error() const { return lost_error_; }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  /// errno of the write after which the mirror was given up; 0 if it has everything.
  [[nodiscard]] int mirror_error() const { return mirror_error_; }

 private:
  void append_to_mirror(std::string_view piece);
  void append_to_spill(std::string_view piece);
  bool read_back(std::uint64_t at, std::string& piece) const;

  std::size_t memory_bound_;
  std::string memory_;
  unique_fd mirror_;
  unique_fd spill_;
  std::uint64_t mirrored_ = 0;     // the mirror holds the bytes [0, mirrored_)
  std::uint64_t spill_begin_ = 0;  // the spill file holds the bytes from here to kept_
  std::uint64_t kept_ = 0;
  std::uint64_t size_ = 0;
  char last_ = '\n';
  int lost_error_ = 0;
  int mirror_error_ = 0;
};

}  // namespace weir::process
