// SPDX-License-Identifier: MIT
/*
 * Attributes into structs. A module that says less than this knows leaves zeros, one that says more
 * is not understood there.
 */
#include <stdio.h>
#include <string.h>

#include <netlink/attr.h>

#include "client.h"
#include "parse.h"

static uint32_t u32_of(struct nlattr **attrs, int type)
{
	return attrs[type] && nla_len(attrs[type]) >= 4 ? nla_get_u32(attrs[type]) : 0;
}

static uint64_t u64_of(struct nlattr **attrs, int type)
{
	return attrs[type] && nla_len(attrs[type]) >= 8 ? nla_get_u64(attrs[type]) : 0;
}

/* A statistic, of either width. */
static uint64_t stat_of(struct nlattr **attrs, int type)
{
	return attrs[type] && nla_len(attrs[type]) < 8 ? u32_of(attrs, type) : u64_of(attrs, type);
}

static void text_of(struct nlattr **attrs, int type, char *text, size_t size)
{
	text[0] = 0;
	if (attrs[type])
		nla_strlcpy(text, attrs[type], size);
}

static void bytes_of(struct nlattr **attrs, int type, void *to, size_t size)
{
	if (attrs[type])
		nla_memcpy(to, attrs[type], (int)size);
}

static void states(struct client_device *device, struct nlattr *list)
{
	struct nlattr *attrs[VGPU_NL_A_MAX + 1], *one;
	int left;

	nla_for_each_nested(one, list, left) {
		unsigned int i = device->state_count;

		if (i == CLIENT_STATES || nla_parse_nested(attrs, VGPU_NL_A_MAX, one, NULL))
			return;
		text_of(attrs, VGPU_NL_A_STATE_NAME, device->state_name[i],
			sizeof(device->state_name[i]));
		device->state_time[i] = u64_of(attrs, VGPU_NL_A_STATE_TIME);
		device->state_count++;
	}
}

static void knobs(struct client_device *device, struct nlattr *list)
{
	struct nlattr *attrs[VGPU_NL_A_MAX + 1], *one;
	int left;

	nla_for_each_nested(one, list, left) {
		struct client_knob *knob = &device->knobs[device->knob_count];

		if (device->knob_count == CLIENT_KNOBS ||
		    nla_parse_nested(attrs, VGPU_NL_A_MAX, one, NULL))
			return;
		text_of(attrs, VGPU_NL_A_KNOB_NAME, knob->name, sizeof(knob->name));
		text_of(attrs, VGPU_NL_A_KNOB_VALUE, knob->value, sizeof(knob->value));
		device->knob_count++;
	}
}

void parse_device(struct nlattr **attrs, void *to)
{
	struct client_device *device = to;

#define STAT(number, name, path, member, file, text) device->member = stat_of(attrs, number);
	VGPU_DEVICE_STATS(STAT)
#undef STAT
	if (device->sms > CLIENT_SMS)
		device->sms = CLIENT_SMS;
	device->index = u32_of(attrs, VGPU_NL_A_DEVICE);
	device->sample_ms = u32_of(attrs, VGPU_NL_A_SAMPLE_MS);
	text_of(attrs, VGPU_NL_A_NAME, device->name, sizeof(device->name));
	text_of(attrs, VGPU_NL_A_PRESET, device->preset, sizeof(device->preset));
	text_of(attrs, VGPU_NL_A_CLOCK, device->clock, sizeof(device->clock));
	device->vram_resident = u64_of(attrs, VGPU_NL_A_VRAM_RESIDENT);
	device->lost = u64_of(attrs, VGPU_NL_A_LOST);
	bytes_of(attrs, VGPU_NL_A_SM_STATES, device->sm_state, sizeof(device->sm_state));
	bytes_of(attrs, VGPU_NL_A_SM_CONTEXTS, device->sm_context, sizeof(device->sm_context));
	if (attrs[VGPU_NL_A_SM_TIMES])
		states(device, attrs[VGPU_NL_A_SM_TIMES]);
	if (attrs[VGPU_NL_A_KNOBS])
		knobs(device, attrs[VGPU_NL_A_KNOBS]);
}

void parse_context(struct nlattr **attrs, void *to)
{
	struct client_context *context = to;

#define STAT(number, name, path, member, file, text) context->member = stat_of(attrs, number);
	VGPU_CONTEXT_STATS(STAT)
#undef STAT
	context->device = u32_of(attrs, VGPU_NL_A_DEVICE);
	context->id = u32_of(attrs, VGPU_NL_A_CONTEXT);
	context->hidden = !attrs[VGPU_NL_A_FAULT];
	context->pid = u32_of(attrs, VGPU_NL_A_PID);
	context->priority = (int32_t)u32_of(attrs, VGPU_NL_A_PRIORITY);
	context->tokens = u32_of(attrs, VGPU_NL_A_TOKENS);
	context->fault = u32_of(attrs, VGPU_NL_A_FAULT);
	context->time = u64_of(attrs, VGPU_NL_A_TIME);
	context->fault_address = u64_of(attrs, VGPU_NL_A_FAULT_ADDRESS);
	context->inflight = u64_of(attrs, VGPU_NL_A_INFLIGHT);
}

static void part(struct nlattr **attrs, struct client_part *has)
{
	has->blocks = u64_of(attrs, VGPU_NL_A_ON_SM_BLOCKS);
	has->registers = u64_of(attrs, VGPU_NL_A_ON_SM_REGISTERS);
	has->shared_bytes = u64_of(attrs, VGPU_NL_A_ON_SM_SHARED);
	has->warps = u64_of(attrs, VGPU_NL_A_ON_SM_WARPS);
	has->share = (double)u64_of(attrs, VGPU_NL_A_SHARE) / 4294967296.0;
}

static void sm_kernels(struct client_sm *sm, struct nlattr *list)
{
	struct nlattr *attrs[VGPU_NL_A_MAX + 1], *one;
	int left;

	nla_for_each_nested(one, list, left) {
		struct client_sm_kernel *kernel = &sm->kernels[sm->kernel_count];

		if (sm->kernel_count == CLIENT_KERNELS ||
		    nla_parse_nested(attrs, VGPU_NL_A_MAX, one, NULL))
			return;
		kernel->context = u32_of(attrs, VGPU_NL_A_CONTEXT);
		kernel->launch = u32_of(attrs, VGPU_NL_A_LAUNCH);
		kernel->partition = u32_of(attrs, VGPU_NL_A_PARTITION);
		kernel->hidden = !attrs[VGPU_NL_A_LAUNCH];
		part(attrs, &kernel->has);
		sm->kernel_count++;
	}
}

void parse_sm(struct nlattr **attrs, void *to)
{
	struct client_sm *sm = to;

	sm->device = u32_of(attrs, VGPU_NL_A_DEVICE);
	sm->number = u32_of(attrs, VGPU_NL_A_SM);
	text_of(attrs, VGPU_NL_A_STATE_NAME, sm->state, sizeof(sm->state));
	sm->shared_size = u64_of(attrs, VGPU_NL_A_SM_SHARED_SIZE);
	part(attrs, &sm->has);
	if (attrs[VGPU_NL_A_SM_KERNELS])
		sm_kernels(sm, attrs[VGPU_NL_A_SM_KERNELS]);
}

void parse_counts(struct nlattr **attrs, void *to)
{
	struct client_counts *counts = to;

	counts->device = u32_of(attrs, VGPU_NL_A_DEVICE);
	counts->scope = u32_of(attrs, VGPU_NL_A_COUNTS_SCOPE);
	counts->context = u32_of(attrs, VGPU_NL_A_CONTEXT);
	counts->pid = u32_of(attrs, VGPU_NL_A_PID);
	counts->queue = u32_of(attrs, VGPU_NL_A_QUEUE);
	counts->launch = u32_of(attrs, VGPU_NL_A_LAUNCH);
	counts->sm = u32_of(attrs, VGPU_NL_A_SM);
	counts->sm_warps = u32_of(attrs, VGPU_NL_A_SM_WARPS);
	counts->fitting = u32_of(attrs, VGPU_NL_A_FITTING);
	counts->launches = u64_of(attrs, VGPU_NL_A_LAUNCHES);
	counts->duration = u64_of(attrs, VGPU_NL_A_DURATION);
	counts->preempted = u64_of(attrs, VGPU_NL_A_PREEMPTED_TIME);
	counts->started = u64_of(attrs, VGPU_NL_A_STARTED);
	bytes_of(attrs, VGPU_NL_A_COMPLETE, &counts->complete, sizeof(counts->complete));
	bytes_of(attrs, VGPU_NL_A_GRID, counts->grid, sizeof(counts->grid));
	bytes_of(attrs, VGPU_NL_A_BLOCK, counts->block, sizeof(counts->block));
	text_of(attrs, VGPU_NL_A_KERNEL_NAME, counts->kernel, sizeof(counts->kernel));
	/* of counters that the module does not know there is nothing */
	memset(counts->value, 0xff, sizeof(counts->value));
	bytes_of(attrs, VGPU_NL_A_COUNTERS, counts->value, sizeof(counts->value));
}

void parse_notice(struct nlattr **attrs, void *to)
{
	struct client_notice *notice = to;

	notice->device = u32_of(attrs, VGPU_NL_A_DEVICE);
	notice->context = u32_of(attrs, VGPU_NL_A_CONTEXT);
	notice->pid = u32_of(attrs, VGPU_NL_A_PID);
	notice->fault = u32_of(attrs, VGPU_NL_A_FAULT);
	notice->xid = u32_of(attrs, VGPU_NL_A_XID);
	notice->time = u64_of(attrs, VGPU_NL_A_TIME);
	notice->address = u64_of(attrs, VGPU_NL_A_FAULT_ADDRESS);
	notice->lost = u64_of(attrs, VGPU_NL_A_LOST);
	text_of(attrs, VGPU_NL_A_KNOB_NAME, notice->knob, sizeof(notice->knob));
	text_of(attrs, VGPU_NL_A_KNOB_VALUE, notice->value, sizeof(notice->value));
	text_of(attrs, VGPU_NL_A_REASON, notice->reason, sizeof(notice->reason));
}
