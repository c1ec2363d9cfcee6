// What holds of names, order and scopes in a model that was read.
#include "onnx_protos.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace protos;
using cutaway::onnx::Graph;
using cutaway::onnx::Node;

namespace {

Strings op_types(const Graph& graph) {
  Strings out;
  for (const Node& n : graph.nodes) out.push_back(n.op_type);
  return out;
}

} // namespace

TEST(OnnxScope, NodesInOrderStay) {
  const auto m = read_ok(model({{node("Neg", {"x"}, {"a"}), node("Abs", {"x"}, {"b"}), node("Add", {"a", "b"}, {"y"})},
                                {},
                                {value("x")},
                                {value("y")}}));
  ASSERT_TRUE(m);
  EXPECT_EQ(op_types(m->graph), (Strings{"Neg", "Abs", "Add"}));
  EXPECT_TRUE(m->warnings.empty());
}

TEST(OnnxScope, NodesOutOfOrderAreSortedStably) {
  const auto m = read_ok(model({{node("Add", {"a", "b"}, {"y"}), node("Abs", {"a"}, {"b"}), node("Exp", {"x"}, {"z"}),
                                 node("Neg", {"x"}, {"a"})},
                                {},
                                {value("x")},
                                {value("y"), value("z")}}));
  ASSERT_TRUE(m);
  EXPECT_EQ(op_types(m->graph), (Strings{"Exp", "Neg", "Abs", "Add"}));
  EXPECT_EQ(m->graph.nodes[3].index, 0u); // the place in the file
  ASSERT_EQ(m->warnings.size(), 1u);
}

TEST(OnnxScope, RandomGraphsInAnyOrderAreSorted) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + static_cast<int>(random() % 40);
    Strings nodes;
    for (int i = 0; i < n; ++i) {
      const auto earlier = [&] {
        return i ? "v" + std::to_string(random() % static_cast<unsigned>(i)) : std::string("x");
      };
      nodes.push_back(node("Add", {earlier(), earlier()}, {"v" + std::to_string(i)}));
    }
    std::shuffle(nodes.begin(), nodes.end(), random);
    const auto m = read_ok(model({nodes, {}, {value("x")}, {value("v" + std::to_string(n - 1))}}));
    ASSERT_TRUE(m);
    ASSERT_EQ(m->graph.nodes.size(), static_cast<size_t>(n));
    std::set<std::string> given = {"x"};
    for (const Node& v : m->graph.nodes) {
      for (const std::string& name : v.inputs) EXPECT_TRUE(given.count(name)) << name;
      given.insert(v.outputs[0]);
    }
  }
}

TEST(OnnxScope, CyclesNameTheirNodes) {
  expect_refused(model({{node("Add", {"x", "b"}, {"a"}, {}, "first"), node("Relu", {"a"}, {"b"}, {}, "second"),
                         node("Neg", {"b"}, {"y"}, {}, "third")},
                        {},
                        {value("x")},
                        {value("y")}}),
                 {"cycle", "'first' (Add)", "'second' (Relu)"});
  expect_refused(model({{node("Add", {"x", "a"}, {"a"}, {}, "self")}, {}, {value("x")}, {value("a")}}),
                 {"'self' (Add)", "its own output"});
  // A node behind a cycle waits too, but is not on it.
  const auto r = read(model({{node("Neg", {"b"}, {"y"}, {}, "behind"), node("Add", {"x", "b"}, {"a"}, {}, "p"),
                              node("Relu", {"a"}, {"b"}, {}, "q")},
                             {},
                             {value("x")},
                             {value("y")}}));
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().str().find("behind"), std::string::npos) << r.error().str();
}

TEST(OnnxScope, NamesAreGivenOnce) {
  const Strings x = {value("x")}, y = {value("y")};
  expect_refused(model({{node("Neg", {"x"}, {"y"}, {}, "one"), node("Abs", {"x"}, {"y"}, {}, "two")}, {}, x, y}),
                 {"'one' (Neg)", "'two' (Abs)", "'y'"});
  expect_refused(model({{node("Split", {"x"}, {"y", "y"}, {}, "s")}, {}, x, y}), {"'s' (Split)", "'y'"});
  expect_refused(model({{node("Neg", {"x"}, {"x"}, {}, "n")}, {}, x, x}), {"'n' (Neg)", "input"});
  expect_refused(model({{}, {}, {value("x"), value("x")}, x}), {"two of its inputs", "'x'"});
  const std::string w = tensor("w", FLOAT, {1}, raw<float>({1}));
  expect_refused(model({{node("Neg", {"w"}, {"y"})}, {w, w}, x, y}), {"two of its initializers", "'w'"});
  expect_refused(model({{node("Neg", {"x"}, {"w"})}, {w}, x, {value("w")}}), {"initializer", "'w'"});
}

TEST(OnnxScope, AnInitializerMayBeTheDefaultOfAnInput) {
  const auto m = read_ok(
      model({{node("Neg", {"w"}, {"y"})}, {tensor("w", FLOAT, {1}, raw<float>({1}))}, {value("w")}, {value("y")}}));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->graph.inputs[0].name, "w");
  EXPECT_EQ(m->graph.initializers[0].name, "w");
}

TEST(OnnxScope, EveryReadNameIsGiven) {
  expect_refused(model({{node("Add", {"x", "nowhere"}, {"y"}, {}, "n")}, {}, {value("x")}, {value("y")}}),
                 {"'n' (Add)", "input 1", "'nowhere'"});
  expect_refused(model({{node("Neg", {"x"}, {"y"})}, {}, {value("x")}, {value("z")}}), {"output", "'z'"});
  expect_refused(model({{node("Neg", {"x"}, {"y"})}, {}, {value("x")}, {}}), {"no outputs"});
  expect_refused(model({{node("Neg", {"x"}, {"y"})}, {}, {value("")}, {value("y")}}), {"no name"});
  // Left-out inputs and outputs have empty names.
  EXPECT_TRUE(read_ok(model({{node("Clip", {"x", "", ""}, {"y", "", ""})}, {}, {value("x")}, {value("y")}})));
}

TEST(OnnxScope, SubgraphsReadFromScopesAround) {
  const std::string inner = graph({{node("Add", {"late", "x"}, {"t"})}, {}, {}, {value("t")}}, "then");
  const std::string other = graph({{node("Neg", {"x"}, {"e"})}, {}, {}, {value("e")}}, "else");
  // The If stands before the node that its branch reads from: a capture orders nodes as an input does.
  const auto m = read_ok(
      model({{node("If", {"c"}, {"y"}, {graph_attribute("then_branch", inner), graph_attribute("else_branch", other)}),
              node("Exp", {"x"}, {"late"})},
             {},
             {value("x"), value("c", BOOL, {})},
             {value("y")}}));
  ASSERT_TRUE(m);
  EXPECT_EQ(op_types(m->graph), (Strings{"Exp", "If"}));
  const auto* then = m->graph.nodes[1].attribute("then_branch");
  ASSERT_TRUE(then);
  ASSERT_EQ(then->graphs.size(), 1u);
  EXPECT_EQ(then->graphs[0]->nodes[0].op_type, "Add");

  const std::string lost = graph({{node("Add", {"lost", "x"}, {"t"}, {}, "deep")}, {}, {}, {value("t")}}, "then");
  const std::string wrap =
      graph({{node("If", {"c"}, {"w"}, {graph_attribute("then_branch", lost)})}, {}, {}, {value("w")}}, "wrap");
  expect_refused(model({{node("If", {"c"}, {"y"}, {graph_attribute("then_branch", wrap)})},
                        {},
                        {value("x"), value("c", BOOL, {})},
                        {value("y")}}),
                 {"'deep' (Add)", "input 0", "'lost'"});
  // A branch that reads what the If itself gives.
  const std::string loop = graph({{node("Neg", {"y"}, {"t"})}, {}, {}, {value("t")}}, "then");
  expect_refused(model({{node("If", {"c"}, {"y"}, {graph_attribute("then_branch", loop)}, "own")},
                        {},
                        {value("c", BOOL, {})},
                        {value("y")}}),
                 {"'own' (If)", "its own output"});
}

TEST(OnnxScope, AVeryLongChainNeedsNoRecursion) {
  constexpr int n = 300'000;
  Strings nodes;
  for (int i = n; i-- > 0;)
    nodes.push_back(node("Neg", {i ? "v" + std::to_string(i - 1) : "x"}, {"v" + std::to_string(i)}));
  const auto m = read_ok(model({nodes, {}, {value("x")}, {value("v" + std::to_string(n - 1))}}));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->graph.nodes.front().inputs[0], "x");
  EXPECT_EQ(m->graph.nodes.back().outputs[0], "v" + std::to_string(n - 1));
}
