// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Loading a VASS binary: copied once, then every table, kernel and instruction of the copy is
 * checked. Nothing of it is trusted before. A refusal names the kernel, the instruction and what
 * would be right. The code of an older version becomes that of the newest one, in the copy, so that
 * nothing behind the loader knows versions.
 */
#include "../sim/text.h"
#include "sm.h"
#include "verify.h"

/*
 * struct vgpu_module - kernels point into the copy of the binary, which nothing changes any more
 */
struct vgpu_module {
	u8 *copy;
	struct vgpu_kernel *kernels;
	struct vgpu_kernel_code *runs;	/* of the kernels */
	u32 count;
};

static int refuse(struct vgpu_text *line, const char *what)
{
	vgpu_text_put(line, what);
	return -EINVAL;
}

static int refuse_number(struct vgpu_text *line, const char *what, u64 is, const char *should,
			 u64 be)
{
	vgpu_text_put(line, what);
	vgpu_text_put(line, " is ");
	vgpu_text_put_u64(line, is);
	vgpu_text_put(line, ", ");
	vgpu_text_put(line, should);
	vgpu_text_put(line, " ");
	vgpu_text_put_u64(line, be);
	return -EINVAL;
}

static int check_table(struct vgpu_text *line, const char *name, u64 offset, u64 bytes, u64 total)
{
	const char *wrong = NULL;

	if (offset % 16)
		wrong = "is not at a multiple of 16";
	else if (offset < sizeof(struct vgpu_vass_header))
		wrong = "overlaps the header";
	else if (offset > total || bytes > total - offset)
		wrong = "reaches beyond the end of the binary";
	if (!wrong)
		return 0;
	vgpu_text_put(line, "the table of ");
	vgpu_text_put(line, name);
	vgpu_text_put(line, " ");
	return refuse(line, wrong);
}

static bool overlap(u64 a, u64 a_bytes, u64 b, u64 b_bytes)
{
	return a < b + b_bytes && b < a + a_bytes;
}

static int check_header(struct vgpu_text *line, const struct vgpu_vass_header *h, u32 bytes)
{
	u64 code = (u64)h->code_count * sizeof(struct vgpu_insn);
	u64 kernels = (u64)h->kernel_count * sizeof(struct vgpu_vass_kernel);
	int error;

	if (h->magic != VGPU_VASS_MAGIC)
		return refuse(line, "this is no VASS binary: it must begin with \"VASS\"");
	if (h->version < VGPU_VASS_OLDEST || h->version > VGPU_VASS_VERSION)
		return refuse_number(line, "the version of the binary", h->version,
				     "this device takes 1 to", VGPU_VASS_VERSION);
	if (h->flags || h->reserved[0] || h->reserved[1] || h->reserved[2])
		return refuse(line, "flags and reserved fields of the header must be 0");
	if (h->total_bytes != bytes)
		return refuse_number(line, "total_bytes of the header", h->total_bytes,
				     "the binary has", bytes);
	if (h->kernel_count > VGPU_VASS_MAX_KERNELS)
		return refuse_number(line, "the number of kernels", h->kernel_count, "at most",
				     VGPU_VASS_MAX_KERNELS);
	error = check_table(line, "code", h->code_offset, code, bytes);
	if (!error)
		error = check_table(line, "kernels", h->kernel_offset, kernels, bytes);
	if (!error)
		error = check_table(line, "names", h->names_offset, h->names_bytes, bytes);
	if (error)
		return error;
	if (overlap(h->code_offset, code, h->kernel_offset, kernels) ||
	    overlap(h->code_offset, code, h->names_offset, h->names_bytes) ||
	    overlap(h->kernel_offset, kernels, h->names_offset, h->names_bytes))
		return refuse(line, "two tables of the binary overlap");
	return 0;
}

/* The name, printable and zero-terminated inside the table; NULL: it is not. */
static const char *kernel_name(const struct vgpu_vass_header *h, const u8 *copy, u32 offset)
{
	u32 end;

	for (end = offset; end < h->names_bytes && end - offset < VGPU_VASS_MAX_NAME; end++) {
		u8 c = copy[h->names_offset + end];

		if (!c)
			return end > offset ? (const char *)copy + h->names_offset + offset : NULL;
		if (c <= ' ' || c > '~')
			return NULL;
	}
	return NULL;
}

static u32 most_shared(const struct vgpu_config *limits)
{
	u32 most = limits->shared_per_sm;

	for (u32 n = 0; n < VGPU_ARRAY_SIZE(limits->shared_steps); n++) {
		if (limits->shared_steps[n] > most)
			most = limits->shared_steps[n];
	}
	return most;
}

/* What a kernel that launches others says of that. */
static int check_launches(struct vgpu_text *line, const struct vgpu_vass_kernel *k)
{
	u64 pool = vgpu_launch_pool_of(k);

	if (pool % 64)
		return refuse_number(line, "launch_pool", pool, "it must be a multiple of", 64);
	if (pool >= VGPU_SYSTEM_BASE)
		return refuse_number(line, "launch_pool", pool, "below", VGPU_SYSTEM_BASE);
	if (!k->launch_depth)
		return 0;
	if (!pool)
		return refuse(line, "launch_depth is for kernels with a launch_pool");
	if (k->launch_depth % 4 || k->param_bytes < 4 || k->launch_depth > k->param_bytes - 4)
		return refuse_number(line, "launch_depth", k->launch_depth,
				     "it must be a multiple of 4, inside the parameters, of bytes",
				     k->param_bytes);
	return 0;
}

static int check_limits(struct vgpu_text *line, const struct vgpu_config *limits,
			const struct vgpu_vass_kernel *k)
{
	u32 regs = limits->regs_per_thread < VGPU_VASS_MAX_REGS ? limits->regs_per_thread :
								  VGPU_VASS_MAX_REGS;

	if (!k->regs)
		return refuse(line, "regs is 0, at least 1");
	if (k->regs > regs)
		return refuse_number(line, "regs", k->regs, "at most", regs);
	if (k->shared_bytes > most_shared(limits))
		return refuse_number(line, "shared_bytes", k->shared_bytes, "at most",
				     most_shared(limits));
	if (k->local_bytes > VGPU_VASS_MAX_LOCAL)
		return refuse_number(line, "local_bytes", k->local_bytes, "at most",
				     VGPU_VASS_MAX_LOCAL);
	if (k->local_bytes % 16)
		return refuse_number(line, "local_bytes", k->local_bytes,
				     "it must be a multiple of", 16);
	if (k->param_bytes > VGPU_VASS_MAX_PARAM)
		return refuse_number(line, "param_bytes", k->param_bytes, "at most",
				     VGPU_VASS_MAX_PARAM);
	if (k->flags)
		return refuse(line, "flags must be 0");
	return check_launches(line, k);
}

/* Instructions before somebody else may have the processor. */
#define CODE_PER_TURN	4096u

static int refuse_insn(struct vgpu_text *line, u32 index, u32 op, const char *wrong)
{
	vgpu_text_put(line, "instruction ");
	vgpu_text_put_u64(line, index);
	vgpu_text_put(line, " (");
	if (vgpu_op_name(op))
		vgpu_text_put(line, vgpu_op_name(op));
	else
		vgpu_text_put_u64(line, op);
	vgpu_text_put(line, "): ");
	return refuse(line, wrong);
}

static int check_code(struct vgpu_text *line, u32 version, const struct vgpu_vass_kernel *kernel,
		      struct vgpu_insn *code)
{
	for (u32 n = 0; n < kernel->code_count; n++) {
		struct vgpu_insn *i = &code[n];
		const char *wrong;

		if (n % CODE_PER_TURN == CODE_PER_TURN - 1)
			vgpu_resched();
		if (version == 1) {
			/* there the opcode had 16 bits */
			if (i->mem)
				return refuse_insn(line, n, i->op | (u32)i->mem << 8,
						   "there is no such opcode");
			i->mem = vgpu_mem_of_v1(i->op);
		}
		wrong = vgpu_verify_insn(i, kernel);
		if (!wrong && version < 3 && vgpu_verify_has_object(i))
			wrong = "operand c must be 0: accesses name objects since version 3";
		if (!wrong && n == kernel->code_count - 1 && !vgpu_verify_ends(i))
			wrong = "the last instruction must be EXIT, TRAP or BRA without a guard";
		if (wrong)
			return refuse_insn(line, n, i->op, wrong);
	}
	return 0;
}

static int load_kernel(struct vgpu_text *line, const struct vgpu_config *limits,
		       struct vgpu_module *module, u32 index)
{
	const struct vgpu_vass_header *h = (const struct vgpu_vass_header *)module->copy;
	struct vgpu_kernel *kernel = &module->kernels[index];
	struct vgpu_vass_kernel *k = &kernel->vass;
	struct vgpu_insn *code = (struct vgpu_insn *)(module->copy + h->code_offset);
	int error;

	*k = ((const struct vgpu_vass_kernel *)(module->copy + h->kernel_offset))[index];
	kernel->name = kernel_name(h, module->copy, k->name);
	kernel->run = &module->runs[index];
	vgpu_text_put(line, "kernel ");
	if (!kernel->name) {
		vgpu_text_put_u64(line, index);
		return refuse(
			line,
			": its name is empty, too long, not printable or not terminated inside "
			"the names");
	}
	vgpu_text_put(line, kernel->name);
	vgpu_text_put(line, ": ");
	if (!k->code_count || k->entry > h->code_count || k->code_count > h->code_count - k->entry)
		return refuse(line, "its code is empty or reaches beyond the code of the binary");
	for (u32 n = 0; n < index; n++) {
		const struct vgpu_vass_kernel *other = &module->kernels[n].vass;

		if (overlap(k->entry, k->code_count, other->entry, other->code_count))
			return refuse(line,
				      "it shares code with another kernel; each must have its own");
	}
	kernel->code = code + k->entry;
	error = check_limits(line, limits, k);
	if (!error)
		error = check_code(line, h->version, k, code + k->entry);
	if (error)
		return error;
	vgpu_find_waits(code + k->entry, k->code_count);
	vgpu_find_unwritten(kernel);
	kernel->launch_pool = vgpu_launch_pool_of(k);
	/* the device takes launches when a block ends, in the order of ends */
	kernel->ordered = kernel->launch_pool ||
			  vgpu_code_is_ordered(kernel->code, k->code_count);
	return vgpu_find_repeat(kernel, code + k->entry);
}

int vgpu_vass_load(const struct vgpu_config *limits, const void *binary, u32 bytes, char *message,
		   size_t message_bytes, struct vgpu_module **out)
{
	const struct vgpu_vass_header *h;
	struct vgpu_module *module;
	struct vgpu_text line = { message, message_bytes, 0 };
	int error;

	if (message_bytes)
		*message = 0;
	if (bytes < sizeof(*h))
		return refuse_number(&line, "the size of the binary", bytes, "at least",
				     sizeof(*h));
	if (bytes > VGPU_VASS_MAX_BYTES)
		return refuse_number(&line, "the size of the binary", bytes, "at most",
				     VGPU_VASS_MAX_BYTES);
	module = vgpu_mem_alloc_device(sizeof(*module));
	if (!module)
		return -ENOMEM;
	module->copy = vgpu_mem_alloc_device(bytes);
	if (!module->copy) {
		error = -ENOMEM;
		goto out;
	}
	memcpy(module->copy, binary, bytes);
	h = (const struct vgpu_vass_header *)module->copy;
	error = check_header(&line, h, bytes);
	if (error)
		goto out;
	module->count = h->kernel_count;
	module->kernels = vgpu_mem_alloc_device((module->count ? module->count : 1) *
						sizeof(*module->kernels));
	module->runs = vgpu_mem_alloc_device((module->count ? module->count : 1) *
					     sizeof(*module->runs));
	if (!module->kernels || !module->runs) {
		error = -ENOMEM;
		goto out;
	}
	for (u32 n = 0; n < module->count; n++) {
		line.length = 0;
		vgpu_resched();
		error = load_kernel(&line, limits, module, n);
		if (error)
			goto out;
	}
	if (message_bytes)
		*message = 0;
out:
	if (error) {
		vgpu_vass_free(module);
		return error;
	}
	*out = module;
	return 0;
}

u32 vgpu_module_bytes(const struct vgpu_module *module)
{
	return ((const struct vgpu_vass_header *)module->copy)->total_bytes;
}

u64 vgpu_module_memory(const struct vgpu_module *module)
{
	u64 bytes = sizeof(*module) + vgpu_module_bytes(module) +
		    (module->count ? module->count : 1) *
			    (sizeof(*module->kernels) + sizeof(*module->runs));

	for (u32 n = 0; n < module->count; n++)
		bytes += vgpu_repeat_bytes(&module->kernels[n]);
	return bytes;
}

u32 vgpu_module_kernel_count(const struct vgpu_module *module)
{
	return module->count;
}

void vgpu_module_number(struct vgpu_module *module, u64 *last)
{
	for (u32 n = 0; n < module->count; n++)
		module->kernels[n].id = ++*last;
}

const struct vgpu_kernel *vgpu_module_kernel(const struct vgpu_module *module, u32 index)
{
	return index < module->count ? &module->kernels[vgpu_index(index, module->count)] : NULL;
}

void vgpu_vass_free(struct vgpu_module *module)
{
	if (!module)
		return;
	for (u32 n = 0; module->kernels && n < module->count; n++)
		vgpu_free_repeat(&module->kernels[n]);
	vgpu_mem_free_device(module->runs);
	vgpu_mem_free_device(module->kernels);
	vgpu_mem_free_device(module->copy);
	vgpu_mem_free_device(module);
}
