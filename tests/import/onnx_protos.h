#pragma once
#include "import/onnx/reader.h"

#include <protozero/pbf_writer.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

// Serialised ONNX messages for tests, written field by field (onnx.proto), right or wrong on purpose.
namespace protos {

using protozero::pbf_writer;
using Strings = std::vector<std::string>;
using Ints = std::vector<int64_t>;

// Writes fields into a string: `message([&](pbf_writer& w) { w.add_string(1, "x"); })`.
template <class Fill> std::string message(Fill fill) {
  std::string out;
  pbf_writer w(out);
  fill(w);
  return out;
}

template <class T> std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

enum DataType : int32_t {
  FLOAT = 1,
  UINT8,
  INT8,
  UINT16,
  INT16,
  INT32,
  INT64,
  STRING,
  BOOL,
  FLOAT16,
  DOUBLE,
  UINT32,
  UINT64,
  COMPLEX64,
  COMPLEX128,
  BFLOAT16,
  FLOAT8E4M3FN,
  UINT4 = 21,
  INT4,
  FLOAT4E2M1,
  FLOAT8E8M0,
  UINT2,
  INT2
};

// A TensorProto; `more` adds its data.
template <class More> std::string tensor_with(const std::string& name, int32_t type, const Ints& dims, More more) {
  return message([&](pbf_writer& w) {
    w.add_packed_int64(1, dims.begin(), dims.end());
    w.add_int32(2, type);
    if (!name.empty()) w.add_string(8, name);
    more(w);
  });
}
inline std::string tensor(const std::string& name, int32_t type, const Ints& dims, const std::string& bytes) {
  return tensor_with(name, type, dims, [&](pbf_writer& w) { w.add_bytes(9, bytes); });
}

inline std::string value(const std::string& name, int32_t type = FLOAT, const Ints& dims = {2}) {
  const std::string shape = message([&](pbf_writer& w) {
    for (int64_t d : dims) w.add_message(1, message([&](pbf_writer& dim) { dim.add_int64(1, d); }));
  });
  const std::string tensor_type = message([&](pbf_writer& w) { w.add_int32(1, type), w.add_message(2, shape); });
  return message([&](pbf_writer& w) {
    w.add_string(1, name);
    w.add_message(2, message([&](pbf_writer& t) { t.add_message(1, tensor_type); }));
  });
}

inline std::string node(const std::string& op, const Strings& inputs, const Strings& outputs,
                        const Strings& attributes = {}, const std::string& name = "", const std::string& domain = "") {
  return message([&](pbf_writer& w) {
    for (const std::string& s : inputs) w.add_string(1, s);
    for (const std::string& s : outputs) w.add_string(2, s);
    if (!name.empty()) w.add_string(3, name);
    if (!op.empty()) w.add_string(4, op);
    for (const std::string& s : attributes) w.add_message(5, s);
    if (!domain.empty()) w.add_string(7, domain);
  });
}

inline std::string graph_attribute(const std::string& name, const std::string& graph) {
  return message([&](pbf_writer& w) { w.add_string(1, name), w.add_message(6, graph), w.add_int32(20, 5); });
}

struct GraphParts {
  Strings nodes, initializers, inputs, outputs;
};
inline std::string graph(const GraphParts& parts, const std::string& name = "g") {
  return message([&](pbf_writer& w) {
    for (const std::string& s : parts.nodes) w.add_message(1, s);
    w.add_string(2, name);
    for (const std::string& s : parts.initializers) w.add_message(5, s);
    for (const std::string& s : parts.inputs) w.add_message(11, s);
    for (const std::string& s : parts.outputs) w.add_message(12, s);
  });
}

inline std::string opset(const std::string& domain, int64_t version) {
  return message([&](pbf_writer& w) { w.add_string(1, domain), w.add_int64(2, version); });
}

inline std::string model_of(const std::string& graph, const Strings& functions = {},
                            const Strings& opsets = {opset("", 17)}, int64_t ir_version = 8) {
  return message([&](pbf_writer& w) {
    w.add_int64(1, ir_version);
    w.add_string(2, "test");
    w.add_message(7, graph);
    for (const std::string& s : opsets) w.add_message(8, s);
    for (const std::string& s : functions) w.add_message(25, s);
  });
}
inline std::string model(const GraphParts& parts) {
  return model_of(graph(parts));
}

// A folder of its own, taken away at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "cutaway-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }
  std::string path(const std::string& name = "") const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

using ModelPtr = std::shared_ptr<const cutaway::onnx::Model>;

inline cutaway::Result<ModelPtr> read(const std::string& bytes) {
  const Folder folder;
  return cutaway::onnx::read_model(folder.write("model.onnx", bytes));
}

// The model, or a failed test and null.
inline ModelPtr read_ok(const std::string& bytes) {
  auto result = read(bytes);
  EXPECT_TRUE(result.ok()) << (result ? "" : result.error().str());
  return result ? *result : nullptr;
}

// Expects the fault, and each of the words in the diagnostic.
inline void expect_fault(const cutaway::Diagnostic& d, cutaway::Fault fault, const Strings& words) {
  const std::string text = d.str();
  EXPECT_EQ(cutaway::fault_name(d.fault), std::string(cutaway::fault_name(fault))) << text;
  for (const std::string& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << "no '" << word << "' in: " << text;
  EXPECT_LT(text.size(), 2000u);
}
inline void expect_refused(const std::string& bytes, const Strings& words,
                           cutaway::Fault fault = cutaway::Fault::invalid_model) {
  const auto result = read(bytes);
  ASSERT_FALSE(result.ok());
  expect_fault(result.error(), fault, words);
}

} // namespace protos
