// SPDX-License-Identifier: MIT
/*
 * Import of timelines: which preset a GPU is, how many blocks of a kernel it holds, and how long
 * one of them took.
 */
#include <string.h>

#include "plan.h"

const char *imp_preset_of(const char *gpu)
{
	static const struct {
		const char *part, *preset;
	} presets[] = {
		{ "V100", "v100" },   { "A100", "a100" },	   { "H100", "h100" },
		{ "K20c", "k20c" }, { "GTX 980", "gtx980" },
	};
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(presets); i++)
		if (strstr(gpu, presets[i].part))
			return presets[i].preset;
	return NULL;
}

static u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

/* Shared memory that an SM gives kernels with blocks of @bytes: the first size that holds one. */
static u32 shared_of(const struct vgpu_config *config, u32 bytes)
{
	unsigned int i;

	if (bytes <= config->shared_per_sm)
		return config->shared_per_sm;
	for (i = 0; i < VGPU_ARRAY_SIZE(config->shared_steps); i++)
		if (bytes <= config->shared_steps[i])
			return config->shared_steps[i];
	return 0;
}

/* As the device decides: Tanasic 2.3, the first resource that is used up. */
u32 imp_resident(const struct vgpu_config *config, const struct vgpu_cmd_profiled *kernel)
{
	u32 warps = (kernel->threads + 31) / 32, blocks = config->blocks_per_sm;

	blocks = least(blocks, config->threads_per_sm / 32 / warps);
	if (kernel->regs_per_block)
		blocks = least(blocks, config->regs_per_sm / kernel->regs_per_block);
	if (kernel->shared_bytes)
		blocks = least(blocks, shared_of(config, kernel->shared_bytes) /
					       kernel->shared_bytes);
	return blocks;
}

bool imp_fit(const struct vgpu_config *config, struct vgpu_cmd_profiled *kernel)
{
	u32 shared = config->shared_per_sm;
	unsigned int i;

	if (imp_resident(config, kernel))
		return true;
	for (i = 0; i < VGPU_ARRAY_SIZE(config->shared_steps); i++)
		if (config->shared_steps[i] > shared)
			shared = config->shared_steps[i];
	kernel->threads = least(kernel->threads, config->threads_per_sm);
	kernel->regs_per_block = least(kernel->regs_per_block, config->regs_per_sm);
	kernel->shared_bytes = least(kernel->shared_bytes, shared);
	return false;
}

u64 imp_waves(const struct vgpu_config *config, const struct vgpu_cmd_profiled *kernel, u32 sms)
{
	u64 at_once = (u64)imp_resident(config, kernel) * (sms ? sms : config->sms);

	return (kernel->blocks + at_once - 1) / at_once;
}

u32 imp_sms(const struct vgpu_config *config, const struct vgpu_cmd_profiled *kernel)
{
	u64 sms = kernel->blocks;
	u32 resident = imp_resident(config, kernel);

	if (strcmp(config->block_placement, "breadth"))
		sms = (kernel->blocks + resident - 1) / resident;
	return sms < config->sms ? (u32)sms : config->sms;
}
