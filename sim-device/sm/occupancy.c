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

int vgpu_launch_check(const struct vgpu_config *config, const struct vgpu_kernel *kernel,
		      const struct vgpu_cmd_launch *cmd)
{
	u64 blocks = 1, threads = 1;

	for (u32 n = 0; n < 3; n++) {
		if (!cmd->grid[n] || cmd->grid[n] > config->grid_limit[n])
			return -EINVAL;
		if (!cmd->block[n] || cmd->block[n] > config->block_limit[n])
			return -EINVAL;
		if (blocks > VGPU_LAUNCH_BLOCKS_MAX / cmd->grid[n])
			return -EINVAL;
		blocks *= cmd->grid[n];
		threads *= cmd->block[n];
	}
	if (threads > config->threads_per_block ||
	    (kernel->vass.max_threads && threads > kernel->vass.max_threads) ||
	    cmd->dynamic_shared > ~0u - kernel->vass.shared_bytes)
		return -EINVAL;
	return vgpu_occupancy(config, (u32)threads,
			      (u32)((threads + 31) / 32 * 32) * kernel->vass.regs,
			      kernel->vass.shared_bytes + cmd->dynamic_shared, NULL) ?
		       0 :
		       -EINVAL;
}

void vgpu_launch_shape(struct vgpu_launch *launch, const struct vgpu_kernel *kernel,
		       const struct vgpu_cmd_launch *cmd, const u8 *params)
{
	launch->module = cmd->module;
	launch->kernel_index = cmd->kernel;
	launch->kernel = kernel;
	launch->blocks = 1;
	launch->threads = 1;
	for (u32 n = 0; n < 3; n++) {
		launch->grid[n] = cmd->grid[n];
		launch->block[n] = cmd->block[n];
		launch->blocks *= cmd->grid[n];
		launch->threads *= cmd->block[n];
	}
	launch->warps = (launch->threads + 31) / 32;
	launch->regs_per_block = launch->warps * 32 * kernel->vass.regs;
	launch->dynamic_shared = cmd->dynamic_shared;
	launch->shared_bytes = kernel->vass.shared_bytes + cmd->dynamic_shared;
	launch->params = params;
	launch->param_bytes = cmd->param_bytes;
}
