// SPDX-License-Identifier: MIT
/*
 * The steps of warps; see run.h. All of a core happens in one step: it sends a log in an instant.
 */
#include <string.h>

#include "../oracle.h"
#include "memsys/tm/lazy/eapg.h"
#include "memsys/tm/lazy/warptm_el.h"
#include "run.h"

#define LANE	1u

static const struct tx_op *op_of(const struct lazy_run *run, u32 core)
{
	const struct lazy_thread *thread = &run->next.threads[core];

	return &run->program->ops[core][thread->tx][thread->pc];
}

static bool is_el(const struct lazy_run *run)
{
	return run->options->kind == LAZY_EL;
}

/* ---- logs ------------------------------------------------------------------------ */

/* Entry of @location among its reads, or its writes; the number of entries: there is none */
static u32 find_entry(const struct lazy_log *log, u32 location, bool writes)
{
	u32 n = writes ? log->reads : 0, end = writes ? log->reads + log->writes : log->reads;

	while (n < end && log->location[n] != location)
		n++;
	return n < end ? n : (u32)log->reads + log->writes;
}

static bool has_entry(const struct lazy_log *log, u32 location, bool writes)
{
	return find_entry(log, location, writes) < (u32)log->reads + log->writes;
}

static void add_read(struct lazy_log *log, u32 location, u8 value)
{
	u32 at = log->reads++;

	memmove(&log->location[at + 1], &log->location[at], log->writes);
	memmove(&log->value[at + 1], &log->value[at], log->writes);
	log->location[at] = (u8)location;
	log->value[at] = value;
}

static void add_write(struct lazy_log *log, u32 location, u8 value)
{
	u32 at = find_entry(log, location, true);

	log->writes += at == (u32)log->reads + log->writes;
	log->location[at] = (u8)location;
	log->value[at] = value;
}

/* Those of its entries that are at @partition; of WarpTM-EL only what is written */
static struct lazy_log part_of(const struct lazy_run *run, const struct lazy_log *log,
			       u32 partition)
{
	struct lazy_log part;
	u32 to = 0;

	memset(&part, 0, sizeof(part));
	for (u32 n = 0; n < (u32)log->reads + log->writes; n++) {
		bool is_read = n < log->reads;

		if (lazy_partition_of(run, log->location[n]) != partition ||
		    (is_read && is_el(run)))
			continue;
		part.reads += is_read;
		part.writes += !is_read;
		part.location[to] = log->location[n];
		part.value[to++] = log->value[n];
	}
	return part;
}

/* ---- the end of an attempt --------------------------------------------------------- */

/* Nothing of it is left. */
static void clear_attempt(struct lazy_thread *thread)
{
	memset(&thread->commit, 0, sizeof(thread->commit));
	memset(&thread->reads, 0, sizeof(thread->reads));
	memset(&thread->log, 0, sizeof(thread->log));
	thread->pc = 0;
	thread->phase = LAZY_RUNS;
	thread->aborted = 0;
}

static void abort_attempt(struct lazy_run *run, u32 core)
{
	struct lazy_thread *thread = &run->next.threads[core];

	thread->pc = 0;
	for (const struct tx_op *op = op_of(run, core); op->what != TX_END; op++)
		if (op->what == TX_LOAD)
			run->next.outcome.regs[op->value] = TX_NO_VALUE;
	clear_attempt(thread);
}

static void end_transaction(struct lazy_run *run, u32 core, u32 order)
{
	struct lazy_thread *thread = &run->next.threads[core];

	run->result->silent += order == LAZY_SILENT;
	thread->order[thread->tx++] = (u8)order;
	clear_attempt(thread);
}

/* Its log is on its way to all partitions. Returns how many have some of it. */
static u32 send_logs(struct lazy_run *run, u32 core, u32 cid)
{
	const struct lazy_thread *thread = &run->next.threads[core];
	u32 partitions = 0;

	for (u32 n = 0; n < run->wtm.setup.partitions; n++) {
		struct lazy_message message = lazy_message(LAZY_LOG);

		message.cid = (u8)cid;
		message.log = part_of(run, &thread->log, n);
		partitions += message.log.reads || message.log.writes;
		lazy_send_up(run, core, n, &message);
	}
	return partitions;
}

static u32 memory_at(void *host, u64 address)
{
	const struct tx_outcome *outcome = host;

	return outcome->memory[lazy_location_of(address)];
}

/* WarpTM-EL: has it read something else than there is? */
static bool is_stale(struct lazy_run *run, u32 core)
{
	const struct lazy_log *log = &run->next.threads[core].log;
	struct vgpu_wtm_word reads[TX_OPS];

	for (u32 n = 0; n < log->reads; n++)
		reads[n] = (struct vgpu_wtm_word){
			lazy_address_of(log->location[n]), log->value[n], LANE,
		};
	return is_el(run) && vgpu_wtm_el_stale(&run->wtm, reads, log->reads, memory_at,
					       &run->next.outcome);
}

static void write_all(struct lazy_run *run, const struct lazy_log *log)
{
	for (u32 n = log->reads; n < (u32)log->reads + log->writes; n++)
		run->next.outcome.memory[log->location[n]] = log->value[n];
}

/* False: there are too many commit ids. */
static bool commit(struct lazy_run *run, u32 core)
{
	struct lazy_thread *thread = &run->next.threads[core];
	u32 partitions, cid;

	if (!is_el(run) && !thread->log.writes && vgpu_tcd_is_silent(&run->wtm, &thread->reads)) {
		end_transaction(run, core, LAZY_SILENT);
		return true;
	}
	if (run->next.cids == run->options->commits)
		return false;
	cid = ++run->next.cids;
	partitions = send_logs(run, core, cid);
	if (is_el(run))
		write_all(run, &thread->log);
	if (!partitions) {
		end_transaction(run, core, cid);
		return true;
	}
	thread->phase = LAZY_COMMITS;
	vgpu_wtm_commit_begin(&thread->commit, cid, LANE, partitions);
	return true;
}

/* ---- messages ----------------------------------------------------------------------- */

/* Has it seen together what no serial order has? */
static void note_view(struct lazy_run *run, u32 core)
{
	const struct tx_outcomes *views = &run->views[core][run->next.threads[core].tx];

	for (u32 n = 0; n < views->count; n++) {
		const struct lazy_thread *thread = &run->next.threads[core];
		const struct tx_op *op = run->program->ops[core][thread->tx];
		bool same = true;

		for (u32 pc = 0; pc < thread->pc; pc++, op++)
			same &= op->what != TX_LOAD || run->next.outcome.regs[op->value] ==
						       views->list[n].regs[op->value];
		if (same)
			return;
	}
	run->result->inconsistent++;
}

static void load_value(struct lazy_run *run, u32 core, u8 value)
{
	run->next.outcome.regs[op_of(run, core)->value] = value;
	run->next.threads[core].pc++;
	note_view(run, core);
}

static void answer_comes(struct lazy_run *run, u32 core, const struct lazy_message *message)
{
	struct lazy_thread *thread = &run->next.threads[core];

	if (thread->aborted) {
		abort_attempt(run, core);
		return;
	}
	thread->phase = LAZY_RUNS;
	vgpu_tcd_answer(&thread->reads, message->stored);
	add_read(&thread->log, message->what, message->value);
	if (is_stale(run, core)) {
		run->result->aborted++;
		abort_attempt(run, core);
		return;
	}
	load_value(run, core, message->value);
}

static void verdict_comes(struct lazy_run *run, u32 core, const struct lazy_message *message)
{
	struct lazy_thread *thread = &run->next.threads[core];
	const struct vgpu_wtm_verdict verdict = { .failed = message->what ? LANE : 0 };
	struct lazy_message decision = lazy_message(LAZY_DECISION);

	run->result->failed += message->what;
	if (!vgpu_wtm_commit_verdict(&thread->commit, &verdict))
		return;
	decision.cid = (u8)thread->commit.cid;
	decision.what = vgpu_wtm_commit_lanes(&thread->commit) != 0;
	for (u32 n = 0; n < run->wtm.setup.partitions; n++) {
		struct lazy_log part = part_of(run, &thread->log, n);

		if (part.reads || part.writes)
			lazy_send_up(run, core, n, &decision);
	}
	if (!decision.what)
		abort_attempt(run, core);
}

static void insert_comes(struct lazy_run *run, u32 core, u32 location)
{
	struct lazy_thread *thread = &run->next.threads[core];
	bool hits = has_entry(&thread->log, location, false) ||
		    has_entry(&thread->log, location, true);

	vgpu_eapg_insert(&run->wtm, thread->conflicts, lazy_address_of(location));
	if (!hits || thread->aborted || thread->phase == LAZY_COMMITS)
		return;
	run->result->aborted++;
	if (thread->phase == LAZY_LOADS)
		thread->aborted = 1;
	else
		abort_attempt(run, core);
}

void lazy_core_comes(struct lazy_run *run, u32 core, u32 partition,
		     const struct lazy_message *message)
{
	struct lazy_thread *thread = &run->next.threads[core];

	(void)partition;
	switch (message->kind) {
	case LAZY_ANSWER:
		answer_comes(run, core, message);
		break;
	case LAZY_VERDICT:
		verdict_comes(run, core, message);
		break;
	case LAZY_ACK:
		if (vgpu_wtm_commit_ack(&thread->commit))
			end_transaction(run, core, (u32)thread->commit.cid);
		break;
	case LAZY_INSERT:
		insert_comes(run, core, message->what);
		break;
	case LAZY_REMOVE:
		vgpu_eapg_remove(&run->wtm, thread->conflicts, lazy_address_of(message->what));
	}
}

/* ---- all steps ------------------------------------------------------------------------ */

static void make_load(struct lazy_run *run, u32 core, u32 location, u32 wait)
{
	struct lazy_thread *thread = &run->next.threads[core];
	struct lazy_message message = lazy_message(LAZY_LOAD);

	if (run->timed) {
		run->next.now += wait;
		vgpu_tcd_start(&run->wtm, &thread->reads, run->next.now);
	}
	message.what = (u8)location;
	thread->phase = LAZY_LOADS;
	lazy_send_up(run, core, lazy_partition_of(run, location), &message);
}

/* An access after time @wait; false: it is being committed, and the access waits */
static bool make_access(struct lazy_run *run, u32 core, const struct tx_op *op, u32 wait)
{
	struct lazy_thread *thread = &run->next.threads[core];
	u32 own = find_entry(&thread->log, op->location, true);

	if (run->options->kind == LAZY_EAPG &&
	    vgpu_eapg_is_there(&run->wtm, thread->conflicts, lazy_address_of(op->location)))
		return false;
	if (is_stale(run, core)) {
		run->result->aborted++;
		abort_attempt(run, core);
	} else if (op->what == TX_STORE) {
		add_write(&thread->log, op->location, op->value);
		thread->pc++;
	} else if (own < (u32)thread->log.reads + thread->log.writes) {
		load_value(run, core, thread->log.value[own]);
	} else {
		make_load(run, core, op->location, wait);
	}
	return true;
}

static void move_warp(struct lazy_run *run, u32 core, u32 wait)
{
	const struct tx_op *op;

	lazy_begin_move(run);
	op = op_of(run, core);
	if (op->what != TX_END) {
		if (make_access(run, core, op, wait))
			lazy_end_move(run);
		else
			run->result->paused++;
	} else if (is_stale(run, core)) {
		run->result->aborted++;
		abort_attempt(run, core);
		lazy_end_move(run);
	} else if (commit(run, core)) {
		lazy_end_move(run);
	} else {
		run->moved = true;
		run->result->cut++;
	}
}

/* Only the time of a transaction's first load matters. */
static bool takes_time(const struct lazy_run *run, u32 core)
{
	const struct lazy_thread *thread = &run->now.threads[core];
	const struct tx_op *op = &run->program->ops[core][thread->tx][thread->pc];

	return run->timed && op->what == TX_LOAD &&
	       (!thread->reads.has_begun || run->wtm.setup.fault == VGPU_WTM_TCD_LATE);
}

void lazy_move_warps(struct lazy_run *run)
{
	for (u32 core = 0; core < run->program->warps; core++) {
		const struct lazy_thread *thread = &run->now.threads[core];

		if (thread->tx == tx_count(run->program, core) || thread->phase != LAZY_RUNS)
			continue;
		if (!takes_time(run, core)) {
			move_warp(run, core, 0);
			continue;
		}
		move_warp(run, core, 1);
		if (run->options->ticks)
			move_warp(run, core, 0);
	}
}
