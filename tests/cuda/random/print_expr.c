// SPDX-License-Identifier: MIT
/*
 * Expressions as CUDA C++.
 */
#include "print.h"

#include <stdlib.h>

const char *const type_name[TYPES] = {
	"unsigned char", "signed char", "unsigned short", "short", "unsigned int", "int",
	"u64",		 "s64",		"__half",	  "float", "double",
};

void print_constant(FILE *out, enum type type, uint64_t value)
{
	switch (type) {
	case T_U32:
		fprintf(out, "%uu", (unsigned int)value);
		return;
	case T_U64:
		fprintf(out, "%lluull", (unsigned long long)value);
		return;
	case T_S64:
		if (value == 1ull << 63)
			fputs("(-9223372036854775807ll - 1)", out);
		else
			fprintf(out, "(%lldll)", (long long)value);
		return;
	case T_S32:
		if (value == 1u << 31)
			fputs("(-2147483647 - 1)", out);
		else
			fprintf(out, "(%d)", (int)value);
		return;
	case T_F16:
		fprintf(out, "__ushort_as_half((unsigned short)%u)", (unsigned int)value);
		return;
	case T_F32:
		if ((value & 0x7fffffff) == 0x7f800000)
			fprintf(out, "__int_as_float((int)%#xu)", (unsigned int)value);
		else
			fprintf(out, "(%af)", soft_value(T_F32, value));
		return;
	case T_F64:
		if (value << 1 == 0xffe0000000000000ull)
			fprintf(out, "__longlong_as_double((s64)%#llxull)",
				(unsigned long long)value);
		else
			fprintf(out, "(%a)", soft_value(T_F64, value));
		return;
	default:
		fprintf(out, "(%s)(%d)", type_name[type], (int)int_value(type, value));
	}
}

static void print_expr(FILE *out, const struct expr *e)
{
	switch (e->kind) {
	case E_VAR:
		fprintf(out, "v%u", e->var);
		return;
	case E_CONST:
		print_constant(out, e->type, e->value);
		return;
	default:
		fputc('(', out);
		for (const char *t = e->op->text; *t; t++) {
			if (*t == '$')
				print_expr(out, e->arg[*++t - 'a']);
			else
				fputc(*t, out);
		}
		fputc(')', out);
	}
}

const char *expr_text(const struct expr *e)
{
	static char *kept[8];
	static unsigned int at;
	char *string = NULL;
	size_t size;
	FILE *out = open_memstream(&string, &size);

	if (!out)
		abort();
	print_expr(out, e);
	fclose(out);
	free(kept[at % 8]);
	return kept[at++ % 8] = string;
}
