// The embedded text, compiled by Clang 19 as kernels are, gives the bits of the functions that are linked in here. It
// is linked with libc alone (Clang makes memcpy of plain copies) and no undefined symbol allowed:
// the text calls no libm.
#include "base/prelude/cw_math.h"
#include "base/prelude/prelude.h"
#include "base/ulp.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <unistd.h>

namespace cutaway::test {
namespace {

template <typename T> const char* c_name();
template <> const char* c_name<float>() {
  return "float";
}
template <> const char* c_name<double>() {
  return "double";
}
template <> const char* c_name<int8_t>() {
  return "cw_i8";
}
template <> const char* c_name<int16_t>() {
  return "cw_i16";
}
template <> const char* c_name<int32_t>() {
  return "cw_i32";
}
template <> const char* c_name<int64_t>() {
  return "cw_i64";
}
template <> const char* c_name<uint8_t>() {
  return "cw_u8";
}
template <> const char* c_name<uint16_t>() {
  return "cw_u16";
}
template <> const char* c_name<uint32_t>() {
  return "cw_u32";
}
template <> const char* c_name<uint64_t>() {
  return "cw_u64";
}

constexpr size_t kCount = 1 << 17;

// Awkward values crossed with each other (argument `which` runs slower than the one before it), then random ones.
template <typename T> std::vector<T> inputs(size_t which) {
  std::vector<T> special, all;
  if constexpr (std::is_floating_point_v<T>)
    special = awkward<T>();
  else
    special = {0,
               1,
               2,
               3,
               5,
               8,
               15,
               16,
               31,
               32,
               33,
               63,
               64,
               100,
               std::numeric_limits<T>::max(),
               std::numeric_limits<T>::min(),
               T(-1),
               T(-2)};
  size_t crossed = which < 2 ? special.size() * special.size() : special.size();
  for (size_t i = 0; i < crossed; ++i)
    all.push_back(which ? special[i / special.size() % special.size()] : special[i % special.size()]);
  Random random;
  for (size_t i = 0; i < which * 7919; ++i) random.bits();
  while (all.size() < kCount) {
    uint64_t u = random.bits();
    if constexpr (std::is_same_v<T, float>)
      all.push_back(u >> 63 ? std::bit_cast<float>((uint32_t)u) : (float)random.uniform(-20, 20));
    else if constexpr (std::is_same_v<T, double>)
      all.push_back(u & 1 ? std::bit_cast<double>(u) : random.uniform(-40, 40));
    else
      all.push_back(T(u >> 32));
  }
  return all;
}

struct Case {
  std::string name, kernel;
  std::function<void(void*)> check; // given the compiled kernel
};

template <typename R, typename... A, size_t... I>
void compare(const std::string& name, R (*f)(A...), void* symbol, std::index_sequence<I...>) {
  auto kernel = reinterpret_cast<void (*)(R*, const A*..., long)>(symbol);
  std::tuple<std::vector<A>...> in{inputs<A>(I)...};
  std::vector<R> got(kCount);
  kernel(got.data(), std::get<I>(in).data()..., (long)kCount);
  for (size_t i = 0; i < kCount; ++i) {
    R want = f(std::get<I>(in)[i]...);
    bool equal = std::memcmp(&got[i], &want, sizeof(R)) == 0 || (want != want && got[i] != got[i]);
    ASSERT_TRUE(equal) << name << ": Clang " << +got[i] << ", here " << +want << " at "
                       << testing::PrintToString(std::tuple(+std::get<I>(in)[i]...));
  }
}

template <typename R, typename... A> Case make(const std::string& name, R (*f)(A...)) {
  std::string parameters, arguments;
  size_t i = 0;
  ((parameters += std::string("const ") + c_name<A>() + "* restrict a" + std::to_string(i) + ", ",
    arguments += (i ? ", a" : "a") + std::to_string(i) + "[i]", ++i),
   ...);
  std::string kernel = std::string("void k_") + name + "(" + c_name<R>() + "* restrict out, " + parameters +
                       "long n) {\n" + "  for (long i = 0; i < n; ++i) out[i] = " + name + "(" + arguments + ");\n}\n";
  return {name, kernel, [name, f](void* symbol) { compare(name, f, symbol, std::index_sequence_for<A...>{}); }};
}

#define ONE(f) make(#f, f)
#define BOTH(f) make("cw_" #f "_f32", cw_##f##_f32), make("cw_" #f "_f64", cw_##f##_f64)
#define INTS(f)                                                                                                        \
  make("cw_" #f "_i8", cw_##f##_i8), make("cw_" #f "_i16", cw_##f##_i16), make("cw_" #f "_i32", cw_##f##_i32),         \
      make("cw_" #f "_i64", cw_##f##_i64), make("cw_" #f "_u8", cw_##f##_u8), make("cw_" #f "_u16", cw_##f##_u16),     \
      make("cw_" #f "_u32", cw_##f##_u32), make("cw_" #f "_u64", cw_##f##_u64)

std::vector<Case> cases() {
  return {BOTH(abs),
          BOTH(copysign),
          BOTH(floor),
          BOTH(ceil),
          BOTH(trunc),
          BOTH(round_even),
          BOTH(sqrt),
          BOTH(rsqrt),
          BOTH(recip),
          BOTH(fma),
          BOTH(sign),
          BOTH(max),
          BOTH(min),
          BOTH(fmod),
          BOTH(mod),
          BOTH(select),
          BOTH(exp),
          BOTH(expm1),
          BOTH(sigmoid),
          BOTH(tanh),
          BOTH(sinh),
          BOTH(cosh),
          BOTH(log),
          BOTH(log1p),
          BOTH(asinh),
          BOTH(acosh),
          BOTH(atanh),
          BOTH(pow),
          BOTH(erf),
          BOTH(sin),
          BOTH(cos),
          BOTH(tan),
          BOTH(asin),
          BOTH(acos),
          BOTH(atan),
          INTS(add),
          INTS(sub),
          INTS(mul),
          INTS(neg),
          INTS(abs),
          INTS(min),
          INTS(max),
          INTS(sign),
          INTS(div),
          INTS(fmod),
          INTS(mod),
          INTS(shl),
          INTS(shr),
          INTS(pow),
          INTS(f32_to),
          INTS(f64_to),
          ONE(cw_f16_to_f32),
          ONE(cw_f32_to_f16),
          ONE(cw_f64_to_f16),
          ONE(cw_f16_to_f64),
          ONE(cw_bf16_to_f32),
          ONE(cw_f32_to_bf16),
          ONE(cw_f64_to_bf16),
          ONE(cw_bf16_to_f64),
          ONE(cw_round_f16),
          ONE(cw_round_bf16),
          ONE(cw_f64_to_f8e4m3fn),
          ONE(cw_f32_to_f8e4m3fn),
          ONE(cw_f8e4m3fn_to_f32),
          ONE(cw_f64_to_f8e4m3fnuz),
          ONE(cw_f32_to_f8e4m3fnuz),
          ONE(cw_f8e4m3fnuz_to_f32),
          ONE(cw_f64_to_f8e5m2),
          ONE(cw_f32_to_f8e5m2),
          ONE(cw_f8e5m2_to_f32),
          ONE(cw_f64_to_f8e5m2fnuz),
          ONE(cw_f32_to_f8e5m2fnuz),
          ONE(cw_f8e5m2fnuz_to_f32),
          ONE(cw_f64_to_f4e2m1),
          ONE(cw_f32_to_f4e2m1),
          ONE(cw_f4e2m1_to_f32),
          ONE(cw_f64_to_f8e8m0),
          ONE(cw_f32_to_f8e8m0),
          ONE(cw_f8e8m0_to_f32)};
}

class PreludeClang : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("clang-19 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "clang-19 is not installed";
    folder_ = std::filesystem::temp_directory_path() / ("cutaway-prelude-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // Exit status of Clang; its messages are in the file `log`.
  int clang(const std::string& arguments) const {
    return std::system(("clang-19 -std=gnu11 -O3 -march=native -ffp-contract=off -fPIC " + arguments + " > " +
                        (folder_ / "log").string() + " 2>&1")
                           .c_str());
  }
  std::string log() const {
    std::ifstream in(folder_ / "log");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::filesystem::path folder_;
};

TEST_F(PreludeClang, EveryFunctionGivesTheSameBits) {
  std::string text = prelude_text();
  for (const Case& c : cases()) text += c.kernel;
  std::string library = (folder_ / "all.so").string();
  ASSERT_EQ(clang("-shared -nostdlib -Wl,-z,defs -lc " + write("all.c", text) + " -o " + library), 0) << log();
  void* handle = dlopen(library.c_str(), RTLD_NOW);
  ASSERT_TRUE(handle) << dlerror();
  for (const Case& c : cases()) {
    void* symbol = dlsym(handle, ("k_" + c.name).c_str());
    ASSERT_TRUE(symbol) << c.name;
    c.check(symbol);
  }
  dlclose(handle);
}

// The fast path of Clang through _Float16, over every float16 and a stride of all floats.
TEST_F(PreludeClang, Float16InHardwareIsTheSoftwareOne) {
  Case encode = ONE(cw_f32_to_f16), decode = ONE(cw_f16_to_f32);
  std::string library = (folder_ / "half.so").string();
  ASSERT_EQ(clang("-shared -nostdlib -Wl,-z,defs -lc " +
                  write("half.c", prelude_text() + encode.kernel + decode.kernel) + " -o " + library),
            0)
      << log();
  void* handle = dlopen(library.c_str(), RTLD_NOW);
  ASSERT_TRUE(handle) << dlerror();
  auto to_half = reinterpret_cast<void (*)(uint16_t*, const float*, long)>(dlsym(handle, "k_cw_f32_to_f16"));
  auto to_float = reinterpret_cast<void (*)(float*, const uint16_t*, long)>(dlsym(handle, "k_cw_f16_to_f32"));
  std::vector<float> floats(65536);
  std::vector<uint16_t> halves(65536);
  for (size_t h = 0; h < halves.size(); ++h) halves[h] = (uint16_t)h;
  to_float(floats.data(), halves.data(), 65536);
  for (size_t h = 0; h < halves.size(); ++h)
    ASSERT_EQ(std::bit_cast<uint32_t>(floats[h]), std::bit_cast<uint32_t>(cw_f16_to_f32((uint16_t)h))) << h;
  for (uint32_t block = 0; block < 64; ++block) {
    for (uint32_t i = 0; i < 65536; ++i) floats[i] = std::bit_cast<float>((i << 16) + block * 1031u);
    to_half(halves.data(), floats.data(), 65536);
    for (uint32_t i = 0; i < 65536; ++i) ASSERT_EQ(halves[i], cw_f32_to_f16(floats[i])) << floats[i];
  }
  dlclose(handle);
}

// Each function compiles with the part of the prelude that its kernel asks for, and that part is the smaller.
TEST_F(PreludeClang, APartIsEnough) {
  std::map<std::string, std::string> kernels; // by their part
  for (const Case& c : cases()) kernels[prelude_for(c.kernel)] += c.kernel;
  std::string files;
  for (const auto& [part, kernel] : kernels) {
    EXPECT_LT(part.size(), std::strlen(prelude_text()) / 2) << kernel;
    files += write(std::to_string(files.size()) + ".c", part + kernel) + " ";
  }
  std::string loads = "float f(void* p) { cw_store_f16(p, 1, 2.0f); cw_store_bf16(p, 1, cw_load_f16(p, 0)); return "
                      "cw_load_bf16(p, 2); }\n";
  files += write("loads.c", prelude_for(loads) + loads);
  EXPECT_EQ(clang("-fsyntax-only " + files), 0) << log();
}

TEST_F(PreludeClang, HotLoopsAreVectorised) {
  for (const Case& c : {ONE(cw_exp_f32), ONE(cw_tanh_f32), ONE(cw_sigmoid_f32), ONE(cw_erf_f32), ONE(cw_log_f32),
                        ONE(cw_pow_f32), ONE(cw_sin_f32), ONE(cw_rsqrt_f32), ONE(cw_round_f16), ONE(cw_round_bf16),
                        ONE(cw_max_f32), ONE(cw_f32_to_i8)}) {
    std::string file = write("loop.c", prelude_for(c.kernel) + c.kernel);
    ASSERT_EQ(clang("-c -Rpass=loop-vectorize " + file + " -o " + (folder_ / "loop.o").string()), 0) << log();
    EXPECT_NE(log().find("vectorized loop"), std::string::npos) << c.name;
  }
}

TEST(Prelude, PartsAreMinimalAndStable) {
  std::string part = prelude_for("out[i] = cw_recip_f32(a[i]);");
  EXPECT_NE(part.find("cw_recip_f32"), std::string::npos);
  EXPECT_LT(part.size(), 600u);
  EXPECT_EQ(prelude_for("int x;"), prelude_for(""));
  EXPECT_NE(prelude_for("cw_mod_i64(a, b)").find("CW_INTS"), std::string::npos);
  EXPECT_LT(std::strlen(prelude_text()), 40000u);
  EXPECT_EQ(std::string(prelude_text()).find("#include"), std::string::npos);
}

} // namespace
} // namespace cutaway::test
