// SPDX-License-Identifier: MIT
/*
 * /sys/class/vgpu/vgpu0: what the device is and its knobs, and debugfs: trace and counts.
 */
#include <dirent.h>
#include <sys/klog.h>

#include "vgpu_asm.h"

#define SYSFS	"/sys/class/vgpu/vgpu0/"
#define DEBUGFS	"/sys/kernel/debug/vgpu/0/"

static int read_text(const char *folder, const char *name, char *text, size_t size)
{
	char path[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s%s", folder, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	close(fd);
	if (n < 0)
		return -errno;
	text[n] = 0;
	return (int)n;
}

static int write_text(const char *folder, const char *name, const char *text)
{
	char path[256];
	ssize_t n;
	int fd, ret = 0;

	snprintf(path, sizeof(path), "%s%s", folder, name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static void information(void)
{
	struct vgpu_device_info info;
	char text[256];
	int fd = must_open();

	info = must_device_info(fd);
	CHECK(read_text(SYSFS, "preset", text, sizeof(text)) > 1);
	CHECK(!strncmp(text, info.name, strlen(info.name)) && text[strlen(info.name)] == '\n');
	CHECK(read_text(SYSFS, "sms", text, sizeof(text)) > 0);
	CHECK_EQ(strtoul(text, NULL, 10), info.sms);
	CHECK(read_text(SYSFS, "vram_bytes", text, sizeof(text)) > 0);
	CHECK_EQ(strtoull(text, NULL, 10), info.vram_bytes);
	CHECK(read_text(SYSFS, "context_count", text, sizeof(text)) > 0);
	CHECK_EQ(strtoul(text, NULL, 10), 1);
	CHECK_EQ(write_text(SYSFS, "sms", "3\n"), -EACCES);
}

/* Every knob: reads, takes back what it says, refuses nonsense and says why in the log. */
static void knobs(void)
{
	static const char *const none[] = {
		"", "\n", "no such thing\n", "-1\n", "99999999999999999999999999\n", "0x\n"
	};
	static char log[1 << 20];
	char text[4096], value[4096];
	unsigned int count = 0;
	struct dirent *entry;
	DIR *dir = opendir(SYSFS);

	CHECK(dir);
	while ((entry = readdir(dir))) {
		char path[512], *open_bracket;
		int fd;

		snprintf(path, sizeof(path), SYSFS "%s", entry->d_name);
		if (entry->d_type != DT_REG || !strcmp(entry->d_name, "uevent"))
			continue;
		fd = open(path, O_WRONLY);
		if (fd < 0 || access(path, R_OK) || getuid())
			continue;
		close(fd);
		if (write_text(SYSFS, entry->d_name, "no such thing\n") != -EINVAL)
			/* root opens read-only attributes too: those say EIO or EACCES */
			continue;
		count++;
		CHECK(read_text(SYSFS, entry->d_name, text, sizeof(text)) > 0);
		CHECK(text[strlen(text) - 1] == '\n');
		strcpy(value, text);
		open_bracket = strchr(text, '[');
		if (open_bracket) {	/* a list: the active one */
			snprintf(value, sizeof(value), "%.*s\n",
				 (int)strcspn(open_bracket + 1, "]"), open_bracket + 1);
		}
		CHECK_EQ(write_text(SYSFS, entry->d_name, value), 0);
		for (size_t i = 1; i < ARRAY_SIZE(none); i++)
			CHECK_EQ(write_text(SYSFS, entry->d_name, none[i]), -EINVAL);
		CHECK(read_text(SYSFS, entry->d_name, value, sizeof(value)) > 0);
		CHECK(!strcmp(text, value));
	}
	closedir(dir);
	printf("# %u knobs\n", count);
	CHECK(count >= 3);
	CHECK(klogctl(3, log, sizeof(log) - 1) > 0);
	CHECK(strstr(log, "policy does not take \"no such thing\""));
}

static void watchdog_knob(void)
{
	char text[64];

	CHECK_EQ(write_text(SYSFS, "watchdog_us", "123456\n"), 0);
	CHECK(read_text(SYSFS, "watchdog_us", text, sizeof(text)) > 0);
	CHECK(!strcmp(text, "123456\n"));
	CHECK_EQ(write_text(SYSFS, "watchdog_us", "0"), 0);
	CHECK(read_text(SYSFS, "watchdog_us", text, sizeof(text)) > 0);
	CHECK(!strcmp(text, "0\n"));
}

static void permissions(void)
{
	CHECK(!setgid(65534) && !setuid(65534));
	CHECK_EQ(write_text(SYSFS, "policy", "fcfs\n"), -EACCES);
	CHECK_EQ(write_text(SYSFS, "watchdog_us", "1\n"), -EACCES);
}

static void trace(void)
{
	static struct vgpu_trace_record records[65536];
	struct program p = {};
	uint32_t seen[VGPU_TRACE_COUNT] = {};
	uint64_t last = 0;
	ssize_t n, have = 0;
	char magic[8], text[64];
	int fd, file;

	CHECK_EQ(write_text(DEBUGFS, "trace_on", "2"), -EINVAL);
	CHECK_EQ(write_text(DEBUGFS, "trace_on", "1"), 0);
	CHECK(read_text(DEBUGFS, "trace_on", text, sizeof(text)) > 0 && text[0] == '1');
	fd = must_open();
	kernel_affine(&p);
	CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
	must_compute(fd, must_queue(fd), must_load(fd, &p), 0, BASE, 10, 1, 2);
	close(fd);
	CHECK_EQ(write_text(DEBUGFS, "trace_on", "0"), 0);

	file = open(DEBUGFS "trace", O_RDONLY);
	CHECK(file >= 0);
	CHECK(read(file, magic, 7) < 0 && errno == EINVAL);
	n = read(file, records, sizeof(records[0]));
	CHECK(n == 8 && !memcmp(records, "VGPUTRC1", 8));
	while ((n = read(file, (char *)records + have, sizeof(records) - (size_t)have)) > 0)
		have += n;
	CHECK_EQ(n, 0);
	CHECK_EQ(have % (ssize_t)sizeof(records[0]), 0);
	for (ssize_t i = 0; i < have / (ssize_t)sizeof(records[0]); i++) {
		CHECK(records[i].type < VGPU_TRACE_COUNT);
		CHECK(records[i].time >= last);
		last = records[i].time;
		seen[records[i].type]++;
		if (records[i].type == VGPU_TRACE_CONTEXT_OPEN)
			CHECK_EQ(records[i].a, getpid());
	}
	CHECK_EQ(seen[VGPU_TRACE_CONTEXT_OPEN], 1);
	CHECK_EQ(seen[VGPU_TRACE_CONTEXT_CLOSE], 1);
	CHECK_EQ(seen[VGPU_TRACE_PUSH], 2);
	CHECK_EQ(seen[VGPU_TRACE_COMPLETE], 2);
	CHECK_EQ(seen[VGPU_TRACE_KERNEL_START], 1);
	CHECK_EQ(seen[VGPU_TRACE_KERNEL_END], 1);
	CHECK_EQ(seen[VGPU_TRACE_KERNEL_NAME], 1);
	CHECK_EQ(seen[VGPU_TRACE_BLOCK_START], 10);
	CHECK_EQ(seen[VGPU_TRACE_BLOCK_END], 10);
	/* nothing more while it is off */
	close(must_open());
	CHECK_EQ(read(file, records, sizeof(records)), 0);
}

/* A ring that nobody reads loses the newest and counts them; the counts say so. */
static void trace_lost(void)
{
	struct vgpu_cmd cmds[VGPU_SUBMIT_MAX];
	int fd = must_open(), file;
	uint32_t queue = must_queue(fd);

	for (uint32_t i = 0; i < VGPU_SUBMIT_MAX; i++)
		cmds[i] = cmd_profiled(16384, 1000000);
	CHECK_EQ(write_text(DEBUGFS, "trace_on", "1"), 0);
	for (int i = 0; i < 40 && count_of("trace_lost") == 0; i++) {
		must_submit(fd, queue, cmds, 1);
		must_run(fd, queue, cmds, 1);
	}
	CHECK_EQ(write_text(DEBUGFS, "trace_on", "0"), 0);
	CHECK(count_of("trace_lost") > 0);
	CHECK_EQ(write_text(DEBUGFS, "trace_on", "1"), 0);
	CHECK_EQ(count_of("trace_lost"), 0);
	CHECK_EQ(write_text(DEBUGFS, "trace_on", "0"), 0);
	/* read to the end, which gives the ring's memory back */
	file = open(DEBUGFS "trace", O_RDONLY);
	CHECK(file >= 0);
	CHECK(read(file, cmds, sizeof(cmds)) == 8 && read(file, cmds, sizeof(cmds)) == 0);
}

static const struct test tests[] = {
	{ "sysfs: what the device is", information },
	{ "sysfs: knobs", knobs },
	{ "sysfs: the watchdog knob", watchdog_knob },
	{ "sysfs: permissions", permissions },
	{ "debugfs: trace", trace },
	{ "debugfs: a trace that nobody reads", trace_lost },
};

TESTS_MAIN(tests)
