// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The device as a whole: made from a configuration, run, asked about itself, taken apart.
 */
#include "device.h"
#include "text.h"
#include "../policy/policy.h"
#include "../preempt/preempt.h"

static int init(struct vgpu_device *dev)
{
	u32 i;
	int err;

	err = vgpu_queues_init(dev);
	if (!err)
		err = vgpu_transfer_init(dev);
	if (!err)
		err = vgpu_exec_init(dev);
	if (err)
		return err;
	dev->sms = vgpu_mem_alloc(dev->config.sms * sizeof(*dev->sms));
	if (!dev->sms)
		return -ENOMEM;
	for (i = 0; i < dev->config.sms; i++) {
		err = vgpu_sm_init(&dev->sms[i], dev, i);
		if (err)
			return err;
		dev->sms_made++;
	}
	return 0;
}

int vgpu_device_create(const struct vgpu_config *config, const struct vgpu_host_ops *ops,
		       void *host, struct vgpu_device **out)
{
	struct vgpu_device *dev;
	int err;

	if (vgpu_config_check(config))
		return -EINVAL;
	dev = vgpu_mem_alloc(sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	dev->config = *config;
	dev->ops = ops;
	dev->host = host;
	vgpu_mmu_init(&dev->mmu, config->vram_bytes,
		      &(struct vgpu_frame_ops){ ops->get_frame, ops->put_frame }, host);
	vgpu_random_seed(&dev->random, config->seed);
	err = init(dev);
	if (err) {
		vgpu_device_destroy(dev);
		return err;
	}
	*out = dev;
	return 0;
}

void vgpu_device_destroy(struct vgpu_device *dev)
{
	while (dev->contexts.count)
		vgpu_context_close(dev, dev->contexts.list[dev->contexts.count - 1]->id);
	while (dev->sms_made)
		vgpu_sm_fini(&dev->sms[--dev->sms_made]);
	vgpu_mem_free(dev->sms);
	vgpu_exec_fini(dev);
	vgpu_transfer_fini(dev);
	vgpu_queues_fini(dev);
	vgpu_mmu_fini(&dev->mmu);
	vgpu_mem_free(dev->contexts.list);
	vgpu_tournament_free(&dev->events);
	vgpu_mem_free(dev);
}

u64 vgpu_device_run(struct vgpu_device *dev, u64 until, u32 max_events)
{
	struct vgpu_entrant *first;

	dev->stop = false;
	while ((first = vgpu_tournament_first(&dev->events)) && first->key <= until) {
		struct vgpu_event *event = vgpu_container_of(first, struct vgpu_event, node);

		if (!max_events--)
			return first->key;
		dev->now = first->key;
		vgpu_tournament_pop(&dev->events);
		dev->events_fired++;
		event->fire(dev, event);
		if (unlikely(dev->stop)) {
			first = vgpu_tournament_first(&dev->events);
			return first ? first->key : VGPU_NEVER;
		}
	}
	if (until != VGPU_NEVER && until > dev->now)
		dev->now = until;
	return first ? first->key : VGPU_NEVER;
}

void vgpu_device_stop(struct vgpu_device *dev)
{
	dev->stop = true;
}

u64 vgpu_device_now(const struct vgpu_device *dev)
{
	return dev->now;
}

void vgpu_device_info(const struct vgpu_device *dev, struct vgpu_device_info *info)
{
	const struct vgpu_config *config = &dev->config;
	unsigned int i;

	memset(info, 0, sizeof(*info));
	vgpu_text_copy(info->name, sizeof(info->name), config->name);
	info->sms = config->sms;
	info->clock_khz = config->clock_khz;
	info->regs_per_sm = config->regs_per_sm;
	info->shared_per_sm = config->shared_per_sm;
	info->shared_config[0] = config->shared_per_sm;
	for (i = 0; i < VGPU_ARRAY_SIZE(config->shared_steps); i++)
		if (config->shared_steps[i]) {
			info->shared_per_sm = config->shared_steps[i];
			info->shared_config[i + 1] = config->shared_steps[i];
		}
	info->shared_per_block = info->shared_per_sm;
	info->threads_per_sm = config->threads_per_sm;
	info->threads_per_block = config->threads_per_block;
	info->blocks_per_sm = config->blocks_per_sm;
	info->warp_size = 32;
	info->hw_queues = config->hw_queues;
	info->vram_bytes = config->vram_bytes;
	info->vram_free = config->vram_bytes - dev->mmu.promised;
	info->memory_bandwidth = config->memory_bandwidth;
	info->link_bandwidth = config->link_bandwidth;
	info->time = dev->now;
	info->contexts = dev->contexts.count;
	info->queues = dev->queues_used;
	vgpu_text_copy(info->policy, sizeof(info->policy), dev->exec.policy->name);
	vgpu_text_copy(info->preemption, sizeof(info->preemption), dev->exec.preemption->name);
}

const struct vgpu_config *vgpu_device_config(const struct vgpu_device *dev)
{
	return &dev->config;
}

void vgpu_device_counts(const struct vgpu_device *dev, struct vgpu_device_counts *counts)
{
	*counts = (struct vgpu_device_counts){
		.contexts = dev->contexts.count,
		.queues = dev->queues_used,
		.modules = dev->contexts.modules,
		.commands = dev->dispatcher.commands,
		.kernels = dev->exec.active_count,
		.blocks = dev->exec.blocks,
		.frames = dev->mmu.frames.count,
		.page_tables = dev->mmu.page_tables,
	};
}
