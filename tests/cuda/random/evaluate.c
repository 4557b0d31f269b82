// SPDX-License-Identifier: MIT
/*
 * A kernel computed here: a block's threads go through the tree together, each statement by the
 * threads that reach it, so votes and shuffles see their warp's values of that moment.
 */
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum skip { RUNS, CONTINUES, LEFT };

struct block {
	const struct kernel *k;
	uint64_t raw[RAW_WORDS];
	uint64_t var[MAX_VARS][MAX_THREADS];
	unsigned char skip[MAX_THREADS];
	uint64_t buffer[MAX_BUFFERS][MAX_THREADS][BUFFER_COUNT][4];
	uint64_t fields[MAX_THREADS][1 + STRUCT_VARS + STRUCT_ARRAY][MAX_ELEMENTS];
	uint64_t *cell;
};

typedef const unsigned char *lanes;

static uint64_t value(const struct block *b, const struct expr *e, unsigned int t)
{
	uint64_t arg[3] = {0}, r;
	bool flush;

	if (e->kind == E_CONST)
		return e->value;
	if (e->kind == E_VAR)
		return b->var[e->var][t];
	flush = b->k->ftz && (e->op->flags & OP_FTZ);
	for (unsigned int i = 0; i < e->op->args; i++) {
		arg[i] = value(b, e->arg[i], t);
		if (flush && e->op->arg[i] == T_F32)
			arg[i] = soft_flush(arg[i]);
	}
	soft_flushing(flush);
	r = e->op->eval(e->op, arg);
	soft_flushing(false);
	return flush && e->op->result == T_F32 ? soft_flush(r) : r;
}

static void set(struct block *b, const struct statement *s, unsigned int t, uint64_t to)
{
	if (s->dst < MAX_VARS)
		b->var[s->dst][t] = to;
}

/* ---- warps -------------------------------------------------------------- */

static unsigned int active(const struct block *b, lanes on, unsigned int warp)
{
	unsigned int mask = 0;

	for (unsigned int l = 0; l < 32 && warp * 32 + l < b->k->threads; l++)
		mask |= (unsigned int)!!on[warp * 32 + l] << l;
	return mask;
}

static unsigned int mask_of(const struct statement *s, unsigned int here, unsigned int chosen,
			    unsigned int lane)
{
	switch (s->form) {
	case M_TILE:
		return here & ((1u << s->width) - 1) << (lane & (32 - s->width));
	case M_CONST:
		return here & (s->mask >> lane & 1 ? s->mask : ~s->mask);
	case M_VALUE:
		return chosen >> lane & 1 ? chosen : here & ~chosen;
	case M_SELF:
		return 1u << lane;
	default:
		return here;
	}
}

/* Where a shuffle's value comes from; the lane itself where that is out of range. */
static unsigned int source(unsigned int op, unsigned int lane, unsigned int by, unsigned int width)
{
	unsigned int first = lane & ~(width - 1), last = first + width - 1;

	switch (op) {
	case W_SHFL:
		return first | (by & (width - 1));
	case W_UP:
		return lane < first + by ? lane : lane - by;
	case W_DOWN:
		return lane + by > last ? lane : lane + by;
	default:
		return (lane ^ by) > last ? lane : lane ^ by;
	}
}

static void warp_op(struct block *b, const struct statement *s, unsigned int warp,
		    unsigned int here)
{
	static const uint64_t limit[] = {1, 3, ~0ull};
	uint64_t x[32] = {0}, by[32] = {0}, result[32];
	unsigned int chosen = 0, base = warp * 32;

	for (unsigned int l = 0; l < 32; l++) {
		unsigned int t = base + l;

		if (!(here >> l & 1))
			continue;
		x[l] = value(b, s->kind == S_BRANCHED && !value(b, s->e[2], t) ? s->e[1] : s->e[0],
			     t);
		if (s->op >= W_MATCH_ANY)
			x[l] &= limit[s->imm];
		if (s->e[3])
			by[l] = value(b, s->e[3], t) & 31;
		if (s->form == M_VALUE)
			chosen |= (unsigned int)!!value(b, s->e[4], t) << l;
	}
	for (unsigned int l = 0; l < 32; l++) {
		unsigned int mask = mask_of(s, here, chosen, l), from, votes = 0, same = 0;

		if (!(here >> l & 1))
			continue;
		for (unsigned int o = 0; o < 32; o++) {
			votes |= (unsigned int)(mask >> o & 1 && x[o]) << o;
			same |= (unsigned int)(mask >> o & 1 && x[o] == x[l]) << o;
		}
		switch (s->op) {
		case W_SHFL:
		case W_UP:
		case W_DOWN:
		case W_XOR:
			from = source(s->op, l, (unsigned int)by[l], s->imm);
			result[l] = mask >> from & 1 ? x[from] : x[l];
			break;
		case W_BALLOT:
			result[l] = votes;
			break;
		case W_ANY:
			result[l] = !!votes;
			break;
		case W_ALL:
			result[l] = votes == mask;
			break;
		case W_MATCH_ANY:
			result[l] = same;
			break;
		default:
			result[l] = same == mask ? mask ^ 0x5a00005au : 0;
			break;
		}
	}
	for (unsigned int l = 0; l < 32; l++)
		if (here >> l & 1)
			set(b, s, base + l, result[l]);
}

/* ---- atomics ------------------------------------------------------------ */

static uint64_t changed(const struct statement *s, uint64_t old, uint64_t with, uint64_t compare)
{
	s128 a = int_value(s->type, old), c = int_value(s->type, with);

	switch (s->op) {
	case A_ADD:
		if (!is_float(s->type))
			return truncated(s->type, old + with);
		return soft_add(s->type, old, with, RN);
	case A_SUB:
		return truncated(s->type, old - with);
	case A_EXCH:
		return with;
	case A_MIN:
		return a < c ? old : with;
	case A_MAX:
		return a > c ? old : with;
	case A_AND:
		return old & with;
	case A_OR:
		return old | with;
	case A_XOR:
		return old ^ with;
	case A_INC:
		return a >= c ? 0 : old + 1;
	case A_DEC:
		return a == 0 || a > c ? with : old - 1;
	default:
		return old == compare ? with : old;
	}
}

static void atomic(struct block *b, const struct statement *s, unsigned int t)
{
	uint64_t *cell = b->cell + s->first_cell, compare = 0, old;

	switch (s->kind) {
	case S_OWN:
		cell += (t + s->imm) % b->k->threads;
		old = *cell;
		if (s->op == A_CAS) {
			compare = value(b, s->e[1], t);
			if (compare & 1)
				compare = old;
		}
		*cell = changed(s, old, value(b, s->e[0], t), compare);
		set(b, s, t, old);
		return;
	case S_COMMON:
		cell += value(b, s->e[0], t) % MAX_CELLS;
		*cell = changed(s, *cell, value(b, s->e[1], t), 0);
		return;
	default:
		old = cell[0];
		cell[0] = (uint32_t)(old + 1);
		cell[1] = (uint32_t)(cell[1] + (uint32_t)old * (uint32_t)old + (uint32_t)old);
	}
}

static unsigned int places(const struct block *b, const struct statement *s)
{
	return s->kind == S_OWN ? b->k->threads : s->kind == S_COMMON ? MAX_CELLS : 2;
}

static void first_values(struct block *b, const struct statement *s)
{
	for (; s; s = s->next) {
		if (s->dropped)
			continue;
		if (s->result < MAX_VARS)
			for (unsigned int i = 0; i < places(b, s); i++)
				b->cell[s->first_cell + i] = s->kind == S_TICKET && i ? 0 : s->init;
		first_values(b, s->body);
		first_values(b, s->other);
	}
}

static void last_values(struct block *b, const struct statement *s)
{
	for (; s; s = s->next) {
		if (s->dropped)
			continue;
		if (s->result < MAX_VARS)
			for (unsigned int t = 0; t < b->k->threads; t++)
				b->var[s->result][t] = b->cell[s->first_cell + t % places(b, s)];
		last_values(b, s->body);
		last_values(b, s->other);
	}
}

/* ---- vectors, structs --------------------------------------------------- */

static uint64_t raw(const struct block *b, const struct statement *s, uint64_t index)
{
	unsigned int bytes = bits_of(s->type) / 8, vectors = RAW_WORDS * 8 / (bytes * s->width);
	uint64_t r = 0;

	memcpy(&r, (const char *)b->raw + (index % vectors * s->width + s->imm) * bytes, bytes);
	return r;
}

static uint64_t *place_of(struct block *b, const struct statement *s, enum place what,
			  const struct expr *index, unsigned int t)
{
	unsigned int at = (unsigned int)what;

	(void)s;
	if (what == P_ARRAY)
		at += (unsigned int)(value(b, index, t) % STRUCT_ARRAY);
	return b->fields[t][at];
}

static uint64_t *element(uint64_t *of, const struct field *f, uint64_t index)
{
	return &of[f->at + (f->count ? index % f->count : 0)];
}

static void call(struct block *b, const struct statement *s, unsigned int t)
{
	const struct field *x = &b->k->field[b->k->modified[0]],
			   *y = &b->k->field[b->k->modified[1]];
	static const uint64_t one_and_half[TYPES] = {
		[T_F32] = 0x3fc00000, [T_F64] = 0x3ff8000000000000ull};
	uint64_t copy[MAX_ELEMENTS], index = value(b, s->e[0], t), *to;

	memcpy(copy, place_of(b, s, s->from, s->e[3], t), sizeof(copy));
	*element(copy, x, index) = value(b, s->e[1], t);
	to = element(copy, y, (uint32_t)(index + 1));
	*to = is_float(y->type) ? one_and_half[y->type]
				: truncated(y->type, (uint64_t)int_value(y->type, *to) * 3 + 1);
	memcpy(place_of(b, s, s->to, s->e[2], t), copy, sizeof(copy));
}

/* ---- statements --------------------------------------------------------- */

static void run(struct block *b, const struct statement *s, lanes on);

static void loop(struct block *b, const struct statement *s, lanes on)
{
	unsigned char inside[MAX_THREADS], before[MAX_THREADS];
	unsigned int times[MAX_THREADS];
	bool any = true;

	memcpy(before, b->skip, sizeof(before));
	for (unsigned int t = 0; t < b->k->threads; t++)
		times[t] = !on[t] ? 0 : s->imm ? s->imm : (unsigned int)value(b, s->e[0], t) & 3;
	for (unsigned int i = 0; any; i++) {
		any = false;
		for (unsigned int t = 0; t < b->k->threads; t++) {
			inside[t] = i < times[t] && b->skip[t] != LEFT;
			if (inside[t])
				b->skip[t] = RUNS;
			any |= inside[t];
		}
		run(b, s->body, inside);
	}
	memcpy(b->skip, before, sizeof(before));
}

static void one(struct block *b, const struct statement *s, lanes on)
{
	const struct kernel *k = b->k;
	unsigned char side[MAX_THREADS], other[MAX_THREADS];
	uint64_t shared[MAX_THREADS];
	unsigned int n = 0;

	switch (s->kind) {
	case S_IF:
		for (unsigned int t = 0; t < k->threads; t++) {
			side[t] = on[t] && value(b, s->e[0], t);
			other[t] = on[t] && !side[t];
		}
		run(b, s->body, side);
		run(b, s->other, other);
		return;
	case S_LOOP:
		loop(b, s, on);
		return;
	case S_WARP:
	case S_BRANCHED:
		for (unsigned int w = 0; w * 32 < k->threads; w++)
			warp_op(b, s, w, active(b, on, w));
		return;
	case S_SHARED:
		for (unsigned int t = 0; t < k->threads; t++)
			shared[t] = value(b, s->e[0], t);
		for (unsigned int t = 0; t < k->threads; t++)
			set(b, s, t, shared[value(b, s->e[1], t) % k->threads]);
		return;
	case S_BLOCKVOTE:
		for (unsigned int t = 0; t < k->threads; t++)
			n += !!value(b, s->e[0], t);
		for (unsigned int t = 0; t < k->threads; t++)
			set(b, s, t, s->op == 0 ? n : s->op == 1 ? n == k->threads : n > 0);
		return;
	default:
		break;
	}
	for (unsigned int t = 0; t < k->threads; t++) {
		const struct field *f = &k->field[s->field];
		uint64_t(*vector)[4] = b->buffer[s->buffer][t];

		if (!on[t])
			continue;
		switch (s->kind) {
		case S_SET:
			set(b, s, t, value(b, s->e[0], t));
			break;
		case S_BREAK:
			if (value(b, s->e[0], t))
				b->skip[t] = s->imm ? CONTINUES : LEFT;
			break;
		case S_VSET: {
			uint64_t v[4];

			for (unsigned int i = 0; i < k->buffer[s->buffer].width; i++)
				v[i] = value(b, s->e[1 + i], t);
			memcpy(vector[value(b, s->e[0], t) % BUFFER_COUNT], v, sizeof(v));
			break;
		}
		case S_VGET:
			set(b, s, t, vector[value(b, s->e[0], t) % BUFFER_COUNT][s->imm]);
			break;
		case S_VRAW:
			set(b, s, t, raw(b, s, value(b, s->e[0], t)));
			break;
		case S_FSET:
			*element(place_of(b, s, s->to, s->e[2], t), f, value(b, s->e[0], t)) =
				value(b, s->e[1], t);
			break;
		case S_FGET:
			set(b, s, t,
			    *element(place_of(b, s, s->from, s->e[2], t), f, value(b, s->e[0], t)));
			break;
		case S_COPY:
			memmove(place_of(b, s, s->to, s->e[2], t),
				place_of(b, s, s->from, s->e[3], t),
				MAX_ELEMENTS * sizeof(uint64_t));
			break;
		case S_CALL:
			call(b, s, t);
			break;
		default:
			atomic(b, s, t);
			break;
		}
	}
}

static void run(struct block *b, const struct statement *s, lanes on)
{
	unsigned char here[MAX_THREADS];

	for (; s; s = s->next) {
		for (unsigned int t = 0; t < b->k->threads; t++)
			here[t] = on[t] && b->skip[t] == RUNS;
		if (!s->dropped)
			one(b, s, here);
	}
}

void kernel_evaluate(const struct kernel *k, uint64_t *out)
{
	unsigned long long state = k->seed ^ k->number;
	struct block *b = malloc(sizeof(*b));
	unsigned char all[MAX_THREADS];

	if (!b)
		abort();
	memset(all, 1, sizeof(all));
	for (unsigned int row = 0; row < k->rows; row++) {
		memset(b, 0, sizeof(*b));
		b->k = k;
		b->cell = calloc(k->cells + 1, sizeof(uint64_t));
		if (!b->cell)
			abort();
		for (unsigned int i = 0; i < RAW_WORDS; i++)
			b->raw[i] = random_next(&state);
		for (unsigned int i = 0; i < k->inputs; i++)
			for (unsigned int t = 0; t < k->threads; t++)
				b->var[i][t] = random_value(&state, (int)k->var[i]);
		if (k->fields && k->pad_param)
			for (unsigned int t = 0; t < k->threads; t++) {
				uint64_t *v = b->var[k->var[0] == T_U8 ? 12 : 0];

				v[t] = (uint32_t)(v[t] + 77 + (k->pad_param == 4 ? 7 : 0));
			}
		for (unsigned int t = 0; t < k->threads; t++)
			for (unsigned int i = 0; i < 1 + STRUCT_VARS + STRUCT_ARRAY; i++)
				memcpy(b->fields[t][i], k->param, sizeof(k->param));
		first_values(b, k->body);
		run(b, k->body, all);
		last_values(b, k->body);
		for (unsigned int i = 0; i < k->vars; i++)
			memcpy(out + ((size_t)row * k->vars + i) * k->threads, b->var[i],
			       k->threads * sizeof(uint64_t));
		free(b->cell);
	}
	free(b);
}
