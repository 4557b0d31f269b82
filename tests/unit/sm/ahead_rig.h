/* SPDX-License-Identifier: MIT */
/*
 * A host that has threads, for tests of slices that are executed ahead of their time (ahead.c). It
 * executes what it is given in any order, so what depends on the order is seen in every run. And
 * programs, whose run is compared with that of a host without threads.
 */
#ifndef AHEAD_RIG_H
#define AHEAD_RIG_H

#include <stdlib.h>
#include <string.h>

#include "../device/host.h"
#include "../device/manual.h"
#include "random_program.h"

#define SMS 5u

/** struct executed - what the host was asked to do */
struct executed {
	struct vgpu_random random;
	u64 batches;
	u64 slices; /* of SMs in those */
	u32 context; /* there are hands for */
	bool locked;
};

/* Now there are, now there are not. */
static inline bool hands(void *host, u32 context)
{
	struct executed *e = host;

	e->context = below(&e->random, 64) ? context : 0;
	return e->context;
}

static inline void parallel(void *host, u32 context, void (*run)(void *arg, u32 n),
			    void (*end)(void *arg, u32 n), void *arg, u32 count)
{
	struct executed *e = host;
	u32 order[SMS];

	assert_in_range(count, 2, SMS);
	assert_int_not_equal(context, 0);
	assert_int_equal(context, e->context);
	for (u32 n = 0; n < count; n++)
		order[n] = n;
	for (u32 n = count; n-- > 1;) {
		u32 other = below(&e->random, n + 1), was = order[n];

		order[n] = order[other];
		order[other] = was;
	}
	for (u32 n = 0; n < count; n++)
		run(arg, order[n]);
	for (u32 n = 0; end && n < count; n++)
		end(arg, n);
	e->batches++;
	e->slices += count;
}

static inline void lock(void *host)
{
	struct executed *e = host;

	assert_false(e->locked);
	e->locked = true;
}

static inline void unlock(void *host)
{
	struct executed *e = host;

	assert_true(e->locked);
	e->locked = false;
}

/* From now on @h has threads, as it were. */
static inline void give_threads(struct host *h, struct executed *e, u64 seed)
{
	vgpu_random_seed(&e->random, seed);
	h->dev->exec.sm_env.parallel =
		(struct vgpu_parallel){.run = parallel,
				       .hands = hands,
				       .lock = lock,
				       .unlock = unlock,
				       .host = e};
}

/* Its policy is @policy, NULL: the tests'. */
static inline struct host *device_with(const char *policy)
{
	struct host *h = host_new("k20c", "sms=5", "active_kernels=8", "slice_ps=300000",
				  "memory_bandwidth=2000000000000", "drain_ps=500000", NULL);

	if (policy)
		assert_int_equal(vgpu_device_knob_set(h->dev, "policy", policy), 0);
	else
		vgpu_exec_set_policy(&h->dev->exec, &manual_policy);
	return h;
}

static inline struct host *device(void)
{
	return device_with(NULL);
}

static inline u32 load(struct host *h, u32 c, const struct vass *v)
{
	char message[256] = "";
	u32 module, bytes;
	void *binary = vass_binary(v, &bytes);

	if (vgpu_module_load(h->dev, c, binary, bytes, message, sizeof(message), &module))
		fail_msg("%s", message);
	free(binary);
	return module;
}

static inline void launch(struct host *h, u32 c, u32 q, u32 module, u32 blocks, u64 param)
{
	struct vgpu_cmd cmd = {.op = VGPU_CMD_LAUNCH,
			       .launch = {.module = module,
					  .grid = {blocks, 1, 1},
					  .block = {THREADS, 1, 1},
					  .param_bytes = 8,
					  .params = 0x1000}};

	assert_int_equal(host_try(h, c, q, &cmd, 0, &param), 0);
}

/*
 * A context that copies @copies times, launches @v, and copies what it computes to @offset.
 * Returns its id.
 */
static inline u32 add_later(struct host *h, const struct vass *v, u32 blocks, u64 offset,
			    u32 copies)
{
	u32 c = host_open(h), q = host_queue(h, c), module = load(h, c, v);

	assert_int_equal(vgpu_memory_map(h->dev, c, BASE, BYTES), 0);
	while (copies--)
		host_push(h, c, q, cmd_h2d(BASE, offset, 4096));
	launch(h, c, q, module, blocks, BASE);
	host_push(h, c, q, cmd_d2h(offset, BASE, BYTES));
	return c;
}

static inline u32 add_program(struct host *h, const struct vass *v, u32 blocks, u64 offset)
{
	return add_later(h, v, blocks, offset, 0);
}

/*
 * Blocks that end within a slice: mostly at equal times, so that others are issued for all of them
 * before they are executed. Some differ. With @atomics each has one whose result the others see.
 */
static inline void short_program(struct vass *v, u64 seed, bool atomics)
{
	struct vgpu_random random;
	u32 skip, count;

	vgpu_random_seed(&random, seed);
	begin_program(v, 24);
	count = 1 + below(&random, 30);
	for (u32 n = 0; n < count; n++)
		OPI(v, MUL, 8, 8, 2654435761u);
	/* every 2nd to 16th block takes longer */
	OPI(v, AND, 10, 1, (2u << below(&random, 4)) - 1);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 1, 10, 0, 0, 1);
	skip = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 1);
	OP(v, LDG, VASS_MEM(4, 1), 9, 4, 0, 0, 0);
	count = below(&random, 60);
	for (u32 n = 0; n < count; n++)
		OP(v, ADD, 0, 8, 8, 9, 0, 0);
	vass_target(v, skip, v->count, v->count);
	OPI(v, MOV, 9, 0, 1);
	if (atomics)
		OP(v, ATOMG, VGPU_ATOM_ADD, 10, 2, 9, 0, COUNTERS);
	OP(v, ADD, 0, 8, 8, 10, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static inline void add_random(struct host *h, u64 seed, u32 rounds, u64 offset)
{
	struct vass v;

	random_program(&v, seed, rounds);
	add_program(h, &v, BLOCKS * 2, offset);
}

/* A random program, or one of short blocks. */
static inline void add_either(struct host *h, u64 seed, u32 rounds, u64 offset)
{
	struct vass v;

	if (seed % 2) {
		add_random(h, seed / 2, rounds, offset);
		return;
	}
	short_program(&v, seed, false);
	add_program(h, &v, 2 * rounds, offset);
}

/* Both end; what happened in them is the same. */
static inline void must_be_the_same(struct host *h, struct host *expected, u64 seed)
{
	if (h->record_count != expected->record_count ||
	    (h->record_count &&
	     memcmp(h->records, expected->records, h->record_count * sizeof(*h->records))))
		fail_msg("seed %llu: the traces differ", (unsigned long long)seed);
	assert_memory_equal(h->memory, expected->memory, 2 * BYTES);
	assert_int_equal(h->fault_count, expected->fault_count);
	assert_int_equal(h->dev->sim->now, expected->dev->sim->now);
	assert_int_equal(h->dev->sim->fired, expected->dev->sim->fired);
	assert_int_equal(h->dev->system->work.total, expected->dev->system->work.total);
	for (u32 n = 0; n < SMS; n++) {
		assert_int_equal(h->dev->exec.sms[n].instructions,
				 expected->dev->exec.sms[n].instructions);
		assert_int_equal(h->dev->exec.sms[n].thread_instructions,
				 expected->dev->exec.sms[n].thread_instructions);
	}
	for (u32 n = 0; n < h->dev->contexts.count; n++)
		assert_memory_equal(vgpu_as_translations(h->dev->contexts.list[n]->as),
				    vgpu_as_translations(expected->dev->contexts.list[n]->as),
				    sizeof(struct vgpu_translations));
	host_leave(h);
	host_free(expected);
}

static inline void run_both(struct host *h, struct host *expected, const struct vass *v, u32 blocks)
{
	add_program(expected, v, blocks, 0);
	add_program(h, v, blocks, 0);
	host_run(expected);
	host_run(h);
}

#endif
