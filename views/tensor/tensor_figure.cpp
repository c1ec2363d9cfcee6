#include "tensor/tensor_figure.h"

#include "kit/numbers.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double edge = 16, row = 22, chart = 88;

struct Pair {
  QString name, value;
};

// Five digits: what a person compares.
QString elementText(double v) {
  if (v == 0) return "0";
  QString out = QString::number(v, 'g', 5);
  return out.replace('-', QChar(0x2212));
}

std::vector<Pair> pairsOf(const trace::TensorFacts& f) {
  std::vector<Pair> out = {{"Elements", number(double(f.elements))}, {"Bytes", byteText(f.bytes)}};
  const auto share = [&](int64_t n) { return QString("%1 (%2 %)").arg(number(double(n)), number(f.elements ? 100. * double(n) / double(f.elements) : 0)); };
  if (f.nan) out.push_back({"NaN", share(f.nan)});
  if (f.infinite) out.push_back({"Infinite", share(f.infinite)});
  if (f.histogram.empty()) return out;
  for (const auto& [name, value] : {std::pair{"Least", f.least}, {"Greatest", f.greatest}, {"Mean", f.mean}, {"Deviation", f.deviation}}) out.push_back({name, elementText(value)});
  out.push_back({"Zeros", share(f.zeros)});
  out.push_back({"Negative", share(f.negative)});
  return out;
}

double drawPairs(Sheet& s, const std::vector<Pair>& pairs, double width, double y) {
  for (const Pair& p : pairs) {
    s.line({edge, y}, {width - edge, y}, {s.t.c("line")});
    s.text({edge, y + row / 2}, p.name, {.px = 11, .role = "textMuted"});
    s.text({width - edge, y + row / 2}, p.value, {.anchor = 1});
    y += row;
  }
  return y;
}

double drawHistogram(Sheet& s, const trace::TensorFacts& f, double width, double y) {
  const int64_t most = *std::max_element(f.histogram.begin(), f.histogram.end());
  const Type quiet{.px = 11, .role = "textMuted"};
  s.text({edge, y}, "Histogram", {.weight = 600});
  s.text({width - edge, y}, QString("tallest %1").arg(number(double(most))), {.px = 11, .role = "textMuted", .anchor = 1});
  y += 14;
  const double bottom = y + chart, step = (width - 2 * edge) / double(f.histogram.size());
  for (size_t i = 0; i < f.histogram.size(); ++i) {
    if (!f.histogram[i]) continue;
    const double h = std::max(1., chart * double(f.histogram[i]) / double(most));
    s.rect({edge + step * double(i), bottom - h, std::max(1., step - 1), h}, 0, {s.t.c("accent")});
  }
  s.line({edge, bottom}, {width - edge, bottom}, {s.t.c("lineStrong")});
  s.text({edge, bottom + 12}, elementText(f.least), quiet);
  if (f.least < 0 && f.greatest > 0) {
    const double zero = edge + (width - 2 * edge) * -f.least / (f.greatest - f.least);
    s.line({zero, y}, {zero, bottom}, {s.t.c("text"), 1, {2, 3}});
    if (zero > edge + 60 && zero < width - edge - 60) s.text({zero, bottom + 12}, "0", {.px = 11, .role = "textMuted", .anchor = 0});
  }
  s.text({width - edge, bottom + 12}, elementText(f.greatest), {.px = 11, .role = "textMuted", .anchor = 1});
  return bottom + 34;
}

double drawFirst(Sheet& s, const trace::TensorFacts& f, double width, double y) {
  s.text({edge, y}, "First elements", {.weight = 600});
  y += 20;
  double x = edge;
  const Type mono{.px = 11, .mono = true};
  for (size_t i = 0; i < f.first.size(); ++i) {
    QString text = qt(f.first[i]);
    if (text.size() > 16) text = text.left(15) + QChar(0x2026);
    const double wide = s.width(text, mono);
    if (x > edge && x + wide > width - edge) x = edge, y += 17;
    s.text({x, y}, text, mono);
    x += wide + 12;
  }
  return y + 17;
}

} // namespace

Figure tensorFigure(const trace::TensorFacts& facts, const Theme&, QSizeF room) {
  const auto pairs = pairsOf(facts);
  // Two columns of first elements at the least.
  const double lines = std::ceil(double(facts.first.size()) * 90 / std::max(100., room.width() - 2 * edge));
  const double height = 40 + row * double(pairs.size()) + 20 + (facts.histogram.empty() ? 0 : chart + 48) + 37 + 17 * lines;
  const QString spoken = QString("%1%2, %3, %4 elements").arg(qt(facts.dtype), qt(facts.shape), qt(facts.source)).arg(facts.elements);
  return {QSizeF(room.width(), std::max(room.height(), height)), [facts, pairs, width = room.width()](Sheet& s) {
            s.text({edge, 20}, qt(facts.dtype) + qt(facts.shape), {.mono = true, .room = width - 2 * edge - 140});
            s.text({width - edge, 20}, qt(facts.source), {.px = 11, .role = "textMuted", .anchor = 1});
            double y = drawPairs(s, pairs, width, 40) + 20;
            if (!facts.histogram.empty()) y = drawHistogram(s, facts, width, y);
            if (!facts.first.empty()) drawFirst(s, facts, width, y);
          }, {{QRectF(0, 0, room.width(), 32), nothing, spoken}}};
}

ValueId valueOf(const Place& place) {
  if (!place.selected || !place.at()) return {};
  const Entity e = *place.selected;
  const trace::GraphDoc graph = place.trace()->at(place.step);
  if (e.kind == Entity::Kind::value) return graph.values.find(ValueId(e.id)) ? ValueId(e.id) : ValueId();
  const trace::GraphNode* op = e.kind == Entity::Kind::op ? graph.nodes.find(NodeId(e.id)) : nullptr;
  return op && !op->outputs.empty() ? op->outputs.front() : ValueId();
}

} // namespace cutaway::views
