// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How far a block of a kernel may have got and still be run again from its start, with the same
 * result in memory (flushing; Chimera's relaxed idempotence: from the start of the block on). What
 * it has in registers, shared and local memory is dropped; what it has done to global memory is
 * done again. So until then it must have done nothing
 *
 *   - that takes effect twice: an atomic on memory that may be global. malloc(), printf() and
 *   free()
 *     begin with one;
 *   - that others may act on at once: a store with an order beyond weak (volatile is one);
 *   - that changes what it reads when it runs again: a store to memory that the kernel reads. That
 *     another block of it reads the memory is the same case.
 *
 * And it must do the same again. Of a kernel that may see in a second run what it has not seen in
 * the first, no store can be repeated: it could then go elsewhere, and what the first run has
 * stored would stay. Such a kernel learns what others do beside barriers (an atomic that returns a
 * value, also on shared memory; a load with an order; a fence), reads a clock or the number of the
 * SM, or reads memory that it writes anywhere.
 *
 * Which memory a kernel reads and writes is said by the objects of its accesses (vgpu_isa.h), which
 * the compiler has proved and a program might forge: what a forged one spoils is its own memory.
 * Loads that are nc read what nobody writes. Two parameters point to different memory if the launch
 * says so (VGPU_LAUNCH_APART).
 *
 * From where those instructions are follows where a lane may be behind one: a lane that stands at
 * an instruction has come there on some path, so "may have" is the union over the paths. All that
 * is needed when a block is to be flushed is where its lanes stand. Nothing is counted while they
 * execute, so interpreter, native code and pipeline need not know of it.
 */
#include "warps.h"
#include "verify.h"

#define MOST_PASSES	8u	/* where so many find no end, nothing but the beginning is left */
#define OBJECTS		256u

/** struct uses - what a kernel does with global memory */
struct uses {
	u64 reads[OBJECTS / 64];	/* objects, a bit each */
	u64 writes[OBJECTS / 64];
	bool any_read;
	bool any_write;
	bool varies;			/* it may see something else when it runs again */
};

static bool is_atomic(u32 op)
{
	return op == VGPU_OP_ATOM || op == VGPU_OP_ATOMG || op == VGPU_OP_ATOMQ ||
	       op == VGPU_OP_ATOMGQ;
}

static bool is_store(u32 op)
{
	return op == VGPU_OP_ST || op == VGPU_OP_STG;
}

static bool reads_what_varies(const struct vgpu_insn *i)
{
	if (i->op == VGPU_OP_SREG)
		return i->imm == VGPU_SR_SMID || i->imm == VGPU_SR_CLOCK;
	return i->op == VGPU_OP_SREGQ || vgpu_insn_observes(i);
}

static void add_object(u64 *set, bool *any, u32 object)
{
	set[object / 64] |= 1ull << object % 64;
	*any = true;
}

static void add_use(struct uses *uses, const struct vgpu_insn *i)
{
	uses->varies |= reads_what_varies(i);
	if (is_atomic(i->op))
		add_object(uses->writes, &uses->any_write, VGPU_OBJECT_ANY);
	else if (is_store(i->op))
		add_object(uses->writes, &uses->any_write, i->c);
	else if ((i->op == VGPU_OP_LD || i->op == VGPU_OP_LDG) && i->c != VGPU_OBJECT_CONSTANT &&
		 VGPU_MEM_ORDER(i->mem) != VGPU_ORDER_NC)
		add_object(uses->reads, &uses->any_read, i->c);
}

/* Can its stores that are weak be done again? @apart: of a launch that says so */
static bool stores_repeat(const struct uses *uses, bool apart)
{
	const u64 any = 1ull << VGPU_OBJECT_ANY;

	if (uses->varies)
		return false;
	if (!uses->any_read || !uses->any_write)
		return true;
	if ((uses->reads[0] | uses->writes[0]) & any)
		return false;
	for (u32 n = 0; n < OBJECTS / 64; n++)
		if (uses->reads[n] & uses->writes[n])
			return false;
	return apart;
}

/* Is @i what a block cannot do again? @stores: weak stores are not */
static bool breaks(const struct vgpu_insn *i, bool stores)
{
	return is_atomic(i->op) ||
	       (is_store(i->op) && (!stores || VGPU_MEM_ORDER(i->mem) != VGPU_ORDER_WEAK));
}

static bool bit(const u64 *bits, u32 n)
{
	return bits[n / 64] >> n % 64 & 1;
}

static void set_bit(u64 *bits, u32 n)
{
	bits[n / 64] |= 1ull << n % 64;
}

/* Carries what is known on along all paths. Returns if nothing is missing. */
static bool pass(const struct vgpu_insn *code, u32 count, bool stores, struct vgpu_repeat *repeat)
{
	bool past = false, stable = true;

	for (u32 n = 0; n < count; n++) {
		const struct vgpu_insn *i = &code[n];

		past |= bit(repeat->past, n);
		if (past)
			set_bit(repeat->past, n);
		if (i->op == VGPU_OP_EXIT)
			repeat->past_exit |= past;
		past |= breaks(i, stores);
		if (i->op == VGPU_OP_BRA && past) {
			u32 target = VGPU_BRA_TARGET(i->imm);

			stable &= bit(repeat->past, target) || target > n;
			set_bit(repeat->past, target);
		}
		if ((i->op == VGPU_OP_BRA || i->op == VGPU_OP_EXIT || i->op == VGPU_OP_TRAP) &&
		    i->guard == VGPU_PT)
			past = false;	/* nothing goes on from here */
	}
	return stable;
}

static u64 words(const struct vgpu_kernel *kernel)
{
	return (kernel->vass.code_count + 63) / 64;
}

static int mark_past(const struct vgpu_kernel *kernel, bool stores,
		     struct vgpu_repeat *repeat)
{
	bool stable = false;

	repeat->past = vgpu_mem_alloc_device(words(kernel) * sizeof(*repeat->past));
	if (!repeat->past)
		return -ENOMEM;
	for (u32 n = 0; n < MOST_PASSES && !stable; n++) {
		vgpu_resched();
		stable = pass(kernel->code, kernel->vass.code_count, stores, repeat);
	}
	if (stable)
		return 0;
	vgpu_mem_free_device(repeat->past);
	*repeat = (struct vgpu_repeat){ .past_exit = true };
	return 0;
}

int vgpu_find_repeat(struct vgpu_kernel *kernel, struct vgpu_insn *code)
{
	struct uses uses = {};
	int err = 0;

	for (u32 n = 0; n < kernel->vass.code_count; n++) {
		add_use(&uses, &code[n]);
		if (vgpu_verify_has_object(&code[n]))
			code[n].c = 0;
	}
	for (u32 apart = 0; apart < 2 && !err; apart++)
		err = mark_past(kernel, stores_repeat(&uses, apart), &kernel->repeat[apart]);
	return err;
}

void vgpu_free_repeat(struct vgpu_kernel *kernel)
{
	for (u32 apart = 0; apart < 2; apart++)
		vgpu_mem_free_device(kernel->repeat[apart].past);
}

u64 vgpu_repeat_bytes(const struct vgpu_kernel *kernel)
{
	return 2 * words(kernel) * sizeof(u64);
}

/* ---- where a block stands ------------------------------------------------ */

static bool is_past(const struct vgpu_kernel *kernel, const struct vgpu_repeat *repeat, u32 pc)
{
	return pc >= kernel->vass.code_count || bit(repeat->past, pc);
}

static bool warp_is_past(const struct vgpu_kernel *kernel, const struct vgpu_repeat *repeat,
			 const struct vgpu_warp *w)
{
	u32 all = w->threads == VGPU_LANES ? ~0u : (1u << w->threads) - 1;

	if (repeat->past_exit && w->live != all)
		return true;
	if (w->state == VGPU_WARP_EXITED)
		return false;
	/* lanes have executed a part of the instruction at which it stands */
	if (w->done || is_past(kernel, repeat, w->pc))
		return true;
	for (u32 n = 0; n < w->depth; n++)
		if (w->stack[n].mask & w->live && is_past(kernel, repeat, w->stack[n].pc))
			return true;
	return false;
}

bool vgpu_warps_repeat(const struct vgpu_block *block)
{
	const struct vgpu_kernel *kernel = block->launch->kernel;
	const struct vgpu_repeat *repeat = &kernel->repeat[block->launch->apart];
	const struct vgpu_warps *warps = block->warps;

	if (!warps || !warps->begun)
		return true;
	/* one that has ended has, though the time of that has not come */
	if (vgpu_warps_over(warps) || !repeat->past)
		return false;
	for (u32 n = 0; n < warps->count; n++)
		if (warp_is_past(kernel, repeat, &warps->warp[n]))
			return false;
	return true;
}
