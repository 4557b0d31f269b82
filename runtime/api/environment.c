// SPDX-License-Identifier: MIT
/*
 * CUDA's environment variables; see environment.h.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "environment.h"
#include "state.h"

/* ---- CUDA_VISIBLE_DEVICES ----------------------------------------------- */

#define UUID_DIGITS	32u

/* "GPU-" and the digits of a UUID, or as many of the first as name one device. */
static int device_of_uuid(const char *text, size_t length, const unsigned int *place,
			  unsigned int count)
{
	char digits[UUID_DIGITS];
	unsigned int used = 0;
	int found = -1;

	for (size_t i = 4; i < length; i++) {
		if (text[i] == '-')
			continue;
		if (!isxdigit((unsigned char)text[i]) || used == UUID_DIGITS)
			return -1;
		digits[used++] = text[i];
	}
	for (unsigned int n = 0; n < count; n++) {
		char uuid[UUID_DIGITS + 1];

		/* "vgpu", and the number at the end: cudaDeviceProp.uuid */
		snprintf(uuid, sizeof(uuid), "%030x%02x", 0u, place[n] & 0xff);
		memcpy(uuid, "76677075", 8);
		if (strncasecmp(uuid, digits, used))
			continue;
		if (found >= 0)
			return -1;
		found = (int)n;
	}
	return found;
}

static int device_of_entry(const char *text, size_t length, const unsigned int *place,
			   unsigned int count)
{
	char *end;
	long n;

	if (length > 4 && !strncasecmp(text, "GPU-", 4))
		return device_of_uuid(text, length, place, count);
	n = strtol(text, &end, 10);
	return length && end == text + length && n >= 0 && n < (long)count ? (int)n : -1;
}

/* The first entry that names no device ends the list, and one named twice leaves none. */
unsigned int rt_visible_devices(unsigned int *index, unsigned int *place, unsigned int count)
{
	const char *at = getenv("CUDA_VISIBLE_DEVICES");
	unsigned int was[RT_DEVICES], seen = 0, chosen[RT_DEVICES];

	if (!at)
		return count;
	while (seen < RT_DEVICES) {
		size_t length;
		int n;

		at += strspn(at, " \t");
		length = strcspn(at, ",");
		while (length && isspace((unsigned char)at[length - 1]))
			length--;
		n = device_of_entry(at, length, place, count);
		if (n < 0)
			break;
		for (unsigned int i = 0; i < seen; i++)
			if (chosen[i] == (unsigned int)n)
				return 0;
		chosen[seen++] = (unsigned int)n;
		at += strcspn(at, ",");
		if (!*at++)
			break;
	}
	memcpy(was, index, count * sizeof(*was));
	for (unsigned int i = 0; i < seen; i++) {
		index[i] = was[chosen[i]];
		place[i] = chosen[i];
	}
	return seen;
}

/* ---- numbers ------------------------------------------------------------ */

/* A variable that is a number from @low to @high; 0: it is not set, or has another value. */
static unsigned int number_of(const char *name, unsigned int low, unsigned int high)
{
	const char *text = getenv(name);
	char *end;
	long n;

	if (!text || !*text)
		return 0;
	n = strtol(text, &end, 10);
	if (end != text && !*end && n >= (long)low && n <= (long)high)
		return (unsigned int)n;
	fprintf(stderr, "vgpu: %s=%s: must be a number from %u to %u; it has no effect\n", name,
		text, low, high);
	return 0;
}

unsigned int rt_queue_limit(void)
{
	unsigned int n = number_of("CUDA_DEVICE_MAX_CONNECTIONS", 1, RT_QUEUES);

	if (!n)
		n = number_of("VGPU_MAX_CONNECTIONS", 1, RT_QUEUES);
	return n ? n : 8;
}

bool rt_launch_blocking(void)
{
	const char *text = getenv("CUDA_LAUNCH_BLOCKING");

	return text && strtol(text, NULL, 10);
}

/* A context has at least one SM, and a part of one is one. */
unsigned int rt_sm_limit(unsigned int sms)
{
	const char *text = getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
	double percent;
	unsigned int most;
	char *end;

	if (!text || !*text)
		return sms;
	percent = strtod(text, &end);
	if (end == text || *end || !(percent > 0 && percent <= 100)) {
		fprintf(stderr,
			"vgpu: CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=%s: must be above 0 and at most "
			"100; it has no effect\n",
			text);
		return sms;
	}
	most = (unsigned int)(percent * sms / 100);
	if (most < percent * sms / 100)
		most++;
	return most;
}

/* ---- CUDA_MPS_PINNED_DEVICE_MEM_LIMIT ----------------------------------- */

/* "512M": bytes, and where the text goes on; 0: it is no amount. */
static uint64_t amount_of(const char *text, char **end)
{
	uint64_t n = strtoull(text, end, 10);
	unsigned int shift = 0;

	if (*end == text || !isdigit((unsigned char)*text))
		return 0;
	switch (toupper((unsigned char)**end)) {
	case 'K': shift = 10; break;
	case 'M': shift = 20; break;
	case 'G': shift = 30; break;
	default: break;
	}
	if (shift)
		++*end;
	if (toupper((unsigned char)**end) == 'B')
		++*end;
	return n > UINT64_MAX >> shift ? UINT64_MAX : n << shift;
}

/* "0=1G,1=512M" */
uint64_t rt_memory_limit(unsigned int place)
{
	const char *text = getenv("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"), *at = text;
	uint64_t limit = UINT64_MAX;

	while (at && *at) {
		char *end = NULL;
		unsigned long device = strtoul(at, &end, 10);
		uint64_t bytes = end != at && *end == '=' ? amount_of(end + 1, &end) : 0;

		if (!bytes || (*end && *end != ',')) {
			fprintf(stderr,
				"vgpu: CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=%s: must be a list such as "
				"0=1G,1=512M; it has no effect\n",
				text);
			return UINT64_MAX;
		}
		if (device == place)
			limit = bytes;
		at = *end ? end + 1 : end;
	}
	return limit;
}
