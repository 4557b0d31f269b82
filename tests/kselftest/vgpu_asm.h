/* SPDX-License-Identifier: MIT */
/*
 * A small assembler: VASS binaries put together by hand, instruction by instruction, and the
 * kernels that several tests use. Instruction set: uapi/vgpu_isa.h. They are of version 1, without
 * memory orders, which a device takes for good; the programs of the compiler are of the newest.
 */
#ifndef VGPU_ASM_H
#define VGPU_ASM_H

#include "vgpu_client.h"

#define ASM_INSNS	256
#define ASM_KERNELS	8

struct program {
	struct vgpu_insn code[ASM_INSNS];
	struct vgpu_vass_kernel kernels[ASM_KERNELS];
	char names[ASM_KERNELS * 32];
	uint32_t insns, count, names_bytes;
};

/* What program_binary() writes: the header, the tables behind it. */
struct binary {
	struct vgpu_vass_header header;
	struct vgpu_vass_kernel kernels[ASM_KERNELS];
	char names[ASM_KERNELS * 32];
	struct vgpu_insn code[ASM_INSNS];
};

static inline void insn(struct program *p, uint16_t op, uint8_t flags, uint8_t dst, uint8_t a,
			uint8_t b, uint8_t c, uint64_t imm)
{
	CHECK(p->insns < ASM_INSNS && p->count);
	p->code[p->insns++] = (struct vgpu_insn){ .op = op,
						  .guard = VGPU_PT,
						  .flags = flags,
						  .dst = dst,
						  .a = a,
						  .b = b,
						  .c = c,
						  .imm = imm };
	p->kernels[p->count - 1].code_count++;
}

/* Begin a kernel; returns its index. */
static inline uint32_t kernel(struct program *p, const char *name, uint32_t param_bytes)
{
	CHECK(p->count < ASM_KERNELS && p->names_bytes + strlen(name) < sizeof(p->names));
	p->kernels[p->count] = (struct vgpu_vass_kernel){
		.name = p->names_bytes, .entry = p->insns, .regs = 32, .param_bytes = param_bytes
	};
	strcpy(p->names + p->names_bytes, name);
	p->names_bytes += (uint32_t)strlen(name) + 1;
	return p->count++;
}

/* The last instruction gets a guard. */
static inline void guard(struct program *p, uint8_t predicate)
{
	p->code[p->insns - 1].guard = predicate;
}

#define SIZE_4	2u	/* flags of MEM for one element of 4 and 8 bytes */
#define SIZE_8	3u

static inline void ldp4(struct program *p, uint8_t dst, uint32_t offset)
{
	insn(p, VGPU_OP_LDP, SIZE_4, dst, 0, 0, 0, offset);
}

static inline void ldp8(struct program *p, uint8_t dst, uint32_t offset)
{
	insn(p, VGPU_OP_LDP, SIZE_8, dst, 0, 0, 0, offset);
}

static inline void sreg(struct program *p, uint8_t dst, enum vgpu_sreg which)
{
	insn(p, VGPU_OP_SREG, 0, dst, 0, 0, 0, which);
}

static inline void ldg4(struct program *p, uint8_t dst, uint8_t address)
{
	insn(p, VGPU_OP_LDG, SIZE_4, dst, address, 0, 0, 0);
}

static inline void stg4(struct program *p, uint8_t address, uint8_t value)
{
	insn(p, VGPU_OP_STG, SIZE_4, 0, address, value, 0, 0);
}

static inline void finish(struct program *p)
{
	insn(p, VGPU_OP_EXIT, 0, 0, 0, 0, 0, 0);
}

/* R@dst = blockIdx.x * blockDim.x + threadIdx.x, by way of @t and @t + 1 */
static inline void global_id(struct program *p, uint8_t dst, uint8_t t)
{
	sreg(p, dst, VGPU_SR_TID_X);
	sreg(p, t, VGPU_SR_CTAID_X);
	sreg(p, (uint8_t)(t + 1), VGPU_SR_NTID_X);
	insn(p, VGPU_OP_MAD, 0, dst, t, (uint8_t)(t + 1), dst, 0);
}

static inline uint32_t program_binary(const struct program *p, struct binary *b)
{
	memset(b, 0, sizeof(*b));
	b->header = (struct vgpu_vass_header){
		.magic = VGPU_VASS_MAGIC,
		.version = VGPU_VASS_OLDEST,
		.total_bytes =
			(uint32_t)(offsetof(struct binary, code) + p->insns * sizeof(p->code[0])),
		.code_offset = offsetof(struct binary, code),
		.code_count = p->insns,
		.kernel_offset = offsetof(struct binary, kernels),
		.kernel_count = p->count,
		.names_offset = offsetof(struct binary, names),
		.names_bytes = p->names_bytes,
	};
	memcpy(b->kernels, p->kernels, sizeof(b->kernels));
	memcpy(b->names, p->names, sizeof(b->names));
	memcpy(b->code, p->code, sizeof(b->code));
	return b->header.total_bytes;
}

/* Returns the handle or a negative errno; @message may be NULL. */
static inline int module_load(int fd, const void *binary, uint32_t bytes, char *message,
			      uint32_t message_bytes)
{
	struct vgpu_module_load load = { .binary = (uintptr_t)binary,
					 .bytes = bytes,
					 .message = (uintptr_t)message,
					 .message_bytes = message_bytes };
	int ret = call(fd, VGPU_IOC_MODULE_LOAD, &load);

	return ret ? ret : (int)load.module;
}

static inline int module_unload(int fd, uint32_t module)
{
	struct vgpu_module_unload unload = { .module = module };

	return call(fd, VGPU_IOC_MODULE_UNLOAD, &unload);
}

static inline uint32_t must_load(int fd, const struct program *p)
{
	char message[512] = "";
	struct binary b;
	uint32_t bytes = program_binary(p, &b);
	int module = module_load(fd, &b, bytes, message, sizeof(message));

	if (module < 0)
		printf("# module refused: %s\n", message);
	CHECK(module >= 0);
	return (uint32_t)module;
}

/* ---- kernels for several tests ------------------------------------------ */

struct affine_params {
	uint64_t out;
	uint32_t factor;
	uint32_t add;
};

/* out[id] = id * factor + add */
static inline uint32_t kernel_affine(struct program *p)
{
	uint32_t index = kernel(p, "affine", sizeof(struct affine_params));

	ldp8(p, 0, offsetof(struct affine_params, out));
	ldp4(p, 2, offsetof(struct affine_params, factor));
	ldp4(p, 3, offsetof(struct affine_params, add));
	global_id(p, 4, 5);
	insn(p, VGPU_OP_MAD, 0, 7, 4, 2, 3, 0);
	insn(p, VGPU_OP_MADWU, VGPU_F_IMM, 8, 4, 0, 0, 4);	/* Q8 = R4 * 4 + Q0 */
	stg4(p, 8, 7);
	finish(p);
	return index;
}

/* Never ends. */
static inline uint32_t kernel_endless(struct program *p)
{
	uint32_t index = kernel(p, "endless", 0);

	insn(p, VGPU_OP_ADD, VGPU_F_IMM, 0, 0, 0, 0, 1);
	insn(p, VGPU_OP_BRA, 0, 0, 0, 0, 0, (uint64_t)VGPU_NO_RECONV << 32);
	finish(p);
	return index;
}

/* A context with an endless kernel running. Returns its file. */
static inline int must_open_busy(uint32_t *queue)
{
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_endless(&p);
	struct vgpu_cmd cmd = cmd_launch(must_load(fd, &p), index, 1, 32, NULL, 0);

	*queue = must_queue(fd);
	must_submit(fd, *queue, &cmd, 1);
	return fd;
}

/*
 * Run affine over @count blocks of 128 threads and compare every word. Ends the test when one is
 * wrong.
 */
static inline void must_compute(int fd, uint32_t queue, uint32_t module, uint32_t index,
				uint64_t base, uint32_t blocks, uint32_t factor, uint32_t add)
{
	struct affine_params params = { .out = base, .factor = factor, .add = add };
	uint32_t count = blocks * 128, i;
	uint32_t *out = malloc(count * 4ul);
	struct vgpu_cmd cmds[2] = { cmd_launch(module, index, blocks, 128, &params, sizeof(params)),
				    cmd_d2h(out, base, count * 4ul) };

	CHECK(out);
	memset(out, 0xee, count * 4ul);
	must_run(fd, queue, cmds, 2);
	for (i = 0; i < count; i++)
		CHECK_EQ(out[i], i * factor + add);
	free(out);
}

#endif
