// SPDX-License-Identifier: MIT
/*
 * Collective operations, piece by piece. A piece is what a slot holds: each rank writes its part
 * of it to its slot, all wait for each other, and each reads what it is to have. The slot that the
 * next piece uses is the other one; when a rank comes back to the first, all others have done the
 * step between, and so have read it.
 */
#include "comm.h"

/* More than this is added up in parts, one of each rank, which all ranks then read. */
enum { WHOLE_BYTES = 16 << 10, ALIGNMENT = 16 };

static char *slot_of(const struct ncclComm *comm, int rank)
{
	return (char *)comm->board + nccl_board_slots(comm->ranks) +
	       ((size_t)rank * NCCL_SLOTS + (size_t)comm->slot) * NCCL_SLOT_BYTES;
}

/* From one rank's slot to the next one's */
#define SLOT_STRIDE ((size_t)NCCL_SLOTS * NCCL_SLOT_BYTES)

/** struct piece - where it is in each block of the caller's, how long; and blocks in a slot */
struct piece {
	size_t at, bytes, part;
};

static size_t size_of(const struct nccl_call *call)
{
	return nccl_type_bytes[call->type];
}

/* Blocks that a rank writes: one for all ranks, or one for each. */
static int blocks_of(const struct nccl_call *call)
{
	switch (call->kind) {
	case NCCL_REDUCE_SCATTER:
	case NCCL_ALL_TO_ALL:
	case NCCL_SCATTER:
		return call->comm->ranks;
	default:
		return 1;
	}
}

static bool is_root(const struct nccl_call *call)
{
	return call->peer == call->comm->rank;
}

static ncclResult_t stage(const struct nccl_call *call, const struct piece *piece)
{
	const struct ncclComm *comm = call->comm;
	int parts = blocks_of(call);
	char *slot = slot_of(comm, comm->rank);
	cudaError_t error = cudaSuccess;

	if ((call->kind == NCCL_BROADCAST || call->kind == NCCL_SCATTER) && !is_root(call))
		return ncclSuccess;
	if (!call->scaled)
		error = nccl_copy(call->stream, slot, piece->part, call->send + piece->at,
				  call->bytes, parts, piece->bytes, (size_t)parts * piece->bytes);
	for (size_t i = 0; call->scaled && i < (size_t)parts && error == cudaSuccess; i++)
		error = nccl_scale(call->stream, call->type, slot + i * piece->part,
				   call->send + i * call->bytes + piece->at,
				   piece->bytes / size_of(call), &call->factor);
	return nccl_cuda(error, "a kernel that writes for other ranks");
}

static cudaError_t add_up(const struct nccl_call *call, char *to, size_t at, size_t bytes)
{
	const struct nccl_reduction reduction = {
		.to = to,
		.from = slot_of(call->comm, 0) + at,
		.stride = SLOT_STRIDE,
		.count = bytes / size_of(call),
		.parts = call->comm->ranks,
		.op = (int)call->op,
	};

	return nccl_reduce(call->stream, call->type, &reduction);
}

static cudaError_t take(const struct nccl_call *call, const struct piece *piece, const char *from,
			int parts)
{
	return nccl_copy(call->stream, call->receive + piece->at, call->bytes, from, SLOT_STRIDE,
			 parts, piece->bytes, (size_t)parts * piece->bytes);
}

/* Each rank adds up its part in its own slot, and takes all parts from the slots. */
static cudaError_t all_reduce_parts(const struct nccl_call *call, const struct piece *piece)
{
	const struct ncclComm *comm = call->comm;
	size_t ranks = (size_t)comm->ranks;
	size_t length =
		((piece->bytes + ranks - 1) / ranks + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	size_t at = length * (size_t)comm->rank;
	cudaError_t error = cudaSuccess;

	if (at < piece->bytes)
		error = add_up(call, slot_of(comm, comm->rank) + at, at,
			       piece->bytes - at < length ? piece->bytes - at : length);
	if (error == cudaSuccess)
		error = cudaLaunchHostFunc(call->stream, nccl_barrier, call->comm);
	if (error == cudaSuccess)
		error = nccl_copy(call->stream, call->receive + piece->at, length, slot_of(comm, 0),
				  SLOT_STRIDE + length, comm->ranks, length, piece->bytes);
	return error;
}

static ncclResult_t receive(const struct nccl_call *call, const struct piece *piece)
{
	const struct ncclComm *comm = call->comm;
	char *to = call->receive + piece->at;
	size_t mine = piece->part * (size_t)comm->rank;
	cudaError_t error = cudaSuccess;

	switch (call->kind) {
	case NCCL_ALL_REDUCE:
		if (piece->bytes > WHOLE_BYTES)
			error = all_reduce_parts(call, piece);
		else
			error = add_up(call, to, 0, piece->bytes);
		break;
	case NCCL_REDUCE:
		if (is_root(call))
			error = add_up(call, to, 0, piece->bytes);
		break;
	case NCCL_REDUCE_SCATTER:
		error = add_up(call, to, mine, piece->bytes);
		break;
	case NCCL_BROADCAST:
		error = take(call, piece, slot_of(comm, call->peer), 1);
		break;
	case NCCL_ALL_GATHER:
		error = take(call, piece, slot_of(comm, 0), comm->ranks);
		break;
	case NCCL_GATHER:
		if (is_root(call))
			error = take(call, piece, slot_of(comm, 0), comm->ranks);
		break;
	case NCCL_ALL_TO_ALL:
		error = take(call, piece, slot_of(comm, 0) + mine, comm->ranks);
		break;
	case NCCL_SCATTER:
		error = take(call, piece, slot_of(comm, call->peer) + mine, 1);
		break;
	case NCCL_SEND:
	case NCCL_RECEIVE:
		break;
	}
	return nccl_cuda(error, "a kernel that reads what other ranks wrote");
}

ncclResult_t nccl_collective_piece(struct nccl_call *call)
{
	size_t rest = call->bytes - call->done;
	size_t limit = NCCL_SLOT_BYTES / (size_t)blocks_of(call) & ~(size_t)(ALIGNMENT - 1);
	struct piece piece = {.at = call->done, .bytes = rest < limit ? rest : limit};
	ncclResult_t status;

	if (!rest)
		return ncclSuccess;
	piece.part = (piece.bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	status = stage(call, &piece);
	if (status == ncclSuccess)
		status = nccl_cuda(cudaLaunchHostFunc(call->stream, nccl_barrier, call->comm),
				   "a step of all ranks");
	if (status == ncclSuccess)
		status = receive(call, &piece);
	call->comm->slot = !call->comm->slot;
	call->done += piece.bytes;
	if (status == ncclSuccess && call->done < call->bytes)
		return ncclInProgress;
	return status;
}
