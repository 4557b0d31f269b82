/* SPDX-License-Identifier: MIT */
/* Import of timelines: a database and its tables, as nsys.c reads them. */
#ifndef IMPORT_DATABASE_H
#define IMPORT_DATABASE_H

#include <sqlite3.h>

#include "import.h"

#define IMP_STRINGS	(1u << 16)	/* of StringIds, that are remembered */

/** struct imp_column - of a table: the first of @names that is there */
struct imp_column {
	const char *names[2];
	bool required;
};

/** struct imp_reader - a table that is being read */
struct imp_reader {
	struct imp_timeline *timeline;
	sqlite3 *db;
	sqlite3_stmt *string;		/* StringIds by id; NULL: there are none */
	struct {
		u64 id;
		u32 value;		/* what was made of it, + 1 */
	} *strings, *calls;
	const char *table;
	sqlite3_stmt *row;
	u64 rowid;
};

/* With its StringIds. -1: refused; close it all the same */
int imp_database_open(struct imp_reader *r);
void imp_database_close(struct imp_reader *r);
/*
 * Select @columns of @table, in the order of its column @order; what is not there is NULL. 1:
 * imp_table_next() has the rows, 0: there is no such table, -1: refused
 */
int imp_table_open(struct imp_reader *r, const char *table, const struct imp_column *columns,
		   unsigned int count, const char *order);
/* 1: a row, 0: there is none left, -1: refused */
int imp_table_next(struct imp_reader *r);
void imp_table_close(struct imp_reader *r);

/* The row is left out. */
void imp_row_skip(struct imp_reader *r, enum imp_skip why);
/* A whole number of at most @max; NULL is 0 if @missing. -1: it is none */
int imp_row_number(struct imp_reader *r, unsigned int column, u64 max, bool missing, u64 *value);
/* The process in globalPid or globalTid. */
u32 imp_row_process(struct imp_reader *r, unsigned int column);
/* Columns @start and the next: when it began and ended. -1: the row is left out */
int imp_row_times(struct imp_reader *r, unsigned int start, u64 longest, u64 *from, u64 *to);

/* The text of StringIds @id; NULL: there is none. Until the next one is asked for. */
const char *imp_string(struct imp_reader *r, u64 id);
/* The kernel's name in imp_timeline.names; the kind of call, as imp_call_kind(). */
u32 imp_string_name(struct imp_reader *r, u64 id);
int imp_string_call(struct imp_reader *r, u64 id);

#endif
