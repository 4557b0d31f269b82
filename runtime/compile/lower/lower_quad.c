// SPDX-License-Identifier: MIT
/*
 * Lowering of mma.m8n8k4 of halves: four products at once, each by a quad pair, lanes q ... q + 3
 * and q + 16 ... q + 19 with q = 0, 4, 8, 12. Where elements are is the PTX ISA's (9.7.14.5.1),
 * with h = 4 in the upper half of the warp, else 0, and t = lane % 4:
 *
 *	A .row, B .col	element i: row (of A) or column (of B) t + h, k = i
 *	A .col, B .row	element i: row or column i + h, k = t
 *	C, D of f16	element i: row t + h, column i
 *	C, D of f32	element i: row (t & 1) + (i & 2) + h, column (i & 4) + (t & 2) + (i & 1)
 */
#include "lower.h"

#define SUMS 8u

/* Is the layout of A (0) or B (1) such that a lane has all k of a row or column? */
static bool has_all_k(struct cc_lower *l, unsigned int matrix)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < l->in->mod_count; i++) {
		unsigned int mod = l->in->mods[i];

		if ((mod == PTX_M_ROW || mod == PTX_M_COL) && count++ == matrix)
			return mod == (matrix ? PTX_M_COL : PTX_M_ROW);
	}
	cc_refuse(l, "the layouts of A and B are wanted");
}

static uint32_t sum_of(struct cc_lower *l, uint32_t a, uint32_t b)
{
	uint32_t out = cc_temp(l, CC_R);

	cc_op(l, VGPU_OP_ADD, 0, out, a, b, CC_NONE);
	return out;
}

/* Element @number, a register, of the two registers that lane @lane has of the operand. */
static uint32_t element_of(struct cc_lower *l, unsigned int operand, uint32_t lane, uint32_t number)
{
	uint32_t reg[2], upper = cc_temp(l, CC_P), picked = cc_temp(l, CC_R);
	uint32_t bit = cc_matrix_field(l, number, 1, 1, 0), moved = cc_temp(l, CC_R);

	for (unsigned int r = 0; r < 2; r++)
		reg[r] = cc_matrix_from(l, cc_matrix_source(l, operand, r, 2, PTX_B32), lane);
	cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_NE, upper, bit, 0, CC_NONE);
	cc_op(l, VGPU_OP_SEL, 0, picked, reg[1], reg[0], upper);
	cc_op(l, VGPU_OP_SHRU, 0, moved, picked, cc_matrix_field(l, number, 0, 1, 4), CC_NONE);
	return cc_half_to_f32(l, moved, false);
}

/* What row (of A) or column (of B) @index, a register, has at k. */
static uint32_t factor(struct cc_lower *l, unsigned int operand, uint32_t index, unsigned int k)
{
	uint32_t lane = cc_matrix_lane(l), first = cc_matrix_field(l, lane, 2, 3, 2);
	uint32_t half = cc_matrix_field(l, index, 2, 1, 4),
		 four = cc_matrix_field(l, index, 0, 3, 0);

	first = sum_of(l, first, half);
	if (has_all_k(l, operand - 1))
		return element_of(l, operand, sum_of(l, first, four), cc_const(l, CC_R, k));
	return element_of(l, operand, cc_matrix_plus(l, first, k), four);
}

static void multiply(struct cc_lower *l, bool halves, uint32_t sum[SUMS])
{
	uint32_t lane = cc_matrix_lane(l), h = cc_matrix_field(l, lane, 4, 1, 2);
	uint32_t row = sum_of(l, cc_matrix_field(l, lane, 0, halves ? 3 : 1, 0), h);
	uint32_t col = halves ? cc_const(l, CC_R, 0) : cc_matrix_field(l, lane, 1, 1, 1);

	for (unsigned int k = 0; k < 4; k++) {
		uint32_t a[2], b[SUMS];

		for (unsigned int i = 0; i < (halves ? 1 : 2); i++)
			a[i] = factor(l, 1, cc_matrix_plus(l, row, 2 * i), k);
		for (unsigned int i = 0; i < SUMS; i++)
			b[i] = halves || !(i & 2) ?
				       factor(l, 2, cc_matrix_plus(l, col, i), k) :
				       b[i & 5];
		for (unsigned int i = 0; i < SUMS; i++) {
			uint32_t out = cc_temp(l, CC_R);

			cc_op(l, VGPU_OP_FFMA, 0, out, a[halves ? 0 : i >> 1 & 1], b[i], sum[i]);
			sum[i] = out;
		}
	}
}

void cc_lower_mma_quads(struct cc_lower *l)
{
	enum ptx_type d = cc_type(l, 0), c = cc_type(l, 3);
	bool halves = d == PTX_F16;
	uint32_t sum[SUMS];

	cc_matrix_check(l);
	if (cc_type(l, 2) != PTX_F16 || d != c || (d != PTX_F16 && d != PTX_F32) ||
	    ptx_has(l->in, PTX_M_SATFINITE))
		cc_refuse(l, "halves, and C and D both of .f16 or both of .f32 are wanted");
	for (unsigned int i = 0; i < SUMS; i++)
		sum[i] = halves ? cc_matrix_unpack(l,
						   cc_matrix_source(l, 3, i / 2, SUMS / 2, PTX_B32),
						   PTX_F16, i % 2)
				: cc_matrix_source(l, 3, i, SUMS, PTX_F32);
	multiply(l, halves, sum);
	for (unsigned int i = 0; halves && i < SUMS; i += 2)
		cc_matrix_write_halves(l, cc_matrix_element(l, 0, i / 2, SUMS / 2), &sum[i]);
	for (unsigned int i = 0; !halves && i < SUMS; i++)
		cc_move(l, cc_dst_element(l, cc_matrix_element(l, 0, i, SUMS), PTX_F32, false),
			(struct cc_value){.reg = sum[i]});
}
