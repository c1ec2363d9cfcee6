#include "graph/routing.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace cutaway::views {
namespace {

constexpr double portGap = 14;

// x of a spline where it passes y; it runs downward.
double splineX(const QPolygonF& s, double y) {
  if (s.isEmpty()) return 0;
  if (y <= s.first().y()) return s.first().x();
  for (qsizetype i = 0; i + 3 < s.size(); i += 3) {
    if (y > s[i + 3].y()) continue;
    double low = 0, high = 1;
    QPointF p;
    for (int round = 0; round < 24; ++round) {
      const double t = (low + high) / 2, u = 1 - t;
      p = u * u * u * s[i] + 3 * u * u * t * s[i + 1] + 3 * u * t * t * s[i + 2] + t * t * t * s[i + 3];
      (p.y() < y ? low : high) = t;
    }
    return p.x();
  }
  return s.last().x();
}

struct Band {
  double top, bottom;
};
struct Pass { // a line goes straight down through here
  double top, bottom, x;
};
struct Sideways {
  size_t link, after; // between pass `after` and the next
  double left, right, top, bottom;
  quint64 trunk;
  int lane = 0;
};

bool leadsUp(const DotInput& in, const DotResult& placed, size_t edge) {
  const DotEdge& e = in.edges[edge];
  const auto half = [&](int n) { return in.nodes[size_t(n)].height() / 2; };
  return placed.nodes[size_t(e.to)].y() - half(e.to) < placed.nodes[size_t(e.from)].y() + half(e.from) - .5;
}
constexpr double backGap = 16;

class Router {
 public:
  Router(const DotInput& in, const DotResult& placed, const std::vector<LinkEnds>& ends) : in_(in), placed_(placed), ends_(ends) {}

  std::vector<QPolygonF> run() {
    ranks();
    passes_.resize(in_.edges.size());
    for (size_t i = 0; i < in_.edges.size(); ++i) through(i);
    spread();
    straighten();
    lanes();
    std::vector<QPolygonF> out(in_.edges.size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = points(i);
    return out;
  }

 private:
  QRectF box(int node) const {
    const QSizeF size = in_.nodes[size_t(node)];
    return {placed_.nodes[size_t(node)] - QPointF(size.width() / 2, size.height() / 2), size};
  }
  void ranks() {
    std::vector<std::pair<double, Band>> all;
    for (size_t i = 0; i < in_.nodes.size(); ++i) all.push_back({placed_.nodes[i].y(), {box(int(i)).top(), box(int(i)).bottom()}});
    for (size_t i = 0; i < in_.edges.size(); ++i)
      if (const double half = in_.edges[i].label.height() / 2; half > 0) all.push_back({placed_.labels[i].y(), {placed_.labels[i].y() - half, placed_.labels[i].y() + half}});
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    double last = -1e9;
    for (const auto& [y, band] : all) {
      if (y - last > 2) bands_.push_back(band);
      else bands_.back() = {std::min(bands_.back().top, band.top), std::max(bands_.back().bottom, band.bottom)};
      last = y;
    }
  }
  const Band* bandAt(double y) const {
    for (const Band& b : bands_)
      if (b.top - .5 <= y && y <= b.bottom + .5) return &b;
    return nullptr;
  }

  void through(size_t i) {
    const DotEdge& e = in_.edges[i];
    const QRectF a = box(e.from), b = box(e.to);
    const Band* start = bandAt(a.center().y());
    const Band* end = bandAt(b.center().y());
    std::vector<Pass>& line = passes_[i];
    const double from = start ? start->bottom : a.bottom(), to = end ? end->top : b.top();
    line.push_back({a.bottom(), std::max(from, a.bottom()), ends_[i].from.value_or(a.center().x())});
    if (leadsUp(in_, placed_, i)) {
      line.push_back({std::min(to, b.top()), b.top(), ends_[i].to.value_or(b.center().x())});
      return;
    }
    const double label = e.label.isEmpty() ? -1e9 : placed_.labels[i].y();
    for (const Band& band : bands_) {
      if (band.top < from - .5 || band.bottom > to + .5 || &band == start || &band == end) continue;
      const bool labelled = band.top <= label && label <= band.bottom;
      line.push_back({band.top, band.bottom, labelled ? placed_.labels[i].x() - e.label.width() / 2 : splineX(placed_.edges[i], (band.top + band.bottom) / 2)});
    }
    line.push_back({std::min(to, b.top()), b.top(), ends_[i].to.value_or(b.center().x())});
    for (size_t p = 1; p < line.size(); ++p)
      if (std::abs(line[p].x - line[p - 1].x) < 3 && p + 1 < line.size()) line[p].x = line[p - 1].x;
  }

  // Lines of different values that meet one side of a box stand apart, in the order they come from.
  void spread() {
    std::map<int, std::vector<size_t>> into, out_of;
    for (size_t i = 0; i < in_.edges.size(); ++i) {
      if (!ends_[i].to) into[in_.edges[i].to].push_back(i);
      if (!ends_[i].from) out_of[in_.edges[i].from].push_back(i);
    }
    for (auto& [node, links] : into) side(node, links, [this](size_t i) -> Pass& { return passes_[i].back(); }, [this](size_t i) { return passes_[i][passes_[i].size() - 2].x; }, false);
    for (auto& [node, links] : out_of) side(node, links, [this](size_t i) -> Pass& { return passes_[i].front(); }, [this](size_t i) { return passes_[i][1].x; }, true);
  }
  template <class End, class Next> void side(int node, std::vector<size_t>& links, End&& end, Next&& next, bool trunks) {
    std::map<quint64, double> towards; // a trunk leaves a box once; lines that enter it stay apart
    std::vector<std::pair<double, quint64>> order;
    for (const size_t i : links) {
      const quint64 key = trunks ? ends_[i].trunk : i;
      if (towards.try_emplace(key, next(i)).second) order.push_back({next(i), key});
    }
    if (order.size() < 2) return;
    std::sort(order.begin(), order.end());
    const QRectF b = box(node);
    const double gap = std::min(portGap, (b.width() - 20) / double(order.size() - 1));
    for (size_t p = 0; p < order.size(); ++p) towards[order[p].second] = b.center().x() + gap * (double(p) - double(order.size() - 1) / 2);
    for (const size_t i : links) end(i).x = towards[trunks ? ends_[i].trunk : i];
  }

  // A line that would only step aside a little goes straight instead, where the box it meets has room for that.
  void straighten() {
    std::map<int, int> in, out;
    for (const DotEdge& e : in_.edges) ++in[e.to], ++out[e.from];
    for (size_t i = 0; i < in_.edges.size(); ++i) {
      const DotEdge& e = in_.edges[i];
      std::vector<Pass>& line = passes_[i];
      if (leadsUp(in_, placed_, i)) continue;
      const bool start = !ends_[i].from && out[e.from] == 1, end = !ends_[i].to && in[e.to] == 1;
      for (const bool to_end : {false, true}) {
        if (!(to_end ? start : end)) continue;
        const double x = to_end ? line.back().x : line.front().x;
        const QRectF b = box(to_end ? e.from : e.to);
        bool near = std::abs(x - b.center().x()) <= b.width() / 2 - 16;
        for (size_t p = 1; p + 1 < line.size(); ++p) near = near && std::abs(line[p].x - x) < 24;
        if (!near || !clear(i, x)) continue;
        for (Pass& p : line) p.x = x;
        break;
      }
    }
  }

  // A straight line there would meet no box and no label but its own.
  bool clear(size_t link, double x) const {
    const double top = passes_[link].front().bottom, bottom = passes_[link].back().top;
    const auto meets = [&](const QRectF& b) { return b.top() < bottom && b.bottom() > top && b.left() - 8 < x && x < b.right() + 8; };
    for (size_t n = 0; n < in_.nodes.size(); ++n)
      if (int(n) != in_.edges[link].from && int(n) != in_.edges[link].to && in_.nodes[n].height() > 1 && meets(box(int(n)))) return false;
    for (size_t e = 0; e < in_.edges.size(); ++e) {
      const QSizeF size = in_.edges[e].label;
      if (e != link && !size.isEmpty() && meets({placed_.labels[e] - QPointF(size.width() / 2, size.height() / 2), size})) return false;
    }
    return true;
  }

  void lanes() {
    std::map<std::pair<int, int>, std::vector<size_t>> gaps;
    for (size_t i = 0; i < passes_.size(); ++i)
      for (size_t p = 0; p + 1 < passes_[i].size() && !leadsUp(in_, placed_, i); ++p) {
        const Pass &a = passes_[i][p], &b = passes_[i][p + 1];
        if (std::abs(a.x - b.x) < .5) continue;
        gaps[{int(a.bottom), int(b.top)}].push_back(sideways_.size());
        sideways_.push_back({i, p, std::min(a.x, b.x), std::max(a.x, b.x), a.bottom, b.top, ends_[i].trunk});
      }
    for (auto& [gap, members] : gaps) {
      std::sort(members.begin(), members.end(), [this](size_t a, size_t b) { return sideways_[a].right - sideways_[a].left < sideways_[b].right - sideways_[b].left; });
      int count = 0;
      for (size_t m = 0; m < members.size(); ++m) {
        Sideways& s = sideways_[members[m]];
        for (bool free = false; !free; s.lane += !free) {
          free = true;
          for (size_t o = 0; o < m && free; ++o) {
            const Sideways& other = sideways_[members[o]];
            free = other.lane != s.lane || other.trunk == s.trunk || other.right + 6 < s.left || s.right + 6 < other.left;
          }
        }
        count = std::max(count, s.lane + 1);
      }
      for (const size_t m : members) {
        const Sideways& s = sideways_[m];
        lane_y_[{s.link, s.after}] = s.top + (s.bottom - s.top) * double(s.lane + 1) / double(count + 1);
      }
    }
  }

  QPolygonF around(size_t i) const {
    double x = placed_.size.width();
    for (size_t e = 0; e <= i; ++e)
      if (leadsUp(in_, placed_, e)) x += backGap + (e < i ? in_.edges[e].label.width() : 0);
    const Pass &start = passes_[i].front(), &end = passes_[i].back();
    const double low = start.bottom + 6, high = end.top - 6;
    return {{QPointF(start.x, start.top), {start.x, low}, {x, low}, {x, high}, {end.x, high}, {end.x, end.bottom}}};
  }
  QPolygonF points(size_t i) const {
    if (leadsUp(in_, placed_, i)) return around(i);
    const std::vector<Pass>& line = passes_[i];
    QPolygonF out{{line.front().x, line.front().top}};
    for (size_t p = 0; p + 1 < line.size(); ++p) {
      const auto lane = lane_y_.find({i, p});
      if (lane == lane_y_.end()) continue;
      out << QPointF(out.last().x(), lane->second) << QPointF(line[p + 1].x, lane->second);
    }
    out << QPointF(out.last().x(), line.back().bottom);
    return out;
  }

  const DotInput& in_;
  const DotResult& placed_;
  const std::vector<LinkEnds>& ends_;
  std::vector<Band> bands_;
  std::vector<std::vector<Pass>> passes_;
  std::vector<Sideways> sideways_;
  std::map<std::pair<size_t, size_t>, double> lane_y_;
};

} // namespace

double backChannel(const DotInput& in, const DotResult& placed) {
  double width = 0;
  for (size_t i = 0; i < in.edges.size(); ++i)
    if (leadsUp(in, placed, i)) width += backGap + in.edges[i].label.width();
  return width > 0 ? width + backGap : 0;
}

std::vector<QPolygonF> routeLinks(const DotInput& input, const DotResult& placed, const std::vector<LinkEnds>& ends) { return Router(input, placed, ends).run(); }

} // namespace cutaway::views
