// SPDX-License-Identifier: MIT
/*
 * The configuration of embedded devices, from the environment: VGPU_PRESET names presets, one for
 * each device; VGPU_VRAM is the size of device memory; VGPU_SET is a list KEY=VALUE,KEY=VALUE of
 * fields of struct vgpu_config and knobs, as --set of vgpu-sim takes them. With VGPU_TIMING they
 * have both timing models.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded_config.h"
#include "transport.h"

/* Bytes, or with K, M or G behind the number. */
static bool parse_bytes(const char *text, u64 *bytes)
{
	static const char units[] = "KMG";
	char *end;
	const char *unit;
	unsigned int shift = 0;
	unsigned long long n;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (*end) {
		unit = strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end);
		if (!unit || end[1])
			return false;
		shift = 10 * ((unsigned int)(unit - units) + 1);
	}
	if (errno || !n || n > (~0ull >> 1) >> shift)
		return false;
	*bytes = (u64)n << shift;
	return true;
}

static const char *presets(void)
{
	const char *text = getenv("VGPU_PRESET");

	return text && *text ? text : "v100";
}

unsigned int vgpu_embedded_devices(void)
{
	unsigned int count = 1;

	for (const char *at = presets(); *at; at++)
		count += *at == ',';
	return count;
}

/* The preset of device @index; the last one of them all for what is beyond. */
static void preset_of(unsigned int index, char *preset, size_t size)
{
	const char *at = presets(), *comma;

	while (index-- && (comma = strchr(at, ',')))
		at = comma + 1;
	snprintf(preset, size, "%.*s", (int)strcspn(at, ","), at);
}

struct setting {
	char key[VGPU_NAME_BYTES];
	char value[VGPU_NAME_BYTES];
};

/* Read the setting at *@at and step behind it. 0: there is none left. */
static int next_setting(const char **at, struct setting *s, char *message, size_t size)
{
	size_t length = strcspn(*at, ",");
	const char *equals = memchr(*at, '=', length);
	size_t key = equals ? (size_t)(equals - *at) : 0;

	if (!**at)
		return 0;
	if (!key || key >= sizeof(s->key) || length - key - 1 >= sizeof(s->value)) {
		snprintf(message, size,
			 "VGPU_SET: '%.*s' must be KEY=VALUE, each shorter than %d characters;"
			 " separate settings by commas",
			 (int)length, *at, VGPU_NAME_BYTES);
		return -EINVAL;
	}
	snprintf(s->key, sizeof(s->key), "%.*s", (int)key, *at);
	snprintf(s->value, sizeof(s->value), "%.*s", (int)(length - key - 1), equals + 1);
	*at += length + ((*at)[length] == ',');
	return 1;
}

static const char *settings(void)
{
	const char *text = getenv("VGPU_SET");

	return text ? text : "";
}

static int set_fields(struct vgpu_config *config, char *message, size_t size)
{
	const char *at = settings();
	struct setting s;
	int error;

	while ((error = next_setting(&at, &s, message, size)) > 0) {
		if (vgpu_config_set(config, s.key, s.value) != -EINVAL)
			continue;	/* -ENOENT: perhaps a knob */
		snprintf(message, size, "VGPU_SET: %s=%s: invalid value for this field", s.key,
			 s.value);
		return -EINVAL;
	}
	return error;
}

int vgpu_embedded_set_knobs(struct vgpu_device *device, char *message, size_t size)
{
	struct vgpu_config scratch = {};
	char choices[256] = "";
	const char *at = settings();
	struct setting s;
	int error;

	while ((error = next_setting(&at, &s, message, size)) > 0) {
		if (vgpu_config_set(&scratch, s.key, s.value) != -ENOENT)
			continue;	/* a field, set before */
		error = vgpu_device_knob_set(device, s.key, s.value);
		if (!error)
			continue;
		if (error == -ENOENT) {
			snprintf(message, size,
				 "VGPU_SET: %s: unknown field or knob;"
				 " vgpu-sim --list shows them",
				 s.key);
			return -EINVAL;
		}
		vgpu_device_knob_get(device, s.key, choices, sizeof(choices));
		snprintf(message, size, "VGPU_SET: %s=%s: invalid value; it is now %s", s.key,
			 s.value, choices);
		return -EINVAL;
	}
	return error;
}

int vgpu_embedded_configure(unsigned int index, struct vgpu_config *config, char *message,
			    size_t size)
{
	const char *vram = getenv("VGPU_VRAM"), *wrong, *name;
	char preset[2 * VGPU_NAME_BYTES];
	size_t used;
	u64 bytes;
	int error;

	preset_of(index, preset, sizeof(preset));
	if (vgpu_config_preset(config, preset)) {
		used = (size_t)snprintf(message, size,
					"VGPU_PRESET=%s: unknown preset; choose", preset);
		for (unsigned int i = 0; (name = vgpu_config_preset_name(i)) && used < size; i++)
			used += (size_t)snprintf(message + used, size - used, "%s %s",
						 i ? "," : "", name);
		return -EINVAL;
	}
	/* what VGPU_TIMING asks for (runtime/api/modules/timing.h) */
	if (getenv("VGPU_TIMING") && *getenv("VGPU_TIMING"))
		config->timing_by_kernel = 1;
	error = set_fields(config, message, size);
	if (error)
		return error;
	if (vram && *vram) {
		if (!parse_bytes(vram, &bytes)) {
			snprintf(
				message, size,
				"VGPU_VRAM=%s: must be a number of bytes, for example 512M or 2G",
				vram);
			return -EINVAL;
		}
		config->vram_bytes = bytes & ~(VGPU_PAGE_SIZE - 1);
	}
	wrong = vgpu_config_check(config);
	if (wrong) {
		snprintf(message, size, "VGPU_PRESET=%s VGPU_VRAM=%s VGPU_SET=%s: %s", preset,
			 vram ? vram : "", settings(), wrong);
		return -EINVAL;
	}
	return 0;
}

int vgpu_embedded_priority(unsigned int n, s32 *priority, char *message, size_t size)
{
	const char *text = getenv("VGPU_PRIORITIES"), *at = text;

	*priority = 0;
	if (!text || !*text)
		return 0;
	for (unsigned int k = 0;; k++, at++) {
		char *end;
		long value;

		errno = 0;
		value = strtol(at, &end, 10);
		if (end == at || isspace((unsigned char)*at) || (*end && *end != ',') || errno ||
		    value != (s32)value) {
			snprintf(message, size,
				 "VGPU_PRIORITIES=%s: must be numbers, for example 0,1: "
				 "of each context, in the order in which they are created",
				 text);
			return -EINVAL;
		}
		/* the last one is of all that come behind it, too */
		if (k <= n)
			*priority = (s32)value;
		at = end;
		if (!*at)
			return 0;
	}
}
