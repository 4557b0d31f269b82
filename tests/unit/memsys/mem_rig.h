/* SPDX-License-Identifier: MIT */
/*
 * A memory hierarchy with SMs that are not there: a driver for each, which makes accesses window by
 * window as memsys/memsys.h wants it, and scripts for its warps. Memory is a few frames of the
 * heap. Virtual and physical addresses differ.
 */
#ifndef TEST_MEM_RIG_H
#define TEST_MEM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memsys/memsys.h"
#include "vgpu_counters.h"

#define RIG_FRAMES	1024u
#define RIG_VIRTUAL	0x7000000ull	/* of frame 0 */
#define RIG_WARPS	8u
#define RIG_OPS		64u

struct rig;

/**
 * struct rig_sm - one driver
 * @step: an access, or none, at @cycle. Returns when it wants to be called next, VGPU_NEVER: after
 *   a response
 * @came: a response
 */
struct rig_sm {
	struct rig *rig;
	struct vgpu_l1d *l1;
	u32 index;
	struct vgpu_event event;
	u64 next;		/* cycle of the next step */
	u64 end;		/* of the last window */
	u64 (*step)(struct rig_sm *sm, u64 cycle);
	void (*came)(struct rig_sm *sm, const struct vgpu_mem_response *response);
	void *data;
	struct rig_warp *warps;	/* of scripts */
	struct vgpu_counters counters;	/* of its scripts, which are one launch */
};

struct rig {
	struct vgpu_sim sim;
	struct vgpu_config config;
	struct vgpu_memsys *memsys;
	u8 *memory;
	u8 *allocated;
	struct rig_sm *sms;
	u64 hash;		/* of all responses and their cycles */
};

/* From preset tanasic-ch6, with @changes: "field=value ..." */
struct rig *rig_open(const char *changes);
/* The same from another preset */
struct rig *rig_preset(const char *preset, const char *changes);
void rig_close(struct rig *rig);
/* Have the SM's next window begin at @cycle at the latest. */
void rig_kick(struct rig_sm *sm, u64 cycle);
/* Until nothing happens any more. */
void rig_run(struct rig *rig);
/* Until the present cycle is @cycle. */
void rig_run_to(struct rig *rig, u64 cycle);
/* An access to the @bytes bytes at @physical address; @cycle as in step() */
struct vgpu_mem_access rig_access(struct rig *rig, u64 cycle, u32 kind, u64 physical, u32 bytes);
/* The word that the frame has, behind the caches */
u32 *rig_word(struct rig *rig, u64 physical);
struct vgpu_memsys_stats rig_stats(const struct rig *rig);

/* ---- scripts of warps ---------------------------------------------------- */

enum rig_do {
	RIG_LOAD,	/* does not wait */
	RIG_STORE,
	RIG_ADD,	/* atomic, does not wait */
	RIG_FENCE,	/* waits */
	RIG_WAIT,	/* for all that the warp has sent */
	RIG_UNTIL,	/* until cycle @value */
	RIG_SPIN,	/* load until the word is @value */
};

/** struct rig_op - of a script; its results */
struct rig_op {
	u8 what;
	u8 order;
	u8 scope;
	u8 cache;
	u64 address;	/* physical, of a word */
	u32 value;	/* stored, added, waited for */
	/* results */
	u32 result;	/* loaded, or old */
	u64 sent;	/* cycle */
	u64 done;	/* cycle of the response, or of the data */
	bool hit;	/* it was DONE */
	u32 tries;	/* that were BUSY */
};

struct rig_warp {
	struct rig_op ops[RIG_OPS];
	u32 count;
	u32 at;
	u32 in_flight;
	bool blocked;	/* by a fence, an acquire */
	u64 ready;	/* cycle from which on it may go on */
	u64 data;	/* cycle in which all that it has loaded has come */
};

/* Scripts for all warps, empty */
void rig_scripts(struct rig *rig);
/* Append to the script of a warp; returns it, for what is not in the arguments */
struct rig_op *rig_op(struct rig *rig, u32 sm, u32 warp, enum rig_do what, u64 address, u32 value);
/* The same with an order and scope gpu */
struct rig_op *rig_strong(struct rig *rig, u32 sm, u32 warp, enum rig_do what, u64 address,
			  u32 value, enum vgpu_order order);
/* Start all scripts at the present cycle, and run them. */
void rig_go(struct rig *rig);

#endif
