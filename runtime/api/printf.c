// SPDX-License-Identifier: MIT
/*
 * printf() in kernels: one buffer for all modules of a context, mapped when the first module that
 * needs it is loaded (print/print.h says what is in it). Kernels only write into it. At the points
 * where CUDA prints, the runtime copies what is new and prints it on stdout; what assert() wrote is
 * printed on stderr.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/format.h"
#include "print/print.h"
#include "state.h"

#define DEFAULT_LIMIT	(1ull << 20)	/* as CUDA's */
#define HEAD		256u		/* bytes before the ring: the words reserved so far */

static uint64_t printf_limit(void)
{
	return rt.printf.limit ? rt.printf.limit : DEFAULT_LIMIT;
}

static uint64_t ring_words(void)
{
	return printf_limit() / 8;
}

static vgpuError_t map_buffer(uint64_t limit, uint64_t *base)
{
	vgpuError_t error = rt_alloc_private(HEAD + limit, base);

	if (error == vgpuErrorMemoryAllocation)
		rt_message("device memory has no room for the buffer of printf() in kernels: "
			   "cudaLimitPrintfFifoSize is %llu bytes",
			   (unsigned long long)limit);
	return error;
}

static struct vgpu_print buffer_at(uint64_t base, uint64_t limit)
{
	return (struct vgpu_print){ .reserved = base, .ring = base + HEAD, .words = limit / 8 };
}

/* ---- reading ------------------------------------------------------------ */

/* Where the bytes come from: a queue, or a context that has died. */
static vgpuError_t read_device(struct rt_queue *queue, void *to, uint64_t from, uint64_t bytes)
{
	if (!queue)
		return !rt.ops->peek(rt.transport, from, to, bytes) ?
			       vgpuSuccess :
			       vgpuErrorContextIsDestroyed;
	return rt_copy_held(queue, VGPU_CMD_COPY_D2H, (uint64_t)(uintptr_t)to, from, bytes);
}

/* The words of positions @first to @end, of which there are as many as the ring has at most. */
static vgpuError_t read_ring(struct rt_queue *queue, uint64_t *to, uint64_t first, uint64_t end)
{
	uint64_t words = ring_words(), at = first % words;
	uint64_t part = end - first < words - at ? end - first : words - at;
	uint64_t ring = rt.printf.base + HEAD;
	vgpuError_t error = read_device(queue, to, ring + at * 8, part * 8);

	if (error == vgpuSuccess && part < end - first)
		error = read_device(queue, to + part, ring, (end - first - part) * 8);
	return error;
}

/* ---- printing ----------------------------------------------------------- */

/* No kernel is running or waiting, as far as the runtime knows. */
static bool nothing_runs(void)
{
	for (unsigned int i = 0; i < RT_QUEUES; i++)
		if (rt.queues[i].open && rt.queues[i].completed < rt.queues[i].last)
			return false;
	return true;
}

static void print_record(const uint64_t *record, uint64_t length)
{
	uint32_t arguments = (uint32_t)(record[1] >> 32);

	record += VGPU_PRINT_HEADER;
	length -= VGPU_PRINT_HEADER;
	if (arguments == VGPU_PRINT_ASSERTION)
		vgpu_print_assertion(stderr, record, length);
	else
		vgpu_print_record(stdout, record, length, arguments);
}

/*
 * Prints the records at positions @first to @end, which begin inside a record if others were
 * written over. One that its thread has not finished ends it while kernels @run; later it is
 * skipped. Returns the position behind what was printed.
 */
static uint64_t print_records(const uint64_t *words, uint64_t first, uint64_t end, bool inside,
			      bool run)
{
	uint64_t at = first;

	while (end - at >= VGPU_PRINT_HEADER) {
		const uint64_t *record = &words[at - first];
		uint64_t length = record[1] & 0xffffffff;

		if (record[0] == VGPU_PRINT_STAMP(at) && length >= VGPU_PRINT_HEADER &&
		    length <= end - at) {
			print_record(record, length);
			at += length;
			inside = false;
		} else if (run && !inside) {
			return at;
		} else {
			at++;
		}
	}
	return end;
}

static void tell_loss(uint64_t words)
{
	if (rt.printf.told)
		return;
	rt.printf.told = true;
	fprintf(stderr,
		"vgpu: printf() in kernels: the oldest %llu bytes were overwritten; "
		"cudaLimitPrintfFifoSize is %llu\n",
		(unsigned long long)words * 8, (unsigned long long)printf_limit());
}

static vgpuError_t print_new(struct rt_queue *queue)
{
	uint64_t end, first = rt.printf.seen, words = ring_words(), *copy;
	bool run = queue && !nothing_runs();
	vgpuError_t error;

	if (!rt.printf.pending)
		return vgpuSuccess;
	error = read_device(queue, &end, rt.printf.base, sizeof(end));
	if (error != vgpuSuccess)
		return error;
	rt.printf.pending = run;
	if (end == first)
		return vgpuSuccess;
	if (end - first > words) {
		tell_loss(end - first - words);
		first = end - words;
	}
	copy = malloc((end - first) * sizeof(*copy));
	if (!copy)
		return vgpuErrorMemoryAllocation;
	error = read_ring(queue, copy, first, end);
	if (error == vgpuSuccess)
		rt.printf.seen = print_records(copy, first, end, first != rt.printf.seen, run);
	free(copy);
	return error;
}

vgpuError_t rt_printf_flush(struct rt_queue *queue)
{
	return print_new(queue);
}

/* All that a dead context has left. What cannot be read any more is lost. */
static void rescue(void)
{
	print_new(NULL);
	rt.printf.pending = false;
}

vgpuError_t rt_printf_buffer(struct vgpu_print *buffer)
{
	vgpuError_t error = vgpuSuccess;

	if (!rt.printf.base)
		error = map_buffer(printf_limit(), &rt.printf.base);
	rt.printf.rescue = rescue;
	*buffer = buffer_at(rt.printf.base, printf_limit());
	return error;
}

void rt_printf_reset(void)
{
	memset(&rt.printf, 0, sizeof(rt.printf));
}

/* ---- the limit ---------------------------------------------------------- */

/* Modules are loaded, but no kernel that prints was launched yet: they get another buffer. */
static vgpuError_t replace_buffer(uint64_t limit)
{
	struct vgpu_print buffer;
	uint64_t base;
	vgpuError_t error = map_buffer(limit, &base);

	if (error != vgpuSuccess)
		return error;
	buffer = buffer_at(base, limit);
	for (struct vgpuModule *module = rt.modules; module; module = module->next) {
		struct vgpu_program *program = module->image.program;

		if (!program->uses_print)
			continue;
		memcpy(program->data + program->print_offset, &buffer, sizeof(buffer));
		error = rt_module_write(module, program->print_offset, sizeof(buffer));
		if (error != vgpuSuccess)
			return error;
	}
	error = rt_alloc_free_private(rt.printf.base);
	rt.printf.base = base;
	return error;
}

vgpuError_t vgpuDeviceSetPrintfSize(size_t bytes)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (rt.printf.launched) {
		rt_message("the size of the buffer of printf() in kernels cannot change after a "
			   "kernel that uses it was launched; call vgpuDeviceReset() first");
		return rt_leave(vgpuErrorInvalidValue);
	}
	if (bytes > rt.info.vram_bytes) {
		rt_message("a buffer of %zu bytes for printf() in kernels: the device has %llu",
			   bytes, (unsigned long long)rt.info.vram_bytes);
		return rt_leave(vgpuErrorMemoryAllocation);
	}
	bytes = bytes < VGPU_PRINT_LEAST ? VGPU_PRINT_LEAST : (bytes + 7) & ~(size_t)7;
	if (rt.printf.base && bytes != printf_limit())
		error = replace_buffer(bytes);
	if (error == vgpuSuccess)
		rt.printf.limit = bytes;
	return rt_leave(error);
}

vgpuError_t vgpuDeviceGetPrintfSize(size_t *bytes)
{
	return rt_give_limit(printf_limit, bytes);
}
