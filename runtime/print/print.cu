// SPDX-License-Identifier: MIT
/*
 * printf() of device code, which clang compiles to vprintf(). Compiled to PTX when the runtime is
 * built; the PTX compiler adds it to modules that call vprintf. Knows nothing but print.h.
 *
 * All that is printed is copied into the record, the format and strings too: the host need not
 * follow any pointer of the device, and strings may be in any of its memories. The thread goes
 * through the format twice, to find how many words it needs and to write them. A string that
 * another thread changes in between may get longer: what has no room then is not written, and the
 * host checks the lengths.
 */
#include "print.h"

#define DEVICE	static __attribute__((device, always_inline))
#define GLOBAL	__attribute__((address_space(1)))
#define CALL	extern "C" __attribute__((device, used, noinline))

typedef unsigned int u32;
typedef unsigned long long u64;
typedef volatile GLOBAL u64 word;

extern "C" __attribute__((constant)) struct vgpu_print VGPU_PRINT_VARIABLE = {};
#define PRINT	VGPU_PRINT_VARIABLE

/* Where the next word goes. @left: words with room; while it counts, ~0 and nothing is written */
struct cursor {
	u64 at;			/* in the ring */
	u32 left;
	u32 words;		/* so far */
	bool write;
};

DEVICE void put(struct cursor *to, u64 value)
{
	to->words++;
	if (!to->write || !to->left)
		return;
	to->left--;
	((word *)PRINT.ring)[to->at] = value;
	if (++to->at == PRINT.words)
		to->at = 0;
}

DEVICE void put_text(struct cursor *to, const char *text)
{
	u64 bytes = 0, value = 0;

	if (!text) {
		put(to, 0);
		return;
	}
	while (text[bytes])
		bytes++;
	put(to, bytes + 1);
	if (!to->write) {
		to->words += (u32)((bytes + 7) / 8);
		return;
	}
	for (u64 i = 0; i < bytes; i++) {
		value |= (u64)(unsigned char)text[i] << (i % 8 * 8);
		if (i % 8 == 7 || i + 1 == bytes) {
			put(to, value);
			value = 0;
		}
	}
}

/* The next argument, which has @bytes and is at a multiple of that. */
DEVICE u64 next(u64 *arguments, u32 bytes)
{
	u64 at = (*arguments + bytes - 1) & ~(u64)(bytes - 1);

	*arguments = at + bytes;
	return bytes == 8 ? *(const u64 *)at : *(const u32 *)at;
}

/* Format and arguments; returns how many these are. */
DEVICE u32 put_call(struct cursor *to, const struct vgpu_print_call *call)
{
	const char *at = (const char *)call->format;
	u64 arguments = call->arguments;
	u32 count = 0;

	put_text(to, at);
	while (arguments && *at) {
		struct vgpu_print_spec spec;
		u32 wanted;

		if (*at != '%') {
			at++;
			continue;
		}
		spec = vgpu_print_spec(at);
		if (spec.kind == VGPU_PRINT_NONE) {
			at++;
			continue;
		}
		at += spec.bytes;
		if (spec.kind == VGPU_PRINT_PERCENT)
			continue;
		wanted = spec.stars + 1;
		if (count + wanted > VGPU_PRINT_ARGUMENTS)
			break;
		count += wanted;
		while (spec.stars--)
			put(to, next(&arguments, 4));
		if (spec.kind == VGPU_PRINT_STRING)
			put_text(to, (const char *)next(&arguments, 8));
		else
			put(to, next(&arguments, spec.kind == VGPU_PRINT_INT ? 4 : 8));
	}
	return count;
}

/* A record of to->words words begins; false: it would be larger than records may be. */
DEVICE bool reserve(struct cursor *to, u64 *first, u32 arguments)
{
	if (to->words > PRINT.words / VGPU_PRINT_SHARE)
		return false;
	*first = __atomic_fetch_add((word *)PRINT.reserved, (u64)to->words, __ATOMIC_RELAXED);
	to->at = *first % PRINT.words;
	to->left = to->words;
	to->write = true;
	put(to, 0);
	put(to, to->left + 1 | (u64)arguments << 32);
	return true;
}

/* The record is whole. */
DEVICE void publish(u64 first)
{
	__asm__ __volatile__("membar.gl;" ::: "memory");
	((word *)PRINT.ring)[first % PRINT.words] = VGPU_PRINT_STAMP(first);
}

/*
 * Returns the number of arguments, -1 without a format, -2 if the record would be larger than
 * records may be.
 */
CALL u64 __vgpu_vprintf(const struct vgpu_print_call *call)
{
	struct cursor to = {};
	u64 first = 0;
	u32 count = 0;

	if (!call->format)
		return (u64)-1;
	/* one loop, so that the code of put_call() is there once */
	for (;;) {
		to.words = VGPU_PRINT_HEADER;
		count = put_call(&to, call);
		if (to.write)
			break;
		if (!reserve(&to, &first, count))
			return (u64)-2;
	}
	publish(first);
	return count;
}

/* Small enough to be inlined; the other is shared by all calls of a kernel. */
CALL int print_call(const char *format, const void *arguments) __asm__("vprintf");
CALL int print_call(const char *format, const void *arguments)
{
	struct vgpu_print_call call = { (u64)format, (u64)arguments };

	return (int)__vgpu_vprintf(&call);
}

#define SPECIAL(name) \
	({ u32 value; __asm__ volatile("mov.u32 %0, %%" name ";" : "=r"(value)); value; })

/* Of a record without room nothing is told but the fault of the trap that follows. */
CALL void __vgpu_assert(const struct vgpu_assert_call *call)
{
	struct cursor to = {};
	u64 first = 0;

	for (;;) {
		to.words = VGPU_PRINT_HEADER;
		for (u32 i = 0; i < 3; i++)
			put_text(&to, (const char *)(i == 0 ? call->expression :
						     i == 1 ? call->file : call->function));
		put(&to, call->line);
		put(&to, SPECIAL("ctaid.x"));
		put(&to, SPECIAL("ctaid.y"));
		put(&to, SPECIAL("ctaid.z"));
		put(&to, SPECIAL("tid.x"));
		put(&to, SPECIAL("tid.y"));
		put(&to, SPECIAL("tid.z"));
		if (to.write)
			break;
		if (!reserve(&to, &first, VGPU_PRINT_ASSERTION))
			return;
	}
	publish(first);
}

/* What a failed assert() calls. All lanes that fail write their records before the trap. */
CALL void __assertfail(const char *expression, const char *file, u32 line, const char *function,
		       u64 char_size)
{
	struct vgpu_assert_call call = { (u64)expression, (u64)file, (u64)function, line };

	(void)char_size;
	__vgpu_assert(&call);
	__asm__ __volatile__("trap;");
}
