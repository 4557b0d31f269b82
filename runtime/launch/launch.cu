// SPDX-License-Identifier: MIT
/*
 * CUDA's device runtime: what kernels call to launch kernels, to copy and to fill. Compiled to PTX
 * when the runtime is built; the PTX compiler adds it to modules that call one of these functions,
 * by the names of CUDA 11 or those of CUDA 12 and 13 (compile/link.c). Knows nothing but launch.h.
 *
 * A launch is written into a record of the pool, and the device takes it when the block ends (uapi
 * vgpu_launch.h). What it would refuse is refused here, by an error of the call. The last error of
 * each thread is a byte of shared memory.
 */
#include "launch.h"

#define DEVICE	static __attribute__((device, always_inline))
#define CALL	extern "C" __attribute__((device, used, noinline))
#define KERNEL	extern "C" __attribute__((global, used))

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;

extern "C" __attribute__((constant)) struct vgpu_launch VGPU_LAUNCH_VARIABLE = {};
#define LAUNCH	VGPU_LAUNCH_VARIABLE

/* 0 for all threads when a block begins */
__attribute__((shared)) u8 __vgpu_launch_errors[1024];

/* Numbers of cudaError_t */
enum { OK = 0, INVALID_VALUE = 1, INVALID_CONFIGURATION = 9, TOO_DEEP = 65, TOO_MANY = 69,
       NO_KERNEL = 98, NO_DEVICE = 101, NO_HANDLE = 400, NO_RESOURCES = 701, NOT_SUPPORTED = 801 };

struct dim {
	u32 x, y, z;
};

#define SREG(name, register)						\
	DEVICE u32 name()						\
	{								\
		u32 value;						\
		__asm__ __volatile__("mov.u32 %0, " register ";" : "=r"(value));	\
		return value;						\
	}
SREG(tid_x, "%%tid.x")
SREG(tid_y, "%%tid.y")
SREG(tid_z, "%%tid.z")
SREG(ntid_x, "%%ntid.x")
SREG(ntid_y, "%%ntid.y")
SREG(ctaid_x, "%%ctaid.x")
SREG(ctaid_y, "%%ctaid.y")
SREG(ctaid_z, "%%ctaid.z")
SREG(nctaid_x, "%%nctaid.x")
SREG(nctaid_y, "%%nctaid.y")
SREG(grid_id, "%%gridid")
SREG(depth, "%%envreg3")

/* ---- errors -------------------------------------------------------------- */

DEVICE u32 thread_number()
{
	return tid_x() + ntid_x() * (tid_y() + ntid_y() * tid_z());
}

DEVICE u32 packed(u32 error)
{
	return error == NO_RESOURCES ? 254 : error == NOT_SUPPORTED ? 255 :
	       error == NO_HANDLE    ? 253 : error;
}

DEVICE u32 unpacked(u32 byte)
{
	return byte == 254 ? NO_RESOURCES : byte == 255 ? NOT_SUPPORTED :
	       byte == 253 ? NO_HANDLE	  : byte;
}

DEVICE u32 fail(u32 error)
{
	__vgpu_launch_errors[thread_number()] = (u8)packed(error);
	return error;
}

DEVICE u32 last_error(bool forget)
{
	u8 *at = &__vgpu_launch_errors[thread_number()];
	u32 error = unpacked(*at);

	if (forget)
		*at = 0;
	return error;
}

/* What there can be of the device runtime; others come with numbers alone. */
DEVICE const char *text_of(u32 error)
{
	switch (error) {
	case OK:
		return "no error";
	case INVALID_VALUE:
		return "invalid argument";
	case 2:
		return "out of memory";
	case INVALID_CONFIGURATION:
		return "invalid configuration argument";
	case TOO_DEEP:
		return "launch failed because launch would exceed maximum depth of nested launches";
	case TOO_MANY:
		return "launch failed because launch would exceed "
		       "cudaLimitDevRuntimePendingLaunchCount";
	case NO_KERNEL:
		return "invalid device function";
	case NO_DEVICE:
		return "invalid device ordinal";
	case NO_HANDLE:
		return "invalid resource handle";
	case NO_RESOURCES:
		return "too many resources requested for launch";
	case NOT_SUPPORTED:
		return "operation not supported";
	}
	return "unrecognized error code";
}

DEVICE const char *name_of(u32 error)
{
	switch (error) {
	case OK:
		return "cudaSuccess";
	case INVALID_VALUE:
		return "cudaErrorInvalidValue";
	case 2:
		return "cudaErrorMemoryAllocation";
	case INVALID_CONFIGURATION:
		return "cudaErrorInvalidConfiguration";
	case TOO_DEEP:
		return "cudaErrorLaunchMaxDepthExceeded";
	case TOO_MANY:
		return "cudaErrorLaunchPendingCountExceeded";
	case NO_KERNEL:
		return "cudaErrorInvalidDeviceFunction";
	case NO_DEVICE:
		return "cudaErrorInvalidDevice";
	case NO_HANDLE:
		return "cudaErrorInvalidResourceHandle";
	case NO_RESOURCES:
		return "cudaErrorLaunchOutOfResources";
	case NOT_SUPPORTED:
		return "cudaErrorNotSupported";
	}
	return "unrecognized error code";
}

/* ---- launches ------------------------------------------------------------ */

DEVICE struct vgpu_launch_pool *pool()
{
	return (struct vgpu_launch_pool *)LAUNCH.pool;
}

DEVICE const struct vgpu_launch_table *table()
{
	return (const struct vgpu_launch_table *)LAUNCH.table;
}

DEVICE struct vgpu_launch_record *record(u32 number)
{
	return (struct vgpu_launch_record *)LAUNCH.records + number;
}

/* The kernel with this address; a null pointer: there is none. */
DEVICE const struct vgpu_launch_kernel *kernel_at(u64 address)
{
	u64 number = (address - VGPU_KERNEL_ADDRESS) >> 4;

	return address & 15 || number >= table()->count ? (const struct vgpu_launch_kernel *)0 :
							  &table()->kernels[number];
}

DEVICE u32 add(u32 *word, u32 value)
{
	return __atomic_fetch_add((volatile u32 *)word, value, __ATOMIC_RELAXED);
}

DEVICE void give_back(struct vgpu_launch_record *r)
{
	__atomic_store_n((volatile u32 *)&r->state, 0u, __ATOMIC_RELAXED);
	add(&pool()->pending, ~0u);
}

DEVICE bool is_within(const struct dim *size, const u32 *limit)
{
	return size->x && size->y && size->z && size->x <= limit[0] && size->y <= limit[1] &&
	       size->z <= limit[2];
}

/* Of blocks of so many threads; OK, or what is wrong. */
DEVICE u32 check(const struct vgpu_launch_kernel *k, const struct dim *grid,
		 const struct dim *block, u32 shared)
{
	const struct vgpu_launch_table *t = table();
	u64 threads = (u64)block->x * block->y * block->z;

	if (!is_within(grid, t->grid_limit) || !is_within(block, t->block_limit) ||
	    threads > t->threads_per_block)
		return INVALID_CONFIGURATION;
	if (threads > k->max_threads)
		return INVALID_VALUE;
	if (k->param_bytes > VGPU_LAUNCH_PARAM_MAX || (u64)shared + k->shared_bytes > k->max_shared)
		return INVALID_VALUE;
	return (threads + 31) / 32 * 32 * k->regs > t->regs_per_sm ? NO_RESOURCES : OK;
}

/* A record of the pool; a null pointer: so many launches are pending that there may be no more. */
DEVICE struct vgpu_launch_record *take_record()
{
	u32 at, free;

	if (add(&pool()->pending, 1) >= LAUNCH.most) {
		add(&pool()->pending, ~0u);
		return (struct vgpu_launch_record *)0;
	}
	for (at = add(&pool()->cursor, 1);; at++) {
		struct vgpu_launch_record *r = record(at & LAUNCH.mask);

		free = 0;
		if (__atomic_compare_exchange_n((volatile u32 *)&r->state, &free,
						VGPU_LAUNCH_TAKEN, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return r;
	}
}

/* Where the parameters go; a null pointer: an error, which is the thread's last one. */
DEVICE void *begin(u64 address, const struct dim *grid, const struct dim *block, u32 shared)
{
	const struct vgpu_launch_kernel *k = kernel_at(address);
	u32 error = k ? check(k, grid, block, shared) : NO_KERNEL;
	struct vgpu_launch_record *r;

	r = error ? (struct vgpu_launch_record *)0 : take_record();
	if (!r) {
		fail(error ? error : TOO_MANY);
		return (void *)0;
	}
	r->launcher = grid_id();
	r->module = k->module;
	r->kernel = k->kernel;
	r->grid[0] = grid->x;
	r->grid[1] = grid->y;
	r->grid[2] = grid->z;
	r->block[0] = block->x;
	r->block[1] = block->y;
	r->block[2] = block->z;
	r->dynamic_shared = shared;
	r->reserved = 0;
	r->reserved1 = 0;
	return r->params;
}

#define NAMED	(1ull << 40)	/* in a handle of a stream, beside its number */

/* What the device is told of a stream; ~0: that is none. */
DEVICE u64 stream_of(u64 handle)
{
	u64 block = ctaid_x() + (u64)nctaid_x() * (ctaid_y() + (u64)nctaid_y() * ctaid_z());

	switch (handle) {
	case 0:
	case 1:		/* cudaStreamLegacy */
	case 2:		/* cudaStreamPerThread */
		return VGPU_LAUNCH_IN_ORDER | (block & ((1ull << 61) - 1));
	case 3:		/* cudaStreamTailLaunch */
		return VGPU_LAUNCH_TAIL;
	case 4:		/* cudaStreamFireAndForget */
		return VGPU_LAUNCH_FREE;
	}
	if (handle >> 32 == NAMED >> 32)
		return VGPU_LAUNCH_IN_ORDER | 1ull << 61 | (u32)handle;
	return ~0ull;
}

DEVICE u32 go(void *params, u64 handle)
{
	u64 stream = stream_of(handle);
	struct vgpu_launch_record *r;
	u32 number, place, error;

	if (!params) {
		error = last_error(false);
		return error ? error : fail(INVALID_VALUE);
	}
	number = (u32)(((u64)params - LAUNCH.records) / sizeof(*r));
	if ((u64)params < LAUNCH.records || number > LAUNCH.mask ||
	    params != (void *)record(number)->params)
		return fail(INVALID_VALUE);
	r = record(number);
	if (stream == ~0ull || (stream != VGPU_LAUNCH_TAIL && depth() >= VGPU_LAUNCH_DEPTH_MAX)) {
		give_back(r);
		return fail(stream == ~0ull ? NO_HANDLE : TOO_DEEP);
	}
	r->stream = stream;
	__asm__ __volatile__("membar.gl;" ::: "memory");
	place = add(&pool()->tail, 1) & LAUNCH.mask;
	__atomic_store_n((volatile u32 *)LAUNCH.row + place, number + 1, __ATOMIC_RELAXED);
	return OK;
}

/* ---- copies and fills are kernels ---------------------------------------- */

/** struct box - rows of bytes; parameters of the two kernels */
struct box {
	u64 dst, src;
	u64 width, height;		/* bytes, rows */
	u64 dst_row, src_row;		/* bytes from one to the next */
	u64 value;
};

DEVICE u64 first_item()
{
	return (u64)ctaid_x() * ntid_x() + tid_x();
}

DEVICE u64 stride()
{
	return (u64)nctaid_x() * ntid_x();
}

/* Words of 8 bytes if all rows have whole ones */
DEVICE bool has_words(const struct box *b)
{
	return !((b->dst | b->src | b->width | b->dst_row | b->src_row) & 7);
}

KERNEL void __vgpu_launch_copy(struct box b)
{
	u32 unit = has_words(&b) ? 8 : 1;
	u64 units = b.width / unit, all = units * b.height, step = stride();

	for (u64 n = first_item(); n < all; n += step) {
		u64 column = n % units * unit, row = n / units;
		u64 to = b.dst + row * b.dst_row + column;
		u64 from = b.src + row * b.src_row + column;

		if (unit == 8)
			*(u64 *)to = *(const u64 *)from;
		else
			*(u8 *)to = *(const u8 *)from;
	}
}

KERNEL void __vgpu_launch_fill(struct box b)
{
	u32 unit = has_words(&b) ? 8 : 1;
	u64 units = b.width / unit, all = units * b.height, step = stride();
	u64 value = (b.value & 255) * 0x0101010101010101ull;

	for (u64 n = first_item(); n < all; n += step) {
		u64 to = b.dst + n / units * b.dst_row + n % units * unit;

		if (unit == 8)
			*(u64 *)to = value;
		else
			*(u8 *)to = (u8)value;
	}
}

DEVICE u32 launch_box(u64 kernel, struct box b, u64 stream)
{
	u64 bytes = b.width * b.height, blocks = (bytes + 2047) / 2048;
	struct dim grid = { blocks < 64 ? (u32)blocks : 64, 1, 1 }, block = { 256, 1, 1 };
	void *params;

	if (!bytes)
		return OK;
	params = begin(kernel, &grid, &block, 0);
	if (params) {
		volatile u64 *words = (volatile u64 *)params;

		words[0] = b.dst;
		words[1] = b.src;
		words[2] = b.width;
		words[3] = b.height;
		words[4] = b.dst_row;
		words[5] = b.src_row;
		words[6] = b.value;
	}
	return go(params, stream);
}

DEVICE u64 copy_kernel()
{
	u64 address;

	__asm__("mov.u64 %0, __vgpu_launch_copy;" : "=l"(address));
	return address;
}

DEVICE u64 fill_kernel()
{
	u64 address;

	__asm__("mov.u64 %0, __vgpu_launch_fill;" : "=l"(address));
	return address;
}

DEVICE u32 copy(u64 dst, u64 src, u64 width, u64 height, u64 dst_row, u64 src_row, u64 stream)
{
	struct box b = { dst, src, width, height, dst_row, src_row, 0 };

	if (height > 1 && (width > dst_row || width > src_row))
		return fail(INVALID_VALUE);
	return launch_box(copy_kernel(), b, stream);
}

DEVICE u32 fill(u64 dst, int value, u64 width, u64 height, u64 row, u64 stream)
{
	struct box b = { dst, 0, width, height, row, 0, (u32)value };

	if (height > 1 && width > row)
		return fail(INVALID_VALUE);
	return launch_box(fill_kernel(), b, stream);
}

/* ---- the names ------------------------------------------------------------ */

CALL void *cudaGetParameterBufferV2(u64 kernel, struct dim grid, struct dim block, u32 shared)
{
	return begin(kernel, &grid, &block, shared);
}

CALL u32 cudaLaunchDeviceV2(void *params, u64 stream)
{
	return go(params, stream);
}

CALL u32 cudaGetLastError(void)
{
	return last_error(true);
}

CALL u32 cudaPeekAtLastError(void)
{
	return last_error(false);
}

CALL const char *cudaGetErrorString(u32 error)
{
	return text_of(error);
}

CALL const char *cudaGetErrorName(u32 error)
{
	return name_of(error);
}

/* 1: cudaStreamNonBlocking, without which there are none */
CALL u32 cudaStreamCreateWithFlags(u64 *stream, u32 flags)
{
	if (!stream || flags != 1)
		return fail(INVALID_VALUE);
	*stream = NAMED | add(&pool()->streams, 1);
	return OK;
}

CALL u32 cudaStreamDestroy(u64 stream)
{
	return stream >> 32 == NAMED >> 32 ? OK : fail(NO_HANDLE);
}

CALL u32 cudaMemcpyAsync(void *dst, const void *src, u64 bytes, u32 kind, u64 stream)
{
	(void)kind;
	return copy((u64)dst, (u64)src, bytes, 1, bytes, bytes, stream);
}

CALL u32 cudaMemcpy2DAsync(void *dst, u64 dst_row, const void *src, u64 src_row, u64 width,
		u64 height, u32 kind, u64 stream)
{
	(void)kind;
	return copy((u64)dst, (u64)src, width, height, dst_row, src_row, stream);
}

CALL u32 cudaMemsetAsync(void *dst, int value, u64 bytes, u64 stream)
{
	return fill((u64)dst, value, bytes, 1, bytes, stream);
}

CALL u32 cudaMemset2DAsync(void *dst, u64 row, int value, u64 width, u64 height, u64 stream)
{
	return fill((u64)dst, value, width, height, row, stream);
}

CALL u32 cudaGetDevice(int *device)
{
	*device = (int)table()->device;
	return OK;
}

CALL u32 cudaGetDeviceCount(int *count)
{
	*count = 1;
	return OK;
}

CALL u32 cudaRuntimeGetVersion(int *version)
{
	*version = 12000;
	return OK;
}

CALL u32 cudaDeviceGetAttribute(int *value, u32 attribute, int device)
{
	if (device != (int)table()->device)
		return fail(NO_DEVICE);
	if (!value || !attribute || attribute >= VGPU_LAUNCH_ATTRIBUTES)
		return fail(INVALID_VALUE);
	*value = table()->attributes[attribute];
	return OK;
}

CALL u32 cudaDeviceGetLimit(u64 *value, u32 limit)
{
	if (!value || limit >= VGPU_LAUNCH_LIMITS)
		return fail(INVALID_VALUE);
	*value = table()->limits[limit];
	return OK;
}

/* struct cudaFuncAttributes: three of 64 bits, then of 32 bits */
DEVICE u32 attributes_of(u64 *out, u64 kernel)
{
	const struct vgpu_launch_kernel *k = kernel_at(kernel);
	u32 *more = (u32 *)(out + 3);

	if (!k)
		return fail(NO_KERNEL);
	out[0] = k->shared_bytes;
	out[1] = table()->constant_bytes;
	out[2] = k->local_bytes;
	more[0] = k->max_threads;
	more[1] = k->regs;
	more[2] = 70;
	more[3] = 70;
	more[4] = 0;
	more[5] = k->max_shared - k->shared_bytes;
	more[6] = ~0u;
	return OK;
}

CALL u32 cudaFuncGetAttributes(u64 *out, u64 kernel)
{
	return attributes_of(out, kernel);
}

DEVICE u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

DEVICE u32 occupancy(int *blocks, u64 kernel, int threads, u64 dynamic)
{
	const struct vgpu_launch_kernel *k = kernel_at(kernel);
	const struct vgpu_launch_table *t = table();
	u32 whole = ((u32)threads + 31) / 32 * 32, most = t->blocks_per_sm;
	u64 shared;

	if (!k)
		return fail(NO_KERNEL);
	if (!blocks || threads <= 0)
		return fail(INVALID_VALUE);
	shared = k->shared_bytes + dynamic;
	*blocks = 0;
	if ((u32)threads > k->max_threads || shared > k->max_shared)
		return OK;
	most = least(most, t->threads_per_sm / whole);
	most = least(most, t->regs_per_sm / (k->regs * whole));
	for (int n = 0; shared && n < 6; n++)
		if (shared <= t->shared_steps[n] || n == 5) {
			most = least(most, t->shared_steps[n] / (u32)shared);
			break;
		}
	*blocks = (int)most;
	return OK;
}

CALL u32 cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, u64 kernel, int threads,
						       u64 dynamic)
{
	return occupancy(blocks, kernel, threads, dynamic);
}

CALL u32 cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, u64 kernel,
								int threads, u64 dynamic,
								u32 flags)
{
	(void)flags;
	return occupancy(blocks, kernel, threads, dynamic);
}

