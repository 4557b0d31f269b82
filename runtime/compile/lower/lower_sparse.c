// SPDX-License-Identifier: MIT
/*
 * Lowering of mma.sp: of each chunk of A, four neighbours in a row, only two are there, and which
 * ones is in the metadata (PTX ISA, "matrix multiply-accumulate operation using mma.sp with sparse
 * matrix A"). What is there of A lies in registers as an A with half of the columns does; B, C and
 * D are those of mma (lower_mma.c).
 *
 * Neighbours are elements of 8 and 16 bits, and pairs of elements of 4 bits. A chunk has four bits
 * of metadata: where the first and the second one that are there belong, two bits each. Of .tf32,
 * two neighbours of which one is there are a chunk; it has four bits, too, 0b0100 and 0b1110, so
 * that bit 1 says which.
 *
 * A row has 16, 32 or 64 bits of metadata, chunk by chunk. The selector says which lanes of four
 * bring them, for rows g and g + 8:
 *
 *	16		lane F: the row of g in the lower half, the other one in the upper half
 *	32, of 16 bits	lanes 2 F and 2 F + 1: so, of the first and of the second half of the row
 *	32, of 8 bits	lane 2 F: the row of g; lane 2 F + 1: the other one
 *	64		lanes 0 and 1: so, of the first half of the row; lanes 2 and 3: the second
 *
 * Lanes of a g have the same rows, so the metadata is the same in all of them; where an element of
 * B comes from is computed, and may be another lane for each row.
 */
#include "lower_mma.h"

struct sparse {
	const struct cc_mma *mma;
	unsigned int unit; /* elements that the metadata counts as one */
	unsigned int present; /* of a chunk */
	unsigned int chunks; /* of a row */
	uint32_t first; /* the first lane that has a column of B which this lane needs */
	uint32_t metadata[4]; /* of the four lanes of this g */
};

/* Bits of an element. */
static unsigned int bits_of(const struct sparse *s)
{
	return 32 / s->mma->e;
}

/* How the metadata lies: how many lanes bring that of two rows. */
static unsigned int lanes_of(const struct sparse *s)
{
	return s->chunks * 4 * 2 / 32;
}

static unsigned int selector_of(struct cc_lower *l, const struct sparse *s)
{
	struct cc_value value = cc_src(l, 5, PTX_B32);
	unsigned int most = 4 / lanes_of(s) - 1;

	if (value.reg != CC_NONE || value.reloc)
		cc_refuse(l, "the selector must be a constant");
	if (value.imm > most)
		cc_refuse(l, "the selector of this shape is at most %u", most);
	return (unsigned int)value.imm;
}

static struct sparse sparse_of(struct cc_lower *l, const struct cc_mma *mma)
{
	struct sparse s = {.mma = mma, .unit = mma->e == 8 ? 2 : 1};
	unsigned int lanes, selector;
	uint32_t metadata;

	s.present = mma->e == 1 ? 1 : 2;
	s.chunks = mma->k / (2 * s.present * s.unit);
	lanes = lanes_of(&s);
	selector = selector_of(l, &s);
	metadata = cc_src_reg(l, 4, PTX_B32);
	s.first = cc_matrix_field(l, cc_matrix_lane(l), 0, 3, 3);
	for (unsigned int i = 0; i < lanes; i++)
		s.metadata[i] = cc_matrix_from_four(l, metadata, selector * lanes + i);
	return s;
}

/* The four bits of a chunk, from @bit of them on as a number of as many as @mask has. */
static uint32_t place_of(struct cc_lower *l, const struct sparse *s, unsigned int row,
			 unsigned int chunk, unsigned int bit, uint32_t mask)
{
	unsigned int lane, right;

	if (bits_of(s) >= 16) {
		lane = chunk / 4;
		right = 16 * row + 4 * (chunk % 4);
	} else {
		lane = chunk / 8 * 2 + row;
		right = 4 * (chunk % 8);
	}
	return cc_matrix_field(l, s->metadata[lane], right + bit, mask, 0);
}

static uint32_t sum_of(struct cc_lower *l, uint32_t a, uint32_t b)
{
	uint32_t out = cc_temp(l, CC_R);

	cc_op(l, VGPU_OP_ADD, 0, out, a, b, CC_NONE);
	return out;
}

static uint32_t shifted(struct cc_lower *l, uint32_t value, uint32_t bits)
{
	uint32_t out = cc_temp(l, CC_R);

	cc_op(l, VGPU_OP_SHRU, 0, out, value, bits, CC_NONE);
	return out;
}

/*
 * Of B's column @col, what goes with the one of A that is there as number @number of the chunk: in
 * the lowest bits of a register.
 */
static uint32_t partner(struct cc_lower *l, const struct sparse *s, unsigned int row,
			unsigned int chunk, unsigned int number, unsigned int col)
{
	unsigned int first = chunk * 2 * s->present * s->unit; /* k of the chunk */
	unsigned int reg = first / (4 * s->mma->e), lane = first / s->mma->e % 4 + 4 * col;
	uint32_t from = cc_matrix_plus(l, s->first, lane), place;

	switch (bits_of(s)) {
	case 32:
		place = place_of(l, s, row, chunk, 1, 1);
		return cc_mma_fetch_b(l, s->mma, reg, sum_of(l, from, place));
	case 16: /* two lanes have two each */
		place = place_of(l, s, row, chunk, 2 * number, 3);
		from = sum_of(l, from, cc_matrix_field(l, place, 1, 1, 0));
		return shifted(l, cc_mma_fetch_b(l, s->mma, reg, from),
			       cc_matrix_field(l, place, 0, 1, 4));
	default: /* one lane has all, 8 bits each */
		place = place_of(l, s, row, chunk, 2 * number, 3);
		return shifted(l, cc_mma_fetch_b(l, s->mma, reg, from),
			       cc_matrix_field(l, place, 0, 3, 3));
	}
}

/* Adds the products of the one that is there as number @number of a chunk. */
static void multiply_one(struct cc_lower *l, const struct sparse *s, unsigned int chunk,
			 unsigned int number, uint32_t sum[2][2])
{
	const struct cc_mma *mma = s->mma;
	unsigned int element = (chunk * s->present + number) * s->unit; /* of A's row */

	for (unsigned int row = 0; row < 2; row++) {
		uint32_t a = cc_matrix_source(l, 1, element / (4 * mma->e) * 2 + row,
					      mma->registers, PTX_B32);

		a = cc_matrix_from_four(l, a, element / mma->e % 4);
		for (unsigned int col = 0; col < 2; col++) {
			uint32_t b = partner(l, s, row, chunk, number, col);

			for (unsigned int i = 0; i < s->unit; i++)
				sum[row][col] = cc_mma_add_product(
					l, mma,
					cc_matrix_unpack(l, a, mma->a, element % mma->e + i),
					cc_matrix_unpack(l, b, mma->b, i), sum[row][col]);
		}
	}
}

void cc_mma_multiply_sparse(struct cc_lower *l, const struct cc_mma *mma, uint32_t sum[2][2])
{
	struct sparse s = sparse_of(l, mma);

	for (unsigned int chunk = 0; chunk < s.chunks; chunk++)
		for (unsigned int number = 0; number < s.present; number++)
			multiply_one(l, &s, chunk, number, sum);
}
