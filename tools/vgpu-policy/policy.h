/* SPDX-License-Identifier: MIT */
/*
 * vgpu-policy: contents page. main.c is the command line; object.c reads the file of a policy and
 * loads its programs; attach.c makes the struct_ops of the module of them.
 */
#ifndef VGPU_POLICY_TOOL_H
#define VGPU_POLICY_TOOL_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "vgpu_policy.h"

#define POLICY_PINS	"/sys/fs/bpf/vgpu"

/** struct policy_type - struct vgpu_policy_ops as the module has it */
struct policy_type {
	int btf_fd;			/* of the module */
	struct btf *btf;
	__u32 ops_id, value_id;
	const struct btf_type *ops, *value;
};

/** struct policy_program - a program, and the place of its operation in vgpu_policy_ops */
struct policy_program {
	struct bpf_program *program;
	const char *operation;
	__u32 member;
	__u32 offset;			/* bytes */
};

#define POLICY_PROGRAMS_MOST	16

/** struct policy - the policy of a file */
struct policy {
	struct bpf_object *object;
	char name[VGPU_NAME_BYTES];
	__u32 by_block, takes_idle, data_bytes, context_bytes;
	struct policy_program programs[POLICY_PROGRAMS_MOST];
	__u32 count;
};

/* All say on standard error what is wrong, and return -1. */
int policy_type_find(struct policy_type *type);
/* Member @name of the operations: its index, or -1, which is not said; its @offset in bytes. */
int policy_member(const struct policy_type *type, const char *name, __u32 *offset);
int policy_open(struct policy *policy, const char *path, const struct policy_type *type);
/* The verifier's log is said where a program is refused, with @verbose anyway. */
int policy_load(struct policy *policy, const char *path, bool verbose);
int policy_attach(const struct policy *policy, const struct policy_type *type);

#endif
