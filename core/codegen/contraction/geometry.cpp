#include "codegen/contraction/geometry.h"

#include "base/check.h"

namespace cutaway::codegen {

Geometry geometry_of(const ConvSpec& s) {
  const size_t rank = s.in_size.size();
  CUTAWAY_CHECK(rank >= 1 && rank <= 3, "convolution: spatial rank 1 to 3");
  CUTAWAY_CHECK(s.out_size.size() == rank && s.kernel.size() == rank && s.stride.size() == rank &&
                    s.dilation.size() == rank && s.pad_begin.size() == rank && s.input.spatial_strides.size() == rank,
                "convolution: one entry a spatial dim");
  CUTAWAY_CHECK(s.groups > 0 && s.in_channels % s.groups == 0 && s.out_channels % s.groups == 0,
                "convolution: groups divide the channels");
  CUTAWAY_CHECK(is_accumulator(s.acc), "convolution: sums of 32 or 64 bits");
  Geometry g;
  g.rank = rank;
  g.batch = s.batch;
  g.groups = s.groups;
  g.channels = s.in_channels / s.groups;
  g.outputs = s.out_channels / s.groups;
  for (size_t i = 0; i < rank; ++i) {
    const size_t d = i + 3 - rank;
    g.in[d] = s.in_size[i];
    g.out[d] = s.out_size[i];
    g.kernel[d] = s.kernel[i];
    g.stride[d] = s.stride[i];
    g.dilation[d] = s.dilation[i];
    g.pad[d] = s.pad_begin[i];
    g.pitch[d] = s.input.spatial_strides[i];
    CUTAWAY_CHECK(s.stride[i] > 0 && s.dilation[i] > 0 && s.kernel[i] > 0 && s.in_size[i] >= 0 && s.out_size[i] >= 0,
                  "convolution: sizes");
  }
  return g;
}

bool is_depthwise(const Geometry& g) {
  return g.groups > 1 && g.channels == 1 && g.outputs == 1;
}

bool takes_band(const ConvSpec& s, const Geometry& g) {
  if (s.input.elem != s.acc || (s.input.channel_stride != 1 && g.channels > 1)) return true;
  // Border tiles walk tap by tap, which is slow where a tap is only a few channels.
  return g.misses() && g.channels < 16 && g.groups == 1;
}

Extent extent_of(const ConvSpec& s, const Geometry& g) {
  const bool band = takes_band(s, g);
  Extent e;
  e.z = g.groups * (band ? g.batch * g.out[0] : 1);
  e.rows = band ? g.out[1] * g.out[2] : g.batch * g.pixels();
  e.cols = g.outputs;
  e.kernel_rows = g.kernel_rows();
  e.kernel_cols = g.kernel[2];
  e.channels = g.channels;
  e.acc = s.acc;
  e.a_bytes = static_cast<double>(g.batch * g.in[0] * g.in[1] * g.in[2] * s.in_channels * elem_bytes(s.input.elem));
  e.b_bytes = static_cast<double>(g.taps() * g.channels * s.out_channels * elem_bytes(s.acc));
  return e;
}

std::vector<std::string> outer_indices(const Geometry& g, const std::string& n, const std::array<std::string, 3>& o) {
  std::vector<std::string> names{n};
  for (size_t d = 3 - g.rank; d < 3; ++d) names.push_back(o[d]);
  return names;
}

} // namespace cutaway::codegen
