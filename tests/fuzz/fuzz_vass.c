// SPDX-License-Identifier: MIT
/*
 * Fuzz target: VASS binaries. Covers the loader and the verifier (sim-device/sm/module.c,
 * verify.c), the interpreter (warps.c, block_compiled.c, lanes/), the paths by which compiled
 * blocks are preempted, swapped and restarted, and the disassembler. What the verifier accepts is
 * launched on a device of one SM for a bounded number of events; then the context closes, and
 * nothing may be left of it. The test host checks the device's promises on the way.
 */
#include <stdlib.h>

#include "compile.h"
#include "device/device.h"
#include "tests/unit/device/host.h"
#include "mutate.h"
#include "sm/verify.h"
#include "vass_input.h"

#define ADDRESS		0x40000000ull
#define MAPPED		(64ull << 10)
#define KERNELS_MAX	4u
#define EVENTS_MAX	150u
#define STATE_MAX	(256u << 10)	/* local memory of a block */
#define DISASSEMBLED	64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static struct host *device_new(uint8_t options)
{
	struct vgpu_config config;
	struct host *h;

	assert_int_equal(vgpu_config_preset(&config, "k20c"), 0);
	config.sms = 1;
	config.slice_ps = 100000;
	strcpy(config.policy, "ppq-exclusive");
	if (options & VASS_INPUT_BY_BLOCK)
		strcpy(config.preemption, options & VASS_INPUT_SWITCH ? "flush" : "chimera");
	else
		strcpy(config.preemption,
		       options & VASS_INPUT_SWITCH ? "switch" : "drain-then-switch");
	if (options & VASS_INPUT_ARRIVAL)
		config.page_arrival_ps = 300000;
	if (options & VASS_INPUT_SWAP)
		config.block_swap_ps = 250000;
	h = host_new_config(&config);
	if (options & VASS_INPUT_NO_MEMORY)
		h->frames_max = 4;
	return h;
}

static void launch(struct host *h, u32 context, u32 queue, u32 module, u32 index,
		   const struct vgpu_vass_kernel *kernel, const struct vass_input *in)
{
	static u64 params[(VGPU_VASS_MAX_PARAM + 7) / 8];
	u32 threads = (in->threads % 128u + 1) * 8;
	struct vgpu_cmd cmd = cmd_nop();
	int err;

	/* half-words of a parameter are small numbers, words are addresses that are mapped */
	for (u32 n = 0; n < (kernel->param_bytes + 7) / 8; n++)
		params[n] = ADDRESS + n % 8 * 4096;
	if (kernel->max_threads && threads > kernel->max_threads)
		threads = kernel->max_threads;
	while (threads > 1 && (u64)threads * kernel->local_bytes > STATE_MAX)
		threads /= 2;
	cmd.op = VGPU_CMD_LAUNCH;
	cmd.launch = (struct vgpu_cmd_launch){
		.module = module,
		.kernel = index,
		.grid = { in->blocks % 8u + 1, 1, 1 },
		.block = { threads, 1, 1 },
		.dynamic_shared = in->dynamic_shared,
		.param_bytes = kernel->param_bytes,
	};
	err = host_try(h, context, queue, &cmd, 0, params);
	assert_true(!err || err == -EINVAL || err == -EIO);
}

static void run_module(const struct vass_input *in, struct vgpu_module *module)
{
	struct host *h = device_new(in->options);
	u32 context = host_open(h), queue = host_queue(h, context), other = host_open(h);
	u32 count = vgpu_module_kernel_count(module), id, urgent = host_queue(h, other);

	assert_int_equal(vgpu_memory_map(h->dev, context, ADDRESS, MAPPED), 0);
	assert_int_equal(vgpu_context_priority(h->dev, other, 1), 0);
	assert_int_equal(vgpu_module_add(h->dev, context, module, &id), 0);
	for (u32 n = 0; n < count && n < KERNELS_MAX; n++)
		launch(h, context, queue, id, n, &vgpu_module_kernel(module, n)->vass, in);
	for (u32 n = 0; n < EVENTS_MAX; n++) {
		if (n == in->events)
			host_push(h, other, urgent, cmd_profiled(2, VGPU_US, 4));
		if (vgpu_device_run(h->dev, VGPU_NEVER, 1) == VGPU_NEVER && n > in->events)
			break;
	}
	assert_true(vgpu_exec_check(&h->dev->exec));
	host_free(h);
}

/* Instructions need not be valid to be printed. */
static void disassemble(const uint8_t *data, size_t size)
{
	struct vgpu_insn insn;
	char text[96];

	for (u32 n = 0; n < DISASSEMBLED && (n + 1) * sizeof(insn) <= size; n++) {
		memcpy(&insn, data + n * sizeof(insn), sizeof(insn));
		vgpu_disassemble(&insn, text, sizeof(text));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vass_input in;
	struct vgpu_config limits;
	struct vgpu_module *module;
	char message[128];
	void *binary;
	int err;

	if (size < sizeof(in))
		return -1;
	memcpy(&in, data, sizeof(in));
	data += sizeof(in);
	size -= sizeof(in);
	assert_int_equal(vgpu_config_preset(&limits, "k20c"), 0);
	/* aligned as in the kernel, and exactly as long as it says */
	binary = malloc(size ? size : 1);
	assert_non_null(binary);
	memcpy(binary, data, size);
	err = vgpu_vass_load(&limits, binary, (u32)size, message, sizeof(message), &module);
	free(binary);
	assert_true(!err || (err == -EINVAL && message[0]));
	if (!err)
		run_module(&in, module);
	disassemble(data, size);
	return 0;
}

/* ---- mutation by instruction -------------------------------------------- */

#define TRIES	64u

static uint8_t random_register(uint64_t *state, u32 regs)
{
	u32 n = fuzz_below(state, regs < 16 || !fuzz_below(state, 4) ? regs : 16);

	return (uint8_t)(fuzz_below(state, 2) ? n & ~1u : n);
}

static uint8_t random_operand(uint64_t *state, u32 regs)
{
	switch (fuzz_below(state, 8)) {
	case 0:
	case 1:
		return 0;
	case 2:
		return (uint8_t)(VGPU_PT | fuzz_below(state, 2) * VGPU_P_NOT);
	case 3:
		return (uint8_t)fuzz_random(state);
	default:
		return random_register(state, regs);
	}
}

static uint64_t random_immediate(uint64_t *state, u32 code_count)
{
	uint64_t r = fuzz_random(state);
	uint64_t target = fuzz_below(state, code_count);

	switch (fuzz_below(state, 8)) {
	case 0:
		return r >> (r & 63);
	case 1:
		return r % VGPU_SR_COUNT;
	case 2:	/* a branch */
		return target | (uint64_t)fuzz_below(state, code_count) << 32;
	case 3:
		return target | (uint64_t)VGPU_NO_RECONV << 32;
	case 4:
		return ADDRESS + r % (2 * MAPPED);
	case 5:	/* a shuffle */
		return r % 32 | (uint64_t)VGPU_PT << 32 | (uint64_t)VGPU_SHFL_FULL << 40;
	case 6:
		return r % 256 * 4;
	default:
		return 0;
	}
}

static void random_field(uint64_t *state, struct vgpu_insn *insn,
			 const struct vgpu_vass_kernel *kernel)
{
	static const uint8_t guards[] = { VGPU_PT, VGPU_PT, 0, 1, VGPU_P_NOT, 2 };
	u32 regs = kernel->regs ? kernel->regs : 1;

	switch (fuzz_below(state, 8)) {
	case 0:
		insn->guard = guards[fuzz_below(state, sizeof(guards))];
		break;
	case 1:
		insn->flags = (uint8_t)(fuzz_below(state, 16) | fuzz_below(state, 2) * VGPU_F_IMM);
		break;
	case 2:
		insn->flags ^= (uint8_t)(1u << fuzz_below(state, 8));
		break;
	case 3:
		insn->dst = random_operand(state, regs);
		break;
	case 4:
		insn->a = random_operand(state, regs);
		break;
	case 5:
		insn->b = random_operand(state, regs);
		break;
	case 6:
		insn->c = random_operand(state, regs);
		break;
	default:
		insn->imm = random_immediate(state, kernel->code_count);
	}
}

static void random_insn(uint64_t *state, struct vgpu_insn *insn,
			const struct vgpu_vass_kernel *kernel)
{
	u32 regs = kernel->regs ? kernel->regs : 1;

	*insn = (struct vgpu_insn){
		.op = (uint8_t)fuzz_below(state, VGPU_OP_COUNT),
		.guard = VGPU_PT,
		.dst = random_operand(state, regs),
		.a = random_operand(state, regs),
		.b = random_operand(state, regs),
		.c = random_operand(state, regs),
		.imm = random_immediate(state, kernel->code_count),
	};
	if (fuzz_below(state, 2))
		insn->flags = (uint8_t)(fuzz_below(state, 16) | fuzz_below(state, 2) * VGPU_F_IMM);
	insn->mem = (uint8_t)(fuzz_below(state, 2) ? fuzz_random(state) : vgpu_mem_of_v1(insn->op));
}

/* The tables of the binary where they are as the loader wants them; false: they are not. */
static bool tables(uint8_t *data, size_t size, struct vgpu_vass_header *h, uint8_t **code,
		   uint8_t **kernels)
{
	if (size < sizeof(*h))
		return false;
	memcpy(h, data, sizeof(*h));
	*code = data + h->code_offset;
	*kernels = data + h->kernel_offset;
	return h->code_count && h->kernel_count && h->code_offset <= size &&
	       h->code_count <= (size - h->code_offset) / sizeof(struct vgpu_insn) &&
	       h->kernel_offset <= size &&
	       h->kernel_count <= (size - h->kernel_offset) / sizeof(struct vgpu_vass_kernel);
}

/* Make room for one instruction at @index of the kernel, or remove the one there. */
static size_t resize(uint8_t *data, size_t size, size_t max_size, u32 kernel, u32 index, int by)
{
	const size_t insn = sizeof(struct vgpu_insn);
	struct vgpu_vass_kernel k;
	struct vgpu_vass_header h;
	uint8_t *code, *kernels;
	size_t at;

	if (!tables(data, size, &h, &code, &kernels) || h.kernel_offset < h.code_offset ||
	    h.names_offset < h.code_offset || (by > 0 && size + insn > max_size))
		return size;
	at = h.code_offset + index * insn;
	if (by > 0)
		memmove(data + at + insn, data + at, size - at);
	else
		memmove(data + at, data + at + insn, size - at - insn);
	size += (size_t)by * insn;
	h.code_count += (u32)by;
	h.kernel_offset += (u32)by * (u32)insn;
	h.names_offset += (u32)by * (u32)insn;
	h.total_bytes += (u32)by * (u32)insn;
	memcpy(data, &h, sizeof(h));
	for (u32 n = 0; n < h.kernel_count; n++) {
		uint8_t *row = data + h.kernel_offset + n * sizeof(k);

		memcpy(&k, row, sizeof(k));
		if (n == kernel)
			k.code_count += (u32)by;
		else if (k.entry > index)
			k.entry += (u32)by;
		memcpy(row, &k, sizeof(k));
	}
	return size;
}

/* Change one instruction; most of the time to one that the verifier accepts. */
static size_t mutate_code(uint8_t *data, size_t size, size_t max_size, uint64_t *state)
{
	struct vgpu_vass_header h;
	struct vgpu_vass_kernel k;
	struct vgpu_insn old, insn;
	uint8_t *code, *kernels;
	u32 kernel, index, how = fuzz_below(state, 8);

	if (!tables(data, size, &h, &code, &kernels))
		return LLVMFuzzerMutate(data, size, max_size);
	kernel = fuzz_below(state, h.kernel_count);
	memcpy(&k, kernels + kernel * sizeof(k), sizeof(k));
	if (!k.code_count || k.entry >= h.code_count || k.code_count > h.code_count - k.entry)
		return LLVMFuzzerMutate(data, size, max_size);
	index = k.entry + fuzz_below(state, k.code_count);
	if (how == 0 && k.code_count > 1)
		return resize(data, size, max_size, kernel, index, -1);
	if (how <= 2) {
		size = resize(data, size, max_size, kernel, index, 1);
		if (!tables(data, size, &h, &code, &kernels))
			return size;
	}
	memcpy(&old, code + index * sizeof(old), sizeof(old));
	for (u32 tries = 0; tries < TRIES; tries++) {
		insn = old;
		if (how == 3)
			memcpy(&insn, code + fuzz_below(state, h.code_count) * sizeof(insn),
			       sizeof(insn));
		else if (how <= 5)
			random_insn(state, &insn, &k);
		else
			random_field(state, &insn, &k);
		if (!vgpu_verify_insn(&insn, &k) || !fuzz_below(state, TRIES))
			break;
	}
	memcpy(code + index * sizeof(insn), &insn, sizeof(insn));
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	const size_t head = sizeof(struct vass_input);
	uint64_t state = seed;

	if (size <= head || !fuzz_below(&state, 12))
		return LLVMFuzzerMutate(data, size, max_size);
	if (!fuzz_below(&state, 12)) {
		uint8_t saved[sizeof(struct vass_input)];

		memcpy(saved, data, head);
		LLVMFuzzerMutate(saved, head, head);
		memcpy(data, saved, head);
		return size;
	}
	for (u32 times = 1 + fuzz_below(&state, 4); times; times--)
		size = head + mutate_code(data + head, size - head, max_size - head, &state);
	return size;
}
