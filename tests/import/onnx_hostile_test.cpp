// Files that are no models, damaged ones, and ones that ask for too much: always a diagnostic or a model, never a
// crash.
#include "onnx_protos.h"

#include <random>

using namespace protos;
using cutaway::Fault;

namespace {

// A model with something of everything: a branch, a function, tensors in several forms, types.
std::string small_model() {
  const std::string then = graph({{node("Add", {"h", "w"}, {"t"})}, {}, {}, {value("t")}}, "then");
  const std::string other =
      graph({{node("Neg", {"h"}, {"e"})}, {tensor("k", INT64, {1}, raw<int64_t>({4}))}, {}, {value("e")}}, "else");
  const std::string reference =
      message([](pbf_writer& w) { w.add_string(1, "value_float"), w.add_int32(20, 1), w.add_string(21, "step"); });
  const std::string function = message([&](pbf_writer& w) {
    w.add_string(1, "Shift");
    w.add_string(4, "p"), w.add_string(5, "r"), w.add_string(6, "step");
    w.add_message(7, node("Constant", {}, {"c"}, {reference}));
    w.add_message(7, node("Add", {"p", "c"}, {"r"}));
    w.add_message(9, opset("", 17));
    w.add_string(10, "fn");
  });
  const std::string step =
      message([](pbf_writer& w) { w.add_string(1, "step"), w.add_float(2, 1), w.add_int32(20, 1); });
  const std::vector<int64_t> axes = {0, 1};
  const std::string ints = message([&](pbf_writer& w) {
    w.add_string(1, "axes"), w.add_packed_int64(8, axes.begin(), axes.end()), w.add_int32(20, 7);
  });
  const std::string q = tensor_with("q", INT8, {2}, [](pbf_writer& w) { w.add_int32(5, 1), w.add_int32(5, -2); });
  const std::string s = tensor_with("s", STRING, {2}, [](pbf_writer& w) { w.add_bytes(6, "a"), w.add_bytes(6, "bc"); });
  return model_of(
      graph({{node("Shift", {"x"}, {"h"}, {step}, "shift", "fn"), node("Op", {"h", "", "q", "s"}, {"u"}, {ints}),
              node("If", {"cond"}, {"y"}, {graph_attribute("then_branch", then), graph_attribute("else_branch", other)},
                   "if")},
             {tensor("w", FLOAT, {2}, raw<float>({1, 2})), q, s, tensor("i", INT4, {3}, "ab")},
             {value("x"), value("cond", BOOL, {})},
             {value("y"), value("u")}}),
      {function}, {opset("", 17), opset("fn", 1)});
}

// Reads it; a fault must be of a model or a limit and say something.
void read_any(const Folder& folder, const std::string& bytes) {
  const auto r = cutaway::onnx::read_model(folder.write("m.onnx", bytes));
  if (r.ok()) {
    ASSERT_FALSE((*r)->graph.outputs.empty());
    summary(**r);
  } else {
    ASSERT_FALSE(r.error().what.empty());
  }
}

} // namespace

TEST(OnnxHostile, OtherFilesAreToldApart) {
  const auto refused = [](const std::string& bytes, const std::string& word) {
    expect_refused(bytes, {"not an ONNX model", word});
  };
  refused("", "empty");
  refused("hello, this is a text\n", "text");
  refused("x", "text");
  refused("\x89PNG\r\n\x1a\n rest", "PNG");
  refused("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "git lfs pull");
  refused("PK\x03\x04 and so on", "ZIP");
  refused("{\"a\": 1}", "JSON");
  refused(std::string(64, '\0'), "");
  refused(std::string(64, '\xFF'), "");
  refused("\x12\x03"
          "abc",
          ""); // protobuf, but of something else
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string bytes(1 + random() % 200, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    EXPECT_FALSE(read(bytes).ok());
  }
}

TEST(OnnxHostile, MissingFilesAndFolders) {
  const Folder folder;
  for (const std::string& path :
       {folder.path("none.onnx"), folder.path(), std::string("/dev/null"), std::string(), std::string("a\0b", 3)}) {
    const auto r = cutaway::onnx::read_model(path);
    ASSERT_FALSE(r.ok()) << path;
    EXPECT_EQ(r.error().fault, Fault::bad_input) << r.error().str();
  }
}

TEST(OnnxHostile, WithoutGraphOrVersion) {
  expect_refused(message([](pbf_writer& w) { w.add_int64(1, 8), w.add_string(2, "p"); }), {"no graph"});
  expect_refused(message([](pbf_writer& w) {
                   w.add_message(7, graph({{node("Neg", {"x"}, {"y"})}, {}, {value("x")}, {value("y")}}));
                 }),
                 {"not an ONNX model", "IR version"});
  const std::string g = graph({{node("Neg", {"x"}, {"y"})}, {}, {value("x")}, {value("y")}});
  expect_refused(message([&](pbf_writer& w) {
                   w.add_int64(1, 8), w.add_message(7, g), w.add_message(7, g), w.add_message(8, opset("", 17));
                 }),
                 {"two graphs"});
  expect_refused(message([&](pbf_writer& w) { w.add_int64(1, 8), w.add_int64(7, 1); }), {"field 7", "wire type"});
  expect_refused(model({{node("", {"x"}, {"y"}, {}, "n")}, {}, {value("x")}, {value("y")}}), {"'n'", "no operator"});
}

TEST(OnnxHostile, EveryTruncationIsRefusedOrRead) {
  const Folder folder;
  const std::string whole = small_model();
  const auto r = cutaway::onnx::read_model(folder.write("m.onnx", whole));
  ASSERT_TRUE(r.ok()) << r.error().str();
  for (size_t n = 0; n < whole.size(); ++n) ASSERT_NO_FATAL_FAILURE(read_any(folder, whole.substr(0, n))) << n;
  expect_refused(whole.substr(0, whole.size() / 2), {"cut short"});
}

TEST(OnnxHostile, EveryBitFlipIsRefusedOrRead) {
  const Folder folder;
  const std::string whole = small_model();
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      ASSERT_NO_FATAL_FAILURE(read_any(folder, bytes)) << i << " " << bit;
    }
  }
}

TEST(OnnxHostile, RandomDamageIsRefusedOrRead) {
  const Folder folder;
  const std::string whole = small_model();
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (unsigned k = 1 + random() % 6; k > 0; --k) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes.erase(at, 1 + random() % 8); break;
      case 2: bytes.insert(at, std::string(1 + random() % 4, static_cast<char>(random()))); break;
      default: bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 40));
      }
      if (bytes.empty()) bytes = "\x08";
    }
    ASSERT_NO_FATAL_FAILURE(read_any(folder, bytes)) << round;
  }
}

TEST(OnnxHostile, LengthsPastTheFile) {
  // A graph of 2^40, and of 2^32 + 2 bytes: neither may be taken modulo 2^32.
  expect_refused(std::string("\x08\x08\x3A\x80\x80\x80\x80\x80\x20", 9), {"1099511627776"});
  expect_refused(std::string("\x08\x08\x3A\x82\x80\x80\x80\x10\x12\x00", 10), {"4294967298"});
}

TEST(OnnxHostile, NestingIsLimited) {
  const auto nested = [](int depth) {
    std::string g = graph({{}, {}, {value("i")}, {value("i")}});
    for (int i = 1; i < depth; ++i)
      g = graph({{node("If", {"i"}, {"o"}, {graph_attribute("then_branch", g)})}, {}, {value("i")}, {value("o")}});
    return model_of(g);
  };
  EXPECT_TRUE(read_ok(nested(32)));
  expect_refused(nested(33), {"nested", "32"}, Fault::limit);
  expect_refused(nested(2000), {"nested"}, Fault::limit);

  std::string type = message([](pbf_writer& w) { w.add_message(1, std::string()); });
  for (int i = 0; i < 3000; ++i)
    type = message([&](pbf_writer& w) { w.add_message(4, message([&](pbf_writer& s) { s.add_message(1, type); })); });
  const std::string input = message([&](pbf_writer& w) { w.add_string(1, "x"), w.add_message(2, type); });
  expect_refused(model({{node("Neg", {"x"}, {"y"})}, {}, {input}, {value("y")}}), {"'x'", "nested"}, Fault::limit);
}

TEST(OnnxHostile, NamesAreLimited) {
  const auto named = [](const std::string& name) {
    return model({{node("Neg", {name}, {"y"})}, {}, {value(name)}, {value("y")}});
  };
  EXPECT_TRUE(read_ok(named(std::string(64 << 10, 'n'))));
  expect_refused(named(std::string((64 << 10) + 1, 'n')), {"name", "65537"}, Fault::limit);
  expect_refused(named("a\xFF"), {"UTF-8"});
  expect_refused(named(std::string("a\0b", 3)), {"UTF-8"});
  expect_refused(named("\xC0\x80"), {"UTF-8"});     // overlong
  expect_refused(named("\xED\xA0\x80"), {"UTF-8"}); // surrogate
  EXPECT_TRUE(read_ok(named("\xF0\x9F\x99\x82 \"\\\n<b>")));
  expect_refused(model({{node("Neg", {"x"}, {"y"},
                              Strings(257, message([](pbf_writer& w) { w.add_string(1, "a"), w.add_int64(3, 1); })))},
                        {},
                        {value("x")},
                        {value("y")}}),
                 {"256"}, Fault::limit);
}
