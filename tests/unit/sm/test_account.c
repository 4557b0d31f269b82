// SPDX-License-Identifier: MIT
/*
 * Accounts: everything that the device allocates for a context is charged to it, ends at its budget
 * with an error or a fault of its own, and is uncharged in the end (the device aborts when a closed
 * context has anything left). Others do not notice.
 */
#include <stdlib.h>
#include <string.h>

#include "../device/host.h"
#include "vass_build.h"

#define BASE	0x10000000ull
#define PAGE	4096ull

struct rig {
	struct host *h;
	u32 context, queue;
	u32 other, other_queue;
};

/* A device with two contexts of @budget bytes each. */
static struct rig start(const char *budget)
{
	struct rig r = { .h = host_new("k20c", budget, NULL) };

	r.context = host_open(r.h);
	r.queue = host_queue(r.h, r.context);
	r.other = host_open(r.h);
	r.other_queue = host_queue(r.h, r.other);
	return r;
}

/* The other one can do everything yet. */
static void stop(struct rig *r)
{
	assert_int_equal(vgpu_memory_map(r->h->dev, r->other, BASE, PAGE), 0);
	host_push(r->h, r->other, r->other_queue, cmd_fill(BASE, 1, 1, 1));
	host_run(r->h);
	host_done(r->h, r->other, r->other_queue, 1);
	vgpu_context_close(r->h->dev, r->context);
	host_free(r->h);
}

static u64 bytes_of(const struct rig *r, u32 context)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(r->h->dev, context, &info), 0);
	return info.account.host_bytes;
}

static void must_have_died(const struct rig *r)
{
	assert_int_equal(r->h->fault_count, 1);
	assert_int_equal(r->h->dead[0], r->context);
	assert_int_equal(r->h->faults[0].reason, VGPU_FAULT_NO_MEMORY);
}

static int load(struct rig *r, u32 context, u32 regs, u32 local_bytes, u32 *module)
{
	char message[256] = "";
	struct vass v;
	u32 bytes;
	void *binary;
	int err;

	vass_init(&v, regs, 0);
	v.kernel.local_bytes = local_bytes;
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	binary = vass_binary(&v, &bytes);
	err = vgpu_module_load(r->h->dev, context, binary, bytes, message, sizeof(message), module);
	free(binary);
	return err;
}

static void launch(struct rig *r, u32 context, u32 queue, u32 module, u32 blocks)
{
	host_push(r->h, context, queue,
		  (struct vgpu_cmd){ .op = VGPU_CMD_LAUNCH,
				     .launch = { .module = module,
						 .grid = { blocks, 1, 1 },
						 .block = { 256, 1, 1 } } });
}

/* ---- budgets ------------------------------------------------------------ */

static void a_context_needs_some(void **state)
{
	struct vgpu_config config;
	struct host *h;
	u32 context;

	(void)state;
	assert_int_equal(vgpu_config_preset(&config, "k20c"), 0);
	config.context_budget = 32767;
	assert_non_null(strstr(vgpu_config_check(&config), "context_budget"));
	config.context_budget = 32768;
	h = host_new_config(&config);
	context = host_open(h);
	assert_int_equal(vgpu_memory_map(h->dev, context, BASE, PAGE), 0);
	host_push(h, context, host_queue(h, context), cmd_h2d(BASE, 0, 100));
	host_run(h);
	assert_int_equal(h->fault_count, 0);
	vgpu_context_close(h->dev, context);
	host_free(h);
}

static void mappings_end_at_the_budget(void **state)
{
	struct rig r = start("context_budget=32768");
	u64 n = 0;
	int err;

	(void)state;
	do
		err = vgpu_memory_map(r.h->dev, r.context, BASE + n++ * PAGE, PAGE);
	while (!err && n < 10000);
	assert_int_equal(err, -ENOMEM);
	assert_true(bytes_of(&r, r.context) <= 32768);
	/* what it has, it has */
	assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, PAGE), 0);
	stop(&r);
}

static void page_tables_end_at_the_budget(void **state)
{
	struct rig r = start("context_budget=100000");
	u64 n;

	(void)state;
	for (n = 0; n < 40; n++) {
		assert_int_equal(vgpu_memory_map(r.h->dev, r.context, BASE + (n << 21), PAGE), 0);
		host_push(r.h, r.context, r.queue, cmd_d2h(0, BASE + (n << 21), 8));
	}
	host_run(r.h);
	must_have_died(&r);
	assert_true(bytes_of(&r, r.context) <= 100000);
	stop(&r);
}

static void commands_end_at_the_budget(void **state)
{
	struct rig r = start("context_budget=50000");
	struct vgpu_cmd nop = cmd_nop();
	u32 n = 0;
	int err;

	(void)state;
	host_push(r.h, r.context, r.queue, cmd_profiled(1, VGPU_MS, 4));
	do
		err = host_try(r.h, r.context, r.queue, &nop, 0, NULL);
	while (!err && n++ < 10000);
	assert_int_equal(err, -ENOMEM);
	assert_true(bytes_of(&r, r.context) <= 50000);
	host_run(r.h);
	/* not its end: those that were pushed have ended, and there is room again */
	assert_int_equal(r.h->fault_count, 0);
	host_push(r.h, r.context, r.queue, nop);
	host_run(r.h);
	stop(&r);
}

static void modules_end_at_the_budget(void **state)
{
	struct rig r = start("context_budget=32768");
	u32 module, n = 0;
	u64 before;
	int err;

	(void)state;
	do {
		before = bytes_of(&r, r.context);
		err = load(&r, r.context, 16, 0, &module);
		assert_true(err || bytes_of(&r, r.context) > before);
	} while (!err && n++ < 1000);
	assert_int_equal(err, -ENOMEM);
	assert_int_equal(bytes_of(&r, r.context), before);
	/* one goes, one comes */
	assert_int_equal(vgpu_module_unload(r.h->dev, r.context, 1), 0);
	assert_int_equal(load(&r, r.context, 16, 0, &module), 0);
	stop(&r);
}

static void states_of_blocks_end_at_the_budget(void **state)
{
	struct rig r = start("context_budget=1000000");
	u32 module;

	(void)state;
	assert_int_equal(load(&r, r.context, 32, 64 << 10, &module), 0);
	launch(&r, r.context, r.queue, module, 1000);
	host_run(r.h);
	must_have_died(&r);
	assert_true(bytes_of(&r, r.context) <= 1000000);
	stop(&r);
}

/* What lies in pools of one size is given up for blocks of another. */
static void pools_give_way(void **state)
{
	struct rig r = start("context_budget=12000000");
	u32 small, large;

	(void)state;
	assert_int_equal(load(&r, r.context, 32, 0, &small), 0);
	assert_int_equal(load(&r, r.context, 32, 36 << 10, &large), 0);
	launch(&r, r.context, r.queue, small, 104);
	host_run(r.h);
	assert_true(bytes_of(&r, r.context) > 12000000 - 256 * (36 << 10));
	launch(&r, r.context, r.queue, large, 1);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	stop(&r);
}

/* ---- who pays ----------------------------------------------------------- */

static void nobody_uses_what_another_pays_for(void **state)
{
	struct rig r = start("context_budget=0");
	u32 one, two;
	u64 first, before;

	(void)state;
	assert_int_equal(load(&r, r.context, 32, 0, &one), 0);
	assert_int_equal(load(&r, r.other, 32, 0, &two), 0);
	before = bytes_of(&r, r.context);
	launch(&r, r.context, r.queue, one, 13);
	host_run(r.h);
	/* states of ended blocks and a command are kept, on its bill */
	first = bytes_of(&r, r.context);
	assert_true(first > before);
	before = bytes_of(&r, r.other);
	launch(&r, r.other, r.other_queue, two, 13);
	host_run(r.h);
	/* the other one has as many of its own, and those of the first are gone */
	assert_true(bytes_of(&r, r.other) > before);
	assert_true(bytes_of(&r, r.context) < first);
	vgpu_context_close(r.h->dev, r.other);
	vgpu_context_close(r.h->dev, r.context);
	host_free(r.h);
}

static void what_is_freed_is_uncharged(void **state)
{
	struct rig r = start("context_budget=0");
	u32 module;
	u64 before;

	(void)state;
	before = bytes_of(&r, r.other);
	assert_int_equal(bytes_of(&r, r.context), before);
	for (u64 n = 0; n < 10; n++) {
		assert_int_equal(vgpu_memory_map(r.h->dev, r.context, BASE + (n << 21), PAGE), 0);
		host_push(r.h, r.context, r.queue, cmd_fill(BASE + (n << 21), 1, 1, 1));
	}
	assert_int_equal(load(&r, r.context, 16, 0, &module), 0);
	host_run(r.h);
	assert_true(bytes_of(&r, r.context) > before + 10 * PAGE);
	assert_int_equal(bytes_of(&r, r.other), before);
	for (u64 n = 0; n < 10; n++)
		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE + (n << 21), PAGE),
				 0);
	assert_int_equal(vgpu_module_unload(r.h->dev, r.context, module), 0);
	/* but for commands kept for later, and arrays that have grown */
	assert_true(bytes_of(&r, r.context) < before + 4 * PAGE);
	stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_context_needs_some),
		cmocka_unit_test(mappings_end_at_the_budget),
		cmocka_unit_test(page_tables_end_at_the_budget),
		cmocka_unit_test(commands_end_at_the_budget),
		cmocka_unit_test(modules_end_at_the_budget),
		cmocka_unit_test(states_of_blocks_end_at_the_budget),
		cmocka_unit_test(pools_give_way),
		cmocka_unit_test(nobody_uses_what_another_pays_for),
		cmocka_unit_test(what_is_freed_is_uncharged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
