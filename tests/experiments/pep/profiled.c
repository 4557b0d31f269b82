// SPDX-License-Identifier: MIT
/*
 * Latency, stall and context by scheme (thesis 4.6.2): each kernel of table 4.1 is preempted from
 * all SMs at each point of the thesis: the launch is called at 25, 50 and 75 % of a block's time,
 * and comes 5, 15, 25 and 35 us later; PEP expects it 20 or 30 us later, Chimera's deadline is 5,
 * 10 or 15 us.
 *
 * Blocks of a profiled kernel all take the mean, so those on SMs begin together. The launch is
 * called in the second round of them. The next kernel leaves nothing free on an SM, so nothing
 * stays in place; with "in place" it is each of the other kernels in turn.
 */
#include <string.h>

#include "pep.h"

static const u32 launches_us[] = { 5, 15, 25, 35 };
static const u32 progresses[] = { 25, 50, 75 };
static const u32 predictions_us[] = { 20, 30 };
static const u32 deadlines_us[] = { 5, 10, 15 };

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define TAKES_US	20
#define ALL_OF_AN_SM	(352 * KB)

/**
 * struct scheme - a column of figures 4.9 to 4.15
 * @parameter: its field, which has each of @values
 */
struct scheme {
	const char *name, *settings, *parameter;
	const u32 *values;
	u32 count;
	bool in_place;
};

static const struct scheme schemes[] = {
	{ "drain", "preemption=drain", "drain_ps", deadlines_us, 1, false },
	{ "switch", "preemption=switch", "drain_ps", deadlines_us, 1, false },
	{ "chimera", "preemption=chimera", "deadline_ps", deadlines_us, 3, false },
	{ "chimera-dirty", "preemption=chimera,save_dirty=1", "deadline_ps", deadlines_us, 3,
	  false },
	{ "pep", "preemption=pep,pep_in_place=0", "pep_launch_ps", predictions_us, 2, false },
	{ "pep-in-place", "preemption=pep", "pep_launch_ps", predictions_us, 2, true },
};

/* pep.h */
bool as_printed;
u32 variation;

/** struct point - one preemption; @takes: bytes of an SM that the next kernel uses */
struct point {
	const struct scheme *scheme;
	const struct kernel_of *kernel;
	u32 parameter, launch, progress;
	u64 takes;
	const char *by;
};

static struct vgpu_cmd kernel_below(const struct kernel_of *kernel,
				    const struct vgpu_config *config)
{
	/* the second round, the call, what a launch takes, what the SMs take; and a round more */
	u64 rounds = 6 + (u64)(100 / kernel->block_us);

	return (struct vgpu_cmd){
		.op = VGPU_CMD_PROFILED,
		.profiled = {
			.blocks = rounds * config->sms * kernel->blocks,
			.block_ps = (u64)(kernel->block_us * VGPU_US),
			.block_cv_permille = (u16)variation,
			.threads = threads_of(kernel, config),
			.regs_per_block = kernel->context_bytes / sizeof(u32),
			.clean_base_permille = 1000 - DIRTY_BASE,
			.clean_increment_permille = 1000 - DIRTY_INCREMENT,
		},
	};
}

/* How the blocks left (figure 4.8). */
static const char *way(const struct vgpu_account *a)
{
	if (!a->blocks_checkpointed)
		return a->blocks_saved ? "switch" : "drain";
	/* what left with its base checkpoint is not saved again */
	return a->blocks_saved ? "two" : "one";
}

/* For how long SMs stood for it, all together: moves with the pipeline's drain (4.6.2.5). */
static u64 stalled(const struct machine *m, u64 base, const char *how)
{
	if (!strcmp(how, "drain") || !strcmp(how, "one"))
		return base;
	return base + m->latencies;
}

static void print(const struct machine *m, const struct point *p)
{
	struct vgpu_account a = machine_info(m, m->below).account;
	const char *how = way(&a);
	u64 base = machine_info(m, m->above).account.announced_stall;
	double sms = m->config.sms;

	printf("point,%s,%s,%s,%u,%u,%u,%.4f,%.4f,%.4f,%s,%llu,%llu,%llu,%llu,%u,%llu,%llu,%u\n",
	       p->kernel->name, p->scheme->name, p->by, p->parameter, p->launch, p->progress,
	       (double)m->latency / 1e6, (double)stalled(m, base, how) / sms / 1e6,
	       (double)base / sms / 1e6, how, (unsigned long long)a.checkpoint_bytes,
	       (unsigned long long)a.saved_bytes, (unsigned long long)a.in_place_bytes,
	       (unsigned long long)a.blocks_saved, p->kernel->context_bytes,
	       (unsigned long long)a.leave_estimated, (unsigned long long)a.leave_time,
	       m->config.sms * p->kernel->blocks);
}

static int preempt(struct machine *m, const struct point *p)
{
	struct vgpu_cmd takes = taking(&m->config, TAKES_US, p->takes), call = announced(&takes);
	struct vgpu_cmd below = kernel_below(p->kernel, &m->config);
	u64 called = m->config.sm_setup_ps + below.profiled.block_ps +
		     below.profiled.block_ps * p->progress / 100;

	if (machine_push(m, m->below, m->queue_below, &(struct vgpu_push){ .cmd = below }))
		return -1;
	machine_until(m, called);
	if (machine_push(m, m->above, m->queue_above, &(struct vgpu_push){ .cmd = call }))
		return -1;
	machine_until(m, called + p->launch * VGPU_US);
	if (machine_push(m, m->above, m->queue_above, &(struct vgpu_push){ .cmd = takes }) ||
	    machine_wait(m, 2))
		return -1;
	print(m, p);
	return 0;
}

/* With which a switch of all of @kernel takes what table 4.1 says; 0: as the device has it. */
static u64 bandwidth_of(const struct kernel_of *kernel)
{
	struct vgpu_config config;
	double us;

	if (!as_printed || machine_configure(&config, ""))
		return 0;
	us = kernel->switch_us - (double)config.pipeline_drain_ps / VGPU_US;
	return (u64)((double)kernel->context_bytes * kernel->blocks * config.sms * 1e6 / us);
}

static int run(const struct point *p)
{
	u64 bandwidth = bandwidth_of(p->kernel);
	struct machine m;
	char given[200];
	int error, length;

	length = snprintf(given, sizeof(given), "%s,%s=%llu,threads_per_sm=%u", p->scheme->settings,
			  p->scheme->parameter, (unsigned long long)(p->parameter * VGPU_US),
			  threads_per_sm(p->kernel));
	if (bandwidth)
		snprintf(given + length, sizeof(given) - (size_t)length, ",memory_bandwidth=%llu",
			 (unsigned long long)bandwidth);
	error = machine_create(&m, given);
	if (!error)
		error = preempt(&m, p);
	machine_destroy(&m);
	return error;
}

/* All points of one kernel under one scheme. */
static int run_points(struct point *p)
{
	for (u32 n = 0; n < p->scheme->count; n++)
		for (u32 l = 0; l < COUNT(launches_us); l++)
			for (u32 k = 0; k < COUNT(progresses); k++) {
				p->parameter = p->scheme->values[n];
				p->launch = launches_us[l];
				p->progress = progresses[k];
				if (run(p))
					return -1;
			}
	return 0;
}

static u64 used_by(const struct kernel_of *kernel)
{
	return (u64)kernel->context_bytes * kernel->blocks;
}

/* Is @name in @list, names with commas between them? */
static bool is_in(const char *list, const char *name)
{
	size_t length = strlen(name);

	while (list) {
		if (!strncmp(list, name, length) && (!list[length] || list[length] == ','))
			return true;
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
	return false;
}

int study_profiled(const char *only)
{
	for (u32 s = 0; s < COUNT(schemes); s++)
		for (u32 k = 0; k < KERNELS && (!only || is_in(only, schemes[s].name)); k++) {
			struct point p = { .scheme = &schemes[s], .kernel = &kernels[k],
					   .takes = ALL_OF_AN_SM, .by = "all" };

			for (u32 n = 0; n < (schemes[s].in_place ? KERNELS : 1); n++) {
				if (schemes[s].in_place && n == k)
					continue;
				if (schemes[s].in_place) {
					p.by = kernels[n].name;
					p.takes = used_by(&kernels[n]);
				}
				if (run_points(&p))
					return -1;
			}
		}
	return 0;
}

int study_room(void)
{
	static const u32 rooms[] = { 0, 4, 8, 16, 32, 64, 128 };
	char by[16];

	for (u32 n = 0; n < COUNT(rooms); n++)
		for (u32 k = 0; k < KERNELS; k++) {
			struct point p = { .scheme = &schemes[COUNT(schemes) - 1],
					   .kernel = &kernels[k], .by = by,
					   .takes = ALL_OF_AN_SM - rooms[n] * KB };

			snprintf(by, sizeof(by), "%u KB", rooms[n]);
			if (run_points(&p))
				return -1;
		}
	return 0;
}
