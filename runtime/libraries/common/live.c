// SPDX-License-Identifier: MIT
/* One table with a lock for each library: common/ is in each. */
#include "live.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 256, LINES = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct live_object *table[BUCKETS];

static struct live_object **bucket_of(const void *object)
{
	return &table[((uintptr_t)object >> 4) * 0x9e3779b1u >> 8 & (BUCKETS - 1)];
}

/* Where it is linked; NULL: nowhere. The caller holds the lock. */
static struct live_object **place_of(const void *object, int kind)
{
	struct live_object **p = bucket_of(object);

	while (*p && *p != object)
		p = &(*p)->next;
	return *p && (*p)->kind == kind ? p : NULL;
}

void *live_new(size_t bytes, int kind)
{
	struct live_object *o = calloc(1, bytes), **bucket = bucket_of(o);

	if (!o)
		return NULL;
	o->kind = kind;
	pthread_mutex_lock(&lock);
	o->next = *bucket;
	*bucket = o;
	pthread_mutex_unlock(&lock);
	return o;
}

bool live_is(const void *object, int kind)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = place_of(object, kind);
	pthread_mutex_unlock(&lock);
	return is;
}

bool live_delete(const void *object, int kind)
{
	struct live_object **p, *o = NULL;

	pthread_mutex_lock(&lock);
	p = place_of(object, kind);
	if (p) {
		o = *p;
		*p = o->next;
	}
	pthread_mutex_unlock(&lock);
	free(o);
	return o;
}

void say_once(const char *library, const char *function, const char *what)
{
	static const char *said[LINES];
	static int count;
	bool known = false;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < count; i++)
		known |= said[i] == what;
	if (!known && count < LINES)
		said[count++] = what;
	pthread_mutex_unlock(&lock);
	if (!known)
		fprintf(stderr, "vgpu: %s: %s: %s\n", library, function, what);
}
