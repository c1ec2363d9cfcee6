#pragma once
#include "backend/cuda/abi.h"

#include <cstddef>
#include <cstdint>

namespace cutaway::cuda {

// What is used of cuBLASLt, after its headers of CUDA 12 and 13 (cublasLt.h, cublas_api.h, library_types.h).
using BlasStatus = int; // 0: success
constexpr BlasStatus blas_not_initialized = 1, blas_invalid_value = 7, blas_execution_failed = 13, blas_not_supported = 15;

enum BlasType : int { CUDA_R_32F = 0, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
constexpr int CUBLAS_COMPUTE_32F = 68; // sums in f32, no tf32
constexpr int CUBLAS_OP_N = 0, CUBLAS_OP_T = 1;
constexpr int CUBLASLT_MATMUL_DESC_TRANSA = 3, CUBLASLT_MATMUL_DESC_TRANSB = 4;
constexpr int CUBLASLT_MATRIX_LAYOUT_ORDER = 1, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6;
constexpr int CUBLASLT_ORDER_ROW = 1;
constexpr int CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1;

struct BlasHandleTag;
struct BlasDescTag;
struct BlasLayoutTag;
struct BlasPreferenceTag;
using BlasHandle = BlasHandleTag*;
using BlasDesc = BlasDescTag*;
using BlasLayout = BlasLayoutTag*;
using BlasPreference = BlasPreferenceTag*;

struct BlasAlgorithm {
  uint64_t data[8];
};
struct BlasHeuristic {
  BlasAlgorithm algorithm;
  size_t workspace;
  BlasStatus state;
  float waves;
  int reserved[4];
};

// Null where the library lacks an entry.
struct BlasCalls {
  size_t (*version)() = nullptr; // 130000 is 13.0
  BlasStatus (*create)(BlasHandle*) = nullptr;
  BlasStatus (*destroy)(BlasHandle) = nullptr;
  BlasStatus (*desc_create)(BlasDesc*, int compute, int scale) = nullptr;
  BlasStatus (*desc_set)(BlasDesc, int attribute, const void* value, size_t bytes) = nullptr;
  BlasStatus (*desc_destroy)(BlasDesc) = nullptr;
  BlasStatus (*layout_create)(BlasLayout*, int type, uint64_t rows, uint64_t columns, int64_t pitch) = nullptr;
  BlasStatus (*layout_set)(BlasLayout, int attribute, const void* value, size_t bytes) = nullptr;
  BlasStatus (*layout_destroy)(BlasLayout) = nullptr;
  BlasStatus (*preference_create)(BlasPreference*) = nullptr;
  BlasStatus (*preference_set)(BlasPreference, int attribute, const void* value, size_t bytes) = nullptr;
  BlasStatus (*preference_destroy)(BlasPreference) = nullptr;
  BlasStatus (*heuristic)(BlasHandle, BlasDesc, BlasLayout a, BlasLayout b, BlasLayout c, BlasLayout d, BlasPreference, int wanted, BlasHeuristic* results, int* found) = nullptr;
  BlasStatus (*matmul)(BlasHandle, BlasDesc, const void* alpha, const void* a, BlasLayout, const void* b, BlasLayout, const void* beta, const void* c, BlasLayout, void* d, BlasLayout, const BlasAlgorithm*,
                       void* workspace, size_t workspace_bytes, CUstream) = nullptr;
};

// Visits them as visit("cublasLtCreate", calls.create).
template <class Visit> void each_blas_call(BlasCalls& c, Visit&& visit) {
  visit("cublasLtGetVersion", c.version);
  visit("cublasLtCreate", c.create);
  visit("cublasLtDestroy", c.destroy);
  visit("cublasLtMatmulDescCreate", c.desc_create);
  visit("cublasLtMatmulDescSetAttribute", c.desc_set);
  visit("cublasLtMatmulDescDestroy", c.desc_destroy);
  visit("cublasLtMatrixLayoutCreate", c.layout_create);
  visit("cublasLtMatrixLayoutSetAttribute", c.layout_set);
  visit("cublasLtMatrixLayoutDestroy", c.layout_destroy);
  visit("cublasLtMatmulPreferenceCreate", c.preference_create);
  visit("cublasLtMatmulPreferenceSetAttribute", c.preference_set);
  visit("cublasLtMatmulPreferenceDestroy", c.preference_destroy);
  visit("cublasLtMatmulAlgoGetHeuristic", c.heuristic);
  visit("cublasLtMatmul", c.matmul);
}

} // namespace cutaway::cuda
