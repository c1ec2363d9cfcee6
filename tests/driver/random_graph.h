#pragma once
#include "ir/builder.h"

#include <random>

namespace cutaway::driver {

// Random graphs of elementwise work, views, reductions, windows and products over one shape with extents that all differ.
class RandomGraph {
 public:
  // With `host_ops` some ops have no kernel on a GPU.
  explicit RandomGraph(uint32_t seed, bool host_ops = false) : random_(seed), b_(graph), host_ops_(host_ops) {
    full_ = {b_.param("x", {DType::f32, {3, 5, 7}}), b_.param("y", {DType::f32, {3, 5, 7}})};
    for (int i = 0; i < 25; ++i) step();
    b_.output(full_.back(), "out");
    b_.output(full_[full_.size() / 2], "mid");
  }
  Graph graph;

 private:
  ValueId any() { return full_[random_() % full_.size()]; }
  Tensor random_tensor(std::vector<int64_t> dims) {
    Tensor t(DType::f32, std::move(dims));
    for (int64_t i = 0; i < t.count(); ++i) t.mutable_as<float>()[i] = static_cast<float>(random_() % 2001) * 1e-3f - 1;
    return t;
  }
  ValueId make(Op op, std::vector<ValueId> in, Attrs attrs = {}) { return *b_.make(op, std::move(in), std::move(attrs)); }

  void step() {
    const Op unary[] = {Op::neg, Op::tanh, Op::sigmoid, Op::erf}, binary[] = {Op::add, Op::sub, Op::mul, Op::maximum};
    const Op fold[] = {Op::reduce_sum, Op::reduce_max, Op::reduce_min};
    if (host_ops_ && random_() % 8 == 0) return push(make(Op::topk, {any()}, {{"axis", int64_t{2}}, {"k", int64_t{7}}, {"largest", int64_t{1}}}));
    switch (random_() % 7) {
    case 0: return push(make(unary[random_() % 4], {any()}));
    case 1: { // softmax-like: a row value comes back to the full extents
      const ValueId x = any();
      const std::vector<int64_t> axes = random_() % 2 ? std::vector<int64_t>{2} : std::vector<int64_t>{0, 1};
      return push(make(Op::sub, {x, make(fold[random_() % 3], {x}, {{"axes", axes}, {"keepdims", int64_t{1}}})}));
    }
    case 2: { // a transpose, work on it, and back
      const ValueId t = make(Op::permute, {any()}, {{"perm", std::vector<int64_t>{2, 0, 1}}});
      const ValueId w = random_() % 2 ? make(Op::abs, {t}) : t;
      return push(make(Op::permute, {w}, {{"perm", std::vector<int64_t>{1, 2, 0}}}));
    }
    case 3: return push(make(Op::dot_general, {any(), b_.constant(random_tensor({7, 7}))}));
    case 4: { // attention-like product of two values
      const ValueId a = any(), t = make(Op::permute, {any()}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
      return push(make(Op::dot_general, {make(Op::dot_general, {a, t}), any()}));
    }
    case 5: {
      const std::vector<int64_t> one(3, 1), window{1, 3, 2}, low{0, 1, 0}, high{0, 1, 1};
      return push(make(Op::reduce_window, {any()}, {{"kind", std::string(random_() % 2 ? "max" : "sum")}, {"window", window}, {"strides", one}, {"dilations", one}, {"pad_low", low}, {"pad_high", high}}));
    }
    default: return push(make(binary[random_() % 4], {any(), random_() % 3 ? any() : b_.constant(random_tensor({5, 1}))}));
    }
  }
  void push(ValueId v) {
    // Values stay near one, so that no product runs away to infinity.
    full_.push_back(make(Op::tanh, {v}));
  }

  std::mt19937 random_;
  Builder b_;
  bool host_ops_;
  std::vector<ValueId> full_;
};

inline std::vector<Tensor> inputs_of(uint32_t seed) {
  std::mt19937 random(seed + 1000);
  std::vector<Tensor> out;
  for (int k = 0; k < 2; ++k) {
    Tensor t(DType::f32, {3, 5, 7});
    for (int64_t i = 0; i < t.count(); ++i) t.mutable_as<float>()[i] = static_cast<float>(random() % 4001) * 1e-3f - 2;
    out.push_back(t);
  }
  return out;
}

} // namespace cutaway::driver
