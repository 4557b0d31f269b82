// SPDX-License-Identifier: MIT
/*
 * Which transport a process uses: what VGPU_TRANSPORT says, else the module when its device is there, else the device
 * inside the process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport.h"

const struct vgpu_transport_ops *vgpu_transport_select(char *message, size_t message_bytes)
{
	const char *wanted = getenv("VGPU_TRANSPORT");
	static int said;

	if (wanted && *wanted) {
		if (!strcmp(wanted, "ioctl"))
			return &vgpu_transport_ioctl;
		if (!strcmp(wanted, "embedded"))
			return &vgpu_transport_embedded;
		snprintf(message, message_bytes, "VGPU_TRANSPORT=%s: there is no such transport; choose ioctl or embedded",
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
