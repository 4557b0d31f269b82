// SPDX-License-Identifier: MIT
/*
 * Pages of events of several processes; see event_page.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

#include "event_page.h"

#define MAGIC	0x67702d7665757067ull	/* "gpuev-pg" */
#define SEALS	(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* A cell: the number of its record, and whether that is not over. */
#define NUMBER_BITS	47
#define NUMBERS		((1ull << NUMBER_BITS) - 1)
#define BUSY		1ull

/** struct shared - the page */
struct shared {
	uint64_t magic;
	uint64_t bits[2];		/* 0: withdrawn */
	uint64_t last;			/* a record, 0: none */
	uint32_t ended;			/* counts records that are over; a futex */
	uint32_t reserved[7];
	uint64_t cells[RT_EVENT_HOLDERS][RT_EVENT_RECORDS];
};

/** struct rt_event_page - what this process keeps for itself; others may write the page */
struct rt_event_page {
	struct rt_event_page *next;
	struct shared *shared;
	uint64_t bits[2];
	int file;
	bool made;			/* by this process */
	dev_t device;
	ino_t inode;
	unsigned int references;
	unsigned int row;
	unsigned int newest;		/* cell of it */
	uint64_t numbers[RT_EVENT_RECORDS];
	unsigned int busy[RT_EVENT_RECORDS];	/* so many _begin() are without an _end() */
};

static pthread_mutex_t pages_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_event_page *pages;

/* ---- records ------------------------------------------------------------- */

/* 0x8000 and above: so a record is never 0. */
static uint64_t record_of(unsigned int row, unsigned int cell, uint64_t number)
{
	return (0x8000ull | row << 8 | cell) << 48 | number;
}

static unsigned int row_of(uint64_t record)
{
	return (unsigned int)(record >> 56) % RT_EVENT_HOLDERS;
}

static unsigned int cell_of(uint64_t record)
{
	return (unsigned int)(record >> 48 & 0xff) % RT_EVENT_RECORDS;
}

static uint64_t number_of(uint64_t record)
{
	return record & NUMBERS;
}

/* Whoever waits looks again. */
static void wake_all(struct shared *shared)
{
	__atomic_fetch_add(&shared->ended, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &shared->ended, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void write_cell(struct rt_event_page *page, unsigned int cell)
{
	uint64_t word = page->numbers[cell] << 1 | (page->busy[cell] ? BUSY : 0);

	__atomic_store_n(&page->shared->cells[page->row][cell], word, __ATOMIC_SEQ_CST);
}

uint64_t rt_event_page_begin(struct rt_event_page *page)
{
	unsigned int cell, tried = 0;
	uint64_t record;

	pthread_mutex_lock(&pages_lock);
	cell = page->newest;
	do
		cell = (cell + 1) % RT_EVENT_RECORDS;
	while (page->busy[cell] && ++tried < RT_EVENT_RECORDS);
	if (page->busy[cell]) {
		cell = page->newest;
	} else {
		page->numbers[cell] = (page->numbers[cell] + 1) & NUMBERS;
		page->newest = cell;
	}
	page->busy[cell]++;
	write_cell(page, cell);
	record = record_of(page->row, cell, page->numbers[cell]);
	pthread_mutex_unlock(&pages_lock);
	return record;
}

void rt_event_page_publish(struct rt_event_page *page, uint64_t record)
{
	__atomic_store_n(&page->shared->last, record, __ATOMIC_SEQ_CST);
}

void rt_event_page_end(struct rt_event_page *page, uint64_t record)
{
	unsigned int cell = cell_of(record);

	pthread_mutex_lock(&pages_lock);
	if (!--page->busy[cell]) {
		write_cell(page, cell);
		wake_all(page->shared);
	}
	pthread_mutex_unlock(&pages_lock);
}

uint64_t rt_event_page_last(struct rt_event_page *page)
{
	return __atomic_load_n(&page->shared->last, __ATOMIC_SEQ_CST);
}

static bool is_held(const struct rt_event_page *page, unsigned int row)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = row, .l_len = 1 };

	return fcntl(page->file, F_GETLK, &lock) || lock.l_type != F_UNLCK;
}

/* A process's own locks are nothing to it, and it knows better what it has recorded. */
static bool own_over(const struct rt_event_page *page, uint64_t record)
{
	unsigned int cell = cell_of(record);
	bool busy;

	pthread_mutex_lock(&pages_lock);
	busy = page->busy[cell] && page->numbers[cell] == number_of(record);
	pthread_mutex_unlock(&pages_lock);
	return !busy;
}

bool rt_event_page_over(struct rt_event_page *page, uint64_t record)
{
	unsigned int row = row_of(record);
	uint64_t word;

	if (!record)
		return true;
	if (row == page->row)
		return own_over(page, record);
	word = __atomic_load_n(&page->shared->cells[row][cell_of(record)], __ATOMIC_SEQ_CST);
	return !(word & BUSY) || (word >> 1 & NUMBERS) != number_of(record) || !is_held(page, row);
}

bool rt_event_page_wait(struct rt_event_page *page, uint64_t record)
{
	static const struct timespec moment = { .tv_nsec = RT_EVENT_MOMENT_NS };
	uint32_t *ended = &page->shared->ended;
	uint32_t before = __atomic_load_n(ended, __ATOMIC_SEQ_CST);

	if (rt_event_page_over(page, record))
		return true;
	syscall(SYS_futex, ended, FUTEX_WAIT, before, &moment, NULL, 0);
	return rt_event_page_over(page, record);
}

/* ---- rows ---------------------------------------------------------------- */

/* A row that nobody has, with what its last owner has left ended. */
static int take_row(struct rt_event_page *page)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };

	for (page->row = 0; page->row < RT_EVENT_HOLDERS; page->row++) {
		lock.l_start = page->row;
		if (!fcntl(page->file, F_SETLK, &lock))
			break;
		if (errno != EACCES && errno != EAGAIN)
			return -errno;
	}
	if (page->row == RT_EVENT_HOLDERS)
		return -ENOSPC;
	for (unsigned int cell = 0; cell < RT_EVENT_RECORDS; cell++) {
		page->numbers[cell] = page->shared->cells[page->row][cell] >> 1 & NUMBERS;
		write_cell(page, cell);
	}
	wake_all(page->shared);
	return 0;
}

/* ---- pages --------------------------------------------------------------- */

static int map(struct rt_event_page *page)
{
	struct stat status;
	void *memory;

	if (fstat(page->file, &status))
		return -errno;
	page->device = status.st_dev;
	page->inode = status.st_ino;
	memory = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, page->file,
		      0);
	if (memory == MAP_FAILED)
		return -errno;
	page->shared = memory;
	return 0;
}

static void page_free(struct rt_event_page *page)
{
	if (page->shared)
		munmap(page->shared, sizeof(*page->shared));
	if (page->file >= 0)
		close(page->file);
	free(page);
}

/* With pages_lock held. */
static int page_add(struct rt_event_page *page)
{
	int error = take_row(page);

	if (error)
		return error;
	page->references = 1;
	page->next = pages;
	pages = page;
	return 0;
}

static int make_file(struct rt_event_page *page)
{
	page->file = memfd_create("vgpu-event", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (page->file < 0 || ftruncate(page->file, sizeof(struct shared)) ||
	    fcntl(page->file, F_ADD_SEALS, SEALS) ||
	    getrandom(page->bits, sizeof(page->bits), 0) != sizeof(page->bits))
		return -errno;
	return map(page);
}

int rt_event_page_create(struct rt_event_page **out)
{
	struct rt_event_page *page = calloc(1, sizeof(*page));
	int error;

	if (!page)
		return -ENOMEM;
	page->made = true;
	error = make_file(page);
	pthread_mutex_lock(&pages_lock);
	if (!error)
		error = page_add(page);
	pthread_mutex_unlock(&pages_lock);
	if (error) {
		page_free(page);
		return error;
	}
	memcpy(page->shared->bits, page->bits, sizeof(page->bits));
	page->shared->magic = MAGIC;
	*out = page;
	return 0;
}

/*
 * Is it a page's file, and none that this process has? Closing one of these again would give up its
 * lock. Opened by O_PATH a file does nothing yet.
 */
static bool is_new_page(int path)
{
	struct stat status;

	if (fstat(path, &status) || !S_ISREG(status.st_mode) ||
	    status.st_size != sizeof(struct shared))
		return false;
	for (struct rt_event_page *page = pages; page; page = page->next)
		if (page->device == status.st_dev && page->inode == status.st_ino)
			return false;
	return true;
}

static int open_of(int process, int number, int flags)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", process, number);
	file = open(path, flags | O_CLOEXEC);
	return file >= 0 ? file : errno == EMFILE || errno == ENFILE ? -errno : -ENOENT;
}

static int open_file(const struct rt_event_name *name)
{
	int path = open_of(name->process, name->file, O_PATH);
	int file = -ENOENT;

	if (path < 0)
		return path;
	if (is_new_page(path))
		file = open_of(getpid(), path, O_RDWR | O_NONBLOCK | O_NOCTTY);
	close(path);
	return file;
}

static bool is_page(const struct rt_event_page *page)
{
	const struct shared *shared = page->shared;

	return (fcntl(page->file, F_GET_SEALS) & SEALS) == SEALS && shared->magic == MAGIC &&
	       !memcmp(shared->bits, page->bits, sizeof(page->bits));
}

/* With pages_lock held. */
static int open_page(const struct rt_event_name *name, struct rt_event_page *page)
{
	int error;

	memcpy(page->bits, name->bits, sizeof(page->bits));
	page->file = open_file(name);
	if (page->file < 0)
		return page->file;
	error = map(page);
	if (!error && !is_page(page))
		error = -ENOENT;
	return error ? error : page_add(page);
}

static struct rt_event_page *find_page(const struct rt_event_name *name)
{
	struct rt_event_page *page = pages;

	while (page && memcmp(page->bits, name->bits, sizeof(page->bits)))
		page = page->next;
	return page;
}

int rt_event_page_open(const struct rt_event_name *name, struct rt_event_page **out)
{
	struct rt_event_page *page;
	int error = 0;

	if (!name->bits[0] && !name->bits[1])
		return -ENOENT;
	pthread_mutex_lock(&pages_lock);
	page = find_page(name);
	if (page && page->made) {
		error = -EEXIST;
	} else if (page && is_page(page)) {
		page->references++;
	} else if (page) {
		error = -ENOENT;
	} else {
		page = calloc(1, sizeof(*page));
		error = page ? open_page(name, page) : -ENOMEM;
		if (error && page)
			page_free(page);
	}
	pthread_mutex_unlock(&pages_lock);
	if (!error)
		*out = page;
	return error;
}

void rt_event_page_get(struct rt_event_page *page)
{
	pthread_mutex_lock(&pages_lock);
	page->references++;
	pthread_mutex_unlock(&pages_lock);
}

void rt_event_page_put(struct rt_event_page *page)
{
	struct rt_event_page **at = &pages;

	pthread_mutex_lock(&pages_lock);
	if (!--page->references) {
		while (*at != page)
			at = &(*at)->next;
		*at = page->next;
		page_free(page);
	}
	pthread_mutex_unlock(&pages_lock);
}

void rt_event_page_name(struct rt_event_page *page, struct rt_event_name *name)
{
	*name = (struct rt_event_name){
		.bits = { page->bits[0], page->bits[1] },
		.process = getpid(),
		.file = page->file,
	};
}

void rt_event_page_withdraw(struct rt_event_page *page)
{
	memset(page->shared->bits, 0, sizeof(page->shared->bits));
}
