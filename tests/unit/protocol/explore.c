// SPDX-License-Identifier: MIT
/*
 * The explorer; see explore.h. The host of a protocol, as protocol.h describes it, whose every step
 * is a choice.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define CLOCK_MOST	60u

/* ---- time --------------------------------------------------------------- */

static void tick_clock(struct run *run)
{
	ex_begin_move(run);
	run->next.clock++;
	ex_expire_l2(run);
}

static void move_time(struct run *run)
{
	const struct vgpu_coh_protocol *protocol = run->options->protocol;

	if (protocol->clocked) {
		if (run->now.ticks) {
			tick_clock(run);
			run->next.ticks--;
			ex_end_move(run);
		} else if (!run->moved && run->now.clock < CLOCK_MOST) {
			tick_clock(run);
			ex_end_move(run);
		}
		return;
	}
	for (u32 core = 0; protocol->tick && run->now.ticks && core < run->cores; core++) {
		ex_begin_move(run);
		run->next.ticks--;
		protocol->tick(&run->next.cores[core]);
		ex_end_move(run);
	}
}

/* ---- all of them ----------------------------------------------------------- */

static bool has_ended(const struct run *run)
{
	for (u32 n = 0; n < run->program->threads; n++)
		if (run->program->ops[n][run->now.threads[n].pc].what != EX_END)
			return false;
	return true;
}

static bool is_drained(const struct run *run)
{
	for (u32 line = 0; line < EX_LINES; line++)
		if (run->now.fetching[line] || run->now.kept[line][0].used)
			return false;
	return !run->now.count;
}

static void note_outcome(struct run *run)
{
	const struct ex_state *s = &run->now;
	struct ex_outcome outcome;

	memset(&outcome, 0, sizeof(outcome));
	memcpy(outcome.value, s->regs, EX_REGS);
	for (u32 line = 0; run->program->final && line < EX_LINES; line++)
		outcome.value[EX_REGS + line] = s->l2[line].state ? s->l2_data[line] :
								   s->memory[line];
	ex_outcome_add(&run->result->outcomes, &outcome);
}

static void expand(struct run *run)
{
	bool ended = has_ended(run);

	if (ended && (!run->program->final || is_drained(run))) {
		note_outcome(run);
		return;
	}
	run->moved = false;
	ex_move_threads(run);
	ex_move_messages(run);
	ex_move_l2(run);
	ex_move_tokens(run);
	ex_move_purges(run);
	ex_move_l1_evictions(run);
	move_time(run);
	run->result->deadlocks += !run->moved;
}

/* L1s that have lines: as after a GETS of each at time 0 */
static void warm_up(struct run *run)
{
	struct vgpu_coh_out out;

	for (u32 n = 0; n < run->cores * EX_LINES; n++) {
		u32 core = n / EX_LINES, line = n % EX_LINES;
		struct vgpu_coh_message in;
		struct ex_message message;

		if (!(run->options->warm >> n & 1))
			continue;
		memset(&in, 0, sizeof(in));
		in.core = (u16)core;
		/* @moved and the stack are not looked at: nothing ends here */
		ex_l1_event(run, core, line, VGPU_COH_LOAD, &in, &out);
		memset(&message, 0, sizeof(message));
		message.line = (u8)line;
		memcpy(&message.m, &out.send, sizeof(message.m));
		if (ex_l2_event(run, line, VGPU_COH_GETS, &message) && run->next.fetching[line])
			ex_l2_event(run, line, VGPU_COH_FETCHED, NULL);
		while (run->next.count) {
			memcpy(&message, &run->next.messages[0], sizeof(message));
			ex_take(run, 0);
			if (message.up) {
				ex_l2_event(run, line, message.m.kind, &message);
				continue;
			}
			ex_l1_event(run, message.m.core, line, message.m.kind, &message.m, &out);
			if (out.actions & VGPU_COH_FILL)
				run->next.l1_data[message.m.core][line] = message.data;
			if (out.actions & VGPU_COH_DROP)
				run->next.l1_data[message.m.core][line] = POISON;
			if (out.sends)
				ex_send(run, true, line, 0, &out.send);
		}
	}
}

static void begin(struct run *run)
{
	const struct ex_options *options = run->options;

	for (u32 n = 0; n < run->program->threads; n++)
		if (run->program->core[n] >= run->cores)
			run->cores = run->program->core[n] + 1u;
	run->setup = (struct vgpu_coh_setup){
		.cores = run->cores,
		.partitions = options->partitions ? options->partitions : 1,
		.lease = options->lease,
		.limit = options->limit ? options->limit : ~0ull >> 1,
		.as_published = options->as_published,
		.fault = options->fault,
	};
	memset(&run->next, 0, sizeof(run->next));
	memset(run->next.regs, EX_NO_VALUE, sizeof(run->next.regs));
	memset(run->next.l1_data, POISON, sizeof(run->next.l1_data));
	memset(run->next.l2_data, POISON, sizeof(run->next.l2_data));
	run->next.evictions = (u8)options->evictions;
	run->next.ticks = (u8)options->ticks;
	run->next.purges = (u8)options->purges;
	warm_up(run);
	ex_end_move(run);
}

void ex_explore(const struct ex_program *program, const struct ex_options *options,
		struct ex_result *result)
{
	struct ex_moves *l1 = result->l1, *l2 = result->l2;
	struct run *run = calloc(1, sizeof(*run));

	memset(result, 0, sizeof(*result));
	result->l1 = l1;
	result->l2 = l2;
	run->program = program;
	run->options = options;
	run->result = result;
	run->visited = visited_create();
	begin(run);
	while (run->depth) {
		memcpy(&run->now, &run->stack[--run->depth], sizeof(run->now));
		expand(run);
	}
	result->states = visited_count(run->visited);
	visited_destroy(run->visited);
	free(run->stack);
	free(run);
}
