#pragma once
#include "base/result.h"
#include "trace/document.h"

#include <string>

// The document file: one JSON (or CBOR) object whose list `chunks` is written and read a chunk at a time. A chunk holds the
// whole graph after its first step (its keyframe) and at most 256 steps; the index at the end says where each begins, and the last
// member where the index begins. A reader that knows nothing of this sees ordinary JSON.
//
//   {"cutaway":"document","schema":2,
//   "chunks":[
//   {"trace":0,"keyframe":{...},"steps":[...]},
//   ...],
//   "index":{"schema":2,"document":{...},"traces":[{"passes":[...],...}],"panels":[[offset,size],...],"chunks":[[offset,size],...]},
//   "index_at":"00000000000000012345"}
//
// Each edit of a step is the element as it is afterwards, or {"erased":id}.
namespace cutaway::trace {

// 2: a timeline holds runs, and a lane says its kind.
inline constexpr int schema = 2;
inline constexpr size_t chunk_steps = 256;

enum class Encoding { json, cbor };
// CBOR where the name ends in .cbor.
Encoding encoding_for(const std::string& path);

// Written beside and renamed: an earlier file of that name stays whole until the new one is.
Status write_document(const std::string& path, const Document& document);
// Whether the file begins as a document does (so that `open` can tell it from a model).
bool is_document(const std::string& path);
// Hostile files are expected: truncated, nested, of a later schema, with ids that do not exist. invalid-model says where.
Result<Document> read_document(const std::string& path);

} // namespace cutaway::trace
