// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a device and its contexts are doing, copied by the actor into memory that the asker brings:
 * for netlink and fdinfo.
 */
#include <linux/slab.h>

#include "snapshot.h"

/* ---- a device ----------------------------------------------------------- */

struct device_msg {
	struct kvgpu_msg msg;
	struct kvgpu_device_snap *snap;
};

static int do_device(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct kvgpu_device_snap *snap = container_of(msg, struct device_msg, msg)->snap;
	struct vgpu_sm_stats sm;
	u32 i;

	vgpu_device_info(kdev->model, &snap->info);
	vgpu_device_stats(kdev->model, &snap->stats);
	for (i = 0; i < kdev->config.sms && !vgpu_device_sm_stats(kdev->model, i, &sm); i++) {
		snap->sm_state[i] = sm.state;
		snap->sm_context[i] = sm.context;
	}
	return 0;
}

struct kvgpu_device_snap *kvgpu_snap_device(struct kvgpu_dev *kdev)
{
	u32 sms = kdev->config.sms;
	struct device_msg m = { .msg.fn = do_device };
	int ret;

	/* one piece: the numbers, a context for each SM, a state for each SM */
	m.snap = kvzalloc(struct_size(m.snap, sm_context, sms) + sms, GFP_KERNEL);
	if (!m.snap)
		return ERR_PTR(-ENOMEM);
	m.snap->sm_state = (u8 *)&m.snap->sm_context[sms];
	ret = kvgpu_post_killable(kdev, &m.msg);
	if (!ret)
		return m.snap;
	kvfree(m.snap);
	return ERR_PTR(ret);
}

/* ---- contexts ----------------------------------------------------------- */

struct contexts_msg {
	struct kvgpu_msg msg;
	u32 first;
	u32 room;
	struct kvgpu_ctx_snap *snaps;
};

static int do_contexts(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct contexts_msg *m = container_of(msg, struct contexts_msg, msg);
	unsigned long id = m->first;
	struct kvgpu_ctx *ctx;
	int count = 0;

	for (ctx = xa_find(&kdev->contexts, &id, ULONG_MAX, XA_PRESENT); ctx && count < m->room;
	     ctx = xa_find_after(&kdev->contexts, &id, ULONG_MAX, XA_PRESENT)) {
		struct kvgpu_ctx_snap *snap = &m->snaps[count];

		if (vgpu_context_info(kdev->model, ctx->id, &snap->info))
			continue;
		snap->time = vgpu_device_now(kdev->model);
		snap->pid = ctx->pid;
		snap->priority = ctx->priority;
		snap->tokens = ctx->tokens;
		snap->inflight = ctx->inflight;
		count++;
	}
	return count;
}

int kvgpu_snap_contexts(struct kvgpu_dev *kdev, u32 first, struct kvgpu_ctx_snap *snaps, u32 room)
{
	struct contexts_msg m = {
		.msg.fn = do_contexts, .first = first, .room = room, .snaps = snaps
	};

	return kvgpu_post_killable(kdev, &m.msg);
}
