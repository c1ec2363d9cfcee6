#include "ir/types.h"

namespace cutaway {
namespace {
struct Row {
  const char* name;
  int64_t size;
};
constexpr Row rows[] = {
    {"f64", 8}, {"f32", 4}, {"f16", 2}, {"bf16", 2}, {"f8e4m3fn", 1}, {"f8e4m3fnuz", 1}, {"f8e5m2", 1}, {"f8e5m2fnuz", 1},
    {"f8e8m0", 1}, {"f4e2m1", 1}, {"i64", 8}, {"i32", 4}, {"i16", 2}, {"i8", 1}, {"i4", 1}, {"i2", 1},
    {"u64", 8}, {"u32", 4}, {"u16", 2}, {"u8", 1}, {"u4", 1}, {"u2", 1}, {"bool", 1}, {"string", 0},
};
} // namespace

const char* dtype_name(DType dtype) { return rows[static_cast<int>(dtype)].name; }

bool parse_dtype(const std::string& name, DType& out) {
  for (size_t i = 0; i < std::size(rows); ++i)
    if (name == rows[i].name) return out = static_cast<DType>(i), true;
  return false;
}

int64_t dtype_size(DType dtype) { return rows[static_cast<int>(dtype)].size; }
bool is_float(DType dtype) { return dtype <= DType::f4e2m1; }
bool is_integer(DType dtype) { return dtype >= DType::i64 && dtype <= DType::u2; }
bool is_signed_integer(DType dtype) { return dtype >= DType::i64 && dtype <= DType::i2; }

bool is_computable(DType dtype) {
  if (dtype == DType::string) return false;
  if (is_float(dtype)) return dtype <= DType::bf16;
  return dtype != DType::i4 && dtype != DType::i2 && dtype != DType::u4 && dtype != DType::u2;
}

int integer_bits(DType dtype) {
  switch (dtype) {
  case DType::i64: case DType::u64: return 64;
  case DType::i32: case DType::u32: return 32;
  case DType::i16: case DType::u16: return 16;
  case DType::i4: case DType::u4: return 4;
  case DType::i2: case DType::u2: return 2;
  default: return 8;
  }
}

int64_t Type::bytes() const { return element_count(shape).value() * dtype_size(dtype); }

} // namespace cutaway
