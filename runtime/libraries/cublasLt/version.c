// SPDX-License-Identifier: MIT
/*
 * What of cuBLASLt has an answer that is no status: versions and names. All else refuses.
 */
#include "cublas_v2.h"
#include "refuse.h"

VGPU_API size_t cublasLtGetVersion(void);
VGPU_API size_t cublasLtGetCudartVersion(void);
VGPU_API cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value);
VGPU_API const char *cublasLtGetStatusName(cublasStatus_t status);
VGPU_API const char *cublasLtGetStatusString(cublasStatus_t status);

size_t cublasLtGetVersion(void)
{
	return CUBLAS_VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
	return cublasGetCudartVersion();
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
	return cublasGetProperty(type, value);
}

const char *cublasLtGetStatusName(cublasStatus_t status)
{
	return cublasGetStatusName(status);
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
	return cublasGetStatusString(status);
}
