#pragma once
#include "ir/edit.h"
#include "ir/infer.h"

namespace cutaway {

// Builds a graph from nothing: the importer's and the tests' way. Nothing is journalled; what it builds is the imported
// graph that the journal starts from.
class Builder {
 public:
  explicit Builder(Graph& graph) : g_(graph), editor_(graph) {}

  OriginId origin(Origin origin);
  // Nodes made from now on come from this origin.
  void set_origin(OriginId origin) { origin_ = origin; }

  ValueId param(const std::string& name, const Type& type);
  ValueId constant(Tensor data, const std::string& name = {});
  Result<ValueId> make(Op op, std::vector<ValueId> inputs, Attrs attrs = {});
  Result<std::vector<ValueId>> make_many(Op op, std::vector<ValueId> inputs, Attrs attrs = {});
  // A node of the eager path with the given output types.
  std::vector<ValueId> fallback(std::vector<ValueId> inputs, const std::vector<Type>& outputs, Attrs attrs);
  void output(ValueId value, const std::string& name) { editor_.add_output(value, name); }
  void name(ValueId value, const std::string& name);

  Graph& graph() { return g_; }
  const Type& type(ValueId v) const { return g_.type(v); }

 private:
  std::vector<ValueId> append(Op op, std::vector<ValueId> inputs, Attrs attrs, const std::vector<Type>& types);

  Graph& g_;
  GraphEditor editor_;
  OriginId origin_;
};

} // namespace cutaway
