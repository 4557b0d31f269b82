/* SPDX-License-Identifier: MIT */
/*
 * What the tools ask of the module by netlink (docs/netlink.md), as structs. Every function that
 * fails leaves one line in client.error that says what to do, and returns the exit status that
 * fits.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu.h"
#include "vgpu_netlink.h"

/* Exit statuses of the tools. */
enum { CLIENT_OK, CLIENT_FAILED, CLIENT_USAGE, CLIENT_ABSENT, CLIENT_FORBIDDEN };
#define CLIENT_STATUS_HELP \
	"exit status: 0 success, 1 rejected or failed, 2 wrong usage, 3 no vgpu device, 4 not " \
	"permitted\n"

#define CLIENT_STATES	8	/* of an SM, at most */
#define CLIENT_KNOBS	64
#define CLIENT_SMS	1024

struct client_knob {
	char name[VGPU_NL_KNOB_BYTES];
	char value[VGPU_NL_VALUE_BYTES];	/* of a list: every choice, "[active]" */
};

/* Statistics of vgpu_stats.h: a member for each. */
#define CLIENT_STAT(number, name, path, member, file, text) uint64_t member;

struct client_device {
	uint32_t index, sample_ms;
	char name[32], preset[32], clock[16];
	VGPU_DEVICE_STATS(CLIENT_STAT)
	uint64_t vram_resident, lost;
	unsigned int state_count, knob_count;
	char state_name[CLIENT_STATES][16];
	uint64_t state_time[CLIENT_STATES];	/* picoseconds, summed over SMs */
	uint8_t sm_state[CLIENT_SMS];
	uint32_t sm_context[CLIENT_SMS];
	struct client_knob knobs[CLIENT_KNOBS];
};

/** struct client_context - @hidden: another user's, of which @pid, @fault and statistics are 0 */
struct client_context {
	uint32_t device, id, pid, tokens, fault;
	int32_t priority;
	bool hidden;
	uint64_t time, fault_address, inflight;
	VGPU_CONTEXT_STATS(CLIENT_STAT)
};

#define CLIENT_KERNELS	9	/* on an SM, at most */

/** struct client_part - what thread blocks take of an SM; @share: the dominant one, of 1 */
struct client_part {
	uint64_t blocks, registers, shared_bytes, warps;
	double share;
};

/** struct client_sm_kernel - on an SM; @hidden: another user's, nothing else is known of it */
struct client_sm_kernel {
	uint32_t context, launch;
	uint32_t partition;		/* most blocks, ~0: no limit */
	bool hidden;
	struct client_part has;
};

/** struct client_sm - an SM; @has: of all kernels together, hidden ones too */
struct client_sm {
	uint32_t device, number;
	char state[16];
	uint64_t shared_size;		/* bytes of shared memory it is set to, 0: it is empty */
	struct client_part has;
	unsigned int kernel_count;
	struct client_sm_kernel kernels[CLIENT_KERNELS];
};

/**
 * struct client_counts - what kernels did, of a launch, stream, context or SM (docs/statistics.md);
 * what that has not is 0
 */
struct client_counts {
	uint32_t device, scope, context, pid, queue, launch, sm;
	uint32_t sm_warps;		/* for which an SM has room */
	uint32_t fitting;		/* blocks that fit into an SM */
	uint32_t grid[3], block[3];
	bool complete;
	char kernel[VGPU_NL_KERNEL_BYTES];	/* empty: a profiled one */
	uint64_t launches, duration, preempted, started;
	uint64_t value[VGPU_COUNTER_COUNT];	/* ~0: it is not counted */
};

/* Real time of the module's thread for @context, nanoseconds. */
static inline uint64_t client_host_time(const struct client_context *context)
{
	return context->host_calls + context->host_execution;
}

/** struct client_notice - a message of group "notices"; what it does not say is 0 or empty */
struct client_notice {
	uint8_t command;
	uint32_t device, context, pid, fault;
	uint32_t xid;			/* that root has injected */
	uint64_t time, address, lost;
	char knob[VGPU_NL_KNOB_BYTES], value[VGPU_NL_VALUE_BYTES];
	char reason[160];		/* why a knob has changed by itself, or empty */
};

struct nl_sock;

struct client {
	struct nl_sock *socket;
	int family;
	int failed;			/* errno of the last request, negative */
	char said[256];			/* the module's own words with it */
	char error[512];
};

int client_open(struct client *client);
void client_close(struct client *client);

/* All devices, or device @only unless it is negative, by number. The list is malloc'ed. */
int client_devices(struct client *client, int only, struct client_device **list, size_t *count);
/* Contexts of all devices or of one, by device and id. */
int client_contexts(struct client *client, int only, struct client_context **list, size_t *count);
/* SMs of all devices or of one, by device and number. */
int client_sms(struct client *client, int only, struct client_sm **list, size_t *count);
/* What was counted of each @scope, of all devices or of one. */
int client_counts(struct client *client, int only, enum vgpu_nl_counts scope,
		  struct client_counts **list, size_t *count);
/* One of the contexts. */
int client_context(struct client *client, uint32_t device, uint32_t id,
		   struct client_context *context);
int client_set_knob(struct client *client, uint32_t device, const char *knob, const char *value);
/* Milliseconds between samples, 0: none */
int client_set_samples(struct client *client, uint32_t device, uint32_t ms);
/* NULL: leave it as it is. */
int client_set_context(struct client *client, uint32_t device, uint32_t context,
		       const int32_t *priority, const uint32_t *tokens);
/* A fault of @kind (enum vgpu_inject), with @xid and of @context unless they are 0. */
int client_inject(struct client *client, uint32_t device, uint32_t kind, uint32_t xid,
		  uint32_t context);
/* CLIENT_FORBIDDEN: this group is not for everybody. */
int client_listen(struct client *client, const char *group);
/*
 * Wait for the next notice. Its command is VGPU_NL_CMD_UNSPEC when messages were dropped because
 * this process did not read.
 */
int client_next(struct client *client, struct client_notice *notice);

/* ---- names.c ------------------------------------------------------------ */

const struct client_knob *client_knob(const struct client_device *device, const char *name);
/*
 * Choice @index of a list knob into @name, whether it is active; false: there are no more, or it is
 * no list.
 */
bool client_choice(const struct client_knob *knob, unsigned int index, char *name, size_t size,
		   bool *active);
/* Value of a knob: of a list the active choice. "-": there is no such knob. */
const char *client_knob_value(const struct client_device *device, const char *name, char *text,
			      size_t size);
/* Time of all SMs in a state, and of those that are not idle. */
uint64_t client_state_time(const struct client_device *device, const char *state);
uint64_t client_busy_time(const struct client_device *device);
/* Per cent of SM time between two looks at a device in which SMs were not idle. */
unsigned int client_utilization(const struct client_device *before,
				const struct client_device *now);
/* Per cent of the time between two looks in which copy engine 0 transferred. */
unsigned int client_copy_share(const struct client_device *before,
			       const struct client_device *now);
/* Do kernels of several contexts have blocks on it? */
bool client_sm_is_shared(const struct client_sm *sm);
/* What the CUDA runtime and NVML call device @index: "GPU-76677075-...", "00000000:00:00.0" */
const char *client_uuid(uint32_t index, char *text, size_t size);
const char *client_bus(uint32_t index, char *text, size_t size);
/* The device that @text names: its number, UUID or as much of it as nvidia-smi takes, or bus. -1 */
int client_device_named(const char *text);
/* What to say where something is not shown to who asks. */
#define CLIENT_HIDDEN	"of other users: what they do is shown to root (CAP_PERFMON) only"
/* What process @pid is called, "[gone]"; "[no pid here]": 0, it is of another pid namespace. */
const char *client_process_name(uint32_t pid, char *text, size_t size);
/* What the linker calls @name, without arguments: "scale::kernel" of "_ZN5scale6kernelEPf" */
const char *client_kernel_name(const char *name, char *text, size_t size);
/* "none", "unmapped" … */
const char *client_fault_name(uint32_t reason);
/* "999K": four characters, rounded up; of 1 to 10 GiB with a digit behind the point */
const char *client_bytes_text(uint64_t bytes, char *text, size_t size);
/* "1.234 ms" */
const char *client_time_text(uint64_t ps, char *text, size_t size);

#endif
