#include "passes/passes.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cutaway::passes {
namespace {

// What licenses a rule: bit-exact always, or exact only where a fact holds that nothing has proven yet (then refused).
enum class Licence { exact, unproven };

struct Match {
  const Graph& g;
  const Node& n;

  const Node& from(size_t i) const { return g.producer(n.inputs[i]); }
  const Type& in(size_t i) const { return g.type(n.inputs[i]); }
  const Type& out() const { return g.type(n.outputs[0]); }
  // The one value of a constant operand.
  std::optional<double> value(size_t i) const {
    const Node& c = from(i);
    if (c.op != Op::constant) return std::nullopt;
    const Tensor& t = c.attrs.tensor("data");
    if ((t.count() != 1 && !t.is_splat()) || !is_computable(t.dtype()) || t.dtype() == DType::i64 || t.dtype() == DType::u64) return std::nullopt;
    return t.as_double(0);
  }
  bool keeps_type(size_t i) const { return in(i) == out(); }
};

// A rule hands back the operand that replaces the node, or an edit of its own.
struct Rule {
  const char* name;
  Licence licence;
  const char* fact; // what an unproven rule would need
  std::optional<ValueId> (*match)(const Match& m);
};

bool is_zero(std::optional<double> v, bool negative) { return v && *v == 0 && std::signbit(*v) == negative; }

std::optional<ValueId> operand_if(bool yes, const Match& m, size_t i) { return yes && m.keeps_type(i) ? std::optional(m.n.inputs[i]) : std::nullopt; }

constexpr Rule rules[] = {
    {"mul-one", Licence::exact, "", [](const Match& m) -> std::optional<ValueId> {
       if (m.n.op != Op::mul) return std::nullopt;
       for (size_t i : {0u, 1u})
         if (m.value(1 - i) == 1.0 && m.keeps_type(i)) return m.n.inputs[i];
       return std::nullopt;
     }},
    {"div-one", Licence::exact, "", [](const Match& m) { return operand_if(m.n.op == Op::div && m.value(1) == 1.0, m, 0); }},
    {"sub-zero", Licence::exact, "", [](const Match& m) { return operand_if(m.n.op == Op::sub && is_zero(m.value(1), false), m, 0); }},
    {"add-minus-zero", Licence::exact, "", [](const Match& m) { return operand_if(m.n.op == Op::add && is_float(m.out().dtype) && is_zero(m.value(1), true), m, 0); }},
    {"add-int-zero", Licence::exact, "", [](const Match& m) { return operand_if(m.n.op == Op::add && !is_float(m.out().dtype) && m.value(1) == 0.0, m, 0); }},
    {"add-zero", Licence::unproven, "x is never -0", [](const Match& m) { return operand_if(m.n.op == Op::add && is_float(m.out().dtype) && is_zero(m.value(1), false), m, 0); }},
    {"mul-zero", Licence::unproven, "x is finite, not NaN and not negative", [](const Match& m) { return operand_if(m.n.op == Op::mul && is_float(m.out().dtype) && m.value(1) == 0.0, m, 1); }},
    {"neg-neg", Licence::exact, "", [](const Match& m) -> std::optional<ValueId> {
       if (m.n.op != Op::neg || m.from(0).op != Op::neg) return std::nullopt;
       return m.from(0).inputs[0];
     }},
    {"max-max", Licence::exact, "", [](const Match& m) { return operand_if(m.n.op == Op::maximum && m.from(0).op == Op::maximum && m.n.inputs[1] == m.from(0).inputs[1], m, 0); }},
    {"min-min", Licence::exact, "", [](const Match& m) { return operand_if(m.n.op == Op::minimum && m.from(0).op == Op::minimum && m.n.inputs[1] == m.from(0).inputs[1], m, 0); }},
    {"not-not", Licence::exact, "", [](const Match& m) -> std::optional<ValueId> {
       if (m.n.op != Op::logical_not || m.from(0).op != Op::logical_not) return std::nullopt;
       return m.from(0).inputs[0];
     }},
    {"view-of-nothing", Licence::exact, "", [](const Match& m) -> std::optional<ValueId> {
       const bool same = (m.n.op == Op::reshape || m.n.op == Op::broadcast) && m.keeps_type(0);
       const bool identity = m.n.op == Op::permute && std::is_sorted(m.n.attrs.ints("perm").begin(), m.n.attrs.ints("perm").end());
       return same || identity ? std::optional(m.n.inputs[0]) : std::nullopt;
     }},
    {"cast-there-and-back", Licence::exact, "", [](const Match& m) -> std::optional<ValueId> {
       if (m.n.op != Op::cast || m.from(0).op != Op::cast) return std::nullopt;
       const ValueId x = m.from(0).inputs[0];
       const DType inner = m.g.type(x).dtype, middle = m.in(0).dtype;
       // Only where the middle type holds every value of the inner one.
       const bool widens = (inner == DType::f32 && middle == DType::f64) || ((inner == DType::f16 || inner == DType::bf16) && (middle == DType::f32 || middle == DType::f64)) ||
                           (is_integer(inner) && is_integer(middle) && integer_bits(middle) > integer_bits(inner) && (is_signed_integer(middle) || !is_signed_integer(inner)));
       return widens && m.g.type(x) == m.out() ? std::optional(x) : std::nullopt;
     }},
};

// Two views in a row become one: permutes compose, of two reshapes the second stands alone.
bool compose_views(const PassContext& c, const Node& n) {
  const Graph& g = c.graph;
  if (n.op != Op::permute && n.op != Op::reshape) return false;
  const Node inner = g.producer(n.inputs[0]);
  if (inner.op != n.op) return false;
  Attrs attrs = n.attrs;
  if (n.op == Op::permute) {
    std::vector<int64_t> perm;
    for (int64_t p : n.attrs.ints("perm")) perm.push_back(inner.attrs.ints("perm")[static_cast<size_t>(p)]);
    attrs.set("perm", perm);
  }
  const Node outer = n;
  c.rw.begin("rewrite.compose-views", {entity(outer.id), entity(inner.id)}, {std::string(op_name(outer.op))});
  const OriginId origin = c.rw.derive("compose-views", {inner.origin, outer.origin});
  const ValueId made = c.rw.insert_one(outer.op, {inner.inputs[0]}, attrs, outer.id, origin);
  c.rw.replace(outer.outputs[0], made);
  c.rw.erase_dead(outer.id);
  c.rw.end();
  return true;
}

// The rules of --set rewrite.order first, in that order, then the rest of the table.
std::vector<const Rule*> ordered(const Settings& settings) {
  std::vector<const Rule*> out;
  for (const std::string& name : settings.rewrite_order)
    for (const Rule& r : rules)
      if (name == r.name) out.push_back(&r);
  for (const Rule& r : rules)
    if (std::find(out.begin(), out.end(), &r) == out.end()) out.push_back(&r);
  return out;
}

void apply_rules(const PassContext& c, const std::vector<const Rule*>& order, NodeId id) {
  const Graph& g = c.graph;
  for (const Rule* each : order) {
    const Rule& rule = *each;
    const auto to = rule.match({g, g.node(id)});
    if (!to) continue;
    if (rule.licence == Licence::unproven) {
      c.rw.refuse("not-rewritten", {entity(id)}, {std::string(rule.name), std::string(rule.fact)});
      continue;
    }
    c.rw.begin(std::string("rewrite.") + rule.name, {entity(id), entity(*to)}, {std::string(op_name(g.node(id).op))});
    c.rw.replace(g.node(id).outputs[0], *to);
    c.rw.erase_dead(id);
    c.rw.end();
    return;
  }
}

} // namespace

void simplify(const PassContext& c) {
  const auto order = ordered(c.settings);
  for (NodeId id : c.graph.order()) {
    if (!c.graph.alive(id)) continue;
    const Node& n = c.graph.node(id);
    if (n.outputs.size() != 1 || n.inputs.empty()) continue;
    if (!compose_views(c, n)) apply_rules(c, order, id);
  }
}

} // namespace cutaway::passes
