#include "kit/sequence.h"

#include <QFileInfo>

namespace cutaway::views {
namespace {

constexpr double leastPage = 480, lead = 17;

// Measures; draws nothing.
class NoSheet : public Sheet {
 public:
  explicit NoSheet(const Theme& t) : Sheet(t, 1) {}
  void push(QPointF, const QPainterPath*, double) override {}
  void pop() override {}

 protected:
  void rawPath(const QPainterPath&, const Fill&, const Stroke&) override {}
  void rawText(QPointF, const QString&, const Type&, const Prepared&) override {}
};

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

} // namespace

double captionHeight(const Theme& theme, const Frame& frame, double width) {
  NoSheet sheet(theme);
  return caption(sheet, frame, width);
}

void drawCaption(Sheet& s, const Frame& frame, double width) { caption(s, frame, width); }

// The figure in the middle of its page, the caption under it.
static Figure pageOf(const Theme& theme, const Frame& frame) {
  const double width = std::max(frame.figure.size.width(), leastPage), height = frame.figure.size.height();
  return {{width, height + captionHeight(theme, frame, width)}, [frame, width, height](Sheet& sheet) {
            sheet.push({(width - frame.figure.size.width()) / 2, 0});
            frame.figure.draw(sheet);
            sheet.pop();
            sheet.push({0, height});
            drawCaption(sheet, frame, width);
            sheet.pop();
          }, {}};
}

static QByteArray framesPdf(const Theme& theme, const QList<Frame>& frames, const About& about) {
  QList<Figure> pages;
  for (const Frame& frame : frames) pages.append(pageOf(theme, frame));
  return pdfPages(theme, pages, about);
}

// Whatever draws a frame looks first whether anybody still wants it.
static QList<Frame> guarded(const QList<Frame>& frames, const std::atomic<bool>* off) {
  QList<Frame> out = frames;
  for (Frame& frame : out)
    frame.figure.draw = [draw = frame.figure.draw, off](Sheet& s) {
      if (!*off) draw(s);
    };
  return out;
}

bool writeFrames(const QString& path, const Theme& theme, const QList<Frame>& given, const About& about, QString* why, const std::atomic<bool>* off) {
  const QList<Frame> frames = off ? guarded(given, off) : given;
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
  if (off && *off) return *why = "called off", false;
  return !bytes.isEmpty() && writeBeside(path, bytes, why);
}

} // namespace cutaway::views
