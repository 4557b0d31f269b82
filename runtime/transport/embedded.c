// SPDX-License-Identifier: MIT
/*
 * The device inside this process: no module, no root. Whoever waits drives it (vgpu_device_run), so
 * virtual time passes only while somebody waits or asks. Hosts the device as kmod/ does, through
 * vgpu_device.h; the only file of the runtime that runs the device. Its configuration comes from
 * embedded_config.c; VGPU_TRACE names a file for its trace records.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "embedded_config.h"
#include "embedded_frames.h"
#include "embedded_host.h"
#include "host_memory.h"
#include "managed.h"
#include "native.h"
#include "sanitizer/sanitizer.h"
#include "threads.h"
#include "transport.h"
#include "vgpu_device.h"

#define EVENTS		64u		/* run between two looks at what is wanted */
#define POLL_EVENTS	256u		/* run by somebody who only looks */

/** struct buffer - process memory of a command, whose cookie it is */
struct buffer {
	u64 address, bytes;
};

struct vgpu_transport {
	/* A turn: whoever waits for the device's lock goes before the one who just had it. */
	pthread_mutex_t turn, lock;
	struct vgpu_device *device;
	u32 context;
	bool dead;
	struct vgpu_host_frames frames;
	struct vgpu_host_calls calls;
	FILE *trace;
	struct vgpu_native_choice native;
	struct vgpu_threads *threads;	/* that execute SMs; NULL: the one that drives the device */
	struct vgpu_host_ops ops;	/* with threads, if there are any */
	struct vgpu_host_window window;	/* for as long as the lock is held */
};

static void embedded_lock(struct vgpu_transport *t)
{
	pthread_mutex_lock(&t->turn);
	pthread_mutex_lock(&t->lock);
	pthread_mutex_unlock(&t->turn);
	t->window = (struct vgpu_host_window){ 0 };
}

static void embedded_unlock(struct vgpu_transport *t)
{
	pthread_mutex_unlock(&t->lock);
}

/* The result of a call of the device, made with the lock held. */
#define LOCKED(t, call) ({		\
	int error_;			\
					\
	embedded_lock(t);		\
	error_ = (call);		\
	embedded_unlock(t);		\
	error_;				\
})

/* ---- what the device asks of its host ----------------------------------- */

static void *get_frame(void *host, u32 context)
{
	struct vgpu_transport *t = host;

	(void)context;
	return vgpu_host_frame_get(&t->frames);
}

static void put_frame(void *host, void *memory)
{
	struct vgpu_transport *t = host;

	vgpu_host_frame_put(&t->frames, memory);
}

static int move(void *host, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes,
		enum vgpu_move direction)
{
	const struct buffer *buffer = (const struct buffer *)(uintptr_t)cookie;
	struct vgpu_transport *t = host;

	(void)context;
	return vgpu_host_move(&t->window, buffer->address + offset, memory, bytes,
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
	struct vgpu_transport *t = host;

	(void)context;
	(void)fault;
	t->dead = true;
}

static void trace(void *host, const struct vgpu_trace_record *record)
{
	struct vgpu_transport *t = host;

	if (t->trace)
		fwrite(record, sizeof(*record), 1, t->trace);
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
	struct vgpu_transport *t = host;

	return vgpu_native_find(&t->native, code, count, cost, executed, out);
}

static void parallel(void *host, void (*run)(void *arg, u32 n), void (*end)(void *arg, u32 n),
		     void *arg, u32 count)
{
	struct vgpu_transport *t = host;

	vgpu_threads_run(t->threads, run, end, arg, count);
}

static void turn(void *host, u32 n)
{
	struct vgpu_transport *t = host;

	vgpu_threads_turn(t->threads, n);
}

static void lock_shared(void *host)
{
	struct vgpu_transport *t = host;

	vgpu_threads_lock(t->threads);
}

static void unlock_shared(void *host)
{
	struct vgpu_transport *t = host;

	vgpu_threads_unlock(t->threads);
}

static const struct vgpu_host_ops host_ops = {
	.get_frame = get_frame,
	.put_frame = put_frame,
	.move = move,
	.completed = completed,
	.context_died = context_died,
	.trace = trace,
	.managed_page = managed_page,
	.revoke = revoke_access,
	.protect = protect,
	.native = native,
};

static struct vgpu_host_ops ops_of(const struct vgpu_transport *t)
{
	struct vgpu_host_ops ops = host_ops;

	ops.watch = san_watch();
	if (t->threads) {
		ops.parallel = parallel;
		ops.turn = turn;
		ops.lock = lock_shared;
		ops.unlock = unlock_shared;
	}
	return ops;
}

/* ---- opening ------------------------------------------------------------ */

/* Of the first device the file that is named, of the others that with their number behind it. */
static int open_trace(unsigned int index, struct vgpu_transport *t, char *message, size_t size)
{
	const char *wanted = getenv("VGPU_TRACE");
	char path[4096];

	if (!wanted || !*wanted)
		return 0;
	snprintf(path, sizeof(path), index ? "%s.%u" : "%s", wanted, index);
	t->trace = fopen(path, "we");
	if (!t->trace) {
		snprintf(message, size, "VGPU_TRACE: cannot open %s: %s", path, strerror(errno));
		return -EINVAL;
	}
	fwrite("VGPUTRC1", 8, 1, t->trace);
	vgpu_device_trace(t->device, true);
	return 0;
}

static void embedded_close(struct vgpu_transport *t)
{
	vgpu_managed_end(t);
	if (t->device) {
		if (t->context)
			vgpu_context_close(t->device, t->context);
		vgpu_device_destroy(t->device);
	}
	vgpu_threads_destroy(t->threads);
	vgpu_managed_unmap_all(t);
	if (t->trace && fclose(t->trace))
		fprintf(stderr, "vgpu: the trace is incomplete: %s\n", strerror(errno));
	vgpu_host_frames_free(&t->frames);
	free(t);
}

static int embedded_open(unsigned int index, struct vgpu_transport **out, char *message,
			 size_t size)
{
	struct vgpu_config config;
	struct vgpu_transport *t;
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
	t = calloc(1, sizeof(*t));
	if (!t) {
		snprintf(message, size, "out of memory for a device");
		return -ENOMEM;
	}
	pthread_mutex_init(&t->turn, NULL);
	pthread_mutex_init(&t->lock, NULL);
	vgpu_host_calls_init(&t->calls, &t->lock);
	error = vgpu_native_configure(&t->native, message, size);
	if (!error)
		error = vgpu_threads_create(&t->threads, message, size);
	if (!error) {
		t->ops = ops_of(t);
		error = vgpu_device_create(&config, &t->ops, t, &t->device);
		if (error)
			snprintf(message, size, "cannot create the device: %s", strerror(-error));
	}
	if (!error)
		error = vgpu_embedded_set_knobs(t->device, message, size);
	if (!error)
		error = open_trace(index, t, message, size);
	if (!error) {
		error = vgpu_context_open(t->device, (u64)getpid(), NULL, &t->context);
		if (error)
			snprintf(message, size, "cannot create a context: %s",
				 strerror(-error));
	}
	if (error) {
		embedded_close(t);
		return error;
	}
	*out = t;
	return 0;
}

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
		embedded_lock(t);
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
		embedded_unlock(t);
	} while (error == -EAGAIN);
	return error;
}

static int embedded_map_managed(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	int error = vgpu_managed_map(t, serve_access, address, bytes);

	if (error)
		return error;
	embedded_lock(t);
	error = vgpu_memory_map_managed(t->device, t->context, address, bytes);
	embedded_unlock(t);
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
	embedded_lock(t);
	error = writable ? vgpu_memory_map_host(t->device, t->context, address, bytes) :
			   vgpu_memory_map_host_read(t->device, t->context, address, bytes);
	embedded_unlock(t);
	return error ? error : !writable;
}

/* The device ends with the process, which has one context of it: nobody could import anything. */
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
	struct buffer *buffer;
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
	*buffer = (struct buffer){ address, bytes };
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
	embedded_lock(t);
	error = vgpu_queue_push(t->device, t->context, queue, push, count, failed, &last);
	for (u32 i = 0; i < count && !error; i++)
		t->calls.pending += commands[i].op == VGPU_CMD_HOST;
	embedded_unlock(t);
	if (error)
		drop_commands(push, count);
	*seq = last;
	return error;
}

/* A few events, with the lock held. A host function that is due is waited for first. */
static u64 run_device(struct vgpu_transport *t, u32 events)
{
	u64 next;

	while (!t->dead && vgpu_host_due(t->device, t->context) &&
	       vgpu_host_calls_patience(&t->calls))
		t->window = (struct vgpu_host_window){ 0 };
	/* one at a time, where the first event after which one is due matters */
	next = vgpu_device_run(t->device, VGPU_NEVER, t->calls.pending ? 1 : events);
	if (t->dead || vgpu_host_due(t->device, t->context))
		vgpu_host_calls_due(&t->calls);
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

		embedded_lock(t);
		t->calls.alone = false;
		error = vgpu_queue_completed(t->device, t->context, queue, &done);
		if (!error && done < seq) {
			next = run_device(t, events);
			error = vgpu_queue_completed(t->device, t->context, queue, &done);
		}
		if (!error && t->dead && (done >= seq || next == VGPU_NEVER))
			error = -EIO;
		/* nothing happens before a function of the process has returned */
		if (!error && done < seq && next == VGPU_NEVER && t->calls.pending) {
			waits = true;
			if (timeout_ns)
				vgpu_host_calls_doze(&t->calls);
		}
		embedded_unlock(t);
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

	embedded_lock(t);
	error = host_is_due(t, queue, seq);
	if (error == -EAGAIN && !t->calls.alone) {
		vgpu_host_calls_wait_due(&t->calls);
		error = host_is_due(t, queue, seq);
	}
	embedded_unlock(t);
	/* nobody else runs the device */
	while (error == -EAGAIN && t->calls.alone && !idle && vgpu_host_calls_now() < end) {
		embedded_lock(t);
		idle = run_device(t, EVENTS) == VGPU_NEVER;
		error = host_is_due(t, queue, seq);
		if (idle && error == -EAGAIN)
			vgpu_host_calls_doze(&t->calls);
		embedded_unlock(t);
	}
	return error == -EAGAIN ? -ETIMEDOUT : error;
}

static int embedded_host_done(struct vgpu_transport *t, uint32_t queue, uint64_t seq)
{
	int error;

	embedded_lock(t);
	error = vgpu_host_done(t->device, t->context, queue, seq);
	vgpu_host_calls_done(&t->calls);
	embedded_unlock(t);
	return error;
}

static int embedded_limit_sms(struct vgpu_transport *t, uint32_t sms)
{
	return LOCKED(t, vgpu_context_sms(t->device, t->context, sms));
}

const struct vgpu_transport_ops vgpu_transport_embedded = {
	.name = "embedded",
	.open = embedded_open,
	.close = embedded_close,
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
	.limit_sms = embedded_limit_sms,
	.wait = embedded_wait,
};
