#include "explorer/compile_service.h"

#include "driver/document/packing.h"
#include "driver/document/study.h"
#include "explorer/session_port.h"
#include "trace/saved.h"

#include <QMetaObject>

namespace cutaway::explorer {

CompileService::~CompileService() {
  if (m_watch) m_watch->cancel = true;
  if (m_thread.joinable()) m_thread.join();
}

void CompileService::cancel() {
  if (!m_busy) return;
  m_watch->cancel = true;
  ++m_number, m_busy = false;
  emit calledOff();
}

void CompileService::start(Request request) {
  if (m_watch) m_watch->cancel = true;
  auto before = std::make_shared<std::thread>(std::move(m_thread));
  m_watch = std::make_shared<driver::Watch>();
  m_busy = true;
  const quint64 number = ++m_number;
  m_watch->progress = [this, number](const std::string& pass, size_t done, size_t total) {
    answer(number, [this, pass, done, total] { emit progressed(QString::fromStdString(pass), int(done), int(total)); });
  };
  // The one before has been called off; it is waited for here, never in the window's thread.
  m_thread = std::thread([this, before, request = std::move(request), number, watch = m_watch] {
    if (before->joinable()) before->join();
    work(request, number, watch);
  });
}

void CompileService::answer(quint64 number, std::function<void()> what) {
  QMetaObject::invokeMethod(this, [this, number, what = std::move(what)] {
    if (number == m_number) what();
  }, Qt::QueuedConnection);
}

void CompileService::work(Request request, quint64 number, std::shared_ptr<driver::Watch> watch) {
  const auto fail = [&](const Diagnostic& d) {
    answer(number, [this, where = request.file, words = d.str()] { m_busy = false, emit failed(QString::fromStdString(where), QString::fromStdString(words)); });
  };
  if (trace::is_saved(request.file)) {
    auto read = trace::read_saved(request.file);
    if (!read) return fail(read.error());
    auto document = std::make_shared<const trace::Document>(std::move(*read));
    return answer(number, [this, document] { m_busy = false, emit finished(document, nullptr, "A saved document: it is read, not compiled"); });
  }
  if (driver::is_packing(request.file)) {
    auto packed = driver::packing_document(request.file, request.options.settings.memory_strategy, &watch->cancel);
    if (!packed) return fail(packed.error());
    auto document = std::make_shared<const trace::Document>(std::move(*packed));
    return answer(number, [this, document] { m_busy = false, emit finished(document, nullptr, "A list of buffers: packed, nothing to run"); });
  }
  request.options.journal = true, request.options.watch = watch;
  auto session = driver::Session::open(request.file, request.options);
  if (!session) return fail(session.error());
  std::vector<std::string> notes;
  auto feeds = driver::make_feeds((*session)->model(), request.inputs, request.bindings, notes);
  if (!feeds) return fail(feeds.error());
  auto made = driver::study(**session, *feeds, request.file, request.measure ? driver::Measure::drift : driver::Measure::nothing, &watch->cancel);
  if (!made) return fail(made.error());
  const QString words = request.measure ? QString("Ran compiled, eager and oracle on one input set") : QString("Compiled in %1 ms, %2 kernels").arg(qRound(made->info.compile_ms)).arg(made->info.kernels);
  auto document = std::make_shared<const trace::Document>(std::move(made->document));
  auto kept = std::make_shared<std::unique_ptr<driver::Session>>(std::move(*session));
  answer(number, [this, document, kept, feeds = std::move(*feeds), words] {
    m_busy = false;
    emit finished(document, std::make_shared<SessionPort>(std::move(*kept), feeds, document), words);
  });
}

} // namespace cutaway::explorer
