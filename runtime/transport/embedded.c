// SPDX-License-Identifier: MIT
/*
 * The device inside this process: no module, no root. Whoever waits drives it (vgpu_device_run), so
 * virtual time passes only while somebody waits or asks. The only file of the runtime that runs the
 * device; embedded_device.c is its host.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded_device.h"
#include "statistics/embedded_trace.h"
#include "managed.h"

#define EVENTS		64u		/* run between two looks at what is wanted */
#define POLL_EVENTS	256u		/* run by somebody who only looks */

/* The result of a call of the device, made with the lock held. */
#define LOCKED(t, call) ({			\
	int error_;				\
						\
	vgpu_embedded_lock((t)->host);		\
	error_ = (call);			\
	vgpu_embedded_unlock((t)->host);	\
	error_;					\
})

/* ---- the operations ----------------------------------------------------- */

static int embedded_device_info(struct vgpu_transport *t, struct vgpu_device_info *info)
{
	return LOCKED(t, vgpu_context_device_info(t->device, t->context, info));
}

static int embedded_context_info(struct vgpu_transport *t, struct vgpu_context_info *info)
{
	return LOCKED(t, vgpu_context_info(t->device, t->context, info));
}

static int embedded_queue_create(struct vgpu_transport *t, uint32_t *queue)
{
	return LOCKED(t, vgpu_queue_create(t->device, t->context, queue));
}

static int embedded_queue_destroy(struct vgpu_transport *t, uint32_t queue)
{
	return LOCKED(t, vgpu_queue_destroy(t->device, t->context, queue));
}

static int embedded_module_load(struct vgpu_transport *t, const void *binary, uint32_t bytes,
				char *message, size_t message_bytes, uint32_t *module)
{
	return LOCKED(t, vgpu_module_load(t->device, t->context, binary, bytes, message,
			 message_bytes, module));
}

static int embedded_module_unload(struct vgpu_transport *t, uint32_t module)
{
	return LOCKED(t, vgpu_module_unload(t->device, t->context, module));
}

static int embedded_map(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	return LOCKED(t, vgpu_memory_map(t->device, t->context, address, bytes));
}

static int embedded_unmap(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	return LOCKED(t, vgpu_memory_unmap(t->device, t->context, address, bytes));
}

/* The program accesses managed memory that is on the device, or never had access. */
static int serve_access(void *owner, uint64_t address, bool write)
{
	struct vgpu_transport *t = owner;
	bool writable = true;
	u64 first, bytes;
	int error;

	do {
		vgpu_embedded_lock(t->host);
		error = vgpu_managed_fetch(t->device, t->context, address, write, &first, &bytes,
					   &writable);
		if (error == -EAGAIN) {
			/* that is enough for all of it, unless kernels run */
			vgpu_device_run(t->device, VGPU_NEVER, EVENTS);
			error = vgpu_managed_fetch(t->device, t->context, address, write, &first,
						   &bytes, &writable);
		}
		if (!error)
			error = vgpu_managed_grant(first, bytes, writable);
		if (!error) {
			first += bytes;
			bytes = vgpu_managed_ahead(t->device, t->context, first);
			if (bytes)
				vgpu_managed_grant_ahead(first, bytes);
		}
		vgpu_embedded_unlock(t->host);
	} while (error == -EAGAIN);
	return error;
}

static int embedded_map_managed(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	int error = vgpu_managed_map(t, serve_access, address, bytes);

	if (error)
		return error;
	vgpu_embedded_lock(t->host);
	error = vgpu_memory_map_managed(t->device, t->context, address, bytes);
	vgpu_embedded_unlock(t->host);
	if (error)
		vgpu_managed_unmap(address, bytes);
	return error;
}

/* Until the device has let go of managed memory, it uses the bytes. */
static int embedded_unmap_managed(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	int error = embedded_unmap(t, address, bytes);

	if (!error)
		vgpu_managed_unmap(address, bytes);
	return error;
}

static int embedded_advise(struct vgpu_transport *t, uint64_t address, uint64_t bytes,
			   uint32_t advice)
{
	return LOCKED(t, vgpu_managed_advise(t->device, t->context, address, bytes, advice));
}

static int embedded_map_host(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	bool writable;
	int error = vgpu_host_access(address, bytes, &writable);

	if (error)
		return error;
	vgpu_embedded_lock(t->host);
	error = writable ? vgpu_memory_map_host(t->device, t->context, address, bytes) :
			   vgpu_memory_map_host_read(t->device, t->context, address, bytes);
	vgpu_embedded_unlock(t->host);
	return error ? error : !writable;
}

/* The device ends with the process: nobody could import anything. */
static unsigned int embedded_abilities(struct vgpu_transport *t)
{
	(void)t;
	return VGPU_TRANSPORT_VIEWS;
}

static int embedded_mem_create(struct vgpu_transport *t, uint64_t bytes, uint32_t *handle)
{
	return LOCKED(t, vgpu_memory_allocate(t->device, t->context, bytes, 0, handle));
}

static int embedded_mem_release(struct vgpu_transport *t, uint32_t handle)
{
	return LOCKED(t, vgpu_memory_release(t->device, t->context, handle, ~0ull));
}

static int embedded_mem_view(struct vgpu_transport *t, uint64_t address, uint64_t bytes,
			     uint32_t handle, uint64_t offset, uint32_t rights)
{
	return LOCKED(t, vgpu_memory_map_view(t->device, t->context, address, bytes, handle,
			 offset, rights));
}

static int embedded_mem_rights(struct vgpu_transport *t, uint64_t address, uint64_t bytes,
			       uint32_t rights)
{
	return LOCKED(t, vgpu_memory_rights(t->device, t->context, address, bytes, rights, ~0ull));
}

static int embedded_peek(struct vgpu_transport *t, uint64_t address, void *memory, uint64_t bytes)
{
	return LOCKED(t, vgpu_memory_peek(t->device, t->context, address, memory, bytes));
}

/*
 * What the module refuses at submission is refused here too: process memory that is not there, or
 * too much of it.
 */
static int copy_command(const struct vgpu_cmd *cmd, struct vgpu_push *push)
{
	u64 address = 0, bytes = 0;
	struct vgpu_buffer *buffer;
	int error;

	push->cmd = *cmd;
	push->params = NULL;
	switch (cmd->op) {
	case VGPU_CMD_COPY_H2D:
		address = cmd->copy.src;
		bytes = cmd->copy.bytes;
		break;
	case VGPU_CMD_COPY_D2H:
		address = cmd->copy.dst;
		bytes = cmd->copy.bytes;
		break;
	case VGPU_CMD_STAMP:
		address = cmd->stamp.dst;
		bytes = sizeof(u64);
		break;
	case VGPU_CMD_LAUNCH:
		push->params = (const void *)(uintptr_t)cmd->launch.params;
		break;
	default:
		break;
	}
	push->cookie = 0;
	if (bytes > VGPU_COPY_MAX)
		return -EINVAL;
	if (!bytes)
		return 0;
	error = vgpu_host_probe(address, bytes, cmd->op != VGPU_CMD_COPY_H2D);
	if (error)
		return error;
	buffer = malloc(sizeof(*buffer));
	if (!buffer)
		return -ENOMEM;
	*buffer = (struct vgpu_buffer){ address, bytes };
	push->cookie = (uintptr_t)buffer;
	return 0;
}

static void drop_commands(const struct vgpu_push *push, u32 count)
{
	while (count--)
		free((void *)(uintptr_t)push[count].cookie);
}

static int embedded_submit(struct vgpu_transport *t, uint32_t queue,
			   const struct vgpu_cmd *commands, uint32_t count, uint32_t *failed,
			   uint64_t *seq)
{
	struct vgpu_push push[VGPU_SUBMIT_MAX];
	u64 last = 0;
	int error;

	if (!count || count > VGPU_SUBMIT_MAX)
		return -EINVAL;
	for (u32 i = 0; i < count; i++) {
		error = copy_command(&commands[i], &push[i]);
		if (error) {
			drop_commands(push, i);
			*failed = i;
			return error;
		}
	}
	vgpu_embedded_lock(t->host);
	error = vgpu_queue_push(t->device, t->context, queue, push, count, failed, &last);
	for (u32 i = 0; i < count && !error; i++)
		t->host->calls.pending += commands[i].op == VGPU_CMD_HOST;
	vgpu_embedded_unlock(t->host);
	if (error)
		drop_commands(push, count);
	*seq = last;
	return error;
}

/* Is a function of a context of the device due? */
static bool any_due(const struct vgpu_embedded *host)
{
	for (const struct vgpu_transport *t = host->contexts; t; t = t->next)
		if (!t->dead && vgpu_host_due(host->device, t->context))
			return true;
	return false;
}

static bool any_dead(const struct vgpu_embedded *host)
{
	for (const struct vgpu_transport *t = host->contexts; t; t = t->next)
		if (t->dead)
			return true;
	return false;
}

/* A few events, with the lock held. A host function that is due is waited for first. */
static u64 run_device(struct vgpu_embedded *host, u32 events)
{
	u64 next;

	while (any_due(host) && vgpu_host_calls_patience(&host->calls))
		host->window = (struct vgpu_host_window){ 0 };
	vgpu_busy_choose(&host->busy, host->device);
	/* one at a time, where the first event after which one is due matters */
	next = vgpu_device_run(host->device, VGPU_NEVER, host->calls.pending ? 1 : events);
	if (any_dead(host) || any_due(host))
		vgpu_host_calls_due(&host->calls);
	return next;
}

static int embedded_wait(struct vgpu_transport *t, uint32_t queue, uint64_t seq, int64_t timeout_ns,
			 uint64_t *completed_seq)
{
	int64_t end = timeout_ns > 0 ? vgpu_host_calls_now() + timeout_ns : 0;
	u32 events = timeout_ns ? EVENTS : POLL_EVENTS;
	u64 next = 0, done = 0;
	int error;

	for (;;) {
		bool waits = false;

		vgpu_embedded_lock(t->host);
		t->host->calls.alone = false;
		error = vgpu_queue_completed(t->device, t->context, queue, &done);
		if (!error && done < seq) {
			next = run_device(t->host, events);
			error = vgpu_queue_completed(t->device, t->context, queue, &done);
			if (done >= seq || next == VGPU_NEVER)
				vgpu_busy_pause(&t->host->busy);
		}
		if (!error && t->dead && (done >= seq || next == VGPU_NEVER))
			error = -EIO;
		/* nothing happens before a function of the process has returned */
		if (!error && done < seq && next == VGPU_NEVER && t->host->calls.pending) {
			waits = true;
			if (timeout_ns)
				vgpu_host_calls_doze(&t->host->calls);
		}
		vgpu_embedded_unlock(t->host);
		*completed_seq = done;
		if (error || done >= seq)
			return error;
		if (next == VGPU_NEVER && !waits) {
			fprintf(stderr,
				"vgpu: the device is idle, but command %llu of queue %u is not "
				"done\n",
				(unsigned long long)seq, queue);
			return -ENODEV;
		}
		if (!timeout_ns || (timeout_ns > 0 && vgpu_host_calls_now() >= end))
			return -ETIMEDOUT;
	}
}

/* Is the HOST command due? -EAGAIN: not yet. With the lock held. */
static int host_is_due(struct vgpu_transport *t, uint32_t queue, uint64_t seq)
{
	if (t->dead)
		return -EIO;
	return vgpu_queue_host_due(t->device, t->context, queue, seq) ? 0 : -EAGAIN;
}

static int embedded_host_wait(struct vgpu_transport *t, uint32_t queue, uint64_t seq)
{
	int64_t end = vgpu_host_calls_now() + VGPU_HOST_TURN_NS;
	bool idle = false;
	int error;

	vgpu_embedded_lock(t->host);
	error = host_is_due(t, queue, seq);
	if (error == -EAGAIN && !t->host->calls.alone) {
		vgpu_host_calls_wait_due(&t->host->calls);
		error = host_is_due(t, queue, seq);
	}
	vgpu_embedded_unlock(t->host);
	/* nobody else runs the device */
	while (error == -EAGAIN && t->host->calls.alone && !idle && vgpu_host_calls_now() < end) {
		vgpu_embedded_lock(t->host);
		idle = run_device(t->host, EVENTS) == VGPU_NEVER;
		error = host_is_due(t, queue, seq);
		if (idle && error == -EAGAIN)
			vgpu_host_calls_doze(&t->host->calls);
		vgpu_embedded_unlock(t->host);
	}
	return error == -EAGAIN ? -ETIMEDOUT : error;
}

static int embedded_host_done(struct vgpu_transport *t, uint32_t queue, uint64_t seq)
{
	int error;

	vgpu_embedded_lock(t->host);
	error = vgpu_host_done(t->device, t->context, queue, seq);
	vgpu_host_calls_done(&t->host->calls);
	vgpu_embedded_unlock(t->host);
	return error;
}

static int embedded_limit_sms(struct vgpu_transport *t, uint32_t sms)
{
	return LOCKED(t, vgpu_context_sms(t->device, t->context, sms));
}

/* ---- names --------------------------------------------------------------- */

static void embedded_name(struct vgpu_transport *t, uint32_t queue, uint64_t seq, const char *text)
{
	struct vgpu_embedded *d = t->host;
	struct vgpu_trace_record record = {
		.type = seq ? VGPU_TRACE_RANGE : VGPU_TRACE_STREAM_NAME,
		.context = t->context,
		.queue = queue,
		.seq = seq,
	};

	vgpu_embedded_lock(d);
	record.time = vgpu_device_now(t->device);
	vgpu_embedded_trace_text(d->trace, record, text);
	if (d->statistics)
		vgpu_statistics_name(d->statistics, t->context, queue, seq, text);
	vgpu_embedded_unlock(d);
}

const struct vgpu_transport_ops vgpu_transport_embedded = {
	.name = "embedded",
	.open = vgpu_embedded_open,
	.close = vgpu_embedded_close,
	.device_info = embedded_device_info,
	.context_info = embedded_context_info,
	.queue_create = embedded_queue_create,
	.queue_destroy = embedded_queue_destroy,
	.module_load = embedded_module_load,
	.module_unload = embedded_module_unload,
	.map = embedded_map,
	.unmap = embedded_unmap,
	.map_managed = embedded_map_managed,
	.unmap_managed = embedded_unmap_managed,
	.advise = embedded_advise,
	.map_host = embedded_map_host,
	.unmap_host = embedded_unmap,
	.abilities = embedded_abilities,
	.mem_create = embedded_mem_create,
	.mem_release = embedded_mem_release,
	.mem_view = embedded_mem_view,
	.mem_rights = embedded_mem_rights,
	.peek = embedded_peek,
	.submit = embedded_submit,
	.host_wait = embedded_host_wait,
	.host_done = embedded_host_done,
	.name_work = embedded_name,
	.limit_sms = embedded_limit_sms,
	.wait = embedded_wait,
};
