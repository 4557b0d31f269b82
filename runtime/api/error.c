// SPDX-License-Identifier: MIT
/*
 * Errors: names and texts, and the sticky fault of the context told for a person: kernel, block,
 * thread, instruction, address.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "heap/ptx.h"
#include "launch/ptx.h"
#include "texture/ptx.h"
#include "refusals.h"
#include "messages/log.h"
#include "source_line.h"
#include "state.h"

const char *vgpuGetErrorName(vgpuError_t error)
{
	switch (error) {
#define ERROR_NAME(name, number, text) case vgpu##name: return "vgpu" #name;
	VGPU_ERRORS(ERROR_NAME)
#undef ERROR_NAME
	}
	return "unrecognized error code";
}

const char *vgpuGetErrorString(vgpuError_t error)
{
	switch (error) {
#define ERROR_TEXT(name, number, text) case vgpu##name: return text;
	VGPU_ERRORS(ERROR_TEXT)
#undef ERROR_TEXT
	}
	return "unrecognized error code";
}

const struct rt_refusal *rt_refusal_of(const char *what)
{
	static const struct rt_refusal refusals[] = {
#define REFUSAL(what, instead, page) { what, instead, page },
		RT_REFUSALS(REFUSAL)
#undef REFUSAL
	};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (!strcmp(refusals[i].what, what))
			return &refusals[i];
	return NULL;
}

void rt_say_refused(bool *said, const char *call, const char *what, const char *error)
{
	const struct rt_refusal *refusal = rt_refusal_of(what);

	if (__atomic_exchange_n(said, true, __ATOMIC_RELAXED))
		return;
	rt_say("%s: %s not supported (%s): %s (docs/%s)", call, what, error,
		refusal ? refusal->instead : "leave it out",
		refusal ? refusal->page : RT_NOT_THERE);
}

vgpuError_t rt_error_of(int error)
{
	switch (error) {
	case 0:
		return vgpuSuccess;
	case -ENOMEM:
		return vgpuErrorMemoryAllocation;
	case -EIO:
		rt_context_died();
		return rt.sticky;
	case -EINVAL:
	case -EFAULT:
		return vgpuErrorInvalidValue;
	case -ENOENT:
		return vgpuErrorInvalidResourceHandle;
	case -ETIMEDOUT:
		return vgpuErrorNotReady;
	case -ENOSPC:
		return vgpuErrorDevicesUnavailable;
	case -ENODEV:
		return vgpuErrorNoDevice;
	default:
		return vgpuErrorUnknown;
	}
}

static const struct {
	vgpuError_t error;
	const char *text;
} reasons[VGPU_FAULT_COUNT] = {
	[VGPU_FAULT_NONE] = { vgpuErrorContextIsDestroyed, "the context was destroyed" },
	[VGPU_FAULT_UNMAPPED] = { vgpuErrorIllegalAddress, "an address that is not mapped" },
	[VGPU_FAULT_MISALIGNED] = { vgpuErrorMisalignedAddress, "a misaligned address" },
	[VGPU_FAULT_SHARED_RANGE] = { vgpuErrorIllegalAddress,
				      "an access beyond the shared memory of the block" },
	[VGPU_FAULT_LOCAL_RANGE] = { vgpuErrorIllegalAddress,
				     "an access beyond the local memory of the thread" },
	[VGPU_FAULT_ADDRESS_SPACE] = { vgpuErrorInvalidAddressSpace,
				       "an operation that this address space does not support" },
	[VGPU_FAULT_TRAP] = { vgpuErrorLaunchFailure, "a trap instruction" },
	[VGPU_FAULT_WATCHDOG] = { vgpuErrorLaunchTimeout,
				  "the watchdog: a kernel ran, or a copy waited, too long" },
	[VGPU_FAULT_BARRIER] = { vgpuErrorLaunchFailure,
				 "a barrier that the block can never pass" },
	[VGPU_FAULT_COPY_UNMAPPED] = { vgpuErrorIllegalAddress,
				       "a copy or fill of device memory that is not mapped" },
	[VGPU_FAULT_COPY_HOST] = { vgpuErrorIllegalAddress,
				   "process memory of a copy that is no longer mapped" },
	[VGPU_FAULT_NO_MEMORY] = { vgpuErrorMemoryAllocation,
				   "the host has no memory for the device" },
	[VGPU_FAULT_RING] = { vgpuErrorLaunchFailure,
			      "a tail of a mapped ring beyond its entries" },
	[VGPU_FAULT_COMMAND] = { vgpuErrorLaunchFailure,
				 "a command of a mapped ring that was refused" },
	[VGPU_FAULT_WARP_SYNC] = { vgpuErrorLaunchFailure,
				   "a warp operation whose mask names lanes that do not reach "
				   "it" },
	[VGPU_FAULT_SYSTEM] = { vgpuErrorIllegalAddress, "a system page of the device" },
	[VGPU_FAULT_ENGINE] = { vgpuErrorLaunchFailure, "an exception of an engine" },
	[VGPU_FAULT_ECC] = { vgpuErrorECCUncorrectable,
			     "an error of device memory that ECC does not correct" },
	[VGPU_FAULT_OFFLINE] = { vgpuErrorDevicesUnavailable,
				 "a device that has fallen off the bus (vgpu-smi inject recover)" },
	[VGPU_FAULT_LAUNCH] = { vgpuErrorLaunchFailure,
				"a launch by a kernel that is none: who wrote into the memory of "
				"launches?" },
	[VGPU_FAULT_MODEL] = { vgpuErrorUnknown, "a bug of the device; its log says more" },
};

#define IN_PRINTF "// printf() with a format, arguments or a string that cannot be read"

/* The line of the module's PTX, without the spaces before it. */
static void ptx_line(const char *ptx, unsigned int number, char *text, size_t size)
{
	size_t length;

	while (--number && ptx) {
		ptx = strchr(ptx, '\n');
		if (ptx)
			ptx++;
	}
	if (!ptx)
		return;
	ptx += strspn(ptx, " \t");
	length = strcspn(ptx, "\n");
	if (length >= size)
		length = size - 1;
	memcpy(text, ptx, length);
	text[length] = 0;
}

/* The name of the function, not of a kernel, that line @number of @ptx is in; its length, or 0. */
static size_t function_of(const char *ptx, unsigned int number, const char **name)
{
	const char *found = NULL;

	while (number-- && ptx) {
		size_t length = strcspn(ptx, "\n");
		const char *func = memmem(ptx, length, ".func", 5);

		if (func && !memmem(ptx, length, ".extern", 7))
			found = func + 5;
		else if (memmem(ptx, length, ".entry", 6))
			found = NULL;
		ptx = ptx[length] ? ptx + length + 1 : NULL;
	}
	if (!found)
		return 0;
	found += strspn(found, " \t\n");
	/* the results are before the name */
	if (*found == '(') {
		found += strcspn(found, ")");
		found += strspn(found, ") \t\n");
	}
	*name = found;
	return strcspn(found, " \t\n(;");
}

/* A line of the module's PTX, behind the name of the function that it is in. */
static void module_line(const char *ptx, unsigned int number, char *text, size_t size)
{
	const char *name = NULL;
	size_t length = function_of(ptx, number, &name);
	int said = 0;

	if (length && length < size / 2)
		said = snprintf(text, size, "in %.*s: ", (int)length, name);
	ptx_line(ptx, number, text + said, size - (size_t)said);
}

/* What a kernel's own instructions for calls by address stopped. */
static bool name_call(vgpuFault *fault)
{
	if (fault->ptx_line != VGPU_LINE_NO_FUNCTION && fault->ptx_line != VGPU_LINE_PROTOTYPE)
		return false;
	snprintf(fault->ptx, sizeof(fault->ptx), "// %s",
		 fault->ptx_line == VGPU_LINE_NO_FUNCTION ?
			 "a call of an address that is no function of the module" :
			 "a call by address, of a function that its prototype does not fit");
	fault->ptx_line = 0;
	return true;
}

/* Kernel, instruction and PTX line of a fault, if the module is still loaded. */
static void name_kernel(vgpuFault *fault)
{
	const struct vgpu_fault *raw = &fault->raw;
	const struct vgpu_program_kernel *kernel;
	const struct rt_image *image;
	struct vgpuModule *module;
	uint32_t index;

	image = rt_image_find(raw->module, raw->kernel, &module, &index);
	if (!image)
		return;
	kernel = &image->program->kernels[index];
	snprintf(fault->kernel, sizeof(fault->kernel), "%s", kernel->name);
	if (raw->pc >= kernel->vass.code_count)
		return;
	vgpu_disassemble(&vgpu_program_code(image->program, index)[raw->pc], fault->instruction,
			 sizeof(fault->instruction));
	if (kernel->ptx_line)
		fault->ptx_line = kernel->ptx_line[raw->pc];
	if ((fault->ptx_line & VGPU_LINE_PRINT) && raw->reason == VGPU_FAULT_TRAP) {
		fault->error = vgpuErrorAssert;
		fault->ptx_line = 0;
	} else if (fault->ptx_line & VGPU_LINE_PRINT) {
		snprintf(fault->ptx, sizeof(fault->ptx), "%s", IN_PRINTF);
		fault->ptx_line = 0;
	} else if (fault->ptx_line & VGPU_LINE_LIBRARY) {
		const uint32_t flags = VGPU_LINE_LIBRARY | VGPU_LINE_TEXTURE | VGPU_LINE_LAUNCH;

		ptx_line(fault->ptx_line & VGPU_LINE_TEXTURE ? vgpu_texture_ptx :
			 fault->ptx_line & VGPU_LINE_LAUNCH  ? vgpu_launch_ptx :
							       vgpu_heap_ptx,
			 fault->ptx_line & ~flags, fault->ptx, sizeof(fault->ptx));
		fault->ptx_line = 0;
	}
	fault->stack_bytes = 0;
	if (raw->reason == VGPU_FAULT_LOCAL_RANGE &&
	    (uint32_t)raw->address >= kernel->vass.local_bytes)
		fault->stack_bytes = kernel->stack_bytes;
	if (name_call(fault) || !fault->ptx_line)
		return;
	module_line(module->ptx, fault->ptx_line, fault->ptx, sizeof(fault->ptx));
	rt_source_line(module->ptx, fault->ptx_line, fault->file, sizeof(fault->file),
		       &fault->line);
}

/* One line for people: where, what, which instruction, which PTX. */
static void write_sentence(vgpuFault *fault)
{
	const struct vgpu_fault *raw = &fault->raw;
	const char *what =
		raw->reason < VGPU_FAULT_COUNT ? reasons[raw->reason].text : "an unknown fault";
	char *at = fault->sentence, *end = at + sizeof(fault->sentence);
	bool access = raw->reason == VGPU_FAULT_UNMAPPED || raw->reason == VGPU_FAULT_MISALIGNED ||
		      raw->reason == VGPU_FAULT_SHARED_RANGE ||
		      raw->reason == VGPU_FAULT_LOCAL_RANGE ||
		      raw->reason == VGPU_FAULT_ADDRESS_SPACE ||
		      raw->reason == VGPU_FAULT_SYSTEM;

#define SAY(...) (at += at < end ? snprintf(at, (size_t)(end - at), __VA_ARGS__) : 0)
	if (fault->error == vgpuErrorAssert)
		what = "a failed assertion";
	if (fault->kernel[0]) {
		SAY("kernel %s, block (%u,%u,%u), thread (%u,%u,%u): ", fault->kernel,
		    raw->block[0], raw->block[1], raw->block[2], raw->thread[0], raw->thread[1],
		    raw->thread[2]);
		if (access)
			SAY("%s of %u bytes at 0x%llx: ", raw->write ? "write" : "read", raw->bytes,
			    (unsigned long long)raw->address);
	} else if (raw->reason == VGPU_FAULT_COPY_UNMAPPED ||
		   raw->reason == VGPU_FAULT_COPY_HOST || raw->reason == VGPU_FAULT_SYSTEM) {
		SAY("copy, address 0x%llx: ", (unsigned long long)raw->address);
	}
	SAY("%s", what);
	if (fault->stack_bytes)
		SAY(" (its stack of %u bytes is full: cudaDeviceSetLimit(cudaLimitStackSize))",
		    fault->stack_bytes);
	if ((raw->reason == VGPU_FAULT_TRAP && !fault->ptx_line && strstr(fault->ptx, "// ")) ||
	    !strcmp(fault->ptx, IN_PRINTF))
		SAY(": %s", strstr(fault->ptx, "// ") + 3);
	if (raw->reason == VGPU_FAULT_WARP_SYNC)
		SAY(" (missing: lanes 0x%08llx)", (unsigned long long)raw->address);
	if (fault->instruction[0])
		SAY("; instruction %u, %s", raw->pc, fault->instruction);
	if (fault->line && fault->file[0])
		SAY("; %s:%u", fault->file, fault->line);
	if (fault->ptx_line)
		SAY("; PTX line %u, %s", fault->ptx_line, fault->ptx);
#undef SAY
}

/*
 * The device ended the context: keep why. Called by whoever sees it first; later calls change
 * nothing, so that the first cause is reported.
 */
void rt_context_died(void)
{
	struct vgpu_context_info info;
	vgpuFault *fault = &rt.fault;

	if (rt.sticky != vgpuSuccess)
		return;
	memset(fault, 0, sizeof(*fault));
	memset(&info, 0, sizeof(info));
	if (rt.ops->context_info(rt.transport, &info) == 0)
		fault->raw = info.fault;
	fault->error = fault->raw.reason < VGPU_FAULT_COUNT ? reasons[fault->raw.reason].error :
							      vgpuErrorUnknown;
	if (fault->raw.module != ~0u && fault->raw.reason != VGPU_FAULT_NONE)
		name_kernel(fault);
	write_sentence(fault);
	rt_say("%s", fault->sentence);
	if (rt.printf.rescue)
		rt.printf.rescue();
	__atomic_store_n(&rt.sticky, fault->error, __ATOMIC_RELAXED);
}

vgpuError_t vgpuGetFault(vgpuFault *fault)
{
	if (!fault)
		return rt_result(vgpuErrorInvalidValue);
	pthread_mutex_lock(&rt_lock);
	*fault = rt.fault;
	pthread_mutex_unlock(&rt_lock);
	return vgpuSuccess;
}
