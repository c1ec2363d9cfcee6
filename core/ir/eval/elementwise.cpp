#include "ir/eval/dispatch.h"

namespace cutaway::eval_impl {
namespace {

template <class C> constexpr bool single = std::is_same_v<C, float>;

// Calls the f32 or the f64 function of the embedded library.
template <class C> C pick(C x, float (*f)(float), double (*d)(double)) {
  if constexpr (single<C>) return f(x);
  else return d(x);
}

template <class C> C float_unary(Op op, C x) {
  switch (op) {
  case Op::neg: return -x;
  case Op::abs: return pick<C>(x, cw_abs_f32, cw_abs_f64);
  case Op::sign: return pick<C>(x, cw_sign_f32, cw_sign_f64);
  case Op::exp: return pick<C>(x, cw_exp_f32, cw_exp_f64);
  case Op::log: return pick<C>(x, cw_log_f32, cw_log_f64);
  case Op::sqrt: return pick<C>(x, cw_sqrt_f32, cw_sqrt_f64);
  case Op::rsqrt: return pick<C>(x, cw_rsqrt_f32, cw_rsqrt_f64);
  case Op::recip: return pick<C>(x, cw_recip_f32, cw_recip_f64);
  case Op::tanh: return pick<C>(x, cw_tanh_f32, cw_tanh_f64);
  case Op::sigmoid: return pick<C>(x, cw_sigmoid_f32, cw_sigmoid_f64);
  case Op::erf: return pick<C>(x, cw_erf_f32, cw_erf_f64);
  case Op::sin: return pick<C>(x, cw_sin_f32, cw_sin_f64);
  case Op::cos: return pick<C>(x, cw_cos_f32, cw_cos_f64);
  case Op::tan: return pick<C>(x, cw_tan_f32, cw_tan_f64);
  case Op::asin: return pick<C>(x, cw_asin_f32, cw_asin_f64);
  case Op::acos: return pick<C>(x, cw_acos_f32, cw_acos_f64);
  case Op::atan: return pick<C>(x, cw_atan_f32, cw_atan_f64);
  case Op::sinh: return pick<C>(x, cw_sinh_f32, cw_sinh_f64);
  case Op::cosh: return pick<C>(x, cw_cosh_f32, cw_cosh_f64);
  case Op::asinh: return pick<C>(x, cw_asinh_f32, cw_asinh_f64);
  case Op::acosh: return pick<C>(x, cw_acosh_f32, cw_acosh_f64);
  case Op::atanh: return pick<C>(x, cw_atanh_f32, cw_atanh_f64);
  case Op::floor: return pick<C>(x, cw_floor_f32, cw_floor_f64);
  case Op::ceil: return pick<C>(x, cw_ceil_f32, cw_ceil_f64);
  default: return pick<C>(x, cw_round_even_f32, cw_round_even_f64);
  }
}

template <class C> C float_binary(Op op, C a, C b) {
  constexpr bool f = single<C>;
  switch (op) {
  case Op::add: return a + b;
  case Op::sub: return a - b;
  case Op::mul: return a * b;
  case Op::div: return a / b;
  case Op::mod: if constexpr (f) return cw_mod_f32(a, b); else return cw_mod_f64(a, b);
  case Op::rem: if constexpr (f) return cw_fmod_f32(a, b); else return cw_fmod_f64(a, b);
  case Op::pow: if constexpr (f) return cw_pow_f32(a, b); else return cw_pow_f64(a, b);
  case Op::maximum: if constexpr (f) return cw_max_f32(a, b); else return cw_max_f64(a, b);
  default: if constexpr (f) return cw_min_f32(a, b); else return cw_min_f64(a, b);
  }
}

template <class T> using Wide = std::conditional_t<(sizeof(T) < 8), uint32_t, uint64_t>;

template <class T> T int_unary(Op op, T x) {
  switch (op) {
  case Op::neg: return static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(x));
  case Op::abs: return x > 0 ? x : static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(x));
  case Op::sign: return static_cast<T>((x > 0) - (x < 0));
  default: return static_cast<T>(~x);
  }
}

template <class T> T int_pow(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b < 0) return a == 1 ? T(1) : a == -1 ? T(b % 2 ? -1 : 1) : T(0);
  Wide<T> r = 1, base = static_cast<Wide<T>>(a);
  for (auto e = static_cast<std::make_unsigned_t<T>>(b); e; e = static_cast<std::make_unsigned_t<T>>(e >> 1), base *= base)
    if (e & 1) r *= base;
  return static_cast<T>(r);
}

template <class T> T int_rem(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <class T> T int_binary(Op op, T a, T b) {
  using W = Wide<T>;
  constexpr T width = sizeof(T) * 8;
  const bool in_range = b >= 0 && b < width;
  switch (op) {
  case Op::add: return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  case Op::sub: return static_cast<T>(static_cast<W>(a) - static_cast<W>(b));
  case Op::mul: return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  case Op::div:
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return static_cast<T>(W{0} - static_cast<W>(a));
    return static_cast<T>(a / b);
  case Op::rem: return int_rem(a, b);
  case Op::mod: {
    const T r = int_rem(a, b);
    return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
  }
  case Op::pow: return int_pow(a, b);
  case Op::maximum: return a > b ? a : b;
  case Op::minimum: return a < b ? a : b;
  case Op::bit_and: return static_cast<T>(a & b);
  case Op::bit_or: return static_cast<T>(a | b);
  case Op::bit_xor: return static_cast<T>(a ^ b);
  case Op::shift_left: return in_range ? static_cast<T>(static_cast<W>(a) << b) : T(0);
  default: return in_range ? static_cast<T>(a >> b) : static_cast<T>(a < 0 ? -1 : 0);
  }
}

// Strides of an input against the output's dims; 0 where it is stretched.
std::vector<int64_t> stretched(const Tensor& t, size_t rank) {
  const auto own = strides_of(t.dims());
  std::vector<int64_t> s(rank, 0);
  const size_t lead = rank - t.rank();
  for (size_t d = 0; d < t.rank(); ++d) s[lead + d] = t.dims()[d] == 1 ? 0 : own[d];
  return s;
}

// Runs body(first output, length, input positions, inner strides) for rows of the output, with dims merged where every
// operand runs straight through them.
template <class Body> void rows(const Call& c, const Tensor& out, Body&& body) {
  auto dims = out.dims();
  std::vector<std::vector<int64_t>> strides;
  for (const Tensor& t : c.in) strides.push_back(stretched(t, dims.size()));
  for (size_t d = dims.size(); d-- > 1;) {
    const bool straight = std::all_of(strides.begin(), strides.end(), [&](const auto& s) { return s[d - 1] == s[d] * dims[d] || dims[d - 1] == 1; });
    if (!straight) continue;
    dims[d - 1] *= dims[d];
    for (auto& s : strides) s[d - 1] = s[d], s.erase(s.begin() + static_cast<std::ptrdiff_t>(d));
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d));
  }
  const int64_t inner = dims.empty() ? 1 : dims.back();
  std::vector<int64_t> steps(strides.size(), 0);
  if (!dims.empty()) {
    for (size_t k = 0; k < strides.size(); ++k) steps[k] = strides[k].back(), strides[k].pop_back();
    dims.pop_back();
  }
  if (out.count() == 0) return;
  Odometer at(dims, strides);
  for (int64_t first = 0; first < out.count(); first += inner, at.next()) body(first, inner, at, steps);
}

template <class Tr, class R, class F> void map_binary(const Call& c, Tensor& out, F f) {
  using S = typename Tr::Stored;
  const S *a = data<S>(c.in[0]), *b = data<S>(c.in[1]);
  R* o = out.mutable_as<R>();
  rows(c, out, [&](int64_t first, int64_t n, const Odometer& at, const std::vector<int64_t>& step) {
    const S *x = a + at.at(0), *y = b + at.at(1);
    const int64_t sx = step[0], sy = step[1];
    R* q = o + first;
    if (sx == 1 && sy == 1) for (int64_t i = 0; i < n; ++i) q[i] = f(Tr::load(x[i]), Tr::load(y[i]));
    else for (int64_t i = 0; i < n; ++i) q[i] = f(Tr::load(x[i * sx]), Tr::load(y[i * sy]));
  });
}

template <class Tr> void float_op(const Call& c, Tensor& out) {
  using S = typename Tr::Stored;
  using C = typename Tr::Native;
  const Op op = c.op;
  if (c.in.size() == 1) {
    const S* x = data<S>(c.in[0]);
    S* o = out.mutable_as<S>();
    for (int64_t i = 0; i < out.count(); ++i) o[i] = Tr::store(float_unary<C>(op, Tr::load(x[i])));
  } else {
    switch (op) {
    case Op::add: return map_binary<Tr, S>(c, out, [](C a, C b) { return Tr::store(a + b); });
    case Op::sub: return map_binary<Tr, S>(c, out, [](C a, C b) { return Tr::store(a - b); });
    case Op::mul: return map_binary<Tr, S>(c, out, [](C a, C b) { return Tr::store(a * b); });
    default: return map_binary<Tr, S>(c, out, [op](C a, C b) { return Tr::store(float_binary<C>(op, a, b)); });
    }
  }
}

template <class T> void int_op(const Call& c, Tensor& out) {
  const Op op = c.op;
  if (c.in.size() == 1) {
    const T* x = data<T>(c.in[0]);
    for (int64_t i = 0; i < out.count(); ++i) out.mutable_as<T>()[i] = int_unary<T>(op, x[i]);
  } else {
    map_binary<Plain<T>, T>(c, out, [op](T a, T b) { return int_binary<T>(op, a, b); });
  }
}

Tensors compare(const Call& c) {
  Tensor out = c.make();
  DType t = c.in[0].dtype();
  if (t == DType::boolean) t = DType::u8;
  const Op op = c.op;
  const bool ok = visit_number(t, [&](auto tr) {
    using Tr = decltype(tr);
    using C = typename Tr::Native;
    if (op == Op::equal) map_binary<Tr, uint8_t>(c, out, [](C a, C b) { return uint8_t(a == b); });
    else if (op == Op::less) map_binary<Tr, uint8_t>(c, out, [](C a, C b) { return uint8_t(a < b); });
    else map_binary<Tr, uint8_t>(c, out, [](C a, C b) { return uint8_t(a <= b); });
  });
  if (!ok) return c.refuse(t);
  return std::vector<Tensor>{out};
}

Tensors logic(const Call& c) {
  Tensor out = c.make();
  const Op op = c.op;
  if (op == Op::logical_not) {
    for (int64_t i = 0; i < out.count(); ++i) out.mutable_as<uint8_t>()[i] = !data<uint8_t>(c.in[0])[i];
  } else {
    map_binary<Plain<uint8_t>, uint8_t>(c, out, [op](uint8_t a, uint8_t b) {
      return uint8_t(op == Op::logical_and ? (a && b) : op == Op::logical_or ? (a || b) : (!a != !b));
    });
  }
  return std::vector<Tensor>{out};
}

Tensors select(const Call& c) {
  Tensor out = c.make();
  const auto size = static_cast<size_t>(dtype_size(out.dtype()));
  const auto* cond = data<uint8_t>(c.in[0]);
  std::byte* o = out.mutable_data();
  rows(c, out, [&](int64_t first, int64_t n, const Odometer& at, const std::vector<int64_t>& step) {
    for (int64_t i = 0; i < n; ++i) {
      const size_t k = cond[at.at(0) + i * step[0]] ? 1 : 2;
      std::memcpy(o + static_cast<size_t>(first + i) * size, c.in[k].data() + static_cast<size_t>(at.at(k) + i * step[k]) * size, size);
    }
  });
  return std::vector<Tensor>{out};
}

Tensors fused(const Call& c) {
  Tensor out = c.make();
  const bool ok = visit_float(out.dtype(), [&](auto tr) {
    using Tr = decltype(tr);
    using S = typename Tr::Stored;
    rows(c, out, [&](int64_t first, int64_t n, const Odometer& at, const std::vector<int64_t>& step) {
      const auto load = [&](size_t k, int64_t i) { return Tr::load(data<S>(c.in[k])[at.at(k) + i * step[k]]); };
      for (int64_t i = 0; i < n; ++i) {
        if constexpr (single<typename Tr::Native>) out.mutable_as<S>()[first + i] = Tr::store(cw_fma_f32(load(0, i), load(1, i), load(2, i)));
        else out.mutable_as<S>()[first + i] = Tr::store(cw_fma_f64(load(0, i), load(1, i), load(2, i)));
      }
    });
  });
  if (!ok) return c.refuse(out.dtype());
  return std::vector<Tensor>{out};
}

Tensors is_nan(const Call& c) {
  Tensor out = c.make();
  const bool ok = visit_float(c.in[0].dtype(), [&](auto tr) {
    using Tr = decltype(tr);
    for (int64_t i = 0; i < out.count(); ++i) {
      const auto x = Tr::load(data<typename Tr::Stored>(c.in[0])[i]);
      out.mutable_as<uint8_t>()[i] = x != x;
    }
  });
  if (!ok) return c.refuse(c.in[0].dtype());
  return std::vector<Tensor>{out};
}

} // namespace

Tensors elementwise(const Call& c) {
  switch (c.op) {
  case Op::equal: case Op::less: case Op::less_equal: return compare(c);
  case Op::logical_not: case Op::logical_and: case Op::logical_or: case Op::logical_xor: return logic(c);
  case Op::select: return select(c);
  case Op::fma: return fused(c);
  case Op::is_nan: return is_nan(c);
  default: break;
  }
  Tensor out = c.make();
  for (const Tensor& t : c.in)
    if (t.dtype() != out.dtype()) return unsupported(op_name(c.op), "operands of different dtypes");
  const bool ok = visit_float(out.dtype(), [&](auto t) { float_op<decltype(t)>(c, out); }) ||
                  visit_integer(out.dtype(), [&](auto t) { int_op<typename decltype(t)::Stored>(c, out); });
  if (!ok) return c.refuse(out.dtype());
  return std::vector<Tensor>{out};
}

} // namespace cutaway::eval_impl
