// Models as people write them, where the data is at hand: CUTAWAY_DATA names the shared folder, CUTAWAY_NODE_CASES the
// unpacked ONNX conformance archive.
#include "import/tensor_files.h"

#include "onnx_protos.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace fs = std::filesystem;
using namespace protos;
using cutaway::onnx::ValueType;

namespace {

std::vector<fs::path> models_under(const fs::path& root) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".onnx") out.push_back(entry.path());
  return out;
}

// The declared form of a value decides which message its file holds.
std::string read_value_file(const std::string& path, const ValueType& type) {
  const auto fault = [](const auto& result) { return result ? std::string() : result.error().str(); };
  switch (type.kind) {
  case ValueType::Kind::sequence: return fault(cutaway::read_sequence_pb(path));
  case ValueType::Kind::optional: return fault(cutaway::read_optional_pb(path));
  default: return fault(cutaway::read_tensor_pb(path));
  }
}

} // namespace

TEST(OnnxCorpus, ZooModelsAreRead) {
  const char* data = std::getenv("CUTAWAY_DATA");
  if (!data) GTEST_SKIP() << "not run: CUTAWAY_DATA is not set";
  const auto models = models_under(fs::path(data) / "data" / "zoo");
  EXPECT_FALSE(models.empty());
  for (const fs::path& path : models) {
    const auto start = std::chrono::steady_clock::now();
    const auto r = cutaway::onnx::read_model(path.string());
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    EXPECT_TRUE(r.ok()) << path << ": " << r.error().str();
    if (r.ok()) RecordProperty(path.parent_path().filename().string(), std::to_string(ms) + " ms");
  }
}

TEST(OnnxCorpus, ConformanceModelsAndTheirValuesAreRead) {
  const char* data = std::getenv("CUTAWAY_NODE_CASES");
  if (!data) GTEST_SKIP() << "not run: CUTAWAY_NODE_CASES is not set";
  size_t models = 0, values = 0;
  for (const fs::path& path : models_under(data)) {
    const auto r = cutaway::onnx::read_model(path.string());
    EXPECT_TRUE(r.ok()) << path << ": " << r.error().str();
    ++models;
    if (!r.ok() || path.filename() != "model.onnx") continue;
    const auto& graph = (*r)->graph;
    std::vector<const cutaway::onnx::ValueInfo*> fed;
    for (const auto& input : graph.inputs) {
      const auto same = [&](const auto& tensor) { return tensor.name == input.name; };
      if (std::none_of(graph.initializers.begin(), graph.initializers.end(), same)) fed.push_back(&input);
    }
    const fs::path set = path.parent_path() / "test_data_set_0";
    for (size_t i = 0; i < fed.size() + graph.outputs.size(); ++i) {
      const bool in = i < fed.size();
      const fs::path file = set / ((in ? "input_" : "output_") + std::to_string(in ? i : i - fed.size()) + ".pb");
      if (!fs::exists(file)) continue;
      const std::string fault = read_value_file(file.string(), in ? fed[i]->type : graph.outputs[i - fed.size()].type);
      EXPECT_EQ(fault, "") << file;
      ++values;
    }
  }
  EXPECT_GT(models, 0u);
  RecordProperty("models", static_cast<int>(models));
  RecordProperty("values", static_cast<int>(values));
}
