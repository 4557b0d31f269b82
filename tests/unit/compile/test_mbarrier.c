// SPDX-License-Identifier: MIT
/*
 * mbarrier: its word after each instruction, as docs/ptx.md has it; what waits say; warps and lanes
 * of one warp that wait for each other; what is refused.
 */
#include "ptx_run.h"

#define KERNEL(body)	PTX_HEAD \
	".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.shared .align 8 .b64 bar;\n" \
	".shared .align 16 .b8 data[4096];\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n" \
	".reg .pred %p<9>;\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n" \
	"cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\n" \
	"mov.u32 %r1, %tid.x;\nmov.u32 %r2, bar;\n" body "\nret;\n}\n"

/* The word, and predicate %p1, are results from byte @at on. */
#define SHOW(at) \
	"ld.volatile.shared.u64 %rd9, [bar];\nselp.u64 %rd10, 1, 0, %p1;\n" \
	"st.global.v2.u64 [%rd2+" #at "], {%rd9, %rd10};\n"

static uint64_t word(uint64_t phase, uint64_t pending, uint64_t next, int64_t tx)
{
	return phase | pending << 3 | next << 23 | (uint64_t)tx << 43;
}

static void run(const char *ptx, unsigned int threads, uint64_t *out, size_t words)
{
	struct vgpuModule *module;
	uint64_t in[64];

	for (unsigned int i = 0; i < 64; i++)
		in[i] = 1000 + i;
	memset(out, 0, words * sizeof(*out));
	ptx_begin();
	module = ptx_load(ptx, 0);
	ptx_launch(module, "k", threads, in, sizeof(in), out, words * sizeof(*out));
	ptx_end();
}

/* Three arrivals end a phase. A state is the word before; only that of an earlier phase is over. */
static void arrivals_end_a_phase(void **state)
{
	uint64_t out[12];

	(void)state;
	run(KERNEL("mbarrier.init.shared.b64 [bar], 3;\n"
		   "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;\n" SHOW(0)
		   "mbarrier.arrive.shared.b64 %rd3, [bar];\n"
		   "mbarrier.arrive.release.cta.shared::cta.b64 %rd4, [%r2];\n"
		   "mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;\n" SHOW(16)
		   "mbarrier.arrive.shared.b64 %rd5, [bar];\n"
		   "mbarrier.test_wait.acquire.cta.shared.b64 %p1, [bar], %rd4;\n" SHOW(32)
		   "mbarrier.pending_count.b64 %r3, %rd3;\nmbarrier.pending_count.b64 %r4, %rd5;\n"
		   "st.global.v2.u32 [%rd2+48], {%r3, %r4};\n"
		   "mbarrier.arrive.shared.b64 %rd6, [bar];\n"
		   "mbarrier.try_wait.shared.b64 %p1, [bar], %rd6;\n"
		   "selp.u64 %rd9, 1, 0, %p1;\nst.global.u64 [%rd2+56], %rd9;\n"
		   "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\n"
		   "selp.u64 %rd9, 1, 0, %p1;\nst.global.u64 [%rd2+64], %rd9;\n"
		   "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 1, 1000;\n"
		   "selp.u64 %rd9, 1, 0, %p1;\nst.global.u64 [%rd2+72], %rd9;\n"
		   "mbarrier.inval.shared.b64 [bar];\n" SHOW(80)), 1, out, 12);
	assert_int_equal(out[0], word(0, 3, 3, 0));
	assert_int_equal(out[1], 1);		/* the phase before the first has odd parity */
	assert_int_equal(out[2], word(0, 1, 3, 0));
	assert_int_equal(out[3], 0);
	assert_int_equal(out[4], word(1, 3, 3, 0));
	assert_int_equal(out[5], 1);
	assert_int_equal(out[6], 3 | 1ull << 32);
	assert_int_equal(out[7], 0);
	assert_int_equal(out[8], 1);		/* phase 0 is over, phase 1 is not */
	assert_int_equal(out[9], 0);
	assert_int_equal(out[10], 0);
}

/* Counts, arrivals that come no more, and those that must not be the last. */
static void counts_and_drops(void **state)
{
	uint64_t out[12];

	(void)state;
	run(KERNEL("mov.u32 %r5, 5;\nmbarrier.init.shared.b64 [%r2], %r5;\n"
		   "mbarrier.arrive.noComplete.shared.b64 %rd3, [bar], 3;\n"
		   "mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;\n" SHOW(0)
		   "mov.u32 %r6, 2;\nmbarrier.arrive.shared.b64 _, [bar], %r6;\n"
		   "mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;\n" SHOW(16)
		   "mbarrier.arrive_drop.shared.b64 %rd4, [bar];\n"
		   "mbarrier.arrive_drop.noComplete.shared.b64 _, [bar], 2;\n" SHOW(32)
		   "mbarrier.arrive.shared.b64 _, [bar], 2;\n" SHOW(48)
		   /* a generic address; not by a thread whose guard is false */
		   "setp.eq.u32 %p2, %r1, 0;\ncvta.shared.u64 %rd7, bar;\n"
		   "cvta.to.shared.u64 %rd8, %rd7;\ncvta.shared.u64 %rd7, %rd8;\n"
		   "@!%p2 mbarrier.arrive.b64 _, [%rd7];\n"
		   "@%p2 mbarrier.arrive.b64 _, [%rd7];\n" SHOW(64)
		   "@!%p2 mbarrier.arrive_drop.b64 _, [%rd7];\n"
		   "@%p2 mbarrier.arrive_drop.b64 _, [%rd7];\n" SHOW(80)), 1, out, 12);
	assert_int_equal(out[0], word(0, 2, 5, 0));
	assert_int_equal(out[1], 0);
	assert_int_equal(out[2], word(1, 5, 5, 0));
	assert_int_equal(out[3], 1);
	assert_int_equal(out[4], word(1, 2, 2, 0));
	assert_int_equal(out[6], word(2, 2, 2, 0));
	assert_int_equal(out[8], word(2, 1, 2, 0));
	assert_int_equal(out[10], word(3, 1, 1, 0));
}

/* A phase ends when nothing is expected any more, and nobody. */
static void transactions(void **state)
{
	uint64_t out[12];

	(void)state;
	run(KERNEL("mbarrier.init.shared::cta.b64 [bar], 2;\n"
		   "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd3, [bar], 256;\n"
		   "mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;\n" SHOW(0)
		   "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 512;\n"
		   "mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;\n" SHOW(16)
		   "mbarrier.arrive.shared.b64 _, [bar];\n"
		   "mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;\n" SHOW(32)
		   "mov.u32 %r3, 256;\nmbarrier.expect_tx.relaxed.cta.shared.b64 [bar], %r3;\n"
		   "mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;\n" SHOW(48)
		   "mbarrier.complete_tx.shared.b64 [bar], 0;\n"
		   "mbarrier.arrive.shared.b64 _, [bar];\n" SHOW(64)
		   "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8;\n"
		   "mbarrier.complete_tx.shared.b64 [bar], 8;\n" SHOW(80)), 1, out, 12);
	assert_int_equal(out[0], word(0, 1, 2, 256));
	assert_int_equal(out[1], 0);
	assert_int_equal(out[2], word(0, 1, 2, -256));
	assert_int_equal(out[3], 0);
	assert_int_equal(out[4], word(0, 0, 2, -256));
	assert_int_equal(out[5], 0);
	assert_int_equal(out[6], word(1, 2, 2, 0));
	assert_int_equal(out[7], 1);
	assert_int_equal(out[8], word(1, 1, 2, 0));
	assert_int_equal(out[10], word(2, 2, 2, 0));
}

/* The number of the phase begins again; so does what a count can be, at its largest. */
static void phases_and_counts_at_their_ends(void **state)
{
	uint64_t out[4];

	(void)state;
	run(KERNEL("mbarrier.init.shared.b64 [bar], 1;\nmov.u32 %r5, 0;\n"
		   "again:\nmbarrier.arrive.shared.b64 %rd3, [bar];\nadd.u32 %r5, %r5, 1;\n"
		   "setp.lt.u32 %p2, %r5, 8;\n@%p2 bra again;\n"
		   "mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;\n" SHOW(0)
		   "mbarrier.init.shared.b64 [bar], 1048575;\n"
		   "mbarrier.arrive.noComplete.shared.b64 %rd3, [bar], 1048574;\n"
		   "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1048575;\n"
		   "mbarrier.complete_tx.shared.b64 [bar], 1048575;\n" SHOW(16)), 1, out, 4);
	assert_int_equal(out[0], word(0, 1, 1, 0));
	assert_int_equal(out[1], 1);
	assert_int_equal(out[2], word(1, 1048575, 1048575, 0));
}

/*
 * 96 threads: in each of 20 rounds each leaves its word and reads that of its neighbour, on the
 * other side of a wait. Odd threads wait by parity, and in a branch of their own.
 */
static void warps_and_lanes_wait(void **state)
{
	static const char ptx[] = KERNEL(
		"setp.eq.u32 %p2, %r1, 0;\n@%p2 mbarrier.init.shared.b64 [bar], 96;\nbar.sync 0;\n"
		"shl.b32 %r3, %r1, 2;\nadd.u32 %r4, %r1, 1;\nsetp.eq.u32 %p2, %r4, 96;\n"
		"@%p2 mov.u32 %r4, 0;\nshl.b32 %r4, %r4, 2;\nmov.u32 %r6, data;\n"
		"add.u32 %r3, %r3, %r6;\nadd.u32 %r4, %r4, %r6;\nmov.u32 %r5, 0;\n"
		"and.b32 %r7, %r1, 1;\nsetp.ne.u32 %p3, %r7, 0;\nmov.u32 %r8, 0;\n"
		"mov.u32 %r10, 0;\n"
		"round:\nadd.u32 %r9, %r5, %r1;\nst.shared.u32 [%r3], %r9;\n"
		"mbarrier.arrive.shared.b64 %rd3, [bar];\n"
		"@%p3 bra odd;\n"
		"even:\nmbarrier.test_wait.shared.b64 %p1, [bar], %rd3;\n@!%p1 bra even;\n"
		"bra met;\n"
		"odd:\nmbarrier.try_wait.parity.shared.b64 %p1, [bar], %r10;\n@!%p1 bra odd;\n"
		"met:\nld.shared.u32 %r9, [%r4];\nadd.u32 %r8, %r8, %r9;\n"
		"xor.b32 %r10, %r10, 1;\n"
		"mbarrier.arrive.shared.b64 _, [bar];\n"
		"back:\nmbarrier.try_wait.parity.shared.b64 %p1, [bar], %r10;\n@!%p1 bra back;\n"
		"xor.b32 %r10, %r10, 1;\n"
		"add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 20;\n@%p2 bra round;\n"
		"mul.wide.u32 %rd4, %r1, 8;\nadd.u64 %rd4, %rd4, %rd2;\n"
		"cvt.u64.u32 %rd5, %r8;\nst.global.u64 [%rd4], %rd5;\n");
	uint64_t out[96];

	(void)state;
	run(ptx, 96, out, 96);
	for (unsigned int t = 0; t < 96; t++)
		assert_int_equal(out[t], 20 * ((t + 1) % 96) + 190);
}

/*
 * One lane of a warp waits for what the others copy: cp.async has them arrive, who have arrived
 * already if .noinc does not say that they are among those that count.
 */
static void copies_arrive(void **state)
{
	static const char ptx[] = KERNEL(
		"setp.eq.u32 %p2, %r1, 0;\n@%p2 mbarrier.init.shared.b64 [bar], 64;\nbar.sync 0;\n"
		"mov.u32 %r6, data;\nshl.b32 %r3, %r1, 3;\nadd.u32 %r4, %r3, %r6;\n"
		"mul.wide.u32 %rd4, %r1, 8;\nadd.u64 %rd5, %rd1, %rd4;\n"
		"cp.async.ca.shared.global [%r4], [%rd5], 8;\n"
		"cp.async.mbarrier.arrive.shared.b64 [bar];\n"
		"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r2];\n"
		"wait:\nmbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\n@!%p1 bra wait;\n"
		"xor.b32 %r3, %r3, 504;\nadd.u32 %r4, %r3, %r6;\nld.shared.u64 %rd6, [%r4];\n"
		"add.u64 %rd5, %rd2, %rd4;\nst.global.u64 [%rd5], %rd6;\n");
	uint64_t out[64];

	(void)state;
	run(ptx, 64, out, 64);
	for (unsigned int t = 0; t < 64; t++)
		assert_int_equal(out[t], 1063 - t);
}

static void refusals(void **state)
{
	(void)state;
	ptx_refused(KERNEL("mbarrier.init.shared.b32 [bar], 1;"), "type .b64");
	ptx_refused(KERNEL("mbarrier.init.shared.b64 [bar], 0;"), "from 1 to 1048575");
	ptx_refused(KERNEL("mbarrier.init.shared.b64 [bar], 1048576;"), "from 1 to 1048575");
	ptx_refused(KERNEL("mbarrier.init.global.b64 [%rd1], 1;"), "in shared memory");
	ptx_refused(KERNEL("mbarrier.init.shared.b64 [bar];"), "2 are wanted");
	ptx_refused(KERNEL("mbarrier.shared.b64 [bar], 1;"), "what it does is missing");
	ptx_refused(KERNEL("mbarrier.arrive.shared.b64 %r3, [bar];"), "64-bit");
	ptx_refused(KERNEL("mbarrier.arrive.noComplete.shared.b64 %rd3, [bar];"), "3 are wanted");
	ptx_refused(KERNEL("mbarrier.arrive.acquire.cta.shared.b64 %rd3, [bar];"), ".acquire");
	ptx_refused(KERNEL("mbarrier.arrive.release.gpu.shared.b64 %rd3, [bar];"), "scope is .cta");
	ptx_refused(KERNEL("mbarrier.arrive.release.cluster.shared.b64 %rd3, [bar];"), ".cluster");
	ptx_refused(KERNEL("mbarrier.arrive.shared::cluster.b64 _, [bar];"), ".shared::cluster");
	ptx_refused(KERNEL("mbarrier.test_wait.shared.b64 %p1, [bar], %r3;"), "64-bit");
	ptx_refused(KERNEL("mbarrier.test_wait.shared.b64 %p1, [bar], %rd3, 5;"), "3 are wanted");
	ptx_refused(KERNEL("cp.async.arrive.shared.b64 [bar];"), "cp.async.mbarrier.arrive");
	ptx_refused(KERNEL("cp.async.mbarrier.arrive.shared.b32 [bar];"), ".b64");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrivals_end_a_phase),
		cmocka_unit_test(counts_and_drops),
		cmocka_unit_test(transactions),
		cmocka_unit_test(phases_and_counts_at_their_ends),
		cmocka_unit_test(warps_and_lanes_wait),
		cmocka_unit_test(copies_arrive),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
