#include "import/onnx/graph_proto.h"
#include "import/onnx/tensor_proto.h"
#include "import/onnx/type_proto.h"

#include <bit>
#include <cstring>

namespace cutaway::onnx {

namespace {

using Kind = Attribute::Kind;

// AttributeProto.AttributeType, by number.
constexpr Kind kinds[] = {Kind::undefined,      Kind::f,       Kind::i,      Kind::s,
                          Kind::tensor,         Kind::graph,   Kind::floats, Kind::ints,
                          Kind::strings,        Kind::tensors, Kind::graphs, Kind::sparse_tensor,
                          Kind::sparse_tensors, Kind::type,    Kind::types};

// An attribute in the making: which kinds of value the message has.
struct Draft {
  Attribute out;
  int64_t type = 0;
  uint32_t seen = 0; // bit per Kind
  std::vector<std::string_view> floats, ints;
};

std::shared_ptr<const Graph> shared_graph(Message m, Context& context, std::vector<FreeName>& free) {
  return std::make_shared<const Graph>(read_graph(m, context, free));
}

// Where a singular field comes twice the last one counts, as protobuf has it.
template <class T> void only(std::vector<T>& list, T value) {
  list.clear();
  list.push_back(std::move(value));
}

void read_value(Message& m, Context& context, Draft& d, std::vector<FreeName>& free) {
  Attribute& a = d.out;
  const auto saw = [&](Kind kind) { d.seen |= 1u << static_cast<int>(kind); };
  switch (m.field()) {
  case 2: a.f = m.real(), saw(Kind::f); break;
  case 3: a.i = m.integer(), saw(Kind::i); break;
  case 4: a.s = std::string(m.bytes()), saw(Kind::s); break;
  case 5: only(a.tensors, read_tensor(m.message(), context)), saw(Kind::tensor); break;
  case 6: only(a.graphs, shared_graph(m.message(), context, free)), saw(Kind::graph); break;
  case 7: m.fixed(d.floats, 4), saw(Kind::floats); break;
  case 8: m.varints(d.ints), saw(Kind::ints); break;
  case 9: a.strings.emplace_back(m.bytes()), context.charge_structs(sizeof(std::string)), saw(Kind::strings); break;
  case 10: a.tensors.push_back(read_tensor(m.message(), context)), saw(Kind::tensors); break;
  case 11: a.graphs.push_back(shared_graph(m.message(), context, free)), saw(Kind::graphs); break;
  case 14: only(a.types, read_type(m.message(), context)), saw(Kind::type); break;
  case 15: a.types.push_back(read_type(m.message(), context)), saw(Kind::types); break;
  case 22: only(a.sparse_tensors, read_sparse_tensor(m.message(), context)), saw(Kind::sparse_tensor); break;
  case 23: a.sparse_tensors.push_back(read_sparse_tensor(m.message(), context)), saw(Kind::sparse_tensors); break;
  default: m.skip();
  }
}

void decode_lists(Draft& d, Context& context) {
  context.charge_structs(total_bytes(d.floats) + count_varints(d.ints) * 8);
  for (std::string_view chunk : d.floats) {
    if (chunk.empty()) continue;
    const size_t before = d.out.floats.size();
    d.out.floats.resize(before + chunk.size() / 4);
    std::memcpy(d.out.floats.data() + before, chunk.data(), chunk.size());
  }
  d.out.ints.reserve(count_varints(d.ints));
  decode_varints(d.ints, [&](uint64_t v) { d.out.ints.push_back(static_cast<int64_t>(v)); });
}

// The kind that the file declares; where it declares none (IR version 1), the one of the value that is there.
Kind settle_kind(const Draft& d) {
  if (d.type < 0 || d.type >= static_cast<int64_t>(std::size(kinds)))
    refuse(unsupported("", "the attribute has the unknown type " + std::to_string(d.type)));
  const bool reference = !d.out.ref_attr_name.empty();
  if (reference && d.seen)
    refuse(invalid_model("", "the attribute has a value and refers to another one too", "keep one of the two"));
  if (std::popcount(d.seen) > 1)
    refuse(invalid_model("", "the attribute has values of several kinds", "keep the one of its type"));
  const Kind declared = kinds[d.type];
  const Kind found = d.seen ? static_cast<Kind>(std::countr_zero(d.seen)) : Kind::undefined;
  if (declared == Kind::undefined) {
    if (!reference && !d.seen) refuse(invalid_model("", "the attribute has neither type nor value"));
    return found;
  }
  if (d.seen && found != declared) {
    refuse(invalid_model("", std::string("the attribute's type is ") + attribute_kind_name(declared) +
                                 ", its value is " + attribute_kind_name(found)));
  }
  const bool needs_message =
      declared == Kind::tensor || declared == Kind::graph || declared == Kind::sparse_tensor || declared == Kind::type;
  if (needs_message && !d.seen && !reference)
    refuse(invalid_model("", std::string("the attribute has no value, its type is ") + attribute_kind_name(declared)));
  return declared; // a number, text or list that is left out is 0 or empty, as protobuf has it
}

} // namespace

Attribute read_attribute(Message message, Context& context, std::vector<FreeName>& free) {
  Draft d;
  const auto label = [&] { return "attribute " + quote(d.out.name); };
  return within(label, [&] {
    while (message.next()) {
      switch (message.field()) {
      case 1: d.out.name = message.name("an attribute's name"); break;
      case 20: d.type = message.integer(); break;
      case 21: d.out.ref_attr_name = message.name("the name of an attribute that is referred to"); break;
      default: read_value(message, context, d, free);
      }
    }
    if (d.out.name.empty()) refuse(invalid_model("", "the attribute has no name", "export the model again"));
    d.out.kind = settle_kind(d);
    decode_lists(d, context);
    context.charge_structs(sizeof(Attribute) + d.out.name.size() + d.out.s.size());
    if (!d.out.ref_attr_name.empty()) {
      if (!context.references)
        refuse(invalid_model(
            "", "it refers to attribute " + quote(d.out.ref_attr_name) + " of a function, but lies in none",
            "give it a value"));
      context.references->emplace_back(label(), d.out.ref_attr_name);
    }
    return std::move(d.out);
  });
}

} // namespace cutaway::onnx
