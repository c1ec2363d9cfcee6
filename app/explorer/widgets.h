#pragma once
#include <QComboBox>
#include <QMargins>
#include <QSettings>

#include <initializer_list>

class QWidget;

namespace cutaway::explorer {

// A column of parts without gaps, in a widget of its own or in the one given; `grows` takes the room that is left.
QWidget* column(std::initializer_list<QWidget*> parts, QWidget* grows);
void fill(QWidget* widget, std::initializer_list<QWidget*> parts, QWidget* grows);
// A row of that height, parts at its left and at its right; `name` is that of the style sheet.
QWidget* bar(int height, QMargins margins, std::initializer_list<QWidget*> left, std::initializer_list<QWidget*> right, const char* name);

// A box of choices with the chevron that style sheets take away.
class Choice : public QComboBox {
 protected:
  void paintEvent(QPaintEvent* event) override;
};

// What is kept between starts.
inline QSettings kept() { return QSettings("Cutaway", "Cutaway"); }

} // namespace cutaway::explorer
