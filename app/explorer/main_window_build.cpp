#include "explorer/main_window.h"

#include "registry.h"
#include "shell/inspector_figure.h"

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListView>
#include <QMenuBar>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>

// The parts of the window, and its look.
namespace cutaway::explorer {
namespace {

QWidget* column(std::initializer_list<QWidget*> parts) {
  auto* widget = new QWidget;
  auto* box = new QVBoxLayout(widget);
  box->setContentsMargins(0, 0, 0, 0), box->setSpacing(0);
  for (QWidget* part : parts) box->addWidget(part);
  return widget;
}

QWidget* bar(int height, QMargins margins, std::initializer_list<QWidget*> left, std::initializer_list<QWidget*> right, const char* name) {
  auto* widget = new QWidget;
  widget->setObjectName(name);
  widget->setAttribute(Qt::WA_StyledBackground);
  widget->setFixedHeight(height);
  auto* box = new QHBoxLayout(widget);
  box->setContentsMargins(margins), box->setSpacing(8);
  for (QWidget* w : left) box->addWidget(w);
  box->addStretch();
  for (QWidget* w : right) box->addWidget(w);
  return widget;
}

} // namespace

void MainWindow::buildTools() {
  auto* openButton = new QPushButton("Open…");
  m_compile = new QPushButton("Compile"), m_run = new QPushButton("Run");
  connect(openButton, &QPushButton::clicked, this, &MainWindow::chooseFile);
  connect(m_compile, &QPushButton::clicked, this, [this] {
    if (m_service.busy()) m_service.cancel();
    else compile(false);
  });
  connect(m_run, &QPushButton::clicked, this, [this] { compile(true); });
  auto* device = new QComboBox;
  device->addItem(QString("cpu, %1 threads").arg(m_request.options.threads));
  device->setAccessibleName("Device");
  m_math = new QComboBox;
  m_math->setAccessibleName("Math");
  m_math->addItems({"math = strict", "math = default", "math = fast"});
  m_math->setCurrentText(QString("math = ") + math_name(m_request.options.settings.math));
  connect(m_math, &QComboBox::currentTextChanged, this, [this](const QString& text) { setSetting("math", text.section(' ', -1)); });
  m_find = new QLineEdit;
  m_find->setPlaceholderText("Find name, op, dtype, shape   Ctrl+F");
  m_find->setAccessibleName("Find");
  m_find->setFixedWidth(244);
  connect(m_find, &QLineEdit::textChanged, this, [this] { m_found = 0; });
  connect(m_find, &QLineEdit::returnPressed, this, [this] { find(m_find->text()); });
  auto* tools = addToolBar("Tools");
  tools->setObjectName("tools"), tools->setMovable(false);
  auto* strip = bar(40, {12, 6, 12, 6}, {openButton, m_compile, m_run, new QLabel("   Device"), device, m_math}, {m_find}, "strip");
  strip->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  tools->addWidget(strip);
}

void MainWindow::buildCentre() {
  m_tabs = new QTabBar;
  m_tabs->setDrawBase(false), m_tabs->setExpanding(false), m_tabs->setAccessibleName("Views");
  m_tabs->setUsesScrollButtons(false), m_tabs->setElideMode(Qt::ElideNone);
  m_stack = new QStackedWidget;
  for (const views::ViewRow& row : views::allViews()) {
    m_tabs->addTab(row.title);
    if (std::string(row.id) == "graph") m_stack->addWidget(m_graph = new views::GraphView(m_navigator, m_look));
    else m_stack->addWidget(new views::FigureView(row.title, row.figure, m_navigator, m_look));
  }
  connect(m_tabs, &QTabBar::currentChanged, this, [this](int at) { m_stack->setCurrentIndex(at), refreshWords(); });
  auto* exportButton = new QPushButton("Export…");
  exportButton->setObjectName("link");
  connect(exportButton, &QPushButton::clicked, this, &MainWindow::exportView);
  m_crumbs = new QLabel, m_zoom = new QLabel, m_error = new QLabel;
  m_crumbs->setAccessibleName("Scope"), m_zoom->setObjectName("quiet");
  m_error->setObjectName("error"), m_error->setWordWrap(true), m_error->setTextFormat(Qt::PlainText);
  m_error->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_error->hide();
  setCentralWidget(column({bar(36, {11, 0, 8, 0}, {m_tabs}, {exportButton}, "tabs"), m_error, bar(28, {16, 0, 16, 0}, {m_crumbs}, {m_zoom}, "crumbs"), m_stack}));
}

void MainWindow::buildDocks() {
  m_passModel = new views::PassModel(m_navigator, this);
  m_passes = new QListView;
  m_passes->setModel(m_passModel);
  m_passes->setItemDelegate(new views::PassDelegate(m_look, m_passes));
  m_passes->setFrameShape(QFrame::NoFrame), m_passes->setAccessibleName("Passes");
  m_passes->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_passes->setFocusPolicy(Qt::TabFocus);
  connect(m_passes, &QListView::clicked, this, [this](const QModelIndex& at) { m_passModel->activate(at.row()); });
  connect(m_passes, &QListView::activated, this, [this](const QModelIndex& at) { m_passModel->activate(at.row()); });
  auto* head = new QLabel("Passes");
  head->setObjectName("head");
  auto* changed = new QLabel("changed");
  changed->setObjectName("quiet");

  m_inspectorTabs = new QTabBar;
  m_inspectorTabs->setDrawBase(false), m_inspectorTabs->setExpanding(false), m_inspectorTabs->setAccessibleName("Inspector");
  m_inspectorTabs->addTab("Step"), m_inspectorTabs->addTab("Entity");
  m_inspector = new QStackedWidget;
  m_inspector->addWidget(new views::FigureView("Step", views::stepFigure, m_navigator, m_look, false));
  m_inspector->addWidget(new views::FigureView("Entity", views::entityFigure, m_navigator, m_look, false));
  connect(m_inspectorTabs, &QTabBar::currentChanged, m_inspector, &QStackedWidget::setCurrentIndex);
  connect(&m_navigator, &views::Navigator::selectionChanged, this, [this] { m_inspectorTabs->setCurrentIndex(m_navigator.place().selected ? 1 : 0); });
  connect(&m_navigator, &views::Navigator::stepChanged, this, [this] {
    if (!m_navigator.place().selected) m_inspectorTabs->setCurrentIndex(0);
  });

  QList<QDockWidget*> docks;
  for (const auto& [name, area, content] : {std::tuple{"Passes", Qt::LeftDockWidgetArea, column({bar(36, {12, 0, 12, 0}, {head}, {changed}, "passhead"), m_passes})},
                                            {"Inspector", Qt::RightDockWidgetArea, column({bar(36, {8, 0, 8, 0}, {m_inspectorTabs}, {}, "tabs"), m_inspector})}}) {
    auto* dock = new QDockWidget(name);
    dock->setObjectName(name), dock->setTitleBarWidget(new QWidget), dock->setWidget(content);
    addDockWidget(area, dock);
    docks << dock;
  }
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea), setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  resizeDocks(docks, {264, 320}, Qt::Horizontal);
}

void MainWindow::buildStepper() {
  m_slider = new views::ChartSlider(m_navigator, m_look);
  m_slider->setCompact(false);
  auto* left = new QWidget;
  left->setFixedSize(260, 96);
  left->setObjectName("stepper"), left->setAttribute(Qt::WA_StyledBackground);
  auto* buttons = new QWidget(left);
  buttons->setGeometry(12, 12, 200, 28);
  auto* row = new QHBoxLayout(buttons);
  row->setContentsMargins(0, 0, 0, 0), row->setSpacing(6);
  const auto button = [&](const char* glyph, const char* name, auto action) {
    auto* b = new QPushButton(QString::fromUtf8(glyph));
    b->setFixedSize(34, 28), b->setAccessibleName(name), b->setToolTip(name), b->setFocusPolicy(Qt::TabFocus);
    connect(b, &QPushButton::clicked, this, action);
    row->addWidget(b);
  };
  button("«", "First step (Home)", [this] { m_navigator.goTo(0); });
  button("‹", "Step back (Left)", [this] { m_navigator.stepBy(-1); });
  button("▶", "Play (Space)", [this] { togglePlay(); });
  button("›", "Next step (Right)", [this] { m_navigator.stepBy(1); });
  button("»", "Last step (End)", [this] { m_navigator.stepBy(m_navigator.stepCount()); });
  m_stepWords = new QLabel(left), m_stepMore = new QLabel(left);
  m_stepWords->setGeometry(12, 46, 240, 18), m_stepMore->setGeometry(12, 64, 244, 18);
  m_stepWords->setObjectName("head"), m_stepMore->setObjectName("quiet");
  auto* content = new QWidget;
  auto* box = new QHBoxLayout(content);
  box->setContentsMargins(0, 0, 0, 0), box->setSpacing(0);
  box->addWidget(left), box->addWidget(m_slider);
  auto* dock = new QDockWidget("Stepper");
  dock->setObjectName("Stepper"), dock->setTitleBarWidget(new QWidget), dock->setWidget(content);
  addDockWidget(Qt::BottomDockWidgetArea, dock);
  m_state = new QLabel("Ready"), m_entity = new QLabel;
  auto* keys = new QLabel("Space play   ← → step   ↑ ↓ pass   N next change   ? keys");
  keys->setObjectName("quiet");
  statusBar()->setSizeGripEnabled(false);
  statusBar()->setFixedHeight(24);
  statusBar()->addWidget(m_state, 1);
  statusBar()->addWidget(m_entity, 1);
  statusBar()->addPermanentWidget(keys);
}

void MainWindow::buildMenus() {
  QMenu* file = menuBar()->addMenu("File");
  file->addAction("Open…", QKeySequence::Open, this, &MainWindow::chooseFile);
  QMenu* recent = file->addMenu("Recent");
  for (const QString& name : QSettings("Cutaway", "Cutaway").value("recent").toStringList()) recent->addAction(name, this, [this, name] { open(name); });
  file->addAction("Export the view…", QKeySequence("Ctrl+E"), this, &MainWindow::exportView);
  file->addAction("Quit", QKeySequence::Quit, this, &QWidget::close);
  QMenu* edit = menuBar()->addMenu("Edit");
  QAction* undo = m_undo.createUndoAction(this);
  undo->setShortcut(QKeySequence::Undo);
  QAction* redo = m_undo.createRedoAction(this);
  redo->setShortcut(QKeySequence::Redo);
  edit->addActions({undo, redo});
  edit->addAction("Find", QKeySequence::Find, this, [this] { m_find->setFocus(), m_find->selectAll(); });
  QMenu* view = menuBar()->addMenu("View");
  int at = 1;
  for (const views::ViewRow& row : views::allViews()) {
    view->addAction(row.title, QKeySequence(QString("Ctrl+%1").arg(at++)), this, [this, id = row.id] { showView(id); });
  }
  view->addSeparator();
  for (const char* name : {"light", "dark", "contrast"}) view->addAction(QString("Theme: ") + name, this, [this, name] { setTheme(name); });
  QAction* still = view->addAction("Reduce motion");
  still->setCheckable(true);
  connect(still, &QAction::toggled, this, [this](bool on) { m_look.setReducedMotion(on); });
  QAction* constants = view->addAction("Constants in the graph");
  constants->setCheckable(true);
  connect(constants, &QAction::toggled, m_graph, &views::GraphView::setConstants);
  QAction* drift = view->addAction("Drift on the graph");
  drift->setCheckable(true);
  connect(drift, &QAction::toggled, m_graph, &views::GraphView::setDrift);
  view->addAction("Try the layout again", m_graph, &views::GraphView::retryLayout);
  view->addAction("Open all scopes", m_graph, [this] { m_graph->expandAll(true); });
  view->addAction("Close all scopes", m_graph, [this] { m_graph->expandAll(false); });
  QMenu* step = menuBar()->addMenu("Step");
  step->addAction("Play or pause", this, &MainWindow::togglePlay);
  step->addAction("First step", this, [this] { m_navigator.goTo(0); });
  step->addAction("Last step", this, [this] { m_navigator.stepBy(m_navigator.stepCount()); });
  QMenu* run = menuBar()->addMenu("Run");
  run->addAction("Compile", QKeySequence("Ctrl+B"), this, [this] { compile(false); });
  run->addAction("Run and compare", QKeySequence("Ctrl+R"), this, [this] { compile(true); });
  run->addAction("Cancel", this, [this] { m_service.cancel(); });
  menuBar()->addMenu("Help")->addAction("Keys", this, &MainWindow::showKeys);
}

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
      "QPushButton#link{background:transparent;border:0;color:@accent} QLabel#quiet{color:@textMuted;font-size:11px} QLabel#head{font-weight:600}"
      "QLabel#error{background:@tint;color:@text;border-left:4px solid @refused;padding:10px 16px}"
      "QComboBox{background:@raised;border:1px solid @line;border-radius:4px;padding:5px 8px} QComboBox:focus{border:2px solid @accent}"
      "QLineEdit{background:@raised;border:1px solid @line;border-radius:4px;padding:4px 8px} QLineEdit:focus{border:2px solid @accent} QStatusBar{background:@chrome;border-top:1px solid @line}"
      "QStatusBar::item{border:0} QStatusBar QLabel{font-size:11px;color:@textSecondary;padding-left:8px} QWidget#crumbs{background:@canvas;border-bottom:1px solid @grid}"
      "QWidget#tabs,QWidget#passhead{background:@chrome;border-bottom:1px solid @line} QWidget#strip,QWidget#stepper{background:@chrome}"
      "QTabBar::tab{background:@chrome;color:@textSecondary;padding:7px 8px 5px 8px;margin:0 3px;border:0;border-bottom:3px solid @chrome}"
      "QTabBar::tab:selected{color:@text;font-weight:600;border-bottom:3px solid @accent} QTabBar::tab:focus{color:@accent}";
  const QString tint = views::mix(t.c("refused"), t.c("canvas"), .1).name();
  css.replace("@tint", tint);
  for (const char* role : {"textSecondary", "textMuted", "lineStrong", "line", "chrome", "canvas", "grid", "selection", "raised", "sunken", "accent", "refused", "text"}) css.replace(QString("@") + role, t.c(role).name());
  setStyleSheet(css);
}

} // namespace cutaway::explorer
