// SPDX-License-Identifier: MIT
/*
 * No byte of a former owner is ever seen. A process fills all memory of a small device, device
 * memory and managed memory, some of it evicted, with one word. It ends in several ways. Whoever
 * has that memory then looks for the word in every way there is to read: copies, kernels, the
 * processor, and what lies beside a word that was written. Kernels that clear every page on their
 * own have to be started with init_on_alloc=0 for this, as make test does.
 */
#include "vgpu_configfs.h"
#include "vgpu_words.h"

#define NAME		"owner"
#define SECRET		0x5ec4e7u
#define VRAM		"4194304"
#define DEVICE_BYTES	(2ull << 20)
#define MANAGED		(BASE + (1ull << 30))
#define MANAGED_BYTES	(4ull << 20)	/* of which the device has room for a half */
#define WORDS_OF(bytes)	((uint32_t)((bytes) / 4))

/** enum end - what becomes of the owner */
enum end { UNMAPS, CLOSES, EXITS, IS_KILLED, IS_KILLED_BUSY, FAULTS, ENDS };

static void must_make(void)
{
	CHECK_EQ(cfs_make(NAME), 0);
	CHECK_EQ(cfs_put(NAME, "vram_bytes", VRAM), 0);
	CHECK_EQ(cfs_put(NAME, "live", "1"), 0);
}

static volatile uint32_t *must_map_both(int fd)
{
	void *view;

	CHECK_EQ(mem_map(fd, BASE, DEVICE_BYTES), 0);
	CHECK_EQ(mem_map_managed(fd, MANAGED, MANAGED_BYTES), 0);
	view = managed_view(fd, (void *)MANAGED, MANAGED, MANAGED_BYTES, PROT_READ | PROT_WRITE);
	CHECK(view != MAP_FAILED);
	return view;
}

static void must_unmap_both(int fd)
{
	CHECK(!munmap((void *)MANAGED, MANAGED_BYTES));
	CHECK_EQ(mem_unmap(fd, MANAGED, MANAGED_BYTES), 0);
	CHECK_EQ(mem_unmap(fd, BASE, DEVICE_BYTES), 0);
}

static void own(int fd)
{
	struct user u = user_of(fd);
	volatile uint32_t *words = must_map_both(fd);

	must_add(&u, BASE, WORDS_OF(DEVICE_BYTES), SECRET);
	for (uint32_t n = 0; n < WORDS_OF(MANAGED_BYTES) / 2; n++)
		words[n] = SECRET;
	must_add(&u, MANAGED + MANAGED_BYTES / 2, WORDS_OF(MANAGED_BYTES) / 2, SECRET);
	/* the first half is on the device at the end, the second was evicted */
	must_add(&u, MANAGED, WORDS_OF(MANAGED_BYTES) / 2, 0);
	CHECK(must_context_info(fd).account.pages_evicted);
	CHECK_EQ(words[WORDS_OF(MANAGED_BYTES) - 1], SECRET);
}

static void own_and_end(int fd, enum end end)
{
	struct vgpu_cmd bad = cmd_fill(0x1000, 1, 4, 1);
	struct user u;

	own(fd);
	if (end == FAULTS) {
		u = user_of(fd);
		must_submit(fd, u.queue, &bad, 1);
		CHECK(wait_seq(fd, u.queue, 1, limit_ns(30)));
	} else if (end == IS_KILLED_BUSY) {
		u = user_of(fd);
		for (int n = 0; n < 50; n++)
			start_add(&u, MANAGED, WORDS_OF(MANAGED_BYTES), 0, 4);
	}
	if (end == IS_KILLED || end == IS_KILLED_BUSY)
		kill(getpid(), SIGKILL);
	_exit(0);
}

static void must_be_all(const volatile uint32_t *words, uint64_t bytes, uint32_t value)
{
	for (uint32_t n = 0; n < WORDS_OF(bytes); n++)
		CHECK_EQ(words[n], value);
}

/* Of pages of which the device has written the first word, the rest. */
static void must_be_clean_beside(const uint32_t *words, uint64_t bytes)
{
	for (uint32_t n = 0; n < WORDS_OF(bytes); n++)
		CHECK_EQ(words[n], n % 1024 ? 0 : 9);
}

static void look_for_it(int fd)
{
	struct user u = user_of(fd);
	volatile uint32_t *words = must_map_both(fd);
	uint32_t *copy = malloc(DEVICE_BYTES);

	CHECK(copy);
	/* copies, of memory that nobody has touched */
	must_d2h(fd, u.queue, copy, BASE, DEVICE_BYTES);
	must_be_all(copy, DEVICE_BYTES, 0);
	must_d2h(fd, u.queue, copy, MANAGED, DEVICE_BYTES / 4);
	must_be_all(copy, DEVICE_BYTES / 4, 0);
	/* what lies beside a word in a frame that is new */
	must_wait(&u, start_add(&u, BASE, (uint32_t)(DEVICE_BYTES / PAGE), 9, PAGE));
	must_d2h(fd, u.queue, copy, BASE, DEVICE_BYTES);
	must_be_clean_beside(copy, DEVICE_BYTES);
	must_wait(&u, start_add(&u, MANAGED, (uint32_t)(MANAGED_BYTES / 2 / PAGE), 9, PAGE));
	must_d2h(fd, u.queue, copy, MANAGED, MANAGED_BYTES / 2);
	must_be_clean_beside(copy, MANAGED_BYTES / 2);
	/* kernels read what they add to */
	must_add(&u, MANAGED + MANAGED_BYTES / 2, WORDS_OF(MANAGED_BYTES) / 4, 5);
	must_be_all(words + WORDS_OF(MANAGED_BYTES) / 2, MANAGED_BYTES / 4, 5);
	/* the processor */
	must_be_all(words + WORDS_OF(MANAGED_BYTES) * 3 / 4, MANAGED_BYTES / 4, 0);
	for (uint32_t n = 0; n < WORDS_OF(MANAGED_BYTES) / 2; n++)
		CHECK_EQ(words[n], n % 1024 ? 0 : 9);
	free(copy);
	must_unmap_both(fd);
}

static void by_its_end(void)
{
	must_make();
	for (enum end end = UNMAPS; end < ENDS; end++) {
		int fd = cfs_open(NAME);

		if (end == UNMAPS) {
			own(fd);
			must_unmap_both(fd);
			look_for_it(fd);
		} else if (end == CLOSES) {
			own(fd);
			CHECK(!munmap((void *)MANAGED, MANAGED_BYTES));
		} else {
			pid_t pid = fork();
			int status;

			CHECK(pid >= 0);
			if (!pid)
				own_and_end(cfs_open(NAME), end);
			CHECK_EQ(waitpid(pid, &status, 0), pid);
			if (end == IS_KILLED || end == IS_KILLED_BUSY)
				CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
			else
				CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
		}
		close(fd);
		fd = cfs_open(NAME);
		look_for_it(fd);
		close(fd);
	}
	CHECK_EQ(cfs_remove(NAME), 0);
}

/* While the owner is there: its pages are evicted by those of the other, and come again. */
static void beside_it(void)
{
	int fd;
	pid_t pid;

	must_make();
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		struct user u = user_of(cfs_open(NAME));
		volatile uint32_t *words;

		CHECK_EQ(mem_map_managed(u.fd, MANAGED, MANAGED_BYTES), 0);
		words = managed_view(u.fd, (void *)MANAGED, MANAGED, MANAGED_BYTES,
				     PROT_READ | PROT_WRITE);
		CHECK(words != MAP_FAILED);
		must_add(&u, MANAGED, WORDS_OF(MANAGED_BYTES), SECRET);
		for (;;) {
			must_add(&u, MANAGED, WORDS_OF(MANAGED_BYTES), 0);
			must_be_all(words, MANAGED_BYTES / 8, SECRET);
		}
	}
	for (int round = 0; round < 3; round++) {
		fd = cfs_open(NAME);
		look_for_it(fd);
		close(fd);
	}
	CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK_EQ(cfs_remove(NAME), 0);
}

static const struct test tests[] = {
	{ "former_owner: after its end", by_its_end },
	{ "former_owner: beside it", beside_it },
};

TESTS_MAIN(tests)
