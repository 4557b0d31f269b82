// SPDX-License-Identifier: MIT
/*
 * Litmus tests in herd's format: what is read, what is refused, and what they show.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "litmus.h"

#define MP								\
	"PTX MP\n\"message passing\"\n{ x=0; y=0; }\n"			\
	" P0             | P1              ;\n"				\
	" st.relaxed.gpu [x],1 | ld.relaxed.gpu r0,[y] ;\n"		\
	" st.relaxed.gpu [y],1 | ld.relaxed.gpu r1,[x] ;\n"

static bool read(const char *from, struct lit_test *test, char *error, size_t size)
{
	char *text = strdup(from);
	bool read = lit_read(text, test, error, size);

	free(text);
	return read;
}

static void a_test_is_read(void **state)
{
	static struct lit_test test;
	char error[128] = "";

	(void)state;
	if (!read(MP "exists (1:r0=1 /\\ 1:r1=0)\n", &test, error, sizeof(error)))
		fail_msg("%s", error);
	assert_string_equal(test.name, "MP");
	assert_int_equal(test.program.threads, 2);
	assert_int_equal(test.program.core[1], 1);
	assert_int_equal(test.program.ops[0][0].what, EX_WRITE);
	assert_int_equal(test.program.ops[0][1].line, 1);
	assert_int_equal(test.program.ops[1][0].line, 1);
	assert_int_equal(test.program.ops[1][1].what, EX_READ);
	assert_int_equal(test.program.ops[1][2].what, EX_END);
	assert_int_equal(test.terms, 2);
	assert_false(test.program.final);
}

static void trees_fences_and_atomics_are_read(void **state)
{
	static struct lit_test test;
	char error[128] = "";

	(void)state;
	if (!read("PTX SB\n{}\n P0 | P1 | P2 ;\n atom.exch.gpu r0,x,2 | st x,1 | ;\n"
		  " membar.gl | fence.sc.gpu | ld r0,x ;\n"
		  "ScopeTree(device (cta (warp P0) (warp P2)) (cta (warp P1)))\n"
		  "~exists (x=7 /\\ 2:r0=1)", &test, error, sizeof(error)))
		fail_msg("%s", error);
	assert_int_equal(test.program.core[0], 0);
	assert_int_equal(test.program.core[1], 1);
	assert_int_equal(test.program.core[2], 0);
	assert_int_equal(test.program.ops[0][0].what, EX_SWAP);
	assert_int_equal(test.program.ops[0][0].value, 2);
	assert_int_equal(test.program.ops[0][1].what, EX_FENCE);
	assert_int_equal(test.program.ops[2][0].what, EX_READ);
	assert_true(test.program.final);
	assert_int_equal(test.quantifier, LIT_NOT_EXISTS);
	assert_int_equal(test.slot[0], EX_REGS);
	assert_int_equal(test.slot[1], 1);
}

static void orders_and_scopes_are_read(void **state)
{
	static struct lit_test test;
	const struct lit_insn *p0 = test.insn[0], *p1 = test.insn[1];
	char error[128] = "";

	(void)state;
	if (!read("PTX a\n P0 | P1 ;\n st x,1 | ld.acquire.sys.global.u32 r0,[y] ;\n"
		  " st.volatile [z],2 | membar.cta ;\n"
		  " fence.acq_rel.sys | atom.cas.release.gpu.global.b32 r1,[x],1,3 ;\n"
		  " atom.add r9,y,5 | atom.acq_rel.cta.exch r2,x,1 ;\nexists (z=2)\n", &test, error,
		  sizeof(error)))
		fail_msg("%s", error);
	assert_int_equal(p0[0].what, LIT_ST);
	assert_int_equal(p0[0].order, LIT_WEAK);
	assert_int_equal(p0[1].order, LIT_VOLATILE);
	assert_int_equal(p0[1].scope, LIT_SYS);
	assert_int_equal(p0[1].line, 2);
	assert_int_equal(p0[2].what, LIT_FENCE);
	assert_int_equal(p0[2].order, LIT_ACQ_REL);
	assert_int_equal(p0[2].scope, LIT_SYS);
	assert_int_equal(p0[3].what, LIT_ADD);
	assert_int_equal(p0[3].order, LIT_RELAXED);
	assert_int_equal(p0[3].scope, LIT_GPU);
	assert_int_equal(p0[3].value, 5);
	assert_int_equal(p1[0].order, LIT_ACQUIRE);
	assert_int_equal(p1[0].scope, LIT_SYS);
	assert_int_equal(p1[1].order, LIT_SC);
	assert_int_equal(p1[1].scope, LIT_CTA);
	assert_int_equal(p1[2].what, LIT_CAS);
	assert_int_equal(p1[2].order, LIT_RELEASE);
	assert_int_equal(p1[2].expect, 1);
	assert_int_equal(p1[2].value, 3);
	assert_int_equal(p1[3].what, LIT_EXCH);
	assert_int_equal(p1[3].order, LIT_ACQ_REL);
	assert_int_equal(p1[3].scope, LIT_CTA);
	assert_string_equal(test.beyond, "it has an atom.add or atom.cas");
	/* three locations alone */
	assert_true(read("PTX a\n P0 ;\n st x,1 ;\n st y,1 ;\n st z,1 ;\nexists (z=1)\n", &test,
			 error, sizeof(error)));
	assert_string_equal(test.beyond, "it has more than two locations");
	assert_true(read(MP "exists (1:r0=1)\n", &test, error, sizeof(error)));
	assert_null(test.beyond);
}

/* Tests of one file, each with the number of its first line */
static void a_file_has_several(void **state)
{
	char text[] = "PTX a\n P0 ;\n st x,1 ;\nexists (x=1)\n\nPTX b\n P0 ;\n st x,2 ;\n"
		      "exists (x=2)\n";
	static struct lit_test test;
	char error[128], *next = text, *one;
	u32 line = 1;

	(void)state;
	one = lit_next(&next, &line);
	assert_int_equal(line, 6);
	assert_true(lit_read(one, &test, error, sizeof(error)));
	assert_string_equal(test.name, "a");
	one = lit_next(&next, &line);
	assert_true(lit_read(one, &test, error, sizeof(error)));
	assert_string_equal(test.name, "b");
	assert_int_equal(test.value[0], 2);
	assert_null(lit_next(&next, &line));
}

static void what_is_wrong_is_named(void **state)
{
	static const struct { const char *text; const char *error; } bad[] = {
		{ "", "line 1: no instructions" },
		{ "C MP\n", "line 1: a test begins with PTX and its name" },
		{ MP, "line 7: no condition: exists, ~exists or forall" },
		{ "PTX a\n{ x=1; }\n", "line 2: locations are 0 at first" },
		{ "PTX a\n{ x=0;\n", "line 2: { without } in its line" },
		{ "PTX a\n P1 ;\n", "line 2: 'P1' should be P0" },
		{ "PTX a\n P0 \n", "line 2: a row of instructions ends with ;" },
		{ "PTX a\n P0 ;\n ld r0,x | st x,1 ;\n", "line 3: there are 1 threads" },
		{ "PTX a\n P0 ;\n add r0,r1 ;\n",
		  "line 3: 'add r0,r1' is none of ld, st, atom.exch, atom.add, atom.cas, fence and "
		  "membar" },
		{ "PTX a\n P0 ;\n ld.release r0,x ;\n",
		  "line 3: 'ld.release r0,x' has no such order" },
		{ "PTX a\n P0 ;\n st.acquire x,1 ;\n",
		  "line 3: 'st.acquire x,1' has no such order" },
		{ "PTX a\n P0 ;\n fence.relaxed ;\n",
		  "line 3: 'fence.relaxed' has no such order" },
		{ "PTX a\n P0 ;\n atom.add r0,x ;\n", "line 3: an instruction has 3 operands" },
		{ "PTX a\n P0 ;\n atom.cas r0,x,1 ;\n", "line 3: an instruction has 4 operands" },
		{ "PTX a\n P0 ;\n ld r0 ;\n", "line 3: an instruction has 2 operands" },
		{ "PTX a\n P0 ;\n st x,y ;\n", "line 3: 'y' is no value; one from 0 to 199" },
		{ "PTX a\n P0 ;\n st x,200 ;\n", "line 3: '200' is no value; one from 0 to 199" },
		{ "PTX a\n P0 ;\n st 9x,1 ;\n", "line 3: '9x' is no location" },
		{ "PTX a\n{ x=0; y=0; z=0; w=0; v=0; }\n",
		  "line 2: 'v' is one location more than 4" },
		{ "PTX a\n P0 ;\n ld r0,x ;\n ld r0,x ;\n",
		  "line 4: thread 0 loads into r0 twice" },
		{ "PTX a\n P0 | P1 | P2 | P3 | P4 ;\n", "line 2: more than 4 threads" },
		{ MP "ScopeTree(device (cta P0))\n", "line 7: the tree does not have all threads" },
		{ MP "ScopeTree(device P0 (cta P1))\n", "line 7: P0 is no thread, or in no cta" },
		{ MP "exists 1:r0=1\n", "line 7: a condition is in ()" },
		{ MP "exists (1:r7=1)\n", "line 7: thread 1 does not load into r7" },
		{ MP "exists (r0)\n",
		  "line 7: 'r0' is not THREAD:REGISTER=VALUE or LOCATION=VALUE" },
	};

	(void)state;
	for (u32 n = 0; n < sizeof(bad) / sizeof(bad[0]); n++) {
		static struct lit_test test;
		char error[128] = "";

		assert_false(read(bad[n].text, &test, error, sizeof(error)));
		assert_string_equal(error, bad[n].error);
	}
}

/* The stale line of message passing, under today's protocol and under RCC */
static void it_shows_what_a_protocol_does(void **state)
{
	static const struct {
		const struct vgpu_coh_protocol *protocol;
		u32 warm;
		bool seen;
	} all[] = {
		{ &vgpu_coh_gpu, 1u << EX_LINES, true }, { &vgpu_coh_gpu, 0, false },
		{ &vgpu_coh_rcc, 1u << EX_LINES, false },
	};
	static struct ex_result result;
	static struct lit_test test;
	char error[128] = "";
	bool holds;

	(void)state;
	assert_true(read(MP "exists (1:r0=1 /\\ 1:r1=0)\n", &test, error, sizeof(error)));
	for (u32 n = 0; n < sizeof(all) / sizeof(all[0]); n++) {
		const struct ex_options options = { .protocol = all[n].protocol, .lease = 2,
						    .evictions = 1, .warm = all[n].warm };

		ex_explore(&test.program, &options, &result);
		assert_int_equal(lit_count(&test, &result.outcomes, &holds), all[n].seen);
		assert_int_equal(holds, all[n].seen);
	}
	test.quantifier = LIT_NOT_EXISTS;
	assert_int_equal(lit_count(&test, &result.outcomes, &holds), 0);
	assert_true(holds);
	test.quantifier = LIT_FORALL;
	lit_count(&test, &result.outcomes, &holds);
	assert_false(holds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_test_is_read),
		cmocka_unit_test(trees_fences_and_atomics_are_read),
		cmocka_unit_test(orders_and_scopes_are_read),
		cmocka_unit_test(a_file_has_several),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(it_shows_what_a_protocol_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
