/* SPDX-License-Identifier: MIT */
/*
 * The log: what is said of calls that failed and of faults, kept for programs that ask for it
 * (cuLogs*), the newest 64 messages. Any thread may call anything here.
 */
#ifndef RT_LOG_H
#define RT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu_runtime.h"

#define RT_LOG_MESSAGES	64u

struct rt_log_reader;

/* Called at the end of a call, by its thread. @message is valid until it returns; @level: 0. */
typedef void rt_log_call(void *data, int level, char *message, size_t length);

/* "vgpu: ", the message and a newline on stderr; and the message in the log. */
void rt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* In the log alone. Both may be called with the runtime's lock held: readers are told later. */
void rt_log(const char *message);
/* Tell readers what they have not had: at the end of each call, when it holds no lock. */
void rt_log_tell(void);

vgpuError_t rt_log_register(rt_log_call *call, void *data, struct rt_log_reader **reader);
/* When it returns no thread is in @reader's function, but for one that calls this from there. */
vgpuError_t rt_log_unregister(struct rt_log_reader *reader);

/* The number of the next message: they are counted modulo 2^32. */
uint32_t rt_log_next(void);
/*
 * The messages from number @from on, each with a newline, as one string: free() it. If some are
 * lost it begins with a line that says so. With more than @room bytes, the 0 at the end included,
 * only the newest that have room, and a line that says that. NULL: no memory. *@length: its bytes;
 * 0 with *@any: not one has room. *@next: the number behind the last.
 */
char *rt_log_text(const uint32_t *from, size_t room, size_t *length, bool *any, uint32_t *next);

#endif
