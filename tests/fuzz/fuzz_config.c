// SPDX-License-Identifier: MIT
/*
 * Fuzz target: the configuration as text, as configfs, sysfs, VGPU_SET and --set give it. Covers
 * sim-device/device/config.c, presets*.c, knobs.c, runtime/transport/embedded_config.c. The first
 * line names a preset, each other line is FIELD=VALUE or KNOB=VALUE. A field that is set reads back
 * as a text that sets the same value. What the check accepts makes a device, which takes the knobs
 * and runs a kernel and a copy for a bounded number of events.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"
#include "embedded_config.h"
#include "tests/unit/device/host.h"

#define ADDRESS		0x40000000ull
#define EVENTS_MAX	60u
#define LINES_MAX	32u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void set_field(struct vgpu_config *config, const char *field, const char *value)
{
	char text[64], again[64];
	struct vgpu_config same;

	memcpy(&same, config, sizeof(same));	/* with what pads it */
	if (vgpu_config_set(config, field, value)) {
		assert_memory_equal(config, &same, sizeof(same));
		return;
	}
	assert_true(vgpu_config_get(config, field, text, sizeof(text)) >= 0);
	assert_int_equal(vgpu_config_set(&same, field, text), 0);
	assert_true(vgpu_config_get(&same, field, again, sizeof(again)) >= 0);
	assert_string_equal(text, again);
	assert_int_equal(vgpu_config_get(config, field, again, 1), *text ? -ENOSPC : 0);
}

static void run_device(const struct vgpu_config *config, char *keys[], char *values[], u32 count)
{
	struct host *h = host_new_config(config);
	u32 context = host_open(h), queue = host_queue(h, context);
	struct vgpu_cmd kernel = cmd_profiled(3, VGPU_US, 4);
	char text[256] = "";

	if (vgpu_embedded_set_knobs(h->dev, text, sizeof(text)))
		assert_true(text[0]);
	for (u32 n = 0; n < count; n++) {
		int err = vgpu_device_knob_set(h->dev, keys[n], values[n]);

		assert_true(!err || err == -ENOENT || err == -EINVAL);
		if (err != -ENOENT)
			assert_true(vgpu_device_knob_get(h->dev, keys[n], text, sizeof(text)) >= 0);
	}
	if (!vgpu_memory_map(h->dev, context, ADDRESS, VGPU_PAGE_SIZE)) {
		host_push(h, context, queue, cmd_h2d(ADDRESS, 0, 100));
		host_push(h, context, queue, cmd_d2h(0, ADDRESS, 100));
	}
	host_try(h, context, queue, &kernel, 0, NULL);
	host_push(h, context, queue, cmd_nop());
	vgpu_device_run(h->dev, VGPU_NEVER, EVENTS_MAX);
	assert_true(vgpu_exec_check(&h->dev->exec));
	host_free(h);
}

/* The lines joined by commas, as a process says them in its environment. */
static void environment(const char *preset, char *keys[], char *values[], u32 count)
{
	struct vgpu_config config;
	char message[256] = "", *all = NULL;
	size_t length;
	FILE *file = open_memstream(&all, &length);

	assert_non_null(file);
	for (u32 n = 0; n < count; n++)
		fprintf(file, "%s%s=%s", n ? "," : "", keys[n], values[n]);
	fclose(file);
	setenv("VGPU_PRESET", preset, 1);
	setenv("VGPU_SET", all, 1);
	setenv("VGPU_VRAM", count && !strcmp(keys[0], "vram") ? values[0] : "", 1);
	for (unsigned int n = 0; n < 2; n++)
		if (vgpu_embedded_configure(n, &config, message, sizeof(message)))
			assert_true(message[0]);
		else
			assert_null(vgpu_config_check(&config));
	free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *line, *rest, *keys[LINES_MAX], *values[LINES_MAX];
	struct vgpu_config config;
	u32 count = 0;

	assert_non_null(text);
	memcpy(text, data, size);
	rest = text;
	line = strsep(&rest, "\n");
	while (rest && count < LINES_MAX) {
		keys[count] = strsep(&rest, "\n");
		values[count] = strchr(keys[count], '=');
		if (values[count])
			*values[count++]++ = 0;
	}
	if (vgpu_config_preset(&config, line)) {
		assert_int_equal(vgpu_config_preset(&config, "k20c"), 0);
		config.sms = 2;
	}
	for (u32 n = 0; n < count; n++)
		set_field(&config, keys[n], values[n]);
	environment(line, keys, values, count);
	if (!vgpu_config_check(&config))
		run_device(&config, keys, values, count);
	free(text);
	return 0;
}
