#include "kit/sequence.h"

#include "kit/probe_sheet.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPainter>
#include <QPdfWriter>

namespace cutaway::views {
namespace {

constexpr double leastPage = 480, lead = 17;
constexpr double longestSide = 14400 * 96 / 72.; // of a PDF page, in px

// The height that the caption takes.
double caption(Sheet& s, const Frame& frame, double width) {
  const double room = width - 32;
  double y = 20;
  s.text({16, y}, frame.title, {.px = 11, .role = "textMuted", .room = room});
  y += lead + 1;
  const qsizetype end = frame.caption.indexOf('\n');
  s.text({16, y}, frame.caption.left(end < 0 ? frame.caption.size() : end), {.px = 13, .weight = 600, .room = room});
  y += lead + 2;
  if (end >= 0) y = s.para({16, y}, room, lead, frame.caption.mid(end + 1), {.role = "textSecondary", .room = room});
  return y;
}

QSizeF pageOf(const Theme& theme, const Frame& frame) {
  const double width = std::max(frame.figure.size.width(), leastPage);
  return {width, frame.figure.size.height() + captionHeight(theme, frame, width)};
}

} // namespace

double captionHeight(const Theme& theme, const Frame& frame, double width) {
  ProbeSheet sheet(theme);
  return caption(sheet, frame, width);
}

void drawCaption(Sheet& s, const Frame& frame, double width) { caption(s, frame, width); }

QByteArray framesPdf(const Theme& theme, const QList<Frame>& frames, const About& about) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  constexpr int dpi = 96, fine = 8; // QPdfWriter lays text out in whole device units
  QPdfWriter writer(&buffer);
  writer.setCreator("Cutaway");
  writer.setTitle(about.title);
  writer.setResolution(dpi * fine);
  QPainter painter;
  for (const Frame& frame : frames) {
    const QSizeF page = pageOf(theme, frame);
    const double scale = std::min(1., longestSide / std::max(page.width(), page.height()));
    writer.setPageSize(QPageSize(page * scale * 72 / dpi, QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setPageMargins({});
    if (painter.isActive()) writer.newPage();
    else painter.begin(&writer);
    painter.save();
    painter.scale(fine * scale, fine * scale);
    painter.fillRect(QRectF(QPointF(), page), theme.c("canvas"));
    {
      PainterSheet whole(painter, theme, 1, true);
      Sheet& sheet = whole;
      sheet.push({(page.width() - frame.figure.size.width()) / 2, 0});
      frame.figure.draw(sheet);
      sheet.pop();
      sheet.push({0, frame.figure.size.height()});
      drawCaption(sheet, frame, page.width());
      sheet.pop();
    }
    painter.restore();
  }
  painter.end();
  return bytes;
}

bool writeFrames(const QString& path, const Theme& theme, const QList<Frame>& frames, const About& about, QString* why) {
  const QString ending = QFileInfo(path).suffix().toLower();
  QByteArray bytes;
  if (frames.isEmpty())
    return *why = "there is no step to draw", false;
  if (ending == "pdf")
    bytes = framesPdf(theme, frames, about);
  else if (ending == "html")
    bytes = framesHtml(theme, frames, about);
  else if (ending == "gif")
    bytes = framesGif(theme, frames, why);
  else
    return *why = "the name must end in .pdf, .html or .gif", false;
  return !bytes.isEmpty() && writeBeside(path, bytes, why);
}

} // namespace cutaway::views
