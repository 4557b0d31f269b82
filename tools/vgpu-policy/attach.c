// SPDX-License-Identifier: MIT
/*
 * vgpu-policy: the struct_ops of a policy whose programs are loaded: a map with their descriptors,
 * and a link that is pinned, so that the policy stays when this process ends.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policy.h"

/* Of Linux 6.9 and later. */
#define VTYPE_BTF_OBJ_FD	(1u << 15)
#define LINK			(1u << 13)
#define MAP_STRUCT_OPS		26
#define ATTACH_STRUCT_OPS	44

/* union bpf_attr of BPF_MAP_CREATE there */
struct map_create {
	__u32 map_type, key_size, value_size, max_entries, map_flags, inner_map_fd, numa_node;
	char map_name[16];
	__u32 map_ifindex, btf_fd, btf_key_type_id, btf_value_type_id, btf_vmlinux_value_type_id;
	__u64 map_extra __attribute__((aligned(8)));
	__s32 value_type_btf_obj_fd, map_token_fd;
};

static int wrong(const struct policy *policy, const char *what)
{
	int err = errno;

	fprintf(stderr, "vgpu-policy: policy %s: %s: %s\n", policy->name, what,
		err == EEXIST ? "there is one of that name" :
		err == EBUSY || err == ENOSPC ? "16 policies from outside are registered" :
		err == EPERM ? "needs CAP_SYS_ADMIN" : strerror(err));
	return -1;
}

static int create_map(const struct policy *policy, const struct policy_type *type)
{
	struct map_create attr = {
		.map_type = MAP_STRUCT_OPS,
		.key_size = sizeof(__u32),
		.value_size = type->value->size,
		.max_entries = 1,
		.btf_fd = bpf_object__btf_fd(policy->object),
		.map_flags = LINK | VTYPE_BTF_OBJ_FD,
		.btf_vmlinux_value_type_id = type->value_id,
		.value_type_btf_obj_fd = type->btf_fd,
	};

	snprintf(attr.map_name, sizeof(attr.map_name), "vgpu_policy");
	return (int)syscall(__NR_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

/* Where vgpu_policy_ops begins in the value of the map. */
static __u32 data_offset(const struct policy_type *type)
{
	const struct btf_member *members = btf_members(type->value);

	for (int i = 0; i < btf_vlen(type->value); i++)
		if (!strcmp(btf__name_by_offset(type->btf, members[i].name_off), "data"))
			return btf_member_bit_offset(type->value, i) / 8;
	return 0;
}

static void put_u32(void *ops, const struct policy_type *type, const char *member, __u32 value)
{
	__u32 offset;

	if (policy_member(type, member, &offset) >= 0)
		memcpy((char *)ops + offset, &value, sizeof(value));
}

static int fill_map(int map, const struct policy *policy, const struct policy_type *type)
{
	char *value = calloc(1, type->value->size), *ops;
	__u32 key = 0, offset;
	int err;

	if (!value)
		return -1;
	ops = value + data_offset(type);
	if (policy_member(type, "name", &offset) >= 0)
		strcpy(ops + offset, policy->name);
	put_u32(ops, type, "by_block", policy->by_block);
	put_u32(ops, type, "takes_idle", policy->takes_idle);
	put_u32(ops, type, "data_bytes", policy->data_bytes);
	put_u32(ops, type, "context_bytes", policy->context_bytes);
	for (__u32 i = 0; i < policy->count; i++) {
		unsigned long fd = bpf_program__fd(policy->programs[i].program);

		memcpy(ops + policy->programs[i].offset, &fd, sizeof(fd));
	}
	err = bpf_map_update_elem(map, &key, value, 0);
	free(value);
	return err;
}

int policy_attach(const struct policy *policy, const struct policy_type *type)
{
	int map = create_map(policy, type), link;
	char pin[128];

	if (map < 0)
		return wrong(policy, "no map of struct_ops");
	if (fill_map(map, policy, type))
		return wrong(policy, "its programs are refused");
	link = bpf_link_create(map, 0, ATTACH_STRUCT_OPS, NULL);
	if (link < 0)
		return wrong(policy, "is not registered");
	if (mkdir(POLICY_PINS, 0700) && errno != EEXIST)
		return wrong(policy, POLICY_PINS);
	snprintf(pin, sizeof(pin), POLICY_PINS "/%s", policy->name);
	return bpf_obj_pin(link, pin) ? wrong(policy, pin) : 0;
}
