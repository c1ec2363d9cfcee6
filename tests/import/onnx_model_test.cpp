// What a model file's messages become: nodes, attributes, types, functions, imports.
#include "onnx_protos.h"

#include "import/mapped_file.h"

using namespace protos;
using cutaway::Fault;
using cutaway::onnx::Attribute;
using Kind = Attribute::Kind;

namespace {

// The attributes of a model's one node.
std::vector<Attribute> attributes_of(const Strings& attributes) {
  const auto m = read_ok(model({{node("Op", {"x"}, {"y"}, attributes)}, {}, {value("x")}, {value("y")}}));
  return m ? m->graph.nodes[0].attributes : std::vector<Attribute>{};
}
std::string with_attribute(const std::string& attribute) {
  return model({{node("Op", {"x"}, {"y"}, {attribute}, "n")}, {}, {value("x")}, {value("y")}});
}
template <class Fill> std::string attribute(const std::string& name, int32_t type, Fill fill) {
  return message([&](pbf_writer& w) {
    w.add_string(1, name);
    fill(w);
    if (type) w.add_int32(20, type);
  });
}

struct FunctionParts {
  std::string domain, name;
  Strings inputs, outputs, attributes, nodes, defaults;
  Strings opsets = {opset("", 17)};
};
std::string function(const FunctionParts& f) {
  return message([&](pbf_writer& w) {
    w.add_string(1, f.name);
    for (const std::string& s : f.inputs) w.add_string(4, s);
    for (const std::string& s : f.outputs) w.add_string(5, s);
    for (const std::string& s : f.attributes) w.add_string(6, s);
    for (const std::string& s : f.nodes) w.add_message(7, s);
    for (const std::string& s : f.opsets) w.add_message(9, s);
    w.add_string(10, f.domain);
    for (const std::string& s : f.defaults) w.add_message(11, s);
  });
}
const GraphParts identity = {{node("Neg", {"x"}, {"y"})}, {}, {value("x")}, {value("y")}};

} // namespace

TEST(OnnxModel, HeaderAndNodes) {
  const auto m = read_ok(message([&](pbf_writer& w) {
    w.add_int64(1, 9);
    w.add_string(2, "maker");
    w.add_string(3, "1.2");
    w.add_message(
        7, graph({{node("Relu", {"x"}, {"y"}, {}, "r", "ai.onnx")}, {}, {value("x", FLOAT, {1, 3})}, {value("y")}},
                 "main"));
    w.add_message(8, opset("ai.onnx", 21));
    w.add_message(8, opset("other", 2));
    w.add_message(14, message([&](pbf_writer& p) { p.add_string(1, "key"), p.add_string(2, "text \xFF"); }));
  }));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->ir_version, 9);
  EXPECT_EQ(m->producer_name, "maker");
  EXPECT_EQ(m->opsets.at(""), 21);
  EXPECT_EQ(m->opsets.at("other"), 2);
  EXPECT_EQ(m->metadata[0].second, "text ?");
  EXPECT_EQ(m->graph.name, "main");
  EXPECT_EQ(m->graph.nodes[0].domain, "");
  EXPECT_EQ(m->graph.nodes[0].label(), "node 'r' (Relu)");
  EXPECT_EQ(type_text(m->graph.inputs[0].type), "f32[1, 3]");
  EXPECT_EQ(m->files.size(), 1u);
  EXPECT_NE(summary(*m).find("Relu 1"), std::string::npos);
}

TEST(OnnxModel, AttributesOfEveryKind) {
  const std::vector<float> floats = {1.5f, -2.f};
  const std::vector<int64_t> ints = {-1, 1LL << 40};
  const std::string sub = graph({{}, {}, {value("i")}, {value("i")}});
  const auto a = attributes_of({
      attribute("f", 1, [](pbf_writer& w) { w.add_float(2, 0.5f); }),
      attribute("i", 2, [](pbf_writer& w) { w.add_int64(3, -7); }),
      attribute("s", 3, [](pbf_writer& w) { w.add_bytes(4, std::string("\xFF\0b", 3)); }),
      attribute("t", 4, [](pbf_writer& w) { w.add_message(5, tensor("", INT64, {1}, raw<int64_t>({3}))); }),
      attribute("g", 5, [&](pbf_writer& w) { w.add_message(6, sub); }),
      attribute("packed floats", 6, [&](pbf_writer& w) { w.add_packed_float(7, floats.begin(), floats.end()); }),
      attribute("floats", 6,
                [&](pbf_writer& w) {
                  for (float f : floats) w.add_float(7, f);
                }),
      attribute("packed ints", 7, [&](pbf_writer& w) { w.add_packed_int64(8, ints.begin(), ints.end()); }),
      attribute("ints", 7,
                [&](pbf_writer& w) {
                  for (int64_t i : ints) w.add_int64(8, i);
                }),
      attribute("strings", 8, [](pbf_writer& w) { w.add_string(9, "a"), w.add_string(9, ""); }),
      attribute("empty ints", 7, [](pbf_writer&) {}),
      attribute("zero", 2, [](pbf_writer&) {}),
      attribute("graphs", 10, [&](pbf_writer& w) { w.add_message(11, sub), w.add_message(11, sub); }),
      attribute("no type", 0, [](pbf_writer& w) { w.add_int64(3, 4); }),
  });
  ASSERT_EQ(a.size(), 14u);
  EXPECT_EQ(a[0].f, 0.5f);
  EXPECT_EQ(a[1].i, -7);
  EXPECT_EQ(a[2].s, std::string("\xFF\0b", 3));
  EXPECT_EQ(a[3].tensors.at(0).tensor.ints(), (Ints{3}));
  EXPECT_EQ(a[4].graphs.at(0)->inputs.at(0).name, "i");
  EXPECT_EQ(a[5].floats, floats);
  EXPECT_EQ(a[6].floats, floats);
  EXPECT_EQ(a[7].ints, ints);
  EXPECT_EQ(a[8].ints, ints);
  EXPECT_EQ(a[9].strings, (Strings{"a", ""}));
  EXPECT_EQ(a[10].kind, Kind::ints);
  EXPECT_EQ(a[11].i, 0);
  EXPECT_EQ(a[12].graphs.size(), 2u);
  EXPECT_EQ(a[13].kind, Kind::i);
}

TEST(OnnxModel, BrokenAttributesAreRefused) {
  expect_refused(with_attribute(attribute("a", 2, [](pbf_writer& w) { w.add_float(2, 1); })),
                 {"'n' (Op)", "'a'", "int", "float"});
  expect_refused(with_attribute(attribute("a", 2, [](pbf_writer& w) { w.add_int64(3, 1), w.add_float(2, 1); })),
                 {"several kinds"});
  expect_refused(with_attribute(attribute("a", 4, [](pbf_writer&) {})), {"no value", "tensor"});
  expect_refused(with_attribute(attribute("a", 0, [](pbf_writer&) {})), {"neither type nor value"});
  expect_refused(with_attribute(attribute("", 2, [](pbf_writer& w) { w.add_int64(3, 1); })), {"no name"});
  expect_refused(with_attribute(attribute("a", 99, [](pbf_writer&) {})), {"type 99"}, Fault::unsupported);
  expect_refused(with_attribute(attribute("a", 2, [](pbf_writer& w) { w.add_string(21, "b"); })), {"lies in none"});
  const std::string one = attribute("a", 2, [](pbf_writer& w) { w.add_int64(3, 1); });
  expect_refused(model({{node("Op", {"x"}, {"y"}, {one, one})}, {}, {value("x")}, {value("y")}}),
                 {"two attributes", "'a'"});
}

TEST(OnnxModel, TypesOfInputs) {
  const auto type = [](auto fill) {
    return message([&](pbf_writer& w) { w.add_string(1, "x"), w.add_message(2, message(fill)); });
  };
  const auto text = [&](const std::string& input) {
    const auto m = read_ok(model({{node("Neg", {"x"}, {"y"})}, {}, {input}, {value("y")}}));
    return m ? type_text(m->graph.inputs[0].type) : "";
  };
  const std::string dims = message([](pbf_writer& s) {
    s.add_message(1, message([](pbf_writer& d) { d.add_string(2, "N"); }));
    s.add_message(1, message([](pbf_writer& d) { d.add_int64(1, 3); }));
    s.add_message(1, std::string());
    s.add_message(1, message([](pbf_writer& d) { d.add_int64(1, -1); }));
  });
  const std::string symbolic = message([&](pbf_writer& t) { t.add_int32(1, INT64), t.add_message(2, dims); });
  const std::string no_shape = message([&](pbf_writer& t) { t.add_int32(1, FLOAT16); });
  EXPECT_EQ(text(type([&](pbf_writer& w) { w.add_message(1, symbolic); })), "i64[N, 3, ?, ?]");
  EXPECT_EQ(text(type([&](pbf_writer& w) { w.add_message(1, no_shape); })), "f16[...]");
  EXPECT_EQ(text(type([&](pbf_writer&) {})), "?");
  const std::string element = message([&](pbf_writer& w) { w.add_message(1, no_shape); });
  const std::string sequence =
      message([&](pbf_writer& w) { w.add_message(4, message([&](pbf_writer& s) { s.add_message(1, element); })); });
  EXPECT_EQ(
      text(type([&](pbf_writer& w) { w.add_message(9, message([&](pbf_writer& o) { o.add_message(1, sequence); })); })),
      "optional(seq(f16[...]))");
  EXPECT_EQ(text(type([&](pbf_writer& w) {
              w.add_message(5, message([&](pbf_writer& o) { o.add_int32(1, STRING), o.add_message(2, element); }));
            })),
            "map(string, f16[...])");
  expect_refused(model({{node("Neg", {"x"}, {"y"})}, {}, {value("x", FLOAT, {2, -5})}, {value("y")}}), {"'x'", "-5"});
}

TEST(OnnxModel, OperatorSetImports) {
  const std::string g = graph(identity);
  expect_refused(model_of(g, {}, {}), {"default operator set", "Neg", "opset_import"});
  const auto old = read_ok(model_of(g, {}, {}, 2));
  ASSERT_TRUE(old);
  EXPECT_EQ(old->opsets.at(""), 1);
  EXPECT_EQ(old->warnings.size(), 1u);
  EXPECT_TRUE(read_ok(model_of(graph({{node("Op", {"x"}, {"y"}, {}, "", "vendor")}, {}, {value("x")}, {value("y")}}),
                               {}, {opset("vendor", 1)})));
  expect_refused(model_of(g, {}, {opset("", 3), opset("ai.onnx", 4)}), {"ai.onnx", "3", "4"});
  expect_refused(model_of(g, {}, {opset("", 0)}), {"version is 0"});
  const auto newer = read_ok(model_of(g, {}, {opset("", 17)}, 99));
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->warnings.size(), 1u);
}

TEST(OnnxModel, FunctionsAndTheirAttributes) {
  const std::string reference = attribute("value_float", 1, [](pbf_writer& w) { w.add_string(21, "step"); });
  const std::string fallback = attribute("extra", 2, [](pbf_writer& w) { w.add_int64(3, 5); });
  FunctionParts f{"fn",      "Shift",  {"p"},
                  {"r"},     {"step"}, {node("Add", {"p", "c"}, {"r"}), node("Constant", {}, {"c"}, {reference})},
                  {fallback}};
  const GraphParts call = {{node("Shift", {"x"}, {"y"}, {}, "", "fn")}, {}, {value("x")}, {value("y")}};
  const auto m = read_ok(model_of(graph(call), {function(f)}, {opset("", 17), opset("fn", 1)}));
  ASSERT_TRUE(m);
  const auto* found = m->function(m->graph.nodes[0]);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->nodes[0].op_type, "Constant"); // sorted
  EXPECT_EQ(found->nodes[0].attributes[0].ref_attr_name, "step");
  EXPECT_EQ(found->attribute_defaults[0].i, 5);

  f.attributes = {};
  expect_refused(model_of(graph(call), {function(f)}), {"fn::Shift", "'step'"});
  f.attributes = {"step"};
  expect_refused(model_of(graph(call), {function(f), function(f)}), {"two functions", "fn::Shift"});
  f.nodes = {node("Add", {"p", "x"}, {"r"}, {}, "inner")};
  expect_refused(model_of(graph(call), {function(f)}),
                 {"fn::Shift", "'inner' (Add)", "'x'"}); // a function sees no graph
}

TEST(OnnxModel, RecursiveFunctionsAreRefused) {
  const auto calls = [](const std::string& name, const std::string& callee) {
    return function({"fn", name, {"p"}, {"r"}, {}, {node(callee, {"p"}, {"r"}, {}, "", "fn")}, {}});
  };
  const std::string g = graph({{node("A", {"x"}, {"y"}, {}, "", "fn")}, {}, {value("x")}, {value("y")}});
  expect_refused(model_of(g, {calls("A", "B"), calls("B", "A")}), {"fn::", "calls itself"});
  expect_refused(model_of(g, {calls("A", "A")}), {"fn::A", "calls itself"});
  EXPECT_TRUE(read_ok(model_of(g, {calls("A", "B"), calls("B", "C")})));
}

TEST(OnnxModel, LabelsAreShort) {
  cutaway::onnx::Node n;
  n.name = std::string(1000, 'a') + "\xC3\xA9";
  n.op_type = "Relu";
  EXPECT_LT(n.label().size(), 120u);
  n.name.clear();
  n.index = 7;
  EXPECT_EQ(n.label(), "node #7 (Relu)");
}
