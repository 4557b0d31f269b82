// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Thread block structs. The device has a pool of as many as its SMs hold, made with it, so issuing
 * a block allocates nothing. Only when preempted blocks keep theirs are more needed: each of those
 * is charged to the context that wants it, and freed when the block has ended.
 */
#include "exec.h"

/*
 * A block struct is one cache line of 64 bytes: it should not lie across two. Of those that are
 * free the first is taken. So blocks that become resident one after the other have structs that lie
 * side by side: with many SMs none is in the cache, and a processor that fetches one fetches the
 * next.
 */
#define LINE	64u

int vgpu_block_pool_init(struct vgpu_exec *exec, u32 count)
{
	u32 words = (count + 63) / 64;

	exec->pool_free = vgpu_mem_alloc_device((words + 1) * sizeof(*exec->pool_free));
	exec->pool_memory = vgpu_mem_alloc_device(LINE + count * sizeof(struct vgpu_block));
	exec->checkpoints = vgpu_mem_alloc_device(count * sizeof(*exec->checkpoints));
	if (!exec->pool_free || !exec->pool_memory || !exec->checkpoints)
		return -ENOMEM;
	exec->pool = (void *)(((unsigned long)exec->pool_memory + LINE - 1) &
			      ~(unsigned long)(LINE - 1));
	exec->pool_size = count;
	for (u32 i = 0; i < count; i++)
		exec->pool_free[i / 64] |= 1ull << i % 64;
	/* where the search for a free one ends */
	exec->pool_free[words] = ~0ull;
	return 0;
}

/* What the pool has in an array of its own lies behind those that are charged. */
#define CHARGED	(sizeof(struct vgpu_block) + sizeof(struct vgpu_checkpoint))

void vgpu_block_pool_fini(struct vgpu_exec *exec)
{
	vgpu_mem_free_device(exec->checkpoints);
	vgpu_mem_free_device(exec->pool_memory);
	vgpu_mem_free_device(exec->pool_free);
}

struct vgpu_block *vgpu_block_get(struct vgpu_exec *exec, struct vgpu_launch *launch)
{
	u32 word = exec->pool_first;
	struct vgpu_block *block;
	u32 n;

	while (!exec->pool_free[word])
		word++;
	exec->pool_first = word;
	n = word * 64 + (u32)__builtin_ctzll(exec->pool_free[word]);
	if (likely(n < exec->pool_size)) {
		block = &exec->pool[n];
		exec->pool_free[word] &= exec->pool_free[word] - 1;
	} else {
		block = vgpu_mem_alloc(launch->memory, CHARGED);
		if (!block)
			return NULL;
		block->charged = true;
	}
	block->launch = launch;
	exec->blocks++;
	return block;
}

void vgpu_block_put_seldom(struct vgpu_exec *exec, struct vgpu_block *block)
{
	if (block->checkpoint)
		vgpu_checkpoint_drop(exec, block);
	block->checkpoint = 0;
	if (!block->charged) {
		vgpu_block_put(exec, block);
		return;
	}
	exec->blocks--;
	vgpu_mem_free(block->launch->memory, block, CHARGED);
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
