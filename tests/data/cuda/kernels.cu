// Kernels of the dialect (base/prelude/cuda/prelude.h) for the tests of NVRTC and of the simulated driver.
CW_KERNEL(vec_add, 256)(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = a[i] + b[i];
}
CW_KERNEL(reduce, 256)(const float* __restrict__ a, float* total, int n) {
    CW_SHARED(float, part, 0);
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, part[0]);
}
CW_KERNEL(softmax, 128)(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {  // a warp a row
    int row = blockIdx.x * 4 + threadIdx.x / 32, l = threadIdx.x % 32;
    if (row >= rows) return;
    x += row * cols; y += row * cols;
    float top = -3e38f, sum = 0;
    for (int i = l; i < cols; i += 32) top = fmaxf(top, x[i]);
    for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    for (int i = l; i < cols; i += 32) sum += expf(x[i] - top);
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
    sum = __shfl_sync(0xffffffffu, sum, 0);
    for (int i = l; i < cols; i += 32) y[i] = expf(x[i] - top) / sum;
}
CW_KERNEL(gemm, 256)(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int k) {
    CW_SHARED(float, as, 0);                           // 16 x 64, A transposed
    CW_SHARED(float, bs, 4096);                        // 16 x 64
    int t = threadIdx.x, tx = t % 16 * 4, ty = t / 16 * 4;
    const float* pa = a + (blockIdx.y * 64 + t / 4) * k + t % 4 * 4;
    const float* pb = b + t / 16 * n + blockIdx.x * 64 + t % 16 * 4;
    float d[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        float4 va = *reinterpret_cast<const float4*>(pa + k0), vb = *reinterpret_cast<const float4*>(pb + k0 * n);
        float* to = as + t % 4 * 4 * 64 + t / 4;
        to[0] = va.x; to[64] = va.y; to[128] = va.z; to[192] = va.w;
        *reinterpret_cast<float4*>(bs + t * 4) = vb;
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            float4 u = *reinterpret_cast<const float4*>(as + i * 64 + ty), v = *reinterpret_cast<const float4*>(bs + i * 64 + tx);
            float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
            for (int y = 0; y < 4; ++y)
                for (int x = 0; x < 4; ++x) d[y][x] += us[y] * vs[x];
        }
        __syncthreads();
    }
    for (int y = 0; y < 4; ++y)
        *reinterpret_cast<float4*>(c + (blockIdx.y * 64 + ty + y) * n + blockIdx.x * 64 + tx) = make_float4(d[y][0], d[y][1], d[y][2], d[y][3]);
}
CW_FN u32 pair_at(const bf16* tile, u32 row, u32 col) { return *reinterpret_cast<const u32*>(tile + row * 16 + col); }
CW_KERNEL(gemm_bf16, 128)(const bf16* __restrict__ a, const bf16* __restrict__ bt, float* __restrict__ c, int n, int k) {
    CW_SHARED(bf16, tile, 0);                          // two stages of A 32 x 16 and B-transposed 32 x 16
    u32 t = threadIdx.x, w = t >> 5, g = (t & 31) >> 2, q = (t & 3) * 2, side = t >> 6, row = (t & 63) >> 1, col = (t & 1) * 8;
    const bf16* from = side ? bt + (blockIdx.x * 32 + row) * k + col : a + (blockIdx.y * 32 + row) * k + col;
    bf16* to = tile + side * 512 + row * 16 + col;
    float d[2][4] = {};
    grid_dependency_wait();
    cp_async16(to, from);
    cp_async_commit();
    for (int k0 = 0; k0 < k; k0 += 16) {
        u32 stage = k0 / 16 % 2 * 1024;
        if (k0 + 16 < k) cp_async16(to + (1024 - stage), from + k0 + 16);
        cp_async_commit();
        cp_async_wait<1>();
        __syncthreads();
        const bf16 *ta = tile + stage + (w >> 1) * 256, *tb = tile + stage + 512 + (w & 1) * 256;
        u32 fa[4] = {pair_at(ta, g, q), pair_at(ta, g + 8, q), pair_at(ta, g, q + 8), pair_at(ta, g + 8, q + 8)};
        for (u32 j = 0; j < 2; ++j) {
            u32 fb[2] = {pair_at(tb, j * 8 + g, q), pair_at(tb, j * 8 + g, q + 8)};
            mma_16n8k16_bf16(d[j], fa, fb);
        }
        __syncthreads();
    }
    grid_dependency_launch();
    for (u32 j = 0; j < 2; ++j)
        for (u32 r = 0; r < 4; ++r)
            c[(blockIdx.y * 32 + (w >> 1) * 16 + g + (r >> 1) * 8) * n + blockIdx.x * 32 + (w & 1) * 16 + j * 8 + q + (r & 1)] = d[j][r];
}
CW_KERNEL(gemm_tf32, 32)(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n, int k) {
    u32 g = threadIdx.x >> 2, q = threadIdx.x & 3;     // one warp, 16 x 8 of C
    const float* pa = a + blockIdx.y * 16 * k;
    const float* pb = b + blockIdx.x * 8;
    float d[4] = {};
    for (int k0 = 0; k0 < k; k0 += 8) {
        u32 fa[4] = {to_tf32(pa[g * k + k0 + q]), to_tf32(pa[(g + 8) * k + k0 + q]), to_tf32(pa[g * k + k0 + q + 4]), to_tf32(pa[(g + 8) * k + k0 + q + 4])};
        u32 fb[2] = {to_tf32(pb[(k0 + q) * n + g]), to_tf32(pb[(k0 + q + 4) * n + g])};
        mma_16n8k8_tf32(d, fa, fb);
    }
    for (u32 r = 0; r < 4; ++r) c[(blockIdx.y * 16 + g + (r >> 1) * 8) * n + blockIdx.x * 8 + q * 2 + (r & 1)] = d[r];
}
CW_KERNEL(half_scale, 256)(half16* x, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = to_half(to_float(x[i]) * by);
}
CW_KERNEL(spin_warp, 1024)(int* out, int rounds) {
    int v = threadIdx.x;
    for (int i = 0; i < rounds; ++i) v = __shfl_xor_sync(0xffffffffu, v, 1) + 1;
    out[threadIdx.x] = v;
}
CW_KERNEL(spin_block, 1024)(int rounds) { for (int i = 0; i < rounds; ++i) __syncthreads(); }
CW_KERNEL(bad_barrier, 256)(float* o) { if (threadIdx.x != 7) __syncthreads(); o[threadIdx.x] = 1; }
CW_KERNEL(bad_shuffle, 32)(float* o) {
    float v = 1;
    if (threadIdx.x < 16) v = __shfl_xor_sync(0xffffffffu, v, 1); else v = __shfl_down_sync(0xffffffffu, v, 1);
    o[threadIdx.x] = v;
}
CW_KERNEL(poke, 32)(float* o, int at) { if (threadIdx.x == 3) o[at] = 1; }
CW_KERNEL(endless, 32)(int* o) { while (*(volatile int*)o == 0) {} }
CW_KERNEL(endless_barrier, 64)(volatile int* o) { while (o[0] == 0) __syncthreads(); }
CW_KERNEL(lanes, 64)(u32* o, long long* wide) {
    u32 i = threadIdx.x, l = i % 32;
    o[i] = __shfl_up_sync(0xffffffffu, i, 1);
    o[64 + i] = __ballot_sync(0xffffffffu, l % 3 == 0);
    wide[i] = __shfl_xor_sync(0xffffffffu, (long long)i << 40, 5);
}
CW_KERNEL(atomics, 256)(int* count, int* most, u32* bits, double* sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(count, 1);
    atomicMax(most, i);
    atomicOr(bits, 1u << (i % 32));
    atomicAdd(sum, 0.5);
}
CW_KERNEL(mma_fragments, 32)(const u32* a, const u32* b, float* d, int tf32) {
    u32 t = threadIdx.x;
    u32 fa[4] = {a[t], a[32 + t], a[64 + t], a[96 + t]}, fb[2] = {b[t], b[32 + t]};
    float fd[4] = {};
    if (tf32) mma_16n8k8_tf32(fd, fa, fb); else mma_16n8k16_bf16(fd, fa, fb);
    for (u32 r = 0; r < 4; ++r) d[r * 32 + t] = fd[r];
}
CW_KERNEL(misaligned, 32)(float* o) { o[threadIdx.x] = *(float*)((char*)o + 2); }
CW_KERNEL(convert, 32)(u32* x, int to) {
    float v = __uint_as_float(x[threadIdx.x]);
    x[threadIdx.x] = to == 0 ? (u32)to_bf16(v).bits : to == 1 ? (u32)to_half(v).bits : to_tf32(v);
}
