// SPDX-License-Identifier: MIT
/*
 * Kernels that launch kernels, without end: the process need do nothing for it, may be stopped, and
 * is killed at some time. The device is free again at once, nothing is left, and the neighbour has
 * exact results meanwhile. What a kernel writes into its pool that is no launch ends its context.
 */
#include "vgpu_asm.h"
#include "vgpu_launch.h"

#define POOL	(BASE + (1ull << 20))
#define SLOTS	16u
#define ROW	(POOL + sizeof(struct vgpu_launch_pool))
#define RECORD	(ROW + 64)
#define COUNT	(BASE + 64)

/*
 * Writes its own number into record 0, and that record into the row: whatever stream the record
 * names, the kernel is launched again. Counts how often it has run.
 */
static uint32_t kernel_again(struct program *p)
{
	uint32_t index = kernel(p, "again", 16);

	p->kernels[index].launch_pool[0] = (uint32_t)POOL;
	p->kernels[index].launch_pool[1] = (uint32_t)(POOL >> 32);
	ldp8(p, 0, 0);		/* the pool */
	ldp8(p, 2, 8);		/* the count */
	ldg4(p, 4, 2);
	insn(p, VGPU_OP_ADD, VGPU_F_IMM, 4, 4, 0, 0, 1);
	stg4(p, 2, 4);
	sreg(p, 5, VGPU_SR_GRIDID);
	insn(p, VGPU_OP_ADDQ, VGPU_F_IMM, 6, 0, 0, 0, RECORD - POOL + 4);
	stg4(p, 6, 5);
	insn(p, VGPU_OP_ADDQ, VGPU_F_IMM, 8, 0, 0, 0, offsetof(struct vgpu_launch_pool, tail));
	ldg4(p, 10, 8);
	insn(p, VGPU_OP_AND, VGPU_F_IMM, 11, 10, 0, 0, SLOTS - 1);
	insn(p, VGPU_OP_MADWU, VGPU_F_IMM, 12, 11, 0, 0, 4);	/* Q12 = R11 * 4 + Q0 */
	insn(p, VGPU_OP_ADDQ, VGPU_F_IMM, 12, 12, 0, 0, ROW - POOL);
	insn(p, VGPU_OP_MOV, VGPU_F_IMM, 14, 0, 0, 0, 1);
	stg4(p, 12, 14);
	insn(p, VGPU_OP_ADD, VGPU_F_IMM, 10, 10, 0, 0, 1);
	stg4(p, 8, 10);
	finish(p);
	return index;
}

struct again_params {
	uint64_t pool, count;
};

/* A context in which that kernel has been launched, each next one in @stream. */
static int must_open_again(uint64_t stream, uint32_t *queue, uint32_t *module, uint32_t *affine)
{
	struct again_params params = { .pool = POOL, .count = COUNT };
	struct vgpu_launch_pool pool = { .slots = SLOTS };
	struct vgpu_launch_record record = {
		.state = VGPU_LAUNCH_TAKEN, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
		.stream = stream,
	};
	struct program p = {};
	struct vgpu_cmd cmds[4];
	uint32_t index = kernel_again(&p);
	int fd = must_open();

	*affine = kernel_affine(&p);
	*module = must_load(fd, &p);
	*queue = must_queue(fd);
	CHECK_EQ(mem_map(fd, BASE, 2 << 20), 0);
	record.module = *module;
	record.kernel = index;
	memcpy(record.params, &params, sizeof(params));
	cmds[0] = cmd_fill(BASE, 0, 4, 1 << 19);
	cmds[1] = cmd_h2d(POOL, &pool, sizeof(pool));
	cmds[2] = cmd_h2d(RECORD, &record, sizeof(record));
	cmds[3] = cmd_launch(*module, index, 1, 1, &params, sizeof(params));
	must_submit(fd, *queue, cmds, 4);
	return fd;
}

static void nothing_is_left(void)
{
	CHECK_EQ(count_of("contexts"), 0);
	CHECK_EQ(count_of("host_frames"), 0);
	CHECK_EQ(count_of("pinned_pages"), 0);
}

static void without_end(void)
{
	struct program affine = {};
	uint32_t queue, module, index = kernel_affine(&affine);
	int status, fd = must_open();
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		uint32_t others[3];

		close(fd);
		fd = must_open_again(VGPU_LAUNCH_TAIL, &others[0], &others[1], &others[2]);
		wait_seq(fd, others[0], 4, FOREVER);
		_exit(1);
	}
	module = must_load(fd, &affine);
	queue = must_queue(fd);
	CHECK_EQ(mem_map(fd, BASE, 64 * PAGE), 0);
	for (uint32_t i = 0; i < 3; i++)
		must_compute(fd, queue, module, index, BASE, 8, 3 + i, i);
	/* a process that is stopped has no part in it */
	CHECK(!kill(pid, SIGSTOP));
	for (uint32_t i = 0; i < 3; i++)
		must_compute(fd, queue, module, index, BASE, 8, 5 + i, i);
	CHECK(!kill(pid, SIGKILL));
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	CHECK_EQ(count_of("contexts"), 1);
	must_compute(fd, queue, module, index, BASE, 8, 7, 7);
	close(fd);
	nothing_is_left();
}

/* A row of tail launches goes on while the context does other things, and ends with its file. */
static void beside_others(void)
{
	uint32_t queue, other, module, affine, before = 0, after = 0;
	int fd = must_open_again(VGPU_LAUNCH_TAIL, &queue, &module, &affine);
	struct vgpu_cmd read = cmd_d2h(&before, COUNT, sizeof(before));

	other = must_queue(fd);
	must_compute(fd, other, module, affine, BASE + PAGE, 4, 3, 1);
	must_run(fd, other, &read, 1);
	must_compute(fd, other, module, affine, BASE + PAGE, 4, 5, 1);
	read = cmd_d2h(&after, COUNT, sizeof(after));
	must_run(fd, other, &read, 1);
	CHECK(after > before);
	CHECK_EQ(wait_seq(fd, queue, 4, 0), -ETIMEDOUT);
	close(fd);
	nothing_is_left();
}

/* One in the other, deeper than may be: that is no launch. */
static void too_deep(void)
{
	uint32_t queue, module, affine;
	int fd = must_open_again(VGPU_LAUNCH_IN_ORDER, &queue, &module, &affine);
	struct vgpu_context_info info;

	CHECK_EQ(wait_seq(fd, queue, 4, limit_ns(30)), -EIO);
	info = must_context_info(fd);
	CHECK_EQ(info.fault.reason, VGPU_FAULT_LAUNCH);
	CHECK_EQ(info.fault.seq, 4);
	close(fd);
	nothing_is_left();
}

static const struct test tests[] = {
	{ "launched: without end, and killed", without_end },
	{ "launched: beside others", beside_others },
	{ "launched: too deep", too_deep },
};

TESTS_MAIN(tests)
