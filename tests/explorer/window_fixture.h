#pragma once
#include "explorer/main_window.h"

#include <QTest>
#include <gtest/gtest.h>

#include <tuple>

namespace cutaway::explorer {

// Real events on a real window, on whatever platform QT_QPA_PLATFORM names.
inline std::string sample() { return CUTAWAY_SOURCES "/resources/models/sample.onnx"; }

struct WindowTest : testing::Test {
  void open(const std::string& file) {
    window = std::make_unique<MainWindow>(Request{file, {}, {}, {}});
    window->resize(1440, 900);
    window->show();
    window->activateWindow(); // no window manager does it
    std::ignore = QTest::qWaitForWindowActive(window.get(), 2000);
    ASSERT_TRUE(QTest::qWaitFor([this] { return window->navigator().stepCount() > 0 && window->graph().settled() && window->graph().scene(); }, 30000));
  }
  void settle() { ASSERT_TRUE(QTest::qWaitFor([this] { return window->graph().settled() && !window->service().busy(); }, 30000)); }
  // Kept where CUTAWAY_SHOTS names a folder.
  void shot(const char* name) {
    QTest::qWait(50);
    if (qEnvironmentVariableIsSet("CUTAWAY_SHOTS")) window->grab().toImage().convertToFormat(QImage::Format_RGB888).save(qEnvironmentVariable("CUTAWAY_SHOTS") + "/" + name + ".png", "PNG", 0);
  }
  std::unique_ptr<MainWindow> window;
};

} // namespace cutaway::explorer
