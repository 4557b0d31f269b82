// SPDX-License-Identifier: MIT
/*
 * table: what the microbenchmarks have measured beside what the configuration says, row by row.
 *
 * usage: table [--csv] [FIELD=VALUE,...] <MEASURED
 *
 * Reads the lines "measured NAME N VALUE" of the programs of this folder; all others are passed
 * over. The configuration is tanasic-ch6, changed by the fields. Exit status: 0 every row is as it
 * should be, 1 one is not, or is not known, 2 wrong usage.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu_model.h"

typedef const struct vgpu_config config;

#define HEADER	8.0	/* bytes of a message beside its data (docs/pipeline-memory.md) */
#define LINE	128.0

/* From the cycle of issue to that in which who needs the result is issued, beside Execute. */
#define STAGES	3.0	/* issue, operand read, commit */

static double min2(double a, double b)
{
	return a < b ? a : b;
}

static double walk_cycles(config *c)
{
	return (double)c->page_walk_ps * c->clock_khz / 1e9;
}

/* ---- units ----------------------------------------------------------------------------- */

static double math(config *c, int n)
{
	(void)n;
	return c->math_cycles + STAGES;
}

static double wide(config *c, int n)
{
	(void)n;
	return c->wide_cycles + STAGES;
}

static double special(config *c, int n)
{
	(void)n;
	return c->special_cycles + STAGES;
}

static double divide(config *c, int n)
{
	(void)n;
	return c->divide_cycles + STAGES;
}

/* @n words of one bank follow each other. */
static double shared(config *c, int n)
{
	return c->shared_cycles + STAGES + (n > 1 ? n - 1 : 0);
}

/* What is behind a branch is fetched when that has committed. */
static double branch(config *c, int n)
{
	(void)n;
	return c->branch_cycles + STAGES + 1;
}

static double issue(config *c)
{
	return min2(c->fetch_width, c->issue_width);
}

/* @n chains, of one warp or of @n. */
static double issue_rate(config *c, int n)
{
	return min2(n / math(c, n), min2(issue(c), c->math_units));
}

static double special_rate(config *c, int n)
{
	return min2(n * 32 / special(c, n), min2(issue(c), c->special_units));
}

static double divide_rate(config *c, int n)
{
	return min2(n * 8 / divide(c, n), 1.0 / c->divide_interval);
}

/* There is one unit for loads, stores and shuffles. */
static double shuffle_rate(config *c, int n)
{
	(void)c;
	(void)n;
	return 1;
}

/* One warp is fetched of in a cycle, up to a branch of it. */
static double branch_rate(config *c, int n)
{
	return min2(n / branch(c, n), 1);
}

/* ---- levels of the hierarchy ------------------------------------------------------------- */

/* Cycles of a message with so many bytes of data through a port. */
static double message(double data, double bytes)
{
	return ceil((HEADER + data) / bytes);
}

/* From the access to the SM's seeing its answer, with so much data each way. */
static double to_l2(config *c, double sent, double data)
{
	return c->l1_cycles + message(sent, c->icnt_sm_bytes) + 2 * c->icnt_cycles + c->l2_cycles +
	       message(data, c->icnt_l2_bytes);
}

/* Bytes a cycle of all channels, and cycles of a line through its own */
static double dram_bytes(config *c)
{
	return (double)c->memory_bandwidth / (c->clock_khz * 1e3);
}

static double channel(config *c)
{
	return ceil(LINE * c->l2_partitions / dram_bytes(c));
}

static double l1(config *c, int n)
{
	(void)n;
	return c->l1_cycles + STAGES;
}

static double l2(config *c, int n)
{
	(void)n;
	return to_l2(c, 0, LINE) + STAGES;
}

static double dram(config *c, int n)
{
	return l2(c, n) + channel(c) + c->dram_cycles;
}

/* Sent a cycle later than a load: when its check has ended. */
static double atomic(config *c, int n)
{
	(void)n;
	return to_l2(c, 32, 32) + STAGES + 1;
}

static double one_of(config *c, int n)
{
	(void)c;
	return 1.0 / n;
}

/* A line is checked, and sent, in a cycle. */
static double coalescing(config *c, int n)
{
	return l1(c, n) + n - 1;
}

static double l1_bandwidth(config *c, int n)
{
	(void)c;
	(void)n;
	return LINE;
}

/* Lines through the port of an SM */
static double sm_bandwidth(config *c, int n)
{
	(void)n;
	return min2(LINE * c->icnt_sm_bytes / (LINE + HEADER),
		    LINE * c->l1_queue / to_l2(c, 0, LINE));
}

/* A register is in use until the line has come. */
static double l1_misses(config *c, int n)
{
	return min2(LINE * c->l1_mshrs / to_l2(c, 0, LINE), sm_bandwidth(c, n));
}

static double l2_bandwidth(config *c, int n)
{
	return min2(c->sms * sm_bandwidth(c, n),
		    c->l2_partitions * LINE * c->icnt_l2_bytes / (LINE + HEADER));
}

/* A register of L2 is in use for a lookup, the channel and DRAM. */
static double dram_bandwidth(config *c, int n)
{
	(void)n;
	return min2(dram_bytes(c),
		    LINE * c->l2_mshrs / (c->l2_cycles + channel(c) + c->dram_cycles));
}

/* Loads of 8 bytes that pass the L1, of @n warps */
static double occupancy(config *c, int n)
{
	return min2(n / (to_l2(c, 0, 32) + STAGES), c->l1_queue / to_l2(c, 0, 32));
}

/* ---- translation ------------------------------------------------------------------------- */

/*
 * Of @n pages behind each other, which are used in turn: the part that a set associative memory
 * that forgets what was used longest ago does not have. A set with one more than its ways has none.
 */
static double missing(double entries, double ways, int n)
{
	int sets = (int)(entries / ways), over = n % sets, each = n / sets, missing = 0;

	missing += each + 1 > ways ? over * (each + 1) : 0;
	missing += each > ways ? (sets - over) * each : 0;
	return (double)missing / n;
}

/* A line of each of @n pages: in the L1 as long as that has room for it, else in L2. */
static double tlb_reach(config *c, int n)
{
	double level = n * LINE <= c->l1_bytes ? l1(c, n) : l2(c, n);

	return level + missing(c->l1_tlb_entries, c->l1_tlb_ways, n) * c->l2_tlb_cycles +
	       missing(c->l2_tlb_entries, c->l2_tlb_ways, n) * walk_cycles(c);
}

static double l1_tlb_misses(config *c, int n)
{
	(void)n;
	return min2((double)c->l1_tlb_mshrs / c->l2_tlb_cycles, 1);
}

static double walks(config *c, int sms)
{
	double walk = walk_cycles(c);

	return min2(sms * c->l1_tlb_mshrs / (c->l2_tlb_cycles + walk),
		    min2(c->page_walkers, c->l2_tlb_mshrs) / walk);
}

static double sm_walks(config *c, int n)
{
	(void)n;
	return walks(c, 1);
}

static double all_walks(config *c, int n)
{
	(void)n;
	return walks(c, (int)c->sms);
}

/* ---- the table ----------------------------------------------------------------------------- */

/**
 * struct row - what is measured
 * @name: in the programs' output
 * @what: with %d for its N
 * @made_of: what of the configuration the number is made of
 * @within: per cent that may be between the two; 0: what rounding leaves
 */
static const struct row {
	const char *name;
	const char *what;
	const char *unit;
	double (*configured)(config *c, int n);
	const char *made_of;
	double within;
} rows[] = {
	{ "math", "f32 addition", "cycles", math, "math_cycles + 3", 0 },
	{ "math-fma", "f32 fused multiplication and addition", "cycles", math, "math_cycles + 3",
	  0 },
	{ "math-integer", "32-bit integers", "cycles", math, "math_cycles + 3", 0 },
	{ "wide", "64-bit integers", "cycles", wide, "wide_cycles + 3", 0 },
	{ "special", "special function", "cycles", special, "special_cycles + 3", 0 },
	{ "divide", "division", "cycles", divide, "divide_cycles + 3", 0 },
	{ "shuffle", "shuffle", "cycles", shared, "shared_cycles + 3", 0 },
	{ "branch", "branch", "cycles", branch, "branch_cycles + 4", 0 },
	{ "barrier", "barrier of one warp", "cycles", branch, "branch_cycles + 4", 0 },
	{ "shared", "shared memory, by words of one bank: %d", "cycles", shared,
	  "shared_cycles + 3, a cycle for each further word", 0 },
	{ "issue-independent", "issue, one warp, by independent instructions: %d", "a cycle",
	  issue_rate, "math_cycles + 3; fetch_width, issue_width, math_units", 0 },
	{ "issue-warps", "issue, by warps with a chain each: %d", "a cycle", issue_rate,
	  "math_cycles + 3; fetch_width, issue_width, math_units", 0 },
	{ "special-rate", "special functions", "a cycle", special_rate, "special_units", 0 },
	{ "divide-rate", "divisions", "a cycle", divide_rate, "divide_interval", 0 },
	{ "shuffle-rate", "shuffles", "a cycle", shuffle_rate, "one unit", 0 },
	{ "branch-rate", "branches", "a cycle", branch_rate, "one warp is fetched of in a cycle",
	  0 },
	{ "l1", "load, L1", "cycles", l1, "l1_cycles + 3", 0 },
	{ "l2", "load, L2", "cycles", l2,
	  "L1, icnt_sm_bytes, 2 icnt_cycles, l2_cycles, icnt_l2_bytes", 0 },
	{ "dram", "load, DRAM", "cycles", dram, "L2, memory_bandwidth, dram_cycles", 0 },
	{ "atomic", "atomic with a result", "cycles", atomic, "as L2, 32 bytes, a check", 0 },
	{ "atomic-rate", "atomics, %d lanes at one address", "a cycle", one_of,
	  "a lane a cycle", 0.5 },
	{ "coalescing", "load, L1, by lines: %d", "cycles", coalescing,
	  "l1_cycles + 3, a cycle for each further line", 0 },
	{ "coalescing-rate", "loads, L1, by lines: %d", "a cycle", one_of, "a line a cycle", 0.5 },
	{ "l1-bandwidth", "bandwidth, L1", "bytes a cycle", l1_bandwidth, "a line a cycle", 0 },
	{ "l1-misses", "bandwidth, misses of an L1", "bytes a cycle", l1_misses,
	  "l1_mshrs, for as long as L2 takes", 1 },
	{ "sm-bandwidth", "bandwidth, L2, one SM", "bytes a cycle", sm_bandwidth,
	  "icnt_sm_bytes, 128 of 136 bytes", 1 },
	{ "sm-stores", "bandwidth, stores, one SM", "bytes a cycle", sm_bandwidth,
	  "icnt_sm_bytes, 128 of 136 bytes", 3 },
	{ "l2-bandwidth", "bandwidth, L2, all SMs", "bytes a cycle", l2_bandwidth,
	  "l2_partitions, icnt_l2_bytes, 128 of 136 bytes", 3 },
	{ "dram-bandwidth", "bandwidth, DRAM", "bytes a cycle", dram_bandwidth,
	  "memory_bandwidth; l2_mshrs, for as long as DRAM takes", 2 },
	{ "tlb-reach", "load, by pages that are used in turn: %d", "cycles", tlb_reach,
	  "L1 or L2; l2_tlb_cycles, page_walk_ps for what the TLBs' sets do not hold", 0.5 },
	{ "l1-tlb-misses", "misses of an L1 TLB that L2's has", "a cycle", l1_tlb_misses,
	  "l1_tlb_mshrs, for l2_tlb_cycles", 1 },
	{ "sm-walks", "page walks, one SM", "a cycle", sm_walks,
	  "l1_tlb_mshrs, for l2_tlb_cycles and page_walk_ps", 1 },
	{ "walks", "page walks, all SMs", "a cycle", all_walks, "page_walkers, for page_walk_ps",
	  1 },
	{ "occupancy", "loads, L2, by warps with a chain each: %d", "a cycle", occupancy,
	  "warps, for as long as L2 takes", 0.5 },
};

static const struct row *find_row(const char *name)
{
	for (size_t n = 0; n < sizeof(rows) / sizeof(*rows); n++)
		if (!strcmp(rows[n].name, name))
			return &rows[n];
	return NULL;
}

/* Returns whether the two are as far apart as they may be at most. */
static bool print_row(const struct row *row, config *c, int n, double measured, bool csv)
{
	double configured = row->configured(c, n), difference = measured - configured;
	double apart = configured ? 100 * difference / configured : 100;
	bool good = fabs(apart) <= (row->within ? row->within : 0.01);
	char what[128];

	/* the row's own text */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(what, sizeof(what), row->what, n);
#pragma GCC diagnostic pop
	if (fabs(apart) <= 0.01)
		difference = apart = 0;
	if (csv)
		printf("%s,%d,%s,%.6g,%.6g,%.6g,%s\n", row->name, n, row->unit, configured,
		       measured, difference, good ? "yes" : "no");
	else
		printf("| %s | %.5g | %.5g | %s | %+.1f %%%s | %s |\n", what, configured, measured,
		       row->unit, apart, good ? "" : " **no**", row->made_of);
	return good;
}

static bool set_fields(struct vgpu_config *c, char *text)
{
	char *save = NULL;

	for (char *field = strtok_r(text, ",", &save); field; field = strtok_r(NULL, ",", &save)) {
		char *value = strchr(field, '=');

		if (!value) {
			fprintf(stderr, "table: '%s' must be FIELD=VALUE\n", field);
			return false;
		}
		*value++ = '\0';
		if (vgpu_config_set(c, field, value)) {
			fprintf(stderr, "table: %s=%s: no such field, or no such value\n", field,
				value);
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	struct vgpu_config c;
	bool csv = argc > 1 && !strcmp(argv[1], "--csv"), good = true;
	char line[256], name[64];
	int n, count = 0;
	double value;

	if (argc > 2 + csv) {
		fprintf(stderr, "usage: table [--csv] [FIELD=VALUE,...] <MEASURED\n");
		return 2;
	}
	if (vgpu_config_preset(&c, "tanasic-ch6") ||
	    (argc > 1 + csv && !set_fields(&c, argv[1 + csv])))
		return 2;
	if (csv)
		printf("name,n,unit,configured,measured,difference,good\n");
	else
		printf("| what | configured | measured | | difference | of |\n"
		       "|---|---|---|---|---|---|\n");
	while (fgets(line, sizeof(line), stdin)) {
		const struct row *row;

		if (sscanf(line, "measured %63s %d %lf", name, &n, &value) != 3)
			continue;
		row = find_row(name);
		if (row) {
			good &= print_row(row, &c, n, value, csv);
			count++;
		} else {
			fprintf(stderr, "table: no row '%s'\n", name);
			good = false;
		}
	}
	if (!count)
		fprintf(stderr, "table: nothing has been measured\n");
	return count && good ? 0 : 1;
}
