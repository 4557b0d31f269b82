// SPDX-License-Identifier: MIT
/*
 * Copies, fills and stamps: exact bytes at odd sizes and addresses, process memory that is not
 * there or goes away, bounds on what is in flight.
 */
#include <sys/resource.h>

#include "vgpu_asm.h"

static void fill_random(uint8_t *to, size_t bytes, uint64_t seed)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = (uint8_t)rnd(&seed);
}

static void exact_bytes(void)
{
	static const uint32_t sizes[] = { 1,	2,    3,    7,	  8,	63,    64,    65,
					  4095, 4096, 4097, 8191, 8192, 12289, 65536, 100003 };
	static const uint32_t offsets[] = { 0, 1, 3, 8, 4095, 4096, 5000 };
	const size_t room = 28 * PAGE;
	uint8_t *from = malloc(room), *to = malloc(room), *expect = malloc(room);
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	CHECK(from && to && expect);
	CHECK_EQ(mem_map(fd, BASE, room), 0);
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
		for (size_t o = 0; o < ARRAY_SIZE(offsets); o++) {
			uint32_t size = sizes[s], src = offsets[o],
				 dev = offsets[(o + s) % ARRAY_SIZE(offsets)];
			struct vgpu_cmd cmds[3];

			fill_random(from, room, s * 100 + o);
			memset(expect, 0xa5, room);
			memcpy(expect + dev, from + src, size);
			cmds[0] = cmd_fill(BASE, 0xa5, 1, room);
			cmds[1] = cmd_h2d(BASE + dev, from + src, size);
			cmds[2] = cmd_d2h(to, BASE, room);
			must_run(fd, queue, cmds, 3);
			CHECK(!memcmp(to, expect, room));
			memset(to, 0x5a, room);
			memset(expect, 0x5a, room);
			memcpy(expect + src, from + src, size);
			must_d2h(fd, queue, to + src, BASE + dev, size);
			CHECK(!memcmp(to, expect, room));
		}
}

static void device_to_device(void)
{
	uint8_t from[3 * PAGE], to[3 * PAGE];
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	struct vgpu_cmd cmds[3];

	CHECK_EQ(mem_map(fd, BASE, 4 * PAGE), 0);
	CHECK_EQ(mem_map(fd, BASE + 16 * PAGE, 4 * PAGE), 0);
	fill_random(from, sizeof(from), 3);
	cmds[0] = cmd_h2d(BASE + 5, from, sizeof(from));
	cmds[1] = cmd_copy(VGPU_CMD_COPY_D2D, BASE + 16 * PAGE + 1001, BASE + 5, sizeof(from));
	cmds[2] = cmd_d2h(to, BASE + 16 * PAGE + 1001, sizeof(from));
	must_run(fd, queue, cmds, 3);
	CHECK(!memcmp(from, to, sizeof(from)));
}

static void fill_widths(void)
{
	uint8_t got[2 * PAGE];
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	CHECK_EQ(mem_map(fd, BASE, 4 * PAGE), 0);
	for (uint32_t width = 1; width <= 4; width *= 2) {
		uint32_t value = 0x11223344u, count = 1000;
		struct vgpu_cmd cmds[3] = { cmd_fill(BASE, 0, 1, 4 * PAGE),
					    cmd_fill(BASE + 3 * PAGE - 16, value, width, count),
					    cmd_d2h(got, BASE + 3 * PAGE - 32, 5000) };

		must_run(fd, queue, cmds, 2);
		cmds[2].copy.bytes = 16 + PAGE;
		must_run(fd, queue, cmds + 2, 1);
		for (uint32_t i = 0; i < 16; i++)
			CHECK_EQ(got[i], 0);
		for (uint32_t i = 0; i < count * width && i < PAGE; i++)
			CHECK_EQ(got[16 + i], (value >> (8 * (i % width))) & 0xff);
		for (uint32_t i = count * width; i < PAGE; i++)
			CHECK_EQ(got[16 + i], 0);
	}
}

static void stamps(void)
{
	struct vgpu_cmd cmds[100];
	uint64_t times[100] = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	for (uint32_t i = 0; i < 100; i++)
		cmds[i] = i % 2 ? cmd_fill(BASE, i, 4, PAGE / 4) : cmd_stamp(&times[i]);
	must_run(fd, queue, cmds, 100);
	for (uint32_t i = 2; i < 100; i += 2)
		CHECK(times[i] > times[i - 2]);
	CHECK(times[98] <= must_device_info(fd).time);
	for (uint32_t i = 1; i < 100; i += 2)
		CHECK_EQ(times[i], 0);
}

/* Refused at submission, naming the command; nothing of the batch runs. */
static void not_there(void)
{
	uint8_t *memory = guarded(4, PROT_READ | PROT_WRITE), *end = memory + 4 * PAGE;
	uint8_t *read_only = guarded(1, PROT_READ), *none = guarded(1, PROT_NONE);
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	struct vgpu_cmd bad[] = {
		cmd_h2d(BASE, end, 1),
		cmd_h2d(BASE, end - 1, 2),
		cmd_h2d(BASE, memory, 4 * PAGE + 1),
		cmd_h2d(BASE, end - PAGE - 1, 2 * PAGE),
		cmd_h2d(BASE, none, 8),
		cmd_h2d(BASE, NULL, 64),
		cmd_h2d(BASE, (void *)0xffff888000000000ul, 64),
		cmd_h2d(BASE, (void *)(0ul - 8), 64),
		cmd_h2d(BASE, (void *)0x7ffffffff000ul, 64),
		cmd_d2h(end, BASE, 1),
		cmd_d2h(end - 1, BASE, 2),
		cmd_d2h(memory, BASE, 4 * PAGE + 1),
		cmd_d2h(none, BASE, 8),
		cmd_d2h(read_only, BASE, 8),
		cmd_d2h((void *)0xffff888000000000ul, BASE, 64),
		cmd_stamp(end),
		cmd_stamp(read_only),
		cmd_stamp(NULL),
	};
	struct vgpu_cmd cmds[6];
	uint64_t failed;

	CHECK_EQ(mem_map(fd, BASE, 16 * PAGE), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		for (uint32_t at = 0; at < 6; at += 5) {
			for (uint32_t k = 0; k < 6; k++)
				cmds[k] = k == at ? bad[i] : cmd_d2h(memory + k * 8, BASE, 8);
			CHECK_EQ(submit(fd, queue, cmds, 6, &failed), -EFAULT);
			CHECK_EQ(failed, at);
		}
	CHECK_EQ(completed(fd, queue), 0);
	CHECK_EQ(count_of("pins"), 0);
	/* and it is not the context's end */
	must_d2h(fd, queue, end - 1, BASE, 1);
	must_h2d(fd, queue, BASE, read_only, PAGE);
}

static void sizes_refused(void)
{
	uint8_t byte;
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	struct vgpu_cmd cmds[8];
	uint8_t *big = mmap(NULL, VGPU_COPY_MAX + PAGE, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t failed;

	CHECK(big != MAP_FAILED);
	cmds[0] = cmd_h2d(BASE, &byte, 0);
	CHECK_EQ(submit(fd, queue, cmds, 1, &failed), -EINVAL);
	CHECK_EQ(failed, 0);
	cmds[0] = cmd_h2d(BASE, big, VGPU_COPY_MAX + 1);
	CHECK_EQ(submit(fd, queue, cmds, 1, NULL), -EINVAL);
	cmds[0] = cmd_h2d(BASE, big, ~0ull);
	CHECK_EQ(submit(fd, queue, cmds, 1, NULL), -EINVAL);
	/* a batch that exceeds the bound on its own */
	for (int i = 0; i < 8; i++)
		cmds[i] = cmd_h2d(BASE, big, VGPU_COPY_MAX);
	CHECK_EQ(submit(fd, queue, cmds, 8, &failed), -EINVAL);
	CHECK_EQ(failed, VGPU_PINNED_MAX / VGPU_COPY_MAX);
}

/* Too much held by what is in flight: EAGAIN, until something completes. */
static void bound_in_flight(void)
{
	uint8_t *big = mmap(NULL, VGPU_COPY_MAX, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint32_t busy, queue;
	int fd = must_open_busy(&busy), ret = 0;
	struct vgpu_cmd cmds[2] = { cmd_wait(busy, 1), cmd_h2d(BASE, big, VGPU_COPY_MAX) };
	unsigned int taken = 0;

	CHECK(big != MAP_FAILED);
	CHECK_EQ(mem_map(fd, BASE, VGPU_COPY_MAX), 0);
	queue = must_queue(fd);
	while (taken < 16 && !ret) {
		ret = submit(fd, queue, cmds, 2, NULL);
		taken += !ret;
	}
	CHECK_EQ(ret, -EAGAIN);
	CHECK(taken >= 1 && taken <= VGPU_PINNED_MAX / VGPU_COPY_MAX);
	CHECK(count_of("pinned_pages") >= (long long)(taken * (VGPU_COPY_MAX / PAGE)));
}

static void commands_in_flight(void)
{
	static struct vgpu_cmd cmds[VGPU_SUBMIT_MAX];
	uint32_t busy;
	int fd = must_open_busy(&busy), ret = 0;
	uint32_t sent = 0;

	for (uint32_t i = 0; i < VGPU_SUBMIT_MAX; i++)
		cmds[i] = cmd_nop();
	while (!ret && sent <= 4 * VGPU_INFLIGHT_MAX) {
		ret = submit(fd, busy, cmds, VGPU_SUBMIT_MAX, NULL);
		sent += ret ? 0 : VGPU_SUBMIT_MAX;
	}
	CHECK_EQ(ret, -EAGAIN);
	CHECK(sent <= VGPU_INFLIGHT_MAX && sent + VGPU_SUBMIT_MAX + 1 > VGPU_INFLIGHT_MAX);
}

/*
 * The process takes its memory away while copies are on their way: they end, nobody else notices.
 */
static void memory_goes_away(void)
{
	uint32_t words = PAGE, i;
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	CHECK_EQ(mem_map(fd, BASE, 64 * PAGE), 0);
	for (i = 0; i < 50; i++) {
		uint8_t *memory = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct vgpu_cmd cmds[4];
		uint64_t seq;

		CHECK(memory != MAP_FAILED);
		memset(memory, (int)i, 16 * PAGE);
		cmds[0] = cmd_h2d(BASE, memory, 16 * PAGE);
		cmds[1] = cmd_d2h(memory, BASE + 16 * PAGE, 16 * PAGE);
		cmds[2] = cmd_stamp(memory + 64);
		cmds[3] = cmd_h2d(BASE + 32 * PAGE, memory + 7, words);
		seq = must_submit(fd, queue, cmds, 4);
		CHECK(!munmap(memory, 16 * PAGE));
		CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), 0);
		/* what was read is what was there at submission */
		memory = malloc(16 * PAGE);
		must_d2h(fd, queue, memory, BASE, 16 * PAGE);
		for (uint32_t b = 0; b < 16 * PAGE; b++)
			CHECK_EQ(memory[b], i);
		free(memory);
	}
	CHECK_EQ(count_of("pins"), 0);
}

static void into_files(void)
{
	char name[] = "/tmp/vgpu-copy-XXXXXX";
	int file = mkstemp(name), fd = must_open();
	uint32_t queue = must_queue(fd);
	uint8_t pattern[2 * PAGE], back[2 * PAGE];
	uint8_t *map;

	CHECK(file >= 0 && !unlink(name) && !ftruncate(file, 4 * PAGE));
	map = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	CHECK(map != MAP_FAILED);
	CHECK_EQ(mem_map(fd, BASE, 4 * PAGE), 0);
	fill_random(pattern, sizeof(pattern), 9);
	must_h2d(fd, queue, BASE, pattern, sizeof(pattern));
	must_d2h(fd, queue, map + 100, BASE, sizeof(pattern));
	CHECK(!msync(map, 4 * PAGE, MS_SYNC));
	CHECK(pread(file, back, sizeof(back), 100) == sizeof(back));
	CHECK(!memcmp(pattern, back, sizeof(back)));
	/* beyond the end of the file there is no page to have */
	CHECK(!ftruncate(file, PAGE));
	struct vgpu_cmd cmd = cmd_d2h(map + 2 * PAGE, BASE, 16);

	CHECK_EQ(submit(fd, queue, &cmd, 1, NULL), -EFAULT);
	cmd = cmd_h2d(BASE, map + 2 * PAGE, 16);
	CHECK_EQ(submit(fd, queue, &cmd, 1, NULL), -EFAULT);
}

/* A child born while a copy is pending takes nothing away: the result arrives at the parent. */
static void fork_meanwhile(void)
{
	uint32_t *memory =
		mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = must_open(), status;
	uint32_t queue = must_queue(fd), n = 64 * PAGE / 4;

	CHECK(memory != MAP_FAILED);
	CHECK_EQ(mem_map(fd, BASE, 64 * PAGE), 0);
	for (uint32_t round = 1; round <= 20; round++) {
		struct vgpu_cmd cmds[2] = { cmd_fill(BASE, round, 4, n),
					    cmd_d2h(memory, BASE, 64 * PAGE) };
		uint64_t seq;
		pid_t pid;

		memset(memory, 0xff, 64 * PAGE);
		seq = must_submit(fd, queue, cmds, 2);
		pid = fork();
		CHECK(pid >= 0);
		if (!pid) {
			memset(memory, 0, 64 * PAGE);
			_exit(0);
		}
		memory[0] |= 0;
		CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), 0);
		for (uint32_t i = 0; i < n; i++)
			CHECK_EQ(memory[i], round);
		CHECK(waitpid(pid, &status, 0) == pid && !status);
	}
}

static const struct test tests[] = {
	{ "copies: exact bytes at odd sizes and offsets", exact_bytes },
	{ "copies: device to device", device_to_device },
	{ "copies: fill in every width", fill_widths },
	{ "copies: stamps", stamps },
	{ "copies: process memory that is not there", not_there },
	{ "copies: sizes that are refused", sizes_refused },
	{ "copies: bound on memory in flight", bound_in_flight },
	{ "copies: bound on commands in flight", commands_in_flight },
	{ "copies: memory that goes away meanwhile", memory_goes_away },
	{ "copies: to and from a mapped file", into_files },
	{ "copies: fork while a copy is pending", fork_meanwhile },
};

TESTS_MAIN(tests)
