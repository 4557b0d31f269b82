// SPDX-License-Identifier: MIT
/*
 * The numbers of figures 5.4 to 5.8 (Tanasic 5.3.2 to 5.3.4) as averages over mixes. What a figure
 * divides by what is said at its name; every quotient is taken for one mix (and one process of it),
 * then averaged.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chapter5.h"

/* ---- averages ----------------------------------------------------------- */

struct sum {
	double sum, squares;
	u32 count;
};

static void add(struct sum *sum, double value)
{
	sum->sum += value;
	sum->squares += value * value;
	sum->count++;
}

static struct average average_of(const struct sum *sum)
{
	struct average average = { .count = sum->count };
	double n = sum->count, variance;

	if (!sum->count)
		return average;
	average.mean = sum->sum / n;
	if (sum->count > 1) {
		variance = (sum->squares - sum->sum * average.mean) / (n - 1);
		average.error = sqrt((variance > 0 ? variance : 0) / n);
	}
	return average;
}

#define ROW(figure_, metric_, policy_, mechanism_, group_, procs_)	\
	.figure = figure_, .metric = metric_, .policy = policy_, .mechanism = mechanism_, \
		.group = group_, .procs = procs_

static int put(struct figures *figures, const struct row *row, const struct sum *sum)
{
	struct row *rows = figures->rows;

	if (figures->count == figures->room) {
		figures->room = figures->room ? figures->room * 2 : 128;
		rows = realloc(rows, figures->room * sizeof(*rows));
		if (!rows)
			return -1;
		figures->rows = rows;
	}
	rows[figures->count] = *row;
	rows[figures->count++].value = average_of(sum);
	return 0;
}

/* ---- one figure each ---------------------------------------------------- */

/* Groups as in expected.csv: all, then one for each class in its order. */
static const char *const class1_groups[] = { "all", "class1:SHORT", "class1:MEDIUM",
					     "class1:LONG" };
static const char *const class2_groups[] = { "all", "class2:SHORT", "class2:MEDIUM",
					     "class2:LONG" };

#define GROUPS	4

/* NTT of the process with priority: without any priorities (FCFS) / under the policy. */
static int figure_54(struct figures *figures, const struct study *study, u32 size, enum config fcfs)
{
	static const struct { enum config config; const char *policy, *mechanism;
	} columns[] = {
		{ NPQ, "npq", "none" },
		{ PPQX_SWITCH, "ppq", "switch" },
		{ PPQX_DRAIN, "ppq", "drain" },
	};
	u32 column, group, i;

	for (column = 0; column < 3; column++) {
		struct sum sums[GROUPS] = {};

		for (i = 0; i < study->mix_count; i++) {
			const struct mix *mix = &study->mixes[i];
			double gain =
				result_of(study, i, fcfs)->ntt[mix->favoured] /
				result_of(study, i, columns[column].config)->ntt[mix->favoured];

			if (mix->size != size)
				continue;
			add(&sums[0], gain);
			add(&sums[1 + wl_apps[mix->apps[mix->favoured]].class1], gain);
		}
		for (group = 0; group < GROUPS; group++)
			if (put(figures,
				&(struct row){ ROW("5.4", "ntt_improvement_of_high_priority",
						   columns[column].policy,
						   columns[column].mechanism, class1_groups[group],
						   size) },
				&sums[group]))
				return -1;
	}
	return 0;
}

/* STP under @base / under @config. */
static int degradation(struct figures *figures, const struct study *study, u32 size, struct row row,
		       enum config base, enum config config)
{
	struct sum sum = {};
	u32 i;

	for (i = 0; i < study->mix_count; i++)
		if (study->mixes[i].size == size && study_has(study, config))
			add(&sum,
			    result_of(study, i, base)->stp / result_of(study, i, config)->stp);
	row.metric = "stp_degradation";
	row.group = "all";
	row.procs = size;
	return put(figures, &row, &sum);
}

static int figure_55(struct figures *figures, const struct study *study, u32 size)
{
	return degradation(figures, study, size,
			   (struct row){ .figure = "5.5a",
					 .policy = "ppq-exclusive",
					 .mechanism = "switch" },
			   NPQ, PPQX_SWITCH) ||
			       degradation(figures, study, size,
					   (struct row){ .figure = "5.5a",
							 .policy = "ppq-exclusive",
							 .mechanism = "drain" },
					   NPQ, PPQX_DRAIN) ||
			       degradation(figures, study, size,
					   (struct row){ .figure = "5.5b",
							 .policy = "ppq-shared",
							 .mechanism = "switch" },
					   NPQ, PPQS_SWITCH) ||
			       degradation(figures, study, size,
					   (struct row){ .figure = "5.5b",
							 .policy = "ppq-shared",
							 .mechanism = "drain" },
					   NPQ, PPQS_DRAIN) ?
		       -1 :
		       0;
}

static const struct { enum config config; const char *mechanism; } dss[] = {
	{ DSS_SWITCH, "switch" }, { DSS_DRAIN, "drain" },
};

/* NTT of every process: FCFS / DSS. */
static int figure_56(struct figures *figures, const struct study *study, u32 size, enum config fcfs)
{
	u32 column, group, i, p;

	for (column = 0; column < 2; column++) {
		struct sum sums[GROUPS] = {};

		for (i = 0; i < study->mix_count; i++) {
			const struct mix *mix = &study->mixes[i];

			for (p = 0; p < mix->size && mix->size == size; p++) {
				double gain = result_of(study, i, fcfs)->ntt[p] /
					      result_of(study, i, dss[column].config)->ntt[p];

				add(&sums[0], gain);
				add(&sums[1 + wl_apps[mix->apps[p]].class2], gain);
			}
		}
		for (group = 0; group < GROUPS; group++)
			if (put(figures,
				&(struct row){ ROW("5.6", "ntt_improvement", "dss-equal",
						   dss[column].mechanism, class2_groups[group],
						   size) },
				&sums[group]))
				return -1;
	}
	return 0;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* ANTTs of one size under one configuration, sorted; returns how many, 0: no memory or none. */
static u32 sorted_antt(const struct study *study, u32 size, enum config config, double **out)
{
	double *antt = malloc((study->mix_count + 1) * sizeof(*antt));
	u32 i, count = 0;

	*out = antt;
	if (!antt)
		return 0;
	for (i = 0; i < study->mix_count; i++)
		if (study->mixes[i].size == size)
			antt[count++] = result_of(study, i, config)->antt;
	qsort(antt, count, sizeof(*antt), ascending);
	return count;
}

const struct threshold thresholds[THRESHOLDS] = {
	{ "by 2 %", 0.98 },
	{ "by 10 %", 0.90 },
	{ "by 20 %", 0.80 },
};
/* For the crossing: less cannot be seen in a figure. */
#define BETTER	(thresholds[0].below)

/*
 * The share of mixes with better ANTT under DSS, by each threshold, and where, among those that are
 * better, the sorted curve of draining comes to lie below that of the context switch: 0 at once, 1
 * never. The crossing is the place that leaves the fewest mixes on the wrong side of it.
 */
static int figure_57(struct figures *figures, const struct study *study, u32 size, enum config fcfs)
{
	double *of_fcfs, *of_switch, *of_drain;
	u32 count = sorted_antt(study, size, fcfs, &of_fcfs), row, i, first = 0, best = 0;
	struct sum crossing = {};
	int wrong = 0, least = 0, err = 0;

	sorted_antt(study, size, DSS_SWITCH, &of_switch);
	sorted_antt(study, size, DSS_DRAIN, &of_drain);
	if (!of_fcfs || !of_switch || !of_drain)
		err = -1;
	for (row = 0; row < 2 * THRESHOLDS && !err; row++) {
		const struct threshold *better = &thresholds[row / 2];
		struct sum share = {};

		for (i = 0; i < study->mix_count; i++)
			if (study->mixes[i].size == size)
				add(&share, result_of(study, i, dss[row % 2].config)->antt <
					    better->below * result_of(study, i, fcfs)->antt);
		err = put(figures,
			  &(struct row){ ROW("5.7", "share_of_workloads_with_better_antt",
					     "dss-equal", dss[row % 2].mechanism, better->group,
					     size) },
			  &share);
	}
	if (!err && size > 2) {
		while (first < count && of_switch[first] >= BETTER * of_fcfs[first])
			first++;
		/* moving the crossing up by one puts that mix on the side of the switch */
		for (i = first; i < count; i++) {
			wrong += of_drain[i] < of_switch[i] ? 1 : -1;
			if (wrong < least) {
				least = wrong;
				best = i + 1 - first;
			}
		}
		if (first < count)
			add(&crossing, (double)best / (count - first));
		err = put(figures,
			  &(struct row){ ROW("5.7", "antt_crossing", "dss-equal", "switch-vs-drain",
					     "all", size) },
			  &crossing);
	}
	free(of_fcfs);
	free(of_switch);
	free(of_drain);
	return err;
}

static int figure_58(struct figures *figures, const struct study *study, u32 size, enum config fcfs)
{
	u32 column, i;

	for (column = 0; column < 2; column++) {
		struct sum sum = {};

		for (i = 0; i < study->mix_count; i++)
			if (study->mixes[i].size == size)
				add(&sum, result_of(study, i, dss[column].config)->fairness /
					  result_of(study, i, fcfs)->fairness);
		if (put(figures,
			&(struct row){ ROW("5.8a", "fairness_improvement", "dss-equal",
					   dss[column].mechanism, "all", size) },
			&sum) ||
		    degradation(figures, study, size,
				(struct row){ .figure = "5.8b",
					      .policy = "dss-equal",
					      .mechanism = dss[column].mechanism },
				fcfs, dss[column].config))
			return -1;
	}
	return 0;
}

int figures_compute(struct figures *figures, const struct study *study, enum config fcfs)
{
	u32 size;

	memset(figures, 0, sizeof(*figures));
	for (size = 2; size <= SIZE_MOST; size += 2)
		if (figure_54(figures, study, size, fcfs) || figure_55(figures, study, size) ||
		    figure_56(figures, study, size, fcfs) ||
		    figure_57(figures, study, size, fcfs) ||
		    figure_58(figures, study, size, fcfs)) {
			fprintf(stderr, "chapter5: no memory\n");
			return -1;
		}
	return 0;
}

void figures_free(struct figures *figures)
{
	free(figures->rows);
	figures->rows = NULL;
}

const struct row *figures_find(const struct figures *figures, const char *figure,
			       const char *policy, const char *mechanism, const char *group,
			       u32 procs)
{
	u32 i;

	for (i = 0; i < figures->count; i++) {
		const struct row *row = &figures->rows[i];

		if (row->procs == procs && !strcmp(row->figure, figure) &&
		    !strcmp(row->policy, policy) && !strcmp(row->mechanism, mechanism) &&
		    !strcmp(row->group, group))
			return row;
	}
	return NULL;
}

/* ---- files -------------------------------------------------------------- */

static FILE *begin(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		fprintf(stderr, "chapter5: %s: %s\n", path, strerror(errno));
	return file;
}

static int end(FILE *file, const char *path)
{
	bool bad = ferror(file);

	if (!fclose(file) && !bad)
		return 0;
	fprintf(stderr, "chapter5: %s could not be written\n", path);
	return -1;
}

int figures_write(const struct figures *figures, const char *path)
{
	FILE *file = begin(path);
	u32 i;

	if (!file)
		return -1;
	fprintf(file, "figure,metric,policy,mechanism,group,procs,mean,standard_error,count\n");
	for (i = 0; i < figures->count; i++) {
		const struct row *row = &figures->rows[i];

		fprintf(file, "%s,%s,%s,%s,%s,%u,%.4f,%.4f,%u\n", row->figure, row->metric,
			row->policy, row->mechanism, row->group, row->procs, row->value.mean,
			row->value.error, row->value.count);
	}
	return end(file, path);
}

int figures_write_antt(const struct study *study, u32 size, enum config fcfs, const char *path)
{
	double *of_fcfs, *of_switch, *of_drain;
	u32 count = sorted_antt(study, size, fcfs, &of_fcfs), i;
	FILE *file = begin(path);

	sorted_antt(study, size, DSS_SWITCH, &of_switch);
	sorted_antt(study, size, DSS_DRAIN, &of_drain);
	if (file) {
		fprintf(file, "workload,fcfs,dss_switch,dss_drain\n");
		for (i = 0; of_switch && of_drain && i < count; i++)
			fprintf(file, "%u,%.4f,%.4f,%.4f\n", i + 1, of_fcfs[i], of_switch[i],
				of_drain[i]);
	}
	free(of_fcfs);
	free(of_switch);
	free(of_drain);
	return file ? end(file, path) : -1;
}

int figures_write_runs(const struct study *study, const char *path)
{
	FILE *file = begin(path);
	u32 i, c, p;

	if (!file)
		return -1;
	fprintf(file,
		"mix,procs,seed,config,antt,stp,fairness,preemptions,latency_mean_us,"
		"latency_p99_us,time_us,process,favoured,isolated_us,turnaround_us,ntt,runs\n");
	for (i = 0; i < study->mix_count; i++)
		for (c = 0; c < CONFIGS; c++)
			for (p = 0; p < study->mixes[i].size && study_has(study, (enum config)c);
			     p++) {
				const struct mix *mix = &study->mixes[i];
				const struct result *r = result_of(study, i, (enum config)c);

				fprintf(file,
					"%u,%u,%llu,%s,%.4f,%.4f,%.4f,%llu,%.3f,%.3f,%.3f,%s,%d,"
					"%.3f,%.3f,%.4f,%llu\n",
					i + 1, mix->size, (unsigned long long)mix->seed,
					configs[c].label, r->antt, r->stp, r->fairness,
					(unsigned long long)r->preemptions, r->latency_us,
					r->latency_p99_us, r->time_us, wl_apps[mix->apps[p]].name,
					p == mix->favoured, study->isolated_us[mix->apps[p]],
					r->turnaround_us[p], r->ntt[p],
					(unsigned long long)r->runs[p]);
			}
	return end(file, path);
}
