#include "kit/sequence.h"

#include "kit/palette.h"

#include <QImage>
#include <QPainter>

#include <algorithm>

#ifdef CUTAWAY_GIF
#include <gif_lib.h>
#endif

namespace cutaway::views {

#ifdef CUTAWAY_GIF
namespace {

constexpr double widest = 1200, highest = 2400;

// One canvas for all frames: figures centred above, captions at one height below.
struct Canvas {
  QSize size;
  double scale = 1; // of figures; words keep their size
  int figures = 0;  // height of the upper part

  Canvas(const Theme& theme, const QList<Frame>& frames) {
    QSizeF most(1, 1);
    for (const Frame& f : frames) most = most.expandedTo(f.figure.size);
    scale = std::min({1., widest / most.width(), highest / most.height()});
    const int width = std::max(480, int(std::ceil(most.width() * scale)));
    figures = int(std::ceil(most.height() * scale));
    double words = 0;
    for (const Frame& f : frames) words = std::max(words, captionHeight(theme, f, width));
    size = {width, figures + int(std::ceil(words))};
  }

  QImage draw(const Theme& theme, const Frame& frame) const {
    QImage out(size, QImage::Format_RGB32);
    out.fill(theme.c("canvas"));
    const QSizeF room = frame.figure.size * scale;
    QPainter painter(&out);
    painter.translate(std::round((size.width() - room.width()) / 2), std::round((figures - room.height()) / 2));
    painter.setClipRect(QRectF({}, room));
    if (scale < 1) painter.scale(scale, scale);
    {
      PainterSheet sheet(painter, theme, 1, scale < 1); // only as a vector picture it keeps the scale
      frame.figure.draw(sheet);
    }
    painter.setClipping(false);
    painter.resetTransform();
    painter.translate(0, figures);
    PainterSheet sheet(painter, theme);
    drawCaption(sheet, frame, size.width());
    return out;
  }
};

// Pixels of a frame, packed: hundreds of frames wait until all colours are known.
QByteArray packed(const QImage& image) { return qCompress(image.constBits(), int(image.sizeInBytes()), 1); }

// What differs between two pictures of one size.
QRect changed(const QImage& a, const QImage& b) {
  int top = b.height(), bottom = -1, left = b.width(), right = -1;
  for (int y = 0; y < b.height(); ++y) {
    const auto* p = reinterpret_cast<const QRgb*>(a.constScanLine(y));
    const auto* q = reinterpret_cast<const QRgb*>(b.constScanLine(y));
    int x = 0, last = b.width() - 1;
    while (x <= last && p[x] == q[x]) ++x;
    if (x > last) continue;
    while (p[last] == q[last]) --last;
    top = std::min(top, y), bottom = y, left = std::min(left, x), right = std::max(right, last);
  }
  return bottom < 0 ? QRect(0, 0, 1, 1) : QRect(QPoint(left, top), QPoint(right, bottom));
}

class GifFile {
 public:
  GifFile(QByteArray& bytes, QSize size, const QList<QRgb>& colours) {
    int error = 0;
    gif_ = EGifOpen(&bytes, [](GifFileType* gif, const GifByteType* data, int count) { return static_cast<QByteArray*>(gif->UserData)->append(reinterpret_cast<const char*>(data), count), count; }, &error);
    if (!gif_) return;
    EGifSetGifVersion(gif_, true);
    GifColorType map[256] = {};
    for (qsizetype i = 0; i < colours.size(); ++i) map[i] = {GifByteType(qRed(colours[i])), GifByteType(qGreen(colours[i])), GifByteType(qBlue(colours[i]))};
    ColorMapObject* object = GifMakeMapObject(256, map);
    const unsigned char endless[] = {1, 0, 0};
    good_ = object && EGifPutScreenDesc(gif_, size.width(), size.height(), 8, 0, object) == GIF_OK && EGifPutExtensionLeader(gif_, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
            EGifPutExtensionBlock(gif_, 11, "NETSCAPE2.0") == GIF_OK && EGifPutExtensionBlock(gif_, 3, endless) == GIF_OK && EGifPutExtensionTrailer(gif_) == GIF_OK;
    GifFreeMapObject(object);
  }
  void add(const QImage& image, QRect part, int centiseconds, Palette& palette) {
    GraphicsControlBlock control{DISPOSE_DO_NOT, false, centiseconds, NO_TRANSPARENT_COLOR};
    GifByteType block[4];
    EGifGCBToExtension(&control, block);
    good_ = good_ && EGifPutExtension(gif_, GRAPHICS_EXT_FUNC_CODE, sizeof block, block) == GIF_OK && EGifPutImageDesc(gif_, part.left(), part.top(), part.width(), part.height(), false, nullptr) == GIF_OK;
    QByteArray line(part.width(), 0);
    for (int y = part.top(); good_ && y <= part.bottom(); ++y) {
      const auto* row = reinterpret_cast<const QRgb*>(image.constScanLine(y));
      for (int x = 0; x < part.width(); ++x) line[x] = char(palette.index(row[part.left() + x]));
      good_ = EGifPutLine(gif_, reinterpret_cast<GifPixelType*>(line.data()), int(line.size())) == GIF_OK;
    }
  }
  bool close() {
    int error = 0;
    if (gif_) good_ = EGifCloseFile(gif_, &error) == GIF_OK && good_;
    gif_ = nullptr;
    return good_;
  }
  ~GifFile() { close(); }
  GifFile(const GifFile&) = delete;
  GifFile& operator=(const GifFile&) = delete;

 private:
  GifFileType* gif_ = nullptr;
  bool good_ = false;
};

} // namespace

bool canWriteGif() { return true; }

QByteArray framesGif(const Theme& theme, const QList<Frame>& frames, QString* why) {
  const Canvas canvas(theme, frames);
  QList<QByteArray> images;
  Palette palette;
  for (const Frame& frame : frames) {
    const QImage image = canvas.draw(theme, frame);
    palette.count(image);
    images.append(packed(image));
  }
  palette.choose();
  QByteArray bytes;
  GifFile file(bytes, canvas.size, palette.colours());
  QImage before;
  for (qsizetype i = 0; i < images.size(); ++i) {
    QImage image(canvas.size, QImage::Format_RGB32);
    const QByteArray pixels = qUncompress(images[i]);
    std::copy_n(pixels.constData(), std::min<qsizetype>(pixels.size(), image.sizeInBytes()), reinterpret_cast<char*>(image.bits()));
    const double hold = theme.size("motion", i + 1 == images.size() ? "passHold" : "stepHold");
    file.add(image, before.isNull() ? image.rect() : changed(before, image), int(hold / 10), palette);
    before = image;
  }
  if (!file.close()) return *why = "giflib cannot write it", QByteArray();
  return bytes;
}

#else

bool canWriteGif() { return false; }
QByteArray framesGif(const Theme&, const QList<Frame>&, QString* why) { return *why = "this build has no giflib", QByteArray(); }

#endif

} // namespace cutaway::views
