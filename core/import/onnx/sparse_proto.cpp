#include "import/onnx/tensor_proto.h"

namespace cutaway::onnx {

namespace {

void check_sparse(const SparseTensorData& sparse) {
  const auto count = count_of(sparse.dims);
  if (!count) refuse(invalid_model("", "the product of the sparse tensor's dims overflows or is negative"));
  if (!sparse.values.tensor.valid() || !sparse.indices.tensor.valid()) return;
  const Tensor &values = sparse.values.tensor, &indices = sparse.indices.tensor;
  const auto rank = static_cast<int64_t>(sparse.dims.size());
  const bool linear = indices.rank() == 1;
  if (values.rank() != 1 || indices.dtype() != DType::i64 ||
      !(linear ? indices.count() == values.count()
               : indices.rank() == 2 && indices.dims()[0] == values.count() && indices.dims()[1] == rank)) {
    refuse(invalid_model("", "the sparse tensor's values and indices do not fit each other",
                         "values are [n], indices i64 [n] or [n, rank]"));
  }
  for (int64_t i = 0; i < indices.count(); ++i) {
    const auto v = indices.get<int64_t>(i);
    const int64_t bound = linear ? *count : sparse.dims[static_cast<size_t>(i % rank)];
    if (v < 0 || v >= bound)
      refuse(invalid_model("", "the sparse tensor's index " + std::to_string(v) + " lies outside of its dims"));
  }
}

} // namespace

SparseTensorData read_sparse_tensor(Message message, Context& context) {
  SparseTensorData out;
  std::vector<std::string_view> dim_chunks;
  bool has_values = false, has_indices = false;
  while (message.next()) {
    switch (message.field()) {
    case 1: out.values = read_tensor(message.message(), context), has_values = true; break;
    case 2: out.indices = read_tensor(message.message(), context), has_indices = true; break;
    case 3: message.varints(dim_chunks); break;
    default: message.skip();
    }
  }
  const auto label = [&] { return "sparse tensor " + quote(out.values.name); };
  return within(label, [&] {
    if (!has_values || !has_indices) refuse(invalid_model("", "the sparse tensor has no values or no indices"));
    out.dims = read_dims(dim_chunks);
    check_sparse(out);
    context.charge_structs(sizeof(SparseTensorData));
    return std::move(out);
  });
}

} // namespace cutaway::onnx
