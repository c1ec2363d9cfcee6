#include "driver/document/make.h"
#include "driver/document/mirror.h"
#include "driver/steps.h"
#include "plan/pack/pack.h"
#include "trace/file/document_file.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace cutaway::driver {
namespace {

// Sessions over a model of the tests' data, with their steps kept.
struct Compiled {
  std::unique_ptr<Session> session;
  RunInfo info;
  std::string path;

  explicit Compiled(const std::string& name) : path(std::string(CUTAWAY_TEST_DATA) + "/cases/" + name + "/model.onnx") {
    auto opened = Session::open(path, {.settings = {}, .threads = 2, .journal = true});
    EXPECT_TRUE(opened.ok());
    session = std::move(*opened);
    std::vector<std::string> notes;
    auto feeds = make_feeds(session->model(), {}, {}, notes);
    EXPECT_TRUE(feeds.ok());
    EXPECT_TRUE(session->run(*feeds, Mode::compiled, &info).ok());
  }
};

bool is_leaf(const Node& n) { return n.op == Op::param || n.op == Op::constant; }

// The document's graph says the same of nodes, wiring and groups as the compiler's.
void expect_mirrors(const trace::GraphDoc& doc, const Graph& g, size_t step) {
  size_t ops = 0;
  for (NodeId id : g.order()) {
    const Node& n = g.node(id);
    for (ValueId v : n.outputs) ASSERT_TRUE(doc.values.contains(v)) << step;
    if (is_leaf(n)) continue;
    ++ops;
    const trace::GraphNode* seen = doc.nodes.find(id);
    ASSERT_TRUE(seen) << step;
    EXPECT_EQ(seen->inputs, n.inputs) << step;
    EXPECT_EQ(seen->outputs, n.outputs) << step;
    EXPECT_EQ(seen->group, n.group) << step;
    if (n.group) {
      EXPECT_TRUE(doc.groups.contains(n.group)) << step;
    }
  }
  EXPECT_EQ(doc.nodes.size(), ops) << step;
}

class DocumentOf : public testing::TestWithParam<const char*> {};

TEST_P(DocumentOf, EveryStepMirrorsTheGraph) {
  const Compiled c(GetParam());
  const auto document = make_document(*c.session, c.info, c.path);
  ASSERT_EQ(document.traces.size(), c.session->last_segments().size());
  for (size_t t = 0; t < document.traces.size(); ++t) {
    const CompiledSegment& segment = *c.session->last_segments()[t];
    const trace::Trace& trace = *document.traces[t];
    const Steps steps(segment.graph, segment.journal.events());
    for (uint32_t i = 0; i <= segment.passes.back().last_event; ++i) expect_mirrors(trace.at(i), steps.at(i), i);
    expect_mirrors(trace.at(static_cast<uint32_t>(trace.steps().size()) - 1), segment.graph, trace.steps().size());
  }
}

TEST_P(DocumentOf, CountsAgreeWithTheGraphAtEveryStep) {
  const Compiled c(GetParam());
  for (const auto& trace : make_document(*c.session, c.info, c.path).traces)
    for (const trace::Step& s : trace->steps()) {
      const auto g = trace->at(s.id);
      EXPECT_EQ(s.after.nodes, static_cast<int64_t>(g.nodes.size()));
      EXPECT_GE(s.after.traffic_bytes, 0);
      EXPECT_LE(s.title.size(), 48u) << s.title.str();
      EXPECT_LE(s.explanation.size(), 240u);
    }
}

TEST_P(DocumentOf, ArenaIsThePlanThatRuns) {
  const Compiled c(GetParam());
  const auto document = make_document(*c.session, c.info, c.path);
  for (size_t t = 0; t < document.traces.size(); ++t) {
    const auto& plan = c.session->last_segments()[t]->executable->memory();
    const auto* arena = document.traces[t]->panel<trace::ArenaPanel>(0);
    ASSERT_EQ(arena != nullptr, !plan.placements.empty());
    if (!arena) continue;
    EXPECT_EQ(arena->peak, plan.peak);
    EXPECT_EQ(arena->bound, plan.lower_bound);
    ASSERT_EQ(arena->buffers.size(), plan.placements.size());
    for (const trace::ArenaBuffer& b : arena->buffers) EXPECT_GT(b.placed_at, 0);
  }
}

// Step by step: what was said to be free was, and the last step's arena is the plan.
TEST_P(DocumentOf, ArenaTellsHowThePlanCameAbout) {
  const Compiled c(GetParam());
  const auto document = make_document(*c.session, c.info, c.path);
  for (const auto& trace : document.traces) {
    const auto* arena = trace->panel<trace::ArenaPanel>(0);
    if (!arena) continue;
    for (const trace::ArenaBuffer& b : arena->buffers) {
      EXPECT_EQ(b.chain_at.size(), b.chain.size());
      EXPECT_TRUE(std::is_sorted(b.chain_at.begin(), b.chain_at.end()));
      for (const trace::ArenaView& v : b.views) EXPECT_TRUE(b.start <= v.start && v.start < v.end && v.end <= b.end) << v.name.str();
      EXPECT_EQ(std::count_if(b.gaps.begin(), b.gaps.end(), [](const auto& g) { return g.taken; }), b.gaps.empty() ? 0 : 1);
      for (const trace::ArenaGap& gap : b.gaps)
        for (const trace::ArenaBuffer& o : arena->buffers) {
          if (o.placed_at >= b.placed_at || o.end <= b.start || b.end <= o.start) continue;
          EXPECT_TRUE(o.offset + o.bytes <= gap.offset || (gap.size >= 0 && gap.offset + gap.size <= o.offset));
        }
    }
    EXPECT_FALSE(arena->incumbents.empty()); // the standard strategy is the search
    EXPECT_EQ(arena->incumbents.back().peak, arena->peak);
    EXPECT_EQ(arena->strategies.size(), plan::strategies().size());
    int used = 0;
    for (const trace::ArenaStrategy& s : arena->strategies) {
      EXPECT_GE(s.peak, arena->bound) << s.name.str();
      EXPECT_EQ(s.optimal, s.peak == arena->bound);
      used += s.name == arena->strategy && s.peak == arena->peak;
    }
    EXPECT_EQ(used, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, DocumentOf, testing::Values("fuse-conv-bn-conv-is-output", "streams-wide-diamond", "memory-output-nobody-reads", "export-names-with-quotes-and-unicode"),
                         [](const auto& i) {
                           std::string s = i.param;
                           std::replace(s.begin(), s.end(), '-', '_');
                           return s;
                         });

} // namespace
} // namespace cutaway::driver
