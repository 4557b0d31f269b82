// SPDX-License-Identifier: MIT
/*
 * Programs on a device: a context for each, with its code and the bytes of its memory as they were
 * at its launch. All launch at the same time, and again whenever a kernel has ended ("if one
 * program ends before 2M cycles, it is re-executed", 6.1).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "smk.h"
#include "transport/embedded_config.h"
#include "transport/embedded_frames.h"

#define IN_FLIGHT 2u /* launches of a program: the next one is there when one ends */

/** struct machine - a device and what is on it */
struct machine {
	struct vgpu_device *device;
	struct vgpu_config config;
	struct vgpu_host_frames frames;
	FILE *trace;
	struct run *run;
	struct context {
		u32 id, queue;
		u32 module[RANGES_MOST];
		u64 pushed, done;	/* commands */
		bool died;
	} context[PROGRAMS_MOST];
	struct vgpu_context_info before[PROGRAMS_MOST];
};

/* ---- the host ----------------------------------------------------------- */

static void *get_frame(void *host, u32 context)
{
	struct machine *m = host;

	(void)context;
	return vgpu_host_frame_get(&m->frames);
}

static void put_frame(void *host, void *memory)
{
	struct machine *m = host;

	vgpu_host_frame_put(&m->frames, memory);
}

/* The cookie is the address in this process. */
static int move(void *host, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes,
		enum vgpu_move direction)
{
	void *mine = (void *)(uintptr_t)(cookie + offset);

	(void)host;
	(void)context;
	if (direction == VGPU_MOVE_TO_HOST)
		memcpy(mine, memory, bytes);
	else
		memcpy(memory, mine, bytes);
	return 0;
}

static struct context *context_of(struct machine *m, u32 id)
{
	u32 n = 0;

	while (m->context[n].id != id)
		n++;
	return &m->context[n];
}

static void completed(void *host, const struct vgpu_completion *completion)
{
	struct machine *m = host;

	context_of(m, completion->context)->done = completion->seq;
	vgpu_device_stop(m->device);
}

static void context_died(void *host, u32 context, const struct vgpu_fault *fault)
{
	struct machine *m = host;
	struct context *c = context_of(m, context);

	c->died = true;
	fprintf(stderr, "smk: %s died: fault %u at instruction %u, address %#llx\n",
		m->run->programs[c - m->context].of->name, fault->reason, fault->pc,
		(unsigned long long)fault->address);
}

static void trace(void *host, const struct vgpu_trace_record *record)
{
	struct machine *m = host;

	if (m->trace)
		fwrite(record, sizeof(*record), 1, m->trace);
}

static const struct vgpu_host_ops ops = {
	.get_frame = get_frame,
	.put_frame = put_frame,
	.move = move,
	.completed = completed,
	.context_died = context_died,
	.trace = trace,
};

/* ---- a device ----------------------------------------------------------- */

/*
 * The preset is SMK's. SMK 6.3 and figure 9 speak of hits of kernels' loads in the L1, so global
 * memory is cached there, as in GPGPU-Sim (and constants, which have no cache of their own here).
 * Settings of VGPU_SET come last: the last of a key counts.
 */
static int environment(const char *settings)
{
	static char *given;
	char all[1024];

	if (!given)
		given = strdup(getenv("VGPU_SET") ? getenv("VGPU_SET") : "");
	if (!given || snprintf(all, sizeof(all), "timing=pipeline,l1_global=1%s%s%s%s",
			       *settings ? "," : "", settings, *given ? "," : "",
			       given) >= (int)sizeof(all)) {
		fprintf(stderr, "smk: VGPU_SET is too long\n");
		return -EINVAL;
	}
	setenv("VGPU_SET", all, 1);
	setenv("VGPU_PRESET", "gtx980", 0);
	return 0;
}

int run_config(struct vgpu_config *config, const char *settings)
{
	char message[512];
	int error = environment(settings);

	if (!error) {
		error = vgpu_embedded_configure(0, config, message, sizeof(message));
		if (error)
			fprintf(stderr, "smk: %s\n", message);
	}
	return error;
}

static int create(struct machine *m, struct run *run)
{
	char message[512];
	int error = run_config(&m->config, run->settings);

	if (error)
		return error;
	m->run = run;
	error = vgpu_device_create(&m->config, &ops, m, &m->device);
	if (error) {
		fprintf(stderr, "smk: no device: %s\n", strerror(-error));
		return error;
	}
	error = vgpu_embedded_set_knobs(m->device, message, sizeof(message));
	if (error)
		fprintf(stderr, "smk: %s\n", message);
	return error;
}

static int push(struct machine *m, struct context *c, const struct vgpu_push *command)
{
	u32 failed;

	return vgpu_queue_push(m->device, c->id, c->queue, command, 1, &failed, &c->pushed);
}

static int copy_in(struct machine *m, struct context *c, const struct range *range)
{
	u64 bytes, at;
	int error = vgpu_memory_map(m->device, c->id, range->address, range->bytes);

	for (at = 0; at < range->bytes && !error; at += bytes) {
		u64 address = range->address + at;

		bytes = range->bytes - at < VGPU_COPY_MAX ? range->bytes - at : VGPU_COPY_MAX;
		error = push(m, c, &(struct vgpu_push){
			.cmd = { .op = VGPU_CMD_COPY_H2D,
				 .copy = { .dst = address, .src = address, .bytes = bytes } },
			.cookie = address,
		});
	}
	return error;
}

static int load(struct machine *m, u32 n)
{
	const struct recorded *r = &m->run->programs[n];
	struct context *c = &m->context[n];
	char message[512] = "";
	int error = vgpu_context_open(m->device, n, NULL, &c->id);

	if (!error)
		error = vgpu_queue_create(m->device, c->id, &c->queue);
	for (u32 i = 0; i < r->module_count && !error; i++)
		error = vgpu_module_load(m->device, c->id, r->modules[i].bytes, r->modules[i].size,
					 message, sizeof(message), &c->module[i]);
	for (u32 i = 0; i < r->range_count && !error; i++)
		error = copy_in(m, c, &r->ranges[i]);
	if (error)
		fprintf(stderr, "smk: %s cannot be loaded: %s %s\n", r->of->name, strerror(-error),
			message);
	return error;
}

static bool any_died(const struct machine *m)
{
	for (u32 n = 0; n < m->run->count; n++)
		if (m->context[n].died)
			return true;
	return false;
}

/* Until all that was pushed has ended. */
static int finish(struct machine *m)
{
	for (u32 n = 0; n < m->run->count; n++)
		while (m->context[n].done < m->context[n].pushed)
			if (any_died(m) ||
			    vgpu_device_run(m->device, VGPU_NEVER, 4096) == VGPU_NEVER)
				return m->context[n].done < m->context[n].pushed ? -EIO : 0;
	return any_died(m) ? -EIO : 0;
}

/* ---- a run -------------------------------------------------------------- */

static int launch(struct machine *m, u32 n)
{
	const struct recorded *r = &m->run->programs[n];
	struct vgpu_push command = { .cmd = r->launch, .params = r->params };
	int error;

	command.cmd.launch.module = m->context[n].module[r->launch.launch.module];
	error = push(m, &m->context[n], &command);
	if (error)
		fprintf(stderr, "smk: %s cannot be launched: %s\n", r->of->name, strerror(-error));
	return error;
}

static int launch_all(struct machine *m, u32 in_flight)
{
	int error = any_died(m) ? -EIO : 0;

	for (u32 n = 0; n < m->run->count; n++)
		while (!error && m->context[n].pushed - m->context[n].done < in_flight)
			error = launch(m, n);
	return error;
}

static int run_until(struct machine *m, u64 until)
{
	int error = 0;

	while (!error) {
		u64 next = vgpu_device_run(m->device, until, ~0u);

		error = launch_all(m, IN_FLIGHT);
		if (vgpu_device_now(m->device) == until && next > until)
			break;
	}
	return error;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* What each program has on SMs. */
static void look(struct machine *m)
{
	const struct vgpu_config *config = &m->config;
	double sms = config->sms;

	for (u32 n = 0; n < m->run->count; n++) {
		struct share *share = &m->run->share[n];
		struct vgpu_context_info info;
		double registers, shared, threads, slots;

		if (vgpu_context_info(m->device, m->context[n].id, &info))
			continue;
		registers = info.account.sm_registers / (sms * config->regs_per_sm);
		shared = info.account.sm_shared_bytes / (sms * config->shared_per_sm);
		threads = info.account.sm_warps * 32 / (sms * config->threads_per_sm);
		slots = info.account.sm_blocks / (sms * config->blocks_per_sm);
		share->resources += larger(larger(registers, shared), larger(threads, slots)) /
				    SAMPLES;
		share->registers = larger(share->registers, registers);
		share->shared = larger(share->shared, shared);
		share->threads = larger(share->threads, threads);
		share->slots = larger(share->slots, slots);
		if (info.account.sm_blocks > share->most_blocks) {
			share->most_blocks = info.account.sm_blocks;
			share->most_registers = info.account.sm_registers;
			share->most_shared = info.account.sm_shared_bytes;
		}
	}
}

static void subtract(struct vgpu_device_stats *stats, const struct vgpu_device_stats *before)
{
#define SUBTRACT(number, NAME, path, member, file, text) stats->member -= before->member;
	VGPU_DEVICE_COUNTERS(SUBTRACT)
#undef SUBTRACT
}

static void count(struct machine *m, const struct vgpu_device_stats *before)
{
	vgpu_device_stats(m->device, &m->run->stats);
	subtract(&m->run->stats, before);
	for (u32 n = 0; n < m->run->count; n++) {
		const struct vgpu_context_info *was = &m->before[n];
		struct share *share = &m->run->share[n];
		struct vgpu_context_info info = { 0 };

		vgpu_context_info(m->device, m->context[n].id, &info);
		share->instructions = info.thread_instructions - was->thread_instructions;
		share->warp_instructions = info.instructions - was->instructions;
		share->kernels = info.kernels - was->kernels;
		share->blocks = info.blocks - was->blocks;
		share->block_ps = info.account.block_running - was->account.block_running;
		share->saved_blocks = info.account.blocks_saved - was->account.blocks_saved;
	}
}

static int run_cycles(struct machine *m)
{
	struct run *run = m->run;
	u64 start = vgpu_device_now(m->device);
	u64 ps = run->cycles * 1000000000 / m->config.clock_khz;
	int error = launch_all(m, IN_FLIGHT);

	for (u32 n = 1; n <= SAMPLES && !error; n++) {
		error = run_until(m, start + ps * n / SAMPLES);
		look(m);
	}
	return error;
}

/* Each kernel once, and what it has left in memory; its events measure all of the run. */
static int run_once(struct machine *m)
{
	u64 start = vgpu_device_now(m->device);
	int error = launch_all(m, 1);

	/* when all blocks have come that there is room for, and none has ended */
	for (u32 n = 0; n < SAMPLES && !error; n++) {
		vgpu_device_run(m->device, vgpu_device_now(m->device) + 100 * VGPU_NS, ~0u);
		look(m);
	}
	if (!error)
		error = finish(m);
	for (u32 n = 0; n < m->run->count && !error; n++) {
		struct recorded *r = &m->run->programs[n];

		r->kernel_ps = vgpu_device_now(m->device) - start;
		for (u32 i = 0; i < r->range_count && !error; i++)
			error = vgpu_memory_peek(m->device, m->context[n].id, r->ranges[i].address,
						 (void *)(uintptr_t)r->ranges[i].address,
						 r->ranges[i].bytes);
	}
	return error;
}

static int open_trace(struct machine *m)
{
	if (!m->run->trace)
		return 0;
	m->trace = fopen(m->run->trace, "w");
	if (!m->trace) {
		fprintf(stderr, "smk: %s: %s\n", m->run->trace, strerror(errno));
		return -errno;
	}
	fwrite("VGPUTRC1", 8, 1, m->trace);
	vgpu_device_trace(m->device, true);
	return 0;
}

static int run_on(struct machine *m, struct run *run)
{
	struct vgpu_device_stats before;
	int error = create(m, run);

	for (u32 n = 0; n < run->count && !error; n++)
		error = load(m, n);
	if (!error)
		error = finish(m);
	if (!error)
		error = open_trace(m);
	if (error)
		return error;
	vgpu_device_stats(m->device, &before);
	for (u32 n = 0; n < run->count; n++)
		vgpu_context_info(m->device, m->context[n].id, &m->before[n]);
	error = run->cycles ? run_cycles(m) : run_once(m);
	if (!error)
		count(m, &before);
	return error;
}

int run_programs(struct run *run)
{
	struct machine *m = calloc(1, sizeof(*m));
	int error = m ? 0 : -ENOMEM;

	memset(run->share, 0, sizeof(run->share));
	if (!error)
		error = run_on(m, run);
	if (m && m->device)
		vgpu_device_destroy(m->device);
	if (m && m->trace && fclose(m->trace))
		error = -EIO;
	if (m)
		vgpu_host_frames_free(&m->frames);
	free(m);
	return error ? -1 : 0;
}
