#pragma once
#include <QHash>
#include <QImage>
#include <QList>

namespace cutaway::views {

// The 256 colours for several pictures: the commonest as they are (flat fills stay exact), the rest by median cut.
class Palette {
 public:
  void count(const QImage& rgb32);
  void choose();
  const QList<QRgb>& colours() const { return m_colours; }
  // The nearest colour's place; every colour that was counted is known at once.
  uint8_t index(QRgb colour);

 private:
  QHash<QRgb, uint32_t> m_counts;
  QHash<QRgb, uint8_t> m_index;
  QList<QRgb> m_colours;
};

} // namespace cutaway::views
