// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Thread block structs, in slabs that are never given back while the device lives: as many as the
 * SMs hold are made with it, more only when preempted blocks keep theirs. Issuing a block allocates
 * nothing.
 */
#include "exec.h"

struct vgpu_block_slab {
	struct vgpu_block_slab *next;
};

/* A block struct is one cache line of 64 bytes: it should not lie across two. */
#define LINE	64u

int vgpu_block_pool_grow(struct vgpu_exec *exec, u32 count)
{
	struct vgpu_block_slab *slab =
		vgpu_mem_alloc(sizeof(*slab) + LINE + count * sizeof(struct vgpu_block));
	struct vgpu_block *blocks;

	if (!slab)
		return -ENOMEM;
	slab->next = exec->slabs;
	exec->slabs = slab;
	blocks = (void *)(((unsigned long)(slab + 1) + LINE - 1) & ~(unsigned long)(LINE - 1));
	while (count--) {
		vgpu_list_add(&blocks[count].node, &exec->pool);
	}
	return 0;
}

void vgpu_block_pool_free(struct vgpu_exec *exec)
{
	struct vgpu_block_slab *slab;

	while ((slab = exec->slabs)) {
		exec->slabs = slab->next;
		vgpu_mem_free(slab);
	}
}

struct vgpu_block *vgpu_block_get(struct vgpu_exec *exec)
{
	struct vgpu_block *block;

	if (unlikely(vgpu_list_empty(&exec->pool)) && vgpu_block_pool_grow(exec, 64))
		return NULL;
	block = vgpu_list_entry(exec->pool.next, struct vgpu_block, node);
	vgpu_list_del(&block->node);
	exec->blocks++;
	return block;
}

void vgpu_block_put(struct vgpu_exec *exec, struct vgpu_block *block)
{
	vgpu_list_add(&block->node, &exec->pool);
	exec->blocks--;
}

void vgpu_blocks_drop(struct vgpu_exec *exec, struct vgpu_list *blocks)
{
	struct vgpu_block *block, *next;

	vgpu_list_for_each_safe(block, next, blocks, struct vgpu_block, node) {
		vgpu_list_del(&block->node);
		vgpu_block_release(block);
		vgpu_block_put(exec, block);
	}
}
