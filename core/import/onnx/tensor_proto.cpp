#include "import/onnx/tensor_proto.h"

#include "import/onnx/external_data.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cutaway::onnx {

static_assert(std::endian::native == std::endian::little, "raw_data is viewed as it lies in the file");

namespace {

enum class Store { none, raw, floats, int32s, int64s, doubles, uint64s, strings, external };
const char* store_name(Store store) {
  constexpr const char* names[] = {"nothing",     "raw_data",    "float_data",  "int32_data",   "int64_data",
                                   "double_data", "uint64_data", "string_data", "external data"};
  return names[static_cast<int>(store)];
}

// Bits of an element in the file.
int file_bits(DType dtype) {
  switch (dtype) {
  case DType::i4:
  case DType::u4:
  case DType::f4e2m1: return 4;
  case DType::i2:
  case DType::u2: return 2;
  default: return static_cast<int>(dtype_size(dtype)) * 8;
  }
}

// The typed field that onnx.proto names for the type.
Store typed_store(DType dtype) {
  switch (dtype) {
  case DType::f32: return Store::floats;
  case DType::f64: return Store::doubles;
  case DType::i64: return Store::int64s;
  case DType::u64:
  case DType::u32: return Store::uint64s;
  case DType::string: return Store::strings;
  default: return Store::int32s;
  }
}

struct Fields {
  TensorData out;
  std::vector<std::string_view> dim_chunks, floats, int32s, int64s, doubles, uint64s, strings;
  std::string_view raw;
  bool is_external = false, segmented = false;
  int64_t data_type = 0;
  ExternalData external;
};

void read_fields(Message& m, Fields& f) {
  while (m.next()) {
    switch (m.field()) {
    case 1: m.varints(f.dim_chunks); break;
    case 2: f.data_type = m.integer(); break;
    case 3: m.skip(), f.segmented = true; break;
    case 4: m.fixed(f.floats, 4); break;
    case 5: m.varints(f.int32s); break;
    case 6: f.strings.push_back(m.bytes()); break;
    case 7: m.varints(f.int64s); break;
    case 8: f.out.name = m.name("a tensor's name"); break;
    case 9: f.raw = m.bytes(); break;
    case 10: m.fixed(f.doubles, 8); break;
    case 11: m.varints(f.uint64s); break;
    case 13: read_external_entry(m.message(), f.external); break;
    case 14: f.is_external = m.integer() == 1; break;
    default: m.skip();
    }
  }
}

// The one field that holds data; two are a fault. Empty fields count for nothing: a tensor of no elements may have any.
Store store_of(const Fields& f) {
  Store store = f.is_external ? Store::external : Store::none;
  const auto have = [&](Store s) {
    if (store != Store::none) {
      refuse(invalid_model("", std::string("the tensor has both ") + store_name(store) + " and " + store_name(s),
                           "keep one of the two"));
    }
    store = s;
  };
  if (!f.raw.empty()) have(Store::raw);
  if (total_bytes(f.floats)) have(Store::floats);
  if (total_bytes(f.int32s)) have(Store::int32s);
  if (total_bytes(f.int64s)) have(Store::int64s);
  if (total_bytes(f.doubles)) have(Store::doubles);
  if (total_bytes(f.uint64s)) have(Store::uint64s);
  if (!f.strings.empty()) have(Store::strings);
  return store;
}

[[noreturn]] void wrong_size(DType dtype, const std::vector<int64_t>& dims, Store store, uint64_t has, uint64_t needs,
                             const char* unit) {
  std::string shape = dtype_name(dtype) + std::string("[");
  for (size_t i = 0; i < dims.size(); ++i) shape += (i ? ", " : "") + std::to_string(dims[i]);
  const std::string found =
      store == Store::none ? "the file has none" : store_name(store) + (" has " + std::to_string(has));
  refuse(invalid_model("", shape + "] needs " + std::to_string(needs) + " " + unit + ", " + found,
                       "the file is damaged or was written wrongly: export the model again"));
}

// Fresh memory; refused where there is none to be had.
Tensor fresh(DType dtype, const std::vector<int64_t>& dims, int64_t count, Context& context) {
  const int64_t bytes = count * dtype_size(dtype);
  context.charge_decoded(static_cast<size_t>(bytes));
  auto memory = allocate_aligned(bytes);
  if (!memory) throw std::bad_alloc();
  const std::byte* data = memory.get();
  return Tensor(dtype, dims, data, std::move(memory));
}

// One byte an element from two or four, the first in the lowest bits; signed types keep their sign.
std::byte unpack(const std::byte* packed, int64_t i, int bits, bool is_signed) {
  const int64_t per_byte = 8 / bits;
  const unsigned byte = static_cast<unsigned>(packed[i / per_byte]);
  const unsigned value =
      (byte >> (static_cast<unsigned>(i % per_byte) * static_cast<unsigned>(bits))) & ((1u << bits) - 1);
  const bool negative = is_signed && (value >> (bits - 1));
  return static_cast<std::byte>(negative ? value | (0xFFu << bits) : value);
}

// From the bytes of raw_data or an external file, whose number is already checked.
Tensor from_raw(DType dtype, const std::vector<int64_t>& dims, int64_t count, const std::byte* data,
                std::shared_ptr<const void> owner, Context& context) {
  const int bits = file_bits(dtype);
  if (bits < 8) {
    Tensor t = fresh(dtype, dims, count, context);
    std::byte* out = t.mutable_data();
    for (int64_t i = 0; i < count; ++i) out[i] = unpack(data, i, bits, is_signed_integer(dtype));
    return t;
  }
  const bool odd_bool =
      dtype == DType::boolean && std::any_of(data, data + count, [](std::byte b) { return b > std::byte{1}; });
  if (!odd_bool) return Tensor(dtype, dims, data, std::move(owner));
  Tensor t = fresh(dtype, dims, count, context);
  std::transform(data, data + count, t.mutable_data(), [](std::byte b) { return std::byte{b != std::byte{0}}; });
  return t;
}

// From float_data or double_data: a view where it is one packed field.
Tensor from_fixed(DType dtype, const std::vector<int64_t>& dims, int64_t count,
                  const std::vector<std::string_view>& chunks, Context& context) {
  if (chunks.size() == 1)
    return Tensor(dtype, dims, reinterpret_cast<const std::byte*>(chunks[0].data()), context.file);
  Tensor t = fresh(dtype, dims, count, context);
  std::byte* out = t.mutable_data();
  for (std::string_view chunk : chunks) {
    if (chunk.empty()) continue;
    std::memcpy(out, chunk.data(), chunk.size());
    out += chunk.size();
  }
  return t;
}

// From int32_data, int64_data or uint64_data. Narrow types take the low bits of each number (for f16 and the like these
// are the float's bits); 4- and 2-bit types are packed as in raw_data, one byte a number.
Tensor from_varints(DType dtype, const std::vector<int64_t>& dims, int64_t count,
                    const std::vector<std::string_view>& chunks, Context& context) {
  Tensor t = fresh(dtype, dims, count, context);
  std::byte* out = t.mutable_data();
  const int bits = file_bits(dtype);
  const auto size = static_cast<size_t>(dtype_size(dtype));
  int64_t done = 0;
  decode_varints(chunks, [&](uint64_t v) {
    if (bits < 8) {
      const auto packed = static_cast<std::byte>(v & 0xFF);
      for (int64_t k = 0; k < 8 / bits && done < count; ++k)
        out[done++] = unpack(&packed, k, bits, is_signed_integer(dtype));
      return;
    }
    if (dtype == DType::boolean) v = v != 0;
    std::memcpy(out + static_cast<size_t>(done++) * size, &v, size);
  });
  return t;
}

Tensor from_strings(const std::vector<int64_t>& dims, const std::vector<std::string_view>& strings, Context& context) {
  context.charge_structs(strings.size() * sizeof(std::string) + total_bytes(strings));
  return Tensor::of_strings(dims, std::vector<std::string>(strings.begin(), strings.end()));
}

Tensor from_fields(DType dtype, std::vector<int64_t> dims, int64_t count, const Fields& f, Context& context) {
  const Store store = store_of(f);
  if (count == 0 && store == Store::none)
    return dtype == DType::string ? Tensor::of_strings(dims, {}) : fresh(dtype, dims, 0, context);
  const Store typed = typed_store(dtype);
  const auto need = static_cast<uint64_t>(count);
  const auto expect = [&](uint64_t has, uint64_t needs, const char* unit) {
    if (has != needs) wrong_size(dtype, dims, store, has, needs, unit);
  };
  const bool raw = store == Store::raw || (store == Store::external && dtype != DType::string);
  if (raw ? dtype == DType::string : store != typed && store != Store::none) {
    refuse(invalid_model("", std::string(dtype_name(dtype)) + " elements lie in " + store_name(store) +
                                 " where ONNX puts them into " + store_name(typed) +
                                 (dtype == DType::string ? "" : " or raw_data")));
  }
  // No file holds more; below this the sizes do not overflow.
  const auto bits = static_cast<uint64_t>(std::max(file_bits(dtype), 1));
  if (need > (uint64_t{1} << 60) / std::max<uint64_t>(bits / 8, 1)) wrong_size(dtype, dims, store, 0, need, "elements");
  const uint64_t bytes = (need * bits + 7) / 8;
  switch (store) {
  case Store::raw:
    expect(f.raw.size(), bytes, "bytes");
    return from_raw(dtype, dims, count, reinterpret_cast<const std::byte*>(f.raw.data()), context.file, context);
  case Store::external: {
    const ExternalView view = map_external(f.external, static_cast<int64_t>(bytes), context);
    return count ? from_raw(dtype, dims, count, view.data, view.file, context) : fresh(dtype, dims, 0, context);
  }
  case Store::floats:
    expect(total_bytes(f.floats) / 4, need, "elements");
    return from_fixed(dtype, dims, count, f.floats, context);
  case Store::doubles:
    expect(total_bytes(f.doubles) / 8, need, "elements");
    return from_fixed(dtype, dims, count, f.doubles, context);
  case Store::strings: expect(f.strings.size(), need, "elements"); return from_strings(dims, f.strings, context);
  case Store::none: wrong_size(dtype, dims, store, 0, bits < 8 ? bytes : need, bits < 8 ? "bytes" : "elements");
  default: break;
  }
  const auto& chunks = store == Store::int32s ? f.int32s : store == Store::int64s ? f.int64s : f.uint64s;
  expect(count_varints(chunks), bits < 8 ? bytes : need, bits < 8 ? "packed numbers" : "elements");
  return from_varints(dtype, dims, count, chunks, context);
}

} // namespace

std::vector<int64_t> read_dims(const std::vector<std::string_view>& chunks) {
  if (count_varints(chunks) > max_rank)
    refuse(over_limit("", "the tensor has more than " + std::to_string(max_rank) + " dims"));
  std::vector<int64_t> dims;
  decode_varints(chunks, [&](uint64_t v) { dims.push_back(static_cast<int64_t>(v)); });
  for (int64_t d : dims)
    if (d < 0)
      refuse(invalid_model("", "the tensor has the negative dim " + std::to_string(d), "export the model again"));
  return dims;
}

TensorData read_tensor(Message message, Context& context, const char* kind) {
  Fields f;
  const auto label = [&] {
    return f.out.name.empty() ? "a nameless " + std::string(kind) : kind + (" " + quote(f.out.name));
  };
  return within(label, [&] {
    read_fields(message, f);
    std::vector<int64_t> dims = read_dims(f.dim_chunks);
    const auto count = count_of(dims);
    if (!count)
      refuse(invalid_model("", "the product of the tensor's dims overflows 63 bits", "export the model again"));
    if (f.data_type == 0) refuse(invalid_model("", "the tensor has no element type", "export the model again"));
    const auto dtype = dtype_of(f.data_type);
    if (!dtype)
      f.out.unreadable = "elements of type " + data_type_text(f.data_type) + " are not supported";
    else if (f.segmented)
      f.out.unreadable = "tensors stored in segments are not supported";
    else
      f.out.tensor = from_fields(*dtype, std::move(dims), *count, f, context);
    context.charge_structs(sizeof(TensorData) + f.out.name.size());
    return std::move(f.out);
  });
}

} // namespace cutaway::onnx
