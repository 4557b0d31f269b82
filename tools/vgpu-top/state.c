// SPDX-License-Identifier: MIT
/*
 * vgpu-top: what a device is doing and what has changed since the last look.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

static const struct client_context *find_old(const struct state *state, uint32_t id)
{
	for (size_t i = 0; i < state->old_count; i++)
		if (state->old[i].id == id)
			return &state->old[i];
	return NULL;
}

/* Warp instructions since the last look. */
static double issued(const struct client_context *now, const struct client_context *old)
{
	return (double)(now->instructions - (old ? old->instructions : 0));
}

/*
 * Per cent of the warp instructions of the device since the last look. Contexts are asked after the
 * device and may have executed more than it says.
 */
static void issue_shares(const struct state *state, struct process *processes, size_t count)
{
	double all = (double)(state->device.instructions - state->before.instructions), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += issued(&processes[i].now, find_old(state, processes[i].now.id));
	all = sum > all ? sum : all;
	for (size_t i = 0; i < count && state->seen_before && all > 0; i++)
		processes[i].issue_share =
			100 * issued(&processes[i].now, find_old(state, processes[i].now.id)) / all;
}

/* Per cent of the real time since the last look; of a new context that is not known. */
static double host_share(const struct state *state, const struct client_context *now,
			 const struct client_context *old)
{
	double ns = old ? (double)(client_host_time(now) - client_host_time(old)) : 0;
	double share = state->elapsed > 0 ? ns / 1e7 / state->elapsed : 0;

	return share > 100 ? 100 : share;
}

static double a_second(const struct state *state, uint64_t count)
{
	return state->elapsed > 0 ? (double)count / state->elapsed : 0;
}

/* Of a counter of the context, since the last look. */
#define RATE(field) a_second(state, p->now.field - (old ? old->field : 0))

static void rates(struct state *state, struct process *p)
{
	const struct client_context *old = find_old(state, p->now.id);
	double sm_time = (double)(p->now.sm_time - (old ? old->sm_time : 0));

	client_process_name(p->now.pid, p->name, sizeof(p->name));
	p->sm_share = state->passed > 0 ? 100 * sm_time / (state->passed * state->device.sms) : 0;
	if (p->sm_share > 100)
		p->sm_share = 100;
	p->host_share = host_share(state, &p->now, old);
	p->kernels = RATE(kernels);
	p->faults = RATE(page_faults);
	p->preempted = RATE(preemptions);
	p->host_faults = RATE(host_page_faults);
	p->bytes_in = RATE(page_bytes_in);
	p->bytes_out = RATE(page_bytes_out);
	p->refaults = RATE(page_refaults);
}

static int by_sm(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->sm_share != y->sm_share)
		return x->sm_share < y->sm_share ? 1 : -1;
	return x->now.id < y->now.id ? -1 : x->now.id > y->now.id;
}

static int by_host(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->host_share != y->host_share)
		return x->host_share < y->host_share ? 1 : -1;
	return x->now.id < y->now.id ? -1 : x->now.id > y->now.id;
}

static int by_memory(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->now.mapped_bytes != y->now.mapped_bytes)
		return x->now.mapped_bytes < y->now.mapped_bytes ? 1 : -1;
	return x->now.id < y->now.id ? -1 : x->now.id > y->now.id;
}

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->now.pid != y->now.pid)
		return x->now.pid < y->now.pid ? -1 : 1;
	return x->now.id < y->now.id ? -1 : x->now.id > y->now.id;
}

static int look_contexts(struct client *client, struct state *state, uint32_t device)
{
	static int (*const order[SORTS])(const void *, const void *) = { by_sm, by_host, by_memory,
									  by_pid };
	struct client_context *list;
	struct process *processes;
	size_t count;
	int status = client_contexts(client, (int)device, &list, &count);

	if (status)
		return status;
	processes = calloc(count + 1, sizeof(*processes));
	if (!processes) {
		free(list);
		snprintf(client->error, sizeof(client->error), "out of memory");
		return CLIENT_FAILED;
	}
	for (size_t i = 0; i < count; i++) {
		processes[i].now = list[i];
		rates(state, &processes[i]);
	}
	issue_shares(state, processes, count);
	if (count)
		qsort(processes, count, sizeof(*processes), order[state->sort]);
	free(state->processes);
	free(state->old);
	state->processes = processes;
	state->count = count;
	state->old = list;
	state->old_count = count;
	if (!state_selected(state))
		state->selected = 0;
	return CLIENT_OK;
}

/* An older module does not tell. */
static void look_sms(struct client *client, struct state *state, uint32_t device)
{
	free(state->sms);
	state->sms = NULL;
	state->sm_count = 0;
	if (client_sms(client, (int)device, &state->sms, &state->sm_count))
		client->error[0] = 0;
}

int state_look(struct client *client, struct state *state, uint32_t device, double elapsed)
{
	struct client_device *list;
	size_t count;
	int status = client_devices(client, (int)device, &list, &count);

	if (status)
		return status;
	state->seen_before = state->device.sms && state->device.time <= list[0].time;
	state->before = state->device;
	state->device = list[0];
	free(list);
	state->elapsed = elapsed;
	state->passed = state->seen_before ? (double)(state->device.time - state->before.time) : 0;
	look_sms(client, state, device);
	return look_contexts(client, state, device);
}

void state_free(struct state *state)
{
	free(state->processes);
	free(state->old);
	free(state->sms);
}

struct process *state_selected(struct state *state)
{
	for (size_t i = 0; i < state->count; i++)
		if (state->processes[i].now.id == state->selected)
			return &state->processes[i];
	return NULL;
}

void state_select(struct state *state, int step)
{
	struct process *p = state_selected(state);
	size_t at = p ? (size_t)(p - state->processes) : 0;

	if (!state->count)
		return;
	if (p && step > 0 && at + 1 < state->count)
		at++;
	if (p && step < 0 && at > 0)
		at--;
	state->selected = state->processes[at].now.id;
}
