#include "compare/difference.h"
#include "kit/numbers.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

constexpr double heading = 184, least = 150; // px: the words at the left, the narrowest column

// One column of the strip. Less is better; negative: not known.
struct Measure {
  QString name;
  double a = -1, b = -1;
  QString (*text)(double);
  bool share = true; // the difference in per cent, else plain
};

QString countText(double v) { return number(v); }
QString bytesText(double v) { return byteText(int64_t(v)); }
QString ulpText(double v) { return number(v) + " ulp"; }

double largestValue(const Place& p) {
  int64_t most = -1;
  for (const trace::GraphValue& v : p.trace()->at(p.step).values)
    if (v.role == trace::ValueRole::intermediate) most = std::max(most, v.bytes);
  return double(most);
}

double worstDrift(const Place& p) {
  const auto* series = p.trace()->panel<trace::SeriesPanel>(p.step);
  double worst = -1;
  if (series)
    for (const auto& curve : series->curves)
      if (curve.name.view() == "compiled")
        for (const double y : curve.y)
          if (std::isfinite(y)) worst = std::max(worst, y);
  return worst;
}

std::vector<Measure> measuresOf(const Place& a, const Place& b) {
  const trace::Metrics &x = a.at()->after, &y = b.at()->after;
  std::vector<Measure> out = {{"Ops", double(x.nodes), double(y.nodes), countText, false},
                              {"Launches", double(x.launches), double(y.launches), countText, false},
                              {"Traffic", double(x.traffic_bytes), double(y.traffic_bytes), bytesText},
                              {"Peak bytes", double(x.peak_bytes), double(y.peak_bytes), bytesText},
                              {"Largest value", largestValue(a), largestValue(b), bytesText}};
  const Measure drift{"Drift, worst", worstDrift(a), worstDrift(b), ulpText, false};
  if (drift.a >= 0 && drift.b >= 0) out.push_back(drift);
  return out;
}

QString changeText(const Measure& m) {
  if (m.a < 0 || m.b < 0) return {};
  if (m.a == m.b) return "same";
  const double by = m.share && m.a > 0 ? 100 * (m.b - m.a) / m.a : m.b - m.a;
  const QString size = number(std::abs(m.share ? std::round(by) : by));
  return QString(by < 0 ? QChar(0x2212) : QChar('+')) + size + (m.share ? " %" : "");
}

void drawMeasure(Sheet& s, const Measure& m, double x, double width) {
  s.line({x, 14}, {x, 86}, {s.t.c("line")});
  s.text({x + 16, 22}, m.name, {.px = 11, .role = "textMuted"});
  const auto side = [&](double y, const char* letter, double v) {
    s.text({x + 16, y}, letter, {.weight = 600});
    s.text({x + 34, y}, v < 0 ? QString("not known") : m.text(v), {.weight = 500});
  };
  side(46, "A", m.a), side(70, "B", m.b);
  const char* role = m.a == m.b ? "textMuted" : m.b < m.a ? "created" : "refused";
  s.text({x + width - 16, 70}, changeText(m), {.role = role, .weight = 600, .anchor = 1});
}

} // namespace

Figure differenceFigure(const Place& a, const Place& b, const Theme&, QSizeF room) {
  const QSizeF size(room.width(), 100);
  if (!a.at() || !b.at())
    return {size, [](Sheet& s) { s.text({16, 50}, "The second compile is under way", {.role = "textSecondary"}); }, {}};
  auto measures = measuresOf(a, b);
  measures.resize(std::min(measures.size(), size_t(std::max(1., (room.width() - heading) / least)))); // the first matter most
  QString spoken;
  for (const Measure& m : measures) spoken += m.name + ": A " + (m.a < 0 ? "not known" : m.text(m.a)) + ", B " + (m.b < 0 ? "not known" : m.text(m.b)) + ". ";
  return {size, [measures, width = room.width()](Sheet& s) {
            s.text({16, 22}, "Difference", {.weight = 600});
            s.para({16, 44}, 150, 15, "At this step; the same entity has the same colour in both panes.", {.px = 11, .role = "textMuted"});
            const double each = (width - heading) / double(measures.size());
            for (size_t i = 0; i < measures.size(); ++i) drawMeasure(s, measures[i], heading + each * double(i), each);
          }, {{QRectF(QPointF(), size), nothing, spoken}}};
}

} // namespace cutaway::views
