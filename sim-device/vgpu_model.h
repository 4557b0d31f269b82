/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What every room of the device and every host know of the model: its configuration, the states of
 * an SM, and what is counted. Data, no device.
 */
#ifndef VGPU_MODEL_H
#define VGPU_MODEL_H

#include "platform.h"
#include "vgpu.h"
#include "vgpu_config.h"

/* ---- configuration ------------------------------------------------------ */

/**
 * struct vgpu_config - the shape of a device: data, no code. vgpu_config_preset() fills it from the
 * papers' tables, vgpu_config_set() changes one field by name, vgpu_device_create() refuses what
 * makes no sense. vgpu_config.h lists the fields.
 */
struct vgpu_config {
#define VGPU_CONFIG_NUMBER(type, name, least, most) type name;
#define VGPU_CONFIG_ARRAY(type, name, elements, least, most) type name[elements];
#define VGPU_CONFIG_NAME(name) char name[VGPU_NAME_BYTES];
	VGPU_CONFIG_FIELDS(VGPU_CONFIG_NUMBER, VGPU_CONFIG_ARRAY, VGPU_CONFIG_NAME)
#undef VGPU_CONFIG_NUMBER
#undef VGPU_CONFIG_ARRAY
#undef VGPU_CONFIG_NAME
};

/*
 * Fill @config from preset @name: "k20c" (Tanasic table 5.1), "tanasic-ch6" (table 6.1), "gtx980"
 * (SMK table 4, PEP table 2). -ENOENT: there is no such preset.
 */
int vgpu_config_preset(struct vgpu_config *config, const char *name);
/* Name of preset @index for listings, NULL past the end. */
const char *vgpu_config_preset_name(unsigned int index);
/*
 * Set one field by its name in struct vgpu_config from decimal text (or text). -ENOENT: no such
 * field, -EINVAL: the value is not one it can have.
 */
int vgpu_config_set(struct vgpu_config *config, const char *field, const char *value);
/* Name of field @index for listings, NULL past the end. */
const char *vgpu_config_field(unsigned int index);
/* The value of a field as text into @text; returns its length or -ENOENT, -ENOSPC. */
int vgpu_config_get(const struct vgpu_config *config, const char *field, char *text, size_t size);
/* Names the first thing wrong with @config, NULL if it makes a device. */
const char *vgpu_config_check(const struct vgpu_config *config);

/* ---- states and counts -------------------------------------------------- */

/*
 * States of an SM. Idle, running and reserved are Tanasic's (5.2.3); setup and restoring are parts
 * of running, saving is the last part of reserved, told apart. While some blocks of an SM run and
 * others are restored, it is running.
 */
enum vgpu_sm_state {
	VGPU_SM_IDLE,
	VGPU_SM_SETUP,
	VGPU_SM_RUNNING,
	/*
	 * being preempted for another kernel: its blocks run on until they end or the save begins
	 */
	VGPU_SM_RESERVED,
	/* being preempted, contexts of its blocks move to the save area */
	VGPU_SM_SAVING,
	/* nothing runs, contexts of its blocks move back from the save area */
	VGPU_SM_RESTORING,
	VGPU_SM_STATES
};
/* "idle", "setup" …, NULL past the end. */
const char *vgpu_sm_state_name(unsigned int state);

/**
 * struct vgpu_device_stats - what the device has done since it was created
 * @sm_time: picoseconds by state, summed over all SMs; the states add up to SMs x the present time
 *
 * vgpu_stats.h says what the others count.
 */
struct vgpu_device_stats {
	u64 sm_time[VGPU_SM_STATES];
#define VGPU_STAT_MEMBER(number, name, path, member, file, text) u64 member;
	VGPU_DEVICE_COUNTERS(VGPU_STAT_MEMBER)
#undef VGPU_STAT_MEMBER
};

/**
 * struct vgpu_sm_stats - one SM
 * @state: enum vgpu_sm_state
 * @context: that it serves, 0: none
 * @time: picoseconds by state; they add up to the present time
 */
struct vgpu_sm_stats {
	u32 state;
	u32 context;
	u64 time[VGPU_SM_STATES];
};

/* ---- contexts and commands ---------------------------------------------- */

/* Budgets of SMs; SHARE: a share of what is left to those without one. */
#define VGPU_TOKENS_MAX		1024u
#define VGPU_TOKENS_SHARE	(~0u)

enum vgpu_move { VGPU_MOVE_TO_DEVICE, VGPU_MOVE_TO_HOST };

/**
 * struct vgpu_push - one command on its way in
 * @cmd: as the process wrote it; the device checks it
 * @cookie: the host's own, comes back in move() and completed()
 * @params: LAUNCH: cmd.launch.param_bytes bytes in host memory; copied
 */
struct vgpu_push {
	struct vgpu_cmd cmd;
	u64 cookie;
	const void *params;
};


/* ---- code ----------------------------------------------------------------- */

struct vgpu_module;		/* verified code */

/**
 * vgpu_vass_load - verify a VASS binary. Needs no device: to be called on any thread, since it
 * takes its time
 * @limits: the configuration of the device that it is for
 * @binary: copied; trusted in nothing
 * @message: room for one line that names kernel, instruction and reason when it is refused with
 *   -EINVAL
 */
int vgpu_vass_load(const struct vgpu_config *limits, const void *binary, u32 bytes, char *message,
		   size_t message_bytes, struct vgpu_module **out);
void vgpu_vass_free(struct vgpu_module *code);

/* ---- latencies ---------------------------------------------------------- */

#define VGPU_LATENCY_BITS	6	/* a percentile is at most one part in 64 too large */
#define VGPU_LATENCY_BUCKETS	((65 - VGPU_LATENCY_BITS) << VGPU_LATENCY_BITS)

/**
 * struct vgpu_latency - a histogram of times, of fixed size: count and mean are exact. The host's,
 * as @preempted is told.
 */
struct vgpu_latency {
	u64 count;
	u64 total_ps;
	u64 max_ps;
	u64 buckets[VGPU_LATENCY_BUCKETS];
};

void vgpu_latency_add(struct vgpu_latency *latency, u64 ps);
/* The largest time that falls into bucket @bucket. */
u64 vgpu_latency_top(u32 bucket);
/* The smallest time that @percent of the entries do not exceed; 0 when there are none. */
u64 vgpu_latency_percentile(const struct vgpu_latency *latency, unsigned int percent);

#endif
