// SPDX-License-Identifier: MIT
/*
 * Device memory: mapping, what is refused, backing that appears when it is written and goes with
 * the mapping, one address space a context.
 */
#include "vgpu_client.h"

static void refused(void)
{
	int fd = must_open();

	CHECK_EQ(mem_map(fd, BASE, 0), -EINVAL);
	CHECK_EQ(mem_map(fd, BASE, 1), -EINVAL);
	CHECK_EQ(mem_map(fd, BASE, PAGE + 1), -EINVAL);
	CHECK_EQ(mem_map(fd, BASE + 1, PAGE), -EINVAL);
	CHECK_EQ(mem_map(fd, BASE + 2048, PAGE), -EINVAL);
	CHECK_EQ(mem_map(fd, VGPU_ADDRESS_LIMIT, PAGE), -EINVAL);
	CHECK_EQ(mem_map(fd, VGPU_ADDRESS_LIMIT - PAGE, 2 * PAGE), -EINVAL);
	CHECK_EQ(mem_map(fd, 0ull - PAGE, PAGE), -EINVAL);
	CHECK_EQ(mem_map(fd, 0ull - PAGE, 2 * PAGE), -EINVAL);
	CHECK_EQ(mem_map(fd, BASE, 0ull - PAGE), -EINVAL);
	CHECK_EQ(must_context_info(fd).mapped_bytes, 0);
	CHECK_EQ(mem_map(fd, VGPU_SYSTEM_BASE, PAGE), -EEXIST);
	CHECK_EQ(mem_map(fd, VGPU_SYSTEM_BASE - PAGE, 2 * PAGE), -EEXIST);
	CHECK_EQ(mem_unmap(fd, VGPU_SYSTEM_BASE, PAGE), -ENOENT);
	CHECK_EQ(must_context_info(fd).mapped_bytes, 0);
	CHECK_EQ(mem_map(fd, VGPU_SYSTEM_BASE - PAGE, PAGE), 0);
}

static void overlap(void)
{
	int fd = must_open();

	CHECK_EQ(mem_map(fd, BASE + 4 * PAGE, 4 * PAGE), 0);
	CHECK_EQ(mem_map(fd, BASE + 4 * PAGE, 4 * PAGE), -EEXIST);
	CHECK_EQ(mem_map(fd, BASE + 7 * PAGE, 2 * PAGE), -EEXIST);
	CHECK_EQ(mem_map(fd, BASE + 3 * PAGE, 2 * PAGE), -EEXIST);
	CHECK_EQ(mem_map(fd, BASE, 64 * PAGE), -EEXIST);
	CHECK_EQ(mem_map(fd, BASE + 5 * PAGE, PAGE), -EEXIST);
	CHECK_EQ(mem_map(fd, BASE + 8 * PAGE, PAGE), 0);
	CHECK_EQ(mem_map(fd, BASE + 3 * PAGE, PAGE), 0);
	CHECK_EQ(must_context_info(fd).mapped_bytes, 6 * PAGE);
}

static void unmap_exactly(void)
{
	int fd = must_open();

	CHECK_EQ(mem_unmap(fd, BASE, PAGE), -ENOENT);
	CHECK_EQ(mem_map(fd, BASE, 4 * PAGE), 0);
	CHECK_EQ(mem_unmap(fd, BASE, PAGE), -ENOENT);
	CHECK_EQ(mem_unmap(fd, BASE + PAGE, 3 * PAGE), -ENOENT);
	CHECK_EQ(mem_unmap(fd, BASE, 5 * PAGE), -ENOENT);
	CHECK_EQ(mem_unmap(fd, BASE, 4 * PAGE), 0);
	CHECK_EQ(mem_unmap(fd, BASE, 4 * PAGE), -ENOENT);
	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
}

static void out_of_vram(void)
{
	int fd = must_open(), other = must_open();
	uint64_t free = must_device_info(fd).vram_free;

	CHECK_EQ(mem_map(fd, BASE, free + PAGE), -ENOMEM);
	CHECK_EQ(mem_map(fd, BASE, free), 0);
	CHECK_EQ(must_device_info(fd).vram_free, 0);
	CHECK_EQ(mem_map(other, BASE, PAGE), -ENOMEM);
	CHECK_EQ(mem_unmap(fd, BASE, free), 0);
	CHECK_EQ(must_device_info(fd).vram_free, free);
	CHECK_EQ(mem_map(other, BASE, free - PAGE), 0);
	close(other);
	CHECK_EQ(must_device_info(fd).vram_free, free);
}

static void backed_when_written(void)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd), word = 7;
	long long frames = count_of("host_frames");
	uint8_t page[PAGE], zero[PAGE] = {};

	CHECK_EQ(mem_map(fd, BASE, 1024 * PAGE), 0);
	CHECK_EQ(must_context_info(fd).resident_bytes, 0);
	memset(page, 0xff, sizeof(page));
	must_d2h(fd, queue, page, BASE + 100 * PAGE, PAGE);
	CHECK(!memcmp(page, zero, PAGE));
	must_h2d(fd, queue, BASE + 5 * PAGE + 12, &word, 4);
	CHECK_EQ(must_context_info(fd).resident_bytes, PAGE);
	CHECK_EQ(count_of("host_frames"), frames + 1);
	must_d2h(fd, queue, page, BASE + 5 * PAGE, PAGE);
	memcpy(zero + 12, &word, 4);
	CHECK(!memcmp(page, zero, PAGE));
	CHECK_EQ(mem_unmap(fd, BASE, 1024 * PAGE), 0);
	CHECK_EQ(count_of("host_frames"), frames);
	/* what comes again is clean */
	CHECK_EQ(mem_map(fd, BASE, 1024 * PAGE), 0);
	memset(zero, 0, sizeof(zero));
	must_d2h(fd, queue, page, BASE + 5 * PAGE, PAGE);
	CHECK(!memcmp(page, zero, PAGE));
}

static void one_space_a_context(void)
{
	int fds[4];
	uint32_t queues[4], word;

	for (uint32_t i = 0; i < 4; i++) {
		fds[i] = must_open();
		queues[i] = must_queue(fds[i]);
		CHECK_EQ(mem_map(fds[i], BASE, PAGE), 0);
		word = 0x1000 + i;
		must_h2d(fds[i], queues[i], BASE, &word, 4);
	}
	for (uint32_t i = 0; i < 4; i++) {
		must_d2h(fds[i], queues[i], &word, BASE, 4);
		CHECK_EQ(word, 0x1000 + i);
	}
}

static void many_mappings(void)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd), word;
	uint64_t seed = 1;

	for (uint32_t i = 0; i < 2000; i++)
		CHECK_EQ(mem_map(fd, BASE + (uint64_t)i * 3 * PAGE, 2 * PAGE), 0);
	for (int i = 0; i < 50; i++) {
		uint32_t at = (uint32_t)(rnd(&seed) % 2000);

		must_h2d(fd, queue, BASE + (uint64_t)at * 3 * PAGE + PAGE, &at, 4);
		must_d2h(fd, queue, &word, BASE + (uint64_t)at * 3 * PAGE + PAGE, 4);
		CHECK_EQ(word, at);
	}
	for (uint32_t i = 0; i < 2000; i += 2)
		CHECK_EQ(mem_unmap(fd, BASE + (uint64_t)i * 3 * PAGE, 2 * PAGE), 0);
	CHECK_EQ(must_context_info(fd).mapped_bytes, 1000 * 2 * PAGE);
}

static int mem_peek(int fd, uint64_t address, void *memory, uint32_t bytes)
{
	struct vgpu_mem_peek peek = { .address = address,
				      .memory = (uint64_t)(uintptr_t)memory,
				      .bytes = bytes };

	return call(fd, VGPU_IOC_MEM_PEEK, &peek);
}

/* Also after a copy from nowhere has ended the context. */
static void read_when_dead(void)
{
	struct vgpu_mem_peek peek = { .address = BASE, .reserved = 1 };
	uint32_t value = 0x12345678, words[2] = { 1, 1 };
	struct vgpu_cmd cmd = cmd_fill(BASE + 16 * PAGE, 1, 4, 1);
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	uint64_t seq;

	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	must_h2d(fd, queue, BASE + PAGE - 4, &value, 4);
	CHECK_EQ(submit(fd, queue, &cmd, 1, &seq), 0);
	while (!must_context_info(fd).fault.reason)
		usleep(1000);
	CHECK_EQ(mem_map(fd, BASE + PAGE, PAGE), -EIO);
	CHECK_EQ(mem_peek(fd, BASE + PAGE - 4, words, 8), 0);
	CHECK_EQ(words[0], value);
	CHECK_EQ(words[1], 0);		/* not mapped */
	CHECK_EQ(mem_peek(fd, BASE, NULL, 0), 0);
	CHECK_EQ(mem_peek(fd, BASE, NULL, 4), -EFAULT);
	CHECK_EQ(mem_peek(fd, BASE, words, VGPU_PEEK_BYTES + 1), -EINVAL);
	CHECK_EQ(mem_peek(fd, ~0ull - 2, words, 8), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_PEEK, &peek), -EINVAL);
}

static const struct test tests[] = {
	{ "memory: mappings that are refused", refused },
	{ "memory: no overlap", overlap },
	{ "memory: unmap takes back exactly one mapping", unmap_exactly },
	{ "memory: out of VRAM", out_of_vram },
	{ "memory: backed when written, given back with the mapping", backed_when_written },
	{ "memory: one address space a context", one_space_a_context },
	{ "memory: many mappings", many_mappings },
	{ "memory: read when the context is dead", read_when_dead },
};

TESTS_MAIN(tests)
