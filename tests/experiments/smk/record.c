// SPDX-License-Identifier: MIT
/*
 * A transport that records: takes the place of the embedded one, which is not linked. There is no
 * device behind it. Device memory is memory of this process at the same addresses, so copies are
 * memcpy(). The first kernel is not executed: its launch is kept, and the program waits in the next
 * wait for the device. Device number n is recorded[n].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "smk.h"
#include "transport/transport.h"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct recorded *program[PROGRAMS_MOST];
} recorder = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static struct recorded *recorded_of(struct vgpu_transport *t)
{
	return (struct recorded *)t;
}

static void become(struct recorded *r, int state)
{
	pthread_mutex_lock(&recorder.lock);
	r->state = state;
	pthread_cond_broadcast(&recorder.changed);
	pthread_mutex_unlock(&recorder.lock);
}

/* Returns when it is no longer in @state. */
static void wait_while(const struct recorded *r, int state)
{
	pthread_mutex_lock(&recorder.lock);
	while ((int)r->state == state)
		pthread_cond_wait(&recorder.changed, &recorder.lock);
	pthread_mutex_unlock(&recorder.lock);
}

/* ---- the operations ----------------------------------------------------- */

static int record_open(unsigned int index, struct vgpu_transport **out, char *message, size_t size)
{
	(void)message;
	(void)size;
	*out = (struct vgpu_transport *)recorder.program[index];
	return *out ? 0 : -ENODEV;
}

static void record_close(struct vgpu_transport *t)
{
	(void)t;
}

static int record_device_info(struct vgpu_transport *t, struct vgpu_device_info *info)
{
	static const struct vgpu_host_ops none;
	struct vgpu_device *device;
	struct vgpu_config config;
	int error = run_config(&config, "");

	(void)t;
	if (!error)
		error = vgpu_device_create(&config, &none, NULL, &device);
	if (error)
		return error;
	vgpu_device_info(device, info);
	vgpu_device_destroy(device);
	return 0;
}

static int record_context_info(struct vgpu_transport *t, struct vgpu_context_info *info)
{
	(void)t;
	memset(info, 0, sizeof(*info));
	return 0;
}

static int record_queue_create(struct vgpu_transport *t, uint32_t *queue)
{
	(void)t;
	*queue = 1;
	return 0;
}

static int record_queue_destroy(struct vgpu_transport *t, uint32_t queue)
{
	(void)t;
	(void)queue;
	return 0;
}

static int record_module_load(struct vgpu_transport *t, const void *binary, uint32_t bytes,
			      char *message, size_t message_bytes, uint32_t *module)
{
	struct recorded *r = recorded_of(t);
	void *copy = malloc(bytes);

	if (!copy || r->module_count == RANGES_MOST) {
		free(copy);
		snprintf(message, message_bytes, "too many modules to record");
		return -ENOSPC;
	}
	memcpy(copy, binary, bytes);
	r->modules[r->module_count] = (struct binary){ copy, bytes };
	*module = r->module_count++;
	return 0;
}

static int record_module_unload(struct vgpu_transport *t, uint32_t module)
{
	(void)t;
	(void)module;
	return 0;
}

static int record_map(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	struct recorded *r = recorded_of(t);

	if (r->range_count == RANGES_MOST)
		return -ENOMEM;
	if (mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
		return -errno;
	r->ranges[r->range_count++] = (struct range){ address, bytes };
	return 0;
}

static int record_unmap(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	struct recorded *r = recorded_of(t);
	u32 n = 0;

	while (n < r->range_count && r->ranges[n].address != address)
		n++;
	if (n == r->range_count)
		return -EINVAL;
	r->ranges[n] = r->ranges[--r->range_count];
	return mmap((void *)(uintptr_t)address, bytes, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
		    0) == MAP_FAILED ? -errno : 0;
}

static int record_advise(struct vgpu_transport *t, uint64_t address, uint64_t bytes,
			 uint32_t advice)
{
	(void)t;
	(void)address;
	(void)bytes;
	(void)advice;
	return 0;
}

static int record_peek(struct vgpu_transport *t, uint64_t address, void *memory, uint64_t bytes)
{
	(void)t;
	memcpy(memory, (const void *)(uintptr_t)address, bytes);
	return 0;
}

static void fill(const struct vgpu_cmd_fill *f)
{
	char *to = (char *)(uintptr_t)f->dst;

	for (u64 n = 0; n < f->count; n++)
		memcpy(to + n * f->width, &f->value, f->width);
}

/* Before the kernel time stands at 0, behind it at what the kernel took. */
static void execute(struct recorded *r, const struct vgpu_cmd *cmd)
{
	switch (cmd->op) {
	case VGPU_CMD_COPY_H2D:
	case VGPU_CMD_COPY_D2H:
	case VGPU_CMD_COPY_D2D:
		memmove((void *)(uintptr_t)cmd->copy.dst, (const void *)(uintptr_t)cmd->copy.src,
			cmd->copy.bytes);
		break;
	case VGPU_CMD_FILL:
		fill(&cmd->fill);
		break;
	case VGPU_CMD_STAMP:
		memcpy((void *)(uintptr_t)cmd->stamp.dst, &r->kernel_ps, sizeof(r->kernel_ps));
		break;
	case VGPU_CMD_LAUNCH:
		if (r->state != RECORD_RUNS || r->launch.op)
			break;
		r->launch = *cmd;
		memcpy(r->params, (const void *)(uintptr_t)cmd->launch.params,
		       cmd->launch.param_bytes);
		break;
	default:
		break;
	}
}

static int record_submit(struct vgpu_transport *t, uint32_t queue, const struct vgpu_cmd *commands,
			 uint32_t count, uint32_t *failed, uint64_t *seq)
{
	struct recorded *r = recorded_of(t);

	(void)queue;
	(void)failed;
	for (u32 n = 0; n < count; n++)
		execute(r, &commands[n]);
	r->submitted += count;
	*seq = r->submitted;
	return 0;
}

static int record_wait(struct vgpu_transport *t, uint32_t queue, uint64_t seq, int64_t timeout_ns,
		       uint64_t *completed)
{
	struct recorded *r = recorded_of(t);

	(void)queue;
	(void)seq;
	if (r->launch.op && r->state == RECORD_RUNS && timeout_ns) {
		become(r, RECORD_WAITS);
		wait_while(r, RECORD_WAITS);
	}
	*completed = r->submitted;
	return 0;
}

static int record_limit_sms(struct vgpu_transport *t, uint32_t sms)
{
	(void)t;
	(void)sms;
	return 0;
}

static int record_host_wait(struct vgpu_transport *t, uint32_t queue, uint64_t seq)
{
	(void)t;
	(void)queue;
	(void)seq;
	return 0;
}

const struct vgpu_transport_ops vgpu_transport_embedded = {
	.name = "embedded",
	.open = record_open,
	.close = record_close,
	.device_info = record_device_info,
	.context_info = record_context_info,
	.queue_create = record_queue_create,
	.queue_destroy = record_queue_destroy,
	.module_load = record_module_load,
	.module_unload = record_module_unload,
	.map = record_map,
	.unmap = record_unmap,
	.map_managed = record_map,
	.unmap_managed = record_unmap,
	.advise = record_advise,
	.peek = record_peek,
	.submit = record_submit,
	.host_wait = record_host_wait,
	.host_done = record_host_wait,
	.limit_sms = record_limit_sms,
	.wait = record_wait,
};

/* ---- programs ----------------------------------------------------------- */

int cudaSetDevice(int device);

static void *thread(void *arg)
{
	struct recorded *r = arg;
	char name[32], *argv[] = { name, r->size, NULL };
	u32 index = 0;

	while (recorder.program[index] != r)
		index++;
	snprintf(name, sizeof(name), "%s", r->of->name);
	r->status = cudaSetDevice((int)index) ? 1 : r->of->run(*r->size ? 2 : 1, argv);
	become(r, RECORD_ENDED);
	return NULL;
}

int record(struct recorded *r, const struct program_of *of, const char *size, u32 index)
{
	memset(r, 0, sizeof(*r));
	r->of = of;
	snprintf(r->size, sizeof(r->size), "%s", size);
	recorder.program[index] = r;
	if (pthread_create(&r->thread, NULL, thread, r)) {
		fprintf(stderr, "smk: no thread for %s\n", of->name);
		return -1;
	}
	wait_while(r, RECORD_RUNS);
	if (r->state == RECORD_WAITS)
		return 0;
	fprintf(stderr, "smk: %s ended before it launched a kernel\n", of->name);
	return -1;
}

int record_go_on(struct recorded *r)
{
	become(r, RECORD_GOES_ON);
	pthread_join(r->thread, NULL);
	return r->status;
}
