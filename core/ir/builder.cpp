#include "ir/builder.h"

namespace cutaway {

OriginId Builder::origin(Origin origin) {
  const OriginId id = editor_.new_origin_id();
  editor_.apply(AddOrigin{id, std::move(origin)});
  return id;
}

ValueId Builder::param(const std::string& name, const Type& type) {
  const auto index = static_cast<int64_t>(g_.params().size());
  const ValueId v = append(Op::param, {}, {{"index", index}, {"shape", type.shape}, {"to", type.dtype}}, {type})[0];
  this->name(v, name);
  return v;
}

ValueId Builder::constant(Tensor data, const std::string& name) {
  const Type type = data.type();
  const ValueId v = append(Op::constant, {}, {{"data", std::move(data)}}, {type})[0];
  if (!name.empty()) this->name(v, name);
  return v;
}

Result<ValueId> Builder::make(Op op, std::vector<ValueId> inputs, Attrs attrs) {
  auto made = make_many(op, std::move(inputs), std::move(attrs));
  if (!made) return made.error();
  return (*made)[0];
}

Result<std::vector<ValueId>> Builder::make_many(Op op, std::vector<ValueId> inputs, Attrs attrs) {
  std::vector<Type> types;
  for (ValueId v : inputs) types.push_back(g_.type(v));
  auto inferred = infer(op, types, attrs);
  if (!inferred) return inferred.error();
  return append(op, std::move(inputs), std::move(attrs), *inferred);
}

std::vector<ValueId> Builder::fallback(std::vector<ValueId> inputs, const std::vector<Type>& outputs, Attrs attrs) {
  return append(Op::call_fallback, std::move(inputs), std::move(attrs), outputs);
}

void Builder::name(ValueId value, const std::string& name) { editor_.apply(SetName{value, g_.value(value).name, name}); }

std::vector<ValueId> Builder::append(Op op, std::vector<ValueId> inputs, Attrs attrs, const std::vector<Type>& types) {
  InsertNode e;
  e.node = {editor_.new_node_id(), op, std::move(inputs), {}, std::move(attrs), origin_, {}, {}};
  uint32_t next = editor_.new_value_id().v;
  for (uint32_t i = 0; i < types.size(); ++i) {
    e.node.outputs.push_back(ValueId(next));
    e.outputs.push_back({ValueId(next++), types[i], e.node.id, i, {}, {}});
  }
  const auto out = e.node.outputs;
  editor_.apply(std::move(e));
  return out;
}

} // namespace cutaway
