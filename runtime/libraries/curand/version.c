// SPDX-License-Identifier: MIT
/*
 * Which cuRAND this is.
 */
#include "curand.h"
#include "refuse.h"

VGPU_API curandStatus_t curandGetVersion(int *version)
{
	if (!version)
		return CURAND_STATUS_OUT_OF_RANGE;
	*version = CURAND_VERSION;
	return CURAND_STATUS_SUCCESS;
}

VGPU_API curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
	static const int values[] = { CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH };

	if (!value || (unsigned int)type >= sizeof(values) / sizeof(*values))
		return CURAND_STATUS_OUT_OF_RANGE;
	*value = values[type];
	return CURAND_STATUS_SUCCESS;
}
