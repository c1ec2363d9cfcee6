#pragma once
#include "place/place.h"

#include <QStringList>

namespace cutaway::views {

// What views ask of a document at a place.

// The segment with the largest arena: where breaks cut a model, the part that matters most.
size_t mainSegment(const trace::Document& document);
// The table of that name; null where the driver made none.
const trace::TablePanel* table(const Place& place, const char* name);
// The cell under the column of that title; empty where the table has none.
QString cell(const trace::TablePanel& table, const trace::TablePanel::Row& row, const char* column);
// The kernel (or the op that is one by itself) that an op, a value, a buffer or a kernel belongs to: in the graph of the
// place, else as it is in the end.
std::optional<Entity> kernelOf(const Place& place, Entity entity);
// The buffer of an arena; null where the entity is none, or there is no arena.
const trace::ArenaBuffer* bufferOf(const Place& place, Entity entity);
// The op behind an entity: itself, the maker of a value or of a buffer's first value; null: none.
const trace::GraphNode* opBehind(const Place& place, const trace::GraphDoc& graph, Entity entity);
// Kernels that a view of one kernel may show, the best first: that of the selection; those that the step speaks of, unless
// it is the last, after which nothing is new; the one with the most work.
std::vector<Entity> kernelsToShow(const Place& place);
// The colour of an entity's root; nothing where it is not in the graph.
std::optional<int> categoryOf(const trace::GraphDoc& graph, Entity entity);
// Every prefix of a scope: "layer1/layer1.0" gives "layer1", "layer1/layer1.0".
QStringList scopePaths(const trace::Text& scope);
// Whether `a` gives its group colour and place rather than `b`: a contraction, else the one that runs first.
bool leads(const trace::GraphNode& a, const trace::GraphNode& b);
// Where the model's node stands that words name as diagnostics do, `node "conv1" (Conv)`: in the end, else as imported. Nothing where
// they name none, or the document has none of that name.
struct Named {
  size_t segment;
  uint32_t step;
  Entity op;
};
std::optional<Named> namedIn(const trace::Document& document, const QString& words);
// The op that makes a value; null for inputs and constants.
const trace::GraphNode* producerOf(const trace::GraphDoc& graph, ValueId value);

} // namespace cutaway::views
