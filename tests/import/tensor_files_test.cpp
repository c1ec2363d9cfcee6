// Single values in files: .pb as the ONNX tests have them, .npy as NumPy writes it.
#include "import/tensor_files.h"

#include "onnx_protos.h"

#include <random>

using namespace protos;
using cutaway::DType;
using cutaway::Fault;
using cutaway::OptionalValue;
using cutaway::Tensor;

namespace {

std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string out = std::string("\x93NUMPY", 6) + version + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return out + header + data;
}
std::string header(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}
cutaway::Result<Tensor> read_bytes_as_npy(const std::string& bytes) {
  const Folder folder;
  return cutaway::read_npy(folder.write("a.npy", bytes));
}
Tensor npy_ok(const std::string& bytes) {
  auto r = read_bytes_as_npy(bytes);
  EXPECT_TRUE(r.ok()) << (r ? "" : r.error().str());
  return r ? *r : Tensor();
}

} // namespace

TEST(TensorFiles, NpyRoundTrip) {
  const Folder folder;
  const std::string path = folder.path("t.npy");
  std::mt19937_64 random(2);
  const DType types[] = {DType::f64, DType::f32, DType::f16, DType::i64, DType::i32, DType::i16,
                         DType::i8,  DType::u64, DType::u32, DType::u16, DType::u8,  DType::boolean};
  for (DType dtype : types) {
    for (const Ints& dims : {Ints{}, Ints{1}, Ints{5}, Ints{2, 3}, Ints{0, 4}, Ints{2, 1, 3, 2}}) {
      Tensor t(dtype, dims);
      for (int64_t i = 0; i < t.bytes(); ++i)
        t.mutable_data()[i] = static_cast<std::byte>(random() & (dtype == DType::boolean ? 1 : 0xFF));
      ASSERT_TRUE(cutaway::write_npy(path, t).ok());
      const auto r = cutaway::read_npy(path);
      ASSERT_TRUE(r.ok()) << r.error().str();
      EXPECT_TRUE(r->same_bits(t)) << t.type().str();
    }
  }
  const Tensor s = Tensor::of_strings({2, 2}, {"", "a\xC3\xA9", "\xF0\x9F\x99\x82!", "plain"});
  ASSERT_TRUE(cutaway::write_npy(path, s).ok());
  EXPECT_TRUE(cutaway::read_npy(path)->same_bits(s));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1); // nothing is left beside it
}

TEST(TensorFiles, NpyOfTypesThatNumPyHasNot) {
  const Folder folder;
  const std::string path = folder.path("t.npy");
  ASSERT_TRUE(cutaway::write_npy(path, Tensor::of<uint16_t>(DType::bf16, {2}, {0x3F80, 0xC000})).ok());
  EXPECT_TRUE(cutaway::read_npy(path)->same_bits(Tensor::of<uint16_t>(DType::u16, {2}, {0x3F80, 0xC000})));
  ASSERT_TRUE(cutaway::write_npy(path, Tensor::of<int8_t>(DType::i4, {2}, {-8, 7})).ok());
  EXPECT_TRUE(cutaway::read_npy(path)->same_bits(Tensor::of<int8_t>(DType::i8, {2}, {-8, 7})));
  const float one = 1;
  ASSERT_TRUE(cutaway::write_npy(path, Tensor::splat(DType::f32, {3}, &one)).ok());
  EXPECT_TRUE(cutaway::read_npy(path)->same_bits(Tensor::of<float>(DType::f32, {3}, {1, 1, 1})));
  EXPECT_FALSE(cutaway::write_npy(folder.path("none/t.npy"), Tensor::scalar_i64(1)).ok());
  EXPECT_FALSE(cutaway::write_npy(path, Tensor()).ok());
}

TEST(TensorFiles, NpyAsNumPyWritesIt) {
  const Tensor m = Tensor::of<int16_t>(DType::i16, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(npy_ok(npy(header("<i2", "False", "(2, 3)"), raw<int16_t>({1, 2, 3, 4, 5, 6}))).same_bits(m));
  EXPECT_TRUE(npy_ok(npy(header("<i2", "True", "(2, 3)"), raw<int16_t>({1, 4, 2, 5, 3, 6}))).same_bits(m));
  EXPECT_TRUE(npy_ok(npy(header(">i2", "False", "(2, 3)"), std::string("\0\1\0\2\0\3\0\4\0\5\0\6", 12))).same_bits(m));
  EXPECT_TRUE(npy_ok(npy(header("<i2", "False", "(2, 3)"), raw<int16_t>({1, 2, 3, 4, 5, 6}), 2)).same_bits(m));
  EXPECT_TRUE(npy_ok(npy(header("<i2", "False", "(2L, 3L)"), raw<int16_t>({1, 2, 3, 4, 5, 6}))).same_bits(m));
  EXPECT_TRUE(npy_ok(npy(header("<i8", "False", "()"), raw<int64_t>({9}))).same_bits(Tensor::scalar_i64(9)));
  EXPECT_TRUE(npy_ok(npy(header("|b1", "False", "(2,)"), "\x07" + std::string(1, '\0')))
                  .same_bits(Tensor::of<uint8_t>(DType::boolean, {2}, {1, 0})));
  // Three axes in column-major order: element (i, j, k) lies at i + 2 j + 6 k.
  std::vector<float> rows(24), columns(24);
  for (size_t i = 0; i < 2; ++i)
    for (size_t j = 0; j < 3; ++j)
      for (size_t k = 0; k < 4; ++k)
        rows[i * 12 + j * 4 + k] = columns[i + 2 * j + 6 * k] = static_cast<float>(100 * i + 10 * j + k);
  EXPECT_TRUE(
      npy_ok(npy(header("<f4", "True", "(2, 3, 4)"), raw(columns))).same_bits(Tensor::of(DType::f32, {2, 3, 4}, rows)));
}

TEST(TensorFiles, HostileNpyIsRefused) {
  const auto refused = [](const std::string& bytes, const Strings& words, Fault fault = Fault::bad_input) {
    const auto r = read_bytes_as_npy(bytes);
    ASSERT_FALSE(r.ok());
    expect_fault(r.error(), fault, words);
  };
  refused("not numpy", {"not a .npy"});
  refused("\x93NUMPY", {"damaged"});
  refused(npy("{'descr': '<f4'}", ""), {"header"});
  refused(npy(header("<f4", "False", "(2,)"), "abc"), {"8", "3"});
  refused(npy(header("<f4", "False", "(1000000000000,)"), "abcd"), {"4000000000000"});
  refused(npy(header("<f4", "False", "(4294967296, 4294967296)"), ""), {"overflows"});
  refused(npy(header("<f8", "False", "(1152921504606846976,)"), ""), {"overflows"});
  refused(npy(header("<f4", "False", "(-1,)"), "abcd"), {"header"});
  refused(npy(header("<U0", "False", "(1000000000000,)"), ""), {"damaged"});
  refused(npy(header("<f4", "Maybe", "(1,)"), "abcd"), {"header"});
  refused(npy(header("<f4", "False", "(1, 2"), "abcd"), {"header"});
  refused(npy(header("|O", "False", "(1,)"), "abcd"), {"'|O'"}, Fault::unsupported);
  refused(npy(header("|V2", "False", "(1,)"), "ab"), {"'|V2'", ".pb"}, Fault::unsupported);
  refused(npy(header("<c8", "False", "(1,)"), "abcdefgh"), {"'<c8'"}, Fault::unsupported);
  refused(npy(header("<f4", "False", "()"), "abcd", 9), {"version 9"}, Fault::unsupported);
  const Folder folder;
  const std::string whole = npy(header("<i2", "True", "(2, 3)"), raw<int16_t>({1, 2, 3, 4, 5, 6}));
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_FALSE(read_bytes_as_npy(whole.substr(0, i)).ok());
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      (void)cutaway::read_npy(folder.write("f.npy", bytes)).ok();
    }
  }
}

TEST(TensorFiles, TensorsAndSequences) {
  const Folder folder;
  const std::string one = tensor("a", FLOAT, {2}, raw<float>({1, 2})), two = tensor("b", INT64, {}, raw<int64_t>({3}));
  std::string name;
  const auto t = cutaway::read_tensor_pb(folder.write("t.pb", one), &name);
  ASSERT_TRUE(t.ok()) << t.error().str();
  EXPECT_EQ(name, "a");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(t->data()) % 64, 0u);

  const std::string sequence = message(
      [&](pbf_writer& w) { w.add_string(1, "s"), w.add_int32(2, 1), w.add_message(3, one), w.add_message(3, two); });
  const auto s = cutaway::read_sequence_pb(folder.write("s.pb", sequence), &name);
  ASSERT_TRUE(s.ok()) << s.error().str();
  EXPECT_EQ(name, "s");
  ASSERT_EQ(s->size(), 2u);
  EXPECT_EQ((*s)[1].ints(), (Ints{3}));

  const auto optional = [&](const std::string& bytes) {
    return cutaway::read_optional_pb(folder.write("o.pb", bytes));
  };
  const auto some = optional(message([&](pbf_writer& w) { w.add_int32(2, 1), w.add_message(3, two); }));
  ASSERT_TRUE(some.ok());
  EXPECT_EQ(some->kind, OptionalValue::Kind::tensor);
  const auto list = optional(message([&](pbf_writer& w) { w.add_int32(2, 3), w.add_message(5, sequence); }));
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->tensors.size(), 2u);
  const auto none = optional(message([&](pbf_writer& w) { w.add_string(1, "o"), w.add_int32(2, 0); }));
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->kind, OptionalValue::Kind::none);
}

TEST(TensorFiles, BrokenPbIsRefused) {
  const Folder folder;
  const auto refused = [&](const std::string& bytes, Fault fault, const Strings& words) {
    const auto r = cutaway::read_tensor_pb(folder.write("t.pb", bytes));
    ASSERT_FALSE(r.ok());
    expect_fault(r.error(), fault, words);
  };
  refused("hello", Fault::bad_input, {});
  refused(tensor("a", FLOAT, {3}, "abcd"), Fault::bad_input, {"'a'", "12"});
  refused(tensor("a", COMPLEX64, {1}, "abcdefgh"), Fault::unsupported, {"complex64"});
  folder.write("data", "abcd");
  refused(tensor_with("a", FLOAT, {1},
                      [](pbf_writer& w) {
                        w.add_message(
                            13, message([](pbf_writer& e) { e.add_string(1, "location"), e.add_string(2, "data"); }));
                        w.add_int32(14, 1);
                      }),
          Fault::unsupported, {"another file"});
  EXPECT_FALSE(cutaway::read_tensor_pb(folder.path("none.pb")).ok());
}
