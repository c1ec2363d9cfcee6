#pragma once
// What a document file holds of each struct, under which key. Renaming a key or changing a meaning raises `schema`
// (trace/file/document_file.h) and needs a migration.
#include "trace/file/codec.h"

namespace cutaway::trace {

using file::field;

constexpr auto fields(const Attribute*) { return std::tuple{field("name", &Attribute::name), field("value", &Attribute::value)}; }

constexpr auto fields(const GraphNode*) {
  using T = GraphNode;
  return std::tuple{field("id", &T::id), field("name", &T::name), field("op", &T::op), field("class", &T::op_class), field("eager", &T::eager),
                    field("category", &T::category), field("group", &T::group), field("clone_of", &T::clone_of), field("owner", &T::owner),
                    field("scope", &T::scope), field("order", &T::order), field("inputs", &T::inputs), field("outputs", &T::outputs),
                    field("attributes", &T::attributes), field("origins", &T::origins), field("facts", &T::facts), field("flops", &T::flops),
                    field("bytes", &T::bytes)};
}
constexpr auto fields(const GraphValue*) {
  using T = GraphValue;
  return std::tuple{field("id", &T::id), field("name", &T::name), field("dtype", &T::dtype), field("shape", &T::shape), field("bytes", &T::bytes),
                    field("role", &T::role), field("layout", &T::layout), field("strides", &T::strides), field("buffer", &T::buffer),
                    field("facts", &T::facts)};
}
constexpr auto fields(const GraphGroup*) {
  using T = GraphGroup;
  return std::tuple{field("id", &T::id), field("name", &T::name), field("caption", &T::caption), field("kind", &T::kind),
                    field("saved_bytes", &T::saved_bytes), field("category", &T::category)};
}
constexpr auto fields(const GraphNote*) {
  using T = GraphNote;
  return std::tuple{field("id", &T::id), field("kind", &T::kind), field("title", &T::title), field("reason", &T::reason), field("entities", &T::entities)};
}

constexpr auto fields(const ArenaGap*) {
  using T = ArenaGap;
  return std::tuple{field("offset", &T::offset), field("size", &T::size), field("needed", &T::needed), field("taken", &T::taken)};
}
constexpr auto fields(const ArenaView*) {
  using T = ArenaView;
  return std::tuple{field("name", &T::name), field("value", &T::value), field("start", &T::start), field("end", &T::end)};
}
constexpr auto fields(const ArenaIncumbent*) {
  using T = ArenaIncumbent;
  return std::tuple{field("by", &T::by), field("peak", &T::peak), field("bound", &T::bound), field("effort", &T::effort), field("step", &T::step)};
}
constexpr auto fields(const ArenaBuffer*) {
  using T = ArenaBuffer;
  return std::tuple{field("id", &T::id), field("name", &T::name), field("chain", &T::chain), field("values", &T::values), field("dtype", &T::dtype),
                    field("shape", &T::shape), field("start", &T::start), field("end", &T::end), field("bytes", &T::bytes), field("offset", &T::offset),
                    field("producer", &T::producer), field("last_reader", &T::last_reader), field("category", &T::category), field("placed_at", &T::placed_at),
                    field("chain_at", &T::chain_at), field("views", &T::views), field("gaps", &T::gaps), field("gaps_tried", &T::gaps_tried), field("placed_by", &T::placed_by)};
}
constexpr auto fields(const ArenaStrategy*) {
  using T = ArenaStrategy;
  return std::tuple{field("name", &T::name), field("peak", &T::peak), field("optimal", &T::optimal), field("seconds", &T::seconds), field("cut_short", &T::cut_short)};
}
constexpr auto fields(const ArenaPanel*) {
  using T = ArenaPanel;
  return std::tuple{field("name", &T::name), field("peak", &T::peak), field("bound", &T::bound), field("alignment", &T::alignment), field("optimal", &T::optimal),
                    field("strategy", &T::strategy), field("launches", &T::launches), field("buffers", &T::buffers), field("strategies", &T::strategies),
                    field("incumbents", &T::incumbents), field("moves", &T::moves)};
}
constexpr auto fields(const TextPanel::Link*) { return std::tuple{field("line", &TextPanel::Link::line), field("entity", &TextPanel::Link::entity)}; }
constexpr auto fields(const TextPanel*) {
  using T = TextPanel;
  return std::tuple{field("name", &T::name), field("language", &T::language), field("entity", &T::entity), field("text", &T::text), field("links", &T::links)};
}
constexpr auto fields(const TimelineRun::Lane*) { return std::tuple{field("name", &TimelineRun::Lane::name), field("kind", &TimelineRun::Lane::kind)}; }
constexpr auto fields(const TimelineRun::Span*) {
  using T = TimelineRun::Span;
  return std::tuple{field("lane", &T::lane), field("start_us", &T::start_us), field("duration_us", &T::duration_us), field("name", &T::name),
                    field("entity", &T::entity), field("category", &T::category)};
}
constexpr auto fields(const TimelineRun::Flow*) { return std::tuple{field("from", &TimelineRun::Flow::from), field("to", &TimelineRun::Flow::to)}; }
constexpr auto fields(const TimelineRun*) {
  using T = TimelineRun;
  return std::tuple{field("form", &T::form), field("modelled", &T::modelled), field("duration_us", &T::duration_us), field("lanes", &T::lanes),
                    field("spans", &T::spans), field("flows", &T::flows)};
}
constexpr auto fields(const TimelinePanel*) { return std::tuple{field("name", &TimelinePanel::name), field("runs", &TimelinePanel::runs)}; }
constexpr auto fields(const TablePanel::Column*) {
  using T = TablePanel::Column;
  return std::tuple{field("title", &T::title), field("unit", &T::unit), field("numeric", &T::numeric)};
}
constexpr auto fields(const TablePanel::Row*) { return std::tuple{field("cells", &TablePanel::Row::cells), field("entities", &TablePanel::Row::entities)}; }
constexpr auto fields(const TablePanel*) {
  using T = TablePanel;
  return std::tuple{field("name", &T::name), field("columns", &T::columns), field("rows", &T::rows)};
}
constexpr auto fields(const SeriesPanel::Curve*) { return std::tuple{field("name", &SeriesPanel::Curve::name), field("y", &SeriesPanel::Curve::y)}; }
constexpr auto fields(const SeriesPanel*) {
  using T = SeriesPanel;
  return std::tuple{field("name", &T::name), field("unit", &T::unit), field("limit", &T::limit), field("places", &T::places),
                    field("entities", &T::entities), field("curves", &T::curves)};
}

constexpr auto fields(const Metrics*) {
  using T = Metrics;
  return std::tuple{field("nodes", &T::nodes), field("launches", &T::launches), field("traffic_bytes", &T::traffic_bytes), field("peak_bytes", &T::peak_bytes),
                    field("time_us", &T::time_us)};
}
// Without `edits` and `after`, which hang on the step before (document_file.cpp).
constexpr auto fields(const Step*) {
  using T = Step;
  return std::tuple{field("id", &T::id), field("parent", &T::pass), field("phase", &T::phase), field("code", &T::code), field("title", &T::title),
                    field("explanation", &T::explanation), field("refused", &T::refused), field("entities", &T::entities), field("panels", &T::panels)};
}
constexpr auto fields(const Pass*) {
  using T = Pass;
  return std::tuple{field("name", &T::name), field("summary", &T::summary), field("phase", &T::phase), field("first", &T::first), field("last", &T::last),
                    field("ms", &T::ms)};
}
constexpr auto fields(const Break*) { return std::tuple{field("node", &Break::node), field("cause", &Break::cause), field("reason", &Break::reason)}; }

inline constexpr const char* role_words[] = {"intermediate", "input", "output", "parameter", "constant"};
inline constexpr const char* group_kind_words[] = {"fused", "library", "eager", "region"};
inline constexpr const char* refusal_words[] = {"illegal", "unprofitable", "over-limit"};
inline constexpr const char* lane_words[] = {"host", "work", "copy"};
inline constexpr const char* form_words[] = {"plain", "one-by-one", "replayed", "planned"};
inline constexpr const char* phase_words[] = {"import", "rewrite", "plan", "codegen", "run"};
constexpr auto& words(const OpClass*) { return op_class_words; }
constexpr auto& words(const ValueRole*) { return role_words; }
constexpr auto& words(const GroupKind*) { return group_kind_words; }
constexpr auto& words(const RefusalKind*) { return refusal_words; }
constexpr auto& words(const LaneKind*) { return lane_words; }
constexpr auto& words(const RunForm*) { return form_words; }
constexpr auto& words(const Phase*) { return phase_words; }

} // namespace cutaway::trace
