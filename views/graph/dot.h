#pragma once
#include <QByteArray>
#include <QPointF>
#include <QPolygonF>
#include <QSizeF>

#include <optional>
#include <vector>

// Graphviz' dot as a child process: boxes in, places and lines out. Only numbers are sent, never text of a model.
namespace cutaway::views {

struct DotEdge {
  int from = 0, to = 0;
  QSizeF label; // empty: none
};
struct DotInput {
  std::vector<QSizeF> nodes; // px
  std::vector<DotEdge> edges;
  std::vector<int> sources, sinks; // nodes that must stand at the top or at the bottom, alone
  std::vector<int> tops;           // nodes that must stand at the top, others may beside them
};
// In px, y downward, everything within size.
struct DotResult {
  std::vector<QPointF> nodes;       // centres
  std::vector<QPolygonF> edges;     // cubic splines: a point and three for each piece
  std::vector<QPointF> labels;      // centres
  QSizeF size;
  bool exact = true; // false: our own plain layers, because dot is missing, failed or took too long
};

constexpr double rankGap = 28, siblingGap = 32; // px; a label has a rank of its own between two

QByteArray dotText(const DotInput& input);
// An input with its text, which is also its key wherever answers are kept.
struct DotQuestion {
  QByteArray text;
  DotInput input;
};
// What an answer ends with: the brace that closes its graph is the only one at the start of a line.
constexpr const char* dotEnd = "\n}\n";
// Nothing where the answer is not what dot writes for this input.
std::optional<DotResult> parseDot(const QByteArray& json, const DotInput& input);
// Layers by longest path in the order given: what is drawn when dot cannot help. Any graph, cycles included.
DotResult plainLayers(const DotInput& input);
// Runs dot once for all and waits, at most `ms`; plainLayers where that fails.
std::vector<DotResult> runDot(const std::vector<DotQuestion>& questions, int ms = 5000);

} // namespace cutaway::views
