// SPDX-License-Identifier: MIT
/*
 * The calls of operations: what they want is checked and written down.
 */
#include <string.h>

#include "comm.h"

static bool reduces(enum nccl_kind kind)
{
	return kind == NCCL_ALL_REDUCE || kind == NCCL_REDUCE || kind == NCCL_REDUCE_SCATTER;
}

/* Is the rank's own memory read, and written? */
static bool reads(const struct nccl_call *call)
{
	if (call->kind == NCCL_BROADCAST || call->kind == NCCL_SCATTER)
		return call->peer == call->comm->rank;
	return call->kind != NCCL_RECEIVE;
}

static bool writes(const struct nccl_call *call)
{
	if (call->kind == NCCL_REDUCE || call->kind == NCCL_GATHER)
		return call->peer == call->comm->rank;
	return call->kind != NCCL_SEND;
}

/* One of a program's becomes a sum with a factor. */
static ncclResult_t look_up_op(const char *function, struct nccl_call *call)
{
	const struct nccl_made_op *made;
	int at = (int)call->op - ncclNumOps;

	if (!reduces(call->kind) || (call->op >= 0 && at < 0))
		return ncclSuccess;
	made = at >= 0 && at < NCCL_MADE_OPS ? &call->comm->made[at] : NULL;
	if (!made || !made->used)
		return nccl_say(ncclInvalidArgument, "%s: operation %d is none of the communicator",
				function, (int)call->op);
	if (made->type != call->type)
		return nccl_say(ncclInvalidArgument,
				"%s: operation %d was made for type %d, not %d", function,
				(int)call->op, (int)made->type, (int)call->type);
	call->scaled = true;
	call->factor = *made;
	call->op = ncclSum;
	return ncclSuccess;
}

static ncclResult_t check_call(const char *function, struct nccl_call *call)
{
	struct ncclComm *comm = call->comm;
	ncclResult_t status = nccl_check_ready(comm, function);

	if (status != ncclSuccess)
		return status;
	if ((unsigned int)call->type >= ncclNumTypes)
		return nccl_say(ncclInvalidArgument, "%s: type %d", function, (int)call->type);
	if (call->peer < 0 || call->peer >= comm->ranks)
		return nccl_say(ncclInvalidArgument, "%s: rank %d of %d", function, call->peer,
				comm->ranks);
	call->bytes = call->count * nccl_type_bytes[call->type];
	if (call->count && ((reads(call) && !call->send) || (writes(call) && !call->receive)))
		return nccl_say(ncclInvalidArgument, "%s: no memory, for %zu elements", function,
				call->count);
	return look_up_op(function, call);
}

static ncclResult_t do_call(const char *function, struct nccl_call *call)
{
	ncclResult_t status = check_call(function, call);

	if (status == ncclSuccess)
		return nccl_do(call);
	nccl_group_refused(status);
	return status;
}

#define CALL(kind_, send_, receive_, op_, peer_)               \
	({                                                     \
		struct nccl_call call_ = {.kind = kind_,       \
					  .comm = comm,        \
					  .stream = stream,    \
					  .send = send_,       \
					  .receive = receive_, \
					  .count = count,      \
					  .type = type,        \
					  .op = op_,           \
					  .peer = peer_};      \
		do_call(__func__, &call_);                     \
	})

VGPU_API ncclResult_t ncclAllReduce(const void *send, void *receive, size_t count,
				    ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
				    cudaStream_t stream)
{
	return CALL(NCCL_ALL_REDUCE, send, receive, op, 0);
}

VGPU_API ncclResult_t ncclReduce(const void *send, void *receive, size_t count, ncclDataType_t type,
				 ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
	return CALL(NCCL_REDUCE, send, receive, op, root);
}

VGPU_API ncclResult_t ncclReduceScatter(const void *send, void *receive, size_t count,
					ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
					cudaStream_t stream)
{
	return CALL(NCCL_REDUCE_SCATTER, send, receive, op, 0);
}

VGPU_API ncclResult_t ncclBroadcast(const void *send, void *receive, size_t count,
				    ncclDataType_t type, int root, ncclComm_t comm,
				    cudaStream_t stream)
{
	return CALL(NCCL_BROADCAST, send, receive, ncclSum, root);
}

VGPU_API ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root,
				ncclComm_t comm, cudaStream_t stream)
{
	return CALL(NCCL_BROADCAST, buffer, buffer, ncclSum, root);
}

VGPU_API ncclResult_t ncclAllGather(const void *send, void *receive, size_t count,
				    ncclDataType_t type, ncclComm_t comm, cudaStream_t stream)
{
	return CALL(NCCL_ALL_GATHER, send, receive, ncclSum, 0);
}

VGPU_API ncclResult_t ncclAlltoAll(const void *send, void *receive, size_t count,
				   ncclDataType_t type, ncclComm_t comm, cudaStream_t stream)
{
	return CALL(NCCL_ALL_TO_ALL, send, receive, ncclSum, 0);
}

VGPU_API ncclResult_t ncclGather(const void *send, void *receive, size_t count, ncclDataType_t type,
				 int root, ncclComm_t comm, cudaStream_t stream)
{
	return CALL(NCCL_GATHER, send, receive, ncclSum, root);
}

VGPU_API ncclResult_t ncclScatter(const void *send, void *receive, size_t count,
				  ncclDataType_t type, int root, ncclComm_t comm,
				  cudaStream_t stream)
{
	return CALL(NCCL_SCATTER, send, receive, ncclSum, root);
}

VGPU_API ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type, int peer,
			       ncclComm_t comm, cudaStream_t stream)
{
	return CALL(NCCL_SEND, send, NULL, ncclSum, peer);
}

VGPU_API ncclResult_t ncclRecv(void *receive, size_t count, ncclDataType_t type, int peer,
			       ncclComm_t comm, cudaStream_t stream)
{
	return CALL(NCCL_RECEIVE, NULL, receive, ncclSum, peer);
}

/* ---- operations of a program --------------------------------------------- */

VGPU_API ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type,
					       ncclScalarResidence_t residence, ncclComm_t comm)
{
	ncclResult_t status = nccl_check_ready(comm, __func__);
	struct nccl_made_op made = {.used = true, .type = type};

	if (status != ncclSuccess)
		return status;
	if (!op || !scalar || (unsigned int)type >= ncclNumTypes ||
	    (residence != ncclScalarDevice && residence != ncclScalarHostImmediate))
		return nccl_say(ncclInvalidArgument,
				"%s: no place for the operation, no scalar, "
				"type %d or residence %d",
				__func__, (int)type, (int)residence);
	if (residence == ncclScalarDevice)
		made.at = scalar;
	else
		memcpy(&made.value, scalar, nccl_type_bytes[type]);
	for (int i = 0; i < NCCL_MADE_OPS; i++) {
		if (comm->made[i].used)
			continue;
		comm->made[i] = made;
		*op = (ncclRedOp_t)(ncclNumOps + i);
		return ncclSuccess;
	}
	return nccl_say(ncclInvalidUsage,
			"%s: the communicator has %d operations, and no room for "
			"more",
			__func__, NCCL_MADE_OPS);
}

VGPU_API ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
	ncclResult_t status = nccl_check(comm, __func__);
	int at = (int)op - ncclNumOps;

	if (status != ncclSuccess)
		return status;
	if (at < 0 || at >= NCCL_MADE_OPS || !comm->made[at].used)
		return nccl_say(ncclInvalidArgument, "%s: operation %d is none of the communicator",
				__func__, (int)op);
	comm->made[at].used = false;
	return ncclSuccess;
}

NCCL_API(ncclAllReduce);
NCCL_API(ncclReduce);
NCCL_API(ncclReduceScatter);
NCCL_API(ncclBroadcast);
NCCL_API(ncclBcast);
NCCL_API(ncclAllGather);
NCCL_API(ncclAlltoAll);
NCCL_API(ncclGather);
NCCL_API(ncclScatter);
NCCL_API(ncclSend);
NCCL_API(ncclRecv);
NCCL_API(ncclRedOpCreatePreMulSum);
NCCL_API(ncclRedOpDestroy);
