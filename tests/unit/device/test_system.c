// SPDX-License-Identifier: MIT
/*
 * Systems: several devices with one clock.
 */
#include <stdio.h>

#include "device/device.h"
#include "host.h"
#include "platform/user.h"

#define US	VGPU_US
#define TENTH	(VGPU_US / 10)

static struct host *device_in(struct vgpu_system *system, u32 sms)
{
	struct vgpu_config config;
	char text[16];

	assert_int_equal(vgpu_config_preset(&config, "k20c"), 0);
	snprintf(text, sizeof(text), "%u", sms);
	assert_int_equal(vgpu_config_set(&config, "sms", text), 0);
	return host_new_in(system, &config);
}

/*
 * Eight blocks of 10 us, one at a time on an SM, on devices of two and of four SMs: 4 and 2 rounds,
 * from 1.1 us on. What a device does is what it would do alone, and both see one clock.
 */
static void two_devices_share_a_clock(void **state)
{
	struct vgpu_system *system;
	struct host *h[2];
	u32 c[2], q[2], i;

	(void)state;
	assert_int_equal(vgpu_system_create(&system), 0);
	for (i = 0; i < 2; i++) {
		h[i] = device_in(system, 2 + 2 * i);
		assert_ptr_equal(vgpu_device_system(h[i]->dev), system);
		c[i] = host_open(h[i]);
		q[i] = host_queue(h[i], c[i]);
		host_push(h[i], c[i], q[i], cmd_profiled(8, 10 * US, 1));
	}
	assert_int_equal(vgpu_system_run(system, 15 * US, ~0u), 211 * TENTH);
	for (i = 0; i < 2; i++)
		assert_int_equal(vgpu_device_now(h[i]->dev), 15 * US);
	/* Time passes for both, whichever is asked to run. */
	vgpu_device_run(h[1]->dev, VGPU_NEVER, ~0u);
	assert_int_equal(host_done(h[0], c[0], q[0], 1)->time, 411 * TENTH);
	assert_int_equal(host_done(h[1], c[1], q[1], 1)->time, 211 * TENTH);
	assert_int_equal(vgpu_system_now(system), 411 * TENTH);
	/* One goes, the other does not notice. */
	host_push(h[1], c[1], q[1], cmd_profiled(8, 10 * US, 1));
	vgpu_system_run(system, vgpu_system_now(system) + 5 * US, ~0u);
	host_push(h[0], c[0], q[0], cmd_profiled(8, 10 * US, 1));
	vgpu_system_run(system, vgpu_system_now(system) + 3 * US, ~0u);
	host_leave(h[0]);
	assert_true(vgpu_system_run(system, VGPU_NEVER, ~0u) == VGPU_NEVER);
	assert_int_equal(host_done(h[1], c[1], q[1], 2)->time, (411 + 211) * TENTH);
	host_leave(h[1]);
	vgpu_system_destroy(system);
	assert_int_equal(vgpu_user_allocations(), 0);
}

/* The records of a device are the same alone and beside another one that is busy. */
static void a_neighbour_changes_no_record(void **state)
{
	struct vgpu_system *system;
	struct host *h[3];
	u32 n, i;

	(void)state;
	assert_int_equal(vgpu_system_create(&system), 0);
	h[0] = device_in(system, 3);
	h[1] = device_in(system, 3);
	h[2] = host_new("k20c", "sms=3", NULL);
	for (n = 0; n < 3; n++) {
		for (i = 0; i < 3; i++) {
			u32 c = host_open(h[n]), q = host_queue(h[n], c);
			struct vgpu_cmd cmd = cmd_profiled(40 + i, 10 * US, 1 + i);

			cmd.profiled.block_cv_permille = 300;
			if (n == 1)
				cmd.profiled.block_ps /= 3;
			host_push(h[n], c, q, cmd);
			host_push(h[n], c, q, cmd);
		}
	}
	host_run(h[0]);
	host_run(h[2]);
	assert_int_equal(h[0]->record_count, h[2]->record_count);
	assert_memory_equal(h[0]->records, h[2]->records,
			    h[0]->record_count * sizeof(*h[0]->records));
	assert_int_equal(h[1]->completion_count, 6);
	host_leave(h[2]);
	host_leave(h[1]);
	host_leave(h[0]);
	vgpu_system_destroy(system);
}

/* A callback of one device stops the clock of both. */
static void stop_is_for_the_system(void **state)
{
	struct vgpu_system *system;
	struct host *h[2];
	u32 i;

	(void)state;
	assert_int_equal(vgpu_system_create(&system), 0);
	for (i = 0; i < 2; i++) {
		u32 c;

		h[i] = device_in(system, 2);
		h[i]->stops = true;
		c = host_open(h[i]);
		host_push(h[i], c, host_queue(h[i], c), cmd_profiled(1, (10 + 5 * i) * US, 1));
	}
	assert_int_equal(vgpu_system_run(system, VGPU_NEVER, ~0u), 161 * TENTH);
	assert_int_equal(vgpu_system_now(system), 111 * TENTH);
	vgpu_system_run(system, VGPU_NEVER, ~0u);
	for (i = 0; i < 2; i++) {
		assert_int_equal(h[i]->completion_count, 1);
		host_leave(h[i]);
	}
	vgpu_system_destroy(system);
}

/*
 * Ids of contexts come round: none is 0, none is that of a context which is still open, each is
 * found, and what they launch comes to its end.
 */
static void ids_come_round(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 first = host_open(h), second = host_open(h), ids[6], i;
	struct vgpu_context_info info;

	(void)state;
	assert_int_equal(first, 1);
	assert_int_equal(second, 2);
	h->dev->contexts.last_id = ~0u - 4;
	for (i = 0; i < VGPU_ARRAY_SIZE(ids); i++) {
		ids[i] = host_open(h);
		host_push(h, ids[i], host_queue(h, ids[i]), cmd_profiled(1, 10 * US, 1));
	}
	assert_int_equal(ids[0], ~0u - 3);
	assert_int_equal(ids[2], ~0u - 1);
	assert_int_equal(ids[3], 3);
	assert_int_equal(ids[5], 5);
	host_push(h, first, host_queue(h, first), cmd_profiled(1, 10 * US, 1));
	host_run(h);
	for (i = 0; i < VGPU_ARRAY_SIZE(ids); i++) {
		assert_int_equal(vgpu_context_info(h->dev, ids[i], &info), 0);
		assert_int_equal(info.id, ids[i]);
		assert_int_equal(info.kernels, 1);
	}
	/* a closed one is nobody's, until its turn comes again */
	assert_int_equal(vgpu_context_close(h->dev, ids[2]), 0);
	assert_int_equal(vgpu_context_close(h->dev, second), 0);
	assert_int_equal(vgpu_context_info(h->dev, ids[2], &info), -ENOENT);
	assert_int_equal(vgpu_context_info(h->dev, second, &info), -ENOENT);
	assert_int_equal(host_open(h), 6);
	h->dev->contexts.last_id = ~0u - 3;
	assert_int_equal(host_open(h), ~0u - 1);
	assert_int_equal(host_open(h), 2);
	assert_int_equal(host_open(h), 7);
	assert_int_equal(vgpu_context_info(h->dev, first, &info), 0);
	assert_int_equal(info.kernels, 1);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_devices_share_a_clock),
		cmocka_unit_test(a_neighbour_changes_no_record),
		cmocka_unit_test(stop_is_for_the_system),
		cmocka_unit_test(ids_come_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
