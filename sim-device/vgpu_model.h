/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Definitions that all rooms of the device and all hosts share: the configuration, the states of an
 * SM, statistics, commands and verified code. Nothing here needs a device.
 */
#ifndef VGPU_MODEL_H
#define VGPU_MODEL_H

#include "platform.h"
#include "vgpu.h"
#include "vgpu_config.h"
#include "vgpu_counters.h"

/* ---- configuration ------------------------------------------------------ */

/**
 * struct vgpu_config - the shape of a device: data, no code. vgpu_config_preset() fills it from the
 * papers' tables, vgpu_config_set() changes one field by name, vgpu_device_create() rejects an
 * invalid one. vgpu_config.h lists the fields.
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

#define VGPU_PS_PER_KCYCLE	1000000000ull	/* picoseconds x kHz of one cycle */

/*
 * Fill @config from preset @name: "k20c" (Tanasic table 5.1), "tanasic-ch6" (table 6.1), "gtx980"
 * (SMK table 4, PEP table 2), "v100", "a100", "h100" (NVIDIA's tables). -ENOENT: no such preset.
 */
int vgpu_config_preset(struct vgpu_config *config, const char *name);
/* Name of preset @index for listings, NULL past the end. */
const char *vgpu_config_preset_name(unsigned int index);
/*
 * Set one field by its name in struct vgpu_config from decimal text (or text). -ENOENT: no such
 * field, -EINVAL: invalid value for this field.
 */
int vgpu_config_set(struct vgpu_config *config, const char *field, const char *value);
/* Does a device of this configuration count that? */
bool vgpu_counter_exists(const struct vgpu_config *config, enum vgpu_counter counter);
/* The same of a launch: where launches have models of their own, not all count the same. */
bool vgpu_launch_counts_has(const struct vgpu_config *config,
			    const struct vgpu_launch_counts *counts, enum vgpu_counter counter);
/* Name of field @index for listings, NULL past the end. */
const char *vgpu_config_field(unsigned int index);
/* Write the value of a field as text to @text; returns its length or -ENOENT, -ENOSPC. */
int vgpu_config_get(const struct vgpu_config *config, const char *field, char *text, size_t size);
/* The number of compute_capability, "8.0": 80; 0: it is none of CUDA's. */
u32 vgpu_config_capability(const struct vgpu_config *config);
/* Describes the first error in @config; NULL: the configuration is valid. */
const char *vgpu_config_check(const struct vgpu_config *config);

/* ---- memory of a process ------------------------------------------------ */

#define VGPU_PROCESS_PAGES	64u

/**
 * struct vgpu_process_pages - pages of a process, one behind the other
 * @address: of the first
 * @pages: how many, VGPU_PROCESS_PAGES at most
 * @write: they must be writable
 * @prefetch: nobody waits for them yet: they shall be writable where that costs the process nothing
 *   that a write would not, and there may be none
 * @wanted: bit n: SMs wait for page n. The others shall come with these if the process has them
 *   already: it must not fault them in
 * @there: the answer: process_page() has these
 * @no_memory: the answer: there was no memory for these of @wanted; those in neither: there is no
 *   page, or none that may be accessed so
 */
struct vgpu_process_pages {
	u64 address;
	u32 pages;
	bool write;
	bool prefetch;
	u64 wanted;
	u64 there;
	u64 no_memory;
};

/* ---- states and counts -------------------------------------------------- */

/*
 * States of an SM. Idle, running and reserved are Tanasic's (5.2.3). Setup and restoring are parts
 * of his running, saving is the last part of his reserved; we count them separately. An SM is
 * running while some of its blocks run and others are restored.
 */
enum vgpu_sm_state {
	VGPU_SM_IDLE,
	VGPU_SM_SETUP,
	VGPU_SM_RUNNING,
	/*
	 * being preempted for another kernel: its blocks run until they end or the save begins
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
 * vgpu_stats.h describes the other members.
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
 * @context: the context that it serves, 0: none
 * @time: picoseconds by state; they add up to the present time
 */
struct vgpu_sm_stats {
	u32 state;
	u32 context;
	u64 time[VGPU_SM_STATES];
};

#define VGPU_SM_KERNELS_MOST	8u	/* that share an SM: the limit of kernels_per_sm */

/**
 * struct vgpu_sm_kernel - a kernel on an SM, with what its blocks there take
 * @context: its context
 * @launch: its number, unique on the device, as in traces
 * @blocks: thread blocks on the SM, on their way to it and from it
 * @partition: most blocks that it gets there, ~0: no limit (docs/sharing.md); @blocks may be 0 then
 * @registers: 32-bit ones
 * @share: the dominant share of the SM, in 2^-32
 */
struct vgpu_sm_kernel {
	u32 context;
	u32 launch;
	u32 blocks;
	u32 partition;
	u32 registers;
	u32 shared_bytes;
	u32 warps;
	u64 share;
};

/**
 * struct vgpu_sm_use - who has what of an SM, whatever the policy
 * @blocks, @registers, @shared_bytes, @warps, @share: of all @kernels together
 * @shared_size: bytes of shared memory that the SM is set to; 0: nothing is there
 * @kernels: number of @kernel; one, where the policy gives whole SMs
 * @kernel: in the order in which they came
 */
struct vgpu_sm_use {
	u32 blocks;
	u32 registers;
	u32 shared_bytes;
	u32 warps;
	u64 share;
	u32 shared_size;
	u32 kernels;
	struct vgpu_sm_kernel kernel[VGPU_SM_KERNELS_MOST];
};

/* ---- contexts and commands ---------------------------------------------- */

/* Budgets of device memory: that of the configuration */
#define VGPU_BUDGET_OF_DEVICE	(~0ull)

/* Budgets of SMs; SHARE: a share of the SMs that contexts with a budget leave. */
#define VGPU_TOKENS_MAX		1024u
#define VGPU_TOKENS_SHARE	(~0u)

enum vgpu_move { VGPU_MOVE_TO_DEVICE, VGPU_MOVE_TO_HOST };

/**
 * struct vgpu_push - one command to be pushed
 * @cmd: as the process wrote it; the device checks it
 * @cookie: value of the host, passed to move() and completed()
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
 * vgpu_vass_load - verify a VASS binary. This may be slow; it needs no device and may be called on
 * any thread
 * @limits: the configuration of the device that will execute it
 * @binary: copied; its content is not trusted
 * @message: room for one line that names kernel, instruction and reason when it is rejected with
 *   -EINVAL
 */
int vgpu_vass_load(const struct vgpu_config *limits, const void *binary, u32 bytes, char *message,
		   size_t message_bytes, struct vgpu_module **out);
void vgpu_vass_free(struct vgpu_module *code);

/* ---- latencies ---------------------------------------------------------- */

#define VGPU_LATENCY_BITS	6	/* a percentile is at most one part in 64 too large */
#define VGPU_LATENCY_BUCKETS	((65 - VGPU_LATENCY_BITS) << VGPU_LATENCY_BITS)

/**
 * struct vgpu_latency - a histogram of times, of fixed size: count and mean are exact. The host
 * fills it from the callback preempted().
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
