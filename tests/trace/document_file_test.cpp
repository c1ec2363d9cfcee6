#include "trace/file/codec.h"
#include "trace/file/document_file.h"
#include "trace/file/fields.h"
#include "trace/file/migrate.h"
#include "trace/file/scan.h"

#include "trace/random_document.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace cutaway::trace {
namespace {

namespace fs = std::filesystem;

std::string temporary(const std::string& name) {
  return (fs::temp_directory_path() / ("cutaway_" + std::to_string(::getpid()) + "_" + name)).string();
}
std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

class DocumentFile : public testing::TestWithParam<const char*> {
 protected:
  void TearDown() override { fs::remove(path_); }
  std::string path_ = temporary(std::string("document.") + GetParam());
};

TEST_P(DocumentFile, ReadsBackWhatWasWritten) {
  const Document d = random_document(3, 700);
  ASSERT_TRUE(write_document(path_, d).ok());
  EXPECT_TRUE(is_document(path_));
  const auto read = read_document(path_);
  ASSERT_TRUE(read.ok()) << read.error().str();
  EXPECT_EQ(read->model, d.model);
  EXPECT_EQ(read->settings, d.settings);
  EXPECT_EQ(read->breaks, d.breaks);
  const Trace &a = *d.traces[0], &b = *read->traces[0];
  EXPECT_EQ(b.passes(), a.passes());
  EXPECT_EQ(b.name, a.name);
  EXPECT_EQ(b.steps_left_out, a.steps_left_out);
  EXPECT_TRUE(b.panels() == a.panels());
  ASSERT_EQ(b.steps().size(), a.steps().size());
  for (uint32_t i = 0; i < a.steps().size(); ++i) ASSERT_TRUE(same(a.steps()[i], b.steps()[i])) << i;
  for (uint32_t i = 0; i < a.steps().size(); i += 13) ASSERT_TRUE(a.at(i) == b.at(i)) << i;
}

TEST_P(DocumentFile, EditsUndoExactlyAfterReading) {
  ASSERT_TRUE(write_document(path_, random_document(4, 300)).ok());
  const auto read = read_document(path_);
  ASSERT_TRUE(read.ok()) << read.error().str();
  const Trace& t = *read->traces[0];
  GraphDoc g = t.at(299);
  for (uint32_t i = 299; i > 0; --i)
    for (auto e = t.steps()[i].edits.rbegin(); e != t.steps()[i].edits.rend(); ++e) g.undo(*e);
  EXPECT_TRUE(g == t.at(0));
}

TEST_P(DocumentFile, CutAnywhereIsADiagnosticAndNoCrash) {
  ASSERT_TRUE(write_document(path_, random_document(5, 40)).ok());
  const std::string whole = contents(path_);
  for (size_t n = 0; n < whole.size(); n += 61) {
    put(path_, whole.substr(0, n));
    const auto read = read_document(path_);
    ASSERT_FALSE(read.ok()) << n;
    EXPECT_EQ(read.error().fault, Fault::invalid_model);
  }
}

TEST_P(DocumentFile, FlippedBytesNeverCrash) {
  ASSERT_TRUE(write_document(path_, random_document(6, 40)).ok());
  const std::string whole = contents(path_);
  std::mt19937 random(1);
  size_t refused = 0;
  for (int i = 0; i < 600; ++i) {
    std::string bad = whole;
    for (int k = 0; k < 3; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    put(path_, bad);
    refused += !read_document(path_).ok();
  }
  EXPECT_GT(refused, 100u);
}

INSTANTIATE_TEST_SUITE_P(Encodings, DocumentFile, testing::Values("json", "cbor"), [](const auto& i) { return std::string(i.param); });

TEST(DocumentFileJson, IsOrdinaryJsonToAnybodyElse) {
  const std::string path = temporary("plain.json");
  ASSERT_TRUE(write_document(path, random_document(7, 600)).ok());
  const auto j = nlohmann::json::parse(contents(path));
  fs::remove(path);
  EXPECT_EQ(j["schema"], schema);
  size_t steps = 0;
  for (const auto& chunk : j["chunks"]) {
    EXPECT_LE(chunk["steps"].size(), chunk_steps);
    EXPECT_TRUE(chunk["keyframe"].contains("nodes"));
    steps += chunk["steps"].size();
    for (const auto& step : chunk["steps"])
      for (const char* key : {"id", "parent", "phase", "pass", "title", "explanation", "changed", "metrics", "edits", "panels"}) EXPECT_TRUE(step.contains(key)) << key;
  }
  EXPECT_EQ(steps, 600u);
}

TEST(DocumentFileJson, ALaterSchemaIsUnsupportedAndSaysSo) {
  const std::string path = temporary("later.json");
  ASSERT_TRUE(write_document(path, random_document(8, 3)).ok());
  std::string text = contents(path);
  const std::string now = "\"schema\":" + std::to_string(schema);
  text.replace(text.rfind(now), now.size(), "\"schema\":9");
  put(path, text);
  const auto read = read_document(path);
  fs::remove(path);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().fault, Fault::unsupported);
  EXPECT_NE(read.error().str().find("schema 9"), std::string::npos);
}

// A document of before there were such members: they read as empty.
TEST(DocumentFileJson, AnArenaWithoutItsStoryIsRead) {
  const std::string path = temporary("before.json");
  ASSERT_TRUE(write_document(path, random_document(9, 3)).ok());
  std::string text = contents(path);
  for (const std::string key : {"gaps", "gaps_tried", "placed_by", "views", "chain_at", "incumbents", "moves", "cut_short"}) {
    const std::string quoted = '"' + key + "\":";
    ASSERT_NE(text.find(quoted), std::string::npos) << key;
    for (size_t at = 0; (at = text.find(quoted, at)) != std::string::npos;) text[at + 1] = '?'; // as long, so that places stay
  }
  put(path, text);
  const auto read = read_document(path);
  fs::remove(path);
  ASSERT_TRUE(read.ok()) << read.error().str();
  const auto* arena = read->traces[0]->panel<ArenaPanel>(0);
  ASSERT_TRUE(arena);
  ASSERT_EQ(arena->buffers.size(), 1u);
  const ArenaBuffer& b = arena->buffers[0];
  EXPECT_EQ(b.chain.size(), 1u);
  EXPECT_TRUE(b.gaps.empty() && b.views.empty() && b.chain_at.empty() && b.placed_by.empty() && b.gaps_tried == 0);
  EXPECT_TRUE(arena->incumbents.empty() && arena->moves == 0 && !arena->strategies[0].cut_short);
}

TEST(DocumentFileJson, ABufferOutsideItsArenaIsRefused) {
  const std::string path = temporary("outside.json");
  for (const auto& [now, then] : {std::pair<std::string, std::string>{"\"end\":2,\"", "\"end\":9,\""}, {"\"bytes\":64,\"", "\"bytes\":-6,\""}}) {
    ASSERT_TRUE(write_document(path, random_document(9, 3)).ok());
    std::string text = contents(path);
    const size_t at = text.find(now, text.find("\"arena\""));
    ASSERT_NE(at, std::string::npos) << now;
    text.replace(at, now.size(), then);
    put(path, text);
    const auto read = read_document(path);
    fs::remove(path);
    ASSERT_FALSE(read.ok()) << then;
    EXPECT_NE(read.error().str().find("outside the arena"), std::string::npos);
  }
}

TEST(DocumentFileJson, ASchemaOneFileIsRead) {
  const auto read = read_document(CUTAWAY_TEST_DATA "/documents/schema-1.json");
  ASSERT_TRUE(read.ok()) << read.error().str();
  EXPECT_FALSE(read->traces.empty());
}

// A timeline of schema 1 was one run, its lanes names.
TEST(DocumentFileJson, ATimelineOfSchemaOneBecomesOneRun) {
  file::Json j = file::Json::parse(R"({"trace":0,"kind":"timeline","panel":{"name":"run","modelled":true,"lanes":["host","thread 0"],"spans":[{"lane":1,"start_us":2,"duration_us":3}],"flows":[{"to":1}]}})");
  ASSERT_TRUE(file::migrate("", file::Record::panel, j, 1).ok());
  TimelinePanel panel;
  file::Decoder decoder;
  decoder.read(j["panel"], panel);
  ASSERT_TRUE(decoder.ok()) << decoder.error();
  ASSERT_EQ(panel.runs.size(), 1u);
  EXPECT_TRUE(panel.runs[0].modelled);
  EXPECT_EQ(panel.runs[0].lanes, (std::vector<TimelineRun::Lane>{{"host", LaneKind::host}, {"thread 0", LaneKind::work}}));
  EXPECT_EQ(panel.runs[0].spans.at(0).duration_us, 3);
  EXPECT_EQ(panel.runs[0].flows.size(), 1u);
  for (const char* odd : {R"({"kind":7,"panel":{}})", R"({"kind":"timeline","panel":{"lanes":7}})", R"({"kind":"timeline"})", "[]"}) {
    file::Json hostile = file::Json::parse(odd);
    EXPECT_TRUE(file::migrate("", file::Record::panel, hostile, 1).ok());
  }
}

std::span<const std::byte> bytes(const std::string& s) { return std::as_bytes(std::span(s.data(), s.size())); }

TEST(DocumentScan, NestingOver64IsRefusedBeforeDecoding) {
  EXPECT_FALSE(file::scan_json(bytes(std::string(64, '[') + std::string(64, ']'))));
  EXPECT_TRUE(file::scan_json(bytes(std::string(65, '[') + std::string(65, ']'))));
  EXPECT_FALSE(file::scan_json(bytes("\"" + std::string(1000, '[') + "\"")));
  EXPECT_FALSE(file::scan_cbor(bytes(std::string(63, '\x81') + '\x01')));
  EXPECT_TRUE(file::scan_cbor(bytes(std::string(1'000'000, '\x81') + '\x01')));
}

} // namespace
} // namespace cutaway::trace
