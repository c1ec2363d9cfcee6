#include "driver/random_groups.h"

#include "base/prelude/cw_math.h"

#include <algorithm>
#include <numeric>

namespace cutaway::driver {

RandomGroup::RandomGroup(uint32_t seed) : random_(seed) {
  using Make = ValueId (RandomGroup::*)();
  constexpr Make kinds[] = {&RandomGroup::map, &RandomGroup::moved, &RandomGroup::gathered, &RandomGroup::rows, &RandomGroup::normalised, &RandomGroup::window, &RandomGroup::product, &RandomGroup::convolution};
  const ValueId v = (this->*kinds[seed % 8])();
  b_.output(v, "out");
  if (below(3) == 0) b_.output(worked(v, 2), "more");
}

Tensor RandomGroup::random_tensor(DType t, const Dims& dims) {
  Tensor out(t, dims);
  for (int64_t i = 0; i < out.count(); ++i) {
    const int64_t n = below(2001) - 1000;
    const auto x = static_cast<float>(n) * 1e-3f;
    if (t == DType::f32) out.mutable_as<float>()[i] = x;
    else if (t == DType::f64) out.mutable_as<double>()[i] = x;
    else if (t == DType::f16) out.mutable_as<cw_u16>()[i] = cw_f32_to_f16(x);
    else if (t == DType::bf16) out.mutable_as<cw_u16>()[i] = cw_f32_to_bf16(x);
    else if (t == DType::boolean) out.mutable_as<uint8_t>()[i] = n & 1;
    else std::memcpy(out.mutable_data() + i * dtype_size(t), &n, static_cast<size_t>(dtype_size(t)));
  }
  return out;
}

ValueId RandomGroup::value(DType t, const Dims& dims, bool fixed) {
  Tensor data = random_tensor(t, dims);
  if (fixed) return b_.constant(std::move(data));
  const ValueId v = b_.param("p" + std::to_string(inputs.size()), {t, make_shape(dims)});
  inputs.push_back(std::move(data));
  return v;
}

RandomGroup::Dims RandomGroup::shuffled(size_t rank) {
  Dims perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::shuffle(perm.begin(), perm.end(), random_);
  return perm;
}

ValueId RandomGroup::viewed(ValueId v) {
  const Dims dims = dims_of(v);
  if (dims.empty() || below(2)) return v;
  const Dims perm = shuffled(dims.size());
  Dims back(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) back[static_cast<size_t>(perm[d])] = static_cast<int64_t>(d);
  const ValueId work = make(Op::abs, {make(Op::permute, {v}, {{"perm", perm}})});
  return make(Op::permute, {work}, {{"perm", back}});
}

ValueId RandomGroup::worked(ValueId v, int steps) {
  constexpr Op unary[] = {Op::tanh, Op::sigmoid, Op::exp, Op::neg, Op::erf, Op::sqrt, Op::sin, Op::abs}, exact[] = {Op::neg, Op::abs, Op::sign};
  constexpr Op binary[] = {Op::add, Op::sub, Op::mul, Op::maximum, Op::minimum};
  for (int i = 0; i < steps; ++i) {
    const DType t = b_.type(v).dtype;
    if (t == DType::boolean) {
      v = make(Op::logical_not, {v});
      continue;
    }
    if (below(2)) {
      v = make(is_float(t) ? unary[below(8)] : exact[below(3)], {v});
      continue;
    }
    Dims other = dims_of(v);
    for (int64_t& d : other) d = below(4) == 0 ? 1 : d;
    if (!other.empty() && below(3) == 0) other.erase(other.begin());
    v = make(binary[below(5)], {v, below(5) == 0 ? v : value(t, other, below(2) == 0)});
  }
  return v;
}

ValueId RandomGroup::map() {
  constexpr DType types[] = {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::i64, DType::u8, DType::i16};
  const DType t = types[below(8)];
  const Dims dims{any_of({1, 2, 3}), any_of({1, 5, 8}), any_of({4, 16, 33, 260})};
  ValueId v = worked(viewed(value(t, dims)), 1 + static_cast<int>(below(5)));
  if (below(3) == 0) v = make(Op::cast, {v}, {{"to", types[below(8)]}});
  if (below(3) == 0) v = make(Op::select, {make(Op::less, {v, value(b_.type(v).dtype, {dims[2]})}), v, value(b_.type(v).dtype, {})});
  return v;
}

ValueId RandomGroup::moved() {
  const DType t = below(2) ? DType::f32 : DType::f16;
  const Dims dims{any_of({2, 3}), any_of({4, 6}), any_of({5, 8, 40})};
  const ValueId x = worked(viewed(value(t, dims)), 1);
  switch (below(5)) {
  case 0: {
    Dims low(3), high(3), interior(3);
    for (size_t d = 0; d < 3; ++d) low[d] = below(3), high[d] = below(3), interior[d] = below(2);
    return worked(make(Op::pad, {x, value(t, {}, true)}, {{"low", low}, {"high", high}, {"interior", interior}}), 2);
  }
  case 1: {
    const int64_t axis = below(3);
    Dims other = dims;
    other[static_cast<size_t>(axis)] = 3;
    return worked(make(Op::concat, {x, value(t, other), x}, {{"axis", axis}}), 2);
  }
  case 2: return worked(make(Op::reshape, {make(Op::permute, {x}, {{"perm", shuffled(3)}})}, {{"shape", make_shape({dims[0] * dims[1] * dims[2] / 2, 2})}}), 2);
  case 3: {
    Dims starts(3), sizes(3), steps(3);
    for (size_t d = 0; d < 3; ++d) {
      steps[d] = any_of({1, 1, 2, -1});
      sizes[d] = steps[d] == 1 ? 1 + below(dims[d]) : dims[d] / 2;
      starts[d] = steps[d] < 0 ? dims[d] - 1 : steps[d] == 1 ? below(dims[d] - sizes[d] + 1) : 0;
    }
    return worked(make(Op::slice, {x}, {{"starts", starts}, {"sizes", sizes}, {"steps", steps}}), 2);
  }
  default: return make(Op::add, {make(Op::iota, {}, {{"axis", below(2)}, {"shape", make_shape({4, 8})}, {"to", DType::f32}}), value(DType::f32, {8})});
  }
}

ValueId RandomGroup::gathered() {
  const Dims dims{any_of({3, 7}), any_of({4, 6}), any_of({5, 8})};
  const int64_t axis = below(3);
  const DType index = below(2) ? DType::i64 : DType::i32;
  const Dims shape = below(2) ? Dims{3, 4} : Dims{5};
  Tensor at(index, shape);
  for (int64_t i = 0; i < at.count(); ++i) {
    const int64_t n = below(2 * dims[static_cast<size_t>(axis)]) - dims[static_cast<size_t>(axis)];
    std::memcpy(at.mutable_data() + i * dtype_size(index), &n, static_cast<size_t>(dtype_size(index)));
  }
  const ValueId x = viewed(value(below(2) ? DType::f32 : DType::bf16, dims)), picks = b_.param("at", {index, make_shape(shape)});
  inputs.push_back(at);
  return worked(make(Op::gather, {x, picks}, {{"axis", axis}}), 2);
}

ValueId RandomGroup::rows() {
  constexpr DType types[] = {DType::f32, DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::i64, DType::u8};
  constexpr Op ops[] = {Op::reduce_sum, Op::reduce_max, Op::reduce_min, Op::reduce_prod};
  const Dims dims{any_of({1, 3, 9}), any_of({2, 5, 70}), any_of({3, 12, 40, 300, 1100})};
  Dims axes = shuffled(3);
  axes.resize(1 + static_cast<size_t>(below(3)));
  std::sort(axes.begin(), axes.end());
  const ValueId x = worked(viewed(value(types[below(8)], dims)), static_cast<int>(below(3)));
  const ValueId r = make(ops[below(4)], {x}, {{"axes", axes}, {"keepdims", below(2)}});
  return worked(r, static_cast<int>(below(3)));
}

// Softmax, or a layer norm.
ValueId RandomGroup::normalised() {
  constexpr DType types[] = {DType::f32, DType::f32, DType::f16, DType::bf16};
  const DType t = types[below(4)];
  const Dims dims{any_of({1, 7}), any_of({2, 33}), any_of({5, 64, 100, 257, 768, 2500})};
  const Dims axes{below(4) == 0 ? 1 : 2};
  const Attrs over{{"axes", axes}, {"keepdims", int64_t{1}}};
  const ValueId x = worked(viewed(value(t, dims)), static_cast<int>(below(2)));
  if (below(2)) {
    const ValueId e = make(Op::exp, {make(Op::sub, {x, make(Op::reduce_max, {x}, over)})});
    return worked(make(Op::div, {e, make(Op::reduce_sum, {e}, over)}), static_cast<int>(below(2)));
  }
  const ValueId scale = value(t, {1, 1, 1}, true);
  const ValueId d = make(Op::sub, {x, make(Op::mul, {make(Op::reduce_sum, {x}, over), scale})});
  const ValueId variance = make(Op::mul, {make(Op::reduce_sum, {make(Op::mul, {d, d})}, over), make(Op::abs, {scale})});
  return worked(make(Op::mul, {d, make(Op::rsqrt, {make(Op::add, {variance, value(t, {1}, true)})})}), static_cast<int>(below(3)));
}

ValueId RandomGroup::window() {
  constexpr DType types[] = {DType::f32, DType::f16, DType::i32};
  const size_t rank = 3 + static_cast<size_t>(below(2));
  Dims dims{any_of({1, 2}), any_of({3, 16})}, window{1, 1}, strides{1, 1}, dilations{1, 1}, low{0, 0}, high{0, 0};
  while (dims.size() < rank) {
    dims.push_back(any_of({7, 13}));
    window.push_back(1 + below(3)), strides.push_back(1 + below(2)), dilations.push_back(1 + below(2)), low.push_back(below(2)), high.push_back(below(2));
  }
  const char* kinds[] = {"sum", "max", "min"};
  const ValueId x = viewed(value(types[below(3)], dims));
  return worked(make(Op::reduce_window, {x}, {{"kind", std::string(kinds[below(3)])}, {"window", window}, {"strides", strides}, {"dilations", dilations}, {"pad_low", low}, {"pad_high", high}}), static_cast<int>(below(3)));
}

ValueId RandomGroup::product() {
  constexpr DType types[] = {DType::f32, DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::u8, DType::i64};
  const DType t = types[below(8)];
  const int64_t m = any_of({1, 3, 17, 64, 70}), n = any_of({1, 5, 32, 64, 130}), k = any_of({1, 7, 16, 48, 65});
  Dims a{m, k}, b{k, n};
  const int64_t batches = below(3), shared = below(3);
  for (int64_t i = 0; i < batches; ++i) {
    const int64_t e = any_of({1, 2, 3});
    a.insert(a.begin(), below(4) ? e : 1);
    if (i < shared) b.insert(b.begin(), below(4) ? e : 1);
  }
  const ValueId y = make(Op::dot_general, {viewed(value(t, a)), viewed(value(t, b, below(2) == 0))});
  return worked(y, static_cast<int>(below(4)));
}

ValueId RandomGroup::convolution() {
  constexpr DType types[] = {DType::f32, DType::f32, DType::f32, DType::f16, DType::bf16, DType::i32};
  const DType t = types[below(6)];
  const size_t spatial = 1 + static_cast<size_t>(below(3));
  const int64_t groups = any_of({1, 1, 2, 8}), channels = any_of({1, 3, 8, 20}), outputs = any_of({1, 2, 17, 40});
  Dims x{any_of({1, 3}), groups * channels}, w{groups * outputs, channels}, strides, dilations, low, high;
  for (size_t d = 0; d < spatial; ++d) {
    x.push_back(any_of({6, 9, 11}));
    w.push_back(1 + below(3));
    strides.push_back(1 + below(2)), dilations.push_back(1 + below(2)), low.push_back(below(2)), high.push_back(below(3));
  }
  const ValueId y = make(Op::conv, {viewed(value(t, x)), viewed(value(t, w, below(4) != 0))}, {{"strides", strides}, {"dilations", dilations}, {"pad_low", low}, {"pad_high", high}, {"groups", groups}});
  const ValueId z = worked(y, static_cast<int>(below(4)));
  // A second one reads it, so that it may lie channels last.
  if (below(2)) return z;
  const Dims ones(spatial, 1), zeros(spatial, 0);
  Dims v{4, groups * outputs};
  v.resize(spatial + 2, 1);
  return make(Op::conv, {z, value(t, v, true)}, {{"strides", ones}, {"dilations", ones}, {"pad_low", zeros}, {"pad_high", zeros}, {"groups", int64_t{1}}});
}

} // namespace cutaway::driver
