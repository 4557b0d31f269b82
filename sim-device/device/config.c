// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Configurations: fields by name. One table, made from the list in vgpu_config.h, says of every
 * field its name, its place and what it may be; set, get and check read it. And presets, which are
 * whole ones, by name: what they have is in presets_papers.c and presets_cards.c.
 */
#include "../fault/fault.h"
#include "../memsys/coherence.h"
#include "../memsys/protocol/protocol.h"
#include "../placement/lists.h"
#include "../sim/text.h"
#include "../sm/pipeline/choices.h"
#include "../vgpu_policy.h"
#include "presets.h"

/* context_budget: bytes with which a context can map memory and have a queue */
#define BUDGET_LEAST	32768u
/* rcc_bits: two times of the longest lease, 2048, and something to write */
#define RCC_BITS_LEAST	13u

struct field {
	const char *name;
	u16 offset;
	u16 bytes;	/* 4, 8; VGPU_NAME_BYTES: a name */
	u64 min;
	u64 max;
	const char *wrong;
};

#define FIELD(member, text, low, high)								\
	{ text, offsetof(struct vgpu_config, member), sizeof(((struct vgpu_config *)0)->member), \
		low, high, \
	  text " must be " #low ".." #high },
#define NUMBER(type, name, low, high) FIELD(name, #name, low, high)
#define ELEMENT(type, name, index, low, high) FIELD(name[index], #name "[" #index "]", low, high)
#define ARRAY(type, name, count, low, high) VGPU_CONFIG_EACH_##count(ELEMENT, type, name, low, high)
#define NAME(name) FIELD(name, #name, 0, 0)

static const struct field fields[] = { VGPU_CONFIG_FIELDS(NUMBER, ARRAY, NAME) };

static u64 value_of(const struct vgpu_config *config, const struct field *field)
{
	const char *at = (const char *)config + field->offset;
	u64 wide;
	u32 narrow;

	if (field->bytes == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return narrow;
}

static int field_set(struct vgpu_config *config, const struct field *field, const char *text)
{
	char *at = (char *)config + field->offset;
	u64 value;
	u32 narrow;

	if (field->bytes == VGPU_NAME_BYTES) {
		if (strlen(text) >= VGPU_NAME_BYTES)
			return -EINVAL;
		vgpu_text_copy(at, VGPU_NAME_BYTES, text);
		return 0;
	}
	if (vgpu_text_to_u64(text, &value) || value < field->min || value > field->max)
		return -EINVAL;
	if (field->bytes == sizeof(value)) {
		memcpy(at, &value, sizeof(value));
	} else {
		narrow = (u32)value;
		memcpy(at, &narrow, sizeof(narrow));
	}
	return 0;
}

static const struct field *field_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(fields); i++)
		if (vgpu_text_is(name, fields[i].name))
			return &fields[i];
	return NULL;
}

int vgpu_config_set(struct vgpu_config *config, const char *name, const char *value)
{
	const struct field *field = field_find(name);

	return field ? field_set(config, field, value) : -ENOENT;
}

int vgpu_config_get(const struct vgpu_config *config, const char *name, char *text, size_t size)
{
	const struct field *field = field_find(name);
	struct vgpu_text out = { .at = text, .size = size };

	if (!field)
		return -ENOENT;
	if (size)
		*text = 0;	/* a name can be empty */
	if (field->bytes == VGPU_NAME_BYTES)
		vgpu_text_put(&out, (const char *)config + field->offset);
	else
		vgpu_text_put_u64(&out, value_of(config, field));
	return out.length < size ? (int)out.length : -ENOSPC;
}

const char *vgpu_config_field(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(fields) ? fields[index].name : NULL;
}

/* CUDA's numbers: a digit, a point and a digit. */
u32 vgpu_config_capability(const struct vgpu_config *config)
{
	static const u8 known[] = { 30, 32, 35, 37, 50, 52, 53, 60, 61, 62,
				    70, 72, 75, 80, 86, 87, 89, 90 };
	const char *text = config->compute_capability;
	unsigned int i;

	if (text[0] < '0' || text[0] > '9' || text[1] != '.' || text[2] < '0' || text[2] > '9' ||
	    text[3])
		return 0;
	for (i = 0; i < VGPU_ARRAY_SIZE(known); i++)
		if (known[i] == (text[0] - '0') * 10 + text[2] - '0')
			return known[i];
	return 0;
}

static bool is_gpu(const struct vgpu_config *config)
{
	return vgpu_coherence_find(config->coherence);
}

static bool is_rcc(const struct vgpu_config *config)
{
	return vgpu_text_is(config->coherence, "rcc") || vgpu_text_is(config->coherence, "rcc-wo");
}

/* The protocol between the L1s and L2. */
static const char *check_coherence(const struct vgpu_config *config)
{
	if (!is_gpu(config) && !vgpu_coh_find(config->coherence))
		return "coherence must be gpu, gpu-vi, mesi, rcc, rcc-wo, sc-ideal, tcs or tcw";
	if (!is_gpu(config) && config->timing_by_kernel)
		return "coherence must be gpu where timing_by_kernel is 1";
	if (config->coherence_lease &&
	    (is_gpu(config) || !vgpu_coh_find(config->coherence)->l1_expired))
		return "coherence_lease must be 0 where coherence has no leases";
	if (config->tc_predictor && !vgpu_text_is(config->coherence, "tcs") &&
	    !vgpu_text_is(config->coherence, "tcw"))
		return "tc_predictor must be 0 where coherence is not tcs or tcw";
	if (config->rcc_as_published && !is_rcc(config))
		return "rcc_as_published must be 0 where coherence is not rcc or rcc-wo";
	if (config->rcc_bits && !is_rcc(config))
		return "rcc_bits must be 0 where coherence is not rcc or rcc-wo";
	if (config->rcc_bits && config->rcc_bits < RCC_BITS_LEAST)
		return "rcc_bits must be 0, for 32, or at least 13";
	if (config->rcc_bits && 1ull << config->rcc_bits <= 2ull * config->coherence_lease)
		return "rcc_bits must have room for two times of coherence_lease";
	return NULL;
}

/* Nothing of it has a meaning without caches that carry data. */
static const char *check_no_coherence(const struct vgpu_config *config)
{
	if (!is_gpu(config))
		return "coherence must be gpu where timing is not pipeline";
	if (config->sc_core)
		return "sc_core must be 0 where timing is not pipeline";
	return NULL;
}

/* The memory hierarchy of timing=pipeline. */
static const char *check_hierarchy(const struct vgpu_config *config)
{
	u64 l1_way = (u64)config->l1_ways * VGPU_LINE;
	u64 l2_way = (u64)config->l2_ways * config->l2_partitions * VGPU_LINE;
	u64 tex_way = (u64)config->tex_ways * VGPU_LINE;

	if (check_coherence(config))
		return check_coherence(config);
	if (config->l1i_bytes % (config->l1i_ways * VGPU_LINE))
		return "l1i_bytes must be a multiple of l1i_ways lines of 128 bytes";
	if (config->l1_bytes && (!l1_way || config->l1_bytes % l1_way))
		return "l1_bytes must be a multiple of l1_ways lines of 128 bytes";
	if (config->tex_bytes && (!tex_way || config->tex_bytes % tex_way))
		return "tex_bytes must be a multiple of tex_ways lines of 128 bytes";
	if (!l2_way || !config->l2_bytes || config->l2_bytes % l2_way)
		return "l2_bytes must be a multiple of l2_partitions * l2_ways lines of 128 bytes";
	if (!config->l1_mshrs || !config->l1_queue || !config->icnt_cycles)
		return "l1_mshrs, l1_queue and icnt_cycles must be at least 1";
	if (!config->icnt_sm_bytes || !config->icnt_l2_bytes)
		return "icnt_sm_bytes and icnt_l2_bytes must be at least 1";
	if (config->l2_mshrs < config->l2_partitions)
		return "l2_mshrs must be at least one for each of l2_partitions";
	return NULL;
}

const char *vgpu_config_check(const struct vgpu_config *config)
{
	u32 largest = config->shared_per_sm;
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(fields); i++) {
		const struct field *field = &fields[i];
		u64 value;

		if (field->bytes == VGPU_NAME_BYTES) {
			if (((const char *)config)[field->offset + VGPU_NAME_BYTES - 1])
				return "a name is longer than 31 characters";
			continue;
		}
		value = value_of(config, field);
		if (value < field->min || value > field->max)
			return field->wrong;
	}
	for (i = 0; i < VGPU_ARRAY_SIZE(config->shared_steps) && config->shared_steps[i]; i++) {
		if (config->shared_steps[i] <= largest)
			return "shared_steps must be larger than shared_per_sm and ascending";
		largest = config->shared_steps[i];
	}
	for (; i < VGPU_ARRAY_SIZE(config->shared_steps); i++)
		if (config->shared_steps[i])
			return "shared_steps must have no gap: a step after a 0";
	if (!vgpu_config_capability(config))
		return "compute_capability must be one of CUDA's from 3.0 to 9.0, as 8.0";
	if (config->threads_per_block > config->threads_per_sm)
		return "threads_per_block must not exceed threads_per_sm";
	if (config->link_burst % 16)
		return "link_burst must be a multiple of 16 bytes";
	if (config->context_budget && config->context_budget < BUDGET_LEAST)
		return "context_budget must be 0, for no limit, or at least 32768 bytes";
	if (config->vram_bytes % VGPU_PAGE_SIZE)
		return "vram_bytes must be a multiple of the page of 4096 bytes";
	if (config->l1_tlb_entries &&
	    (!config->l1_tlb_ways || config->l1_tlb_entries % config->l1_tlb_ways))
		return "l1_tlb_entries must be a multiple of l1_tlb_ways";
	if (config->l2_tlb_entries &&
	    (!config->l2_tlb_ways || config->l2_tlb_entries % config->l2_tlb_ways))
		return "l2_tlb_entries must be a multiple of l2_tlb_ways";
	if (config->l2_tlb_entries && (!config->l2_tlb_mshrs || !config->page_walkers))
		return "l2_tlb_mshrs and page_walkers must be at least 1 with l2_tlb_entries";
	if (config->fault_granule & (config->fault_granule - 1))
		return "fault_granule must be a power of two";
	if (config->eviction_unit != VGPU_PAGE_SIZE && config->eviction_unit != 65536 &&
	    config->eviction_unit != 2097152)
		return "eviction_unit must be 4096, 65536 or 2097152 bytes";
	if (!vgpu_text_is(config->allocation, "eager") && !vgpu_text_is(config->allocation, "lazy"))
		return "allocation must be eager or lazy";
	if (!vgpu_text_is(config->block_placement, "depth") &&
	    !vgpu_text_is(config->block_placement, "breadth"))
		return "block_placement must be depth or breadth";
	if (!vgpu_fault_handler_find(config->fault_handler))
		return "fault_handler must be one of the names that its knob lists";
	if (!vgpu_evictor_find(config->evictor))
		return "evictor must be one of the names that its knob lists";
	if (!vgpu_prefetcher_find(config->prefetcher))
		return "prefetcher must be one of the names that its knob lists";
	if (!vgpu_scheme_find(config->oversubscription))
		return "oversubscription must be one of the names that its knob lists";
	if (config->compression_ratio && config->compression_ratio < 100)
		return "compression_ratio must be 0, or 100 per cent at least";
	if (!vgpu_text_is(config->sm_on_fault, "preemptible") &&
	    !vgpu_text_is(config->sm_on_fault, "stall"))
		return "sm_on_fault must be preemptible or stall";
	if (!vgpu_fault_scheme_find(config->fault_scheme))
		return "fault_scheme must be one of the names that its knob lists";
	if (!vgpu_warp_scheduler_find(config->warp_scheduler))
		return "warp_scheduler must be lrr or gto";
	if (config->warp_schedulers & (config->warp_schedulers - 1))
		return "warp_schedulers must be 1, 2, 4 or 8";
	if (config->issue_width % config->warp_schedulers)
		return "issue_width must be a multiple of warp_schedulers";
	if (!vgpu_issue_order_find(config->issue_order))
		return "issue_order must be out-of-order, in-order or in-order-commit";
	if (!vgpu_memory_model_find(config->memory_model))
		return "memory_model must be flat or caches";
	if (!vgpu_timing_find(config->timing))
		return "timing must be interval or pipeline";
	if ((vgpu_text_is(config->timing, "pipeline") || config->timing_by_kernel) &&
	    check_hierarchy(config))
		return check_hierarchy(config);
	if (!vgpu_text_is(config->timing, "pipeline") && check_no_coherence(config))
		return check_no_coherence(config);
	if (config->timing_by_kernel && config->kernels_per_sm > 1)
		return "timing_by_kernel must be 0 where kernels_per_sm is more than 1";
	if (!vgpu_policy_find(config->policy))
		return "policy must be one of the names that the knob \"policy\" lists";
	if (!vgpu_preemption_find(config->preemption))
		return "preemption must be one of the names that the knob \"preemption\" lists";
	return NULL;
}

/* ---- presets ------------------------------------------------------------ */

static const struct vgpu_config *const presets[] = {
	&vgpu_preset_k20c, &vgpu_preset_tanasic_ch6, &vgpu_preset_gtx980, &vgpu_preset_v100,
	&vgpu_preset_a100, &vgpu_preset_h100, &vgpu_preset_etc, &vgpu_preset_rcc,
};

int vgpu_config_preset(struct vgpu_config *config, const char *name)
{
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(presets); i++) {
		if (vgpu_text_is(name, presets[i]->name)) {
			*config = *presets[i];
			return 0;
		}
	}
	return -ENOENT;
}

const char *vgpu_config_preset_name(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(presets) ? presets[index]->name : NULL;
}
