#include "place/reading.h"
#include "registry.h"
#include "views_support.h"

// Every view at every size and theme: all text inside the page, none too small, none over another.
namespace cutaway::views {
namespace {

class Figures : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const char* file : {"resources/models/sample.onnx", "tests/data/cases/layout-compose-two-transposes/model.onnx", "tests/data/cases/streams-wide-diamond/model.onnx",
                             "tests/data/cases/types-dequantize-per-axis/model.onnx"})
      places.emplace_back(file, compiled(std::string(CUTAWAY_SOURCES) + "/" + file));
    places.emplace_back("nothing", Place());
  }
  static void TearDownTestSuite() { places.clear(); }

  static std::vector<std::pair<std::string, Place>> places;
};
std::vector<std::pair<std::string, Place>> Figures::places;

TEST_F(Figures, TextIsReadableAtEverySizeAndInEveryTheme) {
  for (const char* name : {"light", "dark", "contrast", "paper"}) {
    const Theme look = themeNamed(name);
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
  const Theme look = themeNamed("light");
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

TEST_F(Figures, TheSelectedOpChoosesTheKernelWhoseSourceIsShown) {
  const Theme look = themeNamed("light");
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
  const Theme look = themeNamed("light");
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
    const Theme look = themeNamed(name);
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
