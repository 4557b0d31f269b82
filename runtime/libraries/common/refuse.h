/* SPDX-License-Identifier: MIT */
/*
 * How a library refuses: its status, and one line on stderr the first time that names the function.
 */
#ifndef VGPU_LIBRARIES_REFUSE_H
#define VGPU_LIBRARIES_REFUSE_H

/* Of a function that programs call; what else is in a library is hidden. */
#define VGPU_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Returns STATUS. TOLD is the caller's, zero at first. Without WHY the function is not there. */
int vgpu_library_refuse(const char *library, const char *function, const char *why,
			int status, unsigned char *told);

#ifdef __cplusplus
}
#endif

/*
 * Of a function that is known by name only (the build writes these): whatever is passed is left
 * where it is.
 */
#define VGPU_ABSENT(name) \
	VGPU_API int name(void); \
	VGPU_API int name(void) \
	{ \
		static unsigned char told; \
		return vgpu_library_refuse(VGPU_LIBRARY, #name, 0, VGPU_REFUSES, &told); \
	}

/* In a function that is there: what of it is not. */
#define VGPU_REFUSE(library, why, status) \
	({ \
		static unsigned char told_; \
		vgpu_library_refuse(library, __func__, why, status, &told_); \
	})

#endif
