// The graph's layout: what is open at first, dot in the background, and what a step leaves behind.
#include "graph/graph_painter.h"
#include "graph/layout_runner.h"
#include "graph/series.h"
#include "views/graph_support.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <gtest/gtest.h>

#include <random>

namespace cutaway::views {
namespace {

DotQuestion chain(int count) {
  DotQuestion q;
  for (int i = 0; i < count; ++i) q.input.nodes.push_back({80. + i, 28});
  for (int i = 0; i + 1 < count; ++i) q.input.edges.push_back({i, i + 1, {90, 30}});
  q.text = dotText(q.input);
  return q;
}

bool waitFor(const std::function<bool()>& done, int ms = 20000) {
  QElapsedTimer clock;
  for (clock.start(); !done() && clock.elapsed() < ms;) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
  return done();
}

struct Runner : testing::Test {
  Runner() { lightTheme(), QObject::connect(&runner, &LayoutRunner::answered, &runner, [this] { ++answers; }); }
  LayoutRunner runner;
  int answers = 0;
};

TEST_F(Runner, SaysWhatDotSaysByItself) {
  const std::vector<DotQuestion> asked{chain(3), chain(5), chain(8), chain(13)};
  runner.request(asked);
  ASSERT_TRUE(waitFor([this] { return answers == 1; }));
  for (const DotQuestion& q : asked) {
    const DotResult* got = runner.known(q.text);
    const DotResult alone = runDot({q})[0];
    ASSERT_TRUE(got);
    EXPECT_TRUE(got->exact);
    EXPECT_EQ(got->nodes, alone.nodes);
    EXPECT_EQ(got->edges, alone.edges);
    EXPECT_EQ(got->size, alone.size);
  }
}

TEST_F(Runner, AnswersOnlyWhatIsStillWanted) {
  runner.request({chain(200), chain(201), chain(202)});
  runner.cancel();
  EXPECT_FALSE(runner.busy());
  runner.request({chain(4)});
  ASSERT_TRUE(waitFor([this] { return answers == 1; }));
  EXPECT_TRUE(runner.known(chain(4).text));
  EXPECT_FALSE(runner.known(chain(202).text));
  runner.request({chain(6)}); // and goes on
  ASSERT_TRUE(waitFor([this] { return answers == 2; }));
}

TEST_F(Runner, DrawsPlainlyAfterTheTimeAndTriesAgain) {
  runner.timeout = 1;
  runner.request({chain(400)});
  ASSERT_TRUE(waitFor([this] { return answers == 1; }));
  EXPECT_FALSE(runner.known(chain(400).text)->exact);
  EXPECT_EQ(runner.trouble(), "Layout stopped after 0.001 s");
  runner.timeout = 20000;
  runner.forgetPlain();
  EXPECT_FALSE(runner.known(chain(400).text));
  runner.request({chain(400)});
  ASSERT_TRUE(waitFor([this] { return answers == 2; }));
  EXPECT_TRUE(runner.known(chain(400).text)->exact);
}

TEST_F(Runner, DrawsPlainlyWithoutDot) {
  runner.program = "no-such-program-as-this";
  runner.request({chain(4), chain(5), chain(6)});
  ASSERT_TRUE(waitFor([this] { return answers == 1; }));
  for (const int n : {4, 5, 6}) EXPECT_FALSE(runner.known(chain(n).text)->exact);
  EXPECT_TRUE(runner.trouble().contains("does not start"));
}

int shownItems(const trace::GraphDoc& graph, const QSet<QString>& open) {
  const GraphModel model = buildGraph(graph, {}, {open, false});
  int shown = 0;
  for (const GraphItem& item : model.items) shown += item.parent >= 0 && model.items[size_t(item.parent)].open;
  return shown;
}

// All scopes of one depth are open, as deep as fits: one depth more would show too much.
TEST(GraphOpen, AsManyLevelsAsFit) {
  lightTheme();
  const Place sample = compiledSample(), made = chainWithDrift(64);
  for (const Place* place : {&sample, &made}) {
    ASSERT_TRUE(place->trace());
    const trace::GraphDoc graph = place->trace()->at(0);
    const QSet<QString> all = allScopes(graph);
    for (const int most : {1, 4, 9, 20, 40, 1000}) {
      const QSet<QString> open = defaultOpen(graph, {}, most);
      EXPECT_TRUE(open.isEmpty() || shownItems(graph, open) <= most);
      QSet<QString> next = open;
      for (const QString& path : all)
        if (const qsizetype slash = path.lastIndexOf('/'); slash < 0 || open.contains(path.left(slash))) next.insert(path);
      EXPECT_TRUE(next == open || shownItems(graph, next) > most);
    }
  }
}

DotResult joined(const DotInput& input) {
  const Series series(input);
  std::vector<DotQuestion> questions;
  for (const DotQuestion* q : series.questions()) questions.push_back(*q);
  const std::vector<DotResult> placed = runDot(questions);
  return series.join([&](const QByteArray& text) {
    for (size_t i = 0; i < questions.size(); ++i)
      if (questions[i].text == text) return &placed[i];
    throw std::runtime_error("a question that was not asked");
  });
}

TEST(Series, ChainAsksNothingAndStandsAsDotPlacesIt) {
  for (const QSizeF label : {QSizeF(90, 30), QSizeF()}) {
    DotQuestion q = chain(5);
    for (DotEdge& e : q.input.edges) e.label = label;
    q.text = dotText(q.input);
    EXPECT_TRUE(Series(q.input).questions().empty());
    const DotResult ours = joined(q.input), dots = runDot({q})[0];
    for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(ours.nodes[i].y(), dots.nodes[i].y(), 2) << i;
    for (size_t i = 0; i < 4 && !label.isEmpty(); ++i) EXPECT_NEAR(ours.labels[i].y(), dots.labels[i].y(), 2) << i;
    EXPECT_NEAR(ours.size.height(), dots.size.height(), 2);
  }
}

// Diamonds in a row, each with a constant of its own, between ports: one question for all that are alike, nothing overlaps.
TEST(Series, PiecesAlikeAreAskedOnce) {
  DotInput in;
  const auto node = [&](QSizeF size) { return in.nodes.push_back(size), int(in.nodes.size()) - 1; };
  int last = node({8, 1});
  in.sources = {last};
  for (int i = 0; i < 20; ++i) {
    const int left = node({120, 28}), right = node({140, 28}), constant = node({80, 26}), end = node({160, 28});
    for (const auto& [from, to] : {std::pair{last, left}, {last, right}, {left, end}, {right, end}, {constant, right}}) in.edges.push_back({from, to, {90, 30}});
    last = end;
  }
  const int out = node({8, 1});
  in.edges.push_back({last, out, {}}), in.sinks = {out};
  const Series series(in);
  QSet<QByteArray> texts;
  for (const DotQuestion* q : series.questions()) texts.insert(q->text);
  EXPECT_EQ(texts.size(), 2); // the first stands below the port
  const DotResult placed = joined(in);
  std::vector<QRectF> boxes;
  for (size_t i = 0; i < in.nodes.size(); ++i) boxes.emplace_back(placed.nodes[i] - QPointF(in.nodes[i].width() / 2, in.nodes[i].height() / 2), in.nodes[i]);
  for (size_t i = 0; i < in.edges.size(); ++i)
    if (const QSizeF size = in.edges[i].label; !size.isEmpty()) boxes.emplace_back(placed.labels[i] - QPointF(size.width() / 2, size.height() / 2), size);
  const QRectF page = QRectF({}, placed.size).adjusted(-1, -1, 1, 1);
  for (size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_TRUE(page.contains(boxes[i])) << i;
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(boxes[i].adjusted(1, 1, -1, -1).intersects(boxes[j])) << i << " and " << j;
  }
  for (size_t i = 0; i < in.edges.size(); ++i) {
    EXPECT_NEAR(placed.edges[i].first().y(), boxes[size_t(in.edges[i].from)].bottom(), 2);
    EXPECT_NEAR(placed.edges[i].last().y(), boxes[size_t(in.edges[i].to)].top(), 2);
  }
}

// Ids of a saved document may be anything.
TEST(GraphOpen, TakesAnyIds) {
  lightTheme();
  trace::GraphEditor graph;
  trace::GraphNode n{.id = NodeId(~0u - 1), .name = "far", .op = "abs"};
  n.outputs = {ValueId(~0u - 1)}, n.inputs = {ValueId(~0u - 2), ValueId()};
  graph.set(n);
  const GraphModel model = buildGraph(graph.graph(), "m", {});
  EXPECT_EQ(model.itemOf(entity(n.id)), 1);
}

// What left the graph stays for one step where it stood, moved along with what is kept in place.
TEST(GraphMarks, GhostsStandAtTheOldPlaces) {
  const Place place = compiledSample();
  const trace::Trace& t = *place.trace();
  int seen = 0;
  for (uint32_t step = 1; step < t.steps().size() && seen < 3; ++step) {
    const auto layout = [&](uint32_t at) {
      const trace::GraphDoc g = t.at(at);
      return layoutGraphNow(g, buildGraph(g, "m", {allScopes(g), false}), lightTheme());
    };
    QHash<QString, QRectF> old = layout(step - 1)->places;
    for (QRectF& box : old) box.translate(5000, 0); // clear of the new scene
    Place now = place;
    now.step = step;
    for (const StepMarks::Ghost& ghost : marksOf(now, *layout(step), old).ghosts) {
      EXPECT_TRUE(std::any_of(old.begin(), old.end(), [&](const QRectF& box) { return box == ghost.box; }));
      ++seen;
    }
  }
  EXPECT_GT(seen, 0);
}

TEST(GraphLayout, PlacesHoldEveryBoxAndRow) {
  const Place place = compiledSample();
  const trace::GraphDoc g = place.trace()->at(uint32_t(place.trace()->steps().size() - 1));
  const auto scene = layoutGraphNow(g, buildGraph(g, "m", {allScopes(g), false}), lightTheme());
  for (const trace::GraphNode& n : g.nodes) EXPECT_EQ(scene->places.value(keyOf(entity(n.id))), scene->boxOf(entity(n.id))) << n.name.str();
}

} // namespace
} // namespace cutaway::views
