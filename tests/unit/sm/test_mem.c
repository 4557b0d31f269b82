// SPDX-License-Identifier: MIT
/*
 * Loads, stores and atomics of a warp against a loop over its lanes; each way in which they fault;
 * restarts.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "lanes_rig.h"
#include "sm/verify.h"
#include "vass_build.h"

enum space { GENERIC, GLOBAL, SHARED, LOCAL };

static const struct {
	u32 op;
	enum space space;
	bool store;
} accesses[] = {
	{ VGPU_OP_LD, GENERIC, false }, { VGPU_OP_LDG, GLOBAL, false },
	{ VGPU_OP_LDS, SHARED, false }, { VGPU_OP_LDL, LOCAL, false },
	{ VGPU_OP_ST, GENERIC, true },	{ VGPU_OP_STG, GLOBAL, true },
	{ VGPU_OP_STS, SHARED, true },	{ VGPU_OP_STL, LOCAL, true },
};

/* What a lane's address means: the bytes there, or NULL and the reason of the fault. */
static u8 *bytes_at(struct rig *rig, enum space space, u64 address, u32 lane, u32 size, bool atomic,
		    u32 *reason)
{
	u64 offset = address;

	*reason = VGPU_FAULT_MISALIGNED;
	if (address % size)
		return NULL;
	if (space == GENERIC) {
		offset = address & ~VGPU_WINDOW_MASK;
		space = GLOBAL;
		if ((address & VGPU_WINDOW_MASK) == VGPU_SHARED_WINDOW)
			space = SHARED;
		else if ((address & VGPU_WINDOW_MASK) == VGPU_LOCAL_WINDOW)
			space = LOCAL;
	}
	switch (space) {
	case SHARED:
		*reason = VGPU_FAULT_SHARED_RANGE;
		return offset + size <= RIG_SHARED ? rig->shared + offset : NULL;
	case LOCAL:
		*reason = atomic ? VGPU_FAULT_ADDRESS_SPACE : VGPU_FAULT_LOCAL_RANGE;
		return !atomic && offset + size <= RIG_LOCAL ?
			       rig->local + vgpu_in_local_page(lane, (u32)offset) :
			       NULL;
	default:
		*reason = VGPU_FAULT_UNMAPPED;
		if (address < RIG_BASE || address >= RIG_BASE + sizeof(rig->memory))
			return NULL;
		return rig->memory + (address - RIG_BASE);
	}
}

/* An address pattern over the lanes; mostly valid, a few not. */
static u64 pattern(enum space space, u32 kind, u32 lane, u32 size, u64 base, u64 *seed)
{
	u64 limit = space == SHARED ? RIG_SHARED : space == LOCAL ? RIG_LOCAL : RIG_PAGES * 4096u;
	u64 offset, window = 0;

	switch (kind) {
	case 0:	/* all the same */
		offset = base;
		break;
	case 1:	/* a row */
		offset = base + (u64)lane * size;
		break;
	case 2:	/* reversed */
		offset = base + (u64)(31 - lane) * size;
		break;
	case 6:	/* strided through pages, or all in the shared window, or in the local one */
	case 7:
		limit = space != GENERIC ? limit :
			kind == 7	 ? RIG_LOCAL :
			base & 1	 ? RIG_SHARED :
					   limit;
		window = space != GENERIC ? 0 :
			 kind == 7	  ? VGPU_LOCAL_WINDOW :
			 base & 1	  ? VGPU_SHARED_WINDOW :
					    0;
		offset = (base + (u64)lane * (base & 2 ? 132 : 4096)) % limit / size * size;
		if (window)
			return window + offset;
		break;
	case 3:	/* strided, or eight lanes each in a row or at one place, or not quite */
		offset = base + (u64)lane * size * 5;
		if (base & 1)
			break;
		/* pages ascend, or descend */
		offset = (u64)__builtin_popcountll(base >> 6 & ((1u << lane / 8) - 1));
		offset = (base & 512 ? 3 - offset : offset) * 4096 +
			 (base & 14 ? base % 1024 : 4096 - 24);
		offset += base >> (1 + lane / 8) & 1 ? lane % 8 * size : 0;
		if (base & 32 && !(rig_random(seed) % 16))
			offset += size;
		if (size > 1 && base % 128 == 64)
			return RIG_BASE + offset % limit / size * size + 1;
		break;
	default:
		offset = rig_random(seed) % limit;
	}
	offset = offset % limit / size * size;
	if (kind == 5 && !(rig_random(seed) % 40))
		offset += rig_random(seed) % 3 ? limit - offset : 1;
	if (space == GENERIC && (kind == 4 || kind == 5)) {
		window = rig_random(seed) % 4;
		if (window == 1)
			return VGPU_SHARED_WINDOW + offset % RIG_SHARED;
		if (window == 2)
			return VGPU_LOCAL_WINDOW + offset % RIG_LOCAL / size * size;
		if (kind == 5 && !(rig_random(seed) % 60))
			return 0x7f00000000000000ull + offset;
	}
	return offset + (space == GENERIC || space == GLOBAL ? RIG_BASE : 0);
}

/* Segments of global memory that the lanes touch. */
static u32 segments(enum space space, u32 m, const u64 *address)
{
	u32 count = 0;

	for (u32 l = 0; l < VGPU_LANES; l++) {
		bool counts = m >> l & 1 && space <= GLOBAL && address[l] < VGPU_ADDRESS_LIMIT;

		for (u32 j = 0; j < l; j++)
			counts &= !(m >> j & 1) || address[j] >> VGPU_SEGMENT_SHIFT !=
							   address[l] >> VGPU_SEGMENT_SHIFT;
		count += counts;
	}
	return count;
}

/* Byte @n of a lane's bytes at @p */
static u8 *byte_of(struct rig *rig, u8 *p, u32 n)
{
	if (p < rig->local || p >= rig->local + sizeof(rig->local))
		return p + n;
	n += (p - rig->local) % 4;
	return p - (p - rig->local) % 4 + n / 4 * VGPU_LOCAL_ROW + n % 4;
}

static void expect_access(struct rig *want, const struct vgpu_insn *i, enum space space, bool store,
			  u32 m, const u64 *address, enum vgpu_lanes_end *end, u32 *lane,
			  u32 *reason)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);
	u8 *p[VGPU_LANES];

	*end = VGPU_LANES_BUDGET;
	for (u32 l = 0; l < VGPU_LANES; l++) {
		if (!(m >> l & 1))
			continue;
		p[l] = bytes_at(want, space, address[l], l, size * count, false, reason);
		if (!p[l]) {
			*lane = l;
			*end = *reason == VGPU_FAULT_UNMAPPED && address[l] < VGPU_ADDRESS_LIMIT ?
				       VGPU_LANES_TRANSLATE :
				       VGPU_LANES_FAULT;
			return;
		}
	}
	for (u32 l = 0; l < VGPU_LANES; l++) {
		for (u32 n = 0; m >> l & 1 && n < count; n++) {
			u64 v = 0;

			if (store) {
				v = size == 8 ? rig_q(want, i->b + 2 * n)[l] :
						rig_r(want, i->b + n)[l];
				for (u32 b = 0; b < size; b++)
					*byte_of(want, p[l], n * size + b) = (u8)(v >> 8 * b);
				continue;
			}
			for (u32 b = 0; b < size; b++)
				v |= (u64)*byte_of(want, p[l], n * size + b) << 8 * b;
			if (i->flags & VGPU_F_SEXT)
				v = size == 1 ? (u64)(s8)v : (u64)(s16)v;
			if (size == 8)
				rig_q(want, i->dst + 2 * n)[l] = v;
			else
				rig_r(want, i->dst + n)[l] = (u32)v;
		}
	}
}

/* An order, scope and cache operator that the verifier takes: none of them changes what happens. */
static void any_order(struct vgpu_insn *i, const struct vgpu_vass_kernel *kernel, u64 *seed)
{
	for (u32 tries = 0; tries < 64; tries++) {
		i->mem = (u8)rig_random(seed);
		if (!vgpu_verify_insn(i, kernel))
			return;
	}
	i->mem = vgpu_mem_of_v1(i->op);
}

static void test_access(void **state)
{
	static const u32 masks[] = {
		~0u, ~0u, ~0u, 0x00000100, 0x80000001, 0x55555555, 0xffff0000
	};
	const struct vgpu_vass_kernel kernel = { .regs = RIG_REGS, .code_count = 1 };
	struct rig *rigs[RIG_BUILDS], *want = rig_new(5);
	u64 seed = 3, orders = 4;
	u32 faults = 0, good = 0;

	(void)state;
	rigs_new(rigs, 5);
	for (u32 round = 0; round < 32000; round++) {
		u64 r = rig_random(&seed), address[VGPU_LANES], base = rig_random(&seed) % 4096;
		u32 n = r % VGPU_ARRAY_SIZE(accesses), kind = r >> 8 & 7, reason = 0, lane = 0;
		bool narrow = accesses[n].space >= SHARED, absolute = (r >> 24 & 31) == 0;
		struct vgpu_insn i = {
			.op = (u8)accesses[n].op, .guard = VGPU_PT, .flags = r >> 32 & 31, .a = 20
		};
		enum vgpu_lanes_end end, got;
		s64 displacement = (s64)(rig_random(&seed) % 64) - 32;

		u32 m = masks[(r >> 16 & 0xff) % VGPU_ARRAY_SIZE(masks)];

		if (r >> 48 & 1)
			m = (u32)rig_random(&seed) | 1u << (r >> 49 & 31);
		if (kind == 3 && r >> 54 & 1)
			i.flags = 2 | (r >> 55 & 1);
		/* registers for the data, now and then those of the address */
		*(accesses[n].store ? &i.b : &i.dst) = (r >> 40 & 3) ? 8 : 18;
		i.imm = (u64)displacement;
		if (absolute) {
			i.flags |= VGPU_F_ABS;
			i.a = 0;
			i.imm = pattern(accesses[n].space, 4, 0, 16, 0, &seed);
		}
		any_order(&i, &kernel, &orders);
		if (vgpu_verify_insn(&i, &kernel))
			continue;
		for (u32 l = 0; l < VGPU_LANES; l++) {
			address[l] = absolute ?
					     i.imm :
					     pattern(accesses[n].space, kind, l,
						     VGPU_F_SIZE(i.flags) * VGPU_F_COUNT(i.flags),
						     base, &seed);
			for (int b = 0; b <= rig_builds(); b++) {
				struct rig *rig = b == rig_builds() ? want : rigs[b];

				if (narrow)
					rig_r(rig, 20)[l] = (u32)(address[l] - (u64)displacement);
				else
					rig_q(rig, 20)[l] = address[l] - (u64)displacement;
			}
		}
		expect_access(want, &i, accesses[n].space, accesses[n].store, m, address, &end,
			      &lane, &reason);
		for (int build = 0; build < rig_builds(); build++) {
			rig_reset(rigs[build], ~0u);
			rigs[build]->lanes.segments = 0;
			rigs[build]->warp.active = m;
			rigs[build]->code[0] = i;
			got = rig_run(rigs[build], build, 1);
			if (got != end)
				fail_msg(
					"op %u flags %x: ended with %d, want %d (reason %u lane "
					"%u)",
					i.op, i.flags, got, end, reason, lane);
			if (end == VGPU_LANES_BUDGET) {
				assert_int_equal(rigs[build]->warp.pc, 1);
				assert_int_equal(rigs[build]->lanes.segments,
						 segments(accesses[n].space, m, address));
				good++;
				continue;
			}
			faults++;
			assert_int_equal(rigs[build]->warp.pc, 0);	/* restartable */
			assert_int_equal(rigs[build]->lanes.budget, 1);
			assert_int_equal(rigs[build]->lanes.lane, lane);
			assert_int_equal(rigs[build]->lanes.address, address[lane]);
			assert_int_equal(rigs[build]->lanes.reason, reason);
			assert_int_equal(rigs[build]->lanes.write, accesses[n].store);
			assert_int_equal(rigs[build]->lanes.bytes,
					 VGPU_F_SIZE(i.flags) * VGPU_F_COUNT(i.flags));
		}
		/* the same state everywhere, after success and after a fault */
		for (int build = 0; build < rig_builds(); build++) {
			want->warp = rigs[build]->warp;
			rig_same(rigs[build], build, want, "memory access");
		}
	}
	assert_true(good > 2000 && faults > 100);
	rigs_free(rigs);
	rig_free(want);
}

static u64 ref_atomic(u32 flags, u64 old, u64 b, u64 c, bool wide)
{
	u64 mask = wide ? ~0ull : 0xffffffffull;
	s64 so = wide ? (s64)old : (s32)old, sb = wide ? (s64)b : (s32)b;
	float f, g;
	double d, e;
	u32 word;

	switch (VGPU_F_ATOM(flags)) {
	case VGPU_ATOM_ADD:
		if (!(flags & VGPU_F_ATOM_FLOAT))
			return (old + b) & mask;
		if (wide) {
			memcpy(&d, &old, 8);
			memcpy(&e, &b, 8);
			d += e;
			memcpy(&old, &d, 8);
			return d == d ? old : 0x7ff8000000000000ull;
		}
		memcpy(&f, &old, 4);
		memcpy(&g, &b, 4);
		f += g;
		memcpy(&word, &f, 4);
		return f == f ? word : 0x7fffffffu;
	case VGPU_ATOM_MIN:
		return flags & VGPU_F_ATOM_SIGNED ? (so < sb ? old : b) : old < b ? old : b;
	case VGPU_ATOM_MAX:
		return flags & VGPU_F_ATOM_SIGNED ? (so > sb ? old : b) : old > b ? old : b;
	case VGPU_ATOM_AND:
		return old & b;
	case VGPU_ATOM_OR:
		return old | b;
	case VGPU_ATOM_XOR:
		return old ^ b;
	case VGPU_ATOM_EXCH:
		return b;
	case VGPU_ATOM_CAS:
		return old == b ? c : old;
	case VGPU_ATOM_INC:
		return old >= b ? 0 : old + 1;
	default:
		return old == 0 || old > b ? b : old - 1;
	}
}

static void test_atomics(void **state)
{
	static const struct {
		u32 op;
		enum space space;
		bool wide;
	} ops[] = {
		{ VGPU_OP_ATOM, GENERIC, false }, { VGPU_OP_ATOMG, GLOBAL, false },
		{ VGPU_OP_ATOMS, SHARED, false }, { VGPU_OP_ATOMQ, GENERIC, true },
		{ VGPU_OP_ATOMGQ, GLOBAL, true }, { VGPU_OP_ATOMSQ, SHARED, true },
	};
	const struct vgpu_vass_kernel kernel = { .regs = RIG_REGS, .code_count = 1 };
	struct rig *rigs[RIG_BUILDS], *want = rig_new(8);
	u64 seed = 17, orders = 18;
	u32 forms = 0;

	(void)state;
	rigs_new(rigs, 8);
	for (u32 round = 0; round < 6000; round++) {
		u64 r = rig_random(&seed), address[VGPU_LANES];
		u32 n = r % VGPU_ARRAY_SIZE(ops), size = ops[n].wide ? 8 : 4,
		    m = r >> 9 & 1 ? ~0u : (u32)rig_random(&seed) | 1;
		struct vgpu_insn i = { .op = (u8)ops[n].op,
				       .guard = VGPU_PT,
				       .flags = (u8)rig_random(&seed),
				       .a = 20,
				       .b = 24 };

		i.flags &= ~VGPU_F_ATOM_ABS;
		i.dst = i.flags & VGPU_F_ATOM_NORET ? 0 : r >> 8 & 1 ? 26 : 24;
		i.c = VGPU_F_ATOM(i.flags) == VGPU_ATOM_CAS ? 22 : 0;
		any_order(&i, &kernel, &orders);
		/* those of 16 bytes: test_atomic_128.c */
		if (VGPU_F_ATOM_128(i.flags) || vgpu_verify_insn(&i, &kernel))
			continue;
		forms++;
		for (u32 l = 0; l < VGPU_LANES; l++) {
			u64 b = rig_random(&seed), c = rig_random(&seed),
			    offset = rig_random(&seed) % 16 * 8;

			/* all at one place; a page each; all over */
			if ((r >> 12 & 3) == 1)
				offset = r >> 20 & 0xff8;
			else if ((r >> 12 & 3) == 2)
				offset = (l * 4096 + l * 24) % (ops[n].space == GLOBAL ?
									sizeof(rigs[0]->memory) :
									RIG_SHARED);
			else if ((r >> 12 & 3) == 3)
				offset = rig_random(&seed) %
					 (ops[n].space == GLOBAL ? sizeof(rigs[0]->memory) :
								   RIG_SHARED) /
					 8 * 8;

			address[l] = offset + (ops[n].space == SHARED ? 0 :
					       ops[n].space == GENERIC && r >> 10 & 1 ?
									VGPU_SHARED_WINDOW :
									RIG_BASE);
			if (r >> 11 & 1)
				b &= 3;
			for (int at = 0; at <= rig_builds(); at++) {
				struct rig *rig = at == rig_builds() ? want : rigs[at];

				if (ops[n].space == SHARED)
					rig_r(rig, 20)[l] = (u32)address[l];
				else
					rig_q(rig, 20)[l] = address[l];
				if (ops[n].wide) {
					rig_q(rig, 24)[l] = b;
					rig_q(rig, 22)[l] = c;
				} else {
					rig_r(rig, 24)[l] = (u32)b;
					rig_r(rig, 22)[l] = (u32)c;
				}
			}
		}
		for (u32 l = 0; l < VGPU_LANES; l++) {
			u32 reason;
			u64 old = 0, new, b, c;
			u8 *p;

			if (!(m >> l & 1))
				continue;
			p = bytes_at(want, ops[n].space, address[l], l, size, true, &reason);
			assert_non_null(p);
			memcpy(&old, p, size);
			b = ops[n].wide ? rig_q(want, 24)[l] : rig_r(want, 24)[l];
			c = ops[n].wide ? rig_q(want, 22)[l] : rig_r(want, 22)[l];
			new = ref_atomic(i.flags, old, b, c, ops[n].wide);
			memcpy(p, &new, size);
			if (i.flags & VGPU_F_ATOM_NORET)
				continue;
			if (ops[n].wide)
				rig_q(want, i.dst)[l] = old;
			else
				rig_r(want, i.dst)[l] = (u32)old;
		}
		for (int build = 0; build < rig_builds(); build++) {
			rig_reset(rigs[build], ~0u);
			rigs[build]->warp.active = m;
			rigs[build]->code[0] = i;
			assert_int_equal(rig_run(rigs[build], build, 1), VGPU_LANES_BUDGET);
			want->warp = rigs[build]->warp;
			rig_same(rigs[build], build, want, "atomic");
		}
	}
	assert_true(forms > 500);
	rigs_free(rigs);
	rig_free(want);
}

/* An atomic on local memory is an operation that its space does not allow. */
static void test_atomic_local(void **state)
{
	(void)state;
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);

		for (u32 l = 0; l < VGPU_LANES; l++)
			rig_q(rig, 4)[l] = l == 7 ? VGPU_LOCAL_WINDOW : RIG_BASE;
		rig->code[0] = (struct vgpu_insn){
			.op = VGPU_OP_ATOM, .guard = VGPU_PT, .dst = 8, .a = 4, .b = 9
		};
		assert_int_equal(rig_run(rig, build, 1), VGPU_LANES_FAULT);
		assert_int_equal(rig->lanes.reason, VGPU_FAULT_ADDRESS_SPACE);
		assert_int_equal(rig->lanes.lane, 7);
		assert_int_equal(rig->lanes.write, 1);
		rig_free(rig);
	}
}

static void test_parameters(void **state)
{
	(void)state;
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(4);

		rig->code[0] = (struct vgpu_insn){ .op = VGPU_OP_LDP,
						   .guard = VGPU_PT,
						   .flags = VASS_MEM(4, 4),
						   .dst = 4,
						   .imm = 16 };
		rig->code[1] = (struct vgpu_insn){ .op = VGPU_OP_LDP,
						   .guard = VGPU_PT,
						   .flags = VASS_MEM(8, 2),
						   .dst = 8,
						   .imm = 32 };
		rig->code[2] = (struct vgpu_insn){ .op = VGPU_OP_LDP,
						   .guard = VGPU_PT,
						   .flags = VASS_MEM(1, 1) | VGPU_F_SEXT,
						   .dst = 12,
						   .imm = 3 };
		assert_int_equal(rig_run(rig, build, 3), VGPU_LANES_BUDGET);
		for (u32 l = 0; l < VGPU_LANES; l++) {
			for (u32 n = 0; n < 4; n++)
				assert_memory_equal(rig_r(rig, 4 + n) + l, rig->params + 16 + 4 * n,
						    4);
			for (u32 n = 0; n < 2; n++)
				assert_memory_equal(rig_q(rig, 8 + 2 * n) + l,
						    rig->params + 32 + 8 * n, 8);
			assert_int_equal((s32)rig_r(rig, 12)[l], (s8)rig->params[3]);
		}
		rig_free(rig);
	}
}

/* Distinct 128-byte segments are what counts as traffic. */
static void test_segments(void **state)
{
	static const struct {
		u32 stride, offset, segments;
	} cases[] = { { 0, 0, 1 },    { 4, 0, 1 },    { 4, 64, 2 },   { 8, 0, 2 },
		      { 128, 0, 32 }, { 256, 0, 32 }, { 132, 0, 32 }, { 64, 0, 16 } };

	(void)state;
	for (int build = 0; build < rig_builds(); build++) {
		for (size_t n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
			struct rig *rig = rig_new(4);

			for (u32 l = 0; l < VGPU_LANES; l++)
				rig_q(rig, 4)[l] = RIG_BASE + cases[n].offset + l * cases[n].stride;
			rig->code[0] = (struct vgpu_insn){ .op = VGPU_OP_LDG,
							   .guard = VGPU_PT,
							   .flags = VASS_MEM(4, 1),
							   .dst = 8,
							   .a = 4 };
			rig_run(rig, build, 1);
			assert_int_equal(rig->lanes.segments, cases[n].segments);
			rig_free(rig);
		}
	}
}

/*
 * Of a page no more has to be there than what the lanes load: with the pipeline it is a line of a
 * cache, around which lies anything, or nothing.
 */
static void test_nothing_around(void **state)
{
	static const u8 sizes[] = { 1, 2, 4, 8 };
	u8 *walls = mmap(NULL, 3 * VGPU_PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u8 *line = walls + VGPU_PAGE_SIZE;
	u64 number = RIG_BASE >> VGPU_PAGE_SHIFT, seed = 1;
	struct rig *rig = rig_new(1);

	(void)state;
	assert_true(walls != MAP_FAILED);
	assert_int_equal(mprotect(line, VGPU_PAGE_SIZE, PROT_READ | PROT_WRITE), 0);
	for (u32 n = 0; n < 128; n++)
		line[n] = (u8)n;
	/* the line is the one in the middle of the page */
	rig->tlb[number % VGPU_TLB_ENTRIES] = (struct vgpu_tlb_entry){
		number, line - VGPU_PAGE_SIZE / 2, line - VGPU_PAGE_SIZE / 2
	};
	for (u32 n = 0; n < 4000; n++) {
		u32 size = sizes[n % 4], active = (u32)rig_random(&seed), at[VGPU_LANES];

		active = n % 3 ? active & (u32)rig_random(&seed) : active;
		active |= 1u << n % 32;
		rig->code[0] = (struct vgpu_insn){ .op = n % 8 < 4 ? VGPU_OP_LDG : VGPU_OP_LD,
						   .guard = VGPU_PT,
						   .dst = 8,
						   .a = 2,
						   .flags = VASS_MEM(size, 1) };
		rig->code[1] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
		for (u32 l = 0; l < VGPU_LANES; l++) {
			at[l] = (u32)rig_random(&seed) % (128 / size) * size;
			/* who does not execute may have any address */
			rig_q(rig, 2)[l] = active >> l & 1 ? RIG_BASE + VGPU_PAGE_SIZE / 2 + at[l] :
							     rig_random(&seed);
		}
		for (int build = 0; build < rig_builds(); build++) {
			rig_reset(rig, active);
			assert_int_equal(rig_run(rig, build, 1), VGPU_LANES_BUDGET);
			for (u32 l = 0; l < VGPU_LANES; l++)
				if (active >> l & 1)
					assert_int_equal((u8)(size == 8 ? rig_q(rig, 8)[l] :
									  rig_r(rig, 8)[l]),
							 at[l]);
		}
	}
	rig_free(rig);
	munmap(walls, 3 * VGPU_PAGE_SIZE);
}

/* Eight lanes in a row over the end of a page; the next one lies elsewhere. */
static void test_over_the_end(void **state)
{
	static u32 elsewhere[VGPU_PAGE_SIZE / 4] __attribute__((aligned(4096)));
	u64 next = (RIG_BASE >> VGPU_PAGE_SHIFT) + 1;

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(elsewhere); n++)
		elsewhere[n] = n + 1;
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(6);
		const u32 *end = (const u32 *)rig->memory + VGPU_PAGE_SIZE / 4 - 4;
		const u32 *third = (const u32 *)rig->memory + 2 * VGPU_PAGE_SIZE / 4;

		rig->tlb[next % VGPU_TLB_ENTRIES].read = (u8 *)elsewhere;
		for (u32 l = 0; l < VGPU_LANES; l++)
			rig_q(rig, 4)[l] = RIG_BASE + 4 * l +
					   (l < 8 ? VGPU_PAGE_SIZE - 16 : 2 * VGPU_PAGE_SIZE);
		rig->code[0] = (struct vgpu_insn){ .op = VGPU_OP_LDG, .guard = VGPU_PT,
						   .flags = VASS_MEM(4, 1), .dst = 8, .a = 4 };
		assert_int_equal(rig_run(rig, build, 1), VGPU_LANES_BUDGET);
		for (u32 l = 0; l < VGPU_LANES; l++)
			assert_int_equal(rig_r(rig, 8)[l],
					 l < 4 ? end[l] : l < 8 ? elsewhere[l - 4] : third[l]);
		/* two ends of a page, and lanes 8 to 31 in the first segment of the third */
		assert_int_equal(rig->lanes.segments, 3);
		rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_access),	     cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_atomic_local), cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_segments),     cmocka_unit_test(test_nothing_around),
		cmocka_unit_test(test_over_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
