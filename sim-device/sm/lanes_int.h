/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Integer operations of one lane that C has no operator for, as PTX defines them. Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_INT_H
#define VGPU_LANES_INT_H

lanes_inline u32 divs32(u32 a, u32 b)
{
	if (!b)
		return ~0u;
	if (b == ~0u)
		return 0 - a;	/* INT_MIN / -1 wraps */
	return (u32)((s32)a / (s32)b);
}

lanes_inline u32 divu32(u32 a, u32 b)
{
	return b ? a / b : ~0u;
}

lanes_inline u32 rems32(u32 a, u32 b)
{
	if (!b)
		return a;
	if (b == ~0u)
		return 0;
	return (u32)((s32)a % (s32)b);
}

lanes_inline u32 remu32(u32 a, u32 b)
{
	return b ? a % b : a;
}

lanes_inline u64 divs64(u64 a, u64 b)
{
	if (!b)
		return ~0ull;
	if (b == ~0ull)
		return 0 - a;
	return (u64)((s64)a / (s64)b);
}

lanes_inline u64 divu64(u64 a, u64 b)
{
	return b ? a / b : ~0ull;
}

lanes_inline u64 rems64(u64 a, u64 b)
{
	if (!b)
		return a;
	if (b == ~0ull)
		return 0;
	return (u64)((s64)a % (s64)b);
}

lanes_inline u64 remu64(u64 a, u64 b)
{
	return b ? a % b : a;
}

lanes_inline u32 clz32(u32 a)
{
	return a ? (u32)__builtin_clz(a) : 32;
}

lanes_inline u32 clz64(u64 a)
{
	return a ? (u32)__builtin_clzll(a) : 64;
}

/* Position of the highest set bit, all ones if none. */
lanes_inline u32 bfind32(u32 a)
{
	return 31 - clz32(a);
}

lanes_inline u32 bfind64(u64 a)
{
	return 63 - clz64(a);
}

lanes_inline u32 brev32(u32 a)
{
	a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
	a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
	a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(a);
}

lanes_inline u64 brev64(u64 a)
{
	return (u64)brev32((u32)a) << 32 | brev32((u32)(a >> 32));
}

lanes_inline u64 shl64(u64 a, u32 n)
{
	return n < 64 ? a << n : 0;
}

lanes_inline u64 shru64(u64 a, u32 n)
{
	return n < 64 ? a >> n : 0;
}

lanes_inline u64 shrs64(u64 a, u32 n)
{
	return (u64)((s64)a >> (n < 64 ? n : 63));
}

/* High word of high:low << n, low word of high:low >> n; n in 0..32. */
lanes_inline u32 funnel_left(u32 low, u32 high, u32 n)
{
	return (u32)((((u64)high << 32 | low) << n) >> 32);
}

lanes_inline u32 funnel_right(u32 low, u32 high, u32 n)
{
	return (u32)(((u64)high << 32 | low) >> n);
}

/*
 * bfe of a word of @width bits in the low end of a (above them: zero). The bits beyond the field, and those of the
 * field beyond the word, are 0 or, signed, the field's highest bit that the word has.
 */
lanes_inline u64 bfe(u64 a, u32 pos, u32 len, u32 width, bool is_signed)
{
	u64 field;
	u32 top;

	pos &= 0xff;
	len &= 0xff;
	if (!len)
		return 0;
	top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
	field = shru64(a, pos);
	if (len < 64)
		field &= (1ull << len) - 1;
	if (is_signed && a >> top & 1) {
		u32 have = top >= pos ? top - pos + 1 : 0;	/* bits of the field that the word has */

		field |= have < 64 ? ~0ull << have : 0;
	}
	return field;
}

/* bfi of a into b; @spec: position in bits 0-7, length in bits 8-15 */
lanes_inline u64 bfi(u64 a, u64 b, u32 spec)
{
	u32 pos = spec & 0xff, len = spec >> 8 & 0xff;
	u64 mask = len < 64 ? (1ull << len) - 1 : ~0ull;

	mask = shl64(mask, pos);
	return (b & ~mask) | (shl64(a, pos) & mask);
}

lanes_inline u32 prmt(u32 a, u32 b, u32 select)
{
	u64 bytes = (u64)b << 32 | a;
	u32 d = 0;

	for (u32 n = 0; n < 4; n++) {
		u32 s = select >> 4 * n;
		u32 byte = (u32)(bytes >> 8 * (s & 7)) & 0xff;

		if (s & 8)
			byte = byte & 0x80 ? 0xff : 0;
		d |= byte << 8 * n;
	}
	return d;
}

/* fns: from bit @base of @mask on, upwards or, @offset < 0, downwards, the |offset|-th bit set; 0: bit @base itself */
lanes_inline u32 fns(u32 mask, u32 base, u32 offset)
{
	u32 step = (s32)offset < 0 ? ~0u : 1, left = (s32)offset < 0 ? 0 - offset : offset;

	if (!offset)
		return base < 32 && mask >> base & 1 ? base : ~0u;
	for (; base < 32; base += step)
		if (mask >> base & 1 && !--left)
			return base;
	return ~0u;
}

lanes_inline u64 mulhu64(u64 a, u64 b)
{
	return (u64)((unsigned __int128)a * b >> 64);
}

lanes_inline u64 mulhs64(u64 a, u64 b)
{
	return (u64)((__int128)(s64)a * (s64)b >> 64);
}

#endif
