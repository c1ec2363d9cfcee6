#include "explorer/write_view.h"

#include "explorer/about.h"
#include "kit/sequence.h"

namespace cutaway::explorer {
namespace {

QList<views::Frame> frames_of(const views::Place& first, uint32_t last, const views::ViewRow& view, const views::Theme& theme, QSizeF room) {
  QList<views::Figure> figures;
  if (view.figures) figures = view.figures(first, last, theme, room);
  QList<views::Frame> out;
  views::Place place = first;
  for (; place.step <= last; ++place.step) {
    const qsizetype i = place.step - first.step;
    views::Frame frame{i < figures.size() ? figures[i] : view.figure(place, theme, room), step_name(place), {}};
    if (!frame.title.isEmpty()) frame.title[0] = frame.title[0].toUpper();
    if (const trace::Step* step = place.at()) {
      frame.caption = views::qt(step->title).replace('\n', ' ');
      if (!step->explanation.empty()) frame.caption += '\n' + views::qt(step->explanation).replace('\n', ' ');
    }
    out.append(std::move(frame));
  }
  return out;
}

} // namespace

bool write_step(const QString& file, const views::Place& place, const views::ViewRow& view, const views::Theme& theme, const views::Figure& figure, QString* why) {
  return views::writeFigure(file, theme, figure, about(place, view, theme, step_name(place)), why);
}

bool write_steps(const QString& file, const views::Place& first, uint32_t last, const views::ViewRow& view, const views::Theme& theme, QSizeF room, QString* why, const std::atomic<bool>* off) {
  QString steps = step_name(first);
  if (last > first.step) steps = QString("steps %1 to %2 of %3").arg(first.step + 1).arg(last + 1).arg(first.trace()->steps().size());
  return views::writeFrames(file, theme, frames_of(first, last, view, theme, room), about(first, view, theme, steps), why, off);
}

} // namespace cutaway::explorer
