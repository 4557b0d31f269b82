// SPDX-License-Identifier: MIT
/*
 * Pools of several processes; see pool_share.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "pool_share.h"

#define MAGIC	0x6c6f702d75706776ull	/* "vgpu-pol" */
#define SEALS	(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

/** struct pool_file - what a handle of a pool has in it */
struct pool_file {
	uint64_t magic;
	struct rt_pool_name name;
	uint32_t device;		/* rt_device_place() */
	uint32_t reserved;
};

vgpuError_t rt_pool_create_shared(int device, uint64_t most, struct rt_pool **out)
{
	struct rt_state *before = rt_current;
	struct rt_pool_name name;
	vgpuError_t error;
	bool possible;

	if (!out || device < 0 || (unsigned int)device >= rt_device_count())
		return rt_result(vgpuErrorInvalidValue);
	rt_current = rt_context_on(device);
	error = rt_enter();
	possible = error == vgpuSuccess && rt_ipc_possible();
	if (error == vgpuSuccess)
		rt_leave(error);
	rt_current = before;
	if (error != vgpuSuccess)
		return error;
	if (!possible) {
		rt_message("a pool for other processes: this device is of one process alone; "
			   "memory is shared on /dev/vgpu");
		return rt_result(vgpuErrorNotSupported);
	}
	if (getrandom(&name, sizeof(name), 0) != sizeof(name))
		return rt_result(vgpuErrorMemoryAllocation);
	error = rt_pool_create(device, most, out);
	if (error == vgpuSuccess)
		rt_pool_set_name(*out, &name, false);
	return error;
}

static int make_file(const struct pool_file *contents)
{
	int file = memfd_create("vgpu-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (file < 0)
		return -errno;
	if (write(file, contents, sizeof(*contents)) != sizeof(*contents) ||
	    fcntl(file, F_ADD_SEALS, SEALS)) {
		close(file);
		return -EIO;
	}
	return file;
}

vgpuError_t rt_pool_export(struct rt_pool *pool, int *file)
{
	struct pool_file contents = { .magic = MAGIC };
	int device, made;

	if (!file || !rt_pool_name(pool, &contents.name, &device))
		return rt_result(vgpuErrorInvalidValue);
	contents.device = rt_device_place((unsigned int)device);
	made = make_file(&contents);
	if (made < 0)
		return rt_result(vgpuErrorMemoryAllocation);
	*file = made;
	return vgpuSuccess;
}

vgpuError_t rt_pool_import(int file, struct rt_pool **out)
{
	struct pool_file contents;
	vgpuError_t error;

	if (!out || pread(file, &contents, sizeof(contents), 0) != sizeof(contents) ||
	    contents.magic != MAGIC || contents.reserved)
		return rt_result(vgpuErrorInvalidValue);
	for (unsigned int n = 0; n < rt_device_count(); n++) {
		if (rt_device_place(n) != contents.device)
			continue;
		error = rt_pool_create((int)n, 0, out);
		if (error == vgpuSuccess)
			rt_pool_set_name(*out, &contents.name, true);
		return error;
	}
	return rt_result(vgpuErrorInvalidDevice);
}

vgpuError_t rt_pool_export_pointer(const void *pointer, struct rt_ipc_memory *data)
{
	return rt_ipc_export_pooled(pointer, data);
}

vgpuError_t rt_pool_import_pointer(struct rt_pool *pool, const struct rt_ipc_memory *data,
				   void **pointer)
{
	struct rt_state *before = rt_current;
	struct rt_pool_name name;
	vgpuError_t error;
	int device;

	if (!pointer || !rt_pool_name(pool, &name, &device))
		return rt_result(vgpuErrorInvalidValue);
	rt_current = rt_context_on(device);
	error = rt_ipc_open_pooled(data, &name, pointer);
	rt_current = before;
	return error;
}
