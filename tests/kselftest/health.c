// SPDX-License-Identifier: MIT
/*
 * Faults that root injects (docs/health.md): the context that is hit ends, with the XID in netlink,
 * in NVML's events and in the kernel's log; counters count; the device goes offline and comes back;
 * neighbours compute what they would, also while their blocks leave SMs. vgpu-smi does it all.
 */
#include <dlfcn.h>

#include "tools/nvml/nvml.h"
#include "vgpu_asm.h"
#include "vgpu_bystander.h"
#include "vgpu_log.h"

#define SMI	"build/tools/vgpu-smi"

static int smi(const char *words)
{
	char command[256];
	int status;

	fflush(stdout);
	snprintf(command, sizeof(command), SMI " %s >/tmp/smi.out 2>&1", words);
	status = system(command);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static bool smi_said(const char *what)
{
	char text[4096];
	FILE *file = fopen("/tmp/smi.out", "r");
	size_t size;

	CHECK(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = 0;
	fclose(file);
	if (!strstr(text, what))
		printf("# said: %s", text);
	return strstr(text, what);
}

/* The value of a statistic of device 0, by sysfs. */
static unsigned long long statistic(const char *name)
{
	unsigned long long value;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/vgpu/vgpu0/%s", name);
	file = fopen(path, "r");
	CHECK(file);
	CHECK_EQ(fscanf(file, "%llu", &value), 1);
	fclose(file);
	return value;
}

static void *nvml(const char *name)
{
	static void *library;
	void *found;

	if (!library)
		library = dlopen("build/libnvidia-ml.so.1", RTLD_NOW);
	CHECK(library);
	found = dlsym(library, name);
	CHECK(found);
	return found;
}

#define F(name)		((__typeof__(&name))nvml(#name))
#define MUST(call)	CHECK_EQ(call, NVML_SUCCESS)

static nvmlEventSet_t listen_for_xids(nvmlDevice_t *device)
{
	nvmlEventSet_t set;

	MUST(((nvmlReturn_t(*)(void))nvml("nvmlInit_v2"))());
	MUST(F(nvmlDeviceGetHandleByIndex_v2)(0, device));
	MUST(F(nvmlEventSetCreate)(&set));
	MUST(F(nvmlDeviceRegisterEvents)(*device, nvmlEventTypeXidCriticalError, set));
	return set;
}

static void must_hear(nvmlEventSet_t set, unsigned long long xid)
{
	nvmlEventData_t data;

	MUST(F(nvmlEventSetWait_v2)(set, &data, 30000));
	CHECK_EQ(data.eventType, nvmlEventTypeXidCriticalError);
	CHECK_EQ(data.eventData, xid);
}

/** struct user - a context that computes */
struct user {
	int fd;
	uint32_t queue, module, id;
};

static struct user user_new(void)
{
	struct program affine = {};
	struct user u = { .fd = must_open() };

	u.queue = must_queue(u.fd);
	kernel_affine(&affine);
	u.module = must_load(u.fd, &affine);
	CHECK_EQ(mem_map(u.fd, BASE, 64 * PAGE), 0);
	u.id = must_context_info(u.fd).id;
	return u;
}

static void user_computes(struct user *u)
{
	must_compute(u->fd, u->queue, u->module, 0, BASE, 8, 3, 1);
}

static void user_has_ended(struct user *u, enum vgpu_fault_reason reason)
{
	struct vgpu_cmd nop = cmd_nop();
	struct vgpu_context_info info = must_context_info(u->fd);

	CHECK_EQ(info.dead, 1);
	CHECK_EQ(info.fault.reason, reason);
	CHECK_EQ(submit(u->fd, u->queue, &nop, 1, NULL), -EIO);
	close(u->fd);
}

static void xids_are_heard(void)
{
	static const struct {
		unsigned int xid;
		enum vgpu_fault_reason reason;
	} ends[] = { { 13, VGPU_FAULT_ENGINE }, { 31, VGPU_FAULT_UNMAPPED },
		     { 43, VGPU_FAULT_ENGINE }, { 94, VGPU_FAULT_ECC } };
	struct user neighbour = user_new();
	unsigned long long before = statistic("xids");
	nvmlDevice_t device;
	nvmlEventSet_t set = listen_for_xids(&device);
	char words[64], line[128];

	for (size_t n = 0; n < ARRAY_SIZE(ends); n++) {
		struct user u = user_new();

		log_mark();
		snprintf(words, sizeof(words), "inject -c %u xid %u", u.id, ends[n].xid);
		CHECK_EQ(smi(words), 0);
		must_hear(set, ends[n].xid);
		snprintf(line, sizeof(line), "vgpu vgpu0: xid %u, pid %d, context %u ended",
			 ends[n].xid, (int)getpid(), u.id);
		CHECK(log_has(line));
		user_has_ended(&u, ends[n].reason);
		user_computes(&neighbour);
	}
	/* one that is only said */
	log_mark();
	CHECK_EQ(smi("inject xid 63"), 0);
	must_hear(set, 63);
	CHECK(log_has("vgpu vgpu0: xid 63: "));
	user_computes(&neighbour);
	CHECK_EQ(statistic("xids"), before + ARRAY_SIZE(ends) + 1);
	CHECK_EQ(statistic("last_xid"), 63);
	close(neighbour.fd);
	MUST(F(nvmlEventSetFree)(set));
}

static void memory_errors_are_counted(void)
{
	struct user neighbour = user_new(), u = user_new();
	unsigned long long corrected = statistic("ecc_corrected"), uncorrected, count;
	unsigned long long retired = statistic("retired_pages"), left = statistic("vram_free");
	nvmlDevice_t device;
	nvmlEventSet_t set = listen_for_xids(&device);
	char words[64];

	uncorrected = statistic("ecc_uncorrected");
	CHECK_EQ(smi("inject ecc corrected"), 0);
	MUST(F(nvmlDeviceGetTotalEccErrors)(device, NVML_MEMORY_ERROR_TYPE_CORRECTED,
					    NVML_VOLATILE_ECC, &count));
	CHECK_EQ(count, corrected + 1);
	user_computes(&u);
	snprintf(words, sizeof(words), "inject -c %u ecc uncorrected", u.id);
	CHECK_EQ(smi(words), 0);
	must_hear(set, 48);
	user_has_ended(&u, VGPU_FAULT_ECC);
	user_computes(&neighbour);
	MUST(F(nvmlDeviceGetMemoryErrorCounter)(device, NVML_MEMORY_ERROR_TYPE_UNCORRECTED,
						NVML_VOLATILE_ECC, NVML_MEMORY_LOCATION_DRAM,
						&count));
	CHECK_EQ(count, uncorrected + 1);
	CHECK_EQ(statistic("retired_pages"), retired + 1);
	CHECK_EQ(statistic("vram_free"), left + 64 * PAGE - PAGE);
	CHECK_EQ(smi("-q"), 0);
	CHECK(smi_said("ecc_uncorrected") || smi_said("ECC"));
	close(neighbour.fd);
	MUST(F(nvmlEventSetFree)(set));
}

static void off_the_bus_and_back(void)
{
	struct user one = user_new(), two = user_new();
	nvmlMemory_t memory;
	nvmlDevice_t device;
	nvmlEventSet_t set = listen_for_xids(&device);

	user_computes(&one);
	log_mark();
	CHECK_EQ(smi("inject offline"), 0);
	must_hear(set, 79);
	CHECK(log_has("vgpu vgpu0: xid 79, pid "));
	CHECK_EQ(open("/dev/vgpu0", O_RDWR), -1);
	CHECK_EQ(errno, ESHUTDOWN);
	CHECK_EQ(F(nvmlDeviceGetMemoryInfo)(device, &memory), NVML_ERROR_GPU_IS_LOST);
	CHECK_EQ(smi("inject xid 31"), 1);
	CHECK(smi_said("recover"));
	CHECK_EQ(smi("inject recover"), 0);
	CHECK(log_has("vgpu vgpu0: reset"));
	user_has_ended(&one, VGPU_FAULT_OFFLINE);
	user_has_ended(&two, VGPU_FAULT_OFFLINE);
	one = user_new();
	user_computes(&one);
	MUST(F(nvmlDeviceGetMemoryInfo)(device, &memory));
	close(one.fd);
	MUST(F(nvmlEventSetFree)(set));
}

/* A context with blocks that do not end on all SMs */
static int open_busy_everywhere(void)
{
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_endless(&p);
	struct vgpu_cmd cmd = cmd_launch(must_load(fd, &p), index, 208, 32, NULL, 0);

	must_submit(fd, must_queue(fd), &cmd, 1);
	return fd;
}

/* Two contexts take SMs from each other all the time; the one that is hit ends, again and again. */
static void while_blocks_leave(void)
{
	unsigned long long preemptions = statistic("preemptions");
	struct user neighbour = user_new();
	char words[64];

	CHECK_EQ(smi("set policy=round-robin preemption=switch time_slice_us=100"), 0);
	for (int round = 0; round < 5; round++) {
		struct user u = user_new();
		int fd = open_busy_everywhere();
		struct vgpu_context_info info = must_context_info(fd);

		for (int n = 0; n < 3; n++)
			user_computes(&neighbour);
		snprintf(words, sizeof(words), "inject -c %u hang", info.id);
		CHECK_EQ(smi(words), 0);
		info = must_context_info(fd);
		CHECK_EQ(info.fault.reason, VGPU_FAULT_WATCHDOG);
		user_computes(&neighbour);
		user_computes(&u);
		close(fd);
		close(u.fd);
	}
	close(neighbour.fd);
	CHECK(statistic("preemptions") > preemptions);
}

static void as_nobody(void)
{
	CHECK_EQ(smi("inject ecc corrected"), 4);
	CHECK(smi_said("CAP_SYS_ADMIN"));
}

static void who_may_not_and_what_is_wrong(void)
{
	unsigned long long corrected = statistic("ecc_corrected");

	unlink("/tmp/smi.out");
	as_user(65534, as_nobody);
	unlink("/tmp/smi.out");
	CHECK_EQ(statistic("ecc_corrected"), corrected);
	CHECK_EQ(smi("inject"), 2);
	CHECK(smi_said("inject takes xid"));
	CHECK_EQ(smi("inject xid 300"), 2);
	CHECK(smi_said("from 1 to 255"));
	CHECK_EQ(smi("inject ecc some"), 2);
	CHECK_EQ(smi("inject -c 4000000 xid 31"), 1);
	CHECK(smi_said("no such context"));
	CHECK_EQ(smi("inject hang"), 1);
	CHECK(smi_said("name a context"));
	CHECK_EQ(smi("inject -p 1 hang"), 1);
	CHECK(smi_said("has no context"));
}

static const struct test tests[] = {
	{ "health: XIDs are heard, and end a context or not", xids_are_heard },
	{ "health: errors of memory are counted", memory_errors_are_counted },
	{ "health: off the bus and back", off_the_bus_and_back },
	{ "health: while blocks leave SMs", while_blocks_leave },
	{ "health: who may not, and what is wrong", who_may_not_and_what_is_wrong },
};

TESTS_MAIN(tests)
