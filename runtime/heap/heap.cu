// SPDX-License-Identifier: MIT
/*
 * malloc() and free() of device code. Compiled to PTX when the runtime is built; the PTX compiler
 * adds it to modules that call one of them. Knows nothing but heap.h.
 *
 * DOC: The allocator
 *
 * The heap is divided into chunks of 16 KB. A request of more than 8 KB gets consecutive chunks of
 * its own. A smaller one is rounded up to a size class (2^n or 1.5 * 2^n bytes, at least 16) and
 * gets a block of a chunk of that class. All data about chunks lies apart from them, so that a
 * program that writes beyond its block does not damage it, and starts as zeros.
 *
 * There are no locks. A thread that reserves a block increments the count of the chunk's state
 * word; if it was below the number of blocks, some bit of the chunk's bitmap is or becomes clear,
 * and the thread sets one. If the chunk was full or of another class by then, the thread takes back
 * its increment; until then the word's count is too high by one, which can make others skip the
 * chunk, never use it wrongly. free() clears the bit, then decrements. Whoever decrements the count
 * to 0 retires the chunk: it compares and exchanges the whole word with 0, so a reservation in
 * between makes it fail, and who does so owns the chunk and gives it back.
 *
 * Of each class, each SM fills a chunk of its own (`current'), so that SMs do not take the room
 * from each other. While few chunks are in use they fill the same one (`newest'), so that few pages
 * are touched. When a chunk is full, one warp of the SM looks for another: in the class's bitmap of
 * chunks with room, else a free chunk, else what another SM fills. It says so in `current' by a
 * compare and exchange. The others wait for it, but not for ever, because its block may have been
 * preempted: then they look for a chunk themselves, and who offers the second one gives it back.
 *
 * A chunk with room is somebody's current one or has its bit in the bitmap: who finds one there
 * clears the bit, and who frees a block of a full chunk sets it.
 */
#include "heap.h"

#define DEVICE		static __attribute__((device, always_inline))
#define GLOBAL		__attribute__((address_space(1)))
#define CALL		extern "C" __attribute__((device, used, noinline))

typedef unsigned int u32;
typedef unsigned long long u64;
typedef volatile GLOBAL u32 word;

#define BLOCK_MOST	8192u		/* bytes of the largest class */
#define CLASS_BIAS	8u
#define CLASS_LAST	(2 * 13 + 1 - CLASS_BIAS)
#define LARGE		31u		/* the class of a chunk that begins a large allocation */
#define NONE		0xffffffffu
/* Chunks in use up to which SMs fill the same ones. */
#define SHARED_MOST	VGPU_HEAP_HEADS
/*
 * How often a warp looks whether another one has found a chunk, before it does so itself: about as
 * long as it takes to find one when all SMs do.
 */
#define PATIENCE 64u

#define COUNT(state)	((state) & 0xffffffu)
#define CLASS(state)	((state) >> 24)
#define STATE(class)	((u32)(class) << 24)

extern "C" __attribute__((constant)) struct vgpu_heap VGPU_HEAP_VARIABLE = {};
#define HEAP		VGPU_HEAP_VARIABLE
#define HEAD(field)	((word *)(HEAP.head + __builtin_offsetof(struct vgpu_heap_head, field)))

/* ---- words -------------------------------------------------------------- */

DEVICE u32 add(word *at, u32 value)
{
	return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

DEVICE u32 set_bits(word *at, u32 bits)
{
	return __atomic_fetch_or(at, bits, __ATOMIC_RELAXED);
}

DEVICE u32 clear_bits(word *at, u32 bits)
{
	return __atomic_fetch_and(at, ~bits, __ATOMIC_RELAXED);
}

DEVICE bool exchange(word *at, u32 old, u32 value)
{
	return __atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

DEVICE word *state_of(u32 chunk)
{
	return (word *)HEAP.state + chunk;
}

DEVICE u32 this_sm(void)
{
	u32 sm;

	__asm__ __volatile__("mov.u32 %0, %%smid;" : "=r"(sm));
	return sm;
}

/* ---- size classes ------------------------------------------------------- */

/* Of 1 to BLOCK_MOST bytes. */
DEVICE u32 class_of(u32 bytes)
{
	u32 log;

	if (bytes <= VGPU_HEAP_LEAST)
		return 2 * 4 + 1 - CLASS_BIAS;
	log = 32 - __builtin_clz(bytes - 1);
	/* 24 is no multiple of 16; of 6144 no more go into a chunk than of 8192 */
	if (log > 5 && log < 13 && bytes <= 3u << (log - 2))
		return 2 * log - CLASS_BIAS;
	return 2 * log + 1 - CLASS_BIAS;
}

DEVICE u32 class_size(u32 cls)
{
	u32 log = (cls + CLASS_BIAS) / 2;

	return cls & 1 ? 1u << log : 3u << (log - 2);
}

/* How many blocks of the class go into @bytes, at most a chunk. */
DEVICE u32 class_blocks(u32 cls, u32 bytes)
{
	u32 log = (cls + CLASS_BIAS) / 2;

	return cls & 1 ? bytes >> log : (bytes >> (log - 2)) / 3;
}

/* ---- chunks ------------------------------------------------------------- */

/* Clears the bits of @count chunks from @first in the bitmap of claimed ones. */
DEVICE void unclaim(u32 first, u32 count)
{
	word *claimed = (word *)HEAP.claimed;

	for (u32 end = first + count; first < end;) {
		u32 low = first & 31, bits = end - first < 32 - low ? end - first : 32 - low;

		clear_bits(&claimed[first / 32], 0xffffffffu >> (32 - bits) << low);
		first += bits;
	}
}

/*
 * Sets the bits of @count chunks from @first, in ascending order, so that of several threads with
 * overlapping ranges one succeeds. Else undoes what it did and returns the chunk that was in use.
 */
DEVICE u32 claim_range(u32 first, u32 count)
{
	word *claimed = (word *)HEAP.claimed;
	u32 at = first, end = first + count;

	while (at < end) {
		u32 low = at & 31, bits = end - at < 32 - low ? end - at : 32 - low;
		u32 mask = 0xffffffffu >> (32 - bits) << low;
		u32 old = set_bits(&claimed[at / 32], mask);

		if (old & mask) {
			clear_bits(&claimed[at / 32], mask & ~old);
			unclaim(first, at - first);
			return (at & ~31u) + __builtin_ctz(old & mask);
		}
		at += bits;
	}
	return NONE;
}

/* Returns the first of @count consecutive chunks that are now the caller's, or NONE. */
DEVICE u32 claim(u32 count)
{
	const word *claimed = (const word *)HEAP.claimed;
	u32 chunks = HEAP.chunks, at, first;
	bool apart = false;

	if (chunks - *HEAD(used) < count)
		return NONE;
	at = *HEAD(cursor) * 32;
	for (u32 start = at;; start = at = 0) {
		first = at;
		while (at < chunks) {
			u32 bits = claimed[at / 32] >> (at & 31);
			u32 clear = bits ? __builtin_ctz(bits) : 32 - (at & 31);

			at += clear;
			if (at - first >= count && first + count <= chunks) {
				u32 taken = claim_range(first, count);

				if (taken == NONE) {
					if (count == 1)
						*HEAD(cursor) = first / 32;
					add(HEAD(used), count);
					return first;
				}
				at = first = taken + 1;
				/* other SMs search here, too: not all for the same chunk again */
				if (count == 1 && !apart) {
					apart = true;
					at = first += this_sm() % VGPU_HEAP_HEADS;
					start = 1;
				}
			} else if (bits) {
				at += __builtin_ctz(~(bits >> clear));
				first = at;
			}
		}
		if (!start)
			return NONE;
	}
}

DEVICE void release(u32 first, u32 count)
{
	add(HEAD(used), -count);
	unclaim(first, count);
	*HEAD(cursor) = first / 32;
}

DEVICE word *room_of(u32 cls, u32 chunk)
{
	return (word *)HEAP.room + (u64)cls * HEAP.words + chunk / 32;
}

DEVICE void set_room(u32 cls, u32 chunk)
{
	u32 bit = 1u << (chunk & 31);

	if (!(set_bits(room_of(cls, chunk), bit) & bit))
		add(HEAD(rooms) + cls, 1);
	*(HEAD(hint) + cls) = chunk / 32;
}

/* Returns false if it was clear. */
DEVICE bool clear_room(u32 cls, u32 chunk)
{
	u32 bit = 1u << (chunk & 31);

	if (!(clear_bits(room_of(cls, chunk), bit) & bit))
		return false;
	add(HEAD(rooms) + cls, -1u);
	return true;
}

/* Gives a chunk of the class back if no block of it is in use or reserved. */
DEVICE void retire(u32 cls, u32 chunk)
{
	if (!exchange(state_of(chunk), STATE(cls), 0))
		return;
	clear_room(cls, chunk);
	release(chunk, 1);
}

/*
 * Takes back a reservation in a chunk that has any class by now. A bit in the bitmap of a class
 * that the chunk no longer has does no harm: take_room() clears it.
 */
DEVICE void unreserve(u32 chunk)
{
	u32 old = add(state_of(chunk), -1u), cls = CLASS(old);

	if (!cls || cls > CLASS_LAST)
		return;
	if (COUNT(old) == class_blocks(cls, VGPU_HEAP_CHUNK))
		set_room(cls, chunk);
	if (COUNT(old) == 1)
		retire(cls, chunk);
}

DEVICE bool has_room(u32 cls, u32 chunk)
{
	u32 state = *state_of(chunk);

	return CLASS(state) == cls && COUNT(state) < class_blocks(cls, VGPU_HEAP_CHUNK);
}

/*
 * A chunk of the class that has a free block and that is nobody's current one, or NONE. It is now
 * the caller's: who frees a block of it sets its bit again after the caller has found it, if it is
 * full then.
 */
DEVICE u32 take_room(u32 cls)
{
	u32 words = HEAP.words, w = *(HEAD(hint) + cls);

	for (u32 left = words; left && *(HEAD(rooms) + cls); left--) {
		u32 bits;

		while ((bits = *room_of(cls, w * 32)) != 0) {
			u32 chunk = w * 32 + __builtin_ctz(bits);

			if (clear_room(cls, chunk) && has_room(cls, chunk))
				return chunk;
		}
		w = w + 1 < words ? w + 1 : 0;
	}
	return NONE;
}

DEVICE word *current_of(u32 head, u32 cls)
{
	return (word *)HEAD(current) + head * VGPU_HEAP_CLASSES + cls;
}

/*
 * Of the present SM. It is computed again where it is used, so that it takes no registers in
 * between; when the block has moved to another SM meanwhile that does no harm: who waits for the
 * former loses patience.
 */
DEVICE word *own_current(u32 cls)
{
	return current_of(this_sm() % VGPU_HEAP_HEADS, cls);
}

/* The chunk that is @current there, if it has a free block, or NONE. */
DEVICE u32 room_in(u32 current, u32 cls)
{
	if (!current || current == VGPU_HEAP_REFILL || !has_room(cls, current - 1))
		return NONE;
	return current - 1;
}

/* A chunk with a free block that another SM fills, or NONE: for when there is no other. */
DEVICE u32 room_of_others(u32 cls)
{
	u32 chunk = NONE;

	for (u32 head = 0; head < VGPU_HEAP_HEADS && chunk == NONE; head++)
		chunk = room_in(*current_of(head, cls), cls);
	return chunk;
}

/*
 * Puts a chunk with room at own_current(), which was VGPU_HEAP_REFILL. Returns false if the heap is
 * full, true if it is worth to try again.
 */
DEVICE bool refill(u32 cls)
{
	bool own = false;
	u32 chunk = NONE;

	if (*HEAD(used) <= SHARED_MOST)
		chunk = room_in(*(HEAD(newest) + cls), cls);
	if (chunk == NONE) {
		chunk = take_room(cls);
		own = chunk != NONE;
	}
	if (chunk == NONE) {
		chunk = claim(1);
		own = chunk != NONE;
		if (own)
			add(state_of(chunk), STATE(cls));
	}
	if (chunk == NONE)
		chunk = room_of_others(cls);
	if (chunk == NONE)
		return !exchange(own_current(cls), VGPU_HEAP_REFILL, 0);
	if (exchange(own_current(cls), VGPU_HEAP_REFILL, chunk + 1)) {
		*(HEAD(newest) + cls) = chunk + 1;
	} else if (own) {
		set_room(cls, chunk);
		retire(cls, chunk);
	}
	return true;
}

/* ---- blocks ------------------------------------------------------------- */

/* The caller has reserved a block of the chunk, which was number @at of those in use. */
DEVICE void *block_of(u32 cls, u32 chunk, u32 at)
{
	word *blocks = (word *)HEAP.blocks + (u64)chunk * VGPU_HEAP_BITMAP;
	u32 count = class_blocks(cls, VGPU_HEAP_CHUNK);

	for (;;) {
		u32 bits = ~blocks[at / 32] >> (at & 31);

		at = bits ? at + __builtin_ctz(bits) : (at & ~31u) + 32;
		if (at >= count) {
			at = 0;
		} else if (bits) {
			if (!(set_bits(&blocks[at / 32], 1u << (at & 31)) >> (at & 31) & 1))
				break;
			at = at + 1 < count ? at + 1 : 0;
		}
	}
	return (void *)(HEAP.data + ((u64)chunk << VGPU_HEAP_CHUNK_LOG) +
			(u64)at * class_size(cls));
}

/* Orders the accesses of a block's user after it was allocated and before it is freed. */
DEVICE void fence(void)
{
	__asm__ __volatile__("membar.gl;" ::: "memory");
}

/* Is the caller the lowest of the lanes that are here? */
DEVICE bool first_lane(void)
{
	u32 active, below;

	__asm__ __volatile__("activemask.b32 %0;" : "=r"(active));
	__asm__ __volatile__("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
	return !(active & below);
}

/* More than BLOCK_MOST bytes. */
DEVICE void *malloc_chunks(u64 bytes)
{
	u32 count, chunk;

	if (bytes > (u64)HEAP.chunks << VGPU_HEAP_CHUNK_LOG)
		return nullptr;
	count = (u32)((bytes + VGPU_HEAP_CHUNK - 1) >> VGPU_HEAP_CHUNK_LOG);
	chunk = claim(count);
	if (chunk == NONE)
		return nullptr;
	((word *)HEAP.length)[chunk] = count;
	fence();
	add(state_of(chunk), STATE(LARGE));
	return (void *)(HEAP.data + ((u64)chunk << VGPU_HEAP_CHUNK_LOG));
}

CALL void *malloc(u64 bytes)
{
	u32 cls, waited = 0;

	if (bytes > BLOCK_MOST)
		return malloc_chunks(bytes);
	cls = class_of((u32)bytes);
	for (;;) {
		word *current = own_current(cls);
		u32 seen = *current;

		if (seen && seen != VGPU_HEAP_REFILL) {
			u32 state = add(state_of(seen - 1), 1);

			if (CLASS(state) == cls &&
			    COUNT(state) < class_blocks(cls, VGPU_HEAP_CHUNK)) {
				void *block = block_of(cls, seen - 1, COUNT(state));

				fence();
				return block;
			}
			unreserve(seen - 1);
		}
		/* one lane at a time: the others use what it finds, or come next */
		if (!first_lane())
			continue;
		if (seen == VGPU_HEAP_REFILL ? waited++ < PATIENCE :
					       !exchange(current, seen, VGPU_HEAP_REFILL))
			continue;
		if (!refill(cls))
			return nullptr;
		waited = 0;
	}
}

/* Returns false if the address is not that of an allocated block. */
DEVICE bool free_at(u64 offset)
{
	u32 chunk = (u32)(offset >> VGPU_HEAP_CHUNK_LOG), inside = offset & (VGPU_HEAP_CHUNK - 1);
	u32 state = *state_of(chunk), cls = CLASS(state), at, bit;

	if (cls == LARGE) {
		u32 count = ((word *)HEAP.length)[chunk];

		if (inside)
			return false;
		/* the count is not ours, see unreserve() */
		while (!exchange(state_of(chunk), state, COUNT(state))) {
			state = *state_of(chunk);
			if (CLASS(state) != LARGE)
				return false;
		}
		release(chunk, count);
		return true;
	}
	if (!cls)
		return false;
	at = class_blocks(cls, inside);
	bit = 1u << (at & 31);
	if (at * class_size(cls) != inside || at >= class_blocks(cls, VGPU_HEAP_CHUNK))
		return false;
	if (!(clear_bits((word *)HEAP.blocks + (u64)chunk * VGPU_HEAP_BITMAP + at / 32, bit) & bit))
		return false;
	unreserve(chunk);
	return true;
}

CALL void free(void *block)
{
	u64 offset = (u64)block - HEAP.data;

	if (!block)
		return;
	fence();
	if (offset >= (u64)HEAP.chunks << VGPU_HEAP_CHUNK_LOG || !free_at(offset))
		__asm__ __volatile__("trap; // free() of an address that is not allocated");
}

/* nvcc's aligned new: blocks of a power of two are aligned to it, up to the size of a chunk. */
CALL void *__cuda_syscall_aligned_malloc(u64 bytes, u64 align)
{
	if (!align || (align & (align - 1)) || align > 16384)
		return 0;
	if (align > 16) {
		bytes = bytes < align ? align : bytes;
		if (bytes <= BLOCK_MOST)
			bytes = 1ull << (64 - __builtin_clzll(bytes - 1));
		else if (bytes < 16384)
			bytes = 16384;
	}
	return malloc(bytes);
}
