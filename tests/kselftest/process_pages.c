// SPDX-License-Identifier: MIT
/*
 * What the kernel does by itself to pages of a process that GPU kernels use meanwhile: it merges
 * equal ones, swaps them, collapses them into huge ones, and has none left for a control group.
 * Values stay right, and a bystander does not notice.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "vgpu_bystander.h"
#include "vgpu_group.h"
#include "vgpu_words.h"

#define PAGES		128u
#define BYTES		(PAGES * PAGE)
#define PAGE_WORDS	(PAGE / 4)
#define HUGE_BYTES	(2ul << 20)
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

static struct user begin(void)
{
	struct user u = user_begin();

	CHECK_EQ(process_memory(u.fd), 0);
	return u;
}

static uint64_t at(const volatile void *memory)
{
	return (uint64_t)(uintptr_t)memory;
}

static volatile uint32_t *anonymous(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

/* A kernel that runs until words[0] is not 0. */
static uint64_t start_spin(const struct user *u, const volatile uint32_t *words)
{
	uint64_t address = at(words);
	struct vgpu_cmd cmd = cmd_launch(u->module, SPIN, 1, 1, &address, sizeof(address));
	uint32_t queue = must_queue(u->fd);
	uint64_t seq = must_submit(u->fd, queue, &cmd, 1);

	CHECK_EQ(wait_seq(u->fd, queue, seq, 5000000), -ETIMEDOUT);
	return (uint64_t)queue << 32 | seq;
}

static void end_spin(const struct user *u, volatile uint32_t *words, uint64_t spin)
{
	words[0] = 1;
	CHECK_EQ(wait_seq(u->fd, (uint32_t)(spin >> 32), (uint32_t)spin, limit_ns(30)), 0);
	words[0] = 0;
}

/* A kernel adds to word @word of each page. */
static void add_to_pages(const struct user *u, volatile uint32_t *words, uint32_t word)
{
	must_wait(u, start_add(u, at(words + word), PAGES, 1, PAGE));
}

static long long number_in(const char *path, const char *name)
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

/* ---- equal pages -------------------------------------------------------- */

#define KSM	"/sys/kernel/mm/ksm/"

static void must_share(long long pages)
{
	double limit = deadline(60);

	while (number_in(KSM "pages_sharing", NULL) < pages) {
		CHECK(seconds_now() < limit);
		usleep(1000);
	}
}

/* Pages of one content are merged under a kernel that reads one; kernels write all of them. */
static void merge(volatile uint32_t *going)
{
	struct user u = begin();
	volatile uint32_t *words = anonymous(BYTES);
	uint64_t spin;

	CHECK(!madvise((void *)words, BYTES, MADV_MERGEABLE));
	for (uint32_t n = 0; n < BYTES / 4; n++)
		words[n] = n % PAGE_WORDS;
	for (uint32_t round = 1;; round++) {
		spin = start_spin(&u, words);
		must_share(PAGES - 1);
		add_to_pages(&u, words, 9);
		/* none wrote into what it shared: each has it once */
		for (uint32_t n = 0; n < PAGES; n++) {
			CHECK_EQ(words[n * PAGE_WORDS + 9], 9 + round);
			CHECK_EQ(words[n * PAGE_WORDS + 8], 8);
			CHECK_EQ(words[n * PAGE_WORDS], 0);
		}
		/* a page that another one was equal to */
		must_share(PAGES - 1);
		words[PAGE_WORDS + 9] += 5;
		must_wait(&u, start_add(&u, at(words + PAGE_WORDS + 16), 128, 1, 4));
		CHECK_EQ(words[PAGE_WORDS + 16], 17);
		CHECK_EQ(words[16], 16);
		for (uint32_t n = 0; n < 128; n++)
			words[PAGE_WORDS + 16 + n]--;
		words[PAGE_WORDS + 9] -= 5;
		end_spin(&u, words, spin);
		++*going;
	}
}

static void merged(void)
{
	static const char *const files[] = { KSM "run", KSM "pages_to_scan",
					     KSM "sleep_millisecs" };
	static const char *const values[] = { "1", "10000", "1" };
	char before[3][32];

	for (int n = 0; n < 3; n++) {
		if (access(files[n], W_OK))
			SKIP("this kernel merges no pages");
		snprintf(before[n], sizeof(before[n]), "%lld", number_in(files[n], NULL));
	}
	for (int n = 0; n < 3; n++)
		put(files[n], values[n]);
	must_not_notice("pages that are merged", merge);
	put(files[0], "2");
	for (int n = 2; n >= 0; n--)
		put(files[n], before[n]);
}

/* ---- swap --------------------------------------------------------------- */

#define SWAP	"/dev/nullb0"

/* A disk in memory, with the header of a swap device. */
static void swap_on(void)
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

/* Pages are swapped out under a kernel that reads one, and in for kernels that write them. */
static void swap_out(volatile uint32_t *going)
{
	struct user u = begin();
	volatile uint32_t *words = anonymous(BYTES);
	uint64_t spin;

	for (uint32_t n = 0; n < BYTES / 4; n++)
		words[n] = n % PAGE_WORDS ? n : 0;
	for (uint32_t round = 1;; round++) {
		spin = start_spin(&u, words);
		CHECK(!madvise((void *)words, BYTES, MADV_PAGEOUT));
		add_to_pages(&u, words, 9);
		CHECK(!madvise((void *)words, BYTES, MADV_PAGEOUT));
		for (uint32_t n = 0; n < PAGES; n++) {
			CHECK_EQ(words[n * PAGE_WORDS + 9], n * PAGE_WORDS + 9 + round);
			CHECK_EQ(words[n * PAGE_WORDS + 8], n * PAGE_WORDS + 8);
		}
		end_spin(&u, words, spin);
		++*going;
	}
}

static void swapped(void)
{
	long long out, in;

	swap_on();
	out = number_in("/proc/vmstat", "pswpout ");
	in = number_in("/proc/vmstat", "pswpin ");
	must_not_notice("pages that are swapped", swap_out);
	CHECK(number_in("/proc/vmstat", "pswpout ") >= out + PAGES);
	CHECK(number_in("/proc/vmstat", "pswpin ") >= in + PAGES);
	CHECK(!swapoff(SWAP));
	CHECK(!system("rmmod null_blk"));
}

/* ---- huge pages --------------------------------------------------------- */

/* Small pages become a huge one under a kernel that reads them, and small ones again. */
static void collapse(volatile uint32_t *going)
{
	struct user u = begin();
	volatile uint32_t *all = anonymous(2 * HUGE_BYTES), *words;
	uint64_t spin;

	words = (void *)((at(all) + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
	for (uint32_t round = 1;; round++) {
		uint32_t values = (uint32_t)(HUGE_BYTES / 4);

		CHECK(!madvise((void *)words, HUGE_BYTES, MADV_NOHUGEPAGE));
		for (uint32_t n = 0; n < values; n++)
			words[n] = n % PAGE_WORDS ? n : 0;
		spin = start_spin(&u, words);
		CHECK(!madvise((void *)words, HUGE_BYTES, MADV_HUGEPAGE));
		/* it may lack a huge page at times */
		madvise((void *)words, HUGE_BYTES, MADV_COLLAPSE);
		add_to_pages(&u, words, 9);
		for (uint32_t n = 1; n < values; n++)
			CHECK_EQ(words[n], (n % PAGE_WORDS ? n : 0) +
						   (n % PAGE_WORDS == 9 && n / PAGE_WORDS < PAGES));
		end_spin(&u, words, spin);
		CHECK(!madvise((char *)words + HUGE_BYTES / 2, PAGE, MADV_DONTNEED));
		add_to_pages(&u, words, 9);
		CHECK_EQ(words[9], 11);
		CHECK(!madvise((void *)words, HUGE_BYTES, MADV_DONTNEED));
		++*going;
	}
}

static void collapsed(void)
{
	volatile uint32_t *all = anonymous(2 * HUGE_BYTES), *words;
	long long before = number_in("/proc/vmstat", "thp_split_pmd ");
	bool can;

	words = (void *)((at(all) + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
	madvise((void *)words, HUGE_BYTES, MADV_NOHUGEPAGE);
	words[0] = 1;
	madvise((void *)words, HUGE_BYTES, MADV_HUGEPAGE);
	can = !madvise((void *)words, HUGE_BYTES, MADV_COLLAPSE);
	munmap((void *)all, 2 * HUGE_BYTES);
	if (!can)
		SKIP("this kernel collapses no pages when it is asked to");
	must_not_notice("pages that are collapsed", collapse);
	CHECK(number_in("/proc/vmstat", "thp_split_pmd ") > before);
}

/* ---- control groups ----------------------------------------------------- */

#define LIMIT	"12M"
#define LARGE	(48ul << 20)

/* A kernel writes more untouched memory than the group of this process may have. */
static int write_too_much(uint32_t *reason)
{
	struct user u = begin();
	volatile uint32_t *words = anonymous(LARGE);
	int ret = wait_seq(u.fd, u.queue,
			   start_add(&u, at(words), (uint32_t)(LARGE / PAGE), 1, PAGE),
			   limit_ns(60));

	*reason = must_context_info(u.fd).fault.reason;
	munmap((void *)words, LARGE);
	close(u.fd);
	return ret;
}

/* One process after the other is killed, as if it had written all that itself. */
static void exceed(volatile uint32_t *going)
{
	for (;;) {
		pid_t child = fork();
		uint32_t reason;
		int status;

		CHECK(child >= 0);
		if (!child) {
			group_enter();
			write_too_much(&reason);
			_exit(reason == VGPU_FAULT_NO_MEMORY ? 0 : 1);
		}
		CHECK_EQ(waitpid(child, &status, 0), child);
		CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) || status == 0);
		++*going;
	}
}

static void limited(void)
{
	group_make(LIMIT);
	must_not_notice("a control group that is full", exceed);
	group_remove();
}

/* Nobody may be killed for it: the context ends, and the process learns why. */
static void refused(void)
{
	pid_t child;

	group_make(LIMIT);
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		uint32_t reason;

		put("/proc/self/oom_score_adj", "-1000");
		group_enter();
		CHECK_EQ(write_too_much(&reason), -EIO);
		CHECK_EQ(reason, VGPU_FAULT_NO_MEMORY);
		/* there is memory again */
		group_leave();
		_exit(TEST_PASS);
	}
	must_succeed(child);
	group_remove();
}

static const struct test tests[] = {
	{ "process pages: equal ones are merged", merged },
	{ "process pages: swap", swapped },
	{ "process pages: huge pages", collapsed },
	{ "process pages: a control group is full", limited },
	{ "process pages: and nobody can be killed", refused },
};

TESTS_MAIN(tests)
