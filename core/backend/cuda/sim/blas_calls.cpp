// cuBLASLt's calls on the simulated device: products by plain loops, in the streams' order.
#include "backend/cuda/blas_calls.h"
#include "backend/cuda/sim/library_work.h"

#include <cstring>

namespace cutaway::cuda {

namespace sim {

namespace {

struct Layout {
  int type = CUDA_R_32F, order = 0, count = 1;
  int64_t rows = 0, columns = 0, pitch = 0, apart = 0;

  int64_t element() const { return type == CUDA_R_32F ? 4 : 2; }
  int64_t bytes() const { return ((count - 1) * apart + (rows - 1) * pitch + columns) * element(); }
  friend bool operator==(const Layout&, const Layout&) = default;
};
struct Desc {
  int transpose[2] = {CUBLAS_OP_N, CUBLAS_OP_N};
};

Layout& of(BlasLayout p) { return *reinterpret_cast<Layout*>(p); }
Desc& of(BlasDesc p) { return *reinterpret_cast<Desc*>(p); }

LibraryType type_of(const Layout& l) { return l.type == CUDA_R_32F ? LibraryType::f32 : l.type == CUDA_R_16F ? LibraryType::f16 : LibraryType::bf16; }
int64_t at(const Layout& l, int64_t batch, int64_t row, int64_t column) { return batch * l.apart + row * l.pitch + column; }
float get(const Layout& l, const std::byte* base, int64_t batch, int64_t row, int64_t column) { return get_number(type_of(l), base, at(l, batch, row, column)); }

struct Multiply {
  Desc desc;
  Layout a, b, d;
  const std::byte *a_at, *b_at;
  std::byte* d_at;

  bool transposed(int side) const { return desc.transpose[side] == CUBLAS_OP_T; }
  int64_t depth() const { return transposed(0) ? a.rows : a.columns; }
  bool fits() const {
    return (transposed(0) ? a.columns : a.rows) == d.rows && (transposed(1) ? b.rows : b.columns) == d.columns && (transposed(1) ? b.columns : b.rows) == depth() && a.count == d.count && b.count == d.count &&
           a.order == CUBLASLT_ORDER_ROW && b.order == CUBLASLT_ORDER_ROW && d.order == CUBLASLT_ORDER_ROW;
  }
  void run() const {
    for (int64_t z = 0; z < d.count; ++z)
      for (int64_t m = 0; m < d.rows; ++m)
        for (int64_t n = 0; n < d.columns; ++n) {
          float sum = 0;
          for (int64_t k = 0; k < depth(); ++k) sum += (transposed(0) ? get(a, a_at, z, k, m) : get(a, a_at, z, m, k)) * (transposed(1) ? get(b, b_at, z, n, k) : get(b, b_at, z, k, n));
          put_number(type_of(d), d_at, at(d, z, m, n), sum);
        }
  }
};

size_t version() { return 130000; }
BlasStatus create(Call&, BlasHandle* out) { return make<char>(out, 0); }
BlasStatus destroy(BlasHandle h) { return drop<char>(h); }
BlasStatus desc_create(BlasDesc* out, int, int) { return make(out, Desc()); }
BlasStatus desc_set(BlasDesc d, int attribute, const void* value, size_t bytes) {
  if (bytes != sizeof(int) || (attribute != CUBLASLT_MATMUL_DESC_TRANSA && attribute != CUBLASLT_MATMUL_DESC_TRANSB)) return blas_invalid_value;
  std::memcpy(&of(d).transpose[attribute == CUBLASLT_MATMUL_DESC_TRANSB], value, bytes);
  return 0;
}
BlasStatus layout_create(BlasLayout* out, int type, uint64_t rows, uint64_t columns, int64_t pitch) {
  Layout l;
  l.type = type, l.rows = int64_t(rows), l.columns = int64_t(columns), l.pitch = pitch;
  return make(out, l);
}
BlasStatus layout_set(BlasLayout handle, int attribute, const void* value, size_t bytes) {
  Layout& l = of(handle);
  void* to = nullptr;
  size_t size = sizeof(int);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_ORDER) to = &l.order;
  else if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) to = &l.count;
  else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) to = &l.apart, size = sizeof l.apart;
  if (!to || bytes != size) return blas_invalid_value;
  std::memcpy(to, value, size);
  return 0;
}
BlasStatus preference_create(BlasPreference* out) { return make<char>(out, 0); }
BlasStatus preference_set(BlasPreference, int attribute, const void*, size_t bytes) {
  return attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES && bytes == sizeof(uint64_t) ? 0 : blas_invalid_value;
}
BlasStatus heuristic(Call&, BlasHandle, BlasDesc desc, BlasLayout a, BlasLayout b, BlasLayout c, BlasLayout d, BlasPreference, int wanted, BlasHeuristic* results, int* found) {
  const Multiply product{of(desc), of(a), of(b), of(d), nullptr, nullptr, nullptr};
  *found = wanted > 0 && product.fits() && of(c) == of(d);
  if (*found) results[0] = {};
  return *found ? 0 : blas_not_supported;
}

BlasStatus matmul(Call& call, BlasHandle, BlasDesc desc, const void*, const void* a, BlasLayout la, const void* b, BlasLayout lb, const void*, const void*, BlasLayout, void* d, BlasLayout ld, const BlasAlgorithm*,
                  void*, size_t, CUstream stream) {
  const Multiply product{of(desc), of(la), of(lb), of(ld), static_cast<const std::byte*>(a), static_cast<const std::byte*>(b), static_cast<std::byte*>(d)};
  if (!product.fits()) return blas_invalid_value;
  std::vector<Range> touches;
  for (const auto& [from, layout] : {std::pair{a, &product.a}, {b, &product.b}, {static_cast<const void*>(d), &product.d}}) touches.push_back({CUdeviceptr(from), CUdeviceptr(from) + size_t(layout->bytes()), false});
  const double flops = 2.0 * double(product.d.count) * double(product.d.rows) * double(product.d.columns) * double(product.depth());
  return post_routine(call, stream, "product", std::move(touches), flops, [product] { product.run(); }) == CUDA_SUCCESS ? 0 : blas_execution_failed;
}

} // namespace

BlasCalls blas_calls() {
  BlasCalls c;
  c.version = version;
  c.destroy = destroy;
  c.desc_create = desc_create, c.desc_set = desc_set, c.desc_destroy = drop<Desc, BlasDesc>;
  c.layout_create = layout_create, c.layout_set = layout_set, c.layout_destroy = drop<Layout, BlasLayout>;
  c.preference_create = preference_create, c.preference_set = preference_set, c.preference_destroy = drop<char, BlasPreference>;
  put<"cublasLtCreate", Scope::context, create>(c.create);
  put<"cublasLtMatmulAlgoGetHeuristic", Scope::context, heuristic>(c.heuristic);
  put<"cublasLtMatmul", Scope::context, matmul>(c.matmul);
  return c;
}

} // namespace sim

} // namespace cutaway::cuda
