#pragma once
#include "ir/tensor.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cutaway {
class MappedFile;
}

// The contents of an ONNX file as plain structs (onnx.proto, IR versions 1 to 13), checked and sorted by reader.h, not
// yet interpreted: op types, attributes and opsets mean nothing here. Names are UTF-8 bytes as the file has them.
namespace cutaway::onnx {

struct Graph;

using Properties = std::vector<std::pair<std::string, std::string>>;
// Domain -> version. The default domain is "" ("ai.onnx" is written as "" everywhere).
using Opsets = std::map<std::string, int64_t>;

// One extent of a declared shape.
struct DimSpec {
  enum class Kind : uint8_t { unknown, value, param };
  Kind kind = Kind::unknown;
  int64_t value = 0; // kind value: never negative
  std::string param; // kind param: never empty
};

struct ValueType {
  enum class Kind : uint8_t { unknown, tensor, sparse_tensor, sequence, optional, map, opaque };
  Kind kind = Kind::unknown;
  std::optional<DType> dtype; // tensor, sparse_tensor: nothing where undefined or complex; map: of the key
  std::optional<std::vector<DimSpec>> shape; // nothing: rank not known
  std::shared_ptr<const ValueType> element;  // of sequence and optional; the value of a map
};

struct ValueInfo {
  std::string name;
  ValueType type;
};

// A tensor of the file: `tensor` is valid, or `unreadable` says why it cannot be used (complex elements and other types
// that Cutaway has not); a use of it is `unsupported`. raw_data and external data are views into the mapping,
// unaligned; 4- and 2-bit types are expanded to one byte an element.
struct TensorData {
  std::string name;
  Tensor tensor;
  std::string unreadable;
};

// COO form: `values` [nnz]; `indices` i64 [nnz] linear or [nnz, rank]. Its name is values.name.
struct SparseTensorData {
  TensorData values, indices;
  std::vector<int64_t> dims;
};

struct Attribute {
  enum class Kind : uint8_t {
    undefined, // only where ref_attr_name is set and the file gives no type
    f,
    i,
    s,
    tensor,
    graph,
    floats,
    ints,
    strings,
    tensors,
    graphs,
    sparse_tensor,
    sparse_tensors,
    type,
    types,
  };
  std::string name;
  Kind kind = Kind::undefined;
  std::string ref_attr_name; // not empty: the value is that attribute of the calling function node; no value here
  float f = 0;
  int64_t i = 0;
  std::string s;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
  std::vector<TensorData> tensors;                  // kind tensor: exactly one
  std::vector<std::shared_ptr<const Graph>> graphs; // kind graph: exactly one
  std::vector<SparseTensorData> sparse_tensors;     // kind sparse_tensor: exactly one
  std::vector<ValueType> types;                     // kind type: exactly one
};
const char* attribute_kind_name(Attribute::Kind kind); // "float", "ints", "tensor", ... as ONNX writes them

struct Node {
  std::string name; // may be empty, need not be unique
  std::string op_type;
  std::string domain; // "" for ai.onnx
  std::string overload;
  std::vector<std::string> inputs;  // "" : left out
  std::vector<std::string> outputs; // "" : not wanted
  std::vector<Attribute> attributes;
  Properties metadata;
  uint32_t index = 0; // place in the file's node list, before sorting

  // The attribute of this name, or null.
  const Attribute* attribute(const std::string& attribute_name) const;
  // How diagnostics call it: `node 'conv1' (Conv)`, or `node #12 (Conv)` where it has no name.
  std::string label() const;
};

// Guaranteed by the reader: nodes in topological order (stable: file order where that is one already); every non-empty
// name a node reads is an initializer, input or earlier node output of this graph or of an enclosing one; names are
// given once per graph (an initializer may share the name of an input, being its default); every output is produced
// (in a subgraph perhaps by an enclosing scope).
struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<TensorData> initializers;
  std::vector<SparseTensorData> sparse_initializers;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> value_info;
  Properties metadata;
};

// A model-local function: (domain, name, overload) is its key. Its nodes keep what Graph guarantees.
struct FunctionDef {
  std::string domain, name, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> attributes;       // names that a call must give
  std::vector<Attribute> attribute_defaults; // names that it may give
  std::vector<Node> nodes;
  std::vector<ValueInfo> value_info;
  Opsets opsets;
};

struct Model {
  int64_t ir_version = 0;
  Opsets opsets; // the default domain is always there where a node of the model uses it
  std::string producer_name, producer_version;
  std::string domain;
  Properties metadata;
  Graph graph;
  std::vector<FunctionDef> functions;
  std::string path;
  std::vector<std::string> warnings; // sentences for the user, for instance that nodes had to be sorted
  std::vector<std::shared_ptr<const MappedFile>> files; // the model, then its external data

  // The function a node calls (its domain, op_type and overload), or null.
  const FunctionDef* function(const Node& node) const;
};

// A few lines: IR version, opsets, counts, inputs and outputs with their declared types, operator histogram.
std::string summary(const Model& model);
// "f32[N, 3, ?]", "seq(i64[?])".
std::string type_text(const ValueType& type);

} // namespace cutaway::onnx
