// SPDX-License-Identifier: MIT
/*
 * Counters of work: for whom the model has computed since they were last read. Nothing of it
 * depends on how a run is cut. Work that takes no virtual time of its own takes some if there is
 * much of it.
 */
#include <string.h>

#include "block_rig.h"

enum { CONTEXTS = 8 };

/* What one reading said. */
struct reading {
	u32 count;
	void *host[CONTEXTS];
	u32 context[CONTEXTS];
	u64 units[CONTEXTS];
	u64 total;
	u64 sum;
};

static void enter(void *arg, void *host, u32 context, u64 units, u64 total)
{
	struct reading *r = arg;

	assert_true(r->count < CONTEXTS);
	assert_true(units > 0);
	/* it is the same in all calls of a reading */
	if (r->count)
		assert_int_equal(total, r->total);
	r->host[r->count] = host;
	r->context[r->count] = context;
	r->units[r->count] = units;
	r->total = total;
	r->sum += units;
	r->count++;
	assert_true(r->sum <= total);
}

static struct reading read_system(struct vgpu_system *system)
{
	struct reading r = {};

	vgpu_system_work(system, enter, &r);
	return r;
}

static struct reading read_work(struct host *h)
{
	return read_system(vgpu_device_system(h->dev));
}

static u64 units_of(const struct reading *r, const struct host *h, u32 context)
{
	for (u32 i = 0; i < r->count; i++)
		if (r->host[i] == h && r->context[i] == context)
			return r->units[i];
	return 0;
}

/* @steps rounds of a loop of two instructions */
static void loop_program(struct rig *rig, u32 steps)
{
	struct vass v;

	vass_init(&v, 8, 16);
	OPI(&v, ADD, 0, 0, 1);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 2, 0, 0, 0, steps);
	OP(&v, BRA, 0, 0, 0, 0, 0, (u64)VGPU_NO_RECONV << 32);
	vass_guard(&v, 2);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(rig, &v);
}

static void nobody_worked(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 context = host_open(h);

	(void)state;
	assert_int_equal(read_work(h).count, 0);
	host_run(h);
	assert_int_equal(read_work(h).count, 0);
	vgpu_context_close(h->dev, context);
	assert_int_equal(read_work(h).count, 0);
	host_free(h);
}

/* Who computes is charged and who does not is not; reading begins at 0 again. */
static void who_computes(void **state)
{
	struct rig r = start(NULL);
	u32 idle = host_open(r.h);
	struct reading once, twice;

	(void)state;
	loop_program(&r, 1000);
	launch(&r, 4, 64, 0, 0);
	host_run(r.h);
	once = read_work(r.h);
	assert_int_equal(once.count, 1);
	assert_int_equal(once.context[0], r.context);
	assert_ptr_equal(once.host[0], r.h);
	assert_int_equal(once.total, once.units[0]);
	assert_int_equal(read_work(r.h).count, 0);
	/* twice as much is about twice as much */
	launch(&r, 8, 64, 0, 0);
	host_run(r.h);
	twice = read_work(r.h);
	assert_int_equal(units_of(&twice, r.h, idle), 0);
	assert_in_range(twice.sum, once.sum * 18 / 10, once.sum * 22 / 10);
	vgpu_context_close(r.h->dev, idle);
	stop(&r);
}

/* Runs that are cut, and readings in between, add up to the same. */
static void cut_runs(void **state)
{
	u64 sums[2];

	(void)state;
	for (int cut = 0; cut < 2; cut++) {
		struct rig r = start(NULL);
		u64 next;

		loop_program(&r, 1000);
		launch(&r, 30, 64, 0, 0);
		sums[cut] = 0;
		vgpu_system_interrupt(vgpu_device_system(r.h->dev), cut);
		do {
			next = vgpu_device_run(r.h->dev, VGPU_NEVER, cut ? 1 : 1000000);
			sums[cut] += read_work(r.h).total;
		} while (next != VGPU_NEVER);
		stop(&r);
	}
	assert_int_equal(sums[0], sums[1]);
}

/* Profiled kernels by their blocks, copies by their bytes, commands by their number. */
static void kinds_of_work(void **state)
{
	struct host *h = host_new("k20c", NULL);
	enum { COUNT = 5 };
	u32 context[COUNT], queue[COUNT];
	struct reading r;

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		context[i] = host_open(h);
		queue[i] = host_queue(h, context[i]);
		assert_int_equal(vgpu_memory_map(h->dev, context[i], BASE, HOST_MEMORY), 0);
	}
	host_push(h, context[0], queue[0], cmd_profiled(1000, 1000000, 4));
	host_push(h, context[1], queue[1], cmd_h2d(BASE, 0, HOST_MEMORY));
	host_push(h, context[2], queue[2], cmd_nop());
	host_push(h, context[3], queue[3], cmd_fill(BASE, HOST_MEMORY, 1, 1));
	host_push(h, context[4], queue[4], cmd_d2d(BASE, BASE + HOST_MEMORY / 2, HOST_MEMORY / 2));
	host_run(h);
	r = read_work(h);
	assert_int_equal(r.count, COUNT);
	assert_int_equal(r.sum, r.total);
	/* each did more than complete one command */
	for (int i = 0; i < COUNT; i++)
		assert_true(i == 2 || units_of(&r, h, context[i]) >
				      10 * units_of(&r, h, context[2]));
	for (int i = 0; i < COUNT; i++)
		vgpu_context_close(h->dev, context[i]);
	host_free(h);
}

/* What was done for a context that is closed is nobody else's: it stays in the total. */
static void closed(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h);
	u32 qa = host_queue(h, a), qb = host_queue(h, b);
	struct reading r;

	(void)state;
	host_push(h, a, qa, cmd_profiled(1000, 1000000, 4));
	host_push(h, b, qb, cmd_nop());
	host_run(h);
	vgpu_context_close(h->dev, a);
	r = read_work(h);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.context[0], b);
	assert_true(r.total > 10 * r.sum);
	assert_int_equal(read_work(h).count, 0);
	vgpu_context_close(h->dev, b);
	host_free(h);
}

/* Devices of a system have contexts of the same number: the host tells them apart. */
static void devices(void **state)
{
	struct vgpu_config config;
	struct vgpu_system *system;
	struct host *h[2];
	struct reading r;
	u32 id[2];

	(void)state;
	assert_int_equal(vgpu_config_preset(&config, "k20c"), 0);
	assert_int_equal(vgpu_system_create(&system), 0);
	for (int i = 0; i < 2; i++) {
		h[i] = host_new_in(system, &config);
		id[i] = host_open(h[i]);
		host_push(h[i], id[i], host_queue(h[i], id[i]),
			  cmd_profiled(i ? 3000 : 1000, 1000000, 4));
	}
	assert_int_equal(id[0], id[1]);
	host_run(h[0]);
	r = read_system(system);
	assert_int_equal(r.count, 2);
	assert_int_equal(r.sum, r.total);
	assert_in_range(units_of(&r, h[1], id[1]), units_of(&r, h[0], id[0]) * 2,
			units_of(&r, h[0], id[0]) * 4);
	for (int i = 0; i < 2; i++) {
		vgpu_context_close(h[i]->dev, id[i]);
		host_leave(h[i]);
	}
	vgpu_system_destroy(system);
}

/*
 * Blocks that end at once, two in an SM, each with 128 KiB of registers that are cleared: 17244
 * units beside 64 instructions of 20, so 463 instructions' time where it would be 64's.
 */
static void empty_blocks(void **state)
{
	struct rig r = start(NULL);
	const u64 slices = 100, cycles = (463 + 3) / 4;
	struct vass v;
	u64 begin, time;

	(void)state;
	vass_init(&v, 32, 16);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	begin = vgpu_system_now(vgpu_device_system(r.h->dev));
	launch(&r, (u32)slices * 2 * 13, 1024, 0, 0);
	host_run(r.h);
	time = vgpu_system_now(vgpu_device_system(r.h->dev)) - begin;
	assert_in_range(time, slices * cycles * 1000000000 / 706000,
			slices * (cycles + 1) * 1000000000 / 706000 + 2000000);
	stop(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_worked), cmocka_unit_test(who_computes),
		cmocka_unit_test(cut_runs),
		cmocka_unit_test(empty_blocks),	 cmocka_unit_test(kinds_of_work),
		cmocka_unit_test(closed),	 cmocka_unit_test(devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
