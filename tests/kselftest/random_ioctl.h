/* SPDX-License-Identifier: MIT */
/*
 * The random driver's ioctls, and what else is done to descriptors: duplicated, handed to other
 * processes, inherited, closed.
 */
#ifndef RANDOM_IOCTL_H
#define RANDOM_IOCTL_H

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "random.h"

static const unsigned long all_ioctls[] = {
	VGPU_IOC_VERSION,	   VGPU_IOC_DEVICE_INFO,   VGPU_IOC_CONTEXT_INFO,
	VGPU_IOC_CONTEXT_PRIORITY, VGPU_IOC_QUEUE_CREATE,  VGPU_IOC_QUEUE_DESTROY,
	VGPU_IOC_MODULE_LOAD,	   VGPU_IOC_MODULE_UNLOAD, VGPU_IOC_MEM_MAP,
	VGPU_IOC_MEM_UNMAP,	   VGPU_IOC_SUBMIT,	   VGPU_IOC_WAIT,
	VGPU_IOC_WAIT_ANY,	   VGPU_IOC_EVENTFD,	   VGPU_IOC_SEAT_CREATE,
	VGPU_IOC_RING_CREATE,	   VGPU_IOC_RING_DOORBELL, VGPU_IOC_MEM_ADVISE,
	VGPU_IOC_HOST_DONE,	   VGPU_IOC_CONTEXT_SMS,   VGPU_IOC_MEM_PEEK,
	VGPU_IOC_MEM_CREATE,	   VGPU_IOC_MEM_RELEASE,   VGPU_IOC_MEM_VIEW,
	VGPU_IOC_MEM_RIGHTS,	   VGPU_IOC_MEM_EXPORT,	   VGPU_IOC_MEM_IMPORT,
};

union any_argument {
	struct vgpu_context_priority priority;
	struct vgpu_queue_create create;
	struct vgpu_queue_destroy destroy;
	struct vgpu_module_load load;
	struct vgpu_module_unload unload;
	struct vgpu_mem mem;
	struct vgpu_submit submit;
	struct vgpu_wait wait;
	struct vgpu_wait_any wait_any;
	struct vgpu_eventfd eventfd;
	struct vgpu_seat_create seat;
	struct vgpu_seat_move move;
	struct vgpu_seat_info info;
	struct vgpu_ring_doorbell doorbell;
	struct vgpu_host_done done;
	struct vgpu_context_sms sms;
	struct vgpu_mem_peek peek;
	struct vgpu_mem_view view;
	struct vgpu_device_info device;
	struct vgpu_context_info context;
	uint64_t raw[64];
};

static struct vgpu_cmd *some_commands(struct thread *t, struct vgpu_cmd cmds[8])
{
	for (size_t i = 0; i < 8; i++)
		cmds[i] = some_command(t);
	return pick(t, 8) ? cmds : (void *)some_address(t);
}

static void ioctl_submit(struct thread *t, int fd)
{
	struct vgpu_cmd cmds[8];
	struct vgpu_submit args = {
		.queue = some_queue(t),
		.count = 1 + (uint32_t)pick(t, 8),
		.commands = (uintptr_t)some_commands(t, cmds),
	};

	if (pick(t, 64) == 0) {
		args.commands = some_address(t);
		args.count = (uint32_t)pick(t, 300);
	}
	call(fd, VGPU_IOC_SUBMIT, &args);
}

static void ioctl_wait(struct thread *t, int fd)
{
	struct vgpu_wait args = {
		.queue = some_queue(t),
		.seq = pick(t, 30),
		.timeout_ns = (int64_t)pick(t, 300000),
	};

	call(fd, VGPU_IOC_WAIT, &args);
}

/* The bell ends it: nothing else might. */
static void ioctl_wait_any(struct thread *t, int fd)
{
	struct vgpu_fence fences[4];
	struct vgpu_device_info info = {};
	struct vgpu_wait_any args = {
		.fences = pick(t, 8) ? (uintptr_t)fences : some_address(t),
		.count = (uint32_t)pick(t, 5),
		.until = some_time(t),
	};

	call(fd, VGPU_IOC_DEVICE_INFO, &info);
	if (pick(t, 8))
		args.until += info.time;
	for (size_t i = 0; i < ARRAY_SIZE(fences); i++)
		fences[i] = (struct vgpu_fence){ .queue = some_queue(t), .seq = pick(t, 30) };
	call(fd, VGPU_IOC_WAIT_ANY, &args);
}

static void ioctl_module(struct thread *t, int fd)
{
	struct vgpu_module_load args = {};
	struct program p = {};
	struct binary b;

	kernel_affine(&p);
	args.bytes = program_binary(&p, &b);
	args.binary = pick(t, 8) ? (uintptr_t)&b : some_address(t);
	if (pick(t, 2))
		((uint8_t *)&b)[pick(t, sizeof(b))] ^= (uint8_t)(1 + pick(t, 255));
	args.message = some_address(t);
	args.message_bytes = (uint32_t)some_size(t);
	if (!call(fd, VGPU_IOC_MODULE_LOAD, &args) && pick(t, 2))
		call(fd, VGPU_IOC_MODULE_UNLOAD,
		     &(struct vgpu_module_unload){ .module = args.module });
}

static void ioctl_memory(struct thread *t, int fd)
{
	struct vgpu_mem args = { .address = some_device_address(t), .bytes = some_size(t) };

	if (pick(t, 8)) {
		args.address &= ~(PAGE - 1);
		args.bytes &= ~(PAGE - 1);
	}
	if (pick(t, 3) == 0)
		args.flags = pick(t, 16) ? VGPU_MEM_MANAGED : (uint32_t)rnd(&t->seed);
	if (args.bytes < 64 << 20 || pick(t, 8) == 0)
		call(fd, pick(t, 2) ? VGPU_IOC_MEM_MAP : VGPU_IOC_MEM_UNMAP, &args);
}

/* Mostly of few pages, of which some may be managed. */
static void ioctl_advise(struct thread *t, int fd)
{
	struct vgpu_mem_advise args = {
		.address = some_device_address(t) & ~(PAGE - 1),
		.bytes = pick(t, 8) ? PAGE * (1 + pick(t, 16)) : some_size(t),
		.advice = pick(t, VGPU_ADVICE_COUNT + 1),
		.reserved = !pick(t, 32),
	};

	call(fd, VGPU_IOC_MEM_ADVISE, &args);
}

/* A function of the process that is never called holds up its queue: most are said to be done. */
static void ioctl_host_done(struct thread *t, int fd)
{
	struct vgpu_host_done args = {
		.queue = some_queue(t),
		.seq = pick(t, 30),
		.flags = !pick(t, 32),
	};

	call(fd, VGPU_IOC_HOST_DONE, &args);
}

static void ioctl_peek(struct thread *t, int fd)
{
	struct vgpu_mem_peek args = {
		.address = some_device_address(t),
		.memory = some_address(t),
		.bytes = (uint32_t)(pick(t, 8) ? some_size(t) % (2 * PAGE) : some_size(t)),
		.reserved = !pick(t, 32),
	};

	call(fd, VGPU_IOC_MEM_PEEK, &args);
}

/* Of a few handles, which are low numbers; an export goes to another file, at once. */
static void ioctl_views(struct thread *t, int fd)
{
	uint32_t handle = (uint32_t)pick(t, 6);
	struct vgpu_mem_create create = { .bytes = PAGE * pick(t, 2000), .flags = !pick(t, 32) };
	struct vgpu_mem_release release = { .handle = handle };
	struct vgpu_mem_view view = {
		.address = some_device_address(t) & ~(PAGE - 1),
		.bytes = PAGE * (1 + pick(t, 600)),
		.offset = PAGE * pick(t, 100),
		.handle = handle,
		.rights = (uint32_t)pick(t, 4),
	};
	struct vgpu_mem_rights rights = { view.address, view.bytes, (uint32_t)pick(t, 4), 0 };
	struct vgpu_mem mem = { .address = view.address, .bytes = view.bytes };
	struct vgpu_mem_export export = { .handle = handle };
	struct vgpu_mem_import import = { .fd = fd };
	struct vgpu_mem_retain retain = { view.address, view.bytes, !pick(t, 32), 0 };
	struct vgpu_mem_name name = { .handle = handle };
	struct vgpu_mem_open open = { .flags = !pick(t, 32) };

	switch (pick(t, 9)) {
	case 0: call(fd, VGPU_IOC_MEM_CREATE, &create); return;
	case 1: call(fd, VGPU_IOC_MEM_RELEASE, &release); return;
	case 2:
		if (call(fd, VGPU_IOC_MEM_VIEW, &view) || pick(t, 2))
			return;
		call(fd, VGPU_IOC_MEM_UNMAP, &mem);
		return;
	case 3: call(fd, VGPU_IOC_MEM_RIGHTS, &rights); return;
	case 4:
		if (call(fd, VGPU_IOC_MEM_EXPORT, &export))
			return;
		import.fd = export.fd;
		call(some_file(t), VGPU_IOC_MEM_IMPORT, &import);
		close(export.fd);
		return;
	case 5: call(fd, VGPU_IOC_MEM_RETAIN, &retain); return;
	case 6:
		call(fd, VGPU_IOC_MEM_NAME, &name);
		memcpy(open.name, name.name, sizeof(open.name));
		call(some_file(t), VGPU_IOC_MEM_OPEN, &open);
		return;
	case 7:
		open.name[pick(t, 2)] = pick(t, 1000);
		call(fd, VGPU_IOC_MEM_OPEN, &open);
		return;
	default: call(fd, VGPU_IOC_MEM_IMPORT, &import); return;
	}
}

static void ioctl_sms(struct thread *t, int fd)
{
	struct vgpu_context_sms args = {
		.sms = pick(t, 4) ? (uint32_t)pick(t, 16) : ~0u,
		.flags = !pick(t, 32),
	};

	call(fd, VGPU_IOC_CONTEXT_SMS, &args);
}

static void ioctl_eventfd(struct thread *t, int fd)
{
	struct vgpu_eventfd args = {
		.queue = some_queue(t),
		.fd = pick(t, 8) ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : (int)pick(t, 20),
		.seq = pick(t, 30),
	};
	bool ours = args.fd > 20;

	call(fd, VGPU_IOC_EVENTFD, &args);
	if (ours)
		close(args.fd);
}

static void ioctl_seat(struct thread *t, int fd)
{
	struct vgpu_seat_create args = { .pid = pick(t, 4) ? 0 : (int32_t)pick(t, 400),
					 .priority = (int32_t)pick(t, 3) - 1 };
	struct vgpu_seat_move move = { .pid = pick(t, 2) ? getpid() : (int32_t)pick(t, 400) };
	struct vgpu_seat_info info;
	struct vgpu_context_info sum;
	struct pollfd poll_for = { .events = POLLIN };

	if (call(fd, VGPU_IOC_SEAT_CREATE, &args))
		return;
	call(args.fd, VGPU_IOC_SEAT_MOVE, &move);
	call(args.fd, VGPU_IOC_SEAT_INFO, &info);
	call(args.fd, VGPU_IOC_CONTEXT_INFO, &sum);
	poll_for.fd = args.fd;
	poll(&poll_for, 1, 0);
	close(args.fd);
}

/* Anything at all: what has no room here for its answer is written into the arena. */
static void ioctl_anything(struct thread *t, int fd)
{
	unsigned long request =
		pick(t, 4) ? all_ioctls[pick(t, ARRAY_SIZE(all_ioctls))] :
			     _IOC(pick(t, 4), VGPU_IOC_MAGIC, pick(t, 256), pick(t, 300));
	union any_argument arg;

	/* a program of another version */
	if (pick(t, 8) == 0)
		request = _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request),
			       (_IOC_SIZE(request) + pick(t, 100)) % (sizeof(arg) + 1));
	for (size_t i = 0; i < ARRAY_SIZE(arg.raw); i++)
		arg.raw[i] = pick(t, 2) ? rnd(&t->seed) : pick(t, 8);
	/* it would stay open */
	if (_IOC_NR(request) == _IOC_NR(VGPU_IOC_SEAT_CREATE) ||
	    _IOC_NR(request) == _IOC_NR(VGPU_IOC_MEM_EXPORT))
		return;
	ioctl(fd, request, pick(t, 4) ? (void *)&arg : (void *)some_address(t));
}

static void queue_comes_and_goes(struct thread *t, int fd)
{
	if (pick(t, 2))
		t->process->queues[t->file][pick(t, QUEUES)] = (uint32_t)queue_create(fd);
	else
		queue_destroy(fd, some_queue(t));
}

static void priority(struct thread *t, int fd)
{
	call(fd, VGPU_IOC_CONTEXT_PRIORITY,
	     &(struct vgpu_context_priority){ .priority = (int32_t)pick(t, 5) - 2 });
}

/* ---- descriptors -------------------------------------------------------- */

static void pass_file(struct thread *t, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec io = { &byte, 1 };
	struct msghdr m = { .msg_iov = &io,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&m);

	if (pick(t, 2)) {
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(head), &fd, sizeof(fd));
		sendmsg(t->process->pass[0], &m, MSG_DONTWAIT);
		return;
	}
	if (recvmsg(t->process->pass[1], &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) > 0 &&
	    CMSG_FIRSTHDR(&m)) {
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
		dup2(fd, t->process->files[pick(t, FILES)]);
		close(fd);
	}
}

/*
 * A fault ends a context for good: begin a new one, on the same number, under the other threads;
 * also of living ones.
 */
static void renew_file(struct thread *t)
{
	struct vgpu_context_info info;
	int fd = some_file(t), fresh;

	if (!call(fd, VGPU_IOC_CONTEXT_INFO, &info) && !info.dead && pick(t, 16))
		return;
	fresh = fresh_file(t, t->file);
	if (fresh < 0)
		return;
	dup2(fresh, fd);
	close(fresh);
}

static void child(struct thread *t)
{
	pid_t pid = fork();

	if (!pid) {
		ioctl_submit(t, some_file(t));
		if (pick(t, 2))
			execl("/bin/true", "true", NULL);
		close(some_file(t));
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void random_ioctl(struct thread *t)
{
	int fd = some_file(t);

	switch (pick(t, 80)) {
	case 0: return queue_comes_and_goes(t, fd);
	case 1: return ioctl_module(t, fd);
	case 2:
	case 3: return ioctl_memory(t, fd);
	case 4: return ioctl_wait_any(t, fd);
	case 5:
	case 6: return ioctl_eventfd(t, fd);
	case 7: return ioctl_seat(t, fd);
	case 8:
	case 9:
	case 10: return ioctl_anything(t, fd);
	case 11: return priority(t, fd);
	case 12: return pass_file(t, fd);
	case 13:
	case 20:
	case 21:
	case 22:
	case 23: return renew_file(t);
	case 14:
		if (pick(t, 40) == 0)
			child(t);
		return;
	case 15: {
		struct pollfd poll_for = { .fd = fd, .events = POLLIN };

		poll(&poll_for, 1, 0);
		return;
	}
	case 16:
	case 17:
	case 18:
	case 19: return ioctl_wait(t, fd);
	case 24:
	case 25:
	case 26: return ioctl_advise(t, fd);
	case 27:
	case 28: return ioctl_host_done(t, fd);
	case 29: return ioctl_sms(t, fd);
	case 30: return ioctl_peek(t, fd);
	case 31:
	case 32:
	case 33: return ioctl_views(t, fd);
	default: return ioctl_submit(t, fd);
	}
}

#endif
