#include "explorer/pane.h"

#include "explorer/strip.h"
#include "explorer/widgets.h"
#include "shell/figure_view.h"
#include "source/source_view.h"

#include <QFileInfo>
#include <QMenu>
#include <QSplitter>

namespace cutaway::explorer {

Pane::Pane(Request request, views::Look& look, QWidget* parent) : QWidget(parent), m_request(std::move(request)), m_look(look) {
  m_strip = new Strip;
  m_letter = new QLabel, m_crumbs = new QLabel, m_previous = new QLabel("from the previous compile"), m_zoom = new QLabel;
  m_letter->setObjectName("letter"), m_letter->setAlignment(Qt::AlignCenter), m_letter->setFixedSize(24, 24), m_letter->hide();
  m_crumbs->setAccessibleName("Scope"), m_zoom->setObjectName("quiet");
  m_previous->setObjectName("tag"), m_previous->setFixedHeight(20), m_previous->hide();
  m_late.setSingleShot(true), m_late.setInterval(300);
  connect(&m_late, &QTimer::timeout, m_previous, &QWidget::show);
  connect(m_strip, &Strip::linkPressed, this, &Pane::showNamed);
  m_segments = new Choice, m_menu = new QPushButton;
  m_segments->setAccessibleName("Segment between breaks"), m_segments->hide();
  m_menu->setObjectName("link"), m_menu->hide();
  connect(m_segments, &QComboBox::activated, this, [this](int at) { m_navigator.setSegment(size_t(at)); });
  m_crumbBar = bar(28, {16, 0, 16, 0}, {m_letter, m_segments, m_crumbs}, {m_previous, m_zoom, m_menu}, "crumbs");
  m_halves = new QSplitter(Qt::Vertical);
  m_halves->setChildrenCollapsible(false), m_halves->setHandleWidth(1);
  m_upper = makeHalf();
  fill(this, {m_strip, m_crumbBar, m_halves}, m_halves);
  connectService();
  connect(&m_navigator, &views::Navigator::documentChanged, this, &Pane::refreshSegments);
  connect(&m_navigator, &views::Navigator::documentChanged, this, &Pane::refreshCrumbs);
  connect(&m_navigator, &views::Navigator::stepChanged, this, &Pane::refreshCrumbs);
  connect(&m_navigator, &views::Navigator::selectionChanged, this, &Pane::refreshCrumbs);
}

Pane::Half Pane::makeHalf() {
  Half half{new QStackedWidget, nullptr};
  for (const views::ViewRow& row : views::allViews()) {
    if (std::string(row.id) == "graph") half.stack->addWidget(half.graph = new views::GraphView(m_navigator, m_look));
    else if (std::string(row.id) == "source") half.stack->addWidget(new views::SourceView(row, m_navigator, m_look));
    else half.stack->addWidget(new views::FigureView(row, m_navigator, m_look));
  }
  connect(half.graph, &views::GraphView::viewChanged, this, &Pane::refreshZoom);
  m_halves->addWidget(half.stack);
  return half;
}

void Pane::connectService() {
  connect(&m_service, &CompileService::progressed, this, [this](const QString& pass, int done, int total) {
    emit progressed(pass, done, total);
    emit said(total ? QString("Compiling, %1: %2 of %3 kernels").arg(pass).arg(done).arg(total) : "Compiling, " + pass);
  });
  connect(&m_service, &CompileService::finished, this, &Pane::finished);
  connect(&m_service, &CompileService::failed, this, [this](const QString& where, const QString& words) {
    m_navigator.setAwaited(false);
    say(QFileInfo(where).fileName() + ": " + words);
    emit said("Not compiled");
    emit busyChanged();
  });
  connect(&m_service, &CompileService::calledOff, this, [this] {
    m_navigator.setAwaited(false);
    emit said(m_navigator.place().document ? "Called off; the picture is from before" : "Called off");
    emit busyChanged();
  });
}

void Pane::open(const QString& file) {
  m_request.file = file.toStdString();
  compile(false);
}

void Pane::compile(bool measure) {
  if (m_request.file.empty()) return;
  m_request.measure = measure;
  say({});
  emit said(measure ? "Running" : "Compiling");
  m_service.start(m_request);
  if (m_navigator.place().document) m_late.start();
  m_navigator.setAwaited(true);
  emit busyChanged();
}

void Pane::finished(std::shared_ptr<const trace::Document> document, std::shared_ptr<trace::Port> port, const QString& words) {
  m_late.stop(), m_previous->hide();
  m_shown = m_request.file;
  const bool keep = m_navigator.place().document && m_navigator.place().document->model == document->model && !m_request.measure;
  m_navigator.setDocument(document, std::move(port), keep);
  if (!document->breaks.empty()) {
    const trace::Break& b = document->breaks.front();
    say(QString("%1 graph break%2: %3: %4").arg(document->breaks.size()).arg(document->breaks.size() == 1 ? "" : "s").arg(views::qt(b.node), views::qt(b.reason)));
  }
  emit said(words);
  emit busyChanged();
  emit arrived();
}

std::map<std::string, std::string> Pane::settings() const {
  auto out = m_request.options.settings.list();
  out["device"] = m_request.options.device;
  return out;
}

QString Pane::setting(const QString& key) const { return QString::fromStdString(settings()[key.toStdString()]); }

void Pane::set(const QString& key, const QString& value) {
  if (key == "device") {
    m_request.options.device = value.toStdString();
    m_navigator.dropPort(); // a process has one simulated driver: the session on the old one must go
  } else if (Status s = m_request.options.settings.set(key.toStdString(), value.toStdString()); !s) return say(QString::fromStdString(s.error().str()));
  emit settingChanged(key, setting(key));
  compile(false);
}

void Pane::say(const QString& words) {
  const auto& document = m_navigator.place().document;
  m_named = document && m_shown == m_request.file ? views::namedIn(*document, words) : std::nullopt;
  m_strip->say(words, m_named ? "Show the node" : QString());
}

void Pane::showNamed() {
  if (!m_named) return;
  const views::Named to = *m_named;
  m_navigator.setSegment(to.segment), m_navigator.goTo(to.step);
  m_navigator.select(to.op);
  showView(0);
  graph().focusOn(to.op);
}

const Pane::Half& Pane::focused() const { return isSplit() && m_lower.stack->isAncestorOf(focusWidget()) ? m_lower : m_upper; }

void Pane::showView(int row) {
  focused().stack->setCurrentIndex(row);
  refreshCrumbs();
  emit viewChanged(row);
}

void Pane::split(bool on) {
  if (on && !m_lower.stack) {
    m_lower = makeHalf();
    m_lower.stack->setCurrentIndex(1);
  }
  if (m_lower.stack) m_lower.stack->setVisible(on);
  if (on) m_halves->setSizes({height() / 2, height() / 2});
}

void Pane::setHead(const QString& letter, const QString& words) {
  m_letter->setText(letter), m_letter->setVisible(!letter.isEmpty());
  m_crumbBar->setFixedHeight(letter.isEmpty() ? 28 : 40);
  m_headWords = words;
  refreshCrumbs();
}

void Pane::setMenu(const QString& title, std::function<void(QMenu&)> filler) {
  auto* menu = new QMenu(m_menu);
  connect(menu, &QMenu::aboutToShow, this, [menu, filler = std::move(filler)] {
    menu->clear();
    filler(*menu);
  });
  m_menu->setText(title), m_menu->setMenu(menu), m_menu->show();
}

void Pane::refreshSegments() {
  m_segments->clear();
  const auto& document = m_navigator.place().document;
  if (document)
    for (const auto& t : document->traces) m_segments->addItem(views::qt(t->name));
  m_segments->setCurrentIndex(int(m_navigator.place().segment));
  m_segments->setVisible(m_segments->count() > 1);
}

void Pane::refreshCrumbs() {
  QStringList parts;
  if (m_navigator.place().at() && m_segments->count() < 2) parts << views::qt(m_navigator.place().trace()->name);
  for (const QString& path : graph().crumbs()) parts << path.section('/', -1);
  m_crumbs->setText((m_headWords.isEmpty() ? QString() : m_headWords + "      ") + parts.join("   ›   "));
  refreshZoom();
}

void Pane::refreshZoom() { m_zoom->setText(row().id == std::string("graph") ? graph().statusText() : QString()); }

const views::ViewMode& Pane::mode() const {
  const auto* shown = qobject_cast<const views::FigureView*>(focused().stack->currentWidget());
  if (focused().stack->currentWidget() == focused().graph && m_look.colourBy() == views::ColourBy::opClass) return *row().modeNamed("class");
  return row().modes[size_t(shown ? shown->mode() : 0)];
}

views::Figure Pane::figure() const {
  const Half& half = focused();
  if (half.stack->currentWidget() == half.graph) return half.graph->figure();
  return mode().figure(m_navigator.place(), m_look.theme(), half.stack->size());
}

} // namespace cutaway::explorer
