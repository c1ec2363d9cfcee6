#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

namespace cutaway::trace {

template <class T> using Shared = std::shared_ptr<const T>;

// A map from an element's id (its member `id`) to the element, ordered by id, that copies in O(size / 48): a copy
// shares every leaf, and a change copies one leaf of at most 64 pointers. So a snapshot of a graph a step earlier costs
// little more than the difference. Elements are immutable; a change puts another one in their place.
template <class T> class ElementTable {
 public:
  using Id = decltype(T::id);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Null where there is none.
  const T* find(Id id) const {
    const Shared<T>* slot = slot_of(id);
    return slot ? slot->get() : nullptr;
  }
  Shared<T> get(Id id) const {
    const Shared<T>* slot = slot_of(id);
    return slot ? *slot : nullptr;
  }
  bool contains(Id id) const { return slot_of(id) != nullptr; }

  // Puts the element in, in place of the one with its id.
  void set(Shared<T> element) {
    if (leaves_.empty()) {
      leaves_.push_back({element->id, std::make_shared<const Leaf>(Leaf{std::move(element)})});
      ++size_;
      return;
    }
    Branch& branch = leaves_[leaf_of(element->id)];
    Leaf leaf = *branch.leaf;
    const auto at = position(leaf, element->id);
    if (at != leaf.end() && (*at)->id == element->id) {
      *at = std::move(element);
    } else {
      leaf.insert(at, std::move(element));
      ++size_;
    }
    store(branch, std::move(leaf));
  }

  void erase(Id id) {
    if (!slot_of(id)) return;
    const size_t index = leaf_of(id);
    Leaf leaf = *leaves_[index].leaf;
    leaf.erase(position(leaf, id));
    --size_;
    if (leaf.empty()) {
      leaves_.erase(leaves_.begin() + static_cast<ptrdiff_t>(index));
    } else {
      store(leaves_[index], std::move(leaf));
    }
  }

  // In order of id.
  class Iterator {
   public:
    using value_type = T;
    using difference_type = ptrdiff_t;
    Iterator() = default;
    Iterator(const ElementTable* table, size_t leaf) : table_(table), leaf_(leaf) {}
    const T& operator*() const { return *shared(); }
    const T* operator->() const { return shared().get(); }
    const Shared<T>& shared() const { return (*table_->leaves_[leaf_].leaf)[slot_]; }
    Iterator& operator++() {
      if (++slot_ == table_->leaves_[leaf_].leaf->size()) {
        slot_ = 0;
        ++leaf_;
      }
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.leaf_ == b.leaf_ && a.slot_ == b.slot_; }

   private:
    const ElementTable* table_ = nullptr;
    size_t leaf_ = 0, slot_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, leaves_.size()}; }

  // Same elements; shared ones are not looked into.
  friend bool operator==(const ElementTable& a, const ElementTable& b) {
    if (a.size_ != b.size_) return false;
    for (Iterator x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
      if (x.shared() != y.shared() && !(*x == *y)) return false;
    return true;
  }

  // Calls change(before, after) for each element that differs, in order of id; null means absent.
  template <class Change> static void difference(const ElementTable& a, const ElementTable& b, Change&& change) {
    Iterator x = a.begin(), y = b.begin();
    const Shared<T> none;
    while (x != a.end() || y != b.end()) {
      if (y == b.end() || (x != a.end() && x->id < y->id)) {
        change(x.shared(), none), ++x;
      } else if (x == a.end() || y->id < x->id) {
        change(none, y.shared()), ++y;
      } else {
        if (x.shared() != y.shared() && !(*x == *y)) change(x.shared(), y.shared());
        ++x, ++y;
      }
    }
  }

  size_t leaf_count() const { return leaves_.size(); }

 private:
  static constexpr size_t leaf_limit = 64;
  using Leaf = std::vector<Shared<T>>;
  struct Branch {
    Id first; // every id in the leaf is at least this one, but for ids below all leaves
    std::shared_ptr<const Leaf> leaf;
  };

  static auto position(Leaf& leaf, Id id) {
    return std::lower_bound(leaf.begin(), leaf.end(), id, [](const Shared<T>& e, Id i) { return e->id < i; });
  }
  size_t leaf_of(Id id) const {
    const auto after =
        std::upper_bound(leaves_.begin(), leaves_.end(), id, [](Id i, const Branch& b) { return i < b.first; });
    return after == leaves_.begin() ? 0 : static_cast<size_t>(after - leaves_.begin()) - 1;
  }
  const Shared<T>* slot_of(Id id) const {
    if (leaves_.empty()) return nullptr;
    const Leaf& leaf = *leaves_[leaf_of(id)].leaf;
    const auto at =
        std::lower_bound(leaf.begin(), leaf.end(), id, [](const Shared<T>& e, Id i) { return e->id < i; });
    return at != leaf.end() && (*at)->id == id ? &*at : nullptr;
  }
  void store(Branch& branch, Leaf&& leaf) {
    if (leaf.size() <= leaf_limit) {
      branch = {leaf.front()->id, std::make_shared<const Leaf>(std::move(leaf))};
      return;
    }
    // Ids mostly come in rising order: a full left leaf and a short right one waste the least.
    const bool at_end = &branch == &leaves_.back();
    const auto middle = leaf.begin() + (at_end ? leaf_limit - 8 : leaf_limit / 2);
    Leaf right(std::make_move_iterator(middle), std::make_move_iterator(leaf.end()));
    leaf.erase(middle, leaf.end());
    const Branch next{right.front()->id, std::make_shared<const Leaf>(std::move(right))};
    branch = {leaf.front()->id, std::make_shared<const Leaf>(std::move(leaf))};
    leaves_.insert(leaves_.begin() + (&branch - leaves_.data()) + 1, next);
  }

  std::vector<Branch> leaves_;
  size_t size_ = 0;
};

} // namespace cutaway::trace
