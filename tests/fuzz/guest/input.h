/* SPDX-License-Identifier: MIT */
/*
 * An input: operations of 16 bytes each. Every sequence of bytes is one: numbers select from what
 * there is, by remainder, and the upper bits of an address or a size select what kind of value it
 * is. So whatever a mutation leaves is again a program that gets somewhere.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdint.h>

#define OPS_MAX		40u

enum op_kind {
	/* a: slot of the file in all that need one */
	OP_OPEN,		/* b: device */
	OP_CLOSE,
	OP_QUEUE_CREATE,	/* b: flags */
	OP_QUEUE_DESTROY,	/* b: queue */
	OP_MAP,			/* x: device address, y: size, b: flags */
	OP_UNMAP,
	OP_COMMAND,		/* b: op; x, y, z: operands: a command behind the batch */
	OP_SUBMIT,		/* b: queue, x: address instead, y: count instead */
	OP_WAIT,		/* b: queue, x: seq, y: time */
	OP_WAIT_ANY,		/* b: queues, x: count, y: until, z: seq */
	OP_IMAGE,		/* b: which program: begins a binary anew */
	OP_IMAGE_BYTE,		/* x: offset, y: what is added */
	OP_IMAGE_WORD,		/* x: word of header and kernels, y: size */
	OP_IMAGE_INSN,		/* x: instruction, b: op, c: flags, y: registers, z: immediate */
	OP_MODULE_LOAD,		/* x: message's size, y: address instead */
	OP_MODULE_UNLOAD,	/* b: module */
	OP_EVENTFD,		/* b: queue, x: seq, y: descriptor instead */
	OP_SEAT_CREATE,		/* b: priority, c: flags, x: pid */
	OP_SEAT_MOVE,		/* x: pid */
	OP_SEAT_INFO,
	OP_PRIORITY,		/* b: priority, c: flags */
	OP_INFO,		/* b: which */
	OP_RAW_IOCTL,		/* b: number, c: direction, x: size, y: contents, z: address */
	OP_RING_CREATE,		/* b: queue, x: entries, y: bytes of parameters */
	OP_RING_STORE,		/* b: ring: the batch into it, x: what is added to tail */
	OP_RING_SCRIBBLE,	/* b: ring, x: offset, y: value */
	OP_DOORBELL,		/* b: queue */
	OP_MMAP,		/* x: offset, y: size, b: protection */
	OP_URING_SETUP,		/* x: flags */
	OP_URING_SUBMIT,	/* b: queue, c: flags of the SQE, x: address, y: count, z: flags */
	OP_URING_WAIT,		/* b: queue, c: flags of the SQE, x: seq, y: time */
	OP_URING_CANCEL,	/* x: user_data, b: all */
	OP_URING_ENTER,		/* b: reap */
	OP_URING_EXIT,
	OP_NETLINK_ATTR,	/* b: type, c: kind, x: value */
	OP_NETLINK_SEND,	/* b: command, c: flags, x, y: a byte that is changed */
	OP_NETLINK_JOIN,	/* b: group */
	OP_FILE_READ,		/* x: which of sysfs and debugfs, y: bytes */
	OP_FILE_WRITE,		/* x: which, small: a knob; b: kind of value, y: value */
	OP_CONFIG_MAKE,		/* b: name, c: system */
	OP_CONFIG_WRITE,	/* b: name, x: field, c: kind of value, y: value */
	OP_CONFIG_REMOVE,	/* b: name */
	OP_POLL,		/* b: also fdinfo */
	OP_DUP,			/* b: slot of the copy */
	OP_CHILD,		/* b: what a child process does with the file */
	OP_NOBODY,		/* b: 0 gives privileges up */
	OP_MEMORY,		/* b: unmap, map, protect; x: page */
	OP_SLEEP,		/* x: microseconds */
	OPS
};

static const char *const op_names[OPS] = {
	[OP_OPEN] = "open",
	[OP_CLOSE] = "close",
	[OP_QUEUE_CREATE] = "queue_create",
	[OP_QUEUE_DESTROY] = "queue_destroy",
	[OP_MAP] = "map",
	[OP_UNMAP] = "unmap",
	[OP_COMMAND] = "command",
	[OP_SUBMIT] = "submit",
	[OP_WAIT] = "wait",
	[OP_WAIT_ANY] = "wait_any",
	[OP_IMAGE] = "image",
	[OP_IMAGE_BYTE] = "image_byte",
	[OP_IMAGE_WORD] = "image_word",
	[OP_IMAGE_INSN] = "image_insn",
	[OP_MODULE_LOAD] = "module_load",
	[OP_MODULE_UNLOAD] = "module_unload",
	[OP_EVENTFD] = "eventfd",
	[OP_SEAT_CREATE] = "seat_create",
	[OP_SEAT_MOVE] = "seat_move",
	[OP_SEAT_INFO] = "seat_info",
	[OP_PRIORITY] = "priority",
	[OP_INFO] = "info",
	[OP_RAW_IOCTL] = "raw_ioctl",
	[OP_RING_CREATE] = "ring_create",
	[OP_RING_STORE] = "ring_store",
	[OP_RING_SCRIBBLE] = "ring_scribble",
	[OP_DOORBELL] = "doorbell",
	[OP_MMAP] = "mmap",
	[OP_URING_SETUP] = "uring_setup",
	[OP_URING_SUBMIT] = "uring_submit",
	[OP_URING_WAIT] = "uring_wait",
	[OP_URING_CANCEL] = "uring_cancel",
	[OP_URING_ENTER] = "uring_enter",
	[OP_URING_EXIT] = "uring_exit",
	[OP_NETLINK_ATTR] = "netlink_attr",
	[OP_NETLINK_SEND] = "netlink_send",
	[OP_NETLINK_JOIN] = "netlink_join",
	[OP_FILE_READ] = "file_read",
	[OP_FILE_WRITE] = "file_write",
	[OP_CONFIG_MAKE] = "config_make",
	[OP_CONFIG_WRITE] = "config_write",
	[OP_CONFIG_REMOVE] = "config_remove",
	[OP_POLL] = "poll",
	[OP_DUP] = "dup",
	[OP_CHILD] = "child",
	[OP_NOBODY] = "nobody",
	[OP_MEMORY] = "memory",
	[OP_SLEEP] = "sleep",
};

/** struct op - one operation */
struct op {
	uint8_t kind;			/* enum op_kind, by remainder */
	uint8_t a, b, c;
	uint32_t x, y, z;
};

/** struct input - what is executed, mutated and kept */
struct input {
	uint32_t count;
	struct op ops[OPS_MAX];
};

/* Kinds of addresses and sizes, in the upper four bits. */
#define KIND(n)		((uint32_t)(n) << 28)

#endif
