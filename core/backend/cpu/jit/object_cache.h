#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cutaway::cpu {

using CacheKey = std::array<uint8_t, 32>;

// SHA-256 over the parts and their lengths.
CacheKey cache_key(std::span<const std::string_view> parts);
std::string hex(const CacheKey& key);

// Objects on disk, one file an entry in 256 folders by the first byte of the key. An entry holds its whole key and a
// checksum; a damaged one is removed and counts as missing. Entries appear by rename, so several processes may share
// the directory, which check_cache_dir() must have accepted. Without room or rights, store() does nothing.
class ObjectCache {
 public:
  ObjectCache(std::string dir, int64_t limit_bytes) : dir_(std::move(dir)), limit_bytes_(limit_bytes) {}

  std::optional<std::string> load(const CacheKey& key) const;
  void store(const CacheKey& key, std::string_view object) const;

  std::string path(const CacheKey& key) const;

 private:
  std::string dir_;
  int64_t limit_bytes_;
};

} // namespace cutaway::cpu
