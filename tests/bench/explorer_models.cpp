#include "bench/explorer_models.h"

#include "import/onnx_protos.h"

#include <fmt/format.h>

#include <map>
#include <random>

namespace cutaway::bench {
namespace {

constexpr int hidden = 16, heads = 2, rows = 8;

class Encoder {
 public:
  std::string model(int nodes) {
    parts_.inputs = {protos::value("tokens", protos::FLOAT, {1, rows, hidden})};
    shape("to_heads", {1, rows, heads, hidden / heads}), shape("from_heads", {1, rows, hidden}), shape("axis", {-1});
    for (const auto& [name, v] : {std::pair{"sqrt_d", 2.8284271f}, {"eps", 1e-5f}, {"sqrt_2", 1.4142135f}, {"one", 1.f}, {"half", .5f}}) scalar(name, v);
    std::string x = "tokens";
    for (int i = 0; int(parts_.nodes.size()) < nodes; ++i) x = layer(fmt::format("/encoder/layer.{}", i), x);
    parts_.nodes.push_back(protos::node("Identity", {x}, {"out"}, {}, "/Identity"));
    parts_.outputs = {protos::value("out", protos::FLOAT, {1, rows, hidden})};
    return protos::model(parts_);
  }

 private:
  void shape(const std::string& name, const protos::Ints& dims) { parts_.initializers.push_back(protos::tensor(name, protos::INT64, {int64_t(dims.size())}, protos::raw(dims))); }
  void scalar(const std::string& name, float v) { parts_.initializers.push_back(protos::tensor(name, protos::FLOAT, {}, protos::raw(std::vector<float>{v}))); }
  std::string weight(const std::string& name, const protos::Ints& dims) {
    int64_t count = 1;
    for (const int64_t d : dims) count *= d;
    std::vector<float> values(static_cast<size_t>(count));
    for (float& v : values) v = std::uniform_real_distribution<float>(-.2f, .2f)(random_);
    parts_.initializers.push_back(protos::tensor(name, protos::FLOAT, dims, protos::raw(values)));
    return name;
  }
  std::string op(const std::string& path, const char* type, const protos::Strings& inputs, const protos::Strings& attributes = {}) {
    const std::string out = path + "_output_0";
    parts_.nodes.push_back(protos::node(type, inputs, {out}, attributes, path));
    return out;
  }
  static std::string ints(const std::string& name, const protos::Ints& values) {
    return protos::message([&](protos::pbf_writer& w) {
      w.add_string(1, name);
      for (const int64_t v : values) w.add_int64(8, v);
      w.add_int32(20, 7);
    });
  }

  std::string dense(const std::string& at, const std::string& x, int64_t from, int64_t to) {
    const std::string y = op(at + "/MatMul", "MatMul", {x, weight(at + ".weight", {from, to})});
    return op(at + "/Add", "Add", {weight(at + ".bias", {to}), y});
  }
  std::string split(const std::string& at, const std::string& x, const protos::Ints& perm) {
    const std::string y = op(at + "/Reshape", "Reshape", {dense(at, x, hidden, hidden), "to_heads"});
    return op(at + "/Transpose", "Transpose", {y}, {ints("perm", perm)});
  }
  std::string norm(const std::string& at, const std::string& x) {
    const std::string centred = op(at + "/Sub", "Sub", {x, op(at + "/ReduceMean", "ReduceMean", {x}, {ints("axes", {-1})})});
    const std::string variance = op(at + "/ReduceMean_1", "ReduceMean", {op(at + "/Mul_2", "Mul", {centred, centred})}, {ints("axes", {-1})});
    const std::string deviation = op(at + "/Sqrt", "Sqrt", {op(at + "/Add", "Add", {variance, "eps"})});
    const std::string scaled = op(at + "/Mul", "Mul", {op(at + "/Div", "Div", {centred, deviation}), weight(at + ".weight", {hidden})});
    return op(at + "/Add_1", "Add", {scaled, weight(at + ".bias", {hidden})});
  }
  std::string layer(const std::string& at, const std::string& x) {
    const std::string self = at + "/attention/self", attended = at + "/attention/output", act = at + "/intermediate/act";
    const std::string q = split(self + "/query", x, {0, 2, 1, 3}), k = split(self + "/key", x, {0, 2, 3, 1}), v = split(self + "/value", x, {0, 2, 1, 3});
    const std::string scores = op(self + "/Div", "Div", {op(self + "/MatMul", "MatMul", {q, k}), "sqrt_d"});
    const std::string mixed = op(self + "/MatMul_1", "MatMul", {op(self + "/Softmax", "Softmax", {scores}), v});
    const std::string joined = op(self + "/Reshape_3", "Reshape", {op(self + "/Transpose_3", "Transpose", {mixed}, {ints("perm", {0, 2, 1, 3})}), "from_heads"});
    const std::string first = norm(attended + "/LayerNorm", op(attended + "/Add", "Add", {dense(attended + "/dense", joined, hidden, hidden), x}));
    const std::string wide = dense(at + "/intermediate/dense", first, hidden, 4 * hidden);
    const std::string bent = op(act + "/Add", "Add", {op(act + "/Erf", "Erf", {op(act + "/Div", "Div", {wide, "sqrt_2"})}), "one"});
    const std::string gelu = op(act + "/Mul_1", "Mul", {op(act + "/Mul", "Mul", {wide, bent}), "half"});
    return norm(at + "/output/LayerNorm", op(at + "/output/Add", "Add", {dense(at + "/output/dense", gelu, 4 * hidden, hidden), first}));
  }

  protos::GraphParts parts_;
  std::mt19937 random_{1};
};

// Makes one step after another, each with the edits that its decision is made of.
class LongTrace {
 public:
  explicit LongTrace(const trace::GraphDoc& first) : editor_(first) {
    std::map<trace::Text, std::vector<NodeId>> scopes;
    for (const trace::GraphNode& n : first.nodes) scopes[n.scope].push_back(n.id);
    for (const auto& [scope, nodes] : scopes)
      for (size_t i = 0; i < nodes.size(); ++i) order_.push_back(nodes[i]), group_.push_back(GroupId(nodes[i / 4 * 4].v)), next_node_ = std::max(next_node_, nodes[i].v + 1);
    for (const trace::GraphValue& v : first.values) next_value_ = std::max(next_value_, v.id.v + 1);
    now_ = {int64_t(first.nodes.size()), int64_t(first.nodes.size()), int64_t(first.nodes.size()) * 4096, 1 << 20, -1};
  }
  void step(uint32_t id) {
    editor_.erase_notes();
    trace::Step s;
    s.id = id, s.pass = id / per_pass, s.phase = trace::Phase::rewrite;
    const size_t any = random_() % order_.size();
    const NodeId n = order_[any];
    const trace::GraphNode node = *editor_.graph().nodes.find(n);
    if (id == 0) s.code = "import", s.title = "The model as imported", s.explanation = "Every node of the model as primitives.";
    else if (id % 6 == 1) refuse(s, node);
    else if (id % 6 == 4) insert(s, node);
    else join(s, node, group_[any]);
    s.after = now_;
    s.edits = editor_.take();
    if (id == 0) s.edits.clear();
    steps.push_back(std::move(s));
  }
  static constexpr uint32_t per_pass = 1000;
  std::vector<trace::Step> steps;

 private:
  void refuse(trace::Step& s, const trace::GraphNode& n) {
    s.refused = true, s.code = "not-fused.window", s.entities = {entity(n.id)};
    s.title = fmt::format("{} stays apart", n.name.str());
    s.explanation = fmt::format("Not fused: {} in {} reads {} values, its neighbour iterates over another space ({} elements).", n.name.str(), n.scope.str(), n.inputs.size(), random_() % 9999);
    editor_.set(trace::GraphNote{trace::NoteId(s.id), trace::RefusalKind::unprofitable, s.title, s.explanation, s.entities});
  }
  void insert(trace::Step& s, const trace::GraphNode& n) {
    const NodeId id(next_node_++);
    const ValueId v(next_value_++);
    const ValueId read = n.outputs.at(0);
    trace::GraphNode added{.id = id, .name = fmt::format("copy_{}", id.v), .op = "relayout", .op_class = trace::OpClass::injective, .category = n.category};
    added.scope = n.scope, added.order = n.order + 1e-7 * s.id, added.inputs = {read}, added.outputs = {v};
    editor_.set(trace::GraphValue{.id = v, .name = fmt::format("copied_{}", v.v), .dtype = "f32", .shape = "[1,8,16]", .bytes = 512});
    editor_.set(std::move(added));
    now_.nodes++, now_.launches++, now_.traffic_bytes += 1024;
    s.code = "relayout", s.entities = {entity(id), entity(n.id)};
    s.title = fmt::format("A copy of {} is paid", n.name.str());
    s.explanation = fmt::format("{} in {} is read in another order: 512 bytes are copied, {} cache lines are saved.", n.name.str(), n.scope.str(), random_() % 9999);
  }
  // Four neighbours of a scope are a group.
  void join(trace::Step& s, const trace::GraphNode& n, GroupId g) {
    if (!editor_.graph().groups.contains(g)) editor_.set(trace::GraphGroup{.id = g, .name = fmt::format("K{} {}", g.v, n.name.str()), .category = n.category});
    editor_.group(g, [](trace::GraphGroup& group) { group.saved_bytes += 512; });
    editor_.node(n.id, [g](trace::GraphNode& node) { node.group = g; });
    if (!n.group.valid()) now_.launches--, now_.traffic_bytes -= 512;
    s.code = "fuse", s.entities = {entity(g), entity(n.id)};
    s.title = fmt::format("{} joins K{}", n.name.str(), g.v);
    s.explanation = fmt::format("{} in {} reads what K{} makes, element by element: {} bytes stay in registers.", n.name.str(), n.scope.str(), g.v, random_() % 9999);
  }

  trace::GraphEditor editor_;
  std::vector<NodeId> order_;
  std::vector<GroupId> group_; // of each
  std::mt19937 random_{7};
  uint32_t next_node_ = 0, next_value_ = 0;
  trace::Metrics now_;
};

} // namespace

std::string encoderModel(int nodes) { return Encoder().model(nodes); }

trace::Document longDocument(const trace::GraphDoc& first, uint32_t count) {
  LongTrace made(first);
  for (uint32_t i = 0; i < count; ++i) made.step(i);
  std::vector<trace::Pass> passes;
  for (uint32_t from = 0; from < count; from += LongTrace::per_pass)
    passes.push_back({fmt::format("round {}", passes.size() + 1), "Groups, copies and refusals", trace::Phase::rewrite, from, std::min(count, from + LongTrace::per_pass), 1.5});
  trace::Document out;
  out.model = "long", out.device = "cpu", out.version = "bench";
  auto trace = std::make_shared<trace::Trace>(first, std::move(made.steps), std::move(passes), std::vector<trace::Panel>());
  trace->name = "long";
  out.traces = {trace};
  return out;
}

} // namespace cutaway::bench
