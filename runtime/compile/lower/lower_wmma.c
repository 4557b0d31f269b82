// SPDX-License-Identifier: MIT
/*
 * Lowering of wmma: matrices of a warp whose elements lie in the registers of the lanes in an order
 * that PTX leaves open. The order here makes a product cheap: a lane needs one register of A and a
 * few of B for each k, which are the same registers in every lane.
 *
 * A lane has in C and D the same number of elements of one row. Of the other matrices it has as
 * many as there are for each; where the fragment has more registers (A and B of halves), the
 * elements repeat. A fragment is described by three numbers (struct cc_wmma_order): a lane has
 * @rows rows of @width neighbours, and @lanes lanes beside each other make the whole width. With s
 * the number of an element in the lane:
 *
 *	row = lane / lanes * rows + s / width,	column = lane % lanes * width + s % width
 *
 * Rows of A are m and its columns k; of B, k and n; of C and D, m and n. Sums are made as mma's are
 * (lower_mma.c): from C on, in the order of k.
 *
 * Elements of 4 bits and single bits have k = 32 and 128, A by rows and B by columns of 16 bytes.
 * There a fragment is that of mma: a word of A's row or B's column number lane / 4, and the product
 * is mma's.
 */
#include "lower_wmma.h"

#define MOST_SUMS 8u /* elements of C in a lane */

static const struct cc_wmma_shape shapes[] = {
	{PTX_M_M16N16K16, 16, 16, 16}, {PTX_M_M32N8K16, 32, 8, 16}, {PTX_M_M8N32K16, 8, 32, 16},
	{PTX_M_M16N16K8, 16, 16, 8},   {PTX_M_M8N8K4, 8, 8, 4},	       {PTX_M_M8N8K32, 8, 8, 32},
	{PTX_M_M8N8K128, 8, 8, 128},
};

static const struct cc_wmma_kind kinds[] = {
	{{PTX_F16, PTX_F16}, PTX_F32, 16}, {{PTX_BF16, PTX_BF16}, PTX_F32, 16},
	{{PTX_S8, PTX_U8}, PTX_S32, 16},   {{PTX_TF32, PTX_TF32}, PTX_F32, 8},
	{{PTX_F64, PTX_F64}, PTX_F64, 4},  {{PTX_S4, PTX_U4}, PTX_S32, 32},
	{{PTX_B1, PTX_B1}, PTX_S32, 128},
};

const struct cc_wmma_shape *cc_wmma_shape_of(struct cc_lower *l)
{
	cc_matrix_check(l);
	for (unsigned int i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		if (ptx_has(l->in, shapes[i].mod))
			return &shapes[i];
	cc_refuse(l,
		  "the shape is not supported: m16n16k16, m32n8k16, m8n32k16, m16n16k8, m8n8k4, "
		  "m8n8k32 or m8n8k128");
}

const struct cc_wmma_kind *cc_wmma_kind_of(enum ptx_type type, const struct cc_wmma_shape *shape)
{
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((kinds[i].types[0] == type || kinds[i].types[1] == type) &&
		    kinds[i].k == shape->k)
			return &kinds[i];
	return NULL;
}

bool cc_wmma_has_words(const struct cc_wmma_shape *shape)
{
	return shape->k >= 32;
}

/* Elements of a lane in a row of C. */
static unsigned int sums_of(const struct cc_wmma_shape *shape)
{
	return shape->m * shape->n / 32u;
}

struct cc_wmma_order cc_wmma_order_of(const struct cc_wmma_shape *shape, unsigned int matrix,
				      enum ptx_type type)
{
	unsigned int bytes = ptx_type_bytes(type), sums = sums_of(shape);
	struct cc_wmma_order order = {.rows = 1, .each = bytes < 4 ? 4 / bytes : 1};

	if (cc_wmma_has_words(shape) && (matrix == PTX_M_MATRIX_A || matrix == PTX_M_MATRIX_B))
		return (struct cc_wmma_order){
			.width = 1, .lanes = 4, .rows = 1, .count = 1, .each = 1, .registers = 1};
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

unsigned int cc_wmma_log2(unsigned int number)
{
	return (unsigned int)__builtin_ctz(number);
}

void cc_wmma_split_lane(struct cc_lower *l, unsigned int lanes, unsigned int times,
			unsigned int rest_times, uint32_t *row, uint32_t *rest)
{
	uint32_t lane = cc_matrix_lane(l);

	*row = cc_matrix_field(l, lane, cc_wmma_log2(lanes), 31, cc_wmma_log2(times));
	*rest = cc_matrix_field(l, lane, 0, lanes - 1, cc_wmma_log2(rest_times));
}

enum ptx_type cc_wmma_holder_of(enum ptx_type type)
{
	return ptx_type_bytes(type) < 4 || type == PTX_TF32 ? PTX_B32 : type;
}

/* ---- products ------------------------------------------------------------ */

struct product {
	const struct cc_wmma_shape *shape;
	const struct cc_wmma_kind *kind;
	enum ptx_type d, a, b, c;
	struct cc_wmma_order order_a, order_b;
	unsigned int sums;
	uint32_t lane_a, lane_b; /* where the lane's row of A, and its columns of B, begin */
};

static struct product product_of(struct cc_lower *l)
{
	const struct cc_wmma_shape *shape = cc_wmma_shape_of(l);
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
	p.kind = cc_wmma_kind_of(p.a, shape);
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
	p.order_a = cc_wmma_order_of(shape, PTX_M_MATRIX_A, p.a);
	p.order_b = cc_wmma_order_of(shape, PTX_M_MATRIX_B, p.b);
	cc_wmma_split_lane(l, lanes, p.order_a.lanes, p.sums / p.order_b.width, &p.lane_a,
			   &p.lane_b);
	return p;
}

/* Of the lane that is @further behind the one in register @lane. */
static uint32_t fetch(struct cc_lower *l, uint32_t value, uint32_t lane, unsigned int further)
{
	return cc_matrix_from(l, value, cc_matrix_plus(l, lane, further));
}

static uint32_t register_of(struct cc_lower *l, unsigned int operand,
			    const struct cc_wmma_order *order,
			    enum ptx_type type, unsigned int element)
{
	return cc_matrix_source(l, operand, element / order->each, order->registers,
				cc_wmma_holder_of(type));
}

/* Adds row k of B, times the element of A that goes with it, to the sums. */
static void multiply(struct cc_lower *l, const struct product *p, unsigned int k, uint32_t from_a,
		     uint32_t sum[MOST_SUMS])
{
	const struct cc_wmma_order *b = &p->order_b;
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
	const struct cc_wmma_order *a = &p->order_a;
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
	bool saturates = ptx_has(l->in, PTX_M_SATFINITE);
	uint32_t sum[MOST_SUMS];
	struct product p;

	if (cc_wmma_has_words(cc_wmma_shape_of(l))) {
		if (l->in->type_count != 4 || cc_type(l, 1) != cc_type(l, 2))
			cc_refuse(l, "the types of D, A, B and C are wanted, A's and B's the same");
		cc_lower_mma(l);
		return;
	}
	if (ptx_mod_of(l->in, PTX_K_MMABIT) != PTX_M_NONE)
		cc_refuse(l, ".and, .xor and .popc are for .b1");
	p = product_of(l);
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
		cc_lower_wmma_load(l, PTX_M_MATRIX_A);
	} else if (load && ptx_has(l->in, PTX_M_MATRIX_B)) {
		cc_lower_wmma_load(l, PTX_M_MATRIX_B);
	} else if (load && ptx_has(l->in, PTX_M_MATRIX_C)) {
		cc_lower_wmma_load(l, PTX_M_MATRIX_C);
	} else if (ptx_has(l->in, PTX_M_STORE) && ptx_has(l->in, PTX_M_MATRIX_D)) {
		cc_lower_wmma_store(l);
	} else {
		cc_refuse(l, ".load of .a, .b or .c, .store.d or .mma is wanted");
	}
}
