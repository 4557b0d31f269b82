// SPDX-License-Identifier: MIT
/*
 * Device memory apart from addresses: views of it, rights, files that stand for it in other
 * contexts, and that nobody gets at memory that he was not given.
 */
#include "vgpu_views.h"

#define OTHER	(BASE + (1ull << 40))

static void same_bytes(void)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd), handle, word = 0x1234567;
	long long frames = count_of("host_frames");
	uint64_t free = must_device_info(fd).vram_free;

	handle = must_create(fd, 4 * PAGE);
	CHECK_EQ(must_device_info(fd).vram_free, free - 4 * PAGE);
	CHECK_EQ(mem_view(fd, BASE, 4 * PAGE, handle, 0, VGPU_RIGHTS_WRITE), 0);
	CHECK_EQ(mem_view(fd, OTHER, PAGE, handle, 2 * PAGE, VGPU_RIGHTS_READ), 0);
	CHECK_EQ(mem_view(fd, OTHER, PAGE, handle, 0, VGPU_RIGHTS_READ), -EEXIST);
	CHECK_EQ(mem_view(fd, OTHER + PAGE, 2 * PAGE, handle, 3 * PAGE, 2), -EINVAL);
	CHECK_EQ(mem_view(fd, OTHER + PAGE, PAGE, handle, 1, 2), -EINVAL);
	CHECK_EQ(mem_view(fd, OTHER + PAGE, PAGE, handle, 0, 3), -EINVAL);
	CHECK_EQ(mem_view(fd, OTHER + PAGE, PAGE, handle + 1, 0, 2), -ENOENT);
	must_h2d(fd, queue, BASE + 2 * PAGE + 12, &word, 4);
	word = 0;
	must_d2h(fd, queue, &word, OTHER + 12, 4);
	CHECK_EQ(word, 0x1234567);
	CHECK_EQ(count_of("host_frames"), frames + 1);
	CHECK_EQ(mem_release(fd, handle), 0);
	CHECK_EQ(mem_release(fd, handle), -ENOENT);
	CHECK_EQ(mem_unmap(fd, BASE, 4 * PAGE), 0);
	must_d2h(fd, queue, &word, OTHER + 12, 4);
	CHECK_EQ(word, 0x1234567);
	CHECK_EQ(mem_unmap(fd, OTHER, PAGE), 0);
	CHECK_EQ(count_of("host_frames"), frames);
	CHECK_EQ(must_device_info(fd).vram_free, free);
}

static void refused(void)
{
	struct vgpu_mem_create create = { .bytes = PAGE, .flags = 1 };
	struct vgpu_mem_release release = { .reserved = 1 };
	struct vgpu_mem_rights rights = { .address = BASE, .bytes = PAGE, .reserved = 1 };
	struct vgpu_mem_export export = { .handle = 1, .flags = 1 };
	struct vgpu_mem_import import = { .reserved = 1 };
	int fd = must_open();
	uint32_t handle;
	uint64_t free = must_device_info(fd).vram_free;

	CHECK_EQ(call(fd, VGPU_IOC_MEM_CREATE, &create), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_RELEASE, &release), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_RIGHTS, &rights), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_EXPORT, &export), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_IMPORT, &import), -EINVAL);
	CHECK_EQ(mem_create(fd, 0, &handle), -EINVAL);
	CHECK_EQ(mem_create(fd, 100, &handle), -EINVAL);
	CHECK_EQ(mem_create(fd, free + PAGE, &handle), -ENOMEM);
	CHECK_EQ(mem_create(fd, 0ull - PAGE, &handle), -ENOMEM);
	CHECK_EQ(mem_create(fd, 1ull << 62, &handle), -ENOMEM);
	CHECK_EQ(mem_rights(fd, BASE, PAGE, 1), -ENOENT);
	CHECK_EQ(mem_rights(fd, BASE, PAGE, 9), -EINVAL);
	CHECK_EQ(must_device_info(fd).vram_free, free);
	CHECK_EQ(mem_create(fd, free, &handle), 0);
	CHECK_EQ(must_device_info(fd).vram_free, 0);
	CHECK_EQ(mem_release(fd, handle), 0);
	CHECK_EQ(must_device_info(fd).vram_free, free);
}

/* What one context does beyond its rights ends it, and not the other one. */
static void two_contexts(void)
{
	int a = must_open(), b = must_open(), file;
	uint32_t queue_a = must_queue(a), queue_b = must_queue(b), of_a, of_b, word = 77;
	long long frames = count_of("host_frames");
	struct vgpu_cmd beyond = cmd_fill(OTHER, 1, 4, 1);
	uint64_t free = must_device_info(a).vram_free, seq;

	of_a = must_create(a, 2 * PAGE);
	file = mem_export(a, of_a);
	CHECK(file >= 0);
	CHECK_EQ(mem_import(b, file, &of_b), 0);
	close(file);
	CHECK_EQ(mem_view(a, BASE, 2 * PAGE, of_a, 0, VGPU_RIGHTS_WRITE), 0);
	CHECK_EQ(mem_view(b, OTHER, 2 * PAGE, of_b, 0, VGPU_RIGHTS_READ), 0);
	must_h2d(a, queue_a, BASE + PAGE, &word, 4);
	word = 0;
	must_d2h(b, queue_b, &word, OTHER + PAGE, 4);
	CHECK_EQ(word, 77);
	CHECK_EQ(must_device_info(a).vram_free, free - 2 * PAGE);
	CHECK_EQ(submit(b, queue_b, &beyond, 1, &seq), 0);
	CHECK_EQ(wait_seq(b, queue_b, seq, limit_ns(30)), -EIO);
	CHECK_EQ(must_context_info(b).fault.reason, VGPU_FAULT_COPY_UNMAPPED);
	CHECK_EQ(must_context_info(b).fault.address, OTHER);
	must_d2h(a, queue_a, &word, BASE, 4);
	CHECK_EQ(word, 0);
	/* rights are those of the moment */
	CHECK_EQ(mem_rights(a, BASE, 2 * PAGE, VGPU_RIGHTS_NONE), 0);
	beyond.fill.dst = BASE;
	CHECK_EQ(submit(a, queue_a, &beyond, 1, &seq), 0);
	CHECK_EQ(wait_seq(a, queue_a, seq, limit_ns(30)), -EIO);
	close(b);
	close(a);
	a = must_open();
	CHECK_EQ(count_of("host_frames"), frames);
	CHECK_EQ(must_device_info(a).vram_free, free);
}

/* Nothing but such a file is taken, and a number of another context means nothing. */
static void forged(void)
{
	int a = must_open(), b = must_open(), null = open("/dev/null", O_RDWR), file;
	uint32_t handle = must_create(a, PAGE), other;

	CHECK(null >= 0);
	CHECK_EQ(mem_import(b, -1, &other), -EBADF);
	CHECK_EQ(mem_import(b, 9999, &other), -EBADF);
	CHECK_EQ(mem_import(b, null, &other), -EINVAL);
	CHECK_EQ(mem_import(b, a, &other), -EINVAL);
	CHECK_EQ(mem_import(b, b, &other), -EINVAL);
	for (uint32_t n = 0; n < 100; n++) {
		CHECK_EQ(mem_export(b, n), -ENOENT);
		CHECK_EQ(mem_view(b, BASE, PAGE, n, 0, VGPU_RIGHTS_READ), -ENOENT);
		CHECK_EQ(mem_release(b, n), -ENOENT);
	}
	/* the file itself gives nothing away, and may be mapped by nobody */
	file = mem_export(a, handle);
	CHECK(file >= 0);
	CHECK(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED);
	CHECK(read(file, &other, 4) < 0);
	CHECK_EQ(call(file, VGPU_IOC_MEM_IMPORT, &other), -ENOTTY);
}

/* A file outlives the context, in another process, and counts for its creator until it ends. */
static void outlives(void)
{
	int fd = must_open(), file, status;
	uint64_t free = must_device_info(fd).vram_free;
	uint32_t queue = must_queue(fd), handle = must_create(fd, 600 * PAGE), word = 5;
	long long frames = count_of("host_frames");
	pid_t child;

	CHECK_EQ(mem_view(fd, BASE, 600 * PAGE, handle, 0, VGPU_RIGHTS_WRITE), 0);
	for (uint64_t n = 0; n < 600; n += 3)
		must_h2d(fd, queue, BASE + n * PAGE, &word, 4);
	CHECK_EQ(count_of("host_frames"), frames + 200);
	file = mem_export(fd, handle);
	CHECK(file >= 0);
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		int own = must_open();
		uint32_t own_queue = must_queue(own), own_handle, read = 0;

		CHECK_EQ(mem_import(own, file, &own_handle), 0);
		CHECK_EQ(mem_view(own, OTHER, PAGE, own_handle, 597 * PAGE, 1), 0);
		must_d2h(own, own_queue, &read, OTHER, 4);
		_exit(read == 5 ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
	close(fd);
	fd = must_open();
	CHECK_EQ(count_of("host_frames"), frames + 200);
	CHECK_EQ(must_device_info(fd).vram_free, free - 600 * PAGE);
	close(file);
	CHECK_EQ(count_of("host_frames"), frames);
	CHECK_EQ(must_device_info(fd).vram_free, free);
}

static const struct test tests[] = {
	{ "views: the same bytes at two addresses", same_bytes },
	{ "views: what is refused", refused },
	{ "views: two contexts have one memory, each its rights and its fate", two_contexts },
	{ "views: nothing is forged", forged },
	{ "views: a file outlives the context", outlives },
};

TESTS_MAIN(tests)
