/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of surfaces, as CUDA's surface_indirect_functions.h has them: over the PTX
 * instructions, which take the handle of a surface object. The first coordinate counts bytes. A
 * value has 1, 2, 4, 8 or 16 bytes, which are in the words @a.
 */
#ifndef VGPU_CUDA_DEVICE_SURFACES_H
#define VGPU_CUDA_DEVICE_SURFACES_H

#define __VGPU_SULD(geometry, mode, at, ...) \
	switch (sizeof(T)) { \
	case 1: \
		__asm__ volatile("suld.b." geometry ".b8." mode " %[a], [%[s], " at "];" \
				 : [a] "=h"(half) : [s] "l"(object), __VA_ARGS__ : "memory"); \
		a[0] = half; \
		break; \
	case 2: \
		__asm__ volatile("suld.b." geometry ".b16." mode " %[a], [%[s], " at "];" \
				 : [a] "=h"(half) : [s] "l"(object), __VA_ARGS__ : "memory"); \
		a[0] = half; \
		break; \
	case 4: \
		__asm__ volatile("suld.b." geometry ".b32." mode " %[a], [%[s], " at "];" \
				 : [a] "=r"(a[0]) : [s] "l"(object), __VA_ARGS__ : "memory"); \
		break; \
	case 8: \
		__asm__ volatile("suld.b." geometry ".v2.b32." mode \
				 " {%[a], %[b]}, [%[s], " at "];" \
				 : [a] "=r"(a[0]), [b] "=r"(a[1]) \
				 : [s] "l"(object), __VA_ARGS__ : "memory"); \
		break; \
	default: \
		__asm__ volatile("suld.b." geometry ".v4.b32." mode \
				 " {%[a], %[b], %[c], %[d]}, [%[s], " at "];" \
				 : [a] "=r"(a[0]), [b] "=r"(a[1]), [c] "=r"(a[2]), [d] "=r"(a[3]) \
				 : [s] "l"(object), __VA_ARGS__ : "memory"); \
	}

#define __VGPU_SUST(geometry, mode, at, ...) \
	switch (sizeof(T)) { \
	case 1: \
		__asm__ volatile("sust.b." geometry ".b8." mode " [%[s], " at "], %[a];" \
				 : : [a] "h"((unsigned short)a[0]), [s] "l"(object), __VA_ARGS__ \
				 : "memory"); \
		break; \
	case 2: \
		__asm__ volatile("sust.b." geometry ".b16." mode " [%[s], " at "], %[a];" \
				 : : [a] "h"((unsigned short)a[0]), [s] "l"(object), __VA_ARGS__ \
				 : "memory"); \
		break; \
	case 4: \
		__asm__ volatile("sust.b." geometry ".b32." mode " [%[s], " at "], %[a];" \
				 : : [a] "r"(a[0]), [s] "l"(object), __VA_ARGS__ : "memory"); \
		break; \
	case 8: \
		__asm__ volatile("sust.b." geometry ".v2.b32." mode \
				 " [%[s], " at "], {%[a], %[b]};" \
				 : : [a] "r"(a[0]), [b] "r"(a[1]), [s] "l"(object), __VA_ARGS__ \
				 : "memory"); \
		break; \
	default: \
		__asm__ volatile("sust.b." geometry ".v4.b32." mode " [%[s], " at \
				 "], {%[a], %[b], %[c], %[d]};" \
				 : : [a] "r"(a[0]), [b] "r"(a[1]), [c] "r"(a[2]), [d] "r"(a[3]), \
				     [s] "l"(object), __VA_ARGS__ : "memory"); \
	}

#define __VGPU_SURFACE_MODES(INSTRUCTION, geometry, at, ...) \
	if (mode == cudaBoundaryModeZero) \
		INSTRUCTION(geometry, "zero", at, __VA_ARGS__) \
	else if (mode == cudaBoundaryModeClamp) \
		INSTRUCTION(geometry, "clamp", at, __VA_ARGS__) \
	else \
		INSTRUCTION(geometry, "trap", at, __VA_ARGS__)

#define __VGPU_LIST(...)	__VA_ARGS__
#define __VGPU_SURFACE(name, params, args, geometry, at, ...) \
	template <class T> \
	static __device__ __inline__ T \
		name##read(cudaSurfaceObject_t object, params, \
			   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		unsigned int a[4] = { 0, 0, 0, 0 }; \
		unsigned short half = 0; \
		T value; \
		__VGPU_SURFACE_MODES(__VGPU_SULD, geometry, at, __VA_ARGS__) \
		__builtin_memcpy(&value, a, sizeof(T)); \
		return value; \
	} \
	template <class T> \
	static __device__ __inline__ void \
		name##read(T *value, cudaSurfaceObject_t object, params, \
			   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		*value = name##read<T>(object, args, mode); \
	} \
	template <class T> \
	static __device__ __inline__ void \
		name##write(T value, cudaSurfaceObject_t object, params, \
			    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		unsigned int a[4] = { 0, 0, 0, 0 }; \
		__builtin_memcpy(a, &value, sizeof(T)); \
		__VGPU_SURFACE_MODES(__VGPU_SUST, geometry, at, __VA_ARGS__) \
	}

__VGPU_SURFACE(surf1D, __VGPU_LIST(int x), __VGPU_LIST(x), "1d", "{%[x]}", [x] "r"(x))
__VGPU_SURFACE(surf2D, __VGPU_LIST(int x, int y), __VGPU_LIST(x, y), "2d", "{%[x], %[y]}",
	       [x] "r"(x), [y] "r"(y))
__VGPU_SURFACE(surf3D, __VGPU_LIST(int x, int y, int z), __VGPU_LIST(x, y, z), "3d",
	       "{%[x], %[y], %[z], %[z]}", [x] "r"(x), [y] "r"(y), [z] "r"(z))
__VGPU_SURFACE(surf1DLayered, __VGPU_LIST(int x, int layer), __VGPU_LIST(x, layer), "a1d",
	       "{%[l], %[x]}", [x] "r"(x), [l] "r"(layer))
__VGPU_SURFACE(surf2DLayered, __VGPU_LIST(int x, int y, int layer), __VGPU_LIST(x, y, layer),
	       "a2d", "{%[l], %[x], %[y], %[y]}", [x] "r"(x), [y] "r"(y), [l] "r"(layer))
/* Faces are layers, six for each cube. */
__VGPU_SURFACE(surfCubemap, __VGPU_LIST(int x, int y, int face), __VGPU_LIST(x, y, face), "a2d",
	       "{%[l], %[x], %[y], %[y]}", [x] "r"(x), [y] "r"(y), [l] "r"(face))
__VGPU_SURFACE(surfCubemapLayered, __VGPU_LIST(int x, int y, int layer_face),
	       __VGPU_LIST(x, y, layer_face), "a2d", "{%[l], %[x], %[y], %[y]}", [x] "r"(x),
	       [y] "r"(y), [l] "r"(layer_face))
#undef __VGPU_SURFACE
#undef __VGPU_SURFACE_MODES
#undef __VGPU_SULD
#undef __VGPU_SUST
#undef __VGPU_LIST

#endif
