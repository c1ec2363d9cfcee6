#include "shell/accessible.h"

#include <QAccessibleWidget>
#include <QWindow>

#include <algorithm>

namespace cutaway::views {

class SpotAccess : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  SpotAccess(SpokenCanvas& canvas, QWidget& widget) : m_canvas(canvas), m_widget(widget) {}
  bool isValid() const override { return true; }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return m_widget.window()->windowHandle(); }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(&m_widget); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text which) const override {
    if (which == QAccessible::Name) return spot.name.section('\n', 0, 0);
    return which == QAccessible::Description ? spot.name.section('\n', 1) : QString();
  }
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override { return {m_widget.mapToGlobal(spot.box.topLeft()), spot.box.size()}; }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QAccessible::State state() const override {
    QAccessible::State s;
    s.focusable = true, s.focused = spot.focused;
    s.selectable = spot.pressable, s.selected = spot.selected;
    s.invisible = !m_widget.isVisible();
    return s;
  }
  void* interface_cast(QAccessible::InterfaceType type) override { return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr; }
  QStringList actionNames() const override { return spot.pressable ? QStringList{pressAction()} : QStringList(); }
  void doAction(const QString& name) override {
    if (spot.pressable && name == pressAction()) m_canvas.press(QString(spot.key)); // a copy: pressing may end this child
  }
  QStringList keyBindingsForAction(const QString&) const override { return {}; }

  Spot spot;

 private:
  SpokenCanvas& m_canvas;
  QWidget& m_widget;
};

namespace {

class CanvasAccess : public QAccessibleWidget {
 public:
  CanvasAccess(QWidget& widget, SpokenCanvas& canvas) : QAccessibleWidget(&widget, QAccessible::List), m_canvas(canvas) {}
  int childCount() const override { return int(m_canvas.parts().size() + m_canvas.children().size()); }
  QAccessibleInterface* child(int at) const override {
    const QWidgetList parts = m_canvas.parts();
    return at < parts.size() ? QAccessible::queryAccessibleInterface(parts.value(at)) : m_canvas.children().value(at - parts.size());
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    for (int i = 0; child && i < childCount(); ++i)
      if (this->child(i) == child) return i;
    return -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override { // what lies on top
    for (int i = childCount(); i-- > 0;)
      if (child(i)->rect().contains(x, y)) return child(i);
    return nullptr;
  }
  QAccessibleInterface* focusChild() const override {
    for (SpotAccess* child : m_canvas.children())
      if (child->spot.focused) return child;
    return QAccessibleWidget::focusChild();
  }

 private:
  SpokenCanvas& m_canvas;
};

QAccessibleInterface* canvasAccess(const QString&, QObject* object) {
  auto* canvas = dynamic_cast<SpokenCanvas*>(object);
  return canvas ? new CanvasAccess(*static_cast<QWidget*>(object), *canvas) : nullptr;
}

void tell(QAccessibleInterface* child, QAccessible::Event what) {
  QAccessibleEvent event(child, what);
  QAccessible::updateAccessibility(&event);
}

} // namespace

SpokenCanvas::SpokenCanvas(QWidget& widget) : m_widget(widget) {
  static const bool once = (QAccessible::installFactory(canvasAccess), true);
  (void)once;
}

SpokenCanvas::~SpokenCanvas() {
  for (SpotAccess* child : m_children) QAccessible::deleteAccessibleInterface(QAccessible::uniqueId(child));
}

const QList<SpotAccess*>& SpokenCanvas::children() {
  m_heard = true;
  if (!m_stale) return m_children;
  QHash<QString, SpotAccess*> kept;
  m_children.clear();
  for (const Spot& spot : m_widget.isVisible() ? spots() : QList<Spot>()) {
    SpotAccess* child = m_kept.take(spot.key);
    if (!child) QAccessible::registerAccessibleInterface(child = new SpotAccess(*this, m_widget));
    child->spot = spot;
    kept.insert(spot.key, child);
    m_children << child;
  }
  for (SpotAccess* gone : m_kept) QAccessible::deleteAccessibleInterface(QAccessible::uniqueId(gone));
  m_kept = std::move(kept);
  m_stale = false;
  return m_children;
}

bool SpokenCanvas::anyoneHears() const { return m_heard || QAccessible::isActive(); }

// Told once until somebody looks again.
void SpokenCanvas::spotsChanged() {
  if (std::exchange(m_stale, true) || !anyoneHears()) return;
  QAccessibleEvent event(&m_widget, QAccessible::ObjectReorder);
  QAccessible::updateAccessibility(&event);
}

void SpokenCanvas::tellSelected() {
  if (!anyoneHears()) return;
  for (SpotAccess* child : children())
    if (child->spot.selected) tell(child, QAccessible::Selection);
}

void SpokenCanvas::tellFocused() {
  if (!anyoneHears()) return;
  for (SpotAccess* child : children())
    if (child->spot.focused) return tell(child, QAccessible::Focus);
}

} // namespace cutaway::views
