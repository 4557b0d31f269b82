// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Accesses of compiled blocks to pages for which their lanes have no translation: where the MMU is
 * asked, what is used in place crosses the interconnect, and memory of the process is held.
 *
 * All pages of an access have to be there at the same time. Pages of a process may go as fast as
 * they come: an access that has waited WAITS times is executed in parts, each by the lanes whose
 * pages are there. Lanes are independent of each other: what some have loaded is in their
 * registers, and no instruction promises that they access memory at the same time.
 */
#include "warps.h"

/*
 * A page that @waiter's warp waited for has come, or never will. The block may be anywhere: on an
 * SM that runs, on one that has stopped for it to be saved, or off it.
 */
static void page_came(struct vgpu_page_waiter *waiter)
{
	struct vgpu_warp *w = vgpu_container_of(waiter, struct vgpu_warp, waiter);
	struct vgpu_block *block = w->block;
	struct vgpu_warps *warps = block->warps;
	struct vgpu_sm *sm = block->sm;

	vgpu_warps_resume(warps, w);
	if (sm && !sm->halted && !vgpu_event_pending(&sm->step))
		vgpu_event_after(sm->sim, &sm->step, 0);
	if (!warps->pending)
		warps->home->env->ops->block_ready(warps->home, block);
}

/* Order, scope and cache operator of an instruction. In VASS version 1 they are 0: weak. */
static inline void describe_order(struct vgpu_access *access, const struct vgpu_insn *insn)
{
	access->order = VGPU_MEM_ORDER(insn->mem);
	access->scope = VGPU_MEM_SCOPE(insn->mem);
	access->cache = VGPU_MEM_CACHE(insn->mem);
}

/* A translation of @page for the instruction that is being restarted. False: it is not there. */
bool vgpu_lanes_hold_page(struct vgpu_lanes *lanes, u64 page, u8 *bytes, bool in_place)
{
	u32 slot;

	/*
	 * An instruction touches at most 32 pages, and what is held stays until it has been
	 * executed: however many of its pages meet in one entry of the TLB, each return here brings
	 * it nearer to its end. Of a page that is invalidated here because it is written first, the
	 * new translation replaces what is held.
	 */
	if (!lanes->held) {
		lanes->hold_used = 0;
		lanes->on_host = false;
	}
	lanes->on_host |= in_place;
	slot = vgpu_lanes_hold_slot(lanes, page);
	if (!(lanes->hold_used >> slot & 1)) {
		if (!VGPU_CHECK(lanes->held < VGPU_LANES))
			return false;
		lanes->held++;
		lanes->hold_used |= 1ull << slot;
		lanes->hold[slot].page = ~0ull;
	}
	vgpu_tlb_keep(&lanes->hold[slot], page, bytes, lanes->write);
	return true;
}

/* The same for other instructions, too: what missed the TLB at @time after the slice began. */
static bool enter_page(struct vgpu_sm *sm, u64 page, u64 time,
		       const struct vgpu_access_answer *answer)
{
	struct vgpu_lanes *lanes = &sm->run->lanes;
	u64 now = sm->sim->now, ready = now + time + answer->cost_ps;

	if (likely(!sm->tlb->l1.entries))
		vgpu_tlb_enter(sm->tlb, page, answer->in_place, answer->page, lanes->write);
	else
		/* without an L2 TLB nothing is in flight: @time is not known */
		vgpu_tlb_enter_walked(sm->tlb, answer->in_place ? page | VGPU_TLB_IN_PLACE : page,
				      answer->page, lanes->write, now,
				      sm->config->l2_tlb_entries ?
					      (struct vgpu_walk){ now + time, ready } :
					      (struct vgpu_walk){ now, now });
	return vgpu_lanes_hold_page(lanes, page, answer->page, answer->in_place);
}

static bool knows_page(const struct vgpu_sm *sm, u64 page)
{
	const struct vgpu_lanes *lanes = &sm->run->lanes;
	const struct vgpu_tlb_entry *e = &sm->tlb->entries[page & (VGPU_TLB_ENTRIES - 1)];

	if (e->page == page && (e->write || !lanes->write))
		return true;
	e = vgpu_lanes_held(lanes, page);
	return e && (e->write || !lanes->write);
}

/* Lanes of @access that are on @page */
static u32 lanes_on(const struct vgpu_access *access, u64 page)
{
	u32 on = 0;

	for (u32 lanes = access->lanes; lanes; lanes &= lanes - 1)
		if (access->address[__builtin_ctz(lanes)] >> VGPU_PAGE_SHIFT == page)
			on |= lanes & -lanes;
	return on;
}

/*
 * @w, at an instruction whose first miss was at run->missed, has a translation after @cost_ps. With
 * an L2 TLB the misses of an instruction are in flight together.
 */
static void wait_for_translation(struct vgpu_sm *sm, struct vgpu_warp *w, u64 cost_ps)
{
	u64 cycles = vgpu_mul_div(cost_ps, sm->config->clock_khz, VGPU_PS_PER_KCYCLE);

	if (!sm->config->l2_tlb_entries)
		w->cycles += cycles;
	else if (w->cycles < sm->run->missed + cycles)
		w->cycles = sm->run->missed + cycles;
}

/*
 * Does the TLB have @page, which the lanes have not found? If it is still on its way, the answer
 * says how long.
 */
static bool use_page(struct vgpu_sm *sm, u64 page, u64 time, struct vgpu_access_answer *answer)
{
	bool write = sm->run->lanes.write;
	const struct vgpu_l1_entry *entry;

	if (likely(!sm->tlb->l1.entries)) {
		answer->page = vgpu_tlb_in_place(&sm->tlb->entries[page & (VGPU_TLB_ENTRIES - 1)],
						 page, write);
		answer->in_place = true;
		return answer->page;
	}
	entry = vgpu_tlb_use(sm->tlb, page, write, sm->sim->now);
	if (!entry)
		return false;
	time += sm->sim->now;
	answer->page = write ? entry->translation.write : entry->translation.read;
	answer->in_place = entry->translation.page != page;
	if (vgpu_walk_ready(&entry->walk, time) > time)
		answer->cost_ps = vgpu_walk_ready(&entry->walk, time) - time;
	return true;
}

/* @crossing: out: |= the lanes on the page, if it is used in place */
static enum vgpu_access_result make_access(struct vgpu_block *block, struct vgpu_warp *w,
					   const struct vgpu_access *access, u32 *crossing)
{
	struct vgpu_sm *sm = block->sm;
	u64 page = access->address[access->lane] >> VGPU_PAGE_SHIFT;
	struct vgpu_access_answer answer = {};
	enum vgpu_access_result result = VGPU_ACCESS_OK;
	bool known = use_page(sm, page, access->elapsed, &answer);

	sm->run->work += known && sm->tlb->l1.entries ? VGPU_WORK_FOUND : VGPU_WORK_TRANSLATION;
	if (likely(!known))
		result = vgpu_mmu_access(block->launch->as, access, &w->waiter, &answer);
	if (unlikely(answer.cost_ps))
		wait_for_translation(sm, w, answer.cost_ps);
	if (unlikely(result != VGPU_ACCESS_OK)) {
		sm->run->work += answer.faults * VGPU_WORK_FAULT;
		sm->run->lanes.reason = answer.fault;
		if (result == VGPU_ACCESS_FAULT && sm->run->lanes.lane != answer.lane) {
			sm->run->lanes.lane = answer.lane;
			sm->run->lanes.address = access->address[answer.lane];
		}
		return result;
	}
	if (unlikely(answer.in_place))
		*crossing |= lanes_on(access, page);
	if (unlikely(answer.process)) {
		sm->run->process |= lanes_on(access, page);
		return VGPU_ACCESS_OK;
	}
	if (likely(known ? vgpu_lanes_hold_page(&sm->run->lanes, page, answer.page,
						answer.in_place) :
			   enter_page(sm, page, access->elapsed, &answer)))
		return VGPU_ACCESS_OK;
	sm->run->lanes.reason = VGPU_FAULT_MODEL;
	return VGPU_ACCESS_FAULT;
}

/* @access, whose pages are all translated, uses those of the lanes in @crossing in place. */
static void cross(struct vgpu_block *block, struct vgpu_warp *w, const struct vgpu_access *access,
		  u32 crossing)
{
	struct vgpu_sm *sm = block->sm;
	u32 khz = sm->config->clock_khz;
	struct vgpu_crossing result =
		vgpu_mmu_cross(block->launch->as, access, crossing,
			       vgpu_mul_div(w->cycles, VGPU_PS_PER_KCYCLE, khz));

	w->cycles += vgpu_mul_div(result.cost_ps, khz, VGPU_PS_PER_KCYCLE);
	sm->run->slice.crossed += result.segments;
}

/*
 * Pages of device memory that stay where they are, the usual case: those of the lanes of @access up
 * to @last. False: access->lane is another lane now, the page of which is to be make_access().
 */
static bool walk_pages(struct vgpu_block *block, struct vgpu_warp *w, struct vgpu_access *access,
		       u32 last)
{
	struct vgpu_sm *sm = block->sm;
	struct vgpu_lanes *lanes = &sm->run->lanes;
	u32 lane = access->lane, walks = 0;
	u64 before = ~0ull;
	u8 *bytes;

	if (sm->tlb->l1.entries ||
	    (!vgpu_mmu_walks_first(block->launch->as) &&
	     !vgpu_mmu_finds(block->launch->as, &w->waiter, access->lanes, lanes->addr)))
		return false;
	for (; lane <= last; lane++) {
		u64 address = lanes->addr[lane], page = address >> VGPU_PAGE_SHIFT;

		if (page == before || !(access->lanes >> lane & 1) || address >= VGPU_ADDRESS_LIMIT)
			continue;
		before = page;
		if (walks && knows_page(sm, page))
			continue;
		bytes = vgpu_mmu_walk(block->launch->as, address);
		if (unlikely(!bytes))
			break;
		walks++;
		vgpu_tlb_enter(sm->tlb, page, false, bytes, lanes->write);
		/* if there is no other, nothing takes it out of the TLB before it is used */
		if (!lanes->one_page && !vgpu_lanes_hold_page(lanes, page, bytes, false))
			break;
	}
	access->lane = lane;
	vgpu_count(lanes->counters, VGPU_COUNT_TLB_MISSES, walks);
	vgpu_count(lanes->counters, VGPU_COUNT_PAGE_WALKS, walks);
	if (unlikely(lanes->apart))
		sm->run->ahead_walks += walks;
	else
		vgpu_mmu_walked(block->launch->as, walks);
	sm->run->work += walks * VGPU_WORK_TRANSLATION;
	if (sm->config->page_walk_ps)
		w->cycles += walks * vgpu_mul_div(sm->config->page_walk_ps, sm->config->clock_khz,
						  VGPU_PS_PER_KCYCLE);
	return lane > last;
}

static enum vgpu_access_result serve_whole(struct vgpu_block *block, struct vgpu_warp *w,
					   struct vgpu_access *access)
{
	struct vgpu_sm *sm = block->sm;
	const struct vgpu_lanes *lanes = &sm->run->lanes;
	u64 page = lanes->address >> VGPU_PAGE_SHIFT;
	u32 last = VGPU_LANES - 1 - (u32)__builtin_clz(access->lanes), crossing = 0;
	enum vgpu_access_result result;
	bool one_page, first;

	if (!lanes->held)
		sm->run->missed = w->cycles;
	if (unlikely(sm->config->l2_tlb_entries))
		access->elapsed = vgpu_mul_div(sm->run->missed, VGPU_PS_PER_KCYCLE,
					      sm->config->clock_khz);
	w->waiter.wake = page_came;
	sm->run->process = 0;
	/* mostly no lane in between is on another page; if one is, it comes here again */
	one_page = lanes->addr[last] >> VGPU_PAGE_SHIFT == page;
	if (likely(walk_pages(block, w, access, one_page ? access->lane : last)))
		return VGPU_ACCESS_OK;
	page = lanes->addr[access->lane] >> VGPU_PAGE_SHIFT;
	first = access->lane == lanes->lane;
	result = make_access(block, w, access, &crossing);
	/* a lane in between may be wrong in another way: the lanes come again and find the first */
	if (result != VGPU_ACCESS_OK && !first)
		return VGPU_ACCESS_OK;
	if (result != VGPU_ACCESS_OK || (likely(!crossing) && one_page))
		return result;
	while (access->lane++ < last) {
		u64 address = lanes->addr[access->lane];

		if (address >> VGPU_PAGE_SHIFT == page || address >= VGPU_ADDRESS_LIMIT ||
		    !((access->lanes & ~sm->run->process) >> access->lane & 1))
			continue;
		page = address >> VGPU_PAGE_SHIFT;
		if (knows_page(sm, page))
			continue;
		result = make_access(block, w, access, &crossing);
		if (result == VGPU_ACCESS_OK)
			continue;
		/* all pages at once or none: the lanes cannot come here for this one */
		if (unlikely(sm->run->process))
			return result;
		crossing = 0;
		break;
	}
	/* Nothing is waited for that the warp does not stand at. */
	vgpu_page_waiter_cancel(&w->waiter);
	if (unlikely(crossing))
		cross(block, w, access, crossing);
	return VGPU_ACCESS_OK;
}

#define WAITS	8u

/* @w waits for a page of @access. Has it done so too often? */
static bool waits_again(struct vgpu_warp *w, const struct vgpu_access *access)
{
	u64 first = access->address[__builtin_ctz(access->lanes)];

	if (w->waits_pc != w->pc || w->waits_address != first)
		w->waits = 0;
	w->waits_pc = w->pc;
	w->waits_address = first;
	return w->done || ++w->waits > WAITS;
}

/* The lanes whose pages of the process are there execute @access now. False: there are none. */
static bool begin_part(struct vgpu_block *block, struct vgpu_warp *w,
		       const struct vgpu_access *access)
{
	struct vgpu_sm_run *run = block->sm->run;
	u32 part = vgpu_process_lanes(block->launch->as, access);

	if (!part)
		return false;
	vgpu_page_waiter_cancel(&w->waiter);
	run->lanes.held = 0;
	run->process = part;
	run->part = part;
	cross(block, w, access, part);
	return true;
}

enum vgpu_access_result vgpu_block_serve(struct vgpu_block *block, struct vgpu_warp *w)
{
	struct vgpu_sm *sm = block->sm;
	const struct vgpu_lanes *lanes = &sm->run->lanes;
	struct vgpu_access access = {
		.kind = lanes->atomic ? VGPU_ACCESS_ATOMIC :
			lanes->write  ? VGPU_ACCESS_STORE :
					VGPU_ACCESS_LOAD,
		.lanes = lanes->accessing,
		.lane = lanes->lane,
		.bytes = lanes->bytes,
		.sm = sm->index,
		.l1 = sm->tlb->l1.registers.count ? &sm->tlb->l1 : NULL,
		.kernel = block->launch->id,
		.counters = lanes->counters,
		.address = lanes->addr,
	};
	enum vgpu_access_result result;

	describe_order(&access, &lanes->code[w->pc]);
	result = serve_whole(block, w, &access);
	if (unlikely(result == VGPU_ACCESS_PENDING) && waits_again(w, &access) &&
	    begin_part(block, w, &access))
		return VGPU_ACCESS_OK;
	return result;
}

bool vgpu_block_serves_apart(const struct vgpu_block *block, const struct vgpu_warp *w)
{
	const struct vgpu_lanes *lanes = &block->sm->run->lanes;

	/* where all pages are found so, walk_pages() does the whole access */
	return !lanes->atomic &&
	       vgpu_mmu_finds(block->launch->as, &w->waiter, lanes->accessing, lanes->addr);
}

/*
 * Have the host hold the pages of the process that the access needs. False: one has gone meanwhile,
 * and nothing is held.
 */
static bool hold_process(struct vgpu_block *block)
{
	struct vgpu_sm_run *run = block->sm->run;
	struct vgpu_lanes *lanes = &run->lanes;
	struct vgpu_address_space *as = block->launch->as;

	vgpu_process_hold(as);
	for (u32 left = run->process; left; left &= left - 1) {
		u64 address = lanes->addr[__builtin_ctz(left)], page = address >> VGPU_PAGE_SHIFT;
		u8 *bytes = vgpu_lanes_held(lanes, page) ?
				    NULL : vgpu_process_page(as, address, lanes->write);

		if (vgpu_lanes_held(lanes, page) ||
		    (bytes && vgpu_lanes_hold_page(lanes, page, bytes, true)))
			continue;
		vgpu_process_release(as);
		lanes->held = 0;
		return false;
	}
	return true;
}

/*
 * The lanes in @part execute the instruction at which @w stands. It goes on to the next when all
 * have: until then it does not look whether it stands at a reconvergence point.
 */
static enum vgpu_lanes_end run_part(struct vgpu_sm_run *run, struct vgpu_warp *w, u32 part)
{
	u32 (*execute)(struct vgpu_lanes *lanes) = run->run;
	u32 pc = w->pc, active = w->active, reconv = w->reconv;
	enum vgpu_lanes_end end;

	/* native code takes it that nobody needs what it leaves in lanes that are not active */
	if (unlikely(part != active)) {
		w->active = part;
		w->reconv = VGPU_NO_RECONV;
		execute = run->interpreter;
	}
	vgpu_fpu_begin();
	end = execute(&run->lanes);
	vgpu_fpu_end();
	if (likely(part == active)) {
		w->waits = 0;
		return end;
	}
	w->active = active;
	w->reconv = reconv;
	if (w->pc == pc)
		return end;
	w->done |= part;
	if (active & ~w->done)
		w->pc = pc;
	else
		w->done = 0;
	return end;
}

enum vgpu_lanes_end vgpu_block_run_held(struct vgpu_block *block, struct vgpu_warp *w)
{
	struct vgpu_sm_run *run = block->sm->run;
	struct vgpu_lanes *lanes = &run->lanes;
	u32 more = lanes->budget - 1, part = run->part ? run->part : w->active & ~w->done;
	bool held = run->process && hold_process(block);
	enum vgpu_lanes_end end = VGPU_LANES_BUDGET;

	if (held || !run->process) {
		lanes->budget = 1;
		end = run_part(run, w, part);
		lanes->budget += more;
	}
	if (held) {
		lanes->held = 0;
		vgpu_process_release(block->launch->as);
	}
	run->process = 0;
	run->part = 0;
	return end;
}
