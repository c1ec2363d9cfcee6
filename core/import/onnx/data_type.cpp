#include "import/onnx/tensor_proto.h"

#include <iterator>

namespace cutaway::onnx {

namespace {

struct DataTypeRow {
  const char* name; // as ONNX writes it
  std::optional<DType> dtype;
};
constexpr DataTypeRow data_types[] = {
    {"undefined", {}},
    {"float", DType::f32},
    {"uint8", DType::u8},
    {"int8", DType::i8},
    {"uint16", DType::u16},
    {"int16", DType::i16},
    {"int32", DType::i32},
    {"int64", DType::i64},
    {"string", DType::string},
    {"bool", DType::boolean},
    {"float16", DType::f16},
    {"double", DType::f64},
    {"uint32", DType::u32},
    {"uint64", DType::u64},
    {"complex64", {}},
    {"complex128", {}},
    {"bfloat16", DType::bf16},
    {"float8e4m3fn", DType::f8e4m3fn},
    {"float8e4m3fnuz", DType::f8e4m3fnuz},
    {"float8e5m2", DType::f8e5m2},
    {"float8e5m2fnuz", DType::f8e5m2fnuz},
    {"uint4", DType::u4},
    {"int4", DType::i4},
    {"float4e2m1", DType::f4e2m1},
    {"float8e8m0", DType::f8e8m0},
    {"uint2", DType::u2},
    {"int2", DType::i2},
    {"float6e2m3", {}},
    {"float6e3m2", {}},
};

} // namespace

std::optional<DType> dtype_of(int64_t data_type) {
  if (data_type < 0 || data_type >= static_cast<int64_t>(std::size(data_types))) return std::nullopt;
  return data_types[data_type].dtype;
}

std::string data_type_text(int64_t data_type) {
  if (data_type < 0 || data_type >= static_cast<int64_t>(std::size(data_types)))
    return "number " + std::to_string(data_type);
  return data_types[data_type].name;
}

} // namespace cutaway::onnx
