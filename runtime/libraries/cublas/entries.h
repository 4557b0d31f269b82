/* SPDX-License-Identifier: MIT */
/*
 * Defines the functions of the list BLAS_LIST, with int and with int64_t, each as a call of the
 * function of namespace blas that the list names. No guard.
 */
#define CUBLAS_CALL(name, parameters, function, arguments)                                 \
	extern "C" __attribute__((visibility("default"))) cublasStatus_t CUBLAS_NAME(name) \
		parameters                                                                 \
	{                                                                                  \
		return blas::function arguments;                                           \
	}
#define CUBLAS_INT int
#define CUBLAS_NAME(name) cublas##name
#include BLAS_LIST
#undef CUBLAS_INT
#undef CUBLAS_NAME
#ifndef BLAS_INT_ONLY
#define CUBLAS_INT int64_t
#define CUBLAS_NAME(name) cublas##name##_64
#include BLAS_LIST
#undef CUBLAS_INT
#undef CUBLAS_NAME
#endif
#undef CUBLAS_CALL
#undef BLAS_LIST
