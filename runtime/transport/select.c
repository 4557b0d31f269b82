// SPDX-License-Identifier: MIT
/*
 * Which transport a process uses: what VGPU_TRANSPORT says, else the module when its device is
 * there, else the device inside the process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sanitizer/sanitizer.h"
#include "transport.h"

static const struct vgpu_transport_ops *const transports[] = {
	&vgpu_transport_ioctl,
	&vgpu_transport_uring,
	&vgpu_transport_mapped,
	&vgpu_transport_embedded,
};

const struct vgpu_transport_ops *vgpu_transport_select(char *message, size_t message_bytes)
{
	const char *wanted = getenv("VGPU_TRANSPORT");
	static int said;

	if (!san_configure(message, message_bytes))
		return NULL;
	if (san_on && wanted && *wanted && strcmp(wanted, "embedded")) {
		snprintf(message, message_bytes,
			 "VGPU_TRANSPORT=%s: with VGPU_SANITIZER the device is in the process; "
			 "choose embedded",
			 wanted);
		return NULL;
	}
	if (san_on)
		return san_transport();
	if (wanted && *wanted) {
		for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++)
			if (!strcmp(wanted, transports[i]->name))
				return transports[i];
		snprintf(message, message_bytes,
			 "VGPU_TRANSPORT=%s: unknown transport; choose ioctl, uring, "
			 "mapped or embedded",
			 wanted);
		return NULL;
	}
	if (!access("/dev/vgpu", F_OK))
		return &vgpu_transport_ioctl;
	if (!said) {
		said = 1;
		fprintf(stderr, "vgpu: no /dev/vgpu, running the device inside this process\n");
	}
	return &vgpu_transport_embedded;
}

unsigned int vgpu_transport_devices(const struct vgpu_transport_ops *ops, unsigned int *index,
				    unsigned int room)
{
	unsigned int count = 0, n;
	char path[32];

	if (!strcmp(ops->name, vgpu_transport_embedded.name)) {
		for (n = 0; n < vgpu_embedded_devices() && count < room; n++)
			index[count++] = n;
		return count;
	}
	for (n = 0; n < room; n++) {
		snprintf(path, sizeof(path), "/dev/vgpu%u", n);
		if (!access(path, F_OK))
			index[count++] = n;
	}
	if (!count)
		index[count++] = 0;
	return count;
}
