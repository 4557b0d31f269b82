// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Knobs: what may be changed while the device runs. A knob is a number or the choice of a name from
 * a list.
 */
#include "../sim/text.h"
#include "../vgpu_policy.h"
#include "device.h"

/**
 * struct knob - one knob
 * @name: in sysfs too
 * @set: from text; -EINVAL: it does not take that
 * @get: as text
 */
struct knob {
	const char *name;
	int (*set)(struct vgpu_device *dev, const char *value);
	void (*get)(struct vgpu_device *dev, struct vgpu_text *text);
};

static void put_choice(struct vgpu_text *text, const char *name, bool active)
{
	if (text->length)
		vgpu_text_put(text, " ");
	vgpu_text_put(text, active ? "[" : "");
	vgpu_text_put(text, name);
	vgpu_text_put(text, active ? "]" : "");
}

static int policy_set(struct vgpu_device *dev, const char *value)
{
	const struct vgpu_policy *policy = vgpu_policy_find(value);

	if (!policy)
		return -EINVAL;
	return vgpu_exec_set_policy(&dev->exec, policy);
}

static void policy_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	const struct vgpu_policy *policy;
	unsigned int i;

	for (i = 0; (policy = vgpu_policy_at(i)); i++)
		put_choice(text, policy->name, policy == dev->exec.policy);
}

static int preemption_set(struct vgpu_device *dev, const char *value)
{
	const struct vgpu_preemption *preemption = vgpu_preemption_find(value);

	if (!preemption)
		return -EINVAL;
	vgpu_exec_set_preemption(&dev->exec, preemption);
	return 0;
}

static void preemption_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	const struct vgpu_preemption *preemption;
	unsigned int i;

	for (i = 0; (preemption = vgpu_preemption_at(i)); i++)
		put_choice(text, preemption->name, preemption == dev->exec.preemption);
}

static int transfer_policy_set(struct vgpu_device *dev, const char *value)
{
	const struct vgpu_transfer_policy *policy;
	unsigned int i;

	for (i = 0; (policy = vgpu_transfer_policy_at(i)); i++) {
		if (vgpu_text_is(value, policy->name)) {
			dev->transfer.policy = policy;
			vgpu_transfer_rerank(&dev->transfer, NULL);
			return 0;
		}
	}
	return -EINVAL;
}

static void transfer_policy_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	const struct vgpu_transfer_policy *policy;
	unsigned int i;

	for (i = 0; (policy = vgpu_transfer_policy_at(i)); i++)
		put_choice(text, policy->name, policy == dev->transfer.policy);
}

/*
 * A time of the configuration as a knob in @unit, exact to the picosecond, within the limits of
 * @field.
 */
static int set_time(struct vgpu_config *config, const char *field, const char *value, u64 unit)
{
	struct vgpu_text text = {};
	char digits[24];
	u64 number;

	if (vgpu_text_to_scaled(value, unit, &number))
		return -EINVAL;
	text.at = digits;
	text.size = sizeof(digits);
	vgpu_text_put_u64(&text, number);
	return vgpu_config_set(config, field, digits);
}

static int watchdog_set(struct vgpu_device *dev, const char *value)
{
	int err = set_time(&dev->config, "watchdog_ps", value, VGPU_US);

	if (!err)
		vgpu_exec_set_watchdog(&dev->exec);
	return err;
}

static void watchdog_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	vgpu_text_put_scaled(text, dev->config.watchdog_ps, VGPU_US);
}

static int time_slice_set(struct vgpu_device *dev, const char *value)
{
	return set_time(&dev->config, "time_slice_ps", value, VGPU_US);
}

static void time_slice_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	vgpu_text_put_scaled(text, dev->config.time_slice_ps, VGPU_US);
}

static const char *const shares[] = { "equal", "priority" };

static int share_by_set(struct vgpu_device *dev, const char *value)
{
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(shares); i++) {
		if (vgpu_text_is(value, shares[i])) {
			dev->exec.share_by_priority = i;
			vgpu_exec_rerank(&dev->exec);
			return 0;
		}
	}
	return -EINVAL;
}

static void share_by_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(shares); i++)
		put_choice(text, shares[i], i == dev->exec.share_by_priority);
}

static int slice_set(struct vgpu_device *dev, const char *value)
{
	return set_time(&dev->config, "slice_ps", value, VGPU_NS);
}

static void slice_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	vgpu_text_put_scaled(text, dev->config.slice_ps, VGPU_NS);
}

/* Restart the generator. */
static int seed_set(struct vgpu_device *dev, const char *value)
{
	int err = vgpu_config_set(&dev->config, "seed", value);

	if (!err)
		vgpu_random_seed(&dev->random, dev->config.seed);
	return err;
}

static void seed_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	vgpu_text_put_u64(text, dev->config.seed);
}

static int drain_set(struct vgpu_device *dev, const char *value)
{
	return set_time(&dev->config, "drain_ps", value, VGPU_US);
}

static void drain_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	vgpu_text_put_scaled(text, dev->config.drain_ps, VGPU_US);
}

/* Set a field of the configuration to what the check of configurations accepts. */
static int set_checked(struct vgpu_device *dev, const char *field, const char *value)
{
	struct vgpu_config config = dev->config;

	if (vgpu_config_set(&config, field, value) || vgpu_config_check(&config))
		return -EINVAL;
	dev->config = config;
	return 0;
}

static void put_names(struct vgpu_text *text, const char *const *names, u32 count,
		      const char *active)
{
	for (u32 i = 0; i < count; i++)
		put_choice(text, names[i], vgpu_text_is(active, names[i]));
}

static int allocation_set(struct vgpu_device *dev, const char *value)
{
	int err = set_checked(dev, "allocation", value);

	if (!err)
		vgpu_mmu_update(&dev->mmu);
	return err;
}

static void allocation_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	static const char *const names[] = { "eager", "lazy" };

	put_names(text, names, VGPU_ARRAY_SIZE(names), dev->config.allocation);
}

static int fault_handler_set(struct vgpu_device *dev, const char *value)
{
	int err = set_checked(dev, "fault_handler", value);

	/* with page_arrival_ps the test's handler stays */
	if (!err && !dev->config.page_arrival_ps)
		dev->mmu.faults.handler = vgpu_fault_handler_find(value);
	return err;
}

static void fault_handler_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	const struct vgpu_fault_handler *handler;
	unsigned int i;

	for (i = 0; (handler = vgpu_fault_handler_at(i)); i++)
		put_choice(text, handler->name,
			   vgpu_text_is(dev->config.fault_handler, handler->name));
}

static int fault_granule_set(struct vgpu_device *dev, const char *value)
{
	return set_checked(dev, "fault_granule", value);
}

static void fault_granule_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	vgpu_text_put_u64(text, dev->config.fault_granule);
}

static int evictor_set(struct vgpu_device *dev, const char *value)
{
	int err = set_checked(dev, "evictor", value);

	if (!err)
		vgpu_mmu_update(&dev->mmu);
	return err;
}

static void evictor_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	const struct vgpu_evictor *evictor;
	unsigned int i;

	for (i = 0; (evictor = vgpu_evictor_at(i)); i++)
		put_choice(text, evictor->name, evictor == dev->mmu.evictor);
}

static int eviction_unit_set(struct vgpu_device *dev, const char *value)
{
	return set_checked(dev, "eviction_unit", value);
}

static void eviction_unit_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	vgpu_text_put_u64(text, dev->config.eviction_unit);
}

static int managed_share_set(struct vgpu_device *dev, const char *value)
{
	return set_checked(dev, "managed_share", value);
}

static void managed_share_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	vgpu_text_put_u64(text, dev->config.managed_share);
}

static int prefetcher_set(struct vgpu_device *dev, const char *value)
{
	int err = set_checked(dev, "prefetcher", value);

	if (!err)
		vgpu_mmu_update(&dev->mmu);
	return err;
}

static void prefetcher_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	const struct vgpu_prefetcher *prefetcher;
	unsigned int i;

	for (i = 0; (prefetcher = vgpu_prefetcher_at(i)); i++)
		put_choice(text, prefetcher->name, prefetcher == dev->mmu.prefetcher);
}

/* By which SMs preempt and schedule their blocks. */
static int set_switching(struct vgpu_device *dev, const char *field, const char *value)
{
	int err = set_checked(dev, field, value);

	if (!err)
		vgpu_exec_set_on_fault(&dev->exec);
	return err;
}

static int sm_on_fault_set(struct vgpu_device *dev, const char *value)
{
	return set_switching(dev, "sm_on_fault", value);
}

static void sm_on_fault_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	static const char *const names[] = { "preemptible", "stall" };

	put_names(text, names, VGPU_ARRAY_SIZE(names), dev->config.sm_on_fault);
}

static int block_switching_set(struct vgpu_device *dev, const char *value)
{
	return set_switching(dev, "block_switching", value);
}

static void block_switching_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	vgpu_text_put_u64(text, dev->config.block_switching);
}

static int extra_blocks_set(struct vgpu_device *dev, const char *value)
{
	return set_switching(dev, "extra_blocks", value);
}

static void extra_blocks_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	vgpu_text_put_u64(text, dev->config.extra_blocks);
}

static int ideal_switch_set(struct vgpu_device *dev, const char *value)
{
	return vgpu_config_set(&dev->config, "ideal_switch", value);
}

static void ideal_switch_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	vgpu_text_put_u64(text, dev->config.ideal_switch);
}

static const struct knob knobs[] = {
	{ "policy", policy_set, policy_get },
	{ "preemption", preemption_set, preemption_get },
	{ "transfer_policy", transfer_policy_set, transfer_policy_get },
	{ "time_slice_us", time_slice_set, time_slice_get },
	{ "share_by", share_by_set, share_by_get },
	{ "watchdog_us", watchdog_set, watchdog_get },
	{ "slice_ns", slice_set, slice_get },
	{ "seed", seed_set, seed_get },
	{ "drain_us", drain_set, drain_get },
	{ "allocation", allocation_set, allocation_get },
	{ "fault_handler", fault_handler_set, fault_handler_get },
	{ "fault_granule", fault_granule_set, fault_granule_get },
	{ "evictor", evictor_set, evictor_get },
	{ "eviction_unit", eviction_unit_set, eviction_unit_get },
	{ "managed_share", managed_share_set, managed_share_get },
	{ "prefetcher", prefetcher_set, prefetcher_get },
	{ "sm_on_fault", sm_on_fault_set, sm_on_fault_get },
	{ "block_switching", block_switching_set, block_switching_get },
	{ "extra_blocks", extra_blocks_set, extra_blocks_get },
	{ "ideal_switch", ideal_switch_set, ideal_switch_get },
};

static const struct knob *find_knob(const char *name)
{
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(knobs); i++)
		if (vgpu_text_is(name, knobs[i].name))
			return &knobs[i];
	return NULL;
}

int vgpu_device_knob_set(struct vgpu_device *dev, const char *name, const char *value)
{
	const struct knob *knob = find_knob(name);

	return knob ? knob->set(dev, value) : -ENOENT;
}

int vgpu_device_knob_get(struct vgpu_device *dev, const char *name, char *text, size_t size)
{
	const struct knob *knob = find_knob(name);
	struct vgpu_text out = { .at = text, .size = size };

	if (!knob)
		return -ENOENT;
	knob->get(dev, &out);
	return out.length < size ? (int)out.length : -ENOSPC;
}

const char *vgpu_device_knob_name(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(knobs) ? knobs[index].name : NULL;
}
