// SPDX-License-Identifier: MIT
/*
 * Import of timelines: JSON in pieces. A trace is an object with an array "traceEvents", or such an
 * array alone, and may have gigabytes. This scanner follows strings, brackets and nesting and hands
 * out one event at a time; only what it hands out stands in memory. Other values it walks over
 * without looking at more than their brackets.
 *
 * The file is read through zlib, which unpacks gzip and passes on anything else. Offsets are those
 * of the unpacked text.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "import.h"

#define CHUNK		(256u << 10)
#define PIECE_MAX	(64u << 20)	/* bytes of one event */
#define DEPTH_MAX	64u		/* of brackets in one value */
#define KEY_MAX		64u

struct imp_scan {
	struct imp_timeline *timeline;
	gzFile file;
	unsigned char *chunk;
	size_t at, filled;
	u64 before;			/* bytes in front of the chunk */
	char *piece;
	size_t length, room;
	bool begun, ended, bare;	/* bare: the file is an array of events */
	bool in_events, first;		/* in traceEvents; nothing has come since the last [ or { */
};

static int refuse(struct imp_scan *scan, const char *what)
{
	return imp_refuse(scan->timeline, "byte %llu: %s",
			  (unsigned long long)(scan->before + scan->at), what);
}

static int fill(struct imp_scan *scan)
{
	int got, error = Z_OK;
	const char *text;

	scan->before += scan->filled;
	scan->at = scan->filled = 0;
	got = gzread(scan->file, scan->chunk, CHUNK);
	text = gzerror(scan->file, &error);
	if (got < 0 || (got == 0 && error != Z_OK && error != Z_STREAM_END))
		return imp_refuse(scan->timeline,
				  "byte %llu of the unpacked text: %s; the file must be a whole "
				  "gzip file, or JSON",
				  (unsigned long long)scan->before,
				  error == Z_ERRNO ? strerror(errno) : text);
	scan->filled = (size_t)got;
	return 0;
}

/* The next byte, which stays. -1: the end, or refused */
static int peek(struct imp_scan *scan)
{
	if (scan->at == scan->filled && (fill(scan) || !scan->filled))
		return -1;
	return scan->chunk[scan->at];
}

static int peek_behind_space(struct imp_scan *scan)
{
	int c = peek(scan);

	while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
		scan->at++;
		c = peek(scan);
	}
	return c;
}

/* It goes on with @c. */
static int expect(struct imp_scan *scan, int c, const char *what)
{
	int next = peek_behind_space(scan);

	if (next == c) {
		scan->at++;
		return 0;
	}
	if (scan->timeline->message[0])
		return -1;
	return refuse(scan, next < 0 ? "the file ends here: it must be whole" : what);
}

static int keep_bytes(struct imp_scan *scan, const unsigned char *bytes, size_t count)
{
	if (scan->length + count > PIECE_MAX)
		return refuse(scan, "an event of more than 64 MB");
	if (scan->length + count + 1 > scan->room) {
		size_t room = 2 * (scan->length + count) + 4096;
		char *piece = realloc(scan->piece, room);

		if (!piece)
			return refuse(scan, "out of memory");
		scan->piece = piece;
		scan->room = room;
	}
	memcpy(scan->piece + scan->length, bytes, count);
	scan->length += count;
	scan->piece[scan->length] = 0;
	return 0;
}

/** struct walk - where in a value the scanner is */
struct walk {
	char closing[DEPTH_MAX];	/* of the brackets that are open */
	u32 depth;
	bool string, escaped, scalar;
};

enum step { GO_ON, OVER_BEHIND, OVER_BEFORE, TOO_DEEP, WRONG_BRACKET };

static enum step step_in_string(struct walk *walk, unsigned char c)
{
	if (walk->escaped) {
		walk->escaped = false;
	} else if (c == '\\') {
		walk->escaped = true;
	} else if (c == '"') {
		walk->string = false;
		return walk->depth ? GO_ON : OVER_BEHIND;
	}
	return GO_ON;
}

static enum step step(struct walk *walk, unsigned char c)
{
	switch (c) {
	case '"':
		if (walk->scalar)
			return OVER_BEFORE;
		walk->string = true;
		return GO_ON;
	case '{':
	case '[':
		if (walk->scalar)
			return OVER_BEFORE;
		if (walk->depth == DEPTH_MAX)
			return TOO_DEEP;
		walk->closing[walk->depth++] = c == '{' ? '}' : ']';
		return GO_ON;
	case '}':
	case ']':
		if (!walk->depth)
			return OVER_BEFORE;
		if (walk->closing[--walk->depth] != (char)c)
			return WRONG_BRACKET;
		return walk->depth ? GO_ON : OVER_BEHIND;
	case ',':
	case ':':
	case ' ':
	case '\n':
	case '\r':
	case '\t':
		return walk->depth ? GO_ON : OVER_BEFORE;
	default:
		walk->scalar = !walk->depth;
		return GO_ON;
	}
}

/* Walk over one value. @kept: it comes to stand in scan->piece. */
static int walk_value(struct imp_scan *scan, bool kept)
{
	struct walk walk = {};
	enum step next = GO_ON;
	int c = peek_behind_space(scan);

	scan->length = 0;
	if (c == ',' || c == ':' || c == '}' || c == ']')
		return refuse(scan, "a value must be here");
	while (next == GO_ON) {
		size_t from, to;

		if (peek(scan) < 0)
			return expect(scan, 0, "");
		from = to = scan->at;
		while (next == GO_ON && to < scan->filled) {
			c = scan->chunk[to++];
			next = walk.string ? step_in_string(&walk, (unsigned char)c) :
					     step(&walk, (unsigned char)c);
		}
		scan->at = to - (next > OVER_BEHIND);
		if (next == TOO_DEEP)
			return refuse(scan, "brackets are nested more than 64 deep");
		if (next == WRONG_BRACKET)
			return refuse(scan, "this bracket does not close the last that is open");
		if (kept && keep_bytes(scan, scan->chunk + from, scan->at - from))
			return -1;
	}
	return 0;
}

/* ---- the file ----------------------------------------------------------- */

struct imp_scan *imp_scan_open(struct imp_timeline *timeline)
{
	struct imp_scan *scan = calloc(1, sizeof(*scan));

	if (!scan) {
		imp_refuse(timeline, "out of memory");
		return NULL;
	}
	scan->timeline = timeline;
	scan->chunk = malloc(CHUNK);
	scan->file = scan->chunk ? gzopen(timeline->path, "rb") : NULL;
	if (!scan->file) {
		imp_refuse(timeline, "%s", scan->chunk ? strerror(errno) : "out of memory");
		imp_scan_close(scan);
		return NULL;
	}
	gzbuffer(scan->file, CHUNK);
	return scan;
}

void imp_scan_close(struct imp_scan *scan)
{
	if (scan->file)
		gzclose(scan->file);
	free(scan->chunk);
	free(scan->piece);
	free(scan);
}

/* Between members of an object or an array: 1: here is another, 0: it ends, -1: refused */
static int next_member(struct imp_scan *scan, int closing, const char *what)
{
	int c = peek_behind_space(scan);

	if (c == closing) {
		scan->at++;
		return 0;
	}
	if (!scan->first && expect(scan, ',', what))
		return -1;
	if (c < 0)
		return expect(scan, 0, "");
	scan->first = false;
	return 1;
}

static int end_file(struct imp_scan *scan)
{
	int c = peek_behind_space(scan);

	scan->ended = true;
	if (c >= 0)
		return refuse(scan, "the file must end here");
	return scan->timeline->message[0] ? -1 : 0;
}

static int begin_file(struct imp_scan *scan)
{
	int c = peek_behind_space(scan);

	scan->begun = scan->first = true;
	if (c == '[') {
		scan->at++;
		scan->bare = scan->in_events = true;
		return 0;
	}
	return expect(scan, '{',
		      "neither JSON nor gzip; a trace of PyTorch's profiler begins with {");
}

/* The next event; or the array ends. 1: there is one, 0: there is none, -1: refused */
static int next_event(struct imp_scan *scan, struct imp_piece *piece)
{
	int there = next_member(scan, ']', "a comma must be between events");

	if (there <= 0) {
		scan->in_events = scan->first = false;
		return there;
	}
	if (peek_behind_space(scan) != '{')
		return expect(scan, '{', "an event must be an object");
	piece->offset = scan->before + scan->at;
	return walk_value(scan, true) ? -1 : 1;
}

/* The next member of the file's object, whose value is handed out, walked over, or entered. */
static int next_key(struct imp_scan *scan, struct imp_piece *piece)
{
	char key[KEY_MAX];
	int there = next_member(scan, '}', "a comma must be between keys");

	if (there <= 0)
		return there ? -1 : end_file(scan);
	if (peek_behind_space(scan) != '"')
		return expect(scan, '"', "a key must be a string");
	if (walk_value(scan, true))
		return -1;
	snprintf(key, sizeof(key), "%s", scan->piece);
	if (expect(scan, ':', "a colon must be behind a key"))
		return -1;
	if (!strcmp(key, "\"traceEvents\"")) {
		scan->in_events = scan->first = true;
		return expect(scan, '[', "traceEvents must be an array");
	}
	if (peek_behind_space(scan) < 0)
		return expect(scan, 0, "");
	piece->offset = scan->before + scan->at;
	if (strcmp(key, "\"deviceProperties\""))
		return walk_value(scan, false);
	return walk_value(scan, true) ? -1 : 1;
}

int imp_scan_next(struct imp_scan *scan, struct imp_piece *piece, bool *other)
{
	int there = 0;

	if (!scan->begun && begin_file(scan))
		return -1;
	while (!there && !scan->ended) {
		*other = !scan->in_events;
		if (scan->in_events) {
			there = next_event(scan, piece);
			if (!there && scan->bare && end_file(scan))
				return -1;
		} else {
			there = next_key(scan, piece);
		}
	}
	piece->text = scan->piece;
	piece->length = scan->length;
	return there;
}
