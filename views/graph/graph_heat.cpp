#include "graph/graph_heat.h"

#include "drift/chart.h"
#include "kit/marks.h"
#include "kit/numbers.h"

#include <algorithm>
#include <cmath>

namespace cutaway::views {
namespace {

constexpr double legendPad = 12, rampWidth = 176, rampHeight = 10;

double rampAt(const GraphHeat& heat, double ulp) {
  if (!std::isfinite(ulp)) return 1;
  return ulp <= 0 ? 0 : std::clamp((std::log2(ulp) - heat.low) / (heat.high - heat.low), 0., 1.);
}

// Text and canvas are each other's opposite in every theme: the one that stands out more.
const char* inkOn(const Theme& t, const QColor& fill) {
  const auto light = [](const QColor& c) { return .2126 * std::pow(c.redF(), 2.2) + .7152 * std::pow(c.greenF(), 2.2) + .0722 * std::pow(c.blueF(), 2.2); };
  const auto contrast = [&](const char* role) {
    const double a = light(t.c(role)), b = light(fill);
    return (std::max(a, b) + .05) / (std::min(a, b) + .05);
  };
  return contrast("text") >= contrast("canvas") ? "text" : "canvas";
}

QString spoken(const GraphHeat::Box& box) { return ulpText(box.ulp) + " ulp"; }

// A node and a closed scope as a whole; of a group the header, so that its members can be read.
void heatBox(Sheet& s, const GraphItem& item, QRectF b, const GraphHeat& heat, const GraphHeat::Box& box) {
  const QColor fill = s.t.ramp(rampAt(heat, box.ulp));
  const char* ink = inkOn(s.t, fill);
  const bool group = item.kind == GraphItem::Group;
  if (s.level == Level::Dots) s.rects({s.pixels(b)}, {fill});
  else {
    const QRectF part = group ? QRectF(b.left(), b.top(), b.width(), 26) : b;
    s.rect(part, group ? 10 : 4, {fill}, {s.t.c("lineStrong"), 1});
    s.row(part.adjusted(10, 0, -10, 0), item.name, {.role = ink, .weight = 600}, spoken(box), {.px = 11, .role = ink, .weight = 600});
  }
  if (!box.over) return;
  const QColor red = s.t.c("refused");
  s.rect(b, group ? 10 : 4, {}, {red, 2.5});
  if (s.level < Level::Types && !box.culprit) return;
  const QPointF at(b.right() + 14 / s.k, b.top() + 12);
  glyph(s, box.culprit ? Glyph::Diamond : Glyph::Cross, at, "refused", box.culprit ? 8 : 6);
  const QString words = box.culprit ? QString("culprit: first over the limit") : QString("over the limit");
  s.text(at + QPointF(12 / s.k, 0), words, {.px = 11, .role = "refused", .weight = 600, .plate = s.t.c("canvas")});
}

} // namespace

std::optional<GraphHeat> heatOf(const Place& place, const GraphScene& scene) {
  const trace::SeriesPanel* panel = place.trace() ? place.trace()->panel<trace::SeriesPanel>(place.step) : nullptr;
  if (!panel || panel->entities.size() != panel->places.size() || !Chart::curve(*panel, "eager") || !Chart::curve(*panel, "compiled")) return {};
  const Chart chart(*panel, {});
  GraphHeat heat;
  heat.boxes.resize(scene.model.items.size());
  heat.limit = chart.leastLimit;
  for (size_t i = 0; i < chart.size(); ++i) {
    const double ulp = chart.compiled[i];
    const int at = scene.model.itemOf(panel->entities[i]);
    const bool over = chart.over(i) || std::isnan(ulp), culprit = chart.culprit() == i;
    ++heat.compared, heat.over += over;
    if (std::isfinite(ulp)) heat.worst = std::max(heat.worst, ulp);
    if (culprit) heat.culprit = qt(panel->places[i]);
    if (at < 0) continue;
    GraphHeat::Box& box = heat.boxes[size_t(at)];
    if (!std::isfinite(ulp) || ulp > box.ulp) box.ulp = ulp; // what is no number stays: nothing is greater
    box.over = box.over || over, box.culprit = box.culprit || culprit;
  }
  heat.high = std::ceil(std::log2(std::max({heat.worst, heat.limit, 1.})));
  heat.low = std::min(-2., heat.high - 4);
  return heat;
}

void drawHeat(Sheet& s, const GraphScene& scene, const GraphHeat& heat, QRectF seen) {
  for (size_t i = 1; i < scene.box.size(); ++i) {
    const GraphItem& item = scene.model.items[i];
    const GraphHeat::Box& box = heat.boxes[i];
    const bool compared = !(box.ulp < 0);
    if (!compared || scene.box[i].isEmpty() || (item.kind == GraphItem::Scope && item.open) || !scene.box[i].adjusted(-8, -8, 220, 8).intersects(seen)) continue;
    heatBox(s, item, scene.box[i], heat, box);
  }
}

void drawHeatLegend(Sheet& s, const GraphHeat* heat, QPointF at) {
  const Type small{.px = 11, .role = "textSecondary"};
  s.rect({at, heatLegendSize}, 4, {s.t.c("raised")}, {s.t.c("line")});
  const QPointF in = at + QPointF(legendPad, 0);
  if (!heat) {
    s.text(in + QPointF(0, 22), "No drift yet: nothing has been compared.", {.px = 11, .weight = 600});
    s.text(in + QPointF(0, 40), "Run (R) compares compiled, eager and float64.", small);
    return;
  }
  const QRectF ramp(in + QPointF(0, 9), QSizeF(rampWidth, rampHeight));
  constexpr int steps = 16;
  for (int i = 0; i < steps; ++i) s.rects({s.pixels({ramp.left() + ramp.width() * i / steps, ramp.top(), ramp.width() / steps + 1, ramp.height()})}, {s.t.ramp(double(i) / (steps - 1))});
  const double low = std::exp2(heat->low), high = std::exp2(heat->high);
  s.text({ramp.left(), ramp.bottom() + 12}, number(low), small);
  s.text({ramp.right(), ramp.bottom() + 12}, heat->high < 20 ? number(high) : ulpText(high), {.px = 11, .role = "textSecondary", .anchor = 1});
  s.text({ramp.left(), ramp.bottom() + 27}, QString("limit: 1.5 %1 eager, at least %2").arg(QChar(0xd7)).arg(number(heat->limit)), small);
  const double right = ramp.right() + 16, room = at.x() + heatLegendSize.width() - legendPad - right;
  s.text({right, at.y() + 14}, QString("ulp from float64, worst %1").arg(ulpText(heat->worst)), {.px = 11, .role = "textSecondary", .room = room});
  s.text({right, at.y() + 30}, QString("%1 of %2 over the limit").arg(heat->over).arg(heat->compared), {.px = 11, .role = heat->over ? "refused" : "text", .weight = 600, .room = room});
  if (heat->culprit.isEmpty()) s.text({right, at.y() + 46}, "no culprit", small);
  else glyph(s, Glyph::Diamond, {right + 4, at.y() + 46}, "refused", 6), s.text({right + 14, at.y() + 46}, heat->culprit, {.px = 11, .weight = 600, .room = room - 14});
}

} // namespace cutaway::views
