// SPDX-License-Identifier: MIT
/*
 * The steps of warps; see run.h. All of a core happens in one step: it sends a log in an instant.
 */
#include <assert.h>
#include <string.h>

#include "oracle.h"
#include "run.h"

static const struct tx_op *op_of(const struct run *run, u32 core, u32 pc)
{
	return &run->program->ops[core][run->next.threads[core].tx][pc];
}

static bool has_ended(const struct run *run, u32 core)
{
	return run->now.threads[core].tx == tx_count(run->program, core);
}

static void send_log(struct run *run, u32 core, bool commits)
{
	struct tx_thread *thread = &run->next.threads[core];

	for (u32 n = 0; n < thread->entries; n++) {
		struct tx_message message = tx_message(TX_LOG);

		message.request.granule = tx_granule_of(thread->location[n]);
		message.what = commits;
		message.value = commits ? thread->value[n] : 0;
		tx_send_up(run, core, tx_partition_of(run, thread->location[n]), &message);
	}
}

/* The attempt is over; nothing of it is left. */
static void clear_attempt(struct tx_thread *thread)
{
	thread->pc = 0;
	thread->sent = 0;
	thread->entries = 0;
	memset(thread->location, 0, sizeof(thread->location));
	memset(thread->value, 0, sizeof(thread->value));
}

static void forget_loads(struct run *run, u32 core)
{
	for (const struct tx_op *op = op_of(run, core, 0); op->what != TX_END; op++)
		if (op->what == TX_LOAD)
			run->next.outcome.regs[op->value] = TX_NO_VALUE;
}

/* False: the next attempt would be beyond the times of the options. */
static bool end_attempt(struct run *run, u32 core, bool commits)
{
	struct tx_thread *thread = &run->next.threads[core];
	struct vgpu_random random;

	send_log(run, core, commits);
	if (commits) {
		thread->ts[thread->tx] = (u8)thread->warp.warpts;
		thread->epoch[thread->tx] = thread->warp.epoch;
		thread->tx++;
	} else {
		forget_loads(run, core);
	}
	clear_attempt(thread);
	/* a warp may wait as long as it likes */
	vgpu_random_seed(&random, 0);
	vgpu_tm_warp_end(&run->tm, &thread->warp, &random);
	thread->warp.aborts = 0;
	return !run->options->times || thread->warp.warpts <= run->options->times ||
	       thread->tx == tx_count(run->program, core);
}

static void load_value(struct run *run, u32 core, const struct tx_op *op, u8 value)
{
	const struct tx_thread *thread = &run->next.threads[core];

	for (u32 n = 0; n < thread->entries; n++)
		if (thread->location[n] == op->location)
			value = thread->value[n];
	run->next.outcome.regs[op->value] = value;
}

bool tx_answer_comes(struct run *run, u32 core, const struct tx_message *message)
{
	struct tx_thread *thread = &run->next.threads[core];
	const struct tx_op *op;
	const struct vgpu_tm_answer answer = {
		.request = message->request, .time = message->time, .result = message->what,
	};

	if (!vgpu_tm_warp_answer(&thread->warp, &answer))
		return true;
	thread->sent = 0;
	if (answer.result == VGPU_TM_ABORT)
		return end_attempt(run, core, false);
	op = op_of(run, core, thread->pc++);
	if (op->what == TX_LOAD) {
		load_value(run, core, op, message->value);
		return true;
	}
	thread->location[thread->entries] = op->location;
	thread->value[thread->entries++] = op->value;
	return true;
}

void tx_flush_comes(struct run *run, u32 core)
{
	struct tx_thread *thread = &run->next.threads[core];
	struct tx_message message = tx_message(TX_ACK);

	vgpu_tm_warp_rollover(&thread->warp);
	if (!has_ended(run, core))
		forget_loads(run, core);
	clear_attempt(thread);
	for (u32 n = 0; n < run->tm.setup.partitions; n++)
		tx_send_up(run, core, n, &message);
}

static void make_access(struct run *run, u32 core, const struct tx_op *op)
{
	struct tx_thread *thread = &run->next.threads[core];
	struct tx_message message = tx_message(TX_REQUEST);

	vgpu_tm_warp_request(&thread->warp, tx_granule_of(op->location),
			     op->what == TX_LOAD ? VGPU_TM_LOAD : VGPU_TM_STORE, core,
			     &message.request);
	thread->sent = 1;
	tx_send_up(run, core, tx_partition_of(run, op->location), &message);
}

void tx_move_warps(struct run *run)
{
	for (u32 core = 0; core < run->program->warps; core++) {
		const struct tx_thread *thread = &run->now.threads[core];
		const struct tx_op *op;

		if (has_ended(run, core) || thread->sent)
			continue;
		tx_begin_move(run);
		op = op_of(run, core, thread->pc);
		if (op->what != TX_END) {
			make_access(run, core, op);
			tx_end_move(run);
		} else if (end_attempt(run, core, true)) {
			tx_end_move(run);
		} else {
			tx_cut_move(run);
		}
	}
}
