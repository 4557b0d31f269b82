/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: oversubscription (ETC: the thesis of seed 004, 3.6; numbers and readings: docs/memory.md)
 *
 * A context is oversubscribed when it has more managed memory than frames it may use. What is done
 * about it depends on how it accesses memory:
 *
 *   classifier (pressure.c)    SMs count the lines that each warp instruction touches. A context
 *                              with fewer than classifier_lines of them on average, over a window
 *                              of classifier_cycles, is regular, else irregular
 *   scheme (schemes.c)         chooses remedies by that; a knob of its own forces each of them
 *
 * and the remedies are
 *
 *   proactive eviction         when a page has got its frame and less than proactive_bytes are
 *                              free, the next unit goes while that page comes (mmu/eviction.c)
 *   throttling (throttlers.c)  some SMs fetch nothing, so that what the others use fits
 *   compression                pages that come take less room (mmu/compressed.c)
 *
 * All is per context: its class, its throttled SMs, and the pages that go first are its own.
 *
 * What a scheme or a throttler implements is in mmu/placement.h; here is what they see. A pressure
 * is told what happens by struct vgpu_pressure_ops and by vgpu_pressure_active(), and acts through
 * vgpu_evict_ahead() and struct vgpu_pressure_host, by which it does not know the execution engine.
 * Called by the actor only.
 */
#ifndef VGPU_PLACEMENT_PRESSURE_H
#define VGPU_PLACEMENT_PRESSURE_H

#include "../mmu/mmu.h"
#include "../sim/sim.h"

/**
 * struct vgpu_pressure_host - what can be done with the SMs of a context
 * @running: SMs that have blocks of it and are not throttled
 * @throttled: SMs that are, for it
 * @throttle: SM @sm fetches nothing of it; false: it cannot be, or is the last that runs
 * @throttle_some: the same for so many SMs at most; returns how many
 * @unthrottle_last: the SM that was throttled last goes on; false: none is
 * @unthrottle: all go on
 * @limit: it may hold so many SMs, 0: all that it could
 */
struct vgpu_pressure_host {
	u32 (*running)(void *context);
	u32 (*throttled)(void *context);
	bool (*throttle)(void *context, u32 sm);
	u32 (*throttle_some)(void *context, u32 count);
	bool (*unthrottle_last)(void *context);
	void (*unthrottle)(void *context);
	void (*limit)(void *context, u32 sms);
};

/** enum vgpu_throttle_state - of the adaptive throttler (thesis 3.6.3) */
enum vgpu_throttle_state {
	VGPU_THROTTLE_START,	/* no SM is throttled yet, as none has had blocks */
	VGPU_THROTTLE_DETECT,	/* until the first fault, or the end of the epoch */
	VGPU_THROTTLE_FAULTED,	/* ... which is not over yet */
	VGPU_THROTTLE_EXECUTE,	/* nothing changes until the end of the epoch */
};

/* Managed mappings of a context that are remembered. */
#define VGPU_PRESSURE_SEEN	64u

/**
 * struct vgpu_pressure - of one context; zero before vgpu_pressure_init()
 * @class: of the last window in which something was accessed
 * @lines, @accesses, @pages: of that window
 * @sharing: do its kernels use the same data?
 * @seen: managed mappings to which its launches have had pointers, and the last launch that had one
 *   (thesis 3.6.1); of @launches. The oldest are forgotten
 * @active: it has kernels
 * @evicted: a page of it has, since the throttler cleared this
 * @level: SMs that the throttler wants throttled, if it has @decided about that
 * @sm: whose fault it waits for, in state FAULTED
 */
struct vgpu_pressure {
	struct vgpu_sim *sim;
	const struct vgpu_trace *trace;
	const struct vgpu_config *config;
	const struct vgpu_pressure_host *host;
	void *context;			/* argument of @host */
	struct vgpu_address_space *as;
	u32 id;				/* of the context */
	bool oversubscribed;
	bool active;
	bool started;			/* throttler->start() was called, and not its stop() */
	enum vgpu_access_class class;
	enum vgpu_sharing sharing;
	struct {
		u64 mapping, launch;
	} seen[VGPU_PRESSURE_SEEN];
	u64 launches;
	u32 seen_count;			/* ever */
	u64 accesses, lines, pages;
	struct vgpu_access_counts counts;
	struct vgpu_event window;	/* of the classifier: it ends */
	u64 left;			/* of the window, when it stood still last */
	struct vgpu_remedies remedies;
	/* of throttlers */
	struct vgpu_event epoch;
	enum vgpu_throttle_state state;
	bool evicted;
	bool decided;
	u32 level;
	u32 sm;
};

/* Events that a pressure may have pending; the caller reserves them. */
#define VGPU_PRESSURE_EVENTS	2u

extern const struct vgpu_pressure_ops vgpu_pressure_ops;

/** vgpu_pressure_init - the caller has set sim, trace, config, host, context, as and id */
void vgpu_pressure_init(struct vgpu_pressure *pressure);
/** vgpu_pressure_fini - nothing of it is pending afterwards */
void vgpu_pressure_fini(struct vgpu_pressure *pressure);
/** vgpu_pressure_update - the configuration, or what its context has mapped, has changed */
void vgpu_pressure_update(struct vgpu_pressure *pressure);
/** vgpu_pressure_active - its context has got a kernel, having had none; or its last has ended */
void vgpu_pressure_active(struct vgpu_pressure *pressure, bool active);
/** vgpu_pressure_launched - a kernel of its context begins, with these parameters */
void vgpu_pressure_launched(struct vgpu_pressure *pressure, const u8 *params, u32 bytes);
/** vgpu_pressure_hint - somebody says whether its kernels use the same data, as that at @address */
void vgpu_pressure_hint(struct vgpu_pressure *pressure, u64 address, bool shared);
/** vgpu_pressure_shares - do they, as far as is known? */
static inline bool vgpu_pressure_shares(const struct vgpu_pressure *pressure)
{
	return pressure->sharing == VGPU_SHARING_FOUND || pressure->sharing == VGPU_SHARING_HINTED;
}

/** vgpu_throttle_epoch - call epoch() of its throttler after so many cycles of an SM */
void vgpu_throttle_epoch(struct vgpu_pressure *pressure, u64 cycles);

/* throttlers.c: of the thesis, 3.6.3, and its baseline: half of the SMs from the beginning */
extern const struct vgpu_throttler vgpu_throttler_adaptive;
extern const struct vgpu_throttler vgpu_throttler_half;

#endif
