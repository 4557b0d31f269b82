// SPDX-License-Identifier: MIT
/*
 * Lowering of wmma.load and wmma.store: the elements that a lane has, each at its place in memory,
 * or several at once where they are neighbours there.
 */
#include "lower_wmma.h"

struct access {
	struct cc_wmma_order order;
	unsigned int bytes; /* of an element */
	bool rows; /* elements of a row are neighbours in memory */
	struct cc_address address;
	uint32_t base; /* of the first element, in a Q; an R in shared memory */
	uint32_t stride; /* bytes from one row, or column, to the next: a Q */
};

/* The stride operand, or the smallest possible one, in elements. */
static uint32_t stride_of(struct cc_lower *l, unsigned int operand, unsigned int smallest)
{
	if (l->in->count > operand)
		return cc_src_reg(l, operand, PTX_U32);
	return cc_const(l, CC_R, smallest);
}

static void first_element(struct cc_lower *l, struct access *a, uint32_t stride)
{
	uint32_t row, col, offset = cc_temp(l, CC_Q), wide = cc_temp(l, CC_Q);
	uint32_t bytes = cc_temp(l, CC_Q), low;

	cc_wmma_split_lane(l, a->order.lanes, a->order.rows, a->order.width, &row, &col);
	cc_op(l, VGPU_OP_ZXQ, 0, wide, a->rows ? col : row, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_MADWU, 0, offset, a->rows ? row : col, stride, wide);
	cc_opi(l, VGPU_OP_SHLQ, 0, bytes, offset, cc_wmma_log2(a->bytes), CC_NONE);
	a->stride = cc_temp(l, CC_Q);
	cc_opi(l, VGPU_OP_MULWU, 0, a->stride, stride, a->bytes, CC_NONE);
	if (a->address.space == PTX_SHARED) {
		low = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_UNLO, 0, low, bytes, CC_NONE, CC_NONE);
		a->base = cc_temp(l, CC_R);
		if (a->address.base == CC_NONE)
			cc_opi(l, VGPU_OP_ADD, 0, a->base, low, a->address.offset, CC_NONE);
		else
			cc_op(l, VGPU_OP_ADD, 0, a->base, low, a->address.base, CC_NONE);
	} else {
		struct cc_value base = {.reg = a->address.base};

		if (base.reg == CC_NONE) {
			base.imm = a->address.offset;
			base.reloc = a->address.reloc;
		}
		a->base = cc_temp(l, CC_Q);
		cc_op(l, VGPU_OP_ADDQ, 0, a->base, bytes, cc_in_reg(l, base, CC_Q), CC_NONE);
	}
	if (a->address.base == CC_NONE) {
		a->address.offset = 0;
		a->address.reloc = false;
	}
}

/* Where elements lie that are @steps strides from the first one. */
static uint32_t stepped(struct cc_lower *l, const struct access *a, unsigned int steps)
{
	uint32_t by, low, out;

	if (!steps)
		return a->base;
	by = cc_temp(l, CC_Q);
	cc_opi(l, VGPU_OP_MULQ, 0, by, a->stride, steps, CC_NONE);
	if (a->address.space != PTX_SHARED) {
		out = cc_temp(l, CC_Q);
		cc_op(l, VGPU_OP_ADDQ, 0, out, a->base, by, CC_NONE);
		return out;
	}
	low = cc_temp(l, CC_R);
	out = cc_temp(l, CC_R);
	cc_op(l, VGPU_OP_UNLO, 0, low, by, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_ADD, 0, out, a->base, low, CC_NONE);
	return out;
}

/* @bytes at element @number of the lane. */
static void access_one(struct cc_lower *l, const struct access *a, bool store, unsigned int number,
		       unsigned int bytes, uint32_t reg)
{
	unsigned int row = number / a->order.width, col = number % a->order.width;
	struct cc_address address = a->address;

	address.base = stepped(l, a, a->rows ? row : col);
	address.offset += (uint64_t)(a->rows ? col : row) * a->bytes;
	cc_access_memory(l, &address, store, bytes, false, 1, &reg);
}

static uint32_t load_register(struct cc_lower *l, const struct access *a, unsigned int first)
{
	uint32_t sum = CC_NONE, part, moved, both;

	if (a->order.each == 1 || a->rows) {
		sum = cc_temp(l, a->bytes == 8 ? CC_Q : CC_R);
		access_one(l, a, false, first, a->bytes * a->order.each, sum);
		return sum;
	}
	for (unsigned int i = 0; i < a->order.each; i++) {
		part = cc_temp(l, CC_R);
		access_one(l, a, false, first + i, a->bytes, part);
		if (!i) {
			sum = part;
			continue;
		}
		moved = cc_temp(l, CC_R);
		both = cc_temp(l, CC_R);
		cc_opi(l, VGPU_OP_SHL, 0, moved, part, i * 8 * a->bytes, CC_NONE);
		cc_op(l, VGPU_OP_OR, 0, both, sum, moved, CC_NONE);
		sum = both;
	}
	return sum;
}

static void store_register(struct cc_lower *l, const struct access *a, unsigned int first,
			   uint32_t reg)
{
	if (a->order.each == 1 || a->rows) {
		access_one(l, a, true, first, a->bytes * a->order.each, reg);
		return;
	}
	for (unsigned int i = 0; i < a->order.each; i++) {
		uint32_t part = reg;

		if (i) {
			part = cc_temp(l, CC_R);
			cc_opi(l, VGPU_OP_SHRU, 0, part, reg, i * 8 * a->bytes, CC_NONE);
		}
		access_one(l, a, true, first + i, a->bytes, part);
	}
}

static bool is_sum(const struct cc_wmma_shape *shape, enum ptx_type type)
{
	if (cc_wmma_has_words(shape))
		return type == PTX_S32;
	if (shape->k == 16)
		return type == PTX_F16 || type == PTX_F32 || type == PTX_S32;
	return type == (shape->k == 8 ? PTX_F32 : PTX_F64);
}

/* The stride of a matrix of words, which is given in elements of 4 bits or single bits. */
static uint32_t words_of(struct cc_lower *l, uint32_t stride, enum ptx_type type)
{
	uint32_t words = cc_temp(l, CC_R);

	cc_opi(l, VGPU_OP_SHRU, 0, words, stride, type == PTX_B1 ? 5 : 3, CC_NONE);
	return words;
}

static struct access access_of(struct cc_lower *l, unsigned int matrix, unsigned int operand,
			       unsigned int stride)
{
	const struct cc_wmma_shape *shape = cc_wmma_shape_of(l);
	enum ptx_type type = cc_type(l, 0);
	enum ptx_space space = cc_space_of(l);
	bool sum = matrix == PTX_M_MATRIX_C || matrix == PTX_M_MATRIX_D;
	bool words = cc_wmma_has_words(shape) && !sum;
	uint32_t given;
	struct access a = {.order = cc_wmma_order_of(shape, matrix, type),
			   .bytes = ptx_type_bytes(type),
			   .rows = ptx_has(l->in, PTX_M_ROW)};

	if (l->in->type_count != 1 || (sum ? !is_sum(shape, type) : !cc_wmma_kind_of(type, shape)))
		cc_refuse(l, "a matrix of this type and shape is not supported");
	if (a.rows == ptx_has(l->in, PTX_M_COL))
		cc_refuse(l, ".row or .col is wanted");
	if (words && a.rows != (matrix == PTX_M_MATRIX_A))
		cc_refuse(l, "of this type A is .row and B .col");
	if (words) {
		a.rows = true;
		a.bytes = 4;
	}
	if (space != PTX_GENERIC && space != PTX_GLOBAL && space != PTX_SHARED)
		cc_refuse(l, "a matrix is in global or shared memory");
	a.address = cc_address_operand(l, cc_operand(l, operand), space);
	if (a.address.space != PTX_SHARED && a.address.space != PTX_GLOBAL &&
	    a.address.space != PTX_GENERIC)
		cc_refuse(l, "a matrix is in global or shared memory");
	cc_check_offset(l, &a.address);
	l->mem = 0;
	given = stride_of(l, stride,
			  words	   ? shape->k
			  : a.rows ? a.order.width * a.order.lanes
				   : 32 / a.order.lanes * a.order.rows);
	first_element(l, &a, words ? words_of(l, given, type) : given);
	return a;
}

void cc_lower_wmma_load(struct cc_lower *l, unsigned int matrix)
{
	struct access a = access_of(l, matrix, 1, 2);
	enum ptx_type holder = cc_wmma_holder_of(cc_type(l, 0));
	uint32_t value[16];
	unsigned int own = a.order.count / a.order.each;

	for (unsigned int r = 0; r < own; r++)
		value[r] = load_register(l, &a, r * a.order.each);
	for (unsigned int r = 0; r < a.order.registers; r++)
		cc_move(l,
			cc_dst_element(l, cc_matrix_element(l, 0, r, a.order.registers), holder,
				       false),
			(struct cc_value){.reg = value[r % own]});
}

void cc_lower_wmma_store(struct cc_lower *l)
{
	struct access a = access_of(l, PTX_M_MATRIX_D, 0, 2);
	enum ptx_type holder = cc_wmma_holder_of(cc_type(l, 0));

	for (unsigned int r = 0; r < a.order.registers; r++)
		store_register(l, &a, r * a.order.each,
			       cc_matrix_source(l, 1, r, a.order.registers, holder));
}
