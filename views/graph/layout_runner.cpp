#include "graph/layout_runner.h"

#include <QProcess>
#include <QTimer>

namespace cutaway::views {

LayoutRunner::~LayoutRunner() { cancel(); }

const DotResult* LayoutRunner::known(const DotInput& input) const { return m_known.value(dotText(input)).get(); }

void LayoutRunner::cancel() {
  m_waiting.clear();
  const auto running = m_running.keys();
  m_running.clear();
  for (QProcess* process : running) {
    process->disconnect(this);
    process->kill();
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->setParent(nullptr);
  }
}

void LayoutRunner::forgetPlain() {
  m_known.removeIf([](auto entry) { return !entry.value()->exact; });
}

void LayoutRunner::request(const std::vector<DotInput>& inputs) {
  for (const DotInput& input : inputs) {
    const QByteArray text = dotText(input);
    bool there = m_running.values().contains(text);
    for (const DotInput& waiting : m_waiting) there = there || dotText(waiting) == text;
    if (!there) m_waiting.push_back(input);
  }
  startNext();
}

void LayoutRunner::startNext() {
  while (!m_waiting.empty() && m_running.size() < 2) {
    const DotInput input = std::move(m_waiting.front());
    m_waiting.erase(m_waiting.begin());
    auto* process = new QProcess(this);
    m_running.insert(process, dotText(input));
    connect(process, &QProcess::finished, this, [this, process, input](int code, QProcess::ExitStatus status) { finish(process, input, status == QProcess::NormalExit && code == 0); });
    connect(process, &QProcess::errorOccurred, this, [this, process, input](QProcess::ProcessError error) {
      if (error == QProcess::FailedToStart) finish(process, input, false);
    });
    auto* clock = new QTimer(process);
    clock->setSingleShot(true);
    connect(clock, &QTimer::timeout, process, &QProcess::kill);
    process->start("dot", {"-Tjson"});
    process->write(dotText(input));
    process->closeWriteChannel();
    clock->start(timeout);
  }
}

void LayoutRunner::finish(QProcess* process, const DotInput& input, bool good) {
  const QByteArray key = m_running.take(process);
  std::optional<DotResult> result;
  if (good) result = parseDot(process->readAllStandardOutput(), input);
  if (!result) result = plainLayers(input);
  m_known.insert(key, std::make_shared<const DotResult>(std::move(*result)));
  process->deleteLater();
  startNext();
  if (!busy()) emit answered();
}

} // namespace cutaway::views
