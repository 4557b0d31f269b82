// SPDX-License-Identifier: MIT
/*
 * vgpu-sim --list: devices, policies, mechanisms, knobs and applications, as the device and the
 * workload library name them.
 */
#include <errno.h>
#include <string.h>

#include "sim.h"

/* Knobs of a list print every choice, the active one in brackets. */
static void list_knob(const struct vgpu_device *dev, const char *knob, FILE *out)
{
	char text[4096];

	if (vgpu_device_knob_get((struct vgpu_device *)dev, knob, text, sizeof(text)) >= 0)
		fprintf(out, "  %-20s %s\n", knob, text);
}

static void *no_frame(void *host, u32 context)
{
	(void)host;
	(void)context;
	return NULL;
}

int sim_list(FILE *out)
{
	static const struct vgpu_host_ops ops = { .get_frame = no_frame };
	struct vgpu_config config;
	struct vgpu_device *dev;
	const char *name;
	unsigned int i;

	fputs("devices (--gpu):\n ", out);
	for (i = 0; (name = vgpu_config_preset_name(i)); i++)
		fprintf(out, " %s", name);
	fputs("\nknobs (--policy, --preempt, --set):\n", out);
	if (vgpu_config_preset(&config, vgpu_config_preset_name(0)) ||
	    vgpu_device_create(&config, &ops, NULL, &dev)) {
		fprintf(stderr, "vgpu-sim: no device: %s\n", strerror(ENOMEM));
		return 1;
	}
	for (i = 0; (name = vgpu_device_knob_name(i)); i++)
		list_knob(dev, name, out);
	vgpu_device_destroy(dev);
	fputs("applications (app=):\n ", out);
	for (i = 0; (name = wl_app_name(i)); i++)
		fprintf(out, " %s", name);
	fputs("\nfields of the configuration (--set): struct vgpu_config in "
	      "sim-device/vgpu_config.h\n",
	      out);
	return ferror(out) ? 1 : 0;
}
