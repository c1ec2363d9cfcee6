#include "backend/cuda/blas.h"

#include "backend/cuda/library_files.h"
#include "backend/cuda/sim/sim.h"

namespace cutaway::cuda {

namespace {

int type_code(LibraryType type) {
  return type == LibraryType::f32 ? CUDA_R_32F : type == LibraryType::f16 ? CUDA_R_16F : CUDA_R_16BF;
}

} // namespace

Result<BlasCalls> load_blas(const std::string& cuda_path) {
  BlasCalls calls;
  if (Status s = load_library({"cuBLASLt", {"libcublasLt.so.13", "libcublasLt.so.12"}, "12 or 13"}, cuda_path, [&](auto&& entry) { each_blas_call(calls, entry); }); !s) return s.error();
  return calls;
}

Result<std::shared_ptr<const Blas>> Blas::open(std::shared_ptr<const Device> device) {
  auto calls = device->modelled() ? Result<BlasCalls>(sim::blas_calls()) : load_blas();
  if (!calls) return calls.error();
  std::shared_ptr<Blas> blas(new Blas(std::move(device), *calls));
  if (Status s = blas->device_->bind(); !s) return s.error();
  if (Status s = blas->check(calls->create(&blas->handle_), "cublasLtCreate"); !s) return s.error();
  return std::shared_ptr<const Blas>(std::move(blas));
}

Blas::~Blas() {
  if (!handle_) return;
  (void)device_->bind();
  calls_.destroy(handle_);
}

std::string Blas::name() const {
  const size_t version = calls_.version(); // 130000 or, of old ones, 120103
  return "cuBLASLt " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
}

Status Blas::check(BlasStatus status, const char* call) const {
  if (status == 0) return {};
  return unsupported("cuBLASLt", std::string(call) + " answers " + std::to_string(status), "use --set libraries=off");
}

// Rows follow each other; a side whose columns do is described as what it is the transpose of.
Status Blas::lay_out(BlasLayout& layout, LibraryType type, int64_t rows, int64_t columns, const Product::Side& side, int64_t batch, bool& transposed) const {
  transposed = side.column != 1;
  const int64_t pitch = std::max<int64_t>(transposed ? side.column : side.row, transposed ? rows : columns);
  if (transposed) std::swap(rows, columns);
  if (Status s = check(calls_.layout_create(&layout, type_code(type), uint64_t(rows), uint64_t(columns), pitch), "cublasLtMatrixLayoutCreate"); !s) return s;
  const int order = CUBLASLT_ORDER_ROW, count = int(batch);
  const int64_t apart = side.batch;
  for (const auto& [attribute, value, bytes] : {std::tuple<int, const void*, size_t>{CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order}, {CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count}, {CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &apart, sizeof apart}})
    if (Status s = check(calls_.layout_set(layout, attribute, value, bytes), "cublasLtMatrixLayoutSetAttribute"); !s) return s;
  return {};
}

Status Blas::choose(BlasProduct& p) const {
  BlasPreference preference = nullptr;
  if (Status s = check(calls_.preference_create(&preference), "cublasLtMatmulPreferenceCreate"); !s) return s;
  const uint64_t workspace = 0;
  BlasHeuristic best{};
  int found = 0;
  Status s = check(calls_.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace), "cublasLtMatmulPreferenceSetAttribute");
  if (s) s = check(calls_.heuristic(handle_, p.desc_, p.a_, p.b_, p.out_, p.out_, preference, 1, &best, &found), "cublasLtMatmulAlgoGetHeuristic");
  calls_.preference_destroy(preference);
  if (s && (found == 0 || best.state != 0)) s = unsupported("cuBLASLt", "it has no algorithm for this product", "");
  p.algorithm_ = best.algorithm;
  return s;
}

Result<std::shared_ptr<const LibraryCall>> Blas::prepare(const Product& p) const {
  if (Status s = device_->bind(); !s) return s.error();
  std::shared_ptr<BlasProduct> made(new BlasProduct(shared_from_this()));
  bool a_transposed = false, b_transposed = false, out_transposed = false;
  Status s = check(calls_.desc_create(&made->desc_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
  if (s) s = lay_out(made->a_, p.type, p.m, p.k, p.a, p.batch, a_transposed);
  if (s) s = lay_out(made->b_, p.type, p.k, p.n, p.b, p.batch, b_transposed);
  if (s) s = lay_out(made->out_, p.type, p.m, p.n, p.out, p.batch, out_transposed);
  if (s && out_transposed) s = unsupported("cuBLASLt", "the result's columns do not follow each other", "");
  for (const auto& [attribute, transposed] : {std::pair{CUBLASLT_MATMUL_DESC_TRANSA, a_transposed}, {CUBLASLT_MATMUL_DESC_TRANSB, b_transposed}}) {
    const int operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    if (s) s = check(calls_.desc_set(made->desc_, attribute, &operation, sizeof operation), "cublasLtMatmulDescSetAttribute");
  }
  if (s) s = choose(*made);
  if (!s) return s.error();
  return std::shared_ptr<const LibraryCall>(std::move(made));
}

BlasProduct::~BlasProduct() {
  (void)blas_->device_->bind();
  for (const BlasLayout layout : {a_, b_, out_})
    if (layout) blas_->calls_.layout_destroy(layout);
  if (desc_) blas_->calls_.desc_destroy(desc_);
}

Status BlasProduct::launch(CUdeviceptr a, CUdeviceptr b, CUdeviceptr out, CUstream stream) const {
  const float one = 1, zero = 0;
  const auto at = [](CUdeviceptr p) { return reinterpret_cast<void*>(p); };
  return blas_->check(blas_->calls_.matmul(blas_->handle_, desc_, &one, at(a), a_, at(b), b_, &zero, at(out), out_, at(out), out_, &algorithm_, nullptr, 0, stream), "cublasLtMatmul");
}

} // namespace cutaway::cuda
