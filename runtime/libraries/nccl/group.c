// SPDX-License-Identifier: MIT
/*
 * Groups: what a thread calls until ncclGroupEnd is done together. Communicators come to be step by
 * step, so that none waits for one that the same thread has still to make. Operations are enqueued
 * in pieces, one of each communicator in turn: when the queue of one device is full, the others
 * have what it waits for. Sends and receives of one communicator make one exchange, behind its
 * other operations.
 */
#include <stdlib.h>

#include "comm.h"

/** struct line - what is to be enqueued for one communicator */
struct line {
	struct line *next;
	struct ncclComm *comm;
	struct nccl_call *calls, **end, *messages, **messages_end;
	struct nccl_exchange *exchange;
	bool begun;
	int slot;
};

static __thread struct {
	int depth;
	ncclResult_t status;
	struct nccl_joining *joinings;
	int joining_count;
	struct line *lines;
} group;

/* ---- communicators ------------------------------------------------------- */

static void *join_rest(void *data)
{
	struct nccl_joining *joining = data;
	ncclResult_t status = ncclSuccess;

	for (int step = 1; step < NCCL_JOIN_STEPS && status == ncclSuccess; step++)
		status = nccl_join(joining, step);
	if (joining->comm) {
		if (status != ncclSuccess && joining->comm->board)
			nccl_be(joining->comm, NCCL_FAILED);
		__atomic_store_n(&joining->comm->error, (int)status, __ATOMIC_RELEASE);
	}
	free(joining);
	return NULL;
}

/* A call that does not wait: a thread does. */
static ncclResult_t join_beside(const struct nccl_joining *joining)
{
	struct nccl_joining *copy = malloc(sizeof(*copy));
	struct ncclComm *comm = joining->comm;
	pthread_t thread;

	if (!copy)
		return nccl_say(ncclSystemError, "no memory");
	*copy = *joining;
	if (pthread_create(comm ? &comm->waiter : &thread, NULL, join_rest, copy)) {
		free(copy);
		return nccl_say(ncclSystemError, "no thread");
	}
	if (comm)
		comm->has_waiter = true;
	else
		pthread_detach(thread);
	return ncclSuccess;
}

ncclResult_t nccl_join_all(struct nccl_joining *joinings, int count)
{
	ncclResult_t status = ncclSuccess;
	bool in_progress = false;

	for (int step = 0; step < NCCL_JOIN_STEPS; step++) {
		for (int i = 0; i < count && status == ncclSuccess; i++) {
			if (joinings[i].waits || !step)
				status = nccl_join(&joinings[i], step);
			if (status == ncclSuccess && !joinings[i].waits && !step) {
				status = join_beside(&joinings[i]);
				in_progress = true;
			}
		}
	}
	for (int i = 0; i < count && status != ncclSuccess; i++)
		if (joinings[i].waits || !joinings[i].comm || !joinings[i].comm->has_waiter)
			nccl_join_undo(&joinings[i]);
	return status == ncclSuccess && in_progress ? ncclInProgress : status;
}

ncclResult_t nccl_do_join(const struct nccl_joining *joining)
{
	struct nccl_joining *grown, one = *joining;

	if (!group.depth)
		return nccl_join_all(&one, 1);
	grown = realloc(group.joinings, (size_t)(group.joining_count + 1) * sizeof(*grown));
	if (!grown)
		return nccl_say(ncclSystemError, "no memory");
	grown[group.joining_count++] = one;
	group.joinings = grown;
	return ncclSuccess;
}

/* ---- operations ---------------------------------------------------------- */

static struct line *line_of(struct ncclComm *comm)
{
	struct line *line, **at;

	for (at = &group.lines; *at; at = &(*at)->next)
		if ((*at)->comm == comm)
			return *at;
	line = calloc(1, sizeof(*line));
	if (!line)
		return NULL;
	line->comm = comm;
	line->end = &line->calls;
	line->messages_end = &line->messages;
	*at = line;
	return line;
}

static ncclResult_t collect(const struct nccl_call *call)
{
	struct nccl_call *copy = malloc(sizeof(*copy));
	struct line *line = line_of(call->comm);

	if (!copy || !line) {
		free(copy);
		return nccl_say(ncclSystemError, "no memory");
	}
	*copy = *call;
	copy->next = NULL;
	if (call->kind == NCCL_SEND || call->kind == NCCL_RECEIVE) {
		*line->messages_end = copy;
		line->messages_end = &copy->next;
	} else {
		*line->end = copy;
		line->end = &copy->next;
	}
	return ncclSuccess;
}

static void free_calls(struct nccl_call *calls)
{
	while (calls) {
		struct nccl_call *next = calls->next;

		free(calls);
		calls = next;
	}
}

/* In the order of the communicator, whatever its streams are */
static ncclResult_t begin(struct ncclComm *comm, struct nccl_call *call)
{
	enum cudaStreamCaptureStatus capture;
	cudaError_t error = cudaStreamIsCapturing(call->stream, &capture);

	if (error == cudaSuccess) {
		call->capturing = capture != cudaStreamCaptureStatusNone;
		if (call->capturing)
			error = cudaLaunchHostFunc(call->stream, nccl_barrier, comm);
		else if (comm->used &&
			 (comm->stream != call->stream || call->stream == cudaStreamPerThread))
			error = cudaStreamWaitEvent(call->stream, comm->done, 0);
	}
	return nccl_cuda(error, "before an operation");
}

/*
 * A graph may be launched between any two operations, so behind one of its operations all slots
 * are free, as before.
 */
static ncclResult_t end(struct ncclComm *comm, const struct nccl_call *call)
{
	cudaError_t error;

	if (call->capturing) {
		error = cudaLaunchHostFunc(call->stream, nccl_barrier, comm);
	} else {
		error = cudaEventRecord(comm->done, call->stream);
		comm->stream = call->stream;
		comm->used = true;
		nccl_run(comm);
	}
	return nccl_cuda(error, "behind an operation");
}

/* A piece of the first operation; it goes when it is whole. */
static ncclResult_t collective(struct line *line)
{
	struct nccl_call *call = line->calls;
	ncclResult_t status = ncclSuccess;

	if (!line->begun) {
		status = begin(line->comm, call);
		line->slot = line->comm->slot;
		line->begun = true;
	}
	if (status == ncclSuccess)
		status = nccl_collective_piece(call);
	if (status != ncclSuccess)
		return status;
	status = end(line->comm, call);
	if (call->capturing)
		line->comm->slot = line->slot;
	line->begun = false;
	line->calls = call->next;
	free(call);
	return status;
}

static ncclResult_t exchange(struct line *line)
{
	ncclResult_t status = ncclSuccess;

	if (!line->exchange)
		status = nccl_exchange_begin(line->comm, line->messages, &line->exchange);
	if (status == ncclSuccess)
		status = nccl_exchange_piece(line->exchange, line->messages);
	if (status != ncclSuccess)
		return status;
	free_calls(line->messages);
	line->messages = NULL;
	return status;
}

/* ncclInProgress: there is more to enqueue. */
static ncclResult_t line_piece(struct line *line)
{
	ncclResult_t status = nccl_cuda(cudaSetDevice(line->comm->device), "cudaSetDevice");

	if (status == ncclSuccess)
		status = line->calls ? collective(line) : exchange(line);
	if (status == ncclSuccess && (line->calls || line->messages))
		status = ncclInProgress;
	return status;
}

/* What was enqueued for part only leaves others waiting, who learn of it. */
static void line_failed(struct line *line, ncclResult_t status)
{
	nccl_fail(line->comm, status);
	free_calls(line->calls);
	free_calls(line->messages);
	line->calls = line->messages = NULL;
}

static ncclResult_t enqueue(struct line *lines)
{
	ncclResult_t status = ncclSuccess;
	int before = -1;
	bool more;

	cudaGetDevice(&before);
	do {
		more = false;
		for (struct line *line = lines; line; line = line->next) {
			ncclResult_t one = ncclSuccess;

			if (line->calls || line->messages)
				one = line_piece(line);
			if (one == ncclInProgress) {
				more = true;
			} else if (one != ncclSuccess) {
				line_failed(line, one);
				status = one;
			}
		}
	} while (more);
	cudaSetDevice(before);
	while (lines) {
		struct line *next = lines->next;

		free(lines);
		lines = next;
	}
	return status;
}

ncclResult_t nccl_do(const struct nccl_call *call)
{
	ncclResult_t status = ncclGroupStart(), ended;

	status = collect(call);
	ended = ncclGroupEnd();
	return status == ncclSuccess ? ended : status;
}

/* ---- groups -------------------------------------------------------------- */

VGPU_API ncclResult_t ncclGroupStart(void)
{
	if (!group.depth++)
		group.status = ncclSuccess;
	return ncclSuccess;
}

/* A call of the group was refused: nothing of it is done. */
static void drop_lines(void)
{
	while (group.lines) {
		struct line *next = group.lines->next;

		free_calls(group.lines->calls);
		free_calls(group.lines->messages);
		free(group.lines);
		group.lines = next;
	}
}

VGPU_API ncclResult_t ncclGroupEnd(void)
{
	struct nccl_joining *joinings = group.joinings;
	struct line *lines = group.lines;
	ncclResult_t status = group.status;
	int count = group.joining_count;

	if (!group.depth)
		return nccl_say(ncclInvalidUsage, "ncclGroupEnd: there is no ncclGroupStart");
	if (--group.depth)
		return ncclSuccess;
	group.joinings = NULL;
	group.joining_count = 0;
	if (status != ncclSuccess) {
		drop_lines();
	} else {
		group.lines = NULL;
		if (count)
			status = nccl_join_all(joinings, count);
		if (lines && (status == ncclSuccess || status == ncclInProgress))
			status = enqueue(lines);
	}
	free(joinings);
	return status;
}

void nccl_group_refused(ncclResult_t status)
{
	if (group.depth && group.status == ncclSuccess)
		group.status = status;
}

NCCL_API(ncclGroupStart);
NCCL_API(ncclGroupEnd);
