// SPDX-License-Identifier: MIT
/*
 * The paper against us: every number of expected.csv with a verdict, and the orderings that the
 * text states. What is judged is the effect: of a quotient what it differs from 1 by, so that a
 * gain of 1.03 is not called close to one of 1.08.
 *
 *   yes        the effect is within a third of the paper's. A share: within 0.1. No effect in the
 *              paper (1.00): less than 2 % here
 *   direction  it has the paper's sign, and is more than its standard error. A crossing: there is
 *              one
 *   no         neither
 *
 * The text of figure 5.7 says "significantly" and gives no threshold: there are three, each with
 * rows of its own, and what counts is the one with the fewest yes.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chapter5.h"

#define LINE	512
#define COLUMNS	8

enum verdict { YES, DIRECTION, NO, VERDICTS };

static const char *const verdict_names[VERDICTS] = { "yes", "direction", "no" };

/**
 * struct tally - @of: all rows but the shares of figure 5.7; @shares: these, for each threshold;
 * @distance: sum of distances of @rows rows, those of the first threshold
 */
struct tally {
	u32 of[VERDICTS];
	u32 shares[THRESHOLDS][VERDICTS];
	double distance;
	u32 rows;
};

static bool is_share(const char *metric)
{
	return !strcmp(metric, "share_of_workloads_with_better_antt");
}

static bool is_crossing(const char *metric)
{
	return !strcmp(metric, "antt_crossing");
}

static enum verdict judge(const struct row *row, double paper)
{
	double ours = row->value.mean, effect = paper - 1;

	if (is_share(row->metric))
		return fabs(ours - paper) <= 0.1 ? YES : NO;
	if (is_crossing(row->metric)) {
		if (fabs(ours - paper) <= paper / 3)
			return YES;
		return ours > 0 && ours < 1 ? DIRECTION : NO;
	}
	if (!(effect > 0) && !(effect < 0))
		return fabs(ours - 1) < 0.02 ? YES : NO;
	if ((effect > 0 ? ours - 1 : 1 - ours) <= row->value.error)
		return NO;
	return fabs(ours - paper) <= fabs(effect) / 3 ? YES : DIRECTION;
}

/*
 * How far a row is from the paper: 0 the same effect, 1 none or the opposite one, or one that is
 * too large by far. No row can outweigh the others.
 */
static double distance(const struct row *row, double paper)
{
	double ours = row->value.mean - 1, theirs = paper - 1;

	if (is_share(row->metric) || is_crossing(row->metric))
		return fabs(row->value.mean - paper);
	if (fabs(theirs) < 0.001)
		return fabs(ours) < 1 ? fabs(ours) : 1;
	return fabs(ours - theirs) / (fabs(ours) + fabs(theirs));
}

/* One row of the table; the quotient of the effects where there are two. */
static enum verdict write_row(FILE *out, const struct row *row, double paper)
{
	bool quotient = !is_share(row->metric) && !is_crossing(row->metric) &&
			fabs(paper - 1) > 0.001;
	enum verdict verdict = judge(row, paper);
	char effects[32] = "";

	if (quotient)
		snprintf(effects, sizeof(effects), "%.2f ± %.2f",
			 (row->value.mean - 1) / (paper - 1),
			 row->value.error / fabs(paper - 1));
	fprintf(out, "| %s | %s | %s %s | %s | %u | %.2f | %.2f ± %.2f | %s | %s |\n", row->figure,
		row->metric, row->policy, row->mechanism, row->group, row->procs, paper,
		row->value.mean, row->value.error, effects, verdict_names[verdict]);
	return verdict;
}

/* -1: we have no such row. */
static int one(FILE *out, const struct figures *figures, char *const *column, const char *mechanism,
	       const char *group, u32 procs, double paper, struct tally *tally, u32 *verdicts)
{
	const struct row *row =
		figures_find(figures, column[0], column[2], mechanism, group, procs);

	/* two kinds of number share figure 5.7 */
	if (!row || strcmp(row->metric, column[1])) {
		fprintf(stderr,
			"chapter5: %s %s %s %s %s, %u processes: expected, but nothing of that "
			"name is measured\n",
			column[0], column[1], column[2], mechanism, group, procs);
		return -1;
	}
	if (!row->value.count)
		return 0;
	verdicts[write_row(out, row, paper)]++;
	if (verdicts != tally->of && verdicts != tally->shares[0])
		return 0;
	tally->distance += distance(row, paper);
	tally->rows++;
	return 0;
}

/* One number of the paper, for one mechanism and number of processes. */
static int number(FILE *out, const struct figures *figures, char *const *column,
		  const char *mechanism, u32 procs, double paper, struct tally *tally)
{
	int err = 0;
	u32 t;

	if (!is_share(column[1]))
		return one(out, figures, column, mechanism, column[4], procs, paper, tally,
			   tally->of);
	for (t = 0; t < THRESHOLDS && !err; t++)
		err = one(out, figures, column, mechanism, thresholds[t].group, procs, paper, tally,
			  tally->shares[t]);
	return err;
}

static int both_mechanisms(FILE *out, const struct figures *figures, char *const *column, u32 procs,
			   double paper, struct tally *tally)
{
	if (strcmp(column[3], "both"))
		return number(out, figures, column, column[3], procs, paper, tally);
	return number(out, figures, column, "switch", procs, paper, tally) ||
	       number(out, figures, column, "drain", procs, paper, tally) ? -1 : 0;
}

/*
 * A line of expected.csv: one number, a pair for 2 and 8 processes, one for all from 4 to 8, or
 * none (an ordering).
 */
static int expected_line(FILE *out, const struct figures *figures, char *const *column,
			 struct tally *tally)
{
	char *pair = strstr(column[6], "..");
	u32 procs;

	if (!*column[6])
		return 0;
	if (!strcmp(column[5], "2..8") && pair)
		return both_mechanisms(out, figures, column, 2, atof(column[6]), tally) ||
		       both_mechanisms(out, figures, column, 8, atof(pair + 2), tally) ? -1 : 0;
	if (!strcmp(column[5], "4..8")) {
		for (procs = 4; procs <= 8; procs += 2)
			if (both_mechanisms(out, figures, column, procs, atof(column[6]), tally))
				return -1;
		return 0;
	}
	return both_mechanisms(out, figures, column, (u32)atoi(column[5]), atof(column[6]), tally);
}

/* The counts with each threshold of figure 5.7, and the one with the fewest yes as the result. */
static void write_tally(FILE *out, const struct tally *tally)
{
	u32 t, v, least = 0;

	for (t = 1; t < THRESHOLDS; t++)
		if (tally->shares[t][YES] < tally->shares[least][YES])
			least = t;
	fprintf(out, "\n");
	for (t = 0; t < THRESHOLDS; t++) {
		const u32 *shares = tally->shares[t];

		fprintf(out, "5.7 %s: %u yes, %u no\n\n", thresholds[t].group, shares[YES],
			shares[NO]);
	}
	for (v = 0; v < VERDICTS; v++)
		fprintf(out, v ? ", %u %s" : "%u %s", tally->of[v] + tally->shares[least][v],
			v == DIRECTION ? "of the right direction only" : verdict_names[v]);
	fprintf(out, "\n\nmean distance: %.3f\n",
		tally->rows ? tally->distance / tally->rows : 0);
}

static int expected_lines(FILE *out, FILE *in, const char *path, const struct figures *figures,
			  struct tally *tally)
{
	char line[LINE], *column[COLUMNS], *at;
	u32 n, count;

	for (n = 1; fgets(line, sizeof(line), in); n++) {
		line[strcspn(line, "\r\n")] = 0;
		if (!*line || *line == '#' || !strncmp(line, "figure,", 7))
			continue;
		for (at = line, count = 0; count < COLUMNS && at; count++)
			column[count] = strsep(&at, ",");
		if (count < COLUMNS) {
			fprintf(stderr, "chapter5: %s:%u: %u columns, not %u\n", path, n, count,
				COLUMNS);
			return -1;
		}
		if (expected_line(out, figures, column, tally))
			return -1;
	}
	return 0;
}

/* ---- orderings ---------------------------------------------------------- */

struct checks {
	FILE *out;
	const struct figures *figures;
	u32 right, wrong;
};

static double value(const struct checks *c, const char *figure, const char *policy,
		    const char *mechanism, const char *group, u32 procs)
{
	const struct row *row = figures_find(c->figures, figure, policy, mechanism, group, procs);

	return row && row->value.count ? row->value.mean : NAN;
}

/*
 * @what, with the two numbers; says nothing where one of them was not measured. Half a per cent is
 * no difference.
 */
static void more(struct checks *c, const char *what, double larger, double smaller)
{
	bool right = larger > 1.005 * smaller;

	if (isnan(larger) || isnan(smaller))
		return;
	fprintf(c->out, "| %s | %.2f > %.2f | %s |\n", what, larger, smaller, right ? "yes" : "no");
	c->right += right;
	c->wrong += !right;
}

static void orderings(struct checks *c)
{
	char what[160];
	u32 n;

#define V(figure, policy, mechanism, group, procs) value(c, figure, policy, mechanism, group, procs)
	for (n = 2; n <= 8; n += 2) {
		snprintf(what, sizeof(what),
			 "5.4: the switch gains more than draining, %u processes", n);
		more(c, what, V("5.4", "ppq", "switch", "all", n),
		     V("5.4", "ppq", "drain", "all", n));
		snprintf(what, sizeof(what), "5.4: draining gains more than npq, %u processes", n);
		more(c, what, V("5.4", "ppq", "drain", "all", n),
		     V("5.4", "npq", "none", "all", n));
		snprintf(what, sizeof(what),
			 "5.4: SHORT gains more than MEDIUM (switch), %u processes", n);
		more(c, what, V("5.4", "ppq", "switch", "class1:SHORT", n),
		     V("5.4", "ppq", "switch", "class1:MEDIUM", n));
	}
	more(c, "5.4: MEDIUM gains more than LONG (switch), 8 processes",
	     V("5.4", "ppq", "switch", "class1:MEDIUM", 8),
	     V("5.4", "ppq", "switch", "class1:LONG", 8));
	more(c, "5.4: more processes, more gain (npq)", V("5.4", "npq", "none", "all", 8),
	     V("5.4", "npq", "none", "all", 2));
	more(c, "5.4: more processes, more gain (switch)", V("5.4", "ppq", "switch", "all", 8),
	     V("5.4", "ppq", "switch", "all", 2));
	more(c, "5.4: more processes, more gain (drain)", V("5.4", "ppq", "drain", "all", 8),
	     V("5.4", "ppq", "drain", "all", 2));
	more(c, "5.5a: draining costs more throughput, 8 processes",
	     V("5.5a", "ppq-exclusive", "drain", "all", 8),
	     V("5.5a", "ppq-exclusive", "switch", "all", 8));
	for (n = 2; n <= 8; n += 2) {
		snprintf(what, sizeof(what),
			 "5.5b over 5.5a: sharing costs more (switch), %u processes", n);
		more(c, what, V("5.5b", "ppq-shared", "switch", "all", n),
		     V("5.5a", "ppq-exclusive", "switch", "all", n));
		snprintf(what, sizeof(what),
			 "5.5b over 5.5a: sharing costs more (drain), %u processes", n);
		more(c, what, V("5.5b", "ppq-shared", "drain", "all", n),
		     V("5.5a", "ppq-exclusive", "drain", "all", n));
	}
	for (n = 2; n <= 8; n += 6) {
		snprintf(what, sizeof(what),
			 "5.6: SHORT gains more than MEDIUM (switch), %u processes", n);
		more(c, what, V("5.6", "dss-equal", "switch", "class2:SHORT", n),
		     V("5.6", "dss-equal", "switch", "class2:MEDIUM", n));
		snprintf(what, sizeof(what),
			 "5.6: MEDIUM gains more than LONG (switch), %u processes", n);
		more(c, what, V("5.6", "dss-equal", "switch", "class2:MEDIUM", n),
		     V("5.6", "dss-equal", "switch", "class2:LONG", n));
		snprintf(what, sizeof(what),
			 "5.6: the switch gains more than draining, %u processes", n);
		more(c, what, V("5.6", "dss-equal", "switch", "all", n),
		     V("5.6", "dss-equal", "drain", "all", n));
	}
	more(c, "5.6: more processes, more gain for SHORT (switch)",
	     V("5.6", "dss-equal", "switch", "class2:SHORT", 8),
	     V("5.6", "dss-equal", "switch", "class2:SHORT", 2));
	more(c, "5.6: more processes, more loss for LONG (switch)",
	     V("5.6", "dss-equal", "switch", "class2:LONG", 2),
	     V("5.6", "dss-equal", "switch", "class2:LONG", 8));
	more(c, "5.7: more processes, more workloads with better ANTT (switch)",
	     V("5.7", "dss-equal", "switch", "by 10 %", 8),
	     V("5.7", "dss-equal", "switch", "by 10 %", 2));
	more(c, "5.8a: more processes, more fairness gained (switch)",
	     V("5.8a", "dss-equal", "switch", "all", 8),
	     V("5.8a", "dss-equal", "switch", "all", 2));
	more(c, "5.8a: the switch is fairer than draining, 8 processes",
	     V("5.8a", "dss-equal", "switch", "all", 8), V("5.8a", "dss-equal", "drain", "all", 8));
	more(c, "5.8b: more processes, more throughput lost (switch)",
	     V("5.8b", "dss-equal", "switch", "all", 8),
	     V("5.8b", "dss-equal", "switch", "all", 2));
	more(c, "5.8b: draining costs more throughput, 8 processes",
	     V("5.8b", "dss-equal", "drain", "all", 8), V("5.8b", "dss-equal", "switch", "all", 8));
#undef V
}

int verdict_write(const struct figures *figures, const char *expected, const char *path)
{
	FILE *in = fopen(expected, "r"), *out = in ? fopen(path, "w") : NULL;
	struct checks checks = { .out = out, .figures = figures };
	struct tally tally = {};
	int err;

	if (!in || !out) {
		fprintf(stderr, "chapter5: %s: %s\n", in ? path : expected, strerror(errno));
		if (in)
			fclose(in);
		return -1;
	}
	fprintf(out, "| figure | metric | policy | group | processes | paper | ours | ours of the "
		     "paper's effect | verdict |\n|---|---|---|---|---|---|---|---|---|\n");
	err = expected_lines(out, in, expected, figures, &tally);
	write_tally(out, &tally);
	fprintf(out, "\n| ordering | ours | |\n|---|---|---|\n");
	orderings(&checks);
	fprintf(out, "\n%u orderings right, %u wrong\n", checks.right, checks.wrong);
	fclose(in);
	if (!fclose(out))
		return err;
	fprintf(stderr, "chapter5: %s could not be written\n", path);
	return -1;
}
