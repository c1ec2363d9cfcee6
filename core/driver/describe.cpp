#include "driver/describe.h"

#include <fmt/format.h>

namespace cutaway::driver {
namespace {

// The model node behind an entity, else the entity's key.
std::string name_of(Entity e, const Graph& g) {
  OriginId origin;
  if (e.kind == Entity::Kind::op && g.alive(NodeId(e.id))) origin = g.node(NodeId(e.id)).origin;
  if (e.kind == Entity::Kind::value && g.alive(ValueId(e.id))) {
    if (const std::string& name = g.value(ValueId(e.id)).name; !name.empty()) return name;
    origin = g.producer(ValueId(e.id)).origin;
  }
  const auto nodes = g.model_nodes(origin);
  return nodes.empty() ? entity_key(e) : g.origin(nodes[0]).name;
}

int64_t number(const Event& e, size_t i) {
  return i < e.args.size() && std::holds_alternative<int64_t>(e.args[i]) ? std::get<int64_t>(e.args[i]) : 0;
}
std::string word(const Event& e, size_t i) {
  return i < e.args.size() && std::holds_alternative<std::string>(e.args[i]) ? std::get<std::string>(e.args[i]) : "";
}

struct Phrase {
  const char* code;
  std::string (*title)(const Event&, const std::string& a, const std::string& b);
  std::string (*text)(const Event&, const std::string& a, const std::string& b);
};

using S = const std::string&;
// a and b: the names of the first two entities.
const Phrase phrases[] = {
    {"fold", [](const Event&, S a, S) { return a + " becomes a constant"; },
     [](const Event& e, S, S) { return "All its inputs are constants; the result takes " + bytes_text(number(e, 1)) + "."; }},
    {"not-folded.budget", [](const Event&, S a, S) { return a + " is not folded"; },
     [](const Event& e, S, S) { return "Not folded: the constant would take " + bytes_text(number(e, 0)) + ", " + bytes_text(number(e, 1)) + " of the budget are left."; }},
    {"not-folded.error", [](const Event&, S a, S) { return a + " is not folded"; }, [](const Event& e, S, S) { return "Not folded: " + word(e, 0) + "."; }},
    {"not-rewritten", [](const Event& e, S a, S) { return word(e, 0) + " is not applied to " + a; },
     [](const Event& e, S, S) { return "Not rewritten: " + word(e, 0) + " is exact only where " + word(e, 1) + "; nothing proves it."; }},
    {"merge", [](const Event&, S a, S b) { return a + " equals " + b; },
     [](const Event&, S, S) { return std::string("Both have the same op, attributes and inputs; one is kept."); }},
    {"drop", [](const Event&, S a, S) { return a + " is dropped"; }, [](const Event&, S, S) { return std::string("No output of the graph needs it."); }},
    {"layout", [](const Event&, S a, S) { return a + " gets a layout of its own"; },
     [](const Event&, S, S) { return std::string("Its dims lie in the order in which its kernel makes them; readers follow the strides."); }},
    {"group", [](const Event&, S a, S) { return a + " starts a kernel"; }, [](const Event&, S, S) { return std::string("It joins no kernel of its producers."); }},
    {"fuse", [](const Event&, S a, S b) { return a + " joins " + b; },
     [](const Event& e, S, S) { return "The value between them is neither written nor read back: " + bytes_text(number(e, 1)) + " of traffic saved."; }},
    {"not-fused.cycle", [](const Event&, S a, S b) { return a + " does not join " + b; },
     [](const Event&, S a, S b) { return "Not fused: a path leads from " + b + " to " + a + " through another kernel."; }},
    {"not-fused.shape", [](const Event&, S a, S b) { return a + " does not join " + b; },
     [](const Event&, S a, S b) { return "Not fused: " + a + " iterates over another space than " + b + "."; }},
    {"not-fused.axes", [](const Event&, S a, S b) { return a + " does not join " + b; },
     [](const Event&, S a, S b) { return "Not fused: " + a + " reduces over other axes than " + b + "."; }},
    {"not-fused.reduction-after-contraction", [](const Event&, S a, S b) { return a + " does not join " + b; },
     [](const Event&, S a, S b) { return "Not fused: " + a + " reduces what " + b + " makes tile by tile."; }},
    {"not-fused.limit", [](const Event&, S a, S b) { return a + " does not join " + b; },
     [](const Event& e, S, S) { return "Not fused: the kernel has " + std::to_string(number(e, 0)) + " members, the limit."; }},
    {"placed", [](const Event&, S a, S) { return a + " is placed in the arena"; },
     [](const Event& e, S, S) { return fmt::format("{} at offset {}, alive in [{}, {}).", bytes_text(number(e, 0)), number(e, 1), number(e, 2), number(e, 3)); }},
    {"in-place", [](const Event&, S a, S b) { return a + " overwrites " + b; },
     [](const Event& e, S, S) { return "Nobody reads the operand afterwards, and each element is read where it is written: " + bytes_text(number(e, 0)) + " of arena saved."; }},
    {"packed", [](const Event&, S, S) { return std::string("The arena is planned"); },
     [](const Event& e, S, S) { return "Packed by " + word(e, 0) + ": peak " + bytes_text(number(e, 1)) + ", bound " + bytes_text(number(e, 2)) + "."; }},
};

} // namespace

std::string shortened(const std::string& s, size_t most) {
  if (s.size() <= most) return s;
  const size_t head = (most - 3) / 2, tail = most - 3 - head;
  return s.substr(0, head) + "..." + s.substr(s.size() - tail);
}

std::string bytes_text(int64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  const double kib = static_cast<double>(bytes) / 1024;
  if (kib < 1024) return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{:.2f} KiB", kib);
  const double mib = kib / 1024;
  if (mib < 1024) return mib >= 100 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.2f} MiB", mib);
  return fmt::format("{:.2f} GiB", mib / 1024);
}

Described describe(const Event& event, const Graph& graph) {
  return describe(event, [&](Entity e) { return name_of(e, graph); });
}

Described describe(const Event& event, const Namer& name) {
  const std::string a = event.entities.empty() ? "" : name(event.entities[0]);
  const std::string b = event.entities.size() < 2 ? "" : name(event.entities[1]);
  for (const Phrase& p : phrases) {
    if (event.code != p.code) continue;
    const auto title = [&](size_t most) { return p.title(event, shortened(a, most), shortened(b, most)); };
    std::string head = title(40);
    for (size_t most = 36; head.size() > 48 && most >= 8; most -= 4) head = title(most);
    return {head, p.text(event, shortened(a, 60), shortened(b, 60))};
  }
  const std::string rule = event.code.rfind("rewrite.", 0) == 0 ? event.code.substr(8) : event.code;
  return {rule + " at " + shortened(a, 30), "The rule " + rule + " applies, bit for bit."};
}

} // namespace cutaway::driver
