#pragma once
#include <QList>
#include <QPoint>
#include <QString>

#include <cstdint>
#include <optional>

namespace cutaway::views {

// "[1, 64, 56, 56]" or "7168,64" as numbers; nothing where it is no list of them.
std::optional<QList<int64_t>> numberList(QString text);

// A tensor drawn small: the last three dims that have more than one element become planes, rows and columns; all others stay
// at index 0. The cells are numbered in the order in which the drawn elements lie in memory.
struct Walk {
  QList<int64_t> dims, strides; // of the whole tensor, in elements
  int planeDim = -1, rowDim = -1, columnDim = -1; // -1: no such dim
  int planes = 1, rows = 1, columns = 1;          // drawn

  // Strides as given; nothing where the shape or the strides are no lists of numbers.
  static std::optional<Walk> of(const QString& shape, const QString& strides);
  // The same tensor in row-major order.
  Walk rowMajor() const;
  bool isRowMajor() const;

  int cells() const { return planes * rows * columns; }
  int address(int plane, int row, int column) const;
  struct Cell {
    int plane = 0, row = 0, column = 0;
  };
  // Drawn cells by their address, of the first `most`.
  QList<Cell> first(int most) const;
  // "[0, 1, :, :]": the indices that a plane fixes.
  QString planeLabel(int plane) const;
  // "4 of 64 planes, 3 of 56 rows, 5 of 56 columns"; empty where everything is drawn.
  QString drawnPart() const;
  // Extents of dims that a step moves through memory: "dim 1 of 64: 1 element".
  QStringList steps(int64_t elementBytes) const;
};

} // namespace cutaway::views
