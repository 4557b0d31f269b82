// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The context table: opening, closing, death, queues, modules, memory, accounts. Everything of a
 * context can end at any moment: kernels first, then transfers, then the commands, so that no
 * engine holds what is freed.
 */
#include "device.h"

/* Where @id is in the list, or belongs. */
static u32 table_position(const struct vgpu_context_table *table, u32 id)
{
	u32 low = 0;
	u32 high = table->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (table->list[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct vgpu_context *vgpu_context_find(const struct vgpu_device *dev, u32 id)
{
	const struct vgpu_context_table *table = &dev->contexts;
	u32 at = table_position(table, id);

	return at < table->count && table->list[at]->id == id ? table->list[at] : NULL;
}

#define ID_MAX	(~0u - 1)	/* windows use ~0 for a context that is not shown */

/*
 * The next free id, as Linux gives pids: nothing of a context that was closed has its id any more,
 * and who remembers one outside does not meet another context for 2^32 - 2 opens.
 */
static u32 next_id(const struct vgpu_context_table *table, u32 *at)
{
	u32 id = table->last_id;

	do {
		id = id == ID_MAX ? 1 : id + 1;
		*at = table_position(table, id);
	} while (*at < table->count && table->list[*at]->id == id);
	return id;
}

static int grow_table(struct vgpu_context_table *table)
{
	u32 room = table->room ? table->room * 2 : 16;
	struct vgpu_context **list;

	if (table->count < table->room)
		return 0;
	list = vgpu_mem_alloc_device(room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	if (table->count)
		memcpy(list, table->list, table->count * sizeof(*list));
	vgpu_mem_free_device(table->list);
	table->list = list;
	table->room = room;
	return 0;
}

/* ---- death -------------------------------------------------------------- */

static void stop_context(struct vgpu_context *ctx)
{
	struct vgpu_device *dev = ctx->dev;

	vgpu_event_cancel(dev->sim, &ctx->death);
	vgpu_exec_abort(&ctx->exec);
	vgpu_transfers_abort(&dev->transfers, &ctx->transfer);
	vgpu_queues_abort(&ctx->queue);
}

static void death_fire(struct vgpu_event *event)
{
	struct vgpu_context *ctx = vgpu_container_of(event, struct vgpu_context, death);

	stop_context(ctx);
	vgpu_exec_rerank(&ctx->dev->exec);
}

void vgpu_context_die(struct vgpu_context *ctx, const struct vgpu_fault *fault)
{
	struct vgpu_device *dev = ctx->dev;

	if (ctx->dead)
		return;
	ctx->dead = true;
	ctx->exec.sched.takes_part = false;
	ctx->fault = *fault;
	ctx->fault.time = dev->sim->now;
	vgpu_trace_context(&dev->trace, VGPU_TRACE_FAULT, ctx->id, fault->reason, fault->address);
	dev->ops->context_died(dev->host, ctx->id, &ctx->fault);
	vgpu_exec_stop_context(&ctx->exec);
	vgpu_event_next(dev->sim, &ctx->death);
}

int vgpu_context_end(struct vgpu_device *dev, u32 context, const struct vgpu_fault *fault)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	if (!ctx->dead) {
		vgpu_context_die(ctx, fault);
		/* The host calls, and no event is being processed: nothing is to wait for. */
		vgpu_event_cancel(dev->sim, &ctx->death);
		death_fire(&ctx->death);
	}
	return 0;
}

/* ---- opening and closing ------------------------------------------------ */

/* A struct of its own account; NULL: no memory. */
static struct vgpu_context *context_alloc(u64 budget, void *payer)
{
	struct vgpu_mem_account account = { .budget = budget, .payer = payer };
	struct vgpu_context *ctx = vgpu_mem_alloc(&account, sizeof(*ctx));

	if (ctx)
		ctx->memory = account;
	return ctx;
}

static void context_free(struct vgpu_context *ctx)
{
	struct vgpu_mem_account account = ctx->memory;

	vgpu_mem_free(&account, ctx, sizeof(*ctx));
	/* What it was charged for has all been freed. */
	VGPU_CHECK(!account.bytes);
}

/* Its death, and those of its pressure */
#define EVENTS	(1 + VGPU_PRESSURE_EVENTS)

int vgpu_context_open(struct vgpu_device *dev, u64 label, void *payer, u32 *id)
{
	struct vgpu_context_table *table = &dev->contexts;
	struct vgpu_context *ctx;
	u32 at;
	int err;

	if (dev->offline)
		return -ESHUTDOWN;
	err = grow_table(table);
	if (err)
		return err;
	ctx = context_alloc(dev->config.context_budget, payer);
	if (!ctx)
		return -ENOMEM;
	err = vgpu_event_reserve(dev->sim, EVENTS);
	if (err)
		goto free;
	ctx->dev = dev;
	ctx->id = next_id(table, &at);
	ctx->label = label;
	ctx->death.fire = death_fire;
	ctx->memory_budget = VGPU_BUDGET_OF_DEVICE;
	vgpu_work_init(&ctx->work, &dev->system->work);
	err = vgpu_as_create(&dev->mmu, ctx->id, &ctx->memory, &ctx->as);
	if (err)
		goto release;
	vgpu_context_init_pressure(ctx);
	ctx->exec.sched.id = ctx->id;
	ctx->exec.as = ctx->as;
	ctx->exec.memory = &ctx->memory;
	ctx->exec.work = &ctx->work;
	ctx->exec.modules = &ctx->modules;
	ctx->transfer.id = ctx->id;
	ctx->transfer.as = ctx->as;
	ctx->transfer.work = &ctx->work;
	ctx->modules.memory = &ctx->memory;
	ctx->queue.id = ctx->id;
	ctx->queue.memory = &ctx->memory;
	ctx->queue.modules = &ctx->modules;
	ctx->queue.exec = &ctx->exec;
	ctx->queue.transfer = &ctx->transfer;
	vgpu_queues_open(&ctx->queue);
	err = vgpu_exec_open(&dev->exec, &ctx->exec);
	if (err)
		goto destroy;
	table->last_id = ctx->id;
	memmove(&table->list[at + 1], &table->list[at], (table->count - at) * sizeof(*table->list));
	table->list[at] = ctx;
	table->count++;
	vgpu_trace_context(&dev->trace, VGPU_TRACE_CONTEXT_OPEN, ctx->id, label, 0);
	*id = ctx->id;
	return 0;
destroy:
	vgpu_as_destroy(ctx->as);
release:
	vgpu_event_release(dev->sim, EVENTS);
free:
	context_free(ctx);
	return err;
}

int vgpu_context_stop(struct vgpu_device *dev, u32 context, u64 most)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	stop_context(ctx);
	vgpu_exec_rerank(&dev->exec);
	return vgpu_as_drop(ctx->as, most) ? 0 : -EAGAIN;
}

int vgpu_context_close(struct vgpu_device *dev, u32 context)
{
	struct vgpu_context_table *table = &dev->contexts;
	struct vgpu_context *ctx = vgpu_context_find(dev, context);
	u32 at;

	if (!ctx)
		return -ENOENT;
	stop_context(ctx);
	vgpu_queues_release(&ctx->queue);
	vgpu_module_table_free(&ctx->modules);
	vgpu_pressure_fini(&ctx->pressure);
	vgpu_as_destroy(ctx->as);
	vgpu_exec_close(&ctx->exec);
	vgpu_event_release(dev->sim, EVENTS);
	vgpu_work_read(&ctx->work);
	vgpu_trace_context(&dev->trace, VGPU_TRACE_CONTEXT_CLOSE, ctx->id, ctx->fault.reason, 0);
	at = table_position(table, context);
	table->count--;
	memmove(&table->list[at], &table->list[at + 1], (table->count - at) * sizeof(*table->list));
	context_free(ctx);
	vgpu_exec_rerank(&dev->exec);
	return 0;
}

/* ---- settings and accounts ---------------------------------------------- */

bool vgpu_device_blocker(const struct vgpu_device *dev, u32 *context, u32 *launch,
			 struct vgpu_fault *fault)
{
	const struct vgpu_ksr *ksr = vgpu_exec_blocker(&dev->exec);

	if (!ksr)
		return false;
	*context = ksr->launch.context;
	*launch = ksr->launch.id;
	*fault = vgpu_exec_overrun(ksr);
	return true;
}

int vgpu_context_sms(struct vgpu_device *dev, u32 context, u32 sms)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	if (!sms)
		return -EINVAL;
	vgpu_exec_set_sms(&ctx->exec, sms);
	return 0;
}

int vgpu_context_priority(struct vgpu_device *dev, u32 context, s32 priority)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	ctx->exec.sched.priority = priority;
	ctx->transfer.priority = priority;
	vgpu_transfers_rerank(&dev->transfers, &ctx->transfer);
	vgpu_exec_rerank(&dev->exec);
	return 0;
}

int vgpu_context_tokens(struct vgpu_device *dev, u32 context, u32 tokens)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	if (tokens > VGPU_TOKENS_MAX && tokens != VGPU_TOKENS_SHARE)
		return -EINVAL;
	ctx->exec.sched.tokens = tokens;
	vgpu_exec_rerank(&dev->exec);
	return 0;
}

int vgpu_context_info(const struct vgpu_device *dev, u32 context, struct vgpu_context_info *info)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);
	const struct vgpu_migrated *migrated;
	const struct vgpu_translations *translations;
	const struct vgpu_fault_space *faults;

	if (!ctx)
		return -ENOENT;
	faults = vgpu_as_faults(ctx->as);
	migrated = vgpu_as_migrated(ctx->as);
	translations = vgpu_as_translations(ctx->as);
	memset(info, 0, sizeof(*info));
	info->id = ctx->id;
	info->queues = ctx->queue.count;
	info->modules = ctx->modules.count;
	info->dead = ctx->dead;
	info->mapped_bytes = vgpu_as_mapped_bytes(ctx->as);
	info->resident_bytes = vgpu_as_resident_bytes(ctx->as);
	info->kernels = ctx->exec.ended_kernels;
	info->blocks = ctx->exec.ended_blocks;
	info->copies = ctx->transfer.copies;
	info->copied_bytes = ctx->transfer.copied_bytes;
	vgpu_account_context(&dev->exec, &ctx->exec, info);
	vgpu_exec_context_use(&dev->exec, &ctx->exec, &info->account);
	info->account.host_bytes = ctx->memory.bytes;
	info->account.page_faults = faults->raised;
	info->account.page_faults_delayed = faults->delayed;
	info->account.page_fault_time = faults->time;
	info->account.host_page_faults = faults->raised_by_host;
	info->account.page_bytes_in = migrated->to_device;
	info->account.page_bytes_out = migrated->to_host;
	info->account.pages_evicted = migrated->evicted;
	info->account.page_refaults = migrated->refaults;
	vgpu_context_pressure_account(ctx, &info->account);
	info->account.tlb_misses = translations->misses;
	info->account.l2_tlb_hits = translations->l2_hits;
	info->account.l2_tlb_misses = translations->l2_misses;
	info->account.page_walks = translations->walks;
	info->account.page_walk_wait = translations->waited;
	info->account.page_faults_local = vgpu_as_handled_by_sms(ctx->as);
	info->account.managed_resident = vgpu_as_managed_resident(ctx->as);
	info->account.managed_host = vgpu_as_managed_on_host(ctx->as);
	info->fault = ctx->fault;
	return 0;
}

/* ---- queues ------------------------------------------------------------- */

int vgpu_queue_create(struct vgpu_device *dev, u32 context, u32 *queue)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);
	int err;

	if (!ctx)
		return -ENOENT;
	if (ctx->dead)
		return -EIO;
	err = vgpu_queues_get(&dev->queues, &ctx->queue, queue);
	if (err)
		return err;
	/* It counts as a process now, and shares of SMs are by process. */
	if (!ctx->exec.sched.takes_part) {
		ctx->exec.sched.takes_part = true;
		vgpu_exec_rerank(&dev->exec);
	}
	return 0;
}

int vgpu_queue_destroy(struct vgpu_device *dev, u32 context, u32 queue)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);
	int err = ctx ? vgpu_queues_put(&dev->queues, &ctx->queue, queue) : -ENOENT;

	if (!err && !ctx->queue.count) {
		ctx->exec.sched.takes_part = false;
		vgpu_exec_rerank(&dev->exec);
	}
	return err;
}

int vgpu_queue_completed(const struct vgpu_device *dev, u32 context, u32 queue, u64 *seq)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);
	const struct vgpu_queue *q =
		ctx ? vgpu_queue_of(&dev->queues, &ctx->queue, queue) : NULL;

	if (!q)
		return -ENOENT;
	*seq = q->completed;
	return 0;
}

int vgpu_host_done(struct vgpu_device *dev, u32 context, u32 queue, u64 seq)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);
	struct vgpu_queue *q = ctx ? vgpu_queue_of(&dev->queues, &ctx->queue, queue) : NULL;

	if (!q)
		return -ENOENT;
	return ctx->dead ? -EIO : vgpu_queues_host_done(q, seq);
}

bool vgpu_queue_host_due(const struct vgpu_device *dev, u32 context, u32 queue, u64 seq)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);
	const struct vgpu_queue *q =
		ctx ? vgpu_queue_of(&dev->queues, &ctx->queue, queue) : NULL;

	return q && q->parked && q->head->seq == seq;
}

bool vgpu_host_due(const struct vgpu_device *dev, u32 context)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	return ctx && ctx->queue.parked;
}

int vgpu_queue_push(struct vgpu_device *dev, u32 context, u32 queue, const struct vgpu_push *push,
		    u32 count, u32 *failed, u64 *seq)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);
	struct vgpu_queue *q = ctx ? vgpu_queue_of(&dev->queues, &ctx->queue, queue) : NULL;

	*failed = 0;
	if (!q)
		return -ENOENT;
	return ctx->dead ? -EIO : vgpu_queues_push(q, push, count, failed, seq);
}

/* ---- modules ------------------------------------------------------------ */

int vgpu_module_add(struct vgpu_device *dev, u32 context, struct vgpu_module *code, u32 *module)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	if (ctx->dead)
		return -EIO;
	vgpu_module_number(code, &dev->kernel_ids);
	return vgpu_module_table_add(&ctx->modules, code, module);
}

int vgpu_module_load(struct vgpu_device *dev, u32 context, const void *binary, u32 bytes,
		     char *message, size_t message_bytes, u32 *module)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);
	struct vgpu_module *code;
	int err;

	if (!ctx || ctx->dead)
		return ctx ? -EIO : -ENOENT;
	err = vgpu_vass_load(&dev->config, binary, bytes, message, message_bytes, &code);
	if (err)
		return err;
	err = vgpu_module_add(dev, context, code, module);
	if (err)
		vgpu_vass_free(code);
	return err;
}

int vgpu_module_unload(struct vgpu_device *dev, u32 context, u32 module)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	return ctx ? vgpu_module_table_remove(&ctx->modules, module) : -ENOENT;
}

/* ---- memory ------------------------------------------------------------- */

static int map_memory(struct vgpu_device *dev, u32 context, u64 address, u64 bytes,
		      enum vgpu_mapping_kind kind)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	if (ctx->dead)
		return -EIO;
	if (kind == VGPU_MAPPING_DEVICE && bytes > vgpu_context_budget_left(ctx))
		return -ENOMEM;
	return vgpu_as_map(ctx->as, address, bytes, kind);
}

int vgpu_memory_map(struct vgpu_device *dev, u32 context, u64 address, u64 bytes)
{
	return map_memory(dev, context, address, bytes, VGPU_MAPPING_DEVICE);
}

int vgpu_memory_map_managed(struct vgpu_device *dev, u32 context, u64 address, u64 bytes)
{
	return map_memory(dev, context, address, bytes, VGPU_MAPPING_MANAGED);
}

bool vgpu_memory_is_managed(const struct vgpu_device *dev, u32 context, u64 address)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	return ctx && vgpu_as_is_managed(ctx->as, address);
}

bool vgpu_memory_is_device(const struct vgpu_device *dev, u32 context, u64 address)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	return ctx && vgpu_as_is_device(ctx->as, address, address);
}

int vgpu_memory_map_host(struct vgpu_device *dev, u32 context, u64 address, u64 bytes)
{
	return map_memory(dev, context, address, bytes, VGPU_MAPPING_HOST);
}

int vgpu_process_enable(struct vgpu_device *dev, u32 context)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	return ctx->dead ? -EIO : vgpu_as_process_enable(ctx->as);
}

bool vgpu_process_wanted(struct vgpu_device *dev, u32 context, struct vgpu_process_pages *pages)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	return ctx && vgpu_as_process_wanted(ctx->as, pages);
}

void vgpu_process_came(struct vgpu_device *dev, u32 context, const struct vgpu_process_pages *pages)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (ctx)
		vgpu_as_process_came(ctx->as, pages);
}

int vgpu_memory_map_host_read(struct vgpu_device *dev, u32 context, u64 address, u64 bytes)
{
	return map_memory(dev, context, address, bytes, VGPU_MAPPING_HOST_READ);
}

int vgpu_managed_fetch(struct vgpu_device *dev, u32 context, u64 address, bool write, u64 *first,
		       u64 *bytes, bool *writable)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	return ctx ? vgpu_as_fetch(ctx->as, address, write, first, bytes, writable) : -ENOENT;
}

u64 vgpu_managed_ahead(struct vgpu_device *dev, u32 context, u64 address)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	return ctx ? vgpu_as_ahead(ctx->as, address) : 0;
}

int vgpu_managed_advise(struct vgpu_device *dev, u32 context, u64 address, u64 bytes, u32 advice)
{
	u64 done = 0;

	return vgpu_managed_advise_part(dev, context, address, bytes, advice, ~0ull, &done);
}

int vgpu_managed_advise_part(struct vgpu_device *dev, u32 context, u64 address, u64 bytes,
			     u32 advice, u64 most, u64 *done)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	if (ctx->dead)
		return -EIO;
	if (advice != VGPU_ADVICE_SHARED && advice != VGPU_ADVICE_NOT_SHARED)
		return vgpu_as_advise(ctx->as, address, bytes, advice, most, done);
	if (!vgpu_as_may_advise(ctx->as, address, bytes))
		return -EINVAL;
	vgpu_pressure_hint(&ctx->pressure, address, advice == VGPU_ADVICE_SHARED);
	*done = bytes;
	return 0;
}

int vgpu_memory_allocate(struct vgpu_device *dev, u32 context, u64 bytes, u64 owner, u32 *handle)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	if (ctx->dead)
		return -EIO;
	if (bytes > vgpu_context_budget_left(ctx))
		return -ENOMEM;
	return vgpu_as_allocate(ctx->as, bytes, owner, handle);
}

int vgpu_memory_release(struct vgpu_device *dev, u32 context, u32 handle, u64 most)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	return ctx ? vgpu_as_release(ctx->as, handle, most) : -ENOENT;
}

int vgpu_memory_map_view(struct vgpu_device *dev, u32 context, u64 address, u64 bytes, u32 handle,
			 u64 offset, u32 rights)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	return ctx->dead ? -EIO : vgpu_as_map_view(ctx->as, address, bytes, handle, offset, rights);
}

int vgpu_memory_rights(struct vgpu_device *dev, u32 context, u64 address, u64 bytes, u32 rights,
		       u64 most)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	return ctx->dead ? -EIO : vgpu_as_set_rights(ctx->as, address, bytes, rights, most);
}

int vgpu_memory_retain(struct vgpu_device *dev, u32 context, u64 address, u64 bytes, u64 owner,
		       u64 most, u64 *done, u32 *handle)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	return ctx->dead ? -EIO :
			   vgpu_as_retain(ctx->as, address, bytes, owner, most, done, handle);
}

int vgpu_memory_export(struct vgpu_device *dev, u32 context, u32 handle,
		       struct vgpu_allocation **out)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	*out = ctx ? vgpu_as_allocation(ctx->as, handle) : NULL;
	if (!*out)
		return -ENOENT;
	vgpu_allocation_get(*out);
	return 0;
}

int vgpu_memory_import(struct vgpu_device *dev, u32 context, struct vgpu_allocation *allocation,
		       u32 *handle, u64 *bytes)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx)
		return -ENOENT;
	*bytes = vgpu_allocation_bytes(allocation);
	return ctx->dead ? -EIO : vgpu_as_import(ctx->as, allocation, handle);
}

int vgpu_memory_unexport(struct vgpu_allocation *allocation, u64 most)
{
	return vgpu_allocation_put(allocation, &most) ? 0 : -EAGAIN;
}

int vgpu_memory_unmap(struct vgpu_device *dev, u32 context, u64 address, u64 bytes)
{
	return vgpu_memory_unmap_part(dev, context, address, bytes, ~0ull);
}

int vgpu_memory_unmap_part(struct vgpu_device *dev, u32 context, u64 address, u64 bytes, u64 most)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);

	return ctx ? vgpu_as_unmap(ctx->as, address, bytes, most) : -ENOENT;
}

int vgpu_memory_peek(const struct vgpu_device *dev, u32 context, u64 address, void *memory,
		     u64 bytes)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);
	u8 *to = memory;

	if (!ctx)
		return -ENOENT;
	while (bytes) {
		u64 offset = address & (VGPU_PAGE_SIZE - 1);
		u64 step = bytes < VGPU_PAGE_SIZE - offset ? bytes : VGPU_PAGE_SIZE - offset;
		const struct vgpu_frame *frame = vgpu_as_frame(ctx->as, address);

		vgpu_as_flush(ctx->as, address, false);
		if (frame && frame->memory)
			memcpy(to, (const u8 *)frame->memory + offset, step);
		else
			memset(to, 0, step);
		to += step;
		address += step;
		bytes -= step;
	}
	return 0;
}
