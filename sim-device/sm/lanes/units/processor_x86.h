/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What all builds of the lanes need of an x86-64 processor that C has no word for: the rounding
 * mode, and an exchange of 16 bytes. Part of impl.h; processor_arm64.h is the same for another.
 */
#ifndef VGPU_LANES_PROCESSOR_H
#define VGPU_LANES_PROCESSOR_H

/*
 * Instructions by name are those of the build: the other kind next to them costs a change of state
 * each time.
 */
#if LANES_VECTOR == 32
#define VEX	"v"
#else
#define VEX	""
#endif

/*
 * MXCSR: exceptions masked, subnormals kept, rounding as VGPU_RND_*. What computes under another
 * mode than to nearest is a function of its own that is not inlined and works on memory, so that no
 * operation moves across the change.
 */
#define MODE_NEAREST	0x1f80u

lanes_inline u32 mode_read(void)
{
	u32 v;

	__asm__ volatile(VEX "stmxcsr %0" : "=m"(v) : : "memory");
	return v;
}

lanes_inline void mode_write(u32 v)
{
	__asm__ volatile(VEX "ldmxcsr %0" : : "m"(v) : "memory");
}

lanes_inline void round_by(u32 mode)
{
	static const u16 bits[4] = { 0, 0x6000, 0x2000, 0x4000 };

	mode_write(MODE_NEAREST | bits[mode & 3]);
}

/*
 * If the two words at @p are @found, they become @next; what is there otherwise goes to @found.
 * Others may use them at the same time: a page of the host, or one that has just left it.
 */
lanes_inline bool exchange_128(u64 *p, u64 found[2], const u64 next[2])
{
	u8 same;

	__asm__ volatile("lock cmpxchg16b %1\n\tsete %0"
			 : "=q"(same), "+m"(*(u64(*)[2])p), "+a"(found[0]), "+d"(found[1])
			 : "b"(next[0]), "c"(next[1])
			 : "cc", "memory");
	return same;
}

#endif
