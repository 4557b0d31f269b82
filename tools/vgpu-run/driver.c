// SPDX-License-Identifier: MIT
/*
 * vgpu-run: the device as root sees it, in sysfs and debugfs. What a mix needs of the driver is
 * made equal to the device that vgpu-sim would create: one is created here, in this process, to be
 * asked for the value of every knob.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "run.h"
#include "vgpu_policy.h"
#include "tools/netlink/client.h"

#define SYSFS		"/sys/class/vgpu/vgpu0/"
#define DEBUG_ROOT	"/sys/kernel/debug"
#define DEBUGFS		DEBUG_ROOT "/vgpu/0/"
#define TEXT_BYTES	4096
#define TRACE_MAGIC	8	/* bytes in front of the records */

/* What was there before. A clock that is empty was not touched. */
static char saved[VGPU_KNOBS_MAX][TEXT_BYTES];
static char saved_clock[TEXT_BYTES];
static int trace_fd = -1;

static int fail_with(char *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail_with(char *message, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, WL_MESSAGE_BYTES, format, args);
	va_end(args);
	return -1;
}

/* ---- files -------------------------------------------------------------- */

/* The text of a file, without the newline. A negative errno when there is none. */
static int read_text(const char *folder, const char *name, char *text)
{
	char path[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, TEXT_BYTES - 1);
	close(fd);
	if (n < 0)
		return -errno;
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return 0;
}

static int write_text(const char *folder, const char *name, const char *text)
{
	char path[256];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* A list shows every choice and marks the active one: just that one. */
static void active(char *text)
{
	char *open = strchr(text, '['), *end;

	if (!open)
		return;
	end = strchr(open, ']');
	if (end)
		*end = 0;
	memmove(text, open + 1, strlen(open + 1) + 1);
}

static int read_u64(const char *folder, const char *name, u64 *value, char *message)
{
	char text[TEXT_BYTES];
	int err = read_text(folder, name, text);

	if (err)
		return fail_with(message, "%s%s: %s", folder, name, strerror(-err));
	*value = strtoull(text, NULL, 10);
	return 0;
}

/* ---- begin and end ------------------------------------------------------ */

static int check_there(char *message)
{
	char text[TEXT_BYTES];
	u64 contexts;

	if (access(RUN_DEVICE, F_OK)) {
		fail_with(message, RUN_DEVICE
		    " does not exist: load the module (make modules && "
		    "insmod build/KERNEL/vgpu.ko), "
		    "or run this in a guest (tools/vgpu-vm -- vgpu-run ...)");
		return CLIENT_ABSENT;
	}
	if (read_text(SYSFS, "clock", text))
		return fail_with(
			message, SYSFS
			"clock does not exist: the module is of an older build, load the one of "
			"this build");
	if (geteuid()) {
		fail_with(message, "only root may set the knobs of a device: run vgpu-run as root");
		return CLIENT_FORBIDDEN;
	}
	/* Once mounted it stays, as with any other tool that needs it. */
	if (access(DEBUGFS "counts", F_OK) && mount("debugfs", DEBUG_ROOT, "debugfs", 0, NULL) &&
	    errno != EBUSY)
		return fail_with(message,
				 DEBUGFS " does not exist: mount -t debugfs none " DEBUG_ROOT);
	if (read_u64(SYSFS, "context_count", &contexts, message))
		return -1;
	if (contexts)
		return fail_with(message,
			   "%llu context%s of " RUN_DEVICE
			   " %s open: vgpu-run needs exclusive use of it (" SYSFS
			   "contexts/ shows the processes)",
			   (unsigned long long)contexts, contexts == 1 ? "" : "s",
			   contexts == 1 ? "is" : "are");
	return 0;
}

static int prepare_devices(char *message)
{
	const char *name;
	unsigned int i;
	int err = check_there(message);

	if (err)
		return err;
	for (i = 0; i < VGPU_KNOBS_MAX && (name = vgpu_device_knob_name(i)); i++) {
		err = read_text(SYSFS, name, saved[i]);
		if (err)
			return fail_with(
				message,
				SYSFS
				"%s: %s: the module is of another build, load the one of this "
				"build",
				name, strerror(-err));
		active(saved[i]);
	}
	err = read_text(SYSFS, "clock", saved_clock);
	active(saved_clock);
	if (!err)
		err = write_text(SYSFS, "clock", "lockstep");
	return err ? fail_with(message, SYSFS "clock: %s", strerror(-err)) : 0;
}

/*
 * Policies and mechanisms that modules have registered: the reference below takes their names, and
 * never runs.
 */
static void place_schedule(struct vgpu_exec *exec)
{
	(void)exec;
}

static void take_names(const char *knob, bool mechanisms)
{
	char text[TEXT_BYTES], *rest = text, *name;

	if (read_text(SYSFS, knob, text))
		return;
	while ((name = strsep(&rest, " \n")) != NULL) {
		struct vgpu_preemption *preemption;
		struct vgpu_policy *policy;

		name += *name == '[';
		name[strcspn(name, "]")] = 0;
		if (!*name ||
		    (mechanisms ? !!vgpu_preemption_find(name) : !!vgpu_policy_find(name)))
			continue;
		name = strdup(name);
		preemption = calloc(1, sizeof(*preemption));
		policy = calloc(1, sizeof(*policy));
		if (!name || !preemption || !policy)
			return;
		*preemption = (struct vgpu_preemption){ .name = name };
		*policy = (struct vgpu_policy){ .name = name, .schedule = place_schedule };
		if (mechanisms ? vgpu_preemption_add(preemption) : vgpu_policy_add(policy))
			return;
	}
}

int driver_begin(char *message)
{
	int status = prepare_devices(message);

	take_names("policy", false);
	take_names("preemption", true);

	return status < 0 ? CLIENT_USAGE : status;
}

void driver_end(void)
{
	const char *name;
	unsigned int i;

	if (trace_fd >= 0)
		close(trace_fd);
	trace_fd = -1;
	if (!saved_clock[0])
		return;
	for (i = 0; i < VGPU_KNOBS_MAX && (name = vgpu_device_knob_name(i)); i++)
		write_text(SYSFS, name, saved[i]);
	write_text(SYSFS, "clock", saved_clock);
}

/* ---- the device that is asked for --------------------------------------- */

static void *no_frame(void *host, u32 context)
{
	(void)host;
	(void)context;
	return NULL;
}

/* As in replay.c: with the same words for what is wrong. */
static struct vgpu_device *create_reference(const struct wl_setup *setup, char *message)
{
	static const struct vgpu_host_ops ops = { .get_frame = no_frame };
	struct vgpu_device *dev;
	u32 i;
	int err;

	err = vgpu_device_create(&setup->config, &ops, NULL, &dev);
	if (err) {
		fail_with(message, "the device: %s",
		    err == -EINVAL ? vgpu_config_check(&setup->config) : strerror(-err));
		return NULL;
	}
	for (i = 0; i < setup->knob_count; i++) {
		const struct wl_setting *knob = &setup->knobs[i];
		char choices[WL_MESSAGE_BYTES / 2] = "";

		err = vgpu_device_knob_set(dev, knob->key, knob->value);
		if (!err)
			continue;
		if (err == -ENOENT) {
			fail_with(message, "%s: unknown field or knob",
			    knob->key);
		} else {
			vgpu_device_knob_get(dev, knob->key, choices, sizeof(choices));
			fail_with(message, "%s=%s: invalid value; it is now %s", knob->key,
			    knob->value, choices);
		}
		vgpu_device_destroy(dev);
		return NULL;
	}
	return dev;
}

static int set_knobs(struct vgpu_device *reference, char *message)
{
	char value[TEXT_BYTES];
	const char *name;
	unsigned int i;
	int err;

	for (i = 0; (name = vgpu_device_knob_name(i)); i++) {
		if (vgpu_device_knob_get(reference, name, value, sizeof(value)) < 0)
			continue;
		active(value);
		err = write_text(SYSFS, name, value);
		if (err)
			return fail_with(message,
				   SYSFS "%s: cannot set %s: %s; see the kernel log",
				   name, value, strerror(-err));
	}
	return 0;
}

/*
 * What no knob can change must be what is asked for, but for the size of the memory, on which no
 * time depends.
 */
static int compare_config(const struct vgpu_config *config, char *message)
{
	char there[TEXT_BYTES], wanted[TEXT_BYTES];
	const char *name;
	unsigned int i;
	int err;

	for (i = 0; (name = vgpu_config_field(i)); i++) {
		if (!strcmp(name, "vram_bytes") || !strcmp(name, "policy") ||
		    !strcmp(name, "preemption"))
			continue;
		err = read_text(SYSFS "config/", name, there);
		if (err)
			return fail_with(message,
					 SYSFS "config/%s: %s: the module is of another build",
					 name, strerror(-err));
		if (vgpu_config_get(config, name, wanted, sizeof(wanted)) < 0 ||
		    !strcmp(there, wanted))
			continue;
		if (!strcmp(name, "name"))
			return fail_with(
				message,
				RUN_DEVICE
				" is a %s and the job is for a %s: load the module with "
				"preset=%s, or "
				"give gpu=%s",
				there, wanted, wanted, there);
		return fail_with(message,
			   RUN_DEVICE
			   " has %s=%s and the job asks for %s: load the module with set=%s=%s",
			   name, there, wanted, name, wanted);
	}
	return 0;
}

/* What was selected when the mix began. */
static struct {
	const char *knob;
	char selected[TEXT_BYTES];
} chosen[] = { { .knob = "policy" }, { .knob = "preemption" } };

static void note_chosen(void)
{
	for (size_t i = 0; i < sizeof(chosen) / sizeof(*chosen); i++)
		if (!read_text(SYSFS, chosen[i].knob, chosen[i].selected))
			active(chosen[i].selected);
}

void driver_dropped(char *text, size_t bytes)
{
	char now[TEXT_BYTES];

	*text = 0;
	for (size_t i = 0; i < sizeof(chosen) / sizeof(*chosen); i++) {
		if (read_text(SYSFS, chosen[i].knob, now))
			continue;
		active(now);
		if (strcmp(now, chosen[i].selected) && !read_text(SYSFS, "dropped", now))
			snprintf(text, bytes, "%.*s", (int)bytes - 1, now);
	}
}

int driver_configure(const struct wl_setup *setup, char *message)
{
	struct vgpu_device *reference = create_reference(setup, message);
	int err;

	if (!reference)
		return -1;
	err = set_knobs(reference, message) ||
	      compare_config(vgpu_device_config(reference), message);
	vgpu_device_destroy(reference);
	note_chosen();
	return err ? -1 : 0;
}

/* ---- counts ------------------------------------------------------------- */

int driver_stats(struct vgpu_device_stats *stats, char *message)
{
	const char *name;
	unsigned int i;

	memset(stats, 0, sizeof(*stats));
	for (i = 0; (name = vgpu_sm_state_name(i)); i++)
		if (read_u64(SYSFS "sm_time_ps/", name, &stats->sm_time[i], message))
			return -1;
	return read_u64(SYSFS, "events", &stats->events, message);
}

int driver_latency_begin(char *message)
{
	int err = write_text(DEBUGFS, "preemptions", "0");

	return err ? fail_with(message, DEBUGFS "preemptions: %s", strerror(-err)) : 0;
}

int driver_latency(struct vgpu_latency *latency, char *message)
{
	FILE *file = fopen(DEBUGFS "preemptions", "r");
	unsigned long long count, total, max;
	unsigned int bucket;

	memset(latency, 0, sizeof(*latency));
	if (!file)
		return fail_with(message, DEBUGFS "preemptions: %s", strerror(errno));
	if (fscanf(file, "%llu %llu %llu", &count, &total, &max) == 3) {
		latency->count = count;
		latency->total_ps = total;
		latency->max_ps = max;
	}
	while (fscanf(file, "%u %llu", &bucket, &count) == 2)
		if (bucket < VGPU_LATENCY_BUCKETS)
			latency->buckets[bucket] = count;
	fclose(file);
	return 0;
}

/* ---- trace -------------------------------------------------------------- */

int driver_trace(bool on, char *message)
{
	char magic[sizeof(struct vgpu_trace_record)];	/* shorter reads are refused */
	int err = write_text(DEBUGFS, "trace_on", on ? "1" : "0");

	if (err)
		return fail_with(message, DEBUGFS "trace_on: %s", strerror(-err));
	if (!on || trace_fd >= 0)
		return 0;
	trace_fd = open(DEBUGFS "trace", O_RDONLY | O_CLOEXEC);
	if (trace_fd < 0 || read(trace_fd, magic, sizeof(magic)) != TRACE_MAGIC)
		return fail_with(message, DEBUGFS "trace: %s", strerror(errno));
	return 0;
}

static u64 trace_lost(void)
{
	char line[128];
	unsigned long long lost = 0;
	FILE *file = fopen(DEBUGFS "counts", "r");

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		sscanf(line, "trace_lost %llu", &lost);
	fclose(file);
	return lost;
}

int driver_trace_take(void (*take)(void *arg, const struct vgpu_trace_record *record), void *arg,
		      u64 *lost)
{
	static struct vgpu_trace_record records[4096];
	ssize_t n, i;

	while ((n = read(trace_fd, records, sizeof(records))) > 0)
		for (i = 0; i < n / (ssize_t)sizeof(*records); i++)
			take(arg, &records[i]);
	*lost = trace_lost();
	return n < 0 ? -1 : 0;
}
