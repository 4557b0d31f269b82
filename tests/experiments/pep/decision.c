// SPDX-License-Identifier: MIT
/* Real time that chimera takes to decide about an SM of 16 blocks: BS of table 4.1. */
#include <string.h>
#include <time.h>

#include "device/device.h"
#include "pep.h"

#define TIMES	200000u

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double decide(struct machine *m)
{
	const struct vgpu_preemption *chimera = vgpu_preemption_find("chimera");
	struct vgpu_preemption_estimate estimate;
	double start = seconds();

	for (u32 n = 0; n < TIMES; n++)
		chimera->estimate(&m->device->exec, n % m->config.sms, &estimate);
	return (seconds() - start) / TIMES * 1e9;
}

int study_decision(void)
{
	const struct kernel_of *kernel = kernels;
	struct machine m;
	struct vgpu_push push = { .cmd.op = VGPU_CMD_PROFILED };
	double best = 0;

	while (strcmp(kernel->name, "BS"))
		kernel++;
	if (machine_create(&m, "preemption=chimera"))
		return -1;
	push.cmd.profiled = (struct vgpu_cmd_profiled){
		.blocks = 1000000,
		.block_ps = (u64)(kernel->block_us * VGPU_US),
		.block_cv_permille = 300,
		.idempotent_permille = 500,
		.threads = 128,
		.regs_per_block = kernel->context_bytes / sizeof(u32),
	};
	if (machine_push(&m, m.below, m.queue_below, &push))
		return -1;
	machine_until(&m, 5000 * VGPU_US);
	for (u32 n = 0; n < 5; n++) {
		double ns = decide(&m);

		best = !n || ns < best ? ns : best;
	}
	printf("decision,%u blocks,%.0f ns\n", m.device->exec.sms[0].resident_count, best);
	machine_destroy(&m);
	return 0;
}
