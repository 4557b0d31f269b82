// SPDX-License-Identifier: MIT
/*
 * A device inside this process: hosts it as kmod/ does, through vgpu_device.h, and opens contexts
 * on it. See embedded_device.h. Its configuration comes from embedded_config.c; VGPU_TRACE names a
 * file for its trace records, VGPU_STATS one for its statistics (statistics/).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "embedded_config.h"
#include "embedded_device.h"
#include "statistics/embedded_trace.h"
#include "managed.h"
#include "sanitizer/sanitizer.h"

/* All that there are. The lock is taken before that of a device. */
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vgpu_embedded *devices;

/* ---- what the device asks of its host ----------------------------------- */

static void *get_frame(void *host, u32 context)
{
	struct vgpu_embedded *d = host;

	(void)context;
	return vgpu_host_frame_get(&d->frames);
}

static void put_frame(void *host, void *memory)
{
	struct vgpu_embedded *d = host;

	vgpu_host_frame_put(&d->frames, memory);
}

static int move(void *host, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes,
		enum vgpu_move direction)
{
	const struct vgpu_buffer *buffer = (const struct vgpu_buffer *)(uintptr_t)cookie;
	struct vgpu_embedded *d = host;

	(void)context;
	return vgpu_host_move(&d->window, buffer->address + offset, memory, bytes,
			      buffer->address + buffer->bytes, direction == VGPU_MOVE_TO_HOST);
}

/* Whoever waits asks the device itself. */
static void completed(void *host, const struct vgpu_completion *completion)
{
	if (san_on)
		san_completed(host, completion->queue, completion->seq);
	free((void *)(uintptr_t)completion->cookie);
}

static void context_died(void *host, u32 context, const struct vgpu_fault *fault)
{
	struct vgpu_embedded *d = host;

	(void)fault;
	for (struct vgpu_transport *t = d->contexts; t; t = t->next)
		if (t->context == context)
			t->dead = true;
}

static void trace(void *host, const struct vgpu_trace_record *record)
{
	struct vgpu_embedded *d = host;

	if (d->trace)
		fwrite(record, sizeof(*record), 1, d->trace);
}

static void counted(void *host, const struct vgpu_launch_counts *counts)
{
	struct vgpu_embedded *d = host;

	if (d->statistics)
		vgpu_statistics_add(d->statistics, counts);
}

/* What is not managed is the process's own memory, at its own address. */
static void *managed_page(void *host, u32 context, u64 address)
{
	void *alias = vgpu_managed_alias(address);

	(void)host;
	(void)context;
	return alias ? alias : (void *)(uintptr_t)address;
}

static void revoke_access(void *host, u32 context, u64 address, u64 bytes)
{
	(void)host;
	(void)context;
	vgpu_managed_revoke(address, bytes);
}

static void protect(void *host, u32 context, u64 address, u64 bytes)
{
	(void)host;
	(void)context;
	vgpu_managed_protect(address, bytes);
}

static int native(void *host, const struct vgpu_insn *code, u32 count, const u16 *cost,
		  u64 executed, const struct vgpu_native_code **out)
{
	struct vgpu_embedded *d = host;

	return vgpu_native_find(&d->native, code, count, cost, executed, out);
}

static void parallel(void *host, u32 context, void (*run)(void *arg, u32 n),
		     void (*end)(void *arg, u32 n), void *arg, u32 count)
{
	struct vgpu_embedded *d = host;

	(void)context;
	vgpu_threads_run(d->threads, run, end, arg, count);
}

static void turn(void *host, u32 n)
{
	struct vgpu_embedded *d = host;

	vgpu_threads_turn(d->threads, n);
}

static void lock_shared(void *host)
{
	struct vgpu_embedded *d = host;

	vgpu_threads_lock(d->threads);
}

static void unlock_shared(void *host)
{
	struct vgpu_embedded *d = host;

	vgpu_threads_unlock(d->threads);
}

static const struct vgpu_host_ops host_ops = {
	.get_frame = get_frame,
	.put_frame = put_frame,
	.move = move,
	.completed = completed,
	.context_died = context_died,
	.trace = trace,
	.counted = counted,
	.managed_page = managed_page,
	.revoke = revoke_access,
	.protect = protect,
	.native = native,
};

static struct vgpu_host_ops ops_of(const struct vgpu_embedded *d)
{
	struct vgpu_host_ops ops = host_ops;

	ops.watch = san_watch();
	if (d->threads) {
		ops.parallel = parallel;
		ops.turn = turn;
		ops.lock = lock_shared;
		ops.unlock = unlock_shared;
	}
	return ops;
}

/* ---- opening ------------------------------------------------------------ */

static void device_end(struct vgpu_embedded *d)
{
	if (d->device)
		vgpu_device_destroy(d->device);
	vgpu_statistics_close(d->statistics);
	vgpu_threads_destroy(d->threads);
	if (d->trace && fclose(d->trace))
		fprintf(stderr, "vgpu: the trace is incomplete: %s\n", strerror(errno));
	vgpu_host_frames_free(&d->frames);
	free(d);
}

static int device_begin(unsigned int index, struct vgpu_embedded **out, char *message, size_t size)
{
	struct vgpu_config config;
	struct vgpu_embedded *d;
	int error;

	if (index >= vgpu_embedded_devices()) {
		snprintf(
			message, size,
			"VGPU_DEVICE=%u: there are %u embedded devices, as many as VGPU_PRESET "
			"names, from 0",
			index, vgpu_embedded_devices());
		return -EINVAL;
	}
	error = vgpu_embedded_configure(index, &config, message, size);
	if (error)
		return error;
	if (san_on && strcmp(config.timing, "interval")) {
		snprintf(message, size, "timing=%s: the sanitizer needs timing=interval",
			 config.timing);
		return -EINVAL;
	}
	d = calloc(1, sizeof(*d));
	if (!d) {
		snprintf(message, size, "out of memory for a device");
		return -ENOMEM;
	}
	d->index = index;
	pthread_mutex_init(&d->turn, NULL);
	pthread_mutex_init(&d->lock, NULL);
	vgpu_host_calls_init(&d->calls, &d->lock);
	error = vgpu_native_configure(&d->native, message, size);
	if (!error)
		error = vgpu_threads_create(&d->threads, config.sms, message, size);
	if (!error) {
		d->ops = ops_of(d);
		error = vgpu_device_create(&config, &d->ops, d, &d->device);
		if (error)
			snprintf(message, size, "cannot create the device: %s", strerror(-error));
	}
	if (!error) {
		vgpu_busy_init(&d->busy, d->device, d->threads);
		error = vgpu_embedded_set_knobs(d->device, message, size);
	}
	if (!error)
		error = vgpu_embedded_trace_open(index, &d->trace, message, size);
	if (d->trace)
		vgpu_device_trace(d->device, true);
	if (!error)
		error = vgpu_statistics_open(index, vgpu_device_config(d->device), &d->statistics,
					     message, size);
	if (d->statistics)
		vgpu_device_knob_set(d->device, "kernel_statistics", "1");
	if (error)
		device_end(d);
	else
		*out = d;
	return error;
}

/* ---- contexts ------------------------------------------------------------ */

static int context_begin(struct vgpu_embedded *d, struct vgpu_transport **out, char *message,
			 size_t size)
{
	struct vgpu_transport *t;
	s32 priority;
	int error = vgpu_embedded_priority(d->opened, &priority, message, size);

	if (error)
		return error;
	t = calloc(1, sizeof(*t));
	if (!t) {
		snprintf(message, size, "out of memory for a context");
		return -ENOMEM;
	}
	t->host = d;
	t->device = d->device;
	vgpu_embedded_lock(d);
	error = vgpu_context_open(d->device, (u64)getpid(), NULL, &t->context);
	if (!error) {
		if (priority)
			vgpu_context_priority(d->device, t->context, priority);
		t->next = d->contexts;
		d->contexts = t;
		d->opened++;
	}
	vgpu_embedded_unlock(d);
	if (error) {
		snprintf(message, size, "cannot create a context: %s", strerror(-error));
		free(t);
	} else {
		*out = t;
	}
	return error;
}

/* With devices_lock held. */
static void end_if_unused(struct vgpu_embedded *d)
{
	struct vgpu_embedded **at = &devices;

	if (d->contexts)
		return;
	while (*at != d)
		at = &(*at)->next;
	*at = d->next;
	device_end(d);
}

int vgpu_embedded_open(unsigned int index, struct vgpu_transport **out, char *message, size_t size)
{
	struct vgpu_embedded *d;
	int error = 0;

	pthread_mutex_lock(&devices_lock);
	for (d = devices; d && (d->index != index || san_on); d = d->next)
		;
	if (!d) {
		error = device_begin(index, &d, message, size);
		if (!error) {
			d->next = devices;
			devices = d;
		}
	}
	if (!error) {
		error = context_begin(d, out, message, size);
		if (error)
			end_if_unused(d);
	}
	pthread_mutex_unlock(&devices_lock);
	return error;
}

void vgpu_embedded_close(struct vgpu_transport *t)
{
	struct vgpu_embedded *d = t->host;
	struct vgpu_transport **at = &d->contexts;

	vgpu_managed_end(t);
	pthread_mutex_lock(&devices_lock);
	vgpu_embedded_lock(d);
	vgpu_context_close(d->device, t->context);
	if (d->statistics)
		vgpu_statistics_leave(d->statistics, t->context);
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	vgpu_embedded_unlock(d);
	end_if_unused(d);
	pthread_mutex_unlock(&devices_lock);
	vgpu_managed_unmap_all(t);
	free(t);
}
