#include "import/onnx/op_context.h"

namespace cutaway::onnx {
namespace {

struct Layer {
  const char* cell;
  int64_t gates;
  std::vector<std::string> activations; // of one direction, where the node names none
};

// An operand with a leading dim of directions, cut to one of them; zeros where it is left out.
ValueId direction(OpContext& c, size_t input, int64_t d, const Shape& shape, DType t) {
  if (!c.has(input)) return c.broadcast(c.scalar(0, t), shape);
  return c.reshape(c.slice_axis(c.in(input), 0, d, 1), shape);
}

void lower(OpContext& c, const Layer& layer) {
  ValueId x = c.in(0);
  const bool batch_major = c.attr_i("layout", 0);
  if (batch_major) return c.defer(BreakCause::unknown_op, c.node.op_type + " with the batch first");
  const auto dx = c.dims(x), dr = c.dims(c.in(2));
  if (!c.ok()) return;
  if (dx.size() != 3 || dr.size() != 3) return c.bad("operands must have rank 3");
  const int64_t hidden = dr[2], directions = dr[0], batch = dx[1];
  if (c.has(4)) {
    const auto lengths = c.maybe_known(c.in(4));
    bool whole = lengths.has_value();
    for (int64_t i = 0; whole && i < lengths->count(); ++i) whole = lengths->as_int(i) == dx[0];
    if (!whole) return c.defer(BreakCause::unknown_op, c.node.op_type + " over sequences of several lengths");
  }
  const std::string way = c.attr_s("direction", "forward");
  if (directions != (way == "bidirectional" ? 2 : 1)) return c.bad("the weights hold " + std::to_string(directions) + " directions");
  if (c.attr_i("input_forget", 0) || c.has_attr("activation_alpha") || c.has_attr("activation_beta"))
    return c.defer(BreakCause::unknown_op, c.node.op_type + " with these activations");
  std::vector<std::string> names = layer.activations;
  if (const Attribute* a = c.node.attribute("activations")) names = a->strings;
  while (names.size() < layer.activations.size() * static_cast<size_t>(directions)) names.insert(names.end(), layer.activations.begin(), layer.activations.end());
  for (const std::string& n : names)
    if (n != "Sigmoid" && n != "Tanh" && n != "Relu") return c.defer(BreakCause::unknown_op, c.node.op_type + " with the activation " + n);
  const DType t = c.dtype(x);
  std::vector<ValueId> ys, hs, cs;
  for (int64_t d = 0; d < directions; ++d) {
    const int64_t rows = layer.gates * hidden;
    std::vector<ValueId> in{x, direction(c, 1, d, {rows, dx[2]}, t), direction(c, 2, d, {rows, hidden}, t), direction(c, 3, d, {2 * rows}, t), direction(c, 5, d, {batch, hidden}, t)};
    const bool lstm = layer.gates == 4;
    if (lstm) in.insert(in.end(), {direction(c, 6, d, {batch, hidden}, t), direction(c, 7, d, {3 * hidden}, t)});
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(layer.activations.size()) * d;
    Attrs attrs{{"cell", std::string(layer.cell)}, {"reverse", int64_t{way == "reverse" || d == 1}}, {"linear_before_reset", c.attr_i("linear_before_reset", 0)},
                {"activations", std::vector<std::string>(first, first + static_cast<std::ptrdiff_t>(layer.activations.size()))}, {"clip", c.attr_f("clip", 0)}};
    const auto out = c.emit_many(Op::recurrent, in, attrs, 2);
    if (!c.ok()) return;
    ys.push_back(c.reshape(out[0], Shape{dx[0], 1, batch, hidden}));
    hs.push_back(c.slice_axis(out[1], 0, 0, 1));
    if (lstm) cs.push_back(c.slice_axis(out[1], 0, 1, 1));
  }
  c.out(0, c.concat(ys, 1));
  c.out(1, c.concat(hs, 0));
  if (!cs.empty()) c.out(2, c.concat(cs, 0));
}

void lstm(OpContext& c) { lower(c, {"lstm", 4, {"Sigmoid", "Tanh", "Tanh"}}); }
void gru(OpContext& c) { lower(c, {"gru", 3, {"Sigmoid", "Tanh"}}); }
void rnn(OpContext& c) { lower(c, {"rnn", 1, {"Tanh"}}); }

} // namespace

std::vector<LoweringRow> recurrent_rows() { return {{"LSTM", lstm}, {"GRU", gru}, {"RNN", rnn}}; }

} // namespace cutaway::onnx
