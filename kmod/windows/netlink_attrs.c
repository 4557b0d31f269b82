// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink messages: what is said of a device, a context and an SM, attribute by attribute
 * (uapi/vgpu_netlink.h), and whole messages of it. The actor writes a message, so all that it says
 * is of one moment. What does not fit cancels the whole message, and so no nest is cancelled by
 * itself.
 */
#include <linux/pid.h>
#include <linux/slab.h>

#include "netlink.h"

/* How long all SMs together have been in each state. */
static int put_sm_times(struct sk_buff *skb, const struct vgpu_device_stats *stats)
{
	struct nlattr *nest = nla_nest_start(skb, VGPU_NL_A_SM_TIMES), *one;
	unsigned int state;

	if (!nest)
		return -EMSGSIZE;
	for (state = 0; state < VGPU_SM_STATES; state++) {
		one = nla_nest_start(skb, VGPU_NL_A_SM_TIME);
		if (!one || nla_put_string(skb, VGPU_NL_A_STATE_NAME, vgpu_sm_state_name(state)) ||
		    kvgpu_put_u64(skb, VGPU_NL_A_STATE_TIME, stats->sm_time[state]))
			return -EMSGSIZE;
		nla_nest_end(skb, one);
	}
	nla_nest_end(skb, nest);
	return 0;
}

/* Every statistic of @snap. */
static int put_stats(struct sk_buff *skb, const struct kvgpu_stat *stat, const void *snap)
{
	for (; stat->name; stat++) {
		u64 value = kvgpu_stat_value(stat, snap);

		if (stat->bytes == sizeof(u32) ? nla_put_u32(skb, stat->attr, value) :
						 kvgpu_put_u64(skb, stat->attr, value))
			return -EMSGSIZE;
	}
	return 0;
}

/* Pids and what a context does are for its owner and for CAP_PERFMON. */
bool kvgpu_may_see(const struct kvgpu_viewer *viewer, kuid_t owner)
{
	return viewer->all || (uid_eq(viewer->uid, owner) && uid_eq(viewer->opener, owner));
}

static bool may_see(const struct kvgpu_message *m, const struct kvgpu_ctx *ctx)
{
	return kvgpu_may_see(m->viewer, ctx->owner);
}

static u32 shown_context(const struct kvgpu_message *m, struct kvgpu_dev *kdev, u32 id)
{
	const struct kvgpu_ctx *ctx = id ? xa_load(&kdev->contexts, id) : NULL;

	return !ctx || may_see(m, ctx) ? id : VGPU_NL_CONTEXT_HIDDEN;
}

static int put_sms(const struct kvgpu_message *m, struct kvgpu_dev *kdev)
{
	struct sk_buff *skb = m->skb;
	u32 sms = kdev->config.sms, i;
	struct nlattr *states = nla_reserve(skb, VGPU_NL_A_SM_STATES, sms);
	struct nlattr *contexts = nla_reserve(skb, VGPU_NL_A_SM_CONTEXTS, sms * sizeof(u32));
	struct vgpu_sm_stats sm;

	if (!states || !contexts)
		return -EMSGSIZE;
	for (i = 0; i < sms && !vgpu_device_sm_stats(kdev->model, i, &sm); i++) {
		((u8 *)nla_data(states))[i] = sm.state;
		((u32 *)nla_data(contexts))[i] = shown_context(m, kdev, sm.context);
	}
	return 0;
}

static int put_knobs(struct sk_buff *skb, struct kvgpu_dev *kdev)
{
	struct nlattr *nest = nla_nest_start(skb, VGPU_NL_A_KNOBS), *one;
	char value[VGPU_NL_VALUE_BYTES];
	const char *name;
	unsigned int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; (name = vgpu_device_knob_name(i)); i++) {
		one = nla_nest_start(skb, VGPU_NL_A_KNOB);
		if (!one || vgpu_device_knob_get(kdev->model, name, value, sizeof(value)) < 0 ||
		    nla_put_string(skb, VGPU_NL_A_KNOB_NAME, name) ||
		    nla_put_string(skb, VGPU_NL_A_KNOB_VALUE, value))
			return -EMSGSIZE;
		nla_nest_end(skb, one);
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int put_device_attrs(struct sk_buff *skb, struct kvgpu_dev *kdev)
{
	struct kvgpu_device_snap snap;

	kvgpu_snap_device(kdev, &snap);
	return nla_put_u32(skb, VGPU_NL_A_DEVICE, kdev->index) ||
	       nla_put_string(skb, VGPU_NL_A_NAME, kdev->name) ||
	       nla_put_string(skb, VGPU_NL_A_PRESET, snap.info.name) ||
	       nla_put_string(skb, VGPU_NL_A_CLOCK,
			      kvgpu_clock_names[READ_ONCE(kdev->system->clock->mode)]) ||
	       nla_put_u32(skb, VGPU_NL_A_SAMPLE_MS, READ_ONCE(kdev->notices->sample_ms)) ||
	       kvgpu_put_u64(skb, VGPU_NL_A_VRAM_RESIDENT,
			     atomic64_read(&kdev->memory->frames) << VGPU_PAGE_SHIFT) ||
	       kvgpu_put_u64(skb, VGPU_NL_A_LOST, READ_ONCE(kdev->notices->lost)) ||
	       put_stats(skb, kvgpu_device_stats, &snap) || put_sm_times(skb, &snap.stats);
}

int kvgpu_put_device(const struct kvgpu_message *m, struct kvgpu_dev *kdev)
{
	return put_device_attrs(m->skb, kdev) || put_sms(m, kdev) || put_knobs(m->skb, kdev);
}

int kvgpu_put_listed_device(const struct kvgpu_message *m, struct kvgpu_dev *kdev)
{
	return put_device_attrs(m->skb, kdev) || put_knobs(m->skb, kdev);
}

int kvgpu_put_sampled_device(const struct kvgpu_message *m, struct kvgpu_dev *kdev)
{
	struct vgpu_device_info info;

	vgpu_device_info(kdev->model, &info);
	*(u32 *)m->what = info.contexts;
	return put_device_attrs(m->skb, kdev) || put_sms(m, kdev);
}

/* What everybody may know of a context: that it exists, and how it is to be scheduled. */
static int put_context_public(const struct kvgpu_message *m, struct kvgpu_dev *kdev,
			      const struct kvgpu_ctx_snap *snap)
{
	return nla_put_u32(m->skb, VGPU_NL_A_DEVICE, kdev->index) ||
	       nla_put_u32(m->skb, VGPU_NL_A_CONTEXT, snap->info.id) ||
	       kvgpu_put_u64(m->skb, VGPU_NL_A_TIME, snap->time) ||
	       nla_put_s32(m->skb, VGPU_NL_A_PRIORITY, snap->priority) ||
	       nla_put_u32(m->skb, VGPU_NL_A_TOKENS, snap->tokens);
}

static int put_context_private(const struct kvgpu_message *m, const struct kvgpu_ctx *ctx,
			       const struct kvgpu_ctx_snap *snap)
{
	const struct vgpu_fault *fault = &snap->info.fault;
	pid_t pid = pid_nr_ns(ctx->process, m->viewer->pids);

	return (pid && nla_put_u32(m->skb, VGPU_NL_A_PID, pid)) ||
	       nla_put_u32(m->skb, VGPU_NL_A_FAULT, fault->reason) ||
	       kvgpu_put_u64(m->skb, VGPU_NL_A_FAULT_ADDRESS, fault->address) ||
	       kvgpu_put_u64(m->skb, VGPU_NL_A_INFLIGHT, snap->inflight) ||
	       put_stats(m->skb, kvgpu_context_stats, snap);
}

int kvgpu_put_context(const struct kvgpu_message *m, struct kvgpu_dev *kdev)
{
	const struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, *(u32 *)m->what);
	struct kvgpu_ctx_snap snap;

	if (!ctx)
		return -ENODEV;
	kvgpu_snap_context(ctx, &snap);
	return put_context_public(m, kdev, &snap) ||
	       (may_see(m, ctx) && put_context_private(m, ctx, &snap));
}

/* ---- SMs ------------------------------------------------------------------ */

static int put_use(struct sk_buff *skb, u32 blocks, u32 registers, u32 shared_bytes, u32 warps,
		   u64 share)
{
	return kvgpu_put_u64(skb, VGPU_NL_A_ON_SM_BLOCKS, blocks) ||
	       kvgpu_put_u64(skb, VGPU_NL_A_ON_SM_REGISTERS, registers) ||
	       kvgpu_put_u64(skb, VGPU_NL_A_ON_SM_SHARED, shared_bytes) ||
	       kvgpu_put_u64(skb, VGPU_NL_A_ON_SM_WARPS, warps) ||
	       kvgpu_put_u64(skb, VGPU_NL_A_SHARE, share);
}

/* Of another user's kernel only that it is there. */
static int put_sm_kernel(const struct kvgpu_message *m, struct kvgpu_dev *kdev,
			 const struct vgpu_sm_kernel *kernel)
{
	struct nlattr *nest = nla_nest_start(m->skb, VGPU_NL_A_SM_KERNEL);
	u32 context = shown_context(m, kdev, kernel->context);

	if (!nest || nla_put_u32(m->skb, VGPU_NL_A_CONTEXT, context))
		return -EMSGSIZE;
	if (context != VGPU_NL_CONTEXT_HIDDEN &&
	    (nla_put_u32(m->skb, VGPU_NL_A_LAUNCH, kernel->launch) ||
	     nla_put_u32(m->skb, VGPU_NL_A_PARTITION, kernel->partition) ||
	     put_use(m->skb, kernel->blocks, kernel->registers, kernel->shared_bytes,
		     kernel->warps, kernel->share)))
		return -EMSGSIZE;
	nla_nest_end(m->skb, nest);
	return 0;
}

static int put_sm_kernels(const struct kvgpu_message *m, struct kvgpu_dev *kdev,
			  const struct vgpu_sm_use *use)
{
	struct nlattr *nest = nla_nest_start(m->skb, VGPU_NL_A_SM_KERNELS);
	u32 i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < use->kernels; i++)
		if (put_sm_kernel(m, kdev, &use->kernel[i]))
			return -EMSGSIZE;
	nla_nest_end(m->skb, nest);
	return 0;
}

int kvgpu_put_sm(const struct kvgpu_message *m, struct kvgpu_dev *kdev)
{
	u32 number = *(u32 *)m->what;
	struct vgpu_sm_stats stats;
	struct vgpu_sm_use use;

	if (vgpu_device_sm_stats(kdev->model, number, &stats) ||
	    vgpu_device_sm_use(kdev->model, number, &use))
		return -ENODEV;
	return nla_put_u32(m->skb, VGPU_NL_A_DEVICE, kdev->index) ||
	       nla_put_u32(m->skb, VGPU_NL_A_SM, number) ||
	       kvgpu_put_u64(m->skb, VGPU_NL_A_TIME, vgpu_device_now(kdev->model)) ||
	       nla_put_string(m->skb, VGPU_NL_A_STATE_NAME, vgpu_sm_state_name(stats.state)) ||
	       kvgpu_put_u64(m->skb, VGPU_NL_A_SM_SHARED_SIZE, use.shared_size) ||
	       put_use(m->skb, use.blocks, use.registers, use.shared_bytes, use.warps,
		       use.share) ||
	       put_sm_kernels(m, kdev, &use);
}

/* ---- messages ----------------------------------------------------------- */

int kvgpu_message_add(struct kvgpu_dev *kdev, void *message)
{
	struct kvgpu_message *m = message;
	void *head = genlmsg_put(m->skb, m->portid, m->seq, &kvgpu_family, m->flags, m->command);
	int ret = head ? m->put(m, kdev) : -EMSGSIZE;

	if (ret) {
		genlmsg_cancel(m->skb, head);
		return ret == -ENODEV ? ret : -EMSGSIZE;
	}
	genlmsg_end(m->skb, head);
	return 0;
}

int kvgpu_message_make(struct kvgpu_dev *kdev, struct kvgpu_message *message, size_t room)
{
	int ret;

	message->skb = genlmsg_new(room, GFP_KERNEL);
	if (!message->skb)
		return -ENOMEM;
	ret = kvgpu_actor_call_killable(kdev, kvgpu_message_add, message);
	if (ret)
		nlmsg_free(message->skb);
	return ret;
}
