// SPDX-License-Identifier: MIT
/* cublasXt's functions of level 3, for the types that the list names. */
#include "product.h"
#include "rank.h"
#include "triangle.h"

#define CUBLAS_CALL(name, parameters, function, arguments)                              \
	extern "C" __attribute__((visibility("default"))) cublasStatus_t cublasXt##name \
		parameters                                                              \
	{                                                                               \
		return xt::function arguments;                                          \
	}
#include "cublas_xt.h"
