#include "graph/series.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

// By node. `place` is along the edges; whatever leads only to a node stands right before it, and ports stand at the ends.
struct Order {
  std::vector<int> place;
  std::vector<int> depth; // nodes on the longest way to it
  std::vector<int> late;  // the greatest depth that it could have
};

// Empty where there is a cycle.
Order orderOf(const DotInput& in) {
  const size_t count = in.nodes.size();
  std::vector<std::vector<int>> to(count), from(count);
  std::vector<int> waits(count, 0), depth(count, 0), order;
  for (const DotEdge& e : in.edges) to[size_t(e.from)].push_back(e.to), from[size_t(e.to)].push_back(e.from), ++waits[size_t(e.to)];
  for (size_t i = 0; i < count; ++i)
    if (!waits[i]) order.push_back(int(i));
  for (size_t next = 0; next < order.size(); ++next)
    for (const int reader : to[size_t(order[next])]) {
      depth[size_t(reader)] = std::max(depth[size_t(reader)], depth[size_t(order[next])] + 1);
      if (--waits[size_t(reader)] == 0) order.push_back(reader);
    }
  if (order.size() < count) return {};
  std::vector<int> place(count, -1), late = depth, ends, open;
  int next = int(in.sources.size());
  for (size_t i = 0; i < in.sources.size(); ++i) place[size_t(in.sources[i])] = int(i);
  for (size_t i = 0; i < in.sinks.size(); ++i) place[size_t(in.sinks[i])] = int(count - in.sinks.size() + i);
  // Back from whatever nobody reads but a port, the shallowest first; of what a node reads, the deepest first.
  const auto shallow = [&](int a, int b) { return depth[size_t(a)] < depth[size_t(b)]; };
  for (auto& makers : from) std::stable_sort(makers.begin(), makers.end(), shallow);
  std::stable_sort(order.begin(), order.end(), shallow);
  for (const int node : order) {
    const auto& readers = to[size_t(node)];
    if (std::all_of(readers.begin(), readers.end(), [&](int r) { return place[size_t(r)] >= 0; })) ends.push_back(node);
    if (!readers.empty()) late[size_t(node)] = depth[size_t(*std::min_element(readers.begin(), readers.end(), shallow))] - 1;
  }
  for (const int last : ends)
    for (open = {last}; !open.empty();) {
      const size_t node = size_t(open.back());
      if (place[node] >= 0) open.pop_back();
      else if (from[node].empty()) place[node] = next++, open.pop_back();
      else open.push_back(from[node].back()), from[node].pop_back();
    }
  return {std::move(place), std::move(depth), std::move(late)};
}

// Nodes between others that no edge passes by, from the top; ports are none, and none has beside it what does not hang on it.
std::vector<int> cutsOf(const DotInput& in, const Order& order) {
  const size_t count = order.place.size();
  if (count == 0) return {};
  std::vector<int> at(count), passing(count + 1, 0);
  std::vector<bool> read(count, false);
  std::vector<int> first(count); // by place: the first on which it hangs
  for (size_t i = 0; i < count; ++i) at[size_t(order.place[i])] = int(i), first[i] = int(i);
  std::vector<std::vector<int>> from(count);
  for (const DotEdge& e : in.edges) {
    const int start = order.place[size_t(e.from)], end = order.place[size_t(e.to)];
    ++passing[size_t(start) + 1], --passing[size_t(end)];
    read[size_t(start)] = true, from[size_t(end)].push_back(start);
  }
  struct Cut {
    int place, depth;
  };
  std::vector<Cut> cuts;
  int now = 0;
  for (size_t p = 0; p < count; ++p) {
    now += passing[p];
    if (from[p].empty()) continue; // a constant can stand below
    for (const int maker : from[p]) first[p] = std::min(first[p], first[size_t(maker)]);
    const size_t node = size_t(at[p]);
    for (size_t c = cuts.size(); c-- > 0 && cuts[c].depth >= order.late[node];)
      if (cuts[c].place < first[p]) cuts.erase(cuts.begin() + ptrdiff_t(c));
    if (now == 0 && read[p]) cuts.push_back({int(p), order.depth[node]});
  }
  std::vector<int> out;
  for (const Cut& c : cuts) out.push_back(at[size_t(c.place)]);
  return out;
}

// Whether a node that reads nothing would reach above the first one, were it to stand beside it.
bool tallBeginning(const DotInput& in) {
  std::vector<bool> reads(in.nodes.size(), false);
  for (const DotEdge& e : in.edges) reads[size_t(e.to)] = true;
  for (size_t i = 1; i < in.nodes.size(); ++i)
    if (!reads[i] && in.nodes[i].height() > in.nodes[0].height()) return true;
  return false;
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
  const Order order = orderOf(in);
  cut(in, cutsOf(in, order), order.place);
}

// Piece i is what lies between cut i - 1 and cut i, both included.
void Series::cut(const DotInput& in, const std::vector<int>& cuts, const std::vector<int>& place) {
  pieces_.resize(cuts.size() + 1);
  std::vector<bool> is_cut(in.nodes.size(), false);
  for (const int c : cuts) is_cut[size_t(c)] = true;
  const auto piece_below = [&](int node) { // the piece of the lines that leave the node
    if (cuts.empty()) return size_t(0);
    return size_t(std::upper_bound(cuts.begin(), cuts.end(), node, [&](int a, int b) { return place[size_t(a)] < place[size_t(b)]; }) - cuts.begin());
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
    if (p.first >= 0) (tallBeginning(input) ? input.sources : input.tops).push_back(p.first);
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
