// SPDX-License-Identifier: MIT
/*
 * Devices on demand: /sys/kernel/config/vgpu. Made, shaped, live, used, taken away, also while
 * somebody uses them; what cannot be is refused.
 */
#include "vgpu_client.h"
#include "vgpu_configfs.h"
#include "vgpu_log.h"

#define DEVICES	16

static void shapes(void)
{
	struct vgpu_device_info info;
	int small, large;

	CHECK_EQ(cfs_make("shape-a"), 0);
	CHECK_EQ(cfs_make("shape-a"), -EEXIST);
	CHECK_EQ(cfs_make("shape-b"), 0);
	CHECK(!strcmp(cfs_get("shape-a", "preset"), "v100"));
	CHECK(!strcmp(cfs_get("shape-a", "sms"), "80"));
	CHECK(!strcmp(cfs_get("shape-a", "live"), "0"));
	CHECK(!strcmp(cfs_get("shape-a", "dev_name"), ""));
	CHECK_EQ(cfs_put("shape-a", "sms", "3\n"), 0);
	CHECK_EQ(cfs_put("shape-a", "vram_bytes", "1048576"), 0);
	CHECK_EQ(cfs_put("shape-b", "preset", "a100"), 0);
	CHECK(!strcmp(cfs_get("shape-b", "sms"), "108"));
	CHECK_EQ(cfs_put("shape-b", "preset", "h100"), 0);
	CHECK(!strcmp(cfs_get("shape-b", "sms"), "132"));
	CHECK_EQ(cfs_put("shape-b", "preset", "gtx980\n"), 0);
	CHECK_EQ(cfs_put("shape-a", "live", "1"), 0);
	CHECK_EQ(cfs_put("shape-b", "live", "1"), 0);
	small = cfs_open("shape-a");
	large = cfs_open("shape-b");
	CHECK(small >= 0 && large >= 0);
	info = must_device_info(small);
	CHECK_EQ(info.sms, 3);
	CHECK_EQ(info.vram_bytes, 1048576);
	info = must_device_info(large);
	CHECK_EQ(info.sms, 16);
	CHECK(!strcmp(info.name, "gtx980"));
	/* each its own memory: what is mapped in one is not there in the other */
	CHECK_EQ(mem_map(small, 0x10000000, 1048576), 0);
	CHECK_EQ(mem_map(small, 0x20000000, 4096), -ENOMEM);
	CHECK_EQ(mem_map(large, 0x20000000, 4096), 0);
	close(small);
	close(large);
	CHECK_EQ(cfs_put("shape-a", "live", "0"), 0);
	CHECK(!strcmp(cfs_get("shape-a", "dev_name"), ""));
	CHECK_EQ(cfs_remove("shape-a"), 0);
	CHECK_EQ(cfs_remove("shape-b"), 0);	/* live and all */
}

static void refused(void)
{
	CHECK_EQ(cfs_make("bad"), 0);
	log_mark();
	CHECK_EQ(cfs_put("bad", "sms", "0"), -EINVAL);
	CHECK_EQ(cfs_put("bad", "sms", "many"), -EINVAL);
	CHECK(log_has("bad/sms does not take \"many\""));
	CHECK_EQ(cfs_put("bad", "preset", "gtx9000"), -EINVAL);
	CHECK(log_has("preset \"gtx9000\" is not known; it is one of: k20c"));
	CHECK(!strcmp(cfs_get("bad", "preset"), "v100"));
	CHECK_EQ(cfs_put("bad", "live", "perhaps"), -EINVAL);
	/* a name; what names there are is asked when it goes live */
	CHECK_EQ(cfs_put("bad", "policy", "luck"), 0);
	CHECK_EQ(cfs_put("bad", "live", "1"), -EINVAL);
	CHECK(log_has("bad makes no device: policy must be one of"));
	CHECK_EQ(cfs_put("bad", "policy", "fcfs"), 0);
	CHECK_EQ(cfs_put("bad", "vram_bytes", "4398046511104"), 0);
	log_mark();
	CHECK_EQ(cfs_put("bad", "live", "1"), -EINVAL);
	CHECK(log_has("vram_bytes is more than the memory of this machine"));
	CHECK_EQ(cfs_put("bad", "vram_bytes", "4194304"), 0);
	CHECK_EQ(cfs_put("bad", "live", "1"), 0);
	CHECK_EQ(cfs_put("bad", "live", "1"), 0);	/* it is */
	CHECK_EQ(cfs_put("bad", "sms", "5"), -EBUSY);
	CHECK_EQ(cfs_put("bad", "preset", "k20c"), -EBUSY);
	CHECK_EQ(cfs_remove("bad"), 0);
}

/* Taken away under its users: they go on, nobody else finds it, its number is free again. */
static void in_use(void)
{
	uint8_t data[8192], back[8192];
	char name[300];
	uint32_t queue;
	int fd;

	CHECK_EQ(cfs_make("busy"), 0);
	CHECK_EQ(cfs_put("busy", "live", "1"), 0);
	fd = cfs_open("busy");
	CHECK(fd >= 0);
	snprintf(name, sizeof(name), "/dev/%s", cfs_get("busy", "dev_name"));
	CHECK_EQ(cfs_put("busy", "live", "0"), -EBUSY);
	CHECK(!strcmp(cfs_get("busy", "live"), "1"));
	queue = must_queue(fd);
	CHECK_EQ(mem_map(fd, 0x10000000, sizeof(data)), 0);
	memset(data, 0x5a, sizeof(data));
	must_h2d(fd, queue, 0x10000000, data, sizeof(data));
	CHECK_EQ(cfs_remove("busy"), 0);
	CHECK(access(name, F_OK) && errno == ENOENT);
	must_d2h(fd, queue, back, 0x10000000, sizeof(back));
	CHECK(!memcmp(data, back, sizeof(data)));
	/* the next one may have the same number, and is another device */
	CHECK_EQ(cfs_make("busy"), 0);
	CHECK_EQ(cfs_put("busy", "sms", "2"), 0);
	CHECK_EQ(cfs_put("busy", "live", "1"), 0);
	CHECK_EQ(must_device_info(fd).sms, 80);
	close(fd);
	fd = cfs_open("busy");
	CHECK(fd >= 0);
	CHECK_EQ(must_device_info(fd).sms, 2);
	close(fd);
	CHECK_EQ(cfs_remove("busy"), 0);
}

/* As many as there are numbers, one of which is the module's own device. */
static void all_of_them(void)
{
	char device[32];
	int i, live = 0, ret = 0;

	for (i = 0; i < DEVICES + 1 && !ret; i++) {
		snprintf(device, sizeof(device), "many-%d", i);
		CHECK_EQ(cfs_make(device), 0);
		CHECK_EQ(cfs_put(device, "vram_bytes", "4194304"), 0);
		ret = cfs_put(device, "live", "1");
		live += !ret;
	}
	CHECK_EQ(ret, -ENOSPC);
	CHECK_EQ(live, DEVICES - 1);
	while (i--) {
		snprintf(device, sizeof(device), "many-%d", i);
		CHECK_EQ(cfs_remove(device), 0);
	}
}

/* Opened, used and killed while it comes and goes. */
static void coming_and_going(void)
{
	double end = seconds_now() + 2;
	unsigned int opened = 0;
	pid_t pid;

	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		for (;;) {
			int fd = open("/dev/vgpu1", O_RDWR | O_CLOEXEC);

			if (fd >= 0) {
				queue_create(fd);
				close(fd);
			}
		}
	}
	while (seconds_now() < end || opened <= 3) {
		CHECK_EQ(cfs_make("flicker"), 0);
		CHECK_EQ(cfs_put("flicker", "vram_bytes", "4194304"), 0);
		CHECK_EQ(cfs_put("flicker", "live", "1"), 0);
		usleep(rand() % 3000);
		CHECK_EQ(cfs_remove("flicker"), 0);
		opened++;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Nobody in particular makes, shapes or takes away nothing. */
static void unprivileged(void)
{
	int status;
	pid_t pid;

	cfs_must_make("mine");
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		CHECK(!setgid(65534) && !setuid(65534));
		CHECK_EQ(cfs_make("theirs"), -EACCES);
		CHECK_EQ(cfs_remove("mine"), -EACCES);
		CHECK(open(CONFIGFS "mine/live", O_WRONLY) < 0 && errno == EACCES);
		CHECK(!strcmp(cfs_get("mine", "live"), "1"));
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(cfs_remove("mine"), 0);
}

static const struct test tests[] = {
	{ "configfs: devices of different shapes at once", shapes },
	{ "configfs: what makes no device is refused", refused },
	{ "configfs: taken away while in use", in_use },
	{ "configfs: all numbers", all_of_them },
	{ "configfs: without privileges", unprivileged },
	{ "configfs: coming and going under a user", coming_and_going },
};

TESTS_MAIN(tests)
