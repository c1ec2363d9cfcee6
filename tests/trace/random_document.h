#pragma once
#include "trace/document.h"

#include <random>

namespace cutaway::trace {

// A document of random steps, with every kind of element, edit and panel in it.
inline Document random_document(uint32_t seed, uint32_t steps) {
  std::mt19937 random(seed);
  GraphEditor editor;
  const auto name = [&] { return "n\"\\<&>\xc3\xa9" + std::to_string(random() % 40); };
  const auto node = [&](uint32_t id) {
    GraphNode n;
    n.id = NodeId(id), n.name = name(), n.op = "add", n.op_class = static_cast<OpClass>(random() % 9), n.scope = "a/b";
    n.category = random() % 12, n.order = random() * 0.25, n.bytes = static_cast<int64_t>(random()) << 20;
    n.inputs = {ValueId(random() % 50), ValueId()}, n.outputs = {ValueId(id)};
    n.attributes = {{"axis", "-1"}}, n.origins = {"Add x"};
    if (random() % 2) n.group = GroupId(random() % 5);
    return n;
  };
  const auto value = [&](uint32_t id) {
    GraphValue v;
    v.id = ValueId(id), v.name = name(), v.dtype = "f32", v.shape = "[1, 2]", v.role = static_cast<ValueRole>(random() % 5);
    if (random() % 3 == 0) v.buffer = BufferId(1), v.layout = "NHWC";
    return v;
  };
  for (uint32_t i = 0; i < 30; ++i) editor.set(node(i)), editor.set(value(i));
  editor.take();
  GraphDoc first = editor.graph();
  std::vector<Step> list;
  for (uint32_t i = 0; i < steps; ++i) {
    Step& s = list.emplace_back();
    s.id = i, s.pass = i >= steps / 2, s.phase = Phase::rewrite, s.code = "mark", s.title = name(), s.explanation = name(), s.refused = random() % 4 == 0;
    s.entities = {entity(NodeId(random() % 30)), entity(GroupId(2))};
    s.after = {static_cast<int64_t>(random() % 100), 3, 1 << 30, -1, 1.5};
    if (i == 0) continue;
    const uint32_t id = random() % 60;
    if (editor.graph().nodes.contains(NodeId(id))) editor.erase(NodeId(id));
    else editor.set(node(id));
    editor.set(value(random() % 60));
    if (random() % 5 == 0) editor.set(GraphGroup{GroupId(random() % 5), "K1", "", GroupKind::eager, 100, 3});
    if (random() % 7 == 0) editor.set(GraphNote{NoteId(i), RefusalKind::over_limit, "not", "because", {entity(NodeId(1))}});
    if (random() % 50 == 0) editor.erase_notes();
    s.edits = editor.take();
    if (i % 3 == 0) s.panels = {i % 5};
  }
  ArenaPanel arena{"arena 0", 100, 90, 64, false, "search", {"k0", "k1"}, {{BufferId(0), "a", {"b"}, {ValueId(1), ValueId(2)}, "f32", "[2]", 0, 2, 64, 0, "k0", "k1", 3, 7, {1}, {{"v", ValueId(3), 1, 2}}, {{0, 32, 64, false}, {64, -1, 64, true}}, 9, "size"}}, {{"greedy", 120, false, 0.5, true}}, {{"size", 110, 90, 12, 4}}, 77};
  TextPanel text{"K1", "C", entity(GroupId(1)), "for (;;) {\n}\n", {{1, entity(NodeId(3))}}};
  TimelinePanel timeline{"run", {{RunForm::replayed, true, 2.75, {{"host", LaneKind::host}, {"0", LaneKind::work}}, {{1, 0.5, 2.25, "K1", entity(GroupId(1)), 2}}, {{0, 0}}}, {}}};
  TablePanel table{"guards", {{"x", "KiB", true}}, {{{"1"}, {entity(ValueId(1))}}}};
  SeriesPanel series{"drift", "ulp", 4, {"a", "b"}, {entity(NodeId(1)), entity(NodeId(2))}, {{"eager", {1.5, std::nan("")}}}};
  auto trace = std::make_shared<Trace>(first, std::move(list), std::vector<Pass>{{"one", "first", Phase::import, 0, steps / 2, 1.5}, {"two", "second", Phase::plan, steps / 2, steps, -1}},
                                       std::vector<Panel>{arena, text, timeline, table, series});
  trace->name = "part", trace->steps_left_out = 5;
  Document d;
  d.model = "m.onnx", d.hash = "abc", d.device = "cpu", d.version = "0", d.settings = {{"math", "strict"}}, d.breaks = {{"n", "control-flow", "why"}};
  d.traces = {trace};
  return d;
}

inline bool same(const Step& a, const Step& b) {
  return a.id == b.id && a.pass == b.pass && a.phase == b.phase && a.code == b.code && a.title == b.title && a.explanation == b.explanation && a.refused == b.refused &&
         a.entities == b.entities && a.after == b.after && a.panels == b.panels && a.edits.size() == b.edits.size();
}

} // namespace cutaway::trace
