#pragma once
#include "graph/dot.h"

#include <functional>

namespace cutaway::views {

// A graph cut at every node that all ways through it pass: its pieces are laid out one by one, one below the other, so an
// answer for a piece holds wherever the same piece stands, and a long chain asks dot nothing at all.
class Series {
 public:
  Series() = default;
  explicit Series(const DotInput& input);
  // What dot must be asked; pieces alike have the same text.
  std::vector<const DotQuestion*> questions() const;
  // The whole, once all are answered. `answer` gives dot's for a question's text.
  DotResult join(const std::function<const DotResult*(const QByteArray&)>& answer) const;

 private:
  struct Piece {
    DotQuestion question; // an empty text: needs none
    DotResult own;        // then this
    std::vector<int> nodes, edges; // of the whole, by those of the piece
    int first = -1, last = -1;     // of the piece: the nodes that it shares with its neighbours; -1: none
  };
  void cut(const DotInput& input, const std::vector<int>& cuts, const std::vector<int>& place);
  std::vector<Piece> pieces_;
  size_t nodes_ = 0, edges_ = 0;
};

} // namespace cutaway::views
