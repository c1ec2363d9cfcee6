#pragma once
#include "driver/session.h"
#include "trace/document.h"
#include "trace/port.h"

#include <QObject>
#include <QString>

#include <memory>
#include <thread>

namespace cutaway::explorer {

// What is compiled: a model or a document, and how.
struct Request {
  std::string file;
  driver::Session::Options options;
  driver::Bindings bindings;
  std::vector<std::string> inputs; // --input specs
  bool measure = false; // run with a profile, and compare with eager and oracle
};

// Opens, compiles and runs in a thread of its own, one request at a time; signals arrive in the thread of this object.
class CompileService : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  ~CompileService() override;
  // Calls off what runs; its answer no longer comes.
  void cancel();
  void start(Request request);
  bool busy() const { return m_busy; }

 signals:
  void progressed(const QString& pass, int done, int total);
  // `port`: null for a saved document.
  void finished(std::shared_ptr<const cutaway::trace::Document> document, std::shared_ptr<cutaway::trace::Port> port, const QString& words);
  void failed(const QString& where, const QString& words);
  void calledOff();

 private:
  void work(Request request, quint64 number, std::shared_ptr<driver::Watch> watch);
  void answer(quint64 number, std::function<void()> what);
  std::thread m_thread;
  std::shared_ptr<driver::Watch> m_watch;
  quint64 m_number = 0;
  bool m_busy = false;
};

} // namespace cutaway::explorer
