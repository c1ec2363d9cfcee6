#include "explorer/background.h"

#include <QMetaObject>

namespace cutaway::explorer {

Background::~Background() {
  callOff();
  if (m_thread.joinable()) m_thread.join();
}

void Background::callOff() {
  if (m_off) *m_off = true;
  m_off.reset();
}

bool Background::start(std::function<QString(const std::atomic<bool>& off)> work, std::function<void(const QString& why)> done) {
  if (busy()) return false;
  auto before = std::make_shared<std::thread>(std::move(m_thread)); // called off, or done
  m_off = std::make_shared<std::atomic<bool>>(false);
  m_thread = std::thread([this, before, off = m_off, work = std::move(work), done = std::move(done)] {
    if (before->joinable()) before->join();
    const QString why = work(*off);
    QMetaObject::invokeMethod(this, [this, off, why, done] {
      if (*off) return;
      m_off.reset();
      done(why);
    }, Qt::QueuedConnection);
  });
  return true;
}

} // namespace cutaway::explorer
