#include "ir/eval/dispatch.h"

namespace cutaway::eval_impl {
namespace {

template <class C> C activate(const std::string& name, C x) {
  constexpr bool single = std::is_same_v<C, float>;
  if (name == "Sigmoid") {
    if constexpr (single) return cw_sigmoid_f32(x);
    else return cw_sigmoid_f64(x);
  }
  if (name == "Relu") return x > 0 ? x : C(0);
  if (name == "Affine") return x;
  if constexpr (single) return cw_tanh_f32(x);
  else return cw_tanh_f64(x);
}

// One layer in one direction, in the compute type; state lives in `h` and `c`, gate sums in `gates`.
template <class C> struct Cell {
  std::string kind;
  std::vector<std::string> activations;
  int64_t batch, input, hidden, gates_per_cell;
  bool linear_before_reset;
  double clip;
  std::vector<C> w, r, b, p; // p: peepholes i, o, f
  std::vector<C> h, c, sums, part;

  C clipped(C v) const { return clip > 0 ? (v > C(clip) ? C(clip) : v < C(-clip) ? C(-clip) : v) : v; }
  C act(size_t i, C v) const { return activate<C>(activations[i], clipped(v)); }

  // out[j] = sum over k of m[row0 + j][k] * v[k], ascending.
  void product(const std::vector<C>& m, int64_t row0, int64_t rows, const C* v, int64_t length, C* out) const {
    for (int64_t j = 0; j < rows; ++j) {
      C acc = 0;
      const C* row = m.data() + (row0 + j) * length;
      for (int64_t k = 0; k < length; ++k) acc = acc + row[k] * v[k];
      out[j] = acc;
    }
  }

  void step(const C* x, int64_t n) {
    const int64_t rows = gates_per_cell * hidden;
    C *state = h.data() + n * hidden, *memory = c.empty() ? nullptr : c.data() + n * hidden;
    product(w, 0, rows, x, input, sums.data());
    product(r, 0, rows, state, hidden, part.data());
    const C *wb = b.data(), *rb = b.data() + rows;
    if (kind == "lstm") return lstm(state, memory, wb, rb);
    if (kind == "gru") return gru(state, wb, rb);
    for (int64_t j = 0; j < hidden; ++j) sums[static_cast<size_t>(j)] = act(0, sums[static_cast<size_t>(j)] + part[static_cast<size_t>(j)] + wb[j] + rb[j]);
    std::copy_n(sums.data(), hidden, state);
  }

  C gate(int64_t g, int64_t j, const C* wb, const C* rb) const {
    const auto at = static_cast<size_t>(g * hidden + j);
    return sums[at] + part[at] + wb[at] + rb[at];
  }

  void lstm(C* state, C* memory, const C* wb, const C* rb) {
    for (int64_t j = 0; j < hidden; ++j) {
      const auto q = static_cast<size_t>(j), n = static_cast<size_t>(hidden);
      const C i = act(0, gate(0, j, wb, rb) + p[q] * memory[j]), f = act(0, gate(2, j, wb, rb) + p[2 * n + q] * memory[j]);
      const C fresh = act(1, gate(3, j, wb, rb));
      memory[j] = f * memory[j] + i * fresh;
      const C o = act(0, gate(1, j, wb, rb) + p[n + q] * memory[j]);
      state[j] = o * activate<C>(activations[2], memory[j]);
    }
  }

  void gru(C* state, const C* wb, const C* rb) {
    std::vector<C> z(static_cast<size_t>(hidden)), reset(z), scaled(z), inner(z);
    for (int64_t j = 0; j < hidden; ++j) {
      const auto q = static_cast<size_t>(j);
      z[q] = act(0, gate(0, j, wb, rb));
      reset[q] = act(0, gate(1, j, wb, rb));
      scaled[q] = reset[q] * state[j];
    }
    if (!linear_before_reset) product(r, 2 * hidden, hidden, scaled.data(), hidden, inner.data());
    for (int64_t j = 0; j < hidden; ++j) {
      const auto q = static_cast<size_t>(j), at = static_cast<size_t>(2 * hidden + j);
      const C back = linear_before_reset ? reset[q] * (part[at] + rb[at]) : inner[q] + rb[at];
      const C fresh = act(1, sums[at] + back + wb[at]);
      state[j] = (C(1) - z[q]) * fresh + z[q] * state[j];
    }
  }
};

template <class Tr> std::vector<typename Tr::Native> loaded(const Tensor& t) {
  std::vector<typename Tr::Native> out(static_cast<size_t>(t.count()));
  for (int64_t i = 0; i < t.count(); ++i) out[static_cast<size_t>(i)] = Tr::load(data<typename Tr::Stored>(t)[i]);
  return out;
}

template <class Tr> void run(const Call& c, Tensor& y, Tensor& last) {
  using C = typename Tr::Native;
  const std::string& kind = c.attrs.s("cell");
  Cell<C> cell{kind, std::get<std::vector<std::string>>(*c.attrs.find("activations")), c.in[0].dims()[1], c.in[0].dims()[2], c.in[2].dims()[1],
               kind == "lstm" ? 4 : kind == "gru" ? 3 : 1, c.attrs.i("linear_before_reset") != 0, c.attrs.f("clip", 0),
               loaded<Tr>(c.in[1]), loaded<Tr>(c.in[2]), loaded<Tr>(c.in[3]), {}, loaded<Tr>(c.in[4]), {}, {}, {}};
  if (kind == "lstm") cell.c = loaded<Tr>(c.in[5]), cell.p = loaded<Tr>(c.in[6]);
  cell.sums.resize(static_cast<size_t>(cell.gates_per_cell * cell.hidden));
  cell.part = cell.sums;
  const auto x = loaded<Tr>(c.in[0]);
  const int64_t time = c.in[0].dims()[0];
  const bool reverse = c.attrs.i("reverse");
  using S = typename Tr::Stored;
  for (int64_t k = 0; k < time; ++k) {
    const int64_t t = reverse ? time - 1 - k : k;
    for (int64_t n = 0; n < cell.batch; ++n) cell.step(x.data() + (t * cell.batch + n) * cell.input, n);
    for (size_t i = 0; i < cell.h.size(); ++i) y.mutable_as<S>()[static_cast<size_t>(t) * cell.h.size() + i] = Tr::store(cell.h[i]);
  }
  for (size_t i = 0; i < cell.h.size(); ++i) last.mutable_as<S>()[i] = Tr::store(cell.h[i]);
  for (size_t i = 0; i < cell.c.size(); ++i) last.mutable_as<S>()[cell.h.size() + i] = Tr::store(cell.c[i]);
}

} // namespace

Tensors recurrent(const Call& c) {
  Tensor y = c.make(0), last = c.make(1);
  if (!visit_float(y.dtype(), [&](auto t) { run<decltype(t)>(c, y, last); })) return c.refuse(y.dtype());
  return std::vector<Tensor>{y, last};
}

} // namespace cutaway::eval_impl
