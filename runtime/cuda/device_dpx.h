/* SPDX-License-Identifier: MIT */
/*
 * CUDA's functions for dynamic programming (DPX), of words and of two halves of a word, for the
 * host, too. Sums wrap. GPUs have instructions for them from sm_90 on; here they are minima and
 * maxima like others. C++ only.
 */
#ifndef VGPU_CUDA_DEVICE_DPX_H
#define VGPU_CUDA_DEVICE_DPX_H

#define __VGPU_DPX static __host__ __device__ __inline__ __attribute__((always_inline))

__VGPU_DPX int __vgpu_dpx_add(int a, int b)
{
	return (int)((unsigned int)a + (unsigned int)b);
}
__VGPU_DPX unsigned int __vgpu_dpx_add(unsigned int a, unsigned int b) { return a + b; }
__VGPU_DPX short __vgpu_dpx_add(short a, short b) { return (short)(a + b); }
__VGPU_DPX unsigned short __vgpu_dpx_add(unsigned short a, unsigned short b)
{
	return (unsigned short)(a + b);
}
template <class T> __VGPU_DPX T __vgpu_dpx_max(T a, T b) { return a > b ? a : b; }
template <class T> __VGPU_DPX T __vgpu_dpx_min(T a, T b) { return a < b ? a : b; }
template <class T> __VGPU_DPX T __vgpu_dpx_relu(T a) { return a > 0 ? a : (T)0; }

/* Of two halves: @x is what becomes of the halves @a, @b and @c of type @half. */
#define __VGPU_DPX_HALVES(half, x) \
	unsigned int word = 0; \
	\
	for (int i = 0; i < 32; i += 16) { \
		half a = (half)(wa >> i), b = (half)(wb >> i), c = (half)(wc >> i); \
	\
		(void)c; \
		word |= (unsigned int)(unsigned short)(x) << i; \
	} \
	return word;
#define __VGPU_DPX2(name, x) \
	__VGPU_DPX int __##name##_s32_relu(const int a, const int b) \
	{ \
		return __vgpu_dpx_relu(x); \
	} \
	__VGPU_DPX unsigned int __##name##_s16x2_relu(const unsigned int wa, \
						      const unsigned int wb) \
	{ \
		const unsigned int wc = 0; \
		__VGPU_DPX_HALVES(short, __vgpu_dpx_relu(x)) \
	}
#define __VGPU_DPX3(name, x) \
	__VGPU_DPX int __##name##_s32(const int a, const int b, const int c) { return x; } \
	__VGPU_DPX unsigned int __##name##_u32(const unsigned int a, const unsigned int b, \
					       const unsigned int c) \
	{ \
		return x; \
	} \
	__VGPU_DPX int __##name##_s32_relu(const int a, const int b, const int c) \
	{ \
		return __vgpu_dpx_relu(x); \
	} \
	__VGPU_DPX unsigned int __##name##_s16x2(const unsigned int wa, const unsigned int wb, \
						 const unsigned int wc) \
	{ \
		__VGPU_DPX_HALVES(short, x) \
	} \
	__VGPU_DPX unsigned int __##name##_u16x2(const unsigned int wa, const unsigned int wb, \
						 const unsigned int wc) \
	{ \
		__VGPU_DPX_HALVES(unsigned short, x) \
	} \
	__VGPU_DPX unsigned int __##name##_s16x2_relu(const unsigned int wa, \
						      const unsigned int wb, \
						      const unsigned int wc) \
	{ \
		__VGPU_DPX_HALVES(short, __vgpu_dpx_relu(x)) \
	}

__VGPU_DPX2(vimax, __vgpu_dpx_max(a, b))
__VGPU_DPX2(vimin, __vgpu_dpx_min(a, b))
__VGPU_DPX3(vimax3, __vgpu_dpx_max(__vgpu_dpx_max(a, b), c))
__VGPU_DPX3(vimin3, __vgpu_dpx_min(__vgpu_dpx_min(a, b), c))
__VGPU_DPX3(viaddmax, __vgpu_dpx_max(__vgpu_dpx_add(a, b), c))
__VGPU_DPX3(viaddmin, __vgpu_dpx_min(__vgpu_dpx_add(a, b), c))

/* with a word that says whether the first operand is the result */
#define __VGPU_DPX_CHOICE(name, type, order) \
	__VGPU_DPX type __##name(const type a, const type b, bool *const pred) \
	{ \
		*pred = a order b; \
		return *pred ? a : b; \
	}
#define __VGPU_DPX_CHOICES(name, half, order) \
	__VGPU_DPX unsigned int __##name(const unsigned int a, const unsigned int b, \
					 bool *const pred_hi, bool *const pred_lo) \
	{ \
		*pred_hi = (half)(a >> 16) order (half)(b >> 16); \
		*pred_lo = (half)a order (half)b; \
		return ((*pred_hi ? a : b) & 0xffff0000u) | ((*pred_lo ? a : b) & 0xffffu); \
	}
__VGPU_DPX_CHOICE(vibmax_s32, int, >=)
__VGPU_DPX_CHOICE(vibmax_u32, unsigned int, >=)
__VGPU_DPX_CHOICE(vibmin_s32, int, <=)
__VGPU_DPX_CHOICE(vibmin_u32, unsigned int, <=)
__VGPU_DPX_CHOICES(vibmax_s16x2, short, >=)
__VGPU_DPX_CHOICES(vibmax_u16x2, unsigned short, >=)
__VGPU_DPX_CHOICES(vibmin_s16x2, short, <=)
__VGPU_DPX_CHOICES(vibmin_u16x2, unsigned short, <=)

#undef __VGPU_DPX
#undef __VGPU_DPX_HALVES
#undef __VGPU_DPX2
#undef __VGPU_DPX3
#undef __VGPU_DPX_CHOICE
#undef __VGPU_DPX_CHOICES

#endif
