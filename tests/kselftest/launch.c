// SPDX-License-Identifier: MIT
/*
 * Kernels put together by hand: every thread of every shape of grid runs once, shared memory and
 * barriers, atomics, several processes at the same time with exact results, profiled kernels.
 */
#include "vgpu_asm.h"

static void one_dimension(void)
{
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_affine(&p), module = must_load(fd, &p), queue = must_queue(fd);

	CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
	must_compute(fd, queue, module, index, BASE, 1, 1, 0);
	must_compute(fd, queue, module, index, BASE, 3, 7, 5);
	must_compute(fd, queue, module, index, BASE, 300, 0x01010101, 99);
	CHECK_EQ(must_context_info(fd).kernels, 3);
	CHECK_EQ(must_context_info(fd).blocks, 304);
	CHECK(must_context_info(fd).instructions >= 304 * 4 * 8);
}

/* out[linear id over grid and block in three dimensions] += 1 */
static void three_dimensions(void)
{
	static const uint32_t shapes[][6] = {
		{ 1, 1, 1, 1, 1, 1 },  { 2, 3, 4, 4, 2, 3 }, { 5, 1, 2, 33, 1, 1 },
		{ 1, 7, 1, 1, 1, 31 }, { 3, 2, 1, 8, 8, 4 },
	};
	struct program p = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd), index = kernel(&p, "count", 8), module;
	uint64_t out = BASE;
	uint32_t got[4096];

	ldp8(&p, 0, 0);
	sreg(&p, 2, VGPU_SR_CTAID_Z);		/* block = (z * ny + y) * nx + x */
	sreg(&p, 3, VGPU_SR_NCTAID_Y);
	sreg(&p, 4, VGPU_SR_CTAID_Y);
	insn(&p, VGPU_OP_MAD, 0, 2, 2, 3, 4, 0);
	sreg(&p, 3, VGPU_SR_NCTAID_X);
	sreg(&p, 4, VGPU_SR_CTAID_X);
	insn(&p, VGPU_OP_MAD, 0, 2, 2, 3, 4, 0);
	sreg(&p, 3, VGPU_SR_NTID_Z);		/* and so on through the threads */
	sreg(&p, 4, VGPU_SR_TID_Z);
	insn(&p, VGPU_OP_MAD, 0, 2, 2, 3, 4, 0);
	sreg(&p, 3, VGPU_SR_NTID_Y);
	sreg(&p, 4, VGPU_SR_TID_Y);
	insn(&p, VGPU_OP_MAD, 0, 2, 2, 3, 4, 0);
	sreg(&p, 3, VGPU_SR_NTID_X);
	sreg(&p, 4, VGPU_SR_TID_X);
	insn(&p, VGPU_OP_MAD, 0, 2, 2, 3, 4, 0);
	insn(&p, VGPU_OP_MADWU, VGPU_F_IMM, 6, 2, 0, 0, 4);
	ldg4(&p, 8, 6);
	insn(&p, VGPU_OP_ADD, VGPU_F_IMM, 8, 8, 0, 0, 1);
	stg4(&p, 6, 8);
	finish(&p);
	module = must_load(fd, &p);
	CHECK_EQ(mem_map(fd, BASE, sizeof(got)), 0);
	for (size_t s = 0; s < ARRAY_SIZE(shapes); s++) {
		const uint32_t *d = shapes[s];
		uint32_t all = d[0] * d[1] * d[2] * d[3] * d[4] * d[5];
		struct vgpu_cmd cmds[3] = { cmd_fill(BASE, 0, 4, ARRAY_SIZE(got)),
					    cmd_launch(module, index, 1, 1, &out, 8),
					    cmd_d2h(got, BASE, sizeof(got)) };

		CHECK(all <= ARRAY_SIZE(got));
		memcpy(cmds[1].launch.grid, d, 12);
		memcpy(cmds[1].launch.block, d + 3, 12);
		must_run(fd, queue, cmds, 3);
		for (uint32_t i = 0; i < ARRAY_SIZE(got); i++)
			CHECK_EQ(got[i], i < all);
	}
}

/* Each block turns its part round through shared memory: a barrier between write and read. */
static void shared_memory(void)
{
	enum { BLOCKS = 40, THREADS = 256 };
	struct program p = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd), index = kernel(&p, "turn", 8), module,
		 got[BLOCKS * THREADS];
	uint64_t out = BASE;
	struct vgpu_cmd cmds[2];

	p.kernels[index].shared_bytes = THREADS * 4;
	ldp8(&p, 0, 0);
	global_id(&p, 2, 3);
	sreg(&p, 5, VGPU_SR_TID_X);
	insn(&p, VGPU_OP_SHL, VGPU_F_IMM, 6, 5, 0, 0, 2);
	insn(&p, VGPU_OP_STS, SIZE_4, 0, 6, 2, 0, 0);
	insn(&p, VGPU_OP_BAR, 0, 0, 0, 0, 0, 0);
	insn(&p, VGPU_OP_MOV, VGPU_F_IMM, 7, 0, 0, 0, (THREADS - 1) * 4);
	insn(&p, VGPU_OP_SUB, 0, 7, 7, 6, 0, 0);
	insn(&p, VGPU_OP_LDS, SIZE_4, 8, 7, 0, 0, 0);
	insn(&p, VGPU_OP_MADWU, VGPU_F_IMM, 10, 2, 0, 0, 4);
	stg4(&p, 10, 8);
	finish(&p);
	module = must_load(fd, &p);
	CHECK_EQ(mem_map(fd, BASE, sizeof(got)), 0);
	cmds[0] = cmd_launch(module, index, BLOCKS, THREADS, &out, 8);
	cmds[1] = cmd_d2h(got, BASE, sizeof(got));
	must_run(fd, queue, cmds, 2);
	for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
		CHECK_EQ(got[i], i / THREADS * THREADS + (THREADS - 1 - i % THREADS));
}

static void atomics(void)
{
	struct program p = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd), index = kernel(&p, "sum", 8), module, got[2];
	uint64_t out = BASE;
	struct vgpu_cmd cmds[2];

	ldp8(&p, 0, 0);
	global_id(&p, 2, 3);
	insn(&p, VGPU_OP_ATOMG, VGPU_ATOM_ADD | VGPU_F_ATOM_NORET, 0, 0, 2, 0, 0);
	insn(&p, VGPU_OP_ATOMG, VGPU_ATOM_MAX | VGPU_F_ATOM_NORET, 0, 0, 2, 0, 4);
	finish(&p);
	module = must_load(fd, &p);
	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	cmds[0] = cmd_launch(module, index, 100, 64, &out, 8);
	cmds[1] = cmd_d2h(got, BASE, sizeof(got));
	must_run(fd, queue, cmds, 2);
	CHECK_EQ(got[0], 6400 * 6399 / 2);
	CHECK_EQ(got[1], 6399);
}

static void several_processes(void)
{
	enum { CHILDREN = 6, ROUNDS = 10 };
	int status;
	pid_t pids[CHILDREN];

	for (uint32_t c = 0; c < CHILDREN; c++) {
		pids[c] = fork();
		CHECK(pids[c] >= 0);
		if (!pids[c]) {
			struct program p = {};
			int fd = must_open();
			uint32_t index = kernel_affine(&p), module = must_load(fd, &p),
				 queue = must_queue(fd);

			CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
			for (uint32_t round = 0; round < ROUNDS; round++)
				must_compute(fd, queue, module, index, BASE, 20 + c * 7,
					     c * 1000 + 1, round);
			CHECK_EQ(must_context_info(fd).kernels, ROUNDS);
			_exit(0);
		}
	}
	for (uint32_t c = 0; c < CHILDREN; c++) {
		CHECK(waitpid(pids[c], &status, 0) == pids[c]);
		CHECK_EQ(status, 0);
	}
}

static void profiled(void)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	uint64_t times[2];
	uint32_t sms = must_device_info(fd).sms;
	struct vgpu_cmd cmds[3] = { cmd_stamp(&times[0]), cmd_profiled(sms * 4, 1000000000ull),
				    cmd_stamp(&times[1]) };

	must_run(fd, queue, cmds, 3);
	/* at least one block's mean time; far below what the blocks take one after the other */
	CHECK(times[1] - times[0] >= 1000000000ull);
	CHECK(times[1] - times[0] < sms * 4 * 1000000000ull / 2);
	CHECK_EQ(must_context_info(fd).kernels, 1);
	CHECK_EQ(must_context_info(fd).blocks, sms * 4);
}

static void many_launches(void)
{
	struct program p = {};
	struct affine_params params[VGPU_SUBMIT_MAX];
	static struct vgpu_cmd cmds[VGPU_SUBMIT_MAX];
	int fd = must_open();
	uint32_t index = kernel_affine(&p), module = must_load(fd, &p), queue = must_queue(fd);
	uint32_t got[VGPU_SUBMIT_MAX * 32];
	uint64_t seq;

	CHECK_EQ(mem_map(fd, BASE, sizeof(got)), 0);
	for (uint32_t round = 0; round < 4; round++) {
		for (uint32_t i = 0; i < VGPU_SUBMIT_MAX; i++) {
			params[i] = (struct affine_params){ .out = BASE + i * 128,
							    .factor = i,
							    .add = round };
			cmds[i] = cmd_launch(module, index, 1, 32, &params[i], sizeof(params[i]));
		}
		seq = must_submit(fd, queue, cmds, VGPU_SUBMIT_MAX);
		memset(params, 0xff, sizeof(params));	/* they were copied */
		CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), 0);
		must_d2h(fd, queue, got, BASE, sizeof(got));
		for (uint32_t i = 0; i < ARRAY_SIZE(got); i++)
			CHECK_EQ(got[i], i % 32 * (i / 32) + round);
	}
}

static const struct test tests[] = {
	{ "launch: one dimension", one_dimension },
	{ "launch: three dimensions, every thread once", three_dimensions },
	{ "launch: shared memory and barriers", shared_memory },
	{ "launch: atomics", atomics },
	{ "launch: several processes at once", several_processes },
	{ "launch: profiled kernels", profiled },
	{ "launch: many launches in a batch", many_launches },
};

TESTS_MAIN(tests)
