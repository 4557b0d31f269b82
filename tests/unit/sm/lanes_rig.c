// SPDX-License-Identifier: MIT
/* One warp without a device; see lanes_rig.h. */
#include "lanes_rig.h"

#include <stdlib.h>
#include <string.h>

/* The last is the one that not every processor can run. */
static const struct {
	const char *name;
	enum vgpu_lanes_end (*run)(struct vgpu_lanes *lanes);
} builds[] = {
	{ "portable", vgpu_lanes_run_portable },
#ifdef __x86_64__
	{ "SSE2", vgpu_lanes_run_sse2 },
	{ "AVX2", vgpu_lanes_run_avx2 },
#endif
};

_Static_assert(VGPU_ARRAY_SIZE(builds) <= RIG_BUILDS, "a rig for each");

int rig_builds(void)
{
	int count = VGPU_ARRAY_SIZE(builds);

#ifdef __x86_64__
	count -= !vgpu_cpu_has_avx2();
#endif
	return count;
}

const char *rig_build_name(int build)
{
	return builds[build].name;
}

u64 rig_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

struct rig *rig_new(u64 seed)
{
	struct rig *rig = aligned_alloc(4096, (sizeof(*rig) + 4095) / 4096 * 4096);

	assert_non_null(rig);
	memset(rig, 0, sizeof(*rig));
	for (size_t n = 0; n < sizeof(rig->memory); n++)
		rig->memory[n] = (u8)rig_random(&seed);
	for (size_t n = 0; n < sizeof(rig->shared); n++)
		rig->shared[n] = (u8)rig_random(&seed);
	for (size_t n = 0; n < sizeof(rig->local); n++)
		rig->local[n] = (u8)rig_random(&seed);
	for (size_t n = 0; n < sizeof(rig->params); n++)
		rig->params[n] = (u8)rig_random(&seed);
	for (u32 n = 0; n < VGPU_TLB_ENTRIES; n++)
		rig->tlb[n].page = ~0ull;
	for (u32 n = 0; n < RIG_PAGES; n++) {
		u64 page = (RIG_BASE >> VGPU_PAGE_SHIFT) + n;

		rig->tlb[page % VGPU_TLB_ENTRIES] =
			(struct vgpu_tlb_entry){ page, rig->memory + n * 4096u,
						 rig->memory + n * 4096u };
	}
	rig->launch = (struct vgpu_launch){ .id = 9,
					    .grid = { 5, 6, 7 },
					    .block = { 8, 4, 2 },
					    .warps = 2,
					    .threads = 64,
					    .dynamic_shared = 12 };
	rig_reset(rig, ~0u);
	return rig;
}

void rig_free(struct rig *rig)
{
	free(rig);
}

void rigs_new(struct rig *rigs[RIG_BUILDS], u64 seed)
{
	for (int build = 0; build < RIG_BUILDS; build++)
		rigs[build] = build < rig_builds() ? rig_new(seed) : NULL;
}

void rigs_free(struct rig *rigs[RIG_BUILDS])
{
	for (int build = 0; build < RIG_BUILDS; build++)
		rig_free(rigs[build]);
}

void rig_reset(struct rig *rig, u32 active)
{
	memset(&rig->warp, 0, sizeof(rig->warp));
	rig->warp.active = active;
	rig->warp.live = active;
	rig->warp.reconv = VGPU_NO_RECONV;
	rig->warp.threads = VGPU_LANES;
	rig->warp.preds[VGPU_PT] = ~0u;
}

enum vgpu_lanes_end rig_run_lanes(struct rig *rig, int build)
{
	return builds[build].run(&rig->lanes);
}

enum vgpu_lanes_end rig_run(struct rig *rig, int build, u32 budget)
{
	struct vgpu_lanes *l = &rig->lanes;

	rig->warp.regs = rig->regs;
	rig->local_pages[0].memory = rig->local;
	rig->warp.local[0] = rig->local_pages;
	l->code = rig->code;
	l->launch = &rig->launch;
	l->params = rig->params;
	l->shared = rig->shared;
	l->shared_bytes = RIG_SHARED;
	l->local_bytes = RIG_LOCAL;
	l->tlb = rig->tlb;
	l->cost = rig->cost;
	l->warp = &rig->warp;
	l->budget = budget;
	return rig_run_lanes(rig, build);
}

void rig_same(const struct rig *a, int build, const struct rig *b, const char *what)
{
	for (u32 n = 0; n < RIG_REGS * VGPU_LANES; n++) {
		if (a->regs[n] != b->regs[n])
			fail_msg("%s: register %u lane %u: %s %08x, wanted %08x", what, n / 32,
				 n % 32, builds[build].name, a->regs[n], b->regs[n]);
	}
	if (memcmp(a->warp.preds, b->warp.preds, sizeof(a->warp.preds)))
		fail_msg("%s: predicates differ", what);
	if (memcmp(a->memory, b->memory, sizeof(a->memory)) ||
	    memcmp(a->shared, b->shared, sizeof(a->shared)) ||
	    memcmp(a->local, b->local, sizeof(a->local)))
		fail_msg("%s: memory differs", what);
	if (a->warp.pc != b->warp.pc || a->warp.active != b->warp.active ||
	    a->warp.depth != b->warp.depth || a->warp.live != b->warp.live)
		fail_msg("%s: control differs", what);
}
