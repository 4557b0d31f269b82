// SPDX-License-Identifier: MIT
/*
 * Communicators come to be, and end.
 *
 * A new one takes its seat at the board, waits until all have theirs, and looks that no two are
 * one device of one process: their streams might share a queue, where one would wait for the other
 * for ever. Processes may share a device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "comm.h"

/* ---- the end ------------------------------------------------------------- */

static void close_processes(struct ncclComm *comm)
{
	for (int i = 0; comm->pidfd && i < comm->ranks; i++)
		if (comm->pidfd[i] >= 0)
			close(comm->pidfd[i]);
	free(comm->pidfd);
}

/* All of its operations are over, or it never had one. */
static void *release(void *data)
{
	struct ncclComm *comm = data;
	int before = -1;

	cudaGetDevice(&before);
	cudaSetDevice(comm->device);
	if (comm->used)
		cudaEventSynchronize(comm->done);
	nccl_run_end(comm);
	if (comm->board && !comm->abort)
		nccl_be(comm, NCCL_GONE);
	nccl_messages_free(comm);
	if (comm->registered)
		cudaHostUnregister((char *)comm->board + nccl_board_slots(comm->ranks));
	if (comm->done)
		cudaEventDestroy(comm->done);
	if (comm->board)
		munmap(comm->board, nccl_board_bytes(comm->ranks));
	close_processes(comm);
	free(comm->mapped);
	free(comm);
	cudaSetDevice(before);
	return NULL;
}

static void join_waiter(struct ncclComm *comm)
{
	if (comm->has_waiter)
		pthread_join(comm->waiter, NULL);
	comm->has_waiter = false;
}

VGPU_API ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
	ncclResult_t status = nccl_check_ready(comm, __func__);

	if (status != ncclSuccess)
		return status;
	comm->finalized = true;
	return comm->used ? nccl_cuda(cudaEventSynchronize(comm->done), __func__) : ncclSuccess;
}

static ncclResult_t unlist(struct ncclComm *comm, const char *function)
{
	return nccl_unlist(comm) ? ncclSuccess : nccl_check(NULL, function);
}

VGPU_API ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
	ncclResult_t status;

	if (!comm)
		return ncclSuccess;
	status = nccl_check(comm, __func__);
	if (status == ncclSuccess)
		status = unlist(comm, __func__);
	if (status != ncclSuccess)
		return status;
	join_waiter(comm);
	release(comm);
	return ncclSuccess;
}

/*
 * What is mapped can be given back when the work of all devices is over, which may be work of
 * another communicator that the caller aborts next: a thread waits for it.
 */
VGPU_API ncclResult_t ncclCommAbort(ncclComm_t comm)
{
	ncclResult_t status;
	pthread_t thread;

	if (!comm)
		return ncclSuccess;
	status = nccl_check(comm, __func__);
	if (status == ncclSuccess)
		status = unlist(comm, __func__);
	if (status != ncclSuccess)
		return status;
	__atomic_store_n(&comm->abort, 1, __ATOMIC_RELEASE);
	if (comm->board)
		nccl_be(comm, NCCL_FAILED);
	join_waiter(comm);
	if (pthread_create(&thread, NULL, release, comm))
		release(comm);
	else
		pthread_detach(thread);
	return ncclSuccess;
}

/* ---- a seat -------------------------------------------------------------- */

static ncclResult_t take_seat(struct ncclComm *comm)
{
	struct nccl_seat *seat;
	int absent = NCCL_ABSENT;
	const char *why;

	comm->board = nccl_board_open(&comm->id, comm->ranks, &why);
	if (!comm->board)
		return nccl_say(ncclInvalidArgument, "rank %d of %d: %s", comm->rank, comm->ranks,
				why);
	seat = &comm->board->seat[comm->rank];
	if (!__atomic_compare_exchange_n(&seat->presence, &absent, NCCL_COMES, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		munmap(comm->board, nccl_board_bytes(comm->ranks));
		comm->board = NULL;
		return nccl_say(ncclInvalidArgument, "rank %d of %d is there already", comm->rank,
				comm->ranks);
	}
	seat->pid = getpid();
	seat->device = comm->device;
	nccl_be(comm, NCCL_HERE);
	return ncclSuccess;
}

/*
 * A process that has taken its seat can be watched; where the kernel has no such descriptors its
 * end is not noticed.
 */
static bool is_there(struct ncclComm *comm, void *data, int *rank)
{
	const struct nccl_seat *seat = comm->board->seat;

	(void)data;
	for (int i = 0; i < comm->ranks; i++) {
		int presence = __atomic_load_n(&seat[i].presence, __ATOMIC_ACQUIRE);

		if (presence == NCCL_ABSENT || presence == NCCL_COMES) {
			*rank = i;
			return false;
		}
		if (comm->pidfd[i] < 0 && seat[i].pid != seat[comm->rank].pid)
			comm->pidfd[i] = (int)syscall(SYS_pidfd_open, seat[i].pid, 0);
	}
	return true;
}

/* While some are missing one that is there may end. */
static bool all_are_there(struct ncclComm *comm, void *data, int *rank)
{
	const struct nccl_seat *seat = comm->board->seat;

	if (is_there(comm, data, rank))
		return true;
	for (int i = 0; i < comm->ranks; i++)
		if (seat[i].presence == NCCL_FAILED || nccl_has_ended(comm, i))
			*rank = i;
	return false;
}

static ncclResult_t look_at_devices(const struct ncclComm *comm)
{
	const struct nccl_seat *seat = comm->board->seat;

	for (int i = 0; i < comm->ranks; i++)
		for (int j = 0; j < i; j++)
			if (seat[i].pid == seat[j].pid && seat[i].device == seat[j].device)
				return nccl_say(ncclInvalidUsage,
						"ranks %d and %d are both device "
						"%d of process %d",
						j, i, seat[i].device, seat[i].pid);
	return ncclSuccess;
}

static ncclResult_t settle(struct ncclComm *comm)
{
	char *slots = (char *)comm->board + nccl_board_slots(comm->ranks);
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	ncclResult_t status;
	int before = -1;

	comm->pidfd = malloc((size_t)comm->ranks * sizeof(*comm->pidfd));
	if (!comm->pidfd)
		return nccl_say(ncclSystemError, "no memory");
	memset(comm->pidfd, -1, (size_t)comm->ranks * sizeof(*comm->pidfd));
	status = nccl_wait(comm, all_are_there, NULL);
	if (status != ncclSuccess)
		return status;
	nccl_board_settled(&comm->id);
	status = look_at_devices(comm);
	if (status != ncclSuccess)
		return status;
	cudaGetDevice(&before);
	cudaThreadExchangeStreamCaptureMode(&mode);
	status = nccl_cuda(cudaSetDevice(comm->device), "cudaSetDevice");
	if (status == ncclSuccess)
		status = nccl_cuda(
			cudaHostRegister(slots, (size_t)comm->ranks * NCCL_SLOTS * NCCL_SLOT_BYTES,
					 cudaHostRegisterPortable),
			"memory that ranks share");
	comm->registered = status == ncclSuccess;
	if (status == ncclSuccess)
		status = nccl_cuda(cudaEventCreateWithFlags(&comm->done, cudaEventDisableTiming),
				   "an event");
	cudaThreadExchangeStreamCaptureMode(&mode);
	cudaSetDevice(before);
	return status;
}

/* ---- ncclCommSplit ------------------------------------------------------- */

static bool all_have_posted(struct ncclComm *comm, void *data, int *rank)
{
	(void)data;
	for (int i = 0; i < comm->ranks; i++) {
		uint32_t at = __atomic_load_n(&comm->board->seat[i].posts, __ATOMIC_ACQUIRE);

		if ((int32_t)(at - comm->posts) < 0) {
			*rank = i;
			return false;
		}
	}
	return true;
}

static void post(struct ncclComm *comm)
{
	comm->posts++;
	__atomic_store_n(&comm->board->seat[comm->rank].posts, comm->posts, __ATOMIC_RELEASE);
	nccl_board_changed(comm->board);
}

/* Its place among those of its color, in order of keys, then ranks. Returns the first of them. */
static int place(struct nccl_joining *joining)
{
	const struct nccl_seat *seat = joining->parent->board->seat;
	int me = joining->parent->rank, first = me;

	joining->ranks = 0;
	joining->rank = 0;
	for (int i = 0; i < joining->parent->ranks; i++) {
		if (seat[i].color != joining->color)
			continue;
		joining->ranks++;
		if (seat[i].key < joining->key || (seat[i].key == joining->key && i < me))
			joining->rank++;
		if (seat[i].key < seat[first].key || (seat[i].key == seat[first].key && i < first))
			first = i;
	}
	return first;
}

static ncclResult_t split_step(struct nccl_joining *joining, int step)
{
	struct ncclComm *parent = joining->parent;
	struct nccl_seat *seat = &parent->board->seat[parent->rank];
	ncclResult_t status;
	int error = 0;

	if (!step) {
		seat->color = joining->color;
		seat->key = joining->key;
		post(parent);
		return ncclSuccess;
	}
	status = nccl_wait(parent, all_have_posted, NULL);
	if (status != ncclSuccess || step > 1)
		return status;
	if (joining->color >= 0 && place(joining) == parent->rank)
		error = nccl_board_make(&seat->id);
	post(parent);
	if (error)
		return nccl_say(ncclSystemError, "ncclCommSplit: %s", strerror(error));
	return ncclSuccess;
}

/* ---- joining ------------------------------------------------------------- */

static ncclResult_t make(struct nccl_joining *joining)
{
	struct ncclComm *comm = calloc(1, sizeof(*comm));

	if (comm)
		comm->mapped = calloc((size_t)NCCL_RANKS_MAX * 2, 1);
	if (!comm || !comm->mapped) {
		free(comm);
		return nccl_say(ncclSystemError, "no memory");
	}
	comm->device = joining->device;
	comm->error = joining->waits ? ncclSuccess : ncclInProgress;
	joining->comm = comm;
	*joining->made = comm;
	nccl_list(comm);
	return ncclSuccess;
}

static ncclResult_t sit_down(struct nccl_joining *joining)
{
	struct ncclComm *comm = joining->comm;

	comm->ranks = joining->ranks;
	comm->rank = joining->rank;
	comm->id = joining->id;
	return take_seat(comm);
}

ncclResult_t nccl_join(struct nccl_joining *joining, int step)
{
	ncclResult_t status = ncclSuccess;

	if (!step && joining->color >= 0)
		status = make(joining);
	if (joining->parent && step < 3 && status == ncclSuccess)
		status = split_step(joining, step);
	if (status != ncclSuccess || joining->color < 0)
		return status;
	if (joining->parent && step == 2)
		joining->id = joining->parent->board->seat[place(joining)].id;
	if (step == (joining->parent ? 2 : 0))
		status = sit_down(joining);
	else if (step == 3)
		status = settle(joining->comm);
	return status;
}

void nccl_join_undo(struct nccl_joining *joining)
{
	struct ncclComm *comm = joining->comm;

	if (!comm)
		return;
	*joining->made = NULL;
	nccl_unlist(comm);
	if (comm->board) {
		nccl_be(comm, NCCL_FAILED);
		comm->abort = 1;
	}
	release(comm);
	joining->comm = NULL;
}

NCCL_API(ncclCommFinalize);
NCCL_API(ncclCommDestroy);
NCCL_API(ncclCommAbort);
