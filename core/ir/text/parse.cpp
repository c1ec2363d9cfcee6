#include "ir/text.h"

#include "ir/edit.h"
#include "ir/text/lexer.h"

#include <map>

namespace cutaway {
namespace {

using text_form::Lexer;

constexpr uint32_t id_limit = 1u << 26; // an id is an index: a huge one would only cost memory

class Parser {
 public:
  explicit Parser(const std::string& text) : in_(text), editor_(graph_) {}

  Result<Graph> run() {
    if (!in_.word("graph")) return fail("'graph'");
    if (!in_.string(graph_.name) || !in_.symbol('{')) return fail("a quoted name and '{'");
    while (in_.word("origin"))
      if (!origin()) return fail("an origin: \"name\" \"op\" of [ids]");
    while (in_.peek() != '}' && !in_.word("return"))
      if (!node()) return fail(expected_);
    if (in_.peek() == '}') return finish();
    do {
      ValueId v;
      std::string name;
      if (!value_ref(v) || !in_.string(name)) return fail("a value that was made, and a quoted name");
      editor_.add_output(v, name);
    } while (in_.word("return"));
    return finish();
  }

 private:
  Diagnostic fail(const std::string& expected) { return invalid_model("line " + std::to_string(in_.line()), "expected " + expected, "see ir/text.h for the form"); }

  Result<Graph> finish() {
    if (!in_.symbol('}') || !in_.at_end()) return fail("'}' and the end");
    if (Status s = verify(graph_); !s) return s.error();
    return std::move(graph_);
  }

  bool id(uint32_t& out) {
    int64_t v = 0;
    if (!in_.integer(v) || v < 0 || v >= id_limit) return false;
    out = static_cast<uint32_t>(v);
    return true;
  }

  bool origin() {
    Origin o;
    if (!in_.string(o.name) || !in_.string(o.op_type)) return false;
    std::vector<int64_t> from;
    if (in_.word("of") && !in_.integers(from)) return false;
    for (int64_t f : from) {
      if (f < 0 || f >= static_cast<int64_t>(graph_.origin_count())) return false;
      o.derived_from.push_back(OriginId(static_cast<uint32_t>(f)));
    }
    editor_.apply(AddOrigin{editor_.new_origin_id(), std::move(o)});
    return true;
  }

  // %12, or %name: a name stands for the next free id at its first mention as a result.
  bool value_name(std::string& out) { return in_.symbol('%') && in_.name(out); }
  bool value_ref(ValueId& out) {
    std::string name;
    if (!value_name(name)) return false;
    const auto it = values_.find(name);
    if (it == values_.end()) return false;
    out = it->second;
    return true;
  }

  bool results(InsertNode& e) {
    do {
      std::string name;
      if (!value_name(name) || values_.count(name)) return false;
      uint32_t number = next_value_;
      const bool digits = name.find_first_not_of("0123456789") == std::string::npos;
      if (digits) {
        if (name.size() > 8) return false;
        number = static_cast<uint32_t>(std::stoul(name));
      }
      if (number >= id_limit || graph_.alive(ValueId(number))) return false;
      next_value_ = std::max(next_value_, number + 1);
      Value v;
      v.id = ValueId(number);
      v.producer = e.node.id;
      v.output = static_cast<uint32_t>(e.outputs.size());
      if (in_.peek() == '"' && !in_.string(v.name)) return false;
      pending_.push_back({name, v.id});
      e.node.outputs.push_back(v.id);
      e.outputs.push_back(std::move(v));
    } while (in_.symbol(','));
    return true;
  }

  bool node() {
    expected_ = "a node: n1 %2 \"name\" = op(%0, %1) {key = value} : type";
    InsertNode e;
    e.node.id = editor_.new_node_id();
    std::string word;
    if (in_.peek() != '%') {
      if (!in_.name(word) || word.size() < 2 || word.size() > 9 || word[0] != 'n' || word.find_first_not_of("0123456789", 1) != std::string::npos) return false;
      e.node.id = NodeId(static_cast<uint32_t>(std::stoul(word.substr(1))));
      if (e.node.id.v >= id_limit || graph_.alive(e.node.id)) return false;
    }
    pending_.clear();
    if (!results(e) || !in_.symbol('=') || !in_.name(word) || !parse_op(word, e.node.op)) return false;
    if (!operands(e.node) || !attributes(e.node.attrs)) return false;
    expected_ = "the types of the results: f32[1, N]";
    if (!in_.symbol(':') || !types(e)) return false;
    if (!marks(e.node)) return false;
    expected_ = "a param whose 'index' is its place among the params";
    if (e.node.op == Op::param) {
      const AttrValue* index = e.node.attrs.find("index");
      if (!index || !std::holds_alternative<int64_t>(*index) || std::get<int64_t>(*index) < 0 || std::get<int64_t>(*index) > 4096) return false;
    }
    editor_.apply(std::move(e));
    for (auto& [name, v] : pending_) values_[name] = v;
    return true;
  }

  bool operands(Node& n) {
    if (!in_.symbol('(')) return false;
    if (in_.symbol(')')) return true;
    do {
      ValueId v;
      if (!value_ref(v)) return expected_ = "an operand that an earlier line makes", false;
      n.inputs.push_back(v);
    } while (in_.symbol(','));
    return in_.symbol(')');
  }

  bool types(InsertNode& e) {
    for (size_t i = 0; i < e.outputs.size(); ++i) {
      if (i && !in_.symbol(',')) return false;
      if (!in_.type(e.outputs[i].type)) return false;
      if (in_.word("layout") && !in_.integers(e.outputs[i].layout)) return false;
    }
    return true;
  }

  bool marks(Node& n) {
    uint32_t v = 0;
    expected_ = "an id";
    if (in_.word("group")) {
      if (!id(v)) return false;
      n.group = GroupId(v);
    }
    if (in_.word("clone")) {
      if (!id(v)) return false;
      n.clone_of = NodeId(v);
    }
    if (in_.word("from")) {
      if (!id(v) || v >= graph_.origin_count()) return false;
      n.origin = OriginId(v);
    }
    return true;
  }

  bool attributes(Attrs& attrs) {
    if (!in_.symbol('{')) return true;
    if (in_.symbol('}')) return true;
    expected_ = "attributes: {key = value, ...}";
    do {
      std::string key;
      AttrValue value;
      if (!in_.name(key) || !in_.symbol('=') || !in_.attribute(value)) return false;
      attrs.set(key, std::move(value));
    } while (in_.symbol(','));
    return in_.symbol('}');
  }

  Lexer in_;
  Graph graph_;
  GraphEditor editor_;
  std::map<std::string, ValueId> values_;
  std::vector<std::pair<std::string, ValueId>> pending_;
  uint32_t next_value_ = 0;
  std::string expected_ = "a node";
};

} // namespace

Result<Graph> parse_graph(const std::string& text) { return Parser(text).run(); }

} // namespace cutaway
