/* SPDX-License-Identifier: MIT */
/*
 * vgpu-smi: contents page. What the devices are and do, once or every so often; and setting their
 * knobs.
 */
#ifndef SMI_H
#define SMI_H

#include "tools/netlink/client.h"

/**
 * struct view - one look at everything: devices, their contexts, and what was there a moment
 * before, for rates
 * @before: the devices then, NULL: not known, or they are others
 * @time: when it was looked, seconds
 * @elapsed: since the look before, seconds
 */
struct view {
	struct client_device *devices, *before;
	size_t device_count;
	struct client_context *contexts, *contexts_before;
	size_t context_count, count_before;
	struct client_sm *sms;
	size_t sm_count;
	double time, elapsed;
};

/** struct csv - how --format wants it */
struct csv {
	bool no_header, no_units;
};

/* @before: the device @d of the view a moment ago, NULL: it was not there. */
const struct client_device *view_before(const struct view *view, const struct client_device *d);
/* Page faults of @c a second of real time since the look before; 0: it was not there. */
double view_faults(const struct view *view, const struct client_context *c);
/* The same, of its process for managed memory. */
double view_host_faults(const struct view *view, const struct client_context *c);

/*
 * Per cent of SM time in which SMs of @d were not idle, and of time in which its copy engine 0
 * transferred, since the look before; 0: not known.
 */
unsigned int view_utilization(const struct view *view, const struct client_device *d);
unsigned int view_copy_share(const struct view *view, const struct client_device *d);
/* Per cent of the SM time of its device since the look before that was @c's; 0: not known. */
double view_sm_share(const struct view *view, const struct client_context *c);
/*
 * Per cent of the warp instructions of its device since the look before that were of @c; 0: not
 * known.
 */
double view_issue_share(const struct view *view, const struct client_context *c);

#define SMI_LINE \
	"+-----------------------------------------------------------------------------+\n"

/* table.c */
void table(const struct view *view);
void list(const struct view *view);
void full(const struct view *view);

/* xml.c: all of it for programs, in nvidia-smi's elements */
void xml(const struct view *view);

/* monitor.c: lines of columns, again and again: of devices (dmon), of contexts (pmon) */
void dmon(const struct view *view, bool first);
void pmon(const struct view *view, bool first);

/* sharing.c: who has how much of each SM; in the table, only if several have an SM */
void sms(const struct view *view);
void shares(const struct view *view);

/* query.c: fields, by names separated with commas. Exit status; complains by itself. */
int query_check(const char *fields, bool processes);
void query_header(const char *fields, bool processes, const struct csv *csv);
void query(const struct view *view, const char *fields, bool processes, const struct csv *csv);
void query_help(bool processes);

/* set.c, events.c, counts.c: the commands; @argv begins behind the command's name. Exit status. */
int set_command(struct client *client, int argc, char **argv);
int inject_command(struct client *client, int argc, char **argv);
int events_command(struct client *client, int argc, char **argv);
int counts_command(struct client *client, int argc, char **argv);

#endif
