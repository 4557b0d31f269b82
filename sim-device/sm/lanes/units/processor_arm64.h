/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What all builds of the lanes need of an arm64 processor that C has no word for: the rounding
 * mode, and an exchange of 16 bytes. Part of impl.h; processor_x86.h is the same for another.
 */
#ifndef VGPU_LANES_PROCESSOR_H
#define VGPU_LANES_PROCESSOR_H

/*
 * FPCR: exceptions masked, subnormals kept, rounding as VGPU_RND_*. What computes under another
 * mode than to nearest is a function of its own that is not inlined and works on memory, so that no
 * operation moves across the change. The upper half of the register has no meaning.
 */
#define MODE_NEAREST	0u

lanes_inline u32 mode_read(void)
{
	u64 v;

	__asm__ volatile("mrs %0, fpcr" : "=r"(v) : : "memory");
	return (u32)v;
}

lanes_inline void mode_write(u32 v)
{
	__asm__ volatile("msr fpcr, %0" : : "r"((u64)v) : "memory");
}

lanes_inline void round_by(u32 mode)
{
	static const u32 bits[4] = { 0, 3u << 22, 2u << 22, 1u << 22 };

	mode_write(MODE_NEAREST | bits[mode & 3]);
}

/*
 * If the two words at @p are @found, they become @next; what is there otherwise goes to @found.
 * Others may use them at the same time: a page of the host, or one that has just left it. Both
 * words were read at one time only if they are also written, be it as they were.
 */
lanes_inline bool exchange_128(u64 *p, u64 found[2], const u64 next[2])
{
	u64 low, high, new_low, new_high;
	u32 failed;
	bool same;

	do {
		__asm__ volatile("ldaxp %0, %1, %2"
				 : "=&r"(low), "=&r"(high)
				 : "Q"(*(const u64(*)[2])p)
				 : "memory");
		same = low == found[0] && high == found[1];
		new_low = same ? next[0] : low;
		new_high = same ? next[1] : high;
		__asm__ volatile("stlxp %w0, %2, %3, %1"
				 : "=&r"(failed), "=Q"(*(u64(*)[2])p)
				 : "r"(new_low), "r"(new_high)
				 : "memory");
	} while (failed);
	found[0] = low;
	found[1] = high;
	return same;
}

#endif
