/* SPDX-License-Identifier: MIT */
/*
 * A device with timing=pipeline that runs one warp, and the stages of its instructions as the trace
 * has them: for tests of the pipeline to the cycle.
 */
#ifndef PIPELINE_RIG_H
#define PIPELINE_RIG_H

#include "block_rig.h"

/** struct stages - cycles of an instruction, of which 1 is the first of the stretch; 0: never */
struct stages {
	u64 fetch;
	u64 issue;
	u64 commit;
};

/* As start() of block_rig.h, changed by "field=value" strings up to NULL. */
static inline struct rig start_pipeline(const struct vgpu_config *config)
{
	struct rig r = { .h = host_new_config(config) };

	r.context = host_open(r.h);
	r.queue = host_queue(r.h, r.context);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, BASE, BYTES), 0);
	return r;
}

static inline void set_field(struct vgpu_config *config, const char *field, const char *value)
{
	if (vgpu_config_set(config, field, value))
		fail_msg("%s=%s", field, value);
}

/*
 * The machine of the four-instruction timelines (Tanasic figures 6.3 to 6.8): one instruction is
 * fetched and one issued in a cycle, arithmetic executes for one cycle, a load for seven, in the
 * last of which its TLB check ends.
 */
static inline struct vgpu_config timeline_config(const char *scheme)
{
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "k20c"), 0);
	set_field(&config, "timing", "pipeline");
	set_field(&config, "memory_model", "flat");
	set_field(&config, "trace_pipeline", "1");
	set_field(&config, "fault_scheme", scheme);
	set_field(&config, "warp_schedulers", "1");
	set_field(&config, "math_units", "2");
	set_field(&config, "fetch_width", "1");
	set_field(&config, "issue_width", "1");
	set_field(&config, "math_cycles", "1");
	set_field(&config, "memory_latency_cycles", "7");
	set_field(&config, "l1_tlb_cycles", "7");
	return config;
}

/* The machine of table 6.1, with its caches and TLBs */
static inline struct vgpu_config caches_config(const char *scheme)
{
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	set_field(&config, "timing", "pipeline");
	set_field(&config, "memory_model", "caches");
	set_field(&config, "fault_scheme", scheme);
	return config;
}

/* Pages of the process that the kernel waits for come. */
static inline void serve_process_pages(struct rig *r)
{
	struct vgpu_process_pages pages;

	while (vgpu_process_wanted(r->h->dev, r->context, &pages)) {
		u64 first = (pages.address - HOST_PROCESS) / VGPU_PAGE_SIZE;

		for (u32 n = 0; n < pages.pages; n++) {
			if (!(pages.wanted >> n & 1))
				continue;
			r->h->process_pages[first + n] = HOST_PAGE_WRITE;
			pages.there |= 1ull << n;
		}
		vgpu_process_came(r->h->dev, r->context, &pages);
	}
	r->h->process_wants = 0;
}

/* The last time that the instruction at @pc committed, in absolute cycles. */
static inline struct stages stages_of(const struct rig *r, u32 pc)
{
	struct stages s = {};

	for (size_t n = 0; n < r->h->record_count; n++) {
		const struct vgpu_trace_record *record = &r->h->records[n];

		if (record->type != VGPU_TRACE_INSTRUCTION || (record->queue & 0xffffff) != pc ||
		    record->b & VGPU_TRACED_SQUASHED)
			continue;
		s.fetch = record->seq;
		s.issue = record->seq + (record->a >> 32);
		s.commit = record->seq + (u32)record->a;
	}
	return s;
}

/* Instructions that ended with all of @flags. */
static inline u32 traced_with(const struct rig *r, u32 flags)
{
	u32 count = 0;

	for (size_t n = 0; n < r->h->record_count; n++)
		count += r->h->records[n].type == VGPU_TRACE_INSTRUCTION &&
			 (r->h->records[n].b & flags) == flags;
	return count;
}

/* What precedes is over when @first is fetched, in cycle 1. */
static inline void check_timeline(const struct rig *r, u32 first, const struct stages *want,
				  u32 count)
{
	u64 base = stages_of(r, first).fetch - 1;

	for (u32 n = 0; n < count; n++) {
		struct stages got = stages_of(r, first + n);

		if (got.fetch - base != want[n].fetch || got.issue - base != want[n].issue ||
		    got.commit - base != want[n].commit)
			fail_msg("instruction %u: F%llu I%llu C%llu, must be F%llu I%llu C%llu",
				 n, got.fetch - base, got.issue - base, got.commit - base,
				 want[n].fetch, want[n].issue, want[n].commit);
	}
}

#endif
