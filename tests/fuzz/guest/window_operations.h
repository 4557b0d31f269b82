/* SPDX-License-Identifier: MIT */
/*
 * Operations on what the module shows beside its device: netlink, sysfs, debugfs, configfs; and how
 * what they left to others is put back.
 */
#ifndef FUZZ_WINDOW_OPERATIONS_H
#define FUZZ_WINDOW_OPERATIONS_H

#include "run.h"

#define TRACE_EVENTS	"/sys/kernel/tracing/events/vgpu/enable"
#define CONFIGFS	"/sys/kernel/config/vgpu/"
#define NAMES		3u		/* of devices of configfs */

/* ---- netlink ------------------------------------------------------------ */

static void netlink_begin(struct run *run)
{
	if (run->netlink >= 0)
		return;
	run->netlink = nl_open();
	run->family = nl_family(run->netlink, run->groups);
	request(&run->request, run->family, 0, 0);
}

static void op_netlink_attr(struct run *run, const struct op *op)
{
	static const char *const words[] = { "policy",
					     "preemption",
					     "watchdog_us",
					     "clock",
					     "fcfs",
					     "dss",
					     "npq",
					     "drain",
					     "switch",
					     "ppq-exclusive",
					     "transfer_policy",
					     "0",
					     "1000000",
					     "free",
					     "paced",
					     "-1",
					     "",
					     "nothing",
					     "timeout_ms",
					     "pin_timeout_ms",
					     "user_share",
					     "static",
					     "round-robin",
					     "lockstep",
					     "ppq-shared",
					     "drain-then-switch",
					     "flush",
					     "chimera",
					     "90" };
	struct request *r = &run->request;
	uint64_t raw[8];

	netlink_begin(run);
	if (r->head.nlmsg_len > 4096)
		return;
	switch (op->c & 3) {
	case 0:
		attr_u32(r, op->b & 63, op->x);
		return;
	case 1:
		attr_text(r, op->b & 63, words[op->x % ARRAY_SIZE(words)]);
		return;
	case 2:
		attr_u32(r, op->b & 63, small(op->x));
		return;
	default:
		for (size_t i = 0; i < ARRAY_SIZE(raw); i++)
			raw[i] = wide(op->x + (uint32_t)i);
		attr(r, (uint16_t)(op->b | (op->c & 4 ? 0x8000 : 0)), raw, op->y & 63);
	}
}

static void op_netlink_send(struct run *run, const struct op *op)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct request *r = &run->request;
	uint8_t bytes[8192];

	netlink_begin(run);
	((struct genlmsghdr *)NLMSG_DATA(&r->head))->cmd = op->b % (VGPU_NL_CMD_COUNT + 1);
	r->head.nlmsg_flags |= op->c & 1 ? NLM_F_DUMP : 0;
	if (op->y)
		r->bytes[NLMSG_HDRLEN + op->x % (r->head.nlmsg_len - NLMSG_HDRLEN)] ^= op->y;
	if (op->c & 2 && r->head.nlmsg_len > NLMSG_HDRLEN + 8)
		r->head.nlmsg_len -= op->z & 7;
	if (op->b % (VGPU_NL_CMD_COUNT + 1) == VGPU_NL_CMD_DEVICE_SET || op->y)
		*run->dirty = (struct dirty){ ~0u, run->dirty->config, true };
	sendto(run->netlink, r->bytes, r->head.nlmsg_len, MSG_DONTWAIT, (struct sockaddr *)&kernel,
	       sizeof(kernel));
	for (int i = 0; i < 8 && !(op->c & 8); i++)
		if (recv(run->netlink, bytes, sizeof(bytes), MSG_DONTWAIT) < 0)
			break;
	request(r, run->family, 0, 0);
}

static void op_netlink_join(struct run *run, const struct op *op)
{
	uint32_t group;

	netlink_begin(run);
	group = run->groups[op->b % GROUPS];
	setsockopt(run->netlink, SOL_NETLINK,
		   op->c & 1 ? NETLINK_DROP_MEMBERSHIP : NETLINK_ADD_MEMBERSHIP, &group,
		   sizeof(group));
}

/* ---- sysfs, debugfs, configfs ------------------------------------------- */

/* Not those of the kernel's own that every device has. */
static int ours(const struct dirent *entry)
{
	return visible(entry) && strcmp(entry->d_name, "power") && strcmp(entry->d_name, "uevent");
}

static struct paths paths;

static void paths_find(void)
{
	paths.count = 0;
	paths_add(&paths, SYSFS "/.", ours);
	paths_add(&paths, DEBUGFS, ours);
	if (paths.count < PATHS_MAX)
		strcpy(paths.path[paths.count++], TRACE_EVENTS);
}

/* Most of what comes and goes are the folders of contexts. */
static const char *path_of(uint32_t x)
{
	if (x >> 28 == 15)
		paths_find();
	return paths.count ? paths.path[(x & 0xfffffff) % paths.count] : "/dev/null";
}

static void value_of(char value[256], const char *path, uint32_t kind, uint32_t y)
{
	static const char *const words[] = { "fcfs",
					     "npq",
					     "ppq-exclusive",
					     "ppq-shared",
					     "dss",
					     "static",
					     "round-robin",
					     "drain",
					     "switch",
					     "drain-then-switch",
					     "flush",
					     "chimera",
					     "none",
					     "free",
					     "paced",
					     "k20c",
					     "gtx980",
					     "a100",
					     "h100",
					     "tanasic-ch6",
					     "",
					     "\n",
					     "x",
					     "-1",
					     "1",
					     "0",
					     "4194304",
					     "8388608",
					     "18446744073709551616",
					     "1,2",
					     "y",
					     "fuzz" };
	char text[4096], *word, *rest = text;
	uint32_t left;

	switch (kind % 4) {
	case 0:
		snprintf(value, 256, "%u", small(y));
		return;
	case 1:
		snprintf(value, 256, "%llu", (unsigned long long)wide(y));
		return;
	case 2:
		snprintf(value, 256, "%s", words[y % ARRAY_SIZE(words)]);
		return;
	default: /* one of the words that the file itself offers */
		strcpy(value, "1");
		if (file_read(path, text, sizeof(text)) <= 0)
			return;
		left = y % 16;
		while ((word = strsep(&rest, " \n[]"))) {
			if (*word)
				snprintf(value, 256, "%s", word);
			if (*word && !left--)
				return;
		}
	}
}

/* What the driver puts back. */
static void files_begin(void)
{
	paths_find();
	knobs_keep(&paths, "");
	/* endless kernels end */
	for (uint32_t i = 0; i < knob_count; i++)
		if (strstr(knobs[i].path, "/watchdog_us"))
			strcpy(knobs[i].value, "20");
}

/* A lockstep clock would stand still while this process does anything else than wait. */
static void op_file_write(struct run *run, const struct op *op)
{
	bool known = op->x < 1u << 16 && knob_count;
	const char *path = known ? knobs[op->x % knob_count].path : path_of(op->x);
	char value[256];

	value_of(value, path, op->b, op->y);
	if (strstr(value, "lockstep") && !(op->c & 1))
		return;
	for (uint32_t i = 0; i < knob_count; i++)
		if (!strcmp(knobs[i].path, path))
			run->dirty->knobs |= 1u << i;
	file_write(path, value);
}

static void config_path(char path[256], uint32_t name, const char *field)
{
	snprintf(path, 256, CONFIGFS "fuzz-%u%s%s", name % NAMES, field ? "/" : "",
		 field ? field : "");
}

static void op_config(struct run *run, const struct op *op)
{
	static const char *const fields[] = { "live",	   "system",	  "preset",
					      "sms",	   "policy",	  "preemption",
					      "hw_queues", "vram_bytes",  "clock_khz",
					      "dev_name",  "watchdog_ps", "shared_config" };
	char path[256], value[256], field[64];
	struct dirent **entries;
	int count;

	run->dirty->config = true;
	config_path(path, op->b, NULL);
	if (op->kind % OPS == OP_CONFIG_MAKE) {
		if (mkdir(path, 0755))
			return;
		config_path(path, op->b, "vram_bytes");
		file_write(path, "8388608");
		config_path(path, op->b, "system");
		if (op->c & 1)
			file_write(path, "fuzz");
		config_path(path, op->b, "live");
		if (!(op->c & 2))
			file_write(path, "1");
		return;
	}
	if (op->kind % OPS == OP_CONFIG_REMOVE) {
		if (rmdir(path))
			errno = 0;
		return;
	}
	snprintf(field, sizeof(field), "%s", fields[op->x % ARRAY_SIZE(fields)]);
	count = op->a & 1 ? scandir(path, &entries, ours, alphasort) : -1;
	for (int i = 0; i < count; i++) {
		if ((uint32_t)i == op->x % (uint32_t)count)
			snprintf(field, sizeof(field), "%.60s", entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	config_path(path, op->b, field);
	value_of(value, path, op->c, op->y);
	if (op->c & 0x80)
		file_read(path, value, sizeof(value));
	else
		file_write(path, value);
}

/* Samples are sent until somebody says otherwise. */
static void samples_stop(void)
{
	static struct request r;
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int fd = nl_open();

	request(&r, nl_family(fd, NULL), 0, VGPU_NL_CMD_DEVICE_SET);
	attr_u32(&r, VGPU_NL_A_DEVICE, 0);
	attr_u32(&r, VGPU_NL_A_SAMPLE_MS, 0);
	if (sendto(fd, r.bytes, r.head.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) <
	    0)
		errno = 0;
	close(fd);
}

static void dirty_restore(const struct dirty *dirty)
{
	char path[256];

	if (dirty->samples)
		samples_stop();
	for (uint32_t i = 0; dirty->config && i < NAMES; i++) {
		config_path(path, i, NULL);
		if (rmdir(path))
			errno = 0;
	}
	for (uint32_t i = 0; i < knob_count; i++)
		if (dirty->knobs >> i & 1)
			file_write(knobs[i].path, knobs[i].value);
}

#endif
