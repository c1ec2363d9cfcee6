#include "shell/accessible.h"

#include "place/place.h"

#include <QAccessibleWidget>
#include <QPointer>
#include <QWidget>

namespace cutaway::views {
namespace {

class Thing : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  Thing(QWidget* widget, Canvas* canvas, int index) : widget_(widget), canvas_(canvas), index_(index) {}

  bool isValid() const override { return widget_ && index_ < canvas_->things().size(); }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(widget_); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text kind) const override { return isValid() && kind == QAccessible::Name ? hit().name : QString(); }
  void setText(QAccessible::Text, const QString&) override {}
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QRect rect() const override {
    if (!isValid()) return {};
    const QRect box = canvas_->inWidget(hit().box).toAlignedRect();
    return {widget_->mapToGlobal(box.topLeft()), box.size()};
  }
  QAccessible::State state() const override {
    QAccessible::State s;
    s.invalid = !isValid();
    if (s.invalid) return s;
    s.focusable = true, s.selectable = hit().entity != nothing;
    s.focused = widget_->hasFocus() && canvas_->focusedThing() == index_;
    s.selected = s.selectable && canvas_->chosen() == hit().entity;
    s.offscreen = !canvas_->inWidget(hit().box).intersects(QRectF(widget_->rect()));
    return s;
  }
  void* interface_cast(QAccessible::InterfaceType type) override { return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr; }

  QStringList actionNames() const override {
    if (!isValid()) return {};
    return hit().entity == nothing ? QStringList{setFocusAction()} : QStringList{pressAction(), setFocusAction()};
  }
  void doAction(const QString& action) override {
    if (!isValid()) return;
    if (action == setFocusAction()) widget_->setFocus(), canvas_->focusThing(index_);
    if (action == pressAction() && hit().entity != nothing) canvas_->choose(hit().entity);
  }
  QStringList keyBindingsForAction(const QString& action) const override { return action == pressAction() ? QStringList{"Return"} : QStringList(); }

 private:
  const Hit& hit() const { return canvas_->things()[index_]; }
  QPointer<QWidget> widget_;
  Canvas* canvas_;
  int index_;
};

// Its children are the things, then child widgets such as a switch. Things are registered once, by their place in the list:
// ids must not change while a reader holds them.
class CanvasInterface : public QAccessibleWidget {
 public:
  CanvasInterface(QWidget* widget, Canvas* canvas) : QAccessibleWidget(widget, QAccessible::List), canvas_(canvas) {}
  ~CanvasInterface() override {
    for (const QAccessible::Id id : ids_) QAccessible::deleteAccessibleInterface(id);
  }
  int childCount() const override { return count() + QAccessibleWidget::childCount(); }
  QAccessibleInterface* child(int i) const override {
    if (i < 0 || i >= count()) return QAccessibleWidget::child(i - count());
    while (ids_.size() <= i) ids_.append(QAccessible::registerAccessibleInterface(new Thing(widget(), canvas_, int(ids_.size()))));
    return QAccessible::accessibleInterface(ids_[i]);
  }
  int indexOfChild(const QAccessibleInterface* c) const override {
    const auto thing = int(ids_.indexOf(QAccessible::uniqueId(const_cast<QAccessibleInterface*>(c))));
    if (thing >= 0) return thing;
    const int at = QAccessibleWidget::indexOfChild(c);
    return at < 0 ? -1 : count() + at;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    const QPointF at = widget()->mapFromGlobal(QPoint(x, y));
    for (int i = count(); i-- > 0;)
      if (canvas_->inWidget(canvas_->things()[i].box).contains(at)) return child(i);
    return QAccessibleWidget::childAt(x, y);
  }
  QAccessibleInterface* focusChild() const override {
    const int at = canvas_->focusedThing();
    return widget()->hasFocus() && at >= 0 ? child(at) : QAccessibleWidget::focusChild();
  }

 private:
  int count() const { return int(canvas_->things().size()); }
  Canvas* canvas_;
  mutable QList<QAccessible::Id> ids_;
};

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
  auto* canvas = dynamic_cast<Canvas*>(object);
  auto* widget = qobject_cast<QWidget*>(object);
  return canvas && widget ? new CanvasInterface(widget, canvas) : nullptr;
}

} // namespace

void installAccessibleCanvases() { QAccessible::installFactory(makeInterface); }

void tellThingsChanged(QWidget* canvas) {
  if (!QAccessible::isActive()) return;
  QAccessibleEvent event(canvas, QAccessible::ObjectReorder);
  QAccessible::updateAccessibility(&event);
}

void tellThingFocused(QWidget* canvas, int thing) {
  if (!QAccessible::isActive()) return;
  QAccessibleEvent event(canvas, QAccessible::Focus);
  event.setChild(thing);
  QAccessible::updateAccessibility(&event);
}

} // namespace cutaway::views
