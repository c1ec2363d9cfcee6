#include "graph/layout_runner.h"

#include <QProcess>

#include <algorithm>
#include <utility>

namespace cutaway::views {

LayoutRunner::LayoutRunner(QObject* parent) : QObject(parent) {
  for (Worker& w : m_workers) {
    w.clock.setSingleShot(true);
    connect(&w.clock, &QTimer::timeout, this, [this, &w] { finish(w, QString("Layout stopped after %1 s").arg(timeout / 1000.)); });
  }
}

LayoutRunner::~LayoutRunner() {
  for (Worker& w : m_workers) drop(w);
}

bool LayoutRunner::busy() const {
  return !m_waiting.empty() || std::any_of(m_workers.begin(), m_workers.end(), [](const Worker& w) { return w.wanted; });
}

void LayoutRunner::cancel() {
  m_waiting.clear();
  for (Worker& w : m_workers) w.wanted = false;
}

void LayoutRunner::forgetPlain() {
  m_known.removeIf([](auto entry) { return !entry.value()->exact; });
}

void LayoutRunner::request(const std::vector<DotQuestion>& questions) {
  for (const DotQuestion& q : questions) {
    const auto same = [&](const DotQuestion& other) { return other.text == q.text; };
    const auto running = std::find_if(m_workers.begin(), m_workers.end(), [&](const Worker& w) { return same(w.question); });
    if (running != m_workers.end()) running->wanted = true;
    else if (std::none_of(m_waiting.begin(), m_waiting.end(), same)) m_waiting.push_back(q);
  }
  startNext();
}

void LayoutRunner::startNext() {
  const auto take = [this](bool running) {
    for (Worker& w : m_workers) {
      if (m_waiting.empty() || w.wanted || w.question.text.isEmpty() == running) continue;
      if (running) drop(w); // nobody waits for it any more
      DotQuestion next = std::move(m_waiting.front());
      m_waiting.erase(m_waiting.begin());
      ask(w, std::move(next));
    }
  };
  take(false), take(true);
}

void LayoutRunner::ask(Worker& w, DotQuestion question) {
  w.question = std::move(question), w.wanted = true, w.answer.clear();
  w.clock.start(timeout);
  if (!w.process) {
    w.process = new QProcess(this);
    connect(w.process, &QProcess::readyReadStandardOutput, this, [this, &w] { read(w); });
    connect(w.process, &QProcess::errorOccurred, this, [this, &w](QProcess::ProcessError error) { finish(w, error == QProcess::FailedToStart ? "Graphviz' dot does not start" : "Graphviz' dot ended early"); });
    w.process->setStandardErrorFile(QProcess::nullDevice());
    w.process->start(program, {"-Tjson"});
  }
  if (w.process) w.process->write(w.question.text); // else it has failed to start
}

void LayoutRunner::read(Worker& w) {
  w.answer += w.process->readAllStandardOutput();
  if (!w.question.text.isEmpty() && w.answer.endsWith(dotEnd)) finish(w, {});
}

void LayoutRunner::finish(Worker& w, const QString& trouble) {
  if (w.question.text.isEmpty()) return drop(w); // it died while it had nothing to do
  std::optional<DotResult> result;
  if (trouble.isEmpty()) result = parseDot(w.answer, w.question.input);
  if (!result) {
    drop(w);
    m_trouble = trouble.isEmpty() ? QString("Graphviz' dot gave no layout") : trouble;
    result = plainLayers(w.question.input);
  }
  m_known.insert(w.question.text, std::make_shared<const DotResult>(std::move(*result)));
  const bool wanted = std::exchange(w.wanted, false);
  w.question = {}, w.answer.clear();
  w.clock.stop();
  startNext();
  if (wanted && !busy()) emit answered();
}

void LayoutRunner::drop(Worker& w) {
  if (QProcess* process = std::exchange(w.process, nullptr)) {
    process->disconnect(this);
    process->setParent(nullptr);
    if (process->state() == QProcess::NotRunning) return process->deleteLater();
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->kill();
  }
}

} // namespace cutaway::views
