// SPDX-License-Identifier: MIT
/*
 * Versions and names: those of cuBLAS.
 */
#include "cublasLt.h"
#include "cublas_v2.h"
#include "refuse.h"

VGPU_API size_t cublasLtGetVersion(void)
{
	return CUBLAS_VERSION;
}

VGPU_API size_t cublasLtGetCudartVersion(void)
{
	return cublasGetCudartVersion();
}

VGPU_API cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
	return cublasGetProperty(type, value);
}

VGPU_API const char *cublasLtGetStatusName(cublasStatus_t status)
{
	return cublasGetStatusName(status);
}

VGPU_API const char *cublasLtGetStatusString(cublasStatus_t status)
{
	return cublasGetStatusString(status);
}
