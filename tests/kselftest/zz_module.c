// SPDX-License-Identifier: MIT
/*
 * Loading and unloading the module itself; last, because it does. Unload is refused while a file is
 * open; wrong parameters are refused with a line that says what would be right. VGPU_MODULE names
 * the file of the module.
 */
#include <sys/stat.h>

#include "vgpu_asm.h"
#include "vgpu_log.h"
#include "vgpu_module.h"

static void in_use(void)
{
	int fd = must_open(), busy, trace;
	uint32_t queue;

	CHECK_EQ(module_remove(), -EAGAIN);
	must_queue(fd);
	close(fd);
	busy = must_open_busy(&queue);
	CHECK_EQ(module_remove(), -EAGAIN);
	close(busy);
	trace = open("/sys/kernel/debug/vgpu/0/trace", O_RDONLY);
	CHECK(trace >= 0);
	CHECK_EQ(module_remove(), -EAGAIN);
	close(trace);
}

static void again_and_again(void)
{
	/* whoever holds it last may need a moment to be gone */
	for (int i = 0; i < 5; i++) {
		struct program p = {};
		int fd;

		CHECK_EQ(module_remove(), 0);
		CHECK(access(DEVICE, F_OK));
		CHECK(access("/sys/class/vgpu", F_OK));
		CHECK(access("/sys/kernel/debug/vgpu", F_OK));
		CHECK_EQ(module_insert(""), 0);
		fd = must_open();
		kernel_affine(&p);
		CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
		must_compute(fd, must_queue(fd), must_load(fd, &p), 0, BASE, 10, 3, (uint32_t)i);
		close(fd);
	}
}

/* Somebody opens whatever is there and makes devices, the whole time. */
static pid_t start_eager(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	while (!pid) {
		int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

		if (fd >= 0) {
			queue_create(fd);
			close(fd);
		}
		if (!mkdir("/sys/kernel/config/vgpu/eager", 0755))
			rmdir("/sys/kernel/config/vgpu/eager");
		usleep(5000);
	}
	return pid;
}

/* Loading and unloading with users at the door: a load succeeds, an unload does sooner or later. */
static void eager_users(void)
{
	enum { USERS = 3 };
	double end = seconds_now() + 6;
	pid_t users[USERS];
	int ret = 0, loads = 0;

	for (int i = 0; i < USERS; i++)
		users[i] = start_eager();
	while (seconds_now() < end || !loads) {
		ret = module_remove();
		CHECK(!ret || ret == -EAGAIN || ret == -EWOULDBLOCK);
		if (ret)
			continue;
		CHECK_EQ(module_insert("devices=4 vram_mb=16"), 0);
		loads++;
	}
	for (int i = 0; i < USERS; i++) {
		CHECK(!kill(users[i], SIGKILL));
		CHECK(waitpid(users[i], NULL, 0) == users[i]);
	}
	rmdir("/sys/kernel/config/vgpu/eager");
	printf("# %d loads\n", loads);
	CHECK_EQ(module_remove(), 0);
	CHECK_EQ(module_insert(""), 0);
}

static void parameters_refused(void)
{
	static const struct {
		const char *parameters, *line;
	} wrong[] = {
		{ "preset=gtx9999", "preset \"gtx9999\" is not known; it is one of: k20c" },
		{ "preset=", "preset \"\" is not known" },
		{ "devices=0", "devices=0 is out of range; it is 1 to 16" },
		{ "devices=17", "devices=17 is out of range; it is 1 to 16" },
		{ "devices=many", "invalid for parameter `devices'" },
		{ "vram_mb=4000000", "vram_bytes is more than the memory of this machine" },
		{ "vram_mb=4000000000", "vram_bytes must be 4096..0x800000000000" },
		{ "vram_mb=-1", "invalid for parameter `vram_mb'" },
		{ "set=no_such_field=3", "set: unknown field \"no_such_field\"" },
		{ "set=sms", "\"sms\" is not of the form field=value" },
		{ "set=sms=0", "sms" },
		{ "set=sms=many", "set: sms does not take \"many\"" },
		{ "set=sms=4,clock_khz=", "set: clock_khz does not take" },
		{ "set=policy=nobody", "policy" },
		{ "trace_records=1000", "trace_records=1000 is not a power of two" },
		{ "workers=65", "workers=65 is out of range; it is 0 to 64, or -1" },
		{ "workers=-2", "workers=-2 is out of range" },
	};

	CHECK_EQ(module_remove(), 0);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		int ret;

		log_mark();
		ret = module_insert(wrong[i].parameters);
		if (ret != -EINVAL || !log_has(wrong[i].line))
			printf("# parameters %s\n", wrong[i].parameters);
		CHECK_EQ(ret, -EINVAL);
		CHECK(log_has(wrong[i].line));
		CHECK(access(DEVICE, F_OK));
	}
	CHECK_EQ(module_insert(""), 0);
}

static void parameters_taken(void)
{
	struct vgpu_device_info info;
	int fd, other;

	CHECK_EQ(module_remove(), 0);
	CHECK_EQ(module_insert(
			 "preset=gtx980 devices=16 vram_mb=64 set=sms=5,watchdog_ps=1000000000000"),
		 0);
	fd = must_open();
	info = must_device_info(fd);
	CHECK(!strcmp(info.name, "gtx980"));
	CHECK_EQ(info.sms, 5);
	CHECK_EQ(info.vram_bytes, 64 << 20);
	other = open("/dev/vgpu15", O_RDWR);
	CHECK(other >= 0);
	CHECK(access("/dev/vgpu16", F_OK));
	/* devices do not share anything */
	CHECK_EQ(mem_map(other, BASE, 64 << 20), 0);
	CHECK_EQ(mem_map(fd, BASE, 64 << 20), 0);
	CHECK_EQ(must_device_info(fd).contexts, 1);
	CHECK_EQ(module_remove(), -EAGAIN);
	close(fd);
	CHECK_EQ(module_remove(), -EAGAIN);
	close(other);
	CHECK_EQ(module_remove(), 0);
	CHECK_EQ(module_insert(""), 0);
}

/* More device memory than the machine can give: its user gets a fault, and nobody is killed. */
static void more_than_there_is(void)
{
	char parameters[64], line[128];
	unsigned long long total_kb = 0;
	uint64_t bytes;
	uint32_t queue;
	FILE *file = fopen("/proc/meminfo", "r");
	int fd, other;

	CHECK(file && fgets(line, sizeof(line), file) &&
	      sscanf(line, "MemTotal: %llu", &total_kb) == 1);
	fclose(file);
	if (total_kb > 4ull << 20)
		SKIP("this machine has so much memory that it would take too long");
	bytes = total_kb / 1024 << 20;
	snprintf(parameters, sizeof(parameters), "vram_mb=%llu", total_kb / 1024);
	CHECK_EQ(module_remove(), 0);
	CHECK_EQ(module_insert(parameters), 0);
	fd = must_open();
	other = must_open();
	queue = must_queue(fd);
	CHECK_EQ(mem_map(fd, BASE, bytes - (1 << 20)), 0);
	must_submit(fd, queue, (struct vgpu_cmd[]){ cmd_fill(BASE, 1, 1, bytes - (1 << 20)) }, 1);
	CHECK_EQ(wait_seq(fd, queue, 1, FOREVER), -EIO);
	CHECK_EQ(must_context_info(fd).dead, 1);
	CHECK_EQ(must_context_info(fd).fault.reason, VGPU_FAULT_NO_MEMORY);
	printf("# %lld of %llu MiB taken\n", count_of("host_frames") >> 8, total_kb / 1024);
	/* with its owner it is all there again */
	close(fd);
	CHECK_EQ(count_of("host_frames"), 0);
	CHECK_EQ(mem_map(other, BASE, 16 << 20), 0);
	must_run(other, must_queue(other), (struct vgpu_cmd[]){ cmd_fill(BASE, 1, 1, 16 << 20) },
		 1);
	close(other);
	CHECK_EQ(module_remove(), 0);
	CHECK_EQ(module_insert(""), 0);
}

static const struct test tests[] = {
	{ "module: unload while in use is refused", in_use },
	{ "module: unload and load again", again_and_again },
	{ "module: unload and load with users at the door", eager_users },
	{ "module: parameters that are refused", parameters_refused },
	{ "module: parameters that are taken", parameters_taken },
	{ "module: more device memory than there is", more_than_there_is },
};

TESTS_MAIN(tests)
