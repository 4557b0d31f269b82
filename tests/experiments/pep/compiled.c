// SPDX-License-Identifier: MIT
/*
 * What compiled programs write: the programs of ../smk, up to their launch, on two SMs with the
 * memory bandwidth of two. No number here is put in: the device marks registers as
 * instructions write them.
 *
 * A base checkpoint is made in the first round of blocks at one part of their mean time, and the
 * SMs are taken at a later one. What is saved then is what the blocks have written in between. With
 * the first at their beginning it is all that they have written.
 */
#include "program.h"

#define PEP		DEVICE "preemption=pep,pep_in_place=0,pep_signal_ps=0,pep_launch_ps=0,"	\
			"pep_keep_ps=1000000000000000"
#define TAKES_US	20
#define ALL_OF_AN_SM	(352 * KB)
#define NEVER_ENDS	(1000000 * VGPU_US)

/** struct written - between @from and @to, permille of a block's mean time; bytes of a block */
struct written {
	u32 from, to;
	double base, increment;
	u64 checkpointed, saved;
};

/* Until the base checkpoints have been made. */
static int wait_for_base(struct machine *m, u64 least)
{
	u64 until = vgpu_device_now(m->device);

	while (machine_info(m, m->above).account.announced_stall < least && !m->died) {
		until += VGPU_US / 4;
		if (until > m->config.pep_signal_ps + NEVER_ENDS)
			return -1;
		machine_until(m, until);
	}
	return m->died ? -1 : 0;
}

static int take(struct machine *m, struct program_at *p, struct written *w)
{
	struct vgpu_cmd takes = taking(&m->config, TAKES_US, ALL_OF_AN_SM);
	struct vgpu_cmd call = announced(&takes);
	u64 at = p->start + p->mean * w->from / 1000;
	struct vgpu_account a;

	machine_until(m, at);
	if (machine_push(m, m->above, m->queue_above, &(struct vgpu_push){ .cmd = call }) ||
	    wait_for_base(m, 1))
		return -1;
	machine_until(m, vgpu_device_now(m->device) + p->mean * (w->to - w->from) / 1000);
	if (machine_push(m, m->above, m->queue_above, &(struct vgpu_push){ .cmd = takes }) ||
	    machine_wait(m, 2))
		return -1;
	a = machine_info(m, m->below).account;
	w->checkpointed = a.blocks_checkpointed;
	w->saved = a.blocks_saved;
	if (!a.blocks_checkpointed || !a.blocks_saved)
		return 0;
	w->base = (double)a.checkpoint_bytes / (double)a.blocks_checkpointed;
	w->increment = (double)(a.saved_bytes - a.checkpoint_bytes) / (double)a.blocks_saved;
	return 0;
}

static int measure(struct program_at *p, struct written *w)
{
	struct machine m;
	int error = machine_create(&m, PEP);

	if (!error)
		error = program_load(&m, p);
	if (!error)
		error = program_launch(&m, p);
	if (!error)
		error = take(&m, p, w);
	machine_destroy(&m);
	return error;
}

/* ---- Chimera's estimates ------------------------------------------------- */

/*
 * The SMs are taken in the second round, at @part permille of a block's mean time; all that may
 * end within @deadline drains.
 */
static int estimate(struct program_at *p, u32 part, u64 deadline, const char *what)
{
	struct vgpu_account a;
	struct machine m;
	char given[160];
	int error;

	snprintf(given, sizeof(given), DEVICE "preemption=chimera,deadline_ps=%llu",
		 (unsigned long long)deadline);
	error = machine_create(&m, given);
	if (!error)
		error = program_load(&m, p);
	if (!error)
		error = program_launch(&m, p);
	if (!error) {
		struct vgpu_cmd takes = taking(&m.config, TAKES_US, ALL_OF_AN_SM);

		machine_until(&m, p->start + p->mean * (1000 + part) / 1000);
		error = machine_push(&m, m.above, m.queue_above,
				     &(struct vgpu_push){ .cmd = takes });
	}
	if (!error)
		error = machine_wait(&m, 1);
	if (!error) {
		a = machine_info(&m, m.below).account;
		printf("estimate,%s,%s,%u,%llu,%llu,%llu,%.3f,%.3f\n", p->recorded->of->name, what,
		       part, (unsigned long long)a.blocks_drained,
		       (unsigned long long)a.blocks_saved, (unsigned long long)a.blocks_flushed,
		       (double)a.leave_estimated / 1e6, (double)a.leave_time / 1e6);
	}
	machine_destroy(&m);
	return error;
}

static int run_estimates(struct program_at *p)
{
	int error = 0;

	for (u32 part = 250; part <= 750 && !error; part += 250) {
		error = estimate(p, part, 1000 * p->mean, "drain");
		if (!error)
			error = estimate(p, part, p->mean / 2, "mixed");
	}
	return error;
}

/* ---- programs ------------------------------------------------------------ */

static int run_program(struct program_at *p)
{
	/* beginning to 25, 50 and 75 %, and from there on: figure 4.5, and a launch's time */
	static const u32 from_to[][2] = {
		{ 0, 250 }, { 0, 500 }, { 0, 750 }, { 250, 500 }, { 250, 750 }, { 500, 750 },
	};

	if (program_measure(p))
		return -1;
	for (u32 n = 0; n < sizeof(from_to) / sizeof(from_to[0]); n++) {
		struct written w = { .from = from_to[n][0], .to = from_to[n][1] };

		if (measure(p, &w))
			return -1;
		printf("written,%s,%.3f,%llu,%.0f,%.0f,%u,%u,%.1f,%.1f,%llu,%llu\n",
		       p->recorded->of->name, (double)p->mean / 1e6,
		       (unsigned long long)p->resident, p->registers, p->shared, w.from, w.to,
		       w.base, w.increment, (unsigned long long)w.checkpointed,
		       (unsigned long long)w.saved);
		fflush(stdout);
	}
	return run_estimates(p);
}

int study_compiled(char **names, u32 count)
{
	struct program_at p;

	if (!count || count > PROGRAMS_MOST) {
		fprintf(stderr, "pep: --compiled needs from one to %u programs\n", PROGRAMS_MOST);
		return -1;
	}
	for (u32 n = 0; n < count; n++)
		if (program_record(&p, names[n], n, count) || run_program(&p))
			return -1;
	return 0;
}
