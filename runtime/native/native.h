/* SPDX-License-Identifier: MIT */
/*
 * Native code for kernels of embedded devices: vectors of this processor in the place of the
 * interpreter (docs/native-code.md). What the environment says of it: VGPU_NATIVE.
 */
#ifndef VGPU_RUNTIME_NATIVE_H
#define VGPU_RUNTIME_NATIVE_H

#include <stddef.h>
#include <stdint.h>

struct vgpu_insn;
struct vgpu_native_code;

enum vgpu_native_mode {
	VGPU_NATIVE_OFF,
	VGPU_NATIVE_AUTO,	/* kernels that have executed for a while */
	VGPU_NATIVE_ALWAYS,	/* all, from their first instruction on */
};

/* What code is made for */
enum vgpu_native_vectors {
	VGPU_VECTORS_NONE,
	VGPU_VECTORS_SSE2,
	VGPU_VECTORS_AVX2,
	VGPU_VECTORS_AVX512,
};

/** struct vgpu_native_choice - of a device */
struct vgpu_native_choice {
	enum vgpu_native_mode mode;
	enum vgpu_native_vectors vectors;
};

/*
 * VGPU_NATIVE: off, auto (also if it is not set) or always. VGPU_VECTORS: avx512, avx2, sse2, or
 * none; not set: the best that this processor has. OFF with none; with `always' that is said, once.
 * -EINVAL: another value, or vectors that this processor does not have, explained in @message.
 */
int vgpu_native_configure(struct vgpu_native_choice *choice, char *message, size_t size);

/*
 * For vgpu_host_ops.native: code for a kernel, as vgpu_native_configure() has chosen. Any thread.
 * Kernels with the same code have the same native code, for as long as the process lives.
 */
int vgpu_native_find(const struct vgpu_native_choice *choice, const struct vgpu_insn *code,
		     uint32_t count, const uint16_t *cost, uint64_t executed,
		     const struct vgpu_native_code **out);

/* Free all native code, for tests: no device may have any. */
void vgpu_native_forget(void);

/* Bytes of all native code, instructions of kernels it is of, and nanoseconds it took to make. */
struct vgpu_native_stats {
	uint64_t bytes, instructions, nanoseconds;
};
void vgpu_native_stats(struct vgpu_native_stats *stats);

#endif
