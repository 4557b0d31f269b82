// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Resource partitions of SMs; see partitions.h.
 */
#include "drf.h"
#include "partitions.h"

/* Does the limit of SMs of its context keep @ksr from some? */
static bool is_limited(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr)
{
	for (u32 sm = 0; sm < vgpu_exec_config(exec)->sms; sm++)
		if (!vgpu_exec_may_hold(exec, sm, ksr))
			return true;
	return false;
}

/* Which kernels are active, which of them have blocks to issue, and may not have all SMs. */
static u64 sum_of_kernels(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr = NULL;
	u64 sum = 1;

	while ((ksr = vgpu_exec_next_kernel(exec, ksr)))
		sum = (sum ^ (vgpu_exec_kernel_id(ksr) * 4 + vgpu_exec_has_blocks(ksr) * 2 +
			      is_limited(exec, ksr))) *
		      0x9e3779b97f4a7c15ull;
	return sum + vgpu_exec_config(exec)->kernels_per_sm;
}

/* Kernels that share the SM, and how they do. */
struct division {
	struct vgpu_ksr *ksr[VGPU_SM_KERNELS_MOST];
	struct vgpu_drf_kernel drf[VGPU_SM_KERNELS_MOST];
	u32 count;
};

static bool is_in(const struct division *division, const struct vgpu_ksr *ksr)
{
	for (u32 n = 0; n < division->count; n++)
		if (division->ksr[n] == ksr)
			return true;
	return false;
}

static void add(struct division *division, struct vgpu_ksr *ksr, u32 most)
{
	division->ksr[division->count] = ksr;
	division->drf[division->count++] = (struct vgpu_drf_kernel){
		.needs = *vgpu_exec_needs(ksr),
		.most = most,
	};
}

/*
 * SMs before @sm that have a partition for @ksr. *@left: blocks that it has to issue and these have
 * no room for
 */
static u32 partitions_before(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr,
			     u64 *left)
{
	u32 count = 0;

	*left = vgpu_exec_blocks_to_issue(ksr);
	for (u32 n = 0; n < sm; n++) {
		u32 blocks = vgpu_exec_partition(exec, n, ksr), here;

		if (!blocks || blocks == VGPU_NO_PARTITION)
			continue;
		count++;
		here = vgpu_exec_blocks_on(exec, n, ksr);
		blocks = blocks > here ? blocks - here : 0;
		*left = *left > blocks ? *left - blocks : 0;
	}
	return count;
}

/* Which kernel is next to share @sm? NULL: none is left. */
static struct vgpu_ksr *next_for(struct vgpu_exec *exec, u32 sm, const struct division *division)
{
	struct vgpu_ksr *ksr = NULL, *found = NULL;
	u64 least = ~0ull, rank, left;

	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		bool here = vgpu_exec_blocks_on(exec, sm, ksr);

		if (is_in(division, ksr) || !vgpu_exec_may_hold(exec, sm, ksr))
			continue;
		rank = 2ull * partitions_before(exec, sm, ksr, &left) + !here;
		if (!left && !here)
			continue;
		if (rank < least) {
			least = rank;
			found = ksr;
		}
	}
	return found;
}

/* SMs from @sm on that the context of @ksr may have; @sm is one. */
static u32 count_from(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	u32 count = 0;

	for (; sm < vgpu_exec_config(exec)->sms; sm++)
		count += vgpu_exec_may_hold(exec, sm, ksr);
	return count;
}

/* Blocks of @ksr that @sm is to hold at most: those it has, and its part of those to issue. */
static u32 most_of(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	u64 left, most;
	u32 count = count_from(exec, sm, ksr);

	partitions_before(exec, sm, ksr, &left);
	most = vgpu_exec_blocks_on(exec, sm, ksr) + (left + count - 1) / count;
	return most < ~0u ? (u32)most : ~0u;
}

static void choose(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *dedicated,
		   struct division *division)
{
	struct vgpu_ksr *next;

	division->count = 0;
	if (dedicated) {
		add(division, dedicated, 0);
		return;
	}
	while (division->count < vgpu_exec_config(exec)->kernels_per_sm &&
	       (next = next_for(exec, sm, division)))
		add(division, next, most_of(exec, sm, next));
}

/* Blocks that are beyond their partition leave. */
static void evict_beyond(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr, u32 partition)
{
	while (vgpu_exec_blocks_on(exec, sm, ksr) > partition && !vgpu_exec_evict(exec, sm, ksr))
		;
}

/* The partitions of kernels that are not in @division end. */
static void end_others(struct vgpu_exec *exec, u32 sm, const struct division *division)
{
	struct vgpu_ksr *ksr = NULL;

	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		if (is_in(division, ksr))
			continue;
		evict_beyond(exec, sm, ksr, 0);
		vgpu_exec_set_partition(exec, sm, ksr, VGPU_NO_PARTITION);
	}
}

/*
 * The shared memory that the SM is to be set to is that of the first kernel, which so gets some.
 * One that would set it to another size comes when the SM has been set.
 */
static bool must_wait(const struct division *division, u32 n, u32 set_to)
{
	u32 wanted = vgpu_exec_shared_size(division->ksr[0]);

	return set_to != wanted && (n || set_to) &&
	       (set_to || vgpu_exec_shared_size(division->ksr[n]) != wanted);
}

/* false: it cannot be done before blocks have left. */
static bool partition_sm(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *dedicated)
{
	u32 set_to = vgpu_exec_shared_set(exec, sm);
	struct vgpu_resources all;
	struct division division;
	bool done = true;

	choose(exec, sm, dedicated, &division);
	vgpu_exec_sm_resources(exec, sm, &all);
	if (division.count)
		all.shared_bytes = vgpu_exec_shared_size(division.ksr[0]);
	vgpu_drf_divide(division.drf, division.count, &all);
	end_others(exec, sm, &division);
	for (u32 n = 0; n < division.count; n++) {
		bool wait = must_wait(&division, n, set_to);
		u32 blocks = wait ? 0 : division.drf[n].blocks;

		done &= !wait && !vgpu_exec_set_partition(exec, sm, division.ksr[n], blocks);
		if (wait)
			vgpu_exec_set_partition(exec, sm, division.ksr[n], 0);
		evict_beyond(exec, sm, division.ksr[n], blocks);
	}
	return done;
}

static void partition_all(struct vgpu_exec *exec, struct vgpu_partitions *partitions,
			  struct vgpu_ksr *(*dedicated)(struct vgpu_exec *exec, u32 sm))
{
	partitions->known = sum_of_kernels(exec);
	partitions->incomplete = false;
	for (u32 sm = 0; sm < vgpu_exec_config(exec)->sms; sm++)
		partitions->incomplete |=
			!partition_sm(exec, sm, dedicated ? dedicated(exec, sm) : NULL);
}

/* ---- dispatch ----------------------------------------------------------- */

/* Of the kernels that some SM has room for, the one with the lowest rK. -1: no SM has. */
static int next_dispatch(struct vgpu_exec *exec, struct vgpu_ksr **kernel)
{
	struct vgpu_ksr *ksr = NULL;
	u64 least = ~0ull, share;
	int found = -1, sm;

	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		if (!vgpu_exec_has_blocks(ksr))
			continue;
		share = vgpu_exec_kernel_share(exec, ksr, vgpu_exec_blocks_of(ksr));
		if (share >= least)
			continue;
		sm = vgpu_policy_emptiest_sm(exec, ksr, true);
		if (sm < 0)
			continue;
		least = share;
		found = sm;
		*kernel = ksr;
	}
	return found;
}

/* Blocks that have not begun come back at once when they are evicted, and may be issued again. */
#define ROUNDS_MOST	8u

void vgpu_partitions_schedule(struct vgpu_exec *exec, struct vgpu_partitions *partitions,
			      struct vgpu_ksr *(*dedicated)(struct vgpu_exec *exec, u32 sm))
{
	bool due = partitions->incomplete || sum_of_kernels(exec) != partitions->known;
	u32 rounds = 0;

	do {
		struct vgpu_ksr *ksr;
		int sm;

		if (due)
			partition_all(exec, partitions, dedicated);
		while ((sm = next_dispatch(exec, &ksr)) >= 0)
			vgpu_exec_dispatch(exec, (u32)sm, ksr);
		due = sum_of_kernels(exec) != partitions->known;
	} while (due && ++rounds < ROUNDS_MOST);
}
