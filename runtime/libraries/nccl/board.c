// SPDX-License-Identifier: MIT
/*
 * Memory that ranks share; see board.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "board.h"

#define PAGE 4096ul
#define MARK 0x76677075ul /* "vgpu" */

/** struct id - what an identifier holds; the rest is zero */
struct id {
	uint64_t mark, random[2];
	int pid, fd;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made {
	struct made *next;
	struct id id;
} * made;

size_t nccl_board_slots(int ranks)
{
	size_t end = sizeof(struct nccl_board) +
		     sizeof(struct nccl_channel) * (size_t)ranks * (size_t)ranks;

	return (end + PAGE - 1) & ~(PAGE - 1);
}

size_t nccl_board_pair(int ranks, int from, int to)
{
	size_t pair = (size_t)from * (size_t)ranks + (size_t)to;

	return nccl_board_slots(ranks) + ((size_t)ranks + pair) * NCCL_SLOTS * NCCL_SLOT_BYTES;
}

size_t nccl_board_bytes(int ranks)
{
	return nccl_board_pair(ranks, ranks, 0);
}

/* One that is not closed keeps its memory until the process ends. */
static void remember(const struct id *id)
{
	struct made *new = calloc(1, sizeof(*new));

	if (!new)
		return;
	new->id = *id;
	pthread_mutex_lock(&lock);
	new->next = made;
	made = new;
	pthread_mutex_unlock(&lock);
}

int nccl_board_make(ncclUniqueId *out)
{
	struct id id = {.mark = MARK, .pid = getpid()};
	int error = 0;

	id.fd = memfd_create("nccl", MFD_CLOEXEC);
	if (id.fd < 0)
		return errno;
	if (getrandom(id.random, sizeof(id.random), 0) != (ssize_t)sizeof(id.random) ||
	    ftruncate(id.fd, (off_t)nccl_board_slots(1)) ||
	    pwrite(id.fd, id.random, sizeof(id.random), 0) != (ssize_t)sizeof(id.random))
		error = errno ? errno : EIO;
	if (error) {
		close(id.fd);
		return error;
	}
	remember(&id);
	memset(out, 0, sizeof(*out));
	memcpy(out, &id, sizeof(id));
	return 0;
}

void nccl_board_settled(const ncclUniqueId *in)
{
	struct made *found = NULL, **at;

	pthread_mutex_lock(&lock);
	for (at = &made; *at; at = &(*at)->next) {
		if (!memcmp(&(*at)->id, in, sizeof(struct id)) && (*at)->id.pid == getpid()) {
			found = *at;
			*at = found->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	if (found)
		close(found->id.fd);
	free(found);
}

/* The descriptor, or -1 and why. */
static int open_named(const struct id *id, const char **why)
{
	uint64_t random[2] = {0, 0};
	char path[64];
	int fd;

	*why = "the identifier is none of ncclGetUniqueId";
	if (id->mark != MARK || id->pid <= 0 || id->fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", id->pid, id->fd);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	*why = "the process that made the identifier has ended, is another user's, or on another "
	       "machine, or all its ranks were there before";
	if (fd < 0)
		return -1;
	if (pread(fd, random, sizeof(random), 0) == (ssize_t)sizeof(random) &&
	    !memcmp(random, id->random, sizeof(random)))
		return fd;
	close(fd);
	return -1;
}

struct nccl_board *nccl_board_open(const ncclUniqueId *in, int ranks, const char **why)
{
	struct nccl_board *board = MAP_FAILED;
	uint32_t none = 0;
	struct id id;
	int fd;

	memcpy(&id, in, sizeof(id));
	fd = open_named(&id, why);
	if (fd < 0)
		return NULL;
	*why = "no memory for what ranks share";
	/* whoever is first says how many ranks there are, before it grows for that many */
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (board != MAP_FAILED) {
		bool same =
			__atomic_compare_exchange_n(&board->ranks, &none, (uint32_t)ranks, false,
						    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
			none == (uint32_t)ranks;

		munmap(board, sizeof(*board));
		board = MAP_FAILED;
		if (!same)
			*why = "another rank has said another number of ranks";
		else if (!ftruncate(fd, (off_t)nccl_board_bytes(ranks)))
			board = mmap(NULL, nccl_board_bytes(ranks), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_NORESERVE, fd, 0);
	}
	close(fd);
	return board == MAP_FAILED ? NULL : board;
}

void nccl_board_changed(struct nccl_board *board)
{
	__atomic_fetch_add(&board->changes, 1, __ATOMIC_ACQ_REL);
	syscall(SYS_futex, &board->changes, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void nccl_board_sleep(struct nccl_board *board, uint32_t changes)
{
	const struct timespec limit = {.tv_nsec = 20000000};

	syscall(SYS_futex, &board->changes, FUTEX_WAIT, changes, &limit, NULL, 0);
}
