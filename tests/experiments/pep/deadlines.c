// SPDX-License-Identifier: MIT
/*
 * Deadlines and throughput (Chimera, ASPLOS 2015): a kernel with priority comes again and again and
 * takes all SMs for 20 us, at times that have nothing to do with those of the blocks. Counted are
 * SMs that came later than 5, 10 and 15 us, and what part of the time that was left to the kernel
 * below it did not execute, or executed in vain.
 */
#include "pep.h"

#define EACH_US		617	/* from one request to the next */
#define TAKES_US	20
#define REQUESTS	40u
#define ALL_OF_AN_SM	(352 * KB)

/* Blocks vary by a tenth: otherwise all of an SM would end together for ever. */
#define VARIATION	100	/* permille */

struct way_of {
	const char *name, *settings;
	bool flushes;
};

static const struct way_of ways[] = {
	{ "drain", "preemption=drain", false },
	{ "switch", "preemption=switch", false },
	{ "flush", "preemption=flush", true },
	{ "chimera 5", "preemption=chimera,deadline_ps=5000000", true },
	{ "chimera 10", "preemption=chimera,deadline_ps=10000000", true },
	{ "chimera 15", "preemption=chimera,deadline_ps=15000000", true },
};

static struct vgpu_cmd kernel_below(const struct kernel_of *kernel,
				    const struct vgpu_config *config, u32 requests,
				    u32 idempotent)
{
	u64 rounds = 2 + (u64)(EACH_US * (requests + 1) / kernel->block_us);

	return (struct vgpu_cmd){
		.op = VGPU_CMD_PROFILED,
		.profiled = {
			.blocks = rounds * config->sms * kernel->blocks,
			.block_ps = (u64)(kernel->block_us * VGPU_US),
			.block_cv_permille = VARIATION,
			.idempotent_permille = (u16)idempotent,
			.threads = threads_of(kernel, config),
			.regs_per_block = kernel->context_bytes / sizeof(u32),
		},
	};
}

/* Of the SMs' time that the kernel above did not have: the part of no use to the one below. */
static double lost(const struct machine *m, const struct kernel_of *kernel)
{
	struct vgpu_account a = machine_info(m, m->below).account;
	double time = (double)vgpu_device_now(m->device) * m->config.sms;
	double used = (double)(a.block_running - a.flushed_time) / kernel->blocks;

	return 1 - used / (time - (double)machine_info(m, m->above).sm_time);
}

static int request(struct machine *m, u32 requests)
{
	struct vgpu_cmd takes = taking(&m->config, TAKES_US, ALL_OF_AN_SM);
	struct vgpu_push push = { .cmd = takes };

	for (u32 n = 1; n <= requests; n++) {
		machine_until(m, n * EACH_US * VGPU_US);
		if (machine_push(m, m->above, m->queue_above, &push) || machine_wait(m, n))
			return -1;
	}
	machine_until(m, (requests + 1) * EACH_US * VGPU_US);
	return 0;
}

static int run(const struct kernel_of *kernel, const struct way_of *way, u32 idempotent,
	       u32 requests)
{
	struct machine m;
	char given[160];
	int error;

	snprintf(given, sizeof(given), "%s,threads_per_sm=%u", way->settings,
		 threads_per_sm(kernel));
	error = machine_create(&m, given);
	for (u32 n = 0; n < 3; n++)
		m.deadline[n] = (n + 1) * 5 * VGPU_US;
	if (!error) {
		struct vgpu_cmd cmd = kernel_below(kernel, &m.config, requests, idempotent);

		error = machine_push(&m, m.below, m.queue_below, &(struct vgpu_push){ .cmd = cmd });
	}
	if (!error)
		error = request(&m, requests);
	if (!error) {
		struct vgpu_account a = machine_info(&m, m.below).account;
		double all = (double)m.preempted;

		printf("late,%s,%s,%.1f,%llu,%.5f,%.5f,%.5f,%.4f,%.4f,%.5f,%llu,%llu,%llu\n",
		       kernel->name, way->name, idempotent / 1000.0,
		       (unsigned long long)m.preempted, (double)m.late[0] / all,
		       (double)m.late[1] / all, (double)m.late[2] / all,
		       (double)m.latencies / all / 1e6, (double)m.latency / 1e6, lost(&m, kernel),
		       (unsigned long long)a.blocks_drained, (unsigned long long)a.blocks_saved,
		       (unsigned long long)a.blocks_flushed);
	}
	machine_destroy(&m);
	return error;
}

int study_deadlines(bool quick)
{
	static const u32 idempotent[] = { 0, 500, 1000 };

	for (u32 k = 0; k < KERNELS; k++)
		for (u32 w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
			for (u32 n = 0; n < (ways[w].flushes ? 3 : 1); n++)
				if (run(&kernels[k], &ways[w], idempotent[n],
					quick ? 8 : REQUESTS))
					return -1;
	return 0;
}
