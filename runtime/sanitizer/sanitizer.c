// SPDX-License-Identifier: MIT
/*
 * DOC: the sanitizer
 *
 * VGPU_SANITIZER names tools that look at all that kernels do: the embedded device executes them by
 * its watching interpreter (sim-device/sm/watch.h), and this file tells the tools. What the host
 * does to memory comes from runtime/api, its commands from a transport that stands before the
 * embedded one (commands.c). tools/vgpu-sanitizer sets the variables and starts the program;
 * docs/sanitizer.md describes them.
 *
 * One mutex, inside all other locks of the runtime, guards all of it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "core.h"
#include "sanitizer.h"

/* Ended launches that reports may still name. */
#define ENDED	65536u

bool san_on;
struct san_options san_options;

static const struct san_tool *const all_tools[SAN_TOOLS] = {
	[SAN_MEMCHECK] = &san_memcheck,
	[SAN_RACECHECK] = &san_racecheck,
	[SAN_INITCHECK] = &san_initcheck,
	[SAN_SYNCCHECK] = &san_synccheck,
};

static const struct san_tool *tools[SAN_TOOLS];
static unsigned int tool_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct san_launch *ended[ENDED];
static u64 ended_count;
static pid_t owner;

#define EACH_TOOL(fn, ...)								\
	do {										\
		for (unsigned int i_ = 0; i_ < tool_count; i_++)			\
			if (tools[i_]->fn)						\
				tools[i_]->fn(__VA_ARGS__);				\
	} while (0)

void san_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void san_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

/* ---- what the environment asks for -------------------------------------- */

static bool add_tool(const char *name, size_t length, char *message, size_t size)
{
	for (u32 n = 0; n < SAN_TOOLS; n++)
		if (all_tools[n] && strlen(all_tools[n]->name) == length &&
		    !strncmp(all_tools[n]->name, name, length)) {
			san_options.tools |= 1u << n;
			return true;
		}
	if (length == 3 && !strncmp(name, "all", 3)) {
		san_options.tools = (1u << SAN_TOOLS) - 1;
		return true;
	}
	snprintf(message, size,
		 "VGPU_SANITIZER: there is no tool `%.*s'; choose memcheck, racecheck, initcheck, "
		 "synccheck or all",
		 (int)length, name);
	return false;
}

static bool read_options(const char *names, char *message, size_t size)
{
	const char *limit = getenv("VGPU_SANITIZER_LIMIT"), *kernel;
	const char *leaks = getenv("VGPU_SANITIZER_LEAKS");
	const char *padding = getenv("VGPU_SANITIZER_PADDING");

	while (*names) {
		size_t length = strcspn(names, ",");

		if (!add_tool(names, length, message, size))
			return false;
		names += length + (names[length] == ',');
	}
	for (u32 n = 0; n < SAN_TOOLS; n++)
		if (all_tools[n] && san_options.tools >> n & 1)
			tools[tool_count++] = all_tools[n];
	san_options.limit = limit && *limit ? (u32)strtoul(limit, NULL, 10) : 100;
	if (padding)
		san_options.padding = (u32)strtoul(padding, NULL, 10);
	if (san_options.padding < SAN_RED_ZONE)
		san_options.padding = SAN_RED_ZONE;
	if (san_options.padding > SAN_PADDING_MAX)
		san_options.padding = SAN_PADDING_MAX;
	san_options.leaks = leaks && !strcmp(leaks, "full");
	san_options.log = getenv("VGPU_SANITIZER_LOG");
	san_options.status = getenv("VGPU_SANITIZER_STATUS");
	kernel = getenv("VGPU_SANITIZER_KERNEL");
	return !kernel || san_filter_set(kernel, message, size);
}

/*
 * The program ends by itself, and all that it does at its end is done. A child that was forked has
 * nothing to say of its parent.
 */
static __attribute__((__destructor__)) void end(void)
{
	u32 kernels, watched;

	if (!san_on || getpid() != owner)
		return;
	san_lock();
	EACH_TOOL(end);
	san_filter_counts(&kernels, &watched);
	if (san_filter_on() && !watched)
		san_log("No kernel of those launched (%u) matches the kernel names: nothing was "
			"checked",
			kernels);
	san_report_end();
	san_unlock();
}

static void forked(void)
{
	pthread_mutex_init(&mutex, NULL);
}

uint32_t san_padding(void)
{
	return san_on ? san_options.padding : 0;
}

static bool configure(char *message, size_t size)
{
	const char *names = getenv("VGPU_SANITIZER");

	if (!names || !*names)
		return true;
	if (!read_options(names, message, size))
		return false;
	owner = getpid();
	pthread_atfork(NULL, NULL, forked);
	san_on = true;
	return true;
}

bool san_configure(char *message, size_t size)
{
	static char kept[512];
	static int known;

	san_lock();
	if (!known)
		known = configure(kept, sizeof(kept)) ? 1 : -1;
	san_unlock();
	if (known < 0)
		snprintf(message, size, "%s", kept);
	return known > 0;
}

/* ---- what the device tells ---------------------------------------------- */

static void *launch_begin(void *host, const struct vgpu_watch_launch *what)
{
	struct san_launch *launch = calloc(1, sizeof(*launch));
	u32 device = san_device_of(host);

	/* nothing is told of a launch for which there is no memory */
	if (!launch)
		return NULL;
	san_lock();
	launch->what = *what;
	launch->device = device;
	launch->kernel = san_kernel_find(device, what->module, what->kernel);
	if (launch->kernel) {
		launch->what.code = launch->kernel->code;
		launch->what.name = launch->kernel->symbol;
	}
	EACH_TOOL(launch_begin, launch);
	san_unlock();
	return launch;
}

static void launch_end(void *host, void *handle)
{
	struct san_launch *launch = handle, **place;

	(void)host;
	san_lock();
	EACH_TOOL(launch_end, launch);
	place = &ended[ended_count++ % ENDED];
	free(*place);
	*place = launch;
	san_unlock();
}

static void *block_begin(void *host, void *launch, u64 index, const u32 *at)
{
	struct san_block *block = calloc(1, sizeof(*block));

	(void)host;
	if (!block)
		return NULL;
	block->launch = launch;
	block->index = index;
	memcpy(block->at, at, sizeof(block->at));
	san_lock();
	EACH_TOOL(block_begin, block);
	san_unlock();
	return block;
}

static void block_end(void *host, void *handle, bool dropped)
{
	struct san_block *block = handle;

	(void)host;
	san_lock();
	EACH_TOOL(block_end, block, dropped);
	san_unlock();
	free(block);
}

static struct san_warp warp_of(const struct vgpu_watch_warp *w)
{
	return (struct san_warp){ w->block, w->warp, w->live };
}

/* A block that there was no memory for is not looked at. */
#define TELL(fn, ...)								\
	do {									\
		struct san_warp w_ = warp_of(w);				\
										\
		(void)host;							\
		if (!w_.block)							\
			return;							\
		san_lock();							\
		EACH_TOOL(fn, &w_, ##__VA_ARGS__);				\
		san_unlock();							\
	} while (0)

static void access_made(void *host, const struct vgpu_watch_warp *w,
			const struct vgpu_watch_access *what)
{
	TELL(access, what);
}

static void fence(void *host, const struct vgpu_watch_warp *w, u32 pc, u32 lanes, u32 order,
		  u32 scope)
{
	TELL(fence, pc, lanes, order, scope);
}

static void sync_arrive(void *host, const struct vgpu_watch_warp *w,
			const struct vgpu_watch_sync *what)
{
	TELL(sync_arrive, what);
}

static void sync_met(void *host, const struct vgpu_watch_warp *w,
		     const struct vgpu_watch_sync *what)
{
	TELL(sync, what);
}

static void barrier_arrive(void *host, const struct vgpu_watch_warp *w,
			   const struct vgpu_watch_barrier *what)
{
	TELL(barrier_arrive, what);
}

static void barrier_leave(void *host, void *block, u32 id, const u32 *warps)
{
	(void)host;
	san_lock();
	EACH_TOOL(barrier_leave, block, id, warps);
	san_unlock();
}

static void exited(void *host, const struct vgpu_watch_warp *w, u32 pc, u32 lanes)
{
	TELL(exit, pc, lanes);
}

static void fault(void *host, const struct vgpu_watch_warp *w, const struct vgpu_watch_fault *what)
{
	TELL(fault, what);
}

static const struct vgpu_watch_ops watch_ops = {
	.launch_begin = launch_begin,
	.launch_end = launch_end,
	.block_begin = block_begin,
	.block_end = block_end,
	.access = access_made,
	.fence = fence,
	.sync_arrive = sync_arrive,
	.sync = sync_met,
	.barrier_arrive = barrier_arrive,
	.barrier_leave = barrier_leave,
	.exit = exited,
	.fault = fault,
};

const struct vgpu_watch_ops *san_watch(void)
{
	return san_on ? &watch_ops : NULL;
}

/* ---- what the host does ------------------------------------------------- */

void san_allocated(uint64_t address, uint64_t bytes, enum san_memory_kind kind)
{
	if (!san_on)
		return;
	san_lock();
	if (san_memory_add(address, bytes, kind))
		EACH_TOOL(allocated, address, bytes, kind);
	san_unlock();
}

static void gone(uint64_t address, bool remember)
{
	struct san_memory memory;

	if (!san_on)
		return;
	san_lock();
	if (san_memory_remove(address, remember, &memory)) {
		EACH_TOOL(freed, address, memory.bytes, memory.kind);
		free(memory.written);
	}
	san_unlock();
}

void san_freed(uint64_t address)
{
	gone(address, true);
}

void san_withdrawn(uint64_t address)
{
	gone(address, false);
}

bool san_is_live(uint64_t address)
{
	const struct san_memory *memory;
	bool live;

	san_lock();
	memory = san_memory_find(address);
	live = memory && memory->address == address;
	san_unlock();
	return live;
}

#define RESTING	1024u

static uint64_t resting[RESTING];
static unsigned int next_rest;

bool san_knows(uint64_t address, uint64_t unit, uint64_t *bytes)
{
	const struct san_memory *memory;

	san_lock();
	memory = san_memory_find(address);
	if (memory && memory->address == address &&
	    (memory->kind == SAN_MEMORY_DEVICE || memory->kind == SAN_MEMORY_MANAGED))
		*bytes = (memory->bytes + unit - 1) / unit * unit;
	for (unsigned int n = 0; !memory && n < RESTING; n++)
		if (resting[n] == address) {
			san_unlock();
			return false;
		}
	san_unlock();
	return true;
}

uint64_t san_rest(uint64_t address)
{
	uint64_t *place = &resting[next_rest++ % RESTING], oldest = *place;

	*place = address;
	return oldest;
}

void san_forget(uint64_t address, uint64_t bytes)
{
	const struct san_memory *below, *above;
	struct san_memory memory;

	if (!san_on)
		return;
	san_lock();
	for (unsigned int n = 0; n < RESTING; n++)
		if (resting[n] - address < bytes)
			resting[n] = 0;
	for (;;) {
		san_memory_near(address, &below, &above);
		if (below && below->address == address)
			above = below;
		if (!above || above->address - address >= bytes ||
		    !san_memory_remove(above->address, true, &memory))
			break;
		EACH_TOOL(lost, memory.address, memory.bytes, memory.kind);
		EACH_TOOL(freed, memory.address, memory.bytes, memory.kind);
		free(memory.written);
	}
	san_unlock();
}

void san_command_begin(const struct san_command *command)
{
	EACH_TOOL(command_begin, command);
}

void san_command_end(const struct san_command *command)
{
	EACH_TOOL(command_end, command);
}

void san_host_knows(u32 device, u32 queue, u64 seq)
{
	san_lock();
	EACH_TOOL(host_knows, device, queue, seq);
	san_unlock();
}
