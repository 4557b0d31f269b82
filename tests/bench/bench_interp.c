/* SPDX-License-Identifier: MIT */
/*
 * How fast the interpreter is, by kernel: thread instructions per second of processor time, on one core, of the device without
 * runtime or module. Kernels are written by hand so that each measures one thing. Prints the median of five runs and the
 * spread.
 *
 * usage: bench_interp [NAME]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/sm/vass_build.h"
#include "vgpu_device.h"

#define BASE	0x10000000ull
#define BYTES	(16u << 20)
#define RUNS	5

static void *get_frame(void *host, u32 context)
{
	void *frame = aligned_alloc(VGPU_PAGE_SIZE, VGPU_PAGE_SIZE);

	(void)context;
	(void)host;
	if (frame)
		memset(frame, 0, VGPU_PAGE_SIZE);
	return frame;
}

static void put_frame(void *host, void *frame)
{
	(void)host;
	free(frame);
}

static int move(void *host, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes, enum vgpu_move dir)
{
	(void)host, (void)context, (void)cookie, (void)offset, (void)memory, (void)bytes, (void)dir;
	return 0;
}

static void completed(void *host, const struct vgpu_completion *completion)
{
	(void)host;
	if (completion->status)
		printf("a command failed\n");
}

static void died(void *host, u32 context, const struct vgpu_fault *fault)
{
	(void)host, (void)context;
	printf("fault %u at instruction %u, address %llx\n", fault->reason, fault->pc, fault->address);
}

/* R0 = tid, R1 = loop counter, P0 = loop condition; body; count down; store R8 at BASE + 4 * global thread */
struct loop {
	struct vass v;
	u32 top;
};

static void begin(struct loop *l, u32 regs, u32 shared, u32 count)
{
	vass_init(&l->v, regs, 16);
	l->v.kernel.shared_bytes = shared;
	OP(&l->v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(&l->v, SREG, 0, 2, 0, 0, 0, VGPU_SR_CTAID_X);
	OP(&l->v, SREG, 0, 3, 0, 0, 0, VGPU_SR_NTID_X);
	OP(&l->v, MAD, 0, 2, 2, 3, 0, 0);		/* R2 = global thread */
	OP(&l->v, LDP, VASS_MEM(8, 1), 4, 0, 0, 0, 0);
	OPI(&l->v, MADWU, 4, 2, 4);
	l->v.code[l->v.count - 1].c = 4;		/* Q4 = BASE + 4 * thread */
	OPI(&l->v, MOV, 8, 0, 0x3f800000);
	OPI(&l->v, MOV, 9, 0, 0x3f800001);
	OPI(&l->v, SHL, 6, 0, 2);			/* R6 = 4 * tid */
	OPI(&l->v, MOV, 7, 0, 0);
	OPI(&l->v, MOV, 1, 0, count);
	l->top = l->v.count;
}

static void finish(struct loop *l)
{
	u32 at;

	OPI(&l->v, ADD, 1, 1, 0xffffffff);
	vass_op(&l->v, VGPU_OP_SETPS, VGPU_CMP_GT | VGPU_F_IMM, 0, 1, 0, 0, 0);
	at = OP(&l->v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(&l->v, 0);
	vass_target(&l->v, at, l->top, at + 1);
	OP(&l->v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, 0);
	OP(&l->v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* the inner loop of a tiled sgemm, unrolled by 8: a row element to all lanes, a column element each, multiply-add */
static void sgemm(struct loop *l)
{
	begin(l, 24, 8192, 400);
	for (u32 n = 0; n < 8; n++) {
		OP(&l->v, LDS, VASS_MEM(4, 1), 10, 7, 0, 0, n * 4);
		OP(&l->v, LDS, VASS_MEM(4, 1), 11, 6, 0, 0, 1024 + n * 512);
		OP(&l->v, FFMA, 0, 8, 10, 11, 8, 0);
	}
	finish(l);
}

static void ffma(struct loop *l)
{
	begin(l, 24, 0, 1000);
	for (u32 n = 0; n < 16; n++)
		OP(&l->v, FFMA, 0, 8, 8, 9, 9, 0);
	finish(l);
}

static void integers(struct loop *l)
{
	begin(l, 24, 0, 1000);
	for (u32 n = 0; n < 4; n++) {
		OP(&l->v, ADD, 0, 8, 8, 0, 0, 0);
		OPI(&l->v, SHL, 9, 8, 3);
		OP(&l->v, XOR, 0, 8, 8, 9, 0, 0);
		OP(&l->v, MAD, 0, 10, 8, 9, 10, 0);
	}
	finish(l);
}

/* 64-bit address arithmetic and a coalesced load and store */
static void stream(struct loop *l)
{
	begin(l, 24, 0, 500);
	for (u32 n = 0; n < 4; n++) {
		OP(&l->v, LDG, VASS_MEM(4, 1), 8, 4, 0, 0, n * 4096);
		OP(&l->v, FADD, 0, 8, 8, 9, 0, 0);
		OP(&l->v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, n * 4096);
		OPI(&l->v, ADDQ, 10, 4, 0);
	}
	finish(l);
}

/* each lane its own line: what sparse codes do */
static void gather(struct loop *l)
{
	begin(l, 24, 0, 500);
	OPI(&l->v, MUL, 12, 2, 132);
	OPI(&l->v, AND, 12, 12, 0xffffc);
	OP(&l->v, LDP, VASS_MEM(8, 1), 14, 0, 0, 0, 0);
	OPI(&l->v, MADWU, 14, 12, 1);
	l->v.code[l->v.count - 1].c = 14;
	l->top = l->v.count;
	for (u32 n = 0; n < 4; n++) {
		OP(&l->v, LDG, VASS_MEM(4, 1), 10, 14, 0, 0, n * 512);
		OP(&l->v, FADD, 0, 8, 8, 10, 0, 0);
	}
	finish(l);
}

/* half of the lanes at a time */
static void divergent(struct loop *l)
{
	u32 at;

	begin(l, 24, 0, 500);
	OPI(&l->v, AND, 10, 0, 1);
	vass_op(&l->v, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 1, 10, 0, 0, 0);
	l->top = l->v.count;
	at = OP(&l->v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(&l->v, 1);
	for (u32 n = 0; n < 4; n++)
		OP(&l->v, FFMA, 0, 8, 8, 9, 9, 0);
	vass_target(&l->v, at, l->v.count, l->v.count);
	finish(l);
}

static void special(struct loop *l)
{
	begin(l, 24, 0, 200);
	for (u32 n = 0; n < 4; n++) {
		OP(&l->v, FRSQ, 0, 10, 9, 0, 0, 0);
		OP(&l->v, FDIV, 0, 11, 9, 10, 0, 0);
		OP(&l->v, FEX2, 0, 12, 9, 0, 0, 0);
	}
	finish(l);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);	/* the machine has other work */
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(const char *name, void (*make)(struct loop *l))
{
	static const struct vgpu_host_ops ops = {
		.get_frame = get_frame, .put_frame = put_frame, .move = move, .completed = completed, .context_died = died,
	};
	static struct loop l;
	struct vgpu_config config;
	struct vgpu_context_info info;
	struct vgpu_device *dev;
	struct { u64 base, pad; } params = { BASE, 0 };
	double rate[RUNS];
	u32 context, queue, module, bytes, failed;
	char message[200] = "";
	void *binary;
	u64 seq, before = 0;

	if (vgpu_config_preset(&config, "k20c") || vgpu_device_create(&config, &ops, NULL, &dev) ||
	    vgpu_context_open(dev, 0, &context) || vgpu_queue_create(dev, context, &queue) ||
	    vgpu_memory_map(dev, context, BASE, BYTES)) {
		printf("no device\n");
		exit(1);
	}
	make(&l);
	binary = vass_binary(&l.v, &bytes);
	if (vgpu_module_load(dev, context, binary, bytes, message, sizeof(message), &module)) {
		printf("%s: %s\n", name, message);
		exit(1);
	}
	free(binary);
	for (u32 run = 0; run <= RUNS; run++) {
		struct vgpu_push push = {
			.cmd = { .op = VGPU_CMD_LAUNCH, .launch = { module, 0, { 52, 1, 1 }, { 256, 1, 1 }, 0, 16, BASE } },
			.params = &params,
		};
		double start = seconds();

		if (vgpu_queue_push(dev, context, queue, &push, 1, &failed, &seq))
			exit(1);
		vgpu_device_run(dev, VGPU_NEVER, ~0u);
		vgpu_context_info(dev, context, &info);
		if (run)	/* the first one backs the memory */
			rate[run - 1] = (double)(info.thread_instructions - before) / (seconds() - start) * 1e-6;
		before = info.thread_instructions;
	}
	qsort(rate, RUNS, sizeof(*rate), compare);
	printf("%-10s %8.0f million thread instructions/s (%.0f to %.0f)\n", name, rate[RUNS / 2], rate[0], rate[RUNS - 1]);
	vgpu_context_close(dev, context);
	vgpu_device_destroy(dev);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(struct loop *l);
	} kernels[] = {
		{ "sgemm", sgemm }, { "ffma", ffma }, { "integer", integers }, { "stream", stream }, { "gather", gather },
		{ "divergent", divergent }, { "special", special },
	};

	for (size_t n = 0; n < sizeof(kernels) / sizeof(*kernels); n++)
		if (argc < 2 || !strcmp(argv[1], kernels[n].name))
			measure(kernels[n].name, kernels[n].make);
	return 0;
}
