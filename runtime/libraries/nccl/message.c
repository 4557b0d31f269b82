// SPDX-License-Identifier: MIT
/*
 * Sends and receives. Those of a group go on beside each other, whatever the others of the group
 * wait for: at each step a function in the stream looks which slots have become full or empty, and
 * writes down what can be moved; a kernel behind it moves that. A step moves a slot's content of
 * one message at least, so there are as many steps as contents.
 */
#include <stdlib.h>

#include "comm.h"

/** struct move - a message: @done bytes are over, @now are moved by the kernel of the last step */
struct move {
	bool send;
	int peer;
	char *memory;
	size_t bytes, done, now;
};

/** struct nccl_exchange - @left: steps to enqueue; @free: the one that used it is over
 * @piece, @pieces: what the next kernel is to move; memory that the device sees
 */
struct nccl_exchange {
	struct nccl_exchange *next;
	struct ncclComm *comm;
	cudaStream_t stream;
	bool capturing, begun, free;
	size_t left;
	int room, count, turn;
	struct move *move;
	struct nccl_piece *piece;
	int *pieces;
};

struct nccl_messages {
	struct nccl_exchange *first;
};

static struct nccl_channel *channel_of(const struct ncclComm *comm, int from, int to)
{
	return &comm->board->channel[from * comm->ranks + to];
}

static struct nccl_channel *channel_of_move(const struct ncclComm *comm, const struct move *move)
{
	return move->send ? channel_of(comm, comm->rank, move->peer)
			  : channel_of(comm, move->peer, comm->rank);
}

static char *slots_of_move(const struct ncclComm *comm, const struct move *move)
{
	int from = move->send ? comm->rank : move->peer, to = move->send ? move->peer : comm->rank;

	return (char *)comm->board + nccl_board_pair(comm->ranks, from, to);
}

/* ---- in the stream ------------------------------------------------------- */

/* Messages between two ranks go one after the other. */
static bool is_first(const struct nccl_exchange *exchange, int at)
{
	const struct move *move = exchange->move;

	for (int i = 0; i < at; i++)
		if (move[i].done < move[i].bytes && move[i].peer == move[at].peer &&
		    move[i].send == move[at].send)
			return false;
	return move[at].done < move[at].bytes;
}

/* Is there a slot to fill, or to empty? */
static bool has_slot(struct ncclComm *comm, const struct move *move, uint32_t *slot)
{
	struct nccl_channel *channel = channel_of_move(comm, move);
	uint32_t filled = __atomic_load_n(&channel->filled, __ATOMIC_ACQUIRE);
	uint32_t emptied = __atomic_load_n(&channel->emptied, __ATOMIC_ACQUIRE);

	*slot = (move->send ? filled : emptied) % NCCL_SLOTS;
	return move->send ? filled - emptied < NCCL_SLOTS : filled != emptied;
}

/* What can be moved now; of what cannot, one after the other is looked at for its rank. */
static bool find_pieces(struct ncclComm *comm, void *data, int *rank)
{
	struct nccl_exchange *exchange = data;
	bool left = false;

	*exchange->pieces = 0;
	for (int i = 0; i < exchange->count; i++) {
		struct move *move = &exchange->move[i];
		size_t rest = move->bytes - move->done;
		uint32_t slot;
		char *at;

		if (!is_first(exchange, i))
			continue;
		left = true;
		if (!has_slot(comm, move, &slot))
			continue;
		at = slots_of_move(comm, move) + slot * (size_t)NCCL_SLOT_BYTES;
		move->now = rest < NCCL_SLOT_BYTES ? rest : NCCL_SLOT_BYTES;
		exchange->piece[(*exchange->pieces)++] = (struct nccl_piece){
			.to = move->send ? at : move->memory + move->done,
			.from = move->send ? move->memory + move->done : at,
			.bytes = move->now,
		};
	}
	if (left && !*exchange->pieces) {
		do
			exchange->turn = (exchange->turn + 1) % exchange->count;
		while (!is_first(exchange, exchange->turn));
		*rank = exchange->move[exchange->turn].peer;
		return false;
	}
	return true;
}

/* What the last kernel has moved is there. */
static void tell_moved(struct nccl_exchange *exchange)
{
	bool changed = false;

	for (int i = 0; i < exchange->count; i++) {
		struct move *move = &exchange->move[i];
		struct nccl_channel *channel = channel_of_move(exchange->comm, move);

		if (!move->now)
			continue;
		__atomic_fetch_add(move->send ? &channel->filled : &channel->emptied, 1,
				   __ATOMIC_RELEASE);
		move->done += move->now;
		move->now = 0;
		changed = true;
	}
	if (changed)
		nccl_board_changed(exchange->comm->board);
}

static void step(void *data)
{
	struct nccl_exchange *exchange = data;
	struct ncclComm *comm = exchange->comm;
	ncclResult_t error;

	if (!exchange->begun) {
		exchange->begun = true;
		for (int i = 0; i < exchange->count; i++)
			exchange->move[i].done = exchange->move[i].now = 0;
	}
	*exchange->pieces = 0;
	if (__atomic_load_n(&comm->error, __ATOMIC_ACQUIRE) != ncclSuccess)
		return;
	tell_moved(exchange);
	error = nccl_wait(comm, find_pieces, exchange);
	if (error == ncclSuccess)
		return;
	*exchange->pieces = 0;
	nccl_fail(comm, error);
}

static void last_step(void *data)
{
	struct nccl_exchange *exchange = data;

	if (__atomic_load_n(&exchange->comm->error, __ATOMIC_ACQUIRE) == ncclSuccess)
		tell_moved(exchange);
	exchange->begun = false;
	if (!exchange->capturing)
		__atomic_store_n(&exchange->free, true, __ATOMIC_RELEASE);
}

/* ---- enqueueing ---------------------------------------------------------- */

/* Kernels may use the slots of the pair. */
static cudaError_t map_pair(struct ncclComm *comm, const struct move *move)
{
	unsigned char *mapped = &comm->mapped[move->peer + (move->send ? 0 : NCCL_RANKS_MAX)];
	cudaError_t error;

	/* what it sends to itself it receives from the same slots */
	if (move->peer == comm->rank)
		mapped = &comm->mapped[comm->rank];
	if (*mapped)
		return cudaSuccess;
	error = cudaHostRegister(slots_of_move(comm, move), NCCL_SLOTS * NCCL_SLOT_BYTES,
				 cudaHostRegisterPortable);
	*mapped = error == cudaSuccess;
	return error;
}

static void free_exchange(struct nccl_exchange *exchange)
{
	if (exchange->piece)
		cudaFreeHost(exchange->piece);
	free(exchange->move);
	free(exchange);
}

/* One that is over and has room, or a new one */
static struct nccl_exchange *get_exchange(struct ncclComm *comm, int room)
{
	struct nccl_exchange *exchange;
	size_t bytes;

	if (!comm->messages)
		comm->messages = calloc(1, sizeof(*comm->messages));
	if (!comm->messages)
		return NULL;
	for (exchange = comm->messages->first; exchange; exchange = exchange->next) {
		if (__atomic_load_n(&exchange->free, __ATOMIC_ACQUIRE) && exchange->room >= room) {
			exchange->free = false;
			return exchange;
		}
	}
	exchange = calloc(1, sizeof(*exchange));
	if (!exchange)
		return NULL;
	bytes = (size_t)room * sizeof(*exchange->piece);
	exchange->move = calloc((size_t)room, sizeof(*exchange->move));
	if (!exchange->move || cudaHostAlloc((void **)&exchange->piece, bytes + sizeof(int),
					     cudaHostAllocPortable) != cudaSuccess) {
		free_exchange(exchange);
		return NULL;
	}
	exchange->pieces = (int *)((char *)exchange->piece + bytes);
	exchange->room = room;
	exchange->comm = comm;
	exchange->next = comm->messages->first;
	comm->messages->first = exchange;
	return exchange;
}

void nccl_messages_free(struct ncclComm *comm)
{
	while (comm->messages && comm->messages->first) {
		struct nccl_exchange *exchange = comm->messages->first;

		comm->messages->first = exchange->next;
		free_exchange(exchange);
	}
	free(comm->messages);
	for (int i = 0; i < 2 * NCCL_RANKS_MAX; i++) {
		struct move move = {.peer = i % NCCL_RANKS_MAX, .send = i < NCCL_RANKS_MAX};

		if (comm->mapped[i])
			cudaHostUnregister(slots_of_move(comm, &move));
	}
}

static cudaError_t write_down(struct nccl_exchange *exchange, const struct nccl_call *calls)
{
	cudaError_t error = cudaSuccess;

	exchange->count = 0;
	exchange->left = 1;
	for (; calls && error == cudaSuccess; calls = calls->next) {
		struct move *move = &exchange->move[exchange->count];

		if (!calls->bytes)
			continue;
		*move = (struct move){
			.send = calls->kind == NCCL_SEND,
			.peer = calls->peer,
			.memory = calls->kind == NCCL_SEND ? (char *)calls->send : calls->receive,
			.bytes = calls->bytes,
		};
		exchange->left += (calls->bytes + NCCL_SLOT_BYTES - 1) / NCCL_SLOT_BYTES;
		exchange->count++;
		error = map_pair(exchange->comm, move);
	}
	return error;
}

/* The stream of the exchange, that of the first message, waits for the others'. */
static cudaError_t wait_for_streams(struct ncclComm *comm, const struct nccl_call *calls)
{
	const struct nccl_call *first = calls;
	cudaError_t error = cudaSuccess;

	if (comm->used)
		error = cudaStreamWaitEvent(first->stream, comm->done, 0);
	for (; calls && error == cudaSuccess; calls = calls->next) {
		if (calls->stream == first->stream)
			continue;
		error = cudaEventRecord(comm->done, calls->stream);
		if (error == cudaSuccess)
			error = cudaStreamWaitEvent(first->stream, comm->done, 0);
	}
	return error;
}

ncclResult_t nccl_exchange_begin(struct ncclComm *comm, const struct nccl_call *calls,
				 struct nccl_exchange **out)
{
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	enum cudaStreamCaptureStatus capture;
	struct nccl_exchange *exchange;
	cudaError_t error;
	int count = 0;

	for (const struct nccl_call *call = calls; call; call = call->next)
		count++;
	cudaThreadExchangeStreamCaptureMode(&mode);
	exchange = get_exchange(comm, count);
	error = exchange ? write_down(exchange, calls) : cudaErrorMemoryAllocation;
	cudaThreadExchangeStreamCaptureMode(&mode);
	if (error == cudaSuccess)
		error = cudaStreamIsCapturing(calls->stream, &capture);
	if (error != cudaSuccess)
		return nccl_cuda(error, "memory for messages");
	*out = exchange;
	exchange->stream = calls->stream;
	exchange->capturing = capture != cudaStreamCaptureStatusNone;
	if (!exchange->capturing)
		error = wait_for_streams(comm, calls);
	return nccl_cuda(error, "before messages");
}

/* Behind the last one all streams wait for it. */
static ncclResult_t end(struct nccl_exchange *exchange, const struct nccl_call *calls)
{
	struct ncclComm *comm = exchange->comm;
	cudaError_t error;

	error = cudaLaunchHostFunc(exchange->stream, last_step, exchange);
	if (exchange->capturing || error != cudaSuccess)
		return nccl_cuda(error, "the last step of messages");
	error = cudaEventRecord(comm->done, exchange->stream);
	comm->stream = exchange->stream;
	comm->used = true;
	nccl_run(comm);
	for (; calls && error == cudaSuccess; calls = calls->next)
		if (calls->stream != exchange->stream)
			error = cudaStreamWaitEvent(calls->stream, comm->done, 0);
	return nccl_cuda(error, "behind messages");
}

ncclResult_t nccl_exchange_piece(struct nccl_exchange *exchange, const struct nccl_call *calls)
{
	cudaError_t error;

	if (!--exchange->left)
		return end(exchange, calls);
	error = cudaLaunchHostFunc(exchange->stream, step, exchange);
	if (error == cudaSuccess)
		error = nccl_copy_pieces(exchange->stream, exchange->piece, exchange->pieces);
	return error == cudaSuccess ? ncclInProgress : nccl_cuda(error, "a step of messages");
}
