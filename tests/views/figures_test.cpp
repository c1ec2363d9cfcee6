#include "driver/document/make.h"
#include "kit/theme.h"
#include "place/reading.h"
#include "registry.h"

#include <gtest/gtest.h>

#include <QGuiApplication>

#include <algorithm>

// Every view at every size and theme: all text inside the page, none too small, none over another.
namespace cutaway::views {
namespace {

// Keeps where each text stands; draws nothing.
class TextSheet : public Sheet {
 public:
  struct Seen {
    QRectF box;
    QString text;
    double px = 0;
  };
  explicit TextSheet(const Theme& t) : Sheet(t, 1) {}
  QList<Seen> seen;

  void push(QPointF shift, const QPainterPath*, double) override { shifts_.append(shift), shift_ += shift; }
  void pop() override { shift_ -= shifts_.takeLast(); }

 protected:
  void rawPath(const QPainterPath&, const Fill&, const Stroke&) override {}
  void rawText(QPointF at, const QString& s, const Type& type, const Prepared& p) override {
    seen.append({QRectF(at.x(), at.y() - px(type.px) * .74, p.width, px(type.px) * .94).translated(shift_), s, px(type.px)});
  }

 private:
  QList<QPointF> shifts_;
  QPointF shift_;
};

void expectReadable(const Figure& figure, const Theme& theme, const std::string& where) {
  TextSheet sheet(theme);
  figure.draw(sheet);
  EXPECT_FALSE(sheet.seen.empty()) << where;
  auto& seen = sheet.seen;
  std::sort(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.box.top() < b.box.top(); });
  const QRectF page(QPointF(-.5, -.5), figure.size + QSizeF(1, 1));
  for (qsizetype i = 0; i < seen.size(); ++i) {
    EXPECT_GE(seen[i].px, 10) << where << ": " << qPrintable(seen[i].text);
    EXPECT_TRUE(page.contains(seen[i].box)) << where << ": '" << qPrintable(seen[i].text) << "' leaves the page";
    for (qsizetype j = i + 1; j < seen.size() && seen[j].box.top() < seen[i].box.bottom(); ++j)
      EXPECT_FALSE(seen[i].box.adjusted(.5, .5, -.5, -.5).intersects(seen[j].box)) << where << ": '" << qPrintable(seen[i].text) << "' over '" << qPrintable(seen[j].text) << "'";
  }
  for (const Hit& hit : figure.hits) EXPECT_FALSE(hit.name.isEmpty()) << where;
}

Place compiled(const std::string& path) {
  auto session = driver::Session::open(path, {.settings = {}, .threads = 2, .journal = true});
  EXPECT_TRUE(session.ok()) << path;
  std::vector<std::string> notes;
  const auto feeds = driver::make_feeds((*session)->model(), {}, {}, notes);
  driver::RunInfo info;
  EXPECT_TRUE((*session)->run(*feeds, driver::Mode::compiled, &info).ok());
  Place place;
  place.document = std::make_shared<trace::Document>(driver::make_document(**session, info, path));
  place.step = static_cast<uint32_t>(place.trace()->steps().size() - 1);
  return place;
}

class Figures : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    static int count = 1;
    static char name[] = "test_views";
    static char* arguments[] = {name, nullptr};
    static const auto* gui = new QGuiApplication(count, arguments); // outlives the caches of texts
    (void)gui;
    for (const char* file : {"resources/models/sample.onnx", "tests/data/cases/layout-compose-two-transposes/model.onnx", "tests/data/cases/streams-wide-diamond/model.onnx",
                             "tests/data/cases/types-dequantize-per-axis/model.onnx"})
      places.emplace_back(file, compiled(std::string(CUTAWAY_SOURCES) + "/" + file));
    places.emplace_back("nothing", Place());
  }
  static void TearDownTestSuite() { places.clear(); }
  static Theme theme(const char* name) {
    QString why;
    auto t = Theme::load(":/visual", name, &why);
    EXPECT_TRUE(t) << qPrintable(why);
    return *t;
  }

  static std::vector<std::pair<std::string, Place>> places;
};
std::vector<std::pair<std::string, Place>> Figures::places;

TEST_F(Figures, TextIsReadableAtEverySizeAndInEveryTheme) {
  for (const char* name : {"light", "dark", "contrast", "paper"}) {
    const Theme look = theme(name);
    for (const auto& [model, place] : places)
      for (const ViewRow& view : allViews())
        for (const ViewMode& mode : view.modes)
          for (const QSizeF room : {QSizeF(480, 320), QSizeF(640, 400), QSizeF(856, 648), QSizeF(1080, 600), QSizeF(1600, 1000)})
            for (const bool early : {false, true}) {
              Place at = place;
              if (early) at.step = 0;
              const Figure figure = mode.figure(at, look, room);
              expectReadable(figure, look, std::string(view.id) + ' ' + mode.id + " of " + model + " in " + name + " at " + std::to_string(int(room.width())));
              const std::string id = view.id; // a graph is as large as it is
              if (look.name() == "paper" && id != "graph" && at.document) {
                EXPECT_EQ(figure.size.width(), 673) << view.id;
              }
            }
  }
}

TEST_F(Figures, EverySelectionIsReadable) {
  const Theme look = theme("light");
  const Place& place = places.front().second;
  const trace::GraphDoc graph = place.trace()->at(place.step);
  const auto check = [&](Entity e) {
    Place at = place;
    at.selected = e;
    for (const ViewRow& view : allViews())
      for (const ViewMode& mode : view.modes) expectReadable(mode.figure(at, look, {856, 648}), look, std::string(view.id) + ' ' + mode.id + " with " + entity_key(e));
  };
  for (const auto& n : graph.nodes) check(entity(n.id));
  for (const auto& v : graph.values) check(entity(v.id));
  for (const auto& k : graph.groups) check(entity(k.id));
  check(entity(BufferId(0))), check(entity(NodeId(99999)));
}

// What a figure says, line by line.
QStringList wordsOf(const Figure& figure, const Theme& look) {
  TextSheet sheet(look);
  figure.draw(sheet);
  QStringList out;
  for (const auto& s : sheet.seen) out << s.text;
  return out;
}

TEST_F(Figures, TheSelectedOpChoosesTheKernelWhoseSourceIsShown) {
  const Theme look = theme("light");
  const Place& place = places.front().second;
  const trace::GraphDoc graph = place.trace()->at(place.step);
  int shown = 0;
  for (const auto& n : graph.nodes) {
    if (!n.group) continue;
    Place at = place;
    at.selected = entity(n.id);
    const QStringList words = wordsOf(viewNamed("source")->figure(at, look, {1080, 600}), look);
    EXPECT_TRUE(words.contains(qt(graph.groups.find(n.group)->name))) << n.name.str();
    ++shown;
  }
  EXPECT_GT(shown, 0);
}

TEST_F(Figures, TheSelectedValueChoosesWhatLayoutDraws) {
  const Theme look = theme("light");
  const Place& place = places.front().second;
  const trace::GraphDoc graph = place.trace()->at(place.step);
  for (const auto& v : graph.values) {
    Place at = place;
    at.selected = entity(v.id);
    const Figure figure = viewNamed("layout")->figure(at, look, {1080, 600});
    ASSERT_FALSE(figure.hits.empty());
    EXPECT_EQ(figure.hits.front().entity, entity(v.id));
  }
}

TEST_F(Figures, RampRunsFromOneEndToTheOther) {
  for (const char* name : {"light", "dark", "contrast", "paper"}) {
    const Theme look = theme(name);
    const bool dark = look.ramp(0).lightness() < look.ramp(1).lightness();
    for (int i = 0; i < 20; ++i) {
      const int a = look.ramp(i / 20.).lightness(), b = look.ramp((i + 1) / 20.).lightness();
      EXPECT_TRUE(dark ? a <= b : a >= b) << name << " at " << i;
    }
    EXPECT_EQ(look.ramp(-1), look.ramp(0));
    EXPECT_EQ(look.ramp(2), look.ramp(1));
  }
}

} // namespace
} // namespace cutaway::views
