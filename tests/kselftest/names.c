// SPDX-License-Identifier: MIT
/*
 * Device memory by name: mapped memory gets a handle, the handle a name, and another process opens
 * that; who does not have the name, or belongs to another user, gets nothing; and what is left when
 * one of them ends.
 */
#include "vgpu_views.h"
#include "vgpu_bystander.h"

#define OTHER	(BASE + (1ull << 40))

/* What both sides of a test say to each other. */
static int down[2], up[2];

static void pipes(void)
{
	CHECK(!pipe(down) && !pipe(up));
}

static void say(int end, const void *what, size_t bytes)
{
	CHECK_EQ(write(end, what, bytes), (ssize_t)bytes);
}

static void hear(int end, void *what, size_t bytes)
{
	CHECK_EQ(read(end, what, bytes), (ssize_t)bytes);
}

/* Memory of MEM_MAP with @words' handle and name. */
static uint32_t mapped_and_named(int fd, uint64_t bytes, struct name *name)
{
	uint32_t handle;

	CHECK_EQ(mem_map(fd, BASE, bytes), 0);
	CHECK_EQ(mem_retain(fd, BASE, bytes, &handle), 0);
	CHECK_EQ(mem_name(fd, handle, name), 0);
	return handle;
}

static uint32_t word_at(int fd, uint32_t queue, uint64_t address)
{
	uint32_t word = 0;

	must_d2h(fd, queue, &word, address, 4);
	return word;
}

/* ---- one process --------------------------------------------------------- */

static void refused(void)
{
	struct vgpu_mem_retain retain = { .address = BASE, .bytes = PAGE, .flags = 1 };
	struct vgpu_mem_name flagged = { .handle = 1, .flags = 1 };
	struct vgpu_mem_open open = { .flags = 1 };
	int fd = must_open();
	uint32_t handle, other;
	struct name name, again;
	uint64_t free = must_device_info(fd).vram_free;

	CHECK_EQ(call(fd, VGPU_IOC_MEM_RETAIN, &retain), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_NAME, &flagged), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_OPEN, &open), -EINVAL);
	CHECK_EQ(mem_retain(fd, BASE, PAGE, &handle), -ENOENT);
	CHECK_EQ(mem_map(fd, BASE, 4 * PAGE), 0);
	CHECK_EQ(mem_retain(fd, BASE, PAGE, &handle), -ENOENT);
	CHECK_EQ(mem_retain(fd, BASE + PAGE, 3 * PAGE, &handle), -ENOENT);
	CHECK_EQ(mem_retain(fd, BASE, 5 * PAGE, &handle), -ENOENT);
	CHECK_EQ(mem_map_managed(fd, OTHER, PAGE), 0);
	CHECK_EQ(mem_retain(fd, OTHER, PAGE, &handle), -ENOENT);
	CHECK_EQ(mem_retain(fd, BASE, 4 * PAGE, &handle), 0);
	CHECK_EQ(must_device_info(fd).vram_free, free - 4 * PAGE);
	CHECK_EQ(mem_name(fd, 0, &name), -ENOENT);
	CHECK_EQ(mem_name(fd, handle + 1, &name), -ENOENT);
	CHECK_EQ(mem_name(fd, ~0u, &name), -ENOENT);
	CHECK_EQ(mem_name(fd, handle, &name), 0);
	CHECK_EQ(mem_name(fd, handle, &again), 0);
	CHECK(!memcmp(&name, &again, sizeof(name)));
	/* one bit that is wrong is enough */
	for (int bit = 0; bit < 128; bit++) {
		again = name;
		again.word[bit / 64] ^= 1ull << bit % 64;
		CHECK_EQ(mem_open(fd, &again, &other), -ENOENT);
	}
	again = (struct name){ { 0, 0 } };
	CHECK_EQ(mem_open(fd, &again, &other), -ENOENT);
	CHECK_EQ(mem_open(fd, &name, &other), 0);
	CHECK_EQ(mem_release(fd, other), 0);
	CHECK_EQ(mem_unmap(fd, BASE, 4 * PAGE), 0);
	CHECK_EQ(mem_release(fd, handle), 0);
	CHECK_EQ(mem_open(fd, &name, &other), -ENOENT);
	CHECK_EQ(must_device_info(fd).vram_free, free);
	/* the same number, another name */
	CHECK_EQ(must_create(fd, PAGE), handle);
	CHECK_EQ(mem_name(fd, handle, &again), 0);
	CHECK(memcmp(&name, &again, sizeof(name)));
}

/* 3000 pages are three parts of the actor's work; their bytes are where they were. */
static void large(void)
{
	int a = must_open(), b = must_open();
	uint32_t queue_a = must_queue(a), queue_b = must_queue(b), of_b;
	uint64_t free = must_device_info(a).vram_free;
	long long frames = count_of("host_frames");
	struct name name;

	CHECK_EQ(mem_map(a, BASE, 3000 * PAGE), 0);
	for (uint32_t n = 0; n < 3000; n += 7)
		must_h2d(a, queue_a, BASE + n * PAGE, &n, 4);
	CHECK_EQ(mem_retain(a, BASE, 3000 * PAGE, &of_b), 0);
	CHECK_EQ(mem_name(a, of_b, &name), 0);
	CHECK_EQ(mem_open(b, &name, &of_b), 0);
	CHECK_EQ(mem_view(b, OTHER, 3000 * PAGE, of_b, 0, VGPU_RIGHTS_WRITE), 0);
	for (uint32_t n = 0; n < 3000; n += 7)
		CHECK_EQ(word_at(b, queue_b, OTHER + n * PAGE), n);
	must_h2d(b, queue_b, OTHER + PAGE, &of_b, 4);
	CHECK_EQ(word_at(a, queue_a, BASE + PAGE), of_b);
	CHECK_EQ(must_device_info(b).vram_free, free - 3000 * PAGE);
	close(a);
	CHECK_EQ(word_at(b, queue_b, OTHER + 7 * PAGE), 7);
	close(b);
	a = must_open();
	CHECK_EQ(must_device_info(a).vram_free, free);
	CHECK_EQ(count_of("host_frames"), frames);
}

static void limit(void)
{
	int fd = must_open();
	struct name name;
	uint32_t last = 0, handle;

	for (uint32_t n = 0; n < VGPU_NAMES_MAX; n++) {
		last = must_create(fd, PAGE);
		CHECK_EQ(mem_name(fd, last, &name), 0);
	}
	handle = must_create(fd, PAGE);
	CHECK_EQ(mem_name(fd, handle, &name), -ENOSPC);
	/* those that there are have theirs */
	CHECK_EQ(mem_name(fd, last, &name), 0);
	CHECK_EQ(mem_release(fd, last), 0);
	CHECK_EQ(mem_name(fd, handle, &name), 0);
}

/* ---- two processes ------------------------------------------------------- */

static void opener(void)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd), handle, word;
	struct name name;

	hear(down[0], &name, sizeof(name));
	CHECK_EQ(mem_open(fd, &name, &handle), 0);
	CHECK_EQ(mem_view(fd, OTHER, 2 * PAGE, handle, 0, VGPU_RIGHTS_WRITE), 0);
	CHECK_EQ(mem_release(fd, handle), 0);
	word = word_at(fd, queue, OTHER) + 1;
	must_h2d(fd, queue, OTHER + PAGE, &word, 4);
	say(up[1], &word, 4);
	/* its maker frees it */
	hear(down[0], &word, 4);
	CHECK_EQ(mem_open(fd, &name, &handle), -ENOENT);
	CHECK_EQ(word_at(fd, queue, OTHER + PAGE), 42);
	say(up[1], &word, 4);
	/* and this one is killed, with it mapped */
	for (;;)
		pause();
}

static void handed_on(void)
{
	int fd, status;
	uint32_t queue, handle, word = 41;
	struct name name;
	uint64_t free;
	pid_t child;

	pipes();
	child = fork();
	CHECK(child >= 0);
	if (!child)
		opener();
	fd = must_open();
	queue = must_queue(fd);
	handle = mapped_and_named(fd, 2 * PAGE, &name);
	must_h2d(fd, queue, BASE, &word, 4);
	say(down[1], &name, sizeof(name));
	hear(up[0], &word, 4);
	CHECK_EQ(word, 42);
	CHECK_EQ(word_at(fd, queue, BASE + PAGE), 42);
	CHECK_EQ(mem_release(fd, handle), 0);
	CHECK_EQ(mem_unmap(fd, BASE, 2 * PAGE), 0);
	/* it counts for who made it, whoever has it */
	free = must_device_info(fd).vram_free;
	say(down[1], &word, 4);
	hear(up[0], &word, 4);
	kill(child, SIGKILL);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(must_device_info(fd).vram_free, free + 2 * PAGE);
}

/* The maker is killed in the middle of everything: the name ends, what was opened does not. */
static void maker_killed(void)
{
	int fd = must_open(), status;
	uint32_t queue = must_queue(fd), handle, other, word = 9;
	uint64_t free = must_device_info(fd).vram_free;
	struct name name;
	pid_t child;

	pipes();
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		int own = must_open();

		mapped_and_named(own, PAGE, &name);
		must_h2d(own, must_queue(own), BASE, &word, 4);
		say(up[1], &name, sizeof(name));
		for (;;)
			mem_name(own, must_create(own, PAGE), &name);
	}
	hear(up[0], &name, sizeof(name));
	CHECK_EQ(mem_open(fd, &name, &handle), 0);
	CHECK_EQ(mem_view(fd, OTHER, PAGE, handle, 0, VGPU_RIGHTS_READ), 0);
	kill(child, SIGKILL);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(mem_open(fd, &name, &other), -ENOENT);
	CHECK_EQ(word_at(fd, queue, OTHER), 9);
	CHECK_EQ(must_device_info(fd).vram_free, free - PAGE);
	CHECK_EQ(mem_unmap(fd, OTHER, PAGE), 0);
	CHECK_EQ(mem_release(fd, handle), 0);
	CHECK_EQ(must_device_info(fd).vram_free, free);
}

static struct name told;

static void finds_nothing(void)
{
	int fd = must_open();
	uint32_t handle;

	CHECK_EQ(mem_open(fd, &told, &handle), -ENOENT);
}

static void finds_it(void)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd), handle;

	CHECK_EQ(mem_open(fd, &told, &handle), 0);
	CHECK_EQ(mem_view(fd, OTHER, PAGE, handle, 0, VGPU_RIGHTS_READ), 0);
	CHECK_EQ(word_at(fd, queue, OTHER), 5);
}

/* What a user tells another one of it is worth nothing; the administrator may. */
static void other_user(void)
{
	uint32_t word = 5;
	int fd, status;
	pid_t child;

	pipes();
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		CHECK(!setgid(1000) && !setuid(1000));
		fd = must_open();
		mapped_and_named(fd, PAGE, &told);
		must_h2d(fd, must_queue(fd), BASE, &word, 4);
		say(up[1], &told, sizeof(told));
		hear(down[0], &word, 4);
		_exit(0);
	}
	hear(up[0], &told, sizeof(told));
	as_user(65534, finds_nothing);
	as_user(1000, finds_it);
	finds_it();
	say(down[1], &word, 4);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
	finds_nothing();
}

static const struct test tests[] = {
	{ "names: what is refused", refused },
	{ "names: mapped memory of many pages", large },
	{ "names: a context has so many", limit },
	{ "names: handed on, freed by its maker, and its opener is killed", handed_on },
	{ "names: its maker is killed", maker_killed },
	{ "names: another user finds nothing", other_user },
};

TESTS_MAIN(tests)
