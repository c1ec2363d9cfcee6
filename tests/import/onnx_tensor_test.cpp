// Tensors of a model: where their elements lie, and what is refused before memory is taken.
#include "onnx_protos.h"

#include "import/mapped_file.h"

#include <unistd.h>

using namespace protos;
using cutaway::DType;
using cutaway::Fault;
using cutaway::Tensor;

namespace {

std::string with_initializer(const std::string& tensor_bytes) {
  return model({{node("Neg", {"w"}, {"y"})}, {tensor_bytes}, {}, {value("y")}});
}
cutaway::onnx::TensorData read_initializer(const std::string& tensor_bytes) {
  const auto m = read_ok(with_initializer(tensor_bytes));
  return m ? m->graph.initializers[0] : cutaway::onnx::TensorData{};
}
Tensor tensor_of(const std::string& tensor_bytes) {
  return read_initializer(tensor_bytes).tensor;
}
template <class More> Tensor filled(int32_t type, const Ints& dims, More more) {
  return tensor_of(tensor_with("w", type, dims, more));
}

Strings location(const std::string& file, const std::string& offset, const std::string& length) {
  Strings out;
  const auto entry = [&](const std::string& k, const std::string& v) {
    if (!v.empty()) out.push_back(message([&](pbf_writer& w) { w.add_string(1, k), w.add_string(2, v); }));
  };
  entry("location", file), entry("offset", offset), entry("length", length);
  return out;
}
std::string external(int32_t type, const Ints& dims, const Strings& entries, const std::string& name = "w") {
  return tensor_with(name, type, dims, [&](pbf_writer& w) {
    for (const std::string& e : entries) w.add_message(13, e);
    w.add_int32(14, 1);
  });
}

} // namespace

TEST(OnnxTensor, RawDataIsAViewOfTheFile) {
  const Folder folder;
  const std::vector<float> values = {1, -2, 3.5f, 0, 5, 6};
  const auto r =
      cutaway::onnx::read_model(folder.write("m.onnx", with_initializer(tensor("w", FLOAT, {2, 3}, raw(values)))));
  ASSERT_TRUE(r.ok());
  const Tensor& t = (*r)->graph.initializers[0].tensor;
  const auto& file = *(*r)->files[0];
  EXPECT_GE(t.data(), file.data());
  EXPECT_LE(t.data() + t.bytes(), file.data() + file.size());
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(t.get<float>(i), values[static_cast<size_t>(i)]);
  EXPECT_FALSE(file.changed());
  folder.write("m.onnx", "other");
  EXPECT_TRUE(file.changed());
}

TEST(OnnxTensor, AViewOutlivesTheModel) {
  Tensor t = tensor_of(tensor("w", INT32, {2}, raw<int32_t>({7, -8})));
  EXPECT_EQ(t.ints(), (Ints{7, -8}));
}

TEST(OnnxTensor, TypedFieldsPackedAndNot) {
  const std::vector<float> f = {1, 2.5f};
  const std::vector<double> d = {1, 2.5};
  const std::vector<int32_t> i = {-1, 300};
  const std::vector<int64_t> l = {-1, 1LL << 40};
  const std::vector<uint64_t> u = {1, ~0ull};
  const auto same = [](const Tensor& a, const Tensor& b) { return a.valid() && a.same_bits(b); };
  EXPECT_TRUE(same(filled(FLOAT, {2}, [&](pbf_writer& w) { w.add_packed_float(4, f.begin(), f.end()); }),
                   Tensor::of(DType::f32, {2}, f)));
  EXPECT_TRUE(same(filled(FLOAT, {2},
                          [&](pbf_writer& w) {
                            for (float v : f) w.add_float(4, v);
                          }),
                   Tensor::of(DType::f32, {2}, f)));
  EXPECT_TRUE(same(filled(DOUBLE, {2}, [&](pbf_writer& w) { w.add_packed_double(10, d.begin(), d.end()); }),
                   Tensor::of(DType::f64, {2}, d)));
  EXPECT_TRUE(same(filled(INT32, {2}, [&](pbf_writer& w) { w.add_packed_int32(5, i.begin(), i.end()); }),
                   Tensor::of(DType::i32, {2}, i)));
  EXPECT_TRUE(same(filled(INT32, {2},
                          [&](pbf_writer& w) {
                            for (int32_t v : i) w.add_int32(5, v);
                          }),
                   Tensor::of(DType::i32, {2}, i)));
  EXPECT_TRUE(same(filled(INT64, {2}, [&](pbf_writer& w) { w.add_packed_int64(7, l.begin(), l.end()); }),
                   Tensor::of(DType::i64, {2}, l)));
  EXPECT_TRUE(same(filled(UINT64, {2}, [&](pbf_writer& w) { w.add_packed_uint64(11, u.begin(), u.end()); }),
                   Tensor::of(DType::u64, {2}, u)));
  EXPECT_TRUE(same(filled(UINT32, {1}, [&](pbf_writer& w) { w.add_uint64(11, 5); }),
                   Tensor::of<uint32_t>(DType::u32, {1}, {5})));
  EXPECT_TRUE(same(filled(INT8, {2}, [&](pbf_writer& w) { w.add_int32(5, -3), w.add_int32(5, 4); }),
                   Tensor::of<int8_t>(DType::i8, {2}, {-3, 4})));
  EXPECT_TRUE(same(filled(FLOAT16, {1}, [&](pbf_writer& w) { w.add_int32(5, 0x3C00); }),
                   Tensor::of<uint16_t>(DType::f16, {1}, {0x3C00})));
  EXPECT_TRUE(same(filled(BFLOAT16, {1}, [&](pbf_writer& w) { w.add_int32(5, 0x3F80); }),
                   Tensor::of<uint16_t>(DType::bf16, {1}, {0x3F80})));
  EXPECT_TRUE(same(filled(FLOAT8E4M3FN, {1}, [&](pbf_writer& w) { w.add_int32(5, 0xFE); }),
                   Tensor::of<uint8_t>(DType::f8e4m3fn, {1}, {0xFE})));
}

TEST(OnnxTensor, BooleansAreZeroOrOne) {
  const Tensor want = Tensor::of<uint8_t>(DType::boolean, {3}, {1, 0, 1});
  EXPECT_TRUE(tensor_of(tensor("w", BOOL, {3}, raw<uint8_t>({1, 0, 1}))).same_bits(want));
  EXPECT_TRUE(tensor_of(tensor("w", BOOL, {3}, raw<uint8_t>({255, 0, 2}))).same_bits(want));
  EXPECT_TRUE(filled(BOOL, {3}, [](pbf_writer& w) {
                w.add_int32(5, 256), w.add_int32(5, 0), w.add_int32(5, 1);
              }).same_bits(want));
}

TEST(OnnxTensor, SmallTypesTakeAByteAnElement) {
  const Tensor i4 = Tensor::of<int8_t>(DType::i4, {5}, {-8, 7, -1, 3, -4});
  EXPECT_TRUE(tensor_of(tensor("w", INT4, {5}, "\x78\x3F\x0C")).same_bits(i4));
  EXPECT_TRUE(filled(INT4, {5}, [](pbf_writer& w) {
                w.add_int32(5, 0x78), w.add_int32(5, 0x3F), w.add_int32(5, 0x0C);
              }).same_bits(i4));
  EXPECT_TRUE(
      tensor_of(tensor("w", UINT4, {3}, "\x78\x0F")).same_bits(Tensor::of<uint8_t>(DType::u4, {3}, {8, 7, 15})));
  EXPECT_TRUE(
      tensor_of(tensor("w", FLOAT4E2M1, {2}, "\xF2")).same_bits(Tensor::of<uint8_t>(DType::f4e2m1, {2}, {2, 15})));
  EXPECT_TRUE(
      tensor_of(tensor("w", UINT2, {5}, "\xE4\x02")).same_bits(Tensor::of<uint8_t>(DType::u2, {5}, {0, 1, 2, 3, 2})));
  EXPECT_TRUE(tensor_of(tensor("w", INT2, {4}, "\xE4")).same_bits(Tensor::of<int8_t>(DType::i2, {4}, {0, 1, -2, -1})));
}

TEST(OnnxTensor, StringsScalarsAndEmptyOnes) {
  const Tensor s =
      filled(STRING, {2}, [](pbf_writer& w) { w.add_bytes(6, "a"), w.add_bytes(6, std::string("\0\xFF", 2)); });
  EXPECT_EQ(s.strings(), (Strings{"a", std::string("\0\xFF", 2)}));
  EXPECT_EQ(tensor_of(tensor("w", INT64, {}, raw<int64_t>({9}))).ints(), (Ints{9}));
  const Tensor none = tensor_of(tensor("w", FLOAT, {0, 1LL << 40}, ""));
  EXPECT_TRUE(none.valid());
  EXPECT_EQ(none.count(), 0);
  EXPECT_TRUE(filled(STRING, {0}, [](pbf_writer&) {}).valid());
  EXPECT_TRUE(filled(INT64, {0}, [](pbf_writer&) {}).valid());
}

TEST(OnnxTensor, WhatCannotBeHeldSaysWhy) {
  const auto complex = read_initializer(tensor("w", COMPLEX64, {1}, raw<float>({1, 2})));
  EXPECT_FALSE(complex.tensor.valid());
  EXPECT_NE(complex.unreadable.find("complex64"), std::string::npos);
  EXPECT_NE(read_initializer(tensor("w", 77, {1}, "abc")).unreadable.find("77"), std::string::npos);
}

TEST(OnnxTensor, ShapeAndDataMustAgree) {
  const auto refused = [](const std::string& t, const Strings& words, Fault fault = Fault::invalid_model) {
    expect_refused(with_initializer(t), words, fault);
  };
  const Strings w = {"initializer 'w'"};
  refused(tensor("w", FLOAT, {1000000, 1000000}, std::string(8, '\0')), {"initializer 'w'", "4000000000000", "8"});
  refused(tensor("w", FLOAT, {2}, std::string(12, '\0')), w);
  refused(tensor("w", INT4, {3}, "a"), {"2 bytes", "1"});
  refused(tensor("w", FLOAT, {1LL << 32, 1LL << 32}, ""), {"'w'", "overflows"});
  refused(tensor("w", FLOAT, {1LL << 62}, ""), {"'w'"});
  refused(tensor("w", INT4, {(1LL << 62) + 1}, ""), {"'w'"});
  refused(tensor("w", STRING, {1LL << 62}, ""), {"'w'"});
  refused(tensor("w", FLOAT, {-1}, ""), {"'w'", "-1"});
  refused(tensor("w", 0, {1}, "aaaa"), {"'w'", "no element type"});
  refused(tensor("w", STRING, {1}, "aaaa"), {"'w'", "string_data"});
  refused(tensor_with("w", FLOAT, {1}, [](pbf_writer& p) { p.add_int64(7, 1); }), {"int64_data", "float_data"});
  refused(tensor_with("w", INT64, {1}, [](pbf_writer& p) { p.add_int64(7, 1), p.add_bytes(9, std::string(8, 'a')); }),
          {"both", "raw_data", "int64_data"});
  refused(tensor_with("w", INT64, {2}, [](pbf_writer& p) { p.add_int64(7, 1); }), {"needs 2", "1"});
  refused(tensor_with("w", FLOAT, {2}, [](pbf_writer&) {}), {"needs 2", "none"});
  refused(tensor_with("w", FLOAT, {1}, [](pbf_writer& p) { p.add_bytes(4, "abc"); }), {"'w'", "packed"});
  refused(tensor_with("w", INT64, {1}, [](pbf_writer& p) { p.add_bytes(7, "\xFF"); }), {"'w'", "cut"});
  refused(tensor_with("w", INT64, {1}, [](pbf_writer& p) { p.add_bytes(7, std::string(11, '\xFF') + "a"); }), {"'w'"});
  refused(tensor_with("w", INT64, {1}, [](pbf_writer& p) { p.add_float(7, 1); }), {"'w'", "wire type"});
  refused(tensor("w", FLOAT, Ints(65, 1), "aaaa"), {"'w'", "64"}, Fault::limit);
  refused(tensor("", FLOAT, {1}, "aaaa"), {"initializers has no name"});
}

TEST(OnnxTensor, SparseInitializers) {
  const auto sparse = [](const Ints& indices, const Ints& index_dims, const Ints& dims, int64_t count) {
    const std::string bytes = message([&](pbf_writer& w) {
      w.add_message(1, tensor("w", FLOAT, {count}, raw(std::vector<float>(static_cast<size_t>(count), 2.f))));
      w.add_message(2, tensor("", INT64, index_dims, raw(indices)));
      w.add_packed_int64(3, dims.begin(), dims.end());
    });
    const std::string g = message([&](pbf_writer& w) {
      w.add_message(1, node("Neg", {"w"}, {"y"}));
      w.add_message(12, value("y"));
      w.add_message(15, bytes);
    });
    return model_of(g);
  };
  const auto m = read_ok(sparse({1, 5}, {2}, {2, 3}, 2));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->graph.sparse_initializers[0].dims, (Ints{2, 3}));
  EXPECT_TRUE(read_ok(sparse({0, 1, 1, 2}, {2, 2}, {2, 3}, 2)));
  expect_refused(sparse({1, 6}, {2}, {2, 3}, 2), {"'w'", "6"});
  expect_refused(sparse({0, 1, 2, 0}, {2, 2}, {2, 3}, 2), {"'w'", "2"});
  expect_refused(sparse({-1, 0}, {2}, {2, 3}, 2), {"-1"});
  expect_refused(sparse({1}, {1}, {2, 3}, 2), {"do not fit"});
  expect_refused(sparse({1}, {1}, {1LL << 40, 1LL << 40}, 1), {"overflows"});
}

TEST(OnnxTensor, ExternalDataIsMappedOnceAndViewed) {
  const Folder folder;
  std::filesystem::create_directory(folder.path("sub"));
  folder.write("sub/weights.bin", "....." + raw<float>({1, 2, 3, 4}));
  const GraphParts parts = {{node("Add", {"w", "v"}, {"y"})},
                            {external(FLOAT, {4}, location("sub/weights.bin", "5", "16")),
                             external(FLOAT, {2}, location("sub/weights.bin", "13", ""), "v")},
                            {},
                            {value("y")}};
  const auto r = cutaway::onnx::read_model(folder.write("m.onnx", model(parts)));
  ASSERT_TRUE(r.ok()) << r.error().str();
  const auto& model = **r;
  ASSERT_EQ(model.files.size(), 2u);
  EXPECT_EQ(model.graph.initializers[0].tensor.get<float>(3), 4);
  EXPECT_EQ(model.graph.initializers[1].tensor.get<float>(0), 3);
  EXPECT_EQ(model.graph.initializers[1].tensor.data(), model.files[1]->data() + 13);
  EXPECT_EQ(cutaway::onnx::read_model(folder.path("sub/../m.onnx")).ok(), true);
}

TEST(OnnxTensor, ExternalDataStaysInTheFolder) {
  const Folder folder;
  std::filesystem::create_directory(folder.path("model"));
  std::filesystem::create_directory(folder.path("model-twin"));
  const std::string bait = folder.write("bait", std::string(16, 'x'));
  folder.write("model-twin/bait", std::string(16, 'x'));
  folder.write("model/data", std::string(16, 'x'));
  std::filesystem::create_symlink(bait, folder.path("model/link"));
  std::filesystem::create_directory_symlink(folder.path(), folder.path("model/up"));
  std::filesystem::create_symlink("data", folder.path("model/inside"));
  const auto refused = [&](const Strings& entries, const Strings& words, Fault fault = Fault::invalid_model) {
    const auto r =
        cutaway::onnx::read_model(folder.write("model/m.onnx", with_initializer(external(FLOAT, {4}, entries))));
    ASSERT_FALSE(r.ok());
    expect_fault(r.error(), fault, words);
  };
  refused(location("../bait", "0", "16"), {"'w'", "outside"});
  refused(location("x/../../bait", "0", "16"), {"'w'", "outside"});
  refused(location("../model-twin/bait", "0", "16"), {"outside"});
  refused(location(bait, "0", "16"), {"outside"});
  refused(location("link", "0", "16"), {"outside"});
  refused(location("up/bait", "0", "16"), {"outside"});
  refused(location("", "0", "16"), {"no location"});
  refused(location("missing", "0", "16"), {"'missing'"}, Fault::bad_input);
  refused(location(".", "0", "16"), {"folder"}, Fault::bad_input);
  refused(location("data", "1", "16"), {"'data'", "16"});
  refused(location("data", "99", ""), {"'data'"});
  refused(location("data", "9223372036854775807", "16"), {"'data'"});
  refused(location("data", "-1", "16"), {"offset"});
  refused(location("data", "1e3", "16"), {"offset"});
  refused(location("data", "0", "12"), {"12", "16"});
  const auto inside = cutaway::onnx::read_model(
      folder.write("model/m.onnx", with_initializer(external(FLOAT, {4}, location("inside", "0", "16")))));
  EXPECT_TRUE(inside.ok());
}
