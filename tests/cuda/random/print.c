// SPDX-License-Identifier: MIT
/*
 * A kernel as CUDA C++. What every program needs around its kernels is program.h, which is pasted
 * in (main.c).
 */
#include "print.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const vector_name[TYPES] = {
	"uchar",     "char",	 "ushort", "short", "uint",   "int",
	"ulonglong", "longlong", "",	   "float", "double",
};

struct printer {
	FILE *out;
	const struct kernel *k;
	unsigned int depth;
};

__attribute__((format(printf, 2, 3))) static void line(struct printer *p, const char *format, ...)
{
	va_list args;

	for (unsigned int i = 0; i <= p->depth; i++)
		fputc('\t', p->out);
	va_start(args, format);
	vfprintf(p->out, format, args);
	va_end(args);
	fputc('\n', p->out);
}

/* ---- statements --------------------------------------------------------- */

static void print_mask(struct printer *p, const struct statement *s, const char *m)
{
	switch (s->form) {
	case M_TILE:
		line(p, "const unsigned int mm = %s & %#xu << (LANE & %uu);", m,
		     (1u << s->width) - 1, 32 - s->width);
		break;
	case M_CONST:
		line(p, "const unsigned int mm = %s & (%#xu >> LANE & 1 ? %#xu : %#xu);", m,
		     s->mask, s->mask, ~s->mask);
		break;
	case M_VALUE:
		line(p, "const int cc = %s;", expr_text(s->e[4]));
		line(p, "const unsigned int bb = __ballot_sync(%s, cc), mm = cc ? bb : %s & ~bb;",
		     m, m);
		break;
	case M_SELF:
		line(p, "const unsigned int mm = 1u << LANE;");
		break;
	default:
		line(p, "const unsigned int mm = %s;", m);
	}
}

static void print_warp_op(struct printer *p, const struct statement *s, const struct expr *value)
{
	static const char *const shuffle[] = {"", "_up", "_down", "_xor"};
	static const char *const limit[] = {" & 1", " & 3", ""};

	switch (s->op) {
	case W_SHFL:
	case W_UP:
	case W_DOWN:
	case W_XOR:
		line(p, "xx = %s;", expr_text(value));
		line(p, "tt = __shfl%s_sync(mm, xx, ss, %u);", shuffle[s->op], s->imm);
		break;
	case W_BALLOT:
		line(p, "tt = __ballot_sync(mm, %s);", expr_text(value));
		break;
	case W_ANY:
		line(p, "tt = __any_sync(mm, %s) != 0;", expr_text(value));
		break;
	case W_ALL:
		line(p, "tt = __all_sync(mm, %s) != 0;", expr_text(value));
		break;
	case W_MATCH_ANY:
		line(p, "tt = __match_any_sync(mm, (%s)(%s%s));", type_name[s->type],
		     expr_text(value), limit[s->imm]);
		break;
	default:
		line(p, "tt = __match_all_sync(mm, (%s)(%s%s), &pp);", type_name[s->type],
		     expr_text(value), limit[s->imm]);
		line(p, "tt ^= pp ? 0x5a00005au : 0;");
	}
}

static void print_warp(struct printer *p, const struct statement *s, const char *m)
{
	static const char *const from[] = {"from_lane", "from_up", "from_down", "from_xor"};
	const char *result = s->op <= W_XOR			? type_name[s->type]
			     : s->op == W_ANY || s->op == W_ALL ? "int"
								: "unsigned int";

	line(p, "{");
	p->depth++;
	print_mask(p, s, m);
	line(p, "%s tt;", result);
	if (s->op <= W_XOR) {
		line(p, "%s xx;", result);
		line(p, "const int ss = %s & 31;", expr_text(s->e[3]));
	}
	if (s->op == W_MATCH_ALL)
		line(p, "int pp;");
	if (s->kind == S_BRANCHED) {
		line(p, "if (%s) {", expr_text(s->e[2]));
		p->depth++;
		print_warp_op(p, s, s->e[0]);
		p->depth--;
		line(p, "} else {");
		p->depth++;
		print_warp_op(p, s, s->e[1]);
		p->depth--;
		line(p, "}");
	} else {
		print_warp_op(p, s, s->e[0]);
	}
	if (s->dst < MAX_VARS && s->op <= W_XOR)
		line(p, "v%u = mm >> %s(ss, %u) & 1 ? tt : xx;", s->dst, from[s->op], s->imm);
	else if (s->dst < MAX_VARS)
		line(p, "v%u = tt;", s->dst);
	p->depth--;
	line(p, "}");
}

static const char *place(const struct statement *s, enum place what, const struct expr *index)
{
	static char *kept[4];
	static unsigned int at;
	char **string = &kept[at++ % 4];

	(void)s;
	free(*string);
	if (what == P_ARRAY ? asprintf(string, "s2[%s %% %uu]", expr_text(index), STRUCT_ARRAY) < 0
			    : asprintf(string, "%s",
				       what == P_PARAM	? "p"
				       : what == P_VAR0 ? "s0"
							: "s1") < 0)
		abort();
	return *string;
}

static const char *field_name(const struct field *f, unsigned int n, const char *index)
{
	static char name[2][65536];
	static unsigned int at;
	char *buffer = name[at++ % 2];
	int length = snprintf(buffer, sizeof(name[0]), "f%u%s", n, f->nested ? ".x" : "");

	if (f->count)
		snprintf(buffer + length, sizeof(name[0]) - (size_t)length, "[(%s) %% %uu]", index,
			 f->count);
	return buffer;
}

static void print_atomic(struct printer *p, const struct statement *s)
{
	static const char *const name[] = {"Add", "Sub", "Exch", "Min", "Max", "And",
					   "Or",  "Xor", "Inc",	 "Dec", "CAS"};
	const char *dst = "";
	char old[16];

	switch (s->kind) {
	case S_OWN:
		if (s->dst < MAX_VARS) {
			snprintf(old, sizeof(old), "v%u = ", s->dst);
			dst = old;
		}
		if (s->op == A_CAS) {
			line(p, "{");
			line(p, "\t%s *const qq = &c%u[(threadIdx.x + %u) %% %u];",
			     type_name[s->type], s->id, s->imm, p->k->threads);
			line(p, "\tconst %s ww = %s;", type_name[s->type], expr_text(s->e[1]));
			line(p, "\t%satomicCAS(qq, ww & 1 ? *qq : ww, %s);", dst,
			     expr_text(s->e[0]));
			line(p, "}");
			return;
		}
		line(p, "%satomic%s(&c%u[(threadIdx.x + %u) %% %u], %s);", dst, name[s->op], s->id,
		     s->imm, p->k->threads, expr_text(s->e[0]));
		return;
	case S_COMMON:
		line(p, "atomic%s(&c%u[%s & %uu], %s);", name[s->op], s->id, expr_text(s->e[0]),
		     MAX_CELLS - 1, expr_text(s->e[1]));
		return;
	default:
		line(p, "{");
		line(p, "\tconst unsigned int rr = atomicAdd(&c%u[0], 1u);", s->id);
		line(p, "\tatomicAdd(&c%u[1], rr * rr + rr);", s->id);
		line(p, "}");
	}
}

static void print_list(struct printer *p, const struct statement *s, const char *m);

static void print_flow(struct printer *p, const struct statement *s, const char *m)
{
	char inner[32], condition[48];

	line(p, "{");
	p->depth++;
	if (s->kind == S_IF) {
		line(p, "const int cc%u = %s;", s->id, expr_text(s->e[0]));
		if (s->collective)
			line(p, "const unsigned int m%u = __ballot_sync(%s, cc%u);", s->id, m,
			     s->id);
		line(p, "if (cc%u) {", s->id);
		p->depth++;
		snprintf(inner, sizeof(inner), "m%u", s->id);
		print_list(p, s->body, inner);
		p->depth--;
		if (s->other) {
			line(p, "} else {");
			p->depth++;
			if (s->collective)
				line(p, "const unsigned int n%u = %s & ~m%u;", s->id, m, s->id);
			snprintf(inner, sizeof(inner), "n%u", s->id);
			print_list(p, s->other, inner);
			p->depth--;
		}
		line(p, "}");
	} else {
		snprintf(inner, sizeof(inner), "m%u", s->id);
		if (s->imm)
			line(p, "const unsigned int n%u = %u;", s->id, s->imm);
		else
			line(p, "const unsigned int n%u = %s & 3;", s->id, expr_text(s->e[0]));
		if (s->collective)
			line(p, "unsigned int m%u = %s;", s->id, m);
		snprintf(condition, sizeof(condition), " i%u < n%u;", s->id, s->id);
		line(p, "for (unsigned int i%u = 0;%s i%u++) {", s->id,
		     s->collective ? ";" : condition, s->id);
		p->depth++;
		if (s->collective) {
			line(p, "m%u = __ballot_sync(m%u, i%u < n%u);", s->id, s->id, s->id, s->id);
			line(p, "if (i%u >= n%u)", s->id, s->id);
			line(p, "\tbreak;");
		}
		print_list(p, s->body, inner);
		p->depth--;
		line(p, "}");
	}
	p->depth--;
	line(p, "}");
}

static void print_one(struct printer *p, const struct statement *s, const char *m)
{
	static const char *const blockvote[] = {"count", "and", "or"};
	const struct buffer *b = &p->k->buffer[s->buffer];
	const struct field *f = &p->k->field[s->field];
	char dst[16] = "";

	if (s->dst < MAX_VARS)
		snprintf(dst, sizeof(dst), "v%u = ", s->dst);
	switch (s->kind) {
	case S_SET:
		line(p, "%s%s;", dst, expr_text(s->e[0]));
		break;
	case S_IF:
	case S_LOOP:
		print_flow(p, s, m);
		break;
	case S_BREAK:
		line(p, "if (%s)", expr_text(s->e[0]));
		line(p, "\t%s;", s->imm ? "continue" : "break");
		break;
	case S_WARP:
	case S_BRANCHED:
		print_warp(p, s, m);
		break;
	case S_SHARED:
		line(p, "x%u[threadIdx.x] = %s;", s->id, expr_text(s->e[0]));
		line(p, "__syncthreads();");
		line(p, "%sx%u[%s %% %uu];", dst, s->id, expr_text(s->e[1]), p->k->threads);
		break;
	case S_BLOCKVOTE:
		line(p, "%s__syncthreads_%s(%s)%s;", dst, blockvote[s->op], expr_text(s->e[0]),
		     s->op ? " != 0" : "");
		break;
	case S_OWN:
	case S_COMMON:
	case S_TICKET:
		print_atomic(p, s);
		break;
	case S_VSET:
		line(p, "b%u[%s & %uu] = make_%s%u(%s%s%s%s%s%s%s);", s->buffer, expr_text(s->e[0]),
		     BUFFER_COUNT - 1, vector_name[b->type], b->width, expr_text(s->e[1]),
		     b->width > 1 ? ", " : "", b->width > 1 ? expr_text(s->e[2]) : "",
		     b->width > 2 ? ", " : "", b->width > 2 ? expr_text(s->e[3]) : "",
		     b->width > 3 ? ", " : "", b->width > 3 ? expr_text(s->e[4]) : "");
		break;
	case S_VGET:
		line(p, "%sb%u[%s & %uu].%c;", dst, s->buffer, expr_text(s->e[0]), BUFFER_COUNT - 1,
		     "xyzw"[s->imm]);
		break;
	case S_VRAW:
		line(p, "%s((const %s%u *)raw)[%s %% %uu].%c;", dst, vector_name[s->type], s->width,
		     expr_text(s->e[0]), RAW_WORDS * 64 / (bits_of(s->type) * s->width),
		     "xyzw"[s->imm]);
		break;
	case S_FSET:
		line(p, "%s.%s = %s;", place(s, s->to, s->e[2]),
		     field_name(f, s->field, expr_text(s->e[0])), expr_text(s->e[1]));
		break;
	case S_FGET:
		line(p, "%s%s.%s;", dst, place(s, s->from, s->e[2]),
		     field_name(f, s->field, expr_text(s->e[0])));
		break;
	case S_COPY:
		line(p, "%s = %s;", place(s, s->to, s->e[2]), place(s, s->from, s->e[3]));
		break;
	case S_CALL:
		line(p, "%s = change%u(%s, %s, %s);", place(s, s->to, s->e[2]), p->k->number,
		     place(s, s->from, s->e[3]), expr_text(s->e[0]), expr_text(s->e[1]));
		break;
	}
}

static void print_list(struct printer *p, const struct statement *s, const char *m)
{
	for (; s; s = s->next)
		if (!s->dropped)
			print_one(p, s, m);
}

void print_statement(FILE *out, const struct kernel *k, const struct statement *s)
{
	struct printer p = {out, k, 0};

	fprintf(out, "    statement %u:\n", s->id);
	print_one(&p, s, "m");
}

static void writers(FILE *out, const struct kernel *k, const struct statement *s, unsigned int var)
{
	for (; s; s = s->next) {
		if (!s->dropped && (s->dst == var || s->result == var))
			print_statement(out, k, s);
		writers(out, k, s->body, var);
		writers(out, k, s->other, var);
	}
}

void print_writers(FILE *out, const struct kernel *k, unsigned int var)
{
	writers(out, k, k->body, var);
}

/* ---- kernels ------------------------------------------------------------ */

static void print_struct(FILE *out, const struct kernel *k)
{
	const struct field *a = &k->field[k->modified[0]], *b = &k->field[k->modified[1]];

	fprintf(out, "struct S%u {\n", k->number);
	for (unsigned int i = 0; i < k->fields; i++) {
		const struct field *f = &k->field[i];
		char count[16] = "";

		if (f->count)
			snprintf(count, sizeof(count), "[%u]", f->count);
		if (f->nested)
			fprintf(out, "\tstruct {\n\t\tchar before;\n\t\t%s x%s;\n\t} f%u;\n",
				type_name[f->type], count, i);
		else
			fprintf(out, "\t%s f%u%s;\n", type_name[f->type], i, count);
	}
	fprintf(out,
		"};\n\nstatic __device__ __noinline__ S%u change%u(S%u s, unsigned int i, %s "
		"x)\n{\n",
		k->number, k->number, k->number, type_name[a->type]);
	fprintf(out, "\ts.%s = x;\n", field_name(a, k->modified[0], "i"));
	if (is_float(b->type))
		fprintf(out, "\ts.%s = 1.5;\n", field_name(b, k->modified[1], "i + 1"));
	else
		fprintf(out, "\ts.%s = (%s)((u64)s.%s * 3 + 1);\n",
			field_name(b, k->modified[1], "i + 1"), type_name[b->type],
			field_name(b, k->modified[1], "i + 1"));
	fprintf(out, "\treturn s;\n}\n\n");
}

/* What statements need declared: shared arrays, places of atomics. */
static void print_declarations(struct printer *p, const struct statement *s)
{
	for (; s; s = s->next) {
		if (s->dropped)
			continue;
		if (s->kind == S_SHARED)
			line(p, "__shared__ %s x%u[%u];", type_name[s->type], s->id, p->k->threads);
		if (s->result < MAX_VARS) {
			unsigned int places = s->kind == S_OWN	    ? p->k->threads
					      : s->kind == S_COMMON ? MAX_CELLS
								    : 2;

			if (s->shared)
				line(p, "__shared__ %s c%u[%u];", type_name[s->type], s->id,
				     places);
			else
				line(p, "%s *const c%u = (%s *)(mem + %u);", type_name[s->type],
				     s->id, type_name[s->type], p->k->cells_at + s->first_cell);
			fprintf(p->out, "\tif (threadIdx.x < %u)\n\t\tc%u[threadIdx.x] = ", places,
				s->id);
			if (s->kind == S_TICKET)
				fprintf(p->out, "threadIdx.x ? 0u : ");
			print_constant(p->out, s->type, s->init);
			fprintf(p->out, ";\n");
		}
		print_declarations(p, s->body);
		print_declarations(p, s->other);
	}
}

static void print_results(struct printer *p, const struct statement *s)
{
	for (; s; s = s->next) {
		if (s->dropped)
			continue;
		if (s->result < MAX_VARS)
			line(p, "v%u = c%u[threadIdx.x %% %u];", s->result, s->id,
			     s->kind == S_OWN	   ? p->k->threads
			     : s->kind == S_COMMON ? MAX_CELLS
						   : 2);
		print_results(p, s->body);
		print_results(p, s->other);
	}
}

static void print_buffers(struct printer *p)
{
	for (unsigned int i = 0; i < p->k->buffers; i++) {
		const struct buffer *b = &p->k->buffer[i];
		char name[32];

		snprintf(name, sizeof(name), "%s%u", vector_name[b->type], b->width);
		if (b->space == IN_SHARED) {
			line(p, "__shared__ %s all%u[%u][%u];", name, i, p->k->threads,
			     BUFFER_COUNT);
			line(p, "%s *const b%u = all%u[threadIdx.x];", name, i, i);
		} else if (b->space == IN_GLOBAL) {
			line(p, "%s *const b%u = (%s *)(mem + %u + threadIdx.x * %uu);", name, i,
			     name, b->at, BUFFER_COUNT * 4);
		} else {
			line(p, "%s b%u[%u];", name, i, BUFFER_COUNT);
		}
		line(p, "for (int i = 0; i < %u; i++)", BUFFER_COUNT);
		line(p, "\tb%u[i] = make_%s(0%s%s%s);", i, name, b->width > 1 ? ", 0" : "",
		     b->width > 2 ? ", 0" : "", b->width > 3 ? ", 0" : "");
	}
}

static const char *const pad_params[] = {"", "const unsigned char pad, ", "const short pad, ",
					 "const int pad, ", "const char pad, "};

static void print_launch(FILE *out, const struct kernel *k)
{
	fprintf(out, "static void launch%u(const u64 *in, u64 *out, u64 *mem)\n{\n", k->number);
	if (k->fields) {
		fprintf(out, "\tS%u p;\n\n\tmemset(&p, 0xa5, sizeof(p));\n", k->number);
		for (unsigned int i = 0; i < k->fields; i++) {
			const struct field *f = &k->field[i];

			for (unsigned int n = 0; n < (f->count ? f->count : 1); n++) {
				char index[16];

				snprintf(index, sizeof(index), "%u", n);
				fprintf(out, "\tset_bits(&p.%s, %#llxull);\n",
					field_name(f, i, index),
					(unsigned long long)k->param[f->at + n]);
			}
		}
	}
	fprintf(out, "\tk%u<<<%u, %u>>>(in, out, mem%s%s%s);\n}\n\n", k->number, k->rows,
		k->threads, k->fields && k->pad_param ? ", 77" : "", k->fields ? ", p" : "",
		k->fields && k->pad_param == 4 ? ", 7ll" : "");
}

void print_kernel(FILE *out, const struct kernel *k)
{
	struct printer p = {out, k, 0};
	bool pad = k->fields && k->pad_param;

	fprintf(out, "/* ---- kernel %u of seed %llu: %u statements ---- */\n\n", k->number,
		(unsigned long long)k->seed, k->statements);
	if (k->fields)
		print_struct(out, k);
	fprintf(out, "__global__ void k%u(const u64 *in, u64 *out, u64 *mem", k->number);
	if (k->fields)
		fprintf(out, ", %sconst S%u p%s", pad_params[k->pad_param], k->number,
			k->pad_param == 4 ? ", const s64 after" : "");
	fprintf(out, ")\n{\n");
	line(&p, "const u64 *const raw = in + blockIdx.x * %uu;",
	     RAW_WORDS + k->inputs * k->threads + (k->inputs * k->threads & 1));
	if (k->threads % 32)
		line(&p, "const unsigned int m = threadIdx.x < %uu ? ~0u : %#xu;",
		     k->threads & ~31u, (1u << k->threads % 32) - 1);
	else
		line(&p, "const unsigned int m = ~0u;");
	line(&p, "in = raw + %u + threadIdx.x;", RAW_WORDS);
	line(&p, "mem += blockIdx.x * %uu;", k->mem_words);
	for (unsigned int i = 0; i < k->vars; i++) {
		enum type type = k->var[i];

		if (i < k->inputs)
			line(&p, "%s v%u = of_bits<%s>(in[%u]);", type_name[type], i,
			     type_name[type], i * k->threads);
		else
			line(&p, "%s v%u = %s;", type_name[type], i,
			     type == T_F16 ? "__ushort_as_half(0)" : "0");
	}
	if (pad)
		line(&p, "v%u += (unsigned int)pad%s;", k->var[0] == T_U8 ? 12u : 0u,
		     k->pad_param == 4 ? " + (unsigned int)after" : "");
	if (k->fields)
		line(&p, "S%u s0 = p, s1 = p, s2[%u] = { p, p, p };", k->number, STRUCT_ARRAY);
	print_buffers(&p);
	print_declarations(&p, k->body);
	line(&p, "__syncthreads();");
	print_list(&p, k->body, "m");
	line(&p, "__syncthreads();");
	print_results(&p, k->body);
	line(&p, "out += blockIdx.x * %uu + threadIdx.x;", k->vars * k->threads);
	for (unsigned int i = 0; i < k->vars; i++)
		line(&p, "out[%u] = raw_bits(v%u);", i * k->threads, i);
	fprintf(out, "}\n\n");
	print_launch(out, k);
}
