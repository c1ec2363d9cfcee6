#pragma once
#include <QList>
#include <QString>

namespace cutaway::views {

// A piece of a line that is drawn in one style, from column `at` on; it begins and ends with no space.
struct Run {
  enum class Style { plain, keyword, quiet };
  int at = 0;
  QString text;
  Style style = Style::plain;
};

// Splits lines into runs: keywords (in assembly: labels) by weight, comments and preprocessor lines quiet. It remembers open
// block comments.
class Highlighter {
 public:
  explicit Highlighter(bool assembly = false) : assembly_(assembly) {}
  QList<Run> line(const QString& text);

 private:
  bool assembly_, inComment_ = false;
};

} // namespace cutaway::views
