#include "jit_fixture.h"

#include <array>
#include <sys/stat.h>

namespace cutaway::cpu {

namespace {

namespace fs = std::filesystem;

TEST_F(Jit, ASecondCompilerFindsTheEntry) {
  ASSERT_FALSE((*make(cached())->compile(std::array{constant_unit("k", 4)})[0]).from_cache);
  ASSERT_EQ(entries().size(), 1u);
  auto again = make(cached())->compile(std::array{constant_unit("k", 4)});
  ASSERT_TRUE(again[0].ok());
  EXPECT_TRUE(again[0]->from_cache);
  EXPECT_EQ(again[0]->compile_ms, 0);
  EXPECT_EQ(call(*again[0]), 4);
}

TEST_F(Jit, ModesHaveEntriesOfTheirOwn) {
  KernelUnit normal = constant_unit("k", 4), strict = normal, fast = normal;
  strict.strict = fast.fast = true;
  make(cached())->compile(std::array{normal, strict, fast});
  EXPECT_EQ(entries().size(), 3u);
}

TEST_F(Jit, ADamagedEntryIsRebuilt) {
  make(cached())->compile(std::array{constant_unit("k", 4)});
  fs::path entry = entries().at(0);
  auto size = fs::file_size(entry);
  auto flip = [&](uintmax_t at) {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(std::streamoff(at));
    char c = char(file.get());
    file.seekp(std::streamoff(at));
    file.put(char(c ^ 1));
  };
  auto truncate = [&](uintmax_t n) { fs::resize_file(entry, n); };
  auto expect_rebuilt = [&] {
    auto results = make(cached())->compile(std::array{constant_unit("k", 4)});
    ASSERT_TRUE(results[0].ok()) << results[0].error().str();
    EXPECT_FALSE(results[0]->from_cache);
    EXPECT_EQ(call(*results[0]), 4);
    EXPECT_EQ(fs::file_size(entry), size);
  };
  for (uintmax_t at : {uintmax_t(0), uintmax_t(12), uintmax_t(41), uintmax_t(50), size / 2, size - 1}) {
    flip(at);
    expect_rebuilt();
  }
  for (uintmax_t n : {uintmax_t(0), uintmax_t(20), size - 1}) {
    truncate(n);
    expect_rebuilt();
  }
}

TEST_F(Jit, ADirectoryThatOthersCanWriteIsRefused) {
  CompilerConfig config = cached();
  fs::create_directory(config.cache_dir);
  for (mode_t mode : {0770, 0707, 0777}) {
    chmod(config.cache_dir.c_str(), mode);
    auto compiler = make(config);
    EXPECT_FALSE(compiler->cache_refusal().ok());
    EXPECT_TRUE(compiler->compile(std::array{constant_unit("k", 4)})[0].ok());
    EXPECT_TRUE(entries().empty());
  }
  chmod(config.cache_dir.c_str(), 0755);
  EXPECT_TRUE(make(config)->cache_refusal().ok());
}

TEST_F(Jit, AFileOrALinkIsNoCache) {
  std::ofstream(dir / "file") << "x";
  fs::create_directory_symlink("/tmp", dir / "link");
  for (const char* name : {"file", "file/below", "link"}) {
    CompilerConfig config;
    config.cache_dir = dir / name;
    EXPECT_FALSE(make(config)->cache_refusal().ok()) << name;
  }
}

} // namespace

} // namespace cutaway::cpu
