/* SPDX-License-Identifier: MIT */
/*
 * float overloads of the math functions that clang's <__clang_cuda_math_forward_declares.h>
 * declares (and so hides the host's) but leaves to NVIDIA's headers to define.
 */
#ifndef VGPU_CUDA_DEVICE_OVERLOADS_H
#define VGPU_CUDA_DEVICE_OVERLOADS_H

#define __VGPU_OVER static __device__ __inline__ __attribute__((always_inline))
#define __VGPU_OVER1(name) __VGPU_OVER float name(float a) { return name##f(a); }
#define __VGPU_OVER2(name) __VGPU_OVER float name(float a, float b) { return name##f(a, b); }

__VGPU_OVER1(acosh)
__VGPU_OVER1(asinh)
__VGPU_OVER1(atanh)
__VGPU_OVER1(cbrt)
__VGPU_OVER1(erf)
__VGPU_OVER1(erfc)
__VGPU_OVER1(exp2)
__VGPU_OVER1(expm1)
__VGPU_OVER1(lgamma)
__VGPU_OVER1(log1p)
__VGPU_OVER1(log2)
__VGPU_OVER1(logb)
__VGPU_OVER1(nearbyint)
__VGPU_OVER1(rint)
__VGPU_OVER1(round)
__VGPU_OVER1(tgamma)
__VGPU_OVER1(trunc)
__VGPU_OVER2(copysign)
__VGPU_OVER2(fdim)
__VGPU_OVER2(fmax)
__VGPU_OVER2(fmin)
__VGPU_OVER2(hypot)
__VGPU_OVER2(nextafter)
__VGPU_OVER2(remainder)
__VGPU_OVER float fma(float a, float b, float c) { return fmaf(a, b, c); }
__VGPU_OVER float scalbn(float a, int b) { return scalbnf(a, b); }
__VGPU_OVER float scalbln(float a, long b) { return scalblnf(a, b); }
__VGPU_OVER float remquo(float a, float b, int *c) { return remquof(a, b, c); }
__VGPU_OVER int ilogb(float a) { return ilogbf(a); }
__VGPU_OVER long long llrint(float a) { return llrintf(a); }
__VGPU_OVER long long llround(float a) { return llroundf(a); }
__VGPU_OVER long lrint(float a) { return lrintf(a); }
__VGPU_OVER long lround(float a) { return lroundf(a); }

/* CUDA's own, in the global namespace only */
__VGPU_OVER1(rsqrt)
__VGPU_OVER1(rcbrt)
__VGPU_OVER1(sinpi)
__VGPU_OVER1(cospi)
__VGPU_OVER1(exp10)
__VGPU_OVER1(erfinv)
__VGPU_OVER1(erfcinv)
__VGPU_OVER1(erfcx)
__VGPU_OVER1(normcdf)
__VGPU_OVER1(normcdfinv)
__VGPU_OVER1(j0)
__VGPU_OVER1(j1)
__VGPU_OVER1(y0)
__VGPU_OVER1(y1)
__VGPU_OVER1(cyl_bessel_i0)
__VGPU_OVER1(cyl_bessel_i1)
__VGPU_OVER2(rhypot)
__VGPU_OVER float jn(int n, float a) { return jnf(n, a); }
__VGPU_OVER float yn(int n, float a) { return ynf(n, a); }
__VGPU_OVER void sincospi(float a, float *s, float *c) { sincospif(a, s, c); }
__VGPU_OVER void sincos(float a, float *s, float *c) { sincosf(a, s, c); }

__VGPU_OVER double nan(const char *) { return __builtin_nan(""); }
__VGPU_OVER float nanf(const char *) { return __builtin_nanf(""); }
__VGPU_OVER float saturate(float a) { return __saturatef(a); }

#undef __VGPU_OVER
#undef __VGPU_OVER1
#undef __VGPU_OVER2

#endif
