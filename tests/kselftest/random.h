/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the random driver share: a process with its files, mapped rings and memory, a
 * thread of it with its own generator, and values that are right just often enough to get
 * somewhere.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <pthread.h>

#include "vgpu_asm.h"

#define FILES		3
#define QUEUES		4
#define RINGS		8
#define ARENA_PAGES	16u
#define VIEW_PAGES	24u		/* and four behind them, where one may end */
#define VIRTUAL_MS	1000000000ull

/** struct mapping - a ring of some queue; stays until the process ends */
struct mapping {
	struct vgpu_ring_create shape;
	uint8_t *ring;
	const struct vgpu_ring_fence *fence;
};

/** struct process - what the threads of one process share */
struct process {
	bool root;
	int files[FILES];
	/* of each file; hardware queues are numbered through all processes */
	uint32_t queues[FILES][QUEUES];
	/* sockets that descriptors travel through, to any other process */
	int pass[2];
	/* the last page but one is not there, the last one is read-only */
	uint8_t *arena;
	uint8_t *views;			/* of managed memory, or nothing */
	struct mapping rings[RINGS];
	volatile uint32_t ring_count;
	unsigned long *done;	/* counts what it did; others read it */
};

/** struct thread - one of them */
struct thread {
	struct process *process;
	uint64_t seed;
	size_t file;			/* the last one it took */
};

static inline uint64_t pick(struct thread *t, uint64_t count)
{
	return rnd(&t->seed) % count;
}

static inline int some_file(struct thread *t)
{
	t->file = pick(t, FILES);
	return t->process->files[t->file];
}

static inline uint32_t some_queue(struct thread *t)
{
	return pick(t, 32) ? t->process->queues[t->file][pick(t, QUEUES)] :
			     (uint32_t)(rnd(&t->seed) >> pick(t, 64));
}

static inline uint64_t some_address(struct thread *t)
{
	uint8_t *arena = t->process->arena;

	switch (pick(t, 16)) {
	case 0: return 0;
	case 1: return rnd(&t->seed);
	case 2: return (uintptr_t)arena + (ARENA_PAGES - 2) * PAGE - pick(t, 64);
	case 3: return 0xffff888000000000ull + pick(t, PAGE);
	case 4: return ~0ull - pick(t, 64);
	case 5:
		return t->process->ring_count ?
			       (uintptr_t)t->process->rings[0].ring + pick(t, PAGE) :
			       0;
	case 6: return (uintptr_t)t->process->views + pick(t, VIEW_PAGES * PAGE);
	default: return (uintptr_t)arena + pick(t, ARENA_PAGES * PAGE);
	}
}

static inline uint64_t some_device_address(struct thread *t)
{
	switch (pick(t, 12)) {
	case 0: return rnd(&t->seed);
	case 1: return VGPU_ADDRESS_LIMIT - pick(t, 2 * PAGE);
	default: return BASE + pick(t, 8) * PAGE + (pick(t, 2) ? 0 : pick(t, PAGE));
	}
}

static inline uint64_t some_size(struct thread *t)
{
	switch (pick(t, 12)) {
	case 0: return rnd(&t->seed);
	case 1: return 0;
	case 2:
	case 3: return PAGE * pick(t, 8);
	default: return pick(t, 4 * PAGE);
	}
}

static inline uint64_t some_time(struct thread *t)
{
	switch (pick(t, 8)) {
	case 0: return rnd(&t->seed);
	case 1: return ~0ull - pick(t, 3);
	default: return pick(t, VIRTUAL_MS);
	}
}

/* Operands of any kind: whatever may be wrong with them often is. */
static inline struct vgpu_cmd wrong_command(struct thread *t)
{
	struct vgpu_cmd cmd = {};

	switch (pick(t, 9)) {
	case 0:
		for (size_t i = 0; i < 7; i++)
			cmd.raw[i] = rnd(&t->seed);
		cmd.op = (uint16_t)pick(t, VGPU_CMD_COUNT + 1);
		return cmd;
	case 1: return cmd_h2d(some_device_address(t), (void *)some_address(t), some_size(t));
	case 2: return cmd_d2h((void *)some_address(t), some_device_address(t), some_size(t));
	case 3:
		return cmd_copy(VGPU_CMD_COPY_D2D, some_device_address(t), some_device_address(t),
				some_size(t));
	case 4:
		return cmd_fill(some_device_address(t), (uint32_t)t->seed, 1u << pick(t, 4),
				some_size(t));
	case 5: return cmd_wait(some_queue(t), rnd(&t->seed));
	case 6: return cmd_stamp((void *)some_address(t));
	case 7: return cmd_profiled(1 + pick(t, 1000), rnd(&t->seed) >> pick(t, 64));
	default:
		return cmd_launch((uint32_t)pick(t, 4), (uint32_t)pick(t, 3), (uint32_t)pick(t, 9),
				  (uint32_t)pick(t, 300), (void *)some_address(t),
				  (uint32_t)pick(t, 20));
	}
}

#define DATA_PAGES	8u		/* in the arena, and on the device behind BASE */
#define PARAMS_PAGE	12u		/* two struct affine_params lie there */
#define MODULE		1u		/* of fresh_file() */

static inline struct vgpu_cmd some_command(struct thread *t)
{
	uint64_t bytes = 1 + pick(t, PAGE), offset = pick(t, (DATA_PAGES - 1) * PAGE);
	uint8_t *memory = t->process->arena + pick(t, (DATA_PAGES - 1) * PAGE);

	switch (pick(t, 32)) {
	case 0: return wrong_command(t);
	case 1:
		/* a stretch of an endless kernel costs more than all else */
		if (pick(t, 4))
			return cmd_nop();
		return cmd_launch(MODULE, 1, 1 + (uint32_t)pick(t, 20), 32, NULL, 0);
	case 2:
	case 3:
	case 4: return cmd_h2d(BASE + offset, memory, bytes);
	case 5:
	case 6:
	case 7: return cmd_d2h(memory, BASE + offset, bytes);
	case 8:
	case 9: return cmd_copy(VGPU_CMD_COPY_D2D, BASE + offset, BASE + pick(t, PAGE), bytes);
	case 10:
	case 11: return cmd_fill((BASE + offset) & ~3ull, (uint32_t)t->seed, 4, 1 + bytes / 4);
	case 12:
	case 13: return cmd_wait(some_queue(t), pick(t, 4));
	case 14:
	case 15: return cmd_stamp((void *)((uintptr_t)memory & ~7ull));
	case 16: return cmd_touching(1 + pick(t, DATA_PAGES), BASE);
	case 17:
	case 18: return cmd_profiled(1 + pick(t, 200), 1 + pick(t, VIRTUAL_MS / 100));
	case 19:
		/* its own memory, which the file may not be for */
		return cmd_launch(MODULE, 0, 1 + (uint32_t)pick(t, 10), 1 + (uint32_t)pick(t, 128),
				  t->process->arena + PARAMS_PAGE * PAGE +
					  sizeof(struct affine_params),
				  sizeof(struct affine_params));
	case 20:
	case 21:
	case 22:
	case 23:
	case 24:
		return cmd_launch(MODULE, 0, 1 + (uint32_t)pick(t, 10), 1 + (uint32_t)pick(t, 128),
				  t->process->arena + PARAMS_PAGE * PAGE,
				  sizeof(struct affine_params));
	default: return cmd_nop();
	}
}

/* A file with what most commands need, to become number @index of the process. */
static inline int fresh_file(struct thread *t, size_t index)
{
	struct program p = {};
	char path[32];
	struct binary b;
	int fd;

	snprintf(path, sizeof(path), "/dev/vgpu%d", pick(t, 4) ? 0 : (int)pick(t, 4));
	fd = open(path, O_RDWR | (pick(t, 2) ? O_CLOEXEC : 0));
	if (fd < 0)
		return fd;
	kernel_affine(&p);
	kernel_endless(&p);
	module_load(fd, &b, program_binary(&p, &b), NULL, 0);
	for (size_t i = 0; i < QUEUES; i++)
		t->process->queues[index][i] = (uint32_t)queue_create(fd);
	if (pick(t, 2))
		mem_map(fd, BASE, DATA_PAGES * PAGE);
	else
		mem_map_managed(fd, BASE, DATA_PAGES * PAGE);
	if (pick(t, 4))
		process_memory(fd);
	return fd;
}

#endif
