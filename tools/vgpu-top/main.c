// SPDX-License-Identifier: MIT
/*
 * vgpu-top: a device, live: SMs, queues, processes, preemptions. ncurses shows it; batch mode
 * prints the same lines.
 */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "keys.h"

static const char usage[] =
	"usage: vgpu-top [options]\n"
	"\n"
	"Shows the activity of a vgpu device, live.\n"
	"\n"
	"  -i, --id N           number of the device                         [0]\n"
	"  -d, --delay SECONDS  time between two samples                     [1]\n"
	"  -n, --count N        exit after N samples\n"
	"  -s, --sharing        show who has how much of each SM\n"
	"  -b, --batch          print the samples one after the other\n"
	"  -h, --help           print this help\n"
	"\n"
	"keys: q quit, up and down (or k, j) select a process, + and - its priority,\n"
	"      p next policy, m next preemption mechanism, t next transfer policy,\n"
	"      s sort by SM time, real time, memory, pid, v who shares SMs; changing anything\n"
	"      needs root\n"
	"SMs:  one letter per SM: its process, lower case while the SM is being preempted,\n"
	"      + several, . idle, ? another user's; all times are virtual but that of REAL%,\n"
	"      rates are per second of real time\n"
	"\n"
	CLIENT_STATUS_HELP;

#define ROWS_MAX	512

struct options {
	uint32_t device;
	double delay;
	long count;			/* 0: no end */
	bool batch, sharing;
};

static double real_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- batch -------------------------------------------------------------- */

static int batch(struct client *client, const struct options *options)
{
	static struct line lines[ROWS_MAX];
	struct state state = { .sharing = options->sharing };
	double last = real_time(), now;
	int status = state_look(client, &state, options->device, 0);

	for (long i = 0; !status && (!options->count || i < options->count) && !ferror(stdout);
	     i++) {
		unsigned int count;

		usleep((useconds_t)(options->delay * 1e6));
		now = real_time();
		status = state_look(client, &state, options->device, now - last);
		if (status)
			break;
		last = now;
		count = draw(&state, lines, ROWS_MAX, COLUMNS_ALL);
		for (unsigned int row = 0; row < count; row++)
			puts(lines[row].text);
		putchar('\n');
		fflush(stdout);
	}
	state_free(&state);
	return status;
}

/* ---- a terminal --------------------------------------------------------- */

static void colours(void)
{
	start_color();
	use_default_colors();
	for (short i = 1; i < 7; i++)
		init_pair(i, i, -1);
}

/* Each process has a colour; a terminal without shows the letters. */
static void show_sms(int row, const char *text)
{
	mvaddnstr(row, 0, text, 4);
	for (const char *at = text + 4; *at; at++) {
		int which = *at >= 'A' && *at <= 'Z' ? *at - 'A' :
			    *at >= 'a' && *at <= 'z' ? *at - 'a' :
						       -1;

		addch((chtype)(unsigned char)*at |
		      (which >= 0 && has_colors() ? (chtype)COLOR_PAIR(1 + which % 6) : 0));
	}
}

static void show(const struct state *state)
{
	static struct line lines[ROWS_MAX];
	static const attr_t looks[] = {
		[PLAIN] = A_NORMAL, [HEAD] = A_BOLD, [SELECTED] = A_REVERSE, [DEAD] = A_DIM
	};
	unsigned int rows = LINES > 1 ? (unsigned int)LINES - 1 : 1;
	unsigned int count =
		draw(state, lines, rows < ROWS_MAX ? rows : ROWS_MAX, (unsigned int)COLS);

	erase();
	for (unsigned int row = 0; row < count; row++) {
		if (lines[row].look == SMS) {
			show_sms((int)row, lines[row].text);
			continue;
		}
		attrset(looks[lines[row].look]);
		mvaddnstr((int)row, 0, lines[row].text, COLS);
		attrset(A_NORMAL);
	}
	attrset(A_DIM);
	mvaddnstr(LINES - 1, 0, KEYS, COLS - 1);
	attrset(A_NORMAL);
	refresh();
}

static int terminal(struct client *client, const struct options *options)
{
	struct state state = { .sharing = options->sharing };
	double last = real_time(), now;
	int status = state_look(client, &state, options->device, 0);
	bool go = !status;
	long looks = 0;

	if (status)
		return status;
	setlocale(LC_ALL, "");
	if (!newterm(NULL, stdout, stdin)) {
		snprintf(client->error, sizeof(client->error),
			 "this terminal (TERM=%s) is not supported; try vgpu-top -b",
			 getenv("TERM") ? getenv("TERM") : "");
		return CLIENT_FAILED;
	}
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	if (has_colors())
		colours();
	while (go) {
		int pressed;

		show(&state);
		timeout((int)(options->delay * 1000));
		pressed = getch();
		if (pressed != ERR)
			go = key(client, &state, pressed);
		now = real_time();
		/* a key shows what it did at once; rates go on from the last full look */
		if (pressed != ERR && now - last < options->delay / 2) {
			if (pressed == 'j' || pressed == 'k' || pressed == KEY_UP ||
			    pressed == KEY_DOWN)
				continue;
		}
		status = state_look(client, &state, options->device, now - last);
		last = now;
		looks += pressed == ERR;
		if (status || (options->count && looks >= options->count))
			go = false;
	}
	endwin();
	state_free(&state);
	return status;
}

/* ---- options ------------------------------------------------------------ */

static int wrong(const char *what, const char *value)
{
	fprintf(stderr, "vgpu-top: %s%s; try vgpu-top --help\n", what, value);
	return CLIENT_USAGE;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "id", required_argument, NULL, 'i' },
		{ "delay", required_argument, NULL, 'd' },
		{ "count", required_argument, NULL, 'n' },
		{ "sharing", no_argument, NULL, 's' },
		{ "batch", no_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	char *end = "";
	int opt;

	while ((opt = getopt_long(argc, argv, "i:d:n:sbh", longs, NULL)) != -1) {
		switch (opt) {
		case 'i':
			options->device = (uint32_t)strtoul(optarg, &end, 10);
			if (*end || end == optarg || options->device > 15)
				return wrong("-i takes the number of a device, 0 to 15, not ",
					     optarg);
			break;
		case 'd':
			options->delay = strtod(optarg, &end);
			if (*end || end == optarg ||
			    !(options->delay >= 0.05 && options->delay <= 3600))
				return wrong("-d takes seconds, 0.05 to 3600, not ", optarg);
			break;
		case 'n':
			options->count = strtol(optarg, &end, 10);
			if (*end || end == optarg || options->count < 1)
				return wrong("-n takes a number from 1 on, not ", optarg);
			break;
		case 's': options->sharing = true; break;
		case 'b': options->batch = true; break;
		case 'h': fputs(usage, stdout); exit(CLIENT_OK);
		default: fputs("try vgpu-top --help\n", stderr); return CLIENT_USAGE;
		}
	}
	return optind < argc ? wrong("unexpected argument: ", argv[optind]) : CLIENT_OK;
}

int main(int argc, char **argv)
{
	struct options options = { .delay = 1 };
	struct client client;
	int status = parse(argc, argv, &options);

	if (status)
		return status;
	if (!options.batch && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return wrong("standard output is not a terminal: use -b", "");
	status = client_open(&client);
	if (!status)
		status = options.batch ? batch(&client, &options) : terminal(&client, &options);
	if (client.error[0] && status)
		fprintf(stderr, "vgpu-top: %s\n", client.error);
	client_close(&client);
	return status;
}
