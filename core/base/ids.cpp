#include "base/ids.h"

#include <charconv>

namespace cutaway {
namespace {
constexpr const char* kind_names[] = {"op", "value", "buffer", "kernel", "launch", "stream"};
}

std::string entity_key(Entity e) { return std::string(kind_names[static_cast<int>(e.kind)]) + ":" + std::to_string(e.id); }

bool parse_entity_key(const std::string& text, Entity& out) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  for (int k = 0; k < 6; ++k) {
    if (text.compare(0, colon, kind_names[k]) != 0) continue;
    const char* first = text.data() + colon + 1;
    const char* last = text.data() + text.size();
    uint32_t id = 0;
    const auto [end, error] = std::from_chars(first, last, id);
    if (error != std::errc() || end != last) return false;
    out = {static_cast<Entity::Kind>(k), id};
    return true;
  }
  return false;
}

} // namespace cutaway
