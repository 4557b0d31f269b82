// SPDX-License-Identifier: MIT
/*
 * The tool racecheck: what the core tells becomes what race.h wants, and races become reports.
 * Memory of the runtime itself (printf's buffer, the heap) is not looked at.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "race.h"
#include "uapi/vgpu_command.h"

/** struct shape - a kernel with a grid: what a report needs of a launch. For good */
struct shape {
	struct shape *next;
	struct san_launch launch;
	u32 sites;			/* of its first instruction */
};

struct queue {
	u32 device, number;
};

struct range {
	u64 address, end;
};

static struct {
	struct race *race;
	struct shape *shapes;		/* what was launched last comes first */
	u32 copy_from, copy_to, fill;	/* sites */
	struct queue *queues;
	u32 queue_count;
	struct range *private_;
	u32 private_count;
} check;

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* ---- reports ------------------------------------------------------------------------------- */

static const char *const keys[2][2][2] = {
	{
		{ NULL, "Race of global memory: write after read" },
		{ "Race of global memory: read after write",
		  "Race of global memory: write after write" },
	},
	{
		{ NULL, "Race of shared memory: write after read" },
		{ "Race of shared memory: read after write",
		  "Race of shared memory: write after write" },
	},
};

static struct san_where where_of(const struct race_who *who)
{
	const struct shape *shape = who->launch;
	const u32 *grid;

	if (!shape || who->site->command)
		return (struct san_where){ .pc = ~0u };
	grid = shape->launch.what.grid;
	return (struct san_where){
		.launch = &shape->launch,
		.at = { (u32)(who->block % grid[0]), (u32)(who->block / grid[0] % grid[1]),
			(u32)(who->block / grid[0] / grid[1]) },
		.thread = who->thread,
		.pc = who->site->pc,
	};
}

static const char *text_of(const struct race_who *who)
{
	static const char *const kinds[] = { "Read", "Write", "Atomic" };

	if (who->site->command)
		return who->site->owner;
	return kinds[who->site->kind];
}

static void report(void *arg, const struct race_found *found)
{
	/* an instruction comes first, whichever was */
	bool swap = found->first.site->command && !found->second.site->command;
	const struct race_who *a = swap ? &found->second : &found->first;
	const struct race_who *b = swap ? &found->first : &found->second;
	struct san_where first = where_of(a), second = where_of(b);
	bool wrote = found->second.site->kind != RACE_READ;
	bool writes = found->first.site->kind != RACE_READ;

	(void)arg;
	san_report(SAN_RACECHECK, keys[found->space == RACE_SHARED][wrote][writes], &first, &second,
		   text_of(b), "%s at %s 0x%llx; nothing orders the two", text_of(a),
		   found->space == RACE_SHARED ? "offset" : "address",
		   (unsigned long long)found->address);
}

/* ---- sites --------------------------------------------------------------------------------- */

static u8 kind_of(u32 op)
{
	switch (op) {
	case VGPU_OP_LD:
	case VGPU_OP_LDG:
	case VGPU_OP_LDS:
		return RACE_READ;
	case VGPU_OP_ST:
	case VGPU_OP_STG:
	case VGPU_OP_STS:
		return RACE_WRITE;
	default:
		return RACE_ATOMIC;
	}
}

static struct race_site site_of(const struct vgpu_insn *insn, u32 pc)
{
	u32 order = VGPU_MEM_ORDER(insn->mem), scope = VGPU_MEM_SCOPE(insn->mem),
	    cache = VGPU_MEM_CACHE(insn->mem);
	struct race_site site = { .kind = kind_of(insn->op), .pc = pc, .scope = RACE_GPU };

	site.strong = site.kind == RACE_ATOMIC ||
		      (order != VGPU_ORDER_WEAK && order != VGPU_ORDER_NC) ||
		      cache == VGPU_CACHE_CG || cache == VGPU_CACHE_CV || cache == VGPU_CACHE_WT;
	if (order != VGPU_ORDER_WEAK && scope == VGPU_SCOPE_CTA)
		site.scope = RACE_BLOCK;
	site.compares = site.kind == RACE_ATOMIC && VGPU_F_ATOM(insn->flags) == VGPU_ATOM_CAS;
	site.is_volatile = site.kind != RACE_ATOMIC && order == VGPU_ORDER_RELAXED &&
			   scope == VGPU_SCOPE_SYS;
	return site;
}

static u32 sites_of(const struct vgpu_watch_launch *what)
{
	struct race_site *sites = must(calloc(what->code_count + 1, sizeof(*sites)));
	u32 first;

	for (u32 pc = 0; pc < what->code_count; pc++)
		sites[pc] = site_of(&what->code[pc], pc);
	first = race_sites(check.race, sites, what->code_count);
	free(sites);
	return first;
}

static struct shape *shape_of(const struct san_launch *launch)
{
	const struct vgpu_watch_launch *what = &launch->what;
	struct shape **at = &check.shapes, *shape;
	const struct shape *same_code = NULL;

	for (; (shape = *at); at = &shape->next) {
		if (shape->launch.kernel != launch->kernel || !launch->kernel)
			continue;
		same_code = shape;
		if (memcmp(shape->launch.what.grid, what->grid, sizeof(what->grid)) ||
		    memcmp(shape->launch.what.block, what->block, sizeof(what->block)))
			continue;
		*at = shape->next;
		shape->next = check.shapes;
		return check.shapes = shape;
	}
	shape = must(calloc(1, sizeof(*shape)));
	shape->launch = *launch;
	memset(shape->launch.own, 0, sizeof(shape->launch.own));
	shape->sites = same_code ? same_code->sites : sites_of(what);
	shape->next = check.shapes;
	return check.shapes = shape;
}

/* ---- begin --------------------------------------------------------------------------------- */

static u32 command_site(u8 kind, const char *text)
{
	return race_sites(check.race,
			  &(struct race_site){
				  .kind = kind, .command = 1, .owner = (void *)(uintptr_t)text },
			  1);
}

static void begin(void)
{
	if (check.race)
		return;
	check.race = must(race_new(report, NULL));
	check.copy_from = command_site(RACE_READ, "Read by cudaMemcpy");
	check.copy_to = command_site(RACE_WRITE, "Write by cudaMemcpy");
	check.fill = command_site(RACE_WRITE, "Write by cudaMemset");
}

static u32 queue_new(u32 device, u32 number)
{
	check.queues = must(
		realloc(check.queues, (check.queue_count + 1) * sizeof(*check.queues)));
	check.queues[check.queue_count] = (struct queue){ device, number };
	return check.queue_count++;
}

/* The newest of that number: queues that were closed may have had it. */
static u32 queue_of(u32 device, u32 number)
{
	begin();
	for (u32 n = check.queue_count; n-- > 0;)
		if (check.queues[n].device == device && check.queues[n].number == number)
			return n;
	return queue_new(device, number);
}

/* ---- kernels ------------------------------------------------------------------------------- */

static void launch_begin(struct san_launch *launch)
{
	const u32 *grid = launch->what.grid;

	begin();
	launch->own[SAN_RACECHECK] = race_launch_begin(
		check.race, queue_of(launch->device, launch->what.queue), launch->what.seq,
		(u64)grid[0] * grid[1] * grid[2], shape_of(launch));
}

static void launch_end(struct san_launch *launch)
{
	race_launch_end(launch->own[SAN_RACECHECK]);
	launch->own[SAN_RACECHECK] = NULL;
}

static void block_begin(struct san_block *block)
{
	const struct vgpu_watch_launch *what = &block->launch->what;

	block->own[SAN_RACECHECK] = race_block_begin(block->launch->own[SAN_RACECHECK],
						     block->index, what->threads,
						     what->shared_bytes);
}

static void block_end(struct san_block *block, bool dropped)
{
	race_block_end(block->own[SAN_RACECHECK], dropped);
	block->own[SAN_RACECHECK] = NULL;
}

static bool is_private(u64 address)
{
	for (u32 n = 0; n < check.private_count; n++)
		if (address >= check.private_[n].address && address < check.private_[n].end)
			return true;
	return false;
}

static bool at_several(const u64 *address, u32 lanes)
{
	u64 first = address[__builtin_ctz(lanes)];

	for (u32 left = lanes & (lanes - 1); left; left &= left - 1)
		if (address[__builtin_ctz(left)] != first)
			return true;
	return false;
}

/* Word @word of what @lane stores: elements of 8 bytes are in pairs of registers */
static u32 value_of(const struct race_access *access, u32 lane, u32 word)
{
	const u32 *rows = access->value_arg;

	if (access->value_shift < 3)
		return rows[word * RACE_LANES + lane];
	return (u32)(((const u64 *)rows)[word / 2 * RACE_LANES + lane] >> word % 2 * 32);
}

static void access(const struct san_warp *w, const struct vgpu_watch_access *a)
{
	struct race_block *block = w->block->own[SAN_RACECHECK];
	const struct vgpu_insn *insn = &w->block->launch->what.code[a->pc];
	struct race_access access = {
		.space = a->space == VGPU_WATCH_SHARED ? RACE_SHARED : RACE_GLOBAL,
		.lanes = a->lanes,
		.bytes = a->bytes,
		.several = at_several(a->address, a->lanes),
		.address = a->address,
		.value = a->value ? value_of : NULL,
		.value_arg = a->value,
		.value_shift = insn->flags & 3,
	};

	if (a->failed || a->space == VGPU_WATCH_LOCAL ||
	    (a->space == VGPU_WATCH_GLOBAL && is_private(a->address[__builtin_ctz(a->lanes)])))
		return;
	access.site = ((const struct shape *)race_caller(block))->sites + a->pc;
	race_access(block, w->warp, &access);
}

static void fence(const struct san_warp *w, u32 pc, u32 lanes, u32 order, u32 scope)
{
	(void)pc;
	race_fence(w->block->own[SAN_RACECHECK], w->warp, lanes, order != VGPU_ORDER_RELEASE,
		   order != VGPU_ORDER_ACQUIRE, scope == VGPU_SCOPE_CTA ? RACE_BLOCK : RACE_GPU);
}

/* Lanes meet with those that have their mask. */
static void sync(const struct san_warp *w, const struct vgpu_watch_sync *s)
{
	if (s->op != VGPU_OP_BARWARP)
		return;
	for (u32 left = s->lanes, same; left; left &= ~same) {
		u32 mask = s->mask[__builtin_ctz(left)];

		same = left & -left;
		for (u32 others = left; others; others &= others - 1) {
			u32 l = (u32)__builtin_ctz(others);

			if (s->mask[l] == mask)
				same |= 1u << l;
		}
		race_warp_sync(w->block->own[SAN_RACECHECK], w->warp, same | (mask & ~w->live));
	}
}

static void barrier_arrive(const struct san_warp *w, const struct vgpu_watch_barrier *barrier)
{
	race_barrier_arrive(w->block->own[SAN_RACECHECK], w->warp, barrier->lanes,
			    !barrier->threads);
}

static void barrier_leave(struct san_block *block, u32 id, const u32 *warps)
{
	(void)id;
	race_barrier_leave(block->own[SAN_RACECHECK], warps);
}

static void warp_exit(const struct san_warp *w, u32 pc, u32 lanes)
{
	(void)pc;
	race_exit(w->block->own[SAN_RACECHECK], w->warp, lanes);
}

/* ---- the host ------------------------------------------------------------------------------ */

static void allocated(u64 address, u64 bytes, enum san_memory_kind kind)
{
	begin();
	race_forget(check.race, address, bytes);
	if (kind != SAN_MEMORY_PRIVATE)
		return;
	check.private_ = must(
		realloc(check.private_, (check.private_count + 1) * sizeof(*check.private_)));
	check.private_[check.private_count++] = (struct range){ address, address + bytes };
}

static void freed(u64 address, u64 bytes, enum san_memory_kind kind)
{
	begin();
	race_forget(check.race, address, bytes);
	for (u32 n = 0; kind == SAN_MEMORY_PRIVATE && n < check.private_count; n++)
		if (check.private_[n].address == address) {
			check.private_[n] = check.private_[--check.private_count];
			break;
		}
}

static void command_begin(const struct san_command *c)
{
	u32 queue = queue_of(c->device, c->queue);

	if (c->seq == 1 && race_queue_used(check.race, queue))
		queue = queue_new(c->device, c->queue);
	if (c->op == VGPU_CMD_WAIT)
		race_command_waits(check.race, queue, c->seq, queue_of(c->device, c->wait_queue),
				   c->wait);
	else
		race_command(check.race, queue, c->seq);
}

/* Memory of the process is of interest if kernels may use it, too. */
static bool kernels_use(u64 address)
{
	return san_memory_find(address);
}

static void touch(const struct san_command *c, u32 site, u64 address)
{
	if (c->bytes && !is_private(address))
		race_command_access(check.race, queue_of(c->device, c->queue), c->seq, site, NULL,
				    address, c->bytes);
}

static void command_end(const struct san_command *c)
{
	begin();
	switch (c->op) {
	case VGPU_CMD_COPY_H2D:
		if (kernels_use(c->src))
			touch(c, check.copy_from, c->src);
		touch(c, check.copy_to, c->dst);
		break;
	case VGPU_CMD_COPY_D2H:
		touch(c, check.copy_from, c->src);
		if (kernels_use(c->dst))
			touch(c, check.copy_to, c->dst);
		break;
	case VGPU_CMD_COPY_D2D:
		touch(c, check.copy_from, c->src);
		touch(c, check.copy_to, c->dst);
		break;
	case VGPU_CMD_FILL:
		touch(c, check.fill, c->dst);
		break;
	}
}

static void host_knows(u32 device, u32 queue, u64 seq)
{
	race_host_knows(check.race, queue_of(device, queue), seq);
}

const struct san_tool san_racecheck = {
	.name = "racecheck",
	.launch_begin = launch_begin,
	.launch_end = launch_end,
	.block_begin = block_begin,
	.block_end = block_end,
	.access = access,
	.fence = fence,
	.sync = sync,
	.barrier_arrive = barrier_arrive,
	.barrier_leave = barrier_leave,
	.exit = warp_exit,
	.allocated = allocated,
	.freed = freed,
	.command_begin = command_begin,
	.command_end = command_end,
	.host_knows = host_knows,
};
