// What the explorer's window costs on large models; see `usage`.
#include "bench/explorer_models.h"
#include "driver/document/make.h"
#include "explorer/first_page.h"
#include "explorer/main_window.h"
#include "import/onnx_protos.h"

#include <QApplication>
#include <QLineEdit>
#include <QListView>
#include <QTemporaryDir>
#include <QWheelEvent>
#include <QWindow>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <malloc.h>
#include <random>

namespace cutaway::bench {
namespace {

constexpr const char* usage =
    "bench_explorer [--json] [--keep FOLDER] [--only models|seek]\n"
    "Opens models of 5,000 and 10,000 nodes in the explorer's window (1600x1000, offscreen, software raster), through the\n"
    "same calls as `cutaway open`, then shows it a document of 10,000 nodes and 50,000 steps, and measures:\n"
    "  open      from open() to the first painted graph, kernels not in the cache (cold), then in it (warm); its parts are\n"
    "            timed by the same calls without a window: import, compile and first run, document\n"
    "  paint     work of the GUI thread for one wheel event: the event, and painting all that it made stale; all scopes\n"
    "            open, with everything in sight and where types can be read; of 200 events each\n"
    "  seek      trace->at(step) at 500 random steps; and from Navigator::goTo to the painted graph of 100 random steps,\n"
    "            with the time until the rest of the window (steps, passes, inspector) is painted\n"
    "  memory    resident bytes that the document adds, and those of the whole process at the end\n"
    "  stall     a thread asks the event loop for an answer every 2 ms: the longest it waited, and in which phase\n"
    "--json prints one JSON object and no table. --keep writes the models there and leaves them. Exit code 1: a bar was\n"
    "missed (its row says so).\n";

using Clock = std::chrono::steady_clock;
double msSince(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

double residentMb(const char* field = "VmRSS:") {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (double kb = 0; word == field && in >> kb) return kb / 1024;
  return 0;
}

// Rows of the report; a bar is the most that a value may be, negative: none.
class Report {
 public:
  void add(const std::string& phase, const std::string& name, double value, const char* unit, double bar = -1) {
    const bool missed = bar >= 0 && value > bar;
    missed_ = missed_ || missed;
    rows_.push_back({{"phase", phase}, {"name", name}, {"value", std::round(value * 100) / 100}, {"unit", unit}, {"missed", missed}});
    if (bar >= 0) rows_.back()["bar"] = bar;
    fmt::print(stderr, "{:<28} {:<34} {:>10.2f} {:<3} {}\n", phase, name, value, unit, bar < 0 ? "" : fmt::format("bar {:g}{}", bar, missed ? "   MISSED" : ""));
  }
  void spread(const std::string& phase, const std::string& name, std::vector<double> all, double bar) {
    std::sort(all.begin(), all.end());
    add(phase, name + ", median", all[all.size() / 2], "ms"), add(phase, name + ", p95", all[all.size() * 95 / 100], "ms", bar), add(phase, name + ", max", all.back(), "ms");
  }
  bool missed() const { return missed_; }
  std::string json() const { return nlohmann::json{{"rows", rows_}, {"missed", missed_}}.dump(1); }
  void table() const {
    for (const auto& r : rows_)
      fmt::print("{:<28} {:<34} {:>10.2f} {:<3} {}\n", r["phase"].get<std::string>(), r["name"].get<std::string>(), r["value"].get<double>(), r["unit"].get<std::string>(),
                 r.contains("bar") ? fmt::format("bar {:g}{}", r["bar"].get<double>(), r["missed"].get<bool>() ? "   MISSED" : "") : "");
  }

 private:
  std::vector<nlohmann::json> rows_;
  bool missed_ = false;
};

// Asks the event loop for an answer again and again; keeps the longest wait of each phase.
class Watchdog {
 public:
  Watchdog() : thread_([this] { watch(); }) {}
  ~Watchdog() {
    stop_ = true;
    thread_.join();
  }
  // An empty name: what is measured meanwhile is no one's.
  void phase(const std::string& name) {
    const std::lock_guard hold(mutex_);
    phase_ = name, ++count_;
  }
  std::map<std::string, double> longest() {
    const std::lock_guard hold(mutex_);
    return longest_;
  }

 private:
  void watch() {
    while (!stop_) {
      const auto sent = Clock::now();
      std::unique_lock hold(mutex_);
      const int asked = count_;
      const std::string phase = phase_;
      answered_ = false;
      QMetaObject::invokeMethod(qApp, [this] {
        const std::lock_guard answer(mutex_);
        answered_ = true, wake_.notify_one();
      }, Qt::QueuedConnection);
      while (!answered_ && !stop_) wake_.wait_for(hold, std::chrono::milliseconds(50));
      if (!phase.empty() && asked == count_) longest_[phase] = std::max(longest_[phase], msSince(sent));
      hold.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::string, double> longest_;
  std::string phase_;
  int count_ = 0;
  bool answered_ = true;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// Sees every event: what the thread is busy for, and when the graph has been painted.
class BenchApp : public QApplication {
 public:
  using QApplication::QApplication;
  QWidget* graph = nullptr;
  QWidget* list = nullptr; // painted with the rest of the window
  double busy = 0;         // ms in event handlers
  int painted = 0, listed = 0; // times

  bool notify(QObject* object, QEvent* event) override {
    const auto start = Clock::now();
    const QEvent::Type type = event->type();
    ++depth_;
    const bool out = QApplication::notify(object, event);
    if (type == QEvent::Paint) painted += object == graph, listed += object == list;
    if (--depth_ == 0) busy += msSince(start);
    return out;
  }

 private:
  int depth_ = 0;
};

class Bench {
 public:
  Bench(BenchApp& app, Report& report, std::string folder) : app_(app), report_(report), folder_(std::move(folder)) {}

  void model(int nodes) {
    const std::string name = fmt::format("{} nodes", nodes), file = folder_ + fmt::format("/encoder{}.onnx", nodes);
    { std::ofstream(file, std::ios::binary) << encoderModel(nodes); }
    const double bar = nodes <= 5000 ? 2000 : -1;
    qputenv("XDG_CACHE_HOME", QByteArray::fromStdString(folder_ + fmt::format("/cache{}", nodes)));
    opened(name, name + ", kernels cold", file, -1), opened(name, name + ", kernels warm", file, bar);
    parts(name, file);
    app_.processEvents();
    paints(name);
    window_.reset();
  }

  void document(uint32_t steps) {
    const std::string name = fmt::format("{} steps", steps);
    auto first = imported(folder_ + "/encoder10000.onnx");
    ::malloc_trim(0);
    const double before = residentMb();
    auto document = std::make_shared<const trace::Document>(longDocument(first, steps));
    ::malloc_trim(0);
    report_.add(name, "memory of the document", residentMb() - before, "MB", 500);
    std::vector<double> ms;
    for (int i = 0; i < 500; ++i) {
      const auto start = Clock::now();
      const size_t found = document->traces[0]->at(random_() % steps).nodes.size();
      ms.push_back(msSince(start));
      if (found == 0) throw std::runtime_error("an empty graph");
    }
    report_.spread(name, "trace->at(step)", ms, 50);
    empty();
    const auto start = Clock::now();
    watchdog_.phase("show " + name);
    window_->navigator().setDocument(std::move(document), nullptr, false); // which holds it alone
    report_.add(name, "show: until it is painted", firstPicture(start), "ms");
    seeks(name, steps);
    watchdog_.phase("find in " + name);
    for (auto* field : window_->findChildren<QLineEdit*>())
      if (field->accessibleName() == "Find") field->setText("layer.150/attention/self/query"), emit field->returnPressed();
    spin([&] { return shown(); });
    watchdog_.phase({});
    const auto other = std::make_shared<const trace::Document>(longDocument(first, 100));
    watchdog_.phase("another document in place of " + name);
    window_->navigator().setDocument(other, nullptr, false);
    spin([&] { return shown(); });
    watchdog_.phase({});
    window_.reset();
    report_.add("process", "resident", residentMb(), "MB"), report_.add("process", "resident, most", residentMb("VmHWM:"), "MB");
  }

  void stalls() {
    watchdog_.phase({});
    for (const auto& [phase, ms] : watchdog_.longest()) report_.add("stall", phase, ms, "ms", 100);
  }

 private:
  template <class Done> void spin(Done done) {
    const auto start = Clock::now();
    while (!done()) {
      app_.processEvents(QEventLoop::WaitForMoreEvents); // the watchdog's questions end a wait
      if (msSince(start) > 60'000) throw std::runtime_error(fmt::format("the window does not answer: shown {}, scene {}, painted {}, listed {}, step {}", shown(), !!window_->graph().scene(), app_.painted, app_.listed, window_->navigator().place().step));
    }
  }
  bool shown() const { return window_->navigator().stepCount() > 0 && window_->graph().scene() && window_->graph().settled() && !window_->service().busy(); }

  // A window with nothing open.
  void empty() {
    watchdog_.phase({});
    app_.graph = app_.list = nullptr;
    window_ = std::make_unique<explorer::MainWindow>(explorer::Request{});
    window_->resize(1600, 1000);
    window_->show();
    app_.graph = &window_->graph();
    for (auto* list : window_->findChildren<QListView*>()) // combo boxes have lists too
      if (list->accessibleName() == "Passes") app_.list = list->viewport();
    if (auto* page = window_->findChild<explorer::FirstPage*>()) spin([&] { return page->isVisible(); });
    spin([&] { return window_->windowHandle()->isExposed(); });
  }
  // ms until a graph has been painted; `laid`: until it was there to be painted.
  double firstPicture(Clock::time_point start, double* laid = nullptr) {
    int painted = app_.painted;
    spin([&] {
      if (!window_->graph().scene()) painted = app_.painted;
      else if (laid && !*laid) *laid = msSince(start);
      return app_.painted > painted;
    });
    const double all = msSince(start);
    watchdog_.phase({});
    return all;
  }
  void opened(const std::string& group, const std::string& phase, const std::string& file, double bar) {
    empty();
    double made = 0, laid = 0;
    const auto start = Clock::now();
    QObject::connect(&window_->service(), &explorer::CompileService::finished, window_.get(), [&] { made = msSince(start); });
    watchdog_.phase("open " + phase);
    window_->open(QString::fromStdString(file));
    const double all = firstPicture(start, &laid);
    report_.add(group, "open: " + phase, all, "ms", bar);
    report_.add(group, "  until the document is there", made, "ms"), report_.add(group, "  layout of the graph", laid - made, "ms"), report_.add(group, "  painting", all - laid, "ms");
    window_->service().disconnect(window_.get());
  }

  static trace::GraphDoc imported(const std::string& file) {
    { std::ofstream(file, std::ios::binary) << encoderModel(10'000); }
    driver::Session::Options options;
    options.journal = true;
    auto session = driver::Session::open(file, options);
    std::vector<std::string> notes;
    auto feeds = session ? driver::make_feeds((*session)->model(), {}, {}, notes) : session.error();
    driver::RunInfo info;
    if (auto ran = feeds ? (*session)->run(*feeds, driver::Mode::compiled, &info) : feeds.error(); !ran) throw std::runtime_error(ran.error().str());
    return driver::make_document(**session, info, file).traces[0]->at(0);
  }
  // The service's calls, without a window.
  void parts(const std::string& group, const std::string& file) {
    driver::Session::Options options;
    options.journal = true;
    auto start = Clock::now();
    auto session = driver::Session::open(file, options);
    if (!session) throw std::runtime_error(session.error().str());
    report_.add(group, "part: reading the file", msSince(start), "ms");
    std::vector<std::string> notes;
    auto feeds = driver::make_feeds((*session)->model(), {}, {}, notes);
    driver::RunInfo info;
    start = Clock::now();
    if (auto ran = (*session)->run(*feeds, driver::Mode::compiled, &info); !ran) throw std::runtime_error(ran.error().str());
    const double ran = msSince(start);
    report_.add(group, "part: import, compile, run", ran, "ms"), report_.add(group, "  of it compile", info.compile_ms, "ms");
    start = Clock::now();
    const trace::Document document = driver::make_document(**session, info, file);
    report_.add(group, "part: document", msSince(start), "ms");
    const trace::Trace& t = *document.traces[0];
    report_.add(group, "nodes of the imported graph", double(t.at(0).nodes.size()), ""), report_.add(group, "steps", double(t.steps().size()), "");
  }

  double frame(const std::function<void()>& act) {
    const int before = app_.painted;
    app_.busy = 0;
    act();
    spin([&] { return app_.painted > before; });
    return app_.busy;
  }
  void wheel(QPoint angle, Qt::KeyboardModifiers modifiers) {
    views::GraphView& g = window_->graph();
    const QPointF at(g.width() / 2., g.height() / 2.);
    QWheelEvent event(at, g.mapToGlobal(at), {}, angle, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&g, &event);
  }
  // Fifty there, fifty back, so that the camera stays where there is something to see.
  void sweep(const std::string& group, const std::string& name) {
    watchdog_.phase("paint " + group + ", " + name);
    std::vector<double> pan, zoom;
    for (int i = 0; i < 200; ++i) pan.push_back(frame([&] { wheel({i % 4 < 2 ? 60 : -60, i % 100 < 50 ? -120 : 120}, Qt::NoModifier); }));
    for (int i = 0; i < 200; ++i) zoom.push_back(frame([&] { wheel({0, i % 20 < 10 ? 24 : -24}, Qt::ControlModifier); }));
    watchdog_.phase({});
    report_.spread(group, "pan, " + name, pan, 16.6), report_.spread(group, "zoom, " + name, zoom, 16.6);
  }
  void paints(const std::string& group) {
    views::GraphView& g = window_->graph();
    watchdog_.phase("open all scopes, " + group);
    const auto start = Clock::now();
    g.expandAll(true);
    spin([&] { return shown(); });
    report_.add(group, "all scopes laid out", msSince(start), "ms");
    report_.add(group, "items laid out", double(g.scene()->model.items.size()), "");
    g.fit();
    spin([&] { return shown(); });
    report_.add(group, "zoom with all in sight", g.zoom() * 100, "%");
    sweep(group, "all in sight");
    g.fit();
    g.zoomBy(1 / g.zoom(), QPointF(g.width() / 2., g.height() / 2.));
    spin([&] { return shown(); });
    sweep(group, "types");
  }

  void seeks(const std::string& group, uint32_t steps) {
    watchdog_.phase("seek, " + group);
    std::vector<double> all, rest;
    for (int i = 0; i < 100; ++i) {
      const uint32_t step = 1 + random_() % (steps - 2);
      const int listed = app_.listed;
      const auto* old = window_->graph().scene();
      int painted = 0;
      double list = 0;
      const auto start = Clock::now();
      window_->navigator().goTo(step);
      spin([&] { // the camera may still be on its way
        if (!list && app_.listed > listed) list = msSince(start);
        if (window_->graph().scene() == old) painted = app_.painted;
        return list && app_.painted > painted;
      });
      all.push_back(msSince(start)), rest.push_back(list);
      spin([&] { return shown(); });
    }
    watchdog_.phase({});
    report_.spread(group, "goTo to the painted graph", all, 50), report_.spread(group, "goTo to the painted window", rest, 50);
  }

  BenchApp& app_;
  Report& report_;
  const std::string folder_;
  std::unique_ptr<explorer::MainWindow> window_;
  std::mt19937 random_{3};
  Watchdog watchdog_;
};

int run(int argc, char** argv) {
  bool json = false;
  std::string keep, only;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") json = true;
    else if (word == "--keep" && i + 1 < argc) keep = argv[++i];
    else if (word == "--only" && i + 1 < argc) only = argv[++i];
    else return std::fputs(usage, word == "--help" ? stdout : stderr), word == "--help" ? 0 : 2;
  }
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QTemporaryDir own; // settings and kernels of the user stay as they are
  qputenv("XDG_CONFIG_HOME", own.path().toUtf8());
  QApplication::setStyle("Fusion");
  BenchApp app(argc, argv);
  Report report;
  Bench bench(app, report, keep.empty() ? own.path().toStdString() : keep);
  if (only != "seek") bench.model(5000), bench.model(10000);
  if (only != "models") bench.document(50000);
  bench.stalls();
  if (json) fmt::print("{}\n", report.json());
  else fmt::print("{}\n", report.json()), report.table();
  return report.missed() ? 1 : 0;
}

} // namespace
} // namespace cutaway::bench

int main(int argc, char** argv) {
  try {
    return cutaway::bench::run(argc, argv);
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "bench_explorer: %s\n", e.what()), 2;
  }
}
