/* SPDX-License-Identifier: MIT */
/*
 * What the tests of page faults share: a context on a device of chapter 6, with one kernel that
 * takes an address and a stride.
 */
#ifndef FAULT_RIG_H
#define FAULT_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/host.h"
#include "device/device.h"
#include "vass_build.h"

struct rig {
	struct host *h;
	u32 context, queue, module;
};

/*
 * A host whose device has "field=value" settings, up to NULL. Translations take no time:
 * test_translation.c is for those.
 */
static inline struct host *rig_host(const char *const *settings)
{
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	config.l2_tlb_entries = 0;
	config.page_walk_ps = 0;
	for (; *settings; settings++) {
		char name[64];
		const char *value = strchr(*settings, '=');

		snprintf(name, sizeof(name), "%.*s", (int)(value - *settings), *settings);
		assert_int_equal(vgpu_config_set(&config, name, value + 1), 0);
	}
	return host_new_config(&config);
}

/* Thread n adds n + 1 to the word at the base and n times the stride. */
static inline void rig_add(struct vass *v, bool atomic)
{
	vass_init(v, 16, 16);
	vass_op(v, VGPU_OP_SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	vass_op(v, VGPU_OP_LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	vass_op(v, VGPU_OP_LDP, VASS_MEM(4, 1), 4, 0, 0, 0, 8);
	vass_op(v, VGPU_OP_MADWU, 0, 6, 0, 4, 2, 0);
	OPI(v, ADD, 9, 0, 1);
	if (atomic) {
		vass_op(v, VGPU_OP_ATOMG, VGPU_ATOM_ADD, 8, 6, 9, 0, 0);
	} else {
		vass_op(v, VGPU_OP_LDG, VASS_MEM(4, 1), 8, 6, 0, 0, 0);
		vass_op(v, VGPU_OP_ADD, 0, 8, 8, 9, 0, 0);
		vass_op(v, VGPU_OP_STG, VASS_MEM(4, 1), 0, 6, 8, 0, 0);
	}
	vass_op(v, VGPU_OP_EXIT, 0, 0, 0, 0, 0, 0);
}

static inline void rig_load(struct rig *r, const struct vass *v)
{
	char message[256] = "";
	void *binary;
	u32 bytes;

	binary = vass_binary(v, &bytes);
	if (vgpu_module_load(r->h->dev, r->context, binary, bytes, message, sizeof(message),
			     &r->module))
		fail_msg("%s", message);
	free(binary);
}

static inline void rig_load_add(struct rig *r, bool atomic)
{
	struct vass v;

	rig_add(&v, atomic);
	rig_load(r, &v);
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
