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

#define OPERATIONS(OP) \
	/* a: slot of the file in all that need one */ \
	OP(OPEN)	/* b: device */ \
	OP(CLOSE) \
	OP(QUEUE_CREATE)	/* b: flags */ \
	OP(QUEUE_DESTROY)	/* b: queue */ \
	OP(MAP)	/* x: device address, y: size, b: flags */ \
	OP(UNMAP) \
	OP(COMMAND)	/* b: op; x, y, z: operands: a command behind the batch */ \
	OP(SUBMIT)	/* b: queue, x: address instead, y: count instead */ \
	OP(WAIT)	/* b: queue, x: seq, y: time */ \
	OP(WAIT_ANY)	/* b: queues, x: count, y: until, z: seq */ \
	OP(IMAGE)	/* b: which program: begins a binary anew */ \
	OP(IMAGE_BYTE)	/* x: offset, y: what is added */ \
	OP(IMAGE_WORD)	/* x: word of header and kernels, y: size */ \
	OP(IMAGE_INSN)	/* x: instruction, b: op, c: flags, y: registers, z: imm */ \
	OP(MODULE_LOAD)	/* x: message's size, y: address instead */ \
	OP(MODULE_UNLOAD)	/* b: module */ \
	OP(EVENTFD)	/* b: queue, x: seq, y: descriptor instead */ \
	OP(SEAT_CREATE)	/* b: priority, c: flags, x: pid */ \
	OP(SEAT_MOVE)	/* x: pid */ \
	OP(SEAT_INFO) \
	OP(PRIORITY)	/* b: priority, c: flags */ \
	OP(INFO)	/* b: which */ \
	OP(RAW_IOCTL)	/* b: number, c: direction, x: size, y: contents, z: address */ \
	OP(RING_CREATE)	/* b: queue, x: entries, y: bytes of parameters */ \
	OP(RING_STORE)	/* b: ring: the batch into it, x: what is added to tail */ \
	OP(RING_SCRIBBLE)	/* b: ring, x: offset, y: value */ \
	OP(DOORBELL)	/* b: queue */ \
	OP(MMAP)	/* x: offset, y: size, b: protection */ \
	OP(URING_SETUP)	/* x: flags */ \
	OP(URING_SUBMIT)	/* b: queue, c: flags of SQE, x: address, y: count, z: flags */ \
	OP(URING_WAIT)	/* b: queue, c: flags of the SQE, x: seq, y: time */ \
	OP(URING_CANCEL)	/* x: user_data, b: all */ \
	OP(URING_ENTER)	/* b: reap */ \
	OP(URING_EXIT) \
	OP(NETLINK_ATTR)	/* b: type, c: kind, x: value */ \
	OP(NETLINK_SEND)	/* b: command, c: flags, x, y: a byte that is changed */ \
	OP(NETLINK_JOIN)	/* b: group */ \
	OP(FILE_READ)	/* x: which of sysfs and debugfs, y: bytes */ \
	OP(FILE_WRITE)	/* x: which, small: a knob; b: kind of value, y: value */ \
	OP(CONFIG_MAKE)	/* b: name, c: system */ \
	OP(CONFIG_WRITE)	/* b: name, x: field, c: kind of value, y: value */ \
	OP(CONFIG_REMOVE)	/* b: name */ \
	OP(POLL)	/* b: also fdinfo */ \
	OP(DUP)	/* b: slot of the copy */ \
	OP(CHILD)	/* b: what a child process does with the file */ \
	OP(NOBODY)	/* b: 0 gives privileges up */ \
	OP(MEMORY)	/* b: unmap, map, protect; x: page */ \
	OP(SLEEP)	/* x: microseconds */

enum op_kind {
#define OP(name) OP_##name,
	OPERATIONS(OP)
#undef OP
	OPS
};

static const char *const op_names[OPS] = {
#define OP(name) #name,
	OPERATIONS(OP)
#undef OP
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
