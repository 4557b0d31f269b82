// SPDX-License-Identifier: MIT
/*
 * Mapped queues: launches that are stores, fences that are loads, and a process that writes
 * whatever it likes, whenever it likes, into the ring. Only its own context may feel it.
 */
#include <pthread.h>

#include "vgpu_asm.h"
#include "vgpu_mapped.h"

#define ENTRIES		64u
#define US		1000000ull	/* virtual */

static struct mapped must_map(int fd, uint32_t queue)
{
	return must_map_ring(fd, queue, ENTRIES, PAGE);
}

static void ring_store(struct mapped *m, const struct vgpu_cmd *cmds, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		memcpy((void *)&m->commands[(m->tail + i) % ENTRIES], &cmds[i], sizeof(*cmds));
	m->tail += count;
	__atomic_store_n(&m->ring->tail, m->tail, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (m->fence->flags & VGPU_RING_ASLEEP)
		CHECK_EQ(ring_doorbell(m), 0);
}

static void must_complete(const struct mapped *m, uint64_t seq)
{
	double end = deadline(20);

	while (m->fence->completed < seq && seconds_now() < end)
		usleep(100);
	CHECK(m->fence->completed >= seq);
}

static void must_die(int fd, uint32_t reason)
{
	double end = deadline(20);

	while (!must_context_info(fd).dead && seconds_now() < end)
		usleep(1000);
	CHECK_EQ(must_context_info(fd).fault.reason, reason);
}

static void round_and_round(void)
{
	struct vgpu_cmd nops[ENTRIES];
	int fd = must_open();
	struct mapped m = must_map(fd, must_queue(fd));
	uint64_t seq = 0;

	for (uint32_t i = 0; i < ENTRIES; i++)
		nops[i] = cmd_nop();
	for (uint32_t i = 1; i <= 200; i++) {
		ring_store(&m, nops, i % ENTRIES + 1);
		seq += i % ENTRIES + 1;
		must_complete(&m, seq);
		CHECK_EQ(m.fence->head, m.tail);
		CHECK_EQ(m.fence->submitted, seq);
	}
	CHECK_EQ(wait_seq(fd, m.queue, seq, 0), 0);
	CHECK_EQ(wait_seq(fd, m.queue, seq + 1, 0), -EINVAL);
}

/*
 * Stores and ioctls of one queue in the order in which they were made; waits and polls see what
 * lies in the ring.
 */
static void in_order(void)
{
	uint32_t in[1] = { 5 }, out[2] = {};
	struct vgpu_cmd fill = cmd_fill(BASE, 7, 4, 1);
	struct vgpu_cmd copies[2] = { cmd_d2h(&out[0], BASE, 4), cmd_h2d(BASE, in, 4) };
	struct vgpu_cmd d2d = cmd_copy(VGPU_CMD_COPY_D2D, BASE + 64, BASE, 4),
			last = cmd_d2h(&out[1], BASE + 64, 4);
	int fd = must_open();
	struct mapped m = must_map(fd, must_queue(fd));

	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	for (uint64_t i = 0; i < 50; i++) {
		out[0] = out[1] = 0;
		ring_store(&m, &fill, 1);
		CHECK_EQ(must_submit(fd, m.queue, copies, 2), 5 * i + 3);
		ring_store(&m, &d2d, 1);
		CHECK_EQ(must_submit(fd, m.queue, &last, 1), 5 * i + 5);
		CHECK_EQ(wait_seq(fd, m.queue, 5 * i + 5, limit_ns(10)), 0);
		CHECK_EQ(out[0], 7);
		CHECK_EQ(out[1], 5);
	}
	ring_store(&m, &fill, 1);
	CHECK_EQ(wait_seq(fd, m.queue, 251, limit_ns(10)), 0);
}

/* Waits between rings in both directions, stored before what they wait for is taken. */
static void between_rings(void)
{
	struct vgpu_cmd fill[2] = { cmd_fill(BASE, 1, 4, 64), cmd_fill(BASE, 2, 4, 64) };
	int fd = must_open();
	struct mapped a = must_map(fd, must_queue(fd)), b = must_map(fd, must_queue(fd));
	uint32_t copies = must_queue(fd), out;

	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	for (uint64_t i = 0; i < 50; i++) {
		struct vgpu_cmd to_a = cmd_wait(a.queue, 2 * i + 1),
				to_b = cmd_wait(b.queue, 2 * i + 2);

		ring_store(&a, &fill[i & 1], 1);
		ring_store(&b, &to_a, 1);
		ring_store(&b, &fill[!(i & 1)], 1);
		ring_store(&a, &to_b, 1);
		must_complete(&a, 2 * i + 2);
		must_d2h(fd, copies, &out, BASE, 4);
		CHECK_EQ(out, i & 1 ? 1 : 2);
	}
}

static void launches(void)
{
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_affine(&p), module = must_load(fd, &p), out[32];
	struct mapped m = must_map(fd, must_queue(fd));
	struct vgpu_cmd cmd = cmd_launch(module, index, 1, 32, NULL, sizeof(struct affine_params));

	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	for (uint32_t round = 0; round < 20; round++) {
		struct affine_params params = { .out = BASE + 128 * round,
						.factor = round,
						.add = 3 };

		memcpy(m.params + 64 * round, &params, sizeof(params));
		cmd.launch.params = 64 * round;
		ring_store(&m, &cmd, 1);
	}
	for (uint32_t round = 0; round < 20; round++) {
		must_d2h(fd, m.queue, out, BASE + 128 * round, sizeof(out));
		for (uint32_t i = 0; i < 32; i++)
			CHECK_EQ(out[i], i * round + 3);
	}
	CHECK_EQ(must_context_info(fd).kernels, 20);
}

static void refused(void)
{
	struct vgpu_ring_create shape;
	struct vgpu_ring_doorbell doorbell = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	struct mapped m;

	CHECK_EQ(ring_create(fd, queue, 0, 0, &shape), -EINVAL);
	CHECK_EQ(ring_create(fd, queue, 4, 0, &shape), -EINVAL);
	CHECK_EQ(ring_create(fd, queue, 24, 0, &shape), -EINVAL);
	CHECK_EQ(ring_create(fd, queue, 2 * VGPU_RING_ENTRIES_MAX, 0, &shape), -EINVAL);
	CHECK_EQ(ring_create(fd, queue, 8, 100, &shape), -EINVAL);
	CHECK_EQ(ring_create(fd, queue, 8, VGPU_RING_PARAMS_MAX + PAGE, &shape), -EINVAL);
	CHECK_EQ(ring_create(fd, queue + 99, 8, 0, &shape), -ENOENT);
	doorbell.queue = queue;
	CHECK_EQ(call(fd, VGPU_IOC_RING_DOORBELL, &doorbell), -ENOENT);
	m = must_map(fd, queue);
	CHECK_EQ(ring_create(fd, queue, 8, 0, &shape), -EEXIST);
	doorbell.reserved = 1;
	CHECK_EQ(call(fd, VGPU_IOC_RING_DOORBELL, &doorbell), -EINVAL);
	shape = m.shape;
	CHECK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)shape.fence_offset) ==
	      MAP_FAILED);
	CHECK(mmap(NULL, shape.ring_bytes, PROT_READ, MAP_PRIVATE, fd, (off_t)shape.ring_offset) ==
	      MAP_FAILED);
	CHECK(mmap(NULL, shape.ring_bytes + PAGE, PROT_READ, MAP_SHARED, fd,
		   (off_t)shape.ring_offset) == MAP_FAILED);
	CHECK(mmap(NULL, shape.ring_bytes, PROT_READ, MAP_SHARED, fd,
		   (off_t)(shape.ring_offset + PAGE)) == MAP_FAILED);
	CHECK(mmap(NULL, shape.ring_bytes, PROT_READ, MAP_SHARED, fd, 1ll << 61) == MAP_FAILED);
	CHECK(mprotect((void *)m.fence, PAGE, PROT_READ | PROT_WRITE) < 0 && errno == EACCES);
	int self = open("/proc/self/mem", O_RDWR);
	uint64_t lie = 99;

	/* nor as a debugger would, nor by the device */
	CHECK(self >= 0 && pwrite(self, &lie, 8, (off_t)(uintptr_t)m.fence) < 0);
	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	CHECK_EQ(submit(fd, queue, (struct vgpu_cmd[]){ cmd_d2h((void *)m.fence, BASE, 8) }, 1,
			NULL),
		 -EFAULT);
	CHECK_EQ(m.fence->completed, 0);
	CHECK(mremap((void *)m.ring, shape.ring_bytes, 2 * shape.ring_bytes, MREMAP_MAYMOVE) ==
	      MAP_FAILED);
}

static void dies_of(const struct vgpu_cmd *cmd, uint32_t reason)
{
	struct vgpu_cmd nop = cmd_nop();
	int fd = must_open(), other = must_open();
	struct mapped m = must_map(fd, must_queue(fd)), beside = must_map(other, must_queue(other));
	struct vgpu_fence lost = { .queue = m.queue, .seq = 3 };
	struct vgpu_wait_any any = { .fences = (uintptr_t)&lost, .count = 1, .until = ~0ull };

	ring_store(&m, &nop, 1);
	if (cmd)
		ring_store(&m, cmd, 1);
	must_die(fd, reason);
	CHECK_EQ(m.fence->dead, reason);
	CHECK_EQ(must_context_info(fd).fault.queue, m.queue);
	ring_store(&m, &nop, 1);
	CHECK_EQ(wait_seq(fd, m.queue, 3, limit_ns(1)), -EIO);
	CHECK_EQ(call(fd, VGPU_IOC_WAIT_ANY, &any), -EIO);
	CHECK_EQ(submit(fd, m.queue, &nop, 1, NULL), -EIO);
	ring_store(&beside, &nop, 1);
	must_complete(&beside, 1);
	close(fd);
	close(other);
	munmap((void *)m.ring, m.shape.ring_bytes);
	munmap((void *)m.fence, PAGE);
	munmap((void *)beside.ring, m.shape.ring_bytes);
	munmap((void *)beside.fence, PAGE);
}

static void bad_commands(void)
{
	static uint64_t word;
	struct vgpu_cmd bad[] = {
		{ .op = 999 },
		{ .op = VGPU_CMD_NOP, .flags = 1 },
		{ .op = VGPU_CMD_NOP, .reserved = 1 },
		cmd_stamp(&word),
		cmd_h2d(BASE, &word, 8),
		cmd_d2h(&word, BASE, 8),
		cmd_launch(77, 0, 1, 32, NULL, 0),
		cmd_launch(1, 0, 1, 32, NULL, PAGE + 1),
		cmd_launch(1, 0, 1, 32, (void *)-8l, 16),
		cmd_launch(1, 0, 1, 32, (void *)PAGE, 8),
		cmd_wait(0, 1000),
		cmd_wait(12345, 0),
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		dies_of(&bad[i], VGPU_FAULT_COMMAND);
}

static void overrun(void)
{
	static const uint32_t steps[] = { ENTRIES + 1, 2 * ENTRIES, 0x7fffffff, 0x80000000,
					  0xffffffff };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		int fd = must_open();
		struct mapped m = must_map(fd, must_queue(fd));

		m.ring->tail += steps[i];
		CHECK_EQ(ring_doorbell(&m), 0);
		must_die(fd, VGPU_FAULT_RING);
	}
}

/* More than fits in flight: it stays in the ring and goes on when there is room. */
static void backpressure(void)
{
	struct vgpu_cmd slow = cmd_profiled(100000, US), nop = cmd_nop();
	int fd = must_open();
	struct mapped m = must_map(fd, must_queue(fd));
	struct vgpu_context_info info;
	double end = deadline(20);
	uint64_t stored = 1;

	ring_store(&m, &slow, 1);
	while (stored < VGPU_INFLIGHT_MAX + 100 && seconds_now() < end && m.fence->completed == 0) {
		if (m.tail - m.fence->head < ENTRIES) {
			ring_store(&m, &nop, 1);
			stored++;
		}
	}
	must_complete(&m, stored);
	info = must_context_info(fd);
	if (info.dead)
		printf("# reason %u, command %llu of %llu\n", info.fault.reason,
		       (unsigned long long)info.fault.seq, (unsigned long long)stored);
	CHECK_EQ(info.dead, 0);
}

struct scribbler {
	struct mapped *m;
	bool tail;
	volatile bool stop;
};

static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	uint64_t seed = 42;

	while (!s->stop) {
		uint64_t r = rnd(&seed);
		volatile uint64_t *word =
			(volatile uint64_t *)&s->m->commands[r % ENTRIES] + (r >> 32) % 8;

		*word = (r >> 40) & 1 ? rnd(&seed) : (r >> 48) % VGPU_CMD_COUNT;
		if (s->tail && (r & 0xfff) == 0)
			s->m->ring->tail = (uint32_t)(r >> 16);
	}
	return NULL;
}

/*
 * Another thread writes into the commands, the parameters and the tail while the device takes them.
 */
static void changed_underneath(void)
{
	int other = must_open();
	struct mapped beside = must_map(other, must_queue(other));
	struct vgpu_cmd nop = cmd_nop();
	uint64_t seq = 0;

	for (int round = 0; round < 40; round++) {
		int fd = must_open();
		struct mapped m = must_map(fd, must_queue(fd));
		struct scribbler s = { .m = &m, .tail = round & 1 };
		struct vgpu_cmd cmds[8];
		double end = seconds_now() + 0.1;
		pthread_t thread;

		CHECK_EQ(mem_map(fd, BASE, 16 * PAGE), 0);
		for (uint32_t i = 0; i < 8; i++)
			cmds[i] = i & 1 ? cmd_nop() : cmd_fill(BASE, i, 4, 64);
		CHECK(!pthread_create(&thread, NULL, scribble, &s));
		while (seconds_now() < end && !m.fence->dead)
			if (m.tail - m.fence->head <= ENTRIES - 8)
				ring_store(&m, cmds, 8);
		ring_store(&beside, &nop, 1);
		must_complete(&beside, ++seq);
		s.stop = true;
		pthread_join(thread, NULL);
		close(fd);
		munmap((void *)m.ring, m.shape.ring_bytes);
		munmap((void *)m.fence, PAGE);
	}
	CHECK_EQ(must_context_info(other).dead, 0);
}

/*
 * A mapping keeps the context, as a descriptor does; a child does not inherit it; the queue may go
 * before it.
 */
static void mapping_lives(void)
{
	struct vgpu_cmd nop = cmd_nop();
	int fd = must_open(), again = dup(fd), status;
	struct mapped m = must_map(fd, must_queue(fd));
	pid_t pid;

	ring_store(&m, &nop, 1);
	must_complete(&m, 1);
	pid = fork();
	if (!pid) {
		volatile uint32_t tail = m.ring->tail;

		_exit((int)tail);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	close(fd);
	CHECK_EQ(queue_destroy(again, m.queue), 0);
	m.ring->tail = 77;
	close(again);
	CHECK_EQ(count_of("contexts"), 1);
	munmap((void *)m.ring, m.shape.ring_bytes);
	CHECK_EQ(count_of("contexts"), 1);
	CHECK_EQ(m.fence->completed, 1);
	munmap((void *)m.fence, PAGE);
	CHECK_EQ(count_of("contexts"), 0);
}

static void killed(void)
{
	struct vgpu_cmd slow = cmd_profiled(1ull << 40, US);
	int status;

	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid) {
			int fd = must_open();
			struct mapped m = must_map(fd, must_queue(fd));

			for (;;)
				if (m.tail - m.fence->head < ENTRIES)
					ring_store(&m, &slow, 1);
		}
		usleep(50000);
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK_EQ(count_of("contexts"), 0);
	}
}

static const struct test tests[] = {
	{ "ring: stores and loads, round and round", round_and_round },
	{ "ring: stores and ioctls in one order", in_order },
	{ "ring: waits between rings", between_rings },
	{ "ring: launches with parameters", launches },
	{ "ring: shapes and mappings that are refused", refused },
	{ "ring: a bad command ends its context alone", bad_commands },
	{ "ring: a tail out of range ends its context", overrun },
	{ "ring: what does not fit in flight stays in the ring", backpressure },
	{ "ring: changed while the device reads it", changed_underneath },
	{ "ring: a mapping outlives descriptor and queue", mapping_lives },
	{ "ring: kill -9 while storing", killed },
};

TESTS_MAIN(tests)
