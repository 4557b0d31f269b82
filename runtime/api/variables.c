// SPDX-License-Identifier: MIT
/*
 * __managed__ variables; see variables.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/advice.h"
#include "variables.h"

/* The pages of one object of the process. */
struct range {
	struct range *next;
	uint64_t base, bytes;
	struct rt_state *owner;		/* NULL: ordinary memory */
	char *saved;			/* contents, while the owner is closed */
};

struct table {
	struct table *next;
	const struct rt_variable_table *variables;
};

static struct range *ranges;
static struct table *tables;

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static struct range *range_at(uint64_t address)
{
	struct range *range = ranges;

	while (range && address - range->base >= range->bytes)
		range = range->next;
	return range;
}

struct rt_state *rt_variables_owner(uint64_t address)
{
	const struct range *range = range_at(address);

	return range ? range->owner : NULL;
}

bool rt_variables_find(uint64_t address, uint64_t *base, uint64_t *bytes)
{
	if (!range_at(address))
		return false;
	for (const struct table *table = tables; table; table = table->next)
		for (uint64_t i = 0; i < table->variables->count; i++) {
			const struct rt_variable *variable = &table->variables->variables[i];

			if (address - (uint64_t)(uintptr_t)variable->address >= variable->bytes)
				continue;
			*base = (uint64_t)(uintptr_t)variable->address;
			*bytes = variable->bytes;
			return true;
		}
	return false;
}

/* ---- the pages ---------------------------------------------------------- */

static bool is_zero(const void *page)
{
	static const char zeros[VGPU_PAGE_SIZE];

	return !memcmp(page, zeros, VGPU_PAGE_SIZE);
}

/* Pages of zeros are not written: they take no memory, and stay pages that nobody has touched. */
static void copy_pages(char *to, const char *from, uint64_t bytes)
{
	for (uint64_t at = 0; at < bytes; at += VGPU_PAGE_SIZE)
		if (!is_zero(from + at))
			memcpy(to + at, from + at, VGPU_PAGE_SIZE);
}

static char *save(const struct range *range)
{
	char *saved = mmap(NULL, range->bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (saved == MAP_FAILED) {
		fprintf(stderr, "vgpu: no memory to save __managed__ variables: they are lost\n");
		return NULL;
	}
	copy_pages(saved, pointer(range->base), range->bytes);
	return saved;
}

/* Consumes @saved. */
static void fill(const struct range *range, char *saved)
{
	copy_pages(pointer(range->base), saved, range->bytes);
	munmap(saved, range->bytes);
}

/* Consumes @saved. */
static void make_ordinary(struct range *range, char *saved)
{
	range->owner = NULL;
	if (mmap(pointer(range->base), range->bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		fprintf(stderr, "vgpu: __managed__ variables are lost: %s\n", strerror(errno));
	else if (saved)
		fill(range, saved);
}

/* In the current context. */
static vgpuError_t map_range(struct range *range)
{
	char *saved = save(range);
	int error;

	if (!saved)
		return vgpuErrorMemoryAllocation;
	error = rt.ops->map_managed(rt.transport, range->base, range->bytes);
	if (error) {
		rt_message("the __managed__ variables do not become managed memory: %s",
			   strerror(-error));
		make_ordinary(range, saved);
		return rt_error_of(error);
	}
	range->owner = rt_current;
	fill(range, saved);
	return vgpuSuccess;
}

/* Of the current context. */
static void unmap_range(struct range *range)
{
	char *saved = save(range);

	rt_advice_forget(range->base, range->bytes);
	rt.ops->unmap_managed(rt.transport, range->base, range->bytes);
	make_ordinary(range, saved);
}

vgpuError_t rt_variables_map(void)
{
	vgpuError_t error = vgpuSuccess;

	for (struct range *range = ranges; range && error == vgpuSuccess; range = range->next)
		if (!range->owner)
			error = map_range(range);
	return error;
}

void rt_variables_save(void)
{
	for (struct range *range = ranges; range; range = range->next)
		if (range->owner == rt_current)
			range->saved = save(range);
}

void rt_variables_restore(void)
{
	for (struct range *range = ranges; range; range = range->next)
		if (range->owner == rt_current) {
			make_ordinary(range, range->saved);
			range->saved = NULL;
		}
}

/* ---- files -------------------------------------------------------------- */

/* A program without the memory for this cannot go on, and there is nobody to tell yet. */
static void *must_alloc(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory) {
		fprintf(stderr, "vgpu: no memory to register variables\n");
		abort();
	}
	return memory;
}

static bool is_open(const struct rt_state *device)
{
	return device->phase == RT_READY && device->sticky == vgpuSuccess;
}

/* The current context if it is open, else the first that is. */
static struct rt_state *open_context(void)
{
	struct rt_state *state;

	if (is_open(rt_current))
		return rt_current;
	rt_for_each(state)
		if (is_open(state))
			return state;
	return NULL;
}

static void add_range(const void *start, const void *end)
{
	struct rt_state *before = rt_current, *device = open_context();
	uint64_t base = (uint64_t)(uintptr_t)start;
	struct range *range;

	if (start == end || range_at(base))
		return;
	range = must_alloc(sizeof(*range));
	range->base = base;
	range->bytes = (uint64_t)(uintptr_t)end - base;
	range->next = ranges;
	ranges = range;
	if (!device)
		return;
	rt_current = device;
	if (map_range(range) != vgpuSuccess)
		fprintf(stderr, "vgpu: %s\n", vgpuGetLastMessage());
	rt_current = before;
}

void rt_variables_add(const struct rt_variable_table *variables)
{
	struct table *table = must_alloc(sizeof(*table));

	table->variables = variables;
	table->next = tables;
	tables = table;
	add_range(variables->start, variables->end);
	add_range(variables->zero_start, variables->zero_end);
}

static bool is_used(const struct range *range)
{
	for (const struct table *table = tables; table; table = table->next)
		if (table->variables->start == pointer(range->base) ||
		    table->variables->zero_start == pointer(range->base))
			return true;
	return false;
}

static void on_owner(struct range *range, void (*function)(struct range *range))
{
	struct rt_state *before = rt_current;

	rt_current = range->owner;
	function(range);
	rt_current = before;
}

static void remove_range(const void *start)
{
	struct range **at = &ranges, *range;

	while (*at && pointer((*at)->base) != start)
		at = &(*at)->next;
	range = *at;
	if (!range || is_used(range))
		return;
	if (range->owner && rt_has_device(range->owner))
		on_owner(range, unmap_range);
	*at = range->next;
	free(range);
}

void rt_variables_remove(const struct rt_variable_table *variables)
{
	struct table **link = &tables, *table;

	while (*link && (*link)->variables != variables)
		link = &(*link)->next;
	table = *link;
	if (!table)
		return;
	*link = table->next;
	free(table);
	remove_range(variables->start);
	remove_range(variables->zero_start);
}

/* ---- several devices ---------------------------------------------------- */

static vgpuError_t move_here(struct range *range)
{
	struct rt_state *here = rt_current;
	vgpuError_t error;

	if (range->owner->modules) {
		rt_message("the __managed__ variables of this program are of a context of device "
			   "%d: kernels of another one, of device %d, cannot use them",
			   rt_device_of(range->owner), rt_device());
		return vgpuErrorNotSupported;
	}
	rt_current = range->owner;
	error = rt_sync_all();
	if (error == vgpuSuccess)
		unmap_range(range);
	rt_current = here;
	return error == vgpuSuccess ? map_range(range) : error;
}

vgpuError_t rt_variables_claim(const struct rt_variable_table *table)
{
	vgpuError_t error = vgpuSuccess;

	for (uint64_t i = 0; i < table->count && error == vgpuSuccess; i++) {
		struct range *range = range_at((uint64_t)(uintptr_t)table->variables[i].address);

		if (!range || range->owner == rt_current)
			continue;
		error = range->owner ? move_here(range) : map_range(range);
	}
	return error;
}
