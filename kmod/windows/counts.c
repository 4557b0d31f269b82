// SPDX-License-Identifier: GPL-2.0-only
/*
 * What kernels did on a device with kernel_statistics=1, kept for who asks (counts.h): a place for
 * each of the last launches, streams and contexts, and for each SM. A place is made when it is
 * first needed; where all are taken, who was counted least recently goes.
 */
#include <linux/slab.h>

#include "counts.h"

struct kvgpu_counts {
	u64 used;			/* kvgpu_counted.used of the last one */
	u32 sms;
	struct kvgpu_counted *kept[VGPU_NL_COUNTS_SM][VGPU_NL_COUNTS_KEPT];
	struct kvgpu_counted *sm[];
};

u32 kvgpu_counts_room(const struct kvgpu_dev *kdev, enum vgpu_nl_counts scope)
{
	if (!kdev->counts)
		return 0;
	return scope == VGPU_NL_COUNTS_SM ? kdev->counts->sms : VGPU_NL_COUNTS_KEPT;
}

struct kvgpu_counted *kvgpu_counts_at(const struct kvgpu_dev *kdev, enum vgpu_nl_counts scope,
				      u32 index)
{
	return scope == VGPU_NL_COUNTS_SM ? kdev->counts->sm[index] :
					    kdev->counts->kept[scope][index];
}

static struct kvgpu_counts *counts_make(u32 sms)
{
	struct kvgpu_counts *counts = kzalloc(struct_size(counts, sm, sms), GFP_KERNEL);

	if (counts)
		counts->sms = sms;
	return counts;
}

void kvgpu_counts_free(struct kvgpu_counts *counts)
{
	u32 n;

	if (!counts)
		return;
	for (n = 0; n < ARRAY_SIZE(counts->kept) * VGPU_NL_COUNTS_KEPT; n++)
		kfree(counts->kept[n / VGPU_NL_COUNTS_KEPT][n % VGPU_NL_COUNTS_KEPT]);
	for (n = 0; n < counts->sms; n++)
		kfree(counts->sm[n]);
	kfree(counts);
}

/* ---- places ------------------------------------------------------------- */

static bool is_same(const struct kvgpu_counted *a, const struct kvgpu_counted *b)
{
	return a->context == b->context && a->queue == b->queue && a->launch == b->launch;
}

/* The place for @key: its own, or an empty one, or that of who was counted least recently. */
static struct kvgpu_counted **place_of(struct kvgpu_counts *counts, const struct kvgpu_counted *key)
{
	struct kvgpu_counted **places, **best;
	u32 n;

	if (key->scope == VGPU_NL_COUNTS_SM)
		return &counts->sm[key->sm];
	places = counts->kept[key->scope];
	best = places;
	for (n = 0; n < VGPU_NL_COUNTS_KEPT; n++) {
		if (places[n] && is_same(places[n], key))
			return &places[n];
		if (*best && (!places[n] || places[n]->used < (*best)->used))
			best = &places[n];
	}
	return best;
}

/* What @key names, beginning with what it says if it is new. NULL: no memory. */
static struct kvgpu_counted *counted_of(struct kvgpu_counts *counts,
					const struct kvgpu_counted *key)
{
	struct kvgpu_counted **place = place_of(counts, key), *one = *place;

	if (!one) {
		one = kmalloc(sizeof(*one), GFP_KERNEL);
		if (!one)
			return NULL;
		*place = one;
		*one = *key;
	} else if (!is_same(one, key)) {
		*one = *key;
	}
	one->used = ++counts->used;
	return one;
}

/* ---- adding ------------------------------------------------------------- */

static void add_values(struct kvgpu_counted *one, const struct kvgpu_dev *kdev,
		       const struct vgpu_launch_counts *counts, u32 first, u32 end)
{
	u32 n, sm;

	for (n = 0; n < VGPU_COUNTER_COUNT; n++) {
		if (!vgpu_launch_counts_has(&kdev->config, counts, n))
			continue;
		if (one->value[n] == ~0ull)
			one->value[n] = 0;
		for (sm = first; sm < end; sm++)
			one->value[n] += counts->sm[sm].value[n];
	}
}

/* @key: of a launch */
static void add_launch(struct kvgpu_counts *all, const struct kvgpu_dev *kdev,
		       const struct kvgpu_counted *key, const struct vgpu_launch_counts *counts)
{
	struct kvgpu_counted *one = counted_of(all, key);

	if (!one)
		return;
	one->launches++;
	one->duration += counts->started ? counts->ended - counts->started : 0;
	one->preempted += counts->preempted_ps;
	add_values(one, kdev, counts, 0, counts->sms);
}

static bool is_zero(const struct vgpu_counters *counters)
{
	return !memchr_inv(counters->value, 0, sizeof(counters->value));
}

static void add_sm(struct kvgpu_counts *all, const struct kvgpu_dev *kdev, u32 sm,
		   const struct vgpu_launch_counts *counts, struct kvgpu_counted *key)
{
	struct kvgpu_counted *one;

	if (is_zero(&counts->sm[sm]))
		return;
	key->sm = sm;
	one = counted_of(all, key);
	if (!one)
		return;
	one->launches++;
	one->duration += counts->sm[sm].value[VGPU_COUNT_ACTIVE_TIME];
	add_values(one, kdev, counts, sm, sm + 1);
}

static void describe(struct kvgpu_counted *key, const struct vgpu_launch_counts *counts)
{
	key->launch = counts->launch;
	key->submitted = counts->submitted;
	key->started = counts->started;
	key->fitting = counts->occupancy;
	key->complete = counts->complete;
	memcpy(key->grid, counts->grid, sizeof(key->grid));
	memcpy(key->block, counts->block, sizeof(key->block));
	strscpy(key->name, counts->name ? counts->name : "", sizeof(key->name));
}

static void add_all(struct kvgpu_counts *all, struct kvgpu_dev *kdev,
		    const struct vgpu_launch_counts *counts, struct kvgpu_counted *key)
{
	const struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, counts->context);
	u32 sm;

	memset(key->value, 0xff, sizeof(key->value));
	key->scope = VGPU_NL_COUNTS_SM;
	for (sm = 0; sm < counts->sms; sm++)
		add_sm(all, kdev, sm, counts, key);
	key->sm = 0;
	/* it goes behind its launches */
	if (WARN_ON_ONCE(!ctx))
		return;
	key->owner = ctx->owner;
	key->pid = ctx->pid;
	key->context = counts->context;
	key->scope = VGPU_NL_COUNTS_CONTEXT;
	add_launch(all, kdev, key, counts);
	key->queue = counts->queue;
	key->scope = VGPU_NL_COUNTS_STREAM;
	add_launch(all, kdev, key, counts);
	describe(key, counts);
	key->scope = VGPU_NL_COUNTS_LAUNCH;
	add_launch(all, kdev, key, counts);
}

void kvgpu_counts_add(struct kvgpu_dev *kdev, const struct vgpu_launch_counts *counts)
{
	struct kvgpu_counted *key = kzalloc(sizeof(*key), GFP_KERNEL);

	if (!kdev->counts)
		kdev->counts = counts_make(kdev->config.sms);
	if (kdev->counts && key)
		add_all(kdev->counts, kdev, counts, key);
	kfree(key);
}
