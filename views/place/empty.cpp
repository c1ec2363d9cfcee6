#include "place/empty.h"

#include "kit/marks.h"

namespace cutaway::views {

Figure emptyFigure(const Place& place, QSizeF size, const QString& subject, QString why, QString what) {
  if (place.awaited) why = QString("No %1 yet: the model is being compiled").arg(subject), what = "The passes at the left say how far it is. Esc calls it off.";
  else if (!place.at()) why = QString("No %1 yet: nothing is compiled").arg(subject), what = "Open a model (Ctrl+O), or compile the open one (Ctrl+B).";
  size = size.expandedTo({480, 200});
  return {size, [size, why, what](Sheet& s) {
            s.rect({{}, size}, 0, {s.t.c("canvas")});
            emptyNote(s, size, why, what);
          }, {{QRectF({}, size).adjusted(8, 8, -8, -8), nothing, why + ".\n" + what}}};
}

Figure notRunFigure(const Place& place, QSizeF size, const QString& subject, const QString& does) {
  const QString why = QString("No %1 yet: nothing has run").arg(subject);
  return emptyFigure(place, size, subject, why, place.port ? QString("Run (R) %1.").arg(does) : QString("This document was saved without a run. Open its model and run it: that %1.").arg(does));
}

} // namespace cutaway::views
