// Integers and small floating types of the embedded math library against values worked out here by other means.
#include "base/prelude/cw_math.h"
#include "base/ulp.h"

#include <gtest/gtest.h>

namespace cutaway::test {
namespace {

// A small format by its definition: value(code) for every magnitude, built from ldexp alone.
struct Format {
  const char* name;
  int mantissa, bias;
  unsigned last;                   // greatest finite magnitude
  bool has_minus_zero, inf_is_nan; // of the encoder: infinities become NaN also when saturating
  unsigned overflow, nan;          // codes without saturation, sign apart
  uint8_t (*encode32)(float, int);
  uint8_t (*encode64)(double, int);
  float (*decode)(uint8_t);

  double value(unsigned code) const {
    unsigned exponent = code >> mantissa, fraction = code & ((1u << mantissa) - 1);
    return exponent ? std::ldexp((double)((1u << mantissa) + fraction), (int)exponent - bias - mantissa)
                    : std::ldexp((double)fraction, 1 - bias - mantissa);
  }
  // Nearest code, ties to the even one; last + 1 stands for everything beyond.
  unsigned nearest(double x) const {
    for (unsigned c = 0; c <= last; ++c) {
      double middle = (value(c) + value(c + 1)) / 2;
      if (x < middle || (x == middle && c % 2 == 0)) return c;
    }
    return last + 1;
  }
  unsigned expected(double x, bool saturate) const {
    unsigned sign = std::signbit(x) ? 0x80 : 0;
    if (x != x || (std::isinf(x) && inf_is_nan)) return nan | (has_minus_zero ? sign : 0);
    unsigned code = std::isinf(x) ? last + 1 : nearest(std::fabs(x));
    if (code > last) code = saturate ? last : overflow;
    if (code == 0x80) return code;
    return code == 0 && !has_minus_zero ? 0 : code | sign;
  }
};

const Format kFormats[] = {
    {"e4m3fn", 3, 7, 0x7e, true, false, 0x7f, 0x7f, cw_f32_to_f8e4m3fn, cw_f64_to_f8e4m3fn, cw_f8e4m3fn_to_f32},
    {"e4m3fnuz", 3, 8, 0x7f, false, true, 0x80, 0x80, cw_f32_to_f8e4m3fnuz, cw_f64_to_f8e4m3fnuz, cw_f8e4m3fnuz_to_f32},
    {"e5m2", 2, 15, 0x7b, true, false, 0x7c, 0x7f, cw_f32_to_f8e5m2, cw_f64_to_f8e5m2, cw_f8e5m2_to_f32},
    {"e5m2fnuz", 2, 16, 0x7f, false, true, 0x80, 0x80, cw_f32_to_f8e5m2fnuz, cw_f64_to_f8e5m2fnuz,
     cw_f8e5m2fnuz_to_f32},
};

TEST(MathTypes, Float8) {
  Random random;
  for (const Format& f : kFormats) {
    std::vector<double> inputs = awkward<double>();
    for (unsigned c = 0; c <= f.last; ++c) {
      double middle = (f.value(c) + f.value(c + 1)) / 2;
      for (double x : {f.value(c), middle, std::nextafter(middle, 0), std::nextafter(middle, 1e9),
                       (double)std::nextafterf((float)middle, 0)})
        inputs.insert(inputs.end(), {x, -x});
      EXPECT_EQ(f.decode((uint8_t)c), f.value(c)) << f.name << " " << c;
      if (c == 0) continue;
      EXPECT_EQ(f.decode((uint8_t)(c | 0x80)), -f.value(c)) << f.name << " " << c;
    }
    for (int i = 0; i < 2000; ++i) inputs.push_back((double)std::bit_cast<float>((uint32_t)random.bits()));
    for (double x : inputs)
      for (int saturate : {0, 1}) {
        EXPECT_EQ(f.encode64(x, saturate), f.expected(x, saturate)) << f.name << " " << x << " saturate " << saturate;
        EXPECT_EQ(f.encode32((float)x, saturate), f.expected((double)(float)x, saturate)) << f.name << " " << (float)x;
      }
  }
  for (unsigned c : {0x7fu, 0xffu}) EXPECT_TRUE(std::isnan(cw_f8e4m3fn_to_f32((uint8_t)c)));
  EXPECT_TRUE(std::isnan(cw_f8e4m3fnuz_to_f32(0x80)) && std::isnan(cw_f8e5m2fnuz_to_f32(0x80)) &&
              std::isnan(cw_f8e5m2_to_f32(0x7d)));
  EXPECT_EQ(cw_f8e5m2_to_f32(0xfc), -INFINITY);
}

TEST(MathTypes, Float4AndE8m0) {
  const float values[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (unsigned c = 0; c < 8; ++c) {
    EXPECT_TRUE(same(cw_f4e2m1_to_f32((uint8_t)c), values[c]) && same(cw_f4e2m1_to_f32((uint8_t)(c | 8)), -values[c]));
    EXPECT_EQ(cw_f32_to_f4e2m1(-values[c]), c | 8);
    float above = values[c < 7 ? c + 1 : c];
    EXPECT_EQ(cw_f32_to_f4e2m1((values[c] + above) / 2), c < 7 ? c + c % 2 : c);
  }
  EXPECT_EQ(cw_f32_to_f4e2m1(NAN) & 7, 7);
  EXPECT_EQ(cw_f32_to_f4e2m1(-INFINITY), 15);
  for (unsigned c = 0; c < 255; ++c) {
    float v = cw_f8e8m0_to_f32((uint8_t)c);
    EXPECT_EQ(v, std::ldexp(1.0f, (int)c - 127));
    for (int mode : {0, 1, 2}) {
      EXPECT_EQ(cw_f32_to_f8e8m0(v, 1, mode), c);
      if (c == 254) continue;
      EXPECT_EQ(cw_f64_to_f8e8m0(1.25 * v, 1, mode), mode == 0 ? c + 1 : c);
      EXPECT_EQ(cw_f64_to_f8e8m0(1.5 * v, 1, mode), mode == 1 ? c : c + 1);
    }
  }
  EXPECT_TRUE(std::isnan(cw_f8e8m0_to_f32(255)));
  EXPECT_EQ(cw_f32_to_f8e8m0(INFINITY, 1, 0), 254);
  EXPECT_EQ(cw_f32_to_f8e8m0(INFINITY, 0, 0), 255);
  EXPECT_EQ(cw_f32_to_f8e8m0(NAN, 1, 0), 255);
  EXPECT_EQ(cw_f32_to_f8e8m0(0, 1, 0), 0);
}

// The value of a 16-bit pattern by its definition.
double half_value(unsigned h, int mantissa, int bias) {
  unsigned fraction = h & ((1u << mantissa) - 1), exponent = (h & 0x7fff) >> mantissa;
  double v = exponent ? std::ldexp((double)((1u << mantissa) + fraction), (int)exponent - bias - mantissa)
                      : std::ldexp((double)fraction, 1 - bias - mantissa);
  if (exponent == 0x7fffu >> mantissa) v = fraction ? NAN : INFINITY;
  return h & 0x8000 ? -v : v;
}

// Each value comes back from its own encoding, and each midpoint of neighbours, nudged or not, goes to the right side.
void check_half(int mantissa, int bias, float (*decode)(uint16_t), uint16_t (*encode)(float),
                uint16_t (*encode64)(double)) {
  unsigned inf = 0x7fffu >> mantissa << mantissa;
  for (unsigned h = 0; h < 0x10000; ++h) {
    double v = half_value(h, mantissa, bias);
    ASSERT_TRUE(same((double)decode((uint16_t)h), v)) << h;
    unsigned quiet = v != v ? h | 1u << (mantissa - 1) : h;
    ASSERT_EQ(encode(decode((uint16_t)h)), quiet);
    ASSERT_EQ(encode64((double)decode((uint16_t)h)), quiet);
    if ((h & 0x7fff) >= inf) continue;
    unsigned up = h + 1, even = h & 1 ? up : h;
    double next = (up & 0x7fff) == inf ? std::copysign(std::ldexp(1.0, (int)(inf >> mantissa) - bias), v)
                                       : half_value(up, mantissa, bias);
    double middle = (v + next) / 2;
    ASSERT_EQ(encode64(middle), even) << h;
    ASSERT_EQ(encode64(std::nextafter(middle, 0)), h);
    ASSERT_EQ(encode64(std::nextafter(middle, 2 * next)), up);
    if ((double)(float)middle != middle) continue; // below the least float
    ASSERT_EQ(encode((float)middle), even);
    ASSERT_EQ(encode(std::nextafterf((float)middle, 0)), h);
    ASSERT_EQ(encode(std::nextafterf((float)middle, std::copysign(INFINITY, (float)next))), up);
  }
}

TEST(MathTypes, HalfTypesExhaustively) {
  check_half(10, 15, cw_f16_to_f32, cw_f32_to_f16, cw_f64_to_f16);
  check_half(7, 127, cw_bf16_to_f32, cw_f32_to_bf16, cw_f64_to_bf16);
  EXPECT_EQ(cw_f32_to_f16(1e9f), 0x7c00);
  EXPECT_EQ(cw_f64_to_f16(-1e300), 0xfc00);
  EXPECT_EQ(cw_f64_to_bf16(1e300), 0x7f80);
  EXPECT_EQ(cw_round_f16(2049.0f), 2048.0f);
  EXPECT_EQ(cw_round_bf16(257.0f), 256.0f);
  uint16_t cells[3] = {};
  cw_store_f16(cells, 1, 0.1f), cw_store_bf16(cells, 2, 0.1f);
  EXPECT_EQ(cw_load_f16(cells, 1), cw_round_f16(0.1f));
  EXPECT_EQ(cw_load_bf16(cells, 2), cw_round_bf16(0.1f));
}

// Exact arithmetic in 128 bits, then cut to T.
template <typename T> struct IntegerCase {
  T (*add)(T, T), (*sub)(T, T), (*mul)(T, T), (*div)(T, T), (*fmod)(T, T), (*mod)(T, T), (*shl)(T, T), (*shr)(T, T),
      (*pow)(T, T);
  T (*neg)(T), (*abs)(T), (*sign)(T);

  void check(T a, T b) const {
    using Wide = __int128;
    Wide x = a, y = b, quotient = y ? x / y : 0, rest = y ? x % y : 0,
         floor_rest = rest && (rest < 0) != (y < 0) ? rest + y : rest;
    ASSERT_EQ(add(a, b), (T)(x + y));
    ASSERT_EQ(sub(a, b), (T)(x - y));
    ASSERT_EQ(mul(a, b), (T)((unsigned __int128)x * (unsigned __int128)y));
    ASSERT_EQ(div(a, b), (T)quotient) << +a << "/" << +b;
    ASSERT_EQ(fmod(a, b), (T)rest);
    ASSERT_EQ(mod(a, b), (T)floor_rest);
    bool out = y < 0 || y >= (int)sizeof(T) * 8;
    ASSERT_EQ(shl(a, b), out ? T(0) : (T)((unsigned __int128)x << (int)y));
    ASSERT_EQ(shr(a, b), out ? (T)(x < 0 ? -1 : 0) : (T)(x >> (int)y));
    ASSERT_EQ(neg(a), (T)-x);
    ASSERT_EQ(abs(a), (T)(x < 0 ? -x : x));
    ASSERT_EQ(sign(a), (T)(x < 0 ? -1 : x > 0));
    Wide power = y < 0 ? (x == 1 || (x == -1 && y % 2 == 0) ? 1 : x == -1 ? -1 : 0) : 1;
    uint64_t low = (uint64_t)power; // any more bits do not reach T
    for (Wide i = 0; i < y && i < 300; ++i) low *= (uint64_t)x;
    if (y >= 300) return;
    ASSERT_EQ(pow(a, b), (T)low) << +a << "^" << +b;
  }
  void check_all() const {
    if (sizeof(T) == 1) {
      for (int a = 0; a < 256; ++a)
        for (int b = 0; b < 256; ++b) check((T)a, (T)b);
      return;
    }
    using L = std::numeric_limits<T>;
    std::vector<T> values = {0,
                             1,
                             2,
                             3,
                             7,
                             15,
                             16,
                             31,
                             32,
                             63,
                             64,
                             100,
                             L::max(),
                             L::min(),
                             (T)(L::max() - 1),
                             (T)(L::min() + 1),
                             (T)-1,
                             (T)-2,
                             (T)-3,
                             (T)(L::max() / 2 + 1)};
    Random random;
    for (int i = 0; i < 60; ++i) values.push_back((T)(random.bits() >> (i % 60)));
    for (T a : values)
      for (T b : values) check(a, b);
  }
};

TEST(MathTypes, IntegersAreTotal) {
  IntegerCase<int8_t>{cw_add_i8, cw_sub_i8, cw_mul_i8, cw_div_i8, cw_fmod_i8, cw_mod_i8,
                      cw_shl_i8, cw_shr_i8, cw_pow_i8, cw_neg_i8, cw_abs_i8,  cw_sign_i8}
      .check_all();
  IntegerCase<int16_t>{cw_add_i16, cw_sub_i16, cw_mul_i16, cw_div_i16, cw_fmod_i16, cw_mod_i16,
                       cw_shl_i16, cw_shr_i16, cw_pow_i16, cw_neg_i16, cw_abs_i16,  cw_sign_i16}
      .check_all();
  IntegerCase<int32_t>{cw_add_i32, cw_sub_i32, cw_mul_i32, cw_div_i32, cw_fmod_i32, cw_mod_i32,
                       cw_shl_i32, cw_shr_i32, cw_pow_i32, cw_neg_i32, cw_abs_i32,  cw_sign_i32}
      .check_all();
  IntegerCase<int64_t>{cw_add_i64, cw_sub_i64, cw_mul_i64, cw_div_i64, cw_fmod_i64, cw_mod_i64,
                       cw_shl_i64, cw_shr_i64, cw_pow_i64, cw_neg_i64, cw_abs_i64,  cw_sign_i64}
      .check_all();
  IntegerCase<uint8_t>{cw_add_u8, cw_sub_u8, cw_mul_u8, cw_div_u8, cw_fmod_u8, cw_mod_u8,
                       cw_shl_u8, cw_shr_u8, cw_pow_u8, cw_neg_u8, cw_abs_u8,  cw_sign_u8}
      .check_all();
  IntegerCase<uint16_t>{cw_add_u16, cw_sub_u16, cw_mul_u16, cw_div_u16, cw_fmod_u16, cw_mod_u16,
                        cw_shl_u16, cw_shr_u16, cw_pow_u16, cw_neg_u16, cw_abs_u16,  cw_sign_u16}
      .check_all();
  IntegerCase<uint32_t>{cw_add_u32, cw_sub_u32, cw_mul_u32, cw_div_u32, cw_fmod_u32, cw_mod_u32,
                        cw_shl_u32, cw_shr_u32, cw_pow_u32, cw_neg_u32, cw_abs_u32,  cw_sign_u32}
      .check_all();
  IntegerCase<uint64_t>{cw_add_u64, cw_sub_u64, cw_mul_u64, cw_div_u64, cw_fmod_u64, cw_mod_u64,
                        cw_shl_u64, cw_shr_u64, cw_pow_u64, cw_neg_u64, cw_abs_u64,  cw_sign_u64}
      .check_all();
}

template <typename T> void check_cast(T (*from32)(float), T (*from64)(double)) {
  using L = std::numeric_limits<T>;
  auto expected = [](long double x) -> T {
    if (x != x) return 0;
    x = std::trunc(x);
    return x <= (long double)L::min() ? L::min() : x >= (long double)L::max() ? L::max() : (T)x;
  };
  Random random;
  for (float x : awkward<float>()) EXPECT_EQ(from32(x), expected(x)) << x;
  for (double x : awkward<double>()) EXPECT_EQ(from64(x), expected(x)) << x;
  for (int i = 0; i < 20000; ++i) {
    float x = std::bit_cast<float>((uint32_t)random.bits());
    double y = std::ldexp(random.uniform(-1, 1), i % 70);
    ASSERT_EQ(from32(x), expected(x)) << x;
    ASSERT_EQ(from64(y), expected(y)) << y;
  }
}

TEST(MathTypes, CastsToIntegersSaturate) {
  check_cast(cw_f32_to_i8, cw_f64_to_i8);
  check_cast(cw_f32_to_i16, cw_f64_to_i16);
  check_cast(cw_f32_to_i32, cw_f64_to_i32);
  check_cast(cw_f32_to_i64, cw_f64_to_i64);
  check_cast(cw_f32_to_u8, cw_f64_to_u8);
  check_cast(cw_f32_to_u16, cw_f64_to_u16);
  check_cast(cw_f32_to_u32, cw_f64_to_u32);
  check_cast(cw_f32_to_u64, cw_f64_to_u64);
}

} // namespace
} // namespace cutaway::test
