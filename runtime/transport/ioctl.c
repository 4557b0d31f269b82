// SPDX-License-Identifier: MIT
/*
 * The transport to /dev/vgpuN: one ioctl for each operation. An open file is a context.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device_file.h"
#include "host_memory.h"
#include "vgpu_isa.h"

int vgpu_file_call(struct vgpu_transport *t, unsigned long request, void *argument)
{
	return ioctl(t->fd, request, argument) < 0 ? -errno : 0;
}

static void device_path(unsigned int index, char *path, size_t size)
{
	if (index)
		snprintf(path, size, "/dev/vgpu%u", index);
	else
		snprintf(path, size, "/dev/vgpu");
}

/* Where a rule of udev gives the device to a group, who is in it may open it. */
static void explain_rights(const char *path, char *message, size_t size)
{
	struct group group, *found = NULL;
	char names[1024];
	struct stat file;

	if (!stat(path, &file) && file.st_gid && (file.st_mode & 0060) == 0060)
		getgrgid_r(file.st_gid, &group, names, sizeof(names), &found);
	if (found)
		snprintf(message, size,
			 "no permission to open %s: it is for the group %s (as root: adduser USER "
			 "%s), or run with VGPU_TRANSPORT=embedded",
			 path, found->gr_name, found->gr_name);
	else
		snprintf(message, size,
			 "no permission to open %s: change its mode or owner (chmod a+rw %s), or "
			 "run with VGPU_TRANSPORT=embedded",
			 path, path);
}

static void explain(const char *path, int error, char *message, size_t size)
{
	switch (error) {
	case -ENOENT:
		snprintf(message, size,
			 "%s does not exist: load the module (modprobe vgpu, or insmod vgpu.ko) or "
			 "run with VGPU_TRANSPORT=embedded",
			 path);
		break;
	case -EACCES:
	case -EPERM:
		explain_rights(path, message, size);
		break;
	case -ESHUTDOWN:
		snprintf(message, size,
			 "%s has fallen off the bus: vgpu-smi inject recover, or another device "
			 "(CUDA_VISIBLE_DEVICES)",
			 path);
		break;
	default:
		snprintf(message, size, "cannot open %s: %s", path, strerror(-error));
	}
}

int vgpu_file_open(unsigned int index, struct vgpu_transport **out, char *message, size_t size)
{
	struct vgpu_process_memory memory = { 0 };
	struct vgpu_transport *t;
	struct vgpu_version version;
	char path[32];
	int error, fd;

	device_path(index, path, sizeof(path));
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		error = -errno;
		explain(path, error, message, size);
		return error;
	}
	t = calloc(1, sizeof(*t));
	if (!t) {
		close(fd);
		snprintf(message, size, "no memory");
		return -ENOMEM;
	}
	t->fd = fd;
	memset(&version, 0, sizeof(version));
	error = vgpu_file_call(t, VGPU_IOC_VERSION, &version);
	if (error)
		snprintf(message, size, "%s is not a vgpu device: %s", path, strerror(-error));
	else if (version.version != VGPU_UAPI_VERSION || version.isa_version < VGPU_VASS_VERSION) {
		snprintf(
			message, size,
			"%s has interface %u and VASS %u, this library %u and %u: use the "
			"module and "
			"the library of one build",
			path, version.version, version.isa_version, VGPU_UAPI_VERSION,
			VGPU_VASS_VERSION);
		error = -EPROTO;
	} else {
		t->features = version.features;
		error = vgpu_file_call(t, VGPU_IOC_PROCESS_MEMORY, &memory);
		if (error)
			snprintf(message, size, "%s cannot use the memory of this process: %s",
				 path, strerror(-error));
	}
	if (error) {
		close(fd);
		free(t);
		return error;
	}
	*out = t;
	return 0;
}

void vgpu_file_close(struct vgpu_transport *t)
{
	close(t->fd);
	free(t);
}

int vgpu_file_device_info(struct vgpu_transport *t, struct vgpu_device_info *info)
{
	return vgpu_file_call(t, VGPU_IOC_DEVICE_INFO, info);
}

int vgpu_file_context_info(struct vgpu_transport *t, struct vgpu_context_info *info)
{
	return vgpu_file_call(t, VGPU_IOC_CONTEXT_INFO, info);
}

int vgpu_file_peek(struct vgpu_transport *t, uint64_t address, void *memory, uint64_t bytes)
{
	struct vgpu_mem_peek peek = { .address = address,
				      .memory = (uint64_t)(uintptr_t)memory };
	int error = 0;

	for (; bytes && !error; bytes -= peek.bytes) {
		peek.bytes = bytes < VGPU_PEEK_BYTES ? (uint32_t)bytes : VGPU_PEEK_BYTES;
		error = vgpu_file_call(t, VGPU_IOC_MEM_PEEK, &peek);
		peek.address += peek.bytes;
		peek.memory += peek.bytes;
	}
	return error;
}

int vgpu_file_queue_create(struct vgpu_transport *t, uint32_t *queue)
{
	struct vgpu_queue_create create = { 0 };
	int error = vgpu_file_call(t, VGPU_IOC_QUEUE_CREATE, &create);

	*queue = create.queue;
	return error;
}

int vgpu_file_queue_destroy(struct vgpu_transport *t, uint32_t queue)
{
	struct vgpu_queue_destroy destroy = { .queue = queue };

	return vgpu_file_call(t, VGPU_IOC_QUEUE_DESTROY, &destroy);
}

int vgpu_file_module_load(struct vgpu_transport *t, const void *binary, uint32_t bytes,
			  char *message, size_t message_bytes, uint32_t *module)
{
	struct vgpu_module_load load = {
		.binary = (uint64_t)(uintptr_t)binary,
		.bytes = bytes,
		.message_bytes = (uint32_t)message_bytes,
		.message = (uint64_t)(uintptr_t)message,
	};
	int error = vgpu_file_call(t, VGPU_IOC_MODULE_LOAD, &load);

	*module = load.module;
	return error;
}

int vgpu_file_module_unload(struct vgpu_transport *t, uint32_t module)
{
	struct vgpu_module_unload unload = { .module = module };

	return vgpu_file_call(t, VGPU_IOC_MODULE_UNLOAD, &unload);
}

int vgpu_file_map(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	struct vgpu_mem mem = { .address = address, .bytes = bytes };

	return vgpu_file_call(t, VGPU_IOC_MEM_MAP, &mem);
}

int vgpu_file_unmap(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	struct vgpu_mem mem = { .address = address, .bytes = bytes };

	return vgpu_file_call(t, VGPU_IOC_MEM_UNMAP, &mem);
}

int vgpu_file_map_managed(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	struct vgpu_mem mem = { .address = address, .bytes = bytes, .flags = VGPU_MEM_MANAGED };
	int error = vgpu_file_call(t, VGPU_IOC_MEM_MAP, &mem);

	if (error)
		return error;
	if (mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 t->fd, (off_t)(VGPU_MMAP_MANAGED + address)) != MAP_FAILED)
		return 0;
	error = -errno;
	vgpu_file_unmap(t, address, bytes);
	return error;
}

int vgpu_file_unmap_managed(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	int error = vgpu_file_unmap(t, address, bytes);

	if (error)
		return error;
	if (mmap((void *)(uintptr_t)address, bytes, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		return -errno;
	madvise((void *)(uintptr_t)address, bytes, MADV_DONTFORK);
	return 0;
}

int vgpu_file_advise(struct vgpu_transport *t, uint64_t address, uint64_t bytes, uint32_t advice)
{
	struct vgpu_mem_advise args = { .address = address, .bytes = bytes, .advice = advice };

	return vgpu_file_call(t, VGPU_IOC_MEM_ADVISE, &args);
}

/* Kernels use all memory of this process. */
int vgpu_file_map_host(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	bool writable;
	int error = vgpu_host_access(address, bytes, &writable);

	(void)t;
	return error ? error : !writable;
}

int vgpu_file_unmap_host(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	(void)t;
	(void)address;
	(void)bytes;
	return 0;
}

unsigned int vgpu_file_abilities(struct vgpu_transport *t)
{
	return (t->features & VGPU_FEATURE_VIEWS ? VGPU_TRANSPORT_VIEWS | VGPU_TRANSPORT_EXPORT :
						   0) |
	       (t->features & VGPU_FEATURE_NAMES ? VGPU_TRANSPORT_NAMES : 0);
}

int vgpu_file_mem_create(struct vgpu_transport *t, uint64_t bytes, uint32_t *handle)
{
	struct vgpu_mem_create create = { .bytes = bytes };
	int error = vgpu_file_call(t, VGPU_IOC_MEM_CREATE, &create);

	*handle = create.handle;
	return error;
}

int vgpu_file_mem_release(struct vgpu_transport *t, uint32_t handle)
{
	struct vgpu_mem_release release = { .handle = handle };

	return vgpu_file_call(t, VGPU_IOC_MEM_RELEASE, &release);
}

int vgpu_file_mem_view(struct vgpu_transport *t, uint64_t address, uint64_t bytes, uint32_t handle,
		       uint64_t offset, uint32_t rights)
{
	struct vgpu_mem_view view = { address, bytes, offset, handle, rights };

	return vgpu_file_call(t, VGPU_IOC_MEM_VIEW, &view);
}

int vgpu_file_mem_rights(struct vgpu_transport *t, uint64_t address, uint64_t bytes,
			 uint32_t rights)
{
	struct vgpu_mem_rights args = { .address = address, .bytes = bytes, .rights = rights };

	return vgpu_file_call(t, VGPU_IOC_MEM_RIGHTS, &args);
}

int vgpu_file_mem_export(struct vgpu_transport *t, uint32_t handle, int *fd)
{
	struct vgpu_mem_export export = { .handle = handle };
	int error = vgpu_file_call(t, VGPU_IOC_MEM_EXPORT, &export);

	*fd = error ? -1 : export.fd;
	return error;
}

int vgpu_file_mem_import(struct vgpu_transport *t, int fd, uint32_t *handle, uint64_t *bytes)
{
	struct vgpu_mem_import import = { .fd = fd };
	int error = vgpu_file_call(t, VGPU_IOC_MEM_IMPORT, &import);

	*handle = import.handle;
	*bytes = import.bytes;
	return error;
}

int vgpu_file_mem_retain(struct vgpu_transport *t, uint64_t address, uint64_t bytes,
			 uint32_t *handle)
{
	struct vgpu_mem_retain retain = { .address = address, .bytes = bytes };
	int error = vgpu_file_call(t, VGPU_IOC_MEM_RETAIN, &retain);

	*handle = retain.handle;
	return error;
}

int vgpu_file_mem_name(struct vgpu_transport *t, uint32_t handle, uint64_t name[2])
{
	struct vgpu_mem_name args = { .handle = handle };
	int error = vgpu_file_call(t, VGPU_IOC_MEM_NAME, &args);

	name[0] = args.name[0];
	name[1] = args.name[1];
	return error;
}

int vgpu_file_mem_open(struct vgpu_transport *t, const uint64_t name[2], uint32_t *handle,
		       uint64_t *bytes)
{
	struct vgpu_mem_open args = { .name = { name[0], name[1] } };
	int error = vgpu_file_call(t, VGPU_IOC_MEM_OPEN, &args);

	*handle = args.handle;
	*bytes = args.bytes;
	return error;
}

int vgpu_file_submit(struct vgpu_transport *t, uint32_t queue, const struct vgpu_cmd *commands,
		     uint32_t count, uint32_t *failed, uint64_t *seq)
{
	struct vgpu_submit submit = {
		.queue = queue,
		.count = count,
		.commands = (uint64_t)(uintptr_t)commands,
		.failed = *failed,
	};
	int error = vgpu_file_call(t, VGPU_IOC_SUBMIT, &submit);

	*failed = submit.failed;
	*seq = submit.seq;
	return error;
}

int vgpu_file_wait(struct vgpu_transport *t, uint32_t queue, uint64_t seq, int64_t timeout_ns,
		   uint64_t *completed)
{
	struct vgpu_wait wait = { .queue = queue, .seq = seq, .timeout_ns = timeout_ns };
	int error = vgpu_file_call(t, VGPU_IOC_WAIT, &wait);

	if (wait.completed > *completed)
		*completed = wait.completed;
	return error;
}

#define HOST_WAIT_NS	50000000

int vgpu_file_host_wait(struct vgpu_transport *t, uint32_t queue, uint64_t seq)
{
	uint64_t completed = 0;
	int error = vgpu_file_wait(t, queue, seq - 1, HOST_WAIT_NS, &completed);

	/* not all of it has come out of the ring yet */
	if (error == -EAGAIN)
		usleep(100);
	return error == -EINTR || error == -EAGAIN ? -ETIMEDOUT : error;
}

int vgpu_file_host_done(struct vgpu_transport *t, uint32_t queue, uint64_t seq)
{
	struct vgpu_host_done done = { .queue = queue, .seq = seq };
	int error;

	do
		error = vgpu_file_call(t, VGPU_IOC_HOST_DONE, &done);
	while (error == -EINTR);
	return error;
}

int vgpu_file_limit_sms(struct vgpu_transport *t, uint32_t sms)
{
	struct vgpu_context_sms limit = { .sms = sms };

	return vgpu_file_call(t, VGPU_IOC_CONTEXT_SMS, &limit);
}

const struct vgpu_transport_ops vgpu_transport_ioctl = {
	.name = "ioctl",
	.process_memory = true,
	.open = vgpu_file_open,
	.close = vgpu_file_close,
	.device_info = vgpu_file_device_info,
	.context_info = vgpu_file_context_info,
	.peek = vgpu_file_peek,
	.queue_create = vgpu_file_queue_create,
	.queue_destroy = vgpu_file_queue_destroy,
	.module_load = vgpu_file_module_load,
	.module_unload = vgpu_file_module_unload,
	.map = vgpu_file_map,
	.unmap = vgpu_file_unmap,
	.map_managed = vgpu_file_map_managed,
	.unmap_managed = vgpu_file_unmap_managed,
	.advise = vgpu_file_advise,
	.map_host = vgpu_file_map_host,
	.unmap_host = vgpu_file_unmap_host,
	.abilities = vgpu_file_abilities,
	.mem_create = vgpu_file_mem_create,
	.mem_release = vgpu_file_mem_release,
	.mem_view = vgpu_file_mem_view,
	.mem_rights = vgpu_file_mem_rights,
	.mem_export = vgpu_file_mem_export,
	.mem_import = vgpu_file_mem_import,
	.mem_retain = vgpu_file_mem_retain,
	.mem_name = vgpu_file_mem_name,
	.mem_open = vgpu_file_mem_open,
	.host_wait = vgpu_file_host_wait,
	.host_done = vgpu_file_host_done,
	.limit_sms = vgpu_file_limit_sms,
	.submit = vgpu_file_submit,
	.wait = vgpu_file_wait,
};
