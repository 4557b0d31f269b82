/* SPDX-License-Identifier: MIT */
/*
 * Which function does an instruction: load(), store() and so on, of the file that includes this.
 */

static void lower(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, const struct source *s,
		  uint32_t options, int imm)
{
	op &= 0xffff;
	switch (op) {
	case CODE(1, 1, 0, 0x6f):
	case CODE(1, 1, 1, 0x6f):
	case CODE(2, 1, 0, 0x6f):
		load(x, op, reg, s, options);
		return;
	case CODE(1, 1, 0, 0x7f):
	case CODE(1, 1, 1, 0x7f):
	case CODE(2, 1, 0, 0x7f):
		store(x, op, reg, s->m, options);
		return;
	case CODE(1, 2, 0, 0x58):
	case CODE(1, 2, 1, 0x59):
		broadcast(x, op, reg, s, options);
		return;
	case CODE(1, 2, 0, 0x7c):
	case CODE(1, 2, 1, 0x7c):
		broadcast_gpr(x, op, reg, s->reg, options);
		return;
	case CODE(1, 2, 0, 0x25):
	case CODE(1, 2, 0, 0x35):
	case CODE(0, 1, 0, 0x5a):
	case CODE(2, 1, 0, 0xe6):
		widen(x, op, reg, s);
		return;
	case CODE(1, 1, 1, 0x5a):
	case CODE(1, 1, 1, 0xe6):
	case CODE(3, 1, 1, 0xe6):
		shrink(x, op, reg, s->reg);
		return;
	case CODE(2, 2, 0, 0x35):	/* operands exchanged, as in the next */
		low_words(x, s->reg, reg);
		return;
	case CODE(1, 3, 1, 0x3b):
		move_half(x, s->reg, 0, reg, 1);
		return;
	case CODE(1, 3, 1, 0x3a):	/* into itself */
		move_half(x, reg, 1, s->reg, 0);
		return;
	case SHIFT:
	case CODE(1, 1, 1, 0x73):
		shift(x, op, reg, v, s->reg, imm);
		return;
	case CODE(1, 3, 1, 0x25):
		if (imm == 0xf6) {
			differ(x, op, reg, v, s, options);
			return;
		}
		break;
	case CODE(0, 1, 0, 0xc2):
	case CODE(1, 1, 1, 0xc2):
		compare_floats(x, op, reg, v, s, options, imm);
		return;
	case CODE(1, 3, 0, 0x1f):
	case CODE(1, 3, 1, 0x1f):
	case CODE(1, 3, 0, 0x1e):
	case CODE(1, 3, 1, 0x1e):
		compare_integers(x, op, reg, v, s, options, imm);
		return;
	case CODE(2, 2, 0, 0x27):
	case CODE(1, 2, 1, 0x27):
		test(x, op, reg, v, s, options, PP(op) == 2);
		return;
	}
	/* a rounding mode of its own is what no instruction here has */
	if (s->memory || !(options & 0x20))
		compute(x, op, reg, v, s, options, imm);
	else
		x->failed = true;
}

static void vectors(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, uint8_t rm,
		    uint32_t options, int imm)
{
	lower(x, op, reg, v, &(struct source){ .reg = rm }, options, imm);
}

static void vector_and_memory(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, struct x86_mem m,
			      uint32_t options, int imm)
{
	lower(x, op, reg, v, &(struct source){ .memory = true, .m = m }, options, imm);
}
