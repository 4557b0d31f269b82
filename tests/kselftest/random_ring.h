/* SPDX-License-Identifier: MIT */
/*
 * The random driver's mapped rings: made, filled as they should be, and scribbled over by all
 * threads at once.
 */
#ifndef RANDOM_RING_H
#define RANDOM_RING_H

#include "random.h"

static pthread_mutex_t rings_lock = PTHREAD_MUTEX_INITIALIZER;

/* A ring that is mapped stays so; the file and its queue may go before it. */
static void ring_make(struct thread *t)
{
	struct process *process = t->process;
	int fd = some_file(t);
	struct vgpu_ring_create shape = {
		.queue = some_queue(t),
		.entries = pick(t, 16) ? 8u << pick(t, 5) : (uint32_t)pick(t, 300),
		.param_bytes = (uint32_t)(pick(t, 16) ? PAGE * pick(t, 3) : rnd(&t->seed)),
	};
	uint8_t *ring, *fence;

	if (process->ring_count == RINGS || call(fd, VGPU_IOC_RING_CREATE, &shape))
		return;
	ring = mmap(NULL, shape.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    (off_t)shape.ring_offset);
	fence = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)shape.fence_offset);
	/* another thread has put another file there meanwhile */
	if (ring == MAP_FAILED || fence == MAP_FAILED)
		return;
	pthread_mutex_lock(&rings_lock);
	if (process->ring_count < RINGS) {
		process->rings[process->ring_count] =
			(struct mapping){ shape, ring, (void *)fence };
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		process->ring_count++;
	}
	pthread_mutex_unlock(&rings_lock);
}

static void ring_store(struct thread *t, const struct mapping *m)
{
	volatile struct vgpu_ring *control = (void *)m->ring;
	uint32_t tail = control->tail, count = (uint32_t)pick(t, 5);
	struct affine_params params = { .out = BASE, .factor = 3 };
	struct vgpu_cmd cmd;

	for (uint32_t i = 0; i < count; i++) {
		cmd = some_command(t);
		/* these would end it at once */
		if (cmd.op == VGPU_CMD_COPY_H2D || cmd.op == VGPU_CMD_COPY_D2H ||
		    cmd.op == VGPU_CMD_STAMP)
			cmd = cmd_nop();
		if (cmd.op == VGPU_CMD_LAUNCH && cmd.launch.param_bytes == sizeof(params)) {
			if (m->shape.param_bytes < sizeof(params))
				cmd = cmd_nop();
			memcpy(m->ring + m->shape.params, &params,
			       m->shape.param_bytes ? sizeof(params) : 0);
			cmd.launch.params = 0;
		}
		memcpy(m->ring + m->shape.commands + (tail + i) % m->shape.entries * sizeof(cmd),
		       &cmd, sizeof(cmd));
	}
	if (tail + count - m->fence->head <= m->shape.entries)
		__atomic_store_n(&control->tail, tail + count, __ATOMIC_SEQ_CST);
}

static void ring_scribble(struct thread *t, const struct mapping *m)
{
	for (uint64_t i = pick(t, 20); i; i--)
		((volatile uint64_t *)m->ring)[pick(t, m->shape.ring_bytes / 8)] =
			pick(t, 2) ? rnd(&t->seed) : pick(t, 10);
	if (pick(t, 100) == 0)
		((volatile struct vgpu_ring *)m->ring)->tail += (uint32_t)rnd(&t->seed);
}

static void random_ring(struct thread *t)
{
	struct process *process = t->process;
	const struct mapping *m;

	if (!process->ring_count || pick(t, 20) == 0)
		return ring_make(t);
	m = &process->rings[pick(t, process->ring_count)];
	switch (pick(t, 40)) {
	case 0: return ring_scribble(t, m);
	case 1:
	case 2:
	case 3: {
		int fd = some_file(t);
		struct vgpu_ring_doorbell args = { .queue = pick(t, 8) ? m->shape.queue :
									 some_queue(t) };

		call(fd, VGPU_IOC_RING_DOORBELL, &args);
		return;
	}
	case 4:
		mprotect((void *)m->fence, PAGE, PROT_READ | PROT_WRITE);
		mremap(m->ring, PAGE, 2 * PAGE, 0);
		/* DONTNEED takes the pages away for good */
		madvise(m->ring, m->shape.ring_bytes, (int)pick(t, pick(t, 50) ? 4 : 5));
		return;
	default: return ring_store(t, m);
	}
}

#endif
