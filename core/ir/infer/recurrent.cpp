#include "ir/infer/rules.h"

namespace cutaway::infer_rules {

Types recurrent(const Args& a) {
  const std::string& cell = a.attrs.s("cell");
  const int64_t gates = cell == "lstm" ? 4 : cell == "gru" ? 3 : cell == "rnn" ? 1 : 0;
  if (gates == 0) return a.bad("unknown cell '" + cell + "'");
  const Type &x = a.in[0], &r = a.in[2], &h0 = a.in[4];
  if (x.rank() != 3 || a.in[1].rank() != 2 || r.rank() != 2 || a.in[3].rank() != 1 || h0.rank() != 2) return a.bad("operands have the wrong rank");
  const Dim &time = x.shape[0], &batch = x.shape[1], &hidden = r.shape[1];
  const bool fits = a.in[1].shape == Shape{hidden * Dim(gates), x.shape[2]} && r.shape[0] == hidden * Dim(gates) &&
                    a.in[3].shape[0] == hidden * Dim(2 * gates) && h0.shape == Shape{batch, hidden};
  if (!fits) return a.bad("operands " + x.str() + ", " + a.in[1].str() + ", " + r.str() + ", " + h0.str() + " do not fit a " + cell);
  if (a.in.size() != (cell == "lstm" ? 7u : 5u)) return a.bad("a " + cell + " has another number of operands");
  if (cell == "lstm" && !(a.in[5].shape == h0.shape && a.in[6].shape == Shape{hidden * Dim(3)})) return a.bad("the cell state or the peepholes do not fit");
  for (const Type& t : a.in)
    if (t.dtype != x.dtype || !is_float(t.dtype)) return a.bad("operands must be floats of one dtype");
  return std::vector<Type>{{x.dtype, {time, batch, hidden}}, {x.dtype, {cell == "lstm" ? 2 : 1, batch, hidden}}};
}

} // namespace cutaway::infer_rules
