// SPDX-License-Identifier: MIT
/*
 * Advice for managed memory: what is mostly read is read by processes and kernels at once, and
 * written by either; what is used where it is raises no fault. With views that come and go, system
 * calls, many threads, and processes that are killed.
 */
#include <pthread.h>
#include <sys/uio.h>

#include "vgpu_asm.h"
#include "vgpu_clock.h"
#include "vgpu_words.h"

#define GRANULE		65536u
#define BYTES		(8u * GRANULE)
#define WORDS		(BYTES / 4)
#define OUT		(BASE + 64 * BYTES)

struct read_params {
	uint64_t words, out;
};

/* A user whose memory at BASE is managed, with a kernel that writes nothing there. */
struct reader {
	struct user u;
	uint32_t read;
	volatile uint32_t *words;
};

static struct reader reader_of(int fd)
{
	struct reader r = { .u = user_of(fd) };
	struct program p = {};

	kernel(&p, "read", sizeof(struct read_params));
	ldp8(&p, 0, offsetof(struct read_params, words));
	ldp8(&p, 2, offsetof(struct read_params, out));
	global_id(&p, 4, 8);
	insn(&p, VGPU_OP_MADWU, VGPU_F_IMM, 6, 4, 0, 0, 4);	/* Q6 = R4 * 4 + Q0 */
	ldg4(&p, 5, 6);
	insn(&p, VGPU_OP_MADWU, VGPU_F_IMM, 6, 4, 0, 2, 4);
	stg4(&p, 6, 5);
	finish(&p);
	r.read = must_load(fd, &p);
	CHECK_EQ(mem_map(fd, OUT, BYTES), 0);
	CHECK_EQ(mem_map_managed(fd, BASE, BYTES), 0);
	r.words = managed_view(fd, (void *)BASE, BASE, BYTES, PROT_READ | PROT_WRITE);
	CHECK(r.words != MAP_FAILED);
	return r;
}

static struct reader begin(void)
{
	struct reader r = reader_of(must_open());

	number(r.words, WORDS);
	return r;
}

static int advise(int fd, uint64_t address, uint64_t bytes, uint32_t advice)
{
	struct vgpu_mem_advise args = { .address = address, .bytes = bytes, .advice = advice };

	return call(fd, VGPU_IOC_MEM_ADVISE, &args);
}

static void must_advise(const struct reader *r, uint32_t advice)
{
	CHECK_EQ(advise(r->u.fd, BASE, BYTES, advice), 0);
}

static uint64_t start_read(const struct reader *r)
{
	struct read_params params = { BASE, OUT };
	struct vgpu_cmd cmd =
		cmd_launch(r->read, 0, WORDS / 128, 128, &params, sizeof(params));

	return must_submit(r->u.fd, r->u.queue, &cmd, 1);
}

/* A kernel reads all words, which are @add more than their numbers. */
static void must_read(const struct reader *r, uint32_t add)
{
	static uint32_t out[WORDS];

	must_wait(&r->u, start_read(r));
	must_d2h(r->u.fd, r->u.queue, out, OUT, BYTES);
	must_be(out, WORDS, add);
}

static struct vgpu_account account(const struct reader *r)
{
	return must_context_info(r->u.fd).account;
}

/* ---- mostly read ----------------------------------------------------------- */

static void both_read(void)
{
	struct reader r = begin();
	struct vgpu_account before = account(&r);

	must_advise(&r, VGPU_ADVICE_READ_MOSTLY);
	must_read(&r, 0);
	must_be(r.words, WORDS, 0);
	CHECK_EQ(account(&r).page_faults - before.page_faults, 8);
	CHECK_EQ(account(&r).page_bytes_in - before.page_bytes_in, BYTES);
	/* neither side has anything to wait for */
	for (uint32_t n = 0; n < 3; n++) {
		must_read(&r, 0);
		must_be(r.words, WORDS, 0);
	}
	CHECK_EQ(account(&r).page_faults - before.page_faults, 8);
	CHECK_EQ(account(&r).host_page_faults, before.host_page_faults);
	CHECK_EQ(account(&r).page_bytes_out, before.page_bytes_out);
}

static void both_write(void)
{
	struct reader r = begin();
	struct vgpu_account before;

	must_advise(&r, VGPU_ADVICE_READ_MOSTLY);
	for (uint32_t n = 0; n < 3; n++) {
		must_read(&r, 2 * n);
		must_be(r.words, WORDS, 2 * n);
		before = account(&r);
		for (uint32_t i = 0; i < WORDS; i++)
			r.words[i]++;
		/* a fault of each granule, and nothing crosses */
		CHECK_EQ(account(&r).host_page_faults - before.host_page_faults, 8);
		CHECK_EQ(account(&r).page_bytes_out, before.page_bytes_out);
		must_read(&r, 2 * n + 1);
		before = account(&r);
		must_add(&r.u, BASE, WORDS, 1);
		CHECK_EQ(account(&r).page_faults - before.page_faults, 8);
		CHECK_EQ(account(&r).page_bytes_in, before.page_bytes_in);
		must_be(r.words, WORDS, 2 * n + 2);
	}
	/* with the advice its effects end */
	must_read(&r, 6);
	must_advise(&r, VGPU_ADVICE_NOT_READ_MOSTLY);
	before = account(&r);
	for (uint32_t i = 0; i < WORDS; i++)
		r.words[i]++;
	CHECK_EQ(account(&r).host_page_faults, before.host_page_faults);
	must_read(&r, 7);
	must_be(r.words, WORDS, 7);
	CHECK_EQ(account(&r).host_page_faults - before.host_page_faults, 8);
}

/* By one instruction, where there is such */
static void add_one(volatile uint32_t *word)
{
#ifdef __x86_64__
	__asm__ volatile("addl $1, %0" : "+m"(*word));
#else
	*word += 1;
#endif
}

/* Instructions that read before they write, of pages that are mapped for reading. */
static void read_and_write(void)
{
	struct reader r = begin();

	must_advise(&r, VGPU_ADVICE_READ_MOSTLY);
	for (uint32_t n = 0; n < 3; n++) {
		must_read(&r, n);
		must_be(r.words, WORDS, n);
		for (uint32_t i = 0; i < WORDS; i++)
			add_one(&r.words[i]);
		must_be(r.words, WORDS, n + 1);
	}
}

/* System calls, and other views, read what both have and write it. */
static void other_ways(void)
{
	static uint32_t other[1024];
	struct reader r = begin();
	struct iovec local = { other, PAGE }, remote = { (void *)BASE, PAGE };
	volatile uint32_t *second;
	int ends[2];

	second = managed_view(r.u.fd, NULL, BASE, BYTES, PROT_READ);
	CHECK((void *)second != MAP_FAILED);
	must_advise(&r, VGPU_ADVICE_READ_MOSTLY);
	must_read(&r, 0);
	CHECK(!pipe(ends));
	CHECK_EQ(write(ends[1], (void *)BASE, PAGE), PAGE);
	CHECK_EQ(read(ends[0], other, PAGE), PAGE);
	must_be(other, 1024, 0);
	other[1] = 100;
	CHECK_EQ(write(ends[1], other, PAGE), PAGE);
	CHECK_EQ(read(ends[0], (void *)BASE, PAGE), PAGE);
	CHECK_EQ(second[1], 100);
	other[1] = 1;
	must_wait(&r.u, start_read(&r));
	CHECK_EQ(process_vm_writev(getpid(), &local, 1, &remote, 1, 0), PAGE);
	must_read(&r, 0);
	CHECK_EQ(process_vm_readv(getpid(), &local, 1, &remote, 1, 0), PAGE);
	must_be(other, 1024, 0);
	CHECK(!mprotect((void *)BASE, BYTES, PROT_READ));
	must_add(&r.u, BASE, WORDS, 1);
	must_be(r.words, WORDS, 1);
	CHECK(!mprotect((void *)BASE, BYTES, PROT_READ | PROT_WRITE));
	must_read(&r, 1);
	for (uint32_t i = 0; i < WORDS; i++)
		r.words[i]++;
	must_be(second, WORDS, 2);
	must_read(&r, 2);
	/* a copy from it and one to it, where it is on both sides */
	must_h2d(r.u.fd, r.u.queue, BASE, other, PAGE);
	CHECK_EQ(r.words[7], 7);
	r.words[7] = 9;
	must_d2h(r.u.fd, r.u.queue, other, BASE, PAGE);
	CHECK_EQ(other[7], 9);
	CHECK(!munmap((void *)BASE, BYTES));
	must_add(&r.u, BASE, WORDS, 1);
	CHECK_EQ(second[8], 9);
}

static void prefetched(void)
{
	struct reader r = begin();
	struct vgpu_cmd prefetch = { .op = VGPU_CMD_PREFETCH,
				     .prefetch = { BASE, BYTES, .to_device = 1 } };
	struct vgpu_account before;

	must_advise(&r, VGPU_ADVICE_READ_MOSTLY);
	must_run(r.u.fd, r.u.queue, &prefetch, 1);
	before = account(&r);
	must_read(&r, 0);
	must_be(r.words, WORDS, 0);
	must_add(&r.u, BASE, WORDS, 1);
	prefetch.prefetch.to_device = 0;
	must_run(r.u.fd, r.u.queue, &prefetch, 1);
	must_be(r.words, WORDS, 1);
	must_read(&r, 1);
	/* those of the kernel that wrote */
	CHECK_EQ(account(&r).page_faults - before.page_faults, 8);
	CHECK_EQ(account(&r).host_page_faults, before.host_page_faults);
}

/* ---- where it is ------------------------------------------------------------ */

static void in_place(void)
{
	static const uint32_t kinds[] = { VGPU_ADVICE_PREFER_HOST, VGPU_ADVICE_ACCESSED };

	for (uint32_t n = 0; n < ARRAY_SIZE(kinds); n++) {
		struct reader r = begin();
		struct vgpu_account before;

		must_advise(&r, kinds[n]);
		before = account(&r);
		for (uint32_t round = 1; round <= 3; round++) {
			must_add(&r.u, BASE, WORDS, 1);
			must_be(r.words, WORDS, round);
		}
		CHECK_EQ(account(&r).page_faults, before.page_faults);
		CHECK_EQ(account(&r).host_page_faults, before.host_page_faults);
		must_advise(&r, VGPU_ADVICE_NONE);
		must_add(&r.u, BASE, WORDS, 1);
		must_be(r.words, WORDS, 4);
		CHECK_EQ(account(&r).page_faults - before.page_faults, 8);
		CHECK_EQ(account(&r).host_page_faults - before.host_page_faults, 8);
		CHECK(!munmap((void *)BASE, BYTES));
		close(r.u.fd);
	}
}

/* On a page that both use at once, atomics of the host and waits of a kernel work. */
static void at_once(void)
{
	struct reader r = begin();
	uint64_t base = BASE, seq;
	struct vgpu_cmd cmd = cmd_launch(r.u.module, SPIN, 1, 32, &base, sizeof(base));

	for (uint32_t advice = 0; advice < VGPU_ADVICE_COUNT; advice++) {
		must_advise(&r, advice);
		r.words[0] = 0;
		seq = must_submit(r.u.fd, r.u.queue, &cmd, 1);
		usleep(2000);
		CHECK_EQ(completed(r.u.fd, r.u.queue), seq - 1);
		__atomic_store_n(&r.words[0], 1, __ATOMIC_RELAXED);
		must_wait(&r.u, seq);
	}
}

static void refused(void)
{
	struct vgpu_mem_advise args = { .address = BASE, .bytes = PAGE, .reserved = 1 };
	struct reader r = begin();
	int fd = r.u.fd;

	CHECK_EQ(call(fd, VGPU_IOC_MEM_ADVISE, &args), -EINVAL);
	CHECK_EQ(advise(fd, BASE, PAGE, VGPU_ADVICE_COUNT), -EINVAL);
	CHECK_EQ(advise(fd, BASE, PAGE, ~0u), -EINVAL);
	CHECK_EQ(advise(fd, BASE, 0, 1), -EINVAL);
	CHECK_EQ(advise(fd, BASE + 1, PAGE, 1), -EINVAL);
	CHECK_EQ(advise(fd, BASE, PAGE + 1, 1), -EINVAL);
	CHECK_EQ(advise(fd, BASE, BYTES + PAGE, 1), -EINVAL);
	CHECK_EQ(advise(fd, BASE - PAGE, 2 * PAGE, 1), -EINVAL);
	CHECK_EQ(advise(fd, BASE + PAGE, ~0ull << 12, 1), -EINVAL);
	CHECK_EQ(advise(fd, OUT, PAGE, 1), -EINVAL);
	CHECK_EQ(advise(fd, ~0ull << 12, PAGE, 1), -EINVAL);
	CHECK_EQ(mem_unmap(fd, BASE, BYTES), 0);
	CHECK_EQ(advise(fd, BASE, PAGE, 1), -EINVAL);
}

#define ADVISERS	6u

/** struct ranges - advised by several threads: the actor answers several calls of a turn */
struct ranges {
	int fd;
	uint64_t at;
	uint32_t next;		/* to be advised */
	uint32_t advised;
};

/* Every other page is a range of its own, until there are too many. */
static void *advise_ranges(void *argument)
{
	struct ranges *ranges = argument;
	uint32_t n;
	int ret;

	for (;;) {
		n = __atomic_fetch_add(&ranges->next, 1, __ATOMIC_RELAXED);
		CHECK(n < 35000);
		ret = advise(ranges->fd, ranges->at + 2ull * n * PAGE, PAGE, VGPU_ADVICE_ACCESSED);
		if (ret)
			break;
		__atomic_fetch_add(&ranges->advised, 1, __ATOMIC_RELAXED);
	}
	CHECK_EQ(ret, -ENOMEM);
	return NULL;
}

/* More ranges than a context may have: its own call fails. */
static void too_many(void)
{
	struct reader r = begin();
	struct ranges ranges = { .fd = r.u.fd, .at = BASE + (1ull << 32) };
	uint64_t bytes = 70100ull * PAGE;
	pthread_t thread[ADVISERS];

	CHECK_EQ(mem_map_managed(r.u.fd, ranges.at, bytes), 0);
	for (uint32_t n = 0; n < ADVISERS; n++)
		CHECK(!pthread_create(&thread[n], NULL, advise_ranges, &ranges));
	for (uint32_t n = 0; n < ADVISERS; n++)
		CHECK(!pthread_join(thread[n], NULL));
	CHECK(ranges.advised > 32000);
	must_add(&r.u, BASE, WORDS, 1);
	must_be(r.words, WORDS, 1);
	/* all of them at once, in parts */
	CHECK_EQ(mem_unmap(r.u.fd, ranges.at, bytes), 0);
	must_advise(&r, VGPU_ADVICE_READ_MOSTLY);
	must_read(&r, 1);
}

/* ---- at the same time -------------------------------------------------------- */

#define THREADS	24u

static void *count_pages(void *argument)
{
	volatile uint32_t *words = argument;

	for (uint32_t n = 0; n < BYTES / PAGE; n++) {
		uint32_t before = words[n * 1024 + 1];

		CHECK(__atomic_fetch_add(&words[n * 1024 + 1], 1, __ATOMIC_RELAXED) >= before);
		CHECK(words[n * 1024 + 1] > before);
	}
	return NULL;
}

static volatile bool stop;

static void *advise_for_ever(void *argument)
{
	uint64_t random = 1;

	while (!stop) {
		uint64_t first = rnd(&random) % (BYTES / PAGE);
		uint64_t pages = 1 + rnd(&random) % (BYTES / PAGE - first);

		CHECK_EQ(advise((int)(uintptr_t)argument, BASE + first * PAGE, pages * PAGE,
				(uint32_t)(rnd(&random) % VGPU_ADVICE_COUNT)),
			 0);
	}
	return NULL;
}

/* Threads and kernels read and write all pages, while advice for them comes and goes. */
static void threads(void)
{
	struct reader r = begin();
	pthread_t thread[THREADS], adviser;
	uint64_t seq = 0;

	for (uint32_t n = 0; n < WORDS; n++)
		r.words[n] = 0;
	stop = false;
	CHECK(!pthread_create(&adviser, NULL, advise_for_ever, (void *)(uintptr_t)r.u.fd));
	for (uint32_t n = 0; n < THREADS; n++) {
		CHECK(!pthread_create(&thread[n], NULL, count_pages, (void *)BASE));
		if (n % 4 == 0)
			seq = start_add(&r.u, BASE, 128, 1, PAGE);
		else
			seq = start_read(&r);
	}
	for (uint32_t n = 0; n < THREADS; n++)
		CHECK(!pthread_join(thread[n], NULL));
	must_wait(&r.u, seq);
	stop = true;
	CHECK(!pthread_join(adviser, NULL));
	for (uint32_t n = 0; n < BYTES / PAGE; n++) {
		CHECK_EQ(r.words[n * 1024], THREADS / 4);
		CHECK_EQ(r.words[n * 1024 + 1], THREADS);
	}
}

/* The range and its views go meanwhile. */
static void *touch_for_ever(void *argument)
{
	uint64_t random = (uintptr_t)argument;

	while (!stop) {
		uint32_t value = 0;
		struct iovec local = { &value, 4 };
		struct iovec remote = { (void *)(BASE + rnd(&random) % BYTES / 4 * 4), 4 };

		(void)process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	}
	return NULL;
}

static void races(void)
{
	struct reader r = begin();
	pthread_t thread[2];

	stop = false;
	for (uintptr_t n = 0; n < ARRAY_SIZE(thread); n++)
		CHECK(!pthread_create(&thread[n], NULL, touch_for_ever, (void *)n));
	for (uint32_t n = 0; n < 30; n++) {
		CHECK_EQ(mem_unmap(r.u.fd, BASE, BYTES), 0);
		CHECK_EQ(mem_map_managed(r.u.fd, BASE, BYTES), 0);
		must_advise(&r, n % VGPU_ADVICE_COUNT);
		CHECK_EQ(r.words[n], 0);
		r.words[n] = 5;
		must_wait(&r.u, start_read(&r));
		must_add(&r.u, BASE, WORDS, n);
		CHECK_EQ(r.words[n], 5 + n);
		if (n % 3 == 0) {
			CHECK(!munmap((void *)BASE, BYTES));
			CHECK(managed_view(r.u.fd, (void *)BASE, BASE, BYTES,
					   PROT_READ | PROT_WRITE) == (void *)BASE);
		}
	}
	stop = true;
	for (uint32_t n = 0; n < ARRAY_SIZE(thread); n++)
		CHECK(!pthread_join(thread[n], NULL));
}

static void use_for_ever(void)
{
	struct reader r = begin();

	for (uint32_t n = 1;; n++) {
		must_advise(&r, n % VGPU_ADVICE_COUNT);
		must_add(&r.u, BASE, WORDS, 1);
		must_read(&r, n);
		must_be(r.words, WORDS, n);
	}
}

/* Killed in the middle of it, over and over; another process's values are right. */
static void killed(void)
{
	struct reader r = begin();

	must_advise(&r, VGPU_ADVICE_READ_MOSTLY);
	for (uint32_t round = 1; round <= 20; round++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid) {
			close(r.u.fd);
			use_for_ever();
		}
		must_add(&r.u, BASE, WORDS, 1);
		must_read(&r, round);
		must_be(r.words, WORDS, round);
		usleep(round % 7 * 3000);
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
	}
}

/* A child that has the file maps the same pages, and reads and writes them. */
static void forked(void)
{
	struct reader r = begin();
	pid_t pid;

	must_advise(&r, VGPU_ADVICE_READ_MOSTLY);
	must_read(&r, 0);
	pid = fork();
	if (!pid) {
		r.words = managed_view(r.u.fd, (void *)BASE, BASE, BYTES, PROT_READ | PROT_WRITE);
		CHECK((void *)r.words != MAP_FAILED);
		must_be(r.words, WORDS, 0);
		must_add(&r.u, BASE, WORDS, 1);
		must_be(r.words, WORDS, 1);
		must_read(&r, 1);
		r.words[0] = 1000;
		_exit(0);
	}
	must_end_well(pid);
	CHECK_EQ(r.words[0], 1000);
	r.words[0] = 1;
	must_read(&r, 1);
}

/* Under a lockstep clock the times are the same every time. */
static uint64_t lockstep_run(void)
{
	struct reader r = begin();
	uint64_t time;

	must_advise(&r, VGPU_ADVICE_READ_MOSTLY);
	time = must_device_info(r.u.fd).time;
	for (uint32_t round = 1; round <= 2; round++) {
		must_read(&r, round - 1);
		must_add(&r.u, BASE, WORDS, 1);
		must_be(r.words, WORDS, round);
	}
	time = must_device_info(r.u.fd).time - time;
	CHECK(!munmap((void *)BASE, BYTES));
	close(r.u.fd);
	return time;
}

static void lockstep(void)
{
	uint64_t time;

	clock_is("lockstep");
	time = lockstep_run();
	CHECK_EQ(lockstep_run(), time);
	clock_is("free");
}

static const struct test tests[] = {
	{ "managed advice: both sides read", both_read },
	{ "managed advice: both sides write", both_write },
	{ "managed advice: an instruction reads and writes", read_and_write },
	{ "managed advice: system calls, views, copies", other_ways },
	{ "managed advice: prefetches", prefetched },
	{ "managed advice: used where it is", in_place },
	{ "managed advice: a kernel waits for the host", at_once },
	{ "managed advice: what is refused", refused },
	{ "managed advice: too many ranges", too_many },
	{ "managed advice: many threads", threads },
	{ "managed advice: a range that comes and goes", races },
	{ "managed advice: killed", killed },
	{ "managed advice: fork", forked },
	{ "managed advice: lockstep clock", lockstep },
};

int main(int argc, char **argv)
{
	return clock_tests_main(argc, argv, tests, ARRAY_SIZE(tests));
}
