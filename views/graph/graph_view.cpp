#include "graph/graph_view.h"

#include "graph/graph_difference.h"
#include "graph/graph_motion.h"
#include "kit/marks.h"
#include "place/empty.h"

#include <QPainter>

#include <cmath>

namespace cutaway::views {
namespace {

constexpr double least = .02, most = 4;

QString levelName(Level level) {
  static const char* const names[] = {"dots", "names", "types", "full"};
  return names[size_t(level)];
}

} // namespace

GraphView::GraphView(Navigator& navigator, Look& look, QWidget* parent) : QWidget(parent), SpokenCanvas(static_cast<QWidget&>(*this)), m_navigator(navigator), m_look(look) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName("Graph");
  setMouseTracking(true);
  setMinimumSize(160, 120);
  m_soon.setSingleShot(true);
  m_frames.setInterval(15);
  connect(&m_soon, &QTimer::timeout, this, &GraphView::layOut);
  connect(&m_frames, &QTimer::timeout, this, &GraphView::frame);
  connect(&m_runner, &LayoutRunner::answered, this, &GraphView::layOut);
  connect(&navigator, &Navigator::documentChanged, this, &GraphView::documentChanged);
  connect(&navigator, &Navigator::stepChanged, this, &GraphView::stepped);
  connect(&navigator, &Navigator::selectionChanged, this, [this] { update(), emit viewChanged(), tellSelected(); });
  connect(this, &GraphView::viewChanged, this, [this] { spotsChanged(); });
  connect(&look, &Look::changed, this, &GraphView::later);
}

void GraphView::documentChanged() {
  m_scene.reset(), m_before.reset();
  m_open.clear(), m_past.clear();
  m_fresh = true;
  spotsChanged();
  later();
}

void GraphView::stepped(uint32_t before) {
  finishMotion();
  const uint32_t step = m_navigator.place().step;
  m_moves = (step > before ? step - before : before - step) <= 4;
  later();
}

void GraphView::later() {
  m_pending = true;
  if (!m_soon.isActive()) m_soon.start(0);
}

void GraphView::layOut() {
  const Place& place = m_navigator.place();
  const trace::Trace* trace = place.trace();
  if (!trace || trace->steps().empty()) {
    m_scene.reset(), m_pending = false;
    update();
    return;
  }
  const trace::GraphDoc graph = trace->at(place.step);
  const bool ends = place.step == 0 || place.step + 1 == trace->steps().size();
  if (m_fresh) m_open = defaultOpen(graph, ends ? std::vector<Entity>{} : place.at()->entities, 40);
  else if (!ends || place.selected) followStep(graph, ends);
  std::vector<DotInput> missing;
  m_runner.cancel();
  auto scene = layoutGraph(graph, buildGraph(graph, qt(trace->name), {m_open, m_constants}), m_look.theme(), [this](const DotInput& in) { return m_runner.known(in); }, missing);
  if (!scene) return m_runner.request(missing);
  m_pending = false;
  take(std::move(scene));
}

// Opens what is around the firing entities; what the user closed by hand stays closed.
void GraphView::followStep(const trace::GraphDoc& graph, bool ends) {
  std::vector<Entity> about = ends ? std::vector<Entity>{} : m_navigator.place().at()->entities;
  for (const QString& path : scopesAround(graph, about))
    if (!m_closedByHand.contains(path)) m_open.insert(path);
}

void GraphView::take(std::shared_ptr<const GraphScene> scene) {
  m_before = m_scene;
  m_scene = std::move(scene);
  m_marks = marksOf(m_navigator.place(), *m_scene, m_before.get());
  if (!m_scene->exact) emit layoutTookTooLong();
  if (m_fresh || !m_before) {
    m_fresh = false;
    fit();
    if (m_zoom < .6) showStart();
    return;
  }
  const QRectF firing = firingBox();
  const QString kept = keptKey();
  QPointF shift;
  if (!kept.isEmpty()) {
    const auto boxOf = [&](const GraphScene& s) { return s.places().value(kept); };
    const QRectF old = boxOf(*m_before), now = boxOf(*m_scene);
    if (!old.isEmpty() && !now.isEmpty()) shift = now.center() - old.center();
  }
  m_centre += shift;
  if (m_target) {
    const Entity target = *std::exchange(m_target, {});
    if (const QRectF b = m_scene->boxOf(target); !b.isEmpty()) {
      const QPointF from = m_centre;
      m_centre = b.center();
      startMotion(from, m_zoom, shift);
      emit viewChanged();
      return;
    }
  }
  const QRectF seen(toScene({0, 0}), toScene(QPointF(width(), height())));
  const Camera from{m_centre, m_zoom, {}};
  if (!firing.isEmpty() && (m_zoom < .6 || !seen.adjusted(40 / m_zoom, 40 / m_zoom, -40 / m_zoom, -40 / m_zoom).contains(firing))) {
    m_centre = firing.center();
    if (m_zoom < .6) m_zoom = 1; // where types can be read
  }
  startMotion(from.centre, from.zoom, shift);
  emit viewChanged();
}

// What must not move on screen: the selection, else what fires, else what is nearest the middle.
QString GraphView::keptKey() const {
  const auto places = m_before->places(), now = m_scene->places();
  const QRectF seen(toScene({0, 0}), toScene(QPointF(width(), height())));
  const auto fits = [&](const QString& key) { return places.contains(key) && now.contains(key) && seen.intersects(places[key]); };
  if (const auto& chosen = m_navigator.place().selected) {
    const QString key = keyOf(*chosen);
    if (fits(key)) return key;
  }
  for (const QString& key : m_marks.firing)
    if (fits(key)) return key;
  QString best;
  double nearest = 1e18;
  for (auto it = places.begin(); it != places.end(); ++it) {
    const QPointF d = it->center() - m_centre;
    const double far = d.x() * d.x() + d.y() * d.y();
    if (far < nearest && !it.key().startsWith("s:") && now.contains(it.key())) best = it.key(), nearest = far;
  }
  return best;
}

QRectF GraphView::firingBox() const {
  QRectF out;
  if (const trace::Step* step = m_navigator.place().at())
    for (const Entity e : step->entities)
      if (const QRectF b = m_scene->boxOf(e); !b.isEmpty()) out = out.isEmpty() ? b : out.united(b);
  return out;
}

// ---- motion ----
void GraphView::startMotion(QPointF fromCentre, double fromZoom, QPointF shift) {
  m_fromCentre = fromCentre, m_fromZoom = fromZoom;
  m_motion.reset();
  if (m_moves && m_before && m_look.duration("move") > 0) m_motion = makeMotion(*m_before, *m_scene, shift);
  if (m_motion || fromCentre != m_centre || fromZoom != m_zoom) {
    m_clock.start();
    if (m_look.duration("move") > 0) m_frames.start();
    else finishMotion();
  }
  m_moves = false;
  update();
}

void GraphView::finishMotion() {
  m_frames.stop();
  m_clock.invalidate();
  m_motion.reset();
  update();
}

void GraphView::frame() {
  if (!m_clock.isValid() || m_clock.elapsed() >= m_look.duration(m_motion ? "morph" : "move")) return finishMotion();
  update();
}

double GraphView::progress() const {
  if (!m_clock.isValid()) return 1;
  const double t = std::min(1., double(m_clock.elapsed()) / std::max(1, m_look.duration(m_motion ? "morph" : "move")));
  return eased(t);
}

// ---- drawing ----
void GraphView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_look.theme().c("canvas"));
  if (!m_scene) {
    PainterSheet sheet(painter, m_look.theme());
    if (m_navigator.place().trace()) return; // under 300 ms nothing is shown
    return emptyFigure(m_navigator.place(), size(), "graph", {}, {}).draw(sheet);
  }
  const double t = progress();
  const double zoom = m_fromZoom + (m_zoom - m_fromZoom) * t;
  const QPointF centre = t < 1 ? m_fromCentre + (m_centre - m_fromCentre) * t : m_centre;
  const double k = t < 1 ? zoom : m_zoom;
  const QPointF half(width() / 2., height() / 2.);
  painter.save();
  painter.translate(half - centre * k);
  painter.scale(k, k);
  {
    PainterSheet sheet(painter, m_look.theme(), k);
    const QRectF seen(centre - half / k, QSizeF(size()) / k);
    if (m_motion && t < 1) drawMotion(sheet, *m_motion, *m_scene, m_marks, t, seen);
    else drawGraph(sheet, *m_scene, m_marks, m_navigator.place().selected, seen);
    if (m_difference && t >= 1) drawDifference(sheet, *m_scene, *m_difference, m_letter, seen);
  }
  painter.restore();
  if (width() >= 640) drawOverlay(painter);
  if (hasFocus() && m_keyFocus) {
    PainterSheet sheet(painter, m_look.theme());
    sheet.rect(QRectF(rect()).adjusted(2, 2, -2, -2), 4, {}, {m_look.theme().c("accent"), 2});
  }
}

void GraphView::drawOverlay(QPainter& painter) const {
  PainterSheet s(painter, m_look.theme());
  const QRectF map = minimapBox();
  s.rect(map, 4, {s.t.c("raised")}, {s.t.c("line")});
  const double k = std::min((map.width() - 12) / std::max(1., m_scene->size.width()), (map.height() - 12) / std::max(1., m_scene->size.height()));
  const QPointF origin = map.center() - QPointF(m_scene->size.width(), m_scene->size.height()) * k / 2;
  QList<QRect> plain;
  std::array<QList<QRect>, 12> groups;
  for (size_t i = 1; i < m_scene->box.size(); ++i) {
    const GraphItem& item = m_scene->model.items[i];
    if (m_scene->box[i].isEmpty() || (item.kind == GraphItem::Scope && item.open)) continue;
    const QRect r = s.pixels({origin + m_scene->box[i].topLeft() * k, m_scene->box[i].size() * k});
    (item.kind == GraphItem::Group ? groups[size_t(item.category) % 12] : plain) << r;
  }
  s.rects(plain, {s.t.c("lineStrong")});
  for (int i = 0; i < 12; ++i) s.rects(groups[size_t(i)], {s.t.category(i).stroke});
  const QRectF seen(toScene({0, 0}), toScene(QPointF(width(), height())));
  s.rect(QRectF(origin + seen.topLeft() * k, seen.size() * k).intersected(map.adjusted(1, 1, -1, -1)), 2, {}, {s.t.c("accent"), 2});
  drawLegend(s);
}

void GraphView::drawLegend(Sheet& s) const {
  double x = 16;
  const double y = height() - 20;
  const auto say = [&](Glyph g, const char* role, const QString& label) {
    const Type type{.px = 11, .role = "textSecondary", .plate = s.t.c("canvas")};
    glyph(s, g, {x + 6, y}, role, 6);
    s.text({x + 18, y}, label, type);
    x += 34 + s.width(label, type);
  };
  if (!m_marks.firing.isEmpty() && !m_marks.refused) say(Glyph::Play, "accent", "fires now");
  if (!m_marks.created.isEmpty()) say(Glyph::Plus, "created", "created");
  if (!m_marks.changed.isEmpty()) say(Glyph::Tilde, "changed", "changed");
  if (!m_marks.notes.empty()) say(Glyph::Refused, "refused", "refused, with reason");
  if (!m_marks.ghosts.empty()) say(Glyph::Minus, "removed", "gone");
}

Figure GraphView::figure(bool whole) const {
  if (!m_scene) return {};
  const auto scene = m_scene;
  const QSizeF size = whole ? scene->size : QSizeF(this->size());
  const QPointF corner = whole ? QPointF() : toScene({0, 0});
  Figure out;
  out.size = size;
  out.draw = [scene, marks = m_marks, chosen = m_navigator.place().selected, size, corner](Sheet& s) {
    s.rect({QPointF(), size / s.k}, 0, {s.t.c("canvas")});
    s.push(-corner);
    drawGraph(s, *scene, marks, chosen, QRectF(corner, size / s.k));
    s.pop();
  };
  return out;
}

void GraphView::setDifference(std::shared_ptr<const Difference> difference, const QString& letter) {
  m_difference = std::move(difference), m_letter = letter;
  update();
}

// ---- commands ----
void GraphView::zoomBy(double factor, QPointF at) {
  finishMotion();
  const QPointF fixed = toScene(at);
  m_zoom = std::clamp(m_zoom * factor, least, most);
  m_centre = fixed - (at - QPointF(width(), height()) / 2) / m_zoom;
  update(), emit viewChanged();
}

void GraphView::panTo(QPointF centre) {
  finishMotion();
  if (m_scene) // never out of sight
    centre = {std::clamp(centre.x(), 0., m_scene->size.width()), std::clamp(centre.y(), 0., m_scene->size.height())};
  m_centre = centre;
  update(), emit viewChanged();
}

void GraphView::fit() {
  finishMotion();
  if (!m_scene) return;
  const QSizeF s = m_scene->size;
  const double across = width() / std::max(1., s.width()), down = height() / std::max(1., s.height());
  const QRectF firing = m_navigator.place().step + 1 < m_navigator.stepCount() && m_navigator.place().step > 0 ? firingBox() : QRectF();
  if (!firing.isEmpty() && std::min(across, down) < .5 && (m_centre - firing.center()).manhattanLength() > 1) {
    m_zoom = 1, m_centre = firing.center(); // all of it would show nothing of the step
  } else {
    m_zoom = std::clamp(std::min(across, down), least, 1.);
    m_centre = {s.width() / 2, s.height() / 2};
  }
  update(), emit viewChanged();
}

// A graph too tall to be read as a whole opens at its inputs.
void GraphView::showStart() {
  m_zoom = std::clamp(width() / std::max(1., m_scene->size.width()), .6, 1.);
  m_centre = {m_scene->size.width() / 2, height() / 2 / m_zoom};
  update(), emit viewChanged();
}

void GraphView::focusOn(Entity e) {
  if (!m_scene) return;
  const trace::Trace* trace = m_navigator.place().trace();
  remember();
  if (m_scene->boxOf(e).isEmpty() || m_scene->model.itemOf(e) < 0 || m_scene->model.items[size_t(m_scene->model.itemOf(e))].kind == GraphItem::Scope) {
    for (const QString& path : scopesAround(trace->at(m_navigator.place().step), {e})) m_open.insert(path), m_closedByHand.remove(path);
    m_target = e;
    return later();
  }
  const QRectF b = m_scene->boxOf(e);
  const QPointF from = m_centre;
  const double zoom = m_zoom;
  m_centre = b.center(), m_zoom = std::max(m_zoom, .8);
  startMotion(from, zoom, {});
  emit viewChanged();
}

void GraphView::focusSelection() {
  const auto& chosen = m_navigator.place().selected;
  const QRectF b = chosen && m_scene ? m_scene->boxOf(*chosen) : m_scene ? firingBox() : QRectF();
  if (b.isEmpty() || (m_centre - b.center()).manhattanLength() < 2) return fit();
  remember();
  const QPointF from = m_centre;
  const double zoom = m_zoom;
  m_centre = b.center(), m_zoom = std::max(m_zoom, 1.);
  startMotion(from, zoom, {});
  emit viewChanged();
}

void GraphView::toggleScope(const QString& path, bool deep) {
  remember();
  const bool open = !m_open.contains(path);
  if (open) m_open.insert(path), m_closedByHand.remove(path);
  else m_open.remove(path), m_closedByHand.insert(path);
  if (deep && m_navigator.place().trace())
    for (const trace::GraphNode& n : m_navigator.place().trace()->at(m_navigator.place().step).nodes) {
      QString below;
      for (const QString& part : qt(n.scope).split('/', Qt::SkipEmptyParts)) {
        below += (below.isEmpty() ? "" : "/") + part;
        if (!below.startsWith(path + "/") && below != path) continue;
        if (open) m_open.insert(below), m_closedByHand.remove(below);
        else m_open.remove(below);
      }
    }
  m_moves = true;
  later();
}

void GraphView::expandAll(bool open) {
  remember();
  m_open.clear(), m_closedByHand.clear();
  if (open && m_navigator.place().trace()) {
    for (const trace::GraphNode& n : m_navigator.place().trace()->at(m_navigator.place().step).nodes) {
      QString path;
      for (const QString& part : qt(n.scope).split('/', Qt::SkipEmptyParts)) m_open.insert(path += (path.isEmpty() ? "" : "/") + part);
    }
  }
  later();
}

void GraphView::showScope(const QString& path) {
  if (!m_scene) return;
  remember();
  const int at = path.isEmpty() ? 0 : m_scene->model.by_key.value("s:" + path, -1);
  if (at < 0) return;
  if (at == 0) return fit();
  const QRectF b = m_scene->box[size_t(at)];
  if (b.isEmpty()) return;
  const QPointF from = m_centre;
  const double zoom = m_zoom;
  m_centre = b.center(), m_zoom = std::clamp(std::min(width() / (b.width() + 48), height() / (b.height() + 48)), least, 1.);
  startMotion(from, zoom, {});
  emit viewChanged();
}

void GraphView::openSelected() {
  if (!m_scene) return;
  const int at = itemAt(m_centre);
  if (at > 0 && m_scene->model.items[size_t(at)].kind == GraphItem::Scope) toggleScope(m_scene->model.items[size_t(at)].path, false);
}

// To the producer or to the first reader of what is selected.
void GraphView::follow(bool forward) {
  const Place& place = m_navigator.place();
  if (!place.selected || !place.trace()) return;
  const trace::GraphDoc graph = place.trace()->at(place.step);
  const trace::Wiring wiring(graph);
  std::optional<Entity> next;
  if (place.selected->kind == Entity::Kind::op) {
    if (const trace::GraphNode* n = graph.nodes.find(NodeId(place.selected->id)))
      for (const ValueId v : forward ? n->outputs : n->inputs)
        if (v.valid() && !next && (forward || wiring.producer(v).valid())) next = entity(v);
  } else if (place.selected->kind == Entity::Kind::value) {
    const ValueId v(place.selected->id);
    if (!forward && wiring.producer(v).valid()) next = entity(wiring.producer(v));
    if (forward && !wiring.consumers(v).empty()) next = entity(wiring.consumers(v)[0].node);
  }
  if (!next) return;
  m_navigator.select(next);
  focusOn(*next);
}

void GraphView::setConstants(bool shown) {
  m_constants = shown;
  later();
}

void GraphView::remember() {
  m_past.push_back({m_centre, m_zoom, m_open});
  if (m_past.size() > 64) m_past.erase(m_past.begin());
}

void GraphView::back() {
  if (m_past.empty()) return;
  const Camera to = m_past.back();
  m_past.pop_back();
  const QPointF from = m_centre;
  const double zoom = m_zoom;
  m_centre = to.centre, m_zoom = to.zoom;
  if (to.open != m_open) {
    m_open = to.open;
    return later();
  }
  startMotion(from, zoom, {});
  emit viewChanged();
}

void GraphView::retryLayout() {
  m_runner.forgetPlain();
  later();
}

QString GraphView::statusText() const { return !m_scene ? QString() : QString("%1 %   %2").arg(qRound(m_zoom * 100)).arg(levelName(m_look.theme().level(m_zoom))); }

QStringList GraphView::crumbs() const {
  const Place& place = m_navigator.place();
  if (!m_scene || !place.at()) return {};
  return scopesAround(m_scene->graph, place.selected ? std::vector<Entity>{*place.selected} : place.at()->entities);
}

} // namespace cutaway::views
