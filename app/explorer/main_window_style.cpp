#include "explorer/main_window.h"

#include <QApplication>

namespace cutaway::explorer {

void MainWindow::restyle() {
  const views::Theme& t = m_look.theme();
  QPalette p;
  for (const auto& [role, name] : {std::pair{QPalette::Window, "chrome"}, {QPalette::Base, "chrome"}, {QPalette::WindowText, "text"}, {QPalette::Text, "text"}, {QPalette::Button, "raised"},
                                   {QPalette::ButtonText, "text"}, {QPalette::Highlight, "selection"}, {QPalette::HighlightedText, "text"}, {QPalette::PlaceholderText, "textMuted"},
                                   {QPalette::ToolTipBase, "raised"}, {QPalette::ToolTipText, "text"}})
    p.setColor(role, t.c(name));
  qApp->setPalette(p);
  qApp->setFont(t.font(12));
  QString css =
      "*{font-family:'Cutaway Sans';font-size:12px} QMainWindow{background:@line} QMainWindow::separator{width:1px;height:1px;background:@line} QMenuBar{background:@chrome;border:0;padding-left:6px}"
      "QMenuBar::item{padding:6px 7px;background:transparent} QMenuBar::item:selected{background:@selection} QToolBar{background:@chrome;border:0;border-bottom:1px solid @line;padding:0;spacing:0}"
      "QPushButton{background:@raised;border:1px solid @line;border-radius:4px;padding:5px 10px;font-weight:500} QPushButton:hover{background:@sunken} QPushButton:focus{border:2px solid @accent}"
      "QPushButton#link{background:transparent;border:0;color:@accent;padding-right:18px} QPushButton#link:focus{border:2px solid @accent} QLabel#quiet{color:@textMuted;font-size:11px} QLabel#head{font-weight:600}"
      "QLabel#tag{color:@textSecondary;font-size:11px;border:1px solid @lineStrong;border-radius:4px;padding:1px 6px} QFrame#error{background:@tint;color:@text;border-left:4px solid @refused}"
      "QComboBox{background:@raised;border:1px solid @line;border-radius:4px;padding:5px 8px} QComboBox:focus{border:2px solid @accent} QComboBox::drop-down{border:0;width:20px} QPushButton::menu-indicator{subcontrol-origin:padding;subcontrol-position:right center}"
      "QLineEdit{background:@raised;border:1px solid @line;border-radius:4px;padding:4px 8px} QLineEdit:focus{border:2px solid @accent} QStatusBar{background:@chrome;border-top:1px solid @line}"
      "QStatusBar::item{border:0} QStatusBar QLabel{font-size:11px;color:@textSecondary;padding-left:8px} QWidget#crumbs{background:@canvas;border-bottom:1px solid @grid}"
      "QWidget#tabs,QWidget#passhead{background:@chrome;border-bottom:1px solid @line} QWidget#strip,QWidget#stepper{background:@chrome}"
      "QTabBar::tab{background:@chrome;color:@textSecondary;padding:7px 8px 5px 8px;margin:0 3px;border:0;border-bottom:3px solid @chrome}"
      "QTabBar::tab:selected{color:@text;font-weight:600;border-bottom:3px solid @accent} QTabBar::tab:focus{border:2px solid @accent;border-radius:4px;padding:5px 6px 6px 6px}"
      "QLabel#letter{background:@accent;color:@onAccent;border-radius:4px;font-weight:600} QLabel#caption{background:@chrome;padding:16px 24px;font-size:27px;border-top:1px solid @line}"
      "QWidget#first{background:@canvas} QLabel#title{font-size:20px;font-weight:600} QLabel#name{font-weight:500} QLabel#second{color:@textSecondary} QLabel#good{color:@created}"
      "QPushButton#primary{background:@accent;color:@onAccent;border:0;font-size:13px;font-weight:600} QPushButton#primary:focus{border:2px solid @text} QPushButton#row{background:transparent;border:0;border-top:1px solid @line;border-radius:0}"
      "QPushButton#row:hover{background:@sunken} QPushButton#row:focus{border:2px solid @accent} QWidget#fact{border-top:1px solid @line}";
  const QString tint = views::mix(t.c("refused"), t.c("canvas"), .1).name();
  css.replace("@tint", tint);
  for (const char* role : {"onAccent", "created", "textSecondary", "textMuted", "lineStrong", "line", "chrome", "canvas", "grid", "selection", "raised", "sunken", "accent", "refused", "text"}) css.replace(QString("@") + role, t.c(role).name());
  setStyleSheet(css);
}

} // namespace cutaway::explorer
