#include "import/tensor_files.h"

#include "import/onnx/context.h"
#include "import/onnx/tensor_proto.h"

namespace cutaway {

namespace {

using onnx::Context;
using onnx::Message;

// Both messages nest each other; more than this is nothing that a test holds.
constexpr int max_value_depth = 8;

[[noreturn]] void not_supported(const char* what) {
  onnx::refuse(unsupported("", std::string(what) + " cannot be read", "give tensors or sequences of tensors"));
}

Tensor usable(onnx::TensorData data) {
  if (!data.tensor.valid()) onnx::refuse(unsupported("", data.unreadable));
  return data.tensor.aligned();
}

struct Sequence {
  std::string name;
  std::vector<Tensor> tensors;
};

Sequence sequence(Message m, Context& context) {
  Sequence out;
  while (m.next()) {
    switch (m.field()) {
    case 1: out.name = m.name("the value's name"); break;
    case 3: out.tensors.push_back(usable(onnx::read_tensor(m.message(), context))); break;
    case 4: not_supported("sequences of sparse tensors");
    case 5: not_supported("sequences of sequences");
    case 6: not_supported("sequences of maps");
    case 7: not_supported("sequences of optionals");
    default: m.skip();
    }
  }
  return out;
}

struct Optional {
  std::string name;
  OptionalValue value;
};

Optional optional(Message m, Context& context, int depth) {
  using Kind = OptionalValue::Kind;
  Optional out;
  while (m.next()) {
    switch (m.field()) {
    case 1: out.name = m.name("the value's name"); break;
    case 3: out.value = {Kind::tensor, {usable(onnx::read_tensor(m.message(), context))}}; break;
    case 4: not_supported("optional sparse tensors");
    case 5: out.value = {Kind::sequence, sequence(m.message(), context).tensors}; break;
    case 6: not_supported("optional maps");
    case 7:
      if (depth == max_value_depth) onnx::refuse(over_limit("", "optionals are nested more than 8 deep"));
      out.value = optional(m.message(), context, depth + 1).value;
      break;
    default: m.skip();
    }
  }
  return out;
}

// Maps the file, runs read(message, context), and speaks of bad input where a model's reader would of a model.
template <class T, class Read> Result<T> read_pb(const std::string& path, Read read) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  Context context;
  context.file = *file;
  auto value = onnx::guarded<T>(**file, [&] { return read(Message((*file)->text()), context); });
  if (!value && value.error().fault == Fault::invalid_model) value.error().fault = Fault::bad_input;
  return value;
}

} // namespace

Result<Tensor> read_tensor_pb(const std::string& path, std::string* name) {
  return read_pb<Tensor>(path, [&](Message m, Context& context) {
    onnx::TensorData data = onnx::read_tensor(m, context);
    if (name) *name = data.name;
    return usable(std::move(data));
  });
}

Result<std::vector<Tensor>> read_sequence_pb(const std::string& path, std::string* name) {
  return read_pb<std::vector<Tensor>>(path, [&](Message m, Context& context) {
    Sequence out = sequence(m, context);
    if (name) *name = out.name;
    return std::move(out.tensors);
  });
}

Result<OptionalValue> read_optional_pb(const std::string& path, std::string* name) {
  return read_pb<OptionalValue>(path, [&](Message m, Context& context) {
    Optional out = optional(m, context, 1);
    if (name) *name = out.name;
    return std::move(out.value);
  });
}

} // namespace cutaway
