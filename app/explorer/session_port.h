#pragma once
#include "driver/session.h"
#include "trace/document.h"
#include "trace/port.h"

#include <QObject>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace cutaway::explorer {

// Answers the views' questions from the session that made the document, one after another in a thread of its own; answers
// arrive in the thread of this object.
class SessionPort : public QObject, public trace::Port {
 public:
  // `document`: what the session made.
  SessionPort(std::unique_ptr<driver::Session> session, driver::Feeds feeds, std::shared_ptr<const trace::Document> document);
  ~SessionPort() override; // waits for the question under way, which is called off

  void tensor(size_t segment, ValueId value, trace::CallOff off, Answer<std::shared_ptr<const trace::TensorFacts>> answer) override;
  void save_tensor(size_t segment, ValueId value, const std::string& path, trace::CallOff off, Answer<std::string> answer) override;
  void assembly(size_t segment, Entity kernel, trace::CallOff off, Answer<std::shared_ptr<const trace::TextPanel>> answer) override;

 private:
  struct Question {
    trace::CallOff off;
    std::function<void()> work;
  };
  // `find` runs in the thread of the port, `answer` in that of this object.
  template <class T> void ask(trace::CallOff off, std::function<Result<T>()> find, Answer<T> answer);
  void work();

  std::unique_ptr<driver::Session> m_session;
  driver::Feeds m_feeds;
  std::shared_ptr<const trace::Document> m_document;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  std::deque<Question> m_questions;
  trace::CallOff m_current;
  bool m_ends = false;
  std::thread m_thread;
};

} // namespace cutaway::explorer
