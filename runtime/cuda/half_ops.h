/* SPDX-License-Identifier: MIT */
/*
 * Operations of a 16-bit type and its pair, included once for each: __VGPU_T and __VGPU_T2, and the
 * bits of its infinity.
 */

#define __VGPU_PAIR(expr_x, expr_y) return __VGPU_T2((expr_x), (expr_y))
#define __VGPU_CLAMP(v) ((v) > 0.0f ? (v) < 1.0f ? (v) : 1.0f : 0.0f)

__VGPU_H bool __hisnan(__VGPU_T a) { return (a.x & 0x7fff) > __VGPU_INFINITY; }
__VGPU_H int __hisinf(__VGPU_T a)
{
	return (a.x & 0x7fff) == __VGPU_INFINITY ? a.x & 0x8000 ? -1 : 1 : 0;
}
__VGPU_H __VGPU_T __hneg(__VGPU_T a) { return __vgpu_half_bits<__VGPU_T>(a.x ^ 0x8000u); }
__VGPU_H __VGPU_T __habs(__VGPU_T a) { return __vgpu_half_bits<__VGPU_T>(a.x & 0x7fffu); }
__VGPU_H __VGPU_T2 __hneg2(__VGPU_T2 a) { __VGPU_PAIR(__hneg(a.x), __hneg(a.y)); }
__VGPU_H __VGPU_T2 __habs2(__VGPU_T2 a) { __VGPU_PAIR(__habs(a.x), __habs(a.y)); }
__VGPU_H __VGPU_T operator-(__VGPU_T a) { return __hneg(a); }
__VGPU_H __VGPU_T2 operator-(__VGPU_T2 a) { return __hneg2(a); }
__VGPU_H __VGPU_T operator+(__VGPU_T a) { return a; }
__VGPU_H __VGPU_T2 operator+(__VGPU_T2 a) { return a; }

/*
 * Of two operands: the function, its pair, the operators; with another number the operation is that
 * of floats.
 */
#define __VGPU_ARITHMETIC(name, op)								\
	__VGPU_H __VGPU_T name(__VGPU_T a, __VGPU_T b) { return __VGPU_T((float)a op (float)b); } \
	__VGPU_H __VGPU_T name##_rn(__VGPU_T a, __VGPU_T b) { return name(a, b); }		\
	__VGPU_H __VGPU_T name##_sat(__VGPU_T a, __VGPU_T b)					\
	{											\
		float v = (float)a op (float)b;							\
												\
		return __VGPU_T(__VGPU_CLAMP(v));						\
	}											\
	__VGPU_H __VGPU_T2 name##2(__VGPU_T2 a, __VGPU_T2 b) { \
		__VGPU_PAIR(name(a.x, b.x), name(a.y, b.y)); } \
	__VGPU_H __VGPU_T2 name##2_rn(__VGPU_T2 a, __VGPU_T2 b) { return name##2(a, b); }	\
	__VGPU_H __VGPU_T2 name##2_sat(__VGPU_T2 a, __VGPU_T2 b)				\
	{ __VGPU_PAIR(name##_sat(a.x, b.x), name##_sat(a.y, b.y)); }				\
	__VGPU_ARITHMETIC_OPERATORS(name, name##2, op)
#define __VGPU_ARITHMETIC_OPERATORS(name, name2, op)						\
	__VGPU_H __VGPU_T operator op(__VGPU_T a, __VGPU_T b) { return name(a, b); }		\
	__VGPU_H __VGPU_T2 operator op(__VGPU_T2 a, __VGPU_T2 b) { return name2(a, b); }	\
	template <class N, class = __vgpu_if_number<N>>						\
	__VGPU_H auto operator op(__VGPU_T a, N b) -> decltype(1.0f op b) { return (float)a op b; \
		} \
	template <class N, class = __vgpu_if_number<N>>						\
	__VGPU_H auto operator op(N a, \
		__VGPU_T b) -> decltype(a op 1.0f) { return a op (float)b; } \
	__VGPU_H __VGPU_T &operator op##=(__VGPU_T &a, __VGPU_T b) { return a = name(a, b); }	\
	__VGPU_H __VGPU_T2 &operator op##=(__VGPU_T2 &a, __VGPU_T2 b) { return a = name2(a, b); }
__VGPU_ARITHMETIC(__hadd, +)
__VGPU_ARITHMETIC(__hsub, -)
__VGPU_ARITHMETIC(__hmul, *)
__VGPU_H __VGPU_T __hdiv(__VGPU_T a, __VGPU_T b) { return __VGPU_T((float)a / (float)b); }
__VGPU_H __VGPU_T2 __h2div(__VGPU_T2 a, __VGPU_T2 b)
{
	__VGPU_PAIR(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
__VGPU_ARITHMETIC_OPERATORS(__hdiv, __h2div, /)
#undef __VGPU_ARITHMETIC
#undef __VGPU_ARITHMETIC_OPERATORS

__VGPU_H __VGPU_T &operator++(__VGPU_T &a) { return a = __hadd(a, __VGPU_T(1.0f)); }
__VGPU_H __VGPU_T &operator--(__VGPU_T &a) { return a = __hsub(a, __VGPU_T(1.0f)); }
__VGPU_H __VGPU_T operator++(__VGPU_T &a, int) { __VGPU_T before = a; ++a; return before; }
__VGPU_H __VGPU_T operator--(__VGPU_T &a, int) { __VGPU_T before = a; --a; return before; }
__VGPU_H __VGPU_T2 &operator++(__VGPU_T2 &a) { ++a.x; ++a.y; return a; }
__VGPU_H __VGPU_T2 &operator--(__VGPU_T2 &a) { --a.x; --a.y; return a; }
__VGPU_H __VGPU_T2 operator++(__VGPU_T2 &a, int) { __VGPU_T2 before = a; ++a; return before; }
__VGPU_H __VGPU_T2 operator--(__VGPU_T2 &a, int) { __VGPU_T2 before = a; --a; return before; }

__VGPU_H __VGPU_T __hfma(__VGPU_T a, __VGPU_T b, __VGPU_T c)
{
	return __VGPU_T(__vgpu_odd_fma((float)a, (float)b, (float)c));
}
__VGPU_H __VGPU_T __hfma_sat(__VGPU_T a, __VGPU_T b, __VGPU_T c)
{
	float v = __vgpu_odd_fma((float)a, (float)b, (float)c);

	return __VGPU_T(__VGPU_CLAMP(v));
}
__VGPU_H __VGPU_T __hfma_relu(__VGPU_T a, __VGPU_T b, __VGPU_T c)
{
	float v = __vgpu_odd_fma((float)a, (float)b, (float)c);

	return __VGPU_T(v < 0.0f ? 0.0f : v);
}
#define __VGPU_FMA2(name, of) \
	__VGPU_H __VGPU_T2 name(__VGPU_T2 a, __VGPU_T2 b, __VGPU_T2 c) \
	{ __VGPU_PAIR(of(a.x, b.x, c.x), of(a.y, b.y, c.y)); }
__VGPU_FMA2(__hfma2, __hfma)
__VGPU_FMA2(__hfma2_sat, __hfma_sat)
__VGPU_FMA2(__hfma2_relu, __hfma_relu)
#undef __VGPU_FMA2
/* a * b + c of complex numbers */
__VGPU_H __VGPU_T2 __hcmadd(__VGPU_T2 a, __VGPU_T2 b, __VGPU_T2 c)
{
	__VGPU_PAIR(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
		    __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

/*
 * Comparisons: of one, of both as 1.0 and 0.0, as masks, as one bool; ...u is true when one is NaN.
 */
#define __VGPU_COMPARISON(name, op) \
	__VGPU_COMPARISON_OF(name, (float)a op (float)b) \
	__VGPU_COMPARISON_OF(name##u, (float)a op (float)b || __hisnan(a) || __hisnan(b)) \
	__VGPU_H bool operator op(__VGPU_T a, __VGPU_T b) { return (float)a op (float)b; } \
	__VGPU_H bool operator op(__VGPU_T2 a, __VGPU_T2 b) { return a.x op b.x && a.y op b.y; } \
	template <class N, class = __vgpu_if_number<N>> \
	__VGPU_H bool operator op(__VGPU_T a, N b) { return (float)a op b; } \
	template <class N, class = __vgpu_if_number<N>> \
	__VGPU_H bool operator op(N a, __VGPU_T b) { return a op (float)b; }
#define __VGPU_COMPARISON_OF(name, expr)							\
	__VGPU_H bool __h##name(__VGPU_T a, __VGPU_T b) { return expr; }			\
	__VGPU_H __VGPU_T2 __h##name##2(__VGPU_T2 a, __VGPU_T2 b)				\
	{ __VGPU_PAIR(__VGPU_T(__h##name(a.x, b.x) ? 1.0f : 0.0f), \
		__VGPU_T(__h##name(a.y, b.y) ? 1.0f : 0.0f)); } \
	__VGPU_H unsigned int __h##name##2_mask(__VGPU_T2 a, __VGPU_T2 b)			\
	{ return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0); } \
	__VGPU_H bool __hb##name##2(__VGPU_T2 a, \
		__VGPU_T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
__VGPU_COMPARISON(eq, ==)
__VGPU_COMPARISON_OF(ne, (float)a < (float)b || (float)a > (float)b)
__VGPU_COMPARISON_OF(neu, (float)a != (float)b)
__VGPU_COMPARISON(lt, <)
__VGPU_COMPARISON(le, <=)
__VGPU_COMPARISON(gt, >)
__VGPU_COMPARISON(ge, >=)
__VGPU_H bool operator!=(__VGPU_T a, __VGPU_T b) { return (float)a != (float)b; }
__VGPU_H bool operator!=(__VGPU_T2 a, __VGPU_T2 b) { return a.x != b.x && a.y != b.y; }
template <class N, class = __vgpu_if_number<N>>
__VGPU_H bool operator!=(__VGPU_T a, N b) { return (float)a != b; }
template <class N, class = __vgpu_if_number<N>>
__VGPU_H bool operator!=(N a, __VGPU_T b) { return a != (float)b; }
#undef __VGPU_COMPARISON
#undef __VGPU_COMPARISON_OF

__VGPU_H __VGPU_T2 __hisnan2(__VGPU_T2 a)
{
	__VGPU_PAIR(__VGPU_T(__hisnan(a.x) ? 1.0f : 0.0f), __VGPU_T(__hisnan(a.y) ? 1.0f : 0.0f));
}

/*
 * The other operand when one is NaN, and of two zeros the one of the better sign; ..._nan: a NaN
 * when one is.
 */
#define __VGPU_EXTREME(name, op, negative)							\
	__VGPU_H __VGPU_T name(__VGPU_T a, __VGPU_T b)						\
	{											\
		if (__hisnan(a) || __hisnan(b))							\
			return __hisnan(a) ? __hisnan(b) ? __vgpu_half_bits<__VGPU_T>(0x7fff) : b \
				: a; \
		if ((float)a == (float)b)							\
			return (a.x & 0x8000 ? negative : !negative) ? a : b;			\
		return (float)a op (float)b ? a : b;						\
	}											\
	__VGPU_H __VGPU_T name##_nan(__VGPU_T a, __VGPU_T b)					\
	{ return __hisnan(a) || __hisnan(b) ? __vgpu_half_bits<__VGPU_T>(0x7fff) : name(a, b); } \
	__VGPU_H __VGPU_T2 name##2(__VGPU_T2 a, __VGPU_T2 b) { \
		__VGPU_PAIR(name(a.x, b.x), name(a.y, b.y)); } \
	__VGPU_H __VGPU_T2 name##2_nan(__VGPU_T2 a, __VGPU_T2 b)				\
	{ __VGPU_PAIR(name##_nan(a.x, b.x), name##_nan(a.y, b.y)); }
__VGPU_EXTREME(__hmax, >, false)
__VGPU_EXTREME(__hmin, <, true)
#undef __VGPU_EXTREME

__VGPU_H float __low2float(__VGPU_T2 a) { return (float)a.x; }
__VGPU_H float __high2float(__VGPU_T2 a) { return (float)a.y; }
__VGPU_H __VGPU_T2 __lowhigh2highlow(__VGPU_T2 a) { __VGPU_PAIR(a.y, a.x); }
__VGPU_H __VGPU_T2 __lows2half2(__VGPU_T2 a, __VGPU_T2 b) { __VGPU_PAIR(a.x, b.x); }
__VGPU_H __VGPU_T2 __highs2half2(__VGPU_T2 a, __VGPU_T2 b) { __VGPU_PAIR(a.y, b.y); }

/* Of device code alone: functions, shuffles, atomics. */
#ifdef __CUDA__
#define __VGPU_MATH(name, function) \
	__VGPU_HD __VGPU_T h##name(__VGPU_T a) { return __VGPU_T(function((float)a)); } \
	__VGPU_HD __VGPU_T2 h2##name(__VGPU_T2 a) { __VGPU_PAIR(h##name(a.x), h##name(a.y)); }
__VGPU_MATH(sqrt, sqrtf)
__VGPU_MATH(rsqrt, rsqrtf)
__VGPU_MATH(rcp, 1.0f /)
__VGPU_MATH(exp, expf)
__VGPU_MATH(exp2, exp2f)
__VGPU_MATH(exp10, exp10f)
__VGPU_MATH(log, logf)
__VGPU_MATH(log2, log2f)
__VGPU_MATH(log10, log10f)
__VGPU_MATH(sin, sinf)
__VGPU_MATH(cos, cosf)
__VGPU_MATH(tanh, tanhf)
__VGPU_MATH(tanh_approx, tanhf)
__VGPU_MATH(floor, floorf)
__VGPU_MATH(ceil, ceilf)
__VGPU_MATH(trunc, truncf)
__VGPU_MATH(rint, rintf)
#undef __VGPU_MATH

__VGPU_HD unsigned int __vgpu_bits_of(__VGPU_T a) { return a.x; }
__VGPU_HD unsigned int __vgpu_bits_of(__VGPU_T2 a) { return a.x.x | (unsigned int)a.y.x << 16; }
__VGPU_HD __VGPU_T __vgpu_from_bits(unsigned int bits, __VGPU_T)
{
	return __vgpu_half_bits<__VGPU_T>(bits);
}
__VGPU_HD __VGPU_T2 __vgpu_from_bits(unsigned int bits, __VGPU_T2)
{
	__VGPU_PAIR(__vgpu_half_bits<__VGPU_T>(bits), __vgpu_half_bits<__VGPU_T>(bits >> 16));
}

#define __VGPU_SHUFFLE(name, type, offset_type) \
	__VGPU_HD type name##_sync(unsigned int mask, type a, offset_type by, int width = 32) \
	{ return __vgpu_from_bits(name##_sync(mask, __vgpu_bits_of(a), by, width), a); } \
	__VGPU_HD type name(type a, offset_type by, int width = 32) \
	{ return __vgpu_from_bits(name##_sync(0xffffffffu, __vgpu_bits_of(a), by, width), a); }
#define __VGPU_LOADS(type) \
	__VGPU_SHUFFLE(__shfl, type, int) \
	__VGPU_SHUFFLE(__shfl_up, type, unsigned int) \
	__VGPU_SHUFFLE(__shfl_down, type, unsigned int) \
	__VGPU_SHUFFLE(__shfl_xor, type, int) \
	__VGPU_HD type __ldg(const type *p) { return *p; }
__VGPU_LOADS(__VGPU_T)
__VGPU_LOADS(__VGPU_T2)
#undef __VGPU_LOADS
#undef __VGPU_SHUFFLE

/* What was there before; a compare-and-swap loop, so that of a pair both are added at once. */
#define __VGPU_ATOMIC_ADD(type, word) \
	__VGPU_HD type atomicAdd(type *p, type a) \
	{ \
		word seen = *(volatile word *)p, before; \
	\
		do { \
			before = seen; \
			seen = atomicCAS((word *)p, before, \
					 (word)__vgpu_bits_of(__vgpu_from_bits(before, a) + a)); \
		} while (seen != before); \
		return __vgpu_from_bits(before, a); \
	}
__VGPU_ATOMIC_ADD(__VGPU_T, unsigned short)
__VGPU_ATOMIC_ADD(__VGPU_T2, unsigned int)
#undef __VGPU_ATOMIC_ADD
#endif

#undef __VGPU_PAIR
#undef __VGPU_CLAMP
#undef __VGPU_T
#undef __VGPU_T2
#undef __VGPU_INFINITY
