// SPDX-License-Identifier: MIT
/*
 * Faults: what a kernel or a copy does wrong ends its own context, with a record that says where;
 * the error sticks, and nobody else notices anything.
 */
#include "vgpu_asm.h"

struct scene {
	int fd, neighbour;
	uint32_t queue, neighbour_queue, module, neighbour_module;
};

/* A context with @p loaded, and a neighbour that works. */
static struct scene scene(const struct program *p)
{
	struct program affine = {};
	struct scene s = { .fd = must_open(), .neighbour = must_open() };

	s.queue = must_queue(s.fd);
	s.neighbour_queue = must_queue(s.neighbour);
	s.module = must_load(s.fd, p);
	kernel_affine(&affine);
	s.neighbour_module = must_load(s.neighbour, &affine);
	CHECK_EQ(mem_map(s.fd, BASE, 16 * PAGE), 0);
	CHECK_EQ(mem_map(s.neighbour, BASE, 64 * PAGE), 0);
	return s;
}

/* Submit, see it fail for @reason, see that it sticks and that the neighbour goes on. */
static struct vgpu_fault must_fault(struct scene *s, struct vgpu_cmd cmd,
				    enum vgpu_fault_reason reason)
{
	struct vgpu_cmd cmds[4] = { cmd_nop(), cmd_nop(), cmd, cmd_nop() };
	struct vgpu_context_info info;

	CHECK_EQ(submit(s->fd, s->queue, cmds, 4, NULL), 0);
	CHECK_EQ(wait_seq(s->fd, s->queue, 4, limit_ns(30)), -EIO);
	info = must_context_info(s->fd);
	CHECK_EQ(info.dead, 1);
	CHECK_EQ(info.fault.reason, reason);
	CHECK_EQ(info.fault.queue, s->queue);
	CHECK_EQ(info.fault.seq, 3);
	/* for everything from now on, also for what was fine */
	CHECK_EQ(submit(s->fd, s->queue, cmds, 1, NULL), -EIO);
	CHECK_EQ(wait_seq(s->fd, s->queue, 4, 0), -EIO);
	CHECK_EQ(wait_seq(s->fd, s->queue, 1, 0), -EIO);
	CHECK_EQ(count_of("pins"), 0);
	must_compute(s->neighbour, s->neighbour_queue, s->neighbour_module, 0, BASE, 8, 3, 1);
	CHECK(!memcmp(&info.fault, &(struct vgpu_fault[]){ must_context_info(s->fd).fault }[0],
		      sizeof(info.fault)));
	return info.fault;
}

/* Thread 37 of block 2 (of 5) alone stores to the address in the parameters. */
static void kernel_store(struct program *p)
{
	kernel(p, "store", 8);
	ldp8(p, 0, 0);
	sreg(p, 2, VGPU_SR_TID_X);
	sreg(p, 3, VGPU_SR_CTAID_X);
	insn(p, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 0, 2, 0, 0, 37);
	insn(p, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 1, 3, 0, 0, 2);
	insn(p, VGPU_OP_PAND, 0, 0, 0, 1, 0, 0);
	stg4(p, 0, 2);
	guard(p, 0);
	finish(p);
}

static void check_place(const struct scene *s, const struct vgpu_fault *fault, uint32_t pc)
{
	CHECK_EQ(fault->module, s->module);
	CHECK_EQ(fault->kernel, 0);
	CHECK_EQ(fault->pc, pc);
	CHECK(fault->block[0] == 2 && fault->block[1] == 0 && fault->block[2] == 0);
	CHECK(fault->thread[0] == 37 && fault->thread[1] == 0 && fault->thread[2] == 0);
}

static void unmapped_store(void)
{
	static const uint64_t wild[] = { 0,
					 4,
					 BASE - 4,
					 BASE + 16 * PAGE,
					 VGPU_SYSTEM_BASE - 4,
					 VGPU_ADDRESS_LIMIT,
					 0xffffffff81000000ull,
					 0xfffffffffffffffcull };
	struct program p = {};

	kernel_store(&p);
	for (size_t i = 0; i < ARRAY_SIZE(wild); i++) {
		struct scene s = scene(&p);
		struct vgpu_fault fault = must_fault(
			&s, cmd_launch(s.module, 0, 5, 64, &wild[i], 8), VGPU_FAULT_UNMAPPED);

		check_place(&s, &fault, 6);
		CHECK(fault.address == wild[i]);
		CHECK_EQ(fault.bytes, 4);
		CHECK_EQ(fault.write, 1);
		CHECK(fault.time);
		close(s.fd);
		close(s.neighbour);
	}
}

/* One instruction that accesses the address in the parameters: load, store, atomic. */
static void kernel_access(struct program *p, unsigned int kind)
{
	kernel(p, "access", 8);
	ldp8(p, 0, 0);
	sreg(p, 2, VGPU_SR_TID_X);
	if (!kind)
		ldg4(p, 3, 0);
	else if (kind == 1)
		stg4(p, 0, 2);
	else
		insn(p, VGPU_OP_ATOMG, VGPU_ATOM_ADD, 3, 0, 2, 0, 0);
	finish(p);
}

/*
 * The page of the device's own code, as a hostile program would use it: by each kind of access,
 * with memory right below it.
 */
static void system_page(void)
{
	const uint64_t addresses[] = { VGPU_SYSTEM_BASE, VGPU_SYSTEM_BASE + 2048,
				       VGPU_ADDRESS_LIMIT - 4 };
	uint8_t bytes[2 * PAGE] = {};
	const struct vgpu_cmd bad[] = {
		cmd_h2d(VGPU_SYSTEM_BASE, bytes, PAGE),
		cmd_h2d(VGPU_SYSTEM_BASE - PAGE, bytes, 2 * PAGE),
		cmd_d2h(bytes, VGPU_SYSTEM_BASE, PAGE),
		cmd_d2h(bytes, VGPU_ADDRESS_LIMIT - 1, 1),
		cmd_copy(VGPU_CMD_COPY_D2D, BASE, VGPU_SYSTEM_BASE, 8),
		cmd_copy(VGPU_CMD_COPY_D2D, VGPU_SYSTEM_BASE, BASE, 8),
		cmd_fill(VGPU_SYSTEM_BASE - 4, 0, 4, 2),
	};

	for (unsigned int kind = 0; kind < 3; kind++) {
		struct program p = {};

		kernel_access(&p, kind);
		for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
			struct scene s = scene(&p);
			struct vgpu_fault fault;

			CHECK_EQ(mem_map(s.fd, VGPU_SYSTEM_BASE, PAGE), -EEXIST);
			CHECK_EQ(mem_map(s.fd, VGPU_SYSTEM_BASE - PAGE, PAGE), 0);
			fault = must_fault(&s, cmd_launch(s.module, 0, 1, 32, &addresses[i], 8),
					   VGPU_FAULT_SYSTEM);
			CHECK(fault.address == addresses[i]);
			CHECK_EQ(fault.bytes, 4);
			CHECK_EQ(fault.write, kind > 0);
			CHECK_EQ(fault.pc, 2);
			close(s.fd);
			close(s.neighbour);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct program p = {};
		struct scene s;

		kernel_access(&p, 1);
		s = scene(&p);
		CHECK_EQ(mem_map(s.fd, VGPU_SYSTEM_BASE - PAGE, PAGE), 0);
		must_fault(&s, bad[i], VGPU_FAULT_SYSTEM);
		close(s.fd);
		close(s.neighbour);
	}
}

static void misaligned_store(void)
{
	struct program p = {};
	uint64_t address = BASE + 2;
	struct vgpu_fault fault;
	struct scene s;

	kernel_store(&p);
	s = scene(&p);
	fault = must_fault(&s, cmd_launch(s.module, 0, 5, 64, &address, 8), VGPU_FAULT_MISALIGNED);
	check_place(&s, &fault, 6);
	CHECK(fault.address == address);
}

static void unmapped_load(void)
{
	struct program p = {};
	uint64_t address = BASE + 64 * PAGE;
	struct vgpu_fault fault;
	struct scene s;

	kernel(&p, "load", 8);
	ldp8(&p, 0, 0);
	insn(&p, VGPU_OP_LDG, SIZE_8, 2, 0, 0, 0, 16);
	finish(&p);
	s = scene(&p);
	fault = must_fault(&s, cmd_launch(s.module, 0, 1, 32, &address, 8), VGPU_FAULT_UNMAPPED);
	CHECK(fault.address == address + 16);
	CHECK_EQ(fault.bytes, 8);
	CHECK_EQ(fault.write, 0);
	CHECK_EQ(fault.pc, 1);
}

static void memory_unmapped_meanwhile(void)
{
	struct program p = {};
	struct affine_params params = { .out = BASE, .factor = 1 };
	struct scene s;

	kernel_affine(&p);
	s = scene(&p);
	CHECK_EQ(mem_unmap(s.fd, BASE, 16 * PAGE), 0);
	must_fault(&s, cmd_launch(s.module, 0, 4, 64, &params, sizeof(params)),
		   VGPU_FAULT_UNMAPPED);
}

/* op(@flags) at shared offset @offset of a block that has 256 bytes static and 64 dynamic */
static void shared_access(uint32_t offset, enum vgpu_fault_reason reason)
{
	struct program p = {};
	struct vgpu_cmd cmd;
	struct scene s;

	kernel(&p, "shared", 0);
	p.kernels[0].shared_bytes = 256;
	insn(&p, VGPU_OP_MOV, VGPU_F_IMM, 0, 0, 0, 0, offset);
	insn(&p, VGPU_OP_STS, SIZE_4, 0, 0, 0, 0, 0);
	finish(&p);
	s = scene(&p);
	cmd = cmd_launch(s.module, 0, 1, 32, NULL, 0);
	cmd.launch.dynamic_shared = 64;
	if (reason)
		must_fault(&s, cmd, reason);
	else
		must_run(s.fd, s.queue, &cmd, 1);
	close(s.fd);
	close(s.neighbour);
}

static void shared_range(void)
{
	shared_access(0, VGPU_FAULT_NONE);
	shared_access(316, VGPU_FAULT_NONE);
	shared_access(320, VGPU_FAULT_SHARED_RANGE);
	shared_access(0x7ffffffc, VGPU_FAULT_SHARED_RANGE);
	shared_access(0xfffffffc, VGPU_FAULT_SHARED_RANGE);
	shared_access(2, VGPU_FAULT_MISALIGNED);
}

static void local_range(void)
{
	struct program p = {};
	struct scene s;

	kernel(&p, "local", 0);
	p.kernels[0].local_bytes = 64;
	insn(&p, VGPU_OP_MOV, VGPU_F_IMM, 0, 0, 0, 0, 64);
	insn(&p, VGPU_OP_STL, SIZE_4, 0, 0, 0, 0, 0);
	finish(&p);
	s = scene(&p);
	must_fault(&s, cmd_launch(s.module, 0, 1, 32, NULL, 0), VGPU_FAULT_LOCAL_RANGE);
}

static void trap(void)
{
	struct program p = {};
	struct vgpu_fault fault;
	struct scene s;

	kernel(&p, "trap", 0);
	insn(&p, VGPU_OP_NOP, 0, 0, 0, 0, 0, 0);
	insn(&p, VGPU_OP_TRAP, 0, 0, 0, 0, 0, 0);
	finish(&p);
	s = scene(&p);
	fault = must_fault(&s, cmd_launch(s.module, 0, 3, 96, NULL, 0), VGPU_FAULT_TRAP);
	CHECK_EQ(fault.pc, 1);
}

/* Half a warp waits at a barrier inside a branch; the other half waits at another one. */
static void barrier(void)
{
	struct program p = {};
	struct scene s;

	kernel(&p, "barrier", 0);
	sreg(&p, 0, VGPU_SR_TID_X);
	insn(&p, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 0, 0, 0, 32);
	insn(&p, VGPU_OP_BRA, 0, 0, 0, 0, 0, 5 | 6ull << 32);
	guard(&p, 0);
	insn(&p, VGPU_OP_BAR, 0, 0, 0, 0, 0, 1);
	insn(&p, VGPU_OP_BRA, 0, 0, 0, 0, 0, 6 | 6ull << 32);
	insn(&p, VGPU_OP_BAR, 0, 0, 0, 0, 0, 2);
	finish(&p);
	s = scene(&p);
	must_fault(&s, cmd_launch(s.module, 0, 1, 64, NULL, 0), VGPU_FAULT_BARRIER);
}

/* Half of a warp shuffles, the other half votes, and each waits for the other. */
static void warp_sync(void)
{
	struct program p = {};
	struct vgpu_fault fault;
	struct scene s;

	kernel(&p, "warp_sync", 0);
	sreg(&p, 0, VGPU_SR_TID_X);
	insn(&p, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 0, 0, 0, 16);
	insn(&p, VGPU_OP_BRA, 0, 0, 0, 0, 0, 5 | 6ull << 32);
	guard(&p, 0);
	insn(&p, VGPU_OP_SHFLSYNC, VGPU_SHFL_IDX | VGPU_F_IMM, 1, 0, 0, 1,
	     (uint64_t)VGPU_PT << 32 | (uint64_t)VGPU_SHFL_FULL << 40);
	insn(&p, VGPU_OP_BRA, 0, 0, 0, 0, 0, 6 | 6ull << 32);
	insn(&p, VGPU_OP_BALLOTSYNC, VGPU_F_IMM, 1, 0, 0, 0, 0xffffffff);
	finish(&p);
	s = scene(&p);
	fault = must_fault(&s, cmd_launch(s.module, 0, 1, 32, NULL, 0), VGPU_FAULT_WARP_SYNC);
	CHECK_EQ(fault.pc, 5);
	CHECK_EQ(fault.address, 0xffff0000);
}

static void copy_unmapped(void)
{
	uint8_t bytes[2 * PAGE] = {};
	struct program p = {};
	struct vgpu_cmd bad[] = {
		cmd_h2d(BASE + 16 * PAGE, bytes, 1),
		cmd_h2d(BASE + 15 * PAGE, bytes, 2 * PAGE),
		cmd_d2h(bytes, BASE - 1, 2),
		cmd_d2h(bytes, VGPU_SYSTEM_BASE - 8, 8),
		cmd_d2h(bytes, 8, 8),
		cmd_copy(VGPU_CMD_COPY_D2D, BASE, BASE + 64 * PAGE, 8),
		cmd_copy(VGPU_CMD_COPY_D2D, 0, BASE, 8),
		cmd_fill(BASE + 15 * PAGE, 1, 4, PAGE),
		cmd_fill(0, 1, 1, 1),
	};

	kernel_affine(&p);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct scene s = scene(&p);

		must_fault(&s, bad[i], VGPU_FAULT_COPY_UNMAPPED);
		close(s.fd);
		close(s.neighbour);
	}
}

/* Where no process has an address, no device memory can ever be: that is seen at submission. */
static void copy_out_of_range(void)
{
	uint8_t bytes[16] = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	struct vgpu_cmd bad[] = {
		cmd_h2d(VGPU_ADDRESS_LIMIT, bytes, 8),
		cmd_h2d(VGPU_ADDRESS_LIMIT - 4, bytes, 8),
		cmd_d2h(bytes, ~0ull - 7, 8),
		cmd_copy(VGPU_CMD_COPY_D2D, BASE, ~0ull - 3, 8),
		cmd_copy(VGPU_CMD_COPY_D2D, VGPU_ADDRESS_LIMIT, BASE, 8),
		cmd_fill(VGPU_ADDRESS_LIMIT - 4, 1, 4, 2),
	};
	uint64_t failed;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		CHECK_EQ(submit(fd, queue, &bad[i], 1, &failed), -EINVAL);
		CHECK_EQ(failed, 0);
	}
	CHECK_EQ(must_context_info(fd).dead, 0);
}

/* The first fault is the one that stays, whatever else goes wrong. */
static void first_stays(void)
{
	struct program p = {};
	struct vgpu_fault fault;
	uint64_t address = BASE + 3;
	struct scene s;

	kernel_store(&p);
	s = scene(&p);
	fault = must_fault(&s, cmd_launch(s.module, 0, 5, 64, &address, 8), VGPU_FAULT_MISALIGNED);
	CHECK_EQ(submit(s.fd, s.queue,
			&(struct vgpu_cmd){ .op = VGPU_CMD_FILL,
					    .fill = { .width = 4, .count = 1 } },
			1, NULL),
		 -EIO);
	CHECK_EQ(must_context_info(s.fd).fault.address, fault.address);
}

/* Blocks of a profiled kernel, from the 17th on */
static void unmapped_touch(void)
{
	struct program p = {};
	struct vgpu_fault fault;
	struct scene s;

	kernel_store(&p);
	s = scene(&p);
	fault = must_fault(&s, cmd_touching(20, BASE), VGPU_FAULT_UNMAPPED);
	CHECK(fault.block[0] >= 16 && fault.block[0] < 20);
	CHECK_EQ(fault.address, BASE + fault.block[0] * PAGE);
	CHECK_EQ(fault.bytes, 4);
	CHECK_EQ(fault.write, 0);
}

static void set_watchdog(const char *text)
{
	int fd = open("/sys/class/vgpu/vgpu0/watchdog_us", O_WRONLY);

	CHECK(fd >= 0);
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static void watchdog(void)
{
	struct program p = {};
	struct scene s;
	int status;
	pid_t pid;

	kernel_endless(&p);
	/* a child, so that the knob is put back whatever happens */
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		set_watchdog("500\n");
		s = scene(&p);
		must_fault(&s, cmd_launch(s.module, 0, 20, 64, NULL, 0), VGPU_FAULT_WATCHDOG);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	set_watchdog("0\n");
	CHECK_EQ(status, 0);
}

static const struct test tests[] = {
	{ "faults: store to memory that is not mapped", unmapped_store },
	{ "faults: the system page", system_page },
	{ "faults: misaligned store", misaligned_store },
	{ "faults: load from memory that is not mapped", unmapped_load },
	{ "faults: a profiled block touches memory that is not mapped", unmapped_touch },
	{ "faults: memory unmapped before the kernel ran", memory_unmapped_meanwhile },
	{ "faults: shared memory beyond the block's", shared_range },
	{ "faults: local memory beyond the thread's", local_range },
	{ "faults: trap", trap },
	{ "faults: a barrier that can never be passed", barrier },
	{ "faults: lanes that wait for each other by their masks", warp_sync },
	{ "faults: copies and fills of memory that is not mapped", copy_unmapped },
	{ "faults: copies and fills beyond all addresses", copy_out_of_range },
	{ "faults: the first one stays", first_stays },
	{ "faults: watchdog", watchdog },
};

TESTS_MAIN(tests)
