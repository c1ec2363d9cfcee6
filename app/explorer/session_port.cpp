#include "explorer/session_port.h"

#include "driver/document/texts.h"
#include "driver/probe.h"
#include "import/tensor_files.h"

#include <QMetaObject>

namespace cutaway::explorer {

SessionPort::SessionPort(std::unique_ptr<driver::Session> session, driver::Feeds feeds, std::shared_ptr<const trace::Document> document)
    : m_session(std::move(session)), m_feeds(std::move(feeds)), m_document(std::move(document)), m_thread([this] { work(); }) {}

SessionPort::~SessionPort() {
  {
    const std::scoped_lock lock(m_mutex);
    m_ends = true;
    if (m_current) *m_current = true;
  }
  m_wake.notify_one();
  m_thread.join();
}

void SessionPort::work() {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_wake.wait(lock, [this] { return m_ends || !m_questions.empty(); });
    if (m_ends) return;
    const Question question = std::move(m_questions.front());
    m_questions.pop_front();
    m_current = question.off;
    lock.unlock();
    if (!*question.off) question.work();
    lock.lock();
    m_current.reset();
  }
}

template <class T> void SessionPort::ask(trace::CallOff off, std::function<Result<T>()> find, Answer<T> answer) {
  auto work = [this, off, find = std::move(find), answer = std::move(answer)] {
    Result<T> found = find();
    QMetaObject::invokeMethod(this, [off, answer, found = std::move(found)] {
      if (!*off) answer(found);
    }, Qt::QueuedConnection);
  };
  {
    const std::scoped_lock lock(m_mutex);
    m_questions.push_back({std::move(off), std::move(work)});
  }
  m_wake.notify_one();
}

void SessionPort::tensor(size_t segment, ValueId value, trace::CallOff off, Answer<std::shared_ptr<const trace::TensorFacts>> answer) {
  using Facts = std::shared_ptr<const trace::TensorFacts>;
  ask<Facts>(off, [this, segment, value, off]() -> Result<Facts> {
    auto found = driver::probe(*m_session, m_feeds, segment, value, off.get());
    if (!found) return found.error();
    return std::make_shared<const trace::TensorFacts>(driver::facts_of(*found));
  }, std::move(answer));
}

void SessionPort::save_tensor(size_t segment, ValueId value, const std::string& path, trace::CallOff off, Answer<std::string> answer) {
  ask<std::string>(off, [this, segment, value, path, off]() -> Result<std::string> {
    auto found = driver::probe(*m_session, m_feeds, segment, value, off.get());
    if (!found) return found.error();
    if (Status s = write_npy(path, found->tensor); !s) return s.error();
    return path;
  }, std::move(answer));
}

void SessionPort::assembly(size_t segment, Entity kernel, trace::CallOff off, Answer<std::shared_ptr<const trace::TextPanel>> answer) {
  using Text = std::shared_ptr<const trace::TextPanel>;
  ask<Text>(off, [this, segment, kernel, off]() -> Result<Text> {
    auto found = driver::assembly_panel(m_session->compiler(), *m_document->traces[segment], kernel, off.get());
    if (!found) return found.error();
    return std::make_shared<const trace::TextPanel>(std::move(*found));
  }, std::move(answer));
}

} // namespace cutaway::explorer
