#pragma once
#include "base/ids.h"
#include "kit/sheet.h"

#include <functional>
#include <optional>

namespace cutaway::views {

// A place in a figure that stands for something: pointer, keys and assistive technology find it there.
struct Hit {
  QRectF box;
  Entity entity;
  QString name; // type, name, state: "buffer conv1, 784 KiB, [2, 4)"; also the tool tip
};

// A part of a time axis, in microseconds.
struct TimeRange {
  double from = 0, to = 0;
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// Where a figure lets one choose what part of the time it shows: `box` reaches from `from` to `to` on an axis that ends at `end`.
struct Brush {
  QRectF box;
  double from = 0, to = 0;
  TimeRange shown;
  double end = 0;
};

// A picture of fixed size in px at 96 dpi, drawn on whatever sheet it is given: window, SVG, PDF and PNG alike.
struct Figure {
  QSizeF size;
  std::function<void(Sheet&)> draw;
  QList<Hit> hits; // later ones lie on top
  QRectF reveal{}; // what the selection is about: a window scrolls there when it changes
  std::optional<Brush> brush{};
  // How it comes about from the step before: drawn at a part (0 to 1) of the time of a step; null: it stands there at once.
  std::function<void(Sheet&, double at)> entry{};
};

// What a file says of itself: its title, and facts such as {"Model", "resnet50.onnx"}. Never a path.
struct About {
  QString title;
  QList<std::pair<QString, QString>> facts;
};

// Writes a figure as SVG, PDF or PNG (by the name's ending; PNG at 300 dpi). Text stays text in SVG and PDF, with the
// used letters of each font embedded. Written beside and renamed. False, and the reason in `why`, where that fails.
bool writeFigure(const QString& path, const Theme& theme, const Figure& figure, const About& about, QString* why);
// One page a figure; a page longer than PDF allows is drawn smaller.
QByteArray pdfPages(const Theme& theme, const QList<Figure>& pages, const About& about);
bool writeBeside(const QString& path, const QByteArray& bytes, QString* why);

} // namespace cutaway::views
