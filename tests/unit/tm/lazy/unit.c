// SPDX-License-Identifier: MIT
/*
 * The steps of messages, and of partitions; see run.h.
 */
#include <string.h>

#include "memsys/tm/lazy/commit_order.h"
#include "memsys/tm/lazy/eapg.h"
#include "run.h"

/* ---- messages ------------------------------------------------------------------ */

static void do_load(struct lazy_run *run, u32 core, u32 partition, u32 location)
{
	struct lazy_message answer = lazy_message(LAZY_ANSWER);

	answer.what = (u8)location;
	answer.value = run->next.outcome.memory[location];
	if (run->timed)
		answer.stored = vgpu_tcd_load(&run->wtm, lazy_unit(&run->next, partition),
					      lazy_address_of(location));
	if (run->options->delays)
		lazy_send_down(run, core, partition, &answer);
	else
		lazy_core_comes(run, core, partition, &answer);
}

static void tell_cores(struct lazy_run *run, u32 partition, enum lazy_message_kind kind,
		       u32 location)
{
	struct lazy_message message = lazy_message(kind);

	message.what = (u8)location;
	for (u32 core = 0; core < run->program->warps; core++)
		lazy_send_down(run, core, partition, &message);
}

static void count_writes(struct lazy_run *run, u32 partition, const struct lazy_log *log)
{
	for (u32 n = log->reads; n < (u32)log->reads + log->writes; n++)
		if (vgpu_eapg_count(&run->wtm, lazy_unit(&run->next, partition),
				    lazy_address_of(log->location[n])))
			tell_cores(run, partition, LAZY_INSERT, log->location[n]);
}

/* False: there is no room. */
static bool do_log(struct lazy_run *run, u32 core, u32 partition,
		   const struct lazy_message *message)
{
	const struct lazy_log *from = &message->log;
	const struct vgpu_wtm_log log = {
		.cid = message->cid, .lanes = 1, .core = (u16)core, .reads = from->reads,
		.writes = from->writes,
		.decided = run->options->kind == LAZY_EL && from->writes,
	};
	struct vgpu_wtm_word words[TX_OPS];

	for (u32 n = 0; n < (u32)from->reads + from->writes; n++)
		words[n] = (struct vgpu_wtm_word){
			lazy_address_of(from->location[n]), from->value[n], 1,
		};
	if (!vgpu_wtm_log(&run->wtm, lazy_unit(&run->next, partition), &log, words))
		return false;
	if (run->options->kind == LAZY_EAPG)
		count_writes(run, partition, from);
	return true;
}

static void do_message(struct lazy_run *run, u32 n)
{
	struct lazy_message message;
	u32 partition, core;

	memcpy(&message, &run->now.messages[n], sizeof(message));
	partition = message.channel % LAZY_PARTITIONS;
	core = message.channel % 8 / LAZY_PARTITIONS;
	lazy_begin_move(run);
	lazy_take(run, n);
	switch (message.kind) {
	case LAZY_LOAD:
		do_load(run, core, partition, message.what);
		break;
	case LAZY_LOG:
		if (!do_log(run, core, partition, &message))
			return;
		break;
	case LAZY_DECISION:
		vgpu_wtm_decide(&run->wtm, lazy_unit(&run->next, partition), message.cid,
				message.what);
		break;
	default:
		lazy_core_comes(run, core, partition, &message);
	}
	lazy_end_move(run);
}

void lazy_move_messages(struct lazy_run *run)
{
	for (u32 n = 0; n < run->now.count; n++)
		if (!n || run->now.messages[n - 1].channel != run->now.messages[n].channel)
			do_message(run, n);
}

/* ---- partitions ------------------------------------------------------------------ */

static void find_hazards(struct lazy_run *run, u32 partition)
{
	struct vgpu_wtm_unit *unit = lazy_unit(&run->next, partition);
	u32 words, entry;

	lazy_begin_move(run);
	if (!vgpu_wtm_hazards(&run->wtm, unit, &words))
		return;
	entry = (u32)(unit->searched % run->wtm.setup.entries);
	run->result->hazards += vgpu_wtm_entries(unit)[entry].after > 0;
	lazy_end_move(run);
}

static void send_verdict(struct lazy_run *run, u32 partition,
			 const struct vgpu_wtm_verdict *verdict)
{
	struct lazy_message message = lazy_message(LAZY_VERDICT);

	message.cid = (u8)verdict->cid;
	message.what = verdict->failed != 0;
	lazy_send_down(run, verdict->core, partition, &message);
}

static void compare_word(struct lazy_run *run, u32 partition)
{
	struct vgpu_wtm_unit *unit = lazy_unit(&run->next, partition);
	struct vgpu_wtm_verdict verdict;
	struct vgpu_wtm_read read;
	u32 value;

	lazy_begin_move(run);
	if (!vgpu_wtm_next_read(&run->wtm, unit, &read))
		return;
	value = run->next.outcome.memory[lazy_location_of(read.address)];
	if (vgpu_wtm_read(&run->wtm, unit, &read, value, &verdict))
		send_verdict(run, partition, &verdict);
	lazy_end_move(run);
}

static void pass_verdict(struct lazy_run *run, u32 partition)
{
	struct vgpu_wtm_unit *unit = lazy_unit(&run->next, partition);
	struct vgpu_wtm_verdict verdict;
	u64 passed = unit->passed;

	lazy_begin_move(run);
	if (vgpu_wtm_verdict(&run->wtm, unit, &verdict))
		send_verdict(run, partition, &verdict);
	else if (unit->passed == passed)
		return;
	lazy_end_move(run);
}

/* Words, or what is left of a commit id, at the time of the last event or after it */
static void leave(struct lazy_run *run, u32 partition, u32 wait)
{
	struct vgpu_wtm_unit *unit = lazy_unit(&run->next, partition);
	struct lazy_message ack = lazy_message(LAZY_ACK);
	struct vgpu_wtm_left left;

	lazy_begin_move(run);
	if (run->timed)
		run->next.now += wait;
	if (!vgpu_wtm_leave(&run->wtm, unit, run->next.now, &left))
		return;
	if (!left.commits)
		run->next.now = run->now.now;
	else if (run->options->kind != LAZY_EL)
		run->next.outcome.memory[lazy_location_of(left.address)] = (u8)left.value;
	if (left.has_word && run->options->kind == LAZY_EAPG &&
	    vgpu_eapg_uncount(&run->wtm, unit, left.address))
		tell_cores(run, partition, LAZY_REMOVE, lazy_location_of(left.address));
	if (left.acks)
		lazy_send_down(run, left.core, partition, &ack);
	lazy_end_move(run);
}

void lazy_move_units(struct lazy_run *run)
{
	for (u32 partition = 0; partition < run->wtm.setup.partitions; partition++) {
		find_hazards(run, partition);
		compare_word(run, partition);
		pass_verdict(run, partition);
		leave(run, partition, 1);
		if (run->timed && run->options->ticks)
			leave(run, partition, 0);
	}
}
