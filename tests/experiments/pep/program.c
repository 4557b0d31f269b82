// SPDX-License-Identifier: MIT
/* A program of ../smk: recorded up to its launch (../smk/record.c), then on a device of two SMs. */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "program.h"

/* What the recorder says the device is. */
int run_config(struct vgpu_config *config, const char *given)
{
	(void)given;
	return machine_configure(config, DEVICE);
}

/* ---- a program on a device ----------------------------------------------- */

static int copy_in(struct machine *m, const struct range *range)
{
	u64 bytes, at;
	int error = vgpu_memory_map(m->device, m->below, range->address, range->bytes);

	for (at = 0; at < range->bytes && !error; at += bytes) {
		u64 address = range->address + at;

		bytes = range->bytes - at < VGPU_COPY_MAX ? range->bytes - at : VGPU_COPY_MAX;
		error = machine_push(m, m->below, m->queue_below, &(struct vgpu_push){
			.cmd = { .op = VGPU_CMD_COPY_H2D,
				 .copy = { .dst = address, .src = address, .bytes = bytes } },
			.cookie = address,
		});
	}
	return error;
}

int program_load(struct machine *m, struct program_at *p)
{
	const struct recorded *r = p->recorded;
	char message[512] = "";
	int error = 0;

	for (u32 i = 0; i < r->module_count && !error; i++)
		error = vgpu_module_load(m->device, m->below, r->modules[i].bytes,
					 r->modules[i].size, message, sizeof(message),
					 &p->module[i]);
	for (u32 i = 0; i < r->range_count && !error; i++)
		error = copy_in(m, &r->ranges[i]);
	if (error)
		fprintf(stderr, "pep: %s cannot be loaded: %s\n", r->of->name, message);
	while (!error && vgpu_device_run(m->device, VGPU_NEVER, ~0u) != VGPU_NEVER)
		;
	return error ? -1 : 0;
}

int program_launch(struct machine *m, struct program_at *p)
{
	struct vgpu_push push = { .cmd = p->recorded->launch, .params = p->recorded->params };

	push.cmd.launch.module = p->module[push.cmd.launch.module];
	if (machine_push(m, m->below, m->queue_below, &push))
		return -1;
	p->start = vgpu_device_now(m->device) + m->config.sm_setup_ps;
	machine_until(m, p->start);
	return m->died ? -1 : 0;
}

/* What the blocks took that have ended, on average. */
static u64 mean_of(const struct machine *m)
{
	const struct vgpu_ksr *ksr = vgpu_list_first(&m->device->exec.active_queue, struct vgpu_ksr,
						     node);

	return ksr->launch.ended_ps / ksr->launch.ended_blocks;
}

/* Until all but one of as many blocks have ended as there were at first. */
int program_measure(struct program_at *p)
{
	struct machine m;
	struct vgpu_context_info info;
	int error = machine_create(&m, DEVICE);

	if (!error)
		error = program_load(&m, p);
	if (!error)
		error = program_launch(&m, p);
	if (!error) {
		info = machine_info(&m, m.below);
		p->resident = info.account.sm_blocks;
		p->registers = (double)info.account.sm_registers * sizeof(u32) /
			       (double)p->resident;
		p->shared = (double)info.account.sm_shared_bytes / (double)p->resident;
		while (machine_info(&m, m.below).blocks + 1 < p->resident && !m.died)
			if (vgpu_device_run(m.device, VGPU_NEVER, 64) == VGPU_NEVER)
				break;
		if (vgpu_list_empty(&m.device->exec.active_queue))
			error = -1;
		else
			p->mean = mean_of(&m);
	}
	if (error)
		fprintf(stderr, "pep: %s does not run\n", p->recorded->of->name);
	machine_destroy(&m);
	return error ? -1 : 0;
}

static void environment(u32 count)
{
	char devices[64] = "";

	for (u32 n = 0; n < count; n++)
		snprintf(devices + strlen(devices), sizeof(devices) - strlen(devices), "%s%u",
			 n ? "," : "", n);
	setenv("VGPU_TRANSPORT", "embedded", 1);
	setenv("VGPU_DEVICE", devices, 1);
	setenv("UNPADDED", "1", 1);
	unsetenv("CUDA_VISIBLE_DEVICES");
	unsetenv("RESIDENT");
}

int program_record(struct program_at *p, char *name, u32 n, u32 count)
{
	static struct recorded recorded[PROGRAMS_MOST];
	char *size = strchr(name, ':');
	const struct program_of *of;

	if (!n)
		environment(count);
	if (size)
		*size++ = 0;
	of = program_find(name);
	if (!of) {
		fprintf(stderr, "pep: no program '%s'; smk --list has them\n", name);
		return -1;
	}
	*p = (struct program_at){ .recorded = &recorded[n] };
	return record(&recorded[n], of, size ? size : "", n);
}
