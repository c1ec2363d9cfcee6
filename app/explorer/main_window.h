#pragma once
#include "explorer/background.h"
#include "explorer/pane.h"
#include "shell/chart_slider.h"
#include "shell/pass_model.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QListView>
#include <QMainWindow>
#include <QPushButton>
#include <QSplitter>
#include <QTabBar>
#include <QTimer>
#include <QUndoStack>

namespace cutaway::views {
class FigureView;
class TensorPanel;
}

namespace cutaway::explorer {

class FirstPage;
class PassRail;

// The window: pass list, views, inspector and stepper over one pane, and a second pane that follows it where two settings
// are compared.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Request request);
  void open(const QString& file);
  Pane& pane() { return *m_pane; }
  Pane* other() { return m_other; } // null: nothing is compared
  views::Navigator& navigator() { return m_pane->navigator(); }
  views::GraphView& graph() { return m_pane->graph(); }
  CompileService& service() { return m_pane->service(); }
  views::TensorPanel& tensor() { return *m_tensor; }
  void showView(const QString& id);
  void setTheme(const QString& name);
  // Puts a second pane beside the first, on the same model; compares until called with false.
  void compare(bool on);
  void set(const QString& key, const QString& value); // a setting of the first pane, to be undone
  // Writes the present view to a file: a step at once, the marked ones (else all) in the background where the ending holds
  // several. False, and why, where it cannot.
  bool exportTo(const QString& file, QString* why);
  void saveDocumentTo(const QString& file);
  bool writes() const { return m_files.busy(); }

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildTools();
  void buildCentre();
  void buildDocks();
  void buildStepper();
  void buildMenus();
  void buildFileMenu();
  void buildViewMenu();
  void buildColourMenu(QMenu& menu);
  void buildStepMenus();
  void connectPane();
  void restyle();
  void compile(bool measure);
  void busyChanged();
  void arrived();
  void refreshDifference();
  void chooseFile();
  void exportView();
  void saveDocument();
  void wrote(const QString& words, const QString& why); // a file; `why` not
  void find(const QString& text);
  void togglePlay();
  void showKeys();
  void showCommands();
  void lecture(bool on);
  void maximise();
  void setNarrow(bool narrow);
  void setLow(bool low);
  void refreshWords();
  void refreshPasses();
  void refreshFirst();

  views::Look m_look;
  Pane *m_pane = nullptr, *m_other = nullptr;
  QUndoStack m_undo;
  QTabBar *m_tabs = nullptr, *m_inspectorTabs = nullptr;
  QStackedWidget *m_inspector = nullptr, *m_centre = nullptr;
  FirstPage* m_first = nullptr;
  QSplitter* m_panes = nullptr;
  QWidget *m_tabBar = nullptr, *m_transport = nullptr;
  views::FigureView* m_difference = nullptr;
  QLabel *m_stepWords = nullptr, *m_stepMore = nullptr, *m_state = nullptr, *m_entity = nullptr, *m_caption = nullptr;
  QPushButton *m_compile = nullptr, *m_run = nullptr;
  QComboBox *m_math = nullptr, *m_device = nullptr;
  QLineEdit* m_find = nullptr;
  QListView* m_passes = nullptr;
  PassRail* m_rail = nullptr; // stands for the pass list where the window is narrow
  QWidget* m_passHead = nullptr;
  views::PassModel* m_passModel = nullptr;
  views::ChartSlider* m_slider = nullptr;
  views::TensorPanel* m_tensor = nullptr;
  QList<QDockWidget*> m_docks; // the stepper last
  QList<QDockWidget*> m_hidden; // while two panes are compared
  QAction* m_comparing = nullptr;
  QByteArray m_standard; // the layout of docks as built
  QTimer m_play;
  Background m_files;
  size_t m_found = 0;
};

} // namespace cutaway::explorer
