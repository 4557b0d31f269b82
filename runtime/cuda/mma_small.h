/* SPDX-License-Identifier: MIT */
/*
 * The part of mma.h with numbers of 4 bits and single bits: nvcuda::wmma::experimental. Included by
 * mma.h alone, inside its namespace. A is by rows, B by columns; a lane has one word of each, in
 * which 8 numbers or 32 bits are.
 */

namespace experimental {
namespace precision {
struct s4;
struct u4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

/* The word of a fragment of T, in which there are @count elements. */
template <typename T, typename Word, int count> struct vgpu_words {
	typedef T element_type;
	typedef Word storage_element_type;
	enum { num_elements = count, num_storage_elements = 1 };
	Word x[1];
};

#define VGPU_WMMA_WORDS(Use, k, T, Layout, Word)                                             \
	template <> class fragment<Use, 8, 8, k, experimental::precision::T, Layout>         \
		: public vgpu_words<experimental::precision::T, Word, k / 4> {};
#define VGPU_WMMA_LOAD_WORDS(Use, what, k, T, Layout, layout, Word)                          \
	VGPU_WMMA_WORDS(Use, k, T, Layout, Word)                                             \
	static __device__ inline void load_matrix_sync(                                      \
		fragment<Use, 8, 8, k, experimental::precision::T, Layout> &f, const void *p, \
		unsigned int ldm)                                                            \
	{                                                                                    \
		VGPU_WMMA_LOAD(what, layout, "m8n8k" #k, #T, unsigned int, "r", 1);          \
	}
#define VGPU_WMMA_OPERANDS(k, T, Word)                                                       \
	VGPU_WMMA_LOAD_WORDS(matrix_a, "a", k, T, row_major, "row", Word)                    \
	VGPU_WMMA_LOAD_WORDS(matrix_b, "b", k, T, col_major, "col", Word)
VGPU_WMMA_OPERANDS(32, s4, int)
VGPU_WMMA_OPERANDS(32, u4, unsigned int)
VGPU_WMMA_OPERANDS(128, b1, unsigned int)
VGPU_WMMA_C(8, 8, 32, int, 2)
VGPU_WMMA_C(8, 8, 128, int, 2)
VGPU_WMMA_MOVE_C(8, 8, 32, int, "s32", int, "r", 2)
VGPU_WMMA_MOVE_C(8, 8, 128, int, "s32", int, "r", 2)

/* Every element becomes the lowest bits of @value. */
#define VGPU_WMMA_FILL_WORDS(k, T, Word, bits, ones)                                         \
	template <typename Use, typename Layout>                                             \
	static __device__ inline void fill_fragment(                                         \
		fragment<Use, 8, 8, k, experimental::precision::T, Layout> &f, const Word &value) \
	{                                                                                    \
		f.x[0] = (Word)(((unsigned int)value & bits) * ones);                        \
	}
VGPU_WMMA_FILL_WORDS(32, s4, int, 15u, 0x11111111u)
VGPU_WMMA_FILL_WORDS(32, u4, unsigned int, 15u, 0x11111111u)
VGPU_WMMA_FILL_WORDS(128, b1, unsigned int, 1u, 0xffffffffu)

#define VGPU_WMMA_WORDS_PRODUCT(how, k, types)                                               \
	do {                                                                                 \
		asm volatile("wmma.mma" how ".sync.aligned.row.col.m8n8k" #k "." types        \
			     " {%0, %1}, {%2}, {%3}, {%4, %5};"                              \
			     : "=r"(d.x[0]), "=r"(d.x[1])                                    \
			     : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]));          \
	} while (0)
#define VGPU_WMMA_FOURS(T)                                                                   \
	static __device__ inline void mma_sync(                                              \
		fragment<accumulator, 8, 8, 32, int> &d,                                     \
		const fragment<matrix_a, 8, 8, 32, experimental::precision::T, row_major> &a, \
		const fragment<matrix_b, 8, 8, 32, experimental::precision::T, col_major> &b, \
		const fragment<accumulator, 8, 8, 32, int> &c, bool saturate = false)        \
	{                                                                                    \
		if (saturate)                                                                \
			VGPU_WMMA_WORDS_PRODUCT("", 32, "s32." #T "." #T ".s32.satfinite");   \
		else                                                                         \
			VGPU_WMMA_WORDS_PRODUCT("", 32, "s32." #T "." #T ".s32");             \
	}
VGPU_WMMA_FOURS(s4)
VGPU_WMMA_FOURS(u4)

/* Bits that are set in one of the two, or in both, are counted. */
static __device__ inline void
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
	  const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
	  const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
	  const fragment<accumulator, 8, 8, 128, int> &c,
	  experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
	  experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
	if (op == experimental::bmmaBitOpAND)
		VGPU_WMMA_WORDS_PRODUCT(".and.popc", 128, "s32.b1.b1.s32");
	else
		VGPU_WMMA_WORDS_PRODUCT(".xor.popc", 128, "s32.b1.b1.s32");
}

#undef VGPU_WMMA_WORDS
#undef VGPU_WMMA_LOAD_WORDS
#undef VGPU_WMMA_OPERANDS
#undef VGPU_WMMA_FILL_WORDS
#undef VGPU_WMMA_WORDS_PRODUCT
#undef VGPU_WMMA_FOURS
