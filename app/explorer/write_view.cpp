#include "explorer/write_view.h"

#include "explorer/about.h"
#include "kit/sequence.h"

namespace cutaway::explorer {
namespace {

constexpr double stripHeight = 32;

// "unet, part 2 of 3, after node 'NonZero_12' (NonZero)": where breaks cut the model, the part that a picture is of.
QString segment_words(const views::Place& place) {
  const trace::Document& d = *place.document;
  QString out = QString("Part %1 of %2").arg(place.segment + 1).arg(d.traces.size());
  if (place.segment && d.breaks.size() + 1 == d.traces.size()) out += ", after the break at " + views::qt(d.breaks[place.segment - 1].node);
  return out;
}

// The figure under a line that says which part it shows; as it is where there is one part.
views::Figure of_segment(const views::Place& place, const views::Figure& figure) {
  if (!place.document || place.document->traces.size() < 2) return figure;
  const QString words = segment_words(place);
  views::Figure out = figure;
  out.size += QSizeF(0, stripHeight);
  out.entry = {};
  out.draw = [words, figure](views::Sheet& s) {
    s.rect({0, 0, figure.size.width(), stripHeight}, 0, {s.t.c("canvas")});
    s.text({16, stripHeight / 2}, words, {.weight = 600, .room = figure.size.width() - 32});
    s.push({0, stripHeight});
    figure.draw(s);
    s.pop();
  };
  return out;
}

QList<views::Frame> frames_of(const views::Place& first, uint32_t last, const views::ViewRow& view, const views::ViewMode& mode, const views::Theme& theme, QSizeF room) {
  QList<views::Figure> figures;
  if (view.figures && &mode == &view.modes.front()) figures = view.figures(first, last, theme, room);
  QList<views::Frame> out;
  views::Place place = first;
  for (; place.step <= last; ++place.step) {
    const qsizetype i = place.step - first.step;
    views::Frame frame{of_segment(place, i < figures.size() ? figures[i] : mode.figure(place, theme, room)), step_name(place), {}};
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
  return views::writeFigure(file, theme, of_segment(place, figure), about(place, view, theme, step_name(place)), why);
}

bool write_steps(const QString& file, const views::Place& first, uint32_t last, const views::ViewRow& view, const views::ViewMode& mode, const views::Theme& theme, QSizeF room, QString* why, const std::atomic<bool>* off) {
  QString steps = step_name(first);
  if (last > first.step) steps = QString("steps %1 to %2 of %3").arg(first.step + 1).arg(last + 1).arg(first.trace()->steps().size());
  return views::writeFrames(file, theme, frames_of(first, last, view, mode, theme, room), about(first, view, theme, steps), why, off);
}

} // namespace cutaway::explorer
