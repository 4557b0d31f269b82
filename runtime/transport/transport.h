/* SPDX-License-Identifier: MIT */
/*
 * How commands reach a device: one table of operations, one file for each way. ioctl.c, uring.c and
 * mapped.c talk to /dev/vgpuN, embedded.c runs the device inside this process. All functions may be
 * called by several threads; all return 0 or a negative errno with the meaning uapi/vgpu.h gives
 * it.
 */
#ifndef VGPU_TRANSPORT_H
#define VGPU_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu.h"

/* What a transport can do that another, or an older module, cannot. */
#define VGPU_TRANSPORT_VIEWS	1u	/* mem_create() to mem_rights() */
#define VGPU_TRANSPORT_EXPORT	2u	/* mem_export() and mem_import() */
#define VGPU_TRANSPORT_NAMES	4u	/* mem_retain(), mem_name() and mem_open() */

struct vgpu_transport;		/* what an open device is, each transport has its own */

/**
 * struct vgpu_transport_ops - one way to a device
 * @open: @index chooses the device; a failure is explained in @message, one line for a person
 * @close: ends the context with all that is in it
 * @map_managed: managed memory at a range that is reserved in this process, which it then maps
 * @unmap_managed: the range is only reserved again
 * @advise: enum vgpu_advice for whole pages of one range of managed memory
 * @map_host: memory of this process at @address, whole pages, becomes usable by kernels at the same
 *   address, in place; NULL: the transport cannot have that. 0, or 1: kernels may only read it,
 *   because this process may only read some of it. -EFAULT: some of it is not there; -EEXIST: some
 *   of it is mapped
 * @unmap_host: a range as it was mapped; nothing uses it when this returns
 * @abilities: VGPU_TRANSPORT_*; NULL: none of them
 * @mem_create: device memory that is not mapped; @handle is the context's name for it
 * @mem_release: the handle is no more; what is mapped stays
 * @mem_view: maps pages of it, from @offset on, with enum vgpu_rights; unmap() undoes it
 * @mem_rights: other rights for exactly what mem_view() has mapped
 * @mem_export: @fd is a file that stands for it, in whatever process
 * @mem_import: a handle for such a file
 * @mem_retain: a handle for exactly what map() has mapped, which becomes memory of mem_create()
 * @mem_name: a random name by which other processes of the user open what a handle names, until
 *   mem_release()
 * @mem_open: a handle for what has such a name; -ENOENT: nothing that this process may have
 * @peek: reads device memory of a context that has died
 * @submit: @failed on -EINVAL and -EFAULT: index of the wrong command
 * @host_wait: until the HOST command @seq of the queue is due, -ETIMEDOUT: not within a short time;
 *   unlike @wait it leaves the device to those who wait, if there are any
 * @host_done: HOST commands of the queue up to @seq wait no longer
 * @name_work: the program calls the queue, or with @seq the range of its time in which it has made
 *   that command, which has not been submitted, @text. NULL: that is of no use
 * @limit_sms: the context has at most @sms SMs at once
 * @wait: timeout_ns as in struct vgpu_wait; @completed the newest completed sequence number, set on
 *   -ETIMEDOUT too
 */
struct vgpu_transport_ops {
	const char *name;
	bool process_memory;	/* kernels, but no fills, use all memory of this process */
	int (*open)(unsigned int index, struct vgpu_transport **out, char *message,
		    size_t message_bytes);
	void (*close)(struct vgpu_transport *t);
	int (*device_info)(struct vgpu_transport *t, struct vgpu_device_info *info);
	int (*context_info)(struct vgpu_transport *t, struct vgpu_context_info *info);
	int (*queue_create)(struct vgpu_transport *t, uint32_t *queue);
	int (*queue_destroy)(struct vgpu_transport *t, uint32_t queue);
	int (*module_load)(struct vgpu_transport *t, const void *binary, uint32_t bytes,
			   char *message, size_t message_bytes, uint32_t *module);
	int (*module_unload)(struct vgpu_transport *t, uint32_t module);
	int (*map)(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
	int (*unmap)(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
	int (*map_managed)(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
	int (*unmap_managed)(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
	int (*advise)(struct vgpu_transport *t, uint64_t address, uint64_t bytes, uint32_t advice);
	int (*map_host)(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
	int (*unmap_host)(struct vgpu_transport *t, uint64_t address, uint64_t bytes);
	unsigned int (*abilities)(struct vgpu_transport *t);
	int (*mem_create)(struct vgpu_transport *t, uint64_t bytes, uint32_t *handle);
	int (*mem_release)(struct vgpu_transport *t, uint32_t handle);
	int (*mem_view)(struct vgpu_transport *t, uint64_t address, uint64_t bytes,
			uint32_t handle, uint64_t offset, uint32_t rights);
	int (*mem_rights)(struct vgpu_transport *t, uint64_t address, uint64_t bytes,
			  uint32_t rights);
	int (*mem_export)(struct vgpu_transport *t, uint32_t handle, int *fd);
	int (*mem_import)(struct vgpu_transport *t, int fd, uint32_t *handle, uint64_t *bytes);
	int (*mem_retain)(struct vgpu_transport *t, uint64_t address, uint64_t bytes,
			  uint32_t *handle);
	int (*mem_name)(struct vgpu_transport *t, uint32_t handle, uint64_t name[2]);
	int (*mem_open)(struct vgpu_transport *t, const uint64_t name[2], uint32_t *handle,
			uint64_t *bytes);
	int (*peek)(struct vgpu_transport *t, uint64_t address, void *memory, uint64_t bytes);
	int (*submit)(struct vgpu_transport *t, uint32_t queue, const struct vgpu_cmd *commands,
		      uint32_t count, uint32_t *failed, uint64_t *seq);
	int (*host_wait)(struct vgpu_transport *t, uint32_t queue, uint64_t seq);
	int (*host_done)(struct vgpu_transport *t, uint32_t queue, uint64_t seq);
	void (*name_work)(struct vgpu_transport *t, uint32_t queue, uint64_t seq,
			  const char *text);
	int (*limit_sms)(struct vgpu_transport *t, uint32_t sms);
	int (*wait)(struct vgpu_transport *t, uint32_t queue, uint64_t seq, int64_t timeout_ns,
		    uint64_t *completed);
};

extern const struct vgpu_transport_ops vgpu_transport_ioctl;
extern const struct vgpu_transport_ops vgpu_transport_uring;
extern const struct vgpu_transport_ops vgpu_transport_mapped;
extern const struct vgpu_transport_ops vgpu_transport_embedded;

/**
 * vgpu_transport_select - the way VGPU_TRANSPORT asks for; without it /dev/vgpu when it is there,
 * else embedded, which is said once on stderr
 *
 * NULL: the variable has a value there is no transport for; @message says which there are.
 */
const struct vgpu_transport_ops *vgpu_transport_select(char *message, size_t message_bytes);

/**
 * vgpu_transport_devices - the devices @ops reaches, when nobody says which are wanted
 * @index: their numbers, ascending; room for @room
 *
 * At least one: where there is none, opening number 0 says why.
 */
unsigned int vgpu_transport_devices(const struct vgpu_transport_ops *ops, unsigned int *index,
				    unsigned int room);

/* embedded_config.c: as many as VGPU_PRESET names */
unsigned int vgpu_embedded_devices(void);

#endif
