/* SPDX-License-Identifier: MIT */
/*
 * malloc(), free(), new and delete in device code. The functions are those of runtime/heap, which
 * the runtime adds when it loads the module.
 *
 * As with nvcc, new returns a null pointer if there is no memory: kernels have no exceptions.
 * Therefore the operators are noexcept, so that no constructor runs then. clang's own <new> for
 * CUDA lacks that, and the forms with an alignment: device.h has set its guard.
 */
#ifndef VGPU_CUDA_DEVICE_NEW_H
#define VGPU_CUDA_DEVICE_NEW_H

extern "C" {
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));

/* Blocks of a power of two are aligned to it, up to 16 KB. */
static __device__ __inline__ void *__nv_aligned_device_malloc(size_t bytes, size_t align)
{
	if (!align || (align & (align - 1)) || align > 16384)
		return NULL;
	if (align <= 16)
		return malloc(bytes);
	bytes = bytes < align ? align : bytes;
	if (bytes <= 8192)
		bytes = 1ull << (64 - __builtin_clzll(bytes - 1));
	else if (bytes < 16384)
		bytes = 16384;
	return malloc(bytes);
}
}

namespace std
{
static __device__ __inline__ void free(void *p) { ::free(p); }
static __device__ __inline__ void *malloc(size_t bytes) { return ::malloc(bytes); }
}

/*
 * Of the operators with the standard's parameters clang takes the result for not null even if they
 * are noexcept, hence one more with a default. enable_if makes it preferred.
 */
#ifdef __CUDA_ARCH__
struct __vgpu_new {
};
#define __VGPU_NEW __device__ inline __attribute__((enable_if(true, ""))) void *operator
#define __VGPU_DELETE __device__ inline void operator
__VGPU_NEW new(size_t bytes, __vgpu_new = {}) noexcept { return ::malloc(bytes); }
__VGPU_NEW new[](size_t bytes, __vgpu_new = {}) noexcept { return ::malloc(bytes); }
__VGPU_NEW new(size_t bytes, const std::nothrow_t &) noexcept { return ::malloc(bytes); }
__VGPU_NEW new[](size_t bytes, const std::nothrow_t &) noexcept { return ::malloc(bytes); }
__VGPU_NEW new(size_t, void *place) noexcept { return place; }
__VGPU_NEW new[](size_t, void *place) noexcept { return place; }
__VGPU_DELETE delete(void *p) noexcept { ::free(p); }
__VGPU_DELETE delete[](void *p) noexcept { ::free(p); }
__VGPU_DELETE delete(void *p, const std::nothrow_t &) noexcept { ::free(p); }
__VGPU_DELETE delete[](void *p, const std::nothrow_t &) noexcept { ::free(p); }
__VGPU_DELETE delete(void *, void *) noexcept {}
__VGPU_DELETE delete[](void *, void *) noexcept {}
#if __cplusplus >= 201402L
__VGPU_DELETE delete(void *p, size_t) noexcept { ::free(p); }
__VGPU_DELETE delete[](void *p, size_t) noexcept { ::free(p); }
#endif
#ifdef __cpp_aligned_new
#define __VGPU_ALIGNED(bytes, align) __nv_aligned_device_malloc(bytes, (size_t)(align))
__VGPU_NEW new(size_t bytes, std::align_val_t align, __vgpu_new = {}) noexcept
{
	return __VGPU_ALIGNED(bytes, align);
}
__VGPU_NEW new[](size_t bytes, std::align_val_t align, __vgpu_new = {}) noexcept
{
	return __VGPU_ALIGNED(bytes, align);
}
__VGPU_NEW new(size_t bytes, std::align_val_t align, const std::nothrow_t &) noexcept
{
	return __VGPU_ALIGNED(bytes, align);
}
__VGPU_NEW new[](size_t bytes, std::align_val_t align, const std::nothrow_t &) noexcept
{
	return __VGPU_ALIGNED(bytes, align);
}
__VGPU_DELETE delete(void *p, std::align_val_t) noexcept { ::free(p); }
__VGPU_DELETE delete[](void *p, std::align_val_t) noexcept { ::free(p); }
__VGPU_DELETE delete(void *p, size_t, std::align_val_t) noexcept { ::free(p); }
__VGPU_DELETE delete[](void *p, size_t, std::align_val_t) noexcept { ::free(p); }
__VGPU_DELETE delete(void *p, std::align_val_t, const std::nothrow_t &) noexcept { ::free(p); }
__VGPU_DELETE delete[](void *p, std::align_val_t, const std::nothrow_t &) noexcept { ::free(p); }
#undef __VGPU_ALIGNED
#endif
#undef __VGPU_NEW
#undef __VGPU_DELETE
#else
/*
 * The host's pass has only those of the device that take more than a size: outside functions, as in
 * the initialiser of a member, clang takes the one that was declared last for either side. It
 * declares the others for the device itself; the host's delete is declared once more after that, as
 * an overload of the same symbol.
 */
__device__ void *operator new(size_t bytes, const std::nothrow_t &) noexcept;
__device__ void *operator new[](size_t bytes, const std::nothrow_t &) noexcept;
__device__ inline void *operator new(size_t, void *place) noexcept { return place; }
__device__ inline void *operator new[](size_t, void *place) noexcept { return place; }
#define __VGPU_HOST_DELETE(form, symbol, ...)                                          \
	__attribute__((enable_if(true, ""))) void operator form(__VA_ARGS__) noexcept \
		__asm__(symbol)
__VGPU_HOST_DELETE(delete, "_ZdlPv", void *);
__VGPU_HOST_DELETE(delete[], "_ZdaPv", void *);
#ifdef __cpp_sized_deallocation
__VGPU_HOST_DELETE(delete, "_ZdlPvm", void *, size_t);
__VGPU_HOST_DELETE(delete[], "_ZdaPvm", void *, size_t);
#endif
#undef __VGPU_HOST_DELETE
#endif

#endif
