// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Thread block structs. The device has a pool of as many as its SMs hold, made with it, so issuing
 * a block allocates nothing. Only when preempted blocks keep theirs are more needed: each of those
 * is charged to the context that wants it, and freed when the block has ended.
 */
#include "exec.h"

/*
 * A block struct is one cache line of 64 bytes: it should not lie across two. Those that are free
 * are in a stack of pointers, which reads none of them: with many SMs, none is in the cache.
 */
#define LINE	64u

int vgpu_block_pool_init(struct vgpu_exec *exec, u32 count)
{
	struct vgpu_block *blocks;

	exec->pool = vgpu_mem_alloc_device(count * sizeof(*exec->pool));
	exec->pool_memory = vgpu_mem_alloc_device(LINE + count * sizeof(struct vgpu_block));
	if (!exec->pool || !exec->pool_memory)
		return -ENOMEM;
	blocks = (void *)(((unsigned long)exec->pool_memory + LINE - 1) &
			  ~(unsigned long)(LINE - 1));
	while (count--)
		exec->pool[exec->pooled++] = &blocks[count];
	return 0;
}

void vgpu_block_pool_fini(struct vgpu_exec *exec)
{
	vgpu_mem_free_device(exec->pool_memory);
	vgpu_mem_free_device(exec->pool);
}

struct vgpu_block *vgpu_block_get(struct vgpu_exec *exec, struct vgpu_launch *launch)
{
	struct vgpu_block *block;

	if (unlikely(!exec->pooled)) {
		block = vgpu_mem_alloc(launch->memory, sizeof(*block));
		if (!block)
			return NULL;
		block->charged = true;
	} else {
		block = exec->pool[--exec->pooled];
	}
	block->launch = launch;
	exec->blocks++;
	return block;
}

/* Before the kernel of @block retires: its launch says who pays. */
void vgpu_block_put(struct vgpu_exec *exec, struct vgpu_block *block)
{
	exec->blocks--;
	if (unlikely(block->charged))
		vgpu_mem_free(block->launch->memory, block, sizeof(*block));
	else
		exec->pool[exec->pooled++] = block;
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
