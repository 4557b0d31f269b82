// SPDX-License-Identifier: MIT
/* A device with two contexts, and how long its SMs take to change from one to the other. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pep.h"

struct setting settings[SETTINGS_MOST];
u32 setting_count;

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

static void completed(void *host, const struct vgpu_completion *completion)
{
	struct machine *m = host;

	if (completion->context == m->above)
		m->done_above = completion->seq;
	vgpu_device_stop(m->device);
}

static void context_died(void *host, u32 context, const struct vgpu_fault *fault)
{
	struct machine *m = host;

	m->died = true;
	fprintf(stderr, "pep: context %u died: fault %u at instruction %u\n", context,
		fault->reason, fault->pc);
}

static void preempted(void *host, u32 context, u32 sm, u64 requested)
{
	struct machine *m = host;
	u64 latency = vgpu_device_now(m->device) - requested;

	(void)sm;
	if (context != m->below)
		return;
	m->preempted++;
	m->latencies += latency;
	m->latency = latency > m->latency ? latency : m->latency;
	for (u32 n = 0; n < 3; n++)
		m->late[n] += latency > m->deadline[n];
}

static void trace(void *host, const struct vgpu_trace_record *record)
{
	struct machine *m = host;
	u64 took = record->a;

	if (record->type != VGPU_TRACE_LEAVE_END || record->queue >= VGPU_LEAVES)
		return;
	m->left[record->queue]++;
	m->all_left[record->queue] += took;
	if (took > m->last_left[record->queue])
		m->last_left[record->queue] = took;
}

static const struct vgpu_host_ops ops = {
	.get_frame = get_frame,
	.put_frame = put_frame,
	.move = move,
	.completed = completed,
	.context_died = context_died,
	.trace = trace,
	.preempted = preempted,
};

/* ---- a device ----------------------------------------------------------- */

static int set(struct vgpu_config *config, const char *key, const char *value)
{
	int error = vgpu_config_set(config, key, value);

	if (error)
		fprintf(stderr, "pep: --set %s=%s: %s\n", key, value,
			error == -ENOENT ? "there is no such field" : "not a value of it");
	return error;
}

int machine_configure(struct vgpu_config *config, const char *given)
{
	char list[256], *key, *value, *rest = list;
	int error = vgpu_config_preset(config, "gtx980");

	snprintf(list, sizeof(list), "policy=ppq-exclusive,launch_ps=0,pep_lead_ps=0,%s", given);
	while (!error && (key = strsep(&rest, ","))) {
		value = strchr(key, '=');
		if (!value)
			continue;
		*value++ = 0;
		error = set(config, key, value);
	}
	for (u32 n = 0; n < setting_count && !error; n++)
		error = set(config, settings[n].key, settings[n].value);
	return error ? -1 : 0;
}

static int open_context(struct machine *m, s32 priority, u32 *context, u32 *queue)
{
	int error = vgpu_context_open(m->device, (u64)priority, NULL, context);

	if (!error)
		error = vgpu_context_priority(m->device, *context, priority);
	if (!error)
		error = vgpu_queue_create(m->device, *context, queue);
	return error;
}

int machine_create(struct machine *m, const char *given)
{
	const char *wrong;
	int error;

	*m = (struct machine){ 0 };
	if (machine_configure(&m->config, given))
		return -1;
	wrong = vgpu_config_check(&m->config);
	error = wrong ? -EINVAL : vgpu_device_create(&m->config, &ops, m, &m->device);
	if (!error)
		error = open_context(m, 0, &m->below, &m->queue_below);
	if (!error)
		error = open_context(m, 1, &m->above, &m->queue_above);
	if (error)
		fprintf(stderr, "pep: no device: %s\n", wrong ? wrong : strerror(-error));
	return error ? -1 : 0;
}

void machine_destroy(struct machine *m)
{
	if (m->device)
		vgpu_device_destroy(m->device);
	vgpu_host_frames_free(&m->frames);
}

int machine_push(struct machine *m, u32 context, u32 queue, const struct vgpu_push *push)
{
	u64 seq;
	u32 failed;
	int error = vgpu_queue_push(m->device, context, queue, push, 1, &failed, &seq);

	if (error)
		fprintf(stderr, "pep: a command is refused: %s\n", strerror(-error));
	return error ? -1 : 0;
}

/* Completions have it return before its time. */
void machine_until(struct machine *m, u64 time)
{
	while (vgpu_device_run(m->device, time, ~0u) <= time)
		;
}

int machine_wait(struct machine *m, u64 seq)
{
	while (m->done_above < seq)
		if (m->died || (vgpu_device_run(m->device, VGPU_NEVER, 4096) == VGPU_NEVER &&
				m->done_above < seq)) {
			fprintf(stderr, "pep: the kernel that takes the SMs does not end\n");
			return -1;
		}
	return 0;
}

struct vgpu_context_info machine_info(const struct machine *m, u32 context)
{
	struct vgpu_context_info info = { 0 };

	vgpu_context_info(m->device, context, &info);
	return info;
}

/* ---- kernels ------------------------------------------------------------ */

u32 threads_per_sm(const struct kernel_of *kernel)
{
	return kernel->blocks == 1 ? 1024 : 2048;
}

u16 threads_of(const struct kernel_of *kernel, const struct vgpu_config *config)
{
	u32 threads = config->threads_per_sm / kernel->blocks / 32 * 32;

	return (u16)(threads < 1024 ? threads : 1024);
}

struct vgpu_cmd taking(const struct vgpu_config *config, double us, u64 bytes)
{
	u64 registers = (u64)config->regs_per_sm * sizeof(u32);
	u64 in_registers = bytes < registers ? bytes : registers;

	return (struct vgpu_cmd){
		.op = VGPU_CMD_PROFILED,
		.profiled = {
			.blocks = 2ull * config->sms,
			.block_ps = (u64)(us * VGPU_US),
			.threads = (u16)(config->threads_per_sm / 2),
			.regs_per_block = (u32)(in_registers / 8 / 32 * 32),
			.shared_bytes = (u32)((bytes - in_registers) / 2),
		},
	};
}

struct vgpu_cmd announced(const struct vgpu_cmd *profiled)
{
	const struct vgpu_cmd_profiled *p = &profiled->profiled;

	return (struct vgpu_cmd){
		.op = VGPU_CMD_ANNOUNCE,
		.announce = {
			.blocks = p->blocks,
			.threads = p->threads,
			.regs_per_block = p->regs_per_block,
			.shared_bytes = p->shared_bytes,
		},
	};
}
