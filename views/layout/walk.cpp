#include "layout/walk.h"

#include "kit/numbers.h"

#include <QStringList>

#include <algorithm>
#include <numeric>

namespace cutaway::views {

std::optional<QList<int64_t>> numberList(QString text) {
  QList<int64_t> out;
  text.remove('[').remove(']').remove(' ');
  if (text.isEmpty()) return out;
  for (const QString& word : text.split(',')) {
    bool ok = false;
    out.append(word.toLongLong(&ok));
    if (!ok) return {};
  }
  return out;
}

namespace {

int drawn(int64_t extent, int most) { return int(std::min<int64_t>(extent, most)); }

} // namespace

std::optional<Walk> Walk::of(const QString& shape, const QString& strides) {
  const auto d = numberList(shape), s = numberList(strides);
  if (!d || !s || d->size() != s->size() || std::any_of(d->begin(), d->end(), [](int64_t x) { return x < 1; })) return {};
  Walk w;
  w.dims = *d, w.strides = *s;
  for (int i = int(w.dims.size()); i-- > 0;) {
    if (w.dims[i] == 1) continue;
    if (w.columnDim < 0) w.columnDim = i;
    else if (w.rowDim < 0) w.rowDim = i;
    else if (w.planeDim < 0) w.planeDim = i;
  }
  const auto extent = [&](int dim) { return dim < 0 ? 1 : w.dims[dim]; };
  w.planes = drawn(extent(w.planeDim), 4);
  w.rows = drawn(extent(w.rowDim), w.planeDim < 0 ? 4 : 3);
  w.columns = drawn(extent(w.columnDim), w.rowDim < 0 ? 12 : w.planeDim < 0 ? 8 : 5);
  return w;
}

Walk Walk::rowMajor() const {
  Walk out = *this;
  int64_t below = 1;
  for (qsizetype i = dims.size(); i-- > 0; below *= dims[i]) out.strides[i] = below;
  return out;
}

bool Walk::isRowMajor() const {
  const Walk other = rowMajor();
  for (qsizetype i = 0; i < dims.size(); ++i)
    if (dims[i] > 1 && strides[i] != other.strides[i]) return false;
  return true;
}

int Walk::address(int plane, int row, int column) const {
  struct Axis {
    int64_t stride = 0;
    int drawn = 1, at = 0;
  };
  const auto stride = [&](int dim) { return dim < 0 ? 0 : strides[dim]; };
  std::array<Axis, 3> axes{Axis{stride(planeDim), planes, plane}, {stride(rowDim), rows, row}, {stride(columnDim), columns, column}};
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  int out = 0, below = 1;
  for (const Axis& a : axes) {
    if (a.stride == 0) continue; // repeated: all its elements are one
    out += a.at * below;
    below *= a.drawn;
  }
  return out;
}

QList<Walk::Cell> Walk::first(int most) const {
  QList<std::pair<int, Cell>> all;
  for (int p = 0; p < planes; ++p)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) all.append({address(p, r, c), {p, r, c}});
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  QList<Cell> out;
  for (qsizetype i = 0; i < all.size() && out.size() < most; ++i)
    if (i == 0 || all[i].first != all[i - 1].first) out.append(all[i].second);
  return out;
}

QString Walk::planeLabel(int plane) const {
  QStringList parts;
  for (int i = 0; i < dims.size(); ++i) parts << (i == planeDim ? QString::number(plane) : i == rowDim || i == columnDim ? ":" : "0");
  return '[' + parts.join(", ") + ']';
}

QString Walk::drawnPart() const {
  QStringList parts;
  const auto add = [&](int dim, int shown, const char* what) {
    if (dim >= 0 && shown < dims[dim]) parts << QString("%1 of %2 %3").arg(shown).arg(number(double(dims[dim])), what);
  };
  add(planeDim, planes, "planes"), add(rowDim, rows, "rows"), add(columnDim, columns, "columns");
  for (int i = 0; i < dims.size(); ++i)
    if (dims[i] > 1 && i != planeDim && i != rowDim && i != columnDim) parts << QString("dim %1 at 0 of %2").arg(i).arg(number(double(dims[i])));
  return parts.join(", ");
}

QStringList Walk::steps(int64_t elementBytes) const {
  QStringList out;
  for (int i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    const QString move = strides[i] == 0   ? "the same element again"
                         : strides[i] == 1 ? "the next element in memory"
                                           : QString("%1 elements on, %2").arg(number(double(strides[i])), byteText(strides[i] * elementBytes));
    out << QString("dim %1 of %2: %3").arg(i).arg(number(double(dims[i])), move);
  }
  return out;
}

} // namespace cutaway::views
