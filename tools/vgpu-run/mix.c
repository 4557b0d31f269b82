// SPDX-License-Identifier: MIT
/*
 * vgpu-run: a mix of processes on the driver, in lockstep. Each has a seat at the clock, kept here.
 * They are started one after the other, the next when the one before waits; meanwhile the seats of
 * those that have not begun hold the clock, so that all find the same virtual time. The same holds
 * when a program ends: its seat keeps the clock where it is until the next run of it has begun, or
 * until everything is written down.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

/* Real time without anything happening before somebody is to blame. */
#define PATIENCE_S	60
#define TICK_MS		100

struct proc {
	const struct wl_process *process;
	int seat;
	pid_t pid;			/* 0: none */
	int pidfd;
	u64 started;			/* a program: virtual time of its present run */
};

struct mix {
	const struct wl_setup *setup;
	const char *path;
	struct proc *procs;
	u32 count;
	struct run_shared *shared;
	int done[2];			/* pipe from the child that finds nothing left to do */
	u64 start;			/* virtual time of the beginning */
	pid_t *pids;			/* every process there was … */
	u32 *pid_procs;			/* … and whose it was */
	u32 pid_count;
	u32 first_context;		/* in the trace; 0: none yet */
	u32 first_kernel;
	char *message;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int signal)
{
	interrupted = signal;
}

static int mix_error(struct mix *mix, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int mix_error(struct mix *mix, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(mix->message, WL_MESSAGE_BYTES, format, args);
	va_end(args);
	return -1;
}

/* ---- seats -------------------------------------------------------------- */

/*
 * What processes of an earlier run left behind has to pass: a host that is still busy with page
 * faults of theirs, and data that is still on the interconnect.
 */
#define SETTLE_PS	(100 * VGPU_MS)

static int settle(struct mix *mix, int fd)
{
	struct vgpu_wait_any wait = { .until = 0 };
	u32 i;

	for (i = 0; i < 2; i++) {
		if (ioctl(fd, VGPU_IOC_WAIT_ANY, &wait))
			return mix_error(mix, "%s: waiting for the device: %s", RUN_DEVICE,
					 strerror(errno));
		wait.until = wait.time + SETTLE_PS;
	}
	return 0;
}

static int seats_create(struct mix *mix)
{
	int fd = open(RUN_DEVICE, O_RDWR | O_CLOEXEC);
	u32 i;

	if (fd < 0)
		return mix_error(mix, "%s: %s", RUN_DEVICE, strerror(errno));
	if (settle(mix, fd)) {
		close(fd);
		return -1;
	}
	for (i = 0; i < mix->count; i++) {
		struct vgpu_seat_create create = { .priority =
							   (s32)mix->procs[i].process->priority };

		if (ioctl(fd, VGPU_IOC_SEAT_CREATE, &create)) {
			close(fd);
			return mix_error(mix, "%s: cannot create a seat for %s: %s", RUN_DEVICE,
				   mix->procs[i].process->name, strerror(errno));
		}
		mix->procs[i].seat = create.fd;
	}
	close(fd);
	return 0;
}

static int seat_info(struct mix *mix, const struct proc *proc, struct vgpu_seat_info *info)
{
	if (!ioctl(proc->seat, VGPU_IOC_SEAT_INFO, info))
		return 0;
	return mix_error(mix, "%s: cannot read the seat of %s: %s", RUN_DEVICE, proc->process->name,
			 strerror(errno));
}

static int seat_sum(struct mix *mix, const struct proc *proc, struct vgpu_context_info *sum)
{
	if (!ioctl(proc->seat, VGPU_IOC_CONTEXT_INFO, sum))
		return 0;
	return mix_error(mix, "%s: cannot read the counters of %s: %s", RUN_DEVICE,
			 proc->process->name,
		   strerror(errno));
}

/* ---- processes ---------------------------------------------------------- */

/* In the child: what it must not inherit from here, and its end with ours. */
static void child_begin(struct mix *mix, const struct proc *proc, u64 arrival, int go)
{
	struct run_child child = {
		.setup = mix->setup,
		.process = proc->process,
		.path = mix->path,
		.shared = mix->shared,
		.outcome = &mix->shared->processes[proc - mix->procs],
		.arrival = arrival,
		.done = mix->done[1],
	};
	char byte;
	u32 i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* as ps, vgpu-top and control loops see it; a program takes its own */
	prctl(PR_SET_NAME, proc->process->name);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	for (i = 0; i < mix->count; i++)
		close(mix->procs[i].seat);
	/* its seat is moved to it first */
	if (read(go, &byte, 1) != 1)
		_exit(1);
	close(go);
	if (proc->process->cmd)
		child_exec(&child);
	child_replay(&child);
}

static int remember(struct mix *mix, pid_t pid, u32 proc)
{
	u32 count = mix->pid_count;

	if (!(count & (count - 1))) {
		u32 room = count ? count * 2 : 1;
		pid_t *pids = realloc(mix->pids, room * sizeof(*pids));
		u32 *procs = pids ? realloc(mix->pid_procs, room * sizeof(*procs)) : NULL;

		if (pids)
			mix->pids = pids;
		if (!procs)
			return mix_error(mix, "%s: out of memory", mix->path);
		mix->pid_procs = procs;
	}
	mix->pids[count] = pid;
	mix->pid_procs[count] = proc;
	mix->pid_count++;
	return 0;
}

/* Start @proc, whose first run begins at virtual time @arrival (VGPU_NEVER: at once). */
static int start(struct mix *mix, struct proc *proc, u64 arrival)
{
	struct vgpu_seat_move move = {};
	int go[2];

	if (pipe2(go, O_CLOEXEC))
		return mix_error(mix, "cannot create a pipe: %s", strerror(errno));
	proc->pid = fork();
	if (!proc->pid) {
		close(go[1]);
		child_begin(mix, proc, arrival, go[0]);
	}
	close(go[0]);
	if (proc->pid < 0) {
		close(go[1]);
		proc->pid = 0;
		return mix_error(mix, "cannot create a process for %s: %s", proc->process->name,
				 strerror(errno));
	}
	proc->pidfd = (int)syscall(SYS_pidfd_open, proc->pid, 0);
	move.pid = proc->pid;
	if (proc->pidfd < 0 || ioctl(proc->seat, VGPU_IOC_SEAT_MOVE, &move) ||
	    write(go[1], "", 1) != 1) {
		close(go[1]);
		return mix_error(mix, "cannot move the seat to %s: %s", proc->process->name,
				 strerror(errno));
	}
	close(go[1]);
	return remember(mix, proc->pid, (u32)(proc - mix->procs));
}

/* A process has ended that must not: say why. */
static int bad_end(struct mix *mix, const struct proc *proc, int status)
{
	const struct wl_process *process = proc->process;

	if (mix->shared->message[0])
		return mix_error(mix, "%s", mix->shared->message);
	if (WIFSIGNALED(status))
		return mix_error(mix, "%s:%u: [%s] was killed by signal %d, %s", mix->path,
				 process->line, process->name, WTERMSIG(status),
				 strsignal(WTERMSIG(status)));
	return mix_error(mix, "%s:%u: [%s] exited with status %d: %s", mix->path, process->line,
		   process->name, WEXITSTATUS(status),
		   process->cmd ? process->cmd : "a replay must not exit");
}

/* The process of @proc has ended. For a program that is a completed run. */
static int ended(struct mix *mix, struct proc *proc)
{
	struct wl_process_outcome *outcome = &mix->shared->processes[proc - mix->procs];
	const struct wl_process *process = proc->process;
	struct vgpu_seat_info info;
	int status;

	close(proc->pidfd);
	waitpid(proc->pid, &status, 0);
	proc->pid = 0;
	if (!process->cmd || status)
		return bad_end(mix, proc, status);
	if (seat_info(mix, proc, &info))
		return -1;
	if (info.time <= proc->started)
		return mix_error(mix,
			   "%s:%u: [%s] took no virtual time: it did not use the device: %s",
			   mix->path, process->line, process->name, process->cmd);
	outcome->runs++;
	outcome->turnaround_ps += info.time - proc->started;
	if (outcome->runs == process->repeat)
		mix->shared->unfinished--;
	proc->started = info.time;
	return mix->shared->unfinished ? start(mix, proc, VGPU_NEVER) : 0;
}

/* ---- waiting ------------------------------------------------------------ */

/* Until @proc, which begins, waits for the device; it may end without. */
static int await_first_wait(struct mix *mix, struct proc *proc)
{
	struct pollfd fds[2] = { { .fd = proc->seat, .events = POLLIN },
				 { .fd = proc->pidfd, .events = POLLIN } };
	int n = poll(fds, 2, PATIENCE_S * 1000);

	if (n < 0)
		return mix_error(mix, interrupted ? "interrupted" : "poll: %s", strerror(errno));
	if (!n)
		return mix_error(mix, "%s:%u: [%s] did not wait for the device within %d s",
			   mix->path, proc->process->line, proc->process->name, PATIENCE_S);
	return !fds[0].revents && fds[1].revents ? ended(mix, proc) : 0;
}

/* Nothing moves. */
static int blame(struct mix *mix)
{
	struct vgpu_seat_info info;
	u32 i;

	for (i = 0; i < mix->count; i++) {
		const struct wl_process *process = mix->procs[i].process;

		if (seat_info(mix, &mix->procs[i], &info))
			return -1;
		if (!info.blocked)
			return mix_error(
				mix,
				"%s:%u: [%s], process %d, holds the clock: it has not waited for "
				"the device for %d s",
				mix->path, process->line, process->name, (int)mix->procs[i].pid,
				PATIENCE_S);
	}
	return mix_error(mix,
		   "%s: deadlock: all processes wait for the device, and the device is idle",
		   mix->path);
}

static int take_trace(struct mix *mix);

static int wait_all(struct mix *mix, struct pollfd *fds)
{
	u64 last = mix->start;
	int idle = 0;

	while (mix->shared->unfinished) {
		struct vgpu_seat_info info;
		u32 i;
		int n;

		for (i = 0; i < mix->count; i++)
			fds[i] = (struct pollfd){ .fd = mix->procs[i].pidfd, .events = POLLIN };
		fds[i] = (struct pollfd){ .fd = mix->done[0], .events = POLLIN };
		n = poll(fds, mix->count + 1, TICK_MS);
		if (interrupted)
			return mix_error(mix, "interrupted");
		if (n < 0)
			return mix_error(mix, "poll: %s", strerror(errno));
		for (i = 0; i < mix->count; i++)
			if (fds[i].revents && ended(mix, &mix->procs[i]))
				return -1;
		if (take_trace(mix) || seat_info(mix, &mix->procs[0], &info))
			return -1;
		idle = n || info.time != last ? 0 : idle + TICK_MS;
		last = info.time;
		if (idle > PATIENCE_S * 1000)
			return blame(mix);
	}
	return 0;
}

/* ---- the trace ---------------------------------------------------------- */

/* Ids only grow; in a trace they begin with 1. */
static u32 from_one(u32 id, u32 *first)
{
	if (!*first)
		*first = id;
	return id ? id - *first + 1 : 0;
}

/* Times in other fields than the time; 0: none. */
static void rebase(struct vgpu_trace_record *record, u64 start)
{
	switch (record->type) {
	case VGPU_TRACE_PREEMPT_END:
		record->a -= start;
		break;
	case VGPU_TRACE_WRITE_BACK:
		record->seq -= start;
		record->a -= start;
		break;
	case VGPU_TRACE_PAGE_FAULT_ENTER:
	case VGPU_TRACE_PAGE_FAULT_SERVED:
	case VGPU_TRACE_PAGE_FAULT_CANCELLED:
	case VGPU_TRACE_HOST_FAULT_SERVED:
	case VGPU_TRACE_HOST_FAULT_CANCELLED:
	case VGPU_TRACE_MIGRATE_START:
	case VGPU_TRACE_MIGRATE_END:
	case VGPU_TRACE_MIGRATE_CANCELLED:
		if (record->seq >= start)
			record->seq -= start;
		break;
	}
}

/* Launches in other fields than the kernel. */
static void renumber(struct vgpu_trace_record *record, u32 *first)
{
	if (record->type == VGPU_TRACE_PREEMPT_START)
		record->a = from_one((u32)record->a, first);
	if (record->type == VGPU_TRACE_DECISION &&
	    (record->a == VGPU_DECISION_RESERVE || record->a == VGPU_DECISION_REPLACE))
		record->b = from_one((u32)record->b, first);
}

/*
 * As vgpu-sim has it: time from the start of the mix, contexts labelled with the number of their
 * process, from 1.
 */
static void trace_record(void *arg, const struct vgpu_trace_record *record)
{
	struct mix *mix = arg;
	struct vgpu_trace_record copy = *record;
	u32 i;

	if (record->time < mix->start)
		return;
	copy.time -= mix->start;
	rebase(&copy, mix->start);
	copy.context = from_one(record->context, &mix->first_context);
	copy.kernel = from_one(record->kernel, &mix->first_kernel);
	renumber(&copy, &mix->first_kernel);
	if (record->type == VGPU_TRACE_CONTEXT_OPEN)
		for (i = 0, copy.a = 0; i < mix->pid_count; i++)
			if ((u64)mix->pids[i] == record->a)
				copy.a = mix->pid_procs[i] + 1;
	mix->setup->trace(mix->setup->trace_arg, &copy);
}

static int take_trace(struct mix *mix)
{
	u64 lost = 0;

	if (!mix->setup->trace)
		return 0;
	if (driver_trace_take(trace_record, mix, &lost))
		return mix_error(mix, "the trace of the device: %s", strerror(errno));
	if (lost)
		return mix_error(
			mix,
			"the trace of the device was full, %llu records are lost: load the module "
			"with a larger "
			"trace_records=",
			(unsigned long long)lost);
	return 0;
}

/* ---- the whole ---------------------------------------------------------- */

static int start_all(struct mix *mix)
{
	u32 i;

	for (i = 0; i < mix->count; i++) {
		struct proc *proc = &mix->procs[i];

		proc->started = mix->start + proc->process->arrival_ps;
		if (start(mix, proc, proc->started))
			return -1;
		/* with the last one nobody holds the clock any more */
		if (i + 1 < mix->count && await_first_wait(mix, proc))
			return -1;
	}
	return 0;
}

static int write_down(struct mix *mix, const struct vgpu_device_stats *before,
		      struct wl_outcome *outcome)
{
	struct vgpu_seat_info info;
	unsigned int state;
	u32 i;

	outcome->unfinished = 0;
	if (driver_stats(&outcome->stats, mix->message) ||
	    driver_latency(&outcome->preemptions, mix->message))
		return -1;
	outcome->stats.events -= before->events;
	outcome->stats.preemptions = outcome->preemptions.count;
	outcome->stats.preemption_time = outcome->preemptions.total_ps;
	for (state = 0; state < VGPU_SM_STATES; state++)
		outcome->stats.sm_time[state] -= before->sm_time[state];
	for (i = 0; i < mix->count; i++) {
		outcome->processes[i] = mix->shared->processes[i];
		if (seat_info(mix, &mix->procs[i], &info) ||
		    seat_sum(mix, &mix->procs[i], &outcome->processes[i].info))
			return -1;
	}
	outcome->time_ps = info.time - mix->start;
	return 0;
}

static int run(struct mix *mix, struct wl_outcome *outcome)
{
	struct vgpu_device_stats before;
	struct pollfd *fds = calloc(mix->count + 1, sizeof(*fds));
	struct vgpu_seat_info info;
	int err;

	if (!fds)
		return mix_error(mix, "%s: out of memory", mix->path);
	err = seats_create(mix) || seat_info(mix, &mix->procs[0], &info);
	if (!err) {
		mix->start = info.time;
		err = driver_stats(&before, mix->message) || driver_latency_begin(mix->message) ||
		      (mix->setup->trace && driver_trace(true, mix->message)) || start_all(mix) ||
		      wait_all(mix, fds) || write_down(mix, &before, outcome);
	}
	free(fds);
	return err ? -1 : 0;
}

/*
 * The last first, as a device that is destroyed closes them. The seats hold the clock until all are
 * gone.
 */
static int stop_all(struct mix *mix)
{
	int err;
	u32 i;

	for (i = mix->count; i--; ) {
		struct proc *proc = &mix->procs[i];

		if (proc->pid <= 0)
			continue;
		kill(proc->pid, SIGKILL);
		waitpid(proc->pid, NULL, 0);
		close(proc->pidfd);
	}
	err = take_trace(mix);
	if (mix->setup->trace && driver_trace(false, mix->message))
		err = -1;
	for (i = 0; i < mix->count; i++)
		if (mix->procs[i].seat >= 0)
			close(mix->procs[i].seat);
	return err;
}

static int prepare(struct mix *mix, const struct wl_process *processes, struct wl_outcome *outcome,
		   size_t bytes)
{
	struct sigaction action = { .sa_handler = on_signal };
	u32 i;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	mix->procs = calloc(mix->count, sizeof(*mix->procs));
	outcome->processes = calloc(mix->count, sizeof(*outcome->processes));
	mix->shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!mix->procs || !outcome->processes || mix->shared == MAP_FAILED)
		return mix_error(mix, "%s: out of memory", mix->path);
	mix->shared->unfinished = mix->count;
	for (i = 0; i < mix->count; i++)
		mix->procs[i] = (struct proc){ .process = &processes[i], .seat = -1, .pidfd = -1 };
	return pipe2(mix->done, O_CLOEXEC) ?
		mix_error(mix, "cannot create a pipe: %s", strerror(errno)) : 0;
}

int run_mix(const struct wl_setup *setup, const char *path, const struct wl_process *processes,
	    u32 count, struct wl_outcome *outcome, char *message)
{
	size_t bytes = sizeof(struct run_shared) + count * sizeof(struct wl_process_outcome);
	struct mix mix = { .setup = setup, .path = path, .count = count, .message = message };
	int err;

	memset(outcome, 0, sizeof(*outcome));
	if (driver_configure(setup, message))
		return -1;
	err = prepare(&mix, processes, outcome, bytes);
	if (!err) {
		char ignored[WL_MESSAGE_BYTES];

		err = run(&mix, outcome);
		driver_dropped(outcome->dropped, sizeof(outcome->dropped));
		/* the first thing that went wrong is what is said */
		mix.message = err ? ignored : message;
		if (stop_all(&mix))
			err = -1;
		close(mix.done[0]);
		close(mix.done[1]);
	}
	if (mix.shared != MAP_FAILED)
		munmap(mix.shared, bytes);
	free(mix.procs);
	free(mix.pids);
	free(mix.pid_procs);
	if (err)
		wl_outcome_free(outcome);
	return err;
}
