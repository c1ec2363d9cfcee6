#include "driver/pipeline.h"
#include "ir/builder.h"
#include "runtime/reference.h"

#include <gtest/gtest.h>

#include <random>

namespace cutaway::driver {
namespace {

// Random graphs of elementwise work, views, reductions, windows and products over one shape with extents that all differ.
class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : random_(seed), b_(graph) {
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
  std::vector<ValueId> full_;
};

std::vector<Tensor> inputs_of(uint32_t seed) {
  std::mt19937 random(seed + 1000);
  std::vector<Tensor> out;
  for (int k = 0; k < 2; ++k) {
    Tensor t(DType::f32, {3, 5, 7});
    for (int64_t i = 0; i < t.count(); ++i) t.mutable_as<float>()[i] = static_cast<float>(random() % 4001) * 1e-3f - 2;
    out.push_back(t);
  }
  return out;
}

TEST(RandomGraphs, StrictIsEagerBitForBitAndTheJournalRunsBothWays) {
  Settings settings;
  settings.math = Math::strict;
  settings.kernel_cache = false;
  Compiler compiler(settings, 2);
  for (uint32_t seed = 0; seed < 12; ++seed) {
    const RandomGraph random(seed);
    const auto inputs = inputs_of(seed);
    const auto eager = runtime::run_reference(random.graph, inputs);
    ASSERT_TRUE(eager.ok());
    const auto compiled = compiler.compile(random.graph, true);
    ASSERT_TRUE(compiled.ok()) << compiled.error().str();
    auto made = (*compiled)->executable->make_context(compiler.pool());
    ASSERT_TRUE(made.ok());
    const auto& context = *made;
    for (int run = 0; run < 2; ++run) {
      const auto out = (*compiled)->executable->run(inputs, *context);
      ASSERT_TRUE(out.ok());
      for (size_t i = 0; i < eager->size(); ++i) ASSERT_TRUE((*out)[i].same_bits((*eager)[i])) << "seed " << seed << " output " << i;
    }
    Graph g = (*compiled)->graph;
    const auto& events = (*compiled)->journal.events();
    for (auto it = events.rbegin(); it != events.rend(); ++it) undo(g, *it);
    ASSERT_EQ(g, random.graph);
    for (const Event& e : events) replay(g, e);
    ASSERT_EQ(g, (*compiled)->graph);
  }
}

TEST(RandomGraphs, AnyPrefixOfThePassesIsAValidProgram) {
  Settings settings;
  Compiler compiler(settings, 1);
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const RandomGraph random(seed);
    const auto inputs = inputs_of(seed);
    const auto before = runtime::run_reference(random.graph, inputs);
    for (const char* pass : {"fold", "simplify", "cse", "dce", "layout", "fuse"}) {
      const auto part = compiler.compile(random.graph, false, pass);
      ASSERT_TRUE(part.ok());
      const auto after = runtime::run_reference((*part)->graph, inputs);
      ASSERT_TRUE(after.ok());
      for (size_t i = 0; i < before->size(); ++i) ASSERT_TRUE((*after)[i].same_bits((*before)[i])) << pass << " seed " << seed;
    }
  }
}

} // namespace
} // namespace cutaway::driver
