#pragma once
#include "backend/cpu/jit/kernel_compiler.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace cutaway::cpu {

inline KernelUnit unit(std::string symbol, const std::string& body) {
  return {symbol, "void " + symbol + "(void* const* b, long begin, long end, void* s) {" + body + "}"};
}

// Writes `value` to the first int of buffer 0.
inline KernelUnit constant_unit(const std::string& symbol, int value) {
  return unit(symbol, "*(int*)b[0] = " + std::to_string(value) + ";");
}

inline int call(const KernelCompiler::Compiled& compiled) {
  int out = -1;
  void* buffers[] = {&out};
  compiled.fn(buffers, 0, 1, nullptr);
  return out;
}

// Child processes of this one, zombies included.
inline std::vector<int> children() {
  std::vector<int> pids;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream in(task.path() / "children");
    for (int pid; in >> pid;) pids.push_back(pid);
  }
  return pids;
}

inline size_t open_files() {
  size_t n = 0;
  for ([[maybe_unused]] const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) ++n;
  return n;
}

class Jit : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "cutaway-jit-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir = name;
  }
  void TearDown() override { std::filesystem::remove_all(dir); }

  static std::shared_ptr<KernelCompiler> make(CompilerConfig config = {}) {
    auto compiler = KernelCompiler::create(config);
    EXPECT_TRUE(compiler.ok()) << compiler.error().str();
    return *compiler;
  }
  CompilerConfig cached() const {
    CompilerConfig config;
    config.cache_dir = dir / "cache";
    return config;
  }
  std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> files;
    for (const auto& item : std::filesystem::recursive_directory_iterator(dir / "cache"))
      if (item.is_regular_file()) files.push_back(item.path());
    return files;
  }

  std::filesystem::path dir;
};

} // namespace cutaway::cpu
