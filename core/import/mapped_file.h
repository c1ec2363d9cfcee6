#pragma once
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cutaway {

// A regular file mapped read-only and private. Views into it hold the shared_ptr; the last one unmaps. Size and time of
// change are remembered, so that a later reader can warn that somebody wrote to the file under us. Touching a page that
// a truncation took away raises SIGBUS; the runtime turns that into `bad-input` (DESIGN.md section 8).
class MappedFile {
 public:
  // bad-input where the path is missing, unreadable, no regular file (directory, pipe, device) or empty.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }
  const std::string& path() const { return path_; }
  // True where size, time of change or identity on disk differ from those at the time of mapping, or the file is gone.
  bool changed() const;

 private:
  MappedFile() = default;
  std::string path_;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  uint64_t device_ = 0, inode_ = 0;
  int64_t seconds_ = 0, nanoseconds_ = 0;
};

} // namespace cutaway
