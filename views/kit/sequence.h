#pragma once
#include "kit/figure.h"

#include <atomic>

namespace cutaway::views {

// One of several pictures in a row.
struct Frame {
  Figure figure;
  QString title;   // "Step 228 of 476"
  QString caption; // its first line says what happened; the rest explains it
};

// Writes frames by the name's ending: .pdf (a page each), .html (one page that needs no network, with a slider) or .gif
// (loops). Each has its caption below. Written beside and renamed. False, and the reason in `why`, where that fails; given up
// soon after *off became true.
bool writeFrames(const QString& path, const Theme& theme, const QList<Frame>& frames, const About& about, QString* why, const std::atomic<bool>* off = nullptr);
// Whether the program was built with giflib.
bool canWriteGif();

// What writeFrames consists of. Empty, and the reason in `why`, where one fails.
QByteArray framesHtml(const Theme& theme, const QList<Frame>& frames, const About& about);
QByteArray framesGif(const Theme& theme, const QList<Frame>& frames, QString* why);

// The words below a frame: how high they are at a width, and drawn at the top left of the sheet.
double captionHeight(const Theme& theme, const Frame& frame, double width);
void drawCaption(Sheet& s, const Frame& frame, double width);

} // namespace cutaway::views
