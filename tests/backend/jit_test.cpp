#include "jit_fixture.h"

#include "backend/cpu/jit/assembly.h"
#include "backend/cpu/jit/clang_args.h"
#include "backend/cpu/jit/helper_pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <sstream>
#include <thread>

namespace cutaway::cpu {

namespace {

constexpr const char* axpy = "const float* x = b[0]; const float* y = b[1]; float* o = b[2];"
                             "for (long i = begin; i < end; ++i) o[i] = x[i] * y[i] + o[i];";

float one_axpy(const KernelCompiler::Compiled& compiled, float x, float y, float o) {
  void* buffers[] = {&x, &y, &o};
  compiled.fn(buffers, 0, 1, nullptr);
  return o;
}

bool host_has_fma(const std::string& assembly) {
  return assembly.find("vfmadd") != std::string::npos;
}

TEST_F(Jit, RunsAKernelOnARange) {
  auto compiler = make();
  auto results = compiler->compile(std::array{unit("axpy", axpy)});
  ASSERT_TRUE(results[0].ok()) << results[0].error().str();
  std::vector<float> x(100, 3), y(100, 2), o(100, 1);
  void* buffers[] = {x.data(), y.data(), o.data()};
  results[0]->fn(buffers, 10, 90, nullptr);
  for (long i = 0; i < 100; ++i) EXPECT_EQ(o[size_t(i)], i >= 10 && i < 90 ? 7 : 1);
  EXPECT_FALSE(results[0]->from_cache);
  EXPECT_GT(results[0]->compile_ms, 0);
  EXPECT_GT(results[0]->code_bytes, 0);
}

TEST_F(Jit, OnlyStrictForbidsContraction) {
  auto compiler = make();
  KernelUnit strict = unit("axpy", axpy), normal = strict;
  strict.strict = true;
  auto results = compiler->compile(std::array{strict, normal});
  ASSERT_TRUE(results[0].ok() && results[1].ok());
  float x = 1 + 0x1p-12f, o = -x * x;
  volatile float rounded = x * x;
  EXPECT_EQ(one_axpy(*results[0], x, x, o), rounded + o);
  auto assembly = compiler->assembly(normal);
  ASSERT_TRUE(assembly.ok()) << assembly.error().str();
  if (host_has_fma(assembly->text)) {
    EXPECT_EQ(one_axpy(*results[1], x, x, o), std::fma(x, x, o));
  }
  EXPECT_FALSE(host_has_fma(compiler->assembly(strict)->text));
}

// 1 + 2^24 loses the 1; another order keeps it.
TEST_F(Jit, OnlyPermissionReordersASum) {
  const char* head = "const float* x = b[0]; float sum = 0;";
  const char* loop = "for (long i = begin; i < end; ++i) sum += x[i]; *(float*)b[1] = sum;";
  KernelUnit plain = unit("sum", std::string(head) + loop);
  KernelUnit asked = unit("sum", std::string(head) + "_Pragma(\"clang loop vectorize(enable)\")" + loop);
  KernelUnit strict = asked, fast = plain;
  strict.strict = fast.fast = true;
  auto compiler = make();
  auto results = compiler->compile(std::array{plain, asked, strict, fast});
  std::vector<float> x(4096);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 1.0f / float(i + 3);
  float in_order = 0;
  for (float v : x) in_order += v;
  auto sum = [&](size_t i) {
    float out = 0;
    void* buffers[] = {x.data(), &out};
    results[i]->fn(buffers, 0, 4096, nullptr);
    return out;
  };
  for (const auto& result : results) ASSERT_TRUE(result.ok()) << result.error().str();
  EXPECT_EQ(sum(0), in_order);
  EXPECT_NE(sum(1), in_order);
  EXPECT_EQ(sum(2), in_order);
  EXPECT_NE(sum(3), in_order);
}

TEST_F(Jit, FastHonoursNanAndInf) {
  KernelUnit test = unit("test", "float x = *(float*)b[1]; *(int*)b[0] = (x != x) + 2 * __builtin_isinf(x);");
  test.fast = true;
  auto compiler = make();
  auto results = compiler->compile(std::array{test});
  ASSERT_TRUE(results[0].ok());
  auto classify = [&](float x) {
    int out = -1;
    void* buffers[] = {&out, &x};
    results[0]->fn(buffers, 0, 1, nullptr);
    return out;
  };
  EXPECT_EQ(classify(1), 0);
  EXPECT_EQ(classify(NAN), 1);
  EXPECT_EQ(classify(INFINITY), 2);
}

// Excess precision would keep the products in float: 1 + 2^-11 squared is not a half.
TEST_F(Jit, HalvesRoundAfterEachOperation) {
  KernelUnit halves = unit("halves", "_Float16 x = *(_Float16*)b[1]; *(_Float16*)b[0] = x * x - x;");
  halves.strict = true;
  auto compiler = make();
  auto results = compiler->compile(std::array{halves});
  ASSERT_TRUE(results[0].ok()) << results[0].error().str();
  uint16_t x = 0x3c01, out = 0; // 1 + 2^-10, whose square rounds to 1 + 2^-9
  void* buffers[] = {&out, &x};
  results[0]->fn(buffers, 0, 1, nullptr);
  EXPECT_EQ(out, 0x1400); // 2^-10
}

TEST_F(Jit, MayCallMemcpyAndNothingElseOfTheProcess) {
  KernelUnit copy = unit("copy", "__builtin_memcpy(b[0], b[1], end);");
  KernelUnit shell = {"shell",
                      "int system(const char*); void shell(void* const* b, long i, long n, void* s) { system(b[0]); }"};
  auto compiler = make();
  auto results = compiler->compile(std::array{copy, shell});
  ASSERT_TRUE(results[0].ok()) << results[0].error().str();
  char from[] = "abc", to[4] = {};
  void* buffers[] = {to, from};
  results[0]->fn(buffers, 0, 4, nullptr);
  EXPECT_STREQ(to, "abc");
  ASSERT_FALSE(results[1].ok());
  EXPECT_EQ(results[1].error().fault, Fault::unsupported);
  EXPECT_NE(results[1].error().what.find("system"), std::string::npos) << results[1].error().str();
}

TEST_F(Jit, BadTextGivesClangsMessageAndCostsOneUnit) {
  auto compiler = make();
  size_t last = 0;
  auto results =
      compiler->compile(std::array{constant_unit("k", 1), unit("bad", "int x = ;"),
                                   unit("reads", "\n#include \"/etc/passwd\"\n"), KernelUnit{"absent", "int other;"}},
                        nullptr, [&](size_t done, size_t total) {
                          EXPECT_EQ(total, 4u);
                          EXPECT_EQ(done, ++last);
                        });
  EXPECT_EQ(last, 4u);
  ASSERT_TRUE(results[0].ok());
  EXPECT_EQ(call(*results[0]), 1);
  for (size_t i = 1; i < 4; ++i) ASSERT_FALSE(results[i].ok());
  EXPECT_NE(results[1].error().what.find("expected expression"), std::string::npos) << results[1].error().str();
  EXPECT_EQ(results[1].error().where, "kernel bad");
  EXPECT_NE(results[2].error().what.find("file not found"), std::string::npos) << results[2].error().str();
  EXPECT_NE(results[3].error().what.find("absent"), std::string::npos) << results[3].error().str();
}

TEST_F(Jit, EqualUnitsAreCompiledOnceAndSymbolsMayCollide) {
  auto compiler = make();
  auto results = compiler->compile(std::array{constant_unit("k", 1), constant_unit("k", 2), constant_unit("k", 1)});
  for (const auto& result : results) ASSERT_TRUE(result.ok()) << result.error().str();
  EXPECT_EQ(call(*results[0]), 1);
  EXPECT_EQ(call(*results[1]), 2);
  EXPECT_EQ(results[0]->fn, results[2]->fn);
  EXPECT_TRUE(compiler->compile(std::array{constant_unit("k", 1)})[0]->from_cache);
}

TEST_F(Jit, CodeOutlivesTheCompiler) {
  KernelCompiler::Compiled kept;
  {
    auto compiler = make();
    kept = *compiler->compile(std::array{constant_unit("k", 5)})[0];
  }
  EXPECT_EQ(call(kept), 5);
}

TEST_F(Jit, AssemblyNamesTheKernel) {
  auto assembly = make()->assembly(constant_unit("my_kernel", 77));
  ASSERT_TRUE(assembly.ok()) << assembly.error().str();
  EXPECT_NE(assembly->text.find("my_kernel:"), std::string::npos);
  EXPECT_NE(assembly->text.find("dword ptr [rax], 77"), std::string::npos) << assembly->text;
  EXPECT_FALSE(make()->assembly(unit("bad", "x")).ok());
}

TEST_F(Jit, AssemblySaysTheLineOfEachInstruction) {
  const KernelUnit two{"two", "void two(void* const* b, long begin, long end, void* s) {\n  *(int*)b[0] = 11;\n  *(int*)b[1] = 22;\n}\n"};
  const auto assembly = make()->assembly(two);
  ASSERT_TRUE(assembly.ok()) << assembly.error().str();
  ASSERT_EQ(std::count(assembly->text.begin(), assembly->text.end(), '\n'), long(assembly->lines.size()));
  size_t found = 0;
  std::istringstream text(assembly->text);
  std::string line;
  for (const int from : assembly->lines) {
    std::getline(text, line);
    EXPECT_EQ(line.find(".loc"), std::string::npos);
    for (const int number : {11, 22}) {
      if (!line.ends_with(' ' + std::to_string(number))) continue;
      EXPECT_EQ(from, 1 + number / 11);
      ++found;
    }
  }
  EXPECT_EQ(found, 2u) << assembly->text;
}

// The line table is a remark on the code and never another code.
TEST_F(Jit, LineTablesChangeNoInstruction) {
  auto compiler = make();
  for (const bool strict : {false, true}) {
    KernelUnit u = unit("axpy", axpy);
    u.strict = strict;
    CompileRequest request{CompileRequest::Output::assembly, u.symbol, clang_args(u), u.text};
    std::string plain;
    const char* named = std::getenv("CUTAWAY_KERNELC");
    HelperPool pool(named ? named : std::filesystem::read_symlink("/proc/self/exe").replace_filename("cutaway-kernelc").string(), 1, 30'000);
    pool.run({&request, 1}, nullptr, [&](size_t, Result<CompileReply> reply) { plain = reply ? reply->bytes : reply.error().str(); });
    EXPECT_EQ(readable_assembly(plain).text, compiler->assembly(u)->text);
  }
}

TEST_F(Jit, ManyThreadsShareOneCompiler) {
  auto compiler = make();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<KernelUnit> units;
      for (int i = 0; i < 6; ++i) units.push_back(constant_unit("k", 100 * (t % 2) + i));
      auto results = compiler->compile(units);
      for (int i = 0; i < 6; ++i)
        if (!results[size_t(i)].ok() || call(*results[size_t(i)]) != 100 * (t % 2) + i) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(children().size(), 2u);
}

} // namespace

} // namespace cutaway::cpu
