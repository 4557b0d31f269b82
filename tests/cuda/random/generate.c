// SPDX-License-Identifier: MIT
/*
 * A random kernel from a seed. What it may contain follows from the classes that it was given and
 * from a draw of its own, so that a kernel is about a few things.
 *
 * Nothing that CUDA leaves open is generated: lanes named in a mask do reach the operation that
 * names them, a shuffle's value counts only where it comes from a lane of the mask, places that
 * several lanes change see one commutative operation, barriers stand where the whole block comes
 * by.
 */
#include "generate.h"

#include <stdlib.h>

const char *const class_name[C_CLASSES] = {
	"int",	"narrow", "simd",   "float",  "double", "half",	  "convert",
	"flow", "warp",	  "branch", "vector", "struct", "atomic", "shared",
};

struct place_in {
	unsigned int depth;
	bool uniform; /* the whole block is here */
	bool masked; /* the lanes that are here are known as a mask */
	bool loop;
};

/* ---- statements --------------------------------------------------------- */

static struct expr *index_expr(struct kernel *k)
{
	return below(k, 3) ? expression(k, T_U32, 1) : constant(T_U32, below(k, 16));
}

static void make_set(struct kernel *k, struct statement *s)
{
	enum type type = random_type(k);

	s->kind = S_SET;
	s->e[0] = expression(k, type, 1 + below(k, 4));
	s->dst = target(k, type);
}

static void make_warp(struct kernel *k, struct statement *s, bool branched)
{
	static const enum type shuffled[] = {T_U32, T_S32, T_U64, T_S64, T_F32, T_F64};
	enum type result = T_U32;

	s->kind = branched ? S_BRANCHED : S_WARP;
	s->op = below(k, W_OPS);
	s->form = (enum mask_form)below(k, M_FORMS);
	s->width = 1u << (1 + below(k, 4)); /* of M_TILE */
	s->mask = (uint32_t)random_of(k, T_U32);
	if (s->op <= W_XOR) {
		do {
			s->type = shuffled[below(k, 6)];
		} while (!type_there(k, s->type));
		s->imm = 1u << (1 + below(k, 5)); /* width of the shuffle */
		result = s->type;
	} else if (s->op <= W_ALL) {
		s->type = T_S32;
		result = s->op == W_BALLOT ? T_U32 : T_S32;
	} else {
		s->type = (enum type)(T_U32 + below(k, 4));
		s->imm = below(k, 3); /* of the value: 0 and 1 its lowest bits, 2 all */
	}
	s->e[0] = expression(k, s->type, 1 + below(k, 2));
	s->e[1] = branched ? expression(k, s->type, 1 + below(k, 2)) : NULL;
	s->e[2] = branched ? expression(k, T_S32, 2) : NULL;
	s->e[3] = s->op <= W_XOR ? index_expr(k) : NULL;
	s->e[4] = s->form == M_VALUE ? expression(k, T_S32, 2) : NULL;
	s->dst = target(k, result);
}

static struct expr *whole_number(struct kernel *k)
{
	struct expr *e = new_zeroed(sizeof(*e));

	e->kind = E_OP;
	e->type = T_F32;
	for (e->op = convert_ops; e->op->result != T_F32 || e->op->arg[0] != T_S32; e->op++)
		;
	e->arg[0] = expression(k, T_S32, 2);
	return e;
}

static void make_atomic(struct kernel *k, struct statement *s)
{
	static const enum type own[] = {T_U32, T_S32, T_U64, T_S64, T_F32, T_F64};
	unsigned int form = below(k, 4);

	s->shared = below(k, 2) && k->shared_bytes < 16384;
	if (form < 2) {
		s->kind = S_OWN;
		do {
			s->op = below(k, A_OPS);
			do {
				s->type = own[below(k, 6)];
			} while (!type_there(k, s->type));
		} while ((s->type == T_S64 && s->op != A_MIN && s->op != A_MAX) ||
			 (s->type == T_U64 && (s->op == A_SUB || s->op >= A_INC) &&
			  s->op != A_CAS) ||
			 (s->type == T_S32 && (s->op == A_INC || s->op == A_DEC)) ||
			 (s->type == T_F32 && s->op != A_ADD && s->op != A_EXCH) ||
			 (s->type == T_F64 && s->op != A_ADD));
		/* Sums of whole numbers: whether atomics flush subnormal floats is not settled. */
		s->e[0] = s->type == T_F32 && s->op == A_ADD
				  ? whole_number(k)
				  : expression(k, s->type, 1 + below(k, 2));
		s->e[1] = s->op == A_CAS ? expression(k, s->type, 1) : NULL;
		s->imm = below(k, k->threads); /* the thread whose place it is, from here */
		s->first_cell = k->cells;
		k->cells += k->threads;
		s->init = is_float(s->type) ? 0 : below(k, 2) ? 0 : random_of(k, s->type);
		s->dst = target(k, s->type);
	} else if (form == 2) {
		static const enum atomic_op ops[] = {A_ADD, A_MIN, A_MAX, A_AND, A_OR, A_XOR};

		s->kind = S_COMMON;
		do {
			s->op = ops[below(k, 6)];
			s->type = (enum type)(T_U32 + below(k, 4));
		} while (s->type == T_S64 && s->op != A_MIN && s->op != A_MAX);
		s->e[0] = expression(k, T_U32, 1);
		s->e[1] = expression(k, s->type, 1 + below(k, 2));
		s->init = random_of(k, s->type);
		s->first_cell = k->cells;
		k->cells += MAX_CELLS;
	} else {
		s->kind = S_TICKET;
		s->type = T_U32;
		s->init = below(k, 100);
		s->first_cell = k->cells;
		k->cells += 2;
	}
	k->var[k->vars] = s->type;
	s->result = k->vars++;
	if (s->shared)
		k->shared_bytes += 8 * (s->kind == S_OWN ? k->threads : MAX_CELLS);
}

static void make_vector(struct kernel *k, struct statement *s)
{
	const struct buffer *b;

	if (!k->buffers || !below(k, 4)) {
		s->kind = S_VRAW;
		do {
			s->type = random_type(k);
		} while (s->type == T_F16);
		s->width = 2 + below(k, bits_of(s->type) == 64 ? 1 : 3);
		s->width = s->width == 3 ? 4 : s->width;
		s->imm = below(k, s->width);
		s->e[0] = index_expr(k);
		s->dst = target(k, s->type);
		return;
	}
	s->buffer = below(k, k->buffers);
	b = &k->buffer[s->buffer];
	s->e[0] = index_expr(k);
	if (below(k, 2)) {
		s->kind = S_VSET;
		for (unsigned int i = 0; i < b->width; i++)
			s->e[1 + i] = expression(k, b->type, below(k, 2));
	} else {
		s->kind = S_VGET;
		s->imm = below(k, b->width);
		s->dst = target(k, b->type);
	}
}

static void make_struct(struct kernel *k, struct statement *s)
{
	unsigned int what = below(k, 6);

	s->field = below(k, k->fields);
	s->from = (enum place)below(k, 4);
	s->to = (enum place)(1 + below(k, 3));
	s->e[2] = index_expr(k); /* of the array, if `to` or `from` is one */
	s->e[3] = index_expr(k);
	if (what == 0) {
		s->kind = S_COPY;
	} else if (what == 1) {
		s->kind = S_CALL;
		s->e[0] = index_expr(k);
		s->e[1] = expression(k, k->field[k->modified[0]].type, 2);
	} else if (what < 4) {
		s->kind = S_FSET;
		s->e[0] = index_expr(k);
		s->e[1] = expression(k, k->field[s->field].type, 2);
	} else {
		s->kind = S_FGET;
		s->e[0] = index_expr(k);
		s->dst = target(k, k->field[s->field].type);
	}
}

static struct statement *statements(struct kernel *k, struct place_in at, unsigned int count);

static void make_flow(struct kernel *k, struct statement *s, struct place_in at)
{
	struct place_in inside = at;

	inside.depth++;
	inside.uniform = false;
	s->collective = at.masked && below(k, 2);
	inside.masked = s->collective;
	if (below(k, 2)) {
		s->kind = S_IF;
		s->e[0] = expression(k, T_S32, 2);
		s->body = statements(k, inside, 1 + below(k, 4));
		if (below(k, 2))
			s->other = statements(k, inside, 1 + below(k, 4));
		return;
	}
	s->kind = S_LOOP;
	s->imm = below(k, 3) ? 0 : 1 + below(k, 4);
	s->op = k->loops++;
	s->e[0] = s->imm ? NULL : expression(k, T_U32, 2);
	inside.loop = !s->collective;
	inside.uniform = false;
	s->body = statements(k, inside, 1 + below(k, 4));
}

static void make(struct kernel *k, struct statement *s, struct place_in at)
{
	for (;;) {
		switch (below(k, 12)) {
		case 0:
			if (!has(k, C_FLOW) || at.depth >= 3)
				continue;
			make_flow(k, s, at);
			return;
		case 1:
			if (!at.loop || !has(k, C_FLOW))
				continue;
			s->kind = S_BREAK;
			s->imm = below(k, 2);
			s->e[0] = expression(k, T_S32, 2);
			return;
		case 2:
		case 3:
			if (!has(k, C_WARP) || !at.masked)
				continue;
			make_warp(k, s, false);
			return;
		case 4:
			if (!has(k, C_BRANCH) || !at.masked)
				continue;
			make_warp(k, s, true);
			return;
		case 5:
			if (!has(k, C_SHARED) || !at.uniform || k->shared_bytes > 16384)
				continue;
			if (!below(k, 3)) {
				s->kind = S_BLOCKVOTE;
				s->op = below(k, 3);
				s->e[0] = expression(k, T_S32, 2);
				s->dst = target(k, T_S32);
				return;
			}
			s->kind = S_SHARED;
			s->type = random_type(k);
			s->e[0] = expression(k, s->type, 2);
			s->e[1] = index_expr(k);
			s->dst = target(k, s->type);
			k->shared_bytes += 8 * k->threads;
			return;
		case 6:
			if (!has(k, C_ATOMIC) || k->vars + 1 >= MAX_VARS)
				continue;
			make_atomic(k, s);
			return;
		case 7:
			if (!has(k, C_VECTOR))
				continue;
			make_vector(k, s);
			return;
		case 8:
			if (!has(k, C_STRUCT))
				continue;
			make_struct(k, s);
			return;
		default:
			make_set(k, s);
			return;
		}
	}
}

static struct statement *statements(struct kernel *k, struct place_in at, unsigned int count)
{
	struct statement *first = NULL, **end = &first;

	while (count--) {
		struct statement *s = new_zeroed(sizeof(*s));

		s->id = k->statements++;
		s->dst = s->result = MAX_VARS;
		make(k, s, at);
		*end = s;
		end = &s->next;
	}
	return first;
}

/* ---- kernels ------------------------------------------------------------ */

static void make_fields(struct kernel *k)
{
	k->fields = 2 + below(k, MAX_FIELDS - 1);
	for (unsigned int i = 0; i < k->fields; i++) {
		struct field *f = &k->field[i];

		do {
			f->type = random_type(k);
			if (!below(k, 3)) /* something small beside something large: padding */
				f->type = (enum type)below(k, T_F16);
		} while (f->type == T_F16);
		f->count = below(k, 2) ? 0 : 2 + below(k, 4);
		f->nested = !below(k, 4);
		f->at = k->elements;
		k->elements += f->count ? f->count : 1;
	}
	for (unsigned int i = 0, at = 0; i < k->fields; i++)
		for (unsigned int n = 0; n < (k->field[i].count ? k->field[i].count : 1); n++)
			k->param[at++] = constant_bits(k, k->field[i].type);
	k->modified[0] = below(k, k->fields);
	k->modified[1] = below(k, k->fields);
	k->pad_param = below(k, 5);
}

static void make_buffers(struct kernel *k)
{
	k->buffers = 1 + below(k, MAX_BUFFERS);
	for (unsigned int i = 0; i < k->buffers; i++) {
		struct buffer *b = &k->buffer[i];

		do {
			b->type = random_type(k);
		} while (b->type == T_F16);
		b->width = 1 + below(k, 4);
		b->space = below(k, 3);
		if (b->space == IN_SHARED &&
		    k->shared_bytes + BUFFER_COUNT * 32 * k->threads > 16384)
			b->space = IN_LOCAL;
		if (b->space == IN_SHARED)
			k->shared_bytes += BUFFER_COUNT * 32 * k->threads;
		b->at = k->mem_words;
		if (b->space == IN_GLOBAL)
			k->mem_words += BUFFER_COUNT * 4 * k->threads;
	}
}

/* Some of the classes that are wanted; integers always, and others the more rarely the more there
 * are. */
static unsigned int draw_classes(struct kernel *k, unsigned int wanted)
{
	unsigned int drawn = 0;

	for (unsigned int c = 0; c < C_CLASSES; c++)
		if ((wanted >> c & 1) && !below(k, c == C_FLOW || c == C_CONVERT ? 2 : 3))
			drawn |= 1u << c;
	if (!(drawn & ~(1u << C_FLOW)))
		drawn |= wanted;
	return drawn;
}

struct kernel *kernel_generate(uint64_t seed, unsigned int number, unsigned int classes,
			       unsigned int depth, bool ftz)
{
	static const unsigned char threads[] = {32, 64, 64, 96, 128, 33, 50, 77, 17, 128};
	struct place_in top = {0, true, true, false};
	struct kernel *k = new_zeroed(sizeof(*k));

	k->seed = seed;
	k->number = number;
	k->ftz = ftz;
	k->depth = depth;
	k->state = seed * 0x9e3779b97f4a7c15ull ^ (uint64_t)number << 20 ^ (uint64_t)ftz << 60;
	below(k, 2);
	k->classes = draw_classes(k, classes);
	k->classes |= 1u << C_INT;
	if (ftz)
		k->classes |= 1u << C_FLOAT;
	k->threads = threads[below(k, sizeof(threads))];
	k->rows = 3;
	for (unsigned int t = 0; t < TYPES; t++)
		for (unsigned int i = 0; type_there(k, (enum type)t) && i < 3; i++)
			k->var[k->vars++] = (enum type)t;
	k->inputs = k->vars;
	if (has(k, C_STRUCT))
		make_fields(k);
	if (has(k, C_VECTOR))
		make_buffers(k);
	k->body = statements(k, top, 10 + below(k, 16));
	k->cells_at = k->mem_words;
	k->mem_words += k->cells + (k->cells & 1);
	return k;
}

static void drop(struct statement *s, unsigned int id)
{
	for (; s; s = s->next) {
		s->dropped |= s->id == id;
		drop(s->body, id);
		drop(s->other, id);
	}
}

void kernel_drop(struct kernel *k, unsigned int id)
{
	drop(k->body, id);
}

static void free_expr(struct expr *e)
{
	if (!e)
		return;
	for (unsigned int i = 0; i < 3; i++)
		free_expr(e->arg[i]);
	free(e);
}

static void free_statements(struct statement *s)
{
	while (s) {
		struct statement *next = s->next;

		for (unsigned int i = 0; i < 5; i++)
			free_expr(s->e[i]);
		free_statements(s->body);
		free_statements(s->other);
		free(s);
		s = next;
	}
}

void kernel_free(struct kernel *k)
{
	free_statements(k->body);
	free(k);
}
