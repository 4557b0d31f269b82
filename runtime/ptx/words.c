// SPDX-License-Identifier: MIT
/*
 * Look-up of the words of PTX: from spelling to number, by hash over a table built at the start of
 * a parse, and back.
 */
#include <stdio.h>
#include <string.h>

#include "parse.h"

static const char *const mod_names[] = {
	[PTX_T_NONE] = "?",
#define PTX_X(name, text, bytes, letter) [PTX_##name] = text,
	PTX_TYPES(PTX_X)
#undef PTX_X
#define PTX_X(name, text, kinds) [PTX_M_##name] = text,
	PTX_MODS(PTX_X)
#undef PTX_X
	[PTX_M_UNKNOWN] = "?",
};

static const uint64_t mod_kinds[] = {
	[PTX_T_NONE] = 0,
#define PTX_X(name, text, bytes, letter) [PTX_##name] = PTX_K_TYPE,
	PTX_TYPES(PTX_X)
#undef PTX_X
#define PTX_X(name, text, kinds) [PTX_M_##name] = kinds,
	PTX_MODS(PTX_X)
#undef PTX_X
	[PTX_M_UNKNOWN] = PTX_K_OTHER,
};

static const uint8_t type_bytes[] = {
#define PTX_X(name, text, bytes, letter) [PTX_##name] = bytes,
	PTX_TYPES(PTX_X)
#undef PTX_X
};

static const char type_letters[] = {
#define PTX_X(name, text, bytes, letter) [PTX_##name] = letter,
	PTX_TYPES(PTX_X)
#undef PTX_X
};

static const char *const op_names[] = {
#define PTX_X(name, text) [PTX_I_##name] = text,
	PTX_OPS(PTX_X)
#undef PTX_X
	[PTX_I_LABEL] = "label",
};

unsigned int ptx_type_bytes(enum ptx_type type)
{
	return type_bytes[type];
}

char ptx_type_letter(enum ptx_type type)
{
	return type_letters[type];
}

const char *ptx_mod_name(unsigned int mod)
{
	return mod_names[mod];
}

uint64_t ptx_mod_kinds(unsigned int mod)
{
	return mod_kinds[mod];
}

const char *ptx_op_name(unsigned int op)
{
	return op_names[op];
}

const char *ptx_insn_text(const struct ptx_insn *insn, char *text, size_t size)
{
	size_t at = (size_t)snprintf(text, size, "%s", ptx_op_name(insn->op));

	for (unsigned int i = 0; i < insn->mod_count && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, ".%s", ptx_mod_name(insn->mods[i]));
	return text;
}

/* FNV-1a. */
static uint32_t hash_word(const char *text, size_t len)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash ^ hash >> 15;
}

/* Open addressing; the tables are at most half full (PTX_WORD_SLOTS), so look-ups end. */
static void word_add(uint16_t *table, const char *const *names, unsigned int number)
{
	uint32_t at = hash_word(names[number], strlen(names[number]));

	while (table[at % PTX_WORD_SLOTS])
		at++;
	table[at % PTX_WORD_SLOTS] = (uint16_t)(number + 1);
}

static int word_lookup(const uint16_t *table, const char *const *names, const char *text,
		       size_t len)
{
	uint32_t at = hash_word(text, len);
	unsigned int found;

	for (; (found = table[at % PTX_WORD_SLOTS]); at++)
		if (strlen(names[found - 1]) == len && !memcmp(names[found - 1], text, len))
			return (int)(found - 1);
	return -1;
}

void ptx_words_init(struct ptx_words *words)
{
	for (unsigned int i = 1; i < PTX_M_UNKNOWN; i++)
		if (mod_names[i])
			word_add(words->mods, mod_names, i);
	for (unsigned int i = 0; i < PTX_I_LABEL; i++)
		if (i != PTX_I_REFUSED)
			word_add(words->ops, op_names, i);
}

unsigned int ptx_find_mod(const struct ptx_words *words, const char *text, size_t len)
{
	int found = word_lookup(words->mods, mod_names, text, len);

	return found < 0 ? PTX_M_UNKNOWN : (unsigned int)found;
}

int ptx_find_op(const struct ptx_words *words, const char *text, size_t len)
{
	return word_lookup(words->ops, op_names, text, len);
}

static const char *const sreg_names[] = {
	"%tid",
	"%ntid",
	"%ctaid",
	"%nctaid",
	"%laneid",
	"%warpid",
	"%nwarpid",
	"%smid",
	"%nsmid",
	"%gridid",
	"%lanemask_eq",
	"%lanemask_lt",
	"%lanemask_le",
	"%lanemask_gt",
	"%lanemask_ge",
	"%dynamic_smem_size",
	"%total_smem_size",
	"%clock",
	"%clock_hi",
	"%clock64",
	"%globaltimer",
	"%globaltimer_lo",
	"%globaltimer_hi",
};

/* The special register `name` (with component `mod`), PTX_NONE if there is none of that name. */
uint32_t ptx_find_sreg(const char *name, unsigned int mod)
{
	unsigned int comp = 0;

	if (strncmp(name, "%envreg", 7) == 0 && mod == PTX_M_NONE)
		return strcmp(name + 7, "1") == 0 ? PTX_SR_WORKSPACE_HI :
		       strcmp(name + 7, "2") == 0 ? PTX_SR_WORKSPACE_LO :
		       strcmp(name + 7, "3") == 0 ? PTX_SR_DEPTH : PTX_SR_ZERO;
	if (strncmp(name, "%envreg", 7) == 0)
		return PTX_NONE;
	for (unsigned int i = 0; i < sizeof(sreg_names) / sizeof(*sreg_names); i++) {
		if (strcmp(sreg_names[i], name) != 0)
			continue;
		if (i <= PTX_SR_NCTAID) {
			if (mod == PTX_M_DIMX || mod == PTX_M_DIMY || mod == PTX_M_DIMZ ||
			    mod == PTX_M_DIMW)
				comp = mod - PTX_M_DIMX;
			else
				return PTX_NONE;
		} else if (mod != PTX_M_NONE) {
			return PTX_NONE;
		}
		return i | comp << 8;
	}
	return PTX_NONE;
}
