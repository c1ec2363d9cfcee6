#pragma once
#include "driver/document/make.h"
#include "kit/figure.h"
#include "place/place.h"
#include "recording_sheet.h"

#include <gtest/gtest.h>

#include <algorithm>

// What the tests of views share: themes, a compiled place, and what holds of every picture.
namespace cutaway::views {

inline Theme themeNamed(const char* name) {
  QString why;
  auto theme = Theme::load(":/visual", name, &why);
  if (!theme) qFatal("%s", qPrintable(why));
  return *theme;
}

// A model compiled on its default inputs, at the last step.
inline Place compiled(const std::string& path) {
  auto session = driver::Session::open(path, {.settings = {}, .threads = 2, .journal = true});
  EXPECT_TRUE(session.ok()) << path;
  std::vector<std::string> notes;
  const auto feeds = driver::make_feeds((*session)->model(), {}, {}, notes);
  driver::RunInfo info;
  EXPECT_TRUE((*session)->run(*feeds, driver::Mode::compiled, &info).ok());
  Place place;
  place.document = std::make_shared<trace::Document>(driver::make_document(**session, info, path));
  place.step = static_cast<uint32_t>(place.trace()->steps().size() - 1);
  return place;
}

// What a figure says, text by text.
inline QStringList wordsOf(const Figure& figure, const Theme& theme) {
  RecordingSheet sheet(theme);
  figure.draw(sheet);
  QStringList out;
  for (const auto& w : sheet.words) out << w.text;
  return out;
}

// There is text, all of it inside the page (but for `slack` px), none too small, none over another; every hit has a name.
inline void expectReadable(const Figure& figure, const Theme& theme, const std::string& where, double slack = .5) {
  RecordingSheet sheet(theme);
  figure.draw(sheet);
  auto& words = sheet.words;
  EXPECT_FALSE(words.isEmpty()) << where;
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.box.top() < b.box.top(); });
  const QRectF page = QRectF(QPointF(), figure.size).adjusted(-slack, -slack, slack, slack);
  for (qsizetype i = 0; i < words.size(); ++i) {
    const auto& w = words[i];
    EXPECT_GE(w.px, 10) << where << ": " << qPrintable(w.text);
    EXPECT_FALSE(w.text.isEmpty()) << where;
    EXPECT_TRUE(page.contains(w.box)) << where << ": '" << qPrintable(w.text) << "' leaves the page";
    for (qsizetype j = i + 1; j < words.size() && words[j].box.top() < w.box.bottom(); ++j)
      EXPECT_FALSE(w.box.adjusted(.5, .5, -.5, -.5).intersects(words[j].box)) << where << ": '" << qPrintable(w.text) << "' over '" << qPrintable(words[j].text) << "'";
  }
  for (const Hit& hit : figure.hits) EXPECT_FALSE(hit.name.isEmpty()) << where;
}

} // namespace cutaway::views
