// SPDX-License-Identifier: MIT
/*
 * Memory of a compilation: what is allocated is zero, also where something else was before a
 * rewind, and rewinding gives memory back to later allocations, not to those before the mark.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/arena.h"
#include "ptx_run.h"

#define MOST	64

/* Allocate @count pieces of sizes that @seed decides, of up to @most bytes; all must be zero. */
static void fill(struct ptx_ctx *ctx, unsigned int seed, uint32_t count, size_t most,
		 uint8_t *piece[], size_t bytes[], uint8_t with)
{
	for (uint32_t i = 0; i < count; i++) {
		seed = seed * 1103515245 + 12345;
		bytes[i] = 1 + (seed >> 8) % most;
		piece[i] = ptx_alloc(ctx, bytes[i]);
		for (size_t b = 0; b < bytes[i]; b++)
			assert_int_equal(piece[i][b], 0);
		memset(piece[i], with, bytes[i]);
	}
}

static void rewind_often(struct ptx_ctx *ctx)
{
	/* pieces of a chunk, pieces that take several chunks, and larger ones than a chunk */
	static const size_t most[] = { 100, 20 << 10, 700 << 10, 100, 60 << 10 };
	uint8_t *before[MOST], *after[MOST];
	size_t before_bytes[MOST], after_bytes[MOST];
	struct ptx_mark mark;
	size_t limit = 0;

	fill(ctx, 1, MOST, 9 << 10, before, before_bytes, 0xaa);
	mark = ptx_mark(ctx);
	for (unsigned int round = 0; round < 40; round++) {
		fill(ctx, round, MOST, most[round % 5], after, after_bytes, 0x55);
		ptx_rewind(ctx, mark);
		if (round == 4)
			limit = ctx->bytes;
		/* a few chunks more or less, as the sizes differ */
		if (round > 4)
			assert_true(ctx->bytes <= limit * 4);
	}
	for (uint32_t i = 0; i < MOST; i++)
		for (size_t b = 0; b < before_bytes[i]; b++)
			assert_int_equal(before[i][b], 0xaa);
	ptx_release(ctx);
	assert_int_equal(ctx->bytes, 0);
}

static void rewound(void **state)
{
	struct ptx_ctx ctx = { 0 };

	(void)state;
	if (setjmp(ctx.out))
		fail_msg("no memory");
	rewind_often(&ctx);
}

static void rewound_to_nothing(void **state)
{
	uint8_t *piece[MOST];
	size_t bytes[MOST];
	struct ptx_ctx ctx = { 0 };
	struct ptx_mark mark = ptx_mark(&ctx);

	(void)state;
	if (setjmp(ctx.out))
		fail_msg("no memory");
	for (unsigned int round = 0; round < 5; round++) {
		fill(&ctx, round, MOST, 3000, piece, bytes, 0x55);
		ptx_rewind(&ctx, mark);
	}
	ptx_release(&ctx);
}

/* Kernels that are compiled in the same memory, one after the other. */
static void many_kernels(void **state)
{
	char *one, *text;
	size_t size = 0;
	FILE *file;

	(void)state;
	file = open_memstream(&text, &size);
	assert_non_null(file);
	fprintf(file, "%s", PTX_HEAD);
	for (unsigned int k = 0; k < 300; k++) {
		fprintf(file,
			".visible .entry k%u(.param .u64 p)\n{\n"
			".reg .b32 %%r<4>;\n.reg .b64 %%q<4>;\n"
			"ld.param.u64 %%q0, [p];\nld.global.u32 %%r0, [%%q0];\n"
			"add.u32 %%r1, %%r0, %u;\n"
			"st.global.u32 [%%q0+4], %%r1;\nret;\n}\n",
			k, k + 1);
	}
	fclose(file);
	for (unsigned int again = 0; again < 2; again++) {
		struct vgpu_program *program;

		assert_int_equal(vgpu_compile_ptx(text, size, NULL, &program, &one), 0);
		assert_int_equal(program->kernel_count, 300);
		for (uint32_t k = 0; k < 300; k++) {
			char name[16];

			snprintf(name, sizeof(name), "k%u", k);
			assert_string_equal(program->kernels[k].name, name);
			assert_int_equal(program->kernels[k].vass.code_count,
					 program->kernels[0].vass.code_count);
			assert_int_equal(program->kernels[k].vass.entry,
					 k * program->kernels[0].vass.code_count);
		}
		vgpu_program_free(program);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rewound),
		cmocka_unit_test(rewound_to_nothing),
		cmocka_unit_test(many_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
