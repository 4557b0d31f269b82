// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: Policies as BPF
 *
 * A struct_ops of the module, as sched_ext's is of the kernel: a map of type struct vgpu_policy_ops
 * with programs for its members becomes a policy when it is attached, and stops being one when its
 * last link is closed. The actor calls the programs, which may sleep, for what they decide may take
 * memory. They may call the kfuncs of kfuncs.c, which check all that they are told, and write what
 * they are given of the private data of the policy and of contexts; the verifier sees to the rest.
 * What a policy decides is checked as that of every policy from outside.
 *
 * Pointers to contexts and kernels that kfuncs return are good until the program ends: the actor,
 * which runs it, is the only one who frees any. What a program reads through others it gets as 0.
 */
#ifdef VGPU_BPF

#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "kmod/policy/bpf_ops.h"
#include "kmod/policy/policy.h"
#include "kmod/policy/vgpu_module.h"

/** struct bpf_policy - one that is attached */
struct bpf_policy {
	struct list_head node;		/* under bpf_policies_lock */
	struct vgpu_policy policy;
	const struct vgpu_policy_ops *ops;
};

static LIST_HEAD(bpf_policies);
static DEFINE_MUTEX(bpf_policies_lock);

/* ---- what programs may touch ------------------------------------------------ */

static bool is_valid_access(int off, int size, enum bpf_access_type type,
			    const struct bpf_prog *prog, struct bpf_insn_access_aux *info)
{
	return bpf_tracing_btf_ctx_access(off, size, type, prog, info);
}

/* Loops are those of kfuncs.c, whose steps are counted. */
static const struct bpf_func_proto *func_proto(enum bpf_func_id func, const struct bpf_prog *prog)
{
	return func == BPF_FUNC_loop ? NULL : bpf_base_func_proto(func, prog);
}

/* Nothing of the kernel is written but by kfuncs. */
static const struct bpf_verifier_ops verifier_ops = {
	.get_func_proto = func_proto,
	.is_valid_access = is_valid_access,
};

/* ---- members ----------------------------------------------------------------- */

static const struct btf *types;

const struct btf *kvgpu_bpf_btf(void)
{
	return types;
}

static int ops_init(struct btf *btf)
{
	types = btf;
	return 0;
}

static int ops_init_member(const struct btf_type *t, const struct btf_member *member, void *kdata,
			   const void *udata)
{
	const struct vgpu_policy_ops *from = udata;
	struct vgpu_policy_ops *to = kdata;

	switch (__btf_member_bit_offset(t, member) / 8) {
	case offsetof(struct vgpu_policy_ops, name):
		if (strnlen(from->name, sizeof(from->name)) == sizeof(from->name))
			return -EINVAL;
		memcpy(to->name, from->name, sizeof(to->name));
		return 1;
	case offsetof(struct vgpu_policy_ops, by_block):
		to->by_block = from->by_block;
		return 1;
	case offsetof(struct vgpu_policy_ops, takes_idle):
		to->takes_idle = from->takes_idle;
		return 1;
	case offsetof(struct vgpu_policy_ops, data_bytes):
		if (from->data_bytes > PAGE_SIZE)
			return -E2BIG;
		to->data_bytes = from->data_bytes;
		return 1;
	case offsetof(struct vgpu_policy_ops, context_bytes):
		to->context_bytes = from->context_bytes;
		return 1;
	}
	return 0;
}

static int ops_validate(void *kdata)
{
	const struct vgpu_policy_ops *ops = kdata;

	return ops->schedule ? 0 : -EINVAL;
}

/* ---- operations ----------------------------------------------------------------- */

/*
 * kfuncs have to know for which device the program decides that calls them: it might pass another
 * one's. The actor, which calls all operations, keeps that while one runs; they may nest.
 */
#define OPS(exec) (container_of(vgpu_exec_policy(exec), const struct bpf_policy, policy)->ops)

#define DECIDE(exec, call) ({									\
	struct kvgpu_system *system_ = kthread_data(current);					\
	struct vgpu_exec *before_ = system_->deciding;						\
												\
	if (!before_)										\
		system_->decision_steps = 0;							\
	system_->deciding = exec;								\
	call;											\
	system_->deciding = before_;								\
})

#define EXEC_OP(op)										\
static void call_##op(struct vgpu_exec *exec)							\
{												\
	DECIDE(exec, OPS(exec)->op(exec));							\
}

EXEC_OP(init)
EXEC_OP(exit)
EXEC_OP(schedule)
EXEC_OP(contexts_changed)
EXEC_OP(timer)

#define RANK_OP(op)										\
static u64 call_##op(const struct vgpu_sched_context *ctx)					\
{												\
	struct vgpu_exec *exec = vgpu_exec_of_context(ctx);					\
	u64 rank;										\
												\
	DECIDE(exec, rank = OPS(exec)->op(ctx));						\
	return rank;										\
}

RANK_OP(rank)
RANK_OP(admission_rank)
RANK_OP(victim_rank)

#define CONTEXT_OP(op)										\
static void call_##op(struct vgpu_exec *exec, struct vgpu_sched_context *ctx)			\
{												\
	DECIDE(exec, OPS(exec)->op(exec, ctx));							\
}

CONTEXT_OP(kernel_finished)
CONTEXT_OP(command_ended)

static int call_victim(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx)
{
	int sm;

	DECIDE(exec, sm = OPS(exec)->victim(exec, ctx));
	return sm;
}

static u32 call_would_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			   const struct vgpu_sched_context *from, u32 taken)
{
	u32 count;

	DECIDE(exec, count = OPS(exec)->would_take(exec, by, from, taken));
	return count;
}

/* ---- attached and detached ---------------------------------------------------- */

static int ops_reg(void *kdata, struct bpf_link *link)
{
	const struct vgpu_policy_ops *ops = kdata;
	struct bpf_policy *bpf = kzalloc(sizeof(*bpf), GFP_KERNEL);
	int ret;

	if (!bpf)
		return -ENOMEM;
	bpf->ops = ops;
	bpf->policy = (struct vgpu_policy){
		.name = ops->name,
		.by_block = ops->by_block,
		.takes_idle = ops->takes_idle,
		.data_bytes = ops->data_bytes,
		.context_bytes = ops->context_bytes,
		.init = ops->init ? call_init : NULL,
		.exit = ops->exit ? call_exit : NULL,
		.schedule = ops->schedule ? call_schedule : NULL,
		.rank = ops->rank ? call_rank : NULL,
		.admission_rank = ops->admission_rank ? call_admission_rank : NULL,
		.victim_rank = ops->victim_rank ? call_victim_rank : NULL,
		.victim = ops->victim ? call_victim : NULL,
		.would_take = ops->would_take ? call_would_take : NULL,
		.contexts_changed = ops->contexts_changed ? call_contexts_changed : NULL,
		.kernel_finished = ops->kernel_finished ? call_kernel_finished : NULL,
		.command_ended = ops->command_ended ? call_command_ended : NULL,
		.timer = ops->timer ? call_timer : NULL,
	};
	ret = kvgpu_policy_register(&bpf->policy, THIS_MODULE);
	if (ret) {
		kfree(bpf);
		return ret;
	}
	mutex_lock(&bpf_policies_lock);
	list_add_tail(&bpf->node, &bpf_policies);
	mutex_unlock(&bpf_policies_lock);
	return 0;
}

static void ops_unreg(void *kdata, struct bpf_link *link)
{
	struct bpf_policy *bpf, *found = NULL;

	mutex_lock(&bpf_policies_lock);
	list_for_each_entry(bpf, &bpf_policies, node)
		if (bpf->ops == kdata)
			found = bpf;
	if (!WARN_ON(!found))
		list_del(&found->node);
	mutex_unlock(&bpf_policies_lock);
	if (!found)
		return;
	vgpu_policy_unregister(&found->policy);
	kfree(found);
}

/* ---- the type ------------------------------------------------------------------ */

static void stub_exec(struct vgpu_exec *exec)
{
}

static u64 stub_rank(const struct vgpu_sched_context *ctx)
{
	return 0;
}

static int stub_victim(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx)
{
	return -1;
}

static u32 stub_would_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			   const struct vgpu_sched_context *from, u32 taken)
{
	return 0;
}

static void stub_context(struct vgpu_exec *exec, struct vgpu_sched_context *ctx)
{
}

static struct vgpu_policy_ops stubs = {
	.init = stub_exec,
	.exit = stub_exec,
	.schedule = stub_exec,
	.rank = stub_rank,
	.admission_rank = stub_rank,
	.victim_rank = stub_rank,
	.victim = stub_victim,
	.would_take = stub_would_take,
	.contexts_changed = stub_exec,
	.kernel_finished = stub_context,
	.command_ended = stub_context,
	.timer = stub_exec,
};

static struct bpf_struct_ops policy_ops = {
	.verifier_ops = &verifier_ops,
	.init = ops_init,
	.init_member = ops_init_member,
	.validate = ops_validate,
	.reg = ops_reg,
	.unreg = ops_unreg,
	.cfi_stubs = &stubs,
	.owner = THIS_MODULE,
	.name = "vgpu_policy_ops",
};

int kvgpu_bpf_init(void)
{
	int ret = kvgpu_kfuncs_init();

	return ret ? ret : register_bpf_struct_ops(&policy_ops, vgpu_policy_ops);
}

#endif
