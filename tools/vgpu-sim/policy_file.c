// SPDX-License-Identifier: MIT
/*
 * vgpu-sim: a policy from a file (sim-device/vgpu_policy_file.h).
 */
#include <dlfcn.h>

#include "sim.h"
#include "vgpu_policy_file.h"
#include "vgpu_policy_services.h"

/* What it may call is linked, and named for it (services.list). */
#define ADDRESS(name) (const void *)(name),
__attribute__((used)) static const void *const services[] = { VGPU_POLICY_SERVICES(ADDRESS) };

const char *sim_policy_load(const char *path, const char **wrong)
{
	void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct vgpu_policy_file *found;

	if (!file) {
		*wrong = dlerror();
		return NULL;
	}
	found = dlsym(file, "vgpu_policy_file");
	if (!found)
		*wrong = "has no policy; one ends with VGPU_POLICY() (vgpu_policy_file.h)";
	else if (found->policy_bytes != sizeof(struct vgpu_policy))
		*wrong = "was compiled with another vgpu_policy.h; compile it again";
	else
		switch (vgpu_policy_add(found->policy)) {
		case 0: return found->policy->name;
		case -EEXIST: *wrong = "has the name of a policy that vgpu-sim has"; break;
		default: *wrong = "lacks schedule(), or its private data or its name are too long";
		}
	dlclose(file);
	return NULL;
}
