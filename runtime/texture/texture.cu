// SPDX-License-Identifier: MIT
/*
 * Texture fetches and addresses of surfaces. Compiled to PTX when the runtime is built; the PTX
 * compiler adds it to modules that have tex, tld4, txq, suld, sust or suq, and makes calls of them
 * (compile/lower/lower_texture.c). Knows nothing but texture.h.
 *
 * The formulas are those of the CUDA programming guide, "Texture Fetching". With N texels in a
 * direction, x a coordinate from 0 to N (or from 0 to 1, times N):
 *
 *	point:	T[floor(x)]
 *	linear:	(1 - a) T[i] + a T[i + 1], with i = floor(x - 0.5), and a the rest, which has 8 bits
 *		behind the point; in two and three directions the sum over all corners
 *
 * Which texel an i outside 0 to N - 1 is says the address mode. Corners of weight 0 are not looked
 * at. Corners are added in the order of i, j, k, with one rounding each (fma).
 */
#include "texture.h"

#define DEVICE		static __attribute__((device, always_inline))
#define CALL		extern "C" __attribute__((device, used, noinline))

typedef unsigned int u32;
typedef unsigned long long u64;
typedef u32 words __attribute__((ext_vector_type(4)));

/* ---- memory -------------------------------------------------------------- */

DEVICE words load_words(u64 address)
{
	words w;

	__asm__("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
		: "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
		: "l"(address));
	return w;
}

/*
 * The texel's bytes; words behind them are 0. The operator .lu beside .nc, which PTX has not, says
 * that it is a texel (VGPU_MEM_TEXTURE).
 */
DEVICE words load_texel(u64 address, u32 log)
{
	words w = { 0, 0, 0, 0 };
	unsigned short half;

	switch (log) {
	case 0: __asm__("ld.global.nc.lu.u8 %0, [%1];" : "=r"(w.x) : "l"(address)); break;
	case 1:
		__asm__("ld.global.nc.lu.u16 %0, [%1];" : "=h"(half) : "l"(address));
		w.x = half;
		break;
	case 2: __asm__("ld.global.nc.lu.u32 %0, [%1];" : "=r"(w.x) : "l"(address)); break;
	case 3:
		__asm__("ld.global.nc.lu.v2.u32 {%0, %1}, [%2];"
			: "=r"(w.x), "=r"(w.y)
			: "l"(address));
		break;
	default:
		__asm__("ld.global.nc.lu.v4.u32 {%0, %1, %2, %3}, [%4];"
			: "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
			: "l"(address));
	}
	return w;
}

/* ---- numbers ------------------------------------------------------------- */

DEVICE float as_float(u32 bits)
{
	return __builtin_bit_cast(float, bits);
}

DEVICE u32 as_bits(float number)
{
	return __builtin_bit_cast(u32, number);
}

DEVICE float from_half(u32 bits)
{
	float number;

	__asm__("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"((unsigned short)bits));
	return number;
}

DEVICE float limited(float x, float least, float most)
{
	return __builtin_fminf(__builtin_fmaxf(x, least), most);
}

/* A weight: 8 bits behind the point. */
DEVICE float weight_of(float part)
{
	return __builtin_rintf(part * 256.0f) * (1.0f / 256.0f);
}

/*
 * A channel of 8 bits of sRGB as a linear float: c / 12.92 up to 0.04045, above that
 * ((c + 0.055) / 1.055) ^ 2.4.
 */
DEVICE float from_srgb(u32 bits)
{
	float c = (float)bits / 255.0f, power;

	if (bits < 11)
		return c / 12.92f;
	__asm__("lg2.approx.f32 %0, %1;" : "=f"(power) : "f"((c + 0.055f) / 1.055f));
	__asm__("ex2.approx.f32 %0, %1;" : "=f"(power) : "f"(power * 2.4f));
	return power;
}

/* ---- texels -------------------------------------------------------------- */

DEVICE u32 one_channel(u32 bits, u32 format, u32 sampling)
{
	u32 kind = VGPU_TEXTURE_KIND(format);
	bool small = !VGPU_TEXTURE_CHANNEL_LOG(format);
	float number;

	if (kind == VGPU_TEXTURE_FLOAT)
		return as_bits(from_half(bits));
	if (sampling & VGPU_TEXTURE_SRGB)
		return as_bits(from_srgb(bits));
	if (kind == VGPU_TEXTURE_UNSIGNED) {
		if (!(sampling & VGPU_TEXTURE_AS_FLOAT))
			return bits;
		return as_bits((float)bits / (small ? 255.0f : 65535.0f));
	}
	bits = small ? (u32)(signed char)bits : (u32)(short)bits;
	if (!(sampling & VGPU_TEXTURE_AS_FLOAT))
		return bits;
	number = (float)(int)bits / (small ? 127.0f : 32767.0f);
	return as_bits(__builtin_fmaxf(number, -1.0f));
}

/* Four channels, those that the format does not have 0. */
DEVICE words channels_of(words w, u32 format, u32 sampling)
{
	words all;

	if (VGPU_TEXTURE_CHANNEL_LOG(format) == 2)
		return w;
	if (VGPU_TEXTURE_CHANNEL_LOG(format) == 1)
		all = (words){ w.x & 0xffff, w.x >> 16, w.y & 0xffff, w.y >> 16 };
	else
		all = (words){ w.x & 0xff, w.x >> 8 & 0xff, w.x >> 16 & 0xff, w.x >> 24 };
	all.x = one_channel(all.x, format, sampling);
	if (VGPU_TEXTURE_CHANNELS(format) == 1)
		return all;
	all.y = one_channel(all.y, format, sampling);
	all.z = one_channel(all.z, format, sampling);
	all.w = one_channel(all.w, format, sampling & ~(u32)VGPU_TEXTURE_SRGB);
	return all;
}

/* ---- the descriptor ------------------------------------------------------ */

struct texture {
	u64 at;
	u32 format, sampling, layers, levels;
};

struct level {
	u64 base, plane;
	u32 pitch, width, height, depth;
};

DEVICE struct texture open_object(u64 handle, u32 state)
{
	words head = load_words(handle + VGPU_TEXTURE_HEAD);

	if (head.x != state) {
		if (state == VGPU_TEXTURE_SURFACE)
			__asm__ volatile("trap; // a handle of no surface object: "
					 "it is destroyed, or its array freed");
		else
			__asm__ volatile("trap; // a handle of no texture object: "
					 "it is destroyed, or its array freed");
	}
	return (struct texture){ handle, head.y, head.z, head.w & 0xffff, head.w >> 16 };
}

DEVICE struct level open_level(u64 texture, u32 number)
{
	u64 at = texture + VGPU_TEXTURE_LEVEL + number * VGPU_TEXTURE_LEVEL_BYTES;
	words one = load_words(at), two = load_words(at + 16);

	return (struct level){ one.x | (u64)one.y << 32, two.x | (u64)two.y << 32, one.z, one.w,
			       two.z, two.w };
}

/* ---- coordinates --------------------------------------------------------- */

struct axis {
	int first;		/* of the texels that are looked at */
	float weight;		/* of the one behind it */
};

DEVICE struct axis axis_of(float x, u32 size, int direction, u32 sampling)
{
	u32 mode = VGPU_TEXTURE_MODE(sampling, direction);
	bool linear = sampling & VGPU_TEXTURE_LINEAR;
	float most = (float)size, whole;

	if (sampling & VGPU_TEXTURE_UNIT) {
		if (mode == VGPU_TEXTURE_WRAP)
			x -= __builtin_floorf(x);
		else if (mode == VGPU_TEXTURE_MIRROR)
			x -= 2.0f * __builtin_floorf(x * 0.5f);
		x *= most;
	}
	/* what is further outside is outside, too, and an int holds it */
	x = limited(x, -2.0f, 2.0f * most + 2.0f);
	if (linear)
		x -= 0.5f;
	whole = __builtin_floorf(x);
	return (struct axis){ (int)whole, linear ? weight_of(x - whole) : 0.0f };
}

/* Which texel it is; below 0: none. */
DEVICE int place(int i, u32 size, int direction, u32 sampling)
{
	int n = (int)size;

	switch (VGPU_TEXTURE_MODE(sampling, direction)) {
	case VGPU_TEXTURE_CLAMP: return i < 0 ? 0 : i < n ? i : n - 1;
	case VGPU_TEXTURE_WRAP: return i < 0 ? i + n : i < n ? i : i - n;
	case VGPU_TEXTURE_MIRROR:
		i = i < 0 ? -1 - i : i < 2 * n ? i : i - 2 * n;
		return i < n ? i : 2 * n - 1 - i;
	default: return (u32)i < size ? i : -1;
	}
}

DEVICE words texel_at(const struct texture &t, const struct level &l, int x, int y, int z)
{
	u32 log = VGPU_TEXTURE_TEXEL_LOG(t.format);

	if ((x | y | z) < 0)
		return load_words(t.at + VGPU_TEXTURE_BORDER);
	return channels_of(load_texel(l.base + (u32)z * l.plane + (u64)(u32)y * l.pitch +
				      ((u64)(u32)x << log), log),
			   t.format, t.sampling);
}

DEVICE float part_of(const struct axis &axis, u32 second)
{
	return second ? axis.weight : 1.0f - axis.weight;
}

DEVICE words sample_level(struct texture t, u32 number, float x, float y, float z, u32 slice,
			  int directions)
{
	struct level l = open_level(t.at, number);
	struct axis ax = axis_of(x, l.width, 0, t.sampling), ay = {}, az = {};
	float sum[4] = {};
	int py = 0, pz = (int)slice;

	if (directions > 1)
		ay = axis_of(y, l.height, 1, t.sampling);
	if (directions > 2)
		az = axis_of(z, l.depth, 2, t.sampling);
#pragma clang loop unroll(disable)
	for (u32 n = 0; n < 1u << directions; n++) {
		float weight = part_of(ax, n & 1);
		words texel;
		int px;

		/* what follows from them is made anew for each texel: it would take registers */
		__asm__ volatile("" : "+r"(t.sampling), "+r"(t.format));
		px = place(ax.first + (int)(n & 1), l.width, 0, t.sampling);
		if (directions > 1) {
			weight *= part_of(ay, n & 2);
			py = place(ay.first + (int)(n >> 1 & 1), l.height, 1, t.sampling);
		}
		if (directions > 2) {
			weight *= part_of(az, n & 4);
			pz = place(az.first + (int)(n >> 2), l.depth, 2, t.sampling);
		}
		if (weight == 0.0f)
			continue;
		texel = texel_at(t, l, px, py, pz);
		if (!(t.sampling & VGPU_TEXTURE_LINEAR))
			return texel;
		sum[0] = __builtin_fmaf(weight, as_float(texel.x), sum[0]);
		sum[1] = __builtin_fmaf(weight, as_float(texel.y), sum[1]);
		sum[2] = __builtin_fmaf(weight, as_float(texel.z), sum[2]);
		sum[3] = __builtin_fmaf(weight, as_float(texel.w), sum[3]);
	}
	return (words){ as_bits(sum[0]), as_bits(sum[1]), as_bits(sum[2]), as_bits(sum[3]) };
}

DEVICE u32 blended(u32 one, u32 two, float part)
{
	float sum = (1.0f - part) * as_float(one);

	return as_bits(__builtin_fmaf(part, as_float(two), sum));
}

/* Levels of a mipmap: the nearest one, or two and what is between them. */
DEVICE words sample(const struct texture &t, float x, float y, float z, u32 slice, float lod,
		    int directions)
{
	words first = { 0, 0, 0, 0 }, found;
	float part = 0.0f;
	u32 level = 0;

	if (t.levels > 1) {
		words mip = load_words(t.at + VGPU_TEXTURE_MIP);

		lod = limited(lod + as_float(mip.x), as_float(mip.y), as_float(mip.z));
		lod = limited(lod, 0.0f, (float)(t.levels - 1));
		if (t.sampling & VGPU_TEXTURE_MIP_LINEAR) {
			level = (u32)lod;
			part = weight_of(lod - (float)level);
		} else {
			level = (u32)(lod + 0.5f);
		}
	}
#pragma clang loop unroll(disable)
	for (u32 n = 0;; n++) {
		found = sample_level(t, level + n, x, y, z, slice, directions);
		if (part == 0.0f)
			return found;
		if (n)
			break;
		first = found;
	}
	return (words){ blended(first.x, found.x, part), blended(first.y, found.y, part),
			blended(first.z, found.z, part), blended(first.w, found.w, part) };
}

DEVICE u32 layer_of(const struct texture &t, u32 layer)
{
	return layer < t.layers ? layer : t.layers - 1;
}

/* ---- what the compiler calls --------------------------------------------- */

/* tex.1d of integers, which is not filtered; outside it is the border, 0 of linear memory */
CALL words __vgpu_texture_fetch(u64 handle, u32 x)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_OBJECT);
	struct level l = open_level(handle, 0);

	return texel_at(t, l, x < l.width ? (int)x : -1, 0, 0);
}

CALL words __vgpu_texture_1d(u64 handle, float x, u32 layer)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_OBJECT);

	return sample_level(t, 0, x, 0.0f, 0.0f, layer_of(t, layer), 1);
}

CALL words __vgpu_texture_1d_lod(u64 handle, float x, u32 layer, float lod)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_OBJECT);

	return sample(t, x, 0.0f, 0.0f, layer_of(t, layer), lod, 1);
}

CALL words __vgpu_texture_2d(u64 handle, float x, float y, u32 layer)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_OBJECT);

	return sample_level(t, 0, x, y, 0.0f, layer_of(t, layer), 2);
}

CALL words __vgpu_texture_2d_lod(u64 handle, float x, float y, u32 layer, float lod)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_OBJECT);

	return sample(t, x, y, 0.0f, layer_of(t, layer), lod, 2);
}

CALL words __vgpu_texture_3d(u64 handle, float x, float y, float z)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_OBJECT);

	return sample_level(t, 0, x, y, z, 0, 3);
}

CALL words __vgpu_texture_3d_lod(u64 handle, float x, float y, float z, float lod)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_OBJECT);

	return sample(t, x, y, z, 0, lod, 3);
}

struct on_face {
	u32 face;
	float x, y;
};

/* The face that the direction goes through, and where (table 1 of the guide's chapter). */
DEVICE struct on_face face_of(float x, float y, float z)
{
	float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z), m, s, v;
	u32 face;

	if (ax >= ay && ax >= az) {
		face = x < 0.0f;
		m = ax;
		s = x < 0.0f ? z : -z;
		v = -y;
	} else if (ay >= az) {
		face = 2 + (y < 0.0f);
		m = ay;
		s = x;
		v = y < 0.0f ? -z : z;
	} else {
		face = 4 + (z < 0.0f);
		m = az;
		s = z < 0.0f ? -x : x;
		v = -y;
	}
	return (struct on_face){ face, (s / m + 1.0f) * 0.5f, (v / m + 1.0f) * 0.5f };
}

CALL words __vgpu_texture_cube(u64 handle, float x, float y, float z, u32 layer)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_OBJECT);
	struct on_face f = face_of(x, y, z);

	return sample_level(t, 0, f.x, f.y, 0.0f, layer_of(t, layer) * 6 + f.face, 2);
}

CALL words __vgpu_texture_cube_lod(u64 handle, float x, float y, float z, u32 layer, float lod)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_OBJECT);
	struct on_face f = face_of(x, y, z);

	return sample(t, f.x, f.y, 0.0f, layer_of(t, layer) * 6 + f.face, lod, 2);
}

/* One channel of the four texels that a linear filter would look at. */
CALL words __vgpu_texture_gather(u64 handle, float x, float y, u32 layer, u32 channel)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_OBJECT);
	struct level l = open_level(handle, 0);
	struct axis ax = axis_of(x, l.width, 0, t.sampling | VGPU_TEXTURE_LINEAR);
	struct axis ay = axis_of(y, l.height, 1, t.sampling | VGPU_TEXTURE_LINEAR);
	words all = { 0, 0, 0, 0 };

	/* (i, j + 1), (i + 1, j + 1), (i + 1, j), (i, j) */
#pragma clang loop unroll(disable)
	for (u32 n = 0; n < 4; n++) {
		words texel = texel_at(t, l,
				       place(ax.first + (n == 1 || n == 2), l.width, 0, t.sampling),
				       place(ay.first + (n < 2), l.height, 1, t.sampling),
				       (int)layer_of(t, layer));
		u32 low = channel & 1 ? texel.y : texel.x, high = channel & 1 ? texel.w : texel.z;

		all = (words){ all.y, all.z, all.w, channel & 2 ? high : low };
	}
	return all;
}

/*
 * The level of detail for gradients: how many texels a step crosses, the larger of two (what
 * graphics interfaces specify; anisotropy is not looked at).
 */
CALL float __vgpu_texture_lod(u64 handle, float xx, float xy, float xz, float yx, float yy,
			      float yz)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_OBJECT);
	struct level l = open_level(handle, 0);
	float w = 1.0f, h = 1.0f, d = 1.0f, one, two, lod;

	if (t.sampling & VGPU_TEXTURE_UNIT) {
		w = (float)l.width;
		h = (float)l.height;
		d = (float)l.depth;
	}
	one = xx * w * (xx * w) + xy * h * (xy * h) + xz * d * (xz * d);
	two = yx * w * (yx * w) + yy * h * (yy * h) + yz * d * (yz * d);
	__asm__("lg2.approx.f32 %0, %1;" : "=f"(lod) : "f"(__builtin_fmaxf(one, two)));
	return 0.5f * lod;
}

/* Where an access of the surface goes; 0: nowhere. @x counts bytes. */
DEVICE u64 in_surface(const struct texture &t, int x, int y, int z, u32 how)
{
	struct level l = open_level(t.at, 0);
	u32 bytes = how & 0xff, last = l.width << VGPU_TEXTURE_TEXEL_LOG(t.format);

	last = last > bytes ? last - bytes : 0;
	if ((u32)x > last || (u32)y >= l.height || (u32)z >= l.depth) {
		if (how >> 8 == VGPU_SURFACE_ZERO)
			return 0;
		if (how >> 8 == VGPU_SURFACE_TRAP)
			__asm__ volatile("trap; // an access outside the surface");
		x = x < 0 ? 0 : (u32)x > last ? (int)last : x;
		y = place(y, l.height, 0, VGPU_TEXTURE_CLAMP);
		z = place(z, l.depth, 0, VGPU_TEXTURE_CLAMP);
	}
	return l.base + (u32)z * l.plane + (u64)(u32)y * l.pitch + (u32)x;
}

/* suld.b, sust.b */
CALL u64 __vgpu_surface(u64 handle, int x, int y, int z, u32 how)
{
	return in_surface(open_object(handle, VGPU_TEXTURE_SURFACE), x, y, z, how);
}

/* What a channel of a surface becomes of a register; integers that are too large the largest. */
DEVICE u32 to_channel(u32 bits, u32 kind, u32 log)
{
	u32 most = log ? 0xffff : 0xff;
	int half = (int)(most >> 1), number = (int)bits;
	unsigned short rounded;

	if (log == 2)
		return bits;
	if (kind == VGPU_TEXTURE_FLOAT) {
		__asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(rounded) : "f"(as_float(bits)));
		return rounded;
	}
	if (kind == VGPU_TEXTURE_UNSIGNED)
		return bits < most ? bits : most;
	number = number < half ? number : half;
	return (u32)(number > -half - 1 ? number : -half - 1) & most;
}

/* sust.p: @x counts texels; the registers are the first channels. @how: the mode, without bytes */
CALL void __vgpu_surface_put(u64 handle, int x, int y, int z, u32 how, u32 r, u32 g, u32 b, u32 a)
{
	struct texture t = open_object(handle, VGPU_TEXTURE_SURFACE);
	u32 texel = VGPU_TEXTURE_TEXEL_LOG(t.format), log = VGPU_TEXTURE_CHANNEL_LOG(t.format);
	u32 count = VGPU_TEXTURE_CHANNELS(t.format), bytes = 1u << texel;
	/* so that what is outside stays there as bytes */
	int most = 1 << 24, at = x < -most ? -most : x > most ? most : x;
	u64 where = in_surface(t, at << texel, y, z, how | bytes);
	u32 channels[4] = { r, g, b, a };

	if (!where)
		return;
#pragma clang loop unroll(full)
	for (u32 n = 0; n < 4; n++) {
		u32 value = to_channel(channels[n], VGPU_TEXTURE_KIND(t.format), log);
		u64 to = where + (n << log);

		if (n >= count)
			break;
		if (log == 0)
			__asm__ volatile("st.global.u8 [%0], %1;" : : "l"(to), "r"(value));
		else if (log == 1)
			__asm__ volatile("st.global.u16 [%0], %1;"
					 : : "l"(to), "h"((unsigned short)value));
		else
			__asm__ volatile("st.global.u32 [%0], %1;" : : "l"(to), "r"(value));
	}
}

/* txq and suq */
CALL u32 __vgpu_texture_query(u64 handle, u32 what)
{
	words head = load_words(handle + VGPU_TEXTURE_HEAD);
	struct level l = open_level(handle, 0);

	if (head.x != VGPU_TEXTURE_OBJECT && head.x != VGPU_TEXTURE_SURFACE)
		__asm__ volatile("trap; // a handle of no texture or surface object: "
				 "it is destroyed, or its array freed");
	switch (what) {
	case VGPU_QUERY_WIDTH: return l.width;
	case VGPU_QUERY_HEIGHT: return l.height;
	case VGPU_QUERY_DEPTH: return l.depth;
	case VGPU_QUERY_ARRAY_SIZE: return head.w & 0xffff;
	case VGPU_QUERY_LEVELS: return head.w >> 16;
	default: return head.z & VGPU_TEXTURE_UNIT ? 1 : 0;
	}
}
