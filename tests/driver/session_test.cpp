#include "driver/describe.h"
#include "driver/session.h"

#include <gtest/gtest.h>

#include <fstream>

namespace cutaway::driver {
namespace {

const std::string sample = std::string(CUTAWAY_TEST_DATA) + "/../../resources/models/sample.onnx";

std::unique_ptr<Session> open_sample(Session::Options options = {}) {
  auto s = Session::open(sample, options);
  EXPECT_TRUE(s.ok());
  return std::move(*s);
}
Feeds feeds(int64_t batch, uint64_t seed = 1) { return {{"image", random_tensor(DType::f32, {batch, 3, 32, 32}, seed)}}; }

TEST(Session, EachShapeIsCompiledOnceAndGivesTheOraclesAnswer) {
  auto s = open_sample();
  for (int64_t batch : {1, 3, 1, 2, 3}) {
    RunInfo info;
    const auto got = s->run(feeds(batch), Mode::compiled, &info);
    const auto want = s->run(feeds(batch), Mode::oracle);
    ASSERT_TRUE(got.ok() && want.ok());
    for (int64_t i = 0; i < (*got)[0].count(); ++i) ASSERT_NEAR((*got)[0].as_double(i), (*want)[0].as_double(i), 1e-4);
    EXPECT_LE(info.variants_compiled, 1);
  }
  RunInfo again;
  ASSERT_TRUE(s->run(feeds(3), Mode::compiled, &again).ok());
  EXPECT_EQ(again.variants_compiled, 0);
}

TEST(Session, StrictEqualsEagerBitForBit) {
  Session::Options options;
  options.settings.math = Math::strict;
  auto s = open_sample(options);
  for (uint64_t seed : {1, 2}) {
    const auto a = s->run(feeds(2, seed), Mode::compiled), b = s->run(feeds(2, seed), Mode::eager);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_TRUE((*a)[0].same_bits((*b)[0]));
  }
}

TEST(Session, MissingAndMisshapenInputsAreNamed) {
  auto s = open_sample();
  const auto missing = s->run({}, Mode::compiled);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().str(), "input 'image': bad-input: it is not given");
  const auto wrong = s->run({{"image", random_tensor(DType::f32, {1, 4, 32, 32}, 0)}}, Mode::compiled);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().fault, Fault::bad_input);
}

TEST(Session, LimitsAndUnknownNamesAreDiagnostics) {
  Session::Options options;
  options.settings.memory_limit = 1000;
  const auto small = open_sample(options)->run(feeds(1), Mode::compiled);
  ASSERT_FALSE(small.ok());
  EXPECT_EQ(small.error().fault, Fault::limit);
  options.settings.memory_limit = 0;
  options.settings.memory_strategy = "by-magic";
  const auto unknown = open_sample(options)->run(feeds(1), Mode::compiled);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().fault, Fault::bad_input);
  EXPECT_FALSE(options.settings.set("math", "loose").ok());
  EXPECT_FALSE(options.settings.set("no.such", "1").ok());
}

TEST(Session, ZeroSizedBatchRuns) {
  auto s = open_sample();
  const auto out = s->run(feeds(0), Mode::compiled);
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ((*out)[0].dims(), (std::vector<int64_t>{0, 10}));
}

TEST(Session, WhatIsNoModelSaysSo) {
  const std::string path = testing::TempDir() + "cutaway_text.onnx";
  std::ofstream(path) << "this is a letter, not a model\n";
  const auto s = Session::open(path, {});
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().fault, Fault::invalid_model);
}

TEST(Describe, EveryStepOfTheSampleHasATitleThatFitsAndASentence) {
  Session::Options options;
  options.journal = true;
  auto s = open_sample(options);
  ASSERT_TRUE(s->run(feeds(1), Mode::compiled).ok());
  const CompiledSegment& c = *s->last_segments()[0];
  Graph g = c.graph;
  for (size_t i = c.journal.events().size(); i-- > 0;) undo(g, c.journal.events()[i]);
  EXPECT_GT(c.journal.events().size(), 100u);
  for (const Event& e : c.journal.events()) {
    const Described d = describe(e, g);
    EXPECT_LE(d.title.size(), 48u) << d.title;
    EXPECT_LE(d.explanation.size(), 240u) << d.explanation;
    EXPECT_EQ(d.explanation.back(), '.') << d.explanation;
    replay(g, e);
  }
  EXPECT_EQ(g, c.graph);
}

TEST(Describe, BytesAreWrittenAsPeopleReadThem) {
  EXPECT_EQ(bytes_text(784 << 10), "784 KiB");
  EXPECT_EQ(bytes_text(3211264), "3.06 MiB");
  EXPECT_EQ(bytes_text(285000000), "271.8 MiB");
}

} // namespace
} // namespace cutaway::driver
