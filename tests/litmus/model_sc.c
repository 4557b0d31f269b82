// SPDX-License-Identifier: MIT
/* Sequential consistency by trying all interleavings; see model.h. */
#include <string.h>

#include "model.h"

/** struct machine - one memory, and how far each thread is */
struct machine {
	u8 memory[LIT_LINES];
	u8 at[EX_THREADS];
	struct mod_outcome outcome;
};

bool mod_has(const struct mod_outcomes *outcomes, const struct mod_outcome *outcome)
{
	for (u32 n = 0; n < outcomes->count; n++)
		if (!memcmp(&outcomes->list[n], outcome, sizeof(*outcome)))
			return true;
	return false;
}

void mod_add(struct mod_outcomes *outcomes, const struct mod_outcome *outcome)
{
	u32 at = outcomes->count;

	if (mod_has(outcomes, outcome) || at == MOD_OUTCOMES)
		return;
	for (; at && memcmp(&outcomes->list[at - 1], outcome, sizeof(*outcome)) > 0; at--)
		outcomes->list[at] = outcomes->list[at - 1];
	outcomes->list[at] = *outcome;
	outcomes->count++;
}

static void make(struct machine *machine, const struct lit_insn *insn)
{
	u8 *word = &machine->memory[insn->line], old = *word;

	if (insn->what == LIT_FENCE)
		return;
	if (insn->what != LIT_ST)
		machine->outcome.value[insn->reg] = old;
	if (insn->what == LIT_ST || insn->what == LIT_EXCH ||
	    (insn->what == LIT_CAS && old == insn->expect))
		*word = insn->value;
	if (insn->what == LIT_ADD)
		*word = (u8)(old + insn->value);
}

static void go_on(const struct lit_test *test, const struct machine *machine,
		  struct mod_outcomes *outcomes)
{
	bool ended = true;

	for (u32 thread = 0; thread < test->program.threads; thread++) {
		const struct lit_insn *insn = &test->insn[thread][machine->at[thread]];
		struct machine next = *machine;

		if (insn->what == LIT_END)
			continue;
		ended = false;
		make(&next, insn);
		next.at[thread]++;
		go_on(test, &next, outcomes);
	}
	if (ended) {
		struct mod_outcome outcome = machine->outcome;

		memcpy(&outcome.value[EX_REGS], machine->memory, LIT_LINES);
		mod_add(outcomes, &outcome);
	}
}

void mod_sc(const struct lit_test *test, struct mod_outcomes *outcomes)
{
	const struct machine start = {};

	outcomes->count = 0;
	go_on(test, &start, outcomes);
}
