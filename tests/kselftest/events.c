// SPDX-License-Identifier: MIT
/*
 * Trace events vgpu:* through tracefs, in an instance of its own: every event that a known run
 * causes, as often as it should, filters, and silence when they are off.
 */
#include <sys/stat.h>

#include "vgpu_asm.h"
#include "vgpu_configfs.h"

#define TRACEFS		"/sys/kernel/tracing/"
#define INSTANCE	TRACEFS "instances/vgpu-test/"
#define SYSFS		"/sys/class/vgpu/vgpu0/"

static char text[8 << 20];

static void write_text(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	printf("# %s > %s\n", value, path);
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, value, strlen(value)), strlen(value));
	close(fd);
}

static void read_trace(void)
{
	int fd = open(INSTANCE "trace", O_RDONLY);
	size_t have = 0;
	ssize_t n;

	CHECK(fd >= 0);
	while ((n = read(fd, text + have, sizeof(text) - 1 - have)) > 0)
		have += (size_t)n;
	CHECK_EQ(n, 0);
	text[have] = 0;
	close(fd);
}

/* Lines of the trace with event @name that also say @also. */
static unsigned int events(const char *name, const char *also)
{
	unsigned int count = 0;
	char *line, *end, word[64];

	snprintf(word, sizeof(word), " %s: ", name);
	for (line = text; *line; line = *end ? end + 1 : end) {
		char *found, *said;

		end = line + strcspn(line, "\n");
		found = strstr(line, word);
		said = also ? strstr(line, also) : found;
		count += found && found < end && said && said < end;
	}
	return count;
}

/* An instance that is new; who calls it may leave it behind when a check fails. */
static void instance(void)
{
	if (access(TRACEFS "events", F_OK))
		SKIP("tracefs is not mounted on " TRACEFS);
	rmdir(INSTANCE);
	CHECK(!mkdir(INSTANCE, 0700));
	write_text(INSTANCE "buffer_size_kb", "4096");
}

static void compute(int fd)
{
	struct program p = {};

	kernel_affine(&p);
	CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
	must_compute(fd, must_queue(fd), must_load(fd, &p), 0, BASE, 10, 1, 2);
}

static void a_run(void)
{
	char pid[32];
	int fd;

	instance();
	write_text(INSTANCE "events/vgpu/enable", "1");
	fd = must_open();
	compute(fd);
	close(fd);
	write_text(INSTANCE "events/vgpu/enable", "0");
	close(must_open());
	read_trace();
	snprintf(pid, sizeof(pid), "pid=%d", getpid());
	CHECK_EQ(events("context_open", NULL), 1);
	CHECK_EQ(events("context_open", pid), 1);
	CHECK_EQ(events("context_close", "fault=none"), 1);
	/* a launch, and the copy of its result */
	CHECK_EQ(events("queue_push", NULL), 2);
	CHECK_EQ(events("queue_push", "op=launch"), 1);
	CHECK_EQ(events("dispatch", NULL), 2);
	CHECK_EQ(events("complete", "op=copy_d2h"), 1);
	CHECK_EQ(events("copy_start", "op=copy_d2h"), 1);
	CHECK_EQ(events("copy_end", NULL), 1);
	CHECK_EQ(events("kernel_start", "blocks=10"), 1);
	CHECK_EQ(events("kernel_end", NULL), 1);
	CHECK_EQ(events("block_issue", NULL), 10);
	CHECK_EQ(events("block_end", NULL), 10);
	CHECK_EQ(events("policy_decision", "decision=admit"), 1);
	CHECK(events("policy_decision", "decision=assign") >= 1);
	CHECK_EQ(events("policy_decision", "decision=assign"), events("sm_setup", NULL));
	CHECK_EQ(events("fault", NULL), 0);
	CHECK(!rmdir(INSTANCE));
}

static void a_fault(void)
{
	struct vgpu_cmd cmd = cmd_fill(0xdead000, 1, 1, 4096);
	uint32_t queue;
	int fd;

	instance();
	write_text(INSTANCE "events/vgpu/fault/enable", "1");
	fd = must_open();
	queue = must_queue(fd);
	CHECK_EQ(wait_seq(fd, queue, must_submit(fd, queue, &cmd, 1), FOREVER), -EIO);
	close(fd);
	write_text(INSTANCE "events/vgpu/fault/enable", "0");
	read_trace();
	CHECK_EQ(events("fault", "reason=copy_unmapped address=0xdead000"), 1);
	CHECK_EQ(events("queue_push", NULL), 0);
	CHECK(!rmdir(INSTANCE));
}

/*
 * Preemption from request to restore: a kernel that would run for ever gives way to one that is
 * more important.
 */
static void a_preemption(void)
{
	static const char *const which[] = { "policy_decision", "preempt_request", "preempt_done",
					     "save_start",	"save_end",	   "restore_start",
					     "restore_end" };
	struct vgpu_context_priority priority = { .priority = 1 };
	struct vgpu_cmd back = cmd_profiled(1000000000, 2000000000),
			front = cmd_profiled(20, 1000000);
	unsigned int requests, reserved;
	int back_fd, front_fd;
	uint32_t queue;
	char path[256];

	instance();
	write_text(SYSFS "policy", "ppq-exclusive");
	write_text(SYSFS "preemption", "switch");
	for (size_t i = 0; i < ARRAY_SIZE(which); i++) {
		snprintf(path, sizeof(path), INSTANCE "events/vgpu/%s/enable", which[i]);
		write_text(path, "1");
	}
	back_fd = must_open();
	front_fd = must_open();
	CHECK_EQ(call(front_fd, VGPU_IOC_CONTEXT_PRIORITY, &priority), 0);
	must_submit(back_fd, must_queue(back_fd), &back, 1);
	queue = must_queue(front_fd);
	must_run(front_fd, queue, &front, 1);
	must_run(front_fd, queue, &front, 1);
	do {
		usleep(10000);
		read_trace();
	} while (!events("restore_end", NULL));
	close(back_fd);
	close(front_fd);
	write_text(INSTANCE "events/vgpu/enable", "0");
	/* Again, at rest: who reads while events come may miss some of them. */
	read_trace();
	write_text(SYSFS "policy", "fcfs");
	write_text(SYSFS "preemption", "none");
	CHECK(events("policy_decision", "decision=reserve") >= 1);
	/*
	 * An SM that is being restored is preempted at once, without a request; the close breaks
	 * restores off too.
	 */
	requests = events("preempt_request", NULL);
	reserved = events("policy_decision", "decision=reserve");
	CHECK(requests >= 1 && requests <= reserved);
	CHECK(reserved <= requests + events("restore_end", "broken off"));
	CHECK(events("preempt_done", NULL) >= 1);
	CHECK(events("save_start", NULL) >= 1);
	CHECK(events("save_end", NULL) >= 1);
	CHECK(events("restore_start", NULL) >= 1);
	CHECK(!rmdir(INSTANCE));
}

static void filters(void)
{
	int fd;

	instance();
	write_text(INSTANCE "events/vgpu/block_issue/filter", "block == 7");
	write_text(INSTANCE "events/vgpu/block_issue/enable", "1");
	fd = must_open();
	compute(fd);
	close(fd);
	read_trace();
	CHECK_EQ(events("block_issue", NULL), 1);
	CHECK_EQ(events("block_issue", "block=7 "), 1);
	write_text(INSTANCE "events/vgpu/enable", "0");
	CHECK(!rmdir(INSTANCE));
}

/* One fault, which the host serves in 12 us, and which the warps of ten blocks wait for. */
static void page_faults(void)
{
	char at[96];
	int fd;

	instance();
	write_text(SYSFS "allocation", "lazy");
	write_text(INSTANCE "events/vgpu/page_fault/enable", "1");
	write_text(INSTANCE "events/vgpu/page_fault_enter/enable", "1");
	write_text(INSTANCE "events/vgpu/page_fault_served/enable", "1");
	write_text(INSTANCE "events/vgpu/page_fault_cancelled/enable", "1");
	write_text(INSTANCE "events/vgpu/sm_warps/enable", "1");
	fd = must_open();
	compute(fd);
	close(fd);
	write_text(INSTANCE "events/vgpu/enable", "0");
	write_text(SYSFS "allocation", "eager");
	read_trace();
	snprintf(at, sizeof(at), " mapping=0x%llx address=0x%llx pages=16 in_flight=1\n", BASE,
		 BASE);
	CHECK_EQ(events("page_fault", NULL), 1);
	CHECK_EQ(events("page_fault", at), 1);
	snprintf(at, sizeof(at), " address=0x%llx pages=16 in_flight=0 latency=12000000", BASE);
	CHECK_EQ(events("page_fault_served", NULL), 1);
	CHECK_EQ(events("page_fault_served", at), 1);
	CHECK_EQ(events("page_fault_enter", NULL), 0);
	CHECK_EQ(events("page_fault_cancelled", NULL), 0);
	CHECK(events("sm_warps", " active=0 waiting=4") >= 1);
	CHECK(events("sm_warps", " active=0 waiting=0") >= 1);
	CHECK(!rmdir(INSTANCE));
}

/* ---- managed memory, on a device of 16 MiB ------------------------------- */

#define GRANULE		65536ull
#define VRAM		(16ull << 20)
#define OTHER		(BASE + (64ull << 20))	/* device memory */

/** struct managed_run - a context with managed memory: two granules more than there is room for */
struct managed_run {
	int fd;
	uint32_t queue, module;
	volatile uint32_t *words;
};

/* A kernel stores to the first words of granule @number. */
static void store(const struct managed_run *run, uint64_t number)
{
	struct affine_params params = { .out = BASE + number * GRANULE, .factor = 1 };
	struct vgpu_cmd cmd = cmd_launch(run->module, 0, 1, 128, &params, sizeof(params));

	must_run(run->fd, run->queue, &cmd, 1);
}

static struct managed_run managed_begin(void)
{
	struct program p = {};
	struct managed_run run;

	kernel_affine(&p);
	cfs_must_make("events");
	run.fd = cfs_open("events");
	CHECK(run.fd >= 0);
	CHECK_EQ(mem_map_managed(run.fd, BASE, VRAM + 2 * GRANULE), 0);
	run.words = managed_view(run.fd, NULL, BASE, VRAM + 2 * GRANULE, PROT_READ | PROT_WRITE);
	CHECK(run.words != MAP_FAILED);
	run.queue = must_queue(run.fd);
	run.module = must_load(run.fd, &p);
	write_text(INSTANCE "events/vgpu/enable", "1");
	return run;
}

/* No more events: the trace is read. */
static void managed_end(const struct managed_run *run)
{
	write_text(INSTANCE "events/vgpu/enable", "0");
	read_trace();
	CHECK(!munmap((void *)run->words, VRAM + 2 * GRANULE));
	close(run->fd);
	CHECK_EQ(cfs_remove("events"), 0);
	CHECK(!rmdir(INSTANCE));
}

/* As often as @count, and each time with these fields. */
static void event_is(const char *name, unsigned int count, const char *fields)
{
	printf("# %s, %u times\n", name, count);
	CHECK_EQ(events(name, NULL), count);
	CHECK_EQ(events(name, fields), count);
}

/* A granule goes there with all its data, and back with the page that the kernel wrote. */
static void migrations(void)
{
	struct managed_run run;
	char at[128];

	instance();
	run = managed_begin();
	run.words[0] = 5;
	store(&run, 0);
	CHECK_EQ(run.words[7], 7);
	managed_end(&run);
	snprintf(at, sizeof(at), " mapping=0x%llx address=0x%llx pages=16", BASE, BASE);
	event_is("page_fault", 1, at);
	event_is("host_fault", 1, at);
	event_is("page_fault_served", 1, " pages=16 in_flight=0 latency=");
	snprintf(at, sizeof(at), " address=0x%llx pages=16 latency=", BASE);
	event_is("host_fault_served", 1, at);
	CHECK_EQ(events("migrate_start", NULL), 2);
	CHECK_EQ(events("migrate_end", NULL), 2);
	for (uint32_t back = 0; back < 2; back++) {
		snprintf(at, sizeof(at), " address=0x%llx pages=16 bytes=%u direction=%s crosses=",
			 BASE, back ? 4096 : 65536, back ? "to_host" : "to_device");
		CHECK_EQ(events("migrate_start", at), 1);
		CHECK_EQ(events("migrate_end", at), 1);
	}
	CHECK_EQ(events("host_fault_cancelled", NULL), 0);
	CHECK_EQ(events("migrate_cancelled", NULL), 0);
	CHECK_EQ(events("prefetch", NULL), 0);
	CHECK_EQ(events("evict", NULL), 0);
}

/* A prefetch fills the device. The granule that came first goes; a kernel has written one page. */
static void prefetches_and_evictions(void)
{
	struct vgpu_cmd prefetch = { .op = VGPU_CMD_PREFETCH,
				     .prefetch = { BASE, VRAM, .to_device = 1 } };
	struct managed_run run;
	char at[128];

	instance();
	run = managed_begin();
	must_run(run.fd, run.queue, &prefetch, 1);
	store(&run, 0);
	store(&run, VRAM / GRANULE);
	prefetch.prefetch.address = BASE + GRANULE;
	prefetch.prefetch.bytes = GRANULE;
	prefetch.prefetch.to_device = 0;
	must_run(run.fd, run.queue, &prefetch, 1);
	managed_end(&run);
	CHECK_EQ(events("prefetch", NULL), VRAM / GRANULE + 1);
	CHECK_EQ(events("prefetch", " pages=16 direction=to_device"), VRAM / GRANULE);
	snprintf(at, sizeof(at), " mapping=0x%llx address=0x%llx pages=16 direction=to_host", BASE,
		 BASE + GRANULE);
	CHECK_EQ(events("prefetch", at), 1);
	CHECK_EQ(events("migrate_end", " bytes=0 direction=to_device"), VRAM / GRANULE + 1);
	CHECK_EQ(events("migrate_end", " bytes=0 direction=to_host"), 1);
	snprintf(at, sizeof(at), " address=0x%llx pages=16 in_flight=1\n", BASE + VRAM);
	event_is("page_fault", 1, at);
	snprintf(at, sizeof(at), " mapping=0x%llx address=0x%llx pages=16 bytes=4096\n", BASE,
		 BASE);
	event_is("evict", 1, at);
	event_is("write_back", 1, " bytes=4096\n");
	CHECK_EQ(events("host_fault", NULL), 0);
}

/* Device memory leaves no room: four faults that move nothing, then the store is made in place. */
static void pages_without_room(void)
{
	struct managed_run run;

	instance();
	run = managed_begin();
	CHECK_EQ(mem_map(run.fd, OTHER, VRAM), 0);
	store(&run, 0);
	CHECK_EQ(run.words[7], 7);
	managed_end(&run);
	event_is("page_fault_served", 4, " pages=16 ");
	event_is("migrate_cancelled", 4, " pages=16 bytes=0 direction=to_device crosses=0\n");
	CHECK_EQ(events("migrate_start", NULL), 0);
	CHECK_EQ(events("host_fault", NULL), 0);
}

static const struct test tests[] = {
	{ "events: a run", a_run },
	{ "events: a fault", a_fault },
	{ "events: a preemption", a_preemption },
	{ "events: filters", filters },
	{ "events: page faults", page_faults },
	{ "events: migrations", migrations },
	{ "events: prefetches and evictions", prefetches_and_evictions },
	{ "events: pages without room", pages_without_room },
};

TESTS_MAIN(tests)
