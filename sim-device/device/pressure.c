// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A context's pressure (placement/pressure.h) and its SMs, which do not know each other.
 */
#include "device.h"

static struct vgpu_exec_context *sms_of(void *context)
{
	return &((struct vgpu_context *)context)->exec;
}

static u32 running(void *context)
{
	return vgpu_exec_running_sms(sms_of(context));
}

static u32 throttled(void *context)
{
	return sms_of(context)->throttled;
}

static bool throttle(void *context, u32 sm)
{
	return vgpu_exec_throttle(sms_of(context), sm);
}

static u32 throttle_some(void *context, u32 count)
{
	return vgpu_exec_throttle_some(sms_of(context), count);
}

static bool unthrottle_last(void *context)
{
	return vgpu_exec_unthrottle_last(sms_of(context));
}

static void unthrottle(void *context)
{
	vgpu_exec_unthrottle(sms_of(context));
}

static void limit(void *context, u32 sms)
{
	vgpu_exec_limit_sms(sms_of(context), sms);
}

static const struct vgpu_pressure_host host = {
	.running = running,
	.throttled = throttled,
	.throttle = throttle,
	.throttle_some = throttle_some,
	.unthrottle_last = unthrottle_last,
	.unthrottle = unthrottle,
	.limit = limit,
};

void vgpu_context_init_pressure(struct vgpu_context *ctx)
{
	struct vgpu_device *dev = ctx->dev;

	ctx->exec.counts = &ctx->pressure.counts;
	ctx->pressure.sim = dev->sim;
	ctx->pressure.trace = &dev->trace;
	ctx->pressure.config = &dev->config;
	ctx->pressure.host = &host;
	ctx->pressure.context = ctx;
	ctx->pressure.as = ctx->as;
	ctx->pressure.id = ctx->id;
	vgpu_pressure_init(&ctx->pressure);
	vgpu_as_set_pressure(ctx->as, &ctx->pressure);
}

void vgpu_context_pressure_account(const struct vgpu_context *ctx, struct vgpu_account *account)
{
	const struct vgpu_compression_counts *compression = vgpu_as_compression(ctx->as);

	account->pages_evicted_ahead = vgpu_as_migrated(ctx->as)->ahead;
	account->pages_compressed = vgpu_as_compressed_pages(ctx->as);
	account->managed_vram = vgpu_as_managed_vram(ctx->as);
	account->page_overflows = compression->overflows;
	account->line_exceptions = compression->exceptions;
	account->metadata_hits = compression->metadata_hits;
	account->metadata_misses = compression->metadata_misses;
	account->data_shared = ctx->pressure.sharing;
	account->sms_throttled = ctx->exec.throttled;
	account->throttles = ctx->exec.throttles;
	account->access_class = ctx->pressure.class;
	account->classified_accesses = ctx->pressure.accesses;
	account->classified_lines = ctx->pressure.lines;
	account->classified_pages = ctx->pressure.pages;
}
