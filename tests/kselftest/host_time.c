// SPDX-License-Identifier: MIT
/*
 * What a context has used of the module's thread, in real time: it is charged to who computes, all
 * of it once, in sysfs, fdinfo and netlink. Nothing here depends on how fast the machine is: shares
 * are compared with each other, with the wall clock and with the processor time of the thread.
 */
#include "netlink_client.h"
#include "vgpu_asm.h"
#include "vgpu_clock.h"

struct used {
	double calls, execution;	/* seconds */
	double workers;			/* of execution, beside the thread */
};

static double file_seconds(uint32_t id, const char *name)
{
	char path[64], text[32];

	snprintf(path, sizeof(path), "contexts/%u/%s", id, name);
	read_text(path, text, sizeof(text));
	return (double)strtoull(text, NULL, 10) * 1e-9;
}

static struct used used_by(int fd)
{
	uint32_t id = must_context_info(fd).id;

	return (struct used){ .calls = file_seconds(id, "host_calls_ns"),
			      .execution = file_seconds(id, "host_execution_ns"),
			      .workers = file_seconds(id, "host_workers_ns") };
}

static double sum(struct used used)
{
	return used.calls + used.execution;
}

/* Processor time of the actor of vgpu0, seconds, to a hundredth. */
static double actor_seconds(void)
{
	unsigned long user, system;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", actor_pid());
	file = fopen(path, "r");
	/* of proc(5): its name is the second, in brackets; the times are the 14th and the 15th */
	CHECK(file && fscanf(file,
			     "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			     &user, &system) == 2);
	fclose(file);
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* ---- tests -------------------------------------------------------------- */

static int must_open_endless(uint32_t blocks)
{
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_endless(&p);
	struct vgpu_cmd cmd = cmd_launch(must_load(fd, &p), index, blocks, 256, NULL, 0);

	must_submit(fd, must_queue(fd), &cmd, 1);
	return fd;
}

/* Until the thread has had two seconds of a processor. */
static void let_it_run(void)
{
	double begin = actor_seconds(), end = deadline(60);

	while (actor_seconds() < begin + 2) {
		CHECK(seconds_now() < end);
		usleep(10000);
	}
}

static void computes(void)
{
	int idle = must_open(), busy;
	double cpu = actor_seconds(), wall = seconds_now(), all;
	struct used used, other;

	must_queue(idle);
	busy = must_open_endless(100);
	let_it_run();
	used = used_by(busy);
	other = used_by(idle);
	cpu = actor_seconds() - cpu;
	wall = seconds_now() - wall;
	all = sum(used) + sum(other);
	printf("# it computes: %.6f s of execution, %.6f s of calls; other: %.6f and %.6f\n",
	       used.execution, used.calls, other.execution, other.calls);
	printf("# the thread: %.6f s of a processor in %.6f s\n", cpu, wall);
	CHECK(used.execution > 0.9 * all);
	CHECK(other.execution == 0);
	CHECK(other.calls > 0 && used.calls > 0);
	CHECK(other.workers == 0);
	CHECK(all - used.workers <= wall);
	CHECK(all >= cpu / 4);
	close(busy);
	close(idle);
}

/* Both have an SM, and the same to do there. */
static void shares(void)
{
	double wall, all;
	struct used x, y;
	int a, b;

	CHECK_EQ(write_text("policy", "dss"), 0);
	a = must_open_endless(1);
	b = must_open_endless(1);
	wall = seconds_now();
	x = used_by(a);
	y = used_by(b);
	let_it_run();
	x.execution = used_by(a).execution - x.execution;
	y.execution = used_by(b).execution - y.execution;
	wall = seconds_now() - wall;
	all = x.execution + y.execution;
	CHECK_EQ(write_text("policy", "fcfs"), 0);
	printf("# alike: %.6f s and %.6f s of %.6f s\n", x.execution, y.execution, wall);
	CHECK(x.execution > all / 4 && y.execution > all / 4);
	CHECK(all <= wall + 0.01);
	close(a);
	close(b);
}

/* A context's copies count as its execution, and time goes on from where it was. */
static void copies(void)
{
	enum { BYTES = 4 << 20, ROUNDS = 20 };
	uint8_t *bytes = calloc(1, BYTES);
	int fd = must_open(), idle = must_open();
	uint32_t queue = must_queue(fd);
	double last = 0;

	CHECK(bytes);
	CHECK_EQ(mem_map(fd, BASE, BYTES), 0);
	for (int i = 0; i < ROUNDS; i++) {
		double now;

		must_h2d(fd, queue, BASE, bytes, BYTES);
		usleep(1000);
		now = used_by(fd).execution;
		CHECK(now > last);
		last = now;
	}
	printf("# %d copies of %d MiB: %.6f s\n", ROUNDS, BYTES >> 20, last);
	CHECK(used_by(idle).execution == 0);
	close(fd);
	close(idle);
	free(bytes);
}

static double fdinfo_seconds(int fd)
{
	char text[4096];

	must_fdinfo(fd, text, sizeof(text));
	return (double)fdinfo_ns(text, "vgpu-host-time:\t") * 1e-9;
}

static double netlink_seconds(int nl, uint16_t family, uint32_t id)
{
	static struct request r;
	static struct answer answer;
	const struct nlmsghdr *m;

	request(&r, family, 0, VGPU_NL_CMD_CONTEXT_GET);
	attr_u32(&r, VGPU_NL_A_DEVICE, 0);
	attr_u32(&r, VGPU_NL_A_CONTEXT, id);
	CHECK_EQ(nl_ask(nl, &r, &answer), 0);
	m = message(&answer, 0);
	CHECK(attr_of(m, VGPU_NL_A_HOST_CALLS) && attr_of(m, VGPU_NL_A_HOST_EXECUTION));
	return (double)(u64_of(m, VGPU_NL_A_HOST_CALLS) + u64_of(m, VGPU_NL_A_HOST_EXECUTION)) *
	       1e-9;
}

/* All say the same: what is read later is not less. */
static void everywhere(void)
{
	uint32_t groups[GROUPS], id;
	double at[4];
	int nl = nl_open(), fd = must_open_endless(100);
	uint16_t family = nl_family(nl, groups);

	id = must_context_info(fd).id;
	usleep(200000);
	at[0] = sum(used_by(fd));
	at[1] = fdinfo_seconds(fd);
	at[2] = netlink_seconds(nl, family, id);
	at[3] = sum(used_by(fd));
	printf("# sysfs %.6f, fdinfo %.6f, netlink %.6f, sysfs %.6f\n", at[0], at[1], at[2], at[3]);
	CHECK(at[0] > 0 && at[0] <= at[1] && at[1] <= at[2] && at[2] <= at[3]);
	close(fd);
	close(nl);
}

static const struct test tests[] = {
	{ "host_time: who computes is charged for it", computes },
	{ "host_time: two who compute alike", shares },
	{ "host_time: copies", copies },
	{ "host_time: sysfs, fdinfo and netlink", everywhere },
};

TESTS_MAIN(tests)
