/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A policy in a file of its own: compiled as it is into vgpu-sim (a shared object), into a kernel
 * module, or to BPF. Its operations begin with VGPU_OP(operation, type, name, parameters), and it
 * ends with
 *
 *	VGPU_POLICY(edf,
 *		.context_bytes = sizeof(struct edf_context),
 *		VGPU_OPS(.schedule = edf_schedule,
 *			 .rank = edf_deadline));
 *
 * For BPF, whose loops need an end that its verifier sees, while (x) is VGPU_WHILE(x), and for
 * (n = 0; n < end; n++) is VGPU_FOR(n, end). Private data are vgpu_exec_policy_data_of(exec, struct
 * type) of the policy and vgpu_sched_data_of(ctx, struct type) of a context. They hold no pointers
 * to contexts and kernels: keep a number, and ask vgpu_policy_context() or vgpu_policy_kernel()
 * whose it is.
 *
 * A policy of the tree is written the same way and ends with VGPU_POLICY_OF_TREE(), so that it can
 * be compiled to BPF, too. It is called NAME-bpf there.
 */
#ifndef VGPU_POLICY_FILE_H
#define VGPU_POLICY_FILE_H

#include "vgpu_policy.h"

#ifdef __bpf__
#include "vgpu_policy_bpf.h"
#else

/** struct vgpu_policy_file - the one symbol of such a file that others know */
struct vgpu_policy_file {
	u32 policy_bytes;		/* sizeof(struct vgpu_policy) where it was compiled */
	const struct vgpu_policy *policy;
};

extern const struct vgpu_policy_file vgpu_policy_file;

#define VGPU_OP(op, type, name, ...)	static type name(__VA_ARGS__)
#define VGPU_OPS(...)			__VA_ARGS__
#define VGPU_POLICY(name_, ...)									\
	static const struct vgpu_policy name_##_policy = { .name = #name_, __VA_ARGS__ };	\
	const struct vgpu_policy_file vgpu_policy_file = {					\
		.policy_bytes = sizeof(struct vgpu_policy),					\
		.policy = &name_##_policy,							\
	}
#define VGPU_POLICY_OF_TREE(name_, ...)								\
	const struct vgpu_policy vgpu_policy_##name_ = { .name = #name_, __VA_ARGS__ }
#define VGPU_WHILE(cond)		while (cond)
#define VGPU_FOR(n, end)		for ((n) = 0; (n) < (end); (n)++)
#define vgpu_sched_data_of(ctx, type)		((type *)vgpu_sched_data(ctx))
#define vgpu_exec_policy_data_of(exec, type)	((type *)vgpu_exec_policy_data(exec))

#endif

/* The open context whose id is @id, NULL: there is none. */
static inline struct vgpu_sched_context *vgpu_policy_context(struct vgpu_exec *exec, u32 id)
{
	struct vgpu_sched_context *ctx = NULL;

	VGPU_WHILE((ctx = vgpu_exec_next_context(exec, ctx)))
		if (ctx->id == id)
			return ctx;
	return NULL;
}

/* The active kernel whose number is @id, NULL: there is none. */
static inline struct vgpu_ksr *vgpu_policy_kernel(struct vgpu_exec *exec, u32 id)
{
	struct vgpu_ksr *ksr = NULL;

	VGPU_WHILE((ksr = vgpu_exec_next_kernel(exec, ksr)))
		if (vgpu_exec_kernel_id(ksr) == id)
			return ksr;
	return NULL;
}
#endif
