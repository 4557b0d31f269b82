// SPDX-License-Identifier: MIT
/*
 * memcheck: accesses beyond what there is. Global memory: an access has to lie in one live
 * allocation or variable. Shared and local memory: it must not touch what lies behind a variable,
 * which is free as long as the sanitizer is on (struct vgpu_compile_options.red_zone), nor go
 * beyond all of it. Addresses outside of the device's heap are the host's: the device says whether
 * they are there.
 *
 * What is wrong is reported and executed all the same, as without the sanitizer, unless the device
 * refuses it: then the context ends.
 */
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "vgpu_command.h"

static const char *const verbs[] = {
	[VGPU_WATCH_READ] = "read", [VGPU_WATCH_WRITE] = "write", [VGPU_WATCH_ATOMIC] = "atomic",
};

static const char *const spaces[] = {
	[VGPU_WATCH_GLOBAL] = "__global__",
	[VGPU_WATCH_SHARED] = "__shared__",
	[VGPU_WATCH_LOCAL] = "__local__",
};

/* The same text for the same fault: it is a part of what tells reports apart. */
static const char *key_of(const struct vgpu_watch_access *access, const char *what)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s %s %s of size %u bytes", what, spaces[access->space],
		 verbs[access->kind], access->bytes);
	return text;
}

/* ---- global ------------------------------------------------------------- */

/*
 * Is nothing at @address but allocations? It is in a device's range, or in the page in which pinned
 * memory ends.
 */
static bool is_ours(u64 address)
{
	const struct san_memory *below, *above;

	if (san_heap_has(address))
		return true;
	san_memory_near(address, &below, &above);
	return below && below->kind == SAN_MEMORY_HOST &&
	       (address & ~4095ull) < below->address + below->bytes;
}

/*
 * An atomic of 16 bits is one of the word around them (runtime/cuda/half_ops.h), which is read
 * first as volatile: of the last 16 bits of an allocation it changes nothing behind.
 */
static bool is_half(const struct vgpu_watch_access *access, u64 left)
{
	return access->bytes == 4 && left == 2 &&
	       (access->kind == VGPU_WATCH_ATOMIC ||
		(access->kind == VGPU_WATCH_READ && access->order == VGPU_ORDER_RELAXED));
}

static bool is_bad(const struct vgpu_watch_access *access, u64 address)
{
	const struct san_memory *memory = san_memory_find(address);
	u64 left = memory ? memory->bytes - (address - memory->address) : 0;

	if (memory)
		return left < access->bytes && !is_half(access, left);
	return access->failed || is_ours(address);
}

static void report_global(const struct san_warp *w, const struct vgpu_watch_access *access, u32 l)
{
	u64 address = access->address[l];
	const struct san_memory *in = san_memory_find(address);
	struct san_where where = san_where(w, l, access->pc);
	const char *what = "Invalid";
	char text[256];

	if (!in && san_memory_freed(address))
		what = "Use after free:";
	/* the first byte that is not there */
	san_describe_address(in ? in->address + in->bytes : address, text, sizeof(text));
	san_report(SAN_MEMCHECK, key_of(access, what), &where, NULL, NULL, "Address %s", text);
}

static void check_global(const struct san_warp *w, const struct vgpu_watch_access *access)
{
	u64 low = ~0ull, high = 0;
	const struct san_memory *memory;

	for (u32 left = access->lanes; left; left &= left - 1) {
		u64 address = access->address[__builtin_ctz(left)];

		low = address < low ? address : low;
		high = address > high ? address : high;
	}
	memory = san_memory_find(low);
	if (memory && memory->bytes - (low - memory->address) >= high - low + access->bytes)
		return;
	for (u32 left = access->lanes; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		if (is_bad(access, access->address[l]))
			report_global(w, access, l);
	}
}

/* ---- shared and local --------------------------------------------------- */

/* The variable that all of the access is in; else one whose end it is behind, in *@behind. */
static const struct san_variable *variable_at(const struct san_kernel *kernel, u32 space,
					      u64 offset, u32 bytes,
					      const struct san_variable **behind)
{
	bool shared = space == VGPU_WATCH_SHARED;

	*behind = NULL;
	for (u32 i = 0; i < kernel->variable_count; i++) {
		const struct san_variable *v = &kernel->variables[i];

		if ((v->kind == SAN_SHARED) != shared || offset < v->offset)
			continue;
		if (offset - v->offset < v->size && v->size - (offset - v->offset) >= bytes)
			return v;
		if (v->kind != SAN_PARAM && offset + bytes > v->offset + v->size &&
		    offset < v->offset + v->size + SAN_RED_ZONE &&
		    (!*behind || v->offset > (*behind)->offset))
			*behind = v;
	}
	return NULL;
}

static u64 limit_of(const struct san_launch *launch, u32 space)
{
	return space == VGPU_WATCH_SHARED ? launch->what.shared_bytes : launch->what.local_bytes;
}

/* Is it dynamic shared memory, or what the compiler keeps in local memory? */
static bool is_no_variable(const struct san_launch *launch, u32 space, u64 offset, u32 bytes)
{
	u64 own = launch->what.shared_bytes - launch->what.dynamic_shared;

	if (offset + bytes > limit_of(launch, space))
		return false;
	return space == VGPU_WATCH_LOCAL || offset >= own;
}

static void check_block(const struct san_warp *w, const struct vgpu_watch_access *access)
{
	const struct san_launch *launch = w->block->launch;
	const struct san_kernel *kernel = launch->kernel;
	const struct san_variable *in = NULL, *behind;

	for (u32 left = access->lanes; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);
		u64 offset = access->address[l];
		struct san_where where;

		if (in && offset - in->offset < in->size &&
		    in->size - (offset - in->offset) >= access->bytes)
			continue;
		in = kernel ? variable_at(kernel, access->space, offset, access->bytes, &behind) :
			      NULL;
		if (in)
			continue;
		if (!kernel)
			behind = NULL;
		if (!behind && (is_no_variable(launch, access->space, offset, access->bytes) ||
				(!access->failed &&
				 offset + access->bytes <= limit_of(launch, access->space))))
			continue;
		where = san_where(w, l, access->pc);
		if (behind)
			san_report(SAN_MEMCHECK, key_of(access, "Invalid"), &where, NULL, NULL,
				   "Offset 0x%llx is %lld bytes behind `%s' of %u bytes",
				   (unsigned long long)offset,
				   (long long)(offset - (behind->offset + behind->size)),
				   behind->name, behind->size);
		else
			san_report(SAN_MEMCHECK, key_of(access, "Invalid"), &where, NULL, NULL,
				   "Offset 0x%llx is beyond the %llu bytes that there are",
				   (unsigned long long)offset,
				   (unsigned long long)limit_of(launch, access->space));
	}
}

/* ---- alignment ---------------------------------------------------------- */

static bool check_alignment(const struct san_warp *w, const struct vgpu_watch_access *access)
{
	u64 low = access->bytes - 1;
	bool bad = false;

	for (u32 left = access->lanes; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);
		struct san_where where;

		if (!(access->address[l] & low))
			continue;
		bad = true;
		where = san_where(w, l, access->pc);
		san_report(SAN_MEMCHECK, key_of(access, "Misaligned"), &where, NULL, NULL,
			   "Address 0x%llx is no multiple of %u",
			   (unsigned long long)access->address[l], access->bytes);
	}
	return bad;
}

/* The device lets no misaligned access pass. */
static void check(const struct san_warp *w, const struct vgpu_watch_access *access)
{
	if (access->failed && check_alignment(w, access))
		return;
	if (access->space == VGPU_WATCH_GLOBAL)
		check_global(w, access);
	else
		check_block(w, access);
}

/* ---- copies, and the end ------------------------------------------------ */

static void check_range(u64 address, u64 bytes, const char *what)
{
	const struct san_memory *memory = san_memory_find(address);
	char text[256];

	if (memory ? memory->bytes - (address - memory->address) >= bytes : !is_ours(address))
		return;
	san_describe_address(memory ? memory->address + memory->bytes : address, text,
			     sizeof(text));
	san_report(SAN_MEMCHECK, what, NULL, NULL, NULL, "%llu bytes: address %s",
		   (unsigned long long)bytes, text);
}

static void check_command(const struct san_command *command)
{
	switch (command->op) {
	case VGPU_CMD_COPY_H2D:
		check_range(command->dst, command->bytes, "Invalid copy to device memory");
		break;
	case VGPU_CMD_COPY_D2H:
		check_range(command->src, command->bytes, "Invalid copy from device memory");
		break;
	case VGPU_CMD_COPY_D2D:
		check_range(command->src, command->bytes, "Invalid copy from device memory");
		check_range(command->dst, command->bytes, "Invalid copy to device memory");
		break;
	case VGPU_CMD_FILL:
		check_range(command->dst, command->bytes, "Invalid fill of device memory");
		break;
	default:
		break;
	}
}

static u64 leaked, leaks;

static void lost(u64 address, u64 bytes, enum san_memory_kind kind)
{
	if (kind != SAN_MEMORY_DEVICE && kind != SAN_MEMORY_MANAGED)
		return;
	leaked += bytes;
	leaks++;
	if (san_options.leaks)
		san_report(SAN_MEMCHECK, "Leaked memory", NULL, NULL, NULL,
			   "%llu bytes at 0x%llx are not freed", (unsigned long long)bytes,
			   (unsigned long long)address);
}

static void end(void)
{
	san_memory_each(lost);
	if (leaks)
		san_log("LEAK SUMMARY: %llu bytes in %llu allocation%s are not freed%s",
			(unsigned long long)leaked, (unsigned long long)leaks,
			leaks == 1 ? "" : "s",
			san_options.leaks ? "" : " (--leak-check full makes them errors)");
}

const struct san_tool san_memcheck = {
	.name = "memcheck",
	.access = check,
	.lost = lost,
	.command_begin = check_command,
	.end = end,
};
