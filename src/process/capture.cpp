#include "process/capture.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace weir::process {
namespace {

constexpr std::size_t k_piece = 64 * 1024;

// Returns 0, or the errno after which a part of `bytes` is missing.
int write_at(int fd, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return errno;
    }
    if (count == 0) {
      return ENOSPC;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
    at += static_cast<std::uint64_t>(count);
  }
  return 0;
}

// A file without a name is gone with its last descriptor, whatever happens to this process.
int open_spill() {
  const char* configured = std::getenv("TMPDIR");
  const std::string folder = configured != nullptr && *configured != '\0' ? configured : "/tmp";
  const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
    return unnamed;
  }
  std::string name = folder + "/weir-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) {
    ::unlink(name.c_str());
  }
  return named;
}

}  // namespace

void capture::append(std::string_view piece) {
  if (piece.empty()) {
    return;
  }
  size_ += piece.size();
  last_ = piece.back();
  append_to_mirror(piece);
  if (lost_error_ != 0) {
    return;
  }
  const std::size_t room = memory_bound_ - std::min(memory_bound_, memory_.size());
  const std::size_t in_memory = kept_ == memory_.size() ? std::min(room, piece.size()) : 0;
  memory_.append(piece.substr(0, in_memory));
  kept_ += in_memory;
  append_to_spill(piece.substr(in_memory));
}

void capture::append_to_mirror(std::string_view piece) {
  if (!mirror_ || mirror_error_ != 0) {
    return;
  }
  mirror_error_ = write_at(mirror_.get(), piece, mirrored_);
  if (mirror_error_ == 0) {
    mirrored_ += piece.size();
  }
}

void capture::append_to_spill(std::string_view piece) {
  if (piece.empty()) {
    return;
  }
  if (mirrored_ == size_) {
    kept_ = size_;
    return;
  }
  if (!spill_) {
    spill_.reset(open_spill());
    spill_begin_ = kept_;
    if (!spill_) {
      lost_error_ = errno;
      return;
    }
  }
  lost_error_ = write_at(spill_.get(), piece, kept_ - spill_begin_);
  if (lost_error_ == 0) {
    kept_ += piece.size();
  }
}

bool capture::read_back(std::uint64_t at, std::string& piece) const {
  const bool spilled = spill_ && at >= spill_begin_;
  const std::uint64_t end = spill_ && !spilled ? spill_begin_ : kept_;
  piece.resize(std::min<std::uint64_t>(k_piece, end - at));
  const off_t offset = static_cast<off_t>(spilled ? at - spill_begin_ : at);
  ssize_t count = 0;
  do {
    count = ::pread(spilled ? spill_.get() : mirror_.get(), piece.data(), piece.size(), offset);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) {
    return false;
  }
  piece.resize(static_cast<std::size_t>(count));
  return true;
}

}  // namespace weir::process
