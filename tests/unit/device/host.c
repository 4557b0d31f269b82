// SPDX-License-Identifier: MIT
/*
 * The test host; see host.h. Process addresses in commands are offsets into the host's memory plus
 * PROCESS, and the cookie is that offset.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"
#include "host.h"
#include "platform/user.h"

#define PROCESS		0x10000u	/* process address of the first byte of memory */

static void *get_frame(void *host, u32 context)
{
	struct host *h = host;
	void *frame;

	(void)context;
	if (h->frames >= h->frames_max)
		return NULL;
	frame = aligned_alloc(VGPU_PAGE_SIZE, VGPU_PAGE_SIZE);
	assert_non_null(frame);
	memset(frame, 0, VGPU_PAGE_SIZE);
	h->frames++;
	return frame;
}

static void put_frame(void *host, void *frame)
{
	struct host *h = host;

	h->frames--;
	free(frame);
}

static void add_burst(struct host *h, u32 bytes, enum vgpu_move dir)
{
	u64 now = h->dev->sim->now;

	/* a page of a burst whose other pages came just now */
	for (size_t n = h->burst_count; n-- && h->bursts[n].end == now;)
		if (h->bursts[n].dir == dir) {
			h->bursts[n].bytes += bytes;
			return;
		}
	h->bursts = realloc(h->bursts, (h->burst_count + 1) * sizeof(*h->bursts));
	assert_non_null(h->bursts);
	h->bursts[h->burst_count++] = (struct host_burst){ now, bytes, dir };
}

static int move(void *host, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes,
		enum vgpu_move dir)
{
	struct host *h = host;

	(void)context;
	assert_true(bytes && bytes <= h->config.link_burst);
	if (h->moving_fails)
		return -EFAULT;
	assert_true(cookie + offset + bytes <= HOST_MEMORY);
	add_burst(h, bytes, dir);
	if (dir == VGPU_MOVE_TO_DEVICE)
		memcpy(memory, h->memory + cookie + offset, bytes);
	else
		memcpy(h->memory + cookie + offset, memory, bytes);
	return 0;
}

/* Room for one more in a growing array: full at every power of two. */
static void *more(void *array, size_t count, size_t size)
{
	if (count & (count - 1) && count)
		return array;
	array = realloc(array, (count ? count * 2 : 1) * size);
	assert_non_null(array);
	return array;
}

static bool is_dead(const struct host *h, u32 context)
{
	size_t i;

	for (i = 0; i < h->fault_count; i++)
		if (h->dead[i] == context)
			return true;
	return false;
}

static void completed(void *host, const struct vgpu_completion *completion)
{
	struct host *h = host;

	assert_true(completion->time == vgpu_device_now(h->dev));
	if (is_dead(h, completion->context))
		assert_int_equal(completion->status, -EIO);
	h->completions = more(h->completions, h->completion_count, sizeof(*h->completions));
	h->completions[h->completion_count++] = *completion;
	if (h->stops)
		vgpu_device_stop(h->dev);
}

static void context_died(void *host, u32 context, const struct vgpu_fault *fault)
{
	struct host *h = host;

	assert_false(is_dead(h, context));
	assert_true(fault->reason > VGPU_FAULT_NONE && fault->reason < VGPU_FAULT_COUNT);
	h->faults = more(h->faults, h->fault_count, sizeof(*h->faults));
	h->dead = more(h->dead, h->fault_count, sizeof(*h->dead));
	h->faults[h->fault_count] = *fault;
	h->dead[h->fault_count++] = context;
}

static void trace(void *host, const struct vgpu_trace_record *record)
{
	struct host *h = host;

	if (h->record_count)
		assert_true(record->time >= h->records[h->record_count - 1].time);
	assert_true(record->type < VGPU_TRACE_COUNT);
	h->records = more(h->records, h->record_count, sizeof(*h->records));
	h->records[h->record_count++] = *record;
}

static void preempted(void *host, u32 context, u32 sm, u64 requested)
{
	struct host *h = host;

	assert_true(context && sm < h->config.sms);
	h->preemptions++;
	h->preemption_ps = vgpu_device_now(h->dev) - requested;
}

static void counted(void *host, const struct vgpu_launch_counts *counts)
{
	struct host *h = host;
	struct host_counts *kept;

	assert_int_equal(counts->sms, h->config.sms);
	h->counts = more(h->counts, h->counts_count, sizeof(*h->counts));
	kept = &h->counts[h->counts_count++];
	*kept = (struct host_counts){ .launch = *counts,
				      .sm = calloc(counts->sms, sizeof(*kept->sm)) };
	assert_non_null(kept->sm);
	memcpy(kept->sm, counts->sm, counts->sms * sizeof(*kept->sm));
	for (u32 sm = 0; sm < counts->sms; sm++) {
		assert_int_equal(kept->sm[sm].launch, counts->launch);
		assert_int_equal(kept->sm[sm].blocks, 0);
		for (u32 n = 0; n < VGPU_COUNTER_COUNT; n++)
			kept->sum[n] += kept->sm[sm].value[n];
	}
}

static void *managed_page(void *host, u32 context, u64 address)
{
	struct host *h = host;

	assert_true(context < HOST_MANAGED_CONTEXTS && address % VGPU_PAGE_SIZE == 0 &&
		    address - HOST_MANAGED < HOST_MANAGED_BYTES);
	if (!h->managed[context]) {
		h->managed[context] = aligned_alloc(VGPU_PAGE_SIZE, HOST_MANAGED_BYTES);
		h->granted[context] = calloc(HOST_MANAGED_BYTES / VGPU_PAGE_SIZE, sizeof(bool));
		h->writable[context] = calloc(HOST_MANAGED_BYTES / VGPU_PAGE_SIZE, sizeof(bool));
		assert_true(h->managed[context] && h->granted[context] && h->writable[context]);
		memset(h->managed[context], 0, HOST_MANAGED_BYTES);
	}
	return h->managed[context] + (address - HOST_MANAGED);
}

static void set_granted(struct host *h, u32 context, u64 address, u64 bytes, bool granted,
			bool writable)
{
	managed_page(h, context, address);
	assert_true(bytes && bytes <= HOST_MANAGED + HOST_MANAGED_BYTES - address);
	for (u64 n = 0; n < bytes / VGPU_PAGE_SIZE; n++) {
		u64 page = (address - HOST_MANAGED) / VGPU_PAGE_SIZE + n;

		h->granted[context][page] = granted;
		h->writable[context][page] = writable;
	}
}

static void revoke(void *host, u32 context, u64 address, u64 bytes)
{
	struct host *h = host;

	set_granted(h, context, address, bytes, false, false);
	h->revoked++;
}

static void protect(void *host, u32 context, u64 address, u64 bytes)
{
	struct host *h = host;

	managed_page(h, context, address);
	for (u64 n = 0; n < bytes / VGPU_PAGE_SIZE; n++)
		h->writable[context][(address - HOST_MANAGED) / VGPU_PAGE_SIZE + n] = false;
	h->protected++;
}

static void process_wants(void *host, u32 context)
{
	struct host *h = host;

	h->process_wants = context;
}

static void process_hold(void *host, u32 context)
{
	struct host *h = host;

	assert_true(context && !h->process_held);
	h->process_held = true;
}

static void *process_page(void *host, u32 context, u64 address, bool write)
{
	struct host *h = host;
	u64 page = (address - HOST_PROCESS) / VGPU_PAGE_SIZE;

	assert_true(context && h->process_held && address % VGPU_PAGE_SIZE == 0);
	if (address < HOST_PROCESS || page >= HOST_PROCESS_PAGES)
		return NULL;
	if (h->process_pages[page] < (write ? HOST_PAGE_WRITE : HOST_PAGE_READ))
		return NULL;
	return h->process + page * VGPU_PAGE_SIZE;
}

static void process_release(void *host, u32 context)
{
	struct host *h = host;

	assert_true(context && h->process_held);
	h->process_held = false;
}

static u8 *process_access(struct host *h, u32 context, u64 address, bool write, int *error)
{
	u64 page = address & ~(u64)(VGPU_PAGE_SIZE - 1), first, bytes;
	u8 *memory = managed_page(h, context, page);
	bool writable = true;
	void *payer;

	*error = 0;
	if ((write ? h->writable : h->granted)[context][(page - HOST_MANAGED) / VGPU_PAGE_SIZE])
		return memory + (address - page);
	for (;;) {
		*error = vgpu_managed_fetch(h->dev, context, address, write, &first, &bytes,
					    &writable);
		if (*error != -EAGAIN)
			break;
		assert_int_not_equal(vgpu_system_next(vgpu_device_system(h->dev), &payer),
				     VGPU_NEVER);
		vgpu_device_run(h->dev, VGPU_NEVER, 1);
	}
	if (*error)
		return NULL;
	assert_true(page >= first && page < first + bytes);
	set_granted(h, context, first, bytes, true, writable);
	first += bytes;
	bytes = vgpu_managed_ahead(h->dev, context, first);
	if (bytes)
		set_granted(h, context, first, bytes, true, true);
	return memory + (address - page);
}

u8 *host_access(struct host *h, u32 context, u64 address, int *error)
{
	return process_access(h, context, address, true, error);
}

const u8 *host_read(struct host *h, u32 context, u64 address, int *error)
{
	return process_access(h, context, address, false, error);
}

static void dropped(void *host, const char *what, const char *name, const char *reason,
		    const char *next)
{
	struct host *h = host;

	h->drops++;
	h->dropped_at = vgpu_device_now(h->dev);
	snprintf(h->dropped, sizeof(h->dropped), "%s %s: %s; %s", what, name, reason, next);
}

static const struct vgpu_host_ops ops = {
	.get_frame = get_frame,
	.put_frame = put_frame,
	.move = move,
	.completed = completed,
	.context_died = context_died,
	.trace = trace,
	.preempted = preempted,
	.counted = counted,
	.dropped = dropped,
	.managed_page = managed_page,
	.revoke = revoke,
	.protect = protect,
	.process_wants = process_wants,
	.process_hold = process_hold,
	.process_page = process_page,
	.process_release = process_release,
};

struct host *host_new_in(struct vgpu_system *system, const struct vgpu_config *config)
{
	struct host *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	h->config = *config;
	h->memory = calloc(1, HOST_MEMORY);
	h->process = calloc(HOST_PROCESS_PAGES, VGPU_PAGE_SIZE);
	assert_true(h->memory && h->process);
	h->frames_max = ~0ull;
	assert_null(vgpu_config_check(config));
	assert_int_equal(system ? vgpu_device_create_in(system, config, &ops, h, &h->dev) :
				  vgpu_device_create(config, &ops, h, &h->dev), 0);
	vgpu_device_trace(h->dev, true);
	return h;
}

struct host *host_new_config(const struct vgpu_config *config)
{
	return host_new_in(NULL, config);
}

struct host *host_new(const char *preset, ...)
{
	struct vgpu_config config;
	const char *setting;
	va_list list;

	assert_int_equal(vgpu_config_preset(&config, preset), 0);
	/* a test says when a launch that it has announced comes */
	config.pep_lead_ps = 0;
	va_start(list, preset);
	while ((setting = va_arg(list, const char *))) {
		const char *equals = strchr(setting, '=');
		char field[64];

		assert_non_null(equals);
		snprintf(field, sizeof(field), "%.*s", (int)(equals - setting), setting);
		assert_int_equal(vgpu_config_set(&config, field, equals + 1), 0);
	}
	va_end(list);
	return host_new_config(&config);
}

void host_leave(struct host *h)
{
	struct vgpu_device_counts counts;

	assert_true(vgpu_exec_check(&h->dev->exec));
	while (h->dev->contexts.count)
		assert_int_equal(vgpu_context_close(h->dev, h->dev->contexts.list[0]->id), 0);
	vgpu_device_counts(h->dev, &counts);
	assert_true(!counts.contexts && !counts.queues && !counts.modules && !counts.commands &&
		    !counts.kernels && !counts.blocks && !counts.frames && !counts.page_tables);
	assert_int_equal(h->frames, 0);
	assert_int_equal(h->dev->mmu.promised, h->dev->retired_pages * VGPU_PAGE_SIZE);
	vgpu_device_destroy(h->dev);
	free(h->completions);
	free(h->bursts);
	free(h->faults);
	free(h->dead);
	free(h->records);
	while (h->counts_count)
		free(h->counts[--h->counts_count].sm);
	free(h->counts);
	assert_false(h->process_held);
	free(h->process);
	free(h->memory);
	for (u32 n = 0; n < HOST_MANAGED_CONTEXTS; n++) {
		free(h->managed[n]);
		free(h->granted[n]);
		free(h->writable[n]);
	}
	free(h);
}

void host_free(struct host *h)
{
	host_leave(h);
	assert_int_equal(vgpu_user_allocations(), 0);
}

u32 host_open(struct host *h)
{
	u32 context;

	assert_int_equal(vgpu_context_open(h->dev, 0, NULL, &context), 0);
	return context;
}

u32 host_queue(struct host *h, u32 context)
{
	u32 queue;

	assert_int_equal(vgpu_queue_create(h->dev, context, &queue), 0);
	return queue;
}

int host_try(struct host *h, u32 context, u32 queue, const struct vgpu_cmd *cmd, u64 cookie,
	     const void *params)
{
	struct vgpu_push push = { .cmd = *cmd, .cookie = cookie, .params = params };
	u32 failed = 77;
	u64 seq;
	int err;

	err = vgpu_queue_push(h->dev, context, queue, &push, 1, &failed, &seq);
	if (err == -EINVAL)
		assert_int_equal(failed, 0);
	return err;
}

u64 host_push(struct host *h, u32 context, u32 queue, struct vgpu_cmd cmd)
{
	struct vgpu_push push = { .cmd = cmd };
	u32 failed;
	u64 seq = 0;

	if (cmd.op == VGPU_CMD_COPY_H2D)
		push.cookie = cmd.copy.src - PROCESS;
	else if (cmd.op == VGPU_CMD_COPY_D2H)
		push.cookie = cmd.copy.dst - PROCESS;
	else if (cmd.op == VGPU_CMD_STAMP)
		push.cookie = cmd.stamp.dst - PROCESS;
	assert_int_equal(vgpu_queue_push(h->dev, context, queue, &push, 1, &failed, &seq), 0);
	return seq;
}

void host_run(struct host *h)
{
	while (vgpu_device_run(h->dev, VGPU_NEVER, 1000) != VGPU_NEVER)
		assert_true(vgpu_exec_check(&h->dev->exec));
	assert_true(vgpu_exec_check(&h->dev->exec));
}

static const struct vgpu_completion *find(struct host *h, u32 context, u32 queue, u64 seq)
{
	const struct vgpu_completion *found = NULL;
	size_t i;

	for (i = 0; i < h->completion_count; i++) {
		const struct vgpu_completion *c = &h->completions[i];

		if (c->context != context || c->queue != queue || c->seq != seq)
			continue;
		assert_null(found);
		found = c;
	}
	return found;
}

const struct vgpu_completion *host_done(struct host *h, u32 context, u32 queue, u64 seq)
{
	const struct vgpu_completion *c = find(h, context, queue, seq);

	assert_non_null(c);
	return c;
}

void host_not_done(struct host *h, u32 context, u32 queue, u64 seq)
{
	assert_null(find(h, context, queue, seq));
}

u64 host_time_of(struct host *h, enum vgpu_trace_type type, u32 kernel)
{
	u64 time = ~0ull;
	size_t i;

	for (i = 0; i < h->record_count; i++) {
		if (h->records[i].type != type || h->records[i].kernel != kernel)
			continue;
		assert_true(time == ~0ull);
		time = h->records[i].time;
	}
	return time;
}

size_t host_count_of(struct host *h, enum vgpu_trace_type type)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < h->record_count; i++)
		count += h->records[i].type == type;
	return count;
}

/* In all bytes: an initializer need not clear what the named member of the union leaves. */
static struct vgpu_cmd cmd_of(u16 op)
{
	struct vgpu_cmd cmd;

	memset(&cmd, 0, sizeof(cmd));
	cmd.op = op;
	return cmd;
}

struct vgpu_cmd cmd_nop(void)
{
	return cmd_of(VGPU_CMD_NOP);
}

static struct vgpu_cmd cmd_copy(u16 op, u64 dst, u64 src, u64 bytes)
{
	struct vgpu_cmd cmd = cmd_of(op);

	cmd.copy = (struct vgpu_cmd_copy){ .dst = dst, .src = src, .bytes = bytes };
	return cmd;
}

struct vgpu_cmd cmd_h2d(u64 dst, u64 offset, u64 bytes)
{
	return cmd_copy(VGPU_CMD_COPY_H2D, dst, PROCESS + offset, bytes);
}

struct vgpu_cmd cmd_d2h(u64 offset, u64 src, u64 bytes)
{
	return cmd_copy(VGPU_CMD_COPY_D2H, PROCESS + offset, src, bytes);
}

struct vgpu_cmd cmd_d2d(u64 dst, u64 src, u64 bytes)
{
	return cmd_copy(VGPU_CMD_COPY_D2D, dst, src, bytes);
}

struct vgpu_cmd cmd_fill(u64 dst, u64 count, u32 value, u32 width)
{
	struct vgpu_cmd cmd = cmd_of(VGPU_CMD_FILL);

	cmd.fill = (struct vgpu_cmd_fill){
		.dst = dst, .count = count, .value = value, .width = width
	};
	return cmd;
}

struct vgpu_cmd cmd_wait(u32 queue, u64 seq)
{
	struct vgpu_cmd cmd = cmd_of(VGPU_CMD_WAIT);

	cmd.wait = (struct vgpu_cmd_wait){ .queue = queue, .seq = seq };
	return cmd;
}

struct vgpu_cmd cmd_stamp(u64 offset)
{
	struct vgpu_cmd cmd = cmd_of(VGPU_CMD_STAMP);

	cmd.stamp = (struct vgpu_cmd_stamp){ .dst = PROCESS + offset };
	return cmd;
}

struct vgpu_cmd cmd_profiled(u64 blocks, u64 block_ps, u32 occupancy)
{
	struct vgpu_cmd cmd = cmd_of(VGPU_CMD_PROFILED);

	cmd.profiled = (struct vgpu_cmd_profiled){ .blocks = blocks,
						   .block_ps = block_ps,
						   .threads = 32,
						   .regs_per_block = 65536 / occupancy };
	return cmd;
}
