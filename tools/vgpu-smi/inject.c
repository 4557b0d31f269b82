// SPDX-License-Identifier: MIT
/*
 * vgpu-smi inject: faults for monitors to find (docs/health.md). What is wrong with a device or a
 * context the module says itself.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smi.h"

/** struct wish - what is to be injected, and whose */
struct wish {
	uint32_t device, context, pid, kind, xid;
};

static int wrong(struct client *client, const char *what, const char *value)
{
	snprintf(client->error, sizeof(client->error), "%s%s; try vgpu-smi --help", what, value);
	return CLIENT_USAGE;
}

static bool number(const char *text, uint32_t low, uint32_t high, uint32_t *value)
{
	char *end;
	unsigned long read = strtoul(text, &end, 10);

	*value = (uint32_t)read;
	return *text >= '0' && *text <= '9' && !*end && read >= low && read <= high;
}

static int read_xid(struct client *client, struct wish *wish, const char *value)
{
	wish->kind = VGPU_INJECT_XID;
	if (value && number(value, 1, VGPU_XID_MAX, &wish->xid))
		return CLIENT_OK;
	return wrong(client, "xid takes a number from 1 to 255, such as 31, not ",
		     value ? value : "nothing");
}

static int read_ecc(struct client *client, struct wish *wish, const char *value)
{
	if (value && !strcmp(value, "corrected"))
		wish->kind = VGPU_INJECT_ECC_CORRECTED;
	else if (value && !strcmp(value, "uncorrected"))
		wish->kind = VGPU_INJECT_ECC_UNCORRECTED;
	else
		return wrong(client, "ecc takes corrected or uncorrected, not ",
			     value ? value : "nothing");
	return CLIENT_OK;
}

/* The words behind the options */
static int read_kind(struct client *client, struct wish *wish, int count, char **words)
{
	static const struct {
		const char *name;
		uint32_t kind;
	} alone[] = {
		{ "offline", VGPU_INJECT_OFFLINE },
		{ "hang", VGPU_INJECT_HANG },
		{ "recover", VGPU_INJECT_RECOVER },
	};

	if (!count)
		return wrong(client, "inject takes xid, ecc, offline, hang or recover", "");
	if (count <= 2 && !strcmp(words[0], "xid"))
		return read_xid(client, wish, words[1]);
	if (count <= 2 && !strcmp(words[0], "ecc"))
		return read_ecc(client, wish, words[1]);
	for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
		if (count == 1 && !strcmp(words[0], alone[i].name)) {
			wish->kind = alone[i].kind;
			return CLIENT_OK;
		}
	return wrong(client, "inject takes xid N, ecc WHICH, offline, hang or recover, not ",
		     words[count - 1]);
}

/* The first context of a process on the device */
static int find_process(struct client *client, struct wish *wish)
{
	struct client_context *list;
	size_t count;
	int status = client_contexts(client, (int)wish->device, &list, &count);

	if (status)
		return status;
	for (size_t i = 0; i < count && !wish->context; i++)
		if (list[i].pid == wish->pid)
			wish->context = list[i].id;
	free(list);
	if (wish->context)
		return CLIENT_OK;
	snprintf(client->error, sizeof(client->error),
		 "process %" PRIu32 " has no context on device %" PRIu32
		 "; vgpu-smi lists the processes with contexts",
		 wish->pid, wish->device);
	return CLIENT_FAILED;
}

static int read_options(struct client *client, struct wish *wish, int argc, char **argv)
{
	int opt;

	optind = 1;
	while ((opt = getopt(argc, argv, "+:i:c:p:")) != -1) {
		uint32_t *value = opt == 'i' ? &wish->device :
				  opt == 'c' ? &wish->context :
					       &wish->pid;

		if (opt != 'i' && opt != 'c' && opt != 'p')
			return wrong(client, "inject takes -i, -c and -p, with a number each", "");
		if (!number(optarg, opt != 'i', UINT32_MAX, value))
			return wrong(client, "a number is needed, not ", optarg);
	}
	if (wish->context && wish->pid)
		return wrong(client, "a context or a process, not both", "");
	return read_kind(client, wish, argc - optind, argv + optind);
}

int inject_command(struct client *client, int argc, char **argv)
{
	struct wish wish = { 0 };
	/* getopt wants a name in front of the arguments: the command's */
	int status = read_options(client, &wish, argc + 1, argv - 1);

	if (!status && wish.pid)
		status = find_process(client, &wish);
	return status ? status :
			client_inject(client, wish.device, wish.kind, wish.xid, wish.context);
}
