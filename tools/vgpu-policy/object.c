// SPDX-License-Identifier: MIT
/*
 * vgpu-policy: the file of a policy (vgpu_policy_file.h, compiled to BPF). libbpf of Debian 12
 * knows no struct_ops of modules: sections "vgpu/OPERATION" have a handler here that says of which
 * type a program is.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy.h"

static const struct policy_type *the_type;

/* ---- the type ----------------------------------------------------------- */

/* The BTF of module vgpu. */
static int module_btf(void)
{
	__u32 id = 0;

	while (!bpf_btf_get_next_id(id, &id)) {
		char name[64] = "";
		struct bpf_btf_info info = {
			.name = (unsigned long)name, .name_len = sizeof(name),
		};
		__u32 bytes = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &bytes) && info.kernel_btf &&
		    !strcmp(name, "vgpu"))
			return fd;
		close(fd);
	}
	return -1;
}

static __s32 find_struct(const struct btf *btf, const char *name)
{
	return btf ? btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT) : -1;
}

int policy_type_find(struct policy_type *type)
{
	struct btf *vmlinux = btf__load_vmlinux_btf();
	__s32 ops, value;

	type->btf_fd = module_btf();
	if (type->btf_fd < 0 && errno == EPERM) {
		fprintf(stderr, "vgpu-policy: needs CAP_SYS_ADMIN: run it as root\n");
		return -1;
	}
	if (type->btf_fd < 0) {
		fprintf(stderr, "vgpu-policy: module vgpu is not loaded, or was built without BTF: "
				"policies as BPF need Linux 6.12 (make modules KERNEL=6.12)\n");
		return -1;
	}
	type->btf = btf__load_module_btf("vgpu", vmlinux);
	ops = find_struct(type->btf, "vgpu_policy_ops");
	value = find_struct(type->btf, "bpf_struct_ops_vgpu_policy_ops");
	if (ops < 0 || value < 0) {
		fprintf(stderr, "vgpu-policy: this module vgpu takes no policies as BPF: it needs "
				"Linux 6.12\n");
		return -1;
	}
	type->ops_id = ops;
	type->value_id = value;
	type->ops = btf__type_by_id(type->btf, ops);
	type->value = btf__type_by_id(type->btf, value);
	the_type = type;
	return 0;
}

int policy_member(const struct policy_type *type, const char *name, __u32 *offset)
{
	const struct btf_member *members = btf_members(type->ops);

	for (int i = 0; i < btf_vlen(type->ops); i++) {
		if (strcmp(btf__name_by_offset(type->btf, members[i].name_off), name))
			continue;
		*offset = btf_member_bit_offset(type->ops, i) / 8;
		return i;
	}
	return -1;
}

/* ---- programs ----------------------------------------------------------- */

static const char *operation_of(const struct bpf_program *program)
{
	return bpf_program__section_name(program) + strlen("vgpu/");
}

static int prepare_load(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	__u32 offset;

	(void)cookie;
	opts->attach_btf_id = the_type->ops_id;
	opts->attach_btf_obj_fd = the_type->btf_fd;
	opts->prog_flags |= BPF_F_SLEEPABLE;
	opts->expected_attach_type = policy_member(the_type, operation_of(program), &offset);
	return 0;
}

static char first_line[256];
static bool say_all;

/* What libbpf has to say, in one place: its first line is the reason. */
static int say_reason(enum libbpf_print_level level, const char *format, va_list args)
{
	char line[65536];

	vsnprintf(line, sizeof(line), format, args);
	if (level == LIBBPF_WARN && !*first_line) {
		snprintf(first_line, sizeof(first_line), "%.*s", (int)strcspn(line, "\n"), line);
	}
	if (say_all || (level == LIBBPF_WARN && strstr(line, "BPF program load failed")))
		fputs(line, stderr);
	else if (level == LIBBPF_WARN && strstr(line, "PROG LOAD LOG"))
		fputs(line, stderr);
	return 0;
}

static int take_data(struct policy *policy, const char *path)
{
	struct bpf_map *map;
	size_t bytes;

	bpf_object__for_each_map(map, policy->object) {
		const struct {
			char name[VGPU_NAME_BYTES];
			__u32 by_block, takes_idle, data_bytes, context_bytes;
		} *data;

		if (!strstr(bpf_map__name(map), ".rodata"))
			continue;
		data = bpf_map__initial_value(map, &bytes);
		if (!data || bytes < sizeof(*data) || !memchr(data->name, 0, sizeof(data->name)) ||
		    !*data->name)
			continue;
		strcpy(policy->name, data->name);
		policy->by_block = data->by_block;
		policy->takes_idle = data->takes_idle;
		policy->data_bytes = data->data_bytes;
		policy->context_bytes = data->context_bytes;
		return 0;
	}
	fprintf(stderr, "vgpu-policy: %s: has no policy; one ends with VGPU_POLICY() "
			"(vgpu_policy_file.h)\n", path);
	return -1;
}

int policy_open(struct policy *policy, const char *path, const struct policy_type *type)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, handler, .prog_prepare_load_fn = prepare_load);
	struct bpf_program *program;

	memset(policy, 0, sizeof(*policy));
	libbpf_set_print(say_reason);
	if (libbpf_register_prog_handler("vgpu+", BPF_PROG_TYPE_STRUCT_OPS, 0, &handler) < 0)
		return -1;
	policy->object = bpf_object__open_file(path, NULL);
	if (!policy->object) {
		fprintf(stderr, "vgpu-policy: %s: %s\n", path,
			errno == ENOENT ? strerror(errno) : "is no object file of BPF");
		return -1;
	}
	if (take_data(policy, path))
		return -1;
	bpf_object__for_each_program(program, policy->object) {
		struct policy_program *p = &policy->programs[policy->count];
		int member;

		if (strncmp(bpf_program__section_name(program), "vgpu/", 5))
			continue;
		if (policy->count == POLICY_PROGRAMS_MOST)
			return -1;
		p->program = program;
		p->operation = operation_of(program);
		member = policy_member(type, p->operation, &p->offset);
		if (member < 0) {
			fprintf(stderr, "vgpu-policy: %s: a policy as BPF has no operation \"%s\" "
					"(kmod/policy/bpf_ops.h)\n", path, p->operation);
			return -1;
		}
		p->member = member;
		policy->count++;
	}
	return 0;
}

int policy_load(struct policy *policy, const char *path, bool verbose)
{
	say_all = verbose;
	if (!bpf_object__load(policy->object))
		return 0;
	fprintf(stderr, "vgpu-policy: %s: %s%s%s\n", path,
		errno == EPERM ? "needs CAP_SYS_ADMIN" : "is refused by the kernel",
		*first_line ? ": " : "", first_line);
	return -1;
}
