#include "ir/builder.h"
#include "ir/eval.h"
#include "ir/rewriter.h"
#include "ir/text.h"

#include <gtest/gtest.h>

#include <random>

namespace cutaway {
namespace {

TEST(Dim, ArithmeticIsCanonical) {
  const Dim n = Dim::symbol("N"), m = Dim::symbol("M");
  EXPECT_EQ((n + m) * (n + m), n * n + Dim(2) * n * m + m * m);
  EXPECT_EQ(floordiv(n * 12, 4), n * 3);
  EXPECT_EQ(mod(n * 12, 4), Dim(0));
  EXPECT_EQ((n - n), Dim(0));
  EXPECT_EQ(floordiv(Dim(-7), 2), Dim(-4));
  EXPECT_TRUE((Dim(INT64_MAX) + 1).is_invalid());
  EXPECT_TRUE(floordiv(n, 0).is_invalid());
}

TEST(Dim, EvaluatesUnderBindings) {
  const Dim h = Dim::symbol("H");
  const Dim out = floordiv(h + 2 - 3, 2) + 1;
  for (int64_t v = 1; v < 50; ++v) EXPECT_EQ(out.eval({{"H", v}}), (v + 1) / 2) << v;
  EXPECT_FALSE(out.eval({}).has_value());
  EXPECT_EQ(dim_max(h, 3).eval({{"H", 7}}), 7);
}

TEST(Dim, QuotesWhatIsNoIdentifier) { EXPECT_EQ(Dim::symbol("a.b\n\"").str(), "\"a.b\\x0a\\\"\""); }

// A random graph of elementwise ops, views and reductions over [4, 6].
Graph random_graph(uint32_t seed) {
  std::mt19937 random(seed);
  Graph g;
  Builder b(g);
  std::vector<ValueId> values{b.param("x", {DType::f32, {4, 6}}), b.param("y", {DType::f32, {4, 6}})};
  const auto any = [&] { return values[random() % values.size()]; };
  for (int i = 0; i < 30; ++i) {
    b.set_origin(b.origin({"node" + std::to_string(i), "Random", {}}));
    const Op unary[] = {Op::neg, Op::abs, Op::exp, Op::tanh}, binary[] = {Op::add, Op::sub, Op::mul, Op::maximum};
    ValueId v;
    switch (random() % 4) {
    case 0: v = *b.make(unary[random() % 4], {any()}); break;
    case 1: v = *b.make(Op::permute, {*b.make(Op::permute, {any()}, {{"perm", std::vector<int64_t>{1, 0}}})}, {{"perm", std::vector<int64_t>{1, 0}}}); break;
    case 2: v = *b.make(Op::mul, {any(), b.constant(Tensor::of<float>(DType::f32, {}, {random() % 2 ? 1.0f : 0.5f}))}); break;
    default: v = *b.make(binary[random() % 4], {any(), any()});
    }
    values.push_back(v);
  }
  b.output(values.back(), "out");
  b.output(values[values.size() / 2], "mid");
  return g;
}

TEST(Edit, UndoGivesBackAndReplayGivesForward) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const Graph before = random_graph(seed);
    Graph g = before;
    Journal journal;
    Rewriter rw(g, &journal, "test");
    std::mt19937 random(seed);
    for (NodeId id : g.order()) {
      if (!g.alive(id) || g.node(id).op == Op::param || random() % 3) continue;
      const Node n = g.node(id);
      rw.begin("double-negation", {entity(id)});
      const ValueId a = rw.insert_one(Op::neg, {n.outputs[0]}, {}, g.next(id), rw.derive("test", {n.origin}));
      const ValueId b = rw.insert_one(Op::neg, {a}, {}, g.next(g.value(a).producer), n.origin);
      for (const Use& u : std::vector<Use>(g.uses(n.outputs[0])))
        if (u.node != g.value(a).producer) rw.set_input(u.node, u.input, b);
      rw.annotate_group(id, GroupId(seed));
      rw.annotate_layout(n.outputs[0], {1, 0});
      rw.end();
    }
    const Graph after = g;
    for (auto it = journal.events().rbegin(); it != journal.events().rend(); ++it) undo(g, *it);
    ASSERT_EQ(g, before) << seed;
    for (const Event& e : journal.events()) replay(g, e);
    ASSERT_EQ(g, after) << seed;
  }
}

TEST(Text, ParseGivesBackWhatWasPrinted) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const Graph g = random_graph(seed);
    const std::string text = print(g);
    const auto back = parse_graph(text);
    ASSERT_TRUE(back.ok()) << back.error().str() << "\n" << text;
    ASSERT_EQ(*back, g) << text;
    ASSERT_EQ(print(*back), text);
  }
}

TEST(Text, HandWrittenTextNeedsNoIds) {
  const auto g = parse_graph(R"(graph "lesson" {
    # x + 0.0 turns -0 into +0
    %x "x" = param() {index = 0, shape = shape [N, 4], to = type f32} : f32[N, 4]
    %zero = constant() {data = tensor f32[] hex"00000000"} : f32[]
    %y = add(%x, %zero) : f32[N, 4]
    return %y "y"
  })");
  ASSERT_TRUE(g.ok()) << g.error().str();
  EXPECT_EQ(g->node_count(), 3u);
}

TEST(Text, DamagedTextIsADiagnosticAndNeverACrash) {
  const std::string text = print(random_graph(3));
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = text;
    for (uint32_t k = random() % 3 + 1; k-- > 0;) bad[random() % bad.size()] = static_cast<char>(random() % 96 + 32);
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    const auto g = parse_graph(bad);
    if (!g.ok()) {
      EXPECT_EQ(g.error().fault, Fault::invalid_model);
    }
  }
}

TEST(Infer, BroadcastsAndRefuses) {
  const std::vector<Type> fits{{DType::f32, {4, 1}}, {DType::f32, {6}}}, clash{{DType::f32, {4, 5}}, {DType::f32, {6}}};
  EXPECT_EQ((*infer(Op::add, fits, {}))[0].str(), "f32[4, 6]");
  const auto bad = infer(Op::add, clash, {});
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().what.find("5 and 6"), std::string::npos);
}

TEST(Infer, ReportsOverflow) {
  const std::vector<Type> x{{DType::f32, {int64_t{1} << 40, int64_t{1} << 40}}};
  const auto t = infer(Op::neg, x, {});
  ASSERT_FALSE(t.ok());
  EXPECT_EQ(t.error().fault, Fault::limit);
}

Tensor eval_one(Op op, const Attrs& attrs, std::vector<Tensor> in) {
  std::vector<Type> types;
  for (const Tensor& t : in) types.push_back(t.type());
  const auto out = infer(op, types, attrs);
  return (*eval(op, attrs, in, *out))[0];
}

TEST(Eval, IntegersAreTotal) {
  const Tensor a = Tensor::of<int32_t>(DType::i32, {4}, {7, INT32_MIN, 5, -7}), b = Tensor::of<int32_t>(DType::i32, {4}, {0, -1, 3, 3});
  EXPECT_EQ(eval_one(Op::div, {}, {a, b}).ints(), (std::vector<int64_t>{0, INT32_MIN, 1, -2}));
  EXPECT_EQ(eval_one(Op::mod, {}, {a, b}).ints(), (std::vector<int64_t>{0, 0, 2, 2}));
  EXPECT_EQ(eval_one(Op::rem, {}, {a, b}).ints(), (std::vector<int64_t>{0, 0, 2, -1}));
}

TEST(Eval, SliceWalksBackwards) {
  const Tensor x = Tensor::of<int32_t>(DType::i32, {5}, {0, 1, 2, 3, 4});
  const Attrs attrs{{"starts", std::vector<int64_t>{4}}, {"steps", std::vector<int64_t>{-2}}, {"sizes", std::vector<int64_t>{3}}};
  EXPECT_EQ(eval_one(Op::slice, attrs, {x}).ints(), (std::vector<int64_t>{4, 2, 0}));
}

TEST(Eval, ConvolutionAgreesWithPlainLoops) {
  std::mt19937 random(5);
  Tensor x(DType::f64, {2, 4, 7, 6}), w(DType::f64, {6, 2, 3, 2});
  for (int64_t i = 0; i < x.count(); ++i) x.mutable_as<double>()[i] = static_cast<double>(random() % 9) - 4;
  for (int64_t i = 0; i < w.count(); ++i) w.mutable_as<double>()[i] = static_cast<double>(random() % 9) - 4;
  const std::vector<int64_t> two{2, 1}, dilation{1, 2}, low{1, 0}, high{2, 1};
  const Tensor y = eval_one(Op::conv, {{"strides", two}, {"dilations", dilation}, {"pad_low", low}, {"pad_high", high}, {"groups", int64_t{2}}}, {x, w});
  ASSERT_EQ(y.dims(), (std::vector<int64_t>{2, 6, 4, 5}));
  int64_t at = 0;
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t o = 0; o < 6; ++o)
      for (int64_t i = 0; i < 4; ++i)
        for (int64_t j = 0; j < 5; ++j, ++at) {
          double sum = 0;
          for (int64_t c = 0; c < 2; ++c)
            for (int64_t r = 0; r < 3; ++r)
              for (int64_t s = 0; s < 2; ++s) {
                const int64_t h = i * 2 + r - 1, q = j + s * 2;
                if (h < 0 || h >= 7 || q >= 6) continue;
                sum += x.as_double(((n * 4 + o / 3 * 2 + c) * 7 + h) * 6 + q) * w.as_double(((o * 2 + c) * 3 + r) * 2 + s);
              }
          ASSERT_EQ(y.as_double(at), sum) << at;
        }
}

TEST(Eval, IndexOutOfRangeIsBadInput) {
  const Tensor x = Tensor::of<float>(DType::f32, {2}, {1, 2}), i = Tensor::scalar_i64(2);
  const Type out{DType::f32, {}};
  const std::vector<Tensor> in{x, i};
  const auto r = eval(Op::gather, {{"axis", int64_t{0}}}, in, std::span(&out, 1));
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().fault, Fault::bad_input);
}

} // namespace
} // namespace cutaway
