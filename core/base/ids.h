#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace cutaway {

// A strong index: a NodeId cannot be passed as a ValueId. Ids are given once and never reused.
template <class Tag> struct Id {
  static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();
  uint32_t v = none;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t index) : v(index) {}
  constexpr bool valid() const { return v != none; }
  constexpr explicit operator bool() const { return valid(); }
  friend constexpr bool operator==(Id a, Id b) { return a.v == b.v; }
  friend constexpr auto operator<=>(Id a, Id b) { return a.v <=> b.v; }
};

using NodeId = Id<struct NodeTag>;
using ValueId = Id<struct ValueTag>;
using OriginId = Id<struct OriginTag>; // a node of the model as the user wrote it
using GroupId = Id<struct GroupTag>;   // a fused group, later one kernel
using BufferId = Id<struct BufferTag>; // a range of the arena
using LaunchId = Id<struct LaunchTag>;
using SymbolId = Id<struct SymbolTag>;

// What a step, a panel element or a selection speaks of; the same key lights the same thing in every view.
struct Entity {
  enum class Kind : uint8_t { op, value, buffer, kernel, launch, stream };
  Kind kind = Kind::op;
  uint32_t id = 0;

  friend bool operator==(const Entity&, const Entity&) = default;
  friend auto operator<=>(const Entity&, const Entity&) = default;
};
inline Entity entity(NodeId n) { return {Entity::Kind::op, n.v}; }
inline Entity entity(ValueId v) { return {Entity::Kind::value, v.v}; }
inline Entity entity(BufferId b) { return {Entity::Kind::buffer, b.v}; }
inline Entity entity(GroupId k) { return {Entity::Kind::kernel, k.v}; }
inline Entity entity(LaunchId l) { return {Entity::Kind::launch, l.v}; }

// "op:12", "value:7", "kernel:3".
std::string entity_key(Entity e);
// The inverse; false where the text is no key.
bool parse_entity_key(const std::string& text, Entity& out);

} // namespace cutaway

template <class Tag> struct std::hash<cutaway::Id<Tag>> {
  size_t operator()(cutaway::Id<Tag> id) const noexcept { return std::hash<uint32_t>{}(id.v); }
};
