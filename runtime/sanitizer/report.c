// SPDX-License-Identifier: MIT
/*
 * Reports. See report.h. What is written is bounded: so many faults are printed and so many are
 * told apart; beyond that they are counted. A log that cannot be written is said once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"

#define BUCKETS		1024u
#define DISTINCT	10000u		/* faults that are told apart */
#define MARK		"========= "

struct entry {
	struct entry *next;		/* in its bucket */
	struct entry *later;		/* in the order in which they were found */
	const char *key;
	const struct san_kernel *kernel, *other;
	u32 pc, other_pc;
	u32 tool;
	u64 count;
	bool printed;
	char at[600];			/* kernel and line */
};

static struct entry *buckets[BUCKETS], *entries, **last_entry = &entries;
static u64 faults, distinct, lost;
static FILE *log_file;
static bool log_broken;

static FILE *open_log(void)
{
	if (log_file || log_broken)
		return log_file;
	log_file = san_options.log ? fopen(san_options.log, "ae") : stderr;
	if (!log_file) {
		log_broken = true;
		fprintf(stderr, "vgpu-sanitizer: cannot open the log %s: %s\n", san_options.log,
			strerror(errno));
	}
	return log_file;
}

void san_log(const char *format, ...)
{
	FILE *file = open_log();
	va_list arguments;

	if (!file)
		return;
	va_start(arguments, format);
	fputs(MARK, file);
	vfprintf(file, format, arguments);
	fputc('\n', file);
	va_end(arguments);
	if (fflush(file) && !log_broken) {
		log_broken = true;
		fprintf(stderr, "vgpu-sanitizer: the log is not complete: %s\n", strerror(errno));
		if (file != stderr)
			fclose(file);
		log_file = NULL;
	}
}

/* The tool that started the process looks at it when that has ended, however it did. */
static void tell_status(void)
{
	int fd;

	if (!san_options.status)
		return;
	fd = open(san_options.status, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "fault\n", 6) != 6)
		fprintf(stderr, "vgpu-sanitizer: cannot write %s: %s\n", san_options.status,
			strerror(errno));
	close(fd);
}

struct san_where san_where(const struct san_warp *w, u32 lane, u32 pc)
{
	const struct san_block *block = w->block;

	return (struct san_where){
		.launch = block->launch,
		.at = { block->at[0], block->at[1], block->at[2] },
		.thread = w->warp * 32 + lane,
		.pc = pc,
	};
}

/* "saxpy(int, float*) in saxpy.cu:12" */
static void place_of(const struct san_where *where, char *text, size_t size)
{
	const struct san_kernel *kernel = where->launch ? where->launch->kernel : NULL;
	char line[560] = "";

	if (!where->launch) {
		snprintf(text, size, "the host");
		return;
	}
	if (kernel && where->pc != ~0u && san_kernel_line(kernel, where->pc, line, sizeof(line)))
		snprintf(text, size, "%s in %s", kernel->name, line);
	else if (kernel && where->pc != ~0u)
		snprintf(text, size, "%s, instruction %u", kernel->name, where->pc);
	else
		snprintf(text, size, "%s", kernel ? kernel->name : "a kernel");
}

static void print_thread(const struct san_where *where)
{
	const u32 *size;

	if (!where->launch || where->pc == ~0u)
		return;
	size = where->launch->what.block;
	san_log("    by thread (%u,%u,%u) in block (%u,%u,%u)", where->thread % size[0],
		where->thread / size[0] % size[1], where->thread / size[0] / size[1],
		where->at[0], where->at[1], where->at[2]);
}

static const struct san_kernel *kernel_of(const struct san_where *where)
{
	return where && where->launch ? where->launch->kernel : NULL;
}

static struct entry *find_entry(u32 tool, const char *key, const struct san_where *first,
				const struct san_where *second, bool *is_new)
{
	const struct san_kernel *kernel = kernel_of(first), *other = kernel_of(second);
	u32 pc = first ? first->pc : ~0u, other_pc = second ? second->pc : ~0u;
	u64 hash = ((u64)(uintptr_t)kernel ^ (u64)(uintptr_t)other << 1 ^ (u64)pc << 20 ^
		    (u64)other_pc << 40 ^ tool) * 0x9e3779b97f4a7c15ull;
	struct entry **bucket = &buckets[hash >> 54];

	for (struct entry *entry = *bucket; entry; entry = entry->next)
		if (entry->tool == tool && entry->kernel == kernel && entry->other == other &&
		    entry->pc == pc && entry->other_pc == other_pc && !strcmp(entry->key, key)) {
			*is_new = false;
			return entry;
		}
	*is_new = true;
	if (distinct == DISTINCT)
		return NULL;
	struct entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	*entry = (struct entry){ .next = *bucket, .key = strdup(key), .kernel = kernel,
				 .other = other, .pc = pc, .other_pc = other_pc, .tool = tool };
	if (!entry->key) {
		free(entry);
		return NULL;
	}
	*bucket = entry;
	*last_entry = entry;
	last_entry = &entry->later;
	distinct++;
	return entry;
}

bool san_report(enum san_tool_number tool, const char *key, const struct san_where *first,
		const struct san_where *second, const char *second_text, const char *format, ...)
{
	struct entry *entry;
	char text[700];
	va_list arguments;
	bool is_new;

	if (first && first->launch && first->launch->kernel && !first->launch->kernel->watched)
		return false;
	faults++;
	entry = find_entry(tool, key, first, second, &is_new);
	if (!entry) {
		if (!lost++)
			tell_status();
		return false;
	}
	entry->count++;
	if (!is_new)
		return false;
	tell_status();
	if (first)
		place_of(first, entry->at, sizeof(entry->at));
	if (distinct > san_options.limit)
		return true;
	entry->printed = true;
	san_log("%s", key);
	if (first) {
		san_log("    at %s", entry->at);
		print_thread(first);
	}
	if (second) {
		place_of(second, text, sizeof(text));
		san_log("    %s at %s", second_text, text);
		print_thread(second);
	}
	if (format) {
		va_start(arguments, format);
		vsnprintf(text, sizeof(text), format, arguments);
		va_end(arguments);
		san_log("    %s", text);
	}
	san_log("%s", "");
	return true;
}

u64 san_report_count(void)
{
	return faults;
}

void san_report_end(void)
{
	for (const struct entry *entry = entries; entry; entry = entry->later)
		if (entry->printed && entry->count > 1)
			san_log("%llu times: %s%s%s", (unsigned long long)entry->count, entry->key,
				entry->at[0] ? " at " : "", entry->at);
	if (distinct > san_options.limit)
		san_log("%llu more faults are not printed: --print-limit is %u",
			(unsigned long long)(distinct - san_options.limit), san_options.limit);
	if (lost)
		san_log("%llu more faults are only counted: %u different ones are told apart",
			(unsigned long long)lost, DISTINCT);
	san_log("ERROR SUMMARY: %llu error%s, %llu different", (unsigned long long)faults,
		faults == 1 ? "" : "s", (unsigned long long)(distinct + (lost != 0)));
}

static const char *kind_text(enum san_memory_kind kind)
{
	static const char *const texts[] = {
		[SAN_MEMORY_DEVICE] = "allocation",
		[SAN_MEMORY_MANAGED] = "managed allocation",
		[SAN_MEMORY_HOST] = "pinned host memory",
		[SAN_MEMORY_VARIABLE] = "variable",
		[SAN_MEMORY_PRIVATE] = "memory of the runtime",
	};

	return texts[kind];
}

void san_describe_address(u64 address, char *text, size_t size)
{
	const struct san_memory *below, *above, *in = san_memory_find(address);
	u64 behind;

	if (in) {
		snprintf(text, size, "0x%llx is byte %llu of the %s at 0x%llx of %llu bytes",
			 (unsigned long long)address, (unsigned long long)(address - in->address),
			 kind_text(in->kind), (unsigned long long)in->address,
			 (unsigned long long)in->bytes);
		return;
	}
	in = san_memory_freed(address);
	if (in) {
		snprintf(text, size,
			 "0x%llx is byte %llu of the %s at 0x%llx of %llu bytes, which was freed",
			 (unsigned long long)address, (unsigned long long)(address - in->address),
			 kind_text(in->kind), (unsigned long long)in->address,
			 (unsigned long long)in->bytes);
		return;
	}
	san_memory_near(address, &below, &above);
	if (!san_heap_has(address) && (!below || below->kind != SAN_MEMORY_HOST))
		below = above = NULL;
	behind = below ? address - (below->address + below->bytes) : ~0ull;
	if (below && (!above || behind <= above->address - address))
		snprintf(text, size, "0x%llx is %llu bytes behind the %s at 0x%llx of %llu bytes",
			 (unsigned long long)address, (unsigned long long)behind,
			 kind_text(below->kind), (unsigned long long)below->address,
			 (unsigned long long)below->bytes);
	else if (above)
		snprintf(text, size, "0x%llx is %llu bytes before the %s at 0x%llx of %llu bytes",
			 (unsigned long long)address,
			 (unsigned long long)(above->address - address), kind_text(above->kind),
			 (unsigned long long)above->address, (unsigned long long)above->bytes);
	else
		snprintf(text, size, "0x%llx is in no memory of the program on the device",
			 (unsigned long long)address);
}
