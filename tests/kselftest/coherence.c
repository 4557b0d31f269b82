// SPDX-License-Identifier: MIT
/*
 * What a device counts whose caches run a coherence protocol (docs/coherence.md): kernels of some
 * accesses, whose hits, leases, messages and stalls were counted on paper. sysfs, netlink and
 * vgpu-smi have to say so alike, netlink's counts by launch too, and vgpu-trace shows the messages.
 */
#include "netlink_client.h"
#include "vgpu_asm.h"
#include "vgpu_configfs.h"

#define NAME	"coherent-counts"
#define SMI	"build/tools/vgpu-smi"
#define TRACE	"build/tools/vgpu-trace"
#define FLAG	512	/* byte at which @told has its flag */

enum { LEASES, ATOMICS, TOLD };

static struct request r;
static struct answer answer;
static uint16_t family;
static int nl;

/* ---- kernels -------------------------------------------------------------- */

/*
 * One thread. With leases of ten units of logical time from its t on: X until t + 10, Y as well.
 * The store of Y makes the time t + 11, so that X is expired, and nobody has written it.
 */
static void kernel_leases(struct program *p)
{
	CHECK_EQ(kernel(p, "leases", 8), LEASES);
	ldp8(p, 0, 0);
	insn(p, VGPU_OP_LDG, SIZE_4, 2, 0, 0, 0, 0);	/* X: a miss */
	insn(p, VGPU_OP_LDG, SIZE_4, 3, 0, 0, 0, 128);	/* Y: a miss */
	insn(p, VGPU_OP_LDG, SIZE_4, 4, 0, 0, 0, 0);	/* a hit */
	insn(p, VGPU_OP_STG, SIZE_4, 0, 0, 2, 0, 128);
	insn(p, VGPU_OP_LDG, SIZE_4, 5, 0, 0, 0, 0);	/* expired, and renewed */
	finish(p);
}

/* Warps add to a word that is not in L2: the second waits for the fetch of the first. */
static void kernel_atomics(struct program *p)
{
	CHECK_EQ(kernel(p, "atomics", 8), ATOMICS);
	ldp8(p, 0, 0);
	insn(p, VGPU_OP_MOV, VGPU_F_IMM, 2, 0, 0, 0, 1);
	insn(p, VGPU_OP_ATOMG, VGPU_ATOM_ADD, 3, 0, 2, 0, 1024);
	finish(p);
}

/* Block 0 loads X and says so; block 1, on another SM, waits for that and stores to X. */
static void kernel_told(struct program *p)
{
	uint32_t begin, at;

	CHECK_EQ(kernel(p, "told", 8), TOLD);
	begin = p->insns;
	ldp8(p, 0, 0);
	sreg(p, 2, VGPU_SR_CTAID_X);
	insn(p, VGPU_OP_MOV, VGPU_F_IMM, 3, 0, 0, 0, 1);
	insn(p, VGPU_OP_MOV, VGPU_F_IMM, 4, 0, 0, 0, 0);
	insn(p, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 0, 2, 0, 0, 0);
	insn(p, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 1, 2, 0, 0, 0);
	insn(p, VGPU_OP_LDG, SIZE_4, 5, 0, 0, 0, 0);
	guard(p, 0);
	insn(p, VGPU_OP_ATOMG, VGPU_ATOM_ADD, 6, 0, 3, 0, FLAG);
	guard(p, 0);
	at = p->insns - begin;
	insn(p, VGPU_OP_ATOMG, VGPU_ATOM_ADD, 6, 0, 4, 0, FLAG);
	insn(p, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 2, 6, 0, 0, 0);
	insn(p, VGPU_OP_BRA, 0, 0, 0, 0, 0, (uint64_t)(at + 3) << 32 | at);
	guard(p, 2);
	insn(p, VGPU_OP_STG, SIZE_4, 0, 0, 3, 0, 0);
	guard(p, 1);
	finish(p);
}

/* ---- a device, and one kernel on it -------------------------------------- */

/* Two SMs with a block each, and its number. */
static uint32_t device_make(const char *protocol, const char *lease)
{
	CHECK_EQ(cfs_make(NAME), 0);
	CHECK_EQ(cfs_put(NAME, "preset", "rcc"), 0);
	CHECK_EQ(cfs_put(NAME, "coherence", protocol), 0);
	CHECK_EQ(cfs_put(NAME, "coherence_lease", lease), 0);
	CHECK_EQ(cfs_put(NAME, "sms", "2"), 0);
	CHECK_EQ(cfs_put(NAME, "blocks_per_sm", "1"), 0);
	CHECK_EQ(cfs_put(NAME, "kernel_statistics", "1"), 0);
	CHECK_EQ(cfs_put(NAME, "trace_pipeline", "1"), 0);
	CHECK_EQ(cfs_put(NAME, "vram_bytes", "16777216"), 0);
	CHECK_EQ(cfs_put(NAME, "live", "1"), 0);
	return (uint32_t)atoi(cfs_get(NAME, "dev_name") + strlen("vgpu"));
}

/* The memory has its page before: where a store brings one, lines of it are purged. */
static void run_one(const char *device, uint32_t index, uint32_t blocks, uint32_t threads)
{
	struct program p = {};
	uint32_t words[1024] = {};
	uint64_t params = BASE;
	struct vgpu_cmd launch;
	uint32_t queue;
	int fd = open(device, O_RDWR | O_CLOEXEC);

	CHECK(fd >= 0);
	kernel_leases(&p);
	kernel_atomics(&p);
	kernel_told(&p);
	queue = must_queue(fd);
	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	must_h2d(fd, queue, BASE, words, sizeof(words));
	launch = cmd_launch(must_load(fd, &p), index, blocks, threads, &params, sizeof(params));
	must_run(fd, queue, &launch, 1);
	must_d2h(fd, queue, words, BASE, sizeof(words));
	CHECK_EQ(words[256], index == ATOMICS ? threads : 0);
	CHECK_EQ(words[0], index == TOLD);
	close(fd);
}

static void device_runs(uint32_t number, uint32_t index, uint32_t blocks, uint32_t threads)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/vgpu%u", number);
	run_one(path, index, blocks, threads);
}

/* ---- three doors ---------------------------------------------------------- */

#define SAME_NAME(number, attribute, path, member, file, text) { #file, number },
static const struct {
	const char *name;
	uint16_t attribute;
} statistics[] = { VGPU_DEVICE_COUNTERS(SAME_NAME) };

#define STATISTICS	(sizeof(statistics) / sizeof(statistics[0]))

static unsigned long long by_sysfs(uint32_t number, const char *name)
{
	unsigned long long value;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/vgpu/vgpu%u/%s", number, name);
	file = fopen(path, "r");
	CHECK(file);
	CHECK_EQ(fscanf(file, "%llu", &value), 1);
	fclose(file);
	return value;
}

static unsigned long long by_netlink(uint16_t attribute)
{
	const struct nlattr *a = attr_of(message(&answer, 0), attribute);

	CHECK(a);
	if (a->nla_len == NLA_HDRLEN + 4)
		return *(const uint32_t *)attr_data(a);
	return u64_of(message(&answer, 0), attribute);
}

/* All statistics of the device by each door; save_area is in KiB for vgpu-smi */
static void doors_agree(uint32_t number)
{
	char command[4096];
	size_t used;
	FILE *smi;

	request(&r, family, 0, VGPU_NL_CMD_DEVICE_GET);
	attr_u32(&r, VGPU_NL_A_DEVICE, number);
	CHECK_EQ(nl_ask(nl, &r, &answer), 0);
	used = (size_t)snprintf(command, sizeof(command),
				SMI " -i %u --format=csv,noheader,nounits --query-gpu=", number);
	for (uint32_t i = 0; i < STATISTICS; i++)
		used += (size_t)snprintf(command + used, sizeof(command) - used, "%s%s",
					 i ? "," : "", statistics[i].name);
	CHECK(used < sizeof(command));
	fflush(stdout);
	smi = popen(command, "r");
	CHECK(smi);
	for (uint32_t i = 0; i < STATISTICS; i++) {
		unsigned long long value = by_sysfs(number, statistics[i].name), said;

		CHECK_EQ(fscanf(smi, i ? ", %llu" : "%llu", &said), 1);
		if (!strcmp(statistics[i].name, "save_area"))
			said <<= 10;
		if (value != said || value != by_netlink(statistics[i].attribute))
			printf("# %s: sysfs %llu, netlink %llu, vgpu-smi %llu\n",
			       statistics[i].name, value, by_netlink(statistics[i].attribute),
			       said);
		CHECK_EQ(said, value);
		CHECK_EQ(by_netlink(statistics[i].attribute), value);
	}
	CHECK_EQ(pclose(smi), 0);
}

/* A counter of the only launch that there was. */
static uint64_t of_launch(uint32_t number, enum vgpu_counter which)
{
	const struct nlattr *a;
	uint64_t value;

	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_COUNTS_GET);
	attr_u32(&r, VGPU_NL_A_DEVICE, number);
	attr_u32(&r, VGPU_NL_A_COUNTS_SCOPE, VGPU_NL_COUNTS_LAUNCH);
	CHECK_EQ(nl_ask(nl, &r, &answer), 0);
	CHECK_EQ(answer.messages, 1);
	a = attr_of(message(&answer, 0), VGPU_NL_A_COUNTERS);
	CHECK(a && a->nla_len == NLA_HDRLEN + 8 * VGPU_COUNTER_COUNT);
	memcpy(&value, (const uint8_t *)attr_data(a) + 8 * which, sizeof(value));
	return value;
}

static void setup(void)
{
	nl = nl_open();
	family = nl_family(nl, NULL);
	CHECK(family);
}

/* ---- tests ---------------------------------------------------------------- */

/* A message is a flit for its header and one for each 32 bytes of data, a line has 128. */
static void leases(void)
{
	uint32_t number = device_make("rcc", "10");

	setup();
	device_runs(number, LEASES, 1, 1);
	doors_agree(number);
	CHECK_EQ(by_sysfs(number, "l1_hits"), 1);
	CHECK_EQ(by_sysfs(number, "l1_misses"), 3);
	CHECK_EQ(by_sysfs(number, "l1_expired"), 1);
	CHECK_EQ(by_sysfs(number, "l1_renewed"), 1);
	CHECK_EQ(by_sysfs(number, "stores"), 1);
	CHECK_EQ(by_sysfs(number, "flits_request"), 3);
	CHECK_EQ(by_sysfs(number, "flits_load"), 2 * 5);
	CHECK_EQ(by_sysfs(number, "flits_renew"), 1);
	CHECK_EQ(by_sysfs(number, "flits_store"), 2 + 1);
	CHECK_EQ(by_sysfs(number, "flits_invalidate"), 0);
	/* time goes on by one every 10,000 cycles, too */
	CHECK(by_sysfs(number, "logical_time") >= 11);
	/* the table: 340 cycles at least for what L2 has, 460 for what DRAM has */
	CHECK(by_sysfs(number, "load_cycles") >= 2 * 460 + 340);
	CHECK(by_sysfs(number, "store_cycles") >= 300);
	CHECK_EQ(of_launch(number, VGPU_COUNT_L1_HITS), 1);
	CHECK_EQ(of_launch(number, VGPU_COUNT_L1_EXPIRED), 1);
	CHECK_EQ(of_launch(number, VGPU_COUNT_L1_RENEWED), 1);
	CHECK_EQ(of_launch(number, VGPU_COUNT_FLITS_LOAD), 2 * 5);
	CHECK_EQ(of_launch(number, VGPU_COUNT_FLITS_RENEW), 1);
	/* each access but the first waits for the one before it, the last for a store */
	CHECK_EQ(of_launch(number, VGPU_COUNT_SC_STALLS), 4);
	CHECK(of_launch(number, VGPU_COUNT_SC_STALL_WRITE_TIME) >= 300);
	CHECK(of_launch(number, VGPU_COUNT_SC_STALL_TIME) >=
	      2 * 460 + of_launch(number, VGPU_COUNT_SC_STALL_WRITE_TIME));
	CHECK(of_launch(number, VGPU_COUNT_LOGICAL_STEPS) >= 11);
	CHECK_EQ(cfs_remove(NAME), 0);
}

/* An L2 that waits for DRAM, for the end of a lease, and for another L1. */
static void stalls(void)
{
	uint32_t number = device_make("rcc", "10");

	setup();
	device_runs(number, ATOMICS, 1, 64);
	doors_agree(number);
	CHECK_EQ(by_sysfs(number, "atomics"), 2);
	CHECK(by_sysfs(number, "flits_atomic") >= 4);
	CHECK(by_sysfs(number, "l2_fetch_wait_cycles") > 0);
	CHECK_EQ(by_sysfs(number, "l2_lease_wait_cycles"), 0);
	CHECK_EQ(by_sysfs(number, "l2_ack_wait_cycles"), 0);
	CHECK_EQ(cfs_remove(NAME), 0);

	/* the store is at L2 some accesses later than the load, each of hundreds of cycles */
	number = device_make("tcs", "20000");
	device_runs(number, TOLD, 2, 1);
	doors_agree(number);
	CHECK(by_sysfs(number, "l2_lease_wait_cycles") > 10000);
	CHECK(by_sysfs(number, "l2_lease_wait_cycles") < 20000);
	CHECK(by_sysfs(number, "store_cycles") > by_sysfs(number, "l2_lease_wait_cycles"));
	CHECK_EQ(by_sysfs(number, "l2_ack_wait_cycles"), 0);
	CHECK_EQ(cfs_remove(NAME), 0);

	/* there and back are 40 cycles each; INV and its answer are a flit each */
	number = device_make("gpu-vi", "0");
	device_runs(number, TOLD, 2, 1);
	doors_agree(number);
	CHECK(by_sysfs(number, "l2_ack_wait_cycles") >= 80);
	CHECK_EQ(by_sysfs(number, "flits_invalidate"), 2);
	CHECK_EQ(by_sysfs(number, "l2_lease_wait_cycles"), 0);
	CHECK_EQ(cfs_remove(NAME), 0);
}

/* How often @what is in what @command prints. */
static uint32_t times_said(const char *command, const char *what)
{
	char line[4096];
	uint32_t count = 0;
	FILE *file;

	fflush(stdout);
	file = popen(command, "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		count += strstr(line, what) != NULL;
	CHECK_EQ(pclose(file), 0);
	return count;
}

static void messages(void)
{
	uint32_t number = device_make("rcc", "10");
	char command[512], self[256] = "";

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	fflush(stdout);
	snprintf(command, sizeof(command),
		 TRACE " record -i %u -o /tmp/coherence.trace -- %s --leases /dev/vgpu%u >%s",
		 number, self, number, "/dev/null");
	CHECK_EQ(system(command), 0);
	snprintf(command, sizeof(command), TRACE " --quiet --pipeline - /tmp/coherence.trace");
	CHECK_EQ(times_said(command, " GETS, DATA "), 2);
	CHECK_EQ(times_said(command, " GETS, RENEW "), 1);
	CHECK_EQ(times_said(command, " WRITE, ACK "), 1);
	snprintf(command, sizeof(command), SMI " counts -i %u -a", number);
	CHECK(times_said(command, "l1_renewed") > 0);
	CHECK(times_said(command, "sc_stalls") > 0);
	unlink("/tmp/coherence.trace");
	CHECK_EQ(cfs_remove(NAME), 0);
}

static const struct test tests[] = {
	{ "coherence: hits, leases and messages by sysfs, netlink and vgpu-smi", leases },
	{ "coherence: what L2 waits for", stalls },
	{ "coherence: the messages of accesses in a trace", messages },
};

/* As COMMAND of vgpu-trace record it runs a kernel on a device. */
int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--leases")) {
		run_one(argv[2], LEASES, 1, 1);
		return 0;
	}
	return tests_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
