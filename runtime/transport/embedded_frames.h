/* SPDX-License-Identifier: MIT */
/*
 * Frames of an embedded device: zeroed pages of this process. The device's lock guards them.
 */
#ifndef VGPU_EMBEDDED_FRAMES_H
#define VGPU_EMBEDDED_FRAMES_H

/** struct vgpu_host_frames - all of one device; zeroed at first */
struct vgpu_host_frames {
	struct frame *spare;		/* given back */
	struct chunk *chunks;
	char *fresh, *fresh_end;	/* of the newest chunk, never used */
};

/* NULL: no memory */
void *vgpu_host_frame_get(struct vgpu_host_frames *frames);
void vgpu_host_frame_put(struct vgpu_host_frames *frames, void *memory);
/* All of them, the device is gone. */
void vgpu_host_frames_free(struct vgpu_host_frames *frames);

#endif
