// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Accesses to global memory, from operand read to commit; in between they are in the load/store
 * unit (load_store.c), of which there is what here is said. Fences are here, too.
 */
#include "scheme.h"

static struct vgpu_pipe_block *block_of(const struct vgpu_pipe_entry *e)
{
	return vgpu_pipe_block(e->warp->block);
}

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* ---- which there are ----------------------------------------------------- */

static struct vgpu_pipe_access *get_access(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_access *access = p->free_accesses;

	p->free_accesses = access->next;
	access->next = NULL;
	access->entry = e;
	access->as = e->warp->block->launch->as;
	access->count = 0;
	access->line_next = 0;
	access->left = 0;
	access->unsent = 0;
	access->flying = 0;
	access->asked = 0;
	access->queued = false;
	access->whole = false;
	access->faulted = false;
	access->woken = false;
	access->again = false;
	access->late = 0;
	access->parts = false;
	access->done = 0;
	access->frame = 0;
	access->checked_at = p->cycle + 1;
	access->ready_at = p->cycle + 1;
	access->start = p->cycle + 1;
	e->access = access;
	return access;
}

void vgpu_access_put(struct vgpu_pipe *p, struct vgpu_pipe_access *access)
{
	vgpu_page_waiter_cancel(&access->waiter);
	access->entry = NULL;
	access->next = p->free_accesses;
	p->free_accesses = access;
	p->accesses_free++;
	vgpu_pipe_admit_again(p);
}

void vgpu_access_queue(struct vgpu_pipe *p, struct vgpu_pipe_access *access)
{
	access->queued = true;
	access->next = NULL;
	if (p->lsu_last)
		p->lsu_last->next = access;
	else
		p->lsu_first = access;
	p->lsu_last = access;
}

void vgpu_access_unqueue(struct vgpu_pipe *p, struct vgpu_pipe_access *access)
{
	struct vgpu_pipe_access **at = &p->lsu_first, *before = NULL;

	while (*at != access) {
		before = *at;
		at = &(*at)->next;
	}
	*at = access->next;
	if (!before)
		p->check_from = 0;
	if (p->lsu_last == access)
		p->lsu_last = before;
	access->queued = false;
	access->next = NULL;
}

void vgpu_access_unask(struct vgpu_pipe *p, struct vgpu_pipe_access *access)
{
	for (u32 n = 0; access->asked && n < p->ask_count; n++) {
		if (p->asks[n].access != access)
			continue;
		access->line[p->asks[n].line].state = VGPU_LINE_NEW;
		p->asks[n].access = NULL;
		access->asked--;
	}
}

/* Lines of it that wait to be sent, or for their translations, do so no more. */
void vgpu_access_purge(struct vgpu_pipe *p, struct vgpu_pipe_access *access)
{
	u32 first = p->entry_count + access->number * VGPU_LANES;

	vgpu_access_unask(p, access);
	for (u32 n = 0; n < p->send_count; n++) {
		u16 *at = &p->send[(p->send_first + n) % p->send_room];

		if (*at != VGPU_PIPE_NONE && *at / VGPU_LANES == access->number)
			*at = VGPU_PIPE_NONE;
	}
	for (u32 n = 0; n < access->count; n++)
		if (p->due[first + n] != VGPU_NEVER)
			vgpu_pipe_undo(p, first + n);
}

void vgpu_access_drop(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_access *access = e->access;

	if (!access)
		return;
	e->access = NULL;
	if (access->queued)
		vgpu_access_unqueue(p, access);
	vgpu_access_purge(p, access);
	access->entry = NULL;
	/* the port does not know that nobody wants its answers */
	if (access->flying)
		vgpu_page_waiter_cancel(&access->waiter);
	else
		vgpu_access_put(p, access);
}

/* ---- its end ------------------------------------------------------------- */

void vgpu_access_commit(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_access *access = e->access;

	if (access) {
		access->lanes |= access->done;
		if (e->d.operands.write_count)
			vgpu_access_result(access, e->warp->w, e->insn->dst);
		e->access = NULL;
		vgpu_access_put(p, access);
	}
	if (p->scheme->committed)
		p->scheme->committed(p, e);
}

/* An access that shared and local memory serve, or that no lane makes: it cannot fault. */
static void is_sure(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	e->checked = true;
	if (p->scheme->checked)
		p->scheme->checked(p, e);
	vgpu_pipe_release(p, e);
}

void vgpu_access_left(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	if (e->d.flags & VGPU_DEC_WRITES)
		vgpu_pipe_store_sent(p, e->warp);
	else if (e->warp->store_waiter != VGPU_PIPE_NONE)
		vgpu_pipe_try(p, &p->entries[e->warp->store_waiter]);
}

/* ---- operand read -------------------------------------------------------- */

/* Are all lanes in the windows of shared and local memory? */
static bool in_windows(const struct vgpu_pipe_access *access)
{
	for (u32 lanes = access->lanes; lanes; lanes &= lanes - 1)
		if (access->address[__builtin_ctz(lanes)] < VGPU_SHARED_WINDOW)
			return false;
	return true;
}

/* Nothing of it leaves the SM: the lanes execute it now, on the registers of the warp. */
static void read_inside(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_access *access = e->access;
	u32 lanes = access->lanes;

	e->access = NULL;
	vgpu_access_put(p, access);
	vgpu_access_left(p, e);
	if (lanes && vgpu_pipe_run(p, e->warp, e->pc, e->active) != VGPU_LANES_BUDGET) {
		vgpu_pipe_fatal(p, e->warp, e->pc);
		return;
	}
	is_sure(p, e);
	vgpu_pipe_at(p, e->number, p->cycle + 1 + e->d.cycles);
}

void vgpu_access_read(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_access *access = get_access(p, e);
	u32 order = VGPU_MEM_ORDER(e->insn->mem);
	bool lines;

	vgpu_access_capture(p, access);
	access->bytes = vgpu_access_bytes(&access->insn);
	lines = vgpu_access_coalesce(p, access);
	if (unlikely(!access->lanes || in_windows(access))) {
		read_inside(p, e);
		return;
	}
	access->whole = !lines;
	if (access->whole)
		access->count = 1;
	access->left = access->count;
	access->unsent = access->count;
	if (order == VGPU_ORDER_RELEASE || order == VGPU_ORDER_ACQ_REL)
		vgpu_access_fence(p, e);
	else
		vgpu_access_queue(p, access);
	if (p->scheme->read)
		p->scheme->read(p, e);
	/* it is known by now where it stores */
	if (e->warp->store_waiter != VGPU_PIPE_NONE)
		vgpu_pipe_try(p, &p->entries[e->warp->store_waiter]);
}

/* ---- fences -------------------------------------------------------------- */

/* Before @cycle nothing behind the fence happens. */
static void fenced(struct vgpu_pipe *p, struct vgpu_pipe_entry *e, u64 cycle)
{
	if (e->d.flags & VGPU_DEC_FENCE) {
		e->checked = true;
		vgpu_pipe_at(p, e->number, later(cycle, p->cycle + 1) + e->d.cycles);
		return;
	}
	e->access->start = later(cycle, p->cycle + 1);
	vgpu_access_queue(p, e->access);
}

void vgpu_access_fence(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_port_answer answer = {};
	struct vgpu_mem_access m = {
		.cycle = p->cycle,
		.owner = block_of(e),
		.cookie = e->number,
		.counters = vgpu_launch_counters(e->warp->block->launch, p->sm->index),
		.kind = VGPU_MEM_FENCE,
		.order = e->d.flags & VGPU_DEC_FENCE ? VGPU_MEM_ORDER(e->insn->mem) :
						       VGPU_ORDER_RELEASE,
		.scope = VGPU_MEM_SCOPE(e->insn->mem),
	};

	p->port->model->serve(p->port, e->warp->block->launch->context);
	switch (p->port->model->access(p->port, &m, &answer)) {
	case VGPU_MEM_DONE:
		fenced(p, e, answer.cycle);
		break;
	case VGPU_MEM_SENT:
		break;
	default:
		/* again in the next cycle */
		e->retry = true;
		vgpu_pipe_at(p, e->number, p->cycle + 1);
	}
}

bool vgpu_access_fence_block(struct vgpu_pipe *p, struct vgpu_pipe_block *pb)
{
	struct vgpu_port_answer answer = {};
	struct vgpu_mem_access m = {
		.cycle = p->cycle,
		.owner = pb,
		.cookie = VGPU_PIPE_NONE,
		.counters = vgpu_launch_counters(pb->warp->block->launch, p->sm->index),
		.kind = VGPU_MEM_FENCE,
		.order = VGPU_ORDER_RELEASE,
		.scope = VGPU_SCOPE_SYS,
	};

	switch (p->port->model->access(p->port, &m, &answer)) {
	case VGPU_MEM_DONE:
		pb->stored = false;
		p->cut = true;
		return true;
	case VGPU_MEM_SENT:
		pb->fencing = true;
		return true;
	default:
		return false;
	}
}

void vgpu_access_fenced(struct vgpu_pipe *p, const struct vgpu_mem_response *response)
{
	struct vgpu_pipe_block *pb = response->owner;

	if (response->cookie != VGPU_PIPE_NONE) {
		fenced(p, &p->entries[response->cookie], response->cycle);
		return;
	}
	pb->fencing = false;
	pb->stored = false;
	p->cut = true;
}
