#pragma once
#include "cw_exp.h"
// Embedded math library, part 4: erf.
//
// |x| < 1: x + x P(x^2). Beyond: 1 - e^L(|x|), L a polynomial fit of log erfc (the idea of a single exponential for the
// tail is N. Juffa's; the fits are our own, weighted by erfc/erf, so that the last bit of 1 - erfc decides).

//@ erf_f32
static inline float cw_erf_f32(float x) {
  float a = __builtin_fabsf(x), z = x * x;
  float p = ((((7.85052762e-5f * z - 8.00927868e-4f) * z + 5.18823462e-3f) * z - 0.02685377f) * z + 0.112835839f) * z;
  p = (p - 0.37612626f) * z + 0.128379166f;
  float v = a > 3.93f ? 3.93f : a;
  float l = ((((-1.60698601e-5f * v + 3.63455969e-4f) * v - 3.75390798e-3f) * v + 0.0237996597f) * v - 0.1058532f) * v;
  l = ((l - 0.635940194f) * v - 1.12802351f) * v - 1.81737079e-4f;
  float y = 1.0f - cw_exp_core_f32(l < -20.0f ? -20.0f : l, 0);
  return a < 1.0f ? x + x * p : __builtin_copysignf(y, x);
}
//@ erf_f64
static inline double cw_erf_f64(double x) {
  double a = __builtin_fabs(x), v = a > 5.95 ? 5.95 : a, z = x * x;
  double p = 0x1.055afdfe3f3b0p-34 * z - 0x1.385fb872dc400p-30;
  p = (p * z + 0x1.f7a09b8445424p-27) * z - 0x1.5f1ce707b1cecp-23;
  p = (p * z + 0x1.b9dee88dc5cf6p-20) * z - 0x1.f4d1de8bc2af7p-17;
  p = (p * z + 0x1.f9a321987f8a7p-14) * z - 0x1.c02db3d8a56bbp-11;
  p = (p * z + 0x1.565bcd0daeb69p-8) * z - 0x1.b82ce3128490dp-6;
  p = (p * z + 0x1.ce2f21a042b1fp-4) * z - 0x1.812746b0379e6p-2;
  p = p * z + 0x1.06eba8214db69p-3;
  double l = 0x1.bec1c1f78dc19p-55 * v - 0x1.167e7a21413ddp-48;
  l = (l * v + 0x1.48e421a7b3a75p-43) * v - 0x1.e9609d5860788p-39;
  l = (l * v + 0x1.0154d49da34eep-34) * v - 0x1.96beae3da40a2p-31;
  l = (l * v + 0x1.f54f4ee810cf6p-28) * v - 0x1.ed16bb9726f95p-25;
  l = (l * v + 0x1.887e773f44dcbp-22) * v - 0x1.fcc1519f41270p-20;
  l = (l * v + 0x1.0bb80afb262e4p-17) * v - 0x1.c1e1a8ba17fc9p-16;
  l = (l * v + 0x1.1f815c1864772p-14) * v - 0x1.dd0be065768d7p-14;
  l = (l * v + 0x1.486716e30979fp-16) * v + 0x1.2825b9aaada0cp-11;
  l = (l * v - 0x1.bd109cc25f1d0p-10) * v + 0x1.e0c1c5cd1ec8cp-13;
  l = (l * v + 0x1.390722a4900fep-6) * v - 0x1.a4e5555c84f01p-4;
  l = (l * v - 0x1.45f3d39334badp-1) * v - 0x1.20dd5c2653b2ap+0;
  l = l * v - 0x1.5eec95d7cc91ap-23;
  double y = 1.0 - cw_exp_core_f64(l, 0.0, 0);
  return a < 1.0 ? x + x * p : __builtin_copysign(y, x);
}
