// SPDX-License-Identifier: MIT
/* Instructions of x86-64 as bytes; see x86.h. */
#include <stdlib.h>
#include <string.h>

#include "x86.h"

/* Room for one more in an array; keeps what is there. False: no memory, x->failed. */
static bool grow(struct x86 *x, void **array, uint32_t count, uint32_t *room, size_t size)
{
	uint32_t more = *room ? *room * 2 : 256;
	void *larger;

	if (count < *room)
		return true;
	larger = realloc(*array, more * size);
	if (!larger) {
		x->failed = true;
		return false;
	}
	*array = larger;
	*room = more;
	return true;
}

void x86_init(struct x86 *x)
{
	memset(x, 0, sizeof(*x));
}

void x86_fini(struct x86 *x)
{
	free(x->bytes);
	free(x->labels);
	free(x->fixups);
	free(x->constants);
	free(x->constant_labels);
	x86_init(x);
}

void x86_byte(struct x86 *x, uint8_t byte)
{
	if (grow(x, (void **)&x->bytes, x->count, &x->room, 1))
		x->bytes[x->count++] = byte;
}

static void put32(struct x86 *x, uint32_t v)
{
	for (int n = 0; n < 4; n++)
		x86_byte(x, (uint8_t)(v >> 8 * n));
}

x86_label x86_new_label(struct x86 *x)
{
	if (!grow(x, (void **)&x->labels, x->label_count, &x->label_room, sizeof(*x->labels)))
		return 0;
	x->labels[x->label_count] = X86_NOWHERE;
	return x->label_count++;
}

void x86_here(struct x86 *x, x86_label label)
{
	if (label < x->label_count)
		x->labels[label] = x->count;
}

/* 4 bytes that lead to @label, @tail bytes before the end of the instruction */
static void put_label(struct x86 *x, x86_label label, uint32_t tail)
{
	if (grow(x, (void **)&x->fixups, x->fixup_count, &x->fixup_room, sizeof(*x->fixups)))
		x->fixups[x->fixup_count++] = (struct x86_fixup){ x->count, tail, label };
	put32(x, 0);
}

static x86_label add_constant(struct x86 *x, uint64_t value)
{
	uint32_t room = x->constant_room;

	if (!grow(x, (void **)&x->constants, x->constant_count, &room, sizeof(*x->constants)) ||
	    !grow(x, (void **)&x->constant_labels, x->constant_count, &x->constant_room,
		  sizeof(*x->constant_labels)))
		return 0;
	x->constants[x->constant_count] = value;
	return x->constant_labels[x->constant_count++] = x86_new_label(x);
}

/* Where constants are looked for */
static uint32_t last_constants(const struct x86 *x)
{
	return x->constant_count > 32 ? x->constant_count - 32 : 0;
}

x86_label x86_constant(struct x86 *x, uint64_t value)
{
	for (uint32_t n = last_constants(x); n < x->constant_count; n++)
		if (x->constants[n] == value)
			return x->constant_labels[n];
	return add_constant(x, value);
}

x86_label x86_bytes(struct x86 *x, const uint8_t *bytes)
{
	x86_label label;
	uint64_t v[2];

	memcpy(v, bytes, sizeof(v));
	for (uint32_t n = last_constants(x); n + 1 < x->constant_count; n++)
		if (x->constants[n] == v[0] && x->constants[n + 1] == v[1])
			return x->constant_labels[n];
	label = add_constant(x, v[0]);
	add_constant(x, v[1]);
	return label;
}

static x86_label row_of(struct x86 *x, uint64_t first, uint64_t step, uint32_t shift)
{
	struct x86_row *row = x->rows;

	for (; row < x->rows + x->row_count; row++)
		if (row->first == first && row->step == step && row->shift == shift)
			return row->label;
	if (x->row_count == sizeof(x->rows) / sizeof(x->rows[0])) {
		x->failed = true;
		return 0;
	}
	x->row_count++;
	*row = (struct x86_row){ x86_new_label(x), first, step, shift };
	return row->label;
}

x86_label x86_row(struct x86 *x, uint64_t first, uint64_t step)
{
	return row_of(x, first, step, 0);
}

x86_label x86_bits(struct x86 *x, uint64_t first, uint32_t shift)
{
	return row_of(x, first, 0, shift);
}

bool x86_finish(struct x86 *x)
{
	while (x->count % 64)
		x86_byte(x, 0xcc);
	for (uint32_t n = 0; n < x->row_count; n++) {
		x86_here(x, x->rows[n].label);
		for (uint32_t k = 0; k < 8; k++) {
			const struct x86_row *row = &x->rows[n];
			uint64_t v = (row->first << k * row->shift) + k * row->step;

			put32(x, (uint32_t)v);
			put32(x, (uint32_t)(v >> 32));
		}
	}
	for (uint32_t n = 0; n < x->constant_count; n++) {
		x86_here(x, x->constant_labels[n]);
		put32(x, (uint32_t)x->constants[n]);
		put32(x, (uint32_t)(x->constants[n] >> 32));
	}
	if (x->failed)
		return false;
	for (uint32_t n = 0; n < x->fixup_count; n++) {
		const struct x86_fixup *f = &x->fixups[n];
		uint32_t relative = x->labels[f->label] - (f->at + 4 + f->tail);

		if (x->labels[f->label] == X86_NOWHERE)
			return false;
		memcpy(x->bytes + f->at, &relative, 4);
	}
	return true;
}

/* ---- operands -------------------------------------------------------------- */

void x86_put_mem(struct x86 *x, uint8_t reg, struct x86_mem m, uint32_t scale, uint32_t tail)
{
	uint8_t field = (uint8_t)((reg & 7) << 3), base = m.base & 7;
	int32_t small = m.disp / (int32_t)scale;
	bool byte = m.disp % (int32_t)scale == 0 && small >= -128 && small <= 127;

	if (m.label) {
		x86_byte(x, field | 5);
		put_label(x, m.at, tail - (uint32_t)m.disp);
		return;
	}
	x86_byte(x, (uint8_t)((byte ? 0x40 : 0x80) | field | base));
	if (base == 4)
		x86_byte(x, 0x24);
	if (byte)
		x86_byte(x, (uint8_t)small);
	else
		put32(x, (uint32_t)m.disp);
}

void x86_put_reg(struct x86 *x, uint8_t reg, uint8_t rm)
{
	x86_byte(x, (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7)));
}

/* ---- integers -------------------------------------------------------------- */

static void put_rex(struct x86 *x, bool wide, uint8_t reg, uint8_t rm, uint32_t opcode)
{
	uint8_t rex = (uint8_t)(0x40 | wide << 3 | (reg >> 3) << 2 | rm >> 3);

	if (rex != 0x40)
		x86_byte(x, rex);
	if (opcode >> 8)
		x86_byte(x, (uint8_t)(opcode >> 8));
	x86_byte(x, (uint8_t)opcode);
}

void x86_rr(struct x86 *x, bool wide, uint32_t opcode, uint8_t reg, uint8_t rm)
{
	put_rex(x, wide, reg, rm, opcode);
	x86_put_reg(x, reg, rm);
}

void x86_rm(struct x86 *x, bool wide, uint32_t opcode, uint8_t reg, struct x86_mem m)
{
	put_rex(x, wide, reg, m.label ? 0 : m.base, opcode);
	x86_put_mem(x, reg, m, 1, 0);
}

void x86_ri(struct x86 *x, bool wide, uint8_t ext, uint8_t rm, int32_t imm)
{
	bool byte = imm >= -128 && imm <= 127;

	put_rex(x, wide, 0, rm, byte ? 0x83 : 0x81);
	x86_put_reg(x, ext, rm);
	if (byte)
		x86_byte(x, (uint8_t)imm);
	else
		put32(x, (uint32_t)imm);
}

void x86_mi(struct x86 *x, bool wide, uint8_t ext, struct x86_mem m, int32_t imm)
{
	bool byte = imm >= -128 && imm <= 127;

	put_rex(x, wide, 0, m.label ? 0 : m.base, byte ? 0x83 : 0x81);
	x86_put_mem(x, ext, m, 1, byte ? 1 : 4);
	if (byte)
		x86_byte(x, (uint8_t)imm);
	else
		put32(x, (uint32_t)imm);
}

void x86_shift(struct x86 *x, bool wide, uint8_t ext, uint8_t rm, uint8_t count)
{
	put_rex(x, wide, 0, rm, 0xc1);
	x86_put_reg(x, ext, rm);
	x86_byte(x, count);
}

void x86_mov_ri(struct x86 *x, uint8_t reg, uint64_t imm)
{
	bool wide = imm >> 32;

	if (wide || reg >> 3)
		x86_byte(x, (uint8_t)(0x40 | wide << 3 | reg >> 3));
	x86_byte(x, (uint8_t)(0xb8 | (reg & 7)));
	put32(x, (uint32_t)imm);
	if (wide)
		put32(x, (uint32_t)(imm >> 32));
}

void x86_store_imm(struct x86 *x, bool wide, struct x86_mem m, int32_t imm)
{
	put_rex(x, wide, 0, m.label ? 0 : m.base, 0xc7);
	x86_put_mem(x, 0, m, 1, 4);
	put32(x, (uint32_t)imm);
}

void x86_jump(struct x86 *x, x86_label label)
{
	x86_byte(x, 0xe9);
	put_label(x, label, 0);
}

void x86_jump_if(struct x86 *x, uint8_t cc, x86_label label)
{
	x86_byte(x, 0x0f);
	x86_byte(x, (uint8_t)(0x80 | cc));
	put_label(x, label, 0);
}

void x86_jump_reg(struct x86 *x, uint8_t reg)
{
	put_rex(x, false, 0, reg, 0xff);
	x86_put_reg(x, 4, reg);
}

void x86_vzeroupper(struct x86 *x)
{
	if (x->small && !x->small->zero_upper)
		return;
	x86_byte(x, 0xc5);
	x86_byte(x, 0xf8);
	x86_byte(x, 0x77);
}

void x86_call_c(struct x86 *x, uint64_t function)
{
	x86_mov_ri(x, RAX, function);
	x86_vzeroupper(x);
	put_rex(x, false, 0, RAX, 0xff);
	x86_put_reg(x, 2, RAX);
}

void x86_push(struct x86 *x, uint8_t reg)
{
	put_rex(x, false, 0, reg, 0x50u | (reg & 7));
}

void x86_pop(struct x86 *x, uint8_t reg)
{
	put_rex(x, false, 0, reg, 0x58u | (reg & 7));
}

void x86_multiply(struct x86 *x, uint8_t reg, uint8_t rm, int8_t imm)
{
	x86_rr(x, true, 0x6b, reg, rm);
	x86_byte(x, (uint8_t)imm);
}

void x86_popcnt(struct x86 *x, uint8_t reg, uint8_t rm)
{
	x86_byte(x, 0xf3);
	x86_rr(x, false, 0x0fb8, reg, rm);
}

void x86_not(struct x86 *x, uint8_t reg)
{
	put_rex(x, false, 0, reg, 0xf7);
	x86_put_reg(x, 2, reg);
}

void x86_negate(struct x86 *x, uint8_t reg)
{
	put_rex(x, false, 0, reg, 0xf7);
	x86_put_reg(x, 3, reg);
}

void x86_test(struct x86 *x, uint8_t reg, uint32_t imm)
{
	put_rex(x, false, 0, reg, 0xf7);
	x86_put_reg(x, 0, reg);
	put32(x, imm);
}

/* ---- vectors --------------------------------------------------------------- */

/* What stands before the opcode. @x_, @b: the bits above 3 of the register or base */
static void put_evex(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, bool x_, bool b,
		     uint32_t options, bool memory)
{
	/* of V_ROUND: VGPU_RND_* to nearest, zero, down, up; here nearest, down, up, zero */
	static const uint8_t modes[4] = { 0, 3, 1, 2 };
	bool rounds = options & 0x20 && !memory;
	uint8_t length = rounds ? modes[options >> 8 & 3] : 2;
	bool extra = rounds || options & V_BROADCAST;

	x86_byte(x, 0x62);
	x86_byte(x, (uint8_t)((reg & 8 ? 0 : 0x80) | (x_ ? 0 : 0x40) | (b ? 0 : 0x20) |
			      (reg & 16 ? 0 : 0x10) | (op >> 2 & 3)));
	x86_byte(x, (uint8_t)((op >> 4 & 1) << 7 | (~v & 15) << 3 | 4 | (op & 3)));
	x86_byte(x, (uint8_t)((options & V_ZERO ? 0x80 : 0) | length << 5 | extra << 4 |
			      (v & 16 ? 0 : 8) | (options & 7)));
	x86_byte(x, (uint8_t)(op >> 8));
}

static void put_v(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, uint8_t rm, uint32_t options)
{
	put_evex(x, op, reg, v, rm & 16, rm & 8, options, false);
	x86_put_reg(x, reg, rm);
}

static void put_vm(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, struct x86_mem m,
		   uint32_t options, uint32_t tail)
{
	uint32_t scale = options & V_BROADCAST ? (op >> 4 & 1 ? 8 : 4) : op >> 16;

	put_evex(x, op, reg, v, false, !m.label && m.base & 8, options, true);
	x86_put_mem(x, reg, m, scale, tail);
}

void x86_v(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, uint8_t rm, uint32_t options)
{
	if (x->small) {
		x->small->v(x, op, reg, v, rm, options, X86_NO_IMM);
		return;
	}
	put_v(x, op, reg, v, rm, options);
}

void x86_vm(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, struct x86_mem m, uint32_t options)
{
	if (x->small) {
		x->small->vm(x, op, reg, v, m, options, X86_NO_IMM);
		return;
	}
	put_vm(x, op, reg, v, m, options, 0);
}

void x86_vi(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, uint8_t rm, uint32_t options,
	    uint8_t imm)
{
	if (x->small) {
		x->small->v(x, op, reg, v, rm, options, imm);
		return;
	}
	put_v(x, op, reg, v, rm, options);
	x86_byte(x, imm);
}

void x86_vmi(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, struct x86_mem m,
	     uint32_t options, uint8_t imm)
{
	if (x->small) {
		x->small->vm(x, op, reg, v, m, options, imm);
		return;
	}
	put_vm(x, op, reg, v, m, options, 1);
	x86_byte(x, imm);
}

/* A VEX prefix of map 0F without W: what instructions of mask registers have */
static void put_vex(struct x86 *x, uint8_t pp, uint8_t reg, uint8_t v, bool length, uint8_t base)
{
	x86_byte(x, 0xc4);
	x86_byte(x, (uint8_t)((reg & 8 ? 0 : 0x80) | 0x40 | (base & 8 ? 0 : 0x20) | 1));
	x86_byte(x, (uint8_t)((~v & 15) << 3 | length << 2 | pp));
}

void x86_k_load(struct x86 *x, uint8_t k, struct x86_mem m, uint8_t bytes)
{
	if (x->small) {
		x->small->k_load(x, k, m, bytes);
		return;
	}
	put_vex(x, bytes == 1, k, 0, false, m.base);
	x86_byte(x, 0x90);
	x86_put_mem(x, k, m, 1, 0);
}

void x86_k_from(struct x86 *x, uint8_t k, uint8_t reg)
{
	if (x->small) {
		x->small->k_from(x, k, reg);
		return;
	}
	put_vex(x, 0, k, 0, false, reg);
	x86_byte(x, 0x92);
	x86_put_reg(x, k, reg);
}

void x86_k_to(struct x86 *x, uint8_t reg, uint8_t k)
{
	if (x->small) {
		x->small->k_to(x, reg, k);
		return;
	}
	put_vex(x, 0, reg, 0, false, k);
	x86_byte(x, 0x93);
	x86_put_reg(x, reg, k);
}

void x86_k_not(struct x86 *x, uint8_t to, uint8_t k)
{
	if (x->small) {
		x->small->k_not(x, to, k);
		return;
	}
	put_vex(x, 0, to, 0, false, k);
	x86_byte(x, 0x44);
	x86_put_reg(x, to, k);
}

void x86_k_ortest(struct x86 *x, uint8_t a, uint8_t b)
{
	if (x->small) {
		x->small->k_ortest(x, a, b);
		return;
	}
	put_vex(x, 0, a, 0, false, b);
	x86_byte(x, 0x98);
	x86_put_reg(x, a, b);
}

void x86_v_to(struct x86 *x, uint8_t reg, uint8_t v)
{
	if (x->small) {
		x->small->v_to(x, reg, v);
		return;
	}
	/* vmovq, of 16 bytes: the source is where other instructions have the result */
	x86_byte(x, 0x62);
	x86_byte(x, (uint8_t)((v & 8 ? 0 : 0x80) | 0x40 | (reg & 8 ? 0 : 0x20) |
			      (v & 16 ? 0 : 0x10) | 1));
	x86_byte(x, 0xfd);
	x86_byte(x, 0x08);
	x86_byte(x, 0x7e);
	x86_put_reg(x, v, reg);
}

void x86_pick(struct x86 *x, uint8_t reg, uint8_t a, uint8_t b, const uint8_t *from)
{
	if (x->small) {
		x->small->pick(x, reg, a, b, from);
		return;
	}
	/* vpmovzxbd, vpermi2d */
	x86_vm(x, EVEX_OF(1, 2, 0, 0x31, 16), reg, 0, at_label(x86_bytes(x, from)), 0);
	x86_v(x, EVEX(1, 2, 0, 0x76), reg, a, b, 0);
}
