// SPDX-License-Identifier: MIT
/*
 * Random expressions of a type, and the draws that all of a kernel is made with.
 */
#include "generate.h"

#include <stdlib.h>

unsigned int below(struct kernel *k, unsigned int n)
{
	unsigned long long state = k->state;
	unsigned int r = random_below(&state, n);

	k->state = state;
	return r;
}

uint64_t random_of(struct kernel *k, enum type type)
{
	unsigned long long state = k->state;
	uint64_t r = random_value(&state, (int)type);

	k->state = state;
	return r;
}

bool has(const struct kernel *k, enum class class)
{
	return k->classes >> class & 1;
}

void *new_zeroed(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p)
		abort();
	return p;
}

uint64_t constant_bits(struct kernel *k, enum type type)
{
	uint64_t r;

	do {
		r = random_of(k, type);
	} while (is_float(type) && soft_is_nan(type, r));
	return r;
}

bool type_there(const struct kernel *k, enum type type)
{
	switch (type) {
	case T_U8:
	case T_S8:
	case T_U16:
	case T_S16:
		return has(k, C_NARROW);
	case T_F16:
		return has(k, C_HALF);
	case T_F32:
		return has(k, C_FLOAT);
	case T_F64:
		return has(k, C_DOUBLE);
	default:
		return true;
	}
}

enum type random_type(struct kernel *k)
{
	enum type type;

	do {
		type = (enum type)below(k, TYPES);
	} while (!type_there(k, type));
	return type;
}

static bool usable(const struct kernel *k, const struct op *op, enum type result)
{
	bool single = op->result == T_F32;

	if (op->result != result || !has(k, op->class))
		return false;
	for (unsigned int i = 0; i < op->args; i++) {
		if (!type_there(k, op->arg[i]))
			return false;
		single |= op->arg[i] == T_F32;
	}
	return !(k->ftz && single && !(op->flags & OP_FTZ));
}

static const struct op *op_at(unsigned int i)
{
	if (i < int_op_count)
		return &int_ops[i];
	i -= int_op_count;
	if (i < float_op_count)
		return &float_ops[i];
	i -= float_op_count;
	return i < convert_op_count ? &convert_ops[i] : NULL;
}

/* One of a class that is drawn first: a class of many operations does not crowd out the others. */
static const struct op *random_op(struct kernel *k, enum type result)
{
	unsigned int number[C_CONVERT + 1] = {0}, there = 0, class, n;
	const struct op *op;

	for (unsigned int i = 0; (op = op_at(i)); i++)
		if (usable(k, op, result))
			there += !number[op->class]++;
	if (!there)
		return NULL;
	n = below(k, there);
	for (class = 0; !number[class] || n--; class ++)
		;
	n = below(k, number[class]);
	for (unsigned int i = 0; (op = op_at(i)); i++)
		if (usable(k, op, result) && op->class == class && !n--)
			break;
	return op;
}

struct expr *constant(enum type type, uint64_t value)
{
	struct expr *e = new_zeroed(sizeof(*e));

	e->kind = E_CONST;
	e->type = type;
	e->value = value;
	return e;
}

/* Some variable of the expression's type, of which there is one. */
static void variable(struct kernel *k, struct expr *e)
{
	unsigned int of_type = 0, n;

	for (unsigned int i = 0; i < k->vars; i++)
		of_type += k->var[i] == e->type;
	n = below(k, of_type);
	e->kind = E_VAR;
	for (e->var = 0; k->var[e->var] != e->type || n--; e->var++)
		;
}

struct expr *expression(struct kernel *k, enum type type, unsigned int depth)
{
	struct expr *e = new_zeroed(sizeof(*e));
	unsigned int of_type = 0;
	bool fixed = true;

	e->type = type;
	depth = depth < k->depth ? depth : k->depth;
	if (depth && below(k, 8)) {
		e->op = random_op(k, type);
		if (e->op) {
			e->kind = E_OP;
			for (unsigned int i = 0; i < e->op->args; i++) {
				e->arg[i] = expression(k, e->op->arg[i], depth - 1);
				fixed &= e->arg[i]->kind == E_CONST;
			}
			/* What a compiler computes by itself it need not flush. */
			if (fixed && k->ftz && (e->op->flags & OP_FTZ))
				variable(k, e->arg[0]);
			return e;
		}
	}
	for (unsigned int i = 0; i < k->vars; i++)
		of_type += k->var[i] == type;
	if (of_type && below(k, 8)) {
		variable(k, e);
		return e;
	}
	e->kind = E_CONST;
	e->value = constant_bits(k, type);
	return e;
}

/* A variable, old or new, for a value of that type. */
unsigned int target(struct kernel *k, enum type type)
{
	if (k->vars == MAX_VARS || !below(k, 4)) {
		unsigned int first = below(k, k->vars);

		for (unsigned int i = 0; i < k->vars; i++)
			if (k->var[(first + i) % k->vars] == type)
				return (first + i) % k->vars;
	}
	if (k->vars == MAX_VARS)
		return MAX_VARS;
	k->var[k->vars] = type;
	return k->vars++;
}
