/* SPDX-License-Identifier: MIT */
/*
 * cuFFT's functions of 64-bit sizes, of halves, and of memory descriptors; of one device. What is
 * there is said in docs/libraries.md#cufft.
 */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_

#include <cudalibxt.h>
#include <cufft.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cufftXtSubFormat_t {
	CUFFT_XT_FORMAT_INPUT = 0,
	CUFFT_XT_FORMAT_OUTPUT = 1,
	CUFFT_XT_FORMAT_INPLACE = 2,
	CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 3,
	CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 4,
	CUFFT_XT_FORMAT_DISTRIBUTED_INPUT = 5,
	CUFFT_XT_FORMAT_DISTRIBUTED_OUTPUT = 6,
	CUFFT_FORMAT_UNDEFINED = 7
} cufftXtSubFormat;

typedef enum cufftXtCopyType_t {
	CUFFT_COPY_HOST_TO_DEVICE = 0,
	CUFFT_COPY_DEVICE_TO_HOST = 1,
	CUFFT_COPY_DEVICE_TO_DEVICE = 2,
	CUFFT_COPY_UNDEFINED = 3
} cufftXtCopyType;

typedef enum cufftXtQueryType_t {
	CUFFT_QUERY_1D_FACTORS = 0,
	CUFFT_QUERY_UNDEFINED = 1
} cufftXtQueryType;

typedef struct cufftXt1dFactors_t {
	long long int size;
	long long int stringCount;
	long long int stringLength;
	long long int substringLength;
	long long int factor1;
	long long int factor2;
	long long int stringMask;
	long long int substringMask;
	long long int factor1Mask;
	long long int factor2Mask;
	int stringShift;
	int substringShift;
	int factor1Shift;
	int factor2Shift;
} cufftXt1dFactors;

typedef enum cufftXtWorkAreaPolicy_t {
	CUFFT_WORKAREA_MINIMAL = 0,
	CUFFT_WORKAREA_USER = 1,
	CUFFT_WORKAREA_PERFORMANCE = 2
} cufftXtWorkAreaPolicy;

typedef enum cufftXtCallbackType_t {
	CUFFT_CB_LD_COMPLEX = 0,
	CUFFT_CB_LD_COMPLEX_DOUBLE = 1,
	CUFFT_CB_LD_REAL = 2,
	CUFFT_CB_LD_REAL_DOUBLE = 3,
	CUFFT_CB_ST_COMPLEX = 4,
	CUFFT_CB_ST_COMPLEX_DOUBLE = 5,
	CUFFT_CB_ST_REAL = 6,
	CUFFT_CB_ST_REAL_DOUBLE = 7,
	CUFFT_CB_UNDEFINED = 8
} cufftXtCallbackType;

/* Callbacks: with offsets of the host's size, and of 64 bits */
#define CUFFT_CALLBACKS(prefix, offset_type)                                                       \
	typedef cufftComplex (*prefix##LoadC)(void *in, offset_type offset, void *info,            \
					      void *shared);                                       \
	typedef cufftDoubleComplex (*prefix##LoadZ)(void *in, offset_type offset, void *info,      \
						    void *shared);                                 \
	typedef cufftReal (*prefix##LoadR)(void *in, offset_type offset, void *info,               \
					   void *shared);                                          \
	typedef cufftDoubleReal (*prefix##LoadD)(void *in, offset_type offset, void *info,         \
						 void *shared);                                    \
	typedef void (*prefix##StoreC)(void *out, offset_type offset, cufftComplex element,        \
				       void *info, void *shared);                                  \
	typedef void (*prefix##StoreZ)(void *out, offset_type offset, cufftDoubleComplex element,  \
				       void *info, void *shared);                                  \
	typedef void (*prefix##StoreR)(void *out, offset_type offset, cufftReal element,           \
				       void *info, void *shared);                                  \
	typedef void (*prefix##StoreD)(void *out, offset_type offset, cufftDoubleReal element,     \
				       void *info, void *shared);
CUFFT_CALLBACKS(cufftCallback, size_t)
CUFFT_CALLBACKS(cufftJITCallback, unsigned long long)
#undef CUFFT_CALLBACKS

cufftResult CUFFTAPI cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n,
					 long long int *inembed, long long int istride,
					 long long int idist, cudaDataType inputtype,
					 long long int *onembed, long long int ostride,
					 long long int odist, cudaDataType outputtype,
					 long long int batch, size_t *workSize,
					 cudaDataType executiontype);
cufftResult CUFFTAPI cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n,
					long long int *inembed, long long int istride,
					long long int idist, cudaDataType inputtype,
					long long int *onembed, long long int ostride,
					long long int odist, cudaDataType outputtype,
					long long int batch, size_t *workSize,
					cudaDataType executiontype);
cufftResult CUFFTAPI cufftXtExec(cufftHandle plan, void *input, void *output, int direction);

/* Memory descriptors */
cufftResult CUFFTAPI cufftXtSetGPUs(cufftHandle plan, int nGPUs, int *whichGPUs);
cufftResult CUFFTAPI cufftXtMalloc(cufftHandle plan, cudaLibXtDesc **descriptor,
				   cufftXtSubFormat format);
cufftResult CUFFTAPI cufftXtMemcpy(cufftHandle plan, void *dstPointer, void *srcPointer,
				   cufftXtCopyType type);
cufftResult CUFFTAPI cufftXtFree(cudaLibXtDesc *descriptor);
cufftResult CUFFTAPI cufftXtSetWorkArea(cufftHandle plan, void **workArea);
cufftResult CUFFTAPI cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy policy,
					      size_t *workSize);
cufftResult CUFFTAPI cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *input,
					   cudaLibXtDesc *output, int direction);
cufftResult CUFFTAPI cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *input,
					      cudaLibXtDesc *output, int direction);
cufftResult CUFFTAPI cufftXtExecDescriptorR2C(cufftHandle plan, cudaLibXtDesc *input,
					      cudaLibXtDesc *output);
cufftResult CUFFTAPI cufftXtExecDescriptorC2R(cufftHandle plan, cudaLibXtDesc *input,
					      cudaLibXtDesc *output);
cufftResult CUFFTAPI cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *input,
					      cudaLibXtDesc *output, int direction);
cufftResult CUFFTAPI cufftXtExecDescriptorD2Z(cufftHandle plan, cudaLibXtDesc *input,
					      cudaLibXtDesc *output);
cufftResult CUFFTAPI cufftXtExecDescriptorZ2D(cufftHandle plan, cudaLibXtDesc *input,
					      cudaLibXtDesc *output);
cufftResult CUFFTAPI cufftXtQueryPlan(cufftHandle plan, void *queryStruct,
				      cufftXtQueryType queryType);

/* These refuse. */
cufftResult CUFFTAPI cufftXtSetCallback(cufftHandle plan, void **callback_routine,
					cufftXtCallbackType cbType, void **caller_info);
cufftResult CUFFTAPI cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType cbType);
cufftResult CUFFTAPI cufftXtSetCallbackSharedSize(cufftHandle plan, cufftXtCallbackType cbType,
						  size_t sharedSize);
cufftResult CUFFTAPI cufftXtSetJITCallback(cufftHandle plan, const char *lto_callback_symbol_name,
					   const void *lto_callback_fatbin,
					   size_t lto_callback_fatbin_size,
					   cufftXtCallbackType type, void **caller_info);

#ifdef __cplusplus
}
#endif

#endif
