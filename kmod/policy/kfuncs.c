// SPDX-License-Identifier: GPL-2.0-only
/*
 * kfuncs: what a policy in BPF may call, the functions of vgpu_policy.h that policies have. Numbers
 * of SMs are checked here where the device does not, and pointers as said below.
 */
#ifdef VGPU_BPF

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/kthread.h>

#include "kmod/core/core.h"
#include "kmod/policy/bpf_ops.h"

/*
 * The verifier knows of what type a pointer is, and not whether there is such a thing any more, nor
 * whether it is of this device: a program may have cast a number. So every pointer is compared with
 * what there is, and none is followed before.
 */
static struct vgpu_exec *deciding(void)
{
	struct kvgpu_system *system = kthread_data(current);

	return system->deciding;
}

static bool refuse(bool right)
{
	if (!right)
		vgpu_exec_eject(deciding(),
				"it passes a pointer that is no context, kernel or device");
	return right;
}

static bool is_exec(const struct vgpu_exec *exec)
{
	return refuse(exec == deciding());
}

static bool is_context(const struct vgpu_sched_context *ctx)
{
	return refuse(vgpu_exec_is_context(deciding(), ctx));
}

static bool is_active(const struct vgpu_ksr *ksr)
{
	return refuse(vgpu_exec_is_kernel(deciding(), ksr));
}

static bool is_sm(const struct vgpu_exec *exec, u32 sm)
{
	return sm < vgpu_exec_config(exec)->sms;
}

/*
 * Steps of all loops of a decision. Without an end of them a policy would stop the device's clock,
 * by which it could be ejected. A decision takes tens or hundreds; one that looks at each of 1024
 * SMs for each of 128 kernels takes 2^17.
 */
#define STEPS_MOST	(1u << 20)

/** struct bpf_iter_vgpu_steps - a loop: 0, 1, 2 … It is on a program's stack */
struct bpf_iter_vgpu_steps {
	__u64 opaque[1];
} __aligned(8);

struct steps {
	int now, next;
};

__bpf_kfunc_start_defs();

__bpf_kfunc u64 vgpu_bpf_now(const struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return 0;
	return vgpu_exec_now(exec);
}

__bpf_kfunc u64 vgpu_bpf_time_after(const struct vgpu_exec *exec, u64 delay)
{
	if (!is_exec(exec))
		return 0;
	return vgpu_exec_time_after(exec, delay);
}

__bpf_kfunc const struct vgpu_config *vgpu_bpf_config(const struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return NULL;
	return vgpu_exec_config(exec);
}

__bpf_kfunc bool vgpu_bpf_share_by_priority(const struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return false;
	return vgpu_exec_share_by_priority(exec);
}

__bpf_kfunc u8 *vgpu_bpf_policy_data(struct vgpu_exec *exec, const int rdwr_buf_size)
{
	if (!is_exec(exec))
		return NULL;
	return rdwr_buf_size > 0 && rdwr_buf_size <= vgpu_exec_policy(exec)->data_bytes ?
		       vgpu_exec_policy_data(exec) : NULL;
}

__bpf_kfunc struct vgpu_sched_context *
vgpu_bpf_next_context(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx__nullable)
{
	if (!is_exec(exec) || !(!ctx__nullable || is_context(ctx__nullable)))
		return NULL;
	return vgpu_exec_next_context(exec, ctx__nullable);
}

__bpf_kfunc struct vgpu_ksr *vgpu_bpf_next_kernel(struct vgpu_exec *exec,
						  const struct vgpu_ksr *ksr__nullable)
{
	if (!is_exec(exec) || !(!ksr__nullable || is_active(ksr__nullable)))
		return NULL;
	return vgpu_exec_next_kernel(exec, ksr__nullable);
}

__bpf_kfunc struct vgpu_sched_context *vgpu_bpf_context_of(const struct vgpu_ksr *ksr)
{
	if (!is_active(ksr))
		return NULL;
	return vgpu_exec_context_of(ksr);
}

__bpf_kfunc struct vgpu_sched_context *vgpu_bpf_waiting(struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return NULL;
	return vgpu_exec_waiting(exec);
}

__bpf_kfunc u64 vgpu_bpf_launch_arrived(const struct vgpu_sched_context *ctx)
{
	if (!is_context(ctx))
		return 0;
	return vgpu_exec_launch_arrived(ctx);
}

__bpf_kfunc u64 vgpu_bpf_oldest_command(const struct vgpu_sched_context *ctx)
{
	if (!is_context(ctx))
		return 0;
	return vgpu_exec_oldest_command(ctx);
}

__bpf_kfunc bool vgpu_bpf_has_room(const struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return false;
	return vgpu_exec_has_room(exec);
}

__bpf_kfunc bool vgpu_bpf_has_room_for(const struct vgpu_exec *exec,
				       const struct vgpu_sched_context *ctx)
{
	if (!is_exec(exec) || !is_context(ctx))
		return false;
	return vgpu_exec_has_room_for(exec, ctx);
}

__bpf_kfunc struct vgpu_sched_context *vgpu_bpf_active(struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return NULL;
	return vgpu_exec_active(exec);
}

__bpf_kfunc struct vgpu_ksr *vgpu_bpf_issuable(struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return NULL;
	return vgpu_exec_issuable(exec);
}

__bpf_kfunc struct vgpu_ksr *vgpu_bpf_issuable_of(const struct vgpu_sched_context *ctx)
{
	if (!is_context(ctx))
		return NULL;
	return vgpu_exec_issuable_of(ctx);
}

__bpf_kfunc struct vgpu_ksr *vgpu_bpf_wanting(struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return NULL;
	return vgpu_exec_wanting(exec);
}

__bpf_kfunc struct vgpu_ksr *vgpu_bpf_wanting_of(const struct vgpu_sched_context *ctx)
{
	if (!is_context(ctx))
		return NULL;
	return vgpu_exec_wanting_of(ctx);
}

__bpf_kfunc struct vgpu_sched_context *vgpu_bpf_holding(struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return NULL;
	return vgpu_exec_holding(exec);
}

__bpf_kfunc int vgpu_bpf_idle_sm(const struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return -1;
	return vgpu_exec_idle_sm(exec);
}

__bpf_kfunc int vgpu_bpf_unreserved_sm(const struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return -1;
	return vgpu_exec_unreserved_sm(exec);
}

__bpf_kfunc struct vgpu_ksr *vgpu_bpf_admit(struct vgpu_exec *exec,
					    struct vgpu_sched_context *ctx)
{
	if (!is_exec(exec) || !is_context(ctx))
		return NULL;
	return vgpu_exec_admit(exec, ctx);
}

__bpf_kfunc void vgpu_bpf_assign(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	if (!is_exec(exec) || !is_active(ksr))
		return;
	vgpu_exec_assign(exec, sm, ksr);
}

__bpf_kfunc int vgpu_bpf_reserve(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	if (!is_exec(exec) || !is_active(ksr))
		return -EINVAL;
	return vgpu_exec_reserve(exec, sm, ksr);
}

__bpf_kfunc void vgpu_bpf_timer(struct vgpu_exec *exec, u64 time)
{
	if (!is_exec(exec))
		return;
	vgpu_exec_timer(exec, time);
}

__bpf_kfunc u64 vgpu_bpf_timer_time(const struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return 0;
	return vgpu_exec_timer_time(exec);
}

__bpf_kfunc void vgpu_bpf_reorder(struct vgpu_exec *exec, struct vgpu_sched_context *ctx)
{
	if (!is_exec(exec) || !is_context(ctx))
		return;
	vgpu_exec_reorder(exec, ctx);
}

__bpf_kfunc u32 vgpu_bpf_kernel_id(const struct vgpu_ksr *ksr)
{
	if (!is_active(ksr))
		return 0;
	return vgpu_exec_kernel_id(ksr);
}

__bpf_kfunc bool vgpu_bpf_has_blocks(const struct vgpu_ksr *ksr)
{
	if (!is_active(ksr))
		return false;
	return vgpu_exec_has_blocks(ksr);
}

__bpf_kfunc u64 vgpu_bpf_blocks_to_issue(const struct vgpu_ksr *ksr)
{
	if (!is_active(ksr))
		return 0;
	return vgpu_exec_blocks_to_issue(ksr);
}

__bpf_kfunc u32 vgpu_bpf_occupancy(const struct vgpu_ksr *ksr)
{
	if (!is_active(ksr))
		return 0;
	return vgpu_exec_occupancy(ksr);
}

__bpf_kfunc u32 vgpu_bpf_shared_size(const struct vgpu_ksr *ksr)
{
	if (!is_active(ksr))
		return 0;
	return vgpu_exec_shared_size(ksr);
}

__bpf_kfunc u64 vgpu_bpf_blocks_of(const struct vgpu_ksr *ksr)
{
	if (!is_active(ksr))
		return 0;
	return vgpu_exec_blocks_of(ksr);
}

__bpf_kfunc u64 vgpu_bpf_kernel_share(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr,
				      u64 count)
{
	if (!is_exec(exec) || !is_active(ksr))
		return 0;
	return vgpu_exec_kernel_share(exec, ksr, count);
}

__bpf_kfunc bool vgpu_bpf_may_hold_more(const struct vgpu_ksr *ksr)
{
	if (!is_active(ksr))
		return false;
	return vgpu_exec_may_hold_more(ksr);
}

__bpf_kfunc u64 vgpu_bpf_cycle(const struct vgpu_exec *exec)
{
	if (!is_exec(exec))
		return 0;
	return vgpu_exec_cycle(exec);
}

__bpf_kfunc int vgpu_bpf_next_sm_of(const struct vgpu_exec *exec,
				    const struct vgpu_sched_context *ctx, int sm)
{
	if (!is_exec(exec) || !is_context(ctx))
		return -1;
	return sm < 0 || is_sm(exec, sm) ? vgpu_exec_next_sm_of(exec, ctx, sm) : -1;
}

__bpf_kfunc u32 vgpu_bpf_shared_set(const struct vgpu_exec *exec, u32 sm)
{
	if (!is_exec(exec))
		return 0;
	return is_sm(exec, sm) ? vgpu_exec_shared_set(exec, sm) : 0;
}

__bpf_kfunc u32 vgpu_bpf_blocks_on(const struct vgpu_exec *exec, u32 sm,
				   const struct vgpu_ksr *ksr)
{
	if (!is_exec(exec) || !is_active(ksr))
		return 0;
	return is_sm(exec, sm) ? vgpu_exec_blocks_on(exec, sm, ksr) : 0;
}

__bpf_kfunc u64 vgpu_bpf_sm_share(const struct vgpu_exec *exec, u32 sm,
				  const struct vgpu_ksr *except__nullable)
{
	if (!is_exec(exec) || !(!except__nullable || is_active(except__nullable)))
		return 0;
	return is_sm(exec, sm) ? vgpu_exec_sm_share(exec, sm, except__nullable) : VGPU_SHARE_ONE;
}

__bpf_kfunc bool vgpu_bpf_may_hold(const struct vgpu_exec *exec, u32 sm,
				   const struct vgpu_ksr *ksr)
{
	if (!is_exec(exec) || !is_active(ksr))
		return false;
	return is_sm(exec, sm) && vgpu_exec_may_hold(exec, sm, ksr);
}

__bpf_kfunc bool vgpu_bpf_fits(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	if (!is_exec(exec) || !is_active(ksr))
		return false;
	return is_sm(exec, sm) && vgpu_exec_fits(exec, sm, ksr);
}

__bpf_kfunc u32 vgpu_bpf_in_the_way(const struct vgpu_exec *exec, u32 sm,
				    const struct vgpu_ksr *victim, const struct vgpu_ksr *ksr)
{
	if (!is_exec(exec) || !is_active(victim) || !is_active(ksr))
		return 0;
	return is_sm(exec, sm) ? vgpu_exec_in_the_way(exec, sm, victim, ksr) : 0;
}

__bpf_kfunc u32 vgpu_bpf_evictable(const struct vgpu_exec *exec, u32 sm,
				   const struct vgpu_ksr *ksr)
{
	if (!is_exec(exec) || !is_active(ksr))
		return 0;
	return is_sm(exec, sm) ? vgpu_exec_evictable(exec, sm, ksr) : 0;
}

__bpf_kfunc u32 vgpu_bpf_partition(const struct vgpu_exec *exec, u32 sm,
				   const struct vgpu_ksr *ksr)
{
	if (!is_exec(exec) || !is_active(ksr))
		return 0;
	return is_sm(exec, sm) ? vgpu_exec_partition(exec, sm, ksr) : VGPU_NO_PARTITION;
}

__bpf_kfunc u64 vgpu_bpf_sm_instructions(const struct vgpu_exec *exec, u32 sm)
{
	if (!is_exec(exec))
		return 0;
	return is_sm(exec, sm) ? vgpu_exec_sm_instructions(exec, sm) : 0;
}

__bpf_kfunc void vgpu_bpf_dispatch(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	if (!is_exec(exec) || !is_active(ksr))
		return;
	vgpu_exec_dispatch(exec, sm, ksr);
}

__bpf_kfunc int vgpu_bpf_evict(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	if (!is_exec(exec) || !is_active(ksr))
		return -EINVAL;
	return vgpu_exec_evict(exec, sm, ksr);
}

__bpf_kfunc int vgpu_bpf_replace(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *victim,
				 struct vgpu_ksr *ksr)
{
	if (!is_exec(exec) || !is_active(victim) || !is_active(ksr))
		return -EINVAL;
	return vgpu_exec_replace(exec, sm, victim, ksr);
}

__bpf_kfunc int vgpu_bpf_set_partition(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr,
				       u32 blocks)
{
	if (!is_exec(exec) || !is_active(ksr))
		return -EINVAL;
	return vgpu_exec_set_partition(exec, sm, ksr, blocks);
}

__bpf_kfunc void vgpu_bpf_set_quota(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr,
				    u64 instructions)
{
	if (!is_exec(exec) || !is_active(ksr))
		return;
	vgpu_exec_set_quota(exec, sm, ksr, instructions);
}

/* The private data of @ctx, if it has so many bytes. */
__bpf_kfunc u8 *vgpu_bpf_sched_data(struct vgpu_sched_context *ctx, const int rdwr_buf_size)
{
	if (!is_context(ctx))
		return NULL;
	return rdwr_buf_size > 0 && rdwr_buf_size <= sizeof(ctx->data) ? (u8 *)ctx->data : NULL;
}

/* Of the SM that an operation of the policy itself chooses, a program knows. */
__bpf_kfunc int vgpu_bpf_victim(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx)
{
	if (!is_exec(exec) || !is_context(ctx))
		return -1;
	return vgpu_exec_victim(exec, ctx);
}

__bpf_kfunc const struct vgpu_resources *vgpu_bpf_needs(const struct vgpu_ksr *ksr)
{
	if (!is_active(ksr))
		return NULL;
	return vgpu_exec_needs(ksr);
}

/* With its size: as a typed pointer it could be one to what a kernel needs. */
__bpf_kfunc void vgpu_bpf_sm_resources(const struct vgpu_exec *exec, u32 sm, void *all, u32 all__sz)
{
	struct vgpu_resources found = {};

	if (is_exec(exec) && is_sm(exec, sm))
		vgpu_exec_sm_resources(exec, sm, &found);
	if (all__sz >= sizeof(found))
		memcpy(all, &found, sizeof(found));
}

/* ---- loops ---------------------------------------------------------------------- */

__bpf_kfunc int bpf_iter_vgpu_steps_new(struct bpf_iter_vgpu_steps *it)
{
	struct steps *steps = (struct steps *)it;

	BUILD_BUG_ON(sizeof(struct steps) != sizeof(struct bpf_iter_vgpu_steps));
	steps->next = 0;
	steps->now = 0;
	return 0;
}

__bpf_kfunc int *bpf_iter_vgpu_steps_next(struct bpf_iter_vgpu_steps *it)
{
	struct kvgpu_system *system = kthread_data(current);
	struct steps *steps = (struct steps *)it;

	if (system->decision_steps >= STEPS_MOST) {
		vgpu_exec_eject(system->deciding, "its loops do not end");
		return NULL;
	}
	system->decision_steps++;
	steps->now = steps->next++;
	return &steps->now;
}

__bpf_kfunc void bpf_iter_vgpu_steps_destroy(struct bpf_iter_vgpu_steps *it)
{
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(vgpu_kfunc_ids)
BTF_ID_FLAGS(func, vgpu_bpf_now, 0)
BTF_ID_FLAGS(func, vgpu_bpf_time_after, 0)
BTF_ID_FLAGS(func, vgpu_bpf_config, 0)
BTF_ID_FLAGS(func, vgpu_bpf_share_by_priority, 0)
BTF_ID_FLAGS(func, vgpu_bpf_policy_data, KF_RET_NULL)
BTF_ID_FLAGS(func, vgpu_bpf_next_context, KF_RET_NULL)
BTF_ID_FLAGS(func, vgpu_bpf_next_kernel, KF_RET_NULL)
BTF_ID_FLAGS(func, vgpu_bpf_context_of, 0)
BTF_ID_FLAGS(func, vgpu_bpf_waiting, KF_RET_NULL)
BTF_ID_FLAGS(func, vgpu_bpf_launch_arrived, 0)
BTF_ID_FLAGS(func, vgpu_bpf_oldest_command, 0)
BTF_ID_FLAGS(func, vgpu_bpf_has_room, 0)
BTF_ID_FLAGS(func, vgpu_bpf_has_room_for, 0)
BTF_ID_FLAGS(func, vgpu_bpf_active, KF_RET_NULL)
BTF_ID_FLAGS(func, vgpu_bpf_issuable, KF_RET_NULL)
BTF_ID_FLAGS(func, vgpu_bpf_issuable_of, KF_RET_NULL)
BTF_ID_FLAGS(func, vgpu_bpf_wanting, KF_RET_NULL)
BTF_ID_FLAGS(func, vgpu_bpf_wanting_of, KF_RET_NULL)
BTF_ID_FLAGS(func, vgpu_bpf_holding, KF_RET_NULL)
BTF_ID_FLAGS(func, vgpu_bpf_idle_sm, 0)
BTF_ID_FLAGS(func, vgpu_bpf_unreserved_sm, 0)
BTF_ID_FLAGS(func, vgpu_bpf_admit, KF_RET_NULL | KF_SLEEPABLE)
BTF_ID_FLAGS(func, vgpu_bpf_assign, KF_SLEEPABLE)
BTF_ID_FLAGS(func, vgpu_bpf_reserve, KF_SLEEPABLE)
BTF_ID_FLAGS(func, vgpu_bpf_timer, KF_SLEEPABLE)
BTF_ID_FLAGS(func, vgpu_bpf_timer_time, 0)
BTF_ID_FLAGS(func, vgpu_bpf_reorder, KF_SLEEPABLE)
BTF_ID_FLAGS(func, vgpu_bpf_kernel_id, 0)
BTF_ID_FLAGS(func, vgpu_bpf_has_blocks, 0)
BTF_ID_FLAGS(func, vgpu_bpf_blocks_to_issue, 0)
BTF_ID_FLAGS(func, vgpu_bpf_occupancy, 0)
BTF_ID_FLAGS(func, vgpu_bpf_shared_size, 0)
BTF_ID_FLAGS(func, vgpu_bpf_blocks_of, 0)
BTF_ID_FLAGS(func, vgpu_bpf_kernel_share, 0)
BTF_ID_FLAGS(func, vgpu_bpf_may_hold_more, 0)
BTF_ID_FLAGS(func, vgpu_bpf_cycle, 0)
BTF_ID_FLAGS(func, vgpu_bpf_next_sm_of, 0)
BTF_ID_FLAGS(func, vgpu_bpf_shared_set, 0)
BTF_ID_FLAGS(func, vgpu_bpf_blocks_on, 0)
BTF_ID_FLAGS(func, vgpu_bpf_sm_share, 0)
BTF_ID_FLAGS(func, vgpu_bpf_may_hold, 0)
BTF_ID_FLAGS(func, vgpu_bpf_fits, 0)
BTF_ID_FLAGS(func, vgpu_bpf_in_the_way, 0)
BTF_ID_FLAGS(func, vgpu_bpf_evictable, 0)
BTF_ID_FLAGS(func, vgpu_bpf_partition, 0)
BTF_ID_FLAGS(func, vgpu_bpf_sm_instructions, 0)
BTF_ID_FLAGS(func, vgpu_bpf_dispatch, KF_SLEEPABLE)
BTF_ID_FLAGS(func, vgpu_bpf_evict, KF_SLEEPABLE)
BTF_ID_FLAGS(func, vgpu_bpf_replace, KF_SLEEPABLE)
BTF_ID_FLAGS(func, vgpu_bpf_set_partition, KF_SLEEPABLE)
BTF_ID_FLAGS(func, vgpu_bpf_set_quota, KF_SLEEPABLE)
BTF_ID_FLAGS(func, vgpu_bpf_victim, 0)
BTF_ID_FLAGS(func, vgpu_bpf_needs, 0)
BTF_ID_FLAGS(func, vgpu_bpf_sm_resources, 0)
BTF_ID_FLAGS(func, vgpu_bpf_sched_data, KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_iter_vgpu_steps_new, KF_ITER_NEW)
BTF_ID_FLAGS(func, bpf_iter_vgpu_steps_next, KF_ITER_NEXT | KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_iter_vgpu_steps_destroy, KF_ITER_DESTROY)
BTF_KFUNCS_END(vgpu_kfunc_ids)

/*
 * Programs of other struct_ops, which other threads run, have none: kfuncs ask the actor, which is
 * the current thread, what it decides.
 */
static int only_policies(const struct bpf_prog *prog, u32 kfunc)
{
	if (!btf_id_set8_contains(&vgpu_kfunc_ids, kfunc))
		return 0;
	return prog->aux->attach_btf && prog->aux->attach_btf == kvgpu_bpf_btf() ? 0 : -EACCES;
}

static const struct btf_kfunc_id_set kfuncs = {
	.owner = THIS_MODULE,
	.set = &vgpu_kfunc_ids,
	.filter = only_policies,
};

int kvgpu_kfuncs_init(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &kfuncs);
}

#endif
