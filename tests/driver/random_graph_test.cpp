#include "driver/pipeline.h"
#include "driver/random_graph.h"
#include "runtime/reference.h"

#include <gtest/gtest.h>

namespace cutaway::driver {
namespace {

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
