/* SPDX-License-Identifier: MIT */
/*
 * Device memory apart from addresses. Functions return 0 or a negative errno; those named must_*
 * end the test when they fail.
 */
#ifndef VGPU_VIEWS_H
#define VGPU_VIEWS_H

#include "vgpu_client.h"

static inline int mem_create(int fd, uint64_t bytes, uint32_t *handle)
{
	struct vgpu_mem_create create = { .bytes = bytes };
	int ret = call(fd, VGPU_IOC_MEM_CREATE, &create);

	*handle = create.handle;
	return ret;
}

static inline int mem_release(int fd, uint32_t handle)
{
	struct vgpu_mem_release release = { .handle = handle };

	return call(fd, VGPU_IOC_MEM_RELEASE, &release);
}

static inline int mem_view(int fd, uint64_t address, uint64_t bytes, uint32_t handle,
			   uint64_t offset, uint32_t rights)
{
	struct vgpu_mem_view view = { address, bytes, offset, handle, rights };

	return call(fd, VGPU_IOC_MEM_VIEW, &view);
}

static inline int mem_rights(int fd, uint64_t address, uint64_t bytes, uint32_t rights)
{
	struct vgpu_mem_rights args = { .address = address, .bytes = bytes, .rights = rights };

	return call(fd, VGPU_IOC_MEM_RIGHTS, &args);
}

/* A file descriptor or a negative errno. */
static inline int mem_export(int fd, uint32_t handle)
{
	struct vgpu_mem_export export = { .handle = handle };
	int ret = call(fd, VGPU_IOC_MEM_EXPORT, &export);

	return ret ? ret : export.fd;
}

static inline int mem_import(int fd, int from, uint32_t *handle)
{
	struct vgpu_mem_import import = { .fd = from };
	int ret = call(fd, VGPU_IOC_MEM_IMPORT, &import);

	*handle = import.handle;
	return ret;
}

static inline int mem_retain(int fd, uint64_t address, uint64_t bytes, uint32_t *handle)
{
	struct vgpu_mem_retain retain = { .address = address, .bytes = bytes };
	int ret = call(fd, VGPU_IOC_MEM_RETAIN, &retain);

	*handle = retain.handle;
	return ret;
}

/** struct name - of memory */
struct name {
	uint64_t word[2];
};

static inline int mem_name(int fd, uint32_t handle, struct name *name)
{
	struct vgpu_mem_name args = { .handle = handle };
	int ret = call(fd, VGPU_IOC_MEM_NAME, &args);

	memcpy(name->word, args.name, sizeof(name->word));
	return ret;
}

static inline int mem_open(int fd, const struct name *name, uint32_t *handle)
{
	struct vgpu_mem_open args = { .name = { name->word[0], name->word[1] } };
	int ret = call(fd, VGPU_IOC_MEM_OPEN, &args);

	*handle = args.handle;
	return ret;
}

static inline uint32_t must_create(int fd, uint64_t bytes)
{
	uint32_t handle;

	CHECK_EQ(mem_create(fd, bytes, &handle), 0);
	return handle;
}

#endif
