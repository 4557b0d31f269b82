/* SPDX-License-Identifier: MIT */
/*
 * What the transports to /dev/vgpuN share: an open file, and one ioctl for each operation
 * (ioctl.c). uring.c and mapped.c replace those that have a faster way.
 */
#ifndef VGPU_DEVICE_FILE_H
#define VGPU_DEVICE_FILE_H

#include "transport.h"

struct vgpu_transport {
	int fd;
	uint64_t features;	/* VGPU_FEATURE_* of the module */
	void *way;		/* uring.c's or mapped.c's own */
};

int vgpu_file_call(struct vgpu_transport *t, unsigned long request, void *argument);
int vgpu_file_open(unsigned int index, struct vgpu_transport **out, char *message, size_t size);
void vgpu_file_close(struct vgpu_transport *t);
int vgpu_file_device_info(struct vgpu_transport *t, struct vgpu_device_info *info);
int vgpu_file_context_info(struct vgpu_transport *t, struct vgpu_context_info *info);
int vgpu_file_queue_create(struct vgpu_transport *t, uint32_t *queue);
int vgpu_file_queue_destroy(struct vgpu_transport *t, uint32_t queue);
int vgpu_file_module_load(struct vgpu_transport *t, const void *binary, uint32_t bytes,
			  char *message, size_t message_bytes, uint32_t *module);
int vgpu_file_module_unload(struct vgpu_transport *t, uint32_t module);
int vgpu_file_peek(struct vgpu_transport *t, uint64_t address, void *memory, uint64_t bytes);
int vgpu_file_map(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
int vgpu_file_unmap(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
int vgpu_file_map_managed(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
int vgpu_file_unmap_managed(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
int vgpu_file_advise(struct vgpu_transport *t, uint64_t address, uint64_t bytes, uint32_t advice);
int vgpu_file_map_host(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
int vgpu_file_unmap_host(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
unsigned int vgpu_file_abilities(struct vgpu_transport *t);
int vgpu_file_mem_create(struct vgpu_transport *t, uint64_t bytes, uint32_t *handle);
int vgpu_file_mem_release(struct vgpu_transport *t, uint32_t handle);
int vgpu_file_mem_view(struct vgpu_transport *t, uint64_t address, uint64_t bytes, uint32_t handle,
		       uint64_t offset, uint32_t rights);
int vgpu_file_mem_rights(struct vgpu_transport *t, uint64_t address, uint64_t bytes,
			 uint32_t rights);
int vgpu_file_mem_export(struct vgpu_transport *t, uint32_t handle, int *fd);
int vgpu_file_mem_import(struct vgpu_transport *t, int fd, uint32_t *handle, uint64_t *bytes);
int vgpu_file_mem_retain(struct vgpu_transport *t, uint64_t address, uint64_t bytes,
			 uint32_t *handle);
int vgpu_file_mem_name(struct vgpu_transport *t, uint32_t handle, uint64_t name[2]);
int vgpu_file_mem_open(struct vgpu_transport *t, const uint64_t name[2], uint32_t *handle,
		       uint64_t *bytes);
int vgpu_file_submit(struct vgpu_transport *t, uint32_t queue, const struct vgpu_cmd *commands,
		     uint32_t count, uint32_t *failed, uint64_t *seq);
int vgpu_file_host_wait(struct vgpu_transport *t, uint32_t queue, uint64_t seq);
int vgpu_file_host_done(struct vgpu_transport *t, uint32_t queue, uint64_t seq);
int vgpu_file_limit_sms(struct vgpu_transport *t, uint32_t sms);
int vgpu_file_wait(struct vgpu_transport *t, uint32_t queue, uint64_t seq, int64_t timeout_ns,
		   uint64_t *completed);

#endif
