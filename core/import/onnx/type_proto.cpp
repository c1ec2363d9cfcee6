#include "import/onnx/type_proto.h"

#include "import/onnx/tensor_proto.h"

namespace cutaway::onnx {

namespace {

DimSpec read_dim(Message m, Context& context) {
  DimSpec dim;
  while (m.next()) {
    switch (m.field()) {
    case 1: dim = {DimSpec::Kind::value, m.integer(), {}}; break;
    case 2:
      dim = {DimSpec::Kind::param, 0, m.name("a dim's name")};
      if (dim.param.empty()) dim.kind = DimSpec::Kind::unknown;
      break;
    default: m.skip();
    }
  }
  if (dim.kind == DimSpec::Kind::value && dim.value < 0) {
    if (dim.value != -1)
      refuse(invalid_model("", "the declared shape has the negative dim " + std::to_string(dim.value),
                           "export the model again"));
    context.warn("a declared shape has the dim -1; it is read as not known");
    dim = {};
  }
  return dim;
}

std::vector<DimSpec> read_shape(Message m, Context& context) {
  std::vector<DimSpec> shape;
  while (m.next()) {
    if (m.field() != 1) {
      m.skip();
      continue;
    }
    if (shape.size() == max_rank)
      refuse(over_limit("", "the declared shape has more than " + std::to_string(max_rank) + " dims"));
    shape.push_back(read_dim(m.message(), context));
    context.charge_structs(sizeof(DimSpec) + shape.back().param.size());
  }
  return shape;
}

// Tensor and SparseTensor: element type and shape.
ValueType read_tensor_type(Message m, ValueType::Kind kind, Context& context) {
  ValueType type;
  type.kind = kind;
  while (m.next()) {
    switch (m.field()) {
    case 1: type.dtype = dtype_of(m.integer()); break;
    case 2: type.shape = read_shape(m.message(), context); break;
    default: m.skip();
    }
  }
  return type;
}

// Sequence, Optional and Map: the type inside is field `inner`; a map's key is field 1.
ValueType read_container(Message m, ValueType::Kind kind, uint32_t inner, Context& context) {
  ValueType type;
  type.kind = kind;
  while (m.next()) {
    if (m.field() == inner)
      type.element = std::make_shared<const ValueType>(read_type(m.message(), context));
    else if (m.field() == 1)
      type.dtype = dtype_of(m.integer());
    else
      m.skip();
  }
  return type;
}

} // namespace

ValueType read_type(Message message, Context& context) {
  const Level level(context.type_depth);
  if (context.type_depth > max_type_depth)
    refuse(over_limit("", "a type is nested more than " + std::to_string(max_type_depth) + " deep"));
  context.charge_structs(sizeof(ValueType));
  using Kind = ValueType::Kind;
  ValueType type;
  while (message.next()) {
    switch (message.field()) {
    case 1: type = read_tensor_type(message.message(), Kind::tensor, context); break;
    case 4: type = read_container(message.message(), Kind::sequence, 1, context); break;
    case 5: type = read_container(message.message(), Kind::map, 2, context); break;
    case 7: message.skip(), type.kind = Kind::opaque; break;
    case 8: type = read_tensor_type(message.message(), Kind::sparse_tensor, context); break;
    case 9: type = read_container(message.message(), Kind::optional, 1, context); break;
    default: message.skip();
    }
  }
  return type;
}

} // namespace cutaway::onnx
