#pragma once
#include "import/onnx/op_context.h"

#include <unordered_map>

namespace cutaway::onnx {

// The state of lowering one segment; lowering.h's Program::lower runs it.
class Lowerer {
 public:
  Lowerer(Program& program, const Env& env);

  Result<Segment> run(const std::vector<WorkNode>& nodes, const std::vector<std::string>& wanted);

  Builder& builder() { return builder_; }
  Program& program() { return program_; }
  // The value of a name: defined here, an input (a param is made), or a constant; invalid where it is none of these.
  ValueId value(const std::string& name);
  void define(const std::string& name, ValueId v);
  std::optional<Tensor> known(ValueId v);
  // Nodes to be lowered next, before the rest of the work list.
  void push_front(std::vector<WorkNode> nodes);
  const std::string& input_name(int64_t param) const { return segment_.inputs[static_cast<size_t>(param)]; }

 private:
  Status step(const WorkNode& work);
  Status expand_function(const WorkNode& work, const FunctionDef& function);
  void defer(const WorkNode& work, BreakCause cause, std::string reason, bool first);
  std::optional<Tensor> evaluate(ValueId v);
  std::optional<Tensor> granted(const cutaway::Node& param);
  void finish(const std::vector<std::string>& wanted);

  Program& program_;
  const Env& env_;
  Segment segment_;
  Builder builder_;
  std::deque<WorkNode> work_;
  std::unordered_map<std::string, ValueId> values_;
  std::unordered_map<uint32_t, std::optional<Tensor>> known_;
  std::set<std::string> waiting_; // names that deferred nodes will define
  std::set<std::string> defined_; // names that nodes of this segment define
  size_t expanded_ = 0;           // nodes made by inlining so far
};

} // namespace cutaway::onnx
