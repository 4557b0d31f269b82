// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shares of users. Everybody may open the devices, and some things of a device there are only so
 * many of: contexts, device memory to map, and virtual time by which a free clock may be ahead of
 * the wall clock (clock.c). One user may have user_share per cent of what all others leave, 90 if
 * nobody says otherwise. So whoever takes all that he may leaves a tenth, and the next one a tenth
 * of that. One context is always left to a user who has none, as long as there is any.
 *
 * Who has CAP_SYS_RESOURCE may have all.
 */
#include <linux/math64.h>
#include <linux/slab.h>

#include "kmod/core/core.h"

u64 kvgpu_user_may(u64 has, u64 all, u64 total, u32 share)
{
	u64 others = all - min(has, all);
	u64 left = total - min(others, total);
	u32 rest;
	u64 hundredths = div_u64_rem(left, 100, &rest);

	/* rounded up: of one that is left, one */
	return hundredths * share + DIV_ROUND_UP(rest * share, 100);
}

static struct kvgpu_user *user_get(struct kvgpu_ctx *ctx, struct kvgpu_user **spare)
{
	struct xarray *users = &ctx->kdev->system->users;
	unsigned long uid = __kuid_val(ctx->owner);
	struct kvgpu_user *user = xa_load(users, uid);
	int ret;

	if (!user) {
		user = *spare;
		user->uid = ctx->owner;
		INIT_LIST_HEAD(&user->node);
		ret = xa_err(xa_store(users, uid, user, GFP_KERNEL));
		if (ret)
			return ERR_PTR(ret);
		*spare = NULL;
	}
	return user;
}

static void user_put(struct kvgpu_system *system, struct kvgpu_user *user)
{
	if (user->files || user->allocations)
		return;
	WARN_ON_ONCE(user->wants);
	if (user->ahead)
		return;
	xa_erase(&system->users, __kuid_val(user->uid));
	kfree(user);
}

int kvgpu_user_join(struct kvgpu_ctx *ctx, struct kvgpu_user **spare)
{
	struct kvgpu_dev *kdev = ctx->kdev;
	struct kvgpu_user *user = user_get(ctx, spare);
	u32 *contexts;
	u64 may;

	if (IS_ERR(user))
		return PTR_ERR(user);
	contexts = &user->contexts[kdev->index];
	may = ctx->privileged ? KVGPU_CONTEXTS_MAX :
				kvgpu_user_may(*contexts, kdev->contexts_open, KVGPU_CONTEXTS_MAX,
					       READ_ONCE(kdev->user_share));
	if (kdev->contexts_open == KVGPU_CONTEXTS_MAX || *contexts >= may) {
		user_put(kdev->system, user);
		return -ENOSPC;
	}
	user->privileged |= ctx->privileged;
	user->files++;
	++*contexts;
	kdev->contexts_open++;
	ctx->user = user;
	return 0;
}

void kvgpu_user_leave(struct kvgpu_ctx *ctx)
{
	struct kvgpu_dev *kdev = ctx->kdev;
	struct kvgpu_user *user = ctx->user;

	kvgpu_user_map(ctx, -(s64)ctx->mapped);
	user->files--;
	user->contexts[kdev->index]--;
	kdev->contexts_open--;
	user_put(kdev->system, user);
}

u64 kvgpu_user_memory(const struct kvgpu_ctx *ctx)
{
	const struct kvgpu_dev *kdev = ctx->kdev;
	u64 has = ctx->user->mapped[kdev->index], may;

	if (ctx->privileged)
		return U64_MAX;
	may = kvgpu_user_may(has, kdev->mapped, kdev->config.vram_bytes,
			     READ_ONCE(kdev->user_share));
	return may > has ? may - has : 0;
}

void kvgpu_user_map(struct kvgpu_ctx *ctx, s64 bytes)
{
	ctx->mapped += bytes;
	ctx->user->mapped[ctx->kdev->index] += bytes;
	ctx->kdev->mapped += bytes;
}

void kvgpu_user_hold(struct kvgpu_dev *kdev, struct kvgpu_user *user, u64 bytes)
{
	user->mapped[kdev->index] += bytes;
	kdev->mapped += bytes;
	user->allocations++;
}

void kvgpu_user_unhold(struct kvgpu_dev *kdev, struct kvgpu_user *user, u64 bytes)
{
	user->mapped[kdev->index] -= bytes;
	kdev->mapped -= bytes;
	user->allocations--;
	user_put(kdev->system, user);
}

void kvgpu_user_wants(struct kvgpu_ctx *ctx, s64 more)
{
	struct kvgpu_user *user = ctx->user;

	user->wants += more;
	if (!user->wants)
		list_del_init(&user->node);
	else if (list_empty(&user->node))
		list_add_tail(&user->node, &ctx->kdev->system->users_waiting);
}
