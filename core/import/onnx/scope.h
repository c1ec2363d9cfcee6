#pragma once
#include "import/onnx/model.h"

#include <string_view>
#include <unordered_map>

namespace cutaway::onnx {

// A name that a scope reads and does not give: an enclosing scope has to.
struct FreeName {
  std::string name;
  std::string where; // "node 'a' (Add)", or the graph whose output it is
  std::string what;  // "reads 'x' as input 1", "..."
};

// One graph or function body as names: what its nodes may read before any of them runs, and what it must give.
struct Scope {
  std::string label; // "graph 'main'", for diagnostics
  std::vector<std::string_view> inputs, initializers, outputs;
  std::vector<Node>* nodes = nullptr;
  // Names that the subgraphs of nodes read from here or further out, by place in `nodes`.
  const std::unordered_map<uint32_t, std::vector<FreeName>>* captures = nullptr;
};

// Checks that every name is given once, sorts the nodes topologically (stable: untouched where they are in order;
// returns true where it had to move any), and appends what the scope leaves to enclosing ones to `free`, each name
// once. Duplicate names and cycles are refused as invalid-model, naming the nodes. No recursion.
bool check_scope(const Scope& scope, std::vector<FreeName>& free);

// Refuses the first free name, where no enclosing scope is left.
void refuse_free(const std::vector<FreeName>& free);

} // namespace cutaway::onnx
