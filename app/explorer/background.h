#pragma once
#include <QObject>
#include <QString>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

namespace cutaway::explorer {

// One piece of work at a time in a thread of its own: files that take long to write.
class Background : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  ~Background() override;
  // `work` gives words that say why it failed, none where it did its work; it looks at `off` now and then. `done` gets them in
  // the thread of this object, unless the work was called off. False where something is under way.
  bool start(std::function<QString(const std::atomic<bool>& off)> work, std::function<void(const QString& why)> done);
  void callOff();
  bool busy() const { return m_off != nullptr; }

 private:
  std::shared_ptr<std::atomic<bool>> m_off; // of the work under way
  std::thread m_thread;
};

} // namespace cutaway::explorer
