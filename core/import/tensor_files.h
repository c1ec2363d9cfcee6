#pragma once
#include "base/result.h"
#include "ir/tensor.h"

#include <string>
#include <vector>

// Files of single values: what `--input` reads, `--output-dir` writes and the ONNX test layout holds. Tensors read here
// are in memory of their own, aligned; the file may change or go away afterwards. Faults are bad-input where the file
// cannot be read, is damaged or something else; unsupported where it holds what Cutaway has not (complex elements).
namespace cutaway {

// A serialised TensorProto (onnx.proto). External data is unsupported. `name`, where given, gets the tensor's name.
Result<Tensor> read_tensor_pb(const std::string& path, std::string* name = nullptr);

// A serialised SequenceProto of tensors (onnx-data.proto).
Result<std::vector<Tensor>> read_sequence_pb(const std::string& path, std::string* name = nullptr);

// A serialised OptionalProto: of a tensor, of a sequence of tensors, or empty.
struct OptionalValue {
  enum class Kind { none, tensor, sequence };
  Kind kind = Kind::none;
  std::vector<Tensor> tensors; // kind tensor: exactly one
};
Result<OptionalValue> read_optional_pb(const std::string& path, std::string* name = nullptr);

// NumPy's .npy (format versions 1.0 to 3.0; numpy.lib.format): bool, integers, f16, f32, f64 of either byte order, and
// text ('U', as string). Fortran order is turned into row-major.
Result<Tensor> read_npy(const std::string& path);

// Version 1.0 (2.0 where the header is long), little-endian, row-major. NumPy has no name for bf16, 8- and 4-bit
// floats: they are written as u16 or u8 with the float's bits; 4- and 2-bit integers as i8 or u8, one an element;
// strings as 'U'. Written beside and renamed, so that a reader never sees half a file.
Status write_npy(const std::string& path, const Tensor& tensor);

} // namespace cutaway
