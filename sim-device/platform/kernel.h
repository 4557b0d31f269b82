/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the module gives the ground in the Linux kernel: who pays for the memory of a context.
 */
#ifndef VGPU_PLATFORM_KERNEL_H
#define VGPU_PLATFORM_KERNEL_H

struct mem_cgroup;
struct page;

/**
 * struct vgpu_payer - the argument @payer of vgpu_context_open()
 * @memcg: control group that is charged; NULL: none
 * @pause: actor: in jiffies, until when the group is not looked through for pages to drop
 */
struct vgpu_payer {
	struct mem_cgroup *memcg;
	unsigned long pause;
};

/**
 * vgpu_payer_page - a zeroed page that @payer pays for
 *
 * NULL: the machine has none, or the group has no room for it. Does not wait for the group; see
 * kernel.c. Actor.
 */
struct page *vgpu_payer_page(struct vgpu_payer *payer);

#endif
