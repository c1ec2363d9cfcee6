#pragma once
#include "explorer/compile_service.h"
#include "graph/graph_view.h"
#include "place/reading.h"
#include "kit/figure.h"
#include "registry.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTimer>

class QMenu;
class QSplitter;

namespace cutaway::explorer {

class Strip;

// One model under one set of settings: what compiles it, where the user stands in it, and its views, one over another where
// the pane is split.
class Pane : public QWidget {
  Q_OBJECT
 public:
  Pane(Request request, views::Look& look, QWidget* parent = nullptr);

  views::Navigator& navigator() { return m_navigator; }
  const views::Navigator& navigator() const { return m_navigator; }
  views::GraphView& graph() const { return *m_upper.graph; }
  CompileService& service() { return m_service; }
  const Request& request() const { return m_request; }

  void open(const QString& file);
  void compile(bool measure);
  void cancel() { m_service.cancel(); }
  std::map<std::string, std::string> settings() const; // all that a compile follows, the device among them
  QString setting(const QString& key) const;
  // Changes a setting and compiles again; what is no value of it is said in the strip.
  void set(const QString& key, const QString& value);
  // A strip that stays until dismissed; empty: gone. Where the words name a node that the document has, they link to it.
  void say(const QString& words);

  int view() const { return focused().stack->currentIndex(); } // an index into allViews(), of the half that has the focus
  void showView(int row); // in the half that has the focus, the upper one otherwise
  void split(bool on);
  bool isSplit() const { return m_lower.stack && m_lower.stack->isVisibleTo(this); }
  // "A", and what differs from the other pane; empty where the pane is alone.
  void setHead(const QString& letter, const QString& words);
  // A button in the head that opens a menu, filled each time.
  void setMenu(const QString& title, std::function<void(QMenu&)> filler);
  // What the present view draws of a place, for a file.
  views::Figure figure() const;
  const views::ViewRow& row() const { return views::allViews()[size_t(view())]; }
  const views::ViewMode& mode() const;

 signals:
  void said(const QString& words); // for the status bar
  void progressed(const QString& pass, int done, int total);
  void busyChanged();
  void arrived(); // a new document
  void viewChanged(int row);
  void settingChanged(const QString& key, const QString& value);

 private:
  struct Half {
    QStackedWidget* stack = nullptr;
    views::GraphView* graph = nullptr;
  };
  Half makeHalf();
  void connectService();
  void finished(std::shared_ptr<const trace::Document> document, std::shared_ptr<trace::Port> port, const QString& words);
  void refreshSegments();
  void refreshCrumbs();
  void refreshZoom();
  void showNamed();
  const Half& focused() const;

  Request m_request;
  CompileService m_service;
  views::Look& m_look;
  views::Navigator m_navigator;
  Half m_upper, m_lower;
  QSplitter* m_halves = nullptr;
  Strip* m_strip = nullptr;
  QWidget* m_crumbBar = nullptr;
  QComboBox* m_segments = nullptr; // where breaks cut the model
  QPushButton* m_menu = nullptr;
  QLabel *m_letter = nullptr, *m_crumbs = nullptr, *m_previous = nullptr, *m_zoom = nullptr;
  QTimer m_late; // until a compile has taken so long that the picture says it is from the one before
  std::string m_shown; // the file that the document is of
  std::optional<views::Named> m_named; // by the strip
  QString m_headWords;
};

} // namespace cutaway::explorer
