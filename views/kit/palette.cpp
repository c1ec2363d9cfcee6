#include "kit/palette.h"

#include <algorithm>
#include <limits>

namespace cutaway::views {
namespace {

constexpr size_t most = 256, exact = 96;

struct Counted {
  QRgb colour = 0;
  uint64_t count = 0;
};
struct Box {
  size_t first = 0, last = 0; // of the colours
  int channel = 0, spread = 0; // the channel that differs most
  uint64_t count = 0;
};

int part(QRgb c, int channel) { return int(c >> (8 * channel)) & 255; }

Box boxOf(const std::vector<Counted>& all, size_t first, size_t last) {
  Box out{first, last};
  for (int channel = 0; channel < 3; ++channel) {
    int low = 255, high = 0;
    for (size_t i = first; i < last; ++i) low = std::min(low, part(all[i].colour, channel)), high = std::max(high, part(all[i].colour, channel));
    if (high - low > out.spread) out.channel = channel, out.spread = high - low;
  }
  for (size_t i = first; i < last; ++i) out.count += all[i].count;
  return out;
}

// Cuts boxes until there are `count`: that with the most pixels times spread next, where half of its pixels are on either side.
std::vector<Box> cut(std::vector<Counted>& all, size_t first, size_t count) {
  std::vector<Box> boxes{boxOf(all, first, all.size())};
  while (boxes.size() < count) {
    const auto next = std::max_element(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return double(a.count) * a.spread < double(b.count) * b.spread; });
    if (next->spread == 0) break;
    const Box box = *next;
    std::sort(all.begin() + long(box.first), all.begin() + long(box.last), [&](const Counted& a, const Counted& b) {
      const int x = part(a.colour, box.channel), y = part(b.colour, box.channel);
      return x != y ? x < y : a.colour < b.colour;
    });
    size_t middle = box.first;
    for (uint64_t half = 0; middle + 2 < box.last && half + all[middle].count <= box.count / 2; ++middle) half += all[middle].count;
    *next = boxOf(all, box.first, middle + 1);
    boxes.push_back(boxOf(all, middle + 1, box.last));
  }
  return boxes;
}

QRgb mean(const std::vector<Counted>& all, const Box& box) {
  uint64_t sum[3] = {};
  for (size_t i = box.first; i < box.last; ++i)
    for (int channel = 0; channel < 3; ++channel) sum[channel] += all[i].count * uint64_t(part(all[i].colour, channel));
  const uint64_t n = std::max<uint64_t>(1, box.count);
  return qRgb(int(sum[2] / n), int(sum[1] / n), int(sum[0] / n));
}

} // namespace

void Palette::count(const QImage& image) {
  for (int y = 0; y < image.height(); ++y) {
    const auto* row = reinterpret_cast<const QRgb*>(image.constScanLine(y));
    for (int x = 0, end = 0; x < image.width(); x = end) { // flat areas come in runs
      while (end < image.width() && row[end] == row[x]) ++end;
      m_counts[row[x]] += uint32_t(end - x);
    }
  }
}

void Palette::choose() {
  std::vector<Counted> all;
  for (auto it = m_counts.begin(); it != m_counts.end(); ++it) all.push_back({it.key(), it.value()});
  std::sort(all.begin(), all.end(), [](const Counted& a, const Counted& b) { return a.count != b.count ? a.count > b.count : a.colour < b.colour; });
  const size_t kept = all.size() <= most ? all.size() : exact;
  for (size_t i = 0; i < kept; ++i) m_colours.append(all[i].colour);
  if (kept < all.size())
    for (const Box& box : cut(all, kept, most - kept)) m_colours.append(mean(all, box));
  for (qsizetype i = 0; i < qsizetype(kept); ++i) m_index.insert(m_colours[i], uint8_t(i));
  m_counts.clear();
}

uint8_t Palette::index(QRgb colour) {
  const auto known = m_index.constFind(colour);
  if (known != m_index.constEnd()) return *known;
  int best = 0, least = std::numeric_limits<int>::max();
  for (int i = 0; i < m_colours.size(); ++i) {
    int away = 0;
    for (int channel = 0; channel < 3; ++channel) {
      const int d = part(colour, channel) - part(m_colours[i], channel);
      away += d * d * (channel == 1 ? 2 : 1);
    }
    if (away < least) least = away, best = i;
  }
  m_index.insert(colour, uint8_t(best));
  return uint8_t(best);
}

} // namespace cutaway::views
