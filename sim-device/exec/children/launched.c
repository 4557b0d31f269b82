// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What kernels have launched is read from the memory of their context (uapi vgpu_launch.h), which
 * any kernel may have written anything to: whatever it says is checked here, and costs that context
 * alone.
 */
#include "../../mmu/mmu.h"
#include "../../sim/work.h"
#include "../exec.h"
#include "launched.h"

#define ROW(pool)		((pool) + sizeof(struct vgpu_launch_pool))
#define RECORD(pool, slots, n)	(ROW(pool) + ((u64)(slots) * 4 + 63) / 64 * 64 + \
				 (u64)(n) * sizeof(struct vgpu_launch_record))
/* in the row: it was taken before another one that came before it */
#define GONE			~0u

/*
 * What kernels, and a process that has the page mapped, may change at any time: it is read once,
 * and what was read is checked.
 */
static u32 read_once(const u32 *from)
{
	return *(const volatile u32 *)from;
}

static u64 read_once_64(const u64 *from)
{
	return *(const volatile u64 *)from;
}

/** struct taking - launches that are taken by a block's end */
struct taking {
	struct vgpu_exec *exec;
	struct vgpu_ksr *ksr;
	u64 pool;
	u32 slots;
	struct vgpu_fault fault;	/* its reason is NONE, unless something is wrong */
};

/* The bytes at @address, of a page; NULL: there are none. */
static void *bytes_at(const struct vgpu_exec_context *ctx, u64 address, bool write)
{
	enum vgpu_translation result;
	u8 *page;

	result = vgpu_as_translate(ctx->as, address, write, &page);
	if (result != VGPU_XLATE_OK && result != VGPU_XLATE_IN_PLACE)
		return NULL;
	vgpu_as_flush(ctx->as, address, write);
	return page + (address & (VGPU_PAGE_SIZE - 1));
}

static bool wrong(struct taking *t, u32 reason, u64 address)
{
	t->fault = vgpu_exec_fault_of(t->ksr, (enum vgpu_fault_reason)reason);
	t->fault.address = address;
	return false;
}

/* The active kernel of the context whose launch has this number; NULL: there is none. */
static struct vgpu_ksr *launcher_of(const struct taking *t, u32 launch)
{
	struct vgpu_ksr *ksr;

	if (t->ksr->launch.id == launch)
		return t->ksr;
	vgpu_list_for_each(ksr, &t->exec->active_queue, struct vgpu_ksr, node)
		if (ksr->launch.id == launch && ksr->ctx == t->ksr->ctx)
			return ksr;
	return NULL;
}

/* Its parameters, of which those beyond what a record has are 0 */
static bool copy_params(const struct taking *t, struct vgpu_child *child, u64 from)
{
	u32 bytes = child->cmd.param_bytes, done, piece;

	if (bytes > VGPU_LAUNCH_PARAM_MAX)
		bytes = VGPU_LAUNCH_PARAM_MAX;
	for (done = 0; done < bytes; done += piece) {
		u64 left = VGPU_PAGE_SIZE - ((from + done) & (VGPU_PAGE_SIZE - 1));
		const void *at = bytes_at(t->ksr->ctx, from + done, false);

		if (!at)
			return false;
		piece = bytes - done < left ? bytes - done : (u32)left;
		memcpy(child->params + done, at, piece);
	}
	return true;
}

/* What the record at @address launches, which is valid. False: there is no memory for it. */
static bool take_launch(struct taking *t, struct vgpu_ksr *launcher, u64 stream, u64 address,
			const struct vgpu_cmd_launch *cmd, struct vgpu_module_ref *module)
{
	const struct vgpu_kernel *kernel = vgpu_module_kernel(module->code, cmd->kernel);
	struct vgpu_child *child = vgpu_child_create(launcher, cmd, module);

	if (!child) {
		vgpu_module_put(module);
		return wrong(t, VGPU_FAULT_NO_MEMORY, address);
	}
	child->pool = t->pool;
	child->stream = stream;
	child->depth = child->family->depth +
		       (VGPU_LAUNCH_KIND(stream) != VGPU_LAUNCH_TAIL);
	/* it is no launch yet, and is freed with the context */
	if (child->depth > VGPU_LAUNCH_DEPTH_MAX ||
	    !copy_params(t, child, address + offsetof(struct vgpu_launch_record, params)))
		return wrong(t, VGPU_FAULT_LAUNCH, address);
	if (kernel->vass.launch_depth)
		memcpy(child->params + kernel->vass.launch_depth, &child->depth,
		       sizeof(child->depth));
	vgpu_child_launch(t->exec, child);
	return true;
}

static bool take_record(struct taking *t, u32 number)
{
	u64 address = RECORD(t->pool, t->slots, number);
	struct vgpu_exec_context *ctx = t->ksr->ctx;
	struct vgpu_launch_record *record;
	struct vgpu_module_ref *module;
	const struct vgpu_kernel *kernel;
	struct vgpu_ksr *launcher;
	struct vgpu_cmd_launch cmd;
	u64 stream;

	record = bytes_at(ctx, address, true);
	if (!record)
		return wrong(t, VGPU_FAULT_LAUNCH, address);
	vgpu_work_add(ctx->work, VGPU_WORK_COMMAND);
	cmd = (struct vgpu_cmd_launch){
		.module = read_once(&record->module),
		.kernel = read_once(&record->kernel),
		.dynamic_shared = read_once(&record->dynamic_shared),
	};
	for (u32 n = 0; n < 3; n++) {
		cmd.grid[n] = read_once(&record->grid[n]);
		cmd.block[n] = read_once(&record->block[n]);
	}
	stream = read_once_64(&record->stream);
	launcher = launcher_of(t, read_once(&record->launcher));
	if (!launcher || record->reserved || record->reserved1 ||
	    VGPU_LAUNCH_KIND(stream) > VGPU_LAUNCH_TAIL ||
	    ctx->child_count >= VGPU_LAUNCH_SLOTS_MAX)
		return wrong(t, VGPU_FAULT_LAUNCH, address);
	module = vgpu_module_get(ctx->modules, cmd.module);
	if (!module)
		return wrong(t, VGPU_FAULT_LAUNCH, address);
	kernel = vgpu_module_kernel(module->code, cmd.kernel);
	if (!kernel || vgpu_launch_check(t->exec->config, kernel, &cmd)) {
		vgpu_module_put(module);
		return wrong(t, VGPU_FAULT_LAUNCH, address);
	}
	cmd.param_bytes = kernel->vass.param_bytes;
	if (!take_launch(t, launcher, stream, address, &cmd, module))
		return false;
	record->state = 0;
	return true;
}

/* One place of the row. @first: those before it have been taken. False: something is wrong. */
static bool take_place(struct taking *t, u32 place, struct vgpu_launch_pool *pool, bool *first)
{
	u32 *at = bytes_at(t->ksr->ctx, ROW(t->pool) + (u64)(place & (t->slots - 1)) * 4, true);
	u32 number;

	if (!at)
		return wrong(t, VGPU_FAULT_LAUNCH, t->pool);
	/* a row may be long, with nothing to take in it */
	vgpu_work_add(t->ksr->ctx->work, VGPU_WORK_FOUND);
	number = read_once(at);
	if (!number) {
		/* who launches has not come so far */
		*first = false;
		return true;
	}
	if (number != GONE) {
		if (number > t->slots)
			return wrong(t, VGPU_FAULT_LAUNCH, t->pool);
		if (!take_record(t, number - 1))
			return false;
	}
	*at = *first ? 0 : GONE;
	pool->head += *first;
	return true;
}

void vgpu_children_take(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	struct taking t = { .exec = exec, .ksr = ksr, .pool = ksr->launch.kernel->launch_pool };
	struct vgpu_launch_pool *pool = bytes_at(ksr->ctx, t.pool, true);
	bool first = true, right = true;
	u32 head = 0, tail = 0;

	if (ksr->launch.stopped)
		return;
	if (pool) {
		t.slots = read_once(&pool->slots);
		head = read_once(&pool->head);
		tail = read_once(&pool->tail);
		if (head == tail)
			return;
	}
	if (!pool || !t.slots || t.slots > VGPU_LAUNCH_SLOTS_MAX || t.slots & (t.slots - 1) ||
	    tail - head > t.slots)
		right = wrong(&t, VGPU_FAULT_LAUNCH, t.pool);
	for (; right && head != tail; head++)
		right = take_place(&t, head, pool, &first);
	if (!right)
		exec->ops->fault(ksr->ctx, &t.fault);
}

void vgpu_launched_over(const struct vgpu_child *child)
{
	struct vgpu_launch_pool *pool = bytes_at(child->job.ctx, child->pool, true);

	if (pool && pool->pending)
		pool->pending--;
}
