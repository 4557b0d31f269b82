// SPDX-License-Identifier: MIT
/*
 * The drivers of SMs; see mem_rig.h.
 */
#include "mem_rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "vgpu_model.h"

static void hash_in(struct rig *rig, u64 value)
{
	rig->hash = (rig->hash ^ value) * 0x100000001b3ull;
}

void rig_kick(struct rig_sm *sm, u64 cycle)
{
	struct rig *rig = sm->rig;
	u64 time;

	cycle = cycle < sm->end ? sm->end : cycle;
	time = vgpu_cycle_time(&rig->config, cycle);
	time = time < rig->sim.now ? rig->sim.now : time;
	if (!vgpu_event_pending(&sm->event) || vgpu_event_time(&sm->event) > time)
		vgpu_event_at(&rig->sim, &sm->event, time);
}

static void wake(void *owner, u32 sm, u64 cycle)
{
	struct rig *rig = owner;

	/* it comes early enough, and no window has passed it */
	assert_true(cycle >= vgpu_cycle_at(&rig->config, rig->sim.now) +
				     vgpu_memsys_window(rig->memsys));
	assert_true(cycle >= rig->sms[sm].end);
	rig_kick(&rig->sms[sm], cycle);
}

static void take_responses(struct rig_sm *sm, u64 cycle)
{
	const struct vgpu_mem_response *response;

	/* room for another access, even if nobody hears of it */
	if (vgpu_l1d_next(sm->l1) <= cycle)
		sm->next = cycle;
	while ((response = vgpu_l1d_response(sm->l1, cycle))) {
		assert_true(response->cycle <= cycle);
		hash_in(sm->rig, response->cycle);
		hash_in(sm->rig, response->cookie ^ (u64)sm->index << 32);
		sm->came(sm, response);
	}
}

static void window(struct vgpu_event *event)
{
	struct rig_sm *sm = vgpu_container_of(event, struct rig_sm, event);
	struct rig *rig = sm->rig;
	u64 cycle = vgpu_cycle_from(&rig->config, rig->sim.now), next;

	sm->end = cycle + vgpu_memsys_window(rig->memsys);
	while (cycle < sm->end) {
		take_responses(sm, cycle);
		if (sm->next <= cycle) {
			sm->next = sm->step(sm, cycle);
			assert_true(sm->next > cycle);
		}
		next = vgpu_l1d_next(sm->l1);
		next = sm->next < next ? sm->next : next;
		cycle = next > cycle ? next : cycle + 1;
	}
	vgpu_l1d_submit(sm->l1);
	if (cycle != VGPU_NEVER)
		rig_kick(sm, cycle);
}

static const struct vgpu_memsys_ops ops = { .wake = wake };

static void configure(struct vgpu_config *config, const char *preset, const char *changes)
{
	char field[32], value[32];
	int length;

	assert_int_equal(vgpu_config_preset(config, preset), 0);
	assert_int_equal(vgpu_config_set(config, "timing", "pipeline"), 0);
	for (; sscanf(changes, " %31[^=]=%31s%n", field, value, &length) == 2; changes += length)
		assert_int_equal(vgpu_config_set(config, field, value), 0);
	assert_null(vgpu_config_check(config));
}

struct rig *rig_preset(const char *preset, const char *changes)
{
	static u32 opened;
	struct rig *rig = calloc(1, sizeof(*rig));
	u32 shift = opened++ % 3 * 4096;

	configure(&rig->config, preset, changes);
	vgpu_sim_init(&rig->sim);
	/* each at another address of this program */
	rig->allocated = calloc(1, (RIG_FRAMES + 4) * 4096);
	rig->memory = (u8 *)(((uintptr_t)rig->allocated + 4095) & ~4095ull) + shift;
	rig->hash = 0xcbf29ce484222325ull;
	assert_int_equal(vgpu_event_reserve(&rig->sim, rig->config.sms), 0);
	assert_int_equal(vgpu_memsys_create(&rig->sim, &rig->config, &ops, rig, &rig->memsys), 0);
	rig->sms = calloc(rig->config.sms, sizeof(*rig->sms));
	for (u32 n = 0; n < rig->config.sms; n++) {
		rig->sms[n].rig = rig;
		rig->sms[n].index = n;
		rig->sms[n].l1 = vgpu_memsys_l1d(rig->memsys, n);
		rig->sms[n].event.fire = window;
		rig->sms[n].counters.launch = 1;
		vgpu_l1d_serve(rig->sms[n].l1, 1);
	}
	return rig;
}

struct rig *rig_open(const char *changes)
{
	return rig_preset("tanasic-ch6", changes);
}

void rig_close(struct rig *rig)
{
	for (u32 n = 0; n < rig->config.sms; n++) {
		vgpu_event_cancel(&rig->sim, &rig->sms[n].event);
		free(rig->sms[n].warps);
	}
	vgpu_memsys_destroy(rig->memsys);
	vgpu_event_release(&rig->sim, rig->config.sms);
	vgpu_sim_fini(&rig->sim);
	free(rig->sms);
	free(rig->allocated);
	free(rig);
}

void rig_run(struct rig *rig)
{
	vgpu_sim_run(&rig->sim, VGPU_NEVER, ~0u);
}

void rig_run_to(struct rig *rig, u64 cycle)
{
	vgpu_sim_run(&rig->sim, vgpu_cycle_time(&rig->config, cycle), ~0u);
}

struct vgpu_mem_access rig_access(struct rig *rig, u64 cycle, u32 kind, u64 physical, u32 bytes)
{
	struct vgpu_mem_access access = {
		.cycle = cycle,
		.address = physical + RIG_VIRTUAL,
		.frame = physical >> 12,
		.line = rig->memory + (physical & ~127ull),
		.kind = (u8)kind,
	};

	for (u32 n = physical & 127; n < (physical & 127) + bytes; n++)
		access.mask[n / 64] |= 1ull << n % 64;
	return access;
}

u32 *rig_word(struct rig *rig, u64 physical)
{
	return (u32 *)(rig->memory + physical);
}

struct vgpu_memsys_stats rig_stats(const struct rig *rig)
{
	struct vgpu_memsys_stats stats;

	vgpu_memsys_stats(rig->memsys, &stats);
	return stats;
}

/* ---- scripts ------------------------------------------------------------- */

static void add(struct vgpu_mem_atomic *atomic, u8 *line)
{
	u32 *word = (u32 *)(line + atomic->offset[0]);

	atomic->old[0] = *word;
	*word += (u32)atomic->a[0];
}

static u64 cookie_of(u32 warp, u32 op)
{
	return (u64)warp << 16 | op;
}

static bool waits(const struct rig_op *op)
{
	return op->what == RIG_FENCE || op->what == RIG_SPIN || op->order == VGPU_ORDER_ACQUIRE ||
	       op->order == VGPU_ORDER_ACQ_REL;
}

static void finish(struct rig_warp *warp, struct rig_op *op, u32 result, u64 cycle)
{
	op->result = result;
	op->done = cycle;
	warp->data = cycle > warp->data ? cycle : warp->data;
	if (!waits(op))
		return;
	if (op->what == RIG_SPIN && result != op->value)
		warp->at--;	/* again */
	warp->ready = cycle;
	warp->blocked = false;
}

static u32 result_of(const struct rig_op *op, const u8 *data)
{
	u32 word;

	memcpy(&word, data + (op->address & 127), sizeof(word));
	return word;
}

static void script_came(struct rig_sm *sm, const struct vgpu_mem_response *response)
{
	struct rig_warp *warp = &sm->warps[response->cookie >> 16];
	struct rig_op *op = &warp->ops[response->cookie & 0xffff];
	u32 result = 0;

	assert_ptr_equal(response->owner, sm);
	assert_int_equal(response->sent, op->sent);
	assert_false(response->aborted);
	if (response->kind == VGPU_MEM_LOAD)
		result = result_of(op, response->data);
	if (response->kind == VGPU_MEM_ATOMIC)
		result = (u32)response->atomic->old[0];
	hash_in(sm->rig, result);
	warp->in_flight--;
	finish(warp, op, result, response->cycle);
}

/* False: the L1 is busy. */
static bool make(struct rig_sm *sm, u32 number, struct rig_op *op, u64 cycle)
{
	static const u8 kinds[] = {
		[RIG_LOAD] = VGPU_MEM_LOAD,   [RIG_STORE] = VGPU_MEM_STORE,
		[RIG_ADD] = VGPU_MEM_ATOMIC,  [RIG_FENCE] = VGPU_MEM_FENCE,
		[RIG_SPIN] = VGPU_MEM_LOAD,
	};
	struct rig_warp *warp = &sm->warps[number];
	u8 data[128] __attribute__((aligned(8)));
	struct vgpu_mem_atomic atomic = { .apply = add, .lanes = 1, .bytes = 4 };
	struct vgpu_mem_access access = rig_access(sm->rig, cycle, kinds[op->what], op->address, 4);
	struct vgpu_mem_answer answer;
	enum vgpu_mem_result result;

	memset(data, 0xee, sizeof(data));
	memcpy(data + (op->address & 127), &op->value, sizeof(op->value));
	atomic.offset[0] = op->address & 127;
	atomic.a[0] = op->value;
	access.data = data;
	access.atomic = &atomic;
	access.order = op->order;
	access.scope = op->scope;
	access.cache = op->cache;
	access.counters = &sm->counters;
	access.owner = sm;
	access.cookie = cookie_of(number, (u32)(op - warp->ops));
	result = vgpu_l1d_access(sm->l1, &access, &answer);
	if (result == VGPU_MEM_BUSY) {
		op->tries++;
		return false;
	}
	op->sent = cycle;
	warp->at++;
	if (result == VGPU_MEM_SENT) {
		warp->in_flight++;
		warp->blocked = waits(op);
		return true;
	}
	op->hit = true;
	finish(warp, op, answer.data ? result_of(op, answer.data) : 0, answer.cycle);
	return true;
}

/* Has all that @warp has loaded come by @cycle? */
static bool has_all(const struct rig_warp *warp, u64 cycle)
{
	return !warp->in_flight && warp->data <= cycle;
}

/* One access a cycle, of the first warp that can; the others are looked at again in the next. */
static u64 script_step(struct rig_sm *sm, u64 cycle)
{
	u64 next = VGPU_NEVER;

	for (u32 n = 0; n < RIG_WARPS; n++) {
		struct rig_warp *warp = &sm->warps[n];
		struct rig_op *op = &warp->ops[warp->at];

		while (warp->at < warp->count && !warp->blocked && warp->ready <= cycle &&
		       (op->what == RIG_UNTIL || (op->what == RIG_WAIT && has_all(warp, cycle)))) {
			if (op->what == RIG_UNTIL)
				warp->ready = op->value;
			op->done = cycle;
			warp->at++;
			op++;
		}
		if (warp->at == warp->count || warp->blocked)
			continue;
		if (op->what == RIG_WAIT && warp->ready <= cycle) {
			if (!warp->in_flight)
				next = warp->data < next ? warp->data : next;
			continue;
		}
		if (warp->ready > cycle) {
			next = warp->ready < next ? warp->ready : next;
			continue;
		}
		if (make(sm, n, op, cycle))
			return cycle + 1;
	}
	return next;
}

void rig_scripts(struct rig *rig)
{
	for (u32 n = 0; n < rig->config.sms; n++) {
		free(rig->sms[n].warps);
		rig->sms[n].warps = calloc(RIG_WARPS, sizeof(*rig->sms[n].warps));
		rig->sms[n].step = script_step;
		rig->sms[n].came = script_came;
	}
}

struct rig_op *rig_op(struct rig *rig, u32 sm, u32 warp, enum rig_do what, u64 address, u32 value)
{
	struct rig_warp *w = &rig->sms[sm].warps[warp];
	struct rig_op *op = &w->ops[w->count++];

	assert_true(w->count <= RIG_OPS);
	*op = (struct rig_op){ .what = (u8)what, .address = address, .value = value };
	if (what == RIG_FENCE || what == RIG_ADD) {
		op->order = what == RIG_ADD ? VGPU_ORDER_RELAXED : VGPU_ORDER_ACQ_REL;
		op->scope = VGPU_SCOPE_GPU;
	}
	return op;
}

struct rig_op *rig_strong(struct rig *rig, u32 sm, u32 warp, enum rig_do what, u64 address,
			  u32 value, enum vgpu_order order)
{
	struct rig_op *op = rig_op(rig, sm, warp, what, address, value);

	op->order = (u8)order;
	op->scope = VGPU_SCOPE_GPU;
	return op;
}

void rig_go(struct rig *rig)
{
	u64 now = vgpu_cycle_from(&rig->config, rig->sim.now);

	for (u32 n = 0; n < rig->config.sms; n++) {
		rig->sms[n].next = now;
		rig_kick(&rig->sms[n], now);
	}
	rig_run(rig);
	for (u32 n = 0; n < rig->config.sms; n++) {
		assert_true(vgpu_l1d_idle(rig->sms[n].l1));
		for (u32 w = 0; w < RIG_WARPS; w++)
			assert_int_equal(rig->sms[n].warps[w].at, rig->sms[n].warps[w].count);
	}
}
