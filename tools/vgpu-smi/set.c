// SPDX-License-Identifier: MIT
/*
 * vgpu-smi set: knobs of a device, priority, tokens and memory of a context or of all contexts of a
 * process. What is wrong the module says itself.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smi.h"

/** struct target - whose settings; context and pid are 0 where a device is meant */
struct target {
	uint32_t device, context, pid;
};

static int wrong(struct client *client, const char *what, const char *value)
{
	snprintf(client->error, sizeof(client->error), "%s%s; try vgpu-smi --help", what, value);
	return CLIENT_USAGE;
}

static bool number(const char *text, long long low, long long high, long long *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 10);
	return !errno && end != text && !*end && *value >= low && *value <= high;
}

/* Its file in sysfs; netlink has no attribute for it. */
static int set_budget(struct client *client, const struct target *target, uint32_t context,
		      const char *value)
{
	char path[128];
	FILE *file;
	long long n;
	bool failed;

	if (strcmp(value, "device") && !number(value, 0, INT64_MAX, &n))
		return wrong(client,
			     "memory_budget takes bytes of device memory, 0 for no limit, or "
			     "device, not ",
			     value);
	snprintf(path, sizeof(path), "/sys/class/vgpu/vgpu%u/contexts/%u/memory_budget",
		 target->device, context);
	file = fopen(path, "w");
	failed = !file || fputs(value, file) < 0;
	if ((!file || !fclose(file)) && !failed)
		return CLIENT_OK;
	snprintf(client->error, sizeof(client->error), "%s: %s", path, strerror(errno));
	return errno == EACCES || errno == EPERM ? CLIENT_FORBIDDEN : CLIENT_FAILED;
}

static int set_one(struct client *client, const struct target *target, uint32_t context,
		   const char *name, const char *value)
{
	long long n;

	if (!strcmp(name, "priority")) {
		if (!number(value, INT32_MIN, INT32_MAX, &n))
			return wrong(
				client,
				"priority takes a number, a higher one is more important, not ",
				value);
		return client_set_context(client, target->device, context, &(int32_t){ (int32_t)n },
					  NULL);
	}
	if (!strcmp(name, "tokens")) {
		if (!strcmp(value, "share"))
			n = UINT32_MAX;
		else if (!number(value, 0, 1024, &n))
			return wrong(client,
				     "tokens takes a number of SMs, 0 to 1024, or share, not ",
				     value);
		return client_set_context(client, target->device, context, NULL,
					  &(uint32_t){ (uint32_t)n });
	}
	if (!strcmp(name, "memory_budget"))
		return set_budget(client, target, context, value);
	return wrong(client,
		     "only priority, tokens and memory_budget of a context can be set, not ",
		     name);
}

/* A process may have opened the device several times. */
static int set_process(struct client *client, const struct target *target, const char *name,
		       const char *value)
{
	struct client_context *list;
	size_t count, found = 0;
	int status = client_contexts(client, (int)target->device, &list, &count);

	if (status)
		return status;
	for (size_t i = 0; i < count && !status; i++) {
		if (list[i].pid != target->pid)
			continue;
		found++;
		status = set_one(client, target, list[i].id, name, value);
	}
	free(list);
	if (!status && !found) {
		snprintf(client->error, sizeof(client->error),
			 "process %" PRIu32 " has no context on device %" PRIu32
			 "; vgpu-smi lists the processes with contexts",
			 target->pid, target->device);
		return CLIENT_FAILED;
	}
	return status;
}

static int apply_setting(struct client *client, const struct target *target, char *setting)
{
	char *value = strchr(setting, '=');
	long long n;

	if (!value || value == setting)
		return wrong(client, "a setting is NAME=VALUE, not ", setting);
	*value++ = 0;
	if (target->pid)
		return set_process(client, target, setting, value);
	if (target->context)
		return set_one(client, target, target->context, setting, value);
	if (!strcmp(setting, "sample_ms")) {
		if (!number(value, 0, VGPU_NL_SAMPLE_MS_MAX, &n))
			return wrong(
				client,
				"sample_ms takes milliseconds, 10 to 60000, or 0 to disable, not ",
				value);
		return client_set_samples(client, target->device, (uint32_t)n);
	}
	return client_set_knob(client, target->device, setting, value);
}

int set_command(struct client *client, int argc, char **argv)
{
	struct target target = { 0 };
	int opt, status = CLIENT_OK;
	long long n;

	/* getopt wants a name in front of the arguments: the command's */
	argc++;
	argv--;
	optind = 1;
	while ((opt = getopt(argc, argv, "+i:c:p:")) != -1) {
		if (opt == '?')
			return wrong(client, "set takes -i, -c and -p", "");
		if (!number(optarg, opt != 'i', opt == 'i' ? 15 : INT32_MAX, &n))
			return wrong(client, "a number is required, not ", optarg);
		*(opt == 'i' ? &target.device :
		  opt == 'c' ? &target.context :
			       &target.pid) = (uint32_t)n;
	}
	if (target.context && target.pid)
		return wrong(client, "either -c or -p", "");
	if (optind == argc)
		return wrong(client, "nothing to set: NAME=VALUE is missing", "");
	for (; optind < argc && !status; optind++)
		status = apply_setting(client, &target, argv[optind]);
	return status;
}
