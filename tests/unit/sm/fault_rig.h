/* SPDX-License-Identifier: MIT */
/*
 * What the tests of page faults share: a context on a device of chapter 6, with one kernel that
 * takes an address and a stride.
 */
#ifndef FAULT_RIG_H
#define FAULT_RIG_H

#include <stdio.h>
#include <string.h>

#include "../device/host.h"
#include "device/device.h"

struct rig {
	struct host *h;
	u32 context, queue, module;
};

/* A host whose device has "field=value" settings, up to NULL. */
static inline struct host *rig_host(const char *const *settings)
{
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	for (; *settings; settings++) {
		char name[64];
		const char *value = strchr(*settings, '=');

		snprintf(name, sizeof(name), "%.*s", (int)(value - *settings), *settings);
		assert_int_equal(vgpu_config_set(&config, name, value + 1), 0);
	}
	return host_new_config(&config);
}

static inline void launch(struct rig *r, u32 threads, u64 base, u32 stride)
{
	u64 params[2] = { base, stride };
	struct vgpu_cmd cmd = { .op = VGPU_CMD_LAUNCH,
				.launch = { .module = r->module,
					    .grid = { 1, 1, 1 },
					    .block = { threads, 1, 1 },
					    .param_bytes = 16,
					    .params = 0x1000 } };

	assert_int_equal(host_try(r->h, r->context, r->queue, &cmd, 0, params), 0);
}

/* How long a launch takes, alone, from its push to its completion. */
static inline u64 time_of(struct rig *r, u32 threads, u64 base, u32 stride)
{
	u64 began = r->h->dev->sim->now;
	size_t before = r->h->completion_count;

	launch(r, threads, base, stride);
	host_run(r->h);
	assert_int_equal(r->h->fault_count, 0);
	assert_int_equal(r->h->completion_count, before + 1);
	return r->h->completions[before].time - began;
}

#endif
