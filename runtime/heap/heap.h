/* SPDX-License-Identifier: MIT */
/*
 * The heap of malloc() and free() in kernels: where its parts are. Shared by the allocator, which
 * is device code (heap.cu), and by the runtime, which maps the memory (api/malloc.c). The memory is
 * zero when it is mapped, and that is an empty heap: nothing is written before it is used, so pages
 * of unused chunks stay without frames.
 */
#ifndef VGPU_HEAP_H
#define VGPU_HEAP_H

#define VGPU_HEAP_CHUNK_LOG	14u	/* chunks of 16 KB */
#define VGPU_HEAP_CHUNK		(1u << VGPU_HEAP_CHUNK_LOG)
#define VGPU_HEAP_LEAST		16u	/* bytes of the smallest block, and its alignment */
#define VGPU_HEAP_CLASSES	32u	/* numbers of size classes; 0: none */
#define VGPU_HEAP_HEADS		16u	/* SMs that fill chunks of their own */
#define VGPU_HEAP_REFILL	0xffffffffu
/* Words of the bitmap of a chunk's blocks. */
#define VGPU_HEAP_BITMAP	(VGPU_HEAP_CHUNK / VGPU_HEAP_LEAST / 32)

/**
 * struct vgpu_heap_head - the first bytes of the memory
 * @current: of each SM and class, 1 + the chunk that is being filled; 0: none; VGPU_HEAP_REFILL: a
 *   warp of the SM is looking for one. SMs share an entry where there are more than entries
 * @newest: of each class, 1 + the chunk that became current last, of whatever SM; 0: none
 * @rooms: of each class, how many bits of its @room bitmap are set
 * @hint: of each class, the word of that bitmap in which a bit was set last
 * @used: chunks in use; lower than their number while somebody claims or releases one
 * @cursor: a word of the bitmap of claimed chunks, where to search for a free chunk: where one was
 *   claimed or released last
 */
struct vgpu_heap_head {
	unsigned int current[VGPU_HEAP_HEADS][VGPU_HEAP_CLASSES];
	unsigned int newest[VGPU_HEAP_CLASSES];
	unsigned int rooms[VGPU_HEAP_CLASSES];
	unsigned int hint[VGPU_HEAP_CLASSES];
	unsigned int used;
	unsigned int cursor;
};

/**
 * struct vgpu_heap - device addresses of the parts, and how many chunks there are
 * @head: struct vgpu_heap_head
 * @state: of each chunk a word: the class in the top byte, below it how many of its blocks are in
 *   use or reserved
 * @length: of each chunk that begins a large allocation, its chunks
 * @claimed: a bitmap of the chunks in use
 * @room: of each class a bitmap of the chunks that may have a free block and are not current
 * @blocks: of each chunk a bitmap of its blocks in use, VGPU_HEAP_BITMAP words
 * @data: the first chunk, aligned to its size
 * @chunks: from 1 to 2^26
 * @words: of a bitmap of all chunks
 *
 * The variable of this type in the module is set when the module is loaded.
 */
struct vgpu_heap {
	unsigned long long head;
	unsigned long long state;
	unsigned long long length;
	unsigned long long claimed;
	unsigned long long room;
	unsigned long long blocks;
	unsigned long long data;
	unsigned int chunks;
	unsigned int words;
};

#define VGPU_HEAP_VARIABLE	__vgpu_heap

#endif
