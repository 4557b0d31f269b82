/* SPDX-License-Identifier: MIT */
/*
 * A communicator: one rank of a clique, on one device. Its operations are rows of kernels and
 * functions of the host in the caller's stream: a kernel writes to the board, a function says so
 * and waits for the other ranks, a kernel reads what they wrote. Nothing waits in a call, and the
 * order in which numbers are added is that of the ranks.
 */
#ifndef NCCL_COMM_H
#define NCCL_COMM_H

#include <pthread.h>

#include "board.h"
#include "refuse.h"

enum { NCCL_MADE_OPS = 64 };

/** struct nccl_made_op - of ncclRedOpCreatePreMulSum: the factor, or where it is on the device */
struct nccl_made_op {
	bool used;
	ncclDataType_t type;
	uint64_t value;
	const void *at;
};

/**
 * struct ncclComm - @error: the first asynchronous one, also ncclInProgress; @abort: it is to end
 * @step: collective steps done, counted by functions in the stream; @slot: which one is next,
 * counted by calls; @mapped: pairs whose slots kernels may use; @pidfd: of the other processes
 * @done: recorded behind the last operation, in @stream; @messages: see message.c
 */
struct ncclComm {
	struct ncclComm *next;
	int rank, ranks, device;
	ncclUniqueId id;
	struct nccl_board *board;
	bool registered;
	int *pidfd;
	int error, abort;
	uint32_t step, posts;
	int slot;
	bool used, finalized;
	cudaStream_t stream;
	cudaEvent_t done;
	unsigned char *mapped;
	struct nccl_messages *messages;
	struct nccl_runner *runner;
	struct nccl_made_op made[NCCL_MADE_OPS];
	pthread_t waiter;
	bool has_waiter;
};

/* Is it one? Says what is wrong. */
ncclResult_t nccl_check(const struct ncclComm *comm, const char *function);
/* As nccl_check(), and it has met no error. */
ncclResult_t nccl_check_ready(struct ncclComm *comm, const char *function);
void nccl_list(struct ncclComm *comm);
/* False: it was not in the list. */
bool nccl_unlist(struct ncclComm *comm);

/* For ncclGetLastError; on stderr, too, if NCCL_DEBUG asks for it. Returns RESULT. */
__attribute__((format(printf, 2, 3))) ncclResult_t nccl_say(ncclResult_t result, const char *text,
							    ...);
ncclResult_t nccl_cuda(cudaError_t error, const char *what);

/* ---- waiting (wait.c) ---------------------------------------------------- */

/* True: what is waited for is there. Else the rank that it is waited for. */
typedef bool (*nccl_condition)(struct ncclComm *comm, void *data, int *rank);
/* Waits. Else why not: the rank is gone or has failed, or the communicator is to end. */
ncclResult_t nccl_wait(struct ncclComm *comm, nccl_condition condition, void *data);
bool nccl_has_ended(const struct ncclComm *comm, int rank);
/* What befell an operation in a stream: the first stays, is said, and others learn of it. */
void nccl_fail(struct ncclComm *comm, ncclResult_t error);
void nccl_be(struct ncclComm *comm, enum nccl_presence presence);
/* A function in a stream: the next step, done by this rank; until all ranks have done it. */
void nccl_barrier(void *comm);

/* An operation was enqueued, and its event recorded: a thread waits for it (runner.c). */
void nccl_run(struct ncclComm *comm);
/* When all are over */
void nccl_run_end(struct ncclComm *comm);

/* ---- beginning and end (init.c) ------------------------------------------ */

/** struct nccl_joining - a communicator that comes to be, step by step, so that one thread can
 * bring several ranks in: all take a step before one takes the next. */
struct nccl_joining {
	struct ncclComm **made, *comm, *parent;
	ncclUniqueId id;
	int ranks, rank, device, color, key;
	bool waits; /* the call waits until all are there */
};

enum { NCCL_JOIN_STEPS = 4 };
ncclResult_t nccl_join(struct nccl_joining *joining, int step);
/* What has failed is undone. */
void nccl_join_undo(struct nccl_joining *joining);

/* ---- calls (call.c, group.c) --------------------------------------------- */

enum nccl_kind {
	NCCL_ALL_REDUCE,
	NCCL_REDUCE,
	NCCL_BROADCAST,
	NCCL_ALL_GATHER,
	NCCL_REDUCE_SCATTER,
	NCCL_ALL_TO_ALL,
	NCCL_GATHER,
	NCCL_SCATTER,
	NCCL_SEND,
	NCCL_RECEIVE,
};

/** struct nccl_call - @op: a sum for one of a program's, whose factor is in @factor
 * @peer: the root or the other rank; @done: bytes of a rank's that were enqueued
 */
struct nccl_call {
	struct nccl_call *next;
	enum nccl_kind kind;
	struct ncclComm *comm;
	cudaStream_t stream;
	const char *send;
	char *receive;
	size_t count, bytes, done;
	ncclDataType_t type;
	ncclRedOp_t op;
	bool scaled, capturing;
	struct nccl_made_op factor;
	int peer;
};

extern const unsigned char nccl_type_bytes[ncclNumTypes];

/* Enqueues a piece. ncclInProgress: there is more. */
ncclResult_t nccl_collective_piece(struct nccl_call *call);

/* What a thread is asked to do now or at the end of its group; it is copied. */
ncclResult_t nccl_do(const struct nccl_call *call);
ncclResult_t nccl_do_join(const struct nccl_joining *joining);
/* All now. */
ncclResult_t nccl_join_all(struct nccl_joining *joinings, int count);
/* A call was refused: so is the group that it is in. */
void nccl_group_refused(ncclResult_t status);

/* ---- messages (message.c) ------------------------------------------------ */

struct nccl_exchange;
/* Sends and receives of a communicator that go on beside each other. */
ncclResult_t nccl_exchange_begin(struct ncclComm *comm, const struct nccl_call *calls,
				 struct nccl_exchange **exchange);
/* A step. ncclInProgress: there is more. */
ncclResult_t nccl_exchange_piece(struct nccl_exchange *exchange, const struct nccl_call *calls);
void nccl_messages_free(struct ncclComm *comm);

/* ---- kernels (copy.cu, reduce_*.cu) -------------------------------------- */

/** struct nccl_piece - bytes that an exchange moves */
struct nccl_piece {
	char *to;
	const char *from;
	size_t bytes;
};

#ifdef __cplusplus
extern "C" {
#endif
/* PARTS of LENGTH bytes each, TOTAL in all; the last ones may be shorter or empty. */
cudaError_t nccl_copy(cudaStream_t stream, void *to, size_t to_stride, const void *from,
		      size_t from_stride, int parts, size_t length, size_t total);
/* The pieces that are in *LIST when the kernel runs, *COUNT of them */
cudaError_t nccl_copy_pieces(cudaStream_t stream, const struct nccl_piece *list, const int *count);

/** struct nccl_reduction - element i of @to becomes that of @parts arrays, @stride bytes apart */
struct nccl_reduction {
	void *to;
	const void *from;
	size_t stride, count;
	int parts, op;
};
cudaError_t nccl_reduce(cudaStream_t stream, ncclDataType_t type,
			const struct nccl_reduction *reduction);
/* COUNT elements times a factor */
cudaError_t nccl_scale(cudaStream_t stream, ncclDataType_t type, void *to, const void *from,
		       size_t count, const struct nccl_made_op *factor);
#ifdef __cplusplus
}
#endif

/* Each function with its second name */
#define NCCL_API(name) \
	extern __typeof(name) p##name __attribute__((alias(#name), visibility("default")))

#endif
