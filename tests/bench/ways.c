// SPDX-License-Identifier: MIT
/*
 * What it costs to give the device an empty command, by each way in, next to what people know, in
 * one run: a failing ioctl, io_uring's NOP, a ring between two threads of a process, 4 KB reads of
 * null_blk. Without /dev/vgpu it measures what is left.
 *
 * usage: ways [NANOSECONDS]: of a failing ioctl on the machine itself, for native equivalents
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "vgpu.h"

#define RUNS		9
#define ROUND		2000u
#define ENTRIES		1024u
#define BATCH		32u

static const struct vgpu_cmd nops[BATCH];
static unsigned int batch = 1;		/* commands in a submission; figures are for each of them */

static double base, native;
static int device = -1;
static uint32_t queue;

static void need(bool so, const char *what)
{
	if (so)
		return;
	fprintf(stderr, "ways: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* @run: seconds for each of @count. Prints and returns nanoseconds. */
static double measure(const char *what, double (*run)(unsigned int count), unsigned int count,
		      double against, const char *name)
{
	double values[RUNS];
	struct bench_stat stat;

	run(count);
	for (int i = 0; i < RUNS; i++)
		values[i] = run(count) * 1e9;
	stat = bench_stat(values, RUNS);
	printf("%-42s %9.0f ns  %8.0f..%-8.0f", what, stat.median, stat.min, stat.max);
	if (against > 0)
		printf("  %6.2f x %s", stat.median / against, name);
	printf("\n");
	return stat.median;
}

/* ---- system calls ------------------------------------------------------- */

static double failing_ioctl(unsigned int count)
{
	double start = bench_seconds();

	for (unsigned int i = 0; i < count; i++)
		if (ioctl(0, 0xb7ff, 0) != -1)
			exit(1);
	return (bench_seconds() - start) / count;
}

static void wait_for(uint64_t seq)
{
	struct vgpu_wait wait = { .queue = queue, .seq = seq, .timeout_ns = -1 };

	need(!ioctl(device, VGPU_IOC_WAIT, &wait), "WAIT");
}

static uint64_t last;		/* sequence number of the newest command */

static void submit_nop(void)
{
	struct vgpu_submit submit = { .queue = queue, .count = batch, .commands = (uintptr_t)nops };

	need(!ioctl(device, VGPU_IOC_SUBMIT, &submit), "SUBMIT");
	last = submit.seq;
}

static double ioctl_submit(unsigned int count)
{
	double start = bench_seconds(), seconds;

	for (unsigned int i = 0; i < count; i += batch)
		submit_nop();
	seconds = (bench_seconds() - start) / count;
	wait_for(last);
	return seconds;
}

static double ioctl_submit_wait(unsigned int count)
{
	double start = bench_seconds();

	for (unsigned int i = 0; i < count; i++) {
		submit_nop();
		wait_for(last);
	}
	return (bench_seconds() - start) / count;
}

/* ---- io_uring ----------------------------------------------------------- */

static struct io_uring ring;
static unsigned int depth;
static void (*prepare)(struct io_uring_sqe *sqe);
static int block = -1;
static char *buffers;

static double uring(unsigned int count)
{
	double start = bench_seconds();
	struct io_uring_cqe *cqe;
	unsigned int done = 0, head, seen;

	while (done < count) {
		for (unsigned int i = 0; i < depth; i++)
			prepare(io_uring_get_sqe(&ring));
		need(io_uring_submit(&ring) >= 0, "io_uring_enter");
		/* busy-wait: what it costs to sleep and to be woken is no figure of the way in */
		while (io_uring_cq_ready(&ring) < depth)
			;
		seen = 0;
		io_uring_for_each_cqe(&ring, head, cqe) {
			if (cqe->res < 0) {
				errno = -cqe->res;
				need(false, "a command of io_uring");
			}
			seen++;
		}
		io_uring_cq_advance(&ring, seen);
		done += seen * batch;
	}
	return (bench_seconds() - start) / done;
}

static void prepare_nop(struct io_uring_sqe *sqe)
{
	io_uring_prep_nop(sqe);
}

static void prepare_submit(struct io_uring_sqe *sqe)
{
	struct vgpu_uring_submit args = { .commands = (uintptr_t)nops,
					  .queue = queue,
					  .count = batch };

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->flags = IOSQE_FIXED_FILE;
	sqe->cmd_op = VGPU_URING_SUBMIT;
	memcpy(sqe->cmd, &args, sizeof(args));
}

static void prepare_wait(struct io_uring_sqe *sqe)
{
	struct vgpu_uring_wait args = { .queue = queue, .seq = last };

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->flags = IOSQE_FIXED_FILE;
	sqe->cmd_op = VGPU_URING_WAIT;
	memcpy(sqe->cmd, &args, sizeof(args));
}

/* What io_uring's own part in a command costs: this one does nothing. */
static void prepare_null(struct io_uring_sqe *sqe)
{
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->flags = IOSQE_FIXED_FILE;
	sqe->fd = 1;
}

static void prepare_read(struct io_uring_sqe *sqe)
{
	static unsigned int next;

	io_uring_prep_read(sqe, block, buffers + 4096 * (next % 128), 4096, 4096 * (next % 1024));
	next++;
}

static bool null_takes_commands(void)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
	struct io_uring_cqe *cqe;
	int res;

	need(sqe, "an SQE");
	prepare_null(sqe);
	need(io_uring_submit(&ring) == 1 && !io_uring_wait_cqe(&ring, &cqe), "io_uring_enter");
	res = cqe->res;
	io_uring_cqe_seen(&ring, cqe);
	return !res;
}

static void bench_uring(void)
{
	static const unsigned int depths[] = { 1, 8, 32, 128 };
	int files[2];
	char label[64];
	double nop;

	if (io_uring_queue_init(256, &ring, 0)) {
		printf("no io_uring here\n");
		return;
	}
	files[0] = device;
	files[1] = open("/dev/null", O_RDWR);
	need(!io_uring_register_files(&ring, files, 2), "registering files");
	block = open("/dev/nullb0", O_RDONLY | O_DIRECT);
	buffers =
		mmap(NULL, 128 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		depth = depths[i];
		prepare = prepare_nop;
		snprintf(label, sizeof(label), "io_uring NOP, depth %u", depth);
		nop = measure(label, uring, ROUND, base, "a failing ioctl");
		prepare = prepare_null;
		snprintf(label, sizeof(label), "uring: a command to /dev/null, depth %u", depth);
		if (null_takes_commands())
			measure(label, uring, ROUND, nop, "io_uring NOP");
		prepare = prepare_submit;
		snprintf(label, sizeof(label), "uring: a NOP, depth %u", depth);
		if (device >= 0)
			measure(label, uring, ROUND, nop, "io_uring NOP");
		prepare = prepare_wait;
		snprintf(label, sizeof(label), "uring: a fence that is reached, depth %u", depth);
		if (device >= 0)
			measure(label, uring, ROUND, nop, "io_uring NOP");
		prepare = prepare_submit;
		batch = BATCH;
		snprintf(label, sizeof(label), "uring: a NOP of a batch of %u, depth %u", batch,
			 depth);
		if (device >= 0)
			measure(label, uring, ROUND * 8, nop, "io_uring NOP");
		batch = 1;
		prepare = prepare_read;
		snprintf(label, sizeof(label), "null_blk: a 4 KB read, depth %u", depth);
		if (block >= 0 && depth == 32)
			measure(label, uring, ROUND, nop, "io_uring NOP");
	}
	io_uring_queue_exit(&ring);
}

/* ---- rings in memory ---------------------------------------------------- */

static struct vgpu_cmd *commands;
static uint32_t *tail_word;
static const uint32_t *head_word, *flags_word;
static uint32_t tail;

static void store(const struct vgpu_cmd *cmd)
{
	struct vgpu_ring_doorbell doorbell = { .queue = queue };

	commands[tail & (ENTRIES - 1)] = *cmd;
	__atomic_store_n(tail_word, ++tail, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(flags_word, __ATOMIC_RELAXED))
		ioctl(device, VGPU_IOC_RING_DOORBELL, &doorbell);
}

static void until_taken(void)
{
	while (__atomic_load_n(head_word, __ATOMIC_ACQUIRE) != tail)
		;
}

/* The stores alone, half a ring at a time: the other side is not waited for. */
static double stores(unsigned int count)
{
	static const struct vgpu_cmd nop;
	double seconds = 0, start;

	for (unsigned int done = 0; done < count; done += ENTRIES / 2) {
		until_taken();
		start = bench_seconds();
		for (unsigned int i = 0; i < ENTRIES / 2; i++)
			store(&nop);
		seconds += bench_seconds() - start;
	}
	until_taken();
	return seconds / (count / (ENTRIES / 2) * (ENTRIES / 2));
}

static const uint64_t *completed_word;

static double store_and_complete(unsigned int count)
{
	static const struct vgpu_cmd nop;
	double start = bench_seconds();
	uint64_t seq = *completed_word;

	for (unsigned int i = 0; i < count; i++) {
		store(&nop);
		seq++;
		while (__atomic_load_n(completed_word, __ATOMIC_ACQUIRE) < seq)
			;
	}
	return (bench_seconds() - start) / count;
}

static struct { uint32_t head; uint64_t completed; uint32_t flags; bool stop; } plain;
static uint32_t plain_tail;

static void *plain_consumer(void *arg)
{
	static struct vgpu_cmd taken;

	(void)arg;
	while (!__atomic_load_n(&plain.stop, __ATOMIC_RELAXED)) {
		uint32_t end = __atomic_load_n(&plain_tail, __ATOMIC_ACQUIRE);

		while (plain.head != end) {
			taken = commands[plain.head & (ENTRIES - 1)];
			__asm__ volatile("" : : "m"(taken));
			__atomic_store_n(&plain.completed, plain.completed + 1, __ATOMIC_RELEASE);
			__atomic_store_n(&plain.head, plain.head + 1, __ATOMIC_RELEASE);
		}
	}
	return NULL;
}

static double bench_plain(double *complete)
{
	pthread_t thread;
	double ns;

	commands = aligned_alloc(4096, ENTRIES * sizeof(*commands));
	tail_word = &plain_tail;
	head_word = &plain.head;
	flags_word = &plain.flags;
	completed_word = &plain.completed;
	tail = 0;
	need(!pthread_create(&thread, NULL, plain_consumer, NULL), "a thread");
	ns = measure("plain ring: a store", stores, 8 * ENTRIES, base, "a failing ioctl");
	*complete = measure("plain ring: a store and its answer", store_and_complete, ROUND, base,
			    "a failing ioctl");
	plain.stop = true;
	pthread_join(thread, NULL);
	free(commands);
	return ns;
}

static void bench_mapped(double plain_ns, double plain_complete)
{
	struct vgpu_ring_create shape = { .entries = ENTRIES };
	struct vgpu_queue_create create = { 0 };
	const struct vgpu_ring_fence *fence;
	char *pages;
	double ns;

	need(!ioctl(device, VGPU_IOC_QUEUE_CREATE, &create), "QUEUE_CREATE");
	queue = shape.queue = create.queue;
	need(!ioctl(device, VGPU_IOC_RING_CREATE, &shape), "RING_CREATE");
	pages = mmap(NULL, shape.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device,
		     (off_t)shape.ring_offset);
	fence = mmap(NULL, VGPU_PAGE_SIZE, PROT_READ, MAP_SHARED, device,
		     (off_t)shape.fence_offset);
	need(pages != MAP_FAILED && fence != MAP_FAILED, "mmap");
	commands = (struct vgpu_cmd *)(pages + shape.commands);
	tail_word = (uint32_t *)pages;
	head_word = &fence->head;
	flags_word = &fence->flags;
	completed_word = (const uint64_t *)&fence->completed;
	tail = 0;
	ns = measure("mapped: a store", stores, 8 * ENTRIES, plain_ns, "a plain ring");
	measure("mapped: a NOP and its fence", store_and_complete, ROUND, plain_complete,
		"a plain ring");
	printf("mapped: a store is %.3f of a failing ioctl", ns / base);
	if (native > 0)
		printf(", natively about %.0f ns", ns / base * native);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct vgpu_queue_create create = { 0 };
	double complete, plain_ns;

	setvbuf(stdout, NULL, _IOLBF, 0);
	native = argc > 1 ? atof(argv[1]) : 0;
	device = open("/dev/vgpu", O_RDWR | O_CLOEXEC);
	base = measure("failing ioctl", failing_ioctl, ROUND, 0, NULL);
	if (device >= 0) {
		need(!ioctl(device, VGPU_IOC_QUEUE_CREATE, &create), "QUEUE_CREATE");
		queue = create.queue;
		measure("ioctl: submit a NOP", ioctl_submit, ROUND, base, "a failing ioctl");
		measure("ioctl: submit a NOP, wait", ioctl_submit_wait, ROUND, base,
			"a failing ioctl");
		batch = BATCH;
		measure("ioctl: a NOP of a batch of 32", ioctl_submit, ROUND * 4, base,
			"a failing ioctl");
		batch = 1;
	}
	bench_uring();
	plain_ns = bench_plain(&complete);
	if (device >= 0)
		bench_mapped(plain_ns, complete);
	return 0;
}
