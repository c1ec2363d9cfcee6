#pragma once
#include "import/onnx/model.h"
#include "ir/builder.h"

#include <deque>
#include <functional>
#include <set>

// From the structs of an ONNX file to a graph of primitives, as far as it goes. What cannot be lowered yet (an op that we
// do not know, a shape or a branch that depends on computed data) is handed back as `rest`: it and all that depends on
// it follow in a later segment, when the values it waits for are there. One mechanism serves data-dependent shapes,
// control flow and unknown ops.
namespace cutaway::onnx {

enum class BreakCause { unknown_op, data_dependent, control_flow, element_type };
const char* break_cause_name(BreakCause cause); // "unknown-op", "data-dependent", "control-flow", "element-type"

// One node still to run. Bodies of functions and branches are inlined as renamed copies, hence the shared ownership.
struct WorkNode {
  std::shared_ptr<const Node> node;
  std::shared_ptr<const Opsets> opsets;
};

// A value that exists before the segment runs.
struct EnvEntry {
  Type type;            // static, or symbolic where only the graph is wanted
  const Tensor* value = nullptr; // what it holds in this run, if known
  bool computed = false;         // by an earlier segment: a later one may always specialise on its value
};
using Env = std::map<std::string, EnvEntry>;

struct Deferred {
  WorkNode work;
  BreakCause cause = BreakCause::unknown_op;
  std::string reason;  // a sentence without a full stop
  bool first = false;  // it could not be lowered itself; the others only wait for its results
};

struct Segment {
  cutaway::Graph graph;
  std::vector<std::string> inputs;  // name of the value that feeds each param
  std::vector<std::string> outputs; // name of each graph output
  std::vector<std::string> value_guards; // inputs on whose very values the graph was specialised
  std::vector<Deferred> rest;       // in topological order
};

// The parts of a model that all segments share. Constants of inlined bodies are added while lowering.
class Program {
 public:
  explicit Program(std::shared_ptr<const Model> model);

  const Model& model() const { return *model_; }
  // All nodes of the main graph.
  std::vector<WorkNode> nodes() const;
  // Initializers (of inlined bodies too); null where the name is none.
  const Tensor* constant(const std::string& name) const;
  // Why an initializer cannot be used; empty where it can.
  std::string unreadable(const std::string& name) const;

  // Lowers what it can of `nodes`. `wanted`: names that must be outputs where the segment defines them.
  Result<Segment> lower(const std::vector<WorkNode>& nodes, const Env& env, const std::vector<std::string>& wanted);

  // A renamed copy of a body: names it defines get the prefix, names in `rename` are replaced, attributes that refer to
  // the caller's take its values (ONNX FunctionProto), and its initializers become constants of the program.
  struct Body {
    const std::vector<Node>* nodes;
    const std::vector<TensorData>* initializers; // may be null
    std::map<std::string, std::string> rename;
    std::map<std::string, const Attribute*> attributes;
    std::string prefix;
  };
  std::vector<WorkNode> inline_body(const Body& body, std::shared_ptr<const Opsets> opsets);

 private:
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Opsets> opsets_;
  std::map<std::string, Tensor> constants_;
  std::map<std::string, std::string> unreadable_;
};

// All names that a node reads: its inputs, and what its subgraphs capture.
std::vector<std::string> names_read(const Node& node);

class OpContext;
using LowerFn = void (*)(OpContext&);
struct LoweringRow {
  const char* op;
  LowerFn lower;
  const char* domain = "";
};
// One table a family (lower_*.cpp).
std::vector<LoweringRow> control_rows();
std::vector<LoweringRow> elementwise_rows();
std::vector<LoweringRow> reduction_rows();
std::vector<LoweringRow> normalization_rows();
std::vector<LoweringRow> movement_rows();
std::vector<LoweringRow> indexing_rows();
std::vector<LoweringRow> contraction_rows();
std::vector<LoweringRow> pooling_rows();
std::vector<LoweringRow> quantization_rows();
std::vector<LoweringRow> recurrent_rows();
// The lowering of an op, or null.
LowerFn find_lowering(const std::string& domain, const std::string& op);
// Every row, sorted by name (for `cutaway ops`).
std::vector<LoweringRow> all_lowerings();

} // namespace cutaway::onnx
