// SPDX-License-Identifier: MIT
/*
 * Driver API: names of before CUDA 4.0 of functions that have the same parameters since. Programs
 * that look names up by themselves still ask for them; those whose parameters have changed, of 32
 * bits then, are not there.
 */
#include "driver.h"

#define FORMER(name, symbol, params, args)					\
	__attribute__((visibility("default")))					\
	CUresult drv_former_##symbol params __asm__(name);			\
	CUresult drv_former_##symbol params					\
	{									\
		return symbol args;						\
	}
FORMER("cuCtxDestroy", cuCtxDestroy_v2, (CUcontext context), (context))
FORMER("cuCtxPopCurrent", cuCtxPopCurrent_v2, (CUcontext *context), (context))
FORMER("cuCtxPushCurrent", cuCtxPushCurrent_v2, (CUcontext context), (context))
FORMER("cuStreamDestroy", cuStreamDestroy_v2, (CUstream stream), (stream))
FORMER("cuEventDestroy", cuEventDestroy_v2, (CUevent event), (event))
