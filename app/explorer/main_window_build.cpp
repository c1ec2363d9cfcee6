#include "explorer/main_window.h"

#include "backend/cuda/device_model.h"
#include "compare/difference.h"
#include "explorer/first_page.h"
#include "explorer/pass_rail.h"
#include "explorer/widgets.h"
#include "shell/figure_view.h"
#include "shell/inspector_figure.h"
#include "tensor/tensor_panel.h"

#include <QHBoxLayout>
#include <QStatusBar>
#include <QToolBar>

// The parts of the window.
namespace cutaway::explorer {
void MainWindow::buildTools() {
  auto* openButton = new QPushButton("Open…");
  m_compile = new QPushButton("Compile"), m_run = new QPushButton("Run");
  connect(openButton, &QPushButton::clicked, this, &MainWindow::chooseFile);
  connect(m_compile, &QPushButton::clicked, this, [this] {
    if (service().busy()) m_pane->cancel();
    else compile(false);
  });
  connect(m_run, &QPushButton::clicked, this, [this] { compile(true); });
  m_device = new Choice;
  for (const std::string& device : cuda::device_names()) {
    const QString name = QString::fromStdString(device);
    m_device->addItem(name + (name == "cpu" ? QString(", %1 threads").arg(m_pane->request().options.threads) : QString(name == "cuda" ? ", first GPU" : ", modelled")), name);
  }
  m_device->setAccessibleName("Device");
  m_device->setCurrentIndex(std::max(0, m_device->findData(m_pane->setting("device"))));
  connect(m_device, &QComboBox::activated, this, [this](int at) { set("device", m_device->itemData(at).toString()); });
  m_math = new Choice;
  m_math->setAccessibleName("Math");
  m_math->addItems({"math = strict", "math = default", "math = fast"});
  m_math->setCurrentText("math = " + m_pane->setting("math"));
  connect(m_math, &QComboBox::currentTextChanged, this, [this](const QString& text) { set("math", text.section(' ', -1)); });
  m_find = new QLineEdit;
  m_find->setPlaceholderText("Find name, op, dtype, shape   Ctrl+F");
  m_find->setAccessibleName("Find");
  m_find->setFixedWidth(244);
  connect(m_find, &QLineEdit::textChanged, this, [this] { m_found = 0; });
  connect(m_find, &QLineEdit::returnPressed, this, [this] { find(m_find->text()); });
  auto* tools = addToolBar("Tools");
  tools->setObjectName("tools"), tools->setMovable(false);
  auto* strip = bar(40, {12, 6, 12, 6}, {openButton, m_compile, m_run, new QLabel("   Device"), m_device, m_math}, {m_find}, "strip");
  strip->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  tools->addWidget(strip);
}

void MainWindow::buildCentre() {
  m_tabs = new QTabBar;
  m_tabs->setDrawBase(false), m_tabs->setExpanding(false), m_tabs->setAccessibleName("Views");
  m_tabs->setUsesScrollButtons(false), m_tabs->setElideMode(Qt::ElideNone);
  for (const views::ViewRow& row : views::allViews()) m_tabs->addTab(row.title);
  connect(m_tabs, &QTabBar::currentChanged, this, [this](int at) {
    m_pane->showView(at);
    if (m_other) m_other->showView(at);
  });
  connect(m_tabs, &QTabBar::tabBarDoubleClicked, this, &MainWindow::maximise);
  auto* exportButton = new QPushButton("Export…");
  exportButton->setObjectName("link");
  connect(exportButton, &QPushButton::clicked, this, &MainWindow::exportView);
  m_panes = new QSplitter;
  m_panes->setChildrenCollapsible(false), m_panes->setHandleWidth(1);
  m_panes->addWidget(m_pane);
  m_difference = new views::FigureView("Difference", [this](const views::Place& place, const views::Theme& theme, QSizeF room) {
    return views::differenceFigure(place, m_other ? m_other->navigator().place() : views::Place(), theme, room);
  }, navigator(), m_look, false);
  m_difference->setFixedHeight(100), m_difference->hide();
  m_caption = new QLabel;
  m_caption->setObjectName("caption"), m_caption->setWordWrap(true), m_caption->hide();
  m_first = new FirstPage;
  connect(m_first, &FirstPage::choose, this, &MainWindow::chooseFile);
  connect(m_first, &FirstPage::open, this, &MainWindow::open, Qt::QueuedConnection);
  m_centre = new QStackedWidget;
  m_centre->addWidget(m_first);
  m_tabBar = bar(36, {11, 0, 8, 0}, {m_tabs}, {exportButton}, "tabs");
  m_centre->addWidget(column({m_tabBar, m_panes, m_difference, m_caption}, m_panes));
  setCentralWidget(m_centre);
}

void MainWindow::buildDocks() {
  m_passModel = new views::PassModel(navigator(), this);
  m_passes = new QListView;
  m_passes->setModel(m_passModel);
  m_passes->setItemDelegate(new views::PassDelegate(m_look, m_passes));
  m_passes->setFrameShape(QFrame::NoFrame), m_passes->setAccessibleName("Passes");
  m_passes->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_passes->setFocusPolicy(Qt::TabFocus);
  connect(m_passes, &QListView::clicked, this, [this](const QModelIndex& at) { m_passModel->activate(at.row()); });
  connect(m_passes, &QListView::activated, this, [this](const QModelIndex& at) { m_passModel->activate(at.row()); });
  m_rail = new PassRail(*m_passes, m_look, this);
  m_rail->hide();
  auto* head = new QLabel("Passes");
  head->setObjectName("head");
  auto* changed = new QLabel("changed");
  changed->setObjectName("quiet");
  m_passHead = bar(36, {12, 0, 12, 0}, {head}, {changed}, "passhead");

  m_inspectorTabs = new QTabBar;
  m_inspectorTabs->setDrawBase(false), m_inspectorTabs->setExpanding(false), m_inspectorTabs->setAccessibleName("Inspector");
  for (const char* tab : {"Step", "Entity", "Source"}) m_inspectorTabs->addTab(tab);
  m_inspector = new QStackedWidget;
  m_inspector->addWidget(new views::FigureView("Step", views::stepFigure, navigator(), m_look, false));
  m_tensor = new views::TensorPanel(navigator(), m_look);
  auto* entity = new views::FigureView("Entity", views::entityFigure, navigator(), m_look, false);
  m_inspector->addWidget(column({entity, m_tensor}, entity));
  m_inspector->addWidget(new views::FigureView("Source", views::sourceNodesFigure, navigator(), m_look, false));
  connect(m_inspectorTabs, &QTabBar::currentChanged, m_inspector, &QStackedWidget::setCurrentIndex);
  connect(&navigator(), &views::Navigator::selectionChanged, this, [this] {
    if (m_inspectorTabs->currentIndex() < 2) m_inspectorTabs->setCurrentIndex(navigator().place().selected ? 1 : 0); // who reads sources goes on reading them
  });
  connect(&navigator(), &views::Navigator::stepChanged, this, [this] {
    if (!navigator().place().selected && m_inspectorTabs->currentIndex() < 2) m_inspectorTabs->setCurrentIndex(0);
  });

  for (const auto& [name, area, title, content] : {std::tuple<const char*, Qt::DockWidgetArea, QWidget*, QWidget*>{"Passes", Qt::LeftDockWidgetArea, m_passHead, m_passes},
                                                   {"Inspector", Qt::RightDockWidgetArea, bar(36, {8, 0, 8, 0}, {m_inspectorTabs}, {}, "tabs"), m_inspector}}) {
    auto* dock = new QDockWidget(name);
    dock->setObjectName(name), dock->setTitleBarWidget(title), dock->setWidget(content);
    addDockWidget(area, dock);
    m_docks << dock;
  }
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea), setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  m_docks[0]->setMinimumWidth(264), m_docks[1]->setMinimumWidth(320);
}

void MainWindow::buildStepper() {
  m_slider = new views::ChartSlider(navigator(), m_look);
  auto* left = m_transport = new QWidget;
  left->setFixedWidth(260);
  left->setObjectName("stepper"), left->setAttribute(Qt::WA_StyledBackground);
  auto* buttons = new QWidget(left);
  buttons->setObjectName("buttons"), buttons->setFixedSize(200, 28);
  auto* row = new QHBoxLayout(buttons);
  row->setContentsMargins(0, 0, 0, 0), row->setSpacing(6);
  const auto button = [&](const char* glyph, const char* name, auto action) {
    auto* b = new QPushButton(QString::fromUtf8(glyph));
    b->setFixedSize(34, 28), b->setAccessibleName(name), b->setToolTip(name), b->setFocusPolicy(Qt::TabFocus);
    connect(b, &QPushButton::clicked, this, action);
    row->addWidget(b);
  };
  button("«", "First step (Home)", [this] { navigator().goTo(0); });
  button("‹", "Step back (Left)", [this] { navigator().stepBy(-1); });
  button("▶", "Play (Space)", [this] { togglePlay(); });
  button("›", "Next step (Right)", [this] { navigator().stepBy(1); });
  button("»", "Last step (End)", [this] { navigator().stepBy(navigator().stepCount()); });
  m_stepWords = new QLabel(left), m_stepMore = new QLabel(left);
  m_stepWords->resize(240, 18), m_stepMore->resize(244, 18);
  m_stepWords->setObjectName("head"), m_stepMore->setObjectName("quiet");
  auto* content = new QWidget;
  auto* box = new QHBoxLayout(content);
  box->setContentsMargins(0, 0, 0, 0), box->setSpacing(0);
  box->addWidget(left), box->addWidget(m_slider);
  auto* dock = new QDockWidget("Stepper");
  dock->setObjectName("Stepper"), dock->setTitleBarWidget(bar(0, {}, {}, {}, "none")), dock->setWidget(content);
  addDockWidget(Qt::BottomDockWidgetArea, dock);
  m_docks << dock;
  m_state = new QLabel("Ready"), m_entity = new QLabel;
  auto* keys = new QLabel("Space play   ← → step   ↑ ↓ pass   N next change   ? keys");
  keys->setObjectName("quiet");
  statusBar()->setSizeGripEnabled(false);
  statusBar()->setFixedHeight(24);
  statusBar()->addWidget(m_state, 1);
  statusBar()->addWidget(m_entity, 1);
  statusBar()->addPermanentWidget(keys);
}

} // namespace cutaway::explorer
