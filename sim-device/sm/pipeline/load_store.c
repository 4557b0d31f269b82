// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The load/store units: accesses to global memory in stage Execute. An access becomes a request for
 * each line that its lanes touch. Of each unit, one request a cycle is checked in the TLB, and one
 * a cycle goes to the port: the oldest, as all units have one queue. A load is sent as soon as it
 * has its translation. Stores and atomics, which cannot be undone, are sent when all requests of
 * the access have passed their checks: an access has no effect before it is sure not to fault. What
 * follows in the same warp does not overtake them. Nor do they overtake a load of the same warp, of
 * the same lines, that has not been sent: it may have to wait for a page.
 *
 *   writes: checks, last check, sends, commit (a store when sent, an atomic when answered)
 *   loads:  check and send each, last check, last answer, commit
 */
#include "scheme.h"

static struct vgpu_pipe_block *block_of(const struct vgpu_pipe_entry *e)
{
	return vgpu_pipe_block(e->warp->block);
}

static bool writes(const struct vgpu_pipe_access *access)
{
	return access->entry->d.flags & VGPU_DEC_WRITES;
}

static bool is_atomic(const struct vgpu_pipe_access *access)
{
	return access->insn.op >= VGPU_OP_ATOM;
}

/*
 * An atomic whose old value somebody wants, and a load: the memory has to answer. And what the warp
 * waits for, which with sc_core are stores, too.
 */
static bool is_answered(const struct vgpu_pipe_access *access)
{
	return !writes(access) ||
	       access->entry->d.flags & (VGPU_DEC_ACQUIRES | VGPU_DEC_ALONE) ||
	       (is_atomic(access) && !(access->insn.flags & VGPU_F_ATOM_NORET));
}

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* It may commit when it has passed its checks and nothing is left. */
static void maybe_end(struct vgpu_pipe *p, struct vgpu_pipe_access *access)
{
	struct vgpu_pipe_entry *e = access->entry;

	if (!e->checked || access->left)
		return;
	if (access->ready_at > p->cycle)
		vgpu_pipe_at(p, e->number, access->ready_at);
	else
		vgpu_pipe_commit(p, e);
}

static void line_done(struct vgpu_pipe *p, struct vgpu_pipe_access *access, u32 line, u64 cycle)
{
	access->line[line].state = VGPU_LINE_DONE;
	access->left--;
	access->ready_at = later(access->ready_at, cycle);
	(void)p;
}

/* ---- checks -------------------------------------------------------------- */

static void send_line(struct vgpu_pipe *p, struct vgpu_pipe_access *access, u32 line)
{
	u32 at = (p->send_first + p->send_count++) % p->send_room;

	p->send[at] = (u16)(access->number * VGPU_LANES + line);
}

/* No check of @access begins any more, and none is put off. */
static void stop_checks(struct vgpu_pipe *p, struct vgpu_pipe_access *access)
{
	if (access->queued)
		vgpu_access_unqueue(p, access);
	vgpu_pipe_at(p, access->entry->number, access->checked_at);
}

/* The end of a check is known as many cycles after its begin as the TLB takes. */
static u64 check_ends(const struct vgpu_pipe *p, u64 begin, u64 cost)
{
	u32 cycles = p->config->l1_tlb_cycles;

	return begin + (cycles ? cycles : 1) + cost;
}

/* @begin: of the check; @cost: cycles after which it is known */
static void failed(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
		   enum vgpu_access_result result, u64 begin, u64 cost)
{
	vgpu_access_unask(p, access);
	if (result == VGPU_ACCESS_FAULT) {
		vgpu_pipe_fatal(p, access->entry->warp, access->entry->pc);
		if (access->queued)
			vgpu_access_unqueue(p, access);
		return;
	}
	access->faulted = true;
	access->checked_at = later(access->checked_at, check_ends(p, begin, cost));
	stop_checks(p, access);
}

static void check_whole(struct vgpu_pipe *p, struct vgpu_pipe_access *access)
{
	enum vgpu_access_result result;
	u64 cost;

	/* Lines that are on their way would come to the registers of an access that has ended. */
	if (access->flying)
		return;
	result = vgpu_access_whole(p, access, &cost);
	if (result != VGPU_ACCESS_OK) {
		failed(p, access, result, p->cycle, cost);
		return;
	}
	access->left = 0;
	access->unsent = 0;
	if (!writes(access))
		vgpu_access_left(p, access->entry);
	access->checked_at = later(access->checked_at, check_ends(p, p->cycle, 0));
	access->ready_at = later(access->ready_at,
				 p->cycle + cost + p->config->memory_latency_cycles);
	stop_checks(p, access);
}

/* Line @n, whose check began at @begin, has its translation @cost cycles later. */
static void passed(struct vgpu_pipe *p, struct vgpu_pipe_access *access, u32 n, u64 begin, u64 cost)
{
	access->checked_at = later(access->checked_at, check_ends(p, begin, cost));
	if (writes(access))
		return;
	if (cost)
		vgpu_pipe_at(p, p->entry_count + access->number * VGPU_LANES + n, begin + cost);
	else
		send_line(p, access, n);
}

/* One request of the first access that waits. */
static void check(struct vgpu_pipe *p)
{
	struct vgpu_pipe_access *access = p->lsu_first;
	u32 n = access->line_next;
	struct vgpu_pipe_line *line = &access->line[n];
	enum vgpu_access_result result;
	u64 cost, waited;

	if (access->whole) {
		check_whole(p, access);
		return;
	}
	while (line->state != VGPU_LINE_NEW)
		line = &access->line[++n];
	/* what neither waits nor passes at once comes behind those that have been put off */
	if (p->ask_count && !vgpu_access_is_there(p, access, line) &&
	    !vgpu_access_can_wait(p, access, line)) {
		vgpu_pipe_turn(p);
		vgpu_access_ask(p);
		if (p->lsu_first != access)
			return;
	}
	if (!vgpu_access_has_register(p, access, line))
		return;
	waited = p->check_from > p->waits_since ? p->check_from - p->waits_since : 0;
	p->check_from = 0;
	if (p->defers && vgpu_access_can_wait(p, access, line)) {
		p->asks[p->ask_count++] = (struct vgpu_pipe_ask){ access, n, p->cycle, waited };
		access->asked++;
	} else {
		p->waited = waited;
		result = vgpu_access_check(p, access, line, &cost);
		p->waited = 0;
		if (result != VGPU_ACCESS_OK) {
			failed(p, access, result, p->cycle, cost);
			return;
		}
		if (unlikely(access->whole)) {
			/* Lines of it that were loaded are loaded again. */
			vgpu_access_purge(p, access);
			access->count = 1;
			return;
		}
		passed(p, access, n, p->cycle, cost);
	}
	access->line_next = n + 1;
	line->state = VGPU_LINE_CHECKED;
	for (n = access->line_next; n < access->count; n++)
		if (access->line[n].state == VGPU_LINE_NEW)
			return;
	if (access->asked)
		vgpu_access_unqueue(p, access);
	else
		stop_checks(p, access);
}

void vgpu_access_ask(struct vgpu_pipe *p)
{
	u64 now = p->cycle, cost;

	for (u32 n = 0; n < p->ask_count; n++) {
		const struct vgpu_pipe_ask *ask = &p->asks[n];
		struct vgpu_pipe_access *access = ask->access;
		enum vgpu_access_result result;

		if (!access)
			continue;
		p->cycle = ask->cycle;
		p->waited = ask->waited;
		result = vgpu_access_check(p, access, &access->line[ask->line], &cost);
		p->cycle = now;
		p->waited = 0;
		VGPU_CHECK(!access->whole && result != VGPU_ACCESS_PENDING);
		if (unlikely(result != VGPU_ACCESS_OK)) {
			failed(p, access, result, ask->cycle, cost);
			continue;
		}
		p->asks[n].access = NULL;
		access->asked--;
		VGPU_CHECK(ask->cycle + cost >= now);
		passed(p, access, ask->line, ask->cycle, cost);
		if (!access->queued && !access->asked)
			stop_checks(p, access);
	}
	p->ask_count = 0;
	vgpu_access_registers_taken(p);
}

void vgpu_access_line_due(struct vgpu_pipe *p, u32 number)
{
	struct vgpu_pipe_access *access = &p->accesses[number / VGPU_LANES];

	number %= VGPU_LANES;
	if (access->line[number].state == VGPU_LINE_CHECKED)
		send_line(p, access, number);
}

void vgpu_access_due(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_access *access = e->access;

	if (e->checked) {
		vgpu_pipe_commit(p, e);
		return;
	}
	if (unlikely(e->retry)) {
		e->retry = false;
		vgpu_access_fence(p, e);
		return;
	}
	/* what accesses no global memory */
	if (!access) {
		vgpu_pipe_commit(p, e);
		return;
	}
	if (access->faulted) {
		vgpu_pipe_faulted(p, e);
		return;
	}
	e->checked = true;
	if (p->scheme->checked)
		p->scheme->checked(p, e);
	if (writes(access)) {
		block_of(e)->stored = true;
		for (u32 n = 0; n < access->count && access->left; n++)
			send_line(p, access, n);
		if (!access->left)
			vgpu_access_left(p, e);
	}
	maybe_end(p, access);
}

/* ---- to the port and back ------------------------------------------------ */

void vgpu_access_late(struct vgpu_pipe *p)
{
	for (u32 n = 0; n < p->access_count; n++) {
		struct vgpu_pipe_access *access = &p->accesses[n];

		if (!access->entry || !access->late ||
		    vgpu_list_linked(&access->waiter.node))
			continue;
		for (; access->late; access->late &= access->late - 1)
			send_line(p, access, (u32)__builtin_ctz(access->late));
	}
}

static bool make(struct vgpu_pipe *p, struct vgpu_pipe_access *access, u32 n,
		 struct vgpu_port_answer *answer, enum vgpu_mem_result *result)
{
	struct vgpu_pipe_line *line = &access->line[n];
	const struct vgpu_insn *i = access->entry->insn;
	struct vgpu_mem_access m = {
		.cycle = p->cycle,
		.address = line->address,
		.frame = line->frame,
		.line = line->page + (line->address & (VGPU_PAGE_SIZE - 1)),
		.data = p->staging,
		.owner = is_answered(access) ? p : NULL,
		.cookie = (u64)access->number * VGPU_LANES + n,
		.kind = !writes(access) ? VGPU_MEM_LOAD :
			is_atomic(access) ? VGPU_MEM_ATOMIC : VGPU_MEM_STORE,
		.order = VGPU_MEM_ORDER(i->mem),
		.scope = VGPU_MEM_SCOPE(i->mem),
		.cache = VGPU_MEM_CACHE(i->mem),
		.counters = vgpu_launch_counters(access->entry->warp->block->launch,
						 p->sm->index),
	};

	vgpu_access_mask(access, line, m.mask);
	if (m.kind == VGPU_MEM_STORE)
		vgpu_access_store(p, access, line, p->staging);
	if (m.kind == VGPU_MEM_ATOMIC) {
		vgpu_access_atomic(p, access, line, &p->leaving);
		m.atomic = &p->leaving;
	}
	p->port->model->serve(p->port, access->entry->warp->block->launch->context);
	if (unlikely(line->in_place)) {
		vgpu_pipe_turn(p);
		vgpu_access_run(p, access, line->lanes, line->address >> VGPU_PAGE_SHIFT,
				line->page);
		answer->cycle = p->cycle + p->config->memory_latency_cycles;
		*result = VGPU_MEM_DONE;
		return true;
	}
	*result = p->port->model->access(p->port, &m, answer);
	return *result != VGPU_MEM_BUSY;
}

static void send(struct vgpu_pipe *p)
{
	u32 first = p->send[p->send_first], line = first % VGPU_LANES;
	struct vgpu_pipe_access *access = &p->accesses[first / VGPU_LANES];
	enum vgpu_mem_result result;
	struct vgpu_port_answer answer = {};
	struct vgpu_pipe_entry *e;

	/* dropped meanwhile */
	if (unlikely(first == VGPU_PIPE_NONE)) {
		p->send_first = (p->send_first + 1) % p->send_room;
		p->send_count--;
		return;
	}
	e = access->entry;
	if (!vgpu_access_check_again(p, access, line)) {
		p->send_first = (p->send_first + 1) % p->send_room;
		p->send_count--;
		return;
	}
	if (!make(p, access, line, &answer, &result)) {
		p->busy = true;
		return;
	}
	p->send_first = (p->send_first + 1) % p->send_room;
	p->send_count--;
	access->line[line].state = VGPU_LINE_SENT;
	access->unsent--;
	if (result == VGPU_MEM_DONE && is_answered(access)) {
		if (answer.atomic)
			vgpu_access_atomic_done(access, answer.atomic);
		else if (answer.data)
			vgpu_access_load(p, access, &access->line[line], answer.data);
		line_done(p, access, line, answer.cycle);
	} else if (is_answered(access)) {
		access->flying++;
	}
	if (!is_answered(access))
		line_done(p, access, line, p->cycle);
	if (!access->unsent)
		vgpu_access_left(p, e);
	maybe_end(p, access);
}

void vgpu_access_respond(struct vgpu_pipe *p, const struct vgpu_mem_response *response)
{
	u32 n = (u32)response->cookie;
	struct vgpu_pipe_access *access;

	p->busy = false;
	if (response->kind == VGPU_MEM_FENCE) {
		vgpu_access_fenced(p, response);
		return;
	}
	if (response->owner != p) {
		vgpu_pipe_move_answered(p, response);
		return;
	}
	access = &p->accesses[n / VGPU_LANES];
	n %= VGPU_LANES;
	access->flying--;
	if (!access->entry) {
		if (!access->flying)
			vgpu_access_put(p, access);
		return;
	}
	if (access->whole)
		return;
	if (unlikely(response->path && p->config->trace_pipeline))
		vgpu_pipe_trace_messages(p, access->entry, response);
	if (response->atomic)
		vgpu_access_atomic_done(access, response->atomic);
	else if (likely(response->data))
		vgpu_access_load(p, access, &access->line[n], response->data);
	line_done(p, access, n, response->cycle);
	if (access->entry->checked && !access->left)
		vgpu_pipe_at(p, access->entry->number, later(access->ready_at, p->cycle));
}

/* ---- the unit ------------------------------------------------------------ */

/* What one unit does: it takes its line of the queue that all of them share. */
static void unit_cycle(struct vgpu_pipe *p)
{
	if (p->lsu_first && p->lsu_first->start <= p->cycle && p->check_from <= p->cycle &&
	    p->send_count + VGPU_LANES <= p->send_room / 2)
		check(p);
	if (p->busy)
		return;
	if (unlikely(p->sm->moving) && vgpu_pipe_move_wants(p)) {
		vgpu_pipe_move_send(p);
	} else if (p->send_count) {
		send(p);
		p->move.turn = !p->busy;
	}
}

void vgpu_access_cycle(struct vgpu_pipe *p)
{
	for (u32 n = 0; n < p->config->ldst_units; n++)
		unit_cycle(p);
}

u64 vgpu_access_next(const struct vgpu_pipe *p)
{
	if (p->send_count && !p->busy)
		return p->cycle;
	if (p->lsu_first && p->send_count + VGPU_LANES <= p->send_room / 2)
		return later(later(p->lsu_first->start, p->check_from), p->cycle);
	return VGPU_NEVER;
}
