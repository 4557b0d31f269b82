// SPDX-License-Identifier: MIT
/*
 * Compiled blocks through the whole device: barriers, faults with all that their record says,
 * translations that collide, slices of different length, time.
 */
#include <stdlib.h>
#include <string.h>

#include "block_rig.h"
#include "sm/lanes.h"

/* Reverse through shared memory, so that each thread needs what the last warp wrote. */
static void reverse(struct vass *v)
{
	prologue(v, 16);
	v->kernel.shared_bytes = 4096;
	OPI(v, MUL, 7, 0, 3);
	OP(v, STS, VASS_MEM(4, 1), 0, 6, 7, 0, 0);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	OP(v, SREG, 0, 8, 0, 0, 0, VGPU_SR_NTID_X);
	OP(v, SUB, 0, 8, 8, 0, 0, 0);
	OPI(v, SHL, 8, 8, 2);
	OP(v, LDS, VASS_MEM(4, 1), 9, 8, 0, 0, (u64)-4);
	epilogue(v, 9);
}

static void test_barrier(void **state)
{
	static const u32 sizes[] = { 1, 31, 32, 33, 64, 100, 1000, 1024 };

	(void)state;
	for (size_t n = 0; n < VGPU_ARRAY_SIZE(sizes); n++) {
		struct rig r = start(NULL);
		struct vass v;
		u32 *out;

		reverse(&v);
		program(&r, &v);
		out = (u32 *)result(&r, 3, sizes[n]);
		for (u32 b = 0; b < 3; b++)
			for (u32 t = 0; t < sizes[n]; t++)
				assert_int_equal(out[b * sizes[n] + t], (sizes[n] - 1 - t) * 3);
		stop(&r);
	}
}

/* Warps that have exited are not waited for, whether they left before or while the others wait. */
static void test_barrier_exited(void **state)
{
	(void)state;
	for (u32 late = 0; late < 2; late++) {
		struct rig r = start(NULL);
		struct vass v;
		u32 *out, top;

		prologue(&v, 16);
		vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_GE | VGPU_F_IMM, 0, 0, 0, 0, 64);
		vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 1, 0, 0, 0, 64);
		if (late) {	/* the second half is busy for a while first */
			top = v.count;
			OPI(&v, ADD, 7, 7, 1);
			vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 2, 7, 0, 0, 5000);
			OP(&v, PAND, 0, 2, 2, 0, 0, 0);
			OP(&v, BRA, 0, 0, 0, 0, 0, (u64)(v.count + 1) << 32 | top);
			vass_guard(&v, 2);
		}
		OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
		vass_guard(&v, 0);
		OP(&v, BAR, 0, 0, 0, 0, 0, 0);
		OP(&v, BARRED, VGPU_BARRED_POPC, 8, 1, 0, 0, 1);
		epilogue(&v, 8);
		program(&r, &v);
		out = (u32 *)result(&r, 1, 128);
		assert_int_equal(r.h->fault_count, 0);
		for (u32 t = 0; t < 128; t++)
			assert_int_equal(out[t], t < 64 ? 64 : 0);
		stop(&r);
	}
}

static void test_barrier_reduce(void **state)
{
	static const struct {
		u32 below, how, want;
	} cases[] = {
		{ 37, VGPU_BARRED_POPC, 37 }, { 100, VGPU_BARRED_POPC, 100 },
		{ 0, VGPU_BARRED_POPC, 0 },   { 100, VGPU_BARRED_AND, 1 },
		{ 99, VGPU_BARRED_AND, 0 },   { 0, VGPU_BARRED_OR, 0 },
		{ 1, VGPU_BARRED_OR, 1 },
	};

	(void)state;
	for (size_t n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = start(NULL);
		struct vass v;
		u32 *out;

		prologue(&v, 16);
		vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 0, 0, 0, cases[n].below);
		OP(&v, BARRED, cases[n].how, 8, 0, 0, 0, 0);
		epilogue(&v, 8);
		program(&r, &v);
		out = (u32 *)result(&r, 2, 100);
		for (u32 t = 0; t < 200; t++)
			assert_int_equal(out[t], cases[n].want);
		stop(&r);
	}
}

/*
 * Two halves of a block pass barriers of their own, several times, while the other half is
 * elsewhere.
 */
static void test_barrier_subset(void **state)
{
	struct rig r = start(NULL);
	struct vass v;
	u32 *out, at;

	(void)state;
	prologue(&v, 16);
	v.kernel.shared_bytes = 512;
	OP(&v, STS, VASS_MEM(4, 1), 0, 6, 0, 0, 0);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_GE | VGPU_F_IMM, 0, 0, 0, 0, 64);
	at = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 0);
	OP(&v, BAR, 0, 0, 0, 0, 0, 1 | 64ull << 32);
	OPI(&v, XOR, 7, 6, 63 * 4);
	OP(&v, LDS, VASS_MEM(4, 1), 8, 7, 0, 0, 0);
	OP(&v, BAR, 0, 0, 0, 0, 0, 1 | 64ull << 32);
	epilogue(&v, 8);
	vass_target(&v, at, v.count, VGPU_NO_RECONV);
	OP(&v, BAR, 0, 0, 0, 0, 0, 2 | 64ull << 32);
	OPI(&v, XOR, 7, 6, 63 * 4);
	OP(&v, LDS, VASS_MEM(4, 1), 8, 7, 0, 0, 0);
	epilogue(&v, 8);
	program(&r, &v);
	out = (u32 *)result(&r, 1, 128);
	assert_int_equal(r.h->fault_count, 0);
	for (u32 t = 0; t < 128; t++)
		assert_int_equal(out[t], t ^ 63);
	stop(&r);
}

/* Half of the warps at one barrier, half at another: nobody can go on. */
static void test_barrier_deadlock(void **state)
{
	struct rig r = start(NULL);
	const struct vgpu_fault *f;
	struct vass v;

	(void)state;
	prologue(&v, 16);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_GE | VGPU_F_IMM, 0, 0, 0, 0, 64);
	OP(&v, BAR, 0, 0, 0, 0, 0, 3);
	vass_guard(&v, 0);
	OP(&v, BAR, 0, 0, 0, 0, 0, 4);
	epilogue(&v, 0);
	program(&r, &v);
	launch(&r, 1, 128, BASE, 0);
	host_run(r.h);
	f = the_fault(&r);
	assert_int_equal(f->reason, VGPU_FAULT_BARRIER);
	assert_int_equal(f->thread[0], 0);
	assert_int_equal(f->pc, 9);
	stop(&r);
}

/* A barrier for more threads than there are. */
static void test_barrier_too_many(void **state)
{
	struct rig r = start(NULL);
	struct vass v;

	(void)state;
	prologue(&v, 16);
	OP(&v, BAR, 0, 0, 0, 0, 0, 96ull << 32);
	epilogue(&v, 0);
	program(&r, &v);
	launch(&r, 1, 64, BASE, 0);
	host_run(r.h);
	assert_int_equal(the_fault(&r)->reason, VGPU_FAULT_BARRIER);
	stop(&r);
}

/* ---- faults ------------------------------------------------------------- */

static void test_faults(void **state)
{
	static const struct {
		u32 op, flags;
		u64 address, imm;	/* register operand and offset */
		u32 reason, bytes, write;
		u64 reported;
	} cases[] = {
		{ VGPU_OP_LDG, 2, 0, 0, VGPU_FAULT_UNMAPPED, 4, 0, 0 },
		{ VGPU_OP_LDG, 3, 0, 8, VGPU_FAULT_UNMAPPED, 8, 0, 8 },
		{ VGPU_OP_STG, 2, BASE + BYTES, 0, VGPU_FAULT_UNMAPPED, 4, 1, BASE + BYTES },
		{ VGPU_OP_STG, 2, BASE, (u64)-4, VGPU_FAULT_UNMAPPED, 4, 1, BASE - 4 },
		{ VGPU_OP_LDG, 2, ~0ull - 3, 0, VGPU_FAULT_UNMAPPED, 4, 0, ~0ull - 3 },
		{ VGPU_OP_LDG, 2, VGPU_ADDRESS_LIMIT, 0, VGPU_FAULT_UNMAPPED, 4, 0,
		  VGPU_ADDRESS_LIMIT },
		{ VGPU_OP_LDG, 2, VGPU_SHARED_WINDOW, 0, VGPU_FAULT_UNMAPPED, 4, 0,
		  VGPU_SHARED_WINDOW },
		{ VGPU_OP_LD, 2, 0x0300000000000000ull, 0, VGPU_FAULT_UNMAPPED, 4, 0,
		  0x0300000000000000ull },
		{ VGPU_OP_LDG, 2, BASE, 2, VGPU_FAULT_MISALIGNED, 4, 0, BASE + 2 },
		{ VGPU_OP_STG, 2 | 2 << 2, BASE, 4, VGPU_FAULT_MISALIGNED, 16, 1, BASE + 4 },
		{ VGPU_OP_ATOMG, 0, BASE, 1, VGPU_FAULT_MISALIGNED, 4, 1, BASE + 1 },
		{ VGPU_OP_ATOMG, 0, 64, 0, VGPU_FAULT_UNMAPPED, 4, 1, 64 },
		{ VGPU_OP_LDS, 2, 252, 4, VGPU_FAULT_SHARED_RANGE, 4, 0, 256 },
		{ VGPU_OP_STS, 3, 248, 0, VGPU_FAULT_NONE, 0, 0, 0 },
		{ VGPU_OP_STS, 3, 256, 0, VGPU_FAULT_SHARED_RANGE, 8, 1, 256 },
		{ VGPU_OP_STS, 2, 0, (u64)-4, VGPU_FAULT_SHARED_RANGE, 4, 1, 0xfffffffc },
		{ VGPU_OP_LD, 2, VGPU_SHARED_WINDOW + 252, 0, VGPU_FAULT_NONE, 0, 0, 0 },
		{ VGPU_OP_LD, 2, VGPU_SHARED_WINDOW + 256, 0, VGPU_FAULT_SHARED_RANGE, 4, 0,
		  VGPU_SHARED_WINDOW + 256 },
		{ VGPU_OP_LDL, 2, 32, 0, VGPU_FAULT_LOCAL_RANGE, 4, 0, 32 },
		{ VGPU_OP_STL, 2, 28, 0, VGPU_FAULT_NONE, 0, 0, 0 },
		{ VGPU_OP_ST, 2, VGPU_LOCAL_WINDOW + 32, 0, VGPU_FAULT_LOCAL_RANGE, 4, 1,
		  VGPU_LOCAL_WINDOW + 32 },
		{ VGPU_OP_ATOM, 0, VGPU_LOCAL_WINDOW, 0, VGPU_FAULT_ADDRESS_SPACE, 4, 1,
		  VGPU_LOCAL_WINDOW },
		{ VGPU_OP_TRAP, 0, 0, 0, VGPU_FAULT_TRAP, 0, 0, 0 },
	};

	(void)state;
	for (size_t n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = start(NULL);
		const struct vgpu_fault *f;
		struct vass v;
		struct vgpu_insn *i;
		bool store = cases[n].op >= VGPU_OP_ST && cases[n].op <= VGPU_OP_STL;
		u32 at;

		/* in block 2, threads from 37 on do it; the others touch mapped memory only */
		prologue(&v, 32);
		v.kernel.shared_bytes = 256;
		v.kernel.local_bytes = 32;
		vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_GE | VGPU_F_IMM, 0, 0, 0, 0, 37);
		vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 1, 1, 0, 0, 2);
		OP(&v, PAND, 0, 0, 0, 1, 0, 0);
		OP(&v, LDP, VASS_MEM(8, 1), 8, 0, 0, 0, 8);
		OP(&v, UNLO, 0, 10, 8, 0, 0, 0);
		at = v.count;
		vass_op(&v, cases[n].op, cases[n].flags, 0, 0, 0, 0, cases[n].imm);
		i = &v.code[at];
		i->guard = 0;
		if (cases[n].op != VGPU_OP_TRAP) {
			bool narrow = cases[n].op == VGPU_OP_LDS || cases[n].op == VGPU_OP_STS ||
				      cases[n].op == VGPU_OP_LDL || cases[n].op == VGPU_OP_STL;

			i->a = narrow ? 10 : 8;
			*(store ? &i->b : &i->dst) = 12;
		}
		epilogue(&v, 0);
		program(&r, &v);
		launch(&r, 4, 64, BASE, cases[n].address);
		host_run(r.h);
		if (cases[n].reason == VGPU_FAULT_NONE) {
			assert_int_equal(r.h->fault_count, 0);
			stop(&r);
			continue;
		}
		f = the_fault(&r);
		assert_int_equal(f->reason, cases[n].reason);
		assert_int_equal(f->address, cases[n].reported);
		assert_int_equal(f->bytes, cases[n].bytes);
		assert_int_equal(f->write, cases[n].write);
		assert_int_equal(f->pc, at);
		assert_int_equal(f->block[0], 2);
		assert_int_equal(f->block[1] | f->block[2], 0);
		assert_int_equal(f->thread[0], 37);
		assert_int_equal(f->module, r.module);
		assert_int_equal(f->kernel, 0);
		stop(&r);
	}
}

/* Coordinates of block and thread in three dimensions. */
static void test_fault_place(void **state)
{
	struct rig r = start(NULL);
	u64 params[2] = { BASE, 0 };
	struct vgpu_cmd cmd = { .op = VGPU_CMD_LAUNCH,
				.launch = { .grid = { 2, 3, 4 },
					    .block = { 4, 5, 6 },
					    .param_bytes = 16,
					    .params = 0x1000 } };
	static const u32 sreg[6] = { VGPU_SR_TID_X,   VGPU_SR_TID_Y,   VGPU_SR_TID_Z,
				     VGPU_SR_CTAID_X, VGPU_SR_CTAID_Y, VGPU_SR_CTAID_Z };
	static const u32 want[6] = { 3, 2, 5, 1, 2, 3 };
	const struct vgpu_fault *f;
	struct vass v;

	(void)state;
	vass_init(&v, 8, 16);
	OP(&v, PMOV, 0, 0, VGPU_PT, 0, 0, 0);
	for (u32 n = 0; n < 6; n++) {
		OP(&v, SREG, 0, n, 0, 0, 0, sreg[n]);
		vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 1, n, 0, 0, want[n]);
		OP(&v, PAND, 0, 0, 0, 1, 0, 0);
	}
	OP(&v, TRAP, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	cmd.launch.module = r.module;
	assert_int_equal(host_try(r.h, r.context, r.queue, &cmd, 0, params), 0);
	host_run(r.h);
	f = the_fault(&r);
	assert_int_equal(f->reason, VGPU_FAULT_TRAP);
	for (u32 n = 0; n < 3; n++) {
		assert_int_equal(f->thread[n], want[n]);
		assert_int_equal(f->block[n], want[3 + n]);
	}
	stop(&r);
}

/* The host has no frame left for a page that is written first. */
static void test_no_frame(void **state)
{
	struct rig r = start(NULL);
	struct vass v;

	(void)state;
	prologue(&v, 16);
	epilogue(&v, 0);
	program(&r, &v);
	r.h->frames_max = 3;
	launch(&r, 8, 1024, BASE, 0);
	host_run(r.h);
	assert_int_equal(the_fault(&r)->reason, VGPU_FAULT_NO_MEMORY);
	assert_int_equal(the_fault(&r)->write, 1);
	stop(&r);
}

/* More local memory than one block may have. */
static void test_no_local(void **state)
{
	struct rig r = start(NULL);
	struct vass v;

	(void)state;
	prologue(&v, 16);
	v.kernel.local_bytes = VGPU_VASS_MAX_LOCAL;
	epilogue(&v, 0);
	program(&r, &v);
	launch(&r, 1, 1024, BASE, 0);
	host_run(r.h);
	assert_int_equal(the_fault(&r)->reason, VGPU_FAULT_NO_MEMORY);
	stop(&r);
}

/* ---- translations ------------------------------------------------------- */

/*
 * 32 pages that all want one entry of the TLB, in one instruction: loads, stores and atomics get
 * through, the first store backing every page on the way.
 */
static void test_tlb_collisions(void **state)
{
	const u32 stride = VGPU_TLB_ENTRIES * VGPU_PAGE_SIZE;
	struct rig r = start(NULL);
	u32 want = 0;
	struct vass v;

	(void)state;
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, 2 * BASE, 32ull * stride), 0);
	prologue(&v, 32);
	OP(&v, LDP, VASS_MEM(8, 1), 8, 0, 0, 0, 8);
	OPI(&v, MADWU, 8, 0, stride);
	v.code[v.count - 1].c = 8;
	OP(&v, LDG, VASS_MEM(4, 1), 10, 8, 0, 0, 0);		/* zero, never written */
	OPI(&v, ADD, 10, 10, 5);
	OP(&v, ADD, 0, 10, 10, 0, 0, 0);
	OP(&v, STG, VASS_MEM(4, 1), 0, 8, 10, 0, 0);
	OP(&v, ATOMG, VGPU_ATOM_ADD, 11, 8, 10, 0, 0);
	OP(&v, LDG, VASS_MEM(4, 1), 12, 8, 0, 0, 0);
	OP(&v, ADD, 0, 12, 12, 11, 0, 0);			/* 2 x + x */
	epilogue(&v, 12);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 2 * BASE);
	host_push(r.h, r.context, r.queue, cmd_d2h(0, BASE, 128));
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	for (u32 t = 0; t < 32; t++) {
		memcpy(&want, r.h->memory + 4 * t, 4);
		assert_int_equal(want, 3 * (t + 5));
	}
	stop(&r);
}

/* A page that is read as zero by one SM, then written by another, is read as written. */
static void test_first_write(void **state)
{
	struct rig r = start(NULL);
	struct vass v;
	u32 *out, top;

	(void)state;
	/* block 0 waits until block 1 has written; both are resident at once, on two SMs by size */
	prologue(&v, 16);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 0, 1, 0, 0, 1);
	OPI(&v, MOV, 8, 0, 99);
	OP(&v, STG, VASS_MEM(4, 1), 0, 2, 8, 0, 8192);
	vass_guard(&v, 0);
	top = v.count;
	OP(&v, LDG, VASS_MEM(4, 1), 9, 2, 0, 0, 8192);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 1, 9, 0, 0, 99);
	OP(&v, BRA, 0, 0, 0, 0, 0, (u64)(v.count + 1) << 32 | top);
	vass_guard(&v, 1);
	epilogue(&v, 9);
	v.kernel.shared_bytes = 49152;	/* one block an SM */
	program(&r, &v);
	out = (u32 *)result(&r, 2, 32);
	for (u32 t = 0; t < 64; t++)
		assert_int_equal(out[t], 99);
	stop(&r);
}

/* ---- slices and time ---------------------------------------------------- */

static void test_slices(void **state)
{
	static const char *const lengths[] = { "slice_ps=1000", "slice_ps=50000",
					       "slice_ps=1000000", "slice_ps=100000000" };
	u8 first[65536];

	(void)state;
	for (size_t n = 0; n < VGPU_ARRAY_SIZE(lengths); n++) {
		struct rig r = start(lengths[n]);
		struct vgpu_context_info info;
		struct vass v;
		u8 *out;

		reverse(&v);
		program(&r, &v);
		out = result(&r, 16, 1000);
		vgpu_context_info(r.h->dev, r.context, &info);
		assert_int_equal(info.instructions, 16 * 32 * v.count);
		assert_int_equal(info.thread_instructions, 16 * 1000 * v.count);
		assert_int_equal(info.blocks, 16);
		if (!n)
			memcpy(first, out, sizeof(first));
		assert_memory_equal(out, first, sizeof(first));
		stop(&r);
	}
}

static u64 kernel_time(struct rig *r)
{
	return host_time_of(r->h, VGPU_TRACE_KERNEL_END, 1) -
	       host_time_of(r->h, VGPU_TRACE_KERNEL_START, 1);
}

/* One warp, nothing but arithmetic: it takes its latencies. */
static void test_time_latency(void **state)
{
	struct rig r = start(NULL);
	struct vass v;

	(void)state;
	vass_init(&v, 8, 16);
	for (u32 n = 0; n < 1000; n++)
		OPI(&v, ADD, 0, 0, 1);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	/* 1001 x 10 cycles at 706 MHz; a slice's time is cut to whole picoseconds */
	assert_in_range(kernel_time(&r), 10010ull * 1000000 / 706 - 50, 10010ull * 1000000 / 706);
	stop(&r);
}

/* An SM full of warps: the issue width decides. */
static void test_time_issue(void **state)
{
	struct rig r = start(NULL);
	struct vass v;

	(void)state;
	vass_init(&v, 8, 16);
	for (u32 n = 0; n < 1000; n++)
		OPI(&v, ADD, 0, 0, 1);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 26, 1024, BASE, 0);	/* 64 warps on each of 13 SMs */
	host_run(r.h);
	assert_in_range(kernel_time(&r), 64 * 1001ull / 4 * 1000000 / 706 - 50,
			(64 * 1001ull / 4 + 100) * 1000000 / 706);
	stop(&r);
}

/* Streaming: the memory bandwidth decides. 208 GB/s over 13 SMs. */
static void test_time_bandwidth(void **state)
{
	struct rig r = start(NULL);
	u64 bytes = 26ull * 1024 * 4 * 100, ps;
	struct vass v;

	(void)state;
	prologue(&v, 16);
	for (u32 n = 0; n < 100; n++)
		OP(&v, LDG, VASS_MEM(4, 1), 7, 4, 0, 0, n * 4096);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 26, 1024, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	ps = vgpu_mul_div(bytes, 1000000000000ull, r.h->config.memory_bandwidth);
	assert_in_range(kernel_time(&r), ps, ps + ps / 10);
	stop(&r);
}

static void test_clock(void **state)
{
	struct rig r = start(NULL);
	struct vass v;
	u32 *out;

	(void)state;
	prologue(&v, 16);
	OP(&v, SREG, 0, 8, 0, 0, 0, VGPU_SR_CLOCK);
	for (u32 n = 0; n < 5; n++)
		OPI(&v, ADD, 9, 9, 1);
	OP(&v, SREG, 0, 10, 0, 0, 0, VGPU_SR_CLOCK);
	OP(&v, SUB, 0, 8, 10, 8, 0, 0);
	epilogue(&v, 8);
	program(&r, &v);
	out = (u32 *)result(&r, 1, 32);
	assert_int_equal(out[0], 60);
	stop(&r);
}

/* Same input, same trace. */
static void test_deterministic(void **state)
{
	struct vgpu_trace_record *first = NULL;
	size_t count = 0;

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct rig r = start(NULL);
		struct vass v;

		reverse(&v);
		program(&r, &v);
		result(&r, 40, 300);
		if (!n) {
			count = r.h->record_count;
			first = malloc(count * sizeof(*first));
			assert_non_null(first);
			memcpy(first, r.h->records, count * sizeof(*first));
		} else {
			assert_int_equal(count, r.h->record_count);
			assert_memory_equal(first, r.h->records, count * sizeof(*first));
		}
		stop(&r);
	}
	free(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_barrier_exited),
		cmocka_unit_test(test_barrier_reduce),
		cmocka_unit_test(test_barrier_subset),
		cmocka_unit_test(test_barrier_deadlock),
		cmocka_unit_test(test_barrier_too_many),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_fault_place),
		cmocka_unit_test(test_no_frame),
		cmocka_unit_test(test_no_local),
		cmocka_unit_test(test_tlb_collisions),
		cmocka_unit_test(test_first_write),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_time_latency),
		cmocka_unit_test(test_time_issue),
		cmocka_unit_test(test_time_bandwidth),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_deterministic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
