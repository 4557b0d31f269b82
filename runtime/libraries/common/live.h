/* SPDX-License-Identifier: MIT */
/*
 * What a library makes for programs (handles, descriptors, settings): all live ones are in one
 * table of the library's, with their kinds. What is not there is refused, whatever memory it points
 * to.
 * Any thread may call these.
 */
#ifndef VGPU_LIBRARIES_LIVE_H
#define VGPU_LIBRARIES_LIVE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is in the table begins with this. */
struct live_object {
	struct live_object *next;
	int kind;
};

/* An object of so many bytes, all but the head zero. NULL: no memory. */
void *live_new(size_t bytes, int kind);
/* Is this one of that kind? */
bool live_is(const void *object, int kind);
/* The same, and it is gone. */
bool live_delete(const void *object, int kind);

/* A line on stderr, once for each WHAT, which is not copied. */
void say_once(const char *library, const char *function, const char *what);

#ifdef __cplusplus
}
#endif

#endif
