/* SPDX-License-Identifier: MIT */
/*
 * vgpu-smi: contents page. What the devices are and do, once or every so often; and setting their
 * knobs.
 */
#ifndef SMI_H
#define SMI_H

#include "tools/netlink/client.h"

/**
 * struct view - one look at everything: devices, their contexts, and the devices a moment before,
 * for rates
 */
struct view {
	struct client_device *devices, *before;
	size_t device_count;
	struct client_context *contexts;
	size_t context_count;
};

/** struct csv - how --format wants it */
struct csv {
	bool no_header, no_units;
};

/* @before: the device @d of the view a moment ago, NULL: it was not there. */
const struct client_device *view_before(const struct view *view, const struct client_device *d);

/* table.c */
void table(const struct view *view);
void list(const struct view *view);
void full(const struct view *view);

/* query.c: fields, by names separated with commas. Exit status; complains by itself. */
int query_check(const char *fields, bool processes);
void query_header(const char *fields, bool processes, const struct csv *csv);
void query(const struct view *view, const char *fields, bool processes, const struct csv *csv);
void query_help(bool processes);

/* set.c, events.c: the commands; @argv begins behind the command's name. Exit status. */
int set_command(struct client *client, int argc, char **argv);
int events_command(struct client *client, int argc, char **argv);

#endif
