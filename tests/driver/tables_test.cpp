#include "driver/document/make.h"
#include "driver/document/mirror.h"
#include "driver/document/tables.h"
#include "driver/document/texts.h"
#include "plan/storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace cutaway::driver {
namespace {

const trace::TablePanel* table(const trace::Trace& trace, const std::string& name) {
  for (const trace::Panel& p : trace.panels())
    if (const auto* t = std::get_if<trace::TablePanel>(&p); t && t->name.view() == name) return t;
  return nullptr;
}
std::string cell(const trace::TablePanel& t, const trace::TablePanel::Row& row, const std::string& column) {
  for (size_t i = 0; i < t.columns.size(); ++i)
    if (t.columns[i].title.view() == column) return row.cells.at(i).str();
  ADD_FAILURE() << "no column " << column;
  return {};
}

struct Ran {
  std::unique_ptr<Session> session;
  std::string path;

  explicit Ran(const std::string& file) : path(file) {
    auto opened = Session::open(path, {.settings = {}, .threads = 2, .journal = true});
    EXPECT_TRUE(opened.ok());
    session = std::move(*opened);
  }
  trace::Document run(const Bindings& dims = {}) {
    std::vector<std::string> notes;
    auto feeds = make_feeds(session->model(), {}, dims, notes);
    EXPECT_TRUE(feeds.ok());
    RunInfo info;
    EXPECT_TRUE(session->run(*feeds, Mode::compiled, &info).ok());
    return make_document(*session, info, path);
  }
};
std::string case_model(const std::string& name) { return std::string(CUTAWAY_TEST_DATA) + "/cases/" + name + "/model.onnx"; }
std::string sample() { return std::string(CUTAWAY_TEST_DATA) + "/../../resources/models/sample.onnx"; }

TEST(Tables, TilesHaveARowForEachContractionKernelAndItsWork) {
  Ran ran(sample());
  const auto document = ran.run();
  ASSERT_FALSE(document.traces.empty());
  const trace::TablePanel* tiles = table(*document.traces[0], "tiles");
  ASSERT_TRUE(tiles);
  size_t row = 0;
  for (const codegen::GroupKernel& k : ran.session->last_segments()[0]->executable->kernels()) {
    if (!k.choice) continue;
    ASSERT_LT(row, tiles->rows.size());
    const auto& r = tiles->rows[row++];
    EXPECT_EQ(cell(*tiles, r, "units"), std::to_string(k.units));
    EXPECT_EQ(std::stod(cell(*tiles, r, "work")), k.flops);
    EXPECT_EQ(k.choice->products * k.choice->row_cuts * k.choice->column_cuts, k.units) << k.name;
    const double macs = static_cast<double>(k.choice->rows) * static_cast<double>(k.choice->columns) * static_cast<double>(k.choice->depth);
    EXPECT_EQ(2 * macs * static_cast<double>(k.choice->products), k.flops) << k.name;
    EXPECT_NE(k.loop_nest.find(k.choice->depthwise ? "depthwise" : std::to_string(k.choice->tile_rows) + " x " + std::to_string(k.choice->tile_columns)), std::string::npos) << k.loop_nest;
  }
  EXPECT_EQ(row, tiles->rows.size());
  EXPECT_GT(row, 0u);
}

TEST(Tables, RankingBeginsWithTheBestAndFallsOff) {
  Ran ran(sample());
  const auto document = ran.run();
  const trace::TablePanel* ranking = table(*document.traces[0], "tile ranking");
  ASSERT_TRUE(ranking);
  double before = 1;
  std::set<std::string> seen;
  for (const auto& r : ranking->rows) {
    const double cycles = std::stod(cell(*ranking, r, "modelled cycles"));
    if (seen.insert(cell(*ranking, r, "kernel")).second) {
      EXPECT_EQ(cycles, 1);
    } else {
      EXPECT_GE(cycles, before);
    }
    before = cycles;
  }
}

TEST(Tables, CopiesAgreeWithTheStorageThatRuns) {
  for (const std::string& path : {sample(), case_model("layout-compose-two-transposes"), case_model("layout-identity-transpose-before-gemm")}) {
    Ran ran(path);
    const auto document = ran.run();
    const Graph& g = ran.session->last_segments()[0]->graph;
    const plan::Storage storage(g);
    const trace::TablePanel* copies = table(*document.traces[0], "copies");
    ASSERT_TRUE(copies);
    size_t views = 0;
    for (const NodeId id : g.order()) views += op_class(g.node(id).op) == OpClass::view;
    EXPECT_EQ(copies->rows.size(), views);
    for (const auto& r : copies->rows) {
      const NodeId id(r.entities.at(0).id);
      const bool copy = cell(*copies, r, "fate") == "copy";
      if (storage.is_alias(id)) {
        EXPECT_FALSE(copy);
      }
      EXPECT_EQ(cell(*copies, r, "written"), copy ? std::to_string(g.type(g.node(id).outputs[0]).bytes()) : "0");
    }
  }
}

TEST(Tables, ValuesEndWithTheStridesThatRun) {
  Ran ran(sample());
  const auto document = ran.run();
  const Graph& g = ran.session->last_segments()[0]->graph;
  const plan::Storage storage(g);
  const trace::Trace& trace = *document.traces[0];
  const auto doc = trace.at(static_cast<uint32_t>(trace.steps().size() - 1));
  for (const NodeId id : g.order())
    for (const ValueId v : g.node(id).outputs) EXPECT_EQ(doc.values.find(v)->strides.str(), strides_text(storage.access(v).strides));
}

TEST(Tables, GuardsNameEachExtentAndTheSymbolBehindIt) {
  Ran ran(case_model("dynamic-one-symbol-two-sizes"));
  std::string symbol;
  for (const auto& input : ran.session->model().graph.inputs)
    for (const auto& dim : *input.type.shape)
      if (dim.kind == onnx::DimSpec::Kind::param) symbol = dim.param;
  ASSERT_FALSE(symbol.empty());
  for (const int64_t extent : {3, 5, 3}) {
    const auto document = ran.run({{symbol, extent}});
    const trace::TablePanel* guards = table(*document.traces[0], "guards");
    ASSERT_TRUE(guards);
    size_t named = 0, rank = 0;
    for (const auto& input : ran.session->model().graph.inputs) rank += input.type.shape->size();
    EXPECT_EQ(guards->rows.size(), rank);
    for (const auto& r : guards->rows)
      if (cell(*guards, r, "why").find("symbol " + symbol) != std::string::npos) {
        ++named;
        EXPECT_EQ(cell(*guards, r, "now"), std::to_string(extent));
        EXPECT_NE(cell(*guards, r, "guard").find("== " + std::to_string(extent)), std::string::npos);
      }
    EXPECT_GT(named, 0u);
  }
  const trace::TablePanel* kept = table(*ran.run({{symbol, 5}}).traces[0], "variants");
  ASSERT_TRUE(kept);
}

TEST(Tables, VariantsAreKeptAndTheOneThatRanIsMarked) {
  Ran ran(case_model("dynamic-one-symbol-two-sizes"));
  std::string symbol;
  for (const auto& input : ran.session->model().graph.inputs)
    for (const auto& dim : *input.type.shape)
      if (dim.kind == onnx::DimSpec::Kind::param) symbol = dim.param;
  ran.run({{symbol, 3}}), ran.run({{symbol, 5}});
  const auto document = ran.run({{symbol, 3}});
  const trace::TablePanel* kept = table(*document.traces[0], "variants");
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->rows.size(), 2u);
  EXPECT_EQ(cell(*kept, kept->rows[0], "state"), "ran last");
  EXPECT_EQ(cell(*kept, kept->rows[1], "state"), "kept");
}

TEST(Tables, LinkedLinesComputeTheOpThatTheyName) {
  Ran ran(sample());
  const auto document = ran.run();
  const trace::Trace& trace = *document.traces[0];
  const auto doc = trace.at(static_cast<uint32_t>(trace.steps().size() - 1));
  size_t links = 0;
  for (const trace::Panel& p : trace.panels()) {
    const auto* text = std::get_if<trace::TextPanel>(&p);
    if (!text) continue;
    const int64_t lines = std::count(text->text.view().begin(), text->text.view().end(), '\n');
    for (const auto& link : text->links) {
      ++links;
      EXPECT_LT(link.line, lines);
      const trace::GraphNode* op = doc.nodes.find(NodeId(link.entity.id));
      ASSERT_TRUE(op);
      EXPECT_EQ(op->group ? entity(op->group) : entity(op->id), text->entity);
    }
  }
  EXPECT_GT(links, 0u);
}

TEST(Texts, LoopNestsNameEveryOpOfTheirKernel) {
  Ran ran(sample());
  const auto document = ran.run();
  const trace::Trace& trace = *document.traces[0];
  size_t kernels = 0;
  for (const trace::Panel& p : trace.panels()) {
    const auto* text = std::get_if<trace::TextPanel>(&p);
    if (!text || text->language.view() != "C") continue;
    std::set<Entity> in_c, in_nest;
    for (const auto& link : text->links) in_c.insert(link.entity);
    for (const trace::Panel& other : trace.panels())
      if (const auto* nest = std::get_if<trace::TextPanel>(&other); nest && nest->entity == text->entity && nest->language.view() == "loop nest")
        for (const auto& link : nest->links) in_nest.insert(link.entity);
    EXPECT_EQ(in_c, in_nest) << text->name.str();
    kernels += !in_c.empty();
  }
  EXPECT_GT(kernels, 0u);
}

TEST(Texts, AssemblyIsOfTheKernelAskedForOrSaysWhyThereIsNone) {
  Ran ran(sample());
  const auto document = ran.run();
  const trace::Trace& trace = *document.traces[0];
  EXPECT_FALSE(assembly_panel(ran.session->compiler(), trace, entity(NodeId(99999))).ok());
  size_t linked = 0;
  for (const codegen::GroupKernel& k : ran.session->last_segments()[0]->executable->kernels()) {
    const auto panel = assembly_panel(ran.session->compiler(), trace, kernel_entity(k));
    if (k.builtin() || !panel) {
      ASSERT_FALSE(panel.ok());
      EXPECT_EQ(panel.error().fault, Fault::unsupported) << panel.error().str();
      continue;
    }
    EXPECT_EQ(panel->language.view(), "assembly");
    EXPECT_NE(("\n" + panel->text.str()).find("\nkernel:"), std::string::npos) << panel->text.str().substr(0, 200);
    const int64_t lines = std::count(panel->text.view().begin(), panel->text.view().end(), '\n');
    for (const auto& link : panel->links) EXPECT_LT(link.line, lines);
    linked += !panel->links.empty();
  }
  std::atomic<bool> called_off{true};
  const auto off = assembly_panel(ran.session->compiler(), trace, kernel_entity(ran.session->last_segments()[0]->executable->kernels()[0]), &called_off);
  EXPECT_FALSE(off.ok());
  EXPECT_EQ(off.error().fault, linked ? Fault::limit : Fault::unsupported);
}

TEST(Tables, StepsStillNameTheirOwnPanels) {
  Ran ran(sample());
  const auto document = ran.run();
  const trace::Trace& trace = *document.traces[0];
  for (const trace::Step& s : trace.steps())
    for (const uint32_t i : s.panels) {
      ASSERT_LT(i, trace.panels().size());
      EXPECT_FALSE(std::holds_alternative<trace::TablePanel>(trace.panels()[i]));
    }
}

} // namespace
} // namespace cutaway::driver
