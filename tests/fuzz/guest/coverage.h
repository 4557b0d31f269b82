/* SPDX-License-Identifier: MIT */
/*
 * Coverage of vgpu.ko by KCOV: what this process executes in it, and what the actor does for this
 * process and its children. A byte of memory that all processes share says of each place whether
 * it was ever reached.
 */
#ifndef FUZZ_COVERAGE_H
#define FUZZ_COVERAGE_H

#include <linux/kcov.h>

#include "tests/kselftest/vgpu_client.h"

#define KCOV_FILE	"/sys/kernel/debug/kcov"
#define SECTIONS	"/sys/module/vgpu/sections/"
#define OWN_ENTRIES	(64u << 10)
#define REMOTE_ENTRIES	(256u << 10)		/* of all sections until it is looked at … */
#define SECTION_ENTRIES	(64u << 10)		/* … and of one section of the actor's */
#define TEXT_MAX	(16u << 20)
#define PLACES_MAX	(64u << 10)
#define HANDLE		0x76677075u

/** struct coverage - shared by the driver and its children */
struct coverage {
	uint32_t fresh; /* places reached for the first time, since this was set to 0 */
	uint32_t count;			/* ever reached … */
	uint32_t places[PLACES_MAX];	/* … by distance from .text … */
	uint8_t reached[TEXT_MAX];	/* … and whether one was */
};

static struct coverage *coverage;
static unsigned long text_begin;
static int own_fd;
static unsigned long *own_area, *remote_area;

static unsigned long section_address(const char *name)
{
	unsigned long address = 0;
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), SECTIONS "%s", name);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%lx", &address) != 1)
		address = 0;
	fclose(file);
	return address;
}

static unsigned long *kcov_open(int *fd, unsigned long entries)
{
	unsigned long *area;

	*fd = open(KCOV_FILE, O_RDWR | O_CLOEXEC);
	if (*fd < 0 || ioctl(*fd, KCOV_INIT_TRACE, entries)) {
		fprintf(stderr, "uapi: no KCOV in this kernel: %s\n", strerror(errno));
		exit(2);
	}
	area = mmap(NULL, entries * sizeof(*area), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	CHECK(area != MAP_FAILED);
	return area;
}

/* The process that calls this must not end before its children. */
static void coverage_start(void)
{
	struct kcov_remote_arg arg = {
		.trace_mode = KCOV_TRACE_PC,
		.area_size = SECTION_ENTRIES,
		.common_handle = HANDLE,
	};
	int fd;

	text_begin = section_address(".text");
	if (!text_begin) {
		fprintf(stderr, "uapi: %s.text does not say where the module is\n", SECTIONS);
		exit(2);
	}
	coverage = mmap(NULL, sizeof(*coverage), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(coverage != MAP_FAILED);
	remote_area = kcov_open(&fd, REMOTE_ENTRIES);
	CHECK(!ioctl(fd, KCOV_REMOTE_ENABLE, &arg));
	own_area = kcov_open(&own_fd, OWN_ENTRIES);
}

/* What this child executes counts from here on. */
static void coverage_own(void)
{
	CHECK(!ioctl(own_fd, KCOV_ENABLE, KCOV_TRACE_PC));
}

static void area_collect(unsigned long *area, unsigned long size)
{
	unsigned long count = __atomic_load_n(&area[0], __ATOMIC_RELAXED), at;

	for (unsigned long i = 1; i <= count && i < size; i++) {
		at = area[i] - text_begin;
		if (at >= TEXT_MAX || coverage->reached[at] || coverage->count == PLACES_MAX)
			continue;
		coverage->reached[at] = 1;
		coverage->places[coverage->count++] = (uint32_t)at;
		coverage->fresh++;
	}
	__atomic_store_n(&area[0], 0, __ATOMIC_RELAXED);
}

static void coverage_collect(void)
{
	area_collect(own_area, OWN_ENTRIES);
	area_collect(remote_area, REMOTE_ENTRIES);
}

/* Addresses of the sections, then the places, by distance from .text. */
static void coverage_write(const char *path)
{
	FILE *file = fopen(path, "w");
	struct dirent *entry;
	DIR *dir;

	if (!file)
		return;
	dir = opendir(SECTIONS);
	while (dir && (entry = readdir(dir)))
		if (strstr(entry->d_name, "text") && entry->d_name[1] != 'r')
			fprintf(file, "section %s %ld\n", entry->d_name,
				(long)(section_address(entry->d_name) - text_begin));
	if (dir)
		closedir(dir);
	for (uint32_t i = 0; i < coverage->count; i++)
		fprintf(file, "%u\n", coverage->places[i]);
	fclose(file);
}

#endif
