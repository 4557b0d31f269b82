// SPDX-License-Identifier: MIT
/*
 * Memory that the device needs for a context is charged to the control group of who opened it: in a
 * group of 64 MiB nobody makes the kernel hold more, whatever he asks of the device. He gets an
 * error or a fault, and a bystander does not notice.
 */
#include <ftw.h>

#include "vgpu_asm.h"
#include "vgpu_bystander.h"
#include "vgpu_group.h"

#define LIMIT_MIB	64
#define SLACK_MIB	48	/* what else happens in the machine */

/** struct attack - what an attacker says of himself, in memory that is shared with the test */
struct attack {
	volatile bool ended;	/* he was refused, or has all he wants */
	volatile int error;	/* 0: not refused; else negative errno, or fault reason */
	volatile uint32_t count;	/* of what he has got */
};

/* ---- attacks ------------------------------------------------------------ */

/* 64 threads a block that use all of 512 KiB of local memory each, for ever. */
static void states(struct attack *attack)
{
	struct program p = {};
	struct vgpu_cmd cmd;
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	kernel(&p, "local", 0);
	p.kernels[0].local_bytes = VGPU_VASS_MAX_LOCAL;
	insn(&p, VGPU_OP_ADD, VGPU_F_IMM, 0, 0, 0, 0, 256);
	insn(&p, VGPU_OP_AND, VGPU_F_IMM, 0, 0, 0, 0, VGPU_VASS_MAX_LOCAL - 1);
	insn(&p, VGPU_OP_STL, SIZE_4, 0, 0, 0, 0, 0);
	insn(&p, VGPU_OP_BRA, 0, 0, 0, 0, 0, (uint64_t)VGPU_NO_RECONV << 32);
	finish(&p);
	cmd = cmd_launch(must_load(fd, &p), 0, 65536, 64, NULL, 0);
	must_submit(fd, queue, &cmd, 1);
	while (!must_context_info(fd).dead)
		usleep(20000);
	attack->error = (int)must_context_info(fd).fault.reason;
}

/* A page of each page table, and nothing in it: reads need no frame. */
static void tables(struct attack *attack)
{
	static uint64_t word;
	struct vgpu_cmd cmds[VGPU_SUBMIT_MAX];
	int fd = must_open(), ret = 0;
	uint32_t queue = must_queue(fd), n = 0;
	uint64_t seq;

	while (!ret && attack->count < 60000) {
		uint64_t address = BASE + ((uint64_t)attack->count++ << 21);

		ret = mem_map(fd, address, PAGE);
		cmds[n++] = cmd_d2h(&word, address, sizeof(word));
		if (ret || n < VGPU_SUBMIT_MAX)
			continue;
		n = 0;
		ret = submit(fd, queue, cmds, VGPU_SUBMIT_MAX, &seq);
		if (!ret)
			ret = wait_seq(fd, queue, seq, FOREVER);
	}
	attack->error = ret;
}

#define COMMAND_CONTEXTS	7
#define COMMAND_QUEUES		4

/* As many commands as can be in flight, in several contexts. */
static void commands(struct attack *attack)
{
	struct vgpu_cmd cmds[VGPU_SUBMIT_MAX];
	static struct binary binary;
	struct program p = {};
	uint32_t bytes;
	int ret = 0;

	kernel_endless(&p);
	bytes = program_binary(&p, &binary);
	for (uint32_t i = 0; i < VGPU_SUBMIT_MAX; i++)
		cmds[i] = cmd_nop();
	for (int context = 0; context < COMMAND_CONTEXTS && ret != -ENOMEM; context++) {
		int fd = open(DEVICE, O_RDWR);
		int module = fd < 0 ? -errno : module_load(fd, &binary, bytes, NULL, 0);
		struct vgpu_cmd endless = cmd_launch((uint32_t)module, 0, 1, 32, NULL, 0);
		uint32_t busy;

		if (module < 0) {
			ret = module;
			break;
		}
		busy = must_queue(fd);
		ret = submit(fd, busy, &endless, 1, NULL);
		for (int q = 0; q < COMMAND_QUEUES && ret != -ENOMEM; q++) {
			uint32_t queue = q ? must_queue(fd) : busy;
			struct vgpu_cmd wait = cmd_wait(busy, 1);

			if (ret != -ENOMEM)
				ret = submit(fd, queue, &wait, 1, NULL);
			while (!ret && !(ret = submit(fd, queue, cmds, VGPU_SUBMIT_MAX, NULL)))
				attack->count += VGPU_SUBMIT_MAX;
		}
	}
	attack->error = ret;
}

/* Writes to all device memory that he can have, in many small pieces. */
static void frames(struct attack *attack)
{
	int fd = must_open(), ret = 0;
	uint32_t queue = must_queue(fd);

	while (!ret && attack->count < 256) {
		uint64_t address = BASE + ((uint64_t)attack->count << 20);
		struct vgpu_cmd cmd = cmd_fill(address, 1, 1, 1 << 20);

		ret = mem_map(fd, address, 1 << 20);
		if (!ret)
			ret = wait_seq(fd, queue, must_submit(fd, queue, &cmd, 1), FOREVER);
		attack->count++;
	}
	attack->error = ret;
}

/* ---- the machine -------------------------------------------------------- */

static pid_t attack_begin(void (*fn)(struct attack *attack), struct attack *attack)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid)
		return pid;
	group_enter();
	nobody_becomes(65534);
	fn(attack);
	attack->ended = true;
	for (;;)
		pause();
}

static void must_pay(const char *what, void (*fn)(struct attack *attack))
{
	struct attack *attack = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct latency idle, beside;
	double until = deadline(30);
	long before, used;
	long long charged;
	pthread_t watcher;
	bool killed;
	pid_t pid;

	CHECK(attack != MAP_FAILED);
	idle = latency_of(open_copy_close, 0.5, NULL);
	group_make("64M");
	watcher = watch();
	before = meminfo("MemAvailable:");
	pid = attack_begin(fn, attack);
	do {
		beside = latency_of(open_copy_close, 0.5, NULL);
		/* his own group may end him */
		killed = waitpid(pid, NULL, WNOHANG) == pid;
	} while (!attack->ended && !killed && seconds_now() < until);
	charged = group_bytes();
	used = before - watch_end(watcher);
	printf("# %s: %ld MiB of the machine gone, %lld MiB charged; %u done, then %s %d\n", what,
	       used >> 10, charged >> 20, attack->count, killed ? "killed" : "error",
	       attack->error);
	printf("# open-copy-close %.3f ms on average, alone %.3f\n", beside.mean * 1e3,
	       idle.mean * 1e3);
	fflush(stdout);
	if (!killed) {
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
	}
	group_remove();
	CHECK(beside.count);
	CHECK(attack->ended || killed);
	CHECK(attack->error || killed);
	CHECK(used < (LIMIT_MIB + SLACK_MIB) << 10);
}

static void states_of_blocks(void)
{
	must_pay("states of blocks", states);
}

static void page_tables(void)
{
	must_pay("page tables", tables);
}

static void commands_in_flight(void)
{
	must_pay("commands", commands);
}

static void frames_of_memory(void)
{
	must_pay("frames", frames);
}

/* ---- time --------------------------------------------------------------- */

/* Writes to fresh device memory for ever. */
static void write_pages(volatile uint32_t *going)
{
	const uint64_t bytes = 24 << 20, step = 512 << 10;
	struct vgpu_cmd cmd;
	uint32_t queue;
	int fd;

	group_enter();
	fd = must_open();
	queue = must_queue(fd);
	for (;; ++*going) {
		CHECK_EQ(mem_map(fd, BASE, bytes), 0);
		/* in pieces that a copy of somebody else does not wait for long */
		for (uint64_t at = 0; at < bytes; at += step) {
			cmd = cmd_fill(BASE + at, 1, 1, step);
			CHECK_EQ(wait_seq(fd, queue, must_submit(fd, queue, &cmd, 1), FOREVER), 0);
		}
		CHECK_EQ(mem_unmap(fd, BASE, bytes), 0);
	}
}

/* Who is above what his group is to have sleeps for it himself, and nobody for him. */
static void above_high(void)
{
	group_make("64M");
	put(GROUP "/memory.high", "4M");
	must_not_notice("a group above memory.high", write_pages);
	group_remove();
}

/* ---- a group that is full of files -------------------------------------- */

static size_t mapped_bytes;

/* Read a file through a mapping, which keeps its pages whatever file system it is on. */
static int read_file(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	volatile const char *text;
	int file;

	(void)ftw;
	if (type != FTW_F || stat->st_size < 1 << 20)
		return 0;
	file = open(path, O_RDONLY);
	if (file < 0)
		return 0;
	text = mmap(NULL, (size_t)stat->st_size, PROT_READ, MAP_PRIVATE, file, 0);
	close(file);
	if (text == MAP_FAILED)
		return 0;
	for (off_t at = 0; at < stat->st_size; at += PAGE)
		(void)text[at];
	munmap((void *)text, (size_t)stat->st_size);
	mapped_bytes += (size_t)stat->st_size;
	return mapped_bytes > 128 << 20;
}

/*
 * Contents of files fill every group that reads enough of them. They are dropped for the device as
 * for anything else.
 */
static void full_of_files(void)
{
	struct vgpu_cmd cmd = cmd_fill(BASE, 1, 1, 24 << 20);
	uint32_t queue;
	long long full;
	int fd;

	put("/proc/sys/vm/drop_caches", "3");
	group_make("64M");
	group_enter();
	nftw("/usr/lib", read_file, 16, FTW_PHYS);
	full = group_bytes();
	printf("# %lld MiB charged for %zu MiB of files\n", full >> 20, mapped_bytes >> 20);
	if (full < 60 << 20) {
		group_leave();
		group_remove();
		SKIP("no 64 MiB of files here");
	}
	fd = must_open();
	queue = must_queue(fd);
	CHECK_EQ(mem_map(fd, BASE, 24 << 20), 0);
	must_run(fd, queue, &cmd, 1);
	close(fd);
	group_leave();
	group_remove();
}

static const struct test tests[] = {
	{ "hostile_memory: states of blocks are charged to the group", states_of_blocks },
	{ "hostile_memory: page tables are charged to the group", page_tables },
	{ "hostile_memory: commands are charged to the group", commands_in_flight },
	{ "hostile_memory: frames are charged to the group", frames_of_memory },
	{ "hostile_memory: nobody waits for a group above memory.high", above_high },
	{ "hostile_memory: a group full of files can use the device", full_of_files },
};

TESTS_MAIN(tests)
