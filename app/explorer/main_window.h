#pragma once
#include "explorer/compile_service.h"
#include "graph/graph_view.h"
#include "shell/chart_slider.h"
#include "shell/figure_view.h"
#include "shell/pass_model.h"

#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QTabBar>
#include <QUndoStack>

class QComboBox;
class QLineEdit;
class QListView;
class QStackedWidget;

namespace cutaway::explorer {

// The window: pass list, views, inspector and stepper over one document.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Request request);
  void open(const QString& file);
  views::Navigator& navigator() { return m_navigator; }
  views::GraphView& graph() { return *m_graph; }
  CompileService& service() { return m_service; }
  void showView(const QString& id);
  void setTheme(const QString& name);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void buildTools();
  void buildCentre();
  void buildDocks();
  void buildStepper();
  void buildMenus();
  void connectAll();
  void restyle();
  void compile(bool measure);
  void setSetting(const QString& key, const QString& value);
  void chooseFile();
  void exportView();
  void find(const QString& text);
  void togglePlay();
  void showKeys();
  void fail(const QString& words);
  void finished(std::shared_ptr<const trace::Document> document, const QString& words);
  void refreshWords();
  void refreshZoom();
  void refreshPasses();

  Request m_request;
  CompileService m_service;
  views::Look m_look;
  views::Navigator m_navigator;
  QUndoStack m_undo;
  views::GraphView* m_graph = nullptr;
  QTabBar *m_tabs = nullptr, *m_inspectorTabs = nullptr;
  QStackedWidget *m_stack = nullptr, *m_inspector = nullptr;
  QLabel *m_crumbs = nullptr, *m_zoom = nullptr, *m_stepWords = nullptr, *m_stepMore = nullptr, *m_state = nullptr, *m_entity = nullptr, *m_error = nullptr;
  QPushButton *m_compile = nullptr, *m_run = nullptr;
  QComboBox* m_math = nullptr;
  QLineEdit* m_find = nullptr;
  QListView* m_passes = nullptr;
  views::PassModel* m_passModel = nullptr;
  views::ChartSlider* m_slider = nullptr;
  QTimer m_play;
  size_t m_found = 0;
};

} // namespace cutaway::explorer
