#pragma once
#include "ir/dim.h"

#include <cstdint>
#include <string>

namespace cutaway {

// Element types. 4- and 2-bit types take one byte an element in memory (packed only in files).
enum class DType : uint8_t {
  f64, f32, f16, bf16, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f8e8m0, f4e2m1,
  i64, i32, i16, i8, i4, i2,
  u64, u32, u16, u8, u4, u2,
  boolean, string,
};

// "f32", "i64", "bool", ...
const char* dtype_name(DType dtype);
bool parse_dtype(const std::string& name, DType& out);
// Bytes an element takes in memory; 0 for strings (they live on the eager path only).
int64_t dtype_size(DType dtype);
bool is_float(DType dtype);   // f64 .. f4e2m1
bool is_integer(DType dtype); // i64 .. u2, not bool
bool is_signed_integer(DType dtype);
// The types that kernels compute in natively or through float: everything but f8, f4, 4/2-bit integers and strings.
bool is_computable(DType dtype);
// Bits of an integer type (64, 32, 16, 8, 4, 2).
int integer_bits(DType dtype);

// Logical type of a value: what it means, never how it is laid out.
struct Type {
  DType dtype = DType::f32;
  Shape shape;

  size_t rank() const { return shape.size(); }
  // Bytes in memory; only where the shape is static.
  int64_t bytes() const;
  // "f32[1, 64, 56, 56]"
  std::string str() const { return dtype_name(dtype) + shape_str(shape); }
  friend bool operator==(const Type&, const Type&) = default;
};

} // namespace cutaway
