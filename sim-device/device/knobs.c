// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Knobs: what may be changed while the device runs. A knob is a number or the choice of a name from
 * a list.
 */
#include "../placement/lists.h"
#include "../sim/text.h"
#include "../sm/pipeline/choices.h"
#include "../vgpu_policy.h"
#include "device.h"

/**
 * struct knob - one knob
 * @name: in sysfs too
 * @set: from text; -EINVAL: it does not take that
 * @get: as text
 * @field: it is this number of the configuration, and has no set and get
 * @unit: of such a number; 0: the field's
 * @changed: such a number has changed; NULL: it is read where it is used
 */
struct knob {
	const char *name;
	int (*set)(struct vgpu_device *dev, const char *value);
	void (*get)(struct vgpu_device *dev, struct vgpu_text *text);
	const char *field;
	u64 unit;
	void (*changed)(struct vgpu_device *dev);
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
			dev->transfers.policy = policy;
			vgpu_transfers_rerank(&dev->transfers, NULL);
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
		put_choice(text, policy->name, policy == dev->transfers.policy);
}

static void watchdog_changed(struct vgpu_device *dev)
{
	vgpu_exec_set_watchdog(&dev->exec);
}

static void policy_watchdog_changed(struct vgpu_device *dev)
{
	vgpu_outside_watchdog_changed(&dev->exec);
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

static void fcfs_changed(struct vgpu_device *dev)
{
	vgpu_exec_rerank(&dev->exec);
}

/* Restart the generator. */
static void seed_changed(struct vgpu_device *dev)
{
	vgpu_random_seed(&dev->random, dev->config.seed);
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

static int block_placement_set(struct vgpu_device *dev, const char *value)
{
	int err = set_checked(dev, "block_placement", value);

	if (!err)
		vgpu_exec_set_placement(&dev->exec);
	return err;
}

static void block_placement_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	static const char *const names[] = { "depth", "breadth" };

	put_names(text, names, VGPU_ARRAY_SIZE(names), dev->config.block_placement);
}

static void kernels_per_sm_changed(struct vgpu_device *dev)
{
	vgpu_exec_set_kernels_per_sm(&dev->exec);
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

/* What a page fault takes (Tanasic 6.5.3, 6.5.4) */
static const struct costs {
	const char *name;
	u64 round_trip_ps;	/* of a fault that the host handles */
	u64 data_round_trip_ps;	/* the same, with data */
	u64 cpu_ps;		/* of that the host's */
	u64 gpu_ps;		/* of a fault that an SM handles */
} costs[] = {
	{ "pcie", 12 * VGPU_US, 25 * VGPU_US, 2 * VGPU_US, 20 * VGPU_US },
	{ "nvlink", 10 * VGPU_US, 12 * VGPU_US, 2 * VGPU_US, 20 * VGPU_US },
};

static int fault_costs_set(struct vgpu_device *dev, const char *value)
{
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(costs); i++) {
		if (!vgpu_text_is(value, costs[i].name))
			continue;
		dev->config.fault_round_trip_ps = costs[i].round_trip_ps;
		dev->config.fault_data_round_trip_ps = costs[i].data_round_trip_ps;
		dev->config.fault_cpu_ps = costs[i].cpu_ps;
		dev->config.fault_gpu_ps = costs[i].gpu_ps;
		return 0;
	}
	return -EINVAL;
}

/* None is active if one of the numbers is another. */
static void fault_costs_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	const struct vgpu_config *config = &dev->config;

	for (u32 i = 0; i < VGPU_ARRAY_SIZE(costs); i++)
		put_choice(text, costs[i].name,
			   config->fault_round_trip_ps == costs[i].round_trip_ps &&
			   config->fault_data_round_trip_ps == costs[i].data_round_trip_ps &&
			   config->fault_cpu_ps == costs[i].cpu_ps &&
			   config->fault_gpu_ps == costs[i].gpu_ps);
}

static int evictor_set(struct vgpu_device *dev, const char *value)
{
	int err = set_checked(dev, "evictor", value);

	if (!err)
		dev->mmu.evictor = vgpu_evictor_find(value);
	return err;
}

static void evictor_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	const struct vgpu_evictor *evictor;
	unsigned int i;

	for (i = 0; (evictor = vgpu_evictor_at(i)); i++)
		put_choice(text, evictor->name, evictor == dev->mmu.evictor);
}

static int prefetcher_set(struct vgpu_device *dev, const char *value)
{
	int err = set_checked(dev, "prefetcher", value);

	if (!err)
		dev->mmu.prefetcher = vgpu_prefetcher_find(value);
	return err;
}

static void prefetcher_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	const struct vgpu_prefetcher *prefetcher;
	unsigned int i;

	for (i = 0; (prefetcher = vgpu_prefetcher_at(i)); i++)
		put_choice(text, prefetcher->name, prefetcher == dev->mmu.prefetcher);
}

static void pressure_changed(struct vgpu_device *dev)
{
	for (u32 n = 0; n < dev->contexts.count; n++)
		vgpu_pressure_update(&dev->contexts.list[n]->pressure);
}

static int oversubscription_set(struct vgpu_device *dev, const char *value)
{
	int err = set_checked(dev, "oversubscription", value);

	if (!err)
		pressure_changed(dev);
	return err;
}

static void oversubscription_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	const struct vgpu_scheme *scheme;

	for (unsigned int i = 0; (scheme = vgpu_scheme_at(i)); i++)
		put_choice(text, scheme->name,
			   vgpu_text_is(dev->config.oversubscription, scheme->name));
}

/* By which SMs preempt and schedule their blocks. */
static void switching_changed(struct vgpu_device *dev)
{
	vgpu_exec_set_on_fault(&dev->exec);
}

static int sm_on_fault_set(struct vgpu_device *dev, const char *value)
{
	int err = set_checked(dev, "sm_on_fault", value);

	if (!err)
		switching_changed(dev);
	return err;
}

static void sm_on_fault_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	static const char *const names[] = { "preemptible", "stall" };

	put_names(text, names, VGPU_ARRAY_SIZE(names), dev->config.sm_on_fault);
}

/* Thread blocks have what their scheme knows in their state: only while there are none. */
static int fault_scheme_set(struct vgpu_device *dev, const char *value)
{
	int err;

	if (dev->exec.active_count && !vgpu_text_is(value, dev->config.fault_scheme))
		return vgpu_fault_scheme_find(value) ? -EBUSY : -EINVAL;
	err = set_checked(dev, "fault_scheme", value);
	if (!err)
		switching_changed(dev);
	return err;
}

static void fault_scheme_get(struct vgpu_device *dev, struct vgpu_text *text)
{
	const struct vgpu_fault_scheme *scheme;
	unsigned int i;

	for (i = 0; (scheme = vgpu_fault_scheme_at(i)); i++)
		put_choice(text, vgpu_fault_scheme_name(scheme),
			   vgpu_text_is(dev->config.fault_scheme, vgpu_fault_scheme_name(scheme)));
}

static const struct knob knobs[] = {
	{ "policy", .set = policy_set, .get = policy_get },
	{ "preemption", .set = preemption_set, .get = preemption_get },
	{ "transfer_policy", .set = transfer_policy_set, .get = transfer_policy_get },
	{ "kernel_statistics", .field = "kernel_statistics" },
	{ "kernels_per_sm", .field = "kernels_per_sm", .changed = kernels_per_sm_changed },
	{ "block_placement", .set = block_placement_set, .get = block_placement_get },
	{ "time_slice_us", .field = "time_slice_ps", .unit = VGPU_US },
	{ "fcfs_batch", .field = "fcfs_batch", .changed = fcfs_changed },
	{ "share_by", .set = share_by_set, .get = share_by_get },
	{ "watchdog_us", .field = "watchdog_ps", .unit = VGPU_US, .changed = watchdog_changed },
	{ "policy_watchdog_us", .field = "policy_watchdog_ps", .unit = VGPU_US,
	  .changed = policy_watchdog_changed },
	{ "slice_ns", .field = "slice_ps", .unit = VGPU_NS },
	{ "seed", .field = "seed", .changed = seed_changed },
	{ "drain_us", .field = "drain_ps", .unit = VGPU_US },
	{ "deadline_us", .field = "deadline_ps", .unit = VGPU_US },
	{ "flushes_most", .field = "flushes_most" },
	{ "pep_launch_us", .field = "pep_launch_ps", .unit = VGPU_US },
	{ "pep_lead_us", .field = "pep_lead_ps", .unit = VGPU_US },
	{ "pep_keep_us", .field = "pep_keep_ps", .unit = VGPU_US },
	{ "pep_run_instructions", .field = "pep_run_instructions" },
	{ "pep_in_place", .field = "pep_in_place" },
	{ "allocation", .set = allocation_set, .get = allocation_get },
	{ "fault_handler", .set = fault_handler_set, .get = fault_handler_get },
	{ "fault_granule", .field = "fault_granule" },
	{ "fault_costs", .set = fault_costs_set, .get = fault_costs_get },
	{ "fault_round_trip_us", .field = "fault_round_trip_ps", .unit = VGPU_US },
	{ "fault_data_round_trip_us", .field = "fault_data_round_trip_ps", .unit = VGPU_US },
	{ "fault_cpu_us", .field = "fault_cpu_ps", .unit = VGPU_US },
	{ "fault_gpu_us", .field = "fault_gpu_ps", .unit = VGPU_US },
	{ "evictor", .set = evictor_set, .get = evictor_get },
	{ "eviction_unit", .field = "eviction_unit" },
	{ "managed_share", .field = "managed_share" },
	{ "memory_budget", .field = "memory_budget" },
	{ "prefetcher", .set = prefetcher_set, .get = prefetcher_get },
	{ "oversubscription", .set = oversubscription_set, .get = oversubscription_get },
	{ "proactive_eviction", .field = "proactive_eviction", .changed = pressure_changed },
	{ "throttling", .field = "throttling", .changed = pressure_changed },
	{ "compression", .field = "compression", .changed = pressure_changed },
	{ "compression_ratio", .field = "compression_ratio" },
	{ "evict_clean", .field = "evict_clean" },
	{ "proactive_bytes", .field = "proactive_bytes" },
	{ "classifier_cycles", .field = "classifier_cycles" },
	{ "classifier_lines", .field = "classifier_lines" },
	{ "throttle_detect_cycles", .field = "throttle_detect_cycles" },
	{ "throttle_execute_cycles", .field = "throttle_execute_cycles" },
	{ "throttle_down", .field = "throttle_down" },
	{ "throttle_up", .field = "throttle_up" },
	{ "sm_on_fault", .set = sm_on_fault_set, .get = sm_on_fault_get },
	{ "fault_scheme", .set = fault_scheme_set, .get = fault_scheme_get },
	{ "block_switching", .field = "block_switching", .changed = switching_changed },
	{ "extra_blocks", .field = "extra_blocks", .changed = switching_changed },
	{ "ideal_switch", .field = "ideal_switch" },
	{ "abandon_restores", .field = "abandon_restores" },
};

static const struct knob *find_knob(const char *name)
{
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(knobs); i++)
		if (vgpu_text_is(name, knobs[i].name))
			return &knobs[i];
	return NULL;
}

/* A number in the knob's unit, exact to that of its field. */
static int number_set(struct vgpu_device *dev, const struct knob *knob, const char *value)
{
	char digits[24];
	struct vgpu_text text = { .at = digits, .size = sizeof(digits) };
	u64 number;
	int err;

	if (knob->unit) {
		if (vgpu_text_to_scaled(value, knob->unit, &number))
			return -EINVAL;
		vgpu_text_put_u64(&text, number);
		value = digits;
	}
	err = set_checked(dev, knob->field, value);
	if (!err && knob->changed)
		knob->changed(dev);
	return err;
}

static void number_get(struct vgpu_device *dev, const struct knob *knob, struct vgpu_text *text)
{
	char digits[24];
	u64 number;

	if (!VGPU_CHECK(vgpu_config_get(&dev->config, knob->field, digits, sizeof(digits)) > 0 &&
			!vgpu_text_to_u64(digits, &number)))
		return;
	vgpu_text_put_scaled(text, number, knob->unit ? knob->unit : 1);
}

int vgpu_device_knob_set(struct vgpu_device *dev, const char *name, const char *value)
{
	const struct knob *knob = find_knob(name);

	if (!knob)
		return -ENOENT;
	return knob->field ? number_set(dev, knob, value) : knob->set(dev, value);
}

int vgpu_device_knob_get(struct vgpu_device *dev, const char *name, char *text, size_t size)
{
	const struct knob *knob = find_knob(name);
	struct vgpu_text out = { .at = text, .size = size };

	if (!knob)
		return -ENOENT;
	if (knob->field)
		number_get(dev, knob, &out);
	else
		knob->get(dev, &out);
	return out.length < size ? (int)out.length : -ENOSPC;
}

_Static_assert(VGPU_ARRAY_SIZE(knobs) <= VGPU_KNOBS_MAX, "others have room for so many");

const char *vgpu_device_knob_name(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(knobs) ? knobs[index].name : NULL;
}
