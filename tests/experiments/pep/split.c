// SPDX-License-Identifier: MIT
/*
 * Figure 4.3 of the thesis: of the nine blocks of LBM on an SM some are switched, and the others
 * drain. What moves, and what the others load and store, goes through the same memory
 * (timing=pipeline). The mechanism is this study's own: the first blocks of an SM are switched.
 */
#include "device/device.h"
#include "program.h"

#define BLOCKS		9u
#define TAKES_US	20
#define ALL_OF_AN_SM	(352 * KB)
#define SPLIT		TWO_SMS "timing=pipeline,blocks_per_sm=9,deadline_ps=1000000000000"

static u32 switched;			/* of each SM */

static enum vgpu_leave choose(struct vgpu_exec *exec, const struct vgpu_block *block, bool late,
			      struct vgpu_preemption_estimate *estimate)
{
	(void)exec;
	(void)late;
	*estimate = (struct vgpu_preemption_estimate){ 0 };
	return block->slot < switched ? VGPU_LEAVE_SAVE : VGPU_LEAVE_DRAIN;
}

static void estimate(struct vgpu_exec *exec, u32 sm, struct vgpu_preemption_estimate *all)
{
	(void)exec;
	(void)sm;
	*all = (struct vgpu_preemption_estimate){ 0 };
}

static const struct vgpu_preemption split = {
	.name = "split",
	.begin = vgpu_exec_leave_blocks,
	.estimate = estimate,
	.choose = choose,
};

static int run(struct program_at *p, u32 part)
{
	struct machine m;
	int error = machine_create(&m, SPLIT);

	if (!error)
		error = program_load(&m, p);
	if (!error)
		error = program_launch(&m, p);
	if (!error) {
		struct vgpu_cmd takes = taking(&m.config, TAKES_US, ALL_OF_AN_SM);

		m.device->exec.preemption = &split;
		vgpu_device_trace(m.device, true);
		machine_until(&m, p->start + p->mean * part / 1000);
		error = machine_push(&m, m.above, m.queue_above,
				     &(struct vgpu_push){ .cmd = takes });
	}
	if (!error)
		error = machine_wait(&m, 1);
	if (!error)
		printf("split,%s,%u,%u,%llu,%.4f,%llu,%.4f\n", p->recorded->of->name, switched,
		       part, (unsigned long long)m.left[VGPU_LEAVE_SAVE],
		       (double)m.last_left[VGPU_LEAVE_SAVE] / 1e6,
		       (unsigned long long)m.left[VGPU_LEAVE_DRAIN],
		       m.left[VGPU_LEAVE_DRAIN] ? (double)m.all_left[VGPU_LEAVE_DRAIN] /
						  (double)m.left[VGPU_LEAVE_DRAIN] / 1e6 : 0.);
	machine_destroy(&m);
	return error;
}

/* What a block takes beside eight others: until those of the first round have ended. */
static int measure(struct program_at *p)
{
	struct machine m;
	int error = machine_create(&m, SPLIT);

	if (!error)
		error = program_load(&m, p);
	if (!error)
		error = program_launch(&m, p);
	while (!error && machine_info(&m, m.below).blocks < m.config.sms * BLOCKS)
		if (m.died || vgpu_device_run(m.device, VGPU_NEVER, 64) == VGPU_NEVER)
			error = -1;
	if (!error)
		p->mean = vgpu_device_now(m.device) - p->start;
	machine_destroy(&m);
	return error;
}

int study_split(char *name)
{
	struct program_at p;
	int error = program_record(&p, name, 0, 1);

	if (!error)
		error = measure(&p);
	for (switched = 0; switched <= BLOCKS && !error; switched++)
		for (u32 part = 250; part <= 750 && !error; part += 250)
			error = run(&p, part);
	return error;
}
