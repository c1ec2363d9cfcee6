#include "graph/series.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

// Longest path from the top, then each node as near to its readers as that leaves it; ports at the ends. Empty where there is a cycle.
std::vector<int> lateRanks(const DotInput& in) {
  const size_t count = in.nodes.size();
  std::vector<std::vector<int>> out(count);
  std::vector<int> waits(count, 0), rank(count, 0), order;
  for (const DotEdge& e : in.edges) out[size_t(e.from)].push_back(e.to), ++waits[size_t(e.to)];
  for (size_t i = 0; i < count; ++i)
    if (!waits[i]) order.push_back(int(i));
  for (size_t next = 0; next < order.size(); ++next)
    for (const int to : out[size_t(order[next])]) {
      rank[size_t(to)] = std::max(rank[size_t(to)], rank[size_t(order[next])] + 1);
      if (--waits[size_t(to)] == 0) order.push_back(to);
    }
  if (order.size() < count) return {};
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    const auto& readers = out[size_t(*node)];
    if (readers.empty()) continue;
    int first = rank[size_t(readers[0])];
    for (const int to : readers) first = std::min(first, rank[size_t(to)]);
    rank[size_t(*node)] = first - 1;
  }
  const int last = count ? *std::max_element(rank.begin(), rank.end()) : 0;
  for (const int port : in.sources) rank[size_t(port)] = 0;
  for (const int port : in.sinks) rank[size_t(port)] = last;
  return rank;
}

// Nodes that are alone on their rank and that no edge passes by, from the top; ports are none.
std::vector<int> cutsOf(const DotInput& in, const std::vector<int>& rank) {
  if (rank.empty()) return {};
  const size_t ranks = size_t(*std::max_element(rank.begin(), rank.end())) + 1;
  std::vector<int> on(ranks, -1), passing(ranks + 1, 0);
  for (size_t i = 0; i < rank.size(); ++i) on[size_t(rank[i])] = on[size_t(rank[i])] == -1 ? int(i) : -2;
  for (const DotEdge& e : in.edges) {
    ++passing[size_t(rank[size_t(e.from)]) + 1];
    --passing[size_t(rank[size_t(e.to)])];
  }
  for (const auto* ports : {&in.sources, &in.sinks})
    for (const int port : *ports) on[size_t(rank[size_t(port)])] = -2;
  std::vector<int> out;
  int now = 0;
  for (size_t r = 0; r < ranks; ++r) {
    now += passing[r];
    if (now == 0 && on[r] >= 0) out.push_back(on[r]);
  }
  return out;
}

DotResult placeOne(const DotInput& in) {
  DotResult out;
  out.size = in.nodes[0], out.nodes = {QPointF(out.size.width() / 2, out.size.height() / 2)};
  return out;
}

// Two nodes and the line between them, as dot places them.
DotResult placePair(const DotInput& in) {
  const QSizeF a = in.nodes[0], b = in.nodes[1], label = in.edges[0].label;
  const double gap = label.isEmpty() ? rankGap : std::floor((rankGap + 1) / 2); // dot halves it where a rank of labels is put between
  const double way = label.isEmpty() ? gap : 2 * gap + label.height(), half = std::max(a.width(), b.width()) / 2;
  DotResult out;
  out.size = {half + std::max(half, label.width()), a.height() + way + b.height()};
  out.nodes = {{half, a.height() / 2}, {half, out.size.height() - b.height() / 2}};
  const QPointF from(half, a.height()), piece(0, way / 3);
  out.edges = {QPolygonF{from, from + piece, from + 2 * piece, from + 3 * piece}};
  out.labels = {{half + label.width() / 2, a.height() + gap + label.height() / 2}};
  return out;
}

} // namespace

Series::Series(const DotInput& in) : nodes_(in.nodes.size()), edges_(in.edges.size()) {
  const std::vector<int> rank = lateRanks(in);
  cut(in, cutsOf(in, rank), rank);
}

// Piece i is what lies between cut i - 1 and cut i, both included.
void Series::cut(const DotInput& in, const std::vector<int>& cuts, const std::vector<int>& rank) {
  pieces_.resize(cuts.size() + 1);
  std::vector<bool> is_cut(in.nodes.size(), false);
  for (const int c : cuts) is_cut[size_t(c)] = true;
  const auto piece_below = [&](int node) { // the piece of the lines that leave the node
    if (cuts.empty()) return size_t(0);
    return size_t(std::upper_bound(cuts.begin(), cuts.end(), node, [&](int a, int b) { return rank[size_t(a)] < rank[size_t(b)]; }) - cuts.begin());
  };
  std::vector<int> local(in.nodes.size(), -1);
  const auto take = [&](Piece& p, int node) {
    p.nodes.push_back(node), p.question.input.nodes.push_back(in.nodes[size_t(node)]);
    return int(p.nodes.size()) - 1;
  };
  for (size_t i = 0; i < cuts.size(); ++i) pieces_[i + 1].first = take(pieces_[i + 1], cuts[i]);
  for (size_t i = 0; i < in.nodes.size(); ++i)
    if (!is_cut[i]) local[i] = take(pieces_[piece_below(int(i))], int(i));
  for (size_t i = 0; i < cuts.size(); ++i) pieces_[i].last = take(pieces_[i], cuts[i]);
  for (size_t i = 0; i < in.edges.size(); ++i) {
    DotEdge e = in.edges[i];
    Piece& p = pieces_[piece_below(e.from)];
    e.from = is_cut[size_t(e.from)] ? p.first : local[size_t(e.from)];
    e.to = is_cut[size_t(e.to)] ? p.last : local[size_t(e.to)];
    p.edges.push_back(int(i)), p.question.input.edges.push_back(e);
  }
  for (const int port : in.sources) pieces_[piece_below(port)].question.input.sources.push_back(local[size_t(port)]);
  for (const int port : in.sinks) pieces_[piece_below(port)].question.input.sinks.push_back(local[size_t(port)]);
  for (Piece& p : pieces_) {
    DotInput& input = p.question.input;
    if (p.first >= 0) input.sources.push_back(p.first);
    if (p.last >= 0) input.sinks.push_back(p.last);
    if (input.nodes.size() == 1 && input.edges.empty()) p.own = placeOne(input);
    else if (input.nodes.size() == 2 && input.edges.size() == 1 && input.edges[0].from == 0) p.own = placePair(input);
    else p.question.text = dotText(input);
  }
}

std::vector<const DotQuestion*> Series::questions() const {
  std::vector<const DotQuestion*> out;
  for (const Piece& p : pieces_)
    if (!p.question.text.isEmpty()) out.push_back(&p.question);
  return out;
}

DotResult Series::join(const std::function<const DotResult*(const QByteArray&)>& answer) const {
  DotResult out;
  out.nodes.resize(nodes_), out.edges.resize(edges_), out.labels.resize(edges_);
  QRectF all;
  QPointF at; // where the piece's first node stands
  for (const Piece& p : pieces_) {
    const DotResult& placed = p.question.text.isEmpty() ? p.own : *answer(p.question.text);
    const QPointF shift = p.first < 0 ? QPointF() : at - placed.nodes[size_t(p.first)];
    for (size_t i = 0; i < p.nodes.size(); ++i) out.nodes[size_t(p.nodes[i])] = placed.nodes[i] + shift;
    for (size_t i = 0; i < p.edges.size(); ++i) {
      out.edges[size_t(p.edges[i])] = placed.edges[i].translated(shift);
      out.labels[size_t(p.edges[i])] = placed.labels[i] + shift;
    }
    if (p.last >= 0) at = placed.nodes[size_t(p.last)] + shift;
    out.exact = out.exact && placed.exact;
    all = all.united(QRectF(shift, placed.size));
  }
  for (QPointF& p : out.nodes) p -= all.topLeft();
  for (QPointF& p : out.labels) p -= all.topLeft();
  for (QPolygonF& p : out.edges) p.translate(-all.topLeft());
  out.size = all.size();
  return out;
}

} // namespace cutaway::views
