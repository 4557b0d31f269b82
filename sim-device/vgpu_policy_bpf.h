/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A policy in a file of its own, compiled to BPF (vgpu_policy_file.h): operations are programs, and
 * the functions of vgpu_policy.h are kfuncs of the module.
 */
#ifndef VGPU_POLICY_BPF_H
#define VGPU_POLICY_BPF_H

#define SEC(name)	__attribute__((section(name), used))
/* libbpf compares kinds of types, and a struct that is only declared has another one. */
struct vgpu_exec {
	u64 opaque;
};

struct vgpu_ksr {
	u64 opaque;
};

#define VGPU_KFUNC	__attribute__((section(".ksyms")))

extern u64 vgpu_bpf_now(const struct vgpu_exec *exec) VGPU_KFUNC;
extern u64 vgpu_bpf_time_after(const struct vgpu_exec *exec, u64 delay) VGPU_KFUNC;
extern const struct vgpu_config *vgpu_bpf_config(const struct vgpu_exec *exec) VGPU_KFUNC;
extern bool vgpu_bpf_share_by_priority(const struct vgpu_exec *exec) VGPU_KFUNC;
extern u8 *vgpu_bpf_policy_data(struct vgpu_exec *exec, const int bytes) VGPU_KFUNC;
extern struct vgpu_sched_context *vgpu_bpf_next_context(struct vgpu_exec *exec,
	const struct vgpu_sched_context *ctx) VGPU_KFUNC;
extern struct vgpu_ksr *vgpu_bpf_next_kernel(struct vgpu_exec *exec,
	const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern struct vgpu_sched_context *vgpu_bpf_context_of(const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern struct vgpu_sched_context *vgpu_bpf_waiting(struct vgpu_exec *exec) VGPU_KFUNC;
extern u64 vgpu_bpf_launch_arrived(const struct vgpu_sched_context *ctx) VGPU_KFUNC;
extern u64 vgpu_bpf_oldest_command(const struct vgpu_sched_context *ctx) VGPU_KFUNC;
extern bool vgpu_bpf_has_room(const struct vgpu_exec *exec) VGPU_KFUNC;
extern bool vgpu_bpf_has_room_for(const struct vgpu_exec *exec,
	const struct vgpu_sched_context *ctx) VGPU_KFUNC;
extern struct vgpu_sched_context *vgpu_bpf_active(struct vgpu_exec *exec) VGPU_KFUNC;
extern struct vgpu_ksr *vgpu_bpf_issuable(struct vgpu_exec *exec) VGPU_KFUNC;
extern struct vgpu_ksr *vgpu_bpf_issuable_of(const struct vgpu_sched_context *ctx) VGPU_KFUNC;
extern struct vgpu_ksr *vgpu_bpf_wanting(struct vgpu_exec *exec) VGPU_KFUNC;
extern struct vgpu_ksr *vgpu_bpf_wanting_of(const struct vgpu_sched_context *ctx) VGPU_KFUNC;
extern struct vgpu_sched_context *vgpu_bpf_holding(struct vgpu_exec *exec) VGPU_KFUNC;
extern int vgpu_bpf_idle_sm(const struct vgpu_exec *exec) VGPU_KFUNC;
extern int vgpu_bpf_unreserved_sm(const struct vgpu_exec *exec) VGPU_KFUNC;
extern struct vgpu_ksr *vgpu_bpf_admit(struct vgpu_exec *exec,
	struct vgpu_sched_context *ctx) VGPU_KFUNC;
extern void vgpu_bpf_assign(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr) VGPU_KFUNC;
extern int vgpu_bpf_reserve(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr) VGPU_KFUNC;
extern void vgpu_bpf_timer(struct vgpu_exec *exec, u64 time) VGPU_KFUNC;
extern u64 vgpu_bpf_timer_time(const struct vgpu_exec *exec) VGPU_KFUNC;
extern void vgpu_bpf_reorder(struct vgpu_exec *exec, struct vgpu_sched_context *ctx) VGPU_KFUNC;
extern u32 vgpu_bpf_kernel_id(const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern bool vgpu_bpf_has_blocks(const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern u64 vgpu_bpf_blocks_to_issue(const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern u32 vgpu_bpf_occupancy(const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern u32 vgpu_bpf_shared_size(const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern u64 vgpu_bpf_blocks_of(const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern u64 vgpu_bpf_kernel_share(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr,
	u64 count) VGPU_KFUNC;
extern bool vgpu_bpf_may_hold_more(const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern u64 vgpu_bpf_cycle(const struct vgpu_exec *exec) VGPU_KFUNC;
extern int vgpu_bpf_next_sm_of(const struct vgpu_exec *exec,
	const struct vgpu_sched_context *ctx, int sm) VGPU_KFUNC;
extern u32 vgpu_bpf_shared_set(const struct vgpu_exec *exec, u32 sm) VGPU_KFUNC;
extern u32 vgpu_bpf_blocks_on(const struct vgpu_exec *exec, u32 sm,
	const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern u64 vgpu_bpf_sm_share(const struct vgpu_exec *exec, u32 sm,
	const struct vgpu_ksr *except) VGPU_KFUNC;
extern bool vgpu_bpf_may_hold(const struct vgpu_exec *exec, u32 sm,
	const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern bool vgpu_bpf_fits(const struct vgpu_exec *exec, u32 sm,
	const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern u32 vgpu_bpf_in_the_way(const struct vgpu_exec *exec, u32 sm,
	const struct vgpu_ksr *victim, const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern u32 vgpu_bpf_evictable(const struct vgpu_exec *exec, u32 sm,
	const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern u32 vgpu_bpf_partition(const struct vgpu_exec *exec, u32 sm,
	const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern u64 vgpu_bpf_sm_instructions(const struct vgpu_exec *exec, u32 sm) VGPU_KFUNC;
extern void vgpu_bpf_dispatch(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr) VGPU_KFUNC;
extern int vgpu_bpf_evict(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr) VGPU_KFUNC;
extern int vgpu_bpf_replace(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *victim,
	struct vgpu_ksr *ksr) VGPU_KFUNC;
extern int vgpu_bpf_set_partition(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr,
	u32 blocks) VGPU_KFUNC;
extern void vgpu_bpf_set_quota(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr,
	u64 instructions) VGPU_KFUNC;
extern int vgpu_bpf_victim(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx) VGPU_KFUNC;
extern const struct vgpu_resources *vgpu_bpf_needs(const struct vgpu_ksr *ksr) VGPU_KFUNC;
extern void vgpu_bpf_sm_resources(const struct vgpu_exec *exec, u32 sm, void *all,
	u32 bytes) VGPU_KFUNC;

#define vgpu_exec_now	vgpu_bpf_now
#define vgpu_exec_time_after	vgpu_bpf_time_after
#define vgpu_exec_config	vgpu_bpf_config
#define vgpu_exec_share_by_priority	vgpu_bpf_share_by_priority
#define vgpu_exec_next_context	vgpu_bpf_next_context
#define vgpu_exec_next_kernel	vgpu_bpf_next_kernel
#define vgpu_exec_context_of	vgpu_bpf_context_of
#define vgpu_exec_waiting	vgpu_bpf_waiting
#define vgpu_exec_launch_arrived	vgpu_bpf_launch_arrived
#define vgpu_exec_oldest_command	vgpu_bpf_oldest_command
#define vgpu_exec_has_room	vgpu_bpf_has_room
#define vgpu_exec_has_room_for	vgpu_bpf_has_room_for
#define vgpu_exec_active	vgpu_bpf_active
#define vgpu_exec_issuable	vgpu_bpf_issuable
#define vgpu_exec_issuable_of	vgpu_bpf_issuable_of
#define vgpu_exec_wanting	vgpu_bpf_wanting
#define vgpu_exec_wanting_of	vgpu_bpf_wanting_of
#define vgpu_exec_holding	vgpu_bpf_holding
#define vgpu_exec_idle_sm	vgpu_bpf_idle_sm
#define vgpu_exec_unreserved_sm	vgpu_bpf_unreserved_sm
#define vgpu_exec_admit	vgpu_bpf_admit
#define vgpu_exec_assign	vgpu_bpf_assign
#define vgpu_exec_reserve	vgpu_bpf_reserve
#define vgpu_exec_timer	vgpu_bpf_timer
#define vgpu_exec_timer_time	vgpu_bpf_timer_time
#define vgpu_exec_reorder	vgpu_bpf_reorder
#define vgpu_exec_kernel_id	vgpu_bpf_kernel_id
#define vgpu_exec_has_blocks	vgpu_bpf_has_blocks
#define vgpu_exec_blocks_to_issue	vgpu_bpf_blocks_to_issue
#define vgpu_exec_occupancy	vgpu_bpf_occupancy
#define vgpu_exec_shared_size	vgpu_bpf_shared_size
#define vgpu_exec_blocks_of	vgpu_bpf_blocks_of
#define vgpu_exec_kernel_share	vgpu_bpf_kernel_share
#define vgpu_exec_may_hold_more	vgpu_bpf_may_hold_more
#define vgpu_exec_cycle	vgpu_bpf_cycle
#define vgpu_exec_next_sm_of	vgpu_bpf_next_sm_of
#define vgpu_exec_shared_set	vgpu_bpf_shared_set
#define vgpu_exec_blocks_on	vgpu_bpf_blocks_on
#define vgpu_exec_sm_share	vgpu_bpf_sm_share
#define vgpu_exec_may_hold	vgpu_bpf_may_hold
#define vgpu_exec_fits	vgpu_bpf_fits
#define vgpu_exec_in_the_way	vgpu_bpf_in_the_way
#define vgpu_exec_evictable	vgpu_bpf_evictable
#define vgpu_exec_partition	vgpu_bpf_partition
#define vgpu_exec_sm_instructions	vgpu_bpf_sm_instructions
#define vgpu_exec_dispatch	vgpu_bpf_dispatch
#define vgpu_exec_evict	vgpu_bpf_evict
#define vgpu_exec_replace	vgpu_bpf_replace
#define vgpu_exec_set_partition	vgpu_bpf_set_partition
#define vgpu_exec_set_quota	vgpu_bpf_set_quota
#define vgpu_exec_victim	vgpu_bpf_victim
#define vgpu_exec_needs	vgpu_bpf_needs
#define vgpu_exec_sm_resources(exec, sm, all)							\
	vgpu_bpf_sm_resources(exec, sm, all, sizeof(struct vgpu_resources))

/* How an operation is called with the arguments of its program. */
#define VGPU_CALL_init(f)		(f((void *)args[0]), 0)
#define VGPU_CALL_exit(f)		(f((void *)args[0]), 0)
#define VGPU_CALL_schedule(f)		(f((void *)args[0]), 0)
#define VGPU_CALL_rank(f)		f((void *)args[0])
#define VGPU_CALL_admission_rank(f)	f((void *)args[0])
#define VGPU_CALL_victim_rank(f)	f((void *)args[0])
#define VGPU_CALL_victim(f)		f((void *)args[0], (void *)args[1])
#define VGPU_CALL_would_take(f)									\
	f((void *)args[0], (void *)args[1], (void *)args[2], (u32)args[3])
#define VGPU_CALL_contexts_changed(f)	(f((void *)args[0]), 0)
#define VGPU_CALL_kernel_finished(f)	(f((void *)args[0], (void *)args[1]), 0)
#define VGPU_CALL_command_ended(f)	(f((void *)args[0], (void *)args[1]), 0)
#define VGPU_CALL_timer(f)		(f((void *)args[0]), 0)

#define VGPU_OP(op, type, name, ...)								\
	static inline __attribute__((always_inline)) type name(__VA_ARGS__);			\
	SEC("vgpu/" #op) u64 vgpu_op_##op(u64 *args)						\
	{											\
		return VGPU_CALL_##op(name);							\
	}											\
	static inline __attribute__((always_inline)) type name(__VA_ARGS__)
#define VGPU_OPS(...)

/** struct vgpu_policy_data - of a policy, what is no operation; the loader reads it */
struct vgpu_policy_data {
	char name[VGPU_NAME_BYTES];
	u32 by_block;
	u32 takes_idle;
	u32 data_bytes;
	u32 context_bytes;
};

#define VGPU_POLICY_NAMED(name_, ...)								\
	SEC("license") char vgpu_license[] = "GPL";						\
	SEC(".rodata") const struct vgpu_policy_data vgpu_policy_data = {			\
		.name = name_, __VA_ARGS__							\
	}
#define VGPU_POLICY(name_, ...)		VGPU_POLICY_NAMED(#name_, __VA_ARGS__)
#define VGPU_POLICY_OF_TREE(name_, ...)	VGPU_POLICY_NAMED(#name_ "-bpf", __VA_ARGS__)

extern u8 *vgpu_bpf_sched_data(const struct vgpu_sched_context *ctx, const int bytes) VGPU_KFUNC;
/*
 * A policy that asks for the data of what is no context is ejected. It still runs to its end, on
 * data of nobody.
 */
#define VGPU_NOBODY_BYTES	512
static u64 vgpu_nobody[VGPU_NOBODY_BYTES / sizeof(u64)];

#define VGPU_DATA_OR_NOBODY(data, type) ({							\
	u8 *data_ = data;									\
	_Static_assert(sizeof(type) <= VGPU_NOBODY_BYTES, "private data are too large");	\
	data_ ? (type *)data_ : (type *)vgpu_nobody;						\
})
#define vgpu_sched_data_of(ctx, type)								\
	VGPU_DATA_OR_NOBODY(vgpu_bpf_sched_data(ctx, sizeof(type)), type)
#define vgpu_exec_policy_data_of(exec, type)							\
	VGPU_DATA_OR_NOBODY(vgpu_bpf_policy_data(exec, sizeof(type)), type)

/* ---- loops: the verifier wants their end ---------------------------------------- */

/* The steps of all loops of a decision are counted; a policy whose loops do not end is ejected. */
struct bpf_iter_vgpu_steps {
	u64 opaque[1];
} __attribute__((aligned(8)));

extern int bpf_iter_vgpu_steps_new(struct bpf_iter_vgpu_steps *it) VGPU_KFUNC;
extern int *bpf_iter_vgpu_steps_next(struct bpf_iter_vgpu_steps *it) VGPU_KFUNC;
extern void bpf_iter_vgpu_steps_destroy(struct bpf_iter_vgpu_steps *it) VGPU_KFUNC;

/* (The destructor that is not called is for the types of kfuncs, which only calls write.) */
#define VGPU_STEPS										\
	struct bpf_iter_vgpu_steps it_ __attribute__((cleanup(bpf_iter_vgpu_steps_destroy))),	\
	*unused_ __attribute__((unused)) = (bpf_iter_vgpu_steps_new(&it_),			\
					    (void)bpf_iter_vgpu_steps_destroy, (void *)0)

#define VGPU_WHILE(cond) for (VGPU_STEPS; bpf_iter_vgpu_steps_next(&it_) && (cond);)
#define VGPU_FOR(n, end)									\
	for (VGPU_STEPS; ({									\
		int *at_ = bpf_iter_vgpu_steps_next(&it_);					\
		at_ && ((n) = (u32)*at_) < (end);						\
	});)

#endif
