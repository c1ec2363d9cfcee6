#include "trace/file/document_file.h"
#include "trace/file/fields.h"
#include "trace/file/kinds.h"

#include <filesystem>
#include <fstream>

namespace cutaway::trace {
namespace {

using file::Json;

Json encode_edit(const Edit& edit) {
  return std::visit(
      [](const auto& change) {
        using T = std::remove_const_t<typename decltype(change.after)::element_type>;
        if (change.after) return Json{{file::kind_of<T>, file::encode(*change.after)}};
        return Json{{"erased", file::kind_of<T>}, {"id", change.before->id.v}};
      },
      edit);
}

template <class T> Json encode_table(const ElementTable<T>& table) {
  Json list = Json::array();
  for (const T& element : table) list.push_back(file::encode(element));
  return list;
}
Json encode_graph(const GraphDoc& g) {
  return {{"nodes", encode_table(g.nodes)}, {"values", encode_table(g.values)}, {"groups", encode_table(g.groups)}, {"notes", encode_table(g.notes)}};
}

Json encode_step(const Trace& trace, const Step& step) {
  Json out = file::encode(step);
  out["id"] = step.id;
  out["parent"] = step.pass;
  out["phase"] = file::encode(step.phase);
  out["pass"] = trace.passes()[step.pass].name.str();
  out["changed"] = step.changed();
  out["metrics"] = {{"before", file::encode(trace.before(step.id))}, {"after", file::encode(step.after)}};
  Json edits = Json::array();
  if (step.id > 0) // the first step's graph is the keyframe
    for (const Edit& e : step.edits) edits.push_back(encode_edit(e));
  out["edits"] = std::move(edits);
  out["panels"] = step.panels;
  return out;
}

// A chunk's keyframe is the graph after its first step.
Json encode_chunk(const Trace& trace, size_t trace_index, uint32_t first) {
  Json steps = Json::array();
  for (uint32_t i = first; i < trace.steps().size() && i < first + chunk_steps; ++i) steps.push_back(encode_step(trace, trace.steps()[i]));
  return {{"trace", trace_index}, {"first", first}, {"keyframe", encode_graph(trace.at(first))}, {"steps", std::move(steps)}};
}

// Writes the outer object by hand so that its members can be of any length.
class Writer {
 public:
  Writer(std::ostream& out, Encoding encoding) : out_(out), cbor_(encoding == Encoding::cbor) {}

  void open() { cbor_ ? put("\xbf") : put("{"); }
  void close() { cbor_ ? put("\xff") : put("}\n"); }
  void member(const char* key, const Json& value) {
    this->key(key);
    write(value);
  }
  void open_list(const char* key) {
    this->key(key);
    cbor_ ? put("\x9f") : put("[");
    first_item_ = true;
  }
  void close_list() { cbor_ ? put("\xff") : put("]"); }
  // Gives where the item lies: [offset, size].
  Json item(const Json& value) {
    if (!cbor_) put(first_item_ ? "\n" : ",\n");
    first_item_ = false;
    const auto offset = at();
    write(value);
    return {offset, at() - offset};
  }
  uint64_t at() { return static_cast<uint64_t>(out_.tellp()); }
  void key(const char* key) {
    if (!cbor_ && !first_member_) put(",\n");
    first_member_ = false;
    write(key);
    if (!cbor_) put(":");
  }
  void write(const Json& value) {
    if (cbor_) {
      const auto bytes = Json::to_cbor(value);
      out_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    } else {
      put(value.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
  }

 private:
  void put(const std::string& s) { out_.write(s.data(), static_cast<std::streamsize>(s.size())); }
  std::ostream& out_;
  bool cbor_, first_member_ = true, first_item_ = true;
};

Json encode_header(const Document& d) {
  return {{"model", d.model.str()},     {"hash", d.hash.str()},       {"device", d.device.str()},
          {"version", d.version.str()}, {"settings", file::encode(d.settings)}, {"breaks", file::encode(d.breaks)}};
}

void write_to(std::ostream& out, const Document& document, Encoding encoding) {
  Writer w(out, encoding);
  Json index{{"schema", schema}, {"document", encode_header(document)}, {"traces", Json::array()}, {"chunks", Json::array()}, {"panels", Json::array()}};
  w.open();
  w.member("cutaway", "document");
  w.member("schema", schema);
  w.open_list("chunks");
  for (size_t t = 0; t < document.traces.size(); ++t) {
    const Trace& trace = *document.traces[t];
    index["traces"].push_back({{"name", trace.name.str()}, {"steps", trace.steps().size()}, {"steps_left_out", trace.steps_left_out}, {"passes", file::encode(trace.passes())}});
    for (uint32_t first = 0; first < trace.steps().size(); first += chunk_steps) index["chunks"].push_back(w.item(encode_chunk(trace, t, first)));
  }
  w.close_list();
  w.open_list("panels");
  for (size_t t = 0; t < document.traces.size(); ++t)
    for (const Panel& panel : document.traces[t]->panels()) {
      Json j = std::visit([](const auto& p) { return Json{{"kind", file::kind_of<std::decay_t<decltype(p)>>}, {"panel", file::encode(p)}}; }, panel);
      j["trace"] = t;
      index["panels"].push_back(w.item(j));
    }
  w.close_list();
  w.key("index");
  const uint64_t index_at = w.at();
  w.write(index);
  std::string where = std::to_string(index_at);
  where.insert(0, 20 - where.size(), '0');
  w.member("index_at", where);
  w.close();
}

} // namespace

Encoding encoding_for(const std::string& path) { return std::filesystem::path(path).extension() == ".cbor" ? Encoding::cbor : Encoding::json; }

Status write_document(const std::string& path, const Document& document) {
  const std::string beside = path + ".part";
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    if (out) write_to(out, document, encoding_for(path));
    out.flush();
    if (!out) {
      std::error_code ignored;
      std::filesystem::remove(beside, ignored);
      return bad_input(path, "cannot be written", "check the folder, its rights and the space on the disk");
    }
  }
  std::error_code failed;
  std::filesystem::rename(beside, path, failed);
  if (failed) return bad_input(path, "cannot be put in place: " + failed.message(), "check the folder and its rights");
  return {};
}

} // namespace cutaway::trace
