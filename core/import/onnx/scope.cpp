#include "import/onnx/scope.h"

#include "import/onnx/wire.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

namespace cutaway::onnx {

namespace {

class Check {
 public:
  Check(const Scope& scope, std::vector<FreeName>& free) : scope_(scope), nodes_(*scope.nodes), free_(free) {}

  bool run() {
    define();
    collect_reads();
    const bool sort = !in_order_;
    std::vector<uint32_t> order;
    if (sort) order = sorted();
    for (std::string_view name : scope_.outputs) {
      if (name.empty()) refuse(invalid_model(scope_.label, "one of its outputs has no name"));
      if (!given_.count(name)) leave(name, scope_.label, "its output " + quote(name) + " is given by nothing");
    }
    if (sort) permute(order); // last: given_ and left_ hold views of the nodes' strings
    return sort;
  }

 private:
  // Who gives a name: a node's place, or one of these.
  static constexpr int64_t by_input = -1, by_initializer = -2, by_default = -3; // by_default: input and initializer

  void define() {
    given_.reserve(scope_.inputs.size() + scope_.initializers.size() + nodes_.size());
    for (std::string_view name : scope_.inputs) {
      if (name.empty()) refuse(invalid_model(scope_.label, "one of its inputs has no name"));
      if (!given_.emplace(name, by_input).second)
        refuse(
            invalid_model(scope_.label, "two of its inputs are called " + quote(name), "give each a name of its own"));
    }
    for (std::string_view name : scope_.initializers) {
      if (name.empty()) refuse(invalid_model(scope_.label, "one of its initializers has no name"));
      const auto [at, fresh] = given_.emplace(name, by_initializer);
      if (fresh) continue;
      if (at->second != by_input)
        refuse(invalid_model(scope_.label, "two of its initializers are called " + quote(name),
                             "give each a name of its own"));
      at->second = by_default;
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (const std::string& name : nodes_[i].outputs) {
        if (name.empty()) continue;
        const auto [at, fresh] = given_.emplace(name, static_cast<int64_t>(i));
        if (!fresh) refuse_second(nodes_[i], name, at->second);
      }
    }
  }

  std::string giver_text(int64_t giver, const Node& node) const {
    if (giver == by_initializer) return "an initializer is called already";
    if (giver < 0) return "an input is called already";
    const Node& first = nodes_[static_cast<size_t>(giver)];
    return (&first == &node ? std::string("it") : first.label()) + " gives already";
  }

  [[noreturn]] void refuse_second(const Node& node, const std::string& name, int64_t first) const {
    refuse(invalid_model(node.label(), "its output is called " + quote(name) + ", as " + giver_text(first, node),
                         "every value is given once: rename one of the two"));
  }

  void read(uint32_t reader, std::string_view name, const FreeName* captured, size_t input) {
    const auto at = given_.find(name);
    if (at == given_.end()) {
      if (captured)
        leave(name, captured->where, captured->what);
      else
        leave(name, nodes_[reader].label(),
              "its input " + std::to_string(input) + " " + quote(name) + " is given by nothing");
    } else if (at->second >= 0) {
      const auto giver = static_cast<uint32_t>(at->second);
      edges_.emplace_back(giver, reader);
      if (giver >= reader) in_order_ = false;
    }
  }

  void collect_reads() {
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      for (size_t k = 0; k < node.inputs.size(); ++k)
        if (!node.inputs[k].empty()) read(i, node.inputs[k], nullptr, k);
      if (!scope_.captures) continue;
      const auto captured = scope_.captures->find(i);
      if (captured == scope_.captures->end()) continue;
      for (const FreeName& name : captured->second) read(i, name.name, &name, 0);
    }
  }

  void leave(std::string_view name, const std::string& where, const std::string& what) {
    if (left_.insert(name).second) free_.push_back({std::string(name), where, what});
  }

  // Kahn's algorithm; among the ready nodes the one that comes first in the file.
  std::vector<uint32_t> sorted() const {
    const size_t n = nodes_.size();
    std::vector<uint32_t> waits(n, 0), first(n + 1, 0), readers(edges_.size());
    for (const auto& [giver, reader] : edges_) ++waits[reader], ++first[giver + 1];
    for (size_t i = 0; i < n; ++i) first[i + 1] += first[i];
    std::vector<uint32_t> fill(first.begin(), first.end() - 1);
    for (const auto& [giver, reader] : edges_) readers[fill[giver]++] = reader;

    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
    for (uint32_t i = 0; i < n; ++i)
      if (!waits[i]) ready.push(i);
    std::vector<uint32_t> order;
    order.reserve(n);
    while (!ready.empty()) {
      const uint32_t node = ready.top();
      ready.pop();
      order.push_back(node);
      for (uint32_t k = first[node]; k < first[node + 1]; ++k)
        if (--waits[readers[k]] == 0) ready.push(readers[k]);
    }
    if (order.size() < n) refuse_cycle(waits);
    return order;
  }

  // Walks from giver to giver among the nodes that still wait, until one comes again: from there on it is a cycle.
  [[noreturn]] void refuse_cycle(const std::vector<uint32_t>& waits) const {
    std::vector<uint32_t> giver_of(nodes_.size(), 0);
    for (const auto& [giver, reader] : edges_)
      if (waits[giver] && waits[reader]) giver_of[reader] = giver;
    uint32_t at = static_cast<uint32_t>(std::find_if(waits.begin(), waits.end(), [](uint32_t w) { return w > 0; }) -
                                        waits.begin());
    std::vector<bool> seen(nodes_.size(), false);
    for (; !seen[at]; at = giver_of[at]) seen[at] = true;
    std::vector<uint32_t> cycle = {at};
    for (uint32_t next = giver_of[at]; next != at; next = giver_of[next]) cycle.push_back(next);
    std::reverse(cycle.begin(), cycle.end()); // giver before reader

    constexpr size_t shown = 6;
    std::string names;
    for (size_t i = 0; i < std::min(cycle.size(), shown); ++i) names += (i ? " -> " : "") + nodes_[cycle[i]].label();
    if (cycle.size() > shown) names += " -> ... " + std::to_string(cycle.size() - shown) + " more";
    refuse(invalid_model(nodes_[cycle[0]].label(),
                         cycle.size() == 1 ? "it reads its own output" : "nodes feed each other in a cycle: " + names,
                         "a graph must have no cycle; use Loop or Scan for a recurrence"));
  }

  void permute(const std::vector<uint32_t>& order) {
    std::vector<Node> moved;
    moved.reserve(nodes_.size());
    for (uint32_t i : order) moved.push_back(std::move(nodes_[i]));
    nodes_ = std::move(moved);
  }

  const Scope& scope_;
  std::vector<Node>& nodes_;
  std::vector<FreeName>& free_;
  std::unordered_map<std::string_view, int64_t> given_;
  std::unordered_set<std::string_view> left_;
  std::vector<std::pair<uint32_t, uint32_t>> edges_; // giver, reader
  bool in_order_ = true;
};

} // namespace

bool check_scope(const Scope& scope, std::vector<FreeName>& free) {
  return Check(scope, free).run();
}

void refuse_free(const std::vector<FreeName>& free) {
  if (free.empty()) return;
  refuse(invalid_model(free[0].where, free[0].what,
                       "no node, input or initializer in reach gives it: export the model again"));
}

} // namespace cutaway::onnx
