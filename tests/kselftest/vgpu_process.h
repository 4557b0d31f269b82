/* SPDX-License-Identifier: MIT */
/*
 * What tests of memory of a process share: a context that uses it, and what has the kernel swap and
 * merge its pages.
 */
#ifndef VGPU_PROCESS_H
#define VGPU_PROCESS_H

#include <sys/mman.h>
#include <sys/swap.h>

#include "vgpu_files.h"
#include "vgpu_words.h"

/* A context whose kernels use all memory of this process. */
static inline struct user process_begin(void)
{
	struct user u = user_begin();

	CHECK_EQ(process_memory(u.fd), 0);
	return u;
}

static inline uint64_t at(const volatile void *memory)
{
	return (uint64_t)(uintptr_t)memory;
}

static inline volatile uint32_t *anonymous(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

/* A number in a file: behind @name at the beginning of a line, or the first; -1: it has none. */
static inline long long number_in(const char *path, const char *name)
{
	char line[256];
	long long value = -1;
	FILE *file = fopen(path, "r");

	while (file && value < 0 && fgets(line, sizeof(line), file))
		if (!name)
			value = atoll(line);
		else if (!strncmp(line, name, strlen(name)))
			value = atoll(line + strlen(name));
	if (file)
		fclose(file);
	return value;
}

/* ---- swap --------------------------------------------------------------- */

#define SWAP	"/dev/nullb0"

/* A disk in memory, with the header of a swap device; or skip the test. */
static inline void swap_on(void)
{
	uint8_t header[PAGE] = { 0 };
	uint32_t *info = (uint32_t *)(header + 1024);
	int fd;

	if (access(SWAP, F_OK) &&
	    system("modprobe null_blk nr_devices=1 gb=1 bs=4096 memory_backed=1 2>/dev/null"))
		SKIP("no disk for a swap device here");
	fd = open(SWAP, O_RDWR);
	if (fd < 0)
		SKIP("no disk for a swap device here");
	info[0] = 1;
	info[1] = (64u << 20) / PAGE - 1;
	memcpy(header + PAGE - 10, "SWAPSPACE2", 10);
	CHECK_EQ(pwrite(fd, header, PAGE, 0), PAGE);
	close(fd);
	if (swapon(SWAP, 0))
		SKIP("this kernel does not swap");
}

static inline void swap_off(void)
{
	CHECK(!swapoff(SWAP));
	CHECK(!system("rmmod null_blk"));
}

/* ---- equal pages -------------------------------------------------------- */

#define KSM	"/sys/kernel/mm/ksm/"

/** struct ksm - what it was set to */
struct ksm {
	char before[3][32];
};

static const char *const ksm_files[] = { KSM "run", KSM "pages_to_scan", KSM "sleep_millisecs" };

/*
 * Equal pages are merged, some hundreds every few milliseconds, which leaves the processor to
 * others; or skip the test.
 */
static inline struct ksm ksm_on(void)
{
	static const char *const values[] = { "1", "512", "1" };
	struct ksm ksm;

	for (int n = 0; n < 3; n++) {
		if (access(ksm_files[n], W_OK))
			SKIP("this kernel merges no pages");
		snprintf(ksm.before[n], sizeof(ksm.before[n]), "%lld",
			 number_in(ksm_files[n], NULL));
	}
	for (int n = 0; n < 3; n++)
		file_write(ksm_files[n], values[n]);
	return ksm;
}

static inline void ksm_off(const struct ksm *ksm)
{
	file_write(ksm_files[0], "2");
	for (int n = 2; n >= 0; n--)
		file_write(ksm_files[n], ksm->before[n]);
}

#endif
