// SPDX-License-Identifier: MIT
/*
 * What the kernel does by itself to pages of a process that GPU kernels use meanwhile: it merges
 * equal ones, swaps them, collapses them into huge ones, and has none left for a control group.
 * Values stay right, and a bystander does not notice.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "vgpu_bystander.h"
#include "vgpu_group.h"
#include "vgpu_process.h"

#define PAGES		128u
#define BYTES		(PAGES * PAGE)
#define PAGE_WORDS	(PAGE / 4)
#define HUGE_BYTES	(2ul << 20)
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

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

/* ---- equal pages -------------------------------------------------------- */

static bool all_merged(void)
{
	return number_in(KSM "pages_shared", NULL) + number_in(KSM "pages_sharing", NULL) >= PAGES;
}

/*
 * Pages of one content may stay two merged ones for ever, so both kinds count. A page that has been
 * written counts until a scan comes to it: one that began after this has ended.
 */
static void must_be_merged(void)
{
	double limit = deadline(60);
	long long scans = number_in(KSM "full_scans", NULL) + 2;

	while (number_in(KSM "full_scans", NULL) < scans || !all_merged()) {
		CHECK(seconds_now() < limit);
		usleep(1000);
	}
}

/* Pages of one content are merged under a kernel that reads one; kernels write all of them. */
static void merge(volatile uint32_t *going)
{
	struct user u = process_begin();
	volatile uint32_t *words = anonymous(BYTES);
	uint64_t spin;

	CHECK(!madvise((void *)words, BYTES, MADV_MERGEABLE));
	for (uint32_t n = 0; n < BYTES / 4; n++)
		words[n] = n % PAGE_WORDS;
	for (uint32_t round = 1;; round++) {
		spin = start_spin(&u, words);
		must_be_merged();
		add_to_pages(&u, words, 9);
		/* none wrote into what it shared: each has it once */
		for (uint32_t n = 0; n < PAGES; n++) {
			CHECK_EQ(words[n * PAGE_WORDS + 9], 9 + round);
			CHECK_EQ(words[n * PAGE_WORDS + 8], 8);
			CHECK_EQ(words[n * PAGE_WORDS], 0);
		}
		/* a page that another one was equal to */
		must_be_merged();
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
	struct ksm ksm = ksm_on();

	must_not_notice("pages that are merged", merge);
	ksm_off(&ksm);
}

/* ---- swap --------------------------------------------------------------- */

/* Pages are swapped out under a kernel that reads one, and in for kernels that write them. */
static void swap_out(volatile uint32_t *going)
{
	struct user u = process_begin();
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
	swap_off();
}

/* ---- huge pages --------------------------------------------------------- */

/* Small pages become a huge one under a kernel that reads them, and small ones again. */
static void collapse(volatile uint32_t *going)
{
	struct user u = process_begin();
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
	struct user u = process_begin();
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
