/* SPDX-License-Identifier: MIT */
/*
 * What vgpucc includes in front of a file of separate compilation (-rdc=true). The host code that
 * clang makes of such a file has itself registered by a function that NVIDIA's device linker
 * defines; vgpucc gives it this one, of the same object. The code is linked with that of the other
 * files when it is loaded (runtime/cuda/registry.c).
 */
#ifndef VGPU_CRT_LINKED_H
#define VGPU_CRT_LINKED_H

extern "C" void **__cudaRegisterFatBinary(void *wrapper);
extern "C" void __cudaRegisterFatBinaryEnd(void **handle);
extern "C" void __cudaUnregisterFatBinary(void **handle);

static void **__vgpu_linked_handle;

__attribute__((used)) static void
__vgpu_linked(void (*globals)(void **), void *wrapper, void *id, void (*callback)(void *))
	__asm__("__vgpu_linked_binary");

static void __vgpu_linked(void (*globals)(void **), void *wrapper, void *id,
			  void (*callback)(void *))
{
	(void)id;
	(void)callback;
	__vgpu_linked_handle = __cudaRegisterFatBinary(wrapper);
	globals(__vgpu_linked_handle);
	__cudaRegisterFatBinaryEnd(__vgpu_linked_handle);
}

/* A library that is closed: its code goes, and its addresses may be used again. */
__attribute__((destructor)) static void __vgpu_unlink(void)
{
	if (__vgpu_linked_handle)
		__cudaUnregisterFatBinary(__vgpu_linked_handle);
	__vgpu_linked_handle = nullptr;
}

#endif
