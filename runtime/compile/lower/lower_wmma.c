// SPDX-License-Identifier: MIT
/*
 * Lowering of wmma: matrices of a warp whose elements lie in the registers of the lanes in an order
 * that PTX leaves open. The order here makes a product cheap: a lane needs one register of A and a
 * few of B for each k, which are the same registers in every lane.
 *
 * A lane has in C and D the same number of elements of one row. Of the other matrices it has as
 * many as there are for each; where the fragment has more registers (A and B of halves), the
 * elements repeat. A fragment is described by three numbers (struct order): a lane has @rows rows
 * of @width neighbours, and @lanes lanes beside each other make the whole width. With s the number
 * of an element in the lane:
 *
 *	row = lane / lanes * rows + s / width,	column = lane % lanes * width + s % width
 *
 * Rows of A are m and its columns k; of B, k and n; of C and D, m and n. Sums are made as mma's are
 * (lower_matrix.c): from C on, in the order of k.
 */
#include "lower.h"

#define MOST_SUMS 8u /* elements of C in a lane */

static const struct shape {
	uint16_t mod;
	uint8_t m, n, k;
} shapes[] = {
	{PTX_M_M16N16K16, 16, 16, 16}, {PTX_M_M32N8K16, 32, 8, 16}, {PTX_M_M8N32K16, 8, 32, 16},
	{PTX_M_M16N16K8, 16, 16, 8},   {PTX_M_M8N8K4, 8, 8, 4},
};

/* Types that A and B may be of, the type of the sums, and the k of their shapes. */
static const struct kind {
	uint8_t types[2], sum, k;
} kinds[] = {
	{{PTX_F16, PTX_F16}, PTX_F32, 16}, {{PTX_BF16, PTX_BF16}, PTX_F32, 16},
	{{PTX_S8, PTX_U8}, PTX_S32, 16},   {{PTX_TF32, PTX_TF32}, PTX_F32, 8},
	{{PTX_F64, PTX_F64}, PTX_F64, 4},
};

struct order {
	unsigned int width, lanes, rows;
	unsigned int count; /* elements of a lane: width * rows */
	unsigned int each; /* elements in a register */
	unsigned int registers; /* of the fragment */
};

static const struct shape *shape_of(struct cc_lower *l)
{
	cc_matrix_check(l);
	for (unsigned int i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		if (ptx_has(l->in, shapes[i].mod))
			return &shapes[i];
	cc_refuse(l,
		  "the shape is not supported: m16n16k16, m32n8k16, m8n32k16, m16n16k8 or m8n8k4");
}

static const struct kind *kind_of(enum ptx_type type, const struct shape *shape)
{
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((kinds[i].types[0] == type || kinds[i].types[1] == type) &&
		    kinds[i].k == shape->k)
			return &kinds[i];
	return NULL;
}

/* Elements of a lane in a row of C. */
static unsigned int sums_of(const struct shape *shape)
{
	return shape->m * shape->n / 32u;
}

static struct order order_of(const struct shape *shape, unsigned int matrix, enum ptx_type type)
{
	unsigned int bytes = ptx_type_bytes(type), sums = sums_of(shape);
	struct order order = {.rows = 1, .each = bytes < 4 ? 4 / bytes : 1};

	switch (matrix) {
	case PTX_M_MATRIX_A:
		order.width = shape->m * shape->k / 32u;
		order.lanes = shape->k / order.width;
		break;
	case PTX_M_MATRIX_B:
		order.width = shape->k * shape->n / 32u;
		if (order.width > sums) {
			order.rows = order.width / sums;
			order.width = sums;
		}
		order.lanes = shape->n / order.width;
		break;
	default:
		order.width = sums;
		order.lanes = shape->n / order.width;
		break;
	}
	order.count = order.width * order.rows;
	order.registers = order.count / order.each;
	if (type == PTX_F16 && (matrix == PTX_M_MATRIX_A || matrix == PTX_M_MATRIX_B))
		order.registers = 8;
	return order;
}

/* Of a power of two. */
static unsigned int log2_of(unsigned int number)
{
	return (unsigned int)__builtin_ctz(number);
}

/* The number of the lane, divided by @lanes, and what is left, each times a number. */
static void split_lane(struct cc_lower *l, unsigned int lanes, unsigned int times,
		       unsigned int rest_times, uint32_t *row, uint32_t *rest)
{
	uint32_t lane = cc_matrix_lane(l);

	*row = cc_matrix_field(l, lane, log2_of(lanes), 31, log2_of(times));
	*rest = cc_matrix_field(l, lane, 0, lanes - 1, log2_of(rest_times));
}

/* ---- loads and stores ---------------------------------------------------- */

struct access {
	struct order order;
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

	split_lane(l, a->order.lanes, a->order.rows, a->order.width, &row, &col);
	cc_op(l, VGPU_OP_ZXQ, 0, wide, a->rows ? col : row, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_MADWU, 0, offset, a->rows ? row : col, stride, wide);
	cc_opi(l, VGPU_OP_SHLQ, 0, bytes, offset, log2_of(a->bytes), CC_NONE);
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

/* In registers everything is bits, but what is multiplied as a register is. */
static enum ptx_type holder_of(enum ptx_type type)
{
	return ptx_type_bytes(type) < 4 || type == PTX_TF32 ? PTX_B32 : type;
}

static bool is_sum(const struct shape *shape, enum ptx_type type)
{
	if (shape->k == 16)
		return type == PTX_F16 || type == PTX_F32 || type == PTX_S32;
	return type == (shape->k == 8 ? PTX_F32 : PTX_F64);
}

static struct access access_of(struct cc_lower *l, unsigned int matrix, unsigned int operand,
			       unsigned int stride)
{
	const struct shape *shape = shape_of(l);
	enum ptx_type type = cc_type(l, 0);
	enum ptx_space space = cc_space_of(l);
	bool sum = matrix == PTX_M_MATRIX_C || matrix == PTX_M_MATRIX_D;
	struct access a = {.order = order_of(shape, matrix, type),
			   .bytes = ptx_type_bytes(type),
			   .rows = ptx_has(l->in, PTX_M_ROW)};

	if (l->in->type_count != 1 || (sum ? !is_sum(shape, type) : !kind_of(type, shape)))
		cc_refuse(l, "a matrix of this type and shape is not supported");
	if (a.rows == ptx_has(l->in, PTX_M_COL))
		cc_refuse(l, ".row or .col is wanted");
	if (space != PTX_GENERIC && space != PTX_GLOBAL && space != PTX_SHARED)
		cc_refuse(l, "a matrix is in global or shared memory");
	a.address = cc_address_operand(l, cc_operand(l, operand), space);
	if (a.address.space != PTX_SHARED && a.address.space != PTX_GLOBAL &&
	    a.address.space != PTX_GENERIC)
		cc_refuse(l, "a matrix is in global or shared memory");
	cc_check_offset(l, &a.address);
	l->mem = 0;
	first_element(l, &a,
		      stride_of(l, stride,
				a.rows ? a.order.width * a.order.lanes
				       : 32 / a.order.lanes * a.order.rows));
	return a;
}

static void lower_load(struct cc_lower *l, unsigned int matrix)
{
	struct access a = access_of(l, matrix, 1, 2);
	enum ptx_type holder = holder_of(cc_type(l, 0));
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

static void lower_store(struct cc_lower *l)
{
	struct access a = access_of(l, PTX_M_MATRIX_D, 0, 2);
	enum ptx_type holder = holder_of(cc_type(l, 0));

	for (unsigned int r = 0; r < a.order.registers; r++)
		store_register(l, &a, r * a.order.each,
			       cc_matrix_source(l, 1, r, a.order.registers, holder));
}

/* ---- products ------------------------------------------------------------ */

struct product {
	const struct shape *shape;
	const struct kind *kind;
	enum ptx_type d, a, b, c;
	struct order order_a, order_b;
	unsigned int sums;
	uint32_t lane_a, lane_b; /* where the lane's row of A, and its columns of B, begin */
};

static struct product product_of(struct cc_lower *l)
{
	const struct shape *shape = shape_of(l);
	struct product p = {.shape = shape,
			    .sums = sums_of(shape),
			    .d = cc_type(l, 0),
			    .a = PTX_F16,
			    .b = PTX_F16};
	unsigned int lanes = shape->n / p.sums;

	if (l->in->type_count == 4) {
		p.a = cc_type(l, 1);
		p.b = cc_type(l, 2);
	} else if (l->in->type_count != 2) {
		cc_refuse(l, "the types of D and C, or of D, A, B and C are wanted");
	}
	p.c = cc_type(l, l->in->type_count - 1u);
	p.kind = kind_of(p.a, shape);
	if (!p.kind || p.b != p.a || (!ptx_has(l->in, PTX_M_ROW) && !ptx_has(l->in, PTX_M_COL)))
		cc_refuse(l, "layouts, and matrices of types that go with the shape are wanted");
	for (unsigned int i = 0; i < 2; i++) {
		enum ptx_type type = i ? p.c : p.d;

		if (type != p.kind->sum && !(type == PTX_F16 && p.a == PTX_F16))
			cc_refuse(l, "C and D of these types do not go with A and B");
	}
	if (ptx_has(l->in, PTX_M_SATFINITE) && p.kind->sum != PTX_S32)
		cc_refuse(l, ".satfinite is for integers");
	if (ptx_mod_of(l->in, PTX_K_RND) != PTX_M_NONE && !ptx_has(l->in, PTX_M_RN))
		cc_refuse(l, "only .rn is supported");
	p.order_a = order_of(shape, PTX_M_MATRIX_A, p.a);
	p.order_b = order_of(shape, PTX_M_MATRIX_B, p.b);
	split_lane(l, lanes, p.order_a.lanes, p.sums / p.order_b.width, &p.lane_a, &p.lane_b);
	return p;
}

/* Of the lane that is @further behind the one in register @lane. */
static uint32_t fetch(struct cc_lower *l, uint32_t value, uint32_t lane, unsigned int further)
{
	return cc_matrix_from(l, value, cc_matrix_plus(l, lane, further));
}

static uint32_t register_of(struct cc_lower *l, unsigned int operand, const struct order *order,
			    enum ptx_type type, unsigned int element)
{
	return cc_matrix_source(l, operand, element / order->each, order->registers,
				holder_of(type));
}

/* Adds row k of B, times the element of A that goes with it, to the sums. */
static void multiply(struct cc_lower *l, const struct product *p, unsigned int k, uint32_t from_a,
		     uint32_t sum[MOST_SUMS])
{
	const struct order *b = &p->order_b;
	unsigned int op = p->kind->sum == PTX_S32   ? VGPU_OP_MAD
			  : p->kind->sum == PTX_F64 ? VGPU_OP_DFMA
						    : VGPU_OP_FFMA;
	uint32_t left = cc_matrix_unpack(l, from_a, p->a, k % p->order_a.each), from_b = CC_NONE;

	for (unsigned int j = 0; j < p->sums; j++) {
		unsigned int element = k % b->rows * b->width + j % b->width;
		uint32_t right, out = cc_temp(l, cc_class_of(p->kind->sum));

		if (element % b->each == 0)
			from_b = fetch(l, register_of(l, 2, b, p->b, element), p->lane_b,
				       k / b->rows * b->lanes + j / b->width);
		right = cc_matrix_unpack(l, from_b, p->b, element % b->each);
		cc_op(l, op, 0, out, left, right, sum[j]);
		sum[j] = out;
	}
}

static void multiply_all(struct cc_lower *l, const struct product *p, uint32_t sum[MOST_SUMS])
{
	const struct order *a = &p->order_a;
	uint32_t from_a = CC_NONE;

	for (unsigned int k = 0; k < p->shape->k; k++) {
		unsigned int element = k % a->width;

		if (element % a->each == 0)
			from_a = fetch(l, register_of(l, 1, a, p->a, element), p->lane_a,
				       k / a->width);
		multiply(l, p, k, from_a, sum);
	}
}

/* Element j of C; of halves two are in a register. */
static uint32_t addend(struct cc_lower *l, const struct product *p, unsigned int j)
{
	uint32_t reg;

	if (p->c != PTX_F16)
		return cc_matrix_source(l, 3, j, p->sums, p->c);
	reg = cc_matrix_source(l, 3, j / 2, p->sums / 2, PTX_B32);
	return cc_matrix_unpack(l, reg, PTX_F16, j % 2);
}

static void write_sum(struct cc_lower *l, const struct product *p, unsigned int j,
		      const uint32_t sum[MOST_SUMS])
{
	uint32_t dst;

	if (p->d != PTX_F16) {
		dst = cc_dst_element(l, cc_matrix_element(l, 0, j, p->sums), p->d, false);
		cc_move(l, dst, (struct cc_value){.reg = sum[j]});
		return;
	}
	if (j % 2 == 0)
		cc_matrix_write_halves(l, cc_matrix_element(l, 0, j / 2, p->sums / 2), &sum[j]);
}

static void lower_product(struct cc_lower *l)
{
	struct product p = product_of(l);
	bool saturates = ptx_has(l->in, PTX_M_SATFINITE);
	uint32_t sum[MOST_SUMS];

	for (unsigned int j = 0; j < p.sums; j++)
		sum[j] = saturates ? cc_const(l, CC_R, 0) : addend(l, &p, j);
	multiply_all(l, &p, sum);
	for (unsigned int j = 0; j < p.sums && saturates; j++)
		sum[j] = cc_matrix_add(l, sum[j], addend(l, &p, j));
	for (unsigned int j = 0; j < p.sums; j++)
		write_sum(l, &p, j, sum);
}

void cc_lower_wmma(struct cc_lower *l)
{
	bool load = ptx_has(l->in, PTX_M_LOAD);

	if (ptx_has(l->in, PTX_M_MMA)) {
		if (l->in->count != 4)
			cc_refuse(l, "D, A, B and C are wanted");
		lower_product(l);
	} else if (load && ptx_has(l->in, PTX_M_MATRIX_A)) {
		lower_load(l, PTX_M_MATRIX_A);
	} else if (load && ptx_has(l->in, PTX_M_MATRIX_B)) {
		lower_load(l, PTX_M_MATRIX_B);
	} else if (load && ptx_has(l->in, PTX_M_MATRIX_C)) {
		lower_load(l, PTX_M_MATRIX_C);
	} else if (ptx_has(l->in, PTX_M_STORE) && ptx_has(l->in, PTX_M_MATRIX_D)) {
		lower_store(l);
	} else {
		cc_refuse(l, ".load of .a, .b or .c, .store.d or .mma is wanted");
	}
}
