// SPDX-License-Identifier: MIT
/*
 * vgpu-top: what keys do. The module's answer to a change, or its refusal, is the note on the
 * screen.
 */
#include <ncurses.h>
#include <stdio.h>
#include <string.h>

#include "keys.h"

/* The choice behind the active one of knob @name, the first behind the last. */
static void next_choice(struct client *client, struct state *state, const char *name)
{
	const struct client_knob *knob = client_knob(&state->device, name);
	char choice[32], first[32] = "", chosen[32] = "";
	bool active, was_active = false;

	for (unsigned int i = 0; client_choice(knob, i, choice, sizeof(choice), &active); i++) {
		if (!i)
			memcpy(first, choice, sizeof(first));
		if (was_active)
			memcpy(chosen, choice, sizeof(chosen));
		was_active = active;
	}
	if (!chosen[0])
		memcpy(chosen, first, sizeof(chosen));
	if (client_set_knob(client, state->device.index, name, chosen))
		snprintf(state->note, sizeof(state->note), "%.120s", client->error);
	else
		snprintf(state->note, sizeof(state->note), "%s is now %s", name, chosen);
}

static void priority(struct client *client, struct state *state, int step)
{
	struct process *p = state_selected(state);
	int32_t value;

	if (!p) {
		snprintf(state->note, sizeof(state->note),
			 "select a process first, with the up and down keys");
		return;
	}
	value = p->now.priority + step;
	if (client_set_context(client, state->device.index, p->now.id, &value, NULL))
		snprintf(state->note, sizeof(state->note), "%.120s", client->error);
	else
		snprintf(state->note, sizeof(state->note), "priority of %s is now %d", p->name,
			 value);
}

static void sort(struct state *state)
{
	static const char *const names[SORTS] = { "SM time", "real time", "memory", "pid" };

	state->sort = (state->sort + 1) % SORTS;
	snprintf(state->note, sizeof(state->note), "sorted by %s", names[state->sort]);
}

bool key(struct client *client, struct state *state, int pressed)
{
	switch (pressed) {
	case 'q': return false;
	case 'p': next_choice(client, state, "policy"); break;
	case 'm': next_choice(client, state, "preemption"); break;
	case 't': next_choice(client, state, "transfer_policy"); break;
	case '+':
	case '=': priority(client, state, 1); break;
	case '-': priority(client, state, -1); break;
	case 's': sort(state); break;
	case 'v': state->sharing = !state->sharing; break;
	case 'j':
	case KEY_DOWN: state_select(state, 1); break;
	case 'k':
	case KEY_UP: state_select(state, -1); break;
	default: break;
	}
	return true;
}
