/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A policy as BPF: what struct_ops has of struct vgpu_policy. tools/vgpu-policy fills it by the
 * names of its members.
 */
#ifndef KVGPU_BPF_OPS_H
#define KVGPU_BPF_OPS_H

#include "vgpu_policy.h"

/**
 * struct vgpu_policy_ops - as struct vgpu_policy, without next_change and will_take: SMs are not
 * prepared for what a policy in BPF will do by itself
 */
struct vgpu_policy_ops {
	char name[VGPU_NAME_BYTES];
	u32 by_block;
	u32 takes_idle;
	u32 data_bytes;
	u32 context_bytes;
	void (*init)(struct vgpu_exec *exec);
	void (*exit)(struct vgpu_exec *exec);
	void (*schedule)(struct vgpu_exec *exec);
	u64 (*rank)(const struct vgpu_sched_context *ctx);
	u64 (*admission_rank)(const struct vgpu_sched_context *ctx);
	u64 (*victim_rank)(const struct vgpu_sched_context *ctx);
	int (*victim)(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx);
	u32 (*would_take)(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			  const struct vgpu_sched_context *from, u32 taken);
	void (*contexts_changed)(struct vgpu_exec *exec);
	void (*kernel_finished)(struct vgpu_exec *exec, struct vgpu_sched_context *ctx);
	void (*command_ended)(struct vgpu_exec *exec, struct vgpu_sched_context *ctx);
	void (*timer)(struct vgpu_exec *exec);
};

#ifdef VGPU_BPF
int kvgpu_bpf_init(void);
int kvgpu_kfuncs_init(void);
/* Types of the module: programs of policies are attached to one of these; NULL: none can be yet. */
const struct btf *kvgpu_bpf_btf(void);
#else
static inline int kvgpu_bpf_init(void)
{
	return 0;
}
#endif

#endif
