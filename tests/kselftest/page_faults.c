// SPDX-License-Identifier: MIT
/*
 * Page faults of SMs, with lazy allocation: values are right, faults are counted, and a process
 * that is killed in the middle of them leaves nothing behind.
 */
#include <sys/wait.h>

#include "vgpu_asm.h"
#include "vgpu_files.h"

#define BLOCKS	1024u	/* of 128 threads, a word each: 512 KiB */
#define BYTES	(BLOCKS * 128u * 4)

static void knob(const char *path, const char *value, const char *expected)
{
	char text[128];

	file_write(path, value);
	CHECK(file_read(path, text, sizeof(text)) > 0);
	text[strcspn(text, "\n")] = 0;
	if (strcmp(text, expected)) {
		printf("# %s: \"%s\", not \"%s\"\n", path, text, expected);
		CHECK(false);
	}
}

static void be_lazy(const char *handler, const char *granule)
{
	knob(SYSFS "/allocation", "lazy", "eager [lazy]");
	knob(SYSFS "/fault_handler", handler, *handler == 'c' ? "[cpu] gpu" : "cpu [gpu]");
	knob(SYSFS "/fault_granule", granule, granule);
}

static void be_eager(void)
{
	knob(SYSFS "/allocation", "eager", "[eager] lazy");
	knob(SYSFS "/fault_handler", "cpu", "[cpu] gpu");
	knob(SYSFS "/fault_granule", "65536", "65536");
	knob(SYSFS "/block_switching", "0", "0");
	knob(SYSFS "/sm_on_fault", "preemptible", "[preemptible] stall");
}

struct user {
	int fd;
	uint32_t queue, module, index;
};

static struct user user_begin(void)
{
	struct program p = {};
	struct user u = { .fd = must_open() };

	u.queue = must_queue(u.fd);
	u.index = kernel_affine(&p);
	u.module = must_load(u.fd, &p);
	CHECK_EQ(mem_map(u.fd, BASE, BYTES), 0);
	return u;
}

static uint64_t faults_of(const struct user *u)
{
	return must_context_info(u->fd).account.page_faults;
}

/* ---- tests -------------------------------------------------------------- */

static void counted(void)
{
	static const struct {
		const char *handler, *granule;
		uint64_t faults;
	} ways[] = { { "cpu", "65536", BYTES / 65536 },
		     { "cpu", "4096", BYTES / 4096 },
		     { "gpu", "4096", BYTES / 4096 },
		     { "gpu", "2097152", 1 } };
	char text[4096], *line;

	for (uint32_t n = 0; n < ARRAY_SIZE(ways); n++) {
		struct user u;

		be_lazy(ways[n].handler, ways[n].granule);
		u = user_begin();
		must_compute(u.fd, u.queue, u.module, u.index, BASE, BLOCKS, 3, n);
		CHECK_EQ(faults_of(&u), ways[n].faults);
		CHECK(must_context_info(u.fd).account.page_fault_time > 0);
		must_fdinfo(u.fd, text, sizeof(text));
		line = strstr(text, "vgpu-page_faults:");
		CHECK(line && strtoull(line + strlen("vgpu-page_faults:"), NULL, 10) ==
				      ways[n].faults);
		/* what is there is there */
		must_compute(u.fd, u.queue, u.module, u.index, BASE, BLOCKS, 5, n);
		CHECK_EQ(faults_of(&u), ways[n].faults);
		/* mapped anew it is not */
		CHECK_EQ(mem_unmap(u.fd, BASE, BYTES), 0);
		CHECK_EQ(mem_map(u.fd, BASE, BYTES), 0);
		must_compute(u.fd, u.queue, u.module, u.index, BASE, BLOCKS, 7, n);
		CHECK_EQ(faults_of(&u), 2 * ways[n].faults);
		close(u.fd);
	}
	be_eager();
}

static void refused(void)
{
	knob(SYSFS "/allocation", "sometimes", "[eager] lazy");
	knob(SYSFS "/fault_handler", "test", "[cpu] gpu");
	knob(SYSFS "/fault_granule", "5000", "65536");
	knob(SYSFS "/fault_granule", "2048", "65536");
	knob(SYSFS "/evictor", "random", "[fifo] lru clock");
	knob(SYSFS "/eviction_unit", "8192", "4096");
	knob(SYSFS "/managed_share", "0", "100");
	knob(SYSFS "/prefetcher", "all", "[none] granule tree");
	knob(SYSFS "/sm_on_fault", "waits", "[preemptible] stall");
	knob(SYSFS "/block_switching", "2", "0");
	knob(SYSFS "/extra_blocks", "65", "4");
	knob(SYSFS "/ideal_switch", "on", "0");
}

static void compute_for_ever(uint32_t seed)
{
	struct user u = user_begin();

	for (uint32_t n = 0;; n++) {
		must_compute(u.fd, u.queue, u.module, u.index, BASE, BLOCKS, seed, n);
		CHECK_EQ(mem_unmap(u.fd, BASE, BYTES), 0);
		CHECK_EQ(mem_map(u.fd, BASE, BYTES), 0);
	}
}

/* The bystander's values are right whoever dies, and whatever the knobs are. */
static void killed(void)
{
	uint64_t random = 7;
	struct user u;

	be_lazy("cpu", "4096");
	u = user_begin();
	for (uint32_t round = 0; round < 20; round++) {
		pid_t child = fork();

		CHECK(child >= 0);
		if (!child) {
			compute_for_ever(round);
			_exit(1);
		}
		for (uint32_t n = 0; n < 1 + round % 3; n++) {
			file_write(SYSFS "/fault_handler", rnd(&random) & 1 ? "cpu" : "gpu");
			file_write(SYSFS "/allocation", rnd(&random) & 3 ? "lazy" : "eager");
			file_write(SYSFS "/block_switching", rnd(&random) & 1 ? "1" : "0");
			file_write(SYSFS "/sm_on_fault",
				   rnd(&random) & 3 ? "preemptible" : "stall");
			must_compute(u.fd, u.queue, u.module, u.index, BASE, BLOCKS, round, n);
			CHECK_EQ(mem_unmap(u.fd, BASE, BYTES), 0);
			CHECK_EQ(mem_map(u.fd, BASE, BYTES), 0);
		}
		kill(child, SIGKILL);
		CHECK_EQ(waitpid(child, NULL, 0), child);
	}
	be_eager();
}

static const struct test tests[] = {
	{ "page_faults: counted, by handler and granule", counted },
	{ "page_faults: values that knobs do not take", refused },
	{ "page_faults: killed in the middle", killed },
	{ "page_faults: eager again", be_eager },
};

int main(int argc, char **argv)
{
	return tests_main(argc, argv, tests, ARRAY_SIZE(tests));
}
