/* SPDX-License-Identifier: MIT */
/*
 * vgpu-top: contents page. state.c looks at a device and works out rates, draw.c makes lines of
 * that, sharing.c those of who shares the SMs, and main.c shows them, in a terminal or one after
 * the other (batch mode).
 */
#ifndef TOP_H
#define TOP_H

#include "tools/netlink/client.h"

enum sort { SORT_SM, SORT_HOST, SORT_MEMORY, SORT_PID, SORTS };

/** struct process - a context, and what it did since the last look */
struct process {
	struct client_context now;
	char name[32];
	double sm_share;		/* per cent of SM time of the device */
	double issue_share;		/* per cent of warp instructions of the device */
	double host_share;		/* per cent of real time that the module spent on it */
	/* a second of real time */
	double kernels, faults, preempted, host_faults, bytes_in, bytes_out, refaults;
};

/** struct state - what is shown */
struct state {
	struct client_device device, before;
	bool seen_before;
	double elapsed;			/* real seconds between the two */
	double passed;			/* virtual picoseconds between the two */
	struct process *processes;
	size_t count;
	struct client_context *old;	/* contexts of the last look */
	size_t old_count;
	struct client_sm *sms;		/* of the device; none, if the module does not tell */
	size_t sm_count;
	bool sharing;			/* show who has how much of each SM */
	enum sort sort;
	uint32_t selected;		/* context, 0: none */
	char note[128];			/* the answer to a key */
};

int state_look(struct client *client, struct state *state, uint32_t device, double elapsed);
void state_free(struct state *state);
/* The process that is selected, NULL: none. */
struct process *state_selected(struct state *state);
/* Select the next one (@step 1) or the one before (-1). */
void state_select(struct state *state, int step);

#define COLUMNS_MAX	256
/* of a line of processes, the longest */
#define COLUMNS_ALL	116

/* How a line stands out; of SMS each letter says how busy an SM is. */
enum look { PLAIN, HEAD, SELECTED, DEAD, SMS };

/** struct line - one line of the screen */
struct line {
	char text[COLUMNS_MAX + 1];
	enum look look;
};

/** struct screen - lines so far */
struct screen {
	struct line *lines;
	unsigned int count, rows, columns;
};

__attribute__((format(printf, 3, 4)))
void draw_text(struct screen *screen, enum look look, const char *format, ...);
/* A, B ... for the contexts in the order in which they are shown; the rest is *. */
char draw_letter(const struct state *state, uint32_t context);

/* sharing.c: in place of the letters of SMs and the table of processes, who shares SMs */
void draw_shared_sms(struct screen *screen, const struct state *state);
void draw_shares(struct screen *screen, const struct state *state);

/* As many lines as there are to show, at most @rows, none longer than @columns. */
unsigned int draw(const struct state *state, struct line *lines, unsigned int rows,
		  unsigned int columns);

#endif
