#include "graph/graph_view.h"

#include "graph/graph_motion.h"
#include "kit/ease.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <cmath>
#include <utility>

namespace cutaway::views {
namespace {

constexpr double least = .02, most = 4; // zoom; less where all of a graph takes less

QString levelName(Level level) {
  static const char* const names[] = {"dots", "names", "types", "full"};
  return names[size_t(level)];
}

} // namespace

// What is around the firing entities and the selection is opened; what the user closed by hand stays closed. A jump
// starts anew, or every place ever visited would stay open.
struct GraphView::OpenScopes {
  QSet<QString> open, opened_by_hand, closed_by_hand;
  bool anew = false;

  QSet<QString> at(const Place& place, const GraphIndex& graph) const {
    const bool ends = place.step == 0 || place.step + 1 == place.trace()->steps().size();
    std::vector<Entity> about = ends ? std::vector<Entity>{} : place.at()->entities;
    QSet<QString> out = anew ? opened_by_hand + (defaultOpen(graph, about, 40) - closed_by_hand) : open;
    if (place.selected) about.push_back(*place.selected);
    for (const QString& path : scopesAround(graph, about))
      if (!closed_by_hand.contains(path)) out.insert(path);
    return out;
  }
};

struct GraphView::Built {
  trace::GraphDoc graph;
  QSet<QString> open;
  GraphModel model;
};

GraphView::GraphView(Navigator& navigator, Look& look, QWidget* parent) : QWidget(parent), SpokenCanvas(static_cast<QWidget&>(*this)), m_navigator(navigator), m_look(look) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName("Graph");
  setMouseTracking(true);
  setMinimumSize(160, 120);
  buildStrip();
  m_builder.setMaxThreadCount(1);
  m_soon.setSingleShot(true);
  m_frames.setInterval(15);
  connect(&m_soon, &QTimer::timeout, this, &GraphView::prepare);
  connect(&m_frames, &QTimer::timeout, this, &GraphView::frame);
  connect(&m_runner, &LayoutRunner::answered, this, &GraphView::layOut);
  connect(&navigator, &Navigator::documentChanged, this, &GraphView::documentChanged);
  connect(&navigator, &Navigator::stepChanged, this, &GraphView::stepped);
  connect(&navigator, &Navigator::selectionChanged, this, [this] { m_crumbsKnown = false, update(), emit viewChanged(), tellSelected(); });
  connect(this, &GraphView::viewChanged, this, [this] { spotsChanged(); });
  connect(&look, &Look::changed, this, &GraphView::lookChanged);
}

void GraphView::documentChanged() {
  m_scene.reset(), m_before.reset(), m_layout.reset(), m_minimap.reset();
  m_crumbsKnown = false;
  m_open.clear(), m_openedByHand.clear(), m_closedByHand.clear(), m_past.clear();
  m_fresh = true;
  spotsChanged();
  later();
}

void GraphView::stepped(uint32_t before) {
  finishMotion();
  m_showsBefore = false;
  const uint32_t step = m_navigator.place().step;
  m_moves = (step > before ? step - before : before - step) <= 4;
  m_jumped = m_jumped || !m_moves;
  m_crumbsKnown = false;
  prepare();
}

// Another colour moves nothing.
void GraphView::lookChanged() {
  if (m_scene && m_classes.has_value() != (m_look.colourBy() == ColourBy::opClass)) return colour(), update();
  later();
}

void GraphView::colour() {
  m_classes = m_look.colourBy() == ColourBy::opClass ? std::optional(classesOf(*m_scene, m_look.theme())) : std::nullopt;
  m_minimap.reset();
}

void GraphView::later() {
  m_pending = true;
  if (!m_soon.isActive()) m_soon.start(0);
}

// What is to be drawn, once for all of dot's answers; put together beside the window's thread.
void GraphView::prepare() {
  m_pending = true;
  m_soon.stop();
  m_runner.cancel(), m_layout.reset(), m_builder.clear();
  const uint64_t number = ++m_asked;
  const Place place = shown();
  if (!place.at()) {
    m_scene.reset(), m_pending = false;
    update();
    return;
  }
  OpenScopes open{m_open, m_openedByHand, m_closedByHand, m_jumped || m_fresh};
  m_builder.start([this, place, number, constants = m_constants, open = std::move(open)]() mutable {
    auto built = std::make_shared<Built>();
    const GraphIndex index = built->graph = place.trace()->at(place.step);
    built->open = open.at(place, index);
    built->model = buildGraph(index, qt(place.trace()->name), {built->open, constants});
    QMetaObject::invokeMethod(this, [this, built, number] {
      if (number == m_asked) accept(*built);
    }, Qt::QueuedConnection);
  });
}

Place GraphView::shown() const {
  Place out = m_navigator.place();
  if (m_showsBefore && out.step > 0) --out.step;
  return out;
}

void GraphView::setBefore(bool shown) {
  if (shown == m_showsBefore) return;
  finishMotion();
  m_showsBefore = shown;
  prepare();
}

void GraphView::accept(Built& built) {
  m_open = std::move(built.open);
  m_jumped = false;
  m_layout = std::make_unique<GraphLayout>(built.graph, std::move(built.model), m_look.theme());
  layOut();
}

void GraphView::layOut() {
  if (!m_layout) return;
  std::vector<DotQuestion> missing;
  auto scene = m_layout->advance([this](const QByteArray& text) { return m_runner.known(text); }, missing);
  if (!scene) return m_runner.request(missing);
  m_layout.reset();
  m_pending = false;
  take(std::move(scene));
}

void GraphView::take(std::shared_ptr<const GraphScene> scene) {
  m_before = m_scene;
  m_scene = std::move(scene);
  m_crumbsKnown = false;
  m_strip->setVisible(!m_scene->exact);
  m_stripWords->setText(m_runner.trouble() + "; a simpler layout is shown.");
  m_heat = m_drift ? heatOf(m_navigator.place(), *m_scene) : std::nullopt;
  colour();
  const QPointF shift = m_before && !m_fresh ? keptShift() : QPointF();
  QHash<QString, QRectF> old;
  if (m_before) old = m_before->places;
  if (!shift.isNull())
    for (QRectF& box : old) box.translate(shift); // where they stood on screen
  m_marks = m_showsBefore ? StepMarks() : marksOf(m_navigator.place(), *m_scene, old);
  if (m_fresh || !m_before) {
    m_fresh = false;
    fit();
    if (m_zoom < .6) showStart();
    return;
  }
  const QRectF firing = firingBox();
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
  const QRectF seen = this->seen();
  const Camera from{m_centre, m_zoom, {}};
  if (!firing.isEmpty() && (m_zoom < .6 || !seen.adjusted(40 / m_zoom, 40 / m_zoom, -40 / m_zoom, -40 / m_zoom).contains(firing))) {
    m_centre = firing.center();
    if (m_zoom < .6) m_zoom = 1; // where types can be read
  }
  startMotion(from.centre, from.zoom, shift);
  emit viewChanged();
}

// How far the camera follows what must not move on screen.
QPointF GraphView::keptShift() const {
  const QString kept = keptKey();
  return kept.isEmpty() ? QPointF() : m_scene->places[kept].center() - m_before->places[kept].center();
}

// The selection, else what fires, else what is nearest the middle.
QString GraphView::keptKey() const {
  const auto &places = m_before->places, &now = m_scene->places;
  const QRectF seen = this->seen();
  const auto fits = [&](const QString& key) { return places.contains(key) && now.contains(key) && seen.intersects(places[key]); };
  if (const auto& chosen = m_navigator.place().selected) {
    const QString key = keyOf(*chosen);
    if (fits(key)) return key;
  }
  if (const trace::Step* step = m_navigator.place().at())
    for (const Entity e : step->entities)
      if (const QString key = keyOf(e); fits(key)) return key;
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

void GraphView::setDifference(std::shared_ptr<const Difference> difference, const QString& letter) {
  m_difference = std::move(difference), m_letter = letter;
  update();
}

// ---- commands ----
void GraphView::zoomBy(double factor, QPointF at) {
  finishMotion();
  const QPointF fixed = toScene(at);
  m_zoom = std::clamp(m_zoom * factor, std::min(least, zoomForAll()), most);
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

double GraphView::zoomForAll() const {
  if (!m_scene) return 1;
  return std::min(width() / std::max(1., m_scene->size.width()), height() / std::max(1., m_scene->size.height()));
}

void GraphView::fit() {
  finishMotion();
  if (!m_scene) return;
  const QSizeF s = m_scene->size;
  const double all = zoomForAll();
  const QRectF firing = m_navigator.place().step + 1 < m_navigator.stepCount() && m_navigator.place().step > 0 ? firingBox() : QRectF();
  if (!firing.isEmpty() && all < .5 && (m_centre - firing.center()).manhattanLength() > 1) {
    m_zoom = 1, m_centre = firing.center(); // all of it would show nothing of the step
  } else {
    m_zoom = std::min(all, 1.);
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
  QSet<QString> all{path};
  if (deep && m_scene)
    for (const QString& below : allScopes(m_scene->graph))
      if (below.startsWith(path + "/")) all.insert(below);
  if (open) m_open += all, m_openedByHand += all, m_closedByHand -= all;
  else m_open -= all, m_openedByHand -= all, m_closedByHand.insert(path);
  m_moves = true;
  later();
}

void GraphView::expandAll(bool open) {
  remember();
  m_openedByHand = open && m_scene ? allScopes(m_scene->graph) : QSet<QString>();
  m_open = m_openedByHand;
  m_closedByHand.clear();
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

void GraphView::setDrift(bool shown) {
  m_drift = shown;
  m_heat = shown && m_scene ? heatOf(m_navigator.place(), *m_scene) : std::nullopt;
  update();
}

void GraphView::buildStrip() {
  m_strip = new QWidget(this);
  m_strip->setObjectName("strip"), m_strip->setAttribute(Qt::WA_StyledBackground);
  m_stripWords = new QLabel;
  auto* again = new QPushButton("Try again");
  connect(again, &QPushButton::clicked, this, &GraphView::retryLayout);
  auto* row = new QHBoxLayout(m_strip);
  row->setContentsMargins(16, 4, 16, 4), row->setSpacing(8);
  row->addWidget(m_stripWords), row->addWidget(again), row->addStretch();
  m_strip->hide();
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

QString GraphView::statusText() const { return !m_scene ? QString() : QString("%1 %   %2").arg(m_zoom < .01 ? QString::number(m_zoom * 100, 'f', 1) : QString::number(qRound(m_zoom * 100))).arg(levelName(m_look.theme().level(m_zoom))); }

QStringList GraphView::crumbs() const {
  const Place& place = m_navigator.place();
  if (!place.at()) return {};
  if (!std::exchange(m_crumbsKnown, true))
    m_crumbs = scopesAround(place.trace()->at(place.step), place.selected ? std::vector<Entity>{*place.selected} : place.at()->entities);
  return m_crumbs;
}

} // namespace cutaway::views
