#include "base/disk_cache.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace cutaway {

namespace {

struct EntryHead {
  char magic[8] = {'C', 'U', 'T', 'K', 'R', 'N', 'L', '2'};
  CacheKey key{};
  uint64_t size = 0;
  Digest digest{};
};

struct File {
  int fd;
  ~File() {
    if (fd >= 0) close(fd);
  }
};

bool read_all(int fd, char* out, size_t n) {
  while (n > 0) {
    ssize_t got = ::read(fd, out, n);
    if (got <= 0) return false;
    out += got;
    n -= size_t(got);
  }
  return true;
}

bool write_all(int fd, const char* in, size_t n) {
  while (n > 0) {
    ssize_t put = ::write(fd, in, n);
    if (put <= 0) return false;
    in += put;
    n -= size_t(put);
  }
  return true;
}

// Marks an entry as used, at most once an hour: trimming goes by the time of change.
void touch(int fd, const struct stat& st) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec - st.st_mtim.tv_sec > 3600) futimens(fd, nullptr);
}

struct Entry {
  std::string path;
  int64_t bytes;
  struct timespec used;
};

std::vector<Entry> list(const std::string& folder) {
  std::vector<Entry> entries;
  DIR* dir = opendir(folder.c_str());
  if (!dir) return entries;
  while (const dirent* item = readdir(dir)) {
    if (item->d_name[0] == '.') continue;
    std::string path = folder + "/" + item->d_name;
    struct stat st;
    if (lstat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode)) entries.push_back({path, st.st_size, st.st_mtim});
  }
  closedir(dir);
  return entries;
}

// Removes the entries of one folder that were used longest ago, down to three quarters of its share.
void trim(const std::string& folder, int64_t share) {
  std::vector<Entry> entries = list(folder);
  int64_t total = 0;
  for (const Entry& e : entries) total += e.bytes;
  if (total <= share) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const Entry& e : entries) {
    if (total <= share - share / 4) return;
    if (unlink(e.path.c_str()) == 0) total -= e.bytes;
  }
}

} // namespace

CacheKey cache_key(std::span<const std::string_view> parts) {
  Sha256 hash;
  for (const std::string_view part : parts) {
    const uint64_t n = part.size();
    hash.add({reinterpret_cast<const char*>(&n), sizeof n});
    hash.add(part);
  }
  return hash.digest();
}

std::string DiskCache::path(const CacheKey& key) const {
  std::string name = hex(key);
  return dir_ + "/" + name.substr(0, 2) + "/" + name.substr(2);
}

std::optional<std::string> DiskCache::load(const CacheKey& key) const {
  std::string name = path(key);
  File file{open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (file.fd < 0) return {};
  EntryHead head, want;
  struct stat st;
  std::string entry;
  bool good = fstat(file.fd, &st) == 0 && S_ISREG(st.st_mode) &&
              read_all(file.fd, reinterpret_cast<char*>(&head), sizeof head) &&
              std::memcmp(head.magic, want.magic, sizeof head.magic) == 0 && head.key == key &&
              head.size == uint64_t(st.st_size) - sizeof head;
  if (good) {
    entry.resize(head.size);
    good = read_all(file.fd, entry.data(), entry.size()) && sha256(entry) == head.digest;
  }
  if (!good) {
    unlink(name.c_str());
    return {};
  }
  touch(file.fd, st);
  return entry;
}

void DiskCache::store(const CacheKey& key, std::string_view entry) const {
  int64_t share = limit_bytes_ / 256;
  if (int64_t(entry.size()) > share / 2) return;
  std::string name = path(key);
  std::string folder = name.substr(0, name.rfind('/'));
  std::string beside = name + ".XXXXXX";
  int fd = mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) {
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return;
    beside = name + ".XXXXXX";
    fd = mkostemp(beside.data(), O_CLOEXEC);
  }
  File file{fd};
  if (fd < 0) return;
  EntryHead head;
  head.key = key;
  head.size = entry.size();
  head.digest = sha256(entry);
  bool good =
      write_all(fd, reinterpret_cast<const char*>(&head), sizeof head) && write_all(fd, entry.data(), entry.size());
  if (!good || rename(beside.c_str(), name.c_str()) != 0) unlink(beside.c_str());
  // One folder in sixteen stores is enough to hold the bound, give or take a sixteenth of it.
  if (key[31] % 16 == 0) trim(folder, share);
}

} // namespace cutaway
