// SPDX-License-Identifier: MIT
/*
 * Fuzz target: PTX. Covers the lexer, the parser and the compiler (runtime/ptx, runtime/compile)
 * and, with what they make, the verifier. A text is compiled or refused with a message; what is
 * compiled is compiled again with few registers, linked, and must be a binary that a device loads.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "mutate.h"
#include "sm/sm.h"

#define DATA_SEGMENT	0x7f0000000000ull

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static void fail(const char *what, const char *message)
{
	fprintf(stderr, "fuzz_ptx: %s: %s\n", what, message ? message : "no message");
	abort();
}

/* The binary of what was compiled is refused for one reason only: the device is too small. */
static void load(struct vgpu_program *program)
{
	struct vgpu_module *module;
	struct vgpu_config limits;
	char message[512], text[96];
	int err;

	if (vgpu_config_preset(&limits, "k20c"))
		abort();
	vgpu_program_link(program, DATA_SEGMENT);
	err = vgpu_vass_load(&limits, program->binaries[0].bytes, program->binaries[0].size,
			     message, sizeof(message), &module);
	if (err) {
		if (!strstr(message, "shared_bytes is") && !strstr(message, "the size of the"))
			fail("the device does not take what the compiler made", message);
		return;
	}
	for (u32 k = 0; k < vgpu_module_kernel_count(module); k++) {
		const struct vgpu_kernel *kernel = vgpu_module_kernel(module, k);

		for (u32 n = 0; n < kernel->vass.code_count; n++)
			vgpu_disassemble(&kernel->code[n], text, sizeof(text));
	}
	vgpu_vass_free(module);
}

static bool compile(const char *ptx, size_t size, uint32_t max_regs)
{
	struct vgpu_compile_options options = { .max_regs = max_regs };
	struct vgpu_program *program = NULL;
	char *message = NULL;
	int err = vgpu_compile_ptx(ptx, size, &options, &program, &message);

	/* a variable of gigabytes, beyond the limit of this process */
	if (err == -ENOMEM && !program && !message)
		return false;
	if (err) {
		if (err != -EINVAL || program || !message || strncmp(message, "ptx line ", 9))
			fail("refused, but not with a line of PTX", message);
		free(message);
		return false;
	}
	if (!program || message)
		fail("compiled, with a message", message);
	load(program);
	vgpu_program_free(program);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *ptx = malloc(size ? size : 1);

	if (!ptx)
		abort();
	memcpy(ptx, data, size);
	if (compile(ptx, size, 0))
		compile(ptx, size, 16);
	free(ptx);
	return 0;
}

/* ---- mutation by word and line ------------------------------------------ */

static bool of_word(uint8_t c)
{
	return isalnum(c) || c == '_' || c == '%' || c == '$' || c == '.';
}

struct span {
	size_t from, to;
};

/* The word at or behind @at; empty: there is none. */
static struct span word_at(const uint8_t *data, size_t size, size_t at)
{
	struct span s;

	while (at && of_word(data[at - 1]))
		at--;
	while (at < size && !of_word(data[at]))
		at++;
	for (s.from = s.to = at; s.to < size && of_word(data[s.to]); s.to++)
		;
	return s;
}

static struct span line_at(const uint8_t *data, size_t size, size_t at)
{
	struct span s;

	while (at && data[at - 1] != '\n')
		at--;
	for (s.from = s.to = at; s.to < size && data[s.to] != '\n'; s.to++)
		;
	s.to += s.to < size;
	return s;
}

/* Put the bytes of @source in place of @target. */
static size_t replace(uint8_t *data, size_t size, size_t max_size, struct span target,
		      struct span source)
{
	size_t bytes = source.to - source.from, gone = target.to - target.from;
	uint8_t *copy;

	if (size - gone + bytes > max_size)
		return size;
	copy = malloc(bytes + 1);
	if (!copy)
		abort();
	memcpy(copy, data + source.from, bytes);
	memmove(data + target.from + bytes, data + target.to, size - target.to);
	memcpy(data + target.from, copy, bytes);
	free(copy);
	return size - gone + bytes;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	uint64_t state = seed;
	struct span a, b;

	if (!size || fuzz_below(&state, 2))
		return LLVMFuzzerMutate(data, size, max_size);
	switch (fuzz_below(&state, 4)) {
	case 0:	/* a word becomes another one */
	case 1:
		a = word_at(data, size, fuzz_below(&state, size));
		b = word_at(data, size, fuzz_below(&state, size));
		break;
	case 2:	/* a line is repeated elsewhere, or replaces another */
		a = line_at(data, size, fuzz_below(&state, size));
		b = line_at(data, size, fuzz_below(&state, size));
		if (fuzz_below(&state, 2))
			a.to = a.from;
		break;
	default: /* a line goes */
		a = line_at(data, size, fuzz_below(&state, size));
		b.from = b.to = a.from;
	}
	return replace(data, size, max_size, a, b);
}
