// SPDX-License-Identifier: MIT
/*
 * Storms of page faults: with lazy allocation and a granule of one page, every lane of every warp
 * of an attacker faults, so that more faults are in flight than the fault buffer has room for;
 * memory is mapped anew after each launch, or unmapped in the middle of one, or its owner is
 * killed; or the pages of managed memory go to and fro between kernels and many threads of the
 * attacker, or those of its own memory go as often as kernels find them. A bystander's calls take
 * as long as before, and its results are right, although its own faults wait in the same buffer:
 * that costs virtual time.
 */
#include <pthread.h>

#include "vgpu_asm.h"
#include "vgpu_bystander.h"
#include "vgpu_files.h"

#define MB		(1ull << 20)
/* Blocks of 1024 threads, a page each. They leave most SMs to others. */
#define BLOCKS		8u
#define BYTES		(BLOCKS * 1024u * PAGE)
#define VICTIM_BLOCKS	16u		/* of 128 threads, a word each: two pages */
#define VICTIM_BASE	(BASE + (1ull << 32))

static void be_lazy(const char *handler)
{
	/* else a launch waits, in virtual time, for that of another context to end */
	file_write(SYSFS "/policy", "dss");
	file_write(SYSFS "/preemption", "switch");
	file_write(SYSFS "/allocation", "lazy");
	file_write(SYSFS "/fault_handler", handler);
	file_write(SYSFS "/fault_granule", "4096");
}

static void as_before(void)
{
	file_write(SYSFS "/policy", "fcfs");
	file_write(SYSFS "/preemption", "none");
	file_write(SYSFS "/allocation", "eager");
	file_write(SYSFS "/fault_handler", "cpu");
	file_write(SYSFS "/fault_granule", "65536");
}

/* ---- attackers ---------------------------------------------------------- */

struct attacker {
	int fd;
	uint32_t queue;
	struct vgpu_cmd storm;
	uint64_t base;			/* its parameter */
};

/* Thread n writes the first word of page n. */
static void attacker_open(struct attacker *a)
{
	struct program p = {};

	kernel(&p, "storm", 8);
	ldp8(&p, 0, 0);
	global_id(&p, 2, 8);
	insn(&p, VGPU_OP_MADWU, VGPU_F_IMM, 4, 2, 0, 0, PAGE);	/* Q4 = R2 * PAGE + Q0 */
	stg4(&p, 4, 2);
	finish(&p);
	a->base = BASE;
	a->fd = must_open();
	a->queue = must_queue(a->fd);
	a->storm = cmd_launch(must_load(a->fd, &p), 0, BLOCKS, 1024, &a->base, sizeof(a->base));
}

/* Every page faults in every launch, and many find the fault buffer full. */
static void storm(volatile uint32_t *going)
{
	struct attacker a;

	attacker_open(&a);
	for (;;) {
		CHECK_EQ(mem_map(a.fd, BASE, BYTES), 0);
		must_run(a.fd, a.queue, &a.storm, 1);
		CHECK_EQ(mem_unmap(a.fd, BASE, BYTES), 0);
		++*going;
		CHECK_EQ(must_context_info(a.fd).account.page_faults, *going * BYTES / PAGE);
		CHECK(must_context_info(a.fd).account.page_faults_delayed > *going * 1000);
	}
}

/* The memory goes while faults for it are in flight; its context ends. */
static void storm_unmapped(volatile uint32_t *going)
{
	for (;;) {
		struct attacker a;

		attacker_open(&a);
		CHECK_EQ(mem_map(a.fd, BASE, BYTES), 0);
		must_submit(a.fd, a.queue, &a.storm, 1);
		while (!must_context_info(a.fd).account.page_faults)
			usleep(100);
		CHECK_EQ(mem_unmap(a.fd, BASE, BYTES), 0);
		close(a.fd);
		++*going;
	}
}

static void storm_for_ever(pid_t parent)
{
	struct attacker a;

	CHECK(!prctl(PR_SET_PDEATHSIG, SIGKILL));
	/* killed before that */
	if (getppid() != parent)
		_exit(0);
	attacker_open(&a);
	for (;;) {
		CHECK_EQ(mem_map(a.fd, BASE, BYTES), 0);
		must_run(a.fd, a.queue, &a.storm, 1);
		CHECK_EQ(mem_unmap(a.fd, BASE, BYTES), 0);
	}
}

/* A process that is killed in the middle of its storm, and another one, and so on. */
static void storm_killed(volatile uint32_t *going)
{
	for (uint32_t n = 0;; n++) {
		pid_t parent = getpid(), pid = fork();

		CHECK(pid >= 0);
		if (!pid)
			storm_for_ever(parent);
		usleep(2000 + n % 8 * 5000);
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
		++*going;
	}
}

#define MANAGED_PAGES	512u

static void *touch_all(void *unused)
{
	volatile uint32_t *words = (void *)BASE;

	for (;;)
		for (uint32_t n = 0; n < MANAGED_PAGES; n++)
			__atomic_fetch_add(&words[n * 1024 + 1], 1, __ATOMIC_RELAXED);
	return unused;
}

/* Threads and kernels want the same pages of managed memory; views of it come and go. */
static void to_and_fro(volatile uint32_t *going)
{
	uint64_t bytes = (uint64_t)MANAGED_PAGES * PAGE;
	struct attacker a;
	pthread_t thread;

	attacker_open(&a);
	a.storm.launch.grid[0] = MANAGED_PAGES / 128;
	a.storm.launch.block[0] = 128;
	CHECK_EQ(mem_map_managed(a.fd, BASE, bytes), 0);
	CHECK(managed_view(a.fd, (void *)BASE, BASE, bytes, PROT_READ | PROT_WRITE) !=
	      MAP_FAILED);
	for (int n = 0; n < 8; n++)
		CHECK(!pthread_create(&thread, NULL, touch_all, NULL));
	for (;;) {
		void *view;

		must_run(a.fd, a.queue, &a.storm, 1);
		view = managed_view(a.fd, NULL, BASE, bytes, PROT_READ | PROT_WRITE);
		CHECK(view != MAP_FAILED);
		/* it sees what the kernel has written */
		CHECK_EQ(((volatile uint32_t *)view)[(*going % MANAGED_PAGES) * 1024],
			 *going % MANAGED_PAGES);
		CHECK(!munmap(view, bytes));
		++*going;
	}
}

/*
 * Kernels write memory of the attacker, which has it go under them. An access of 32 pages hardly
 * ever finds all of them at a time. Whoever has pages go without a pause may keep its own kernel
 * from getting on, so there is an end to it.
 */
static void found_and_gone(volatile uint32_t *going)
{
	uint64_t bytes = (uint64_t)MANAGED_PAGES * PAGE;
	struct attacker a;
	void *memory;

	attacker_open(&a);
	CHECK_EQ(process_memory(a.fd), 0);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED);
	a.base = (uintptr_t)memory;
	a.storm.launch.grid[0] = MANAGED_PAGES / 128;
	a.storm.launch.block[0] = 128;
	for (;;) {
		uint64_t seq = must_submit(a.fd, a.queue, &a.storm, 1);
		int ret = -ETIMEDOUT;

		for (uint32_t n = 0; ret && n < 500; n++) {
			ret = wait_seq(a.fd, a.queue, seq, *going % 8 * 50000);
			CHECK(!ret || ret == -ETIMEDOUT);
			CHECK(!madvise(memory, bytes, MADV_DONTNEED));
		}
		CHECK_EQ(wait_seq(a.fd, a.queue, seq, limit_ns(30)), 0);
		++*going;
	}
}

/* ---- the bystander ------------------------------------------------------ */

/* A launch on pages that are there, whose result is copied back and compared. */
static void compute(void)
{
	static uint32_t factor;
	static uint32_t queue, module, index;
	static int fd = -1;

	if (fd < 0) {
		struct program p = {};
		struct vgpu_cmd fill = cmd_fill(VICTIM_BASE, 0, 4, VICTIM_BLOCKS * 128);

		fd = must_open();
		queue = must_queue(fd);
		index = kernel_affine(&p);
		module = must_load(fd, &p);
		CHECK_EQ(mem_map(fd, VICTIM_BASE, VICTIM_BLOCKS * 128 * 4), 0);
		must_run(fd, queue, &fill, 1);
	}
	must_compute(fd, queue, module, index, VICTIM_BASE, VICTIM_BLOCKS, ++factor, 7);
}

/*
 * The same with faults of its own, which the handler serves behind those of the attacker: right, in
 * whatever time.
 */
static void compute_lazily(const volatile uint32_t *going)
{
	struct program p = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd), index = kernel_affine(&p), module = must_load(fd, &p);
	uint32_t before = *going, n = 0;

	do {
		CHECK_EQ(mem_map(fd, VICTIM_BASE, VICTIM_BLOCKS * 128 * 4), 0);
		must_compute(fd, queue, module, index, VICTIM_BASE, VICTIM_BLOCKS, ++n, 9);
		CHECK_EQ(mem_unmap(fd, VICTIM_BASE, VICTIM_BLOCKS * 128 * 4), 0);
	} while (n < 3 || *going == before);
	CHECK_EQ(must_context_info(fd).account.page_faults, n * VICTIM_BLOCKS * 128 * 4 / PAGE);
	close(fd);
}

static uint64_t device_number(const char *file)
{
	char path[160], text[64];

	snprintf(path, sizeof(path), SYSFS "/%s", file);
	CHECK(file_read(path, text, sizeof(text)) > 0);
	return strtoull(text, NULL, 10);
}

/* Nothing of the attackers is left: contexts, promised memory and frames are as many as before. */
static void nothing_is_left(uint64_t contexts, uint64_t vram_free)
{
	double limit = deadline(60);

	while (device_number("context_count") != contexts && seconds_now() < limit)
		usleep(10000);
	CHECK_EQ(device_number("context_count"), contexts);
	CHECK_EQ(device_number("vram_free"), vram_free);
}

static void beside(const char *what, const char *handler, void (*attack)(volatile uint32_t *going))
{
	/* beside the attack it has to get SMs first, whose blocks are saved */
	static const struct bystander_call launch = { "launch", compute, 3 };
	volatile uint32_t *going = going_page();
	uint64_t contexts, vram_free;
	char text[96];
	pid_t pid;

	snprintf(text, sizeof(text), "%s, served by the %s", what, handler);
	be_lazy(handler);
	/* what the bystander keeps open is there before and afterwards */
	device_info();
	compute();
	contexts = device_number("context_count");
	vram_free = device_number("vram_free");
	must_not_notice(text, attack);
	calls_must_not_notice(text, &launch, 1, attack);
	pid = attack_start(attack, going);
	compute_lazily(going);
	attack_end(pid);
	nothing_is_left(contexts, vram_free);
	as_before();
}

/* ---- the tests ---------------------------------------------------------- */

#define ATTACK(name, what, handler)				\
	static void name##_##handler(void)			\
	{							\
		beside(what, #handler, name);			\
	}
ATTACK(storm, "faults", cpu)
ATTACK(storm, "faults", gpu)
ATTACK(storm_unmapped, "faults whose pages go", cpu)
ATTACK(storm_unmapped, "faults whose pages go", gpu)
ATTACK(storm_killed, "faults of who is killed", cpu)
ATTACK(storm_killed, "faults of who is killed", gpu)
ATTACK(to_and_fro, "managed pages that go to and fro", cpu)
ATTACK(to_and_fro, "managed pages that go to and fro", gpu)
ATTACK(found_and_gone, "pages of processes that go", cpu)

static const struct test tests[] = {
	{ "hostile_faults: a storm that the host serves", storm_cpu },
	{ "hostile_faults: a storm that the SMs serve", storm_gpu },
	{ "hostile_faults: memory that goes in a storm, the host", storm_unmapped_cpu },
	{ "hostile_faults: memory that goes in a storm, the SMs", storm_unmapped_gpu },
	{ "hostile_faults: processes killed in a storm, the host", storm_killed_cpu },
	{ "hostile_faults: processes killed in a storm, the SMs", storm_killed_gpu },
	{ "hostile_faults: managed pages to and fro, the host", to_and_fro_cpu },
	{ "hostile_faults: managed pages to and fro, the SMs", to_and_fro_gpu },
	{ "hostile_faults: pages of processes that go", found_and_gone_cpu },
	{ "hostile_faults: as before", as_before },
};

TESTS_MAIN(tests)
