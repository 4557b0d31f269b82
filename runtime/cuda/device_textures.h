/* SPDX-License-Identifier: MIT */
/*
 * Texture fetches of device code, as CUDA's texture_indirect_functions.h has them: over the PTX
 * instructions, which take the handle of a texture object. What a fetch gives is four words; a type
 * of one or two channels takes the first ones.
 */
#ifndef VGPU_CUDA_DEVICE_TEXTURES_H
#define VGPU_CUDA_DEVICE_TEXTURES_H

struct __vgpu_texel {
	unsigned int word[4];
};

template <class T> struct __vgpu_texel_as;

#define __VGPU_TEXEL_INTEGER(type) \
	template <> struct __vgpu_texel_as<type> { \
		static __device__ type of(const __vgpu_texel &t) { return (type)t.word[0]; } \
	};
#define __VGPU_TEXELS(name, type, channel) \
	template <> struct __vgpu_texel_as<name##1> { \
		static __device__ name##1 of(const __vgpu_texel &t) \
		{ \
			name##1 v = { channel(t.word[0]) }; \
			return v; \
		} \
	}; \
	template <> struct __vgpu_texel_as<name##2> { \
		static __device__ name##2 of(const __vgpu_texel &t) \
		{ \
			name##2 v = { channel(t.word[0]), channel(t.word[1]) }; \
			return v; \
		} \
	}; \
	template <> struct __vgpu_texel_as<name##4> { \
		static __device__ name##4 of(const __vgpu_texel &t) \
		{ \
			name##4 v = { channel(t.word[0]), channel(t.word[1]), \
				      channel(t.word[2]), channel(t.word[3]) }; \
			return v; \
		} \
	};
__VGPU_TEXEL_INTEGER(char)
__VGPU_TEXEL_INTEGER(signed char)
__VGPU_TEXEL_INTEGER(unsigned char)
__VGPU_TEXEL_INTEGER(short)
__VGPU_TEXEL_INTEGER(unsigned short)
__VGPU_TEXEL_INTEGER(int)
__VGPU_TEXEL_INTEGER(unsigned int)
__VGPU_TEXEL_INTEGER(long)
__VGPU_TEXEL_INTEGER(unsigned long)
template <> struct __vgpu_texel_as<float> {
	static __device__ float of(const __vgpu_texel &t) { return __uint_as_float(t.word[0]); }
};
__VGPU_TEXELS(char, char, (signed char))
__VGPU_TEXELS(uchar, unsigned char, (unsigned char))
__VGPU_TEXELS(short, short, (short))
__VGPU_TEXELS(ushort, unsigned short, (unsigned short))
__VGPU_TEXELS(int, int, (int))
__VGPU_TEXELS(uint, unsigned int, (unsigned int))
__VGPU_TEXELS(float, float, __uint_as_float)
#undef __VGPU_TEXELS
#undef __VGPU_TEXEL_INTEGER

/* A fetch, and the form of it that writes where a pointer says. */
#define __VGPU_TEX(name, params, args, instruction, operands, ...) \
	static __device__ __inline__ __vgpu_texel __vgpu_##name params \
	{ \
		__vgpu_texel t; \
		__asm__(instruction " {%0, %1, %2, %3}, " operands ";" \
			: "=r"(t.word[0]), "=r"(t.word[1]), "=r"(t.word[2]), "=r"(t.word[3]) \
			: "l"(object), __VA_ARGS__); \
		return t; \
	} \
	template <class T> static __device__ __inline__ T name params \
	{ \
		return __vgpu_texel_as<T>::of(__vgpu_##name args); \
	}
#define __VGPU_TEX_INTO(name, params, args) \
	template <class T> static __device__ __inline__ void name params \
	{ \
		*value = name<T> args; \
	}

/* The three forms: without a level, with one, with gradients. */
#define __VGPU_TEX_FORMS(name, geometry, params, args, operands, level, gradients, gradient, \
			 slopes, ...) \
	__VGPU_TEX(name, (cudaTextureObject_t object, params), (object, args), \
		   "tex." geometry ".v4.u32.f32", operands, __VA_ARGS__) \
	__VGPU_TEX(name##Lod, (cudaTextureObject_t object, params, float level_of_detail), \
		   (object, args, level_of_detail), "tex.level." geometry ".v4.u32.f32", \
		   operands ", " level, __VA_ARGS__, "f"(level_of_detail)) \
	__VGPU_TEX(name##Grad, (cudaTextureObject_t object, params, gradient dx, gradient dy), \
		   (object, args, dx, dy), "tex.grad." geometry ".v4.u32.f32", \
		   operands ", " gradients, __VA_ARGS__, slopes) \
	__VGPU_TEX_INTO(name, (T *value, cudaTextureObject_t object, params), (object, args)) \
	__VGPU_TEX_INTO(name##Lod, (T *value, cudaTextureObject_t object, params, \
				    float level_of_detail), (object, args, level_of_detail)) \
	__VGPU_TEX_INTO(name##Grad, (T *value, cudaTextureObject_t object, params, gradient dx, \
				     gradient dy), (object, args, dx, dy))

#define __VGPU_LIST(...)	__VA_ARGS__
#define __VGPU_SLOPES_1		__VGPU_LIST("f"(dx), "f"(dy))
#define __VGPU_SLOPES_2		__VGPU_LIST("f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
#define __VGPU_SLOPES_3 \
	__VGPU_LIST("f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))

__VGPU_TEX(tex1Dfetch, (cudaTextureObject_t object, int x), (object, x), "tex.1d.v4.u32.s32",
	   "[%4, {%5}]", "r"(x))
__VGPU_TEX_INTO(tex1Dfetch, (T *value, cudaTextureObject_t object, int x), (object, x))
__VGPU_TEX_FORMS(tex1D, "1d", __VGPU_LIST(float x), __VGPU_LIST(x), "[%4, {%5}]", "%6",
		 "{%6}, {%7}", float, __VGPU_SLOPES_1, "f"(x))
__VGPU_TEX_FORMS(tex2D, "2d", __VGPU_LIST(float x, float y), __VGPU_LIST(x, y),
		 "[%4, {%5, %6}]", "%7", "{%7, %8}, {%9, %10}", float2, __VGPU_SLOPES_2, "f"(x),
		 "f"(y))
__VGPU_TEX_FORMS(tex3D, "3d", __VGPU_LIST(float x, float y, float z), __VGPU_LIST(x, y, z),
		 "[%4, {%5, %6, %7, %7}]", "%8", "{%8, %9, %10, %10}, {%11, %12, %13, %13}", float4,
		 __VGPU_SLOPES_3, "f"(x), "f"(y), "f"(z))
__VGPU_TEX_FORMS(tex1DLayered, "a1d", __VGPU_LIST(float x, int layer), __VGPU_LIST(x, layer),
		 "[%4, {%6, %5}]", "%7", "{%7}, {%8}", float, __VGPU_SLOPES_1, "f"(x), "r"(layer))
__VGPU_TEX_FORMS(tex2DLayered, "a2d", __VGPU_LIST(float x, float y, int layer),
		 __VGPU_LIST(x, y, layer), "[%4, {%7, %5, %6, %6}]", "%8",
		 "{%8, %9}, {%10, %11}", float2, __VGPU_SLOPES_2, "f"(x), "f"(y), "r"(layer))
__VGPU_TEX_FORMS(texCubemap, "cube", __VGPU_LIST(float x, float y, float z),
		 __VGPU_LIST(x, y, z), "[%4, {%5, %6, %7, %7}]", "%8",
		 "{%8, %9, %10, %10}, {%11, %12, %13, %13}", float4, __VGPU_SLOPES_3, "f"(x),
		 "f"(y), "f"(z))
__VGPU_TEX_FORMS(texCubemapLayered, "acube", __VGPU_LIST(float x, float y, float z, int layer),
		 __VGPU_LIST(x, y, z, layer), "[%4, {%8, %5, %6, %7}]", "%9",
		 "{%9, %10, %11, %11}, {%12, %13, %14, %14}", float4, __VGPU_SLOPES_3, "f"(x),
		 "f"(y), "f"(z), "r"(layer))

/* The channel is part of the instruction. */
#define __VGPU_TEX_GATHER(channel) \
	__asm__("tld4." channel ".2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" \
		: "=r"(t.word[0]), "=r"(t.word[1]), "=r"(t.word[2]), "=r"(t.word[3]) \
		: "l"(object), "f"(x), "f"(y))
template <class T>
static __device__ __inline__ T tex2Dgather(cudaTextureObject_t object, float x, float y,
					   int channel = 0)
{
	__vgpu_texel t;

	switch (channel) {
	case 1: __VGPU_TEX_GATHER("g"); break;
	case 2: __VGPU_TEX_GATHER("b"); break;
	case 3: __VGPU_TEX_GATHER("a"); break;
	default: __VGPU_TEX_GATHER("r");
	}
	return __vgpu_texel_as<T>::of(t);
}
template <class T>
static __device__ __inline__ void tex2Dgather(T *value, cudaTextureObject_t object, float x,
					      float y, int channel = 0)
{
	*value = tex2Dgather<T>(object, x, y, channel);
}
#undef __VGPU_TEX_GATHER
#undef __VGPU_SLOPES_3
#undef __VGPU_SLOPES_2
#undef __VGPU_SLOPES_1
#undef __VGPU_LIST
#undef __VGPU_TEX_FORMS
#undef __VGPU_TEX_INTO
#undef __VGPU_TEX

#endif
