// SPDX-License-Identifier: MIT
/*
 * Lowering of what a warp does with small matrices: ldmatrix, stmatrix, movmatrix, and what
 * lower_mma.c, lower_sparse.c and lower_wmma*.c share. The device has no such units; the lanes get
 * the elements they need from the lanes that have them by shuffles, and multiply and add as
 * everywhere else.
 */
#include "lower.h"

/* ---- lanes --------------------------------------------------------------- */

uint32_t cc_matrix_lane(struct cc_lower *l)
{
	uint32_t lane = cc_temp(l, CC_R);

	cc_op(l, VGPU_OP_SREG, 0, lane, CC_NONE, CC_NONE, CC_NONE)->imm = VGPU_SR_LANEID;
	return lane;
}

/* (value >> right & mask) << left */
uint32_t cc_matrix_field(struct cc_lower *l, uint32_t value, unsigned int right, uint32_t mask,
			 unsigned int left)
{
	uint32_t moved = cc_temp(l, CC_R), cut = cc_temp(l, CC_R), out = cc_temp(l, CC_R);

	cc_opi(l, VGPU_OP_SHRU, 0, moved, value, right, CC_NONE);
	cc_opi(l, VGPU_OP_AND, 0, cut, moved, mask, CC_NONE);
	cc_opi(l, VGPU_OP_SHL, 0, out, cut, left, CC_NONE);
	return out;
}

uint32_t cc_matrix_plus(struct cc_lower *l, uint32_t value, uint64_t number)
{
	uint32_t out = cc_temp(l, CC_R);

	cc_opi(l, VGPU_OP_ADD, 0, out, value, number, CC_NONE);
	return out;
}

/* Of the lane that register @lane names or, of its own four, lane @number; all lanes take part. */
static uint32_t shuffled(struct cc_lower *l, uint32_t value, uint32_t lane, unsigned int number)
{
	uint32_t half[2], out;

	if (CC_CLASS(l->cc->vregs[value]) != CC_Q)
		return cc_shuffled(l, VGPU_SHFL_IDX, value,
				   (struct cc_value){.reg = lane, .imm = number},
				   lane == CC_NONE ? 28 << 8 | 31 : 31, CC_NONE);
	for (unsigned int i = 0; i < 2; i++) {
		uint32_t part = cc_temp(l, CC_R);

		cc_op(l, i ? VGPU_OP_UNHI : VGPU_OP_UNLO, 0, part, value, CC_NONE, CC_NONE);
		half[i] = shuffled(l, part, lane, number);
	}
	out = cc_temp(l, CC_Q);
	cc_op(l, VGPU_OP_PACK, 0, out, half[0], half[1], CC_NONE);
	return out;
}

uint32_t cc_matrix_from(struct cc_lower *l, uint32_t value, uint32_t lane)
{
	return shuffled(l, value, lane, 0);
}

uint32_t cc_matrix_from_four(struct cc_lower *l, uint32_t value, unsigned int number)
{
	return shuffled(l, value, CC_NONE, number);
}

/* ---- operands ------------------------------------------------------------ */

/* The element @index of an operand that is { } or, of one register, that register. */
const struct ptx_operand *cc_matrix_element(struct cc_lower *l, unsigned int operand,
					    unsigned int index, unsigned int count)
{
	const struct ptx_operand *o = cc_operand(l, operand);

	if (o->kind == PTX_OPND_VEC ? o->count != count : count != 1)
		cc_refuse(l, "operand %u: %u registers are wanted", operand + 1, count);
	return o->kind == PTX_OPND_VEC ? &o->elements[index] : o;
}

uint32_t cc_matrix_source(struct cc_lower *l, unsigned int operand, unsigned int index,
			  unsigned int count, enum ptx_type type)
{
	const struct ptx_operand *o = cc_matrix_element(l, operand, index, count);

	return cc_in_reg(l, cc_src_element(l, o, type, false), cc_class_of(type));
}

void cc_matrix_check(struct cc_lower *l)
{
	if (!ptx_has(l->in, PTX_M_SYNC) || !ptx_has(l->in, PTX_M_ALIGNED))
		cc_refuse(l, ".sync.aligned is wanted");
}

/* ---- numbers ------------------------------------------------------------- */

/* Signed number @index of 4 bits. */
static uint32_t nibble(struct cc_lower *l, uint32_t reg, unsigned int index)
{
	uint32_t upper = cc_temp(l, CC_R), out = cc_temp(l, CC_R);

	cc_opi(l, VGPU_OP_SHL, 0, upper, reg, 28 - 4 * index, CC_NONE);
	cc_opi(l, VGPU_OP_SHRS, 0, out, upper, 28, CC_NONE);
	return out;
}

/* Element @index of a register, as the number that is multiplied. */
uint32_t cc_matrix_unpack(struct cc_lower *l, uint32_t reg, enum ptx_type type, unsigned int index)
{
	uint32_t low = reg, out;

	if (type == PTX_F64)
		return reg;
	if (type == PTX_S4)
		return nibble(l, reg, index);
	if (type == PTX_U4)
		return cc_matrix_field(l, reg, 4 * index, 15, 0);
	out = cc_temp(l, CC_R);
	if (type == PTX_TF32 || (type == PTX_BF16 && index)) {
		cc_opi(l, VGPU_OP_AND, 0, out, reg, type == PTX_TF32 ? 0xffffe000 : 0xffff0000,
		       CC_NONE);
		return out;
	}
	if (index) {
		low = cc_temp(l, CC_R);
		cc_opi(l, VGPU_OP_SHRU, 0, low, reg, index * 8 * ptx_type_bytes(type), CC_NONE);
	}
	if (type == PTX_F16 || type == PTX_BF16)
		return cc_half_to_f32(l, low, type == PTX_BF16);
	if (type == PTX_E4M3 || type == PTX_E5M2)
		return cc_fp8_to_f32(l, low, type == PTX_E5M2);
	cc_op(l, type == PTX_S8 ? VGPU_OP_SX8 : VGPU_OP_ZX8, 0, out, low, CC_NONE, CC_NONE);
	return out;
}

uint32_t cc_matrix_add(struct cc_lower *l, uint32_t a, uint32_t b)
{
	uint32_t wide[2], sum = cc_temp(l, CC_Q), low = cc_temp(l, CC_Q), both = cc_temp(l, CC_Q),
			  out = cc_temp(l, CC_R);

	for (unsigned int i = 0; i < 2; i++) {
		wide[i] = cc_temp(l, CC_Q);
		cc_op(l, VGPU_OP_SXQ, 0, wide[i], i ? b : a, CC_NONE, CC_NONE);
	}
	cc_op(l, VGPU_OP_ADDQ, 0, sum, wide[0], wide[1], CC_NONE);
	cc_opi(l, VGPU_OP_MAXSQ, 0, low, sum, (uint64_t)INT32_MIN, CC_NONE);
	cc_opi(l, VGPU_OP_MINSQ, 0, both, low, INT32_MAX, CC_NONE);
	cc_op(l, VGPU_OP_UNLO, 0, out, both, CC_NONE, CC_NONE);
	return out;
}

void cc_matrix_write_halves(struct cc_lower *l, const struct ptx_operand *to, const uint32_t sum[2])
{
	uint32_t half[2], upper = cc_temp(l, CC_R);

	for (unsigned int i = 0; i < 2; i++)
		half[i] = cc_f32_to_half(l, sum[i], false, VGPU_RND_RN);
	cc_opi(l, VGPU_OP_SHL, 0, upper, half[1], 16, CC_NONE);
	cc_op(l, VGPU_OP_OR, 0, cc_dst_element(l, to, PTX_B32, false), half[0], upper, CC_NONE);
}

/* ---- loads and stores of 8 x 8 matrices of 16 bits -------------------------- */

/*
 * A row is aligned to 16 bytes. The address of one that is not becomes odd, so that the accesses of
 * its parts, which may be aligned, are faults.
 */
static uint32_t row_address(struct cc_lower *l, uint32_t at)
{
	uint32_t low = cc_temp(l, CC_R), odd = cc_temp(l, CC_R), out = cc_temp(l, CC_R);

	cc_opi(l, VGPU_OP_AND, 0, low, at, 15, CC_NONE);
	cc_opi(l, VGPU_OP_MINU, 0, odd, low, 1, CC_NONE);
	cc_op(l, VGPU_OP_OR, 0, out, at, odd, CC_NONE);
	return out;
}

/*
 * Row i of matrix n is 16 bytes at the address that lane 8 n + i gives. Lane 4 g + t has elements
 * 2 t and 2 t + 1 of row g, or, with .trans, element g of rows 2 t and 2 t + 1. Here @at gets the
 * addresses that a lane accesses, one of 4 bytes or two of 2.
 */
static unsigned int matrix_addresses(struct cc_lower *l, unsigned int operand, uint32_t (*at)[2])
{
	unsigned int count = ptx_has(l->in, PTX_M_X1)	? 1
			     : ptx_has(l->in, PTX_M_X2) ? 2
			     : ptx_has(l->in, PTX_M_X4) ? 4
							: 0;
	bool trans = ptx_has(l->in, PTX_M_TRANS);
	enum ptx_space space = cc_space_of(l);
	struct cc_address address;
	uint32_t lane = cc_matrix_lane(l), base, row, offset, part;

	cc_matrix_check(l);
	if (!ptx_has(l->in, PTX_M_M8N8) || !count || cc_type(l, 0) != PTX_B16 ||
	    (space != PTX_SHARED && space != PTX_GENERIC))
		cc_refuse(l, ".m8n8, .x1, .x2 or .x4, .shared and .b16 are wanted");
	/* a generic address of shared memory is its window and the offset there */
	address = cc_address_operand(l, cc_operand(l, operand), PTX_SHARED);
	cc_check_offset(l, &address);
	base = address.base == CC_NONE ? cc_const(l, CC_R, 0) : address.base;
	base = row_address(l, cc_matrix_plus(l, base, address.offset));
	row = trans ? cc_matrix_field(l, lane, 0, 3, 1) : cc_matrix_field(l, lane, 2, 7, 0);
	offset = trans ? cc_matrix_field(l, lane, 2, 7, 1) : cc_matrix_field(l, lane, 0, 3, 2);
	for (unsigned int n = 0; n < count; n++) {
		for (unsigned int i = 0; i < 1u + trans; i++) {
			part = cc_matrix_from(l, base, cc_matrix_plus(l, row, 8 * n + i));
			at[n][i] = cc_temp(l, CC_R);
			cc_op(l, VGPU_OP_ADD, 0, at[n][i], part, offset, CC_NONE);
		}
	}
	l->mem = 0;
	return count;
}

static void access_row(struct cc_lower *l, bool store, unsigned int bytes, uint32_t at,
		       uint32_t reg)
{
	struct cc_address address = {.space = PTX_SHARED, .base = at};

	cc_access_memory(l, &address, store, bytes, false, 1, &reg);
}

void cc_lower_ldmatrix(struct cc_lower *l)
{
	bool trans = ptx_has(l->in, PTX_M_TRANS);
	uint32_t at[4][2], value[4], part[2], upper;
	unsigned int count = matrix_addresses(l, 1, at);

	for (unsigned int n = 0; n < count; n++) {
		for (unsigned int i = 0; i < 1u + trans; i++) {
			part[i] = cc_temp(l, CC_R);
			access_row(l, false, trans ? 2 : 4, at[n][i], part[i]);
		}
		value[n] = part[0];
		if (!trans)
			continue;
		upper = cc_temp(l, CC_R);
		value[n] = cc_temp(l, CC_R);
		cc_opi(l, VGPU_OP_SHL, 0, upper, part[1], 16, CC_NONE);
		cc_op(l, VGPU_OP_OR, 0, value[n], part[0], upper, CC_NONE);
	}
	for (unsigned int n = 0; n < count; n++)
		cc_move(l, cc_dst_element(l, cc_matrix_element(l, 0, n, count), PTX_B32, false),
			(struct cc_value){.reg = value[n]});
}

void cc_lower_stmatrix(struct cc_lower *l)
{
	bool trans = ptx_has(l->in, PTX_M_TRANS);
	unsigned int count;
	uint32_t at[4][2], value, upper;

	count = matrix_addresses(l, 0, at);
	for (unsigned int n = 0; n < count; n++) {
		value = cc_matrix_source(l, 1, n, count, PTX_B32);
		access_row(l, true, trans ? 2 : 4, at[n][0], value);
		if (!trans)
			continue;
		upper = cc_temp(l, CC_R);
		cc_opi(l, VGPU_OP_SHRU, 0, upper, value, 16, CC_NONE);
		access_row(l, true, 2, at[n][1], upper);
	}
}

/* Element g of rows 2 t and 2 t + 1, which are in halves of lanes 4 (2 t + i) + g / 2. */
void cc_lower_movmatrix(struct cc_lower *l)
{
	uint32_t lane, first, from, shift, part, upper, half[2], a, dst, both = cc_temp(l, CC_R);

	cc_matrix_check(l);
	if (!ptx_has(l->in, PTX_M_M8N8) || !ptx_has(l->in, PTX_M_TRANS) || cc_type(l, 0) != PTX_B16)
		cc_refuse(l, ".m8n8.trans.b16 is wanted");
	dst = cc_dst(l, 0, PTX_B32);
	a = cc_src_reg(l, 1, PTX_B32);
	lane = cc_matrix_lane(l);
	first = cc_temp(l, CC_R);
	cc_op(l, VGPU_OP_ADD, 0, first, cc_matrix_field(l, lane, 0, 3, 3),
	      cc_matrix_field(l, lane, 3, 3, 0), CC_NONE);
	shift = cc_matrix_field(l, lane, 2, 1, 4);
	for (unsigned int i = 0; i < 2; i++) {
		from = cc_matrix_from(l, a, cc_matrix_plus(l, first, 4 * i));
		part = cc_temp(l, CC_R);
		half[i] = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_SHRU, 0, part, from, shift, CC_NONE);
		cc_opi(l, VGPU_OP_AND, 0, half[i], part, 0xffff, CC_NONE);
	}
	upper = cc_temp(l, CC_R);
	cc_opi(l, VGPU_OP_SHL, 0, upper, half[1], 16, CC_NONE);
	cc_op(l, VGPU_OP_OR, 0, both, half[0], upper, CC_NONE);
	cc_move(l, dst, (struct cc_value){.reg = both});
}
