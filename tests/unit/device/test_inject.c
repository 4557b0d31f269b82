// SPDX-License-Identifier: MIT
/*
 * Faults that root injects (vgpu_device_inject()): which XIDs end a context, what is counted, the
 * device that is offline; at random times while blocks leave SMs, where other contexts compute what
 * they would.
 */
#include "host.h"
#include "manual.h"

static int inject(struct host *h, u32 kind, u32 xid, u32 context, u32 *said)
{
	const struct vgpu_injection what = { .kind = kind, .xid = xid, .context = context };

	return vgpu_device_inject(h->dev, &what, said);
}

static struct vgpu_device_stats stats_of(struct host *h)
{
	struct vgpu_device_stats stats;

	vgpu_device_stats(h->dev, &stats);
	return stats;
}

static u32 reason_of(struct host *h, u32 context)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(h->dev, context, &info), 0);
	return info.dead ? info.fault.reason : VGPU_FAULT_NONE;
}

static void xids(void **state)
{
	static const struct {
		u32 xid, reason;
	} expected[] = {
		{ 8, VGPU_FAULT_WATCHDOG }, { 13, VGPU_FAULT_ENGINE }, { 31, VGPU_FAULT_UNMAPPED },
		{ 43, VGPU_FAULT_ENGINE },  { 48, VGPU_FAULT_ECC },    { 63, VGPU_FAULT_NONE },
		{ 92, VGPU_FAULT_NONE },    { 94, VGPU_FAULT_ECC },    { 255, VGPU_FAULT_NONE },
	};
	struct host *h = host_new("k20c", NULL);
	u32 said;

	(void)state;
	for (u32 n = 0; n < sizeof(expected) / sizeof(expected[0]); n++) {
		u32 c = host_open(h), other = host_open(h);

		assert_int_equal(inject(h, VGPU_INJECT_XID, expected[n].xid, c, &said), 0);
		assert_int_equal(said, expected[n].xid);
		assert_int_equal(reason_of(h, c), expected[n].reason);
		assert_int_equal(reason_of(h, other), VGPU_FAULT_NONE);
		assert_int_equal(stats_of(h).xids, n + 1);
		assert_int_equal(stats_of(h).last_xid, expected[n].xid);
	}
	assert_int_equal(stats_of(h).ecc_uncorrected, 2);
	assert_int_equal(inject(h, VGPU_INJECT_XID, 0, 0, &said), -EINVAL);
	assert_int_equal(inject(h, VGPU_INJECT_XID, 256, 0, &said), -EINVAL);
	assert_int_equal(inject(h, VGPU_INJECT_NONE, 0, 0, &said), -EINVAL);
	assert_int_equal(inject(h, VGPU_INJECT_COUNT, 0, 0, &said), -EINVAL);
	assert_int_equal(inject(h, VGPU_INJECT_XID, 31, 1000, &said), -ENOENT);
	assert_int_equal(inject(h, VGPU_INJECT_XID, 63, 1000, &said), -ENOENT);
	/* nothing is executed, so whose could it be? */
	assert_int_equal(inject(h, VGPU_INJECT_XID, 31, 0, &said), -ENOENT);
	assert_int_equal(inject(h, VGPU_INJECT_HANG, 0, 0, &said), -ENOENT);
	assert_int_equal(inject(h, VGPU_INJECT_XID, 63, 0, &said), 0);
	assert_int_equal(stats_of(h).xids, 10);
	host_leave(h);
}

static void of_the_oldest_kernel(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 first = host_open(h), second = host_open(h), queue = host_queue(h, second), said;
	u64 done;

	(void)state;
	host_push(h, first, host_queue(h, first), cmd_profiled(8, VGPU_MS, 1));
	done = host_push(h, second, queue, cmd_profiled(8, VGPU_MS, 1));
	vgpu_device_run(h->dev, 100 * VGPU_US, ~0u);
	assert_int_equal(inject(h, VGPU_INJECT_HANG, 0, 0, &said), 0);
	assert_int_equal(said, 8);
	assert_int_equal(reason_of(h, first), VGPU_FAULT_WATCHDOG);
	host_run(h);
	assert_int_equal(reason_of(h, second), VGPU_FAULT_NONE);
	assert_int_equal(host_done(h, second, queue, done)->status, 0);
	host_leave(h);
}

static void errors_of_memory(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), other = host_open(h), said;
	struct vgpu_device_info before, after;

	(void)state;
	vgpu_device_info(h->dev, &before);
	assert_int_equal(inject(h, VGPU_INJECT_ECC_CORRECTED, 0, 0, &said), 0);
	assert_int_equal(said, 0);
	assert_int_equal(stats_of(h).ecc_corrected, 1);
	assert_int_equal(stats_of(h).xids, 0);
	assert_int_equal(inject(h, VGPU_INJECT_ECC_UNCORRECTED, 0, 0, &said), -ENOENT);
	assert_int_equal(stats_of(h).ecc_uncorrected, 0);
	assert_int_equal(inject(h, VGPU_INJECT_ECC_UNCORRECTED, 0, c, &said), 0);
	assert_int_equal(said, 48);
	assert_int_equal(reason_of(h, c), VGPU_FAULT_ECC);
	assert_int_equal(reason_of(h, other), VGPU_FAULT_NONE);
	assert_int_equal(stats_of(h).ecc_uncorrected, 1);
	assert_int_equal(stats_of(h).retired_pages, 1);
	/* nobody gets that page any more */
	vgpu_device_info(h->dev, &after);
	assert_int_equal(after.vram_free, before.vram_free - VGPU_PAGE_SIZE);
	assert_int_equal(vgpu_memory_map(h->dev, other, 1ull << 32, before.vram_bytes), -ENOMEM);
	assert_int_equal(vgpu_memory_map(h->dev, other, 1ull << 32, after.vram_free), 0);
	host_leave(h);
}

static void off_the_bus(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 one = host_open(h), two = host_open(h), said, id;
	u64 seq;

	(void)state;
	for (u32 round = 0; round < 2; round++) {
		u32 queue = host_queue(h, one);

		seq = host_push(h, one, queue, cmd_profiled(8, VGPU_MS, 1));
		vgpu_device_run(h->dev, h->dev->sim->now + 100 * VGPU_US, ~0u);
		/* both are the same */
		assert_int_equal(round ? inject(h, VGPU_INJECT_OFFLINE, 0, 0, &said) :
					 inject(h, VGPU_INJECT_XID, 79, 0, &said), 0);
		assert_int_equal(said, 79);
		assert_int_equal(stats_of(h).offline, 1);
		assert_int_equal(reason_of(h, one), VGPU_FAULT_OFFLINE);
		assert_int_equal(reason_of(h, two), VGPU_FAULT_OFFLINE);
		assert_int_equal(host_done(h, one, queue, seq)->status, -EIO);
		assert_int_equal(vgpu_context_open(h->dev, 1, NULL, &id), -ESHUTDOWN);
		assert_int_equal(inject(h, VGPU_INJECT_XID, 63, 0, &said), -ESHUTDOWN);
		assert_int_equal(inject(h, VGPU_INJECT_RECOVER, 0, 0, &said), 0);
		assert_int_equal(said, 0);
		assert_int_equal(stats_of(h).offline, 0);
		/* contexts do not come back, new ones work */
		assert_int_equal(reason_of(h, one), VGPU_FAULT_OFFLINE);
		one = host_open(h);
		two = host_open(h);
	}
	id = host_queue(h, one);
	seq = host_push(h, one, id, cmd_profiled(8, VGPU_MS, 1));
	host_run(h);
	assert_int_equal(host_done(h, one, id, seq)->status, 0);
	host_leave(h);
}

static u32 below(struct vgpu_random *random, u32 limit)
{
	return (u32)(vgpu_random_next(random) % limit);
}

/* A kernel of each of four contexts; where one has been preempted an injection comes. */
static void while_blocks_leave(void **state)
{
	static const char *const mechanisms[] = { "drain", "switch", "flush", "chimera" };
	static const u32 kinds[] = { VGPU_INJECT_HANG, VGPU_INJECT_ECC_UNCORRECTED,
				     VGPU_INJECT_XID };
	u32 ended = 0, leaving = 0;

	(void)state;
	for (u64 seed = 0; seed < 120; seed++) {
		struct host *h = host_new("k20c", "sms=4", NULL);
		struct vgpu_random random;
		u32 context[4], queue[4], hit = 0;
		u64 seq[4], next = 0;

		vgpu_random_seed(&random, seed);
		vgpu_exec_set_policy(&h->dev->exec, &manual_policy);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", mechanisms[seed % 4]),
				 0);
		for (u32 n = 0; n < 4; n++) {
			struct vgpu_cmd cmd = cmd_profiled(40, 10 * VGPU_US, 4);

			cmd.profiled.idempotent_permille = 1000;
			context[n] = host_open(h);
			queue[n] = host_queue(h, context[n]);
			seq[n] = host_push(h, context[n], queue[n], cmd);
		}
		while (next != VGPU_NEVER) {
			struct vgpu_ksr *ksr = manual_kernel(h->dev, 1 + below(&random, 4));
			u32 sm = below(&random, 4), said;

			if (ksr && h->dev->exec.smst[sm].ksr && !h->dev->exec.smst[sm].next)
				vgpu_exec_reserve(&h->dev->exec, sm, ksr);
			leaving += h->dev->exec.smst[sm].next != NULL;
			if (!hit && h->dev->exec.smst[sm].next && !below(&random, 4)) {
				hit = h->dev->exec.smst[sm].ksr->launch.context;
				assert_int_equal(inject(h, kinds[seed % 3], 13, hit, &said), 0);
				assert_true(reason_of(h, hit) != VGPU_FAULT_NONE);
				ended++;
			}
			assert_true(vgpu_exec_check(&h->dev->exec));
			next = vgpu_device_run(h->dev, VGPU_NEVER, 1 + below(&random, 5));
		}
		for (u32 n = 0; n < 4; n++)
			assert_int_equal(host_done(h, context[n], queue[n], seq[n])->status,
					 context[n] == hit ? -EIO : 0);
		host_leave(h);
	}
	assert_in_range(ended, 60, 120);
	assert_in_range(leaving, ended, ~0u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xids),
		cmocka_unit_test(of_the_oldest_kernel),
		cmocka_unit_test(errors_of_memory),
		cmocka_unit_test(off_the_bus),
		cmocka_unit_test(while_blocks_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
