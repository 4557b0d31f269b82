// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * TLB checks: each request of a line has one (Tanasic 6.3.1, figure 6.5). A check that misses asks
 * the MMU, at the time of its cycle. What the TLB has, and how it is filled, is as for
 * timing=interval (block_access.c); the lanes never look there themselves.
 */
#include "pipeline.h"

static u64 elapsed(const struct vgpu_pipe *p)
{
	u64 time = vgpu_cycle_time(p->config, p->cycle), now = p->sm->sim->now;

	return time > now ? time - now : 0;
}

void vgpu_access_describe(const struct vgpu_pipe *p, const struct vgpu_pipe_access *access,
			  struct vgpu_access *a)
{
	const struct vgpu_pipe_entry *e = access->entry;
	const struct vgpu_sm *sm = p->sm;

	*a = (struct vgpu_access){
		.kind = !(e->d.flags & VGPU_DEC_WRITES) ? VGPU_ACCESS_LOAD :
			e->insn->op >= VGPU_OP_ATOM	? VGPU_ACCESS_ATOMIC :
							  VGPU_ACCESS_STORE,
		.order = VGPU_MEM_ORDER(e->insn->mem),
		.scope = VGPU_MEM_SCOPE(e->insn->mem),
		.cache = VGPU_MEM_CACHE(e->insn->mem),
		.lanes = access->lanes,
		.bytes = access->bytes,
		.sm = sm->index,
		.kernel = e->warp->block->launch->id,
		.counters = vgpu_launch_counters(e->warp->block->launch, p->sm->index),
		.elapsed = sm->config->l2_tlb_entries ? elapsed(p) : 0,
		.l1 = sm->tlb->l1.registers.count ? &sm->tlb->l1 : NULL,
		.in_order = true,
		.waited = vgpu_cycle_time(p->config, p->waited),
		.address = access->address,
		.translated = access->again,
		.walks = !access->again,
	};
}

/* Does the TLB have @page? As use_page() of block_access.c. */
static bool look_up(struct vgpu_pipe *p, u64 page, bool write, struct vgpu_access_answer *answer)
{
	struct vgpu_tlb *tlb = p->sm->tlb;
	const struct vgpu_tlb_entry *e = &tlb->entries[page & (VGPU_TLB_ENTRIES - 1)];
	const struct vgpu_l1_entry *entry;
	u64 time = p->sm->sim->now + elapsed(p);

	if (likely(e->page == page && (!write || e->write))) {
		answer->page = e->read;
		return true;
	}
	if (!tlb->l1.entries) {
		answer->page = vgpu_tlb_in_place(e, page, write);
		answer->in_place = true;
		return answer->page;
	}
	entry = vgpu_tlb_use(tlb, page, write, p->sm->sim->now);
	if (!entry)
		return false;
	answer->page = write ? entry->translation.write : entry->translation.read;
	answer->in_place = entry->translation.page != page;
	if (vgpu_walk_ready(&entry->walk, time) > time)
		answer->cost_ps = vgpu_walk_ready(&entry->walk, time) - time;
	return true;
}

/* The same for a line whose check has ended: that is no use of the TLB. */
static bool look_up_again(const struct vgpu_pipe *p, u64 page, bool write,
			  struct vgpu_access_answer *answer)
{
	const struct vgpu_l1_tlb *l1 = &p->sm->tlb->l1;
	const struct vgpu_tlb_entry *e = &p->sm->tlb->entries[page & (VGPU_TLB_ENTRIES - 1)];
	u32 n;

	if (l1->entries) {
		n = vgpu_l1_find(l1, page);
		if (n == l1->ways)
			return false;
		e = &vgpu_l1_set(l1, page)[n].translation;
	}
	answer->in_place = e->page == (page | VGPU_TLB_IN_PLACE);
	if (e->page == page || answer->in_place)
		answer->page = write ? e->write : e->read;
	return answer->page;
}

static void enter(struct vgpu_pipe *p, u64 page, bool write,
		  const struct vgpu_access_answer *answer)
{
	struct vgpu_sm *sm = p->sm;
	u64 now = sm->sim->now, asked = now + elapsed(p);
	u64 tag = answer->in_place ? page | VGPU_TLB_IN_PLACE : page;

	if (!sm->tlb->l1.entries)
		vgpu_tlb_enter(sm->tlb, page, answer->in_place, answer->page, write);
	else
		vgpu_tlb_enter_walked(sm->tlb, tag, answer->page, write, now,
				      sm->config->l2_tlb_entries ?
					      (struct vgpu_walk){ asked,
								  asked + answer->cost_ps } :
					      (struct vgpu_walk){ now, now });
}

/* Arrays of a power of two bytes, one behind the other, are used at the same index. */
static struct vgpu_frame_known *frame_of(const struct vgpu_pipe *p, u64 page)
{
	return &p->frames[(page ^ page / VGPU_FRAMES_KNOWN * 5) % VGPU_FRAMES_KNOWN];
}

/*
 * The frame of a page that the TLB has is not in the TLB. Whatever changes it also drops the page
 * there, so the last answer of the MMU holds. False: it is not known any more.
 */
static bool find_frame(const struct vgpu_pipe *p, u32 context, u64 page, u64 *frame)
{
	const struct vgpu_frame_known *known = frame_of(p, page);

	*frame = known->frame;
	return known->page == page && known->context == context;
}

enum vgpu_access_result vgpu_access_translate(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
					      u32 lane, struct vgpu_access_answer *answer)
{
	const struct vgpu_launch *launch = access->entry->warp->block->launch;
	struct vgpu_lanes *lanes = &p->sm->run->lanes;
	bool write = access->entry->d.flags & VGPU_DEC_WRITES;
	u64 page = access->address[lane] >> VGPU_PAGE_SHIFT;
	enum vgpu_access_result result;
	struct vgpu_access a;
	u64 cost = 0;
	bool found;

	*answer = (struct vgpu_access_answer){};
	if (unlikely(p->sm->tlb->as != launch->as)) {
		if (vgpu_sm_tlb(p->sm, launch->as)->as != launch->as)
			vgpu_pipe_turn(p);
		vgpu_sm_serve(p->sm, launch->as);
	}
	found = access->again ? look_up_again(p, page, write, answer) :
				look_up(p, page, write, answer);
	if (found && (answer->in_place ||
		      find_frame(p, launch->context, page, &access->frame)))
		return VGPU_ACCESS_OK;
	cost = answer->cost_ps;
	*answer = (struct vgpu_access_answer){};
	vgpu_pipe_lanes_end(p);
	vgpu_pipe_turn(p);
	vgpu_access_describe(p, access, &a);
	a.lane = lane;
	/* asked only for its frame: the TLB has it, and that takes no time */
	a.translated |= found;
	vgpu_work_add(launch->work, VGPU_WORK_TRANSLATION);
	result = vgpu_mmu_access(launch->as, &a, vgpu_pipe_waiter(access), answer);
	if (result == VGPU_ACCESS_OK && !answer->process) {
		access->frame = answer->frame;
		*frame_of(p, page) = (struct vgpu_frame_known){
			.page = page,
			.context = launch->context,
			.frame = answer->frame,
		};
		if (found)
			answer->cost_ps = cost;
		else if (!access->again)
			enter(p, page, write, answer);
	}
	if (result != VGPU_ACCESS_FAULT)
		return result;
	lanes->reason = answer->fault;
	lanes->lane = answer->lane;
	lanes->address = access->address[answer->lane];
	lanes->bytes = access->bytes;
	lanes->write = write;
	return result;
}

u64 vgpu_pipe_cycles(const struct vgpu_pipe *p, u64 ps)
{
	return vgpu_mul_div(ps + VGPU_PS_PER_KCYCLE / p->config->clock_khz - 1,
			    p->config->clock_khz, VGPU_PS_PER_KCYCLE);
}

static bool is_known(const struct vgpu_pipe *p, const struct vgpu_pipe_access *access, u64 page)
{
	const struct vgpu_tlb *tlb = vgpu_sm_tlb(p->sm, access->as);
	bool write = access->entry->d.flags & VGPU_DEC_WRITES;
	const struct vgpu_tlb_entry *e = &tlb->entries[page & (VGPU_TLB_ENTRIES - 1)];
	u32 n;

	if (likely(e->page == page && (!write || e->write)))
		return true;
	n = vgpu_l1_find(&tlb->l1, page);
	return n < tlb->l1.ways && (!write || vgpu_l1_set(&tlb->l1, page)[n].translation.write);
}

/* Does the TLB, which may serve another address space, have @page? */
static bool has_page(const struct vgpu_pipe *p, const struct vgpu_pipe_access *access, u64 page)
{
	return likely(vgpu_sm_tlb(p->sm, access->as)->as == access->as) &&
	       is_known(p, access, page);
}

bool vgpu_access_is_there(const struct vgpu_pipe *p, const struct vgpu_pipe_access *access,
			  const struct vgpu_pipe_line *line)
{
	u64 page = line->address >> VGPU_PAGE_SHIFT, time = p->sm->sim->now + elapsed(p);
	const struct vgpu_l1_tlb *l1 = &vgpu_sm_tlb(p->sm, access->as)->l1;
	u32 n;

	if (!has_page(p, access, page))
		return false;
	n = vgpu_l1_find(l1, page);
	return n == l1->ways || vgpu_walk_ready(&vgpu_l1_set(l1, page)[n].walk, time) <= time;
}

static u64 page_of(const struct vgpu_pipe_ask *ask)
{
	return ask->access->line[ask->line].address >> VGPU_PAGE_SHIFT;
}

/* Do checks that are put off concern other pages than @page and each other? */
static bool are_different(const struct vgpu_pipe *p, u64 page)
{
	for (u32 n = 0; n < p->ask_count; n++) {
		if (!p->asks[n].access || page_of(&p->asks[n]) == page)
			return false;
		for (u32 before = 0; before < n; before++)
			if (page_of(&p->asks[before]) == page_of(&p->asks[n]))
				return false;
	}
	return true;
}

/*
 * A check that is put off will take a register that is free now, unless an earlier one that is put
 * off brings the same page. Then they have to be made before it is known how many are left.
 */
bool vgpu_access_has_register(struct vgpu_pipe *p, const struct vgpu_pipe_access *access,
			      const struct vgpu_pipe_line *line)
{
	struct vgpu_units *registers = &vgpu_sm_tlb(p->sm, access->as)->l1.registers;
	u64 time = vgpu_cycle_time(p->config, p->cycle), page = line->address >> VGPU_PAGE_SHIFT;
	u64 next;

	if (!registers->count ||
	    (!p->ask_count && vgpu_units_free(registers, vgpu_units_first(registers)) <= time))
		return true;
	while (!has_page(p, access, page)) {
		if (vgpu_units_idle(registers, time, &next) > p->ask_count)
			return true;
		if (are_different(p, page)) {
			if (!p->check_from)
				p->waits_since = p->cycle;
			p->check_from = next == VGPU_NEVER ? next :
							     vgpu_cycle_from(p->config, next);
			return false;
		}
		vgpu_pipe_turn(p);
		vgpu_access_ask(p);
		if (p->lsu_first != access)
			return false;
	}
	return true;
}

void vgpu_access_registers_taken(struct vgpu_pipe *p)
{
	struct vgpu_units *registers;

	if (!p->check_from)
		return;
	/* of the access that waits for one, which is the first */
	registers = &vgpu_sm_tlb(p->sm, p->lsu_first->as)->l1.registers;
	if (registers->count)
		p->check_from = vgpu_cycle_from(
			p->config,
			vgpu_units_free(registers, vgpu_units_first(registers)));
}

bool vgpu_access_can_wait(const struct vgpu_pipe *p, const struct vgpu_pipe_access *access,
			  const struct vgpu_pipe_line *line)
{
	u64 first = line->address, last = line->address;

	/* the TLB is to serve the address space first */
	if (unlikely(vgpu_sm_tlb(p->sm, access->as)->as != access->as) ||
	    is_known(p, access, line->address >> VGPU_PAGE_SHIFT))
		return false;
	for (u32 n = 0; n < access->count; n++) {
		u64 address = access->line[n].address;

		first = address < first ? address : first;
		last = address > last ? address : last;
	}
	return vgpu_as_is_device(access->as, first, last);
}

static u64 changes_of(const struct vgpu_pipe_access *access)
{
	return vgpu_as_changes(access->as);
}

enum vgpu_access_result vgpu_access_check(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
					  struct vgpu_pipe_line *line, u64 *cost)
{
	struct vgpu_access_answer answer;
	enum vgpu_access_result result =
		vgpu_access_translate(p, access, (u32)__builtin_ctz(line->lanes), &answer);

	*cost = answer.cost_ps ? vgpu_pipe_cycles(p, answer.cost_ps) : 0;
	if (result != VGPU_ACCESS_OK)
		return result;
	if (answer.in_place || answer.process)
		access->whole = true;
	line->page = answer.page;
	line->frame = access->frame;
	line->changes = changes_of(access);
	return VGPU_ACCESS_OK;
}

bool vgpu_access_check_again(struct vgpu_pipe *p, struct vgpu_pipe_access *access, u32 n)
{
	struct vgpu_pipe_line *line = &access->line[n];
	struct vgpu_access_answer answer;
	enum vgpu_access_result result;

	if (likely(line->changes == changes_of(access)))
		return true;
	/* one wait at a time: it is looked up again when that has ended */
	if (vgpu_list_linked(&access->waiter.node)) {
		access->late |= 1u << n;
		return false;
	}
	access->again = true;
	result = vgpu_access_translate(p, access, (u32)__builtin_ctz(line->lanes), &answer);
	access->again = false;
	if (result == VGPU_ACCESS_FAULT) {
		vgpu_pipe_fatal(p, access->entry->warp, access->entry->pc);
		return false;
	}
	if (result != VGPU_ACCESS_OK || answer.process) {
		access->late |= 1u << n;
		return false;
	}
	/* used in place now: as if it were a frame, for this once */
	line->page = answer.page;
	line->frame = answer.in_place ? 0 : access->frame;
	line->changes = changes_of(access);
	line->in_place = answer.in_place;
	return true;
}
