// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Occupancy (Tanasic 2.3): how many thread blocks of one kernel an SM holds, "determined by the
 * first fully used hardware resource".
 */
#include "sm.h"

static u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

/*
 * The default, or the first larger step that holds one block (footnote 2 of Tanasic 5.3.1). 0: none
 * does.
 */
static u32 shared_of(const struct vgpu_config *config, u32 shared_bytes)
{
	unsigned int i;

	if (shared_bytes <= config->shared_per_sm)
		return config->shared_per_sm;
	for (i = 0; i < VGPU_ARRAY_SIZE(config->shared_steps); i++)
		if (shared_bytes <= config->shared_steps[i])
			return config->shared_steps[i];
	return 0;
}

u32 vgpu_occupancy(const struct vgpu_config *config, u32 threads, u32 regs_per_block,
		   u32 shared_bytes, u32 *shared_config)
{
	u32 shared = shared_of(config, shared_bytes);
	u32 blocks = config->blocks_per_sm;

	if (shared_config)
		*shared_config = shared;
	/* Threads come in whole warps. */
	if (!threads || threads > config->threads_per_sm)
		return 0;
	blocks = least(blocks, config->threads_per_sm / ((threads + 31) / 32 * 32));
	if (regs_per_block)
		blocks = least(blocks, config->regs_per_sm / regs_per_block);
	if (shared_bytes)
		blocks = least(blocks, shared / shared_bytes);
	return blocks;
}
