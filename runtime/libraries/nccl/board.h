/* SPDX-License-Identifier: MIT */
/*
 * The board: memory that all ranks of a communicator share, whether they are threads or processes.
 * It says who is there and how far each is, and the data go through it.
 *
 * It is a memfd of the process that has made the communicator's identifier; others open it through
 * /proc, by the process and the descriptor that the identifier names, and know it by 128 random
 * bits. So nothing is left of it when the processes have ended.
 *
 * Each rank has two slots for collective operations: it writes one while others still read the
 * other. Each ordered pair of ranks has two slots for messages.
 */
#ifndef NCCL_BOARD_H
#define NCCL_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "nccl.h"

enum { NCCL_RANKS_MAX = 128, NCCL_SLOT_BYTES = 256 << 10, NCCL_SLOTS = 2 };

enum nccl_presence {
	NCCL_ABSENT,
	NCCL_COMES,
	NCCL_HERE,
	NCCL_GONE, /* destroyed */
	NCCL_FAILED, /* aborted, or it met an error */
};

/** struct nccl_seat - of one rank
 * @phase: collective steps that it has done; @posts: steps of ncclCommSplit
 * @color, @key, @id: what it says in ncclCommSplit; the identifier if it is the first of a color
 */
struct nccl_seat {
	int pid, presence, device;
	uint32_t phase, posts;
	int color, key;
	ncclUniqueId id;
};

/** struct nccl_channel - from one rank to another: slots that were filled, and emptied */
struct nccl_channel {
	uint32_t filled, emptied;
};

/** struct nccl_board - @changes: of anything, a futex. Channels and slots lie behind the seats. */
struct nccl_board {
	uint64_t random[2];
	uint32_t ranks, changes;
	struct nccl_seat seat[NCCL_RANKS_MAX];
	struct nccl_channel channel[];
};

size_t nccl_board_bytes(int ranks);
/* Where slots of collective operations begin; those of messages come behind them. */
size_t nccl_board_slots(int ranks);
/* Where the two slots of messages from one rank to another begin */
size_t nccl_board_pair(int ranks, int from, int to);

/* 0, or an errno */
int nccl_board_make(ncclUniqueId *id);
/* Maps it. *WHY says what is wrong if it gives NULL. */
struct nccl_board *nccl_board_open(const ncclUniqueId *id, int ranks, const char **why);
/* All ranks have it: the descriptor of this process, if it has made the identifier, is closed. */
void nccl_board_settled(const ncclUniqueId *id);
/* Something was written: who waits looks again. */
void nccl_board_changed(struct nccl_board *board);
/* Until something changes after CHANGES was read, or 20 ms are over. */
void nccl_board_sleep(struct nccl_board *board, uint32_t changes);

#endif
