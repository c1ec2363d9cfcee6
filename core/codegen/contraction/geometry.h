#pragma once
#include "codegen/contraction/kernel.h"

#include <array>

namespace cutaway::codegen {

// A convolution of any rank seen as one of rank 3 (leading dims of extent 1), with the facts that choose its path.
struct Geometry {
  using Dims = std::array<int64_t, 3>;
  Dims in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, pad{0, 0, 0};
  Dims pitch{0, 0, 0}; // elements of the input
  int64_t batch = 1, groups = 1;
  int64_t channels = 0, outputs = 0; // of a group
  size_t rank = 2;

  int64_t pixels() const { return out[0] * out[1] * out[2]; }
  int64_t kernel_rows() const { return kernel[0] * kernel[1]; }
  int64_t taps() const { return kernel_rows() * kernel[2]; }
  int64_t span(int d) const { return (kernel[d] - 1) * dilation[d] + 1; } // what a kernel covers of dim d
  bool misses(int d) const { return pad[d] > 0 || (out[d] - 1) * stride[d] - pad[d] + span(d) > in[d]; }
  bool misses() const { return misses(0) || misses(1) || misses(2); } // some tap falls outside the image
  bool pointwise() const { return taps() == 1 && !misses(); }
};

// Checks the spec (rank, sizes, groups).
Geometry geometry_of(const ConvSpec& spec);

// groups == in_channels and one output each: no sharing of inputs between outputs, a loop of its own.
bool is_depthwise(const Geometry& g);
Printed print_depthwise(const ConvSpec& spec, const Geometry& g, const std::string& symbol, const Epilogue& epilogue,
                        const Simd& simd, int threads);

// Whether units copy a band of input rows, padded and with adjacent channels, rather than point into the image.
bool takes_band(const ConvSpec& spec, const Geometry& g);
Extent extent_of(const ConvSpec& spec, const Geometry& g);

// The spec's spatial dims out of three names; leads with the batch name.
std::vector<std::string> outer_indices(const Geometry& g, const std::string& n, const std::array<std::string, 3>& o);

} // namespace cutaway::codegen
