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

#include "fail_nth.h"
#include "netlink_client.h"
#include "vgpu_configfs.h"
#include "vgpu_mapped.h"
#include "vgpu_uring.h"

#define ENTRIES		64u
#define BATCH		16u

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

static const struct operation context_ops[] = {
	{ "open", NULL, run_open, undo_close },
	{ "DEVICE_INFO", NULL, run_info, NULL },
	{ "CONTEXT_INFO", NULL, run_context_info, NULL },
	{ "QUEUE_CREATE", NULL, run_queue, undo_queue },
	{ "QUEUE_DESTROY", prepare_queue, run_queue_destroy, NULL },
	{ "MODULE_LOAD", NULL, run_load, undo_load },
};

static void contexts(void)
{
	fail_all(context_ops, ARRAY_SIZE(context_ops));
}

/* What the actor allocates in answering them. One that fails is tried again in other ways. */
static void actor_contexts(void)
{
	injection_begin_actor();
	fail_all(context_ops, ARRAY_SIZE(context_ops));
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

/* ---- what waits for a command that does not end --------------------------- */

static uint32_t busy_queue;

static int timed_out(int ret)
{
	CHECK(ret);
	return ret == -ETIMEDOUT || ret == -ETIME || ret == -EBUSY ? 0 : ret;
}

static int run_busy_destroy(void)
{
	return timed_out(queue_destroy(file, busy_queue));
}

static int run_busy_wait(void)
{
	return timed_out(wait_seq(file, busy_queue, 1, 1000));
}

static int run_busy_uring_wait(void)
{
	sqe_wait(&uring, file, busy_queue, 1, 1, 1);
	return timed_out(uring_result());
}

static int run_busy_eventfd(void)
{
	struct vgpu_eventfd args = { .queue = busy_queue, .fd = event, .seq = 1 };

	return call(file, VGPU_IOC_EVENTFD, &args);
}

static void pending(void)
{
	static const struct operation ops[] = {
		{ "QUEUE_DESTROY of a busy queue", NULL, run_busy_destroy, NULL },
		{ "WAIT until it is late", NULL, run_busy_wait, NULL },
		{ "URING_WAIT until it is late", NULL, run_busy_uring_wait, NULL },
		{ "EVENTFD of what does not end", NULL, run_busy_eventfd, NULL },
	};

	injection_begin();
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	CHECK(event >= 0);
	must_ring(&uring, 8, 0);
	file = must_open_busy(&busy_queue);
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++)
		fail_each(&ops[i]);
	CHECK(!must_context_info(file).dead);
	CHECK_EQ(queue_destroy(file, busy_queue), -EBUSY);
	close(file);
	io_uring_queue_exit(&uring);
	CHECK(points);
}

/* ---- netlink ------------------------------------------------------------ */

static struct request request_;
static uint16_t family;
static int nl = -1;

/* Each time a socket of its own: of a failed one nobody knows which answers are still to come. */
static void nl_new(void)
{
	if (nl >= 0)
		close(nl);
	nl = nl_open();
}

/* The errno of the answer; nobody waits for one that could not be made. */
static int nl_result(void)
{
	static uint8_t bytes[1 << 16];

	for (;;) {
		ssize_t left = recv(nl, bytes, sizeof(bytes), MSG_DONTWAIT);
		const struct nlmsghdr *head = (const struct nlmsghdr *)bytes;

		if (left < 0)
			return -errno;
		for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left))
			if (head->nlmsg_type == NLMSG_ERROR || head->nlmsg_type == NLMSG_DONE)
				return *(const int *)NLMSG_DATA(head);
	}
}

static bool nl_used;

static int run_request(void)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (nl_used)
		nl_new();
	nl_used = true;
	if (sendto(nl, request_.bytes, request_.head.nlmsg_len, 0, (struct sockaddr *)&kernel,
		   sizeof(kernel)) < 0)
		return -errno;
	return nl_result();
}

static void prepare_request(uint16_t flags, uint8_t cmd)
{
	nl_new();
	nl_used = false;
	request(&request_, family, flags, cmd);
	if (!flags)
		attr_u32(&request_, VGPU_NL_A_DEVICE, 0);
}

static void prepare_device_get(void)
{
	prepare_request(0, VGPU_NL_CMD_DEVICE_GET);
}

static void prepare_device_dump(void)
{
	prepare_request(NLM_F_DUMP, VGPU_NL_CMD_DEVICE_GET);
}

static void prepare_device_set(void)
{
	prepare_request(0, VGPU_NL_CMD_DEVICE_SET);
	attr_text(&request_, VGPU_NL_A_KNOB_NAME, "policy");
	attr_text(&request_, VGPU_NL_A_KNOB_VALUE, "fcfs");
}

static void prepare_context_get(void)
{
	prepare_request(0, VGPU_NL_CMD_CONTEXT_GET);
	attr_u32(&request_, VGPU_NL_A_CONTEXT, must_context_info(file).id);
}

static void prepare_context_dump(void)
{
	prepare_request(NLM_F_DUMP, VGPU_NL_CMD_CONTEXT_GET);
}

static void prepare_context_set(void)
{
	prepare_context_get();
	((struct genlmsghdr *)NLMSG_DATA(&request_.head))->cmd = VGPU_NL_CMD_CONTEXT_SET;
	attr_u32(&request_, VGPU_NL_A_PRIORITY, 0);
}

static void netlink(void)
{
	static const struct operation ops[] = {
		{ "DEVICE_GET", prepare_device_get, run_request, NULL },
		{ "DEVICE_GET, dump", prepare_device_dump, run_request, NULL },
		{ "DEVICE_SET", prepare_device_set, run_request, NULL },
		{ "CONTEXT_GET", prepare_context_get, run_request, NULL },
		{ "CONTEXT_GET, dump", prepare_context_dump, run_request, NULL },
		{ "CONTEXT_SET", prepare_context_set, run_request, NULL },
	};

	nl_new();
	family = nl_family(nl, NULL);
	CHECK(family);
	fail_all(ops, ARRAY_SIZE(ops));
	close(nl);
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
	/* each has a folder in sysfs */
	CHECK_EQ(cfs_put("fail-nth", "sms", "2"), 0);
	fail_each(&live);
	undo_rmdir(0);
	context_end();
}

static const struct test tests[] = {
	{ "fail_nth: open, queues, modules", contexts },
	{ "fail_nth: commands", commands },
	{ "fail_nth: waits", waits },
	{ "fail_nth: poll and eventfds", events },
	{ "fail_nth: mapped rings", rings },
	{ "fail_nth: io_uring", urings },
	{ "fail_nth: waits for what does not end", pending },
	{ "fail_nth: netlink", netlink },
	{ "fail_nth: the actor, answering", actor_contexts },
	{ "fail_nth: seats", seats },
	{ "fail_nth: sysfs and debugfs", files },
	{ "fail_nth: devices on demand", configfs },
};

TESTS_MAIN(tests)
