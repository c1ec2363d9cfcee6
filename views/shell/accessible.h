#pragma once
#include <QHash>
#include <QList>
#include <QRect>
#include <QWidget>

namespace cutaway::views {

class SpotAccess;

// A thing in a canvas that can be heard and pressed.
struct Spot {
  QString key;  // of the same thing in the next picture
  QString name; // type, name, state; what follows a line break describes it further
  QRect box;    // in the canvas, in its px
  bool pressable = true, selected = false, focused = false;
};

// A canvas as assistive technology reads it: a list whose children are the spots of its picture, each with name,
// rectangle, state and the action that presses it. They are made when something asks for them; one that is in the next
// picture too (by key) stays the same child.
class SpokenCanvas {
 public:
  explicit SpokenCanvas(QWidget& widget);
  virtual ~SpokenCanvas();
  virtual QList<Spot> spots() = 0; // those in sight
  virtual void press(const QString& key) = 0;
  virtual QWidgetList parts() const { return {}; } // widgets that stand in the canvas beside its picture

  const QList<SpotAccess*>& children();

 protected:
  void spotsChanged();
  // Tells what is selected, or has the focus, now.
  void tellSelected();
  void tellFocused();

 private:
  bool anyoneHears() const;
  QWidget& m_widget;
  QHash<QString, SpotAccess*> m_kept;
  QList<SpotAccess*> m_children; // in the order of the spots
  bool m_stale = true, m_heard = false; // heard: children have been asked for
};

} // namespace cutaway::views
