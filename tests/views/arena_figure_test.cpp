#include "arena/arena_figure.h"
#include "place/reading.h"
#include "plan/pack/pack.h"
#include "registry.h"
#include "views_support.h"

namespace cutaway::views {
namespace {

constexpr int64_t kib = 1024;

struct Life {
  const char* name;
  int64_t start, end, bytes;
  const char* next = nullptr; // takes the bytes over at `at`
  int64_t at = 0;
};
// Two layers of an encoder, sequence 100, as the mock-ups have them.
constexpr Life lives[] = {{"embed", 0, 9, 150 * kib},          {"L0.q", 1, 5, 150 * kib},
                          {"L0.k", 2, 5, 150 * kib},           {"L0.v", 3, 7, 150 * kib},
                          {"L0.scores", 4, 7, 480000, "softmax", 5}, {"L0.ctx", 6, 8, 150 * kib},
                          {"L0.attn", 7, 13, 150 * kib, "norm1", 8}, {"L0.ffn1", 9, 12, 600 * kib, "gelu", 10},
                          {"L0.ffn2", 11, 20, 150 * kib, "norm2", 12}, {"L1.q", 12, 16, 150 * kib},
                          {"L1.k", 13, 16, 150 * kib},         {"L1.v", 14, 18, 150 * kib},
                          {"L1.scores", 15, 18, 480000, "softmax", 16}, {"L1.ctx", 17, 19, 150 * kib},
                          {"L1.attn", 18, 24, 150 * kib, "norm1", 19}, {"L1.ffn1", 20, 23, 600 * kib, "gelu", 21},
                          {"L1.ffn2", 22, 25, 150 * kib}};

// A document whose memory pass packs these by `strategy`.
Place packed(const std::string& strategy) {
  plan::Problem problem;
  for (const Life& l : lives) problem.buffers.push_back({l.start, l.end, l.bytes, 64});
  plan::PackTrace story;
  const auto plan = plan::pack(problem, strategy, {.trace = &story});
  trace::ArenaPanel arena;
  arena.peak = plan->peak, arena.bound = plan->lower_bound, arena.alignment = 64, arena.strategy = strategy;
  for (int i = 0; i < 25; ++i) arena.launches.push_back("K" + std::to_string(i) + " matmul");
  trace::GraphEditor graph;
  std::vector<trace::Step> steps(1);
  for (uint32_t i = 0; i < std::size(lives); ++i) {
    const Life& l = lives[i];
    trace::GraphNode node;
    node.id = NodeId(i), node.name = l.name, node.scope = "encoder/layer." + std::string(l.name).substr(1, 1), node.outputs = {ValueId(i)};
    graph.set(node);
    trace::ArenaBuffer b;
    b.id = BufferId(i), b.name = l.name, b.values = {ValueId(i)}, b.dtype = "f32", b.shape = "[1,100,384]";
    b.start = l.start, b.end = l.end, b.bytes = l.bytes, b.offset = plan->offsets[i], b.category = uint8_t(i % 12);
    if (l.next) b.chain = {l.next}, b.chain_at = {l.at};
    if (i % 3 == 1) b.views = {{"Transpose_" + std::to_string(i), ValueId(100 + i), l.end - 1, l.end}};
    arena.buffers.push_back(b);
  }
  for (const plan::Placement& p : story.placements) {
    trace::ArenaBuffer& b = arena.buffers[size_t(p.buffer)];
    b.placed_at = int64_t(steps.size()), b.gaps_tried = int64_t(p.tried.size()), b.placed_by = p.by;
    for (const plan::GapTried& gap : p.tried) b.gaps.push_back({gap.offset, gap.size, gap.needed, plan::lies_in(p.accepted, gap)});
    trace::Step& step = steps.emplace_back();
    step.id = uint32_t(steps.size() - 1), step.panels = {0}, step.entities = {entity(ValueId(b.id.v)), entity(b.id)};
  }
  for (const plan::PackResult& r : plan::pack_all(problem)) arena.strategies.push_back({r.strategy, r.peak, r.peak == r.lower_bound});
  trace::Pass pass;
  pass.last = uint32_t(steps.size());
  auto document = std::make_shared<trace::Document>();
  document->traces.push_back(std::make_shared<trace::Trace>(graph.graph(), std::move(steps), std::vector{pass}, std::vector<trace::Panel>{arena}));
  Place out;
  out.document = document;
  out.step = uint32_t(document->traces[0]->steps().size() - 1);
  return out;
}

QString heard(const Figure& figure, Entity e) {
  for (const Hit& hit : figure.hits)
    if (hit.entity == e) return hit.name;
  return {};
}

TEST(ArenaFigure, EveryStepIsReadableInEveryModeSizeAndTheme) {
  for (const char* name : {"light", "dark", "contrast", "paper"}) {
    const Theme look = themeNamed(name);
    for (const char* strategy : {"by-size", "best-fit", "search", "colouring"}) {
      const Place place = packed(strategy);
      for (const ViewMode& mode : viewNamed("arena")->modes)
        for (const QSizeF room : {QSizeF(480, 320), QSizeF(640, 500), QSizeF(856, 648), QSizeF(1080, 600), QSizeF(1600, 1000)})
          for (Place at = place; at.step-- > 0;) {
            SCOPED_TRACE(std::string(name) + ' ' + strategy + ' ' + mode.id + ' ' + std::to_string(int(room.width())) + " step " + std::to_string(at.step));
            at.selected = entity(BufferId(at.step % 17));
            expectReadable(mode.figure(at, look, room), look, mode.id);
          }
    }
  }
}

TEST(ArenaFigure, AStepShowsTheGapsRefusedAndTheOneTaken) {
  const Theme look = themeNamed("light");
  const Place place = packed("by-size");
  const auto* arena = place.trace()->panel<trace::ArenaPanel>(0);
  int refusals = 0;
  for (const trace::ArenaBuffer& b : arena->buffers) {
    Place at = place;
    at.step = uint32_t(b.placed_at);
    const QString all = wordsOf(arenaOffsets(at, look, {1080, 600}), look).join('\n');
    for (size_t i = 0; i < b.gaps.size(); ++i) {
      const trace::ArenaGap& gap = b.gaps[i];
      const QString row = QString("%1   %2").arg(i + 1).arg(gap.size < 0 ? "open above" : "");
      EXPECT_TRUE(all.contains(row)) << b.name.str() << ' ' << all.toStdString();
      if (gap.taken) {
        EXPECT_TRUE(all.contains("taken: ")) << b.name.str();
      } else {
        EXPECT_TRUE(all.contains("refused: ")) << b.name.str();
        ++refusals;
      }
    }
  }
  EXPECT_GT(refusals, 3);
  EXPECT_FALSE(wordsOf(arenaOffsets(place, look, {1080, 600}), look).join('\n').contains("Still to come"));
}

TEST(ArenaFigure, OnlyWhatIsPlacedIsDrawnAndHeard) {
  const Theme look = themeNamed("light");
  Place at = packed("search");
  const auto* arena = at.trace()->panel<trace::ArenaPanel>(0);
  at.step = 5;
  const Figure figure = arenaOffsets(at, look, {1080, 600});
  for (const trace::ArenaBuffer& b : arena->buffers) EXPECT_EQ(!heard(figure, entity(b.id)).isEmpty(), b.placed_at <= 5) << b.name.str();
}

TEST(ArenaFigure, ChainsViewsAndGapsAreHeard) {
  const Theme look = themeNamed("light");
  const Place place = packed("by-size");
  for (const ViewMode& mode : viewNamed("arena")->modes) {
    const Figure figure = mode.figure(place, look, {1080, 600});
    EXPECT_TRUE(heard(figure, entity(BufferId(4))).contains("then holds softmax, in place, from launch 5")) << mode.id;
    EXPECT_TRUE(heard(figure, entity(BufferId(4))).contains("shared by the view Transpose_4, read in [6, 7)")) << mode.id;
    EXPECT_TRUE(heard(figure, entity(BufferId(4))).contains("placed ")) << mode.id;
  }
  bool strategy = false;
  for (const Hit& hit : arenaOffsets(place, look, {1080, 600}).hits) strategy |= hit.name.startsWith("strategy by-size") && hit.name.endsWith("used");
  EXPECT_TRUE(strategy);
}

TEST(ArenaFigure, BytesNamesWhatLivesAtTheFullestLaunch) {
  const Theme look = themeNamed("light");
  const Place place = packed("by-size");
  const auto* arena = place.trace()->panel<trace::ArenaPanel>(0);
  std::vector<int64_t> load(25);
  for (const trace::ArenaBuffer& b : arena->buffers)
    for (int64_t t = b.start; t < b.end; ++t) load[size_t(t)] += b.bytes;
  const auto fullest = std::max_element(load.begin(), load.end()) - load.begin();
  const QStringList all = wordsOf(arenaBytes(place, look, {1080, 600}), look);
  EXPECT_TRUE(all.contains(QString("launch %1").arg(fullest)));
  for (const trace::ArenaBuffer& b : arena->buffers)
    if (b.start <= fullest && fullest < b.end) {
      EXPECT_TRUE(all.contains(qt(b.name))) << b.name.str();
    }
}

TEST(ArenaFigure, TheBufferOfAStepFallsIntoPlaceAfterItsGapsAreTried) {
  const Theme look = themeNamed("light");
  Place at = packed("by-size");
  const auto wordAt = [&](const Figure& figure, double part) {
    RecordingSheet sheet(look);
    part < 1 ? figure.entry(sheet, part) : figure.draw(sheet);
    for (const auto& w : sheet.words)
      if (w.text == "L1.ffn1") return w.box.top();
    return -1.;
  };
  for (const trace::ArenaBuffer& b : at.trace()->panel<trace::ArenaPanel>(0)->buffers)
    if (b.name.view() == "L1.ffn1") at.step = uint32_t(b.placed_at);
  const Figure figure = arenaOffsets(at, look, {1080, 600});
  ASSERT_TRUE(figure.entry);
  EXPECT_LT(wordAt(figure, 0), wordAt(figure, .5));
  EXPECT_LT(wordAt(figure, .5), wordAt(figure, .9));
  EXPECT_NEAR(wordAt(figure, .9999), wordAt(figure, 1), 1);
  at.step = 0;
  EXPECT_FALSE(arenaOffsets(at, look, {1080, 600}).entry);
}

TEST(ArenaFigure, ABufferIsFoundByItsEntity) {
  const Place place = packed("search");
  ASSERT_TRUE(bufferOf(place, entity(BufferId(3))));
  EXPECT_EQ(bufferOf(place, entity(BufferId(3)))->name.view(), "L0.v");
  EXPECT_FALSE(bufferOf(place, entity(BufferId(99))));
  EXPECT_FALSE(bufferOf(place, entity(NodeId(3))));
  EXPECT_FALSE(bufferOf({}, entity(BufferId(3))));
}

TEST(ArenaFigure, Shots) {
  if (!qEnvironmentVariableIsSet("CUTAWAY_SHOTS")) GTEST_SKIP() << "CUTAWAY_SHOTS names no folder";
  for (const char* name : {"light", "dark", "paper"}) {
    const Theme look = themeNamed(name);
    Place place = packed("by-size");
    for (const trace::ArenaBuffer& b : place.trace()->panel<trace::ArenaPanel>(0)->buffers)
      if (b.name.view() == "L1.v") place.step = uint32_t(b.placed_at);
    for (const ViewMode& mode : viewNamed("arena")->modes)
      for (const QSizeF room : {QSizeF(640, 500), QSizeF(1080, 600)}) {
        QString why;
        const QString file = QString("%1/arena-%2-%3-%4.png").arg(qEnvironmentVariable("CUTAWAY_SHOTS"), mode.id, name).arg(room.width());
        EXPECT_TRUE(writeFigure(file, look, mode.figure(place, look, room), {}, &why)) << qPrintable(why);
      }
  }
}

} // namespace
} // namespace cutaway::views
