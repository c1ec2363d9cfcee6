#pragma once
#include "import/onnx/context.h"

namespace cutaway::onnx {

// The element type of TensorProto.DataType; nothing for undefined (0), complex and numbers we do not know.
std::optional<DType> dtype_of(int64_t data_type);
// "complex64", "number 99": for diagnostics.
std::string data_type_text(int64_t data_type);

// Decodes the field `dims` of a tensor: at most max_rank, none negative.
std::vector<int64_t> read_dims(const std::vector<std::string_view>& chunks);

// Reads a TensorProto. Dims, counts and data are checked against each other before memory is taken. The fault is
// invalid-model where they disagree, where dims are negative or overflow, or the type is undefined; element types that
// cannot be held give TensorData::unreadable instead. Data in raw_data, external files and packed float_data or
// double_data is viewed, all else decoded; booleans are 0 or 1 afterwards.
// `kind` is what diagnostics call it.
TensorData read_tensor(Message message, Context& context, const char* kind = "tensor");

// Reads a SparseTensorProto; indices are checked to lie within dims. dims may be far larger than the file: look at
// their product before making it dense.
SparseTensorData read_sparse_tensor(Message message, Context& context);

} // namespace cutaway::onnx
