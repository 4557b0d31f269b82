// SPDX-License-Identifier: MIT
/*
 * vgpu-run: one process of a mix. A profile is walked (tools/workload/walk.c) with the ioctls of
 * the device: what the walk waits for, fences of its lanes and wake-ups, is one VGPU_IOC_WAIT_ANY.
 * A program is started when its time has come. Who fails leaves a line in the shared message and
 * ends with status 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>
#include <wordexp.h>

#include "run.h"
#include "tools/workload/walk.h"

#define LANES_MAX	(WL_STREAMS_MAX + 1)

static void fail(const struct run_child *child, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

static void fail(const struct run_child *child, const char *format, ...)
{
	const struct wl_process *process = child->process;
	char *message = child->shared->message;
	va_list args;
	int length;

	length = snprintf(message, WL_MESSAGE_BYTES, "%s:%u: [%s]: ", child->path, process->line,
			  process->name);
	va_start(args, format);
	vsnprintf(message + length, (size_t)(WL_MESSAGE_BYTES - length), format, args);
	va_end(args);
	_exit(1);
}

static int open_device(const struct run_child *child)
{
	int fd = open(RUN_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail(child, "%s: %s", RUN_DEVICE, strerror(errno));
	return fd;
}

/* Until a fence or the time @until; returns the fence. */
static u32 wait_any(const struct run_child *child, int fd, const struct vgpu_fence *fences,
		    u32 count, u64 until, u64 *now)
{
	struct vgpu_wait_any wait = { .fences = (uintptr_t)fences, .count = count, .until = until };

	while (ioctl(fd, VGPU_IOC_WAIT_ANY, &wait))
		if (errno != EINTR)
			fail(child,
			     errno == EIO ? "the device ended it: %s" :
					    "waiting for the device: %s",
			     strerror(errno));
	*now = wait.time;
	return wait.which;
}

/* ---- profiles ----------------------------------------------------------- */

static int push(struct wl_lane *lane, const struct vgpu_cmd *cmds, u32 count)
{
	const int *fd = lane->walk->arg;
	struct vgpu_submit submit = { .queue = lane->queue,
				      .count = count,
				      .commands = (uintptr_t)cmds };

	while (ioctl(*fd, VGPU_IOC_SUBMIT, &submit))
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* One address means one thing everywhere: the buffer of all copies, here and on the device. */
static void make_buffer(const struct run_child *child, int fd)
{
	u64 bytes = wl_walk_buffer(child->process, VGPU_COPY_MAX);
	struct vgpu_mem mem = { .address = WL_BUFFER, .bytes = bytes };

	if (!bytes)
		return;
	if (child->process->memory_budget && bytes > child->process->memory_budget)
		fail(child, "memory_budget=%llu: it needs %llu bytes for its copies",
		     (unsigned long long)child->process->memory_budget,
		     (unsigned long long)bytes);
	if (mmap((void *)(uintptr_t)WL_BUFFER, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
		fail(child, "%llu bytes of memory: %s", (unsigned long long)bytes, strerror(errno));
	if (ioctl(fd, VGPU_IOC_MEM_MAP, &mem))
		fail(child,
		     "no device memory: %s; load the module with vram_mb= to give the device more",
		     strerror(errno));
}

/* A process that writes its inputs: the pages that @phase reads are on the host then. */
static void write_inputs(const struct wl_phase *phase)
{
	volatile u8 *at = (volatile u8 *)(uintptr_t)phase->kernel.touch_address;
	u64 bytes = phase->amount * wl_kernel_touched(&phase->kernel), n;

	for (n = 0; n < bytes; n += VGPU_PAGE_SIZE)
		at[n] = 1;
}

static int renew(struct wl_walk *walk)
{
	const struct wl_process *process = walk->process;
	struct vgpu_mem mem = { .address = WL_TOUCHED, .bytes = walk->touched };
	struct vgpu_mem_advise advise = { .address = WL_TOUCHED,
					  .bytes = VGPU_PAGE_SIZE,
					  .advice = process->sharing };
	void *memory = (void *)(uintptr_t)WL_TOUCHED;
	const int *fd = walk->arg;
	u32 i;

	/* not there before the first run */
	munmap(memory, walk->touched);
	ioctl(*fd, VGPU_IOC_MEM_UNMAP, &mem);
	mem.flags = VGPU_MEM_MANAGED;
	if (ioctl(*fd, VGPU_IOC_MEM_MAP, &mem) ||
	    mmap(memory, walk->touched, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
		 *fd, (off_t)(VGPU_MMAP_MANAGED + WL_TOUCHED)) == MAP_FAILED)
		return wl_walk_say(walk, "%s:%u: no memory for what blocks of %s touch: %s",
				   walk->path, process->line, process->name, strerror(errno));
	if (process->sharing && ioctl(*fd, VGPU_IOC_MEM_ADVISE, &advise))
		return wl_walk_say(walk, "%s:%u: shares_data= of %s: %s", walk->path,
				   process->line, process->name, strerror(errno));
	for (i = 0; i < process->phase_count; i++) {
		const struct wl_phase *phase = &process->phases[i];

		if (phase->kind == WL_KERNEL && phase->kernel.touches &&
		    !(phase->kernel.touch_flags & VGPU_TOUCH_WRITE))
			write_inputs(phase);
	}
	return 0;
}

static void make_queues(const struct run_child *child, int fd, struct wl_walk *walk)
{
	u32 i;

	for (i = 0; i < walk->lane_count; i++) {
		struct vgpu_queue_create create = {};

		if (ioctl(fd, VGPU_IOC_QUEUE_CREATE, &create))
			fail(child, "no queue: %s; a process has at most %u", strerror(errno),
			     VGPU_QUEUES_MAX);
		walk->lanes[i].queue = create.queue;
	}
}

/* Fences of the lanes that have to be answered. */
static u32 list_fences(const struct wl_walk *walk, struct vgpu_fence *fences,
		       struct wl_lane **lanes)
{
	u32 i, count = 0;

	for (i = 0; i < walk->lane_count; i++) {
		struct wl_lane *lane = &walk->lanes[i];

		if (lane->answer_at == WL_NO_ANSWER)
			continue;
		fences[count] = (struct vgpu_fence){ .queue = lane->queue,
						     .seq = lane->pushed - lane->answer_at };
		lanes[count++] = lane;
	}
	return count;
}

static int wake_lanes(struct wl_walk *walk)
{
	while (*walk->unfinished && wl_sleepers_time(walk->sleepers) <= walk->now) {
		wl_walk_woken(wl_sleepers_pop(walk->sleepers));
		if (wl_walk_answer(walk))
			return -1;
	}
	return 0;
}

/* One wait, and the answer to what it was for. */
static int step(const struct run_child *child, int fd, struct wl_walk *walk)
{
	struct vgpu_fence fences[LANES_MAX];
	struct wl_lane *lanes[LANES_MAX];
	u32 count = list_fences(walk, fences, lanes);
	u32 which = wait_any(child, fd, fences, count, wl_sleepers_time(walk->sleepers),
			     &walk->now);

	if (which == VGPU_FENCE_NONE)
		return wake_lanes(walk);
	lanes[which]->pending = lanes[which]->answer_at + 1;
	wl_walk_completed(lanes[which]);
	return wl_walk_answer(walk);
}

void child_replay(const struct run_child *child)
{
	struct wl_lane lanes[LANES_MAX] = {}, *answers[2 * LANES_MAX];
	struct wl_sleepers sleepers;
	int fd = open_device(child);
	struct wl_walk walk = {
		.process = child->process,
		.config = &child->setup->config,
		.path = child->path,
		.outcome = child->outcome,
		.push = push,
		.renew = renew,
		.copy_max = VGPU_COPY_MAX,	/* the driver takes no longer ones */
		.arg = &fd,
		.sleepers = &sleepers,
		.unfinished = &child->shared->unfinished,
		.message = child->shared->message,
	};

	if (wl_sleepers_init(&sleepers, LANES_MAX))
		fail(child, "out of memory");
	make_buffer(child, fd);
	wl_walk_init(&walk, lanes, answers, 0, child->arrival);
	make_queues(child, fd, &walk);
	while (child->shared->unfinished)
		if (step(child, fd, &walk))
			_exit(1);
	/* Not waiting for the device: its time stands until everything is written down. */
	if (write(child->done, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* ---- programs ----------------------------------------------------------- */

void child_exec(const struct run_child *child)
{
	const char *cmd = child->process->cmd;
	char limit[32];
	wordexp_t words;
	u64 now;
	int null;

	/* words as a shell makes them, but no shell: it would be another process */
	if (wordexp(cmd, &words, WRDE_NOCMD) || !words.we_wordc)
		fail(child, "cmd=%s: no command line; quote ( ) { } < > | & ; and $( )", cmd);
	if (child->arrival != VGPU_NEVER)
		wait_any(child, open_device(child), NULL, 0, child->arrival, &now);
	/* the same addresses in every run: they decide which pages are touched */
	personality(ADDR_NO_RANDOMIZE);
	setenv("VGPU_TRANSPORT", "ioctl", 1);
	if (child->process->timing)
		setenv("VGPU_TIMING", child->process->timing, 1);
	if (child->process->memory_budget) {
		snprintf(limit, sizeof(limit), "0=%llu",
			 (unsigned long long)child->process->memory_budget);
		setenv("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", limit, 1);
	}
	null = open("/dev/null", O_RDWR);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		fail(child, "/dev/null: %s", strerror(errno));
	execvp(words.we_wordv[0], words.we_wordv);
	fail(child, "cmd=%s: %s: %s", cmd, words.we_wordv[0], strerror(errno));
}
