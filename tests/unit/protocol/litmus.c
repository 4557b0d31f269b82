// SPDX-License-Identifier: MIT
/*
 * Litmus tests in herd's format; see litmus.h.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "litmus.h"

/** struct reader - @number: of the line that is read, from 1 */
struct reader {
	struct lit_test *test;
	char *error;
	size_t size;
	u32 number;
	u32 rows;
};

static bool __attribute__((format(printf, 2, 3))) wrong(struct reader *r, const char *format, ...)
{
	va_list arguments;
	int length = snprintf(r->error, r->size, "line %u: ", r->number);

	va_start(arguments, format);
	if (length > 0 && (size_t)length < r->size)
		vsnprintf(r->error + length, r->size - (size_t)length, format, arguments);
	va_end(arguments);
	return false;
}

/* Without blanks around it, and without [] */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r[");
	length = strlen(text);
	while (length && strchr(" \t\r]", text[length - 1]))
		text[--length] = 0;
	return text;
}

static bool is_name(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_");

	return length && !text[length] && length < LIT_NAME && !isdigit((unsigned char)*text);
}

static bool read_value(struct reader *r, const char *text, u32 *value)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (end == text || *end || number >= 200)
		return wrong(r, "'%s' is no value; one from 0 to 199", text);
	*value = (u32)number;
	return true;
}

static bool find_line(struct reader *r, const char *name, u32 *line)
{
	struct lit_test *test = r->test;

	for (*line = 0; *line < test->lines; ++*line)
		if (!strcmp(test->line[*line], name))
			return true;
	if (!is_name(name))
		return wrong(r, "'%s' is no location", name);
	if (test->lines == LIT_LINES)
		return wrong(r, "'%s' is one location more than %u", name, LIT_LINES);
	if (test->lines == EX_LINES)
		test->beyond = "it has more than two locations";
	strcpy(test->line[test->lines++], name);
	return true;
}

static bool find_reg(struct reader *r, u32 thread, const char *name, bool make, u32 *reg)
{
	struct lit_test *test = r->test;

	for (*reg = 0; *reg < test->regs; ++*reg)
		if (test->reg_thread[*reg] == thread && !strcmp(test->reg[*reg], name))
			return !make || wrong(r, "thread %u loads into %s twice", thread, name);
	if (!make)
		return wrong(r, "thread %u does not load into %s", thread, name);
	if (!is_name(name))
		return wrong(r, "'%s' is no register", name);
	if (test->regs == EX_REGS)
		return wrong(r, "more than %u loads", EX_REGS);
	test->reg_thread[test->regs] = thread;
	strcpy(test->reg[test->regs++], name);
	return true;
}

/* ---- instructions ----------------------------------------------------------- */

static bool read_operands(struct reader *r, u32 thread, struct lit_insn *insn, char *text)
{
	bool atomic = insn->what >= LIT_EXCH;
	char *part[4] = { text, NULL, NULL, NULL };
	u32 count = insn->what == LIT_CAS ? 4 : atomic ? 3 : 2, at = 0, line, reg, value = 0;

	for (u32 n = 1; n < count; n++) {
		part[n] = part[n - 1] ? strchr(part[n - 1], ',') : NULL;
		if (!part[n])
			return wrong(r, "an instruction has %u operands", count);
		*part[n]++ = 0;
	}
	if (insn->what != LIT_ST) {
		if (!find_reg(r, thread, trim(part[at++]), true, &reg))
			return false;
		insn->reg = (u8)reg;
	}
	if (!find_line(r, trim(part[at++]), &line))
		return false;
	insn->line = (u8)line;
	if (insn->what == LIT_CAS) {
		if (!read_value(r, trim(part[at++]), &value))
			return false;
		insn->expect = (u8)value;
	}
	if (insn->what != LIT_LD && !read_value(r, trim(part[at]), &value))
		return false;
	insn->value = (u8)value;
	return true;
}

/* A part of the name of an instruction. Other parts, types and spaces, say nothing. */
static void read_part(struct lit_insn *insn, const char *part)
{
	static const char *const orders[] = { "weak", "volatile", "relaxed", "acquire", "release",
					      "acq_rel", "sc" };
	static const char *const scopes[] = { "cta", "gpu", "sys" };

	for (u32 n = 0; n < sizeof(orders) / sizeof(orders[0]); n++)
		if (!strcmp(part, orders[n]))
			insn->order = (u8)n;
	for (u32 n = 0; n < sizeof(scopes) / sizeof(scopes[0]); n++)
		if (!strcmp(part, scopes[n]))
			insn->scope = (u8)n;
	/* membar's names of these */
	if (!strcmp(part, "gl"))
		insn->scope = LIT_GPU;
	if (!strcmp(part, "exch"))
		insn->what = LIT_EXCH;
	if (!strcmp(part, "add"))
		insn->what = LIT_ADD;
	if (!strcmp(part, "cas"))
		insn->what = LIT_CAS;
}

/* The order that it has if its name says none; can it have the one that that says? */
static bool is_ordered(struct reader *r, struct lit_insn *insn, bool said, const char *text)
{
	bool bad = false;

	if (!said)
		insn->order = insn->what == LIT_FENCE ? LIT_SC :
			      insn->what >= LIT_EXCH ? LIT_RELAXED : LIT_WEAK;
	switch (insn->what) {
	case LIT_LD:
		bad = insn->order > LIT_ACQUIRE;
		break;
	case LIT_ST:
		bad = insn->order > LIT_RELAXED && insn->order != LIT_RELEASE;
		break;
	case LIT_FENCE:
		bad = insn->order != LIT_ACQ_REL && insn->order != LIT_SC;
		break;
	default:
		bad = insn->order < LIT_RELAXED || insn->order == LIT_SC;
	}
	return !bad || wrong(r, "'%s' has no such order", text);
}

static bool read_name(struct reader *r, struct lit_insn *insn, const char *text)
{
	static const struct { const char *name; u8 what; } names[] = {
		{ "ld", LIT_LD }, { "st", LIT_ST }, { "fence", LIT_FENCE },
		{ "membar", LIT_FENCE },
	};
	size_t length = strcspn(text, " \t");
	char name[64] = "", *save = NULL, *part;
	bool said = false;

	if (length < sizeof(name))
		memcpy(name, text, length);
	insn->scope = LIT_GPU;
	part = strtok_r(name, ".", &save);
	for (u32 n = 0; part && n < sizeof(names) / sizeof(names[0]); n++)
		if (!strcmp(part, names[n].name))
			insn->what = names[n].what;
	if (part && (insn->what || !strcmp(part, "atom"))) {
		while ((part = strtok_r(NULL, ".", &save))) {
			u8 before = insn->order;

			insn->order = 0xff;
			read_part(insn, part);
			said |= insn->order != 0xff;
			insn->order = insn->order == 0xff ? before : insn->order;
		}
	}
	if (!insn->what)
		return wrong(r, "'%s' is none of ld, st, atom.exch, atom.add, atom.cas, fence and "
				"membar", text);
	if (insn->order == LIT_VOLATILE && said)
		insn->scope = LIT_SYS;
	return is_ordered(r, insn, said, text);
}

/* What the explorer has of it */
static void make_op(struct lit_test *test, const struct lit_insn *insn, struct ex_op *op)
{
	static const u8 whats[] = { [LIT_LD] = EX_READ, [LIT_ST] = EX_WRITE, [LIT_EXCH] = EX_SWAP,
				    [LIT_FENCE] = EX_FENCE };

	if (insn->what == LIT_ADD || insn->what == LIT_CAS) {
		test->beyond = "it has an atom.add or atom.cas";
		return;
	}
	*op = (struct ex_op){ .what = whats[insn->what], .line = insn->line, .value = insn->value,
			      .reg = insn->reg };
}

static bool read_instruction(struct reader *r, u32 thread, char *text)
{
	struct lit_insn *insn = r->test->insn[thread];
	u32 at = 0;

	text = trim(text);
	if (!*text)
		return true;
	while (insn[at].what != LIT_END)
		at++;
	if (at == EX_OPS - 1)
		return wrong(r, "thread %u has more than %u instructions", thread, EX_OPS - 1);
	if (!read_name(r, &insn[at], text))
		return false;
	text += strcspn(text, " \t");
	if (insn[at].what != LIT_FENCE && !read_operands(r, thread, &insn[at], text))
		return false;
	make_op(r->test, &insn[at], &r->test->program.ops[thread][at]);
	return true;
}

/* A row of the table: cells with | between them, and ; at the end */
static bool read_row(struct reader *r, char *text)
{
	struct ex_program *program = &r->test->program;
	char *end = strchr(text, ';'), *cell = text, *next;
	u32 thread = 0;

	if (!end)
		return wrong(r, "a row of instructions ends with ;");
	*end = 0;
	for (; cell; cell = next, thread++) {
		next = strchr(cell, '|');
		if (next)
			*next++ = 0;
		if (thread == EX_THREADS)
			return wrong(r, "more than %u threads", EX_THREADS);
		if (!r->rows) {
			char name[8];

			snprintf(name, sizeof(name), "P%u", thread);
			if (strcmp(trim(cell), name))
				return wrong(r, "'%s' should be %s", trim(cell), name);
		} else if (thread >= program->threads) {
			return wrong(r, "there are %u threads", program->threads);
		} else if (!read_instruction(r, thread, cell)) {
			return false;
		}
	}
	if (!r->rows++)
		program->threads = thread;
	return true;
}

/* ---- the rest --------------------------------------------------------------- */

static bool read_initial(struct reader *r, char *text)
{
	char *end = strchr(text, '}'), *save = NULL;
	u32 line, value;

	if (!end)
		return wrong(r, "{ without } in its line");
	*end = 0;
	for (char *part = strtok_r(text + 1, ";", &save); part; part = strtok_r(NULL, ";", &save)) {
		char *equals = strchr(part, '=');

		if (!*trim(part))
			continue;
		if (!equals)
			return wrong(r, "'%s' is not LOCATION=0", trim(part));
		*equals = 0;
		if (!read_value(r, trim(equals + 1), &value) || !find_line(r, trim(part), &line))
			return false;
		if (value)
			return wrong(r, "locations are 0 at first");
	}
	return true;
}

static bool read_tree(struct reader *r, const char *text)
{
	struct ex_program *program = &r->test->program;
	u32 core = 0, seen = 0;

	for (const char *at = text; *at; at++) {
		if (!strncmp(at, "cta", 3))
			core++;
		if (*at != 'P' || !isdigit((unsigned char)at[1]))
			continue;
		if (!core || (u32)(at[1] - '0') >= program->threads)
			return wrong(r, "P%c is no thread, or in no cta", at[1]);
		program->core[at[1] - '0'] = (u8)(core - 1);
		seen |= 1u << (at[1] - '0');
	}
	if (seen != (1u << program->threads) - 1)
		return wrong(r, "the tree does not have all threads");
	return core <= EX_CORES || wrong(r, "more than %u cta", EX_CORES);
}

static bool read_term(struct reader *r, char *text)
{
	struct lit_test *test = r->test;
	char *equals = strchr(text, '='), *colon = strchr(text, ':');
	u32 *slot = &test->slot[test->terms];

	if (!equals)
		return wrong(r, "'%s' is not THREAD:REGISTER=VALUE or LOCATION=VALUE", trim(text));
	if (test->terms == LIT_TERMS)
		return wrong(r, "more than %u terms", LIT_TERMS);
	*equals = 0;
	if (!read_value(r, trim(equals + 1), &test->value[test->terms]))
		return false;
	if (colon) {
		*colon = 0;
		if (!find_reg(r, (u32)strtoul(text, NULL, 10), trim(colon + 1), false, slot))
			return false;
	} else {
		if (!find_line(r, trim(text), slot))
			return false;
		*slot += EX_REGS;
		test->program.final = true;
	}
	test->terms++;
	return true;
}

static bool read_condition(struct reader *r, char *text, enum lit_quantifier quantifier)
{
	char *begin = strchr(text, '('), *end = strrchr(text, ')'), *next;

	if (!begin || !end || end < begin)
		return wrong(r, "a condition is in ()");
	*end = 0;
	r->test->quantifier = quantifier;
	for (char *term = begin + 1; term; term = next) {
		next = strstr(term, "/\\");
		if (next) {
			*next = 0;
			next += 2;
		}
		term += strspn(term, " \t(");
		if (!read_term(r, term))
			return false;
	}
	return true;
}

static bool read_text_line(struct reader *r, char *text)
{
	text += strspn(text, " \t\r");
	if (!*text || *text == '"' || !strncmp(text, "//", 2))
		return true;
	if (!*r->test->name) {
		if (sscanf(text, "PTX %31s", r->test->name) != 1)
			return wrong(r, "a test begins with PTX and its name");
		return true;
	}
	if (*text == '{')
		return read_initial(r, text);
	if (!strncmp(text, "ScopeTree", 9))
		return read_tree(r, text + 9);
	if (!strncmp(text, "exists", 6))
		return read_condition(r, text, LIT_EXISTS);
	if (!strncmp(text, "~exists", 7))
		return read_condition(r, text, LIT_NOT_EXISTS);
	if (!strncmp(text, "forall", 6))
		return read_condition(r, text, LIT_FORALL);
	return read_row(r, text);
}

bool lit_read(char *text, struct lit_test *test, char *error, size_t size)
{
	struct reader r = { test, error, size, 0, 0 };
	char *next;

	memset(test, 0, sizeof(*test));
	test->program.name = test->name;
	for (u32 n = 0; n < EX_THREADS; n++)
		test->program.core[n] = (u8)n;
	for (; text; text = next) {
		next = strchr(text, '\n');
		if (next)
			*next++ = 0;
		r.number++;
		if (!read_text_line(&r, text))
			return false;
	}
	if (r.rows < 2)
		return wrong(&r, "no instructions");
	return test->terms || wrong(&r, "no condition: exists, ~exists or forall");
}

char *lit_next(char **next, u32 *line)
{
	char *begin = *next, *at = begin;

	if (!begin || !*begin)
		return NULL;
	/* the first line is the test's own, or what stands before it */
	for (;;) {
		char *end = strchr(at, '\n');

		if (!end) {
			*next = NULL;
			return begin;
		}
		at = end + 1;
		++*line;
		if (strncmp(at, "PTX ", 4))
			continue;
		*end = 0;
		*next = at;
		return begin;
	}
}

bool lit_holds(const struct lit_test *test, const struct ex_outcome *outcome)
{
	for (u32 n = 0; n < test->terms; n++)
		if (outcome->value[test->slot[n]] != test->value[n])
			return false;
	return true;
}

u32 lit_count(const struct lit_test *test, const struct ex_outcomes *outcomes, bool *holds)
{
	u32 count = 0;

	for (u32 n = 0; n < outcomes->count; n++)
		count += lit_holds(test, &outcomes->list[n]);
	*holds = test->quantifier == LIT_EXISTS ? count > 0 :
		 test->quantifier == LIT_NOT_EXISTS ? !count : count == outcomes->count;
	return count;
}
