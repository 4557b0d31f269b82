/* SPDX-License-Identifier: MIT */
/*
 * Operations on the device's file: ioctls, commands by SUBMIT, mapped rings and io_uring, binaries.
 */
#ifndef FUZZ_DEVICE_OPERATIONS_H
#define FUZZ_DEVICE_OPERATIONS_H

#include <sys/eventfd.h>

#include "run.h"

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
		cmd.profiled.touches = op->c & 3;
		cmd.profiled.touch_bytes = op->c & 3 ? VGPU_PAGE_SIZE * (1 + (op->c >> 2 & 7)) : 0;
		cmd.profiled.touch_address = op->c & 3 ? device_address(op->z) & ~0xfffull : 0;
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
	const struct ring *ring;
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

#endif
