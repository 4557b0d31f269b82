/* SPDX-License-Identifier: MIT */
/*
 * random-cuda: random CUDA kernels, and what they must compute.
 *
 * A kernel is a tree of statements and expressions, made from a seed (generate.c). print.c writes
 * it as CUDA C++, evaluate.c computes it here from what CUDA and PTX document; nothing of the
 * compiler or of the device is used. One table (ops_*.c) gives each operation's types, CUDA text
 * and meaning; soft.c is floating point in integers.
 */
#ifndef TESTS_CUDA_RANDOM_H
#define TESTS_CUDA_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "input.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

#define MAX_VARS 96u
#define MAX_THREADS 128u
#define MAX_FIELDS 6u
#define MAX_ELEMENTS 40u /* scalars of a struct, nested and in arrays */
#define MAX_BUFFERS 3u /* arrays of vectors */
#define BUFFER_COUNT 4u /* vectors in one of them, for each thread */
#define MAX_CELLS 4u /* places of an atomic that lanes share */
#define STRUCT_VARS 2u
#define STRUCT_ARRAY 3u
#define RAW_WORDS 16u /* of the input, to be read as vectors of any type */

enum class {
	C_INT,
	C_NARROW,
	C_SIMD,
	C_FLOAT,
	C_DOUBLE,
	C_HALF,
	C_CONVERT, /* operations */
	C_FLOW,
	C_WARP,
	C_BRANCH,
	C_VECTOR,
	C_STRUCT,
	C_ATOMIC,
	C_SHARED,
	C_CLASSES
};
extern const char *const class_name[C_CLASSES];

enum mode {
	RN,
	RZ,
	RU,
	RD,
	AWAY
}; /* AWAY: to the nearest, ties away from zero; of roundf() alone */

/* ---- operations --------------------------------------------------------- */

#define OP_FTZ \
	1u /* with -ftz=true f32 operands and results are flushed, and nothing else happens */

struct op {
	const char *text; /* $a $b $c are the operands */
	enum class class;
	enum type result;
	unsigned int args;
	enum type arg[3];
	uint64_t (*eval)(const struct op *op, const uint64_t *arg);
	int param;
	unsigned int flags;
};

extern const struct op int_ops[], float_ops[], convert_ops[];
extern const unsigned int int_op_count, float_op_count, convert_op_count;

static inline unsigned int bits_of(enum type type)
{
	static const unsigned char bits[TYPES] = {8, 8, 16, 16, 32, 32, 64, 64, 16, 32, 64};

	return bits[type];
}

static inline bool is_float(enum type type)
{
	return type >= T_F16;
}

static inline bool is_signed(enum type type)
{
	return !is_float(type) && (type & 1);
}

static inline uint64_t truncated(enum type type, uint64_t bits)
{
	return bits_of(type) == 64 ? bits : bits & ((1ull << bits_of(type)) - 1);
}

/* The integer that the bits are. */
static inline s128 int_value(enum type type, uint64_t bits)
{
	unsigned int unused = 64 - bits_of(type);

	return is_signed(type) ? (s128)((int64_t)(bits << unused) >> unused) : (s128)bits;
}

/* ---- soft.c: IEEE 754 --------------------------------------------------- */

uint64_t soft_nan(enum type type);
bool soft_is_nan(enum type type, uint64_t a);
uint64_t soft_flush(uint64_t a); /* f32: subnormal to zero of its sign */
/*
 * From now on, f32: so is a result that would be subnormal if exponents had no end, which GPUs
 * round before they look at it.
 */
void soft_flushing(bool on);
double soft_value(enum type type, uint64_t a); /* exact */
uint64_t soft_add(enum type type, uint64_t a, uint64_t b, enum mode mode);
uint64_t soft_mul(enum type type, uint64_t a, uint64_t b, enum mode mode);
uint64_t soft_fma(enum type type, uint64_t a, uint64_t b, uint64_t c, enum mode mode);
uint64_t soft_div(enum type type, uint64_t a, uint64_t b, enum mode mode);
uint64_t soft_sqrt(enum type type, uint64_t a, enum mode mode);
uint64_t soft_convert(enum type to, enum type from, uint64_t a, enum mode mode);
uint64_t soft_from_int(enum type to, enum type from, uint64_t a, enum mode mode);
uint64_t soft_to_int(enum type to, enum type from, uint64_t a, enum mode mode);
uint64_t soft_integral(enum type type, uint64_t a, enum mode mode);
uint64_t soft_scale(enum type type, uint64_t a, int by);
uint64_t soft_neg(enum type type, uint64_t a);

/* ---- programs ----------------------------------------------------------- */

enum expr_kind { E_VAR, E_CONST, E_OP };

struct expr {
	enum expr_kind kind;
	enum type type;
	unsigned int var;
	uint64_t value;
	const struct op *op;
	struct expr *arg[3];
};

enum statement_kind {
	S_SET, /* v = e0 */
	S_IF, /* if (e0) body else other */
	S_LOOP, /* e0 & 3 times body, or `imm` times */
	S_BREAK, /* if (e0) break, or continue if imm */
	S_WARP, /* a vote, match or shuffle of e0, e1 with a mask */
	S_BRANCHED, /* the same, reached from both sides of if (e2): e0 on one, e1 on the other */
	S_SHARED, /* exchange e0 through shared memory: element e1 of the block */
	S_BLOCKVOTE, /* __syncthreads_count, _and, _or of e0 */
	S_OWN, /* atomic on a place of the thread's own: v = old */
	S_COMMON, /* atomic on one of a few places: e0 says which */
	S_TICKET, /* v is untouched; sum of what numbers give */
	S_VSET, /* buffer[e0] = { e1 ... } */
	S_VGET, /* v = component imm of buffer[e0] */
	S_VRAW, /* v = component of the input, read as a vector */
	S_FSET, /* struct.field[e0] = e1 */
	S_FGET, /* v = struct.field[e0] */
	S_COPY, /* struct = struct */
	S_CALL, /* struct = function(struct, e0, e1) */
};

enum warp_op {
	W_SHFL,
	W_UP,
	W_DOWN,
	W_XOR,
	W_BALLOT,
	W_ANY,
	W_ALL,
	W_MATCH_ANY,
	W_MATCH_ALL,
	W_OPS
};
enum mask_form { M_ALL, M_TILE, M_CONST, M_VALUE, M_SELF, M_FORMS };
enum atomic_op {
	A_ADD,
	A_SUB,
	A_EXCH,
	A_MIN,
	A_MAX,
	A_AND,
	A_OR,
	A_XOR,
	A_INC,
	A_DEC,
	A_CAS,
	A_OPS
};

/* A struct as a statement names it: the parameter, a variable, an element of the array at e[2]. */
enum place { P_PARAM, P_VAR0, P_VAR1, P_ARRAY };

struct statement {
	enum statement_kind kind;
	unsigned int id, dst;
	struct expr *e[5];
	struct statement *body, *other, *next;
	unsigned int op, imm, width;
	bool collective; /* S_IF, S_LOOP: what is inside may vote, so the mask is computed */
	enum mask_form form;
	uint32_t mask;
	enum type type; /* of the value exchanged */
	unsigned int buffer, field;
	bool shared; /* S_OWN ...: the place is in shared memory */
	uint64_t init;
	unsigned int first_cell; /* index of its places among all */
	unsigned int result; /* the variable that has what is in its places at the end */
	enum place to, from;
	bool dropped;
};

struct buffer {
	enum type type;
	unsigned int width; /* 1 to 4 components */
	enum { IN_LOCAL, IN_SHARED, IN_GLOBAL } space;
	unsigned int at; /* in global memory: first word */
};

struct field {
	enum type type;
	unsigned int count; /* 0: not an array */
	unsigned int at; /* among the elements */
	bool nested; /* in a struct inside, alone with a char before it */
};

struct kernel {
	uint64_t seed, state;
	unsigned int number, classes, depth, threads, rows;
	bool ftz;
	enum type var[MAX_VARS];
	unsigned int vars, inputs, statements, loops;
	struct statement *body;
	struct buffer buffer[MAX_BUFFERS];
	unsigned int buffers, cells, cells_at, mem_words, shared_bytes;
	struct field field[MAX_FIELDS];
	unsigned int fields, elements, pad_param;
	uint64_t param[MAX_ELEMENTS];
	unsigned int modified[2]; /* fields that the function changes */
};

struct kernel *kernel_generate(uint64_t seed, unsigned int number, unsigned int classes,
			       unsigned int depth, bool ftz);
void kernel_drop(struct kernel *k, unsigned int id);
void kernel_free(struct kernel *k);

/* ---- text and values ---------------------------------------------------- */

void print_kernel(FILE *out, const struct kernel *k);
void print_statement(FILE *out, const struct kernel *k, const struct statement *s);
/* The statements that may have written the variable, in order. */
void print_writers(FILE *out, const struct kernel *k, unsigned int var);
extern const char *const type_name[TYPES];

/* out[(row * vars + var) * threads + thread] */
void kernel_evaluate(const struct kernel *k, uint64_t *out);

#endif
