#pragma once
#include "base/result.h"
#include "base/sha256.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cutaway {

using CacheKey = Digest;

// SHA-256 over the parts and their lengths.
CacheKey cache_key(std::span<const std::string_view> parts);

// What was compiled, on disk: one file an entry in 256 folders by the first byte of the key. An entry holds its whole key
// and a digest; a damaged one is removed and counts as missing. Entries appear by rename, so several processes may share
// the directory, which check_cache_dir() must have accepted. Without room or rights, store() does nothing.
class DiskCache {
 public:
  explicit DiskCache(std::string dir, int64_t limit_bytes = default_limit) : dir_(std::move(dir)), limit_bytes_(limit_bytes) {}
  static constexpr int64_t default_limit = 512 << 20; // the entries longest unused go first

  std::optional<std::string> load(const CacheKey& key) const;
  void store(const CacheKey& key, std::string_view entry) const;

  std::string path(const CacheKey& key) const;

 private:
  std::string dir_;
  int64_t limit_bytes_;
};

// $XDG_CACHE_HOME/cutaway/kernels or ~/.cache/cutaway/kernels, made with mode 0700 where it is not there; empty (no
// cache) where it cannot be made or check_cache_dir() refuses it.
std::string default_cache_dir();

// Code is loaded from this directory: it must be a directory of this user that neither group nor others can write.
// Made (0700, with its parents) where it is not there.
Status check_cache_dir(const std::string& dir);

} // namespace cutaway
