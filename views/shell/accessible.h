#pragma once
#include "kit/figure.h"

#include <optional>

class QWidget;

namespace cutaway::views {

// A widget that draws things which stand for entities. Assistive technology finds each as a child of the widget: with its
// name and place, as focused or selected, and with an action that presses it.
class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual const QList<Hit>& things() = 0;
  virtual QRectF inWidget(const QRectF& box) const = 0; // where the box of a thing is now, in px of the widget
  virtual std::optional<Entity> chosen() const = 0;     // the selection
  virtual void choose(Entity entity) = 0;
  virtual int focusedThing() const { return -1; }
  virtual void focusThing(int) {}
};

// Makes Qt ask canvases for their things. Once a program, before its first window.
void installAccessibleCanvases();
// Tells that things came, went or moved; and which one has the focus now.
void tellThingsChanged(QWidget* canvas);
void tellThingFocused(QWidget* canvas, int thing);

} // namespace cutaway::views
