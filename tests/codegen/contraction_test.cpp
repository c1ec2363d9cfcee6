#include "codegen/contraction_support.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

// Random and chosen specs are printed, compiled in a few translation units with contraction off, run in random pieces
// over dirty scratch, and compared bit for bit with a scalar loop in the order that contraction.h promises.
namespace cutaway::codegen::testing {
namespace {

constexpr Simd wide{64, 32}, narrow{32, 16};

struct Case {
  std::string name;
  Printed printed;
  std::vector<Guarded> buffers; // A, B as the source has it, packed B, output, and each output's own number
  std::vector<int64_t> out_dims;
  Elem acc = Elem::f32;
  std::function<Sum(const std::vector<int64_t>&)> reference; // of logical output indices
  std::string symbol() const { return "kernel_" + name; }
};

constexpr int a_buffer = 0, b_buffer = 1, packed_buffer = 2, out_buffer = 3, number_buffer = 4;

const char* c_name(Elem acc) {
  return acc == Elem::f32   ? "float"
         : acc == Elem::f64 ? "double"
         : acc == Elem::i32 ? "int"
         : acc == Elem::u32 ? "unsigned"
                            : "long";
}

// Stores the sum, and beside it the number of the element, so that wrong indices are told from wrong sums.
Epilogue storing(const std::vector<int64_t>& dims, Elem acc) {
  const std::string head =
      fmt::format("{0}* const e_out = ({0}*)buffers[{1}];\nlong* const e_number = (long*)buffers[{2}];\n", c_name(acc),
                  out_buffer, number_buffer);
  return Epilogue(
      [dims](const std::string& sum, const std::vector<std::string>& at) {
        EXPECT_EQ(at.size(), dims.size());
        std::string index = "0";
        for (size_t i = 0; i < dims.size(); ++i) index = fmt::format("({}) * {} + ({})", index, dims[i], at[i]);
        return fmt::format("const long e_i = {};\ne_out[e_i] = {};\ne_number[e_i] += e_i + 1;\n", index, sum);
      },
      head);
}

int64_t product(const std::vector<int64_t>& v) {
  int64_t n = 1;
  for (int64_t x : v) n *= x;
  return n;
}

Guarded random_buffer(Elem elem, int64_t elements, std::mt19937& random) {
  Guarded g(static_cast<size_t>(elements * elem_bytes(elem)));
  fill_random(elem, g.data(), static_cast<size_t>(elements), random);
  return g;
}

void add_outputs(Case& c) {
  const auto elements = static_cast<size_t>(product(c.out_dims));
  c.buffers.emplace_back(elements * static_cast<size_t>(elem_bytes(c.acc)));
  c.buffers.emplace_back(elements * sizeof(int64_t)); // zeroed: each element must be stored exactly once
}

struct MatmulShape {
  std::vector<int64_t> batch;
  int64_t m, n, k;
  Elem elem = Elem::f32, acc = Elem::f32;
  bool packed = true, shuffle = false;
  std::vector<bool> a_broadcast, b_broadcast;
  Tile tile;
};

Case matmul_case(const std::string& name, const MatmulShape& s, const Simd& simd, std::mt19937& random) {
  Case c;
  c.name = name;
  c.acc = s.acc;
  const auto place = [&](std::vector<int64_t> dims, int64_t rows, int64_t cols, std::vector<bool> broadcast,
                         bool shuffle) {
    dims.push_back(rows);
    dims.push_back(cols);
    broadcast.resize(s.batch.size());
    return random_layout(dims, broadcast, shuffle, random);
  };
  const Layout a = place(s.batch, s.m, s.k, s.a_broadcast, s.shuffle),
               b = place(s.batch, s.k, s.n, s.b_broadcast, s.shuffle);
  const size_t rank = s.batch.size();
  const auto operand = [&](const Layout& l, int buffer) {
    return Operand{buffer,  s.elem, {l.strides.begin(), l.strides.end() - 2}, l.strides[rank], l.strides[rank + 1],
                   l.offset};
  };
  MatmulSpec spec{s.batch,  s.m,   s.n,   s.k, operand(a, a_buffer), operand(b, s.packed ? packed_buffer : b_buffer),
                  s.packed, s.acc, s.tile};
  c.out_dims = s.batch;
  c.out_dims.insert(c.out_dims.end(), {s.m, s.n});
  c.printed = print_matmul(spec, c.symbol(), storing(c.out_dims, s.acc), simd, 2);
  c.buffers.push_back(random_buffer(s.elem, a.elements, random));
  c.buffers.push_back(random_buffer(s.elem, b.elements, random));
  c.buffers.emplace_back(static_cast<size_t>(c.printed.packed_bytes));
  if (s.packed) pack_matmul(spec, c.buffers[b_buffer].data(), c.buffers[packed_buffer].data(), simd);
  add_outputs(c);
  const void *pa = c.buffers[a_buffer].data(), *pb = c.buffers[b_buffer].data();
  c.reference = [=, elem = s.elem, acc = s.acc, k_end = s.k](const std::vector<int64_t>& at) {
    int64_t ia = a.offset + at[rank] * a.strides[rank], ib = b.offset + at[rank + 1] * b.strides[rank + 1];
    for (size_t i = 0; i < rank; ++i) ia += at[i] * a.strides[i], ib += at[i] * b.strides[i];
    Sum sum{acc};
    for (int64_t k = 0; k < k_end; ++k)
      sum.take(elem, pa, ia + k * a.strides[rank + 1], elem, pb, ib + k * b.strides[rank]);
    return sum;
  };
  return c;
}

struct ConvShape {
  int64_t batch;
  std::vector<int64_t> in, kernel, stride, dilation, pad, pad_end;
  int64_t groups, in_channels, out_channels;
  Elem elem = Elem::f32, acc = Elem::f32;
  bool shuffle = false; // any physical order of the input and of the weights
  Tile tile;
  bool infinite_weight = false;
};

ConvSpec conv_spec(const ConvShape& s, const Layout& x, const Layout& w) {
  ConvSpec spec;
  const size_t rank = s.in.size();
  spec.batch = s.batch;
  spec.in_size = s.in, spec.kernel = s.kernel, spec.stride = s.stride, spec.dilation = s.dilation,
  spec.pad_begin = s.pad;
  for (size_t i = 0; i < rank; ++i)
    spec.out_size.push_back(std::max<int64_t>(
        (s.in[i] + s.pad[i] + s.pad_end[i] - (s.kernel[i] - 1) * s.dilation[i] - 1) / s.stride[i] + 1, 0));
  spec.groups = s.groups, spec.in_channels = s.in_channels, spec.out_channels = s.out_channels;
  spec.input = {a_buffer,         s.elem,  x.strides[0], {x.strides.begin() + 1, x.strides.end() - 1},
                x.strides.back(), x.offset};
  spec.weights = packed_buffer;
  spec.weights_elem = s.elem;
  spec.weight_strides = w.strides;
  spec.acc = s.acc;
  spec.tile = s.tile;
  return spec;
}

Sum conv_sum(const ConvSpec& spec, const void* x, const void* w, const std::vector<int64_t>& at) {
  const size_t rank = spec.in_size.size();
  const int64_t channels = spec.in_channels / spec.groups, group = at.back() / (spec.out_channels / spec.groups);
  Sum sum{spec.acc};
  for (int64_t t = 0; t < product(spec.kernel); ++t) {
    int64_t rest = t, xi = spec.input.offset + at[0] * spec.input.batch_stride, wi = at.back() * spec.weight_strides[0];
    bool inside = true;
    for (size_t d = rank; d-- > 0; rest /= spec.kernel[d]) {
      const int64_t tap = rest % spec.kernel[d],
                    pos = at[d + 1] * spec.stride[d] - spec.pad_begin[d] + tap * spec.dilation[d];
      inside = inside && pos >= 0 && pos < spec.in_size[d];
      xi += pos * spec.input.spatial_strides[d];
      wi += tap * spec.weight_strides[d + 2];
    }
    for (int64_t c = 0; c < channels; ++c)
      sum.take(spec.input.elem, inside ? x : nullptr, xi + (group * channels + c) * spec.input.channel_stride,
               spec.weights_elem, w, wi + c * spec.weight_strides[1]);
  }
  return sum;
}

Case conv_case(const std::string& name, const ConvShape& s, const Simd& simd, std::mt19937& random) {
  Case c;
  c.name = name;
  c.acc = s.acc;
  std::vector<int64_t> dims{s.batch};
  dims.insert(dims.end(), s.in.begin(), s.in.end());
  dims.push_back(s.in_channels);
  const Layout x = random_layout(dims, {}, s.shuffle, random);
  std::vector<int64_t> weight_dims{s.out_channels, s.in_channels / s.groups};
  weight_dims.insert(weight_dims.end(), s.kernel.begin(), s.kernel.end());
  Layout w = random_layout(weight_dims, {}, s.shuffle, random);
  w.elements -= w.offset; // weights have no offset
  const ConvSpec spec = conv_spec(s, x, w);
  c.out_dims = {s.batch};
  c.out_dims.insert(c.out_dims.end(), spec.out_size.begin(), spec.out_size.end());
  c.out_dims.push_back(s.out_channels);
  c.printed = print_conv(spec, c.symbol(), storing(c.out_dims, s.acc), simd, 2);
  c.buffers.push_back(random_buffer(s.elem, x.elements, random));
  c.buffers.push_back(random_buffer(s.elem, w.elements, random));
  if (s.infinite_weight) static_cast<float*>(c.buffers[b_buffer].data())[0] = std::numeric_limits<float>::infinity();
  c.buffers.emplace_back(static_cast<size_t>(c.printed.packed_bytes));
  pack_conv(spec, c.buffers[b_buffer].data(), c.buffers[packed_buffer].data(), simd);
  add_outputs(c);
  c.reference = [spec, px = c.buffers[a_buffer].data(), pw = c.buffers[b_buffer].data()](
                    const std::vector<int64_t>& at) { return conv_sum(spec, px, pw, at); };
  return c;
}

std::vector<int64_t> indices_of(int64_t number, const std::vector<int64_t>& dims) {
  std::vector<int64_t> at(dims.size());
  for (size_t i = dims.size(); i-- > 0; number /= dims[i]) at[i] = number % dims[i];
  return at;
}

// All units in pieces, in random order, each over scratch full of NaN.
void run_in_pieces(const Case& c, KernelFunction kernel, std::mt19937& random) {
  std::vector<void*> pointers;
  for (const Guarded& b : c.buffers) pointers.push_back(b.data());
  std::vector<std::pair<long, long>> pieces;
  for (long at = 0; at < c.printed.units;) {
    const long end = std::min<long>(at + 1 + static_cast<long>(random() % 3), c.printed.units);
    pieces.emplace_back(at, end);
    at = end;
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  for (auto [begin, end] : pieces) {
    const Guarded scratch(static_cast<size_t>((c.printed.scratch_bytes + 63) / 64 * 64));
    std::memset(scratch.data(), 0xff, scratch.size());
    kernel(pointers.data(), begin, end, scratch.data());
  }
}

void check_case(const Case& c, KernelFunction kernel, std::mt19937& random) {
  ASSERT_TRUE(kernel) << c.name;
  run_in_pieces(c, kernel, random);
  const auto* number = static_cast<const int64_t*>(c.buffers[number_buffer].data());
  for (int64_t i = 0; i < product(c.out_dims); ++i) {
    ASSERT_EQ(number[i], i + 1) << c.name << ": element " << i << " stored by another's index, or not once\n"
                                << c.printed.loop_nest;
    const Sum want = c.reference(indices_of(i, c.out_dims));
    ASSERT_TRUE(want.equals(c.buffers[out_buffer].data(), i))
        << c.name << ": element " << i << " should be " << want.str() << ", is "
        << read_as_double(c.acc, c.buffers[out_buffer].data(), i) << "\n"
        << c.printed.loop_nest;
  }
}

void check_nest(const Case& c) {
  size_t from = 0;
  while (from < c.printed.loop_nest.size()) {
    const size_t end = c.printed.loop_nest.find('\n', from);
    ASSERT_LE(end - from, 40u) << c.printed.loop_nest;
    from = end + 1;
  }
}

void check_all(const std::vector<Case>& cases, std::mt19937& random) {
  if (find_clang().empty()) GTEST_SKIP() << "no clang-19, and CUTAWAY_CLANG names none";
  std::vector<std::string> units{prelude(), prelude()};
  for (size_t i = 0; i < cases.size(); ++i) units[i % 2] += cases[i].printed.text;
  const Library library(units, "-O2 -march=native -ffp-contract=off");
  ASSERT_EQ(library.error, "");
  for (const Case& c : cases) {
    check_nest(c);
    check_case(c, library.find(c.symbol()), random);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(contraction, matmul_equals_the_scalar_loop) {
  std::mt19937 random(11);
  std::vector<Case> cases;
  const auto add = [&](const MatmulShape& s, const Simd& simd) {
    cases.push_back(matmul_case(fmt::format("matmul{}", cases.size()), s, simd, random));
  };
  add({{}, 128, 192, 77}, wide);
  add({{}, 49, 67, 1600}, wide);                                                       // depth in blocks
  add({{}, 310, 64, 37, Elem::f32, Elem::f32, true, false, {}, {}, {6, 4, 10}}, wide); // blocks and super blocks
  add({{}, 31, 45, 29}, narrow);
  add({{}, 1, 300, 130}, wide);
  add({{}, 1, 41, 64}, narrow);
  add({{}, 50, 1, 19}, wide);
  add({{}, 7, 5, 0}, wide);
  add({{}, 0, 5, 3}, wide);
  add({{2}, 3, 0, 4}, wide);
  add({{2, 3}, 13, 33, 21, Elem::f32, Elem::f32, true, true}, wide);
  add({{2, 3}, 17, 20, 9, Elem::f32, Elem::f32, true, true, {}, {true, true}}, narrow);
  add({{3, 2}, 1, 70, 23, Elem::f32, Elem::f32, true, false, {}, {true, true}}, wide);
  add({{}, 23, 30, 18, Elem::f64, Elem::f64}, wide);
  add({{}, 23, 30, 18, Elem::f16, Elem::f32}, wide);
  add({{}, 19, 70, 21, Elem::u8, Elem::i32}, wide);
  add({{2}, 9, 11, 15, Elem::i64, Elem::i64}, narrow);
  add({{2}, 9, 11, 15, Elem::i16, Elem::u32, true, true}, narrow);
  check_all(cases, random);
}

TEST(contraction, matmul_of_two_variables_equals_the_scalar_loop) {
  std::mt19937 random(12);
  std::vector<Case> cases;
  for (int i = 0; i < 16; ++i) {
    MatmulShape s{{},
                  1 + static_cast<int64_t>(random() % 50),
                  1 + static_cast<int64_t>(random() % 90),
                  1 + static_cast<int64_t>(random() % 80)};
    s.packed = false;
    s.shuffle = i % 4 != 0;
    if (i % 3) s.batch = {2, 3};
    if (i % 5 == 1) s.a_broadcast = {false, true}, s.b_broadcast = {true, false};
    if (i % 7 == 3) s.tile.depth = 20;
    if (i == 5) s.elem = s.acc = Elem::f64;
    if (i == 6) s.elem = Elem::bf16;
    if (i == 7) s.elem = Elem::u8, s.acc = Elem::u32;
    cases.push_back(matmul_case(fmt::format("free{}", i), s, i % 2 ? wide : narrow, random));
  }
  MatmulShape decode{{2}, 1, 150, 70};
  decode.packed = false;
  cases.push_back(matmul_case("decode", decode, wide, random));
  MatmulShape empty{{2}, 5, 6, 0, Elem::f16};
  empty.packed = false;
  cases.push_back(matmul_case("empty", empty, wide, random));
  check_all(cases, random);
}

TEST(contraction, convolution_equals_the_scalar_loop) {
  std::mt19937 random(13);
  std::vector<Case> cases;
  const auto add = [&](const ConvShape& s, const Simd& simd) {
    cases.push_back(conv_case(fmt::format("conv{}", cases.size()), s, simd, random));
  };
  add({1, {9, 11}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1, 20, 70}, wide);
  add({2, {10, 13}, {3, 2}, {2, 1}, {1, 2}, {2, 0}, {0, 3}, 1, 17, 24}, wide);
  add({1, {8, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1, 24, 40, Elem::f32, Elem::f32, false, {6, 2, 100}}, wide);
  add({1, {8, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1, 24, 40, Elem::f32, Elem::f32, false, {6, 2, 30}}, narrow);
  add({1, {8, 9}, {2, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1, 24, 40, Elem::f32, Elem::f32, false, {6, 2, 10}}, narrow);
  add({1, {23, 31}, {7, 7}, {2, 2}, {1, 1}, {3, 3}, {3, 3}, 1, 3, 64}, wide); // stem
  add({2, {12, 10}, {3, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1}, 1, 3, 33}, narrow);
  add({2, {7, 9}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1, 32, 48}, wide);
  add({2, {7, 9}, {1, 1}, {2, 3}, {1, 1}, {0, 0}, {0, 0}, 1, 19, 48}, wide);
  add({2, {9, 8}, {3, 3}, {1, 2}, {1, 1}, {1, 1}, {1, 1}, 4, 12, 20}, wide);
  add({1, {9, 8}, {3, 3}, {1, 1}, {2, 1}, {1, 1}, {1, 1}, 5, 5, 15}, wide); // depth multiplier
  add({1, {8, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1, 6, 18, Elem::f32, Elem::f32, true}, wide);
  add({2, {8, 7}, {3, 3}, {1, 1}, {2, 2}, {2, 2}, {2, 1}, 2, 6, 18, Elem::f32, Elem::f32, true}, wide);
  add({2, {19}, {5}, {2}, {1}, {2}, {1}, 1, 21, 35}, wide);
  add({1, {4, 6, 5}, {2, 3, 3}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, 1, 18, 20}, wide);
  add({2, {4, 6, 5}, {3, 3, 2}, {1, 1, 1}, {1, 1, 2}, {1, 1, 1}, {1, 1, 1}, 1, 4, 20}, wide);
  add({1, {8, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1, 16, 20, Elem::f16, Elem::f32}, wide);
  add({1, {8, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1, 5, 20, Elem::i8, Elem::i32}, wide);
  add({1, {8, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 2, 10, 20, Elem::f64, Elem::f64}, narrow);
  add({1, {5, 5}, {3, 3}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, 1, 18, 20, Elem::f32, Elem::f32, false, {}, true}, wide);
  add({1, {2, 2}, {5, 5}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1, 18, 20}, wide); // nothing fits
  add({1, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {5, 5}, {5, 5}, 1, 17, 20}, wide); // windows wholly outside
  check_all(cases, random);
}

TEST(contraction, depthwise_equals_the_scalar_loop) {
  std::mt19937 random(14);
  std::vector<Case> cases;
  const auto add = [&](const ConvShape& s, const Simd& simd) {
    cases.push_back(conv_case(fmt::format("depthwise{}", cases.size()), s, simd, random));
  };
  add({1, {14, 28}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 40, 40, 40}, wide);
  add({2, {11, 23}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, 24, 24, 24}, wide);
  add({1, {9, 15}, {5, 5}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, 19, 19, 19}, narrow);
  add({1, {9, 12}, {3, 2}, {1, 3}, {2, 2}, {0, 1}, {1, 0}, 7, 7, 7}, wide);
  add({1, {6, 9}, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 600, 600, 600}, wide);
  add({1, {17}, {4}, {1}, {1}, {3}, {0}, 33, 33, 33}, wide);
  add({1, {3, 5, 6}, {2, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, 18, 18, 18}, wide);
  add({2, {6, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 10, 10, 10, Elem::f32, Elem::f32, true}, wide);
  add({1, {6, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 10, 10, 10, Elem::f16, Elem::f32}, wide);
  add({1, {6, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 300, 300, 300, Elem::u8, Elem::i32}, wide);
  add({1, {6, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 11, 11, 11, Elem::f64, Elem::f64}, wide);
  add({1, {6, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 20, 20, 20, Elem::f32, Elem::f32, false, {}, true}, wide);
  add({1, {0, 7}, {1, 3}, {1, 1}, {1, 1}, {0, 1}, {0, 1}, 20, 20, 20}, wide);
  check_all(cases, random);
}

TEST(contraction, tiles_are_ranked_and_fit_the_registers) {
  const MatmulSpec spec{{}, 128, 3072, 768, {0, Elem::f32, {}, 768, 1, 0}, {1, Elem::f32, {}, 3072, 1, 0}, true};
  const auto tiles = matmul_tiles(spec, wide);
  ASSERT_FALSE(tiles.empty());
  EXPECT_EQ(tiles.front().predicted, 1.0);
  for (size_t i = 0; i < tiles.size(); ++i) {
    EXPECT_LE(tiles[i].tile.rows * tiles[i].tile.vectors + tiles[i].tile.vectors + 2, wide.registers);
    EXPECT_GE(tiles[i].predicted, tiles[i ? i - 1 : 0].predicted);
  }
}

TEST(contraction, many_panels_are_cut_by_columns_and_few_by_rows) {
  const Epilogue nothing([](const std::string&, const std::vector<std::string>&) { return std::string(); });
  const MatmulSpec ffn{{}, 128, 3072, 768, {0, Elem::f32, {}, 768, 1, 0}, {1, Elem::f32, {}, 3072, 1, 0}, true};
  const Printed by_columns = print_matmul(ffn, "f", nothing, wide, 2);
  EXPECT_NE(by_columns.loop_nest.find("panels cut in"), std::string::npos) << by_columns.loop_nest;
  EXPECT_EQ(by_columns.loop_nest.find("row tiles cut in"), std::string::npos) << by_columns.loop_nest;
  EXPECT_GE(by_columns.units, 4);
  const MatmulSpec tall{{}, 3136, 64, 64, {0, Elem::f32, {}, 64, 1, 0}, {1, Elem::f32, {}, 64, 1, 0}, true};
  const Printed by_rows = print_matmul(tall, "f", nothing, wide, 2);
  EXPECT_NE(by_rows.loop_nest.find("row tiles cut in"), std::string::npos) << by_rows.loop_nest;
  EXPECT_GE(by_rows.units, 4);
}

} // namespace
} // namespace cutaway::codegen::testing
