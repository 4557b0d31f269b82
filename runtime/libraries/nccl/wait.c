// SPDX-License-Identifier: MIT
/*
 * Waiting for other ranks, and noticing those that never come.
 */
#include <poll.h>
#include <stdio.h>

#include "comm.h"

bool nccl_has_ended(const struct ncclComm *comm, int rank)
{
	struct pollfd end = {.fd = comm->pidfd ? comm->pidfd[rank] : -1, .events = POLLIN};

	return end.fd >= 0 && poll(&end, 1, 0) > 0;
}

/* Why the rank will never come; ncclSuccess: it may. */
static ncclResult_t lost(const struct ncclComm *comm, int rank)
{
	const struct nccl_seat *seat = &comm->board->seat[rank];
	int presence = __atomic_load_n(&seat->presence, __ATOMIC_ACQUIRE);

	if (presence == NCCL_GONE || presence == NCCL_FAILED)
		return nccl_say(ncclRemoteError, "rank %d (process %d) %s, rank %d waits for it",
				rank, seat->pid,
				presence == NCCL_GONE ? "has left the communicator"
						      : "was aborted, or met an error",
				comm->rank);
	if (nccl_has_ended(comm, rank))
		return nccl_say(ncclRemoteError,
				"process %d, which was rank %d, has ended; rank %d "
				"waits for it",
				seat->pid, rank, comm->rank);
	return ncclSuccess;
}

ncclResult_t nccl_wait(struct ncclComm *comm, nccl_condition condition, void *data)
{
	ncclResult_t error = ncclSuccess;

	for (;;) {
		uint32_t changes = __atomic_load_n(&comm->board->changes, __ATOMIC_ACQUIRE);
		int rank = comm->rank;

		if (condition(comm, data, &rank))
			return ncclSuccess;
		/* it has been looked once more since it was lost */
		if (error != ncclSuccess)
			return error;
		if (__atomic_load_n(&comm->abort, __ATOMIC_ACQUIRE))
			return ncclInternalError;
		error = lost(comm, rank);
		if (error == ncclSuccess)
			nccl_board_sleep(comm->board, changes);
	}
}

void nccl_be(struct ncclComm *comm, enum nccl_presence presence)
{
	__atomic_store_n(&comm->board->seat[comm->rank].presence, presence, __ATOMIC_RELEASE);
	nccl_board_changed(comm->board);
}

void nccl_fail(struct ncclComm *comm, ncclResult_t error)
{
	int none = ncclSuccess;

	if (!__atomic_compare_exchange_n(&comm->error, &none, (int)error, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		return;
	if (!__atomic_load_n(&comm->abort, __ATOMIC_ACQUIRE))
		fprintf(stderr, "vgpu: libnccl: %s: the results of its operations are not right\n",
			ncclGetLastError(comm));
	nccl_be(comm, NCCL_FAILED);
}

static bool all_have_done(struct ncclComm *comm, void *data, int *rank)
{
	(void)data;
	for (int i = 0; i < comm->ranks; i++) {
		uint32_t at = __atomic_load_n(&comm->board->seat[i].phase, __ATOMIC_ACQUIRE);

		if ((int32_t)(at - comm->step) < 0) {
			*rank = i;
			return false;
		}
	}
	return true;
}

void nccl_barrier(void *data)
{
	struct ncclComm *comm = data;
	ncclResult_t error;

	if (__atomic_load_n(&comm->error, __ATOMIC_ACQUIRE) != ncclSuccess)
		return;
	comm->step++;
	__atomic_store_n(&comm->board->seat[comm->rank].phase, comm->step, __ATOMIC_RELEASE);
	nccl_board_changed(comm->board);
	error = nccl_wait(comm, all_have_done, NULL);
	if (error != ncclSuccess)
		nccl_fail(comm, error);
}
