// SPDX-License-Identifier: MIT
/* The log of messages, and who is told of them. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

#define MESSAGE_BYTES	1024u
#define LOST		"[older messages are lost]\n"
#define NO_ROOM		"[older messages have no room]\n"

struct rt_log_reader {
	struct rt_log_reader *next;
	rt_log_call *call;	/* NULL: it has unregistered */
	void *data;
};

struct message {
	char *text;
	bool own;	/* of a call that a reader made: it would come again and again */
};

static struct {
	pthread_mutex_t lock;		/* of the messages; the last that is taken */
	struct message messages[RT_LOG_MESSAGES];	/* number n at n % RT_LOG_MESSAGES */
	uint32_t next, count;		/* of the next message; how many there are */
	bool untold;			/* readers have not had all of them; without a lock */
	pthread_mutex_t telling;	/* recursive: a reader may call what is here */
	struct rt_log_reader *readers;
	uint32_t told;			/* the first that they have not had */
} log_ = { .lock = PTHREAD_MUTEX_INITIALIZER,
	   .telling = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };

static __thread bool in_reader;

void rt_log(const char *message)
{
	char *copy = strdup(message);
	struct message *slot;

	if (!copy)
		return;
	pthread_mutex_lock(&log_.lock);
	slot = &log_.messages[log_.next % RT_LOG_MESSAGES];
	free(slot->text);
	*slot = (struct message){ .text = copy, .own = in_reader };
	log_.next++;
	log_.count += log_.count < RT_LOG_MESSAGES;
	__atomic_store_n(&log_.untold, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&log_.lock);
}

/* The next message that readers have not had; false: there is none. */
static bool next_untold(char *copy, size_t bytes, bool *own)
{
	const struct message *message;
	bool is;

	pthread_mutex_lock(&log_.lock);
	if (log_.next - log_.told > log_.count)
		log_.told = log_.next - log_.count;
	is = log_.told != log_.next;
	if (is) {
		message = &log_.messages[log_.told++ % RT_LOG_MESSAGES];
		snprintf(copy, bytes, "%s", message->text);
		*own = message->own;
	} else {
		__atomic_store_n(&log_.untold, false, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&log_.lock);
	return is;
}

/* Those that have unregistered; not while somebody goes through the list. */
static void free_ended(void)
{
	for (struct rt_log_reader **at = &log_.readers, *reader; (reader = *at);) {
		if (reader->call) {
			at = &reader->next;
			continue;
		}
		*at = reader->next;
		free(reader);
	}
}

void rt_log_tell(void)
{
	char message[MESSAGE_BYTES], copy[MESSAGE_BYTES];
	bool own;

	if (!__atomic_load_n(&log_.untold, __ATOMIC_RELAXED) || in_reader)
		return;
	pthread_mutex_lock(&log_.telling);
	in_reader = true;
	while (next_untold(message, sizeof(message), &own)) {
		for (struct rt_log_reader *reader = log_.readers; reader && !own;
		     reader = reader->next) {
			memcpy(copy, message, sizeof(copy));
			if (reader->call)
				reader->call(reader->data, 0, copy, strlen(copy));
		}
	}
	in_reader = false;
	free_ended();
	pthread_mutex_unlock(&log_.telling);
}

void rt_say(const char *format, ...)
{
	char message[MESSAGE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fprintf(stderr, "vgpu: %s\n", message);
	rt_log(message);
}

vgpuError_t rt_log_register(rt_log_call *call, void *data, struct rt_log_reader **reader)
{
	struct rt_log_reader *new = malloc(sizeof(*new));

	if (!call) {
		free(new);
		return vgpuErrorInvalidValue;
	}
	if (!new)
		return vgpuErrorMemoryAllocation;
	*new = (struct rt_log_reader){ .call = call, .data = data };
	rt_log_tell();
	pthread_mutex_lock(&log_.telling);
	new->next = log_.readers;
	log_.readers = new;
	pthread_mutex_unlock(&log_.telling);
	if (reader)
		*reader = new;
	return vgpuSuccess;
}

vgpuError_t rt_log_unregister(struct rt_log_reader *reader)
{
	struct rt_log_reader *at;
	vgpuError_t error = vgpuErrorInvalidValue;

	pthread_mutex_lock(&log_.telling);
	for (at = log_.readers; at && at != reader; at = at->next)
		;
	if (at && at->call) {
		at->call = NULL;
		error = vgpuSuccess;
	}
	if (!in_reader)
		free_ended();
	pthread_mutex_unlock(&log_.telling);
	return error;
}

uint32_t rt_log_next(void)
{
	uint32_t next;

	pthread_mutex_lock(&log_.lock);
	next = log_.next;
	pthread_mutex_unlock(&log_.lock);
	return next;
}

/* How many of the newest @count messages, with @more bytes before them, have room in @room. */
static uint32_t that_fit(uint32_t count, size_t more, size_t room)
{
	size_t bytes = more + 1;
	uint32_t fit = 0;

	while (fit < count) {
		bytes += strlen(log_.messages[(log_.next - fit - 1) % RT_LOG_MESSAGES].text) + 1;
		if (bytes > room)
			break;
		fit++;
	}
	return fit;
}

/* The newest @count, behind the line @first. */
static char *text_of(uint32_t count, const char *first, size_t *length)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, length);

	if (!f)
		return NULL;
	fputs(first, f);
	for (uint32_t n = log_.next - count; n != log_.next; n++)
		fprintf(f, "%s\n", log_.messages[n % RT_LOG_MESSAGES].text);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

char *rt_log_text(const uint32_t *from, size_t room, size_t *length, bool *any, uint32_t *next)
{
	const char *first = "";
	uint32_t wanted, fit;
	char *text;

	pthread_mutex_lock(&log_.lock);
	wanted = from ? log_.next - *from : log_.count;
	if (wanted > log_.count) {
		wanted = log_.count;
		first = LOST;
	}
	fit = that_fit(wanted, strlen(first), room);
	if (fit < wanted) {
		first = NO_ROOM;
		fit = that_fit(wanted, strlen(first), room);
	}
	*any = wanted > 0;
	*next = log_.next;
	text = fit ? text_of(fit, first, length) : strdup("");
	if (!fit)
		*length = 0;
	pthread_mutex_unlock(&log_.lock);
	return text;
}
