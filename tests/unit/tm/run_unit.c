// SPDX-License-Identifier: MIT
/*
 * The steps at partitions; see run.h.
 */
#include <assert.h>
#include <string.h>

#include "memsys/tm/commit.h"
#include "memsys/tm/validation.h"
#include "run.h"

/* ---- rollover -------------------------------------------------------------- */

static void do_ring(struct run *run, u32 partition, enum vgpu_tm_ring_event event, u32 origin)
{
	struct vgpu_tm_unit *unit = tx_unit(&run->next, partition);
	struct tx_message message = tx_message(TX_FLUSH);
	u8 epoch = unit->epoch;
	struct vgpu_tm_ring_out out;

	vgpu_tm_ring(&run->tm, unit, partition, event, origin, &out);
	if (unit->epoch != epoch)
		memset(run->next.data[partition], 0, TX_REGIONS);
	for (u32 core = 0; out.flush && core < run->program->warps; core++)
		tx_send_down(run, core, partition, &message);
	if (!out.sends)
		return;
	message = tx_message(TX_RING);
	message.what = out.event;
	message.origin = out.origin;
	tx_send_round(run, partition, &message);
}

/* False: it is one too many. */
static bool begin_rollover(struct run *run, u32 partition)
{
	if (tx_unit(&run->next, partition)->ring != VGPU_TM_RUNS)
		return true;
	run->result->rollovers++;
	if (run->next.rollovers == run->options->rollovers)
		return false;
	run->next.rollovers++;
	do_ring(run, partition, VGPU_TM_RING_BEGIN, 0);
	return true;
}

/* ---- accesses ----------------------------------------------------------------- */

/* SUCCESS and ABORT go to the core. False: @next is cut. */
static bool handle_answer(struct run *run, u32 partition, const struct vgpu_tm_answer *answer)
{
	struct tx_message message = tx_message(TX_ANSWER);
	u32 core = answer->request.id;

	run->result->causes[answer->cause]++;
	run->result->queued += answer->result == VGPU_TM_QUEUED;
	if (tx_unit(&run->next, partition)->overflowed > run->result->overflowed)
		run->result->overflowed = tx_unit(&run->next, partition)->overflowed;
	if (answer->result == VGPU_TM_ROLLOVER)
		return begin_rollover(run, partition);
	if (answer->result != VGPU_TM_SUCCESS && answer->result != VGPU_TM_ABORT)
		return true;
	message.request = answer->request;
	message.time = answer->time;
	message.what = answer->result;
	if (answer->result == VGPU_TM_SUCCESS && answer->request.kind == VGPU_TM_LOAD)
		message.value = run->next.outcome.memory[answer->request.granule - 1];
	if (!run->options->delays)
		return tx_answer_comes(run, core, &message);
	tx_send_down(run, core, partition, &message);
	return true;
}

static void do_access(struct run *run, u32 partition, const struct tx_message *message)
{
	struct vgpu_tm_answer answer;

	vgpu_tm_access(&run->tm, tx_unit(&run->next, partition), &message->request, &answer);
	if (answer.result == VGPU_TM_STALLED)
		return;
	if (handle_answer(run, partition, &answer))
		tx_end_move(run);
	else
		tx_cut_move(run);
}

static void do_log(struct run *run, u32 partition, const struct tx_message *message)
{
	const struct vgpu_tm_log log = {
		.granule = message->request.granule, .writes = 1, .commits = message->what,
	};
	u32 slot;

	if (!vgpu_tm_commit_add(&run->tm, tx_unit(&run->next, partition), &log, &slot))
		return;
	if (log.commits)
		run->next.data[partition][slot] = message->value;
	tx_end_move(run);
}

/* ---- all steps -------------------------------------------------------------------- */

static void do_message(struct run *run, u32 n)
{
	struct tx_message message;
	u32 partition, core;

	memcpy(&message, &run->now.messages[n], sizeof(message));
	partition = message.channel % TX_PARTITIONS;
	core = message.channel % 8 / TX_PARTITIONS;
	tx_begin_move(run);
	tx_take(run, n);
	switch (message.kind) {
	case TX_REQUEST:
		do_access(run, partition, &message);
		return;
	case TX_LOG:
		do_log(run, partition, &message);
		return;
	case TX_ACK:
		do_ring(run, partition, VGPU_TM_RING_ACK, 0);
		break;
	case TX_RING:
		do_ring(run, partition, message.what, message.origin);
		break;
	case TX_FLUSH:
		tx_flush_comes(run, core);
		break;
	case TX_ANSWER:
		if (!tx_answer_comes(run, core, &message)) {
			tx_cut_move(run);
			return;
		}
	}
	tx_end_move(run);
}

void tx_move_messages(struct run *run)
{
	for (u32 n = 0; n < run->now.count; n++)
		if (!n || run->now.messages[n - 1].channel != run->now.messages[n].channel)
			do_message(run, n);
}

static void drain_region(struct run *run, u32 partition)
{
	struct vgpu_tm_unit *unit = tx_unit(&run->next, partition);
	struct vgpu_tm_drained drained;

	tx_begin_move(run);
	if (!vgpu_tm_commit_drain(&run->tm, unit, &drained))
		return;
	if (drained.commits)
		run->next.outcome.memory[drained.granule - 1] =
			run->next.data[partition][drained.slot];
	run->next.data[partition][drained.slot] = 0;
	run->result->lost += drained.lost;
	/* an empty ring begins anywhere */
	if (!unit->regions)
		unit->region = 0;
	do_ring(run, partition, VGPU_TM_RING_DRAINED, 0);
	tx_end_move(run);
}

void tx_move_units(struct run *run)
{
	for (u32 partition = 0; partition < run->tm.setup.partitions; partition++) {
		struct vgpu_tm_answer answer;

		drain_region(run, partition);
		tx_begin_move(run);
		if (!vgpu_tm_retry(&run->tm, tx_unit(&run->next, partition), &answer))
			continue;
		if (handle_answer(run, partition, &answer))
			tx_end_move(run);
		else
			tx_cut_move(run);
	}
}
