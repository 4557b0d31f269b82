// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Accesses that are not made of lines of frames: of pages that are used in place (mmu/access.h), of
 * memory of the process, of several address spaces at once, and those that fault for good. The
 * lanes execute them as a whole, when all pages are there, on the registers of the access; what
 * that takes is what the interconnect to the host takes. Memory of the process may go as fast as
 * it comes: an access that has waited for it too often is executed in parts, as block_access.c
 * does.
 */
#include "pipeline.h"

#define WAITS	8u

static u32 lanes_on(const struct vgpu_pipe_access *access, u64 page)
{
	u32 on = 0;

	for (u32 lanes = access->lanes; lanes; lanes &= lanes - 1)
		if (access->address[__builtin_ctz(lanes)] >> VGPU_PAGE_SHIFT == page)
			on |= lanes & -lanes;
	return on;
}

/* The access of @lanes by the lanes, which hold what they need. */
static enum vgpu_lanes_end run(struct vgpu_pipe *p, struct vgpu_pipe_access *access, u32 active)
{
	struct vgpu_lanes *s = &p->sm->run->lanes;
	struct vgpu_pipe_warp *pw = access->entry->warp;
	struct vgpu_warp *w = p->scratch;
	enum vgpu_lanes_end end;

	vgpu_pipe_enter_block(p, pw->block);
	s->code = &access->insn;
	p->entered = NULL;
	for (;;) {
		w->pc = 0;
		w->reconv = VGPU_NO_RECONV;
		w->active = active;
		w->live = ~0u;
		w->index = pw->w->index;
		w->regs = access->regs;
		memcpy(w->local, pw->w->local, sizeof(w->local));
		s->warp = w;
		s->budget = 1;
		vgpu_pipe_lanes_begin(p);
		end = p->sm->run->run(s);
		vgpu_pipe_lanes_end(p);
		if (end != VGPU_LANES_LOCAL)
			break;
		if (vgpu_warps_add_local(pw->block->warps, pw->w))
			continue;
		s->reason = VGPU_FAULT_NO_MEMORY;
		end = VGPU_LANES_FAULT;
		break;
	}
	memset(w->local, 0, sizeof(w->local));
	return end;
}

/* Hold the pages of the process that @lanes need, and execute. BUDGET: done; TRANSLATE: not now. */
static enum vgpu_lanes_end run_process(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
				       u32 active, u32 process)
{
	struct vgpu_lanes *s = &p->sm->run->lanes;
	struct vgpu_address_space *as = access->entry->warp->block->launch->as;
	bool write = access->entry->d.flags & VGPU_DEC_WRITES;
	enum vgpu_lanes_end end = VGPU_LANES_TRANSLATE;
	bool all = true;

	s->write = write;
	vgpu_process_hold(as);
	for (u32 left = process; left && all; left &= left - 1) {
		u64 address = access->address[__builtin_ctz(left)];
		u64 page = address >> VGPU_PAGE_SHIFT;
		u8 *bytes;

		if (vgpu_lanes_held(s, page))
			continue;
		bytes = vgpu_process_page(as, address, write);
		all = bytes && vgpu_lanes_hold_page(s, page, bytes, true);
	}
	if (all)
		end = run(p, access, active);
	s->held = 0;
	vgpu_process_release(as);
	return end;
}

static bool waits_again(struct vgpu_pipe_access *access)
{
	struct vgpu_warp *w = access->entry->warp->w;
	u64 first = access->address[__builtin_ctz(access->lanes)];

	if (w->waits_pc != access->entry->pc || w->waits_address != first)
		w->waits = 0;
	w->waits_pc = access->entry->pc;
	w->waits_address = first;
	return access->parts || ++w->waits > WAITS;
}

static u64 cross(struct vgpu_pipe *p, const struct vgpu_pipe_access *access, u32 crossing)
{
	u64 time = vgpu_cycle_time(p->config, p->cycle), now = p->sm->sim->now;
	struct vgpu_access a;

	if (!crossing)
		return 0;
	vgpu_access_describe(p, access, &a);
	return vgpu_mmu_cross(access->entry->warp->block->launch->as, &a, crossing,
			      time > now ? time - now : 0).cost_ps;
}

/* The lanes whose pages of the process are there execute it now. */
static void run_part(struct vgpu_pipe *p, struct vgpu_pipe_access *access, u64 *ps)
{
	struct vgpu_access a;
	u32 part;

	vgpu_access_describe(p, access, &a);
	part = vgpu_process_lanes(access->entry->warp->block->launch->as, &a);
	p->sm->run->lanes.held = 0;
	if (!part)
		return;
	*ps += cross(p, access, part);
	if (run_process(p, access, part, part) != VGPU_LANES_BUDGET)
		return;
	access->parts = true;
	access->done |= part;
	access->lanes &= ~part;
}

/* All lanes that are left. TRANSLATE: a page has gone meanwhile, or *@result says what there is. */
static enum vgpu_lanes_end run_left(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
				    enum vgpu_access_result *result, u64 *ps)
{
	struct vgpu_lanes *s = &p->sm->run->lanes;
	bool write = access->entry->d.flags & VGPU_DEC_WRITES;
	u32 process = 0, crossing = 0, left = access->lanes;
	enum vgpu_lanes_end end;

	*result = VGPU_ACCESS_OK;
	s->held = 0;
	s->write = write;
	while (left) {
		u32 lane = (u32)__builtin_ctz(left);
		u64 page = access->address[lane] >> VGPU_PAGE_SHIFT;
		struct vgpu_access_answer answer;

		/* shared or local memory, or none: the lanes know, or say what is wrong */
		left &= ~lanes_on(access, page);
		if (access->address[lane] >= VGPU_ADDRESS_LIMIT)
			continue;
		/* the same for what is not aligned, before its page is looked for */
		if (access->address[lane] & (access->bytes - 1))
			break;
		*result = vgpu_access_translate(p, access, lane, &answer);
		*ps += answer.cost_ps;
		if (*result != VGPU_ACCESS_OK)
			return VGPU_LANES_TRANSLATE;
		if (answer.in_place)
			crossing |= lanes_on(access, page);
		if (answer.process) {
			process |= lanes_on(access, page);
			continue;
		}
		if (!answer.in_place && p->port->model->direct)
			p->port->model->direct(p->port, access->frame, write);
		if (!vgpu_lanes_hold_page(s, page, answer.page, answer.in_place)) {
			s->reason = VGPU_FAULT_MODEL;
			return VGPU_LANES_FAULT;
		}
	}
	*ps += cross(p, access, crossing | process);
	end = process ? run_process(p, access, access->lanes, process) :
			run(p, access, access->lanes);
	s->held = 0;
	if (end == VGPU_LANES_TRANSLATE && !VGPU_CHECK(process)) {
		s->reason = VGPU_FAULT_MODEL;
		end = VGPU_LANES_FAULT;
	}
	return end;
}

enum vgpu_access_result vgpu_access_whole(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
					  u64 *cost)
{
	enum vgpu_access_result result;
	bool again = false;
	u64 ps = 0;

	vgpu_pipe_lanes_end(p);
	vgpu_pipe_turn(p);
	while (access->lanes) {
		enum vgpu_lanes_end end = run_left(p, access, &result, &ps);

		if (end == VGPU_LANES_BUDGET) {
			access->done |= access->lanes;
			access->lanes = 0;
			break;
		}
		if (end != VGPU_LANES_TRANSLATE || result == VGPU_ACCESS_FAULT) {
			*cost = 0;
			return VGPU_ACCESS_FAULT;
		}
		if (result == VGPU_ACCESS_OK)
			continue;
		/* it waits, for what is left when a part of it has been executed */
		if (again || !waits_again(access)) {
			*cost = vgpu_pipe_cycles(p, ps);
			return VGPU_ACCESS_PENDING;
		}
		vgpu_page_waiter_cancel(vgpu_pipe_waiter(access));
		run_part(p, access, &ps);
		again = true;
	}
	*cost = vgpu_pipe_cycles(p, ps);
	return VGPU_ACCESS_OK;
}
