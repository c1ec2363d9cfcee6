#include "driver/describe.h"

#include "plan/tell_packing.h"

#include <algorithm>
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

constexpr size_t longest_text = 240;

const plan::Placement* placement_of(const Event& e) {
  const auto* how = dynamic_cast<const plan::PlacedHow*>(e.payload.get());
  return how ? &how->placement : nullptr;
}

std::string placed_title(const Event& e, const std::string& a) {
  const plan::Placement* p = placement_of(e);
  if (!p || p->tried.empty()) return a + " is placed in the arena";
  for (const plan::GapTried& gap : p->tried)
    if (plan::lies_in(p->accepted, gap) && gap.size >= 0) return a + " fits a gap";
  if (p->tried.size() > 1) return a + " fits no gap and goes on top";
  return a + (p->accepted == 0 ? " goes to the bottom" : " goes on top");
}

// The gaps refused below the place taken, as far as there is room for words.
std::string placed_text(const Event& e) {
  std::string out = fmt::format("{} at offset {}, alive in [{}, {})", bytes_text(number(e, 0)), bytes_text(number(e, 1)), number(e, 2), number(e, 3));
  const plan::Placement* p = placement_of(e);
  if (!p) return out + ".";
  if (p->by == "search") return out + ". The complete search found this place; shown from the bottom up.";
  out += p->by.empty() ? "." : ", in order of " + p->by + ".";
  if (p->gaps_dropped) return out + " Too many gaps were tried to keep them.";
  size_t left = 0;
  for (const plan::GapTried& gap : p->tried) {
    if (plan::lies_in(p->accepted, gap) || gap.size < 0) continue;
    const std::string why = gap.size < gap.needed ? fmt::format(" Not placed at {}: {} free, {} needed.", bytes_text(gap.offset), bytes_text(gap.size), bytes_text(gap.needed))
                                                  : fmt::format(" Not placed at {}: {} free, the gap taken is tighter.", bytes_text(gap.offset), bytes_text(gap.size));
    if (left || out.size() + why.size() > longest_text - 30) ++left;
    else out += why;
  }
  return left ? out + fmt::format(" {} more gaps refused.", left) : out;
}

std::string incumbent_text(const Event& e) {
  const std::string now = fmt::format("peak {}, bound {}.", bytes_text(number(e, 1)), bytes_text(number(e, 2)));
  const std::string by = word(e, 0) == "search" ? "The complete search finds a better plan: " : "Packed in order of " + word(e, 0) + ": ";
  return by + now + (number(e, 1) == number(e, 2) ? " No plan is lower." : "");
}

std::string packed_text(const Event& e) {
  const int64_t over = number(e, 1) - number(e, 2), moves = number(e, 3);
  std::string out = "Packed by " + word(e, 0) + ": peak " + bytes_text(number(e, 1)) + ", bound " + bytes_text(number(e, 2)) + ".";
  if (over == 0) out += " No plan is lower.";
  else out += fmt::format(" {} over the bound, {:.1f} %.", bytes_text(over), 100 * static_cast<double>(over) / static_cast<double>(std::max<int64_t>(1, number(e, 2))));
  return moves ? out + fmt::format(" The complete search made {} moves.", moves) : out;
}

double real(const Event& e, size_t i) {
  return i < e.args.size() && std::holds_alternative<double>(e.args[i]) ? std::get<double>(e.args[i]) : 0;
}

std::string one_stream_text(const Event& e) {
  if (number(e, 5) <= 1) return "The setting streams=1 asks for one.";
  const double serial = real(e, 1), best = real(e, 2), shortest = real(e, 3);
  if (shortest > .98 * serial) return fmt::format("Nothing is gained by more: no schedule of any number of streams is shorter than {:.1f} µs, one stream needs {:.1f} µs.", shortest, serial);
  return fmt::format("Nothing is gained by more: the best schedule with up to {} streams takes {:.1f} µs, one stream {:.1f} µs.", number(e, 5), best, serial);
}

// Of which part of the launches a total speaks: the host steps in between regions.
std::string of_region(const Event& e) { return number(e, 7) > 1 ? fmt::format("Region {} of {}: ", number(e, 6), number(e, 7)) : std::string(); }

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
    {"placed", [](const Event& e, S a, S) { return placed_title(e, a); }, [](const Event& e, S, S) { return placed_text(e); }},
    {"incumbent", [](const Event& e, S, S) { return "Best plan so far: " + bytes_text(number(e, 1)); }, [](const Event& e, S, S) { return incumbent_text(e); }},
    {"in-place", [](const Event&, S a, S b) { return a + " overwrites " + b; },
     [](const Event& e, S, S) { return "Nobody reads the operand afterwards, and each element is read where it is written: " + bytes_text(number(e, 0)) + " of arena saved."; }},
    {"stream", [](const Event& e, S a, S) { return fmt::format("{} runs in stream {}", a, number(e, 0)); },
     [](const Event& e, S, S) { return fmt::format("Beside other kernels it gets done more than after them: planned from {:.1f} to {:.1f} µs.", real(e, 1), real(e, 2)); }},
    {"stream-event", [](const Event&, S a, S b) { return a + " waits for " + b; },
     [](const Event& e, S, S) { return fmt::format("An event: stream {} goes on only when stream {} has come so far, since both touch the same bytes. No other event or order implies it.", number(e, 0), number(e, 1)); }},
    {"not-overlapped", [](const Event&, S a, S b) { return a + " waits its turn behind " + b; },
     [](const Event& e, S, S) {
       return real(e, 1) > 1 ? fmt::format("Not run at once though it could: together they need {:.0f} % of {}, so each would only go slower.", 100 * real(e, 1), word(e, 0)) : std::string("Not run at once though it could: another order or stream makes the whole no shorter.");
     }},
    {"streams", [](const Event& e, S, S) { return of_region(e) + fmt::format("{} streams, {} events", number(e, 0), number(e, 4)); },
     [](const Event& e, S, S) { return fmt::format("Planned {:.1f} µs instead of {:.1f} µs in one stream; no schedule is shorter than {:.1f} µs.", real(e, 2), real(e, 1), real(e, 3)); }},
    {"one-stream", [](const Event& e, S, S) { return of_region(e).empty() ? std::string("All launches stay in one stream") : of_region(e) + "all launches stay in one stream"; }, [](const Event& e, S, S) { return one_stream_text(e); }},
    {"captured", [](const Event& e, S, S) { return fmt::format("{} launches become one submission", number(e, 0)); },
     [](const Event& e, S, S) {
       return fmt::format("Addresses and sizes are fixed for these shapes: the second run records {} launches and {} copies in {} stream{}, later runs replay them whole. Inputs are copied to where the record reads them; other shapes have a record of their own.", number(e, 0), number(e, 1), number(e, 2), number(e, 2) == 1 ? "" : "s");
     }},
    {"not-captured", [](const Event&, S a, S) { return a + " ends a region"; },
     [](const Event& e, S, S) { return "Not captured: the host evaluates it (" + word(e, 0) + "), so that what comes before must be done; what follows is a region of its own."; }},
    {"capture-off", [](const Event& e, S, S) { return fmt::format("{} launches stay {} calls", number(e, 0), number(e, 0)); }, [](const Event&, S, S) { return std::string("Not captured: the setting capture=off asks for single launches."); }},
    {"library", [](const Event& e, S a, S) { return word(e, 0) + " computes " + a; }, [](const Event&, S, S) { return std::string("It is nothing but a product or a convolution, and the setting libraries=on asks for the library wherever it can."); }},
    {"library.faster", [](const Event& e, S a, S) { return word(e, 0) + " computes " + a; },
     [](const Event& e, S, S) { return fmt::format("Measured on this device: {:.1f} µs instead of the {:.1f} µs of our kernel.", real(e, 1), real(e, 2)); }},
    {"not-library.slower", [](const Event&, S a, S) { return a + " stays our kernel"; },
     [](const Event& e, S, S) { return fmt::format("Not by {}: measured on this device it takes {:.1f} µs, our kernel {:.1f} µs.", word(e, 0), real(e, 1), real(e, 2)); }},
    {"not-library.modelled", [](const Event&, S a, S) { return a + " stays our kernel"; }, [](const Event&, S, S) { return std::string("Not by a library: the times of this device are modelled, so that nothing can be measured."); }},
    {"not-library", [](const Event&, S a, S) { return a + " stays our kernel"; }, [](const Event& e, S, S) { return "Not by a library: " + word(e, 0) + "."; }},
    {"packed", [](const Event&, S, S) { return std::string("The arena is planned"); },
     [](const Event& e, S, S) { return packed_text(e); }},
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
