#pragma once
#include "trace/document.h"

// The word for an element or a panel in a document file.
namespace cutaway::trace::file {

template <class T> inline constexpr const char* kind_of = nullptr;
template <> inline constexpr const char* kind_of<GraphNode> = "node";
template <> inline constexpr const char* kind_of<GraphValue> = "value";
template <> inline constexpr const char* kind_of<GraphGroup> = "group";
template <> inline constexpr const char* kind_of<GraphNote> = "note";
template <> inline constexpr const char* kind_of<ArenaPanel> = "arena";
template <> inline constexpr const char* kind_of<TextPanel> = "text";
template <> inline constexpr const char* kind_of<TimelinePanel> = "timeline";
template <> inline constexpr const char* kind_of<TablePanel> = "table";
template <> inline constexpr const char* kind_of<SeriesPanel> = "series";

} // namespace cutaway::trace::file
