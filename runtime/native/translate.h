/* SPDX-License-Identifier: MIT */
/*
 * From VASS to instructions of x86-64 with AVX-512, AVX2 or SSE2, kernel by kernel
 * (docs/native-code.md). Private to native/.
 *
 * A register slot of a warp is 64-byte chunks: R(n) is chunks 2n and 2n + 1, sixteen lanes each;
 * Q(n), n even, is 2n to 2n + 3, eight lanes each. The vector registers from CACHE_FIRST on keep
 * chunks: results, which are stored, if they are live (live.h), when the register is needed, or the
 * segment ends, or is left (registers.c), and what is read again. Below are what an instruction
 * itself needs.
 *
 * Registers of the processor:
 *	rbx	struct vgpu_lanes
 *	rbp	struct vgpu_warp
 *	r12d	active lanes
 *	r13	cycles of the warp
 *	r14	its registers, BIAS beyond the first
 *	r15d	budget
 *	[rsp]	lanes that did not execute because of a guard
 *	[rsp + 8]	inactive lanes
 *	[rsp + 24]	how many are active
 *	[rsp + 32]	budget when the code was entered
 *	[rsp + 40]	4 * the lowest active lane, if some are inactive
 *	[rsp + 44]	4 * how far the highest is from it
 *	[rsp + 64]	shapes of shared addresses (struct shape), a few
 *	k1, k2	inactive lanes by 16, k3 to k6 by 8: where all are active nothing uses them
 *
 * With smaller vectors (struct x86_small) vectors and masks are in memory mostly, from
 * [rsp + X86_HOMES] on, and [rsp + 16] is rsp as it was.
 */
#ifndef VGPU_TRANSLATE_H
#define VGPU_TRANSLATE_H

#include "live.h"
#include "native.h"
#include "stride.h"
#include "sm/lanes.h"
#include "x86.h"

#define CACHE_FIRST	8u
#define CACHE_LAST	31u
#define BIAS		8192
#define NO_CHUNK	0xffffu
#define CHUNKS		(2u * 256u)

#define LOST		0
#define INACTIVE	8
#define WAS		16
#define ACTIVE		24
#define BUDGET		32
#define LOWEST		40
#define SPREAD		44
#define SHAPES		64
#define SHAPE_COUNT	8u
#define FRAME		(64 + 32 * 8 + 8)	/* of the stack, so that calls find it aligned */
_Static_assert(X86_HOMES == SHAPES + 32 * SHAPE_COUNT, "small vectors lie behind the shapes");

/* Which code a warp is executed by (vgpu_warp.native); the first before there was any */
enum native_path { NATIVE_NOT_YET, NATIVE_PLAIN, NATIVE_STRIDES };

/* Why a stretch of code ended */
enum native_stop {
	STOP_NOT,	/* none has begun */
	STOP_HERE,	/* no budget is left, or the interpreter is to execute what it stands at */
	STOP_RECONVERGED,
	STOP_EXIT,	/* behind an EXIT of all active lanes; nothing is on the stack */
	STOP_BARRIER,	/* behind a BAR */
};

struct translation;

/**
 * struct residency - a chunk in a vector register, from one event to the last that needs it there
 * (registers.c); @dirty: it was computed, and is in memory from event @stored on; @derived: it is
 * not there, but each of its lanes is @offset more than that of the chunk that is, the @head
 */
struct residency {
	u16 chunk;
	u8 slot;
	bool dirty, derived, head, wide;
	u32 from, last, stored;
	u64 offset;
};

/** struct way_out - where a segment is left: before an instruction, at an event */
struct way_out {
	x86_label label;
	u32 index;
	u32 when;
	bool complete;		/* nothing is to be stored */
};
#define MOST_OUTS	256u

/** struct later - code to be put behind the segment: it is left, and code returns to it */
struct later {
	void (*emit)(struct translation *t, const struct later *later);
	x86_label here, back;
	u8 regs[4];
	u8 count;
	bool wide;
	u32 index;
	u32 left, returned;	/* events */
	x86_label again, loaded;	/* shared memory: where to go on */
	/* global memory: a row that is not in one page, or not aligned; else as here */
	x86_label elsewhere;
	x86_label absent;	/* ... that has no translation */
};
#define MOST_LATER	128u

struct translation {
	struct x86 x;
	const struct vgpu_insn *code;
	u32 count;
	const u16 *cost;
	struct live_registers *live;	/* NULL: all are */
	struct stride *strides;	/* NULL: none is known */
	bool strided;		/* code for warps where they hold */
	u8 *leader;		/* of each instruction: a segment begins there */
	u8 *reconverges;	/* it is the reconvergence point of a branch */
	bool masked;		/* some lanes are inactive */
	u32 index;		/* of the instruction */
	u32 end;		/* of the segment */
	u32 now;		/* event in it */
	u64 flushed[4];		/* R slots that have no subnormal number in active lanes */
	u32 *began;		/* event of each instruction */
	/* labels of the present mode, by instruction */
	x86_label *segment, *body, *entry, *exit;
	x86_label leave, leave_done, fewer;
	/* the cache */
	u16 chunk_of[32];	/* NO_CHUNK: free */
	u32 residency_of[32];
	u8 slot_of[CHUNKS];	/* 0: none */
	u32 derived_of[CHUNKS];	/* which residency, and 1; 0: none */
	u32 pinned;		/* a bit for each vector register the instruction uses */
	u8 next_slot;
	struct residency *residencies;
	u32 residency_count, residency_room;
	/* which registers that have addresses in shared memory have a shape; 0: none */
	u8 shape_reg[SHAPE_COUNT];
	u32 shape_count;
	struct later later[MOST_LATER];
	u32 later_count;
	struct way_out outs[MOST_OUTS];
	u32 out_count;
	bool failed;
};

/** struct native_object - a kernel's vgpu_native_code.run() */
struct native_object {
	u8 *bytes;
	u32 size;
	u32 *entries;		/* a table that the code uses: to be freed after it */
	bool strided;		/* there is code for strides */
};

/*
 * For @vectors, not NONE. 0 or -ENOMEM; -E2BIG: the kernel is too large. The caller frees bytes and
 * entries.
 */
int vgpu_translate(const struct vgpu_insn *code, u32 count, const u16 *cost,
		   enum vgpu_native_vectors vectors, struct native_object *out);

/* small.c: are there instructions of AVX2, or SSE2, for @i? */
bool tr_small_can(const struct translation *t, const struct vgpu_insn *i);
/* The interpreter executes it from within the code. False: the code has to be left. */
bool tr_call_interpreter(struct translation *t, const struct vgpu_insn *i);

/* ---- registers.c ----------------------------------------------------------- */

static inline u32 chunk(u32 reg, u32 part)
{
	return 2 * reg + part;
}

static inline struct x86_mem chunk_mem(u32 chunk)
{
	return at(R14, (int32_t)(chunk * 64) - BIAS);
}

/* 32 bytes of an R: eight lanes */
static inline struct x86_mem half_mem(u32 reg, u32 part)
{
	return at(R14, (int32_t)(reg * 128 + part * 32) - BIAS);
}

static inline u32 parts_of(bool wide)
{
	return wide ? 4 : 2;
}

/*
 * frame.c: where the code begins and ends. @entries: [2 or 4][count], where each instruction is
 * entered, counted from there: with all lanes active, or some; the same by code for strides. They
 * are filled in later.
 */
void tr_frame(struct translation *t, const u32 *entries);

void tr_begin_segment(struct translation *t);
/* Nothing is cached any more. What is dirty has been stored, or is not looked at. */
void tr_forget(struct translation *t);
void tr_begin(struct translation *t);		/* an instruction begins: nothing is pinned */
void tr_unpin(struct translation *t, u8 slot);
u8 tr_use(struct translation *t, u32 chunk);	/* the register that has it now; pinned */
u8 tr_fresh(struct translation *t);		/* one to compute in; pinned */
/* What @slot has is part @part of a result, in the active lanes. @slot may then have more. */
void tr_result(struct translation *t, u8 slot, u32 reg, u32 part, bool wide);
/* All parts, when all are known: sources may overlap them. */
void tr_results(struct translation *t, const u8 *d, u32 reg, bool wide);
/*
 * How many parts of the result of the instruction are to be computed, and these: the others are
 * derived from the first.
 */
u32 tr_parts(const struct translation *t, bool wide);
void tr_results_of(struct translation *t, const u8 *d, u32 parts, u32 reg, bool wide);
/* The stride of operand a of the instruction; STRIDE_NONE: it is not known here. */
s32 tr_stride_of_a(const struct translation *t);
/* It is known, and holds in all lanes. */
bool tr_in_all_lanes(const struct translation *t);
/* The instruction may write its result in lanes that are not active, too. */
bool tr_unmasked(const struct translation *t);
/* The result of the instruction has one, which other lanes may be asked for. */
bool tr_has_stride(const struct translation *t);
/* Copy a chunk into @to. */
void tr_copy(struct translation *t, u8 to, u32 chunk);
/* to = op(eight lanes of an R), which makes 64 bits of each */
void tr_half(struct translation *t, u32 op, u8 to, u32 reg, u32 half);
/* What is dirty is stored, and stays cached: of all, what is live before instruction @index. */
void tr_store_chunk(struct translation *t, u32 chunk);
void tr_store(struct translation *t, u32 index);
/* For ways.c and code that is put behind the segment: what was dirty then; what is used since */
void tr_store_at(struct translation *t, u32 when, u32 index);
void tr_load_at(struct translation *t, u32 when);

/* ---- ways.c ---------------------------------------------------------------- */

/* Out before the present instruction, the state being what it is now */
x86_label tr_exit(struct translation *t);
/* The same from code behind the segment: as it was when that was left; or all live is in memory. */
x86_label tr_exit_later(struct translation *t, const struct later *l);
x86_label tr_exit_complete(struct translation *t, u32 index);
struct later *tr_later(struct translation *t,
		       void (*emit)(struct translation *t, const struct later *later));
/* It is left for @l from now on, if no register is evicted before it is. */
void tr_leaves(struct translation *t, struct later *l);
void tr_back(struct translation *t, struct later *l);	/* here @l returns */
/* Cycles of instructions from @from to the end of the segment */
void tr_add_cycles(struct translation *t, u32 from);
void tr_take_cycles(struct translation *t, u32 from);
/* All ways in and out of the segment that begins at @first */
void tr_ways(struct translation *t, u32 first);

/* ---- for the instructions ---------------------------------------------------- */

/* d = op(a, operand b of the instruction) of a part; @wide: by 64 bits */
void tr_with_b(struct translation *t, u32 op, u8 d, u8 a, const struct vgpu_insn *i, u32 part,
	       bool wide, u32 options);
/* Operand b in a register, which may be @temp. */
u8 tr_b(struct translation *t, const struct vgpu_insn *i, u32 part, bool wide, u8 temp);
void tr_splat(struct translation *t, u8 to, u64 value, bool wide);
/* Mask register 7 = a part of predicate operand @p */
void tr_pred(struct translation *t, u32 p, u32 part, bool wide);
/* Predicate @p = eax in the active lanes. Destroys ecx. */
void tr_set_pred(struct translation *t, u32 p);
/* The interpreter executes the instruction. */
void tr_interpret(struct translation *t);
void tr_load_masks(struct translation *t);	/* k1 to k6 */
/* Where the shape of addresses in register @reg is: an offset from rsp; 0: it has none. */
int32_t tr_shape(struct translation *t, u32 reg);

/* False: there is no code for this instruction, and none has been emitted. */
bool tr_integer(struct translation *t, const struct vgpu_insn *i);
bool tr_predicate(struct translation *t, const struct vgpu_insn *i);
bool tr_float(struct translation *t, const struct vgpu_insn *i);
bool tr_convert(struct translation *t, const struct vgpu_insn *i);
bool tr_memory(struct translation *t, const struct vgpu_insn *i);
/* The numbers of the sixteen lanes of a half */
struct x86_mem tr_lane_numbers(struct translation *t, u32 half);
/* Of one that names its members: the code is left where some of those are not active. */
void tr_check_members(struct translation *t, const struct vgpu_insn *i);
bool tr_shuffle(struct translation *t, const struct vgpu_insn *i);

/* rax = f(lanes, the instruction, active lanes): what is live is in memory */
void tr_call(struct translation *t, const struct vgpu_insn *i,
	     u32 (*f)(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m));
/*
 * The same in the place of what stands in the segment, which cannot fail: for all lanes, where the
 * instruction is for all.
 */
void tr_call_instead(struct translation *t, const struct later *l,
		     u32 (*f)(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m));
/* A call of access.h, or of the interpreter, in the place of what stands in the segment */
void tr_call_later(struct translation *t, const struct later *l);
void tr_call_and_load(struct translation *t, const struct later *l);	/* what is live is there */
/*
 * Elements whose lanes lie @stride from each other: is there code for the load or store @i? The
 * elements at rsi: a load of a row or of one place, by all lanes also where some are inactive, and
 * a store of a row. Destroy rcx and mask 7.
 */
bool tr_has_code(const struct translation *t, const struct vgpu_insn *i, s32 stride);
void tr_load_here(struct translation *t, const struct vgpu_insn *i, s32 stride);
void tr_store_row(struct translation *t, const struct vgpu_insn *i);
/* All of them store one element at rsi, and the highest wins. Operand b is in memory. */
void tr_store_one(struct translation *t, const struct vgpu_insn *i);
/* Of an access to shared or local memory: how far the offset of each lane is from the one before */
s32 tr_known_stride(const struct translation *t, const struct vgpu_insn *i);
/*
 * rsi = the first lane's offset, where the stride is known, if it is aligned to @align and the
 * @bytes from there on are below what is at @limit; else to @l->here. Destroys rcx.
 */
void tr_find_offset(struct translation *t, const struct vgpu_insn *i, u32 align, u32 bytes,
		    struct x86_mem limit, struct later *l);
/* As tr_memory(): of shared, local and global memory */
bool tr_local(struct translation *t, const struct vgpu_insn *i);
bool tr_shared_load(struct translation *t, const struct vgpu_insn *i);
bool tr_shared_store(struct translation *t, const struct vgpu_insn *i);
bool tr_global_load(struct translation *t, const struct vgpu_insn *i);
bool tr_global_store(struct translation *t, const struct vgpu_insn *i);

/* Floats: d, parts of which may be NaNs, become canonical (ops_float.c). */
void tr_canonical(struct translation *t, const u8 *d, u32 count, bool wide);
void tr_flush(struct translation *t, u8 d);
/* Slot @reg is known to need none; and what an instruction makes of that. */
static inline bool tr_is_flushed(const struct translation *t, u32 reg)
{
	return t->flushed[reg / 64] >> reg % 64 & 1;
}
void tr_note_flushed(struct translation *t, const struct vgpu_insn *i);
/*
 * The interpreter executes the instruction if one of its results, in @d, is the smallest normal
 * number: of one that flushes. Returns where tr_back() is to be called; what is done until then the
 * interpreter has done.
 */
struct later *tr_smallest(struct translation *t, const u8 *d, u32 count);
void tr_saturate(struct translation *t, u8 d);

/* Vector instructions that several files use */
enum {
	V_LOAD = EVEX(1, 1, 0, 0x6f),	/* vmovdqa32 */
	V_LOADQ = EVEX(1, 1, 1, 0x6f),
	V_STORE = EVEX(1, 1, 0, 0x7f),
	V_LOAD_ANY = EVEX(2, 1, 0, 0x6f),	/* vmovdqu32 */
	V_STORE_ANY = EVEX(2, 1, 0, 0x7f),
	V_STORE_ANYQ = EVEX(2, 1, 1, 0x7f),
	V_BROAD = EVEX_OF(1, 2, 0, 0x58, 4),
	V_BROADQ = EVEX_OF(1, 2, 1, 0x59, 8),
	V_BROAD_GPR = EVEX(1, 2, 0, 0x7c),
	V_ADD = EVEX(1, 1, 0, 0xfe),
	V_ADDQ = EVEX(1, 1, 1, 0xd4),
	V_SUB = EVEX(1, 1, 0, 0xfa),
	V_AND = EVEX(1, 1, 0, 0xdb),
	V_ANDN = EVEX(1, 1, 0, 0xdf),
	V_OR = EVEX(1, 1, 0, 0xeb),
	V_XOR = EVEX(1, 1, 0, 0xef),
	V_ANDQ = EVEX(1, 1, 1, 0xdb),
	V_ORQ = EVEX(1, 1, 1, 0xeb),
	V_XORQ = EVEX(1, 1, 1, 0xef),
	V_TESTN = EVEX(2, 2, 0, 0x27),
	V_COMPARE = EVEX(1, 3, 0, 0x1f),	/* vpcmpd, to a mask: 0 equal, 6 greater */
	V_COMPARE_U = EVEX(1, 3, 0, 0x1e),
	V_COMPARE_PS = EVEX(0, 1, 0, 0xc2),
	V_COMPARE_PD = EVEX(1, 1, 1, 0xc2),
	V_SX = EVEX_OF(1, 2, 0, 0x25, 32),	/* vpmovsxdq */
	V_ZX = EVEX_OF(1, 2, 0, 0x35, 32),
	V_SHIFT_IMMQ = EVEX(1, 1, 1, 0x73),	/* by the field of reg: 6 left, 2 right */
	V_SX8 = EVEX_OF(1, 2, 0, 0x21, 16),	/* vpmovsxbd */
	V_ZX8 = EVEX_OF(1, 2, 0, 0x31, 16),
	V_SX16 = EVEX_OF(1, 2, 0, 0x23, 32),	/* vpmovsxwd */
	V_ZX16 = EVEX_OF(1, 2, 0, 0x33, 32),
	V_TO8 = EVEX_OF(2, 2, 0, 0x31, 16),	/* vpmovdb: operands exchanged, and the next */
	V_TO16 = EVEX_OF(2, 2, 0, 0x33, 32),
	V_NARROW = EVEX_OF(2, 2, 0, 0x35, 32),	/* vpmovqd: operands exchanged */
	V_EXTRACT = EVEX_OF(1, 3, 1, 0x3b, 32),	/* vextracti64x4: operands exchanged */
	V_INSERT = EVEX_OF(1, 3, 1, 0x3a, 32),	/* vinserti64x4 */
};

#endif
