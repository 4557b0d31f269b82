// SPDX-License-Identifier: MIT
/*
 * Work that takes little virtual time and much real time: large states of blocks, translations
 * that miss, memory written for the first time, slow instructions, many mappings, many pages that
 * are released. A bystander's calls wait for a few instructions of one warp, not for all that the
 * SMs do at one virtual time. A copy, which takes virtual time, waits for what all SMs do in that
 * time. That has a bound too.
 *
 * An attack goes on while calls are timed, at least for one launch. So on a kernel that is slower
 * there are fewer blocks, rounds and pages in one.
 */
#include "vgpu_asm.h"
#include "vgpu_bystander.h"

#define MB		(1ull << 20)
#define ROUNDS		(1 + scaled(7))	/* of a loop, in one launch */
#define TLB_REACH	(256 * PAGE)	/* what is so far apart met in one entry once */

/* Two launches of kernel 0 of @p are always under way. */
static void keep_running(volatile uint32_t *going, const struct program *p, uint32_t blocks,
			 uint32_t threads, uint64_t bytes)
{
	const uint64_t base = BASE;
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	struct vgpu_cmd cmd =
		cmd_launch(must_load(fd, p), 0, blocks, threads, &base, sizeof(base));
	uint64_t seq;

	if (bytes)
		CHECK_EQ(mem_map(fd, BASE, bytes), 0);
	must_submit(fd, queue, &cmd, 1);
	for (;;) {
		seq = must_submit(fd, queue, &cmd, 1);
		CHECK_EQ(wait_seq(fd, queue, seq - 1, limit_ns(60)), 0);
		++*going;
	}
}

/* The end of a loop that began at @begin, after ROUNDS rounds counted in R@count. */
static void loop_end(struct program *p, uint32_t begin, uint8_t count)
{
	insn(p, VGPU_OP_ADD, VGPU_F_IMM, count, count, 0, 0, 1);
	insn(p, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, count, 0, 0, ROUNDS);
	insn(p, VGPU_OP_BRA, 0, 0, 0, 0, 0, (uint64_t)(p->insns + 1) << 32 | begin);
	guard(p, 0);
}

/* ---- blocks ------------------------------------------------------------- */

/* So many that nothing else begins in between, each with 128 KiB of registers. */
static void blocks_that_end(volatile uint32_t *going)
{
	struct program p = {};

	kernel(&p, "exit", 8);
	finish(&p);
	keep_running(going, &p, scaled(20000), 1024, 0);
}

/* 32 MiB of local memory each, which they do not touch. */
static void blocks_with_memory(volatile uint32_t *going)
{
	struct program p = {};

	kernel(&p, "exit", 8);
	finish(&p);
	p.kernels[0].local_bytes = 32 << 10;
	keep_running(going, &p, 52, 1024, 0);
}

/* The same, and every warp writes one word of each lane before it ends. */
static void blocks_that_write(volatile uint32_t *going)
{
	struct program p = {};

	kernel(&p, "write", 8);
	insn(&p, VGPU_OP_STL, SIZE_4, 0, 0, 0, 0, 4096);
	finish(&p);
	p.kernels[0].local_bytes = 32 << 10;
	keep_running(going, &p, 52, 1024, 0);
}

/* Every lane writes where none has written, 4 MiB in an SM. */
static void local_memory(volatile uint32_t *going)
{
	struct program p = {};
	uint32_t begin;

	kernel(&p, "local", 8);
	sreg(&p, 0, VGPU_SR_LANEID);
	insn(&p, VGPU_OP_SHL, VGPU_F_IMM, 0, 0, 0, 0, 10);
	begin = p.insns;
	insn(&p, VGPU_OP_STL, SIZE_4, 0, 0, 0, 0, 0);
	insn(&p, VGPU_OP_ADD, VGPU_F_IMM, 0, 0, 0, 0, 1024 + 128);
	insn(&p, VGPU_OP_AND, VGPU_F_IMM, 0, 0, 0, 0, (32 << 10) - 4);
	loop_end(&p, begin, 4);
	finish(&p);
	p.kernels[0].local_bytes = 32 << 10;
	keep_running(going, &p, 26, 64, 0);
}

/* Every lane always writes the same place, each in another page. */
static void far_local_memory(volatile uint32_t *going)
{
	struct program p = {};
	uint32_t begin;

	kernel(&p, "far", 8);
	sreg(&p, 0, VGPU_SR_LANEID);
	insn(&p, VGPU_OP_SHL, VGPU_F_IMM, 0, 0, 0, 0, 10);
	begin = p.insns;
	for (int i = 0; i < 40; i++)
		insn(&p, VGPU_OP_STL, SIZE_4, 0, 0, 0, 0, 0);
	loop_end(&p, begin, 4);
	finish(&p);
	p.kernels[0].local_bytes = 32 << 10;
	keep_running(going, &p, 104, 256, 0);
}

/* ---- translations ------------------------------------------------------- */

/* R@op of 32 lanes on 32 pages which are @stride apart, and 32 others in the next round. */
static void scatter(struct program *p, uint16_t op, uint32_t stride, uint32_t next, uint64_t bytes)
{
	uint32_t begin;

	kernel(p, "scatter", 8);
	ldp8(p, 0, 0);
	global_id(p, 2, 8);
	insn(p, VGPU_OP_MADWU, VGPU_F_IMM, 6, 2, 0, 0, stride);
	p->code[p->insns - 1].c = 10;	/* zero */
	begin = p->insns;
	insn(p, VGPU_OP_ANDQ, VGPU_F_IMM, 6, 6, 0, 0, bytes - 4);
	insn(p, VGPU_OP_ADDQ, 0, 8, 6, 0, 0, 0);
	insn(p, op, SIZE_4, 5, 8, op == VGPU_OP_STG ? 2 : 0, 0, 0);
	if (op == VGPU_OP_STG)
		p->code[p->insns - 1].dst = 0;
	insn(p, VGPU_OP_ADDQ, VGPU_F_IMM, 6, 6, 0, 0, next);
	loop_end(p, begin, 4);
	finish(p);
}

static void collisions(volatile uint32_t *going)
{
	struct program p = {};

	scatter(&p, VGPU_OP_LDG, TLB_REACH, 32 * TLB_REACH + PAGE, 512 * MB);
	keep_running(going, &p, 104, 256, 512 * MB);
}

/* Pages that are written for the first time, in memory that is mapped again after each launch. */
static void first_writes(volatile uint32_t *going)
{
	const uint64_t base = BASE, bytes = 512 * MB;
	struct program p = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	struct vgpu_cmd cmd;

	scatter(&p, VGPU_OP_STG, PAGE, 32 * PAGE, bytes);
	cmd = cmd_launch(must_load(fd, &p), 0, 8, 256, &base, sizeof(base));
	for (;;) {
		CHECK_EQ(mem_map(fd, BASE, bytes), 0);
		must_run(fd, queue, &cmd, 1);
		CHECK_EQ(mem_unmap(fd, BASE, bytes), 0);
		++*going;
	}
}

/* ---- instructions ------------------------------------------------------- */

static void matches(volatile uint32_t *going)
{
	struct program p = {};
	uint32_t begin;

	kernel(&p, "match", 8);
	sreg(&p, 0, VGPU_SR_LANEID);
	sreg(&p, 1, VGPU_SR_LANEID);
	insn(&p, VGPU_OP_MUL, VGPU_F_IMM, 0, 0, 0, 0, 0x9e3779b9);
	insn(&p, VGPU_OP_SHRU, VGPU_F_IMM, 1, 1, 0, 0, 1);
	insn(&p, VGPU_OP_AND, VGPU_F_IMM, 0, 0, 0, 0, 0xffff0f00);
	begin = p.insns;
	for (int i = 0; i < 8; i++)
		insn(&p, VGPU_OP_MATCHQ, 0, 2, 0, 0, 0, 0);
	loop_end(&p, begin, 4);
	finish(&p);
	keep_running(going, &p, 104, 256, 0);
}

/*
 * Lanes that come to an operation by member masks one by one: the first 31 wait, each as an entry
 * of its own, for the one that comes last.
 */
static void meetings(volatile uint32_t *going)
{
	struct program p = {};
	uint32_t begin, branch[32];

	kernel(&p, "meet", 8);
	sreg(&p, 0, VGPU_SR_LANEID);
	begin = p.insns;
	for (uint32_t l = 0; l < 31; l++) {
		insn(&p, VGPU_OP_SETPU, VGPU_CMP_GT | VGPU_F_IMM, 1, 0, 0, 0, l);
		branch[l] = p.insns;
		insn(&p, VGPU_OP_BRA, 0, 0, 0, 0, 0, 0);
		guard(&p, 1);
		insn(&p, VGPU_OP_BALLOTSYNC, VGPU_F_IMM, 2, VGPU_PT, 0, 0, ~0u);
		insn(&p, VGPU_OP_BRA, 0, 0, 0, 0, 0, 0);
		p.code[branch[l]].imm = p.insns;
	}
	insn(&p, VGPU_OP_BALLOTSYNC, VGPU_F_IMM, 2, VGPU_PT, 0, 0, ~0u);
	for (uint32_t l = 0; l < 31; l++) {
		p.code[branch[l]].imm |= (uint64_t)p.insns << 32;
		p.code[branch[l] + 2].imm = (uint64_t)VGPU_NO_RECONV << 32 | p.insns;
	}
	loop_end(&p, begin, 4);
	finish(&p);
	keep_running(going, &p, 104, 256, 0);
}

/* ---- mappings ----------------------------------------------------------- */

/* One page each, the last in front of all others; then that one again and again. */
static void mappings(volatile uint32_t *going)
{
	uint64_t address = BASE + (1ull << 32);
	int fd = must_open(), ret = 0;

	for (; !ret && address > BASE; address -= 2 * PAGE) {
		ret = mem_map(fd, address, PAGE);
		++*going;
	}
	CHECK(!ret || ret == -ENOSPC || ret == -ENOMEM);
	address += ret ? 4 * PAGE : 2 * PAGE;
	for (;;) {
		CHECK_EQ(mem_unmap(fd, address, PAGE), 0);
		CHECK_EQ(mem_map(fd, address, PAGE), 0);
		++*going;
	}
}

/*
 * Many pages that were written, released by an unmap or a close. Others' copies wait for a fill
 * that has begun, so these are small.
 */
static void releases(volatile uint32_t *going)
{
	const uint64_t bytes = scaled(256) * MB;
	struct vgpu_cmd fills[128];

	for (uint32_t i = 0; i < ARRAY_SIZE(fills); i++)
		fills[i] = cmd_fill(BASE + i * bytes / ARRAY_SIZE(fills), 7, 4,
				    bytes / ARRAY_SIZE(fills) / 4);
	for (;;) {
		int fd = must_open();

		CHECK_EQ(mem_map(fd, BASE, bytes), 0);
		must_run(fd, must_queue(fd), fills, ARRAY_SIZE(fills));
		if (*going & 1)
			CHECK_EQ(mem_unmap(fd, BASE, bytes), 0);
		close(fd);
		++*going;
	}
}

/* ---- the tests ---------------------------------------------------------- */

#define ATTACK(name, what)			\
	static void name##_beside(void)		\
	{					\
		must_not_notice(what, name);	\
	}
ATTACK(blocks_that_end, "blocks that end at once")
ATTACK(blocks_with_memory, "blocks with local memory")
ATTACK(blocks_that_write, "blocks that write local memory")
ATTACK(local_memory, "writes to local memory")
ATTACK(far_local_memory, "spread writes to local memory")
ATTACK(collisions, "translations that collide")
ATTACK(first_writes, "first writes")
ATTACK(matches, "MATCHQ")
ATTACK(meetings, "lanes that wait for each other")
ATTACK(mappings, "one-page mappings")
ATTACK(releases, "memory that is released")

static const struct test tests[] = {
	{ "hostile_cost: blocks that end at once", blocks_that_end_beside },
	{ "hostile_cost: blocks with local memory", blocks_with_memory_beside },
	{ "hostile_cost: blocks that write a little of it", blocks_that_write_beside },
	{ "hostile_cost: local memory that is written", local_memory_beside },
	{ "hostile_cost: local memory in many pages", far_local_memory_beside },
	{ "hostile_cost: pages that collide in a TLB", collisions_beside },
	{ "hostile_cost: pages that are written first", first_writes_beside },
	{ "hostile_cost: slow instructions", matches_beside },
	{ "hostile_cost: lanes that wait for each other", meetings_beside },
	{ "hostile_cost: mappings of one page", mappings_beside },
	{ "hostile_cost: memory that is released", releases_beside },
};

TESTS_MAIN(tests)
