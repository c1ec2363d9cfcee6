#include "source/highlight.h"

#include <QSet>

namespace cutaway::views {
namespace {

bool isKeyword(const QString& word) {
  static const QSet<QString> words{"for", "if", "else", "return", "const", "static", "void", "long", "int", "float", "double", "char", "short", "unsigned", "signed",
                                   "restrict", "inline", "struct", "union", "typedef", "while", "do", "continue", "break", "sizeof", "switch", "case", "default", "goto",
                                   "extern", "volatile", "parallel", "builtin", "epilogue"};
  return words.contains(word);
}

bool isWord(QChar c) { return c.isLetterOrNumber() || c == '_'; }

// One style a character.
class Styles {
 public:
  explicit Styles(const QString& text) : text_(text), of_(text.size(), Run::Style::plain) {}

  bool mark(bool inComment) {
    if (!inComment && text_.trimmed().startsWith('#')) return of_.fill(Run::Style::quiet), false;
    for (qsizetype i = 0; i < text_.size();) {
      if (inComment) {
        const qsizetype end = text_.indexOf("*/", i);
        paint(i, end < 0 ? text_.size() : end + 2, Run::Style::quiet);
        if (end < 0) return true;
        i = end + 2, inComment = false;
      } else if (text_.mid(i, 2) == "//") {
        paint(i, text_.size(), Run::Style::quiet);
        return false;
      } else if (text_.mid(i, 2) == "/*") {
        inComment = true;
      } else if (isWord(text_[i])) {
        const qsizetype from = i;
        while (i < text_.size() && isWord(text_[i])) ++i;
        if (isKeyword(text_.mid(from, i - from))) paint(from, i, Run::Style::keyword);
      } else {
        ++i;
      }
    }
    return inComment;
  }

  // Labels start the line, instructions stand indented; a comment goes from # to the end.
  void markAssembly() {
    const qsizetype comment = text_.indexOf('#');
    if (!text_.startsWith(' ') && text_.contains(':')) paint(0, text_.indexOf(':') + 1, Run::Style::keyword);
    if (comment >= 0) paint(comment, text_.size(), Run::Style::quiet);
  }

  QList<Run> runs() const {
    QList<Run> out;
    qsizetype i = 0;
    while (i < text_.size()) {
      while (i < text_.size() && text_[i] == ' ') ++i;
      const qsizetype from = i;
      while (i < text_.size() && of_[i] == of_[from] && !(text_[i] == ' ' && (i + 1 == text_.size() || text_[i + 1] == ' ' || of_[i + 1] != of_[from]))) ++i;
      if (i > from) out.append({int(from), text_.mid(from, i - from), of_[from]});
    }
    return out;
  }

 private:
  void paint(qsizetype from, qsizetype to, Run::Style style) { std::fill(of_.begin() + from, of_.begin() + to, style); }

  const QString& text_;
  QList<Run::Style> of_;
};

} // namespace

QList<Run> Highlighter::line(const QString& text) {
  Styles styles(text);
  if (assembly_) styles.markAssembly();
  else inComment_ = styles.mark(inComment_);
  return styles.runs();
}

} // namespace cutaway::views
