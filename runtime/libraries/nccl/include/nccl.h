/* SPDX-License-Identifier: MIT */
/*
 * Collective operations among devices, as NVIDIA's NCCL 2.27 has them; see docs/libraries.md.
 * Each function is there with a leading p, too.
 */
#ifndef NCCL_H_
#define NCCL_H_

#include <limits.h>
#include <stddef.h>

#include <cuda_runtime.h>
#ifdef __cplusplus
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

#define NCCL_MAJOR 2
#define NCCL_MINOR 27
#define NCCL_PATCH 3
#define NCCL_SUFFIX ""
#define NCCL_VERSION(major, minor, patch)                                      \
	((major) <= 2 && (minor) <= 8 ? (major)*1000 + (minor)*100 + (patch) : \
					(major)*10000 + (minor)*100 + (patch))
#define NCCL_VERSION_CODE 22703

#define NCCL_COMM_NULL NULL
#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_SPLIT_NOCOLOR -1
#define NCCL_CONFIG_UNDEF_INT INT_MIN
#define NCCL_CONFIG_UNDEF_PTR NULL
#define NCCL_UNDEF_FLOAT -1.0f
#define NCCL_WIN_DEFAULT 0
#define NCCL_WIN_COLL_SYMMETRIC 1

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ncclComm *ncclComm_t;
typedef struct ncclWindow *ncclWindow_t;

typedef struct {
	char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

typedef enum {
	ncclSuccess = 0,
	ncclUnhandledCudaError = 1,
	ncclSystemError = 2,
	ncclInternalError = 3,
	ncclInvalidArgument = 4,
	ncclInvalidUsage = 5,
	ncclRemoteError = 6,
	ncclInProgress = 7,
	ncclNumResults = 8
} ncclResult_t;

typedef enum {
	ncclInt8 = 0,
	ncclChar = 0,
	ncclUint8 = 1,
	ncclInt32 = 2,
	ncclInt = 2,
	ncclUint32 = 3,
	ncclInt64 = 4,
	ncclUint64 = 5,
	ncclFloat16 = 6,
	ncclHalf = 6,
	ncclFloat32 = 7,
	ncclFloat = 7,
	ncclFloat64 = 8,
	ncclDouble = 8,
	ncclBfloat16 = 9,
	ncclFloat8e4m3 = 10,
	ncclFloat8e5m2 = 11,
	ncclNumTypes = 12
} ncclDataType_t;

/* Values from ncclNumOps on are operations that a program has made. */
typedef enum {
	ncclSum = 0,
	ncclProd = 1,
	ncclMax = 2,
	ncclMin = 3,
	ncclAvg = 4,
	ncclNumOps = 5,
	ncclMaxRedOp = INT_MAX
} ncclRedOp_t;

typedef enum { ncclScalarDevice = 0, ncclScalarHostImmediate = 1 } ncclScalarResidence_t;

/* What is not set is NCCL_CONFIG_UNDEF_INT or NULL. */
typedef struct {
	size_t size;
	unsigned int magic;
	unsigned int version;
	int blocking;
	int cgaClusterSize;
	int minCTAs;
	int maxCTAs;
	const char *netName;
	int splitShare;
	int trafficClass;
	const char *commName;
	int collnetEnable;
	int CTAPolicy;
	int shrinkShare;
	int nvlsCTAs;
} ncclConfig_t;

#define NCCL_CONFIG_MAGIC 0xcafebeefu
#define NCCL_CONFIG_INITIALIZER                                                         \
	{                                                                               \
		sizeof(ncclConfig_t), NCCL_CONFIG_MAGIC,                                \
			NCCL_VERSION(NCCL_MAJOR, NCCL_MINOR, NCCL_PATCH), INT_MIN,      \
			INT_MIN, INT_MIN, INT_MIN, NULL, INT_MIN, INT_MIN, NULL,        \
			INT_MIN, INT_MIN, INT_MIN, INT_MIN                              \
	}

#define NCCL_CALL(type, name, arguments) \
	type name arguments;             \
	type p##name arguments

NCCL_CALL(ncclResult_t, ncclGetVersion, (int *version));
NCCL_CALL(const char *, ncclGetErrorString, (ncclResult_t result));
NCCL_CALL(const char *, ncclGetLastError, (ncclComm_t comm));
NCCL_CALL(void, ncclResetDebugInit, (void));

/* ---- communicators ------------------------------------------------------- */

NCCL_CALL(ncclResult_t, ncclGetUniqueId, (ncclUniqueId * id));
NCCL_CALL(ncclResult_t, ncclCommInitRank,
	  (ncclComm_t * comm, int nranks, ncclUniqueId id, int rank));
NCCL_CALL(ncclResult_t, ncclCommInitRankConfig,
	  (ncclComm_t * comm, int nranks, ncclUniqueId id, int rank, ncclConfig_t *config));
NCCL_CALL(ncclResult_t, ncclCommInitRankScalable,
	  (ncclComm_t * comm, int nranks, int rank, int ids, ncclUniqueId *id,
	   ncclConfig_t *config));
NCCL_CALL(ncclResult_t, ncclCommInitAll, (ncclComm_t * comms, int count, const int *devices));
NCCL_CALL(ncclResult_t, ncclCommSplit,
	  (ncclComm_t comm, int color, int key, ncclComm_t *made, ncclConfig_t *config));
NCCL_CALL(ncclResult_t, ncclCommFinalize, (ncclComm_t comm));
NCCL_CALL(ncclResult_t, ncclCommDestroy, (ncclComm_t comm));
NCCL_CALL(ncclResult_t, ncclCommAbort, (ncclComm_t comm));
NCCL_CALL(ncclResult_t, ncclCommGetAsyncError, (ncclComm_t comm, ncclResult_t *error));
NCCL_CALL(ncclResult_t, ncclCommCount, (const ncclComm_t comm, int *count));
NCCL_CALL(ncclResult_t, ncclCommCuDevice, (const ncclComm_t comm, int *device));
NCCL_CALL(ncclResult_t, ncclCommUserRank, (const ncclComm_t comm, int *rank));

/* ---- memory -------------------------------------------------------------- */

NCCL_CALL(ncclResult_t, ncclMemAlloc, (void **pointer, size_t size));
NCCL_CALL(ncclResult_t, ncclMemFree, (void *pointer));
NCCL_CALL(ncclResult_t, ncclCommRegister,
	  (const ncclComm_t comm, void *buffer, size_t size, void **handle));
NCCL_CALL(ncclResult_t, ncclCommDeregister, (const ncclComm_t comm, void *handle));
NCCL_CALL(ncclResult_t, ncclCommWindowRegister,
	  (ncclComm_t comm, void *buffer, size_t size, ncclWindow_t *window, int flags));
NCCL_CALL(ncclResult_t, ncclCommWindowDeregister, (ncclComm_t comm, ncclWindow_t window));

/* ---- operations ---------------------------------------------------------- */

NCCL_CALL(ncclResult_t, ncclRedOpCreatePreMulSum,
	  (ncclRedOp_t * op, void *scalar, ncclDataType_t type, ncclScalarResidence_t residence,
	   ncclComm_t comm));
NCCL_CALL(ncclResult_t, ncclRedOpDestroy, (ncclRedOp_t op, ncclComm_t comm));

NCCL_CALL(ncclResult_t, ncclReduce,
	  (const void *send, void *receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
	   int root, ncclComm_t comm, cudaStream_t stream));
NCCL_CALL(ncclResult_t, ncclBcast,
	  (void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
	   cudaStream_t stream));
NCCL_CALL(ncclResult_t, ncclBroadcast,
	  (const void *send, void *receive, size_t count, ncclDataType_t type, int root,
	   ncclComm_t comm, cudaStream_t stream));
NCCL_CALL(ncclResult_t, ncclAllReduce,
	  (const void *send, void *receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
	   ncclComm_t comm, cudaStream_t stream));
NCCL_CALL(ncclResult_t, ncclReduceScatter,
	  (const void *send, void *receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
	   ncclComm_t comm, cudaStream_t stream));
NCCL_CALL(ncclResult_t, ncclAllGather,
	  (const void *send, void *receive, size_t count, ncclDataType_t type, ncclComm_t comm,
	   cudaStream_t stream));
NCCL_CALL(ncclResult_t, ncclAlltoAll,
	  (const void *send, void *receive, size_t count, ncclDataType_t type, ncclComm_t comm,
	   cudaStream_t stream));
NCCL_CALL(ncclResult_t, ncclGather,
	  (const void *send, void *receive, size_t count, ncclDataType_t type, int root,
	   ncclComm_t comm, cudaStream_t stream));
NCCL_CALL(ncclResult_t, ncclScatter,
	  (const void *send, void *receive, size_t count, ncclDataType_t type, int root,
	   ncclComm_t comm, cudaStream_t stream));
NCCL_CALL(ncclResult_t, ncclSend,
	  (const void *send, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
	   cudaStream_t stream));
NCCL_CALL(ncclResult_t, ncclRecv,
	  (void *receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
	   cudaStream_t stream));
NCCL_CALL(ncclResult_t, ncclGroupStart, (void));
NCCL_CALL(ncclResult_t, ncclGroupEnd, (void));

#undef NCCL_CALL

#ifdef __cplusplus
}
#endif

#endif
