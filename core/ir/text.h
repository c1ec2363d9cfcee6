#pragma once
#include "base/result.h"
#include "ir/graph.h"

namespace cutaway {

// The text form of a graph. One line a node:
//   n4 %7 "conv1:0" = conv(%0, %2) {groups = 1, strides = [2, 2]} : f32[1, 64, 112, 112] group 3 layout [0, 2, 3, 1] from o2
// and before them one line an origin, after them `return %7 "logits"`. Ids are written out, so that a parsed graph equals
// the printed one: parse(print(g)) == g. Files end in .cut.
struct PrintOptions {
  // Constants above this many bytes are cut to their size (the text then cannot be parsed); negative: never cut.
  int64_t elide_above = -1;
};
std::string print(const Graph& graph, const PrintOptions& options = {});

// One attribute's value as print() writes it; long tensors are cut.
std::string attr_text(const AttrValue& value);

// The graph of a text, or invalid-model naming the line and what was expected there. Ids may be left out in a text written
// by hand: nodes are then numbered in order, and %names that are no numbers are given values in order.
Result<Graph> parse_graph(const std::string& text);

// What is wrong with a graph: types that infer does not give, inputs used before they are made, outputs that do not
// exist. Run after every pass in developer builds.
Status verify(const Graph& graph);

} // namespace cutaway
