// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What is known of the memory that a context uses, and the remedies that follow from it; see
 * pressure.h.
 */
#include "../sim/text.h"
#include "lists.h"
#include "pressure.h"

static u64 time_of(const struct vgpu_pressure *p, u64 cycles)
{
	return vgpu_mul_div(cycles, VGPU_PS_PER_KCYCLE, p->config->clock_khz);
}

/* ---- remedies ----------------------------------------------------------------------------- */

/* What shall be done while nothing is different. */
static struct vgpu_remedies choose(const struct vgpu_pressure *p)
{
	const struct vgpu_scheme *scheme = vgpu_scheme_find(p->config->oversubscription);
	struct vgpu_remedies remedies = { .compression = p->config->compression };

	if (!p->oversubscribed || !VGPU_CHECK(scheme))
		return remedies;
	scheme->choose(p, &remedies);
	if (p->config->compression)
		remedies.compression = true;
	if (p->config->proactive_eviction)
		remedies.proactive_eviction = true;
	if (p->config->throttling && !remedies.throttler)
		remedies.throttler = &vgpu_throttler_adaptive;
	return remedies;
}

static void stop_throttler(struct vgpu_pressure *p)
{
	if (!p->started)
		return;
	p->started = false;
	vgpu_event_cancel(p->sim, &p->epoch);
	p->remedies.throttler->stop(p);
	p->host->unthrottle(p->context);
}

/* Something is known that was not. */
static void decide(struct vgpu_pressure *p)
{
	struct vgpu_remedies remedies = choose(p);

	if (remedies.throttler != p->remedies.throttler) {
		stop_throttler(p);
		p->decided = false;
	}
	p->remedies = remedies;
	vgpu_as_compress(p->as, remedies.compression);
	if (remedies.throttler && p->active && !p->started) {
		p->started = true;
		remedies.throttler->start(p);
	}
}

static void epoch_fire(struct vgpu_event *event)
{
	struct vgpu_pressure *p = vgpu_container_of(event, struct vgpu_pressure, epoch);

	p->remedies.throttler->epoch(p);
}

void vgpu_throttle_epoch(struct vgpu_pressure *p, u64 cycles)
{
	vgpu_event_after(p->sim, &p->epoch, time_of(p, cycles));
}

/* ---- the classifier ----------------------------------------------------------------------- */

/* Does anybody want to know? */
static bool samples(const struct vgpu_pressure *p)
{
	return p->active && p->oversubscribed && !vgpu_text_is(p->config->oversubscription, "none");
}

static void begin_window(struct vgpu_pressure *p)
{
	p->counts = (struct vgpu_access_counts){ .on = true };
	vgpu_event_after(p->sim, &p->window, time_of(p, p->config->classifier_cycles));
}

/* A window is of the time in which its context has kernels: between them it stands still. */
static void go_on(struct vgpu_pressure *p, bool on)
{
	if (on == p->counts.on)
		return;
	p->counts.on = on;
	if (on) {
		vgpu_event_after(p->sim, &p->window,
				 p->left ? p->left : time_of(p, p->config->classifier_cycles));
		return;
	}
	p->left = vgpu_event_time(&p->window) - p->sim->now;
	vgpu_event_cancel(p->sim, &p->window);
}

/* Few lines an instruction: no division is needed (digest 1.4.2). */
static void window_fire(struct vgpu_event *event)
{
	struct vgpu_pressure *p = vgpu_container_of(event, struct vgpu_pressure, window);

	/* nothing was accessed: it takes longer */
	if (p->counts.accesses) {
		p->accesses = p->counts.accesses;
		p->lines = p->counts.lines;
		p->pages = p->counts.pages;
		p->class = p->lines < p->config->classifier_lines * p->accesses ?
				   VGPU_ACCESS_REGULAR : VGPU_ACCESS_IRREGULAR;
		if (unlikely(p->trace->on))
			vgpu_trace_emit(p->trace, &(struct vgpu_trace_record){
							  .type = VGPU_TRACE_CLASSIFIED,
							  .sm = VGPU_NO_SM,
							  .context = p->id,
							  .queue = p->class,
							  .seq = p->accesses,
							  .a = p->lines,
							  .b = p->pages,
						  });
		decide(p);
	}
	begin_window(p);
}

/* ---- data that kernels share -------------------------------------------------------------- */

static void set_sharing(struct vgpu_pressure *p, enum vgpu_sharing sharing, u64 address)
{
	p->sharing = sharing;
	if (unlikely(p->trace->on))
		vgpu_trace_emit(p->trace, &(struct vgpu_trace_record){
						  .type = VGPU_TRACE_SHARING,
						  .sm = VGPU_NO_SM,
						  .context = p->id,
						  .queue = sharing,
						  .a = address,
					  });
	decide(p);
}

/* The present launch has a pointer to @mapping. Has one before had it? */
static bool see(struct vgpu_pressure *p, u64 mapping)
{
	u32 count = p->seen_count < VGPU_PRESSURE_SEEN ? p->seen_count : VGPU_PRESSURE_SEEN;
	bool before;

	for (u32 n = 0; n < count; n++) {
		if (p->seen[n].mapping != mapping)
			continue;
		before = p->seen[n].launch != p->launches;
		p->seen[n].launch = p->launches;
		return before;
	}
	p->seen[p->seen_count % VGPU_PRESSURE_SEEN].mapping = mapping;
	p->seen[p->seen_count++ % VGPU_PRESSURE_SEEN].launch = p->launches;
	return false;
}

/* What is mapped there later is another one. */
static void unmapped(struct vgpu_pressure *p, u64 mapping)
{
	for (u32 n = 0; n < VGPU_PRESSURE_SEEN; n++)
		if (p->seen[n].mapping == mapping)
			p->seen[n].mapping = 0;
}

/* What has the size, the alignment and the value of a pointer is one. */
void vgpu_pressure_launched(struct vgpu_pressure *p, const u8 *params, u32 bytes)
{
	if (likely(!vgpu_as_managed_bytes(p->as)) || p->sharing != VGPU_SHARING_UNKNOWN)
		return;
	p->launches++;
	for (u32 at = 0; at + sizeof(u64) <= bytes; at += sizeof(u64)) {
		u64 mapping, value;

		memcpy(&value, params + at, sizeof(value));
		mapping = vgpu_as_managed_mapping(p->as, value);
		if (mapping && see(p, mapping)) {
			set_sharing(p, VGPU_SHARING_FOUND, mapping);
			return;
		}
	}
}

void vgpu_pressure_hint(struct vgpu_pressure *p, u64 address, bool shared)
{
	set_sharing(p, shared ? VGPU_SHARING_HINTED : VGPU_SHARING_DENIED, address);
}

/* ---- what happens ------------------------------------------------------------------------- */

/* Whether it is oversubscribed, or what is done about that, may be different now. */
void vgpu_pressure_update(struct vgpu_pressure *p)
{
	p->oversubscribed = vgpu_as_oversubscribed(p->as);
	decide(p);
	go_on(p, samples(p));
}

static void raised(struct vgpu_pressure *p, u32 sm)
{
	if (p->started && p->remedies.throttler->raised)
		p->remedies.throttler->raised(p, sm);
}

static void evicted(struct vgpu_pressure *p)
{
	p->evicted = true;
}

static void placed(struct vgpu_pressure *p, const struct vgpu_page_fault *fault)
{
	if (p->remedies.proactive_eviction)
		vgpu_evict_ahead(fault, p->config->proactive_bytes);
}

static void ended(struct vgpu_pressure *p, u32 sm)
{
	if (p->started && p->remedies.throttler->ended)
		p->remedies.throttler->ended(p, sm);
}

const struct vgpu_pressure_ops vgpu_pressure_ops = {
	.mapped = vgpu_pressure_update,
	.unmapped = unmapped,
	.raised = raised,
	.evicted = evicted,
	.placed = placed,
	.ended = ended,
};

void vgpu_pressure_active(struct vgpu_pressure *p, bool active)
{
	p->active = active;
	/* nothing is known of it, or to be: so it is for most, at each launch */
	if (likely(!vgpu_as_managed_bytes(p->as) && !p->oversubscribed))
		return;
	if (!active)
		stop_throttler(p);
	vgpu_pressure_update(p);
}

void vgpu_pressure_init(struct vgpu_pressure *p)
{
	p->window.fire = window_fire;
	p->epoch.fire = epoch_fire;
}

void vgpu_pressure_fini(struct vgpu_pressure *p)
{
	p->active = false;
	stop_throttler(p);
	vgpu_event_cancel(p->sim, &p->window);
}
