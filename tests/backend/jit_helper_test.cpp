#include "jit_fixture.h"

#include <array>
#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace cutaway::cpu {

namespace {

using Clock = std::chrono::steady_clock;

// A program that takes the place of cutaway-kernelc.
std::string fake_helper(const std::filesystem::path& dir, const std::string& script) {
  std::filesystem::path path = dir / "helper.sh";
  std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST_F(Jit, CrashAndFatalErrorCostOneKernelEach) {
  auto compiler = make();
  auto results = compiler->compile(std::array{unit("crash", "\n#pragma clang __debug crash\n"),
                                              unit("fatal", "\n#pragma clang __debug llvm_fatal_error\n"),
                                              constant_unit("a", 1), constant_unit("b", 2), constant_unit("c", 3)});
  ASSERT_FALSE(results[0].ok());
  EXPECT_EQ(results[0].error().fault, Fault::unsupported);
  EXPECT_NE(results[0].error().what.find("signal"), std::string::npos) << results[0].error().str();
  ASSERT_FALSE(results[1].ok());
  EXPECT_NE(results[1].error().what.find("Clang gave up: "), std::string::npos) << results[1].error().str();
  for (int i = 2; i < 5; ++i) {
    ASSERT_TRUE(results[size_t(i)].ok()) << results[size_t(i)].error().str();
    EXPECT_EQ(call(*results[size_t(i)]), i - 1);
  }
}

TEST_F(Jit, AKilledIdleHelperIsReplaced) {
  auto compiler = make();
  ASSERT_TRUE(compiler->compile(std::array{constant_unit("a", 1)})[0].ok());
  for (int pid : children()) kill(pid, SIGKILL);
  auto results = compiler->compile(std::array{constant_unit("b", 2), constant_unit("c", 3)});
  ASSERT_TRUE(results[0].ok() && results[1].ok());
  EXPECT_EQ(call(*results[1]), 3);
}

TEST_F(Jit, HelpersStartAtTheFirstMissAndLeaveNothingBehind) {
  size_t files = open_files();
  {
    auto compiler = make(cached());
    EXPECT_TRUE(children().empty());
    ASSERT_TRUE(compiler->compile(std::array{constant_unit("a", 1), constant_unit("b", 2)})[0].ok());
    EXPECT_EQ(children().size(), 2u);
  }
  EXPECT_TRUE(children().empty());
  EXPECT_EQ(open_files(), files);
  {
    auto compiler = make(cached());
    ASSERT_TRUE(compiler->compile(std::array{constant_unit("a", 1)})[0].ok());
    EXPECT_TRUE(children().empty());
  }
}

TEST_F(Jit, AHelperThatCannotStartOrSpeaksNonsenseIsADiagnostic) {
  CompilerConfig absent, ends, babbles;
  absent.helper_path = dir / "absent";
  ends.helper_path = fake_helper(dir, "exit 127");
  for (const CompilerConfig& config : {absent, ends}) {
    auto results = make(config)->compile(std::array{constant_unit("a", 1), constant_unit("b", 2)});
    for (const auto& result : results) {
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.error().fault, Fault::unsupported);
      EXPECT_FALSE(result.error().hint.empty());
    }
  }
  babbles.helper_path = fake_helper(dir, "echo nonsense, and more nonsense >&0; exec sleep 100");
  EXPECT_FALSE(make(babbles)->compile(std::array{constant_unit("a", 1)})[0].ok());
  EXPECT_TRUE(children().empty());
}

TEST_F(Jit, AHangingHelperRunsIntoTheTimeout) {
  CompilerConfig config;
  config.helper_path = fake_helper(dir, "exec sleep 100");
  config.timeout_ms = 100;
  auto results = make(config)->compile(std::array{constant_unit("a", 1), constant_unit("b", 2), constant_unit("c", 3)});
  for (const auto& result : results) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().fault, Fault::limit);
  }
  EXPECT_TRUE(children().empty());
}

TEST_F(Jit, CancelKillsTheHelpersAtWork) {
  CompilerConfig config;
  config.helper_path = fake_helper(dir, "exec sleep 100");
  auto compiler = make(config);
  std::atomic<bool> cancel = false;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancel = true;
  });
  auto start = Clock::now();
  auto results =
      compiler->compile(std::array{constant_unit("a", 1), constant_unit("b", 2), constant_unit("c", 3)}, &cancel);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
  other.join();
  for (const auto& result : results) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().fault, Fault::limit);
    EXPECT_NE(result.error().what.find("cancelled"), std::string::npos);
  }
  EXPECT_TRUE(children().empty());
}

// A program that dies in the middle of a compile leaves no helper at work.
TEST_F(Jit, HelpersEndWithTheProgram) {
  int report[2];
  ASSERT_EQ(pipe(report), 0);
  pid_t program = fork();
  if (program == 0) {
    auto compiler = make();
    auto result = compiler->compile(std::array{constant_unit("a", 1)});
    int pid = result[0].ok() ? children().at(0) : -1;
    [[maybe_unused]] ssize_t n = write(report[1], &pid, sizeof pid);
    pause();
    _exit(0);
  }
  int helper = -1;
  ASSERT_EQ(read(report[0], &helper, sizeof helper), ssize_t(sizeof helper));
  close(report[0]);
  close(report[1]);
  ASSERT_GT(helper, 0);
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  auto alive = [&] {
    std::ifstream stat("/proc/" + std::to_string(helper) + "/stat");
    std::string pid, name, state;
    return bool(stat >> pid >> name >> state) && state != "Z";
  };
  for (int i = 0; i < 200 && alive(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(alive());
}

} // namespace

} // namespace cutaway::cpu
