/* SPDX-License-Identifier: MIT */
/*
 * What the operations of an input do to the device. An input runs in a process of its own; what it
 * leaves to others (knobs, devices of configfs) the driver puts back.
 */
#ifndef FUZZ_OPERATIONS_H
#define FUZZ_OPERATIONS_H

#include <liburing.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "input.h"
#include "tests/kselftest/netlink_client.h"
#include "tests/kselftest/vgpu_asm.h"

#define SYSFS		"/sys/class/vgpu/vgpu0"
#define DEBUGFS		"/sys/kernel/debug/vgpu/0"
#define TRACE_EVENTS	"/sys/kernel/tracing/events/vgpu/enable"
#define CONFIGFS	"/sys/kernel/config/vgpu/"
#define NOBODY		65534
#define SLOTS		4u
#define QUEUES		4u
#define RINGS		4u
#define BATCH		64u
#define ARENA_PAGES	16u
#define PARAMS_PAGE	12u		/* struct affine_params lies there */
#define PATHS_MAX	256u
#define NAMES		3u		/* of devices of configfs */
#define KNOBS		32u

/** struct ring - a mapped one */
struct ring {
	struct vgpu_ring_create shape;
	uint8_t *memory;
	const struct vgpu_ring_fence *fence;
};

/** struct dirty - what an input has changed for everybody */
struct dirty {
	uint32_t knobs;			/* bits, by place in the table of knobs */
	bool config;			/* devices of configfs */
	bool samples;			/* of netlink */
};

/** struct run - an input while it is executed */
struct run {
	int files[SLOTS];
	uint32_t queues[SLOTS][QUEUES];
	uint32_t queue_count[SLOTS];
	uint32_t modules[SLOTS];
	struct vgpu_cmd batch[BATCH];
	uint32_t count;
	struct ring rings[RINGS];
	uint32_t ring_count;
	struct io_uring uring;
	bool uring_made;
	int seat;
	int netlink;
	uint16_t family;
	uint32_t groups[GROUPS];
	struct request request;
	struct program program;
	struct binary image;
	uint32_t image_bytes;
	uint8_t *arena;
	struct dirty *dirty;
};

/* ---- values ------------------------------------------------------------- */

static uint64_t wide(uint32_t x)
{
	uint64_t state = x;

	return rnd(&state);
}

static uint64_t host_address(const struct run *run, uint32_t x)
{
	uintptr_t arena = (uintptr_t)run->arena;

	switch (x >> 28) {
	case 10: return x & 0xfff;
	case 11: return 0xffff888000000000ull + (x & 0xffff);
	case 12: return ~0ull - (x & 63);
	case 13: return arena + (ARENA_PAGES - 2) * PAGE - (x & 63);
	case 14: return run->ring_count ? (uintptr_t)run->rings[0].memory + (x & 0xfff) : 0;
	case 15: return wide(x);
	default: return arena + x % (ARENA_PAGES * PAGE);
	}
}

static uint64_t device_address(uint32_t x)
{
	switch (x >> 28) {
	case 12: return VGPU_ADDRESS_LIMIT - (x & 0x1fff);
	case 13: return x & 0xfffffff;
	case 14: return wide(x);
	case 15: return BASE + (x & 0xfffffff);
	default: return BASE + (x & 0xffff);
	}
}

static uint64_t size_of(uint32_t x)
{
	switch (x >> 28) {
	case 10: return PAGE * (x & 15);
	case 11: return 0;
	case 12: return x & 0xffffff;
	case 13: return 1ull << (x & 63);
	case 14: return ~0ull - (x & 0xfff);
	case 15: return wide(x);
	default: return x & 0x3fff;
	}
}

/* Numbers of queues, kernels, sequences: mostly small ones. */
static uint32_t small(uint32_t x)
{
	return x >> 28 == 15 ? (uint32_t)wide(x) : x & 0x3f;
}

static uint64_t time_of(uint32_t x)
{
	switch (x >> 28) {
	case 13: return wide(x);
	case 14: return ~0ull - (x & 3);
	default: return (uint64_t)(x & 0xfffffff) << 8;
	}
}

static uint32_t slot_of(const struct op *op)
{
	return op->a % SLOTS;
}

static int file_of(const struct run *run, const struct op *op)
{
	return run->files[slot_of(op)];
}

static uint32_t queue_of(const struct run *run, const struct op *op)
{
	return op->b < 0xf0 ? run->queues[slot_of(op)][op->b % QUEUES] : op->b - 0xf0u;
}

/* ---- commands ----------------------------------------------------------- */

static struct vgpu_cmd command(const struct run *run, const struct op *op)
{
	uint32_t kind = op->b % (VGPU_CMD_COUNT + 1u);
	struct vgpu_cmd cmd = {};

	switch (kind) {
	case VGPU_CMD_LAUNCH:
		cmd = cmd_launch(op->c & 0x80 ? small(op->x) : run->modules[slot_of(op)], op->c & 3,
				 1 + (op->x & 15), 1 + (op->x >> 8 & 0x7f),
				 (void *)(uintptr_t)host_address(run, op->y), small(op->z) & 31);
		cmd.launch.grid[1] = 1 + (op->c >> 2 & 1);
		cmd.launch.block[2] = 1 + (op->c >> 3 & 1) + (op->c >> 4 & 1) * 1000u;
		cmd.launch.dynamic_shared = op->c & 0x20 ? op->z >> 8 : 0;
		return cmd;
	case VGPU_CMD_COPY_H2D:
		return cmd_h2d(device_address(op->x), (void *)(uintptr_t)host_address(run, op->y),
			       size_of(op->z));
	case VGPU_CMD_COPY_D2H:
		return cmd_d2h((void *)(uintptr_t)host_address(run, op->y), device_address(op->x),
			       size_of(op->z));
	case VGPU_CMD_COPY_D2D:
		return cmd_copy(VGPU_CMD_COPY_D2D, device_address(op->x), device_address(op->y),
				size_of(op->z));
	case VGPU_CMD_FILL:
		return cmd_fill(device_address(op->x), op->y, 1u << (op->c & 3), size_of(op->z));
	case VGPU_CMD_WAIT:
		return cmd_wait(run->queues[slot_of(op)][op->c % QUEUES], small(op->x));
	case VGPU_CMD_STAMP: return cmd_stamp((void *)(uintptr_t)host_address(run, op->y));
	case VGPU_CMD_PROFILED:
		cmd = cmd_profiled(1 + (op->x & 0xff), time_of(op->y));
		cmd.profiled.threads = op->z & 0x7ff;
		cmd.profiled.shared_bytes = op->c << 8;
		cmd.profiled.block_cv_permille = op->z >> 16 & 0xfff;
		return cmd;
	case VGPU_CMD_COUNT:
		for (size_t i = 0; i < 7; i++)
			cmd.raw[i] = op->y >> i & 1 ? wide(op->x + (uint32_t)i) : small(op->z);
		cmd.op = op->c;
		return cmd;
	default: return cmd_nop();
	}
}

static void op_submit(struct run *run, const struct op *op)
{
	struct vgpu_submit args = {
		.queue = queue_of(run, op),
		.commands = op->x ? host_address(run, op->x) : (uintptr_t)run->batch,
		.count = op->y ? small(op->y) : run->count,
		.flags = op->c == 0xff,
	};

	if (!args.count)
		args.count = 1;
	call(file_of(run, op), VGPU_IOC_SUBMIT, &args);
	run->count = 0;
}

/* ---- files and queues --------------------------------------------------- */

static void op_open(struct run *run, const struct op *op)
{
	uint32_t slot = slot_of(op);
	char path[32];

	snprintf(path, sizeof(path), "/dev/vgpu%d", op->b < 0xc0 ? 0 : op->b % 4);
	if (run->files[slot] >= 0)
		close(run->files[slot]);
	run->files[slot] = open(path, O_RDWR | O_CLOEXEC);
	run->queue_count[slot] = 0;
}

static void op_queue_create(struct run *run, const struct op *op)
{
	uint32_t slot = slot_of(op);
	struct vgpu_queue_create args = { .flags = op->b == 0xff };

	if (!call(run->files[slot], VGPU_IOC_QUEUE_CREATE, &args))
		run->queues[slot][run->queue_count[slot]++ % QUEUES] = args.queue;
}

static void op_memory(struct run *run, const struct op *op, unsigned long request)
{
	struct vgpu_mem args = { .address = device_address(op->x),
				 .bytes = size_of(op->y),
				 .flags = op->b == 0xff };

	if (op->c < 0xe0) {
		args.address &= ~(PAGE - 1);
		args.bytes = (args.bytes + PAGE - 1) & ~(PAGE - 1);
	}
	call(file_of(run, op), request, &args);
}

static void op_wait(struct run *run, const struct op *op)
{
	struct vgpu_wait args = { .queue = queue_of(run, op),
				  .seq = small(op->x),
				  .timeout_ns = op->y >> 28 == 15 ? FOREVER : op->y & 0x3fffff,
				  .flags = op->c == 0xff };

	call(file_of(run, op), VGPU_IOC_WAIT, &args);
}

static void op_wait_any(struct run *run, const struct op *op)
{
	struct vgpu_fence fences[8];
	struct vgpu_device_info info = {};
	struct vgpu_wait_any args = { .fences = (uintptr_t)fences,
				      .count =
					      op->x >> 28 == 15 ? (uint32_t)wide(op->x) : op->x & 7,
				      .until = time_of(op->y),
				      .flags = op->c == 0xff };

	if (op->c & 1) {
		call(file_of(run, op), VGPU_IOC_DEVICE_INFO, &info);
		args.until += info.time;
	}
	if (op->c & 2)
		args.fences = host_address(run, op->x);
	for (uint32_t i = 0; i < ARRAY_SIZE(fences); i++)
		fences[i] = (struct vgpu_fence){
			.queue = run->queues[slot_of(op)][(op->b >> i) % QUEUES],
			.seq = small(op->z >> i)
		};
	call(file_of(run, op), VGPU_IOC_WAIT_ANY, &args);
}

static void op_eventfd(struct run *run, const struct op *op)
{
	struct vgpu_eventfd args = { .queue = queue_of(run, op),
				     .fd = op->y ? (int)(op->y & 31) : eventfd(0, EFD_NONBLOCK),
				     .seq = small(op->x),
				     .flags = op->c == 0xff };

	call(file_of(run, op), VGPU_IOC_EVENTFD, &args);
	if (!op->y)
		close(args.fd);
}

static int32_t pid_of(uint32_t x)
{
	return x == 0 ? 0 : x & 1 ? getpid() : x & 2 ? getppid() : (int32_t)(x >> 2);
}

static void op_seat_create(struct run *run, const struct op *op)
{
	struct vgpu_seat_create args = { .pid = pid_of(op->x),
					 .priority = (int8_t)op->b,
					 .flags = op->c == 0xff };

	if (call(file_of(run, op), VGPU_IOC_SEAT_CREATE, &args))
		return;
	if (run->seat >= 0)
		close(run->seat);
	run->seat = args.fd;
}

static void op_info(struct run *run, const struct op *op)
{
	union {
		struct vgpu_version version;
		struct vgpu_device_info device;
		struct vgpu_context_info context;
	} answer;

	switch (op->b % 4) {
	case 0:
		call(file_of(run, op), VGPU_IOC_VERSION, &answer);
		return;
	case 1:
		call(file_of(run, op), VGPU_IOC_CONTEXT_INFO, &answer);
		return;
	case 2:
		call(run->seat, VGPU_IOC_CONTEXT_INFO, &answer);
		return;
	default:
		call(file_of(run, op), VGPU_IOC_DEVICE_INFO, &answer);
	}
}

static void op_raw_ioctl(struct run *run, const struct op *op)
{
	static const uint16_t numbers[] = { 0x00, 0x01, 0x02, 0x03, 0x10, 0x11, 0x20, 0x21,
					    0x30, 0x31, 0x40, 0x41, 0x42, 0x43, 0x50, 0x51,
					    0x52, 0x53, 0x60, 0x61, 0x70, 0xff };
	uint64_t arg[512] = {};
	uint32_t number = op->b < 0xf0 ? numbers[op->b % ARRAY_SIZE(numbers)] : op->b;
	unsigned long request = _IOC(op->c & 3, VGPU_IOC_MAGIC, number, op->x & 0xfff);

	for (size_t i = 0; op->y && i < ARRAY_SIZE(arg); i++)
		arg[i] = (op->y >> i % 32 & 1) ? wide(op->y + (uint32_t)i) : 0;
	ioctl(op->c & 0x80 ? run->seat : file_of(run, op), request,
	      op->z ? (void *)(uintptr_t)host_address(run, op->z) : (void *)arg);
}

/* ---- modules ------------------------------------------------------------ */

static void image_begin(struct run *run, uint32_t which)
{
	struct program *p = &run->program;

	*p = (struct program){};
	kernel_affine(p);
	kernel_endless(p);
	if (which & 1) {
		kernel(p, "mixed", 16);
		run->program.kernels[p->count - 1].shared_bytes = 256;
		run->program.kernels[p->count - 1].local_bytes = 64;
		ldp8(p, 0, 0);
		global_id(p, 4, 5);
		insn(p, VGPU_OP_MADWU, VGPU_F_IMM, 8, 4, 0, 0, 4);
		ldg4(p, 9, 8);
		insn(p, VGPU_OP_ADD, VGPU_F_IMM, 9, 9, 0, 0, 1);
		stg4(p, 8, 9);
		finish(p);
	}
	run->image_bytes = program_binary(p, &run->image);
}

static void op_image_insn(struct run *run, const struct op *op)
{
	struct vgpu_insn *insn = &run->image.code[op->x % run->program.insns];

	insn->op = op->b % VGPU_OP_COUNT;
	insn->flags = op->c;
	insn->dst = (uint8_t)op->y & 31;
	insn->a = (uint8_t)(op->y >> 8) & 31;
	insn->b = (uint8_t)(op->y >> 16) & 31;
	insn->c = (uint8_t)(op->y >> 24) & 63;
	insn->imm = op->z;
}

static void op_module_load(struct run *run, const struct op *op)
{
	char message[512];
	struct vgpu_module_load args = {
		.binary = op->y ? host_address(run, op->y) : (uintptr_t)&run->image,
		.bytes = op->z ? (uint32_t)size_of(op->z) : run->image_bytes,
		.message = op->x >> 28 ? host_address(run, op->x) : (uintptr_t)message,
		.message_bytes = op->x & 0x1ff,
		.flags = op->c == 0xff,
	};

	if (!call(file_of(run, op), VGPU_IOC_MODULE_LOAD, &args))
		run->modules[slot_of(op)] = args.module;
}

/* ---- mapped rings ------------------------------------------------------- */

static void op_ring_create(struct run *run, const struct op *op)
{
	int fd = file_of(run, op);
	struct vgpu_ring_create shape = { .queue = queue_of(run, op),
					  .entries = op->x >> 28 == 15 ? (uint32_t)wide(op->x)
								       : 8u << (op->x & 3),
					  .param_bytes = (uint32_t)size_of(op->y),
					  .flags = op->c == 0xff };
	uint8_t *ring, *fence;

	if (run->ring_count == RINGS || call(fd, VGPU_IOC_RING_CREATE, &shape))
		return;
	ring = mmap(NULL, shape.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    (off_t)shape.ring_offset);
	fence = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)shape.fence_offset);
	if (ring != MAP_FAILED && fence != MAP_FAILED)
		run->rings[run->ring_count++] = (struct ring){ shape, ring, (void *)fence };
}

static void rings_unmap(struct run *run)
{
	for (uint32_t i = 0; i < run->ring_count; i++) {
		munmap(run->rings[i].memory, run->rings[i].shape.ring_bytes);
		munmap((void *)run->rings[i].fence, PAGE);
	}
}

static void op_ring_store(struct run *run, const struct op *op)
{
	const struct ring *ring = &run->rings[op->b % RINGS];
	volatile struct vgpu_ring *control;
	struct affine_params params = { .out = BASE, .factor = 3 };
	uint32_t tail;

	if (!run->ring_count)
		return;
	ring = &run->rings[op->b % run->ring_count];
	control = (void *)ring->memory;
	tail = control->tail;
	if (ring->shape.param_bytes >= sizeof(params))
		memcpy(ring->memory + ring->shape.params, &params, sizeof(params));
	for (uint32_t i = 0; i < run->count; i++) {
		struct vgpu_cmd cmd = run->batch[i];

		if (cmd.op == VGPU_CMD_LAUNCH)
			cmd.launch.params = op->y;
		memcpy(ring->memory + ring->shape.commands +
			       (tail + i) % ring->shape.entries * sizeof(cmd),
		       &cmd, sizeof(cmd));
	}
	__atomic_store_n(&control->tail, tail + run->count + op->x, __ATOMIC_SEQ_CST);
	run->count = 0;
}

static void op_ring_scribble(struct run *run, const struct op *op)
{
	const struct ring *ring;

	if (!run->ring_count)
		return;
	ring = &run->rings[op->b % run->ring_count];
	((volatile uint32_t *)ring->memory)[op->x % (ring->shape.ring_bytes / 4)] = op->y;
}

static void op_mmap(struct run *run, const struct op *op)
{
	size_t bytes = size_of(op->y) & 0xfffff;
	void *memory = mmap(NULL, bytes, op->b & 3, op->b & 4 ? MAP_PRIVATE : MAP_SHARED,
			    file_of(run, op), (off_t)(size_of(op->x) << (op->c & 31)));

	if (memory != MAP_FAILED)
		munmap(memory, bytes);
}

/* ---- io_uring ----------------------------------------------------------- */

static void uring_exit(struct run *run)
{
	if (run->uring_made)
		io_uring_queue_exit(&run->uring);
	run->uring_made = false;
}

static void op_uring_setup(struct run *run, const struct op *op)
{
	static const unsigned int kinds[] = {
		0,
		IORING_SETUP_SQE128,
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_COOP_TASKRUN,
		IORING_SETUP_SQE128 | IORING_SETUP_CQE32,
		IORING_SETUP_CQE32,
		IORING_SETUP_SQPOLL,
		IORING_SETUP_SQE128 | IORING_SETUP_CQE32 | IORING_SETUP_IOPOLL,
	};
	struct io_uring_params params = { .flags = kinds[op->x % ARRAY_SIZE(kinds)],
					  .sq_thread_idle = 1 };

	uring_exit(run);
	run->uring_made = !io_uring_queue_init_params(8, &run->uring, &params);
}

static struct io_uring_sqe *uring_sqe(struct run *run, const struct op *op, uint32_t command_op)
{
	struct io_uring_sqe *sqe;

	if (!run->uring_made)
		op_uring_setup(run, &(struct op){ .x = 4 });
	sqe = run->uring_made ? io_uring_get_sqe(&run->uring) : NULL;
	if (!sqe)
		return NULL;
	memset(sqe, 0, run->uring.flags & IORING_SETUP_SQE128 ? 128 : 64);
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->cmd_op = op->a & 0x80 ? op->z : command_op;
	sqe->fd = file_of(run, op);
	sqe->user_data = op->b & 3;
	sqe->flags = op->c & (IOSQE_IO_DRAIN | IOSQE_IO_LINK | IOSQE_IO_HARDLINK | IOSQE_ASYNC);
	return sqe;
}

static void op_uring_submit(struct run *run, const struct op *op)
{
	struct io_uring_sqe *sqe = uring_sqe(run, op, VGPU_URING_SUBMIT);
	struct vgpu_uring_submit args = {
		.commands = op->x ? host_address(run, op->x) : (uintptr_t)run->batch,
		.queue = queue_of(run, op),
		.count = (uint16_t)(op->y ? small(op->y) : run->count),
		.flags = (uint16_t)(op->z & 1 ? VGPU_URING_TAKEN : op->z >> 24),
	};

	if (!sqe)
		return;
	if (run->uring.flags & IORING_SETUP_SQE128 && op->c & 1) {
		args.commands = 0;
		args.count = 1;
		memcpy(sqe->cmd + 16, run->batch, sizeof(run->batch[0]));
	}
	memcpy(sqe->cmd, &args, sizeof(args));
	run->count = 0;
}

static void op_uring_wait(struct run *run, const struct op *op)
{
	struct io_uring_sqe *sqe = uring_sqe(run, op, VGPU_URING_WAIT);
	struct vgpu_uring_wait args = { .seq = small(op->x),
					.queue = queue_of(run, op),
					.timeout_ms = op->y & 0x1f };

	if (sqe)
		memcpy(sqe->cmd, &args, sizeof(args));
}

static void op_uring_cancel(struct run *run, const struct op *op)
{
	struct io_uring_sqe *sqe = uring_sqe(run, op, 0);

	if (sqe)
		io_uring_prep_cancel64(sqe, op->x & 3, op->b & 1 ? IORING_ASYNC_CANCEL_ALL : 0);
}

static void op_uring_enter(struct run *run, const struct op *op)
{
	struct __kernel_timespec limit = { .tv_nsec = op->x & 0xfffff };
	struct io_uring_cqe *cqe;

	if (!run->uring_made)
		return;
	io_uring_submit(&run->uring);
	if (op->b & 1)
		io_uring_wait_cqe_timeout(&run->uring, &cqe, &limit);
	while (op->b & 3 && !io_uring_peek_cqe(&run->uring, &cqe))
		io_uring_cqe_seen(&run->uring, cqe);
}

/* ---- netlink ------------------------------------------------------------ */

static bool netlink_ready(struct run *run)
{
	if (run->netlink >= 0)
		return true;
	run->netlink = nl_open();
	run->family = nl_family(run->netlink, run->groups);
	request(&run->request, run->family, 0, 0);
	return true;
}

static void op_netlink_attr(struct run *run, const struct op *op)
{
	static const char *const words[] = { "policy",
					     "preemption",
					     "watchdog_us",
					     "clock",
					     "fcfs",
					     "dss",
					     "npq",
					     "drain",
					     "switch",
					     "ppq-exclusive",
					     "transfer_policy",
					     "0",
					     "1000000",
					     "free",
					     "paced",
					     "-1",
					     "",
					     "nothing",
					     "timeout_ms",
					     "user_share",
					     "static",
					     "round-robin",
					     "lockstep",
					     "ppq-shared",
					     "drain-then-switch",
					     "90" };
	struct request *r = &run->request;
	uint64_t raw[8];

	if (!netlink_ready(run) || r->head.nlmsg_len > 4096)
		return;
	switch (op->c & 3) {
	case 0:
		attr_u32(r, op->b & 63, op->x);
		return;
	case 1:
		attr_text(r, op->b & 63, words[op->x % ARRAY_SIZE(words)]);
		return;
	case 2:
		attr_u32(r, op->b & 63, small(op->x));
		return;
	default:
		for (size_t i = 0; i < ARRAY_SIZE(raw); i++)
			raw[i] = wide(op->x + (uint32_t)i);
		attr(r, (uint16_t)(op->b | (op->c & 4 ? 0x8000 : 0)), raw, op->y & 63);
	}
}

static void op_netlink_send(struct run *run, const struct op *op)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct request *r = &run->request;
	uint8_t bytes[8192];

	if (!netlink_ready(run))
		return;
	((struct genlmsghdr *)NLMSG_DATA(&r->head))->cmd = op->b % (VGPU_NL_CMD_COUNT + 1);
	r->head.nlmsg_flags |= op->c & 1 ? NLM_F_DUMP : 0;
	if (op->y)
		r->bytes[NLMSG_HDRLEN + op->x % (r->head.nlmsg_len - NLMSG_HDRLEN)] ^= op->y;
	if (op->c & 2 && r->head.nlmsg_len > NLMSG_HDRLEN + 8)
		r->head.nlmsg_len -= op->z & 7;
	if (op->b % (VGPU_NL_CMD_COUNT + 1) == VGPU_NL_CMD_DEVICE_SET || op->y)
		*run->dirty = (struct dirty){ ~0u, run->dirty->config, true };
	sendto(run->netlink, r->bytes, r->head.nlmsg_len, MSG_DONTWAIT, (struct sockaddr *)&kernel,
	       sizeof(kernel));
	for (int i = 0; i < 8 && !(op->c & 8); i++)
		if (recv(run->netlink, bytes, sizeof(bytes), MSG_DONTWAIT) < 0)
			break;
	request(r, run->family, 0, 0);
}

static void op_netlink_join(struct run *run, const struct op *op)
{
	uint32_t group;

	if (!netlink_ready(run))
		return;
	group = run->groups[op->b % GROUPS];
	setsockopt(run->netlink, SOL_NETLINK,
		   op->c & 1 ? NETLINK_DROP_MEMBERSHIP : NETLINK_ADD_MEMBERSHIP, &group,
		   sizeof(group));
}

/* ---- sysfs, debugfs, configfs ------------------------------------------- */

/** struct paths - the files there are, in an order that does not change */
struct paths {
	char path[PATHS_MAX][160];
	uint32_t count;
};

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "power") &&
	       strcmp(entry->d_name, "uevent");
}

static void paths_add(struct paths *paths, const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, visible, alphasort);
	char path[160];

	for (int i = 0; i < count; i++) {
		bool fits = snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) <
			    (int)sizeof(path);

		if (fits && entries[i]->d_type == DT_DIR)
			paths_add(paths, path);
		else if (fits && entries[i]->d_type == DT_REG && paths->count < PATHS_MAX)
			strcpy(paths->path[paths->count++], path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

static struct paths paths;

static void paths_find(void)
{
	paths.count = 0;
	paths_add(&paths, SYSFS "/.");
	paths_add(&paths, DEBUGFS);
	if (paths.count < PATHS_MAX)
		strcpy(paths.path[paths.count++], TRACE_EVENTS);
}

/* Most of what comes and goes are the folders of contexts. */
static const char *path_of(uint32_t x)
{
	if (x >> 28 == 15)
		paths_find();
	return paths.count ? paths.path[(x & 0xfffffff) % paths.count] : "/dev/null";
}

static ssize_t file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	n = read(fd, text, size - 1);
	text[n > 0 ? n : 0] = 0;
	close(fd);
	return n;
}

static void file_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	if (write(fd, value, strlen(value)) < 0)
		errno = 0;
	close(fd);
}

static void value_of(char value[256], const char *path, uint32_t kind, uint32_t y)
{
	static const char *const words[] = { "fcfs",
					     "npq",
					     "ppq-exclusive",
					     "ppq-shared",
					     "dss",
					     "static",
					     "round-robin",
					     "drain",
					     "switch",
					     "drain-then-switch",
					     "none",
					     "free",
					     "paced",
					     "k20c",
					     "gtx980",
					     "tanasic-ch6",
					     "",
					     "\n",
					     "x",
					     "-1",
					     "1",
					     "0",
					     "4194304",
					     "8388608",
					     "18446744073709551616",
					     "1,2",
					     "y",
					     "fuzz" };
	char text[4096], *word, *rest = text;
	uint32_t left;

	switch (kind % 4) {
	case 0:
		snprintf(value, 256, "%u", small(y));
		return;
	case 1:
		snprintf(value, 256, "%llu", (unsigned long long)wide(y));
		return;
	case 2:
		snprintf(value, 256, "%s", words[y % ARRAY_SIZE(words)]);
		return;
	default: /* one of the words that the file itself offers */
		strcpy(value, "1");
		if (file_read(path, text, sizeof(text)) <= 0)
			return;
		left = y % 16;
		while ((word = strsep(&rest, " \n[]"))) {
			if (*word)
				snprintf(value, 256, "%s", word);
			if (*word && !left--)
				return;
		}
	}
}

/* Files that can be written, and what they said at first. */
static struct {
	char path[160], value[256];
} knobs[KNOBS];
static uint32_t knob_count;

static void knobs_keep(void)
{
	struct stat st;

	for (uint32_t i = 0; i < paths.count && knob_count < KNOBS; i++) {
		char *value = knobs[knob_count].value, *chosen;

		if (stat(paths.path[i], &st) || !(st.st_mode & 0200) || !(st.st_mode & 0400) ||
		    file_read(paths.path[i], value, sizeof(knobs[0].value)) <= 0)
			continue;
		/* endless kernels end */
		if (strstr(paths.path[i], "/watchdog_us"))
			strcpy(value, "20");
		/* of several the one in brackets */
		chosen = strchr(value, '[');
		if (chosen) {
			memmove(value, chosen + 1, strlen(chosen));
			value[strcspn(value, "]")] = 0;
		}
		strcpy(knobs[knob_count++].path, paths.path[i]);
	}
}

/* A lockstep clock would stand still while this process does anything else than wait. */
static void op_file_write(struct run *run, const struct op *op)
{
	bool known = op->x < 1u << 16 && knob_count;
	const char *path = known ? knobs[op->x % knob_count].path : path_of(op->x);
	char value[256];

	value_of(value, path, op->b, op->y);
	if (strstr(value, "lockstep") && !(op->c & 1))
		return;
	for (uint32_t i = 0; i < knob_count; i++)
		if (!strcmp(knobs[i].path, path))
			run->dirty->knobs |= 1u << i;
	file_write(path, value);
}

static void config_path(char path[256], uint32_t name, const char *field)
{
	snprintf(path, 256, CONFIGFS "fuzz-%u%s%s", name % NAMES, field ? "/" : "",
		 field ? field : "");
}

static void op_config(struct run *run, const struct op *op)
{
	static const char *const fields[] = { "live",	   "system",	  "preset",
					      "sms",	   "policy",	  "preemption",
					      "hw_queues", "vram_bytes",  "clock_khz",
					      "dev_name",  "watchdog_ps", "shared_config" };
	char path[256], value[256], field[64];
	struct dirent **entries;
	int count;

	run->dirty->config = true;
	config_path(path, op->b, NULL);
	if (op->kind % OPS == OP_CONFIG_MAKE) {
		if (mkdir(path, 0755))
			return;
		config_path(path, op->b, "vram_bytes");
		file_write(path, "8388608");
		config_path(path, op->b, "system");
		if (op->c & 1)
			file_write(path, "fuzz");
		config_path(path, op->b, "live");
		if (!(op->c & 2))
			file_write(path, "1");
		return;
	}
	if (op->kind % OPS == OP_CONFIG_REMOVE) {
		if (rmdir(path))
			errno = 0;
		return;
	}
	snprintf(field, sizeof(field), "%s", fields[op->x % ARRAY_SIZE(fields)]);
	count = op->a & 1 ? scandir(path, &entries, visible, alphasort) : -1;
	for (int i = 0; i < count; i++) {
		if ((uint32_t)i == op->x % (uint32_t)count)
			snprintf(field, sizeof(field), "%.60s", entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	config_path(path, op->b, field);
	value_of(value, path, op->c, op->y);
	if (op->c & 0x80)
		file_read(path, value, sizeof(value));
	else
		file_write(path, value);
}

/* Samples are sent until somebody says otherwise. */
static void samples_stop(void)
{
	static struct request r;
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int fd = nl_open();

	request(&r, nl_family(fd, NULL), 0, VGPU_NL_CMD_DEVICE_SET);
	attr_u32(&r, VGPU_NL_A_DEVICE, 0);
	attr_u32(&r, VGPU_NL_A_SAMPLE_MS, 0);
	if (sendto(fd, r.bytes, r.head.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) <
	    0)
		errno = 0;
	close(fd);
}

static void dirty_restore(const struct dirty *dirty)
{
	char path[256];

	if (dirty->samples)
		samples_stop();

	for (uint32_t i = 0; dirty->config && i < NAMES; i++) {
		config_path(path, i, NULL);
		if (rmdir(path))
			errno = 0;
	}
	for (uint32_t i = 0; i < knob_count; i++)
		if (dirty->knobs >> i & 1)
			file_write(knobs[i].path, knobs[i].value);
}

/* ---- the rest ----------------------------------------------------------- */

static void op_poll(struct run *run, const struct op *op)
{
	struct pollfd poll_for = { .fd = op->b & 2 ? run->seat : file_of(run, op),
				   .events = POLLIN };
	char path[64], text[4096];

	poll(&poll_for, 1, 0);
	if (!(op->b & 1))
		return;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", file_of(run, op));
	file_read(path, text, sizeof(text));
}

static void op_child(struct run *run, const struct op *op)
{
	struct itimerval often, none = {};
	pid_t pid;

	/* a signal makes fork() begin again */
	setitimer(ITIMER_REAL, &none, &often);
	pid = fork();
	setitimer(ITIMER_REAL, &often, NULL);
	if (!pid) {
		if (op->b & 1)
			op_submit(run, op);
		if (op->b & 2)
			op_queue_create(run, op);
		if (op->b & 4)
			close(file_of(run, op));
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, NULL, 0) < 0)
		kill(pid, SIGKILL);
}

static void op_arena(struct run *run, const struct op *op)
{
	uint8_t *page = run->arena + op->x % ARENA_PAGES * PAGE;
	const int fresh = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	/* a hole would be filled by whatever is mapped next */
	switch (op->b % 4) {
	case 0:
		mmap(page, PAGE, PROT_NONE, fresh, -1, 0);
		return;
	case 1:
		mprotect(page, PAGE, op->c & 3);
		return;
	case 2:
		madvise(page, PAGE, MADV_DONTNEED);
		return;
	default:
		mmap(page, PAGE, PROT_READ | PROT_WRITE, fresh, -1, 0);
	}
}

static void op_run(struct run *run, const struct op *op)
{
	uint32_t slot = slot_of(op);
	int fd = run->files[slot];

	switch (op->kind % OPS) {
	case OP_OPEN: return op_open(run, op);
	case OP_CLOSE:
		if (fd >= 0)
			close(fd);
		run->files[slot] = -1;
		return;
	case OP_QUEUE_CREATE: return op_queue_create(run, op);
	case OP_QUEUE_DESTROY:
		queue_destroy(fd, queue_of(run, op));
		return;
	case OP_MAP: return op_memory(run, op, VGPU_IOC_MEM_MAP);
	case OP_UNMAP: return op_memory(run, op, VGPU_IOC_MEM_UNMAP);
	case OP_COMMAND:
		if (run->count < BATCH)
			run->batch[run->count++] = command(run, op);
		return;
	case OP_SUBMIT: return op_submit(run, op);
	case OP_WAIT: return op_wait(run, op);
	case OP_WAIT_ANY: return op_wait_any(run, op);
	case OP_IMAGE: return image_begin(run, op->b);
	case OP_IMAGE_BYTE:
		((uint8_t *)&run->image)[op->x % run->image_bytes] += op->y;
		return;
	case OP_IMAGE_WORD:
		((uint32_t *)&run->image)[op->x % ((sizeof(run->image.header) +
						    sizeof(run->image.kernels[0]) * 3) /
						   4)] = (uint32_t)size_of(op->y);
		return;
	case OP_IMAGE_INSN: return op_image_insn(run, op);
	case OP_MODULE_LOAD: return op_module_load(run, op);
	case OP_MODULE_UNLOAD:
		module_unload(fd, op->b < 0xf0 ? run->modules[slot] : op->b - 0xf0u);
		return;
	case OP_EVENTFD: return op_eventfd(run, op);
	case OP_SEAT_CREATE: return op_seat_create(run, op);
	case OP_SEAT_MOVE:
		call(run->seat, VGPU_IOC_SEAT_MOVE,
		     &(struct vgpu_seat_move){ .pid = pid_of(op->x) });
		return;
	case OP_SEAT_INFO:
		call(run->seat, VGPU_IOC_SEAT_INFO, &(struct vgpu_seat_info){});
		return;
	case OP_PRIORITY:
		call(fd, VGPU_IOC_CONTEXT_PRIORITY,
		     &(struct vgpu_context_priority){ .priority = (int8_t)op->b,
						      .flags = op->c == 0xff });
		return;
	case OP_INFO: return op_info(run, op);
	case OP_RAW_IOCTL: return op_raw_ioctl(run, op);
	case OP_RING_CREATE: return op_ring_create(run, op);
	case OP_RING_STORE: return op_ring_store(run, op);
	case OP_RING_SCRIBBLE: return op_ring_scribble(run, op);
	case OP_DOORBELL:
		call(fd, VGPU_IOC_RING_DOORBELL,
		     &(struct vgpu_ring_doorbell){ .queue = queue_of(run, op),
						   .reserved = op->c == 0xff });
		return;
	case OP_MMAP: return op_mmap(run, op);
	case OP_URING_SETUP: return op_uring_setup(run, op);
	case OP_URING_SUBMIT: return op_uring_submit(run, op);
	case OP_URING_WAIT: return op_uring_wait(run, op);
	case OP_URING_CANCEL: return op_uring_cancel(run, op);
	case OP_URING_ENTER: return op_uring_enter(run, op);
	case OP_URING_EXIT: return uring_exit(run);
	case OP_NETLINK_ATTR: return op_netlink_attr(run, op);
	case OP_NETLINK_SEND: return op_netlink_send(run, op);
	case OP_NETLINK_JOIN: return op_netlink_join(run, op);
	case OP_FILE_READ: {
		char text[4096];

		file_read(path_of(op->x), text, 2 + op->y % 4094);
		return;
	}
	case OP_FILE_WRITE: return op_file_write(run, op);
	case OP_CONFIG_MAKE:
	case OP_CONFIG_WRITE:
	case OP_CONFIG_REMOVE: return op_config(run, op);
	case OP_POLL: return op_poll(run, op);
	case OP_DUP: {
		int to = run->files[op->b % SLOTS];

		if (fd >= 0 && to >= 0)
			dup2(fd, to);
		return;
	}
	case OP_CHILD: return op_child(run, op);
	case OP_NOBODY:
		if (!op->b && setgid(NOBODY) | setuid(NOBODY))
			errno = 0;
		return;
	case OP_MEMORY: return op_arena(run, op);
	default:
		usleep(op->x & 0xfff);
	}
}

static void run_begin(struct run *run, struct dirty *dirty)
{
	*run = (struct run){ .seat = -1, .netlink = -1, .dirty = dirty };
	for (uint32_t i = 0; i < SLOTS; i++)
		run->files[i] = -1;
	run->arena = mmap(NULL, ARENA_PAGES * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(run->arena != MAP_FAILED);
	memcpy(run->arena + PARAMS_PAGE * PAGE, &(struct affine_params){ .out = BASE, .factor = 3 },
	       sizeof(struct affine_params));
	CHECK(!mprotect(run->arena + (ARENA_PAGES - 2) * PAGE, PAGE, PROT_NONE));
	CHECK(!mprotect(run->arena + (ARENA_PAGES - 1) * PAGE, PAGE, PROT_READ));
	image_begin(run, 1);
}

/* Nothing of it stays for the next one. */
static void run_end(struct run *run)
{
	uring_exit(run);
	for (uint32_t i = 0; i < SLOTS; i++)
		if (run->files[i] >= 0)
			close(run->files[i]);
	if (run->seat >= 0)
		close(run->seat);
	if (run->netlink >= 0)
		close(run->netlink);
	rings_unmap(run);
	munmap(run->arena, ARENA_PAGES * PAGE);
}

#endif
