/* SPDX-License-Identifier: MIT */
/*
 * What the search begins with: programs that are right, one for each thing that a process can do.
 */
#ifndef FUZZ_SEEDS_H
#define FUZZ_SEEDS_H

#include "operations.h"

#define SOME_TIME	0x3fffffu
#define PARAMS		(PARAMS_PAGE * 4096u)
#define AT(kind_, ...)                         \
	{                                      \
		.kind = (kind_), ##__VA_ARGS__ \
	}
#define OPEN AT(OP_OPEN), AT(OP_QUEUE_CREATE)
#define LAUNCH AT(OP_COMMAND, .b = VGPU_CMD_LAUNCH, .x = 0x1f03, .y = PARAMS, .z = 16)
#define KNOB(n) AT(OP_FILE_WRITE, .x = (n), .b = 3, .y = 2)
#define EIGHT(make, n) \
	make(n), make((n) + 1), make((n) + 2), make((n) + 3), make((n) + 4), make((n) + 5), \
		make((n) + 6), make((n) + 7)
#define ON(n) AT(OP_FILE_WRITE, .x = (n), .y = 1)
#define READ(n) AT(OP_FILE_READ, .x = (n), .y = 4000)
#define FIELD(n) AT(OP_CONFIG_WRITE, .a = 1, .x = (n), .c = 3)
#define WAIT(n) AT(OP_WAIT, .x = (n), .y = SOME_TIME)

static const struct input seeds[] = {
	/* a kernel, its results */
	{ .ops = { OPEN, AT(OP_MAP, .y = 0x3000), AT(OP_IMAGE), AT(OP_MODULE_LOAD), LAUNCH,
		   AT(OP_COMMAND, .b = VGPU_CMD_COPY_D2H, .y = 0x1000, .z = 64), AT(OP_SUBMIT),
		   WAIT(2), AT(OP_INFO, .b = 1), AT(OP_MODULE_UNLOAD),
		   AT(OP_UNMAP, .y = 0x3000) } },
	/* copies, fills, stamps, waits between queues */
	{ .ops = { OPEN, AT(OP_QUEUE_CREATE), AT(OP_MAP, .y = 0x3000),
		   AT(OP_COMMAND, .b = VGPU_CMD_COPY_H2D, .z = 100),
		   AT(OP_COMMAND, .b = VGPU_CMD_COPY_D2D, .x = 0x1000, .z = 100),
		   AT(OP_COMMAND, .b = VGPU_CMD_FILL, .x = 0x2000, .c = 2, .z = 16), AT(OP_SUBMIT),
		   AT(OP_COMMAND, .b = VGPU_CMD_WAIT, .x = 3), AT(OP_COMMAND, .b = VGPU_CMD_STAMP),
		   AT(OP_COMMAND), AT(OP_SUBMIT, .b = 1),
		   AT(OP_WAIT, .b = 1, .x = 3, .y = SOME_TIME), AT(OP_QUEUE_DESTROY, .b = 1) } },
	/* another context's kernel is preempted */
	{ .ops = { OPEN, AT(OP_OPEN, .a = 1), AT(OP_QUEUE_CREATE, .a = 1),
		   AT(OP_PRIORITY, .a = 1, .b = 1), EIGHT(KNOB, 0), EIGHT(KNOB, 8),
		   AT(OP_COMMAND, .b = VGPU_CMD_PROFILED, .x = 200, .y = 40000, .z = 128),
		   AT(OP_SUBMIT),
		   AT(OP_COMMAND, .b = VGPU_CMD_PROFILED, .x = 20, .y = 4000, .z = 128),
		   AT(OP_SUBMIT, .a = 1), AT(OP_WAIT, .a = 1, .x = 1, .y = SOME_TIME), WAIT(1) } },
	/* an edited module */
	{ .ops = { AT(OP_OPEN), AT(OP_IMAGE, .b = 1),
		   AT(OP_IMAGE_INSN, .x = 12, .b = VGPU_OP_ADD, .c = VGPU_F_IMM, .y = 0x0a0a,
		      .z = 3),
		   AT(OP_MODULE_LOAD, .x = 256), AT(OP_IMAGE_WORD, .x = 3, .y = 5),
		   AT(OP_MODULE_LOAD, .x = 256) } },
	/* a mapped ring */
	{ .ops = { OPEN, AT(OP_MAP, .y = 0x3000), AT(OP_MODULE_LOAD),
		   AT(OP_RING_CREATE, .y = KIND(10) + 1), LAUNCH, AT(OP_COMMAND), AT(OP_RING_STORE),
		   AT(OP_DOORBELL), WAIT(2), AT(OP_COMMAND), AT(OP_SUBMIT), WAIT(3) } },
	/* io_uring */
	{ .ops = { OPEN, AT(OP_URING_SETUP, .x = 4), AT(OP_COMMAND), AT(OP_COMMAND),
		   AT(OP_URING_SUBMIT), AT(OP_URING_ENTER), AT(OP_URING_SUBMIT, .c = 1),
		   AT(OP_URING_WAIT, .x = 3, .y = 10), AT(OP_URING_WAIT, .x = 9, .y = 1),
		   AT(OP_URING_ENTER, .b = 1, .x = 0xfffff), AT(OP_URING_CANCEL),
		   AT(OP_URING_ENTER, .b = 1, .x = 0xfffff), AT(OP_URING_EXIT) } },
	/* fences, eventfds, sleepers */
	{ .ops = { OPEN, AT(OP_COMMAND, .b = VGPU_CMD_PROFILED, .x = 3, .y = 4000, .z = 128),
		   AT(OP_SUBMIT), AT(OP_EVENTFD, .x = 1),
		   AT(OP_WAIT_ANY, .x = 1, .y = 9, .z = 1, .c = 1),
		   AT(OP_WAIT_ANY, .y = 900, .c = 1), AT(OP_POLL, .b = 1),
		   AT(OP_EVENTFD, .x = 1) } },
	/* seats */
	{ .ops = { AT(OP_OPEN), AT(OP_SEAT_CREATE), AT(OP_SEAT_MOVE, .x = 1), AT(OP_OPEN, .a = 1),
		   AT(OP_QUEUE_CREATE, .a = 1), AT(OP_COMMAND), AT(OP_SUBMIT, .a = 1),
		   AT(OP_SEAT_INFO), AT(OP_INFO, .b = 2), AT(OP_POLL, .b = 2) } },
	/* netlink: one device, all contexts, a knob, groups */
	{ .ops = { AT(OP_OPEN), AT(OP_NETLINK_JOIN), AT(OP_NETLINK_JOIN, .b = 2),
		   AT(OP_NETLINK_ATTR, .b = VGPU_NL_A_DEVICE),
		   AT(OP_NETLINK_SEND, .b = VGPU_NL_CMD_DEVICE_GET),
		   AT(OP_NETLINK_SEND, .b = VGPU_NL_CMD_CONTEXT_GET, .c = 1),
		   AT(OP_NETLINK_ATTR, .b = VGPU_NL_A_DEVICE),
		   AT(OP_NETLINK_ATTR, .b = VGPU_NL_A_KNOB_NAME, .c = 1),
		   AT(OP_NETLINK_ATTR, .b = VGPU_NL_A_KNOB_VALUE, .c = 1, .x = 5),
		   AT(OP_NETLINK_SEND, .b = VGPU_NL_CMD_DEVICE_SET),
		   AT(OP_NETLINK_ATTR, .b = VGPU_NL_A_DEVICE),
		   AT(OP_NETLINK_ATTR, .b = VGPU_NL_A_SAMPLE_MS, .x = 10),
		   AT(OP_NETLINK_SEND, .b = VGPU_NL_CMD_DEVICE_SET), AT(OP_SLEEP, .x = 0xfff) } },
	/* a device of configfs */
	{ .ops = { AT(OP_CONFIG_MAKE), AT(OP_OPEN, .b = 0xc1), AT(OP_QUEUE_CREATE), AT(OP_COMMAND),
		   AT(OP_SUBMIT), WAIT(1), AT(OP_CONFIG_WRITE, .x = 0, .c = 2, .y = 21),
		   AT(OP_CLOSE), AT(OP_CONFIG_WRITE, .x = 4, .c = 2, .y = 4),
		   AT(OP_CONFIG_REMOVE) } },
	/* its fields, before it is live */
	{ .ops = { AT(OP_CONFIG_MAKE, .c = 2), EIGHT(FIELD, 0), EIGHT(FIELD, 8), EIGHT(FIELD, 16),
		   AT(OP_CONFIG_WRITE, .x = 0, .c = 2, .y = 20), AT(OP_OPEN, .b = 0xc1) } },
	/* files; all knobs 1, some of which trace, with listeners */
	{ .ops = { OPEN, EIGHT(READ, 0), EIGHT(READ, 8), EIGHT(READ, 16), EIGHT(READ, 24) } },
	{ .ops = { AT(OP_NETLINK_JOIN), AT(OP_NETLINK_JOIN, .b = 2), EIGHT(ON, 0), EIGHT(ON, 8),
		   EIGHT(ON, 16), OPEN, AT(OP_MAP, .y = 0x3000), AT(OP_MODULE_LOAD), LAUNCH,
		   AT(OP_SUBMIT), WAIT(1), AT(OP_COMMAND, .b = VGPU_CMD_COPY_H2D, .x = KIND(12)),
		   AT(OP_SUBMIT), WAIT(2) } },
	/* a system of two */
	{ .ops = { AT(OP_CONFIG_MAKE, .c = 1), AT(OP_CONFIG_MAKE, .b = 1, .c = 1),
		   AT(OP_OPEN, .b = 0xc1), AT(OP_OPEN, .a = 1, .b = 0xc2), AT(OP_QUEUE_CREATE),
		   AT(OP_QUEUE_CREATE, .a = 1), AT(OP_COMMAND), AT(OP_SUBMIT), WAIT(1),
		   AT(OP_CLOSE), AT(OP_CLOSE, .a = 1), AT(OP_CONFIG_REMOVE),
		   AT(OP_CONFIG_REMOVE, .b = 1) } },
	/* files, a user without privileges */
	{ .ops = { AT(OP_OPEN), AT(OP_FILE_READ, .x = 3, .y = 4000),
		   AT(OP_FILE_READ, .x = 30, .y = 4000), AT(OP_FILE_READ, .x = KIND(15), .y = 4000),
		   AT(OP_FILE_WRITE, .x = 10, .b = 3), AT(OP_NOBODY), AT(OP_OPEN, .a = 1),
		   AT(OP_QUEUE_CREATE, .a = 1), AT(OP_CHILD, .a = 1, .b = 7), AT(OP_DUP, .b = 1),
		   AT(OP_MEMORY, .x = 3),
		   AT(OP_COMMAND, .b = VGPU_CMD_COPY_H2D, .y = 0x2f00, .z = 512), AT(OP_SUBMIT) } },
	/* an endless kernel, a fault, a raw ioctl */
	{ .ops = { OPEN, AT(OP_MODULE_LOAD),
		   AT(OP_COMMAND, .b = VGPU_CMD_LAUNCH, .c = 1, .x = 0x1f00), AT(OP_SUBMIT),
		   AT(OP_OPEN, .a = 1), AT(OP_QUEUE_CREATE, .a = 1),
		   AT(OP_COMMAND, .b = VGPU_CMD_COPY_H2D, .z = 8), AT(OP_SUBMIT, .a = 1),
		   AT(OP_WAIT, .a = 1, .x = 1, .y = SOME_TIME),
		   AT(OP_RAW_IOCTL, .b = 10, .c = 3, .x = 40) } },
};

/* The table's counts, which it leaves out: operations behind the last one are all 0. */
static struct input seed_input(size_t index)
{
	static const struct op nothing;
	struct input input = seeds[index];

	for (uint32_t i = 0; i < OPS_MAX; i++)
		if (memcmp(&input.ops[i], &nothing, sizeof(nothing)))
			input.count = i + 1;
	if (!input.count)
		input.count = 1;
	return input;
}

#endif
