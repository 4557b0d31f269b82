/* SPDX-License-Identifier: MIT */
/*
 * Device arithmetic under the names clang's own CUDA headers call (__nv_*): rounding modes,
 * conversions, integer and bit operations, the byte and half-word operations on 32-bit words.
 * Device compilation of C++ only.
 */
#ifndef VGPU_CUDA_LIBDEVICE_ARITH_H
#define VGPU_CUDA_LIBDEVICE_ARITH_H

/* the four rounding modes: ours, and the suffix of the builtin */
#define __VGPU_ROUND(cuda, nvvm)								\
	__VGPU_NV float __nv_fadd_##cuda(float a, float b)					\
	{											\
		return __VGPU_FTZ(__nvvm_add_##nvvm##_ftz_f(a, b), __nvvm_add_##nvvm##_f(a, b)); \
	}											\
	__VGPU_NV float __nv_fsub_##cuda(float a, float b) { return __nv_fadd_##cuda(a, -b); }	\
	__VGPU_NV float __nv_fmul_##cuda(float a, float b)					\
	{											\
		return __VGPU_FTZ(__nvvm_mul_##nvvm##_ftz_f(a, b), __nvvm_mul_##nvvm##_f(a, b)); \
	}											\
	__VGPU_NV float __nv_fdiv_##cuda(float a, float b)					\
	{											\
		return __VGPU_FTZ(__nvvm_div_##nvvm##_ftz_f(a, b), __nvvm_div_##nvvm##_f(a, b)); \
	}											\
	__VGPU_NV float __nv_frcp_##cuda(float a)						\
	{											\
		return __VGPU_FTZ(__nvvm_rcp_##nvvm##_ftz_f(a), __nvvm_rcp_##nvvm##_f(a));	\
	}											\
	__VGPU_NV float __nv_fsqrt_##cuda(float a)						\
	{											\
		return __VGPU_FTZ(__nvvm_sqrt_##nvvm##_ftz_f(a), __nvvm_sqrt_##nvvm##_f(a));	\
	}											\
	__VGPU_NV float __nv_fmaf_ieee_##cuda(float a, float b, float c) { \
		return __nvvm_fma_##nvvm##_f(a, b, c); } \
	__VGPU_NV float __nv_fmaf_##cuda(float a, float b, float c)				\
	{											\
		return __VGPU_FTZ(__nvvm_fma_##nvvm##_ftz_f(a, b, c), __nvvm_fma_##nvvm##_f(a, b, \
			c)); \
	}											\
	__VGPU_NV double __nv_dadd_##cuda(double a, double b) { return __nvvm_add_##nvvm##_d(a, \
		b); } \
	__VGPU_NV double __nv_dsub_##cuda(double a, double b) { return __nvvm_add_##nvvm##_d(a, \
		-b); } \
	__VGPU_NV double __nv_dmul_##cuda(double a, double b) { return __nvvm_mul_##nvvm##_d(a, \
		b); } \
	__VGPU_NV double __nv_ddiv_##cuda(double a, double b) { return __nvvm_div_##nvvm##_d(a, \
		b); } \
	__VGPU_NV double __nv_drcp_##cuda(double a) { return __nvvm_rcp_##nvvm##_d(a); }	\
	__VGPU_NV double __nv_dsqrt_##cuda(double a) { return __nvvm_sqrt_##nvvm##_d(a); }	\
	__VGPU_NV double __nv_fma_##cuda(double a, double b, double c) { \
		return __nvvm_fma_##nvvm##_d(a, b, c); } \
	__VGPU_NV float __nv_double2float_##cuda(double a)					\
	{											\
		return __VGPU_FTZ(__nvvm_d2f_##nvvm##_ftz(a), __nvvm_d2f_##nvvm(a));		\
	}
__VGPU_ROUND(rn, rn)
__VGPU_ROUND(rz, rz)
__VGPU_ROUND(ru, rp)
__VGPU_ROUND(rd, rm)

/*
 * Conversions of integers are instructions and not builtins: clang 14 takes some of those for C's
 * casts, whose rounding is another (int2float_rz and its like), or which leave open what does not
 * fit (float2int_rz).
 */
#define __VGPU_CVT(name, to, to_in, from, from_in, insn) \
	__VGPU_NV to __nv_##name(from a) \
	{ \
		to r; \
		__asm__("cvt." insn " %0, %1;" : to_in(r) : from_in(a)); \
		return r; \
	}
#define __VGPU_CVT_FTZ(name, to, to_in, mode, insn) \
	__VGPU_NV to __nv_##name(float a) \
	{ \
		to r; \
		if (__nvvm_reflect("__CUDA_FTZ")) \
			__asm__("cvt." mode "i.ftz." insn ".f32 %0, %1;" : to_in(r) : "f"(a)); \
		else \
			__asm__("cvt." mode "i." insn ".f32 %0, %1;" : to_in(r) : "f"(a)); \
		return r; \
	}
#define __VGPU_CVTS(cuda, mode) \
	__VGPU_CVT(double2int_##cuda, int, "=r", double, "d", mode "i.s32.f64") \
	__VGPU_CVT(double2uint_##cuda, unsigned, "=r", double, "d", mode "i.u32.f64") \
	__VGPU_CVT(double2ll_##cuda, long long, "=l", double, "d", mode "i.s64.f64") \
	__VGPU_CVT(double2ull_##cuda, unsigned long long, "=l", double, "d", mode "i.u64.f64") \
	__VGPU_CVT_FTZ(float2int_##cuda, int, "=r", mode, "s32") \
	__VGPU_CVT_FTZ(float2uint_##cuda, unsigned, "=r", mode, "u32") \
	__VGPU_CVT_FTZ(float2ll_##cuda, long long, "=l", mode, "s64") \
	__VGPU_CVT_FTZ(float2ull_##cuda, unsigned long long, "=l", mode, "u64") \
	__VGPU_CVT(int2float_##cuda, float, "=f", int, "r", mode ".f32.s32") \
	__VGPU_CVT(uint2float_##cuda, float, "=f", unsigned, "r", mode ".f32.u32") \
	__VGPU_CVT(ll2float_##cuda, float, "=f", long long, "l", mode ".f32.s64") \
	__VGPU_CVT(ull2float_##cuda, float, "=f", unsigned long long, "l", mode ".f32.u64") \
	__VGPU_CVT(ll2double_##cuda, double, "=d", long long, "l", mode ".f64.s64") \
	__VGPU_CVT(ull2double_##cuda, double, "=d", unsigned long long, "l", mode ".f64.u64")
__VGPU_CVTS(rn, "rn")
__VGPU_CVTS(rz, "rz")
__VGPU_CVTS(ru, "rp")
__VGPU_CVTS(rd, "rm")
#undef __VGPU_CVT
#undef __VGPU_CVT_FTZ
#undef __VGPU_CVTS

__VGPU_NV float __nv_frsqrt_rn(float a) { return __nv_frcp_rn(__nv_fsqrt_rn(a)); }
__VGPU_NV double __nv_int2double_rn(int a) { return (double)a; }
__VGPU_NV double __nv_uint2double_rn(unsigned a) { return (double)a; }
/* the high word only, as the instruction gives it */
__VGPU_NV double __nv_rcp64h(double a)
{
	return __nvvm_bitcast_ll2d(__nvvm_bitcast_d2ll(1.0 / a) & (long long)0xffffffff00000000ull);
}

/* bits as they are */
__VGPU_NV int __nv_float_as_int(float a) { return __nvvm_bitcast_f2i(a); }
__VGPU_NV unsigned __nv_float_as_uint(float a) { return (unsigned)__nvvm_bitcast_f2i(a); }
__VGPU_NV float __nv_int_as_float(int a) { return __nvvm_bitcast_i2f(a); }
__VGPU_NV float __nv_uint_as_float(unsigned a) { return __nvvm_bitcast_i2f((int)a); }
__VGPU_NV long long __nv_double_as_longlong(double a) { return __nvvm_bitcast_d2ll(a); }
__VGPU_NV double __nv_longlong_as_double(long long a) { return __nvvm_bitcast_ll2d(a); }
__VGPU_NV int __nv_double2hiint(double a) { return (int)(__nvvm_bitcast_d2ll(a) >> 32); }
__VGPU_NV int __nv_double2loint(double a) { return (int)__nvvm_bitcast_d2ll(a); }
__VGPU_NV double __nv_hiloint2double(int high, int low)
{
	return __nvvm_bitcast_ll2d(
		(long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}
__VGPU_NV unsigned short __nv_float2half_rn(float a)
{
	unsigned short half;

	__asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(a));
	return half;
}
__VGPU_NV float __nv_half2float(unsigned short half)
{
	float a;

	__asm__("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(half));
	return a;
}

/* integers */
__VGPU_NV int __nv_abs(int a) { return a < 0 ? -a : a; }
__VGPU_NV long long __nv_llabs(long long a) { return a < 0 ? -a : a; }
__VGPU_NV int __nv_brev(int a) { return (int)__builtin_bitreverse32((unsigned)a); }
__VGPU_NV long long __nv_brevll(long long a)
{
	return (long long)__builtin_bitreverse64((unsigned long long)a);
}
__VGPU_NV int __nv_clz(int a)
{
	int n;

	__asm__("clz.b32 %0, %1;" : "=r"(n) : "r"(a));
	return n;
}
__VGPU_NV int __nv_clzll(long long a)
{
	int n;

	__asm__("clz.b64 %0, %1;" : "=r"(n) : "l"(a));
	return n;
}
__VGPU_NV int __nv_popc(int a) { return __builtin_popcount((unsigned)a); }
__VGPU_NV int __nv_popcll(long long a) { return __builtin_popcountll((unsigned long long)a); }
/* the lowest set bit counted from 1, and 0 for none: what 32 - clz of the isolated bit is */
__VGPU_NV int __nv_ffs(int a) { return 32 - __nv_clz(a & -a); }
__VGPU_NV int __nv_ffsll(long long a) { return 64 - __nv_clzll(a & -a); }
__VGPU_NV int __nv_byte_perm(int a, int b, int selector)
{
	int r;

	__asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(selector));
	return r;
}
__VGPU_NV int __nv_mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
__VGPU_NV unsigned __nv_umulhi(unsigned a, unsigned b)
{
	return (unsigned)(((unsigned long long)a * b) >> 32);
}
__VGPU_NV long long __nv_mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
__VGPU_NV unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b)
{
	return __nvvm_mulhi_ull(a, b);
}
__VGPU_NV int __nv_mul24(int a, int b)
{
	return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8));
}
__VGPU_NV unsigned __nv_umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
__VGPU_NV unsigned __nv_usad(unsigned a, unsigned b, unsigned c)
{
	return (a > b ? a - b : b - a) + c;
}
__VGPU_NV int __nv_sad(int a, int b, int c)
{
	return (int)((a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + (unsigned)c);
}
__VGPU_NV int __nv_hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__VGPU_NV int __nv_rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__VGPU_NV unsigned __nv_uhadd(unsigned a, unsigned b)
{
	return (unsigned)(((unsigned long long)a + b) >> 1);
}
__VGPU_NV unsigned __nv_urhadd(unsigned a, unsigned b)
{
	return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}

#define __VGPU_MINMAX(prefix, type) \
	__VGPU_NV type __nv_##prefix##max(type a, type b) { return a > b ? a : b; } \
	__VGPU_NV type __nv_##prefix##min(type a, type b) { return a < b ? a : b; }
__VGPU_MINMAX(, int)
__VGPU_MINMAX(u, unsigned)
__VGPU_MINMAX(ll, long long)
__VGPU_MINMAX(ull, unsigned long long)

/*
 * Operations on the two halves or four bytes of a word. `expr` sees one element of each operand as
 * x and y (int, sign- or zero-extended as S or U says) and gives the element of the result.
 */
#define __VGPU_S2(w, i)	((int)(short)((w) >> (16 * (i))))
#define __VGPU_U2(w, i)	((int)(((w) >> (16 * (i))) & 0xffff))
#define __VGPU_S4(w, i)	((int)(signed char)((w) >> (8 * (i))))
#define __VGPU_U4(w, i)	((int)(((w) >> (8 * (i))) & 0xff))
#define __VGPU_CLAMP(v, lo, hi)	((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))
#define __VGPU_ABSDIFF(x, y)	((x) > (y) ? (x) - (y) : (y) - (x))

#define __VGPU_SIMD(name, n, sign, expr) \
	__VGPU_NV unsigned __nv_##name##n(unsigned a, unsigned b) \
	{ \
		unsigned r = 0; \
		_Pragma("unroll") for (int i = 0; i < n; i++) { \
			const int x = __VGPU_##sign##n(a, i), y = __VGPU_##sign##n(b, i); \
			const int top = n == 2 ? 0x7fff : 0x7f, mask = 2 * top + 1; \
			(void)y; (void)top; \
			r |= ((unsigned)(expr) & (unsigned)mask) << (32 / n * i); \
		} \
		return r; \
	}
#define __VGPU_SIMD_SUM(name, n, sign)								\
	__VGPU_NV unsigned __nv_##name##n(unsigned a, unsigned b)				\
	{											\
		unsigned r = 0;									\
		_Pragma("unroll") for (int i = 0; i < n; i++)					\
			r += (unsigned)__VGPU_ABSDIFF(__VGPU_##sign##n(a, i), \
				__VGPU_##sign##n(b, i)); \
		return r;									\
	}
#define __VGPU_SIMD_ONE(name, n, expr) \
	__VGPU_SIMD(name##_, n, S, expr) \
	__VGPU_NV unsigned __nv_##name##n(unsigned a) { return __nv_##name##_##n(a, a); }
#define __VGPU_SIMD_CMP(name, sign, op) \
	__VGPU_SIMD(vcmp##name, 2, sign, x op y ? mask : 0) \
	__VGPU_SIMD(vcmp##name, 4, sign, x op y ? mask : 0) \
	__VGPU_SIMD(vset##name, 2, sign, x op y) \
	__VGPU_SIMD(vset##name, 4, sign, x op y)
#define __VGPU_SIMD_BOTH(name, sign, expr) \
	__VGPU_SIMD(name, 2, sign, expr) __VGPU_SIMD(name, 4, sign, expr)

__VGPU_SIMD_BOTH(vadd, U, x + y)
__VGPU_SIMD_BOTH(vsub, U, x - y)
__VGPU_SIMD_BOTH(vaddss, S, __VGPU_CLAMP(x + y, -top - 1, top))
__VGPU_SIMD_BOTH(vsubss, S, __VGPU_CLAMP(x - y, -top - 1, top))
__VGPU_SIMD_BOTH(vaddus, U, __VGPU_CLAMP(x + y, 0, mask))
__VGPU_SIMD_BOTH(vsubus, U, __VGPU_CLAMP(x - y, 0, mask))
__VGPU_SIMD_BOTH(vavgs, S, (x + y + (x + y >= 0)) >> 1)
__VGPU_SIMD_BOTH(vavgu, U, (x + y + 1) >> 1)
__VGPU_SIMD_BOTH(vhaddu, U, (x + y) >> 1)
__VGPU_SIMD_BOTH(vmaxs, S, x > y ? x : y)
__VGPU_SIMD_BOTH(vmaxu, U, x > y ? x : y)
__VGPU_SIMD_BOTH(vmins, S, x < y ? x : y)
__VGPU_SIMD_BOTH(vminu, U, x < y ? x : y)
__VGPU_SIMD_BOTH(vabsdiffs, S, __VGPU_ABSDIFF(x, y))
__VGPU_SIMD_BOTH(vabsdiffu, U, __VGPU_ABSDIFF(x, y))
__VGPU_SIMD_CMP(eq, U, ==)
__VGPU_SIMD_CMP(ne, U, !=)
__VGPU_SIMD_CMP(ges, S, >=)
__VGPU_SIMD_CMP(geu, U, >=)
__VGPU_SIMD_CMP(gts, S, >)
__VGPU_SIMD_CMP(gtu, U, >)
__VGPU_SIMD_CMP(les, S, <=)
__VGPU_SIMD_CMP(leu, U, <=)
__VGPU_SIMD_CMP(lts, S, <)
__VGPU_SIMD_CMP(ltu, U, <)
__VGPU_SIMD_ONE(vabs, 2, x < 0 ? -x : x)
__VGPU_SIMD_ONE(vabs, 4, x < 0 ? -x : x)
__VGPU_SIMD_ONE(vneg, 2, -x)
__VGPU_SIMD_ONE(vneg, 4, -x)
__VGPU_SIMD_ONE(vabsss, 2, __VGPU_CLAMP(x < 0 ? -x : x, 0, top))
__VGPU_SIMD_ONE(vabsss, 4, __VGPU_CLAMP(x < 0 ? -x : x, 0, top))
__VGPU_SIMD_ONE(vnegss, 2, __VGPU_CLAMP(-x, -top, top))
__VGPU_SIMD_ONE(vnegss, 4, __VGPU_CLAMP(-x, -top, top))
__VGPU_SIMD_SUM(vsads, 2, S)
__VGPU_SIMD_SUM(vsads, 4, S)
__VGPU_SIMD_SUM(vsadu, 2, U)
__VGPU_SIMD_SUM(vsadu, 4, U)

/* products of bytes and half-words, added up; clang's headers do not have these */
#define __VGPU_DOT(name, op, sign, type, wide, narrow)						\
	__VGPU_NV type name(type a, type b, type c)						\
	{											\
		type r;										\
		__asm__(op "." sign "32." sign "32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), \
			"r"(c)); \
		return r;									\
	}											\
	__VGPU_NV type name(wide a, narrow b, type c)						\
	{											\
		type x, y;									\
		__builtin_memcpy(&x, &a, 4);							\
		__builtin_memcpy(&y, &b, 4);							\
		return name(x, y, c);								\
	}
__VGPU_DOT(__dp4a, "dp4a", "s", int, char4, char4)
__VGPU_DOT(__dp4a, "dp4a", "u", unsigned, uchar4, uchar4)
__VGPU_DOT(__dp2a_lo, "dp2a.lo", "s", int, short2, char4)
__VGPU_DOT(__dp2a_hi, "dp2a.hi", "s", int, short2, char4)
__VGPU_DOT(__dp2a_lo, "dp2a.lo", "u", unsigned, ushort2, uchar4)
__VGPU_DOT(__dp2a_hi, "dp2a.hi", "u", unsigned, ushort2, uchar4)

#undef __VGPU_ROUND
#undef __VGPU_DOT
#undef __VGPU_MINMAX
#undef __VGPU_SIMD
#undef __VGPU_SIMD_SUM
#undef __VGPU_SIMD_ONE
#undef __VGPU_SIMD_CMP
#undef __VGPU_SIMD_BOTH
#undef __VGPU_S2
#undef __VGPU_U2
#undef __VGPU_S4
#undef __VGPU_U4
#undef __VGPU_CLAMP
#undef __VGPU_ABSDIFF

#endif
