// SPDX-License-Identifier: MIT
/*
 * Launches by kernels (exec/children). What a kernel would write into the pool is
 * there before it runs, so that every record can be any. Each launch writes its digit behind those
 * of the ones before it.
 */
#include "exec/children/children.h"
#include "fault_rig.h"

#define POOL	0x100000ull
#define SLOTS	16u
#define ROW	(POOL + sizeof(struct vgpu_launch_pool))
#define RECORDS	(ROW + 64)
#define NUMBER	0x200000ull
#define BYTES	0x20000u
#define DELAY	5000000ull

/* One thread: the number at the address becomes ten times as much, and the digit. */
static void build(struct vass *v, u64 pool)
{
	vass_init(v, 16, 16);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(v, LDP, VASS_MEM(8, 1), 4, 0, 0, 0, 8);
	OP(v, LDG, VASS_MEM(8, 1), 6, 2, 0, 0, 0);
	OPI(v, MULQ, 6, 6, 10);
	OP(v, ADDQ, 0, 6, 6, 4, 0, 0);
	OP(v, STG, VASS_MEM(8, 1), 0, 2, 6, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
	v->kernel.launch_pool[0] = (u32)pool;
	v->kernel.launch_pool[1] = (u32)(pool >> 32);
}

static struct rig start(const char *setting)
{
	const char *const settings[] = { "device_launch_ps=5000000", "sm_setup_ps=0", setting,
					 NULL };
	struct rig r = { .h = rig_host(settings) };
	struct vass v;

	r.context = host_open(r.h);
	r.queue = host_queue(r.h, r.context);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, POOL, BYTES), 0);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, NUMBER, VGPU_PAGE_SIZE), 0);
	build(&v, POOL);
	rig_load(&r, &v);
	return r;
}

static u8 *byte(struct rig *r, u64 address, bool write)
{
	struct vgpu_address_space *as = vgpu_context_find(r->h->dev, r->context)->as;
	u8 *page = NULL;

	assert_int_equal(vgpu_as_translate(as, address, write, &page), VGPU_XLATE_OK);
	return page + address % VGPU_PAGE_SIZE;
}

static void put(struct rig *r, u64 address, const void *from, u32 bytes)
{
	for (u32 n = 0; n < bytes; n++)
		*byte(r, address + n, true) = ((const u8 *)from)[n];
}

static u32 word(struct rig *r, u64 address)
{
	u32 value;

	memcpy(&value, byte(r, address, false), sizeof(value));
	return value;
}

static struct vgpu_launch_record record(const struct rig *r, u64 stream, u64 digit)
{
	struct vgpu_launch_record record = { .state = VGPU_LAUNCH_TAKEN,
					     .launcher = 1,
					     .module = r->module,
					     .grid = { 1, 1, 1 },
					     .block = { 1, 1, 1 },
					     .stream = stream };
	const u64 params[2] = { NUMBER, digit };

	memcpy(record.params, params, sizeof(params));
	return record;
}

/* @count launches are in the pool. @hole: the place in the row of one that is not there yet */
static void fill_pool(struct rig *r, const struct vgpu_launch_record *records, u32 count, u32 hole)
{
	struct vgpu_launch_pool pool = { .slots = SLOTS, .pending = count, .tail = count };

	put(r, POOL, &pool, sizeof(pool));
	for (u32 n = 0; n < count; n++) {
		/* not the first slots */
		u32 place = n == hole ? 0 : (n + 3) % SLOTS + 1;

		put(r, ROW + 4 * n, &place, sizeof(place));
		put(r, RECORDS + (n + 3) % SLOTS * sizeof(*records), &records[n], 256);
	}
}

static u64 number(struct rig *r)
{
	return word(r, NUMBER) | (u64)word(r, NUMBER + 4) << 32;
}

/* The time from the end of launch @from to the start of launch @to. */
static u64 between(struct rig *r, u32 from, u32 to)
{
	return host_time_of(r->h, VGPU_TRACE_KERNEL_START, to) -
	       host_time_of(r->h, VGPU_TRACE_KERNEL_END, from);
}

static void they_run_in_order(void **state)
{
	static const char *const settings[] = {
		"policy=fcfs", "policy=smk", "policy=dss", "allocation=lazy", "sms=1",
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(settings); n++) {
		struct rig r = start(settings[n]);
		const struct vgpu_launch_record records[] = {
			record(&r, VGPU_LAUNCH_TAIL, 4),
			record(&r, VGPU_LAUNCH_IN_ORDER | 7, 1),
			record(&r, VGPU_LAUNCH_TAIL, 5),
			record(&r, VGPU_LAUNCH_IN_ORDER | 7, 2),
			record(&r, VGPU_LAUNCH_IN_ORDER | 7, 3),
		};
		u32 id;

		fill_pool(&r, records, 5, ~0u);
		launch(&r, 1, NUMBER, 9);
		host_run(r.h);
		assert_int_equal(r.h->fault_count, 0);
		assert_int_equal(r.h->completion_count, 1);
		assert_int_equal(number(&r), 912345);
		/* each a launch after the end of what it waits for */
		for (id = 1; id < 6; id++)
			assert_int_equal(between(&r, id, id + 1), DELAY);
		assert_int_equal(r.h->completions[0].time,
				 host_time_of(r.h, VGPU_TRACE_KERNEL_END, 6));
		/* all is free again */
		assert_int_equal(word(&r, POOL + 4), 0);
		assert_int_equal(word(&r, POOL + 12), 5);
		for (u32 i = 0; i < 5; i++) {
			assert_int_equal(word(&r, ROW + 4 * i), 0);
			assert_int_equal(word(&r, RECORDS + (i + 3) * sizeof(*records)), 0);
		}
		host_free(r.h);
	}
}

/* Of several streams, and of none, they begin together. */
static void streams_are_apart(void **state)
{
	struct rig r = start("policy=fcfs");
	const struct vgpu_launch_record records[] = {
		record(&r, VGPU_LAUNCH_IN_ORDER | 1, 0),
		record(&r, VGPU_LAUNCH_IN_ORDER | 2, 0),
		record(&r, VGPU_LAUNCH_FREE, 0),
		record(&r, VGPU_LAUNCH_FREE, 0),
	};

	(void)state;
	fill_pool(&r, records, 4, ~0u);
	launch(&r, 1, NUMBER, 0);
	host_run(r.h);
	assert_int_equal(r.h->completion_count, 1);
	for (u32 id = 2; id < 6; id++)
		assert_int_equal(between(&r, 1, id), DELAY);
	host_free(r.h);
}

/* One that is being written does not keep those behind it from being taken, and stays. */
static void one_may_not_be_there_yet(void **state)
{
	struct rig r = start("policy=fcfs");
	const struct vgpu_launch_record records[] = {
		record(&r, VGPU_LAUNCH_IN_ORDER, 1),
		record(&r, VGPU_LAUNCH_IN_ORDER, 2),
		record(&r, VGPU_LAUNCH_IN_ORDER, 3),
	};
	const u32 place = 1 + 4;

	(void)state;
	fill_pool(&r, records, 3, 1);
	launch(&r, 1, NUMBER, 0);
	host_run(r.h);
	assert_int_equal(number(&r), 13);
	assert_int_equal(word(&r, POOL + 12), 1);
	/* now it is, by a grid that has ended long ago */
	put(&r, ROW + 4, &place, sizeof(place));
	launch(&r, 1, NUMBER, 4);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_LAUNCH);
	host_free(r.h);
}

/* ---- what is wrong ------------------------------------------------------- */

static void forge(struct rig *r, u32 what)
{
	struct vgpu_launch_record one = record(r, VGPU_LAUNCH_IN_ORDER, 1);
	struct vgpu_launch_pool pool = { .slots = SLOTS, .pending = 1, .tail = 1 };
	u32 place = 4;

	switch (what) {
	case 0: one.launcher = 2; break;
	case 1: one.launcher = 0; break;
	case 2: one.module = r->module + 1; break;
	case 3: one.kernel = 1; break;
	case 4: one.grid[1] = 0; break;
	case 5: one.grid[2] = 0x10000; break;
	case 6: one.block[0] = 1025; break;
	case 7: one.block[1] = ~0u; break;
	case 8: one.dynamic_shared = 1u << 20; break;
	case 9: one.dynamic_shared = ~0u; break;
	case 10: one.reserved = 1; break;
	case 11: one.reserved1 = 1; break;
	case 12: one.stream = 3ull << 62; break;
	case 13: pool.slots = 0; break;
	case 14: pool.slots = 24; break;
	case 15: pool.slots = VGPU_LAUNCH_SLOTS_MAX * 2; break;
	case 16: pool.tail = SLOTS + 1; break;
	case 17: pool.head = 2; break;
	case 18: place = SLOTS + 1; break;
	case 19: pool.slots = 4096; place = 4096; break;	/* its record is nowhere */
	}
	fill_pool(r, &one, 1, ~0u);
	put(r, POOL, &pool, sizeof(pool));
	put(r, ROW, &place, sizeof(place));
}

static void what_is_wrong_ends_the_context(void **state)
{
	(void)state;
	for (u32 what = 0; what < 20; what++) {
		struct rig r = start("policy=fcfs");
		u32 other = host_open(r.h), queue = host_queue(r.h, other);
		u64 seq;

		forge(&r, what);
		launch(&r, 1, NUMBER, 0);
		seq = host_push(r.h, other, queue, cmd_nop());
		host_run(r.h);
		assert_int_equal(r.h->fault_count, 1);
		assert_int_equal(r.h->dead[0], r.context);
		assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_LAUNCH);
		assert_int_equal(host_done(r.h, other, queue, seq)->status, 0);
		host_free(r.h);
	}
}

/* The pool is not there. */
static void a_pool_may_be_nowhere(void **state)
{
	struct rig r = start("policy=fcfs");
	struct vass v;

	(void)state;
	build(&v, HOST_MANAGED - VGPU_PAGE_SIZE);
	rig_load(&r, &v);
	launch(&r, 1, NUMBER, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_LAUNCH);
	host_free(r.h);
}

/* A context that ends at any time has nothing left: host_free() looks. */
static void contexts_end_in_between(void **state)
{
	(void)state;
	for (u32 events = 1; events < 60; events++) {
		struct rig r = start("policy=fcfs");
		const struct vgpu_launch_record records[] = {
			record(&r, VGPU_LAUNCH_TAIL, 4),
			record(&r, VGPU_LAUNCH_IN_ORDER | 7, 1),
			record(&r, VGPU_LAUNCH_TAIL, 5),
			record(&r, VGPU_LAUNCH_IN_ORDER | 7, 2),
			record(&r, VGPU_LAUNCH_FREE, 3),
		};

		fill_pool(&r, records, 5, ~0u);
		launch(&r, 1, NUMBER, 9);
		vgpu_device_run(r.h->dev, VGPU_NEVER, events);
		host_free(r.h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_run_in_order),
		cmocka_unit_test(streams_are_apart),
		cmocka_unit_test(one_may_not_be_there_yet),
		cmocka_unit_test(what_is_wrong_ends_the_context),
		cmocka_unit_test(a_pool_may_be_nowhere),
		cmocka_unit_test(contexts_end_in_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
