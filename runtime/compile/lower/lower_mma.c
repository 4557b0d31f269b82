// SPDX-License-Identifier: MIT
/*
 * Lowering of mma.sync. Which lane has what is the same rule for all shapes (PTX ISA, "matrix
 * fragments for mma"). With g = lane / 4, t = lane % 4, and e elements in a register:
 *
 *	A	register r: row g + 8 (r % rows), columns k = 4 e (r / rows) + e t ... + e - 1,
 *		where rows is m / 8
 *	B	register r: column g, rows k = 4 e r + e t ... + e - 1
 *	C, D	element 2 r + i: row g + 8 r, column 2 t + i
 *
 * So a lane needs of A what the four lanes of its own g have, and of B what the four lanes have
 * whose g is 2 t, and those whose g is 2 t + 1. Products are added in the order of k, each sum
 * rounded; PTX leaves order and rounding open. Sums are in the type of D, but those of halves,
 * which are in f32 and rounded to a half at the end. Of single bits 32 are combined at once, and
 * those that are set are counted.
 */
#include "lower_mma.h"

static const struct shape {
	uint16_t mod;
	uint16_t m, k;
} shapes[] = {
	{PTX_M_M8N8K4, 8, 4},	    {PTX_M_M8N8K16, 8, 16},    {PTX_M_M8N8K32, 8, 32},
	{PTX_M_M8N8K128, 8, 128},   {PTX_M_M16N8K4, 16, 4},    {PTX_M_M16N8K8, 16, 8},
	{PTX_M_M16N8K16, 16, 16},   {PTX_M_M16N8K32, 16, 32},  {PTX_M_M16N8K64, 16, 64},
	{PTX_M_M16N8K128, 16, 128}, {PTX_M_M16N8K256, 16, 256},
};

/* Types that A and B may be of, each; the type of the sums; k / 4 of the shapes, as bits. */
static const struct cc_mma_kind {
	uint8_t types[2], sum;
	uint8_t bits; /* of an element */
	uint8_t k8, k16, sparse; /* where m is 8, where it is 16, and where A is sparse then */
} kinds[] = {
	{{PTX_F16, PTX_F16}, PTX_F32, 16, 0, 2 | 4, 4 | 8},
	{{PTX_BF16, PTX_BF16}, PTX_F32, 16, 0, 2 | 4, 4 | 8},
	{{PTX_TF32, PTX_TF32}, PTX_F32, 32, 0, 1 | 2, 2 | 4},
	{{PTX_E4M3, PTX_E5M2}, PTX_F32, 8, 0, 4 | 8, 16},
	{{PTX_S8, PTX_U8}, PTX_S32, 8, 4, 4 | 8, 8 | 16},
	{{PTX_S4, PTX_U4}, PTX_S32, 4, 8, 8 | 16, 16 | 32},
	{{PTX_B1, PTX_B1}, PTX_S32, 1, 32, 32 | 64, 0},
	{{PTX_F64, PTX_F64}, PTX_F64, 64, 1, 1 | 2 | 4, 0},
};

static bool one_of(const struct cc_mma_kind *kind, enum ptx_type type)
{
	return type == kind->types[0] || type == kind->types[1];
}

/* Sums in f32 may come and go as halves, where the elements are floats of 8 and 16 bits. */
static bool fits_sum(const struct cc_mma *mma, enum ptx_type type)
{
	return type == mma->sum ||
	       (type == PTX_F16 && (mma->a == PTX_F16 || mma->kind->bits == 8) &&
		mma->sum == PTX_F32);
}

static bool is_sparse(struct cc_lower *l)
{
	return ptx_has(l->in, PTX_M_SP) || ptx_has(l->in, PTX_M_SPORDERED);
}

static const struct shape *shape_of(struct cc_lower *l)
{
	for (unsigned int i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		if (ptx_has(l->in, shapes[i].mod))
			return &shapes[i];
	cc_refuse(l, "a shape is wanted");
}

/* How single bits are combined. */
static void check_bits(struct cc_lower *l, bool wanted)
{
	unsigned int ways = ptx_has(l->in, PTX_M_AND) + ptx_has(l->in, PTX_M_XOR);

	if (!wanted && (ways || ptx_has(l->in, PTX_M_POPC)))
		cc_refuse(l, ".and, .xor and .popc are for .b1");
	if (wanted && (ways != 1 || !ptx_has(l->in, PTX_M_POPC)))
		cc_refuse(l, "of .b1, .and.popc or .xor.popc is wanted");
}

static struct cc_mma mma_of(struct cc_lower *l)
{
	struct cc_mma mma = {
		.d = cc_type(l, 0), .a = cc_type(l, 1), .b = cc_type(l, 2), .c = cc_type(l, 3)};
	const struct shape *shape = shape_of(l);
	unsigned int allowed = 0;

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (one_of(&kinds[i], mma.a) && one_of(&kinds[i], mma.b))
			mma.kind = &kinds[i];
	cc_matrix_check(l);
	if (!ptx_has(l->in, PTX_M_ROW) || !ptx_has(l->in, PTX_M_COL))
		cc_refuse(l, ".row.col is wanted");
	if (mma.kind && is_sparse(l))
		allowed = shape->m == 16 ? mma.kind->sparse : 0;
	else if (mma.kind)
		allowed = shape->m == 8 ? mma.kind->k8 : mma.kind->k16;
	if (!(allowed & shape->k / 4))
		cc_refuse(l, "%smatrices of these types and this shape are not supported",
			  is_sparse(l) ? "sparse " : "");
	mma.sum = mma.kind->sum;
	if (!fits_sum(&mma, mma.d) || !fits_sum(&mma, mma.c))
		cc_refuse(l, "C and D of these types do not go with A and B");
	if (ptx_has(l->in, PTX_M_SATFINITE) && (mma.sum != PTX_S32 || mma.kind->bits == 1))
		cc_refuse(l, ".satfinite is for integers");
	check_bits(l, mma.kind->bits == 1);
	mma.k = shape->k;
	mma.rows = shape->m / 8;
	mma.e = mma.a == PTX_F64 ? 1 : 32 / mma.kind->bits;
	mma.registers = shape->k / (4 * mma.e);
	return mma;
}

static enum ptx_type holder_of(const struct cc_mma *mma)
{
	return mma->a == PTX_F64 ? PTX_F64 : PTX_B32;
}

/* ---- products ------------------------------------------------------------ */

uint32_t cc_mma_add_product(struct cc_lower *l, const struct cc_mma *mma, uint32_t a, uint32_t b,
			    uint32_t sum)
{
	unsigned int op = mma->sum == PTX_S32	? VGPU_OP_MAD
			  : mma->sum == PTX_F64 ? VGPU_OP_DFMA
						: VGPU_OP_FFMA;
	uint32_t out = cc_temp(l, cc_class_of(mma->sum));

	cc_op(l, op, 0, out, a, b, sum);
	return out;
}

/* The same of 32 single bits: how many are set in both, or in one of the two. */
static uint32_t add_bits(struct cc_lower *l, uint32_t a, uint32_t b, uint32_t sum)
{
	uint32_t both = cc_temp(l, CC_R), count = cc_temp(l, CC_R), out = cc_temp(l, CC_R);

	cc_op(l, ptx_has(l->in, PTX_M_AND) ? VGPU_OP_AND : VGPU_OP_XOR, 0, both, a, b, CC_NONE);
	cc_op(l, VGPU_OP_POPC, 0, count, both, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_ADD, 0, out, count, sum, CC_NONE);
	return out;
}

uint32_t cc_mma_fetch_b(struct cc_lower *l, const struct cc_mma *mma, unsigned int number,
			uint32_t lane)
{
	return cc_matrix_from(
		l, cc_matrix_source(l, 2, number, mma->registers, holder_of(mma)), lane);
}

/* Adds the products of what is in a register of each. */
static void multiply(struct cc_lower *l, const struct cc_mma *mma, const uint32_t reg_a[2],
		     const uint32_t reg_b[2], uint32_t sum[2][2])
{
	uint32_t a[2], b[2];

	for (unsigned int i = 0; i < (mma->kind->bits == 1 ? 1 : mma->e); i++) {
		for (unsigned int row = 0; row < mma->rows && mma->kind->bits != 1; row++)
			a[row] = cc_matrix_unpack(l, reg_a[row], mma->a, i);
		for (unsigned int col = 0; col < 2 && mma->kind->bits != 1; col++)
			b[col] = cc_matrix_unpack(l, reg_b[col], mma->b, i);
		for (unsigned int row = 0; row < mma->rows; row++)
			for (unsigned int col = 0; col < 2; col++)
				sum[row][col] = mma->kind->bits == 1 ?
							add_bits(l, reg_a[row], reg_b[col],
								 sum[row][col]) :
							cc_mma_add_product(l, mma, a[row], b[col],
									   sum[row][col]);
	}
}

static void multiply_all(struct cc_lower *l, const struct cc_mma *mma, uint32_t sum[2][2])
{
	uint32_t first = cc_matrix_field(l, cc_matrix_lane(l), 0, 3, 3);
	uint32_t reg_a[2], reg_b[2];

	for (unsigned int r = 0; r < mma->registers; r++) {
		for (unsigned int t = 0; t < 4; t++) {
			for (unsigned int row = 0; row < mma->rows; row++) {
				uint32_t reg = cc_matrix_source(l, 1, r * mma->rows + row,
								mma->registers * mma->rows,
								holder_of(mma));

				reg_a[row] = cc_matrix_from_four(l, reg, t);
			}
			for (unsigned int col = 0; col < 2; col++)
				reg_b[col] = cc_mma_fetch_b(l, mma, r,
							    cc_matrix_plus(l, first, 4 * col + t));
			multiply(l, mma, reg_a, reg_b, sum);
		}
	}
}

/* Where the sums begin: at C, or at 0 where it is added with saturation at the end. */
static void begin_sums(struct cc_lower *l, const struct cc_mma *mma, uint32_t sum[2][2])
{
	for (unsigned int row = 0; row < mma->rows; row++) {
		if (mma->c == PTX_F16) {
			for (unsigned int col = 0; col < 2; col++)
				sum[row][col] = cc_matrix_unpack(
					l, cc_matrix_source(l, 3, row, mma->rows, PTX_B32),
					PTX_F16, col);
			continue;
		}
		for (unsigned int col = 0; col < 2; col++)
			sum[row][col] =
				ptx_has(l->in, PTX_M_SATFINITE)
					? cc_const(l, CC_R, 0)
					: cc_matrix_source(l, 3, 2 * row + col, 2 * mma->rows,
							   mma->c);
	}
}

static void write_sums(struct cc_lower *l, const struct cc_mma *mma, uint32_t sum[2][2])
{
	unsigned int count = (mma->d == PTX_F16 ? 1 : 2) * mma->rows;
	uint32_t dst;

	/* C is read before any of D is written */
	for (unsigned int row = 0; row < mma->rows && ptx_has(l->in, PTX_M_SATFINITE); row++)
		for (unsigned int col = 0; col < 2; col++)
			sum[row][col] = cc_matrix_add(l, sum[row][col],
						      cc_matrix_source(l, 3, 2 * row + col, count,
								       mma->c));
	for (unsigned int row = 0; row < mma->rows; row++) {
		if (mma->d == PTX_F16) {
			cc_matrix_write_halves(l, cc_matrix_element(l, 0, row, count), sum[row]);
			continue;
		}
		for (unsigned int col = 0; col < 2; col++) {
			dst = cc_dst_element(l, cc_matrix_element(l, 0, 2 * row + col, count),
					     mma->d, false);
			cc_move(l, dst, (struct cc_value){.reg = sum[row][col]});
		}
	}
}

void cc_lower_mma(struct cc_lower *l)
{
	bool sparse = is_sparse(l);
	struct cc_mma mma;
	uint32_t sum[2][2];

	if (l->in->count != (sparse ? 6 : 4))
		cc_refuse(l, "%u operands where %u are wanted", l->in->count, sparse ? 6 : 4);
	if (ptx_has(l->in, PTX_M_M8N8K4) && cc_type(l, 1) == PTX_F16) {
		cc_lower_mma_quads(l);
		return;
	}
	mma = mma_of(l);
	begin_sums(l, &mma, sum);
	if (sparse)
		cc_mma_multiply_sparse(l, &mma, sum);
	else
		multiply_all(l, &mma, sum);
	write_sums(l, &mma, sum);
}
