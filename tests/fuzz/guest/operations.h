/* SPDX-License-Identifier: MIT */
/*
 * What the operations of an input do, by kind. An input runs in a process of its own; what it
 * leaves to others (knobs, devices of configfs) the driver puts back.
 */
#ifndef FUZZ_OPERATIONS_H
#define FUZZ_OPERATIONS_H

#include <poll.h>
#include <sys/time.h>

#include "device_operations.h"
#include "window_operations.h"

#define NOBODY		65534

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
