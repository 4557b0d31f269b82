// SPDX-License-Identifier: MIT
/*
 * Import of timelines: tables of a database, for nsys.c. A file may be hostile: only tables are
 * read, no views, which could be endless; nothing that the schema names is called. Every number is
 * checked, as sqlite stores anything anywhere.
 */
#include <stdlib.h>
#include <string.h>

#include "database.h"

#define QUERY_BYTES 2048u

/* ---- tables ------------------------------------------------------------- */

static int database_error(struct imp_reader *r, const char *table)
{
	return imp_refuse(r->timeline,
			  "%s, after row %llu: %s; the file must be a whole database "
			  "of nsys export --type sqlite",
			  table, (unsigned long long)r->rowid, sqlite3_errmsg(r->db));
}

/* 1: @table is there and one, 0: it is not, -1: refused */
static int has_table(struct imp_reader *r, const char *table)
{
	sqlite3_stmt *statement;
	int there = -1;

	r->rowid = 0;
	if (sqlite3_prepare_v2(r->db,
			       "SELECT type = 'table' AND rootpage > 0 FROM sqlite_master "
			       "WHERE name = ?1",
			       -1, &statement, NULL))
		return database_error(r, "sqlite_master");
	sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
	switch (sqlite3_step(statement)) {
	case SQLITE_ROW:
		there = 1;
		if (!sqlite3_column_int(statement, 0))
			there = imp_refuse(r->timeline, "%s must be a table", table);
		break;
	case SQLITE_DONE:
		there = 0;
		break;
	default:
		database_error(r, "sqlite_master");
	}
	sqlite3_finalize(statement);
	return there;
}

static bool has_column(struct imp_reader *r, const char *table, const char *column)
{
	return !sqlite3_table_column_metadata(r->db, NULL, table, column, NULL, NULL, NULL, NULL,
					      NULL);
}

/*
 * Select @columns of @table, in the order of their start; what is not there is NULL. 1: r->row has
 * the rows, 0: there is no such table, -1: refused
 */
int imp_table_open(struct imp_reader *r, const char *table, const struct imp_column *columns,
		   unsigned int count, const char *order)
{
	char query[QUERY_BYTES];
	size_t length;
	unsigned int i, n;
	int there = has_table(r, table);

	if (there <= 0)
		return there;
	length = (size_t)snprintf(query, sizeof(query), "SELECT rowid");
	for (i = 0; i < count; i++) {
		const char *found = NULL;

		for (n = 0; n < 2 && !found && columns[i].names[n]; n++)
			if (has_column(r, table, columns[i].names[n]))
				found = columns[i].names[n];
		if (!found && columns[i].required)
			return imp_refuse(r->timeline, "%s has no column %s", table,
					  columns[i].names[0]);
		length += (size_t)snprintf(query + length, sizeof(query) - length,
					   found ? ", \"%s\"" : ", NULL", found);
	}
	snprintf(query + length, sizeof(query) - length, " FROM \"%s\" ORDER BY \"%s\"", table,
		 order);
	r->table = table;
	if (sqlite3_prepare_v2(r->db, query, -1, &r->row, NULL))
		return database_error(r, table);
	return 1;
}

/* 1: a row, 0: there is none left, -1: refused */
int imp_table_next(struct imp_reader *r)
{
	switch (sqlite3_step(r->row)) {
	case SQLITE_ROW:
		r->rowid = (u64)sqlite3_column_int64(r->row, 0);
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return database_error(r, r->table);
	}
}

void imp_table_close(struct imp_reader *r)
{
	sqlite3_finalize(r->row);
	r->row = NULL;
}

void imp_row_skip(struct imp_reader *r, enum imp_skip why)
{
	imp_skip(r->timeline, why, "%s, row %llu", r->table, (unsigned long long)r->rowid);
}

/* A whole number of at most @max; NULL is 0 if @missing. -1: it is none */
int imp_row_number(struct imp_reader *r, unsigned int column, u64 max, bool missing, u64 *value)
{
	sqlite3_int64 there = sqlite3_column_int64(r->row, (int)column + 1);
	int type = sqlite3_column_type(r->row, (int)column + 1);

	*value = (u64)there;
	if (type == SQLITE_NULL && missing)
		return 0;
	return type != SQLITE_INTEGER || there < 0 || *value > max ? -1 : 0;
}

/* globalPid and globalTid have the process in bits 24 to 47. */
u32 imp_row_process(struct imp_reader *r, unsigned int column)
{
	return (u32)((u64)sqlite3_column_int64(r->row, (int)column + 1) >> 24 & 0xffffff);
}

int imp_row_times(struct imp_reader *r, unsigned int start, u64 longest, u64 *from, u64 *to)
{
	if (imp_row_number(r, start, ~0ull >> 1, false, from) ||
	    imp_row_number(r, start + 1, ~0ull >> 1, false, to) || *to < *from ||
	    *to - *from > longest) {
		imp_row_skip(r, IMP_SKIP_TIME);
		return -1;
	}
	return 0;
}

/* ---- strings ------------------------------------------------------------ */

/* The text of StringIds @id; NULL: there is none. Until the next one is asked for. */
const char *imp_string(struct imp_reader *r, u64 id)
{
	if (!r->string)
		return NULL;
	sqlite3_reset(r->string);
	sqlite3_bind_int64(r->string, 1, (sqlite3_int64)id);
	if (sqlite3_step(r->string) != SQLITE_ROW)
		return NULL;
	return (const char *)sqlite3_column_text(r->string, 0);
}

/* The kernel's name in imp_timeline.names. */
u32 imp_string_name(struct imp_reader *r, u64 id)
{
	unsigned int slot = id % IMP_STRINGS;
	const char *text;

	if (r->strings[slot].value && r->strings[slot].id == id)
		return r->strings[slot].value - 1;
	text = imp_string(r, id);
	r->strings[slot].id = id;
	r->strings[slot].value = imp_name(r->timeline, text ? text : "kernel") + 1;
	return r->strings[slot].value - 1;
}

/* The kind of call, as imp_call_kind(). */
int imp_string_call(struct imp_reader *r, u64 id)
{
	unsigned int slot = id % IMP_STRINGS;
	const char *text;

	if (r->calls[slot].value && r->calls[slot].id == id)
		return (int)r->calls[slot].value - 2;
	text = imp_string(r, id);
	r->calls[slot].id = id;
	r->calls[slot].value = (u32)(text ? imp_call_kind(text) : -1) + 2;
	return (int)r->calls[slot].value - 2;
}

static int open_strings(struct imp_reader *r)
{
	int there = has_table(r, "StringIds");

	r->strings = calloc(IMP_STRINGS, sizeof(*r->strings));
	r->calls = calloc(IMP_STRINGS, sizeof(*r->calls));
	if (!r->strings || !r->calls)
		return imp_refuse(r->timeline, "out of memory");
	if (there <= 0)
		return there;
	if (sqlite3_prepare_v2(r->db, "SELECT value FROM StringIds WHERE id = ?1", -1, &r->string,
			       NULL))
		return imp_refuse(r->timeline, "StringIds: %s; it must have id and value",
				  sqlite3_errmsg(r->db));
	return 0;
}

int imp_database_open(struct imp_reader *r)
{
	if (sqlite3_open_v2(r->timeline->path, &r->db, SQLITE_OPEN_READONLY, NULL))
		return imp_refuse(r->timeline, "%s",
				  r->db ? sqlite3_errmsg(r->db) : "out of memory");
	sqlite3_db_config(r->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(r->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_exec(r->db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;", NULL, NULL, NULL);
	sqlite3_limit(r->db, SQLITE_LIMIT_LENGTH, 1 << 24);
	return open_strings(r);
}

void imp_database_close(struct imp_reader *r)
{
	sqlite3_finalize(r->row);
	sqlite3_finalize(r->string);
	sqlite3_close(r->db);
	free(r->strings);
	free(r->calls);
}
