#pragma once
#include "graph/dot.h"

#include <QHash>
#include <QObject>

#include <memory>

class QProcess;

namespace cutaway::views {

// Runs dot for several inputs in the background, two at a time, and keeps every answer. An input that takes over 5 s, or
// a dot that is missing or dies, is answered by plain layers.
class LayoutRunner : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  ~LayoutRunner() override;
  // Null: not known yet.
  const DotResult* known(const DotInput& input) const;
  // Forgets what still waits, and kills what runs.
  void cancel();
  void request(const std::vector<DotInput>& inputs);
  bool busy() const { return !m_waiting.empty() || !m_running.isEmpty(); }
  // Plain answers are asked for again.
  void forgetPlain();
  int timeout = 5000; // ms

 signals:
  void answered(); // all that was requested

 private:
  void startNext();
  void finish(QProcess* process, const DotInput& input, bool good);
  QHash<QByteArray, std::shared_ptr<const DotResult>> m_known;
  std::vector<DotInput> m_waiting;
  QHash<QProcess*, QByteArray> m_running;
};

} // namespace cutaway::views
