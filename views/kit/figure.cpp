#include "kit/figure.h"

#include "kit/svg_sheet.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr double screenDpi = 96, printDpi = 300;

QByteArray svg(const Theme& theme, const Figure& figure, const About& about) {
  SvgSheet sheet(theme, figure.size);
  figure.draw(sheet);
  QStringList lines;
  for (const auto& [name, value] : about.facts) lines << name + ": " + value;
  QByteArray head;
  if (!about.title.isEmpty()) head += "<title>" + markupText(about.title) + "</title>\n";
  if (!lines.isEmpty()) head += "<desc>" + markupText(lines.join('\n')) + "</desc>\n";
  return sheet.finish(true, head);
}

QByteArray png(const Theme& theme, const Figure& figure) {
  // The raster of QPainter ends at 32,767 device pixels.
  const double ratio = std::min(printDpi / screenDpi, 32000 / std::max(figure.size.width(), figure.size.height()));
  QImage image((figure.size * ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(ratio);
  image.fill(theme.c("canvas"));
  {
    QPainter painter(&image);
    PainterSheet sheet(painter, theme);
    figure.draw(sheet);
  }
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  return bytes;
}

} // namespace

QByteArray pdfPages(const Theme& theme, const QList<Figure>& pages, const About& about) {
  constexpr int fine = 8;                        // QPdfWriter lays text out in whole device units
  constexpr double longest = 14400 * screenDpi / 72; // of a page, in px
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setCreator("Cutaway");
  writer.setTitle(about.title);
  writer.setResolution(int(screenDpi) * fine);
  QPainter painter;
  for (const Figure& page : pages) {
    const double scale = std::min(1., longest / std::max(page.size.width(), page.size.height()));
    writer.setPageSize(QPageSize(page.size * scale * 72 / screenDpi, QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setPageMargins({});
    if (painter.isActive()) writer.newPage();
    else painter.begin(&writer);
    painter.save();
    painter.scale(fine * scale, fine * scale);
    painter.fillRect(QRectF(QPointF(), page.size), theme.c("canvas"));
    {
      PainterSheet sheet(painter, theme, 1, true);
      page.draw(sheet);
    }
    painter.restore();
  }
  painter.end();
  return bytes;
}

bool writeFigure(const QString& path, const Theme& theme, const Figure& figure, const About& about, QString* why) {
  const QString ending = QFileInfo(path).suffix().toLower();
  QByteArray bytes;
  if (ending == "svg")
    bytes = svg(theme, figure, about);
  else if (ending == "pdf")
    bytes = pdfPages(theme, {figure}, about);
  else if (ending == "png")
    bytes = png(theme, figure);
  else
    return *why = "the name must end in .svg, .pdf or .png", false;
  return writeBeside(path, bytes, why);
}

bool writeBeside(const QString& path, const QByteArray& bytes, QString* why) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
    return *why = file.errorString(), false;
  return true;
}

} // namespace cutaway::views
