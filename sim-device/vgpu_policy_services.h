/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names of all that policies and mechanisms may call (vgpu_policy.h), for those that come from
 * outside: the module exports them, and so does vgpu-sim.
 */
#ifndef VGPU_POLICY_SERVICES_H
#define VGPU_POLICY_SERVICES_H

#define VGPU_POLICY_SERVICES(X)									\
	X(vgpu_exec_now)									\
	X(vgpu_exec_time_after)									\
	X(vgpu_exec_config)									\
	X(vgpu_exec_share_by_priority)								\
	X(vgpu_exec_policy_data)								\
	X(vgpu_exec_next_context)								\
	X(vgpu_exec_next_kernel)								\
	X(vgpu_exec_context_of)									\
	X(vgpu_exec_waiting)									\
	X(vgpu_exec_launch_arrived)								\
	X(vgpu_exec_oldest_command)								\
	X(vgpu_exec_has_room)									\
	X(vgpu_exec_has_room_for)								\
	X(vgpu_exec_active)									\
	X(vgpu_exec_issuable)									\
	X(vgpu_exec_issuable_of)								\
	X(vgpu_exec_wanting)									\
	X(vgpu_exec_wanting_of)									\
	X(vgpu_exec_holding)									\
	X(vgpu_exec_victim)									\
	X(vgpu_exec_idle_sm)									\
	X(vgpu_exec_unreserved_sm)								\
	X(vgpu_exec_next_sm_of)									\
	X(vgpu_exec_admit)									\
	X(vgpu_exec_assign)									\
	X(vgpu_exec_reserve)									\
	X(vgpu_exec_timer)									\
	X(vgpu_exec_timer_time)									\
	X(vgpu_exec_reorder)									\
	X(vgpu_resources_share)									\
	X(vgpu_exec_kernel_id)									\
	X(vgpu_exec_has_blocks)									\
	X(vgpu_exec_blocks_to_issue)								\
	X(vgpu_exec_needs)									\
	X(vgpu_exec_occupancy)									\
	X(vgpu_exec_sm_resources)								\
	X(vgpu_exec_shared_size)								\
	X(vgpu_exec_shared_set)									\
	X(vgpu_exec_blocks_on)									\
	X(vgpu_exec_blocks_of)									\
	X(vgpu_exec_kernel_share)								\
	X(vgpu_exec_sm_share)									\
	X(vgpu_exec_may_hold)									\
	X(vgpu_exec_may_hold_more)								\
	X(vgpu_exec_fits)									\
	X(vgpu_exec_in_the_way)									\
	X(vgpu_exec_evictable)									\
	X(vgpu_exec_dispatch)									\
	X(vgpu_exec_evict)									\
	X(vgpu_exec_replace)									\
	X(vgpu_exec_set_partition)								\
	X(vgpu_exec_partition)									\
	X(vgpu_exec_cycle)									\
	X(vgpu_exec_sm_instructions)								\
	X(vgpu_exec_set_quota)									\
	X(vgpu_exec_estimate)									\
	X(vgpu_preemption_at_time)								\
	X(vgpu_exec_halt)									\
	X(vgpu_exec_save)									\
	X(vgpu_exec_save_time)									\
	X(vgpu_exec_wait_time)									\
	X(vgpu_exec_cooperates)									\
	X(vgpu_exec_block_cooperates)								\
	X(vgpu_exec_drain_time)									\
	X(vgpu_exec_leave_blocks)								\
	X(vgpu_exec_estimate_blocks)								\
	X(vgpu_exec_block_drain_time)								\
	X(vgpu_exec_block_stop_time)								\
	X(vgpu_exec_block_save_time)								\
	X(vgpu_exec_block_dirty_time)								\
	X(vgpu_exec_block_repeats)								\
	X(vgpu_exec_block_ran)									\
	X(vgpu_exec_block_lost)									\
	X(vgpu_exec_would_take)									\
	X(vgpu_exec_try)									\
	X(vgpu_exec_would_change)								\
	X(vgpu_exec_would_leave)								\
	X(vgpu_exec_announced_sms)								\
	X(vgpu_exec_prepare)									\
	X(vgpu_exec_expected)									\
	X(vgpu_exec_block_left)									\
	X(vgpu_exec_longest_left)								\
	X(vgpu_exec_switch_time)								\
	X(vgpu_exec_can_checkpoint)								\
	X(vgpu_exec_checkpoint)									\
	X(vgpu_exec_can_checkpoint_block)							\
	X(vgpu_exec_checkpoint_block)								\
	X(vgpu_exec_blocks_switch_time)								\
	X(vgpu_exec_sm_of)									\
	X(vgpu_exec_watch)									\
	X(vgpu_exec_unwatch)									\
	X(vgpu_exec_is_watched)

#endif
