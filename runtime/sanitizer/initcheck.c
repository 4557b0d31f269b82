// SPDX-License-Identifier: MIT
/*
 * initcheck: reads of memory that nobody wrote. A bit for each byte of device memory of the
 * program, of shared memory of a block, and of local memory of its threads as far as variables are
 * there. Managed memory and that of the host may be written by the host at any time, so they count
 * as written.
 *
 * A read is wrong when an element of it has no byte that was written: bytes between the members of
 * a struct are copied with it by right programs. In local memory, where whole structs are copied
 * by wide instructions, all elements of the read must be so.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "vgpu_command.h"

/** struct bits - what has been written of a block */
struct bits {
	u64 *shared;
	u64 **local;			/* of each thread; NULL: nothing yet */
	u32 threads;
};

static const char *const keys[] = {
	[VGPU_WATCH_GLOBAL] = "Read of __global__ memory that nobody wrote",
	[VGPU_WATCH_SHARED] = "Read of __shared__ memory that nobody wrote",
	[VGPU_WATCH_LOCAL] = "Read of __local__ memory that nobody wrote",
};

/* @count bits from @from on, which do not cross a word; at most 16 */
static u64 mask_of(u64 from, u32 count)
{
	return ((1ull << count) - 1) << (from & 63);
}

static void set_range(u64 *bits, u64 from, u64 count)
{
	while (count) {
		u64 part = 64 - (from & 63) < count ? 64 - (from & 63) : count;

		bits[from / 64] |= (part == 64 ? ~0ull : (1ull << part) - 1) << (from & 63);
		from += part;
		count -= part;
	}
}

static bool get_bit(const u64 *bits, u64 n)
{
	return bits[n / 64] >> (n & 63) & 1;
}

/* ---- memory of the program ---------------------------------------------- */

static u64 base_of(const struct san_memory *memory)
{
	return memory->address & ~63ull;
}

static void allocated(u64 address, u64 bytes, enum san_memory_kind kind)
{
	struct san_memory *memory = san_memory_find(address);

	if (!memory)
		return;
	free(memory->written);
	memory->written = NULL;
	/* without memory for the bits it counts as written */
	if (kind == SAN_MEMORY_DEVICE)
		memory->written = calloc((bytes + 127) / 64 + 1, sizeof(u64));
}

static void written_by_host(u64 address, u64 bytes)
{
	while (bytes) {
		struct san_memory *memory = san_memory_find(address);
		u64 part;

		if (!memory)
			return;
		part = memory->bytes - (address - memory->address);
		part = part < bytes ? part : bytes;
		if (memory->written)
			set_range(memory->written, address - base_of(memory), part);
		address += part;
		bytes -= part;
	}
}

/* What is copied is as much written as it was. */
static void copied(u64 dst, u64 src, u64 bytes)
{
	const struct san_memory *from = san_memory_find(src);
	struct san_memory *to = san_memory_find(dst);

	if (!to || !to->written || to->bytes - (dst - to->address) < bytes)
		return;
	from = san_memory_find(src);
	if (!from || !from->written || from->bytes - (src - from->address) < bytes) {
		written_by_host(dst, bytes);
		return;
	}
	for (u64 n = 0; n < bytes; n++) {
		u64 bit = dst + n - base_of(to);

		if (get_bit(from->written, src + n - base_of(from)))
			to->written[bit / 64] |= 1ull << (bit & 63);
		else
			to->written[bit / 64] &= ~(1ull << (bit & 63));
	}
}

static void command_end(const struct san_command *command)
{
	switch (command->op) {
	case VGPU_CMD_COPY_H2D:
	case VGPU_CMD_FILL:
		written_by_host(command->dst, command->bytes);
		break;
	case VGPU_CMD_COPY_D2D:
		copied(command->dst, command->src, command->bytes);
		break;
	default:
		break;
	}
}

/* ---- memory of a block -------------------------------------------------- */

static void block_begin(struct san_block *block)
{
	const struct vgpu_watch_launch *what = &block->launch->what;
	struct bits *bits = calloc(1, sizeof(*bits));

	block->own[SAN_INITCHECK] = bits;
	if (!bits)
		return;
	bits->threads = what->warps * 32;
	if (what->shared_bytes)
		bits->shared = calloc(what->shared_bytes / 64 + 1, sizeof(u64));
	if (what->local_bytes)
		bits->local = calloc(bits->threads, sizeof(*bits->local));
}

static void block_end(struct san_block *block, bool dropped)
{
	struct bits *bits = block->own[SAN_INITCHECK];

	(void)dropped;
	if (!bits)
		return;
	for (u32 n = 0; bits->local && n < bits->threads; n++)
		free(bits->local[n]);
	free(bits->local);
	free(bits->shared);
	free(bits);
}

/* Is it in a variable of the thread, and in nothing that the compiler keeps there? */
static bool in_variable(const struct san_kernel *kernel, u64 offset, u32 bytes)
{
	bool found = false;

	for (u32 i = 0; kernel && i < kernel->variable_count; i++) {
		const struct san_variable *v = &kernel->variables[i];

		if (v->kind == SAN_SHARED || offset + bytes <= v->offset ||
		    offset >= v->offset + v->size)
			continue;
		if (v->kind == SAN_PARAM)
			return false;
		found = true;
	}
	return found;
}

static u64 *local_bits(const struct san_launch *launch, struct bits *bits, u32 thread, bool make)
{
	if (!bits->local)
		return NULL;
	if (!bits->local[thread] && make)
		bits->local[thread] = calloc(launch->what.local_bytes / 64 + 1, sizeof(u64));
	return bits->local[thread];
}

/* ---- accesses ----------------------------------------------------------- */

/* Of the @bytes at bit @n: does an element, or do all, have no byte that was written? */
static bool is_unwritten(const u64 *bits, u64 n, u32 bytes, u32 element, bool all)
{
	u64 word;

	if (!bits)
		return true;
	word = bits[n / 64] & mask_of(n, bytes);
	if (likely(word == mask_of(n, bytes)))
		return false;
	if (all || !word)
		return !word;
	for (u32 at = 0; at < bytes; at += element)
		if (!(word & mask_of(n + at, element)))
			return true;
	return false;
}

static u32 element_of(const struct san_warp *w, const struct vgpu_watch_access *access)
{
	const struct vgpu_insn *insn = &w->block->launch->what.code[access->pc];

	return access->kind == VGPU_WATCH_ATOMIC ? access->bytes : VGPU_F_SIZE(insn->flags);
}

static void look_at_lane(const struct san_warp *w, const struct vgpu_watch_access *access, u32 l,
			 u64 *bits, u64 n)
{
	bool local = access->space == VGPU_WATCH_LOCAL;

	if (access->kind != VGPU_WATCH_WRITE &&
	    is_unwritten(bits, n, access->bytes, element_of(w, access), local)) {
		struct san_where where = san_where(w, l, access->pc);

		san_report(SAN_INITCHECK, keys[access->space], &where, NULL, NULL,
			   access->space == VGPU_WATCH_GLOBAL ? "%u bytes at address 0x%llx" :
								"%u bytes at offset 0x%llx",
			   access->bytes, (unsigned long long)access->address[l]);
	}
	if (access->kind != VGPU_WATCH_READ && bits)
		bits[n / 64] |= mask_of(n, access->bytes);
}

static void look_global(const struct san_warp *w, const struct vgpu_watch_access *access)
{
	for (u32 left = access->lanes; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);
		u64 address = access->address[l];
		struct san_memory *memory = san_memory_find(address);

		/* memcheck has a word on what is beyond */
		if (memory && memory->written &&
		    memory->bytes - (address - memory->address) >= access->bytes)
			look_at_lane(w, access, l, memory->written,
				     address - base_of(memory));
	}
}

static void look_block(const struct san_warp *w, const struct vgpu_watch_access *access,
		       struct bits *bits)
{
	const struct san_launch *launch = w->block->launch;
	u64 limit = access->space == VGPU_WATCH_SHARED ? launch->what.shared_bytes :
							 launch->what.local_bytes;

	for (u32 left = access->lanes; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);
		u64 offset = access->address[l], *of = bits->shared;

		if (offset + access->bytes > limit)
			continue;
		if (access->space == VGPU_WATCH_LOCAL) {
			if (!in_variable(launch->kernel, offset, access->bytes))
				continue;
			of = local_bits(launch, bits, w->warp * 32 + l,
					access->kind != VGPU_WATCH_READ);
		} else if (!of) {
			continue;
		}
		look_at_lane(w, access, l, of, offset);
	}
}

static void access_made(const struct san_warp *w, const struct vgpu_watch_access *access)
{
	if (access->failed)
		return;
	if (access->space == VGPU_WATCH_GLOBAL)
		look_global(w, access);
	else if (w->block->own[SAN_INITCHECK])
		look_block(w, access, w->block->own[SAN_INITCHECK]);
}

const struct san_tool san_initcheck = {
	.name = "initcheck",
	.block_begin = block_begin,
	.block_end = block_end,
	.access = access_made,
	.allocated = allocated,
	.command_end = command_end,
};
