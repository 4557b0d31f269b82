/* SPDX-License-Identifier: MIT */
/*
 * What the files of the linker of PTX share: a module is read word by word (join_read.c). At its
 * top level stand items: a directive with its words, to ';' or a body in braces.
 */
#ifndef VGPU_FATBIN_JOIN_H
#define VGPU_FATBIN_JOIN_H

#include <stdbool.h>
#include <stddef.h>

#define JOIN_SLOTS	4096u

struct join_name {
	struct join_name *next;
	const char *text;
	size_t length;
	unsigned int module;
	bool exported, weak, needed;	/* needed: declared here, and defined elsewhere */
	bool entry;			/* defined here, as a kernel */
	bool told;			/* as a problem (join_check.c) */
};

struct join_item {
	const char *from, *to;		/* its text */
	const char *name;
	size_t length;
	bool visible, external, weak, function, entry, body, skip;
};

struct join {
	struct join_name *slots[JOIN_SLOTS];
	const char *const *texts;
	bool *wanted;			/* modules */
	bool *perhaps;			/* modules with what the host may look for */
	unsigned int count;
	char *out;
	size_t bytes, room;
	bool no_memory;
	char *message;
	size_t message_bytes;
};

/*
 * Reads all modules: @j is NULL if there is no memory, or has what the modules define and need. The
 * message is of j->message. join_close() in any case.
 */
int join_open(struct join **j, const char *const *texts, unsigned int count, char *message,
	      size_t message_bytes);
void join_close(struct join *j);
/* Modules that wanted ones need are wanted, too. */
void join_want_needed(struct join *j);

/* The word or sign at *@at, which moves behind it. Comments and spaces are passed. 0: the end. */
size_t join_next_word(const char **at, const char **word);
bool join_is_name(char c);
/* The next item of a module; false: there is none. */
bool join_next_item(const char **at, struct join_item *item);

/* The name as @module has it; NULL: it has not. */
struct join_name *join_find(struct join *j, const char *text, size_t length, unsigned int module);
/* The definition that modules share. */
struct join_name *join_find_exported(struct join *j, const char *text, size_t length);
/* What the PTX compiler brings: malloc() and so on, launches by kernels. */
bool join_is_of_runtime(const struct join_name *name);

#endif
