#include <QGuiApplication>
#include <gtest/gtest.h>

int main(int count, char** arguments) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  new QGuiApplication(count, arguments); // outlives the caches of texts
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
