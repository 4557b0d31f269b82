/* SPDX-License-Identifier: MIT */
/*
 * Tests that load and unload the module. VGPU_MODULE names its file.
 */
#ifndef VGPU_MODULE_H
#define VGPU_MODULE_H

#include <sys/syscall.h>

#include "vgpu_client.h"

/* 0, or a negative errno; skips the test if there is no such file. */
static inline int module_insert(const char *parameters)
{
	const char *path = getenv("VGPU_MODULE");
	int fd, ret;

	if (!path || access(path, R_OK))
		SKIP("VGPU_MODULE does not name the module");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	ret = syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;
	close(fd);
	return ret;
}

static inline int module_remove(void)
{
	return syscall(SYS_delete_module, "vgpu", O_NONBLOCK) ? -errno : 0;
}

#endif
