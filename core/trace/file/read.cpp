#include "trace/file/document_file.h"
#include "trace/file/fields.h"
#include "trace/file/kinds.h"
#include "trace/file/migrate.h"
#include "trace/file/scan.h"

#include <algorithm>
#include <fstream>

namespace cutaway::trace {
namespace {

using file::Decoder;
using file::Json;

constexpr uint64_t record_limit = uint64_t{512} << 20;
constexpr const char* advice = "save the document again from the model";

// Lives within the launches, bytes that a device could have.
bool sound(const ArenaPanel& arena) {
  constexpr int64_t most = int64_t{1} << 50;
  const auto bytes = [](int64_t n) { return n >= 0 && n <= most; };
  const auto launches = static_cast<int64_t>(arena.launches.size());
  const auto lives = [&](int64_t start, int64_t end) { return start >= 0 && start <= end && end <= launches; };
  return bytes(arena.peak) && bytes(arena.bound) && bytes(arena.alignment) && std::all_of(arena.buffers.begin(), arena.buffers.end(), [&](const ArenaBuffer& b) {
           return lives(b.start, b.end) && bytes(b.bytes) && bytes(b.offset) &&
                  std::all_of(b.chain_at.begin(), b.chain_at.end(), [&](int64_t at) { return lives(at, at); }) &&
                  std::all_of(b.views.begin(), b.views.end(), [&](const ArenaView& v) { return lives(v.start, v.end); }) &&
                  std::all_of(b.gaps.begin(), b.gaps.end(), [&](const ArenaGap& g) { return bytes(g.offset) && g.size <= most && bytes(g.needed); });
         });
}

// Reads single records of the file by their place.
class Records {
 public:
  Records(const std::string& path) : path_(path), in_(path, std::ios::binary) {
    if (!in_) return;
    char first = 0;
    in_.get(first);
    cbor_ = static_cast<uint8_t>(first) == 0xbf;
    in_.clear();
    in_.seekg(0, std::ios::end);
    size_ = static_cast<uint64_t>(in_.tellg());
  }
  bool open() const { return static_cast<bool>(in_); }
  uint64_t size() const { return size_; }

  // The member "index_at": its 20 digits end in front of the closing marks.
  Result<uint64_t> index_at() {
    const uint64_t tail = cbor_ ? 21 : 23; // digits and what follows them
    std::string digits(20, ' ');
    if (size_ < tail) return broken("end", "the file is too short");
    in_.seekg(static_cast<std::streamoff>(size_ - tail));
    in_.read(digits.data(), 20);
    if (digits.find_first_not_of("0123456789") != std::string::npos) return broken("end", "there is no index: the file was cut or is another's");
    return std::stoull(digits);
  }

  Result<Json> at(const std::string& what, uint64_t offset, uint64_t size) {
    if (offset > size_ || size > size_ - offset) return broken(what, "it lies beyond the end of the file");
    if (size > record_limit) return over_limit(path_, what + " takes " + std::to_string(size) + " bytes", "no record may pass 512 MiB");
    std::vector<char> bytes(size);
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    if (!in_.read(bytes.data(), static_cast<std::streamsize>(size))) return broken(what, "it cannot be read");
    const auto view = std::as_bytes(std::span(bytes));
    if (auto wrong = cbor_ ? file::scan_cbor(view) : file::scan_json(view)) return broken(what, *wrong);
    Json j = cbor_ ? Json::from_cbor(bytes, true, false) : Json::parse(bytes, nullptr, false);
    if (j.is_discarded()) return broken(what, cbor_ ? "it is not CBOR" : "it is not JSON");
    return j;
  }
  // The index ends where "index_at" begins: in front of that member's key and the marks around it.
  uint64_t index_end() const { return size_ - (cbor_ ? 21 + 1 + 9 : 23 + 1 + 13); }

  Diagnostic broken(const std::string& where, const std::string& what) const { return invalid_model(path_, where + ": " + what, advice); }

 private:
  std::string path_;
  std::ifstream in_;
  uint64_t size_ = 0;
  bool cbor_ = false;
};

struct Place {
  uint64_t offset = 0, size = 0;
};

// What one trace is put together from.
struct Parts {
  Text name;
  uint64_t left_out = 0, steps_told = 0;
  GraphDoc first, graph;
  std::vector<Step> steps;
  std::vector<Pass> passes;
  std::vector<Panel> panels;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : records_(path), path_(path) {}

  Result<Document> run() {
    if (!records_.open()) return bad_input(path_, "cannot be opened", "check the name and the rights");
    if (!is_document(path_)) return records_.broken("beginning", "this is not a Cutaway document");
    if (Status s = read_index(); !s) return s.error();
    for (size_t i = 0; i < chunks_.size(); ++i)
      if (Status s = read_chunk(i); !s) return s.error();
    for (size_t i = 0; i < panels_.size(); ++i)
      if (Status s = read_panel(i); !s) return s.error();
    return finish();
  }

 private:
  Status read_index() {
    auto where = records_.index_at();
    if (!where) return where.error();
    if (*where > records_.index_end() || records_.index_end() > records_.size()) return records_.broken("index", "it lies beyond the end of the file");
    auto read = records_.at("index", *where, records_.index_end() - *where);
    if (!read) return read.error();
    Json& j = *read;
    if (Status s = file::migrate(path_, file::Record::index, j, schema_of(j)); !s) return s;
    return decode("index", [&] {
      const Json header = j.value("document", Json::object());
      for (auto [key, text] : {std::pair{"model", &document_.model}, {"hash", &document_.hash}, {"device", &document_.device}, {"version", &document_.version}})
        if (header.contains(key)) decoder_.at(key, header[key], *text);
      if (header.contains("settings")) decoder_.at("settings", header["settings"], document_.settings);
      if (header.contains("breaks")) decoder_.at("breaks", header["breaks"], document_.breaks);
      read_places(j, "chunks", chunks_);
      read_places(j, "panels", panels_);
      const Json traces = j.value("traces", Json::array());
      for (const Json& t : traces) {
        Parts& p = parts_.emplace_back();
        if (!t.is_object() || !t.contains("passes")) return decoder_.fail("a trace without passes");
        if (t.contains("name")) decoder_.at("name", t["name"], p.name);
        if (t.contains("steps")) decoder_.at("steps", t["steps"], p.steps_told);
        if (t.contains("steps_left_out")) decoder_.at("steps_left_out", t["steps_left_out"], p.left_out);
        decoder_.at("passes", t["passes"], p.passes);
      }
    });
  }

  void read_places(const Json& j, const char* key, std::vector<Place>& places) {
    std::vector<std::vector<uint64_t>> pairs;
    if (!j.contains(key)) return decoder_.fail(std::string("no list of ") + key);
    decoder_.at(key, j[key], pairs);
    for (const auto& p : pairs) {
      if (p.size() != 2) return decoder_.fail(std::string(key) + ": a place is [offset, size]");
      places.push_back({p[0], p[1]});
    }
  }

  // Reads a record that belongs to a trace, brings it to the present schema and hands it to `use`.
  template <class F> Status read_record(const std::string& what, const Place& place, file::Record kind, F&& use) {
    auto read = records_.at(what, place.offset, place.size);
    if (!read) return read.error();
    if (Status s = file::migrate(path_, kind, *read, schema_); !s) return s;
    return decode(what, [&] {
      if (Parts* p = part(*read)) use(*read, *p);
    });
  }

  Status read_chunk(size_t index) {
    return read_record("chunk " + std::to_string(index), chunks_[index], file::Record::chunk, [&](const Json& j, Parts& p) {
      if (!j.contains("steps") || !j["steps"].is_array() || j["steps"].size() > chunk_steps) return decoder_.fail("steps: not a list of at most 256");
      if (p.steps.empty() && j.contains("keyframe")) {
        read_graph(j["keyframe"], p.graph);
        p.first = p.graph;
      }
      for (const Json& s : j["steps"]) read_step(s, p);
    });
  }

  Parts* part(const Json& j) {
    uint64_t t = 0;
    if (!j.is_object() || !j.contains("trace")) return decoder_.fail("no trace is named"), nullptr;
    decoder_.at("trace", j["trace"], t);
    if (t >= parts_.size()) return decoder_.fail("trace: there is no such trace"), nullptr;
    return &parts_[t];
  }

  void read_graph(const Json& j, GraphDoc& g) {
    read_table(j, "nodes", g.nodes), read_table(j, "values", g.values);
    read_table(j, "groups", g.groups), read_table(j, "notes", g.notes);
  }
  template <class T> void read_table(const Json& j, const char* key, ElementTable<T>& table) {
    if (!j.is_object() || !j.contains(key)) return;
    std::vector<T> elements;
    decoder_.at(key, j[key], elements);
    for (T& e : elements) {
      if (!e.id) return decoder_.fail(std::string(key) + ": an element without id");
      table.set(std::make_shared<const T>(std::move(e)));
    }
  }

  void read_step(const Json& j, Parts& p) {
    Step step;
    decoder_.at("step", j, step);
    if (!decoder_.ok()) return;
    if (step.id != p.steps.size()) return decoder_.fail("step " + std::to_string(step.id) + " stands where step " + std::to_string(p.steps.size()) + " should");
    if (step.pass >= p.passes.size()) return decoder_.fail("step " + std::to_string(step.id) + ": there is no such pass");
    if (j.contains("metrics") && j["metrics"].is_object() && j["metrics"].contains("after")) decoder_.at("metrics", j["metrics"]["after"], step.after);
    if (j.contains("edits") && step.id > 0)
      for (const Json& e : j["edits"]) read_edit(e, step, p.graph);
    p.steps.push_back(std::move(step));
  }

  void read_edit(const Json& j, Step& step, GraphDoc& graph) {
    if (!decoder_.ok()) return;
    if (!j.is_object() || j.empty()) return decoder_.fail("an edit is an object");
    const bool known = edit_of<GraphNode>(j, step, graph) || edit_of<GraphValue>(j, step, graph) || edit_of<GraphGroup>(j, step, graph) ||
                       edit_of<GraphNote>(j, step, graph);
    if (!known) decoder_.fail("step " + std::to_string(step.id) + ": an edit of an unknown kind");
  }
  template <class T> bool edit_of(const Json& j, Step& step, GraphDoc& graph) {
    const char* kind = file::kind_of<T>;
    Change<T> change;
    if (j.contains(kind)) {
      T element;
      decoder_.at(kind, j[kind], element);
      if (!element.id) return decoder_.fail(std::string(kind) + ": an element without id"), true;
      change = {graph.table<T>().get(element.id), std::make_shared<const T>(element)};
    } else if (j.contains("erased") && j["erased"] == kind) {
      decltype(T::id) id;
      if (j.contains("id")) decoder_.at("id", j["id"], id);
      change.before = graph.table<T>().get(id);
      if (!change.before) return decoder_.fail("step " + std::to_string(step.id) + " erases a " + kind + " that is not there"), true;
    } else {
      return false;
    }
    step.edits.push_back(change);
    graph.apply(step.edits.back());
    return true;
  }

  Status read_panel(size_t index) {
    return read_record("panel " + std::to_string(index), panels_[index], file::Record::panel, [&](const Json& j, Parts& p) {
      if (!j.contains("kind") || !j.contains("panel")) return decoder_.fail("no kind or no panel");
      const bool known = panel_of<ArenaPanel>(j, p) || panel_of<TextPanel>(j, p) || panel_of<TimelinePanel>(j, p) || panel_of<TablePanel>(j, p) ||
                         panel_of<SeriesPanel>(j, p);
      if (!known) decoder_.fail("a panel of an unknown kind");
    });
  }
  template <class P> bool panel_of(const Json& j, Parts& p) {
    if (j["kind"] != file::kind_of<P>) return false;
    P panel;
    decoder_.at(file::kind_of<P>, j["panel"], panel);
    if constexpr (std::is_same_v<P, ArenaPanel>)
      if (decoder_.ok() && !sound(panel)) decoder_.fail("a buffer lives or lies outside the arena");
    p.panels.push_back(std::move(panel));
    return true;
  }

  Result<Document> finish() {
    for (Parts& p : parts_) {
      if (p.steps.size() != p.steps_told) return records_.broken("index", "it tells of " + std::to_string(p.steps_told) + " steps, the chunks hold " + std::to_string(p.steps.size()));
      for (const Step& s : p.steps)
        for (const uint32_t panel : s.panels)
          if (panel >= p.panels.size()) return records_.broken("step " + std::to_string(s.id), "there is no panel " + std::to_string(panel));
      for (const Pass& pass : p.passes)
        if (pass.first > pass.last || pass.last > p.steps.size()) return records_.broken("pass " + pass.name.str(), "its steps do not exist");
      auto trace = std::make_shared<Trace>(std::move(p.first), std::move(p.steps), std::move(p.passes), std::move(p.panels));
      trace->name = p.name;
      trace->steps_left_out = p.left_out;
      document_.traces.push_back(std::move(trace));
    }
    return std::move(document_);
  }

  int schema_of(const Json& index) {
    schema_ = index.value("schema", 0);
    return schema_;
  }
  template <class F> Status decode(const std::string& what, F&& read) {
    read();
    if (!decoder_.ok()) return records_.broken(what, decoder_.error());
    return {};
  }

  Records records_;
  std::string path_;
  Decoder decoder_;
  int schema_ = 0;
  Document document_;
  std::vector<Place> chunks_, panels_;
  std::vector<Parts> parts_;
};

} // namespace

bool is_document(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char head[32] = {};
  in.read(head, sizeof head - 1);
  const std::string_view seen(head, static_cast<size_t>(in.gcount()));
  return seen.starts_with(R"({"cutaway":"document")") || seen.starts_with("\xbf" "gcutaway" "hdocument");
}

Result<Document> read_document(const std::string& path) { return Reader(path).run(); }

} // namespace cutaway::trace
