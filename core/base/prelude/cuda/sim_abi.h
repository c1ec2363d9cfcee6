#pragma once
// What the simulated driver and the kernels that it compiles say to each other: included by the former, prepended as text
// to the latter. No includes: plain layout only.
struct CwDim3 {
  unsigned x, y, z;
};

struct CwWarp {
  unsigned present, arrived, mask, kind, phase; // lanes that exist; lanes that wait in the collective now open
  unsigned first_thread;
  unsigned long long slot[2][32];                  // by phase: a fast lane never overwrites what others still read
  alignas(32) float a[16][16], b[16][8], d[16][8]; // operands of mma, unpacked
};

struct CwCopy {
  void* to;
  const void* from;
  unsigned bytes, group;
};

struct CwThread {
  CwDim3 threadIdx, blockIdx, blockDim, gridDim;
  unsigned lane, index, copies, group;
  CwWarp* warp;
  unsigned char* shared;
  CwCopy pending[16]; // an asynchronous copy happens at its wait, never sooner
};

// A row of the table `cw_module` that an object exports; the last has no name.
struct CwKernel {
  const char* name;
  void (*thread)(CwThread*, void** params); // one thread
  void (*block)(CwThread*, void** params);  // all of a block, one after another: only without collectives
  const unsigned* sizes;                    // bytes of each parameter, then 0
  unsigned threads;                         // at most in a block
};

extern "C" void cw_block_sync(CwThread*);
extern "C" void cw_warp_sync(CwThread*, unsigned kind, unsigned mask);
extern "C" void cw_trap(CwThread*, const char* why);
