/* SPDX-License-Identifier: MIT */
/*
 * mma.h: nvcuda::wmma, products of small matrices by a warp, as CUDA has them. A fragment is a
 * lane's part of a matrix; which elements it has is nobody's business (runtime/compile/lower/
 * lower_wmma.c decides). Every function is one instruction of PTX. Matrices of 4 bits and of single
 * bits are in mma_small.h.
 */
#ifndef VGPU_CUDA_MMA_H
#define VGPU_CUDA_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__CUDA__) && defined(__cplusplus)

namespace nvcuda {
namespace wmma {

enum layout_t { mem_row_major, mem_col_major };

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;

namespace precision {
struct tf32;
}

/* An element of T as it is in a fragment. */
template <typename T> struct vgpu_stored { typedef T type; };
template <> struct vgpu_stored<precision::tf32> { typedef float type; };

/* @count elements, of which registers of 32 bits hold what is smaller. */
template <typename T, int count> struct vgpu_fragment {
	typedef typename vgpu_stored<T>::type element_type;
	typedef element_type storage_element_type;
	enum { num_elements = count, num_storage_elements = count };
	alignas(8) element_type x[count];
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment;

#define VGPU_WMMA_AB(m, n, k, T, a, b)                                                       \
	template <typename Layout> class fragment<matrix_a, m, n, k, T, Layout>              \
		: public vgpu_fragment<T, a> {};                                             \
	template <typename Layout> class fragment<matrix_b, m, n, k, T, Layout>              \
		: public vgpu_fragment<T, b> {};
#define VGPU_WMMA_C(m, n, k, T, c)                                                           \
	template <> class fragment<accumulator, m, n, k, T> : public vgpu_fragment<T, c> {};

#define VGPU_WMMA_SHAPES(X)                                                                  \
	X(16, 16, 16, 8, 8)                                                                  \
	X(32, 8, 16, 16, 4)                                                                  \
	X(8, 32, 16, 4, 16)
#define VGPU_WMMA_FRAGMENTS(m, n, k, a, b)                                                   \
	VGPU_WMMA_AB(m, n, k, __half, 16, 16)                                                \
	VGPU_WMMA_AB(m, n, k, __nv_bfloat16, a, b)                                           \
	VGPU_WMMA_AB(m, n, k, signed char, a, b)                                             \
	VGPU_WMMA_AB(m, n, k, unsigned char, a, b)                                           \
	VGPU_WMMA_C(m, n, k, __half, 8)                                                      \
	VGPU_WMMA_C(m, n, k, float, 8)                                                       \
	VGPU_WMMA_C(m, n, k, int, 8)
VGPU_WMMA_SHAPES(VGPU_WMMA_FRAGMENTS)
VGPU_WMMA_AB(16, 16, 8, precision::tf32, 4, 4)
VGPU_WMMA_C(16, 16, 8, float, 8)
VGPU_WMMA_AB(8, 8, 4, double, 1, 1)
VGPU_WMMA_C(8, 8, 4, double, 2)

/* ---- the operands of the instructions ------------------------------------ */

/* Registers by name, in braces; the same as results and as operands, which @c says how to hold. */
#define VGPU_WMMA_L1(v)	"{%[" #v "0]}"
#define VGPU_WMMA_L2(v)	"{%[" #v "0], %[" #v "1]}"
#define VGPU_WMMA_L4(v)	"{%[" #v "0], %[" #v "1], %[" #v "2], %[" #v "3]}"
#define VGPU_WMMA_L8(v)                                                                      \
	"{%[" #v "0], %[" #v "1], %[" #v "2], %[" #v "3], "                                   \
	"%[" #v "4], %[" #v "5], %[" #v "6], %[" #v "7]}"
#define VGPU_WMMA_R1(c, v)	[v##0] c(v[0])
#define VGPU_WMMA_R2(c, v)	VGPU_WMMA_R1(c, v), [v##1] c(v[1])
#define VGPU_WMMA_R4(c, v)	VGPU_WMMA_R2(c, v), [v##2] c(v[2]), [v##3] c(v[3])
#define VGPU_WMMA_R8(c, v)                                                                   \
	VGPU_WMMA_R4(c, v), [v##4] c(v[4]), [v##5] c(v[5]), [v##6] c(v[6]), [v##7] c(v[7])

/* One load, whose registers, @count of type R, become the elements. */
#define VGPU_WMMA_LOAD(what, layout, shape, ptx, R, c, count)                                \
	do {                                                                                 \
		R r[count];                                                                  \
		asm volatile("wmma.load." what ".sync.aligned." layout "." shape "." ptx " "  \
			     VGPU_WMMA_L##count(r) ", [%[p]], %[ldm];"                        \
			     : VGPU_WMMA_R##count("=" c, r)                                  \
			     : [p] "l"(p), [ldm] "r"(ldm)                                    \
			     : "memory");                                                    \
		static_assert(sizeof(r) == sizeof(f.x), "a fragment has all registers");     \
		__builtin_memcpy(f.x, r, sizeof(r));                                         \
	} while (0)
#define VGPU_WMMA_STORE(layout, shape, ptx, R, c, count)                                     \
	do {                                                                                 \
		R r[count];                                                                  \
		static_assert(sizeof(r) == sizeof(f.x), "a fragment has all registers");     \
		__builtin_memcpy(r, f.x, sizeof(r));                                         \
		asm volatile("wmma.store.d.sync.aligned." layout "." shape "." ptx            \
			     " [%[p]], " VGPU_WMMA_L##count(r) ", %[ldm];"                    \
			     :                                                               \
			     : [p] "l"(p), [ldm] "r"(ldm), VGPU_WMMA_R##count(c, r)          \
			     : "memory");                                                    \
	} while (0)

/* ---- loads and stores ---------------------------------------------------- */

#define VGPU_WMMA_LOAD_AB(Use, what, m, n, k, T, ptx, R, c, count)                           \
	static __device__ inline void load_matrix_sync(                                      \
		fragment<Use, m, n, k, T, row_major> &f,                                     \
		const typename vgpu_stored<T>::type *p, unsigned int ldm)                    \
	{                                                                                    \
		VGPU_WMMA_LOAD(what, "row", "m" #m "n" #n "k" #k, ptx, R, c, count);         \
	}                                                                                    \
	static __device__ inline void load_matrix_sync(                                      \
		fragment<Use, m, n, k, T, col_major> &f,                                     \
		const typename vgpu_stored<T>::type *p, unsigned int ldm)                    \
	{                                                                                    \
		VGPU_WMMA_LOAD(what, "col", "m" #m "n" #n "k" #k, ptx, R, c, count);         \
	}
#define VGPU_WMMA_MOVE_AB(m, n, k, T, ptx, R, c, a, b)                                       \
	VGPU_WMMA_LOAD_AB(matrix_a, "a", m, n, k, T, ptx, R, c, a)                           \
	VGPU_WMMA_LOAD_AB(matrix_b, "b", m, n, k, T, ptx, R, c, b)
#define VGPU_WMMA_MOVE_C(m, n, k, T, ptx, R, c, count)                                       \
	static __device__ inline void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, \
						       const T *p, unsigned int ldm,         \
						       layout_t layout)                      \
	{                                                                                    \
		if (layout == mem_row_major)                                                 \
			VGPU_WMMA_LOAD("c", "row", "m" #m "n" #n "k" #k, ptx, R, c, count);  \
		else                                                                         \
			VGPU_WMMA_LOAD("c", "col", "m" #m "n" #n "k" #k, ptx, R, c, count);  \
	}                                                                                    \
	static __device__ inline void store_matrix_sync(                                     \
		T *p, const fragment<accumulator, m, n, k, T> &f, unsigned int ldm,          \
		layout_t layout)                                                             \
	{                                                                                    \
		if (layout == mem_row_major)                                                 \
			VGPU_WMMA_STORE("row", "m" #m "n" #n "k" #k, ptx, R, c, count);      \
		else                                                                         \
			VGPU_WMMA_STORE("col", "m" #m "n" #n "k" #k, ptx, R, c, count);      \
	}
#define VGPU_WMMA_MOVE_SUMS(m, n, k, a, b)                                                   \
	VGPU_WMMA_MOVE_AB(m, n, k, __half, "f16", unsigned int, "r", 8, 8)                   \
	VGPU_WMMA_MOVE_C(m, n, k, __half, "f16", unsigned int, "r", 4)                       \
	VGPU_WMMA_MOVE_C(m, n, k, float, "f32", float, "f", 8)                               \
	VGPU_WMMA_MOVE_C(m, n, k, int, "s32", int, "r", 8)
#define VGPU_WMMA_MOVE_SMALL(m, n, k, a, b, byte_a, byte_b)                                  \
	VGPU_WMMA_MOVE_AB(m, n, k, __nv_bfloat16, "bf16", unsigned int, "r", a, b)           \
	VGPU_WMMA_MOVE_AB(m, n, k, signed char, "s8", unsigned int, "r", byte_a, byte_b)     \
	VGPU_WMMA_MOVE_AB(m, n, k, unsigned char, "u8", unsigned int, "r", byte_a, byte_b)
VGPU_WMMA_SHAPES(VGPU_WMMA_MOVE_SUMS)
VGPU_WMMA_MOVE_SMALL(16, 16, 16, 4, 4, 2, 2)
VGPU_WMMA_MOVE_SMALL(32, 8, 16, 8, 2, 4, 1)
VGPU_WMMA_MOVE_SMALL(8, 32, 16, 2, 8, 1, 4)
VGPU_WMMA_MOVE_AB(16, 16, 8, precision::tf32, "tf32", unsigned int, "r", 4, 4)
VGPU_WMMA_MOVE_C(16, 16, 8, float, "f32", float, "f", 8)
VGPU_WMMA_MOVE_AB(8, 8, 4, double, "f64", double, "d", 1, 1)
VGPU_WMMA_MOVE_C(8, 8, 4, double, "f64", double, "d", 2)

template <typename Use, int m, int n, int k, typename T, typename Layout>
static __device__ inline void
fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const typename vgpu_stored<T>::type &value)
{
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = value;
}

/* ---- products ------------------------------------------------------------ */

/* D = A B + C; A and B are R registers @ca each, C and D CR and DR. */
#define VGPU_WMMA_PRODUCT(shape, types, R, ab, na, nb, CR, cc, nc, DR, cd, nd)               \
	do {                                                                                 \
		R ra[na], rb[nb];                                                            \
		CR rc[nc];                                                                   \
		DR rd[nd];                                                                   \
		static_assert(sizeof(ra) == sizeof(a.x) && sizeof(rb) == sizeof(b.x) &&      \
			      sizeof(rc) == sizeof(c.x) && sizeof(rd) == sizeof(d.x),        \
			      "fragments have all registers");                               \
		__builtin_memcpy(ra, a.x, sizeof(ra));                                       \
		__builtin_memcpy(rb, b.x, sizeof(rb));                                       \
		__builtin_memcpy(rc, c.x, sizeof(rc));                                       \
		asm volatile("wmma.mma.sync.aligned.row.col." shape "." types " "             \
			     VGPU_WMMA_L##nd(rd) ", " VGPU_WMMA_L##na(ra) ", "                \
			     VGPU_WMMA_L##nb(rb) ", " VGPU_WMMA_L##nc(rc) ";"                 \
			     : VGPU_WMMA_R##nd("=" cd, rd)                                   \
			     : VGPU_WMMA_R##na(ab, ra), VGPU_WMMA_R##nb(ab, rb),             \
			       VGPU_WMMA_R##nc(cc, rc));                                     \
		__builtin_memcpy(d.x, rd, sizeof(rd));                                       \
	} while (0)

#define VGPU_WMMA_MMA(m, n, k, T, C, D)                                                      \
	template <typename LayoutA, typename LayoutB>                                        \
	static __device__ inline void mma_sync(                                              \
		fragment<accumulator, m, n, k, D> &d,                                        \
		const fragment<matrix_a, m, n, k, T, LayoutA> &a,                            \
		const fragment<matrix_b, m, n, k, T, LayoutB> &b,                            \
		const fragment<accumulator, m, n, k, C> &c, bool saturate = false)
#define VGPU_WMMA_HALVES(m, n, k, a_count, b_count)                                          \
	VGPU_WMMA_MMA(m, n, k, __half, float, float)                                         \
	{                                                                                    \
		(void)saturate;                                                              \
		VGPU_WMMA_PRODUCT("m" #m "n" #n "k" #k, "f32.f32", unsigned int, "r", 8, 8,   \
				  float, "f", 8, float, "f", 8);                             \
	}                                                                                    \
	VGPU_WMMA_MMA(m, n, k, __half, __half, float)                                        \
	{                                                                                    \
		(void)saturate;                                                              \
		VGPU_WMMA_PRODUCT("m" #m "n" #n "k" #k, "f32.f16", unsigned int, "r", 8, 8,   \
				  unsigned int, "r", 4, float, "f", 8);                      \
	}                                                                                    \
	VGPU_WMMA_MMA(m, n, k, __half, float, __half)                                        \
	{                                                                                    \
		(void)saturate;                                                              \
		VGPU_WMMA_PRODUCT("m" #m "n" #n "k" #k, "f16.f32", unsigned int, "r", 8, 8,   \
				  float, "f", 8, unsigned int, "r", 4);                      \
	}                                                                                    \
	VGPU_WMMA_MMA(m, n, k, __half, __half, __half)                                       \
	{                                                                                    \
		(void)saturate;                                                              \
		VGPU_WMMA_PRODUCT("m" #m "n" #n "k" #k, "f16.f16", unsigned int, "r", 8, 8,   \
				  unsigned int, "r", 4, unsigned int, "r", 4);               \
	}
#define VGPU_WMMA_BYTES(m, n, k, T, ptx, na, nb)                                             \
	VGPU_WMMA_MMA(m, n, k, T, int, int)                                                  \
	{                                                                                    \
		if (saturate)                                                                \
			VGPU_WMMA_PRODUCT("m" #m "n" #n "k" #k,                              \
					  "s32." ptx "." ptx ".s32.satfinite", unsigned int, \
					  "r", na, nb, int, "r", 8, int, "r", 8);            \
		else                                                                         \
			VGPU_WMMA_PRODUCT("m" #m "n" #n "k" #k, "s32." ptx "." ptx ".s32",   \
					  unsigned int, "r", na, nb, int, "r", 8, int, "r",  \
					  8);                                                \
	}
#define VGPU_WMMA_FLOATS(m, n, k, T, types, R, ab, na, nb, S, cs, ns)                        \
	VGPU_WMMA_MMA(m, n, k, T, S, S)                                                      \
	{                                                                                    \
		(void)saturate;                                                              \
		VGPU_WMMA_PRODUCT("m" #m "n" #n "k" #k, types, R, ab, na, nb, S, cs, ns, S,   \
				  cs, ns);                                                   \
	}
#define VGPU_WMMA_SMALL(m, n, k, a, b, byte_a, byte_b)                                       \
	VGPU_WMMA_FLOATS(m, n, k, __nv_bfloat16, "f32.bf16.bf16.f32", unsigned int, "r", a,  \
			 b, float, "f", 8)                                                   \
	VGPU_WMMA_BYTES(m, n, k, signed char, "s8", byte_a, byte_b)                          \
	VGPU_WMMA_BYTES(m, n, k, unsigned char, "u8", byte_a, byte_b)
VGPU_WMMA_SHAPES(VGPU_WMMA_HALVES)
VGPU_WMMA_SMALL(16, 16, 16, 4, 4, 2, 2)
VGPU_WMMA_SMALL(32, 8, 16, 8, 2, 4, 1)
VGPU_WMMA_SMALL(8, 32, 16, 2, 8, 1, 4)
VGPU_WMMA_FLOATS(16, 16, 8, precision::tf32, "f32.tf32.tf32.f32", unsigned int, "r", 4, 4, float,
		 "f", 8)
VGPU_WMMA_FLOATS(8, 8, 4, double, "f64.f64.f64.f64.rn", double, "d", 1, 1, double, "d", 2)

#include "mma_small.h"

static __device__ inline float __float_to_tf32(float value)
{
	unsigned int bits;

	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
	__builtin_memcpy(&value, &bits, 4);
	return value;
}

#undef VGPU_WMMA_AB
#undef VGPU_WMMA_C
#undef VGPU_WMMA_SHAPES
#undef VGPU_WMMA_FRAGMENTS
#undef VGPU_WMMA_L1
#undef VGPU_WMMA_L2
#undef VGPU_WMMA_L4
#undef VGPU_WMMA_L8
#undef VGPU_WMMA_R1
#undef VGPU_WMMA_R2
#undef VGPU_WMMA_R4
#undef VGPU_WMMA_R8
#undef VGPU_WMMA_LOAD
#undef VGPU_WMMA_STORE
#undef VGPU_WMMA_LOAD_AB
#undef VGPU_WMMA_MOVE_AB
#undef VGPU_WMMA_MOVE_C
#undef VGPU_WMMA_MOVE_SUMS
#undef VGPU_WMMA_MOVE_SMALL
#undef VGPU_WMMA_PRODUCT
#undef VGPU_WMMA_MMA
#undef VGPU_WMMA_HALVES
#undef VGPU_WMMA_BYTES
#undef VGPU_WMMA_FLOATS
#undef VGPU_WMMA_SMALL

} /* namespace wmma */
} /* namespace nvcuda */

#endif /* __CUDA__ && __cplusplus */
#endif
