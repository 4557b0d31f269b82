/* SPDX-License-Identifier: MIT */
/*
 * Events of several processes (cudaEventInterprocess): a page that all processes which have the
 * event map, and nothing of the device. It is a file in memory of the process that made the event.
 *
 * A record is a cell of the page: busy until the stream has come there. Each process writes the
 * cells of a row of its own, so that what is read of a row is one process's; @last of the page says
 * which record the event stands for. Who waits sleeps on a count of records that are over.
 *
 * For as long as a process has the event it holds a lock of the file, on the byte of its row. The
 * kernel gives that up when the process ends, however it does; so a record of whom holds no lock is
 * over, and who gets the row next ends what is left in it.
 *
 * The file has no name in a file system. A handle says which process has made it, by which
 * descriptor, and 128 random bits that are in it; it is opened through /proc, as the kernel allows
 * for processes of the same user in the same pid namespace (see PTRACE_MODE_READ_FSCREDS).
 * Nobody else opens it or learns of it. It cannot be made shorter. Who has the event may write all
 * of its page, as he may record, too: others of the user wait for what he writes there for as long
 * as he lives, and no number from there is used unchecked.
 *
 * All functions have a lock of their own, below rt_lock, and take it themselves.
 */
#ifndef VGPU_RT_EVENT_PAGE_H
#define VGPU_RT_EVENT_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#define RT_EVENT_HOLDERS	128u	/* most processes that have an event */
/*
 * Records of one event and process that are told apart while they are not over. More are one with
 * the newest of them: who waits for that waits for them too.
 */
#define RT_EVENT_RECORDS	16u
#define RT_EVENT_MOMENT_NS	50000000	/* how often it is looked whether others live */

struct rt_event_page;

/** struct rt_event_name - what says to other processes which it is */
struct rt_event_name {
	uint64_t bits[2];		/* random */
	int32_t process;		/* that made it */
	int32_t file;			/* its descriptor there */
};

/*
 * A new one, with one reference. A negative errno: of the system (-EMFILE: no descriptor is left).
 */
int rt_event_page_create(struct rt_event_page **page);
/*
 * One more reference to that of this name. -ENOENT: there is none, or it is not this user's, or its
 * maker has withdrawn it or ended; -EEXIST: it was made by this process; -ENOSPC: RT_EVENT_HOLDERS
 * have it.
 */
int rt_event_page_open(const struct rt_event_name *name, struct rt_event_page **page);
void rt_event_page_get(struct rt_event_page *page);
/* The last reference of a process gives up its row. */
void rt_event_page_put(struct rt_event_page *page);
void rt_event_page_name(struct rt_event_page *page, struct rt_event_name *name);
/* By who made it: it cannot be opened any more. Who has it keeps it. */
void rt_event_page_withdraw(struct rt_event_page *page);

/* A record of this process, which is not over until _end(); never 0. */
uint64_t rt_event_page_begin(struct rt_event_page *page);
/* From now on the event stands for @record. */
void rt_event_page_publish(struct rt_event_page *page, uint64_t record);
/* As often as _begin() has returned it. */
void rt_event_page_end(struct rt_event_page *page, uint64_t record);

/* What the event stands for; 0: it was never recorded. */
uint64_t rt_event_page_last(struct rt_event_page *page);
/* Has its stream come there, or its process ended? 0 is over. */
bool rt_event_page_over(struct rt_event_page *page, uint64_t record);
/* The same after RT_EVENT_MOMENT_NS of real time, unless it is over before. */
bool rt_event_page_wait(struct rt_event_page *page, uint64_t record);

#endif
