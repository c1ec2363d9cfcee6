#pragma once
#include "graph/dot.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <array>
#include <memory>

class QProcess;

namespace cutaway::views {

// Asks dot in the background, two questions at a time, and keeps every answer. The two processes stay and are asked again
// (starting one takes longer than most answers). A question that takes over 5 s, or a dot that is missing or dies, is
// answered by plain layers.
class LayoutRunner : public QObject {
  Q_OBJECT
 public:
  explicit LayoutRunner(QObject* parent = nullptr);
  ~LayoutRunner() override;
  // By a question's text; null: not known yet.
  const DotResult* known(const QByteArray& text) const { return m_known.value(text).get(); }
  // Forgets what still waits. What runs goes on, and is killed once something else is asked.
  void cancel();
  void request(const std::vector<DotQuestion>& questions);
  bool busy() const;
  // Plain answers are asked for again.
  void forgetPlain();
  // Why the last plain answer is plain: "Layout stopped after 5 s".
  const QString& trouble() const { return m_trouble; }
  int timeout = 5000; // ms
  QString program = "dot";

 signals:
  void answered(); // all that was requested

 private:
  struct Worker {
    QProcess* process = nullptr;
    QTimer clock;
    DotQuestion question; // an empty text: none
    bool wanted = false;
    QByteArray answer; // as far as it has been read
  };
  void startNext();
  void ask(Worker& worker, DotQuestion question);
  void read(Worker& worker);
  void finish(Worker& worker, const QString& trouble); // empty: there is an answer
  void drop(Worker& worker); // kills its process
  QHash<QByteArray, std::shared_ptr<const DotResult>> m_known;
  std::vector<DotQuestion> m_waiting;
  std::array<Worker, 2> m_workers;
  QString m_trouble;
};

} // namespace cutaway::views
