#include "guards/guards_figure.h"

#include "kit/grid.h"
#include "place/empty.h"
#include "place/reading.h"

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double edge = 24;

struct Drawing {
  QSizeF size;
  QString guards, variants, policy;
  double policyTop = 0, variantsTop = 0;
  Grid first, second;

  void draw(Sheet& s) const {
    s.rect({{0, 0}, size}, 0, {s.t.c("canvas")});
    s.text({edge, 26}, guards, {.px = 15, .weight = 600, .room = size.width() - 2 * edge});
    s.para({edge, policyTop}, size.width() - 2 * edge, 18, policy, {.role = "textSecondary"});
    first.draw(s);
    s.text({edge, variantsTop + 12}, variants, {.px = 13, .weight = 600, .room = size.width() - 2 * edge});
    second.draw(s);
  }
};

QList<GridRow> guardRows(const trace::TablePanel& t, const std::optional<Entity>& selected) {
  QList<GridRow> out;
  for (const auto& row : t.rows) {
    const bool lit = selected && std::find(row.entities.begin(), row.entities.end(), *selected) != row.entities.end();
    out.append({{cell(t, row, "guard"), cell(t, row, "now"), cell(t, row, "why"), cell(t, row, "origin")}, Glyph::Tick, "ok", 0, lit});
  }
  return out;
}

QList<GridRow> variantRows(const trace::TablePanel* t) {
  QList<GridRow> out;
  for (size_t i = 0; t && i < t->rows.size(); ++i) {
    const auto& row = t->rows[i];
    const bool ran = cell(*t, row, "state") == "ran last";
    out.append({{cell(*t, row, "variant"), cell(*t, row, "inputs"), cell(*t, row, "state")}, ran ? Glyph::Play : Glyph::None, "accent", 0, false});
  }
  return out;
}

} // namespace

Figure guardsFigure(const Place& place, const Theme& theme, QSizeF room) {
  const bool paper = theme.name() == "paper";
  QSizeF size = paper ? QSizeF(673, 120) : room.expandedTo({480, 320});
  const trace::TablePanel* guards = table(place, "guards");
  if (!guards || guards->rows.empty())
    return emptyFigure(place, size, "guards", "No guards", "This part takes no inputs, or the document was made before guards were kept. Compile the model again to see what it is compiled for.");
  const trace::TablePanel* kept = table(place, "variants");
  const qsizetype variants = kept ? qsizetype(kept->rows.size()) : 0, count = qsizetype(guards->rows.size());
  const double width = size.width() - 2 * edge;
  const QString policy = "Policy: recompile. Each new shape makes a variant; one that is kept is taken again without compiling. It is the only policy of this version, so there are no costs to compare.";
  const double top = 56 + 18 * double(textLines(theme, policy, width).size());
  Grid first(theme, {edge, top}, width,
             {{.title = "Guard", .mono = true, .elastic = true, .least = 240}, {.title = "Now", .mono = true, .elastic = true, .drop = 1}, {.title = "Assumed because", .elastic = true, .drop = 2}, {.title = "Origin", .elastic = true, .drop = 3, .role = "textSecondary"}},
             guardRows(*guards, place.selected));
  const double below = first.bottom() + 24;
  Grid second(theme, {edge, below + 26}, width, {{.title = "Variant", .number = true}, {.title = "Compiled for", .mono = true, .elastic = true}, {.title = "State", .drop = 1}}, variantRows(kept));
  size.setHeight(std::max(paper ? 0. : size.height(), second.bottom() + 16));
  const auto drawing = std::make_shared<Drawing>(Drawing{size, QString("%1 guards hold").arg(count), QString("%1 %2 kept").arg(variants).arg(variants == 1 ? "variant" : "variants"), policy, 52, below, std::move(first), std::move(second)});
  if (count == 1) drawing->guards = "1 guard holds";
  Figure out{size, [drawing](Sheet& s) { drawing->draw(s); }, {}};
  for (size_t i = 0; i < guards->rows.size(); ++i) {
    const auto& row = guards->rows[i];
    if (row.entities.empty()) continue;
    out.hits.append({drawing->first.row(int(i)), row.entities.front(), QString("guard %1, holds: now %2; %3").arg(cell(*guards, row, "guard"), cell(*guards, row, "now"), cell(*guards, row, "why"))});
  }
  return out;
}

} // namespace cutaway::views
