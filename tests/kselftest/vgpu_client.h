/* SPDX-License-Identifier: MIT */
/*
 * The ioctls of /dev/vgpu as functions, for tests. Functions return 0 (or a handle) or a negative
 * errno; those named must_* end the test when they fail.
 */
#ifndef VGPU_CLIENT_H
#define VGPU_CLIENT_H

#include <dirent.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "vgpu.h"
#include "vgpu_isa.h"
#include "vgpu_selftest.h"

#define DEVICE		"/dev/vgpu0"
/* Device addresses of the tests. Nothing of the process lies there. */
#define BASE		0x100000000000ull
#define PAGE		VGPU_PAGE_SIZE
#define FOREVER		(-1ll)
#define SECOND		1000000000ll
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static inline int call(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

static inline int must_open(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	CHECK(fd >= 0);
	return fd;
}

/* deadline(), as a length of time. */
static inline int64_t limit_ns(double seconds)
{
	return (int64_t)(seconds * SECOND * machine_slowness());
}

static inline int queue_create(int fd)
{
	struct vgpu_queue_create create = {};
	int ret = call(fd, VGPU_IOC_QUEUE_CREATE, &create);

	return ret ? ret : (int)create.queue;
}

static inline int queue_destroy(int fd, uint32_t queue)
{
	struct vgpu_queue_destroy destroy = { .queue = queue };

	return call(fd, VGPU_IOC_QUEUE_DESTROY, &destroy);
}

static inline uint32_t must_queue(int fd)
{
	int queue = queue_create(fd);

	CHECK(queue >= 0);
	return (uint32_t)queue;
}

/* A line of /proc/meminfo, KiB; "MemTotal:". */
static inline long meminfo(const char *name)
{
	char line[128];
	long kb = -1;
	FILE *file = fopen("/proc/meminfo", "r");

	CHECK(file);
	while (kb < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			kb = strtol(line + strlen(name), NULL, 10);
	fclose(file);
	CHECK(kb >= 0);
	return kb;
}

static inline int mem_map(int fd, uint64_t address, uint64_t bytes)
{
	struct vgpu_mem mem = { .address = address, .bytes = bytes };

	return call(fd, VGPU_IOC_MEM_MAP, &mem);
}

static inline int process_memory(int fd)
{
	struct vgpu_process_memory memory = {};

	return call(fd, VGPU_IOC_PROCESS_MEMORY, &memory);
}

static inline int mem_map_managed(int fd, uint64_t address, uint64_t bytes)
{
	struct vgpu_mem mem = { .address = address, .bytes = bytes, .flags = VGPU_MEM_MANAGED };

	return call(fd, VGPU_IOC_MEM_MAP, &mem);
}

/* Managed memory at @address as this process sees it, at @where or anywhere; MAP_FAILED. */
static inline void *managed_view(int fd, void *where, uint64_t address, uint64_t bytes, int prot)
{
	return mmap(where, bytes, prot, MAP_SHARED | (where ? MAP_FIXED : 0), fd,
		    (off_t)(VGPU_MMAP_MANAGED + address));
}

static inline int mem_unmap(int fd, uint64_t address, uint64_t bytes)
{
	struct vgpu_mem mem = { .address = address, .bytes = bytes };

	return call(fd, VGPU_IOC_MEM_UNMAP, &mem);
}

/* @seq gets the sequence number on success, the index of the failed command on failure. */
static inline int submit(int fd, uint32_t queue, const struct vgpu_cmd *cmds, uint32_t count,
			 uint64_t *seq)
{
	struct vgpu_submit sub = { .queue = queue, .count = count, .commands = (uintptr_t)cmds };
	int ret = call(fd, VGPU_IOC_SUBMIT, &sub);

	if (seq)
		*seq = ret ? sub.failed : sub.seq;
	return ret;
}

static inline uint64_t must_submit(int fd, uint32_t queue, const struct vgpu_cmd *cmds,
				   uint32_t count)
{
	uint64_t seq;

	CHECK_EQ(submit(fd, queue, cmds, count, &seq), 0);
	return seq;
}

static inline int wait_seq(int fd, uint32_t queue, uint64_t seq, int64_t timeout_ns)
{
	struct vgpu_wait wait = { .queue = queue, .seq = seq, .timeout_ns = timeout_ns };

	return call(fd, VGPU_IOC_WAIT, &wait);
}

static inline uint64_t completed(int fd, uint32_t queue)
{
	struct vgpu_wait wait = { .queue = queue };

	CHECK_EQ(call(fd, VGPU_IOC_WAIT, &wait), 0);
	return wait.completed;
}

static inline struct vgpu_cmd cmd_nop(void)
{
	return (struct vgpu_cmd){ .op = VGPU_CMD_NOP };
}

static inline struct vgpu_cmd cmd_copy(enum vgpu_cmd_op op, uint64_t dst, uint64_t src,
				       uint64_t bytes)
{
	return (struct vgpu_cmd){ .op = op, .copy = { .dst = dst, .src = src, .bytes = bytes } };
}

static inline struct vgpu_cmd cmd_h2d(uint64_t dst, const void *src, uint64_t bytes)
{
	return cmd_copy(VGPU_CMD_COPY_H2D, dst, (uintptr_t)src, bytes);
}

static inline struct vgpu_cmd cmd_d2h(void *dst, uint64_t src, uint64_t bytes)
{
	return cmd_copy(VGPU_CMD_COPY_D2H, (uintptr_t)dst, src, bytes);
}

static inline struct vgpu_cmd cmd_fill(uint64_t dst, uint32_t value, uint32_t width, uint64_t count)
{
	return (struct vgpu_cmd){
		.op = VGPU_CMD_FILL,
		.fill = { .dst = dst, .count = count, .value = value, .width = width }
	};
}

static inline struct vgpu_cmd cmd_stamp(void *dst)
{
	return (struct vgpu_cmd){ .op = VGPU_CMD_STAMP, .stamp = { .dst = (uintptr_t)dst } };
}

static inline struct vgpu_cmd cmd_wait(uint32_t queue, uint64_t seq)
{
	return (struct vgpu_cmd){ .op = VGPU_CMD_WAIT, .wait = { .queue = queue, .seq = seq } };
}

static inline struct vgpu_cmd cmd_profiled(uint64_t blocks, uint64_t block_ps)
{
	return (struct vgpu_cmd){ .op = VGPU_CMD_PROFILED,
				  .profiled = { .blocks = blocks,
						.block_ps = block_ps,
						.threads = 128,
						.regs_per_block = 4096 } };
}

/* Each block touches a page of its own, from @address on. */
static inline struct vgpu_cmd cmd_touching(uint64_t blocks, uint64_t address)
{
	struct vgpu_cmd cmd = cmd_profiled(blocks, 1000);

	cmd.profiled.touches = 1;
	cmd.profiled.touch_bytes = 4096;
	cmd.profiled.touch_address = address;
	return cmd;
}

static inline struct vgpu_cmd cmd_launch(uint32_t module, uint32_t kernel, uint32_t blocks,
					 uint32_t threads, const void *params, uint32_t bytes)
{
	return (struct vgpu_cmd){ .op = VGPU_CMD_LAUNCH,
				  .launch = { .module = module,
					      .kernel = kernel,
					      .grid = { blocks, 1, 1 },
					      .block = { threads, 1, 1 },
					      .param_bytes = bytes,
					      .params = (uintptr_t)params } };
}

/* Submit and wait. */
static inline void must_run(int fd, uint32_t queue, const struct vgpu_cmd *cmds, uint32_t count)
{
	CHECK_EQ(wait_seq(fd, queue, must_submit(fd, queue, cmds, count), limit_ns(30)), 0);
}

static inline void must_h2d(int fd, uint32_t queue, uint64_t dst, const void *src, uint64_t bytes)
{
	struct vgpu_cmd cmd = cmd_h2d(dst, src, bytes);

	must_run(fd, queue, &cmd, 1);
}

static inline void must_d2h(int fd, uint32_t queue, void *dst, uint64_t src, uint64_t bytes)
{
	struct vgpu_cmd cmd = cmd_d2h(dst, src, bytes);

	must_run(fd, queue, &cmd, 1);
}

static inline struct vgpu_device_info must_device_info(int fd)
{
	struct vgpu_device_info info;

	CHECK_EQ(call(fd, VGPU_IOC_DEVICE_INFO, &info), 0);
	return info;
}

static inline struct vgpu_context_info must_context_info(int fd)
{
	struct vgpu_context_info info;

	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_INFO, &info), 0);
	return info;
}

/* @pages pages of process memory followed by one that is not mapped. */
static inline uint8_t *guarded(unsigned int pages, int prot)
{
	uint8_t *memory = mmap(NULL, (pages + 1) * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	CHECK(!munmap(memory + pages * PAGE, PAGE));
	return memory;
}

/* The kernel's thread that is the actor of vgpu0. */
static inline int actor_pid(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int found = 0;

	CHECK(proc);
	while (!found && (entry = readdir(proc))) {
		char path[300], name[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) && !strcmp(name, "vgpu0\n"))
			found = atoi(entry->d_name);
		fclose(file);
	}
	closedir(proc);
	CHECK(found);
	return found;
}

/* The file of @fd in fdinfo, as text. */
static inline void must_fdinfo(int fd, char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = open(path, O_RDONLY);
	CHECK(file >= 0);
	n = read(file, text, size - 1);
	CHECK(n > 0);
	text[n] = 0;
	close(file);
}

/* What it says behind @key, nanoseconds. */
static inline unsigned long long fdinfo_ns(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	unsigned long long ns;
	char *end;

	CHECK(at);
	ns = strtoull(at + strlen(key), &end, 10);
	CHECK(!strncmp(end, " ns\n", 4));
	return ns;
}

#endif
