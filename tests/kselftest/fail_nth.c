// SPDX-License-Identifier: MIT
/*
 * Every allocation of every operation fails once: /proc/thread-self/fail-nth makes the n-th
 * allocation (or copy from or to the process) of the next system call fail, for n = 1, 2, ... until
 * the operation ends before its n-th. It must then have failed with the errno of a lack of memory
 * or have succeeded, and the same operation must succeed right behind it. A failed one has left
 * nothing in the context, but for EFAULT, which is also the end of an operation that could not
 * write its answer; and nothing of a test is in the counts after it. Only for kernels with fault
 * injection (KERNEL=debug), as root.
 */
#include <sys/eventfd.h>
#include <sys/poll.h>

#include "vgpu_asm.h"
#include "vgpu_configfs.h"
#include "vgpu_mapped.h"
#include "vgpu_uring.h"

#define NTH_MAX		1000	/* no operation allocates that often */
#define ENTRIES		64u
#define BYTES		(64u << 10)
#define BATCH		16u

static int control = -1;	/* the thread's fail-nth */

/* ---- the kernel's side -------------------------------------------------- */

static bool knob_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);

	if (fd >= 0)
		close(fd);
	return done;
}

/* Allocations that may sleep, of any order, fail too; quietly, for the log is read afterwards. */
static void injection_begin(void)
{
	static const char *const knobs[][2] = {
		{ "/sys/kernel/debug/failslab/ignore-gfp-wait", "N" },
		{ "/sys/kernel/debug/failslab/verbose", "0" },
		{ "/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N" },
		{ "/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "/sys/kernel/debug/fail_page_alloc/min-order", "0" },
		{ "/sys/kernel/debug/fail_page_alloc/verbose", "0" },
		{ "/sys/kernel/debug/fail_usercopy/verbose", "0" },
	};

	control = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (control < 0)
		SKIP("this kernel has no fault injection");
	for (unsigned int i = 0; i < ARRAY_SIZE(knobs); i++)
		if (!knob_write(knobs[i][0], knobs[i][1]))
			SKIP("failslab, fail_page_alloc and fail_usercopy are not all there");
}

static void injection_arm(unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	CHECK_EQ(pwrite(control, text, (size_t)length, 0), length);
}

/* Disarm; true: the failure has happened. Reading and writing the file are copies themselves. */
static bool injection_end(void)
{
	char text[16] = "";
	ssize_t n = pread(control, text, sizeof(text) - 1, 0);
	bool happened = n > 0 && atoi(text) == 0;

	CHECK(n > 0 || errno == EFAULT);
	while (pwrite(control, "0", 1, 0) != 1)
		CHECK_EQ(errno, EFAULT);
	return happened;
}

/* ---- operations --------------------------------------------------------- */

static int file;
static uint32_t queue, module;
static uint8_t buffer[BYTES] __attribute__((aligned(4096)));
static struct binary code;
static uint32_t code_bytes, affine;
static struct affine_params params = { .out = BASE };

/**
 * struct operation - something that a process asks of the module
 * @prepare: what @run needs anew each time; may be NULL
 * @run: 0 (or a handle) or a negative errno
 * @undo: after a success, with what @run returned; may be NULL
 */
struct operation {
	const char *name;
	void (*prepare)(void);
	int (*run)(void);
	void (*undo)(int result);
};

static bool is_lack(int error)
{
	/* ENOSPC: of ids; EAGAIN: io_uring's word for it; ENOBUFS: netlink's */
	return error == -ENOMEM || error == -EFAULT || error == -ENOSPC || error == -EAGAIN ||
	       error == -ENOBUFS || error == -ENFILE;
}

/* What the context has is what it had: an operation that failed has left nothing. */
static void same_context(const struct operation *op, unsigned int nth,
			 const struct vgpu_context_info *before)
{
	struct vgpu_context_info now = must_context_info(file);

	if (now.queues == before->queues && now.modules == before->modules &&
	    now.mapped_bytes == before->mapped_bytes)
		return;
	printf("# %s: allocation %u: it left something in the context\n", op->name, nth);
	CHECK_EQ(now.queues, before->queues);
	CHECK_EQ(now.modules, before->modules);
	CHECK_EQ(now.mapped_bytes, before->mapped_bytes);
}

static unsigned int points;	/* of all operations of a test */

static void fail_each(const struct operation *op)
{
	struct vgpu_context_info before = must_context_info(file);
	unsigned int failed = 0, nth;
	bool happened = true;
	int ret;

	for (nth = 1; happened; nth++) {
		bool unanswered = false;

		CHECK(nth < NTH_MAX);
		if (op->prepare)
			op->prepare();
		injection_arm(nth);
		ret = op->run();
		happened = injection_end();
		if (ret < 0 && !(happened && is_lack(ret))) {
			printf("# %s: allocation %u: %s\n", op->name, nth, strerror(-ret));
			CHECK(happened);
			CHECK(is_lack(ret));
		}
		if (ret < 0) {
			/* the answer could not be written: what was asked for is there */
			unanswered = ret == -EFAULT;
			failed++;
			ret = op->run();
			if (ret < 0) {
				printf("# %s: after allocation %u failed: %s\n", op->name, nth,
				       strerror(-ret));
				CHECK(ret >= 0);
			}
		}
		if (op->undo)
			op->undo(ret);
		if (unanswered)
			before = must_context_info(file);
		else
			same_context(op, nth, &before);
	}
	printf("# %s: %u points, of which %u fail it\n", op->name, nth - 2, failed);
	points += nth - 2;
}

static void context_begin(void)
{
	struct program p = {};

	affine = kernel_affine(&p);
	code_bytes = program_binary(&p, &code);
	file = must_open();
	queue = must_queue(file);
	CHECK_EQ(mem_map(file, BASE, BYTES), 0);
	module = must_load(file, &p);
	memset(buffer, 1, sizeof(buffer));
}

/* The context is as alive as before. */
static void context_end(void)
{
	struct vgpu_cmd cmd = cmd_launch(module, affine, 1, 32, &params, sizeof(params));

	CHECK(!must_context_info(file).dead);
	must_run(file, queue, &cmd, 1);
	close(file);
	/* otherwise nothing was tested */
	CHECK(points);
}

static void fail_all(const struct operation *ops, unsigned int count)
{
	injection_begin();
	context_begin();
	for (unsigned int i = 0; i < count; i++)
		fail_each(&ops[i]);
	context_end();
}

static void undo_close(int fd)
{
	close(fd);
}

static int run_open(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int run_queue(void)
{
	return queue_create(file);
}

static void undo_queue(int result)
{
	CHECK_EQ(queue_destroy(file, (uint32_t)result), 0);
}

static uint32_t other_queue;

static void prepare_queue(void)
{
	other_queue = must_queue(file);
}

static int run_queue_destroy(void)
{
	return queue_destroy(file, other_queue);
}

static int run_map(void)
{
	return mem_map(file, BASE + (1 << 30), 16 << 20);
}

static void undo_map(int result)
{
	(void)result;
	CHECK_EQ(mem_unmap(file, BASE + (1 << 30), 16 << 20), 0);
}

static void prepare_map(void)
{
	CHECK_EQ(run_map(), 0);
}

static int run_unmap(void)
{
	return mem_unmap(file, BASE + (1 << 30), 16 << 20);
}

static int run_load(void)
{
	return module_load(file, &code, code_bytes, NULL, 0);
}

static void undo_load(int result)
{
	CHECK_EQ(module_unload(file, (uint32_t)result), 0);
}

static int run_info(void)
{
	struct vgpu_device_info info;

	return call(file, VGPU_IOC_DEVICE_INFO, &info);
}

static int run_context_info(void)
{
	struct vgpu_context_info info;

	return call(file, VGPU_IOC_CONTEXT_INFO, &info);
}

static void contexts(void)
{
	static const struct operation ops[] = {
		{ "open", NULL, run_open, undo_close },
		{ "DEVICE_INFO", NULL, run_info, NULL },
		{ "CONTEXT_INFO", NULL, run_context_info, NULL },
		{ "QUEUE_CREATE", NULL, run_queue, undo_queue },
		{ "QUEUE_DESTROY", prepare_queue, run_queue_destroy, NULL },
		{ "MEM_MAP", NULL, run_map, undo_map },
		{ "MEM_UNMAP", prepare_map, run_unmap, NULL },
		{ "MODULE_LOAD", NULL, run_load, undo_load },
	};

	fail_all(ops, ARRAY_SIZE(ops));
}

/* ---- commands ----------------------------------------------------------- */

static struct vgpu_cmd command;

static int run_submit(void)
{
	uint64_t seq;

	return submit(file, queue, &command, 1, &seq);
}

static int run_submit_many(void)
{
	struct vgpu_cmd many[BATCH];

	for (unsigned int i = 0; i < BATCH; i++)
		many[i] = command;
	return submit(file, queue, many, BATCH, NULL);
}

/* What was pushed ends, and ends well. */
static void undo_submit(int result)
{
	struct vgpu_cmd last = cmd_nop();

	(void)result;
	must_run(file, queue, &last, 1);
	CHECK(!must_context_info(file).dead);
}

static void commands(void)
{
	const struct {
		const char *name;
		struct vgpu_cmd cmd;
		int (*run)(void);
	} all[] = {
		{ "SUBMIT NOP", cmd_nop(), run_submit },
		{ "SUBMIT of 16 NOPs", cmd_nop(), run_submit_many },
		{ "SUBMIT COPY_H2D", cmd_h2d(BASE, buffer, BYTES), run_submit },
		{ "SUBMIT COPY_D2H", cmd_d2h(buffer, BASE, BYTES), run_submit },
		{ "SUBMIT COPY_D2D", cmd_copy(VGPU_CMD_COPY_D2D, BASE, BASE + BYTES / 2, BYTES / 2),
		  run_submit },
		{ "SUBMIT of 16 copies", cmd_h2d(BASE, buffer, PAGE), run_submit_many },
		{ "SUBMIT FILL", cmd_fill(BASE, 7, 4, BYTES / 4), run_submit },
		{ "SUBMIT STAMP", cmd_stamp(buffer), run_submit },
		{ "SUBMIT WAIT", cmd_wait(1, 0), run_submit },
		{ "SUBMIT PROFILED", cmd_profiled(3, 1000), run_submit },
		{ "SUBMIT LAUNCH", cmd_launch(0, 0, 2, 64, &params, sizeof(params)), run_submit },
	};

	injection_begin();
	context_begin();
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++) {
		struct operation op = { all[i].name, NULL, all[i].run, undo_submit };

		command = all[i].cmd;
		if (command.op == VGPU_CMD_WAIT)
			command.wait.queue = queue;
		if (command.op == VGPU_CMD_LAUNCH) {
			command.launch.module = module;
			command.launch.kernel = affine;
		}
		fail_each(&op);
	}
	context_end();
}

/* ---- waiting ------------------------------------------------------------ */

static int event = -1;

static int run_wait(void)
{
	return wait_seq(file, queue, 0, FOREVER);
}

static int run_wait_any(void)
{
	struct vgpu_fence fence = { .queue = queue, .seq = 0 };
	struct vgpu_wait_any any = { .fences = (uintptr_t)&fence, .count = 1, .until = ~0ull };

	return call(file, VGPU_IOC_WAIT_ANY, &any);
}

static uint64_t next_seq;

/* Of what has been pushed: no other is taken. */
static void prepare_seq(void)
{
	struct vgpu_cmd nop = cmd_nop();

	next_seq = must_submit(file, queue, &nop, 1);
}

static int run_eventfd(void)
{
	struct vgpu_eventfd args = { .queue = queue, .fd = event, .seq = next_seq };

	return call(file, VGPU_IOC_EVENTFD, &args);
}

static int run_poll(void)
{
	struct pollfd wanted = { .fd = file, .events = POLLIN };

	return poll(&wanted, 1, 0) < 0 ? -errno : 0;
}

static void waits(void)
{
	static const struct operation ops[] = {
		{ "WAIT", NULL, run_wait, NULL },
		{ "WAIT_ANY", NULL, run_wait_any, NULL },
	};

	fail_all(ops, ARRAY_SIZE(ops));
}

static void events(void)
{
	static const struct operation ops[] = {
		{ "poll", NULL, run_poll, NULL },
		{ "EVENTFD", prepare_seq, run_eventfd, undo_submit },
	};

	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	CHECK(event >= 0);
	fail_all(ops, ARRAY_SIZE(ops));
}

/* ---- rings -------------------------------------------------------------- */

static int run_ring(void)
{
	struct vgpu_ring_create shape;

	return ring_create(file, other_queue, ENTRIES, PAGE, &shape);
}

static void undo_ring(int result)
{
	(void)result;
	CHECK_EQ(queue_destroy(file, other_queue), 0);
}

static struct mapped mapped;

static int run_ring_map(void)
{
	void *ring = mmap(NULL, mapped.shape.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file,
			  (off_t)mapped.shape.ring_offset);

	if (ring == MAP_FAILED)
		return -errno;
	munmap(ring, mapped.shape.ring_bytes);
	return 0;
}

static int run_doorbell(void)
{
	return ring_doorbell(&mapped);
}

static void rings(void)
{
	static const struct operation create = { "RING_CREATE", prepare_queue, run_ring,
						 undo_ring };
	static const struct operation map = { "mmap of a ring", NULL, run_ring_map, NULL };
	static const struct operation doorbell = { "RING_DOORBELL", NULL, run_doorbell, NULL };

	injection_begin();
	context_begin();
	fail_each(&create);
	mapped = must_map_ring(file, must_queue(file), ENTRIES, 0);
	fail_each(&map);
	fail_each(&doorbell);
	context_end();
}

/* ---- io_uring ----------------------------------------------------------- */

static struct io_uring uring;

/* io_uring may refuse to begin, or the command may come back with an error. */
static int uring_result(void)
{
	int ret = io_uring_submit(&uring);
	struct __kernel_timespec limit = { .tv_sec = 30 };
	struct io_uring_cqe *cqe;

	/* taken from the ring with the next call, if not with this one */
	while (ret == -EAGAIN || ret == -ENOMEM || ret == 0)
		ret = io_uring_submit(&uring);
	CHECK(ret > 0);
	do {
		ret = io_uring_wait_cqe_timeout(&uring, &cqe, &limit);
	} while (ret == -EFAULT || ret == -ENOMEM || ret == -EAGAIN);
	CHECK_EQ(ret, 0);
	ret = cqe->res;
	io_uring_cqe_seen(&uring, cqe);
	return ret;
}

static int run_uring_submit(void)
{
	sqe_submit(&uring, file, queue, &command, 1, VGPU_URING_TAKEN, 1);
	return uring_result();
}

static int run_uring_wait(void)
{
	sqe_wait(&uring, file, queue, 0, 0, 1);
	return uring_result();
}

static void urings(void)
{
	static const struct operation ops[] = {
		{ "URING_SUBMIT", NULL, run_uring_submit, undo_submit },
		{ "URING_WAIT of the past", NULL, run_uring_wait, NULL },
	};

	command = cmd_h2d(BASE, buffer, BYTES);
	must_ring(&uring, 8, 0);
	fail_all(ops, ARRAY_SIZE(ops));
	io_uring_queue_exit(&uring);
}

/* ---- seats, configfs, files ------------------------------------ */

static int run_seat(void)
{
	struct vgpu_seat_create create = { .pid = 0 };
	int ret = call(file, VGPU_IOC_SEAT_CREATE, &create);

	return ret ? ret : create.fd;
}

static void seats(void)
{
	static const struct operation ops[] = { { "SEAT_CREATE", NULL, run_seat, undo_close } };

	fail_all(ops, ARRAY_SIZE(ops));
}

static int read_all(const char *path)
{
	char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, text, sizeof(text))) > 0)
		;
	if (n < 0)
		error = -errno;
	close(fd);
	return error;
}

static int write_all(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		error = -errno;
	close(fd);
	return error;
}

static int run_counts(void)
{
	return read_all(COUNTS_FILE);
}

static int run_frames(void)
{
	return read_all("/sys/kernel/debug/vgpu/0/frames");
}

static int run_policy_read(void)
{
	return read_all("/sys/class/vgpu/vgpu0/policy");
}

static int run_policy_write(void)
{
	return write_all("/sys/class/vgpu/vgpu0/policy", "fcfs");
}

static void files(void)
{
	static const struct operation ops[] = {
		{ "debugfs counts", NULL, run_counts, NULL },
		{ "debugfs frames", NULL, run_frames, NULL },
		{ "sysfs policy, read", NULL, run_policy_read, NULL },
		{ "sysfs policy, written", NULL, run_policy_write, NULL },
	};

	fail_all(ops, ARRAY_SIZE(ops));
}

#define FOLDER	CONFIGFS "fail-nth"

static int run_mkdir(void)
{
	return mkdir(FOLDER, 0755) ? -errno : 0;
}

static void undo_rmdir(int result)
{
	(void)result;
	while (rmdir(FOLDER))
		CHECK(is_lack(-errno));
}

static int run_live(void)
{
	return write_all(FOLDER "/live", "1");
}

static void undo_live(int result)
{
	(void)result;
	CHECK_EQ(cfs_put("fail-nth", "live", "0"), 0);
}

static void configfs(void)
{
	static const struct operation folder = { "configfs mkdir", NULL, run_mkdir, undo_rmdir };
	static const struct operation live = { "configfs live", NULL, run_live, undo_live };

	injection_begin();
	context_begin();
	if (access(CONFIGFS, F_OK))
		SKIP("configfs is not mounted on /sys/kernel/config");
	fail_each(&folder);
	CHECK_EQ(cfs_make("fail-nth"), 0);
	CHECK_EQ(cfs_put("fail-nth", "vram_bytes", "16777216"), 0);
	fail_each(&live);
	undo_rmdir(0);
	context_end();
}

static const struct test tests[] = {
	{ "fail_nth: open, queues, memory, modules", contexts },
	{ "fail_nth: commands", commands },
	{ "fail_nth: waits", waits },
	{ "fail_nth: poll and eventfds", events },
	{ "fail_nth: mapped rings", rings },
	{ "fail_nth: io_uring", urings },
	{ "fail_nth: seats", seats },
	{ "fail_nth: sysfs and debugfs", files },
	{ "fail_nth: devices on demand", configfs },
};

TESTS_MAIN(tests)
