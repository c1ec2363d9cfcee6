#include "base/disk_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace cutaway {
namespace {

namespace fs = std::filesystem;

CacheKey key_of(int n) {
  const std::string text = std::to_string(n);
  const std::string_view part = text;
  return cache_key({&part, 1});
}

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "cutaway-cache-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir = name;
  }
  void TearDown() override { fs::remove_all(dir); }
  int64_t bytes() const {
    int64_t total = 0;
    for (const auto& item : fs::recursive_directory_iterator(dir))
      if (item.is_regular_file()) total += int64_t(item.file_size());
    return total;
  }
  fs::path dir;
};

TEST_F(Cache, GivesBackWhatWasStored) {
  const DiskCache cache(dir.string());
  EXPECT_FALSE(cache.load(key_of(1)));
  for (const std::string& entry : {std::string(), std::string("x"), std::string(100'000, '\0')}) {
    cache.store(key_of(1), entry);
    EXPECT_EQ(cache.load(key_of(1)), entry);
  }
  EXPECT_FALSE(cache.load(key_of(2)));
}

TEST_F(Cache, TheBordersBetweenPartsCount) {
  const std::string_view one[] = {"ab", "c"}, other[] = {"a", "bc"};
  EXPECT_NE(cache_key(one), cache_key(other));
}

// Each bit of each byte, each length, and the entry of another key.
TEST_F(Cache, ADamagedEntryIsMissingAndRemoved) {
  const DiskCache cache(dir.string());
  const std::string entry = "the code of a kernel";
  cache.store(key_of(1), entry);
  const fs::path file = cache.path(key_of(1));
  std::ifstream in(file, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  const auto expect_missing = [&](const std::string& bytes, const std::string& what) {
    std::ofstream(file, std::ios::binary) << bytes;
    EXPECT_FALSE(cache.load(key_of(1))) << what;
    EXPECT_FALSE(fs::exists(file)) << what;
  };
  for (size_t at = 0; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[at] = char(bytes[at] ^ 1 << bit);
      expect_missing(bytes, "bit " + std::to_string(bit) + " of byte " + std::to_string(at));
    }
  for (size_t n = 0; n < whole.size(); ++n) expect_missing(whole.substr(0, n), std::to_string(n) + " bytes");
  expect_missing(whole + "x", "one byte more");
  cache.store(key_of(2), entry);
  fs::copy_file(cache.path(key_of(2)), file);
  EXPECT_FALSE(cache.load(key_of(1))) << "the entry of another key";
  cache.store(key_of(1), entry);
  EXPECT_EQ(cache.load(key_of(1)), entry);
}

TEST_F(Cache, NoRightsCostTheEntryOnly) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ASSERT_EQ(chmod(dir.c_str(), 0500), 0);
  const DiskCache cache(dir.string());
  cache.store(key_of(1), "entry");
  EXPECT_FALSE(cache.load(key_of(1)));
  ASSERT_EQ(chmod(dir.c_str(), 0700), 0);
}

TEST_F(Cache, AFileInThePlaceOfAFolderCostsTheEntryOnly) {
  const DiskCache cache(dir.string());
  std::ofstream(fs::path(cache.path(key_of(1))).parent_path()) << "x";
  cache.store(key_of(1), "entry");
  EXPECT_FALSE(cache.load(key_of(1)));
}

// A reader finds a whole entry or none, whatever the others write at the time.
TEST_F(Cache, ProcessesShareIt) {
  constexpr int keys = 8, processes = 4;
  const auto entry_of = [](int n) { return std::string(size_t(20'000 + n), char('a' + n)); };
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      const DiskCache cache(dir.string());
      bool good = true;
      for (int i = 0; i < 400; ++i) {
        const int n = (i * 5 + p) % keys;
        if (const auto found = cache.load(key_of(n))) good = good && *found == entry_of(n);
        if ((i + p) % 3 == 0) cache.store(key_of(n), entry_of(n));
        if ((i + p) % 11 == 0) unlink(cache.path(key_of(n)).c_str());
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const DiskCache cache(dir.string());
  for (int n = 0; n < keys; ++n) {
    cache.store(key_of(n), entry_of(n));
    EXPECT_EQ(cache.load(key_of(n)), entry_of(n));
  }
  for (const auto& item : fs::recursive_directory_iterator(dir)) EXPECT_EQ(item.path().extension(), "") << "left behind";
}

TEST_F(Cache, StaysWithinItsLimit) {
  constexpr int64_t limit = 4 << 20; // 16 KiB a folder
  const DiskCache cache(dir.string(), limit);
  const std::string entry(2000, 'o');
  CacheKey last{};
  for (int i = 0; i < 4000; ++i) {
    last = key_of(i);
    last[0] = uint8_t(i % 4); // four folders only, each far over its share
    cache.store(last, entry);
  }
  EXPECT_EQ(cache.load(last), entry);
  EXPECT_LE(bytes(), 4 * (limit / 256 + 64 * int64_t(entry.size())));
  EXPECT_GT(bytes(), 0);
}

TEST_F(Cache, TheDefaultDirectoryFollowsXdg) {
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string saved = before ? before : "";
  setenv("XDG_CACHE_HOME", (dir / "xdg").c_str(), 1);
  const std::string made = default_cache_dir();
  EXPECT_EQ(made, (dir / "xdg/cutaway/kernels").string());
  struct stat st;
  ASSERT_EQ(stat(made.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0700u);
  chmod(made.c_str(), 0777);
  EXPECT_EQ(default_cache_dir(), "");
  if (before) {
    setenv("XDG_CACHE_HOME", saved.c_str(), 1);
  } else {
    unsetenv("XDG_CACHE_HOME");
  }
}

} // namespace
} // namespace cutaway
