// Accuracy of the embedded math library against the C library in a wider type, and its values at the edges.
#include "base/prelude/cw_math.h"
#include "base/ulp.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cstdio>
#include <cstdlib>

namespace cutaway::test {
namespace {

struct Float32Case {
  const char* name;
  float (*f)(float);
  double (*exact)(double);
  double limit; // ulp
};

double sigmoid64(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
double rsqrt64(double x) {
  return 1 / std::sqrt(x);
}
double recip64(double x) {
  return 1 / x;
}

const Float32Case kFloat32[] = {
    {"exp", cw_exp_f32, std::exp, 0.85},       {"expm1", cw_expm1_f32, std::expm1, 1.45},
    {"log", cw_log_f32, std::log, 0.85},       {"log1p", cw_log1p_f32, std::log1p, 0.51},
    {"tanh", cw_tanh_f32, std::tanh, 1.45},    {"sigmoid", cw_sigmoid_f32, sigmoid64, 1.5},
    {"erf", cw_erf_f32, std::erf, 1.4},        {"sin", cw_sin_f32, std::sin, 0.51},
    {"cos", cw_cos_f32, std::cos, 0.51},       {"tan", cw_tan_f32, std::tan, 0.51},
    {"asin", cw_asin_f32, std::asin, 0.51},    {"acos", cw_acos_f32, std::acos, 0.51},
    {"atan", cw_atan_f32, std::atan, 0.51},    {"sinh", cw_sinh_f32, std::sinh, 0.51},
    {"cosh", cw_cosh_f32, std::cosh, 0.51},    {"asinh", cw_asinh_f32, std::asinh, 0.51},
    {"acosh", cw_acosh_f32, std::acosh, 0.51}, {"atanh", cw_atanh_f32, std::atanh, 0.51},
    {"rsqrt", cw_rsqrt_f32, rsqrt64, 1.5},     {"recip", cw_recip_f32, recip64, 0.51},
};

// Every 16,381st float, or with CUTAWAY_LONG=1 every one (an hour or so).
TEST(Math, Float32StaysWithinItsUlp) {
  const char* wish = std::getenv("CUTAWAY_LONG");
  uint64_t stride = wish && *wish == '1' ? 1 : 16381;
  for (const Float32Case& c : kFloat32) {
    double worst = 0;
    float at = 0;
    for (uint64_t u = 0; u <= 0xffffffffu; u += stride) {
      float x = std::bit_cast<float>(static_cast<uint32_t>(u));
      double error = ulp_error(c.f(x), c.exact(x));
      if (error > worst) worst = error, at = x;
    }
    std::printf("  %-8s f32 %.3f ulp at %.9g\n", c.name, worst, at);
    EXPECT_LE(worst, c.limit) << c.name << " at " << at;
  }
}

struct Float64Case {
  const char* name;
  double (*f)(double);
  long double (*exact)(long double);
  double low, high, limit;
};

long double sigmoid80(long double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
long double rsqrt80(long double x) {
  return 1 / std::sqrt(x);
}

const Float64Case kFloat64[] = {
    {"exp", cw_exp_f64, std::exp, -750, 715, 0.85},   {"expm1", cw_expm1_f64, std::expm1, -45, 715, 1.45},
    {"log", cw_log_f64, std::log, 0, 4, 0.85},        {"log1p", cw_log1p_f64, std::log1p, -1, 4, 1.6},
    {"tanh", cw_tanh_f64, std::tanh, -22, 22, 1.5},   {"sigmoid", cw_sigmoid_f64, sigmoid80, -750, 60, 1.75},
    {"erf", cw_erf_f64, std::erf, -6.5, 6.5, 1.6},    {"sin", cw_sin_f64, std::sin, -2e6, 2e6, 0.85},
    {"cos", cw_cos_f64, std::cos, -2e6, 2e6, 0.85},   {"tan", cw_tan_f64, std::tan, -2e6, 2e6, 2.2},
    {"asin", cw_asin_f64, std::asin, -1, 1, 0.9},     {"acos", cw_acos_f64, std::acos, -1, 1, 1.0},
    {"atan", cw_atan_f64, std::atan, -5, 5, 1.3},     {"sinh", cw_sinh_f64, std::sinh, -712, 712, 1.9},
    {"cosh", cw_cosh_f64, std::cosh, -712, 712, 1.3}, {"asinh", cw_asinh_f64, std::asinh, -10, 10, 2.0},
    {"acosh", cw_acosh_f64, std::acosh, 1, 10, 2.5},  {"atanh", cw_atanh_f64, std::atanh, -1, 1, 2.2},
    {"rsqrt", cw_rsqrt_f64, rsqrt80, 0, 9, 1.5},
};

// Half of the points are evenly spread over [low, high], half over all bit patterns.
TEST(Math, Float64StaysWithinItsUlp) {
  if (LDBL_MANT_DIG < 64) GTEST_SKIP() << "long double is no wider than double here";
  Random random;
  for (const Float64Case& c : kFloat64) {
    double worst = 0, at = 0;
    for (int i = 0; i < 100000; ++i) {
      double x = i & 1 ? random.uniform(c.low, c.high) : std::bit_cast<double>(random.bits());
      double error = ulp_error(c.f(x), c.exact(x));
      if (error > worst) worst = error, at = x;
    }
    std::printf("  %-8s f64 %.3f ulp at %.17g\n", c.name, worst, at);
    EXPECT_LE(worst, c.limit) << c.name << " at " << at;
  }
}

TEST(Math, SineOfHugeAndOfNearMultiplesOfPi) {
  EXPECT_LE(ulp_error(cw_cos_f64(6381956970095103.0 * 0x1p797), std::cos(6381956970095103.0L * 0x1p797L)), 0.85);
  EXPECT_LE(ulp_error(cw_sin_f64(1e22), std::sin(1e22L)), 0.85);
  EXPECT_LE(ulp_error(cw_sin_f64(0x1p20), std::sin(0x1p20L)), 0.85);
  EXPECT_LE(ulp_error(cw_sin_f64(-DBL_MAX), std::sin(-(long double)DBL_MAX)), 0.85);
  EXPECT_LE(ulp_error(cw_sin_f32(16367173.0f * 0x1p72f), std::sin(16367173.0 * 0x1p72)), 0.51);
  EXPECT_LE(ulp_error(cw_tan_f32(FLT_MAX), std::tan((double)FLT_MAX)), 0.51);
}

TEST(Math, PowIsAccurateAndHasTheSpecialCasesOfIeee754) {
  Random random;
  double worst = 0, worst32 = 0;
  for (int i = 0; i < 200000; ++i) {
    double x = std::exp(random.uniform(-10, 10)), y = random.uniform(-700, 700) / std::log(x);
    worst = std::max(worst, ulp_error(cw_pow_f64(x, y), std::pow((long double)x, (long double)y)));
    float a = (float)x, b = (float)(0.13 * y);
    worst32 = std::max(worst32, ulp_error(cw_pow_f32(a, b), std::pow((long double)a, (long double)b)));
    EXPECT_EQ(cw_pow_f64(x, 2), x * x);
    EXPECT_EQ(cw_pow_f32(a, 2), a * a);
    EXPECT_EQ(cw_pow_f64(x, 1), x);
    EXPECT_EQ(cw_pow_f32(a, 1), a);
    double whole = (double)(random.bits() % 200000);
    EXPECT_EQ(cw_pow_f64(whole, 3), whole * whole * whole);
  }
  std::printf("  pow f64 %.3f ulp, f32 %.3f ulp\n", worst, worst32);
  EXPECT_LE(worst, 1.0);
  EXPECT_LE(worst32, 0.51);
  std::vector<double> values = awkward<double>();
  for (double x : values)
    for (double y : values) {
      double want = std::pow(x, y), got = cw_pow_f64(x, y);
      bool ordinary = std::isfinite(want) && want != 0;
      EXPECT_TRUE(ordinary ? ulp_error(got, want) <= 1.5 : same(got, want)) << x << " ^ " << y << " = " << got;
      float want32 = (float)std::pow((double)(float)x, (double)(float)y), got32 = cw_pow_f32((float)x, (float)y);
      ordinary = std::isfinite(want32) && want32 != 0;
      double exact32 = std::pow((double)(float)x, (double)(float)y);
      EXPECT_TRUE(ordinary ? ulp_error(got32, exact32) <= 0.51 : same(got32, want32))
          << x << " ^ " << y << " = " << got32;
    }
}

TEST(Math, Edges) {
  float inf = INFINITY;
  EXPECT_TRUE(std::isfinite(cw_exp_f32(88.72283f)));
  EXPECT_EQ(cw_exp_f32(88.73f), inf);
  EXPECT_EQ(cw_exp_f32(-103.5f), FLT_TRUE_MIN);
  EXPECT_EQ(cw_exp_f32(-104.0f), 0.0f);
  EXPECT_EQ(cw_exp_f32(-inf), 0.0f);
  EXPECT_EQ(cw_exp_f32(0.0f), 1.0f);
  EXPECT_EQ(cw_exp_f64(0.0), 1.0);
  EXPECT_EQ(cw_log_f32(1.0f), 0.0f);
  EXPECT_EQ(cw_log_f32(-0.0f), -inf);
  EXPECT_TRUE(std::isnan(cw_log_f32(-1.0f)));
  EXPECT_EQ(cw_tanh_f32(20.0f), 1.0f);
  EXPECT_EQ(cw_tanh_f32(-inf), -1.0f);
  EXPECT_EQ(cw_erf_f32(4.0f), 1.0f);
  EXPECT_EQ(cw_erf_f64(-inf), -1.0);
  EXPECT_EQ(cw_sigmoid_f32(0.0f), 0.5f);
  EXPECT_EQ(cw_sigmoid_f32(-103.5f), FLT_TRUE_MIN);
  EXPECT_EQ(cw_sigmoid_f32(-104.0f), 0.0f);
  EXPECT_EQ(cw_sigmoid_f32(inf), 1.0f);
  EXPECT_EQ(cw_rsqrt_f32(-0.0f), -inf);
  for (auto f : {cw_tanh_f32, cw_erf_f32, cw_sin_f32, cw_tan_f32, cw_asin_f32, cw_atan_f32, cw_sinh_f32, cw_asinh_f32,
                 cw_atanh_f32, cw_expm1_f32, cw_log1p_f32, cw_sign_f32, cw_floor_f32, cw_round_even_f32})
    for (float x : {0.0f, -0.0f}) EXPECT_TRUE(same(f(x), x));
  for (auto f : {cw_tanh_f64, cw_erf_f64, cw_sin_f64, cw_tan_f64, cw_asin_f64, cw_atan_f64, cw_sinh_f64, cw_asinh_f64,
                 cw_atanh_f64, cw_expm1_f64, cw_log1p_f64, cw_sign_f64})
    for (double x : {0.0, -0.0}) EXPECT_TRUE(same(f(x), x));
  for (const Float32Case& c : kFloat32) {
    EXPECT_TRUE(std::isnan(c.f(NAN))) << c.name;
    for (float x : awkward<float>()) EXPECT_LE(ulp_error(c.f(x), c.exact(x)), 1.5) << c.name << " " << x;
  }
  for (const Float64Case& c : kFloat64)
    for (double x : awkward<double>()) EXPECT_LE(ulp_error(c.f(x), c.exact(x)), 2.5) << c.name << " " << x;
}

TEST(Math, MinMaxModSignRound) {
  EXPECT_TRUE(same(cw_max_f32(-0.0f, 0.0f), 0.0f) && same(cw_max_f32(0.0f, -0.0f), 0.0f));
  EXPECT_TRUE(same(cw_min_f32(-0.0f, 0.0f), -0.0f) && same(cw_min_f64(0.0, -0.0), -0.0));
  EXPECT_TRUE(std::isnan(cw_max_f32(NAN, 1)) && std::isnan(cw_max_f32(1, NAN)) && std::isnan(cw_min_f64(NAN, 1)) &&
              std::isnan(cw_min_f64(1, NAN)));
  EXPECT_EQ(cw_round_even_f32(2.5f), 2.0f);
  EXPECT_EQ(cw_round_even_f64(-3.5), -4.0);
  EXPECT_EQ(cw_mod_f64(-7, 3), 2.0);
  EXPECT_EQ(cw_mod_f64(7, -3), -2.0);
  EXPECT_EQ(cw_mod_f32(-1, INFINITY), INFINITY);
  EXPECT_TRUE(same(cw_mod_f32(6, -3), -0.0f));
  EXPECT_TRUE(std::isnan(cw_sign_f32(NAN)) && cw_sign_f32(-3.0f) == -1.0f && cw_sign_f64(2.0) == 1.0);
  Random random;
  for (int i = 0; i < 300000; ++i) {
    uint64_t a = random.bits(), b = random.bits();
    if (i & 1)
      a = (a & ~(0x7ffull << 52)) | (random.bits() % 70) << 52, b = (b & ~(0x7ffull << 52)) | (random.bits() % 70)
                                                                                                  << 52;
    double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
    ASSERT_TRUE(same(cw_fmod_f64(x, y), std::fmod(x, y))) << x << " " << y;
    float p = std::bit_cast<float>((uint32_t)a), q = std::bit_cast<float>((uint32_t)b);
    ASSERT_TRUE(same(cw_fmod_f32(p, q), std::fmod(p, q))) << p << " " << q;
  }
  for (double x : awkward<double>())
    for (double y : awkward<double>()) EXPECT_TRUE(same(cw_fmod_f64(x, y), std::fmod(x, y))) << x << " " << y;
}

} // namespace
} // namespace cutaway::test
