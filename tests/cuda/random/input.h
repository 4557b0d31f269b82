/* SPDX-License-Identifier: MIT */
/*
 * What random kernels read: seen by the generator, and pasted into each program that it writes.
 */
#ifndef TESTS_CUDA_RANDOM_INPUT_H
#define TESTS_CUDA_RANDOM_INPUT_H

enum type { T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_U64, T_S64, T_F16, T_F32, T_F64, TYPES };

static inline unsigned long long random_next(unsigned long long *state)
{
	unsigned long long z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static inline unsigned int random_below(unsigned long long *state, unsigned int n)
{
	return (unsigned int)(random_next(state) >> 33) % n;
}

/* Bits of a number of that type; one in three is special. */
static inline unsigned long long random_value(unsigned long long *state, int type)
{
	static const unsigned short half[] = {
		0,	0x8000, 1,	0x8001, 0x3ff,	0x400,	0x3c00, 0xbc00,
		0x3800, 0x3e00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3555,
	};
	static const unsigned int single[] = {
		0,	    0x80000000, 1,	    0x80000001, 0x7fffff,   0x800000,	0x80800000,
		0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0600000,
		0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff,
		0x5f000000, 0xdf000000, 0x5f7fffff, 0x5f800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
		0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x3effffff, 0x3f7fffff, 0x4affffff,
		0x4b000001, 0x477fe000, 0x477ff000, 0x387fc000, 0x33000000, 0x33000001, 0x00ffffff,
		0x3f800001,
	};
	static const unsigned long long twice[] = {
		0,
		0x8000000000000000ull,
		1,
		0x8000000000000001ull,
		0xfffffffffffffull,
		0x10000000000000ull,
		0x3ff0000000000000ull,
		0xbff0000000000000ull,
		0x3fe0000000000000ull,
		0xbfe0000000000000ull,
		0x3ff8000000000000ull,
		0x4004000000000000ull,
		0xc00c000000000000ull,
		0x41dfffffffc00000ull,
		0x41e0000000000000ull,
		0xc1e0000000000000ull,
		0xc1e0000000100000ull,
		0x41dfffffffe00000ull,
		0x41efffffffe00000ull,
		0x41effffffff00000ull,
		0x41f0000000000000ull,
		0x43dfffffffffffffull,
		0x43e0000000000000ull,
		0xc3e0000000000000ull,
		0x43efffffffffffffull,
		0x43f0000000000000ull,
		0x7fefffffffffffffull,
		0xffefffffffffffffull,
		0x7ff0000000000000ull,
		0xfff0000000000000ull,
		0x7ff8000000000000ull,
		0x7ff0000000000001ull,
		0x3fdfffffffffffffull,
		0x47efffffe0000000ull,
		0x47effffff0000000ull,
		0x36a0000000000000ull,
		0x3690000000000000ull,
		0x3690000000000001ull,
		0x380fffffe0000000ull,
		0x380ffffff0000000ull,
		0x432fffffffffffffull,
		0x4330000000000001ull,
		0x40effc0000000000ull,
		0x40effe0000000000ull,
	};
	static const unsigned char bits[TYPES] = {8, 8, 16, 16, 32, 32, 64, 64, 16, 32, 64};
	const unsigned int width = bits[type], what = random_below(state, 6);
	const unsigned long long all = ~0ull >> (64 - width), one = 1;
	unsigned long long r = random_next(state), sign = (r & 1) << (width - 1);

	if (type < T_F16) {
		switch (what) {
		case 0:
			return (one << r % width) & all;
		case 1:
			return ((one << r % width) - 1) & all;
		case 2:
			return (0 - (one << r % width)) & all;
		case 3:
			return (r >> 8) % 9 & all;
		default:
			return (r & all) >> random_next(state) % width;
		}
	}
	switch (what) {
	case 0:
	case 1:
		if (type == T_F16)
			return half[r % (sizeof(half) / sizeof(*half))];
		if (type == T_F32)
			return single[r % (sizeof(single) / sizeof(*single))];
		return twice[r % (sizeof(twice) / sizeof(*twice))];
	case 2: /* any bits */
		return r & all;
	case 3: /* integers and halves of them */
		r >>= 8;
		if (type == T_F16)
			return sign | (0x3c00 + ((r & 7) << 10)) | (r >> 8 & 7) << 7;
		if (type == T_F32)
			return sign | (0x3f800000 + ((r & 0x1f) << 23)) | (r >> 8 & 0xf) << 19;
		return sign | (0x3ff0000000000000ull + ((r & 0x1f) << 52)) | (r >> 8 & 0xf) << 48;
	case 4: /* all bits of the fraction, an exponent near 0 */
		r >>= 8;
		if (type == T_F16)
			return sign | (0x3000 + (r & 0x1fff));
		if (type == T_F32)
			return sign | (0x3c000000 + (r & 0x7ffffff));
		return sign | (0x3f80000000000000ull + (r & 0xffffffffffffffull));
	default: /* an exponent where integers end */
		r >>= 8;
		if (type == T_F16)
			return sign | (0x5000 + (r & 0x2bff));
		if (type == T_F32)
			return sign | (0x4a000000 + (r & 0x17ffffff));
		return sign | (0x41c0000000000000ull + (r & 0x2fffffffffffffull));
	}
}

#endif
