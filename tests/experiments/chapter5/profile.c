// SPDX-License-Identifier: MIT
/*
 * How slow each application is among eight, and what the paper's own numbers say of that.
 *
 * The text gives gains of classes under DSS (figure 5.6) and the loss of throughput (5.8b), and no
 * NTT. The three fit together only with certain NTTs under FCFS: with STP = sum of 1 / NTT, four
 * LONG, three MEDIUM and three SHORT applications, gains of 0.55, 1.7 and 4, NTTs near 2, 10 and
 * 100 give STP(FCFS) / STP(DSS) = (4/2 + 3/10 + 3/100) / (0.55 x 4/2 + 1.7 x 3/10 + 4 x 3/100) =
 * 1.35, and 5.8b has 1.34. A set of assumptions that is far from these NTTs cannot show both.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "chapter5.h"

static const struct { const char *name; double ntt, gain; } implied[CLASSES] = {
	[WL_SHORT] = { "SHORT", 100, 4 },
	[WL_MEDIUM] = { "MEDIUM", 10, 1.7 },
	[WL_LONG] = { "LONG", 2, 0.55 },
};

/** struct seen - NTTs of an application or a class over all mixes of eight */
struct seen {
	double ntt[CONFIGS];		/* sums */
	double speed[CONFIGS];		/* sums of 1 / NTT */
	u32 count;
	double gain;			/* under ppq, sum over mixes where it has priority */
	u32 favoured;			/* number of these */
};

static void see(struct seen *seen, const struct study *study, enum config fcfs, u32 mix,
		u32 process)
{
	double ntt[CONFIGS];
	u32 c;

	for (c = 0; c < CONFIGS; c++) {
		/* the baseline takes the place of FCFS */
		ntt[c] = result_of(study, mix, c == FCFS ? fcfs : (enum config)c)->ntt[process];
		seen->ntt[c] += ntt[c];
		seen->speed[c] += 1 / ntt[c];
	}
	seen->count++;
	if (study->mixes[mix].favoured == process) {
		seen->gain += ntt[FCFS] / ntt[PPQX_SWITCH];
		seen->favoured++;
	}
}

static void write_applications(FILE *out, const struct seen *apps)
{
	u32 app;

	fprintf(out, "| application | class 2 | NTT under FCFS | DSS switch | DSS drain | "
		     "5.6: FCFS / DSS switch | 5.4: FCFS / PPQ switch |\n"
		     "|---|---|---|---|---|---|---|\n");
	for (app = 0; app < WL_APPS; app++) {
		const double *ntt = apps[app].ntt;
		double n = apps[app].count;

		if (!apps[app].count)
			continue;
		fprintf(out, "| %s | %s | %.1f | %.1f | %.1f | %.2f |", wl_apps[app].name,
			implied[wl_apps[app].class2].name, ntt[FCFS] / n, ntt[DSS_SWITCH] / n,
			ntt[DSS_DRAIN] / n, ntt[FCFS] / ntt[DSS_SWITCH]);
		if (apps[app].favoured)
			fprintf(out, " %.1f |\n", apps[app].gain / apps[app].favoured);
		else
			fprintf(out, " – |\n");
	}
}

/* What the paper's numbers imply is met within a factor of two. */
static void write_classes(FILE *out, const struct seen *classes)
{
	double fcfs = 0, dss = 0;
	u32 c;

	fprintf(out, "\n| class 2 | NTT under FCFS that the paper's numbers imply | ours | "
		     "within a factor of 2 | 1 / mean of 1 / NTT |\n|---|---|---|---|---|\n");
	for (c = 0; c < CLASSES; c++) {
		double n = classes[c].count, ntt = classes[c].ntt[FCFS] / n;

		if (!classes[c].count)
			continue;
		fprintf(out, "| %s | %.0f | %.1f | %s | %.1f |\n", implied[c].name, implied[c].ntt,
			ntt, fabs(log2(ntt / implied[c].ntt)) <= 1 ? "yes" : "no",
			n / classes[c].speed[FCFS]);
		fcfs += classes[c].speed[FCFS];
		dss += classes[c].speed[DSS_SWITCH];
	}
	if (dss > 0)
		fprintf(out, "\nProgress of all, FCFS over DSS with the switch: %.2f\n",
			fcfs / dss);
}

/** struct shared - what sharing changes where an application has priority: sums over mixes */
struct shared {
	double stp[2];			/* exclusive / shared: the switch, draining */
	double ntt[2];			/* of the application, the switch: exclusive, shared */
	u64 preemptions[2];		/* likewise */
	u32 count;
};

static void see_shared(struct shared *shared, const struct study *study, u32 mix)
{
	const struct result *exclusive = result_of(study, mix, PPQX_SWITCH);
	const struct result *sharing = result_of(study, mix, PPQS_SWITCH);
	u32 favoured = study->mixes[mix].favoured;

	shared->stp[0] += exclusive->stp / sharing->stp;
	shared->stp[1] += result_of(study, mix, PPQX_DRAIN)->stp /
			  result_of(study, mix, PPQS_DRAIN)->stp;
	shared->ntt[0] += exclusive->ntt[favoured];
	shared->ntt[1] += sharing->ntt[favoured];
	shared->preemptions[0] += exclusive->preemptions;
	shared->preemptions[1] += sharing->preemptions;
	shared->count++;
}

/*
 * Why 5.5b is above 5.5a in the paper: low-priority kernels "get preempted soon after they start".
 * Where an application pays for sharing, preemptions are many more.
 */
static void write_shared(FILE *out, const struct shared *apps)
{
	u32 app;

	fprintf(out, "\n| has priority | STP, exclusive / shared (switch) | (drain) | "
		     "preemptions a mix, exclusive | shared | its NTT, exclusive | shared |\n"
		     "|---|---|---|---|---|---|---|\n");
	for (app = 0; app < WL_APPS; app++) {
		const struct shared *s = &apps[app];

		if (s->count)
			fprintf(out, "| %s | %.3f | %.3f | %llu | %llu | %.2f | %.2f |\n",
				wl_apps[app].name, s->stp[0] / s->count, s->stp[1] / s->count,
				(unsigned long long)(s->preemptions[0] / s->count),
				(unsigned long long)(s->preemptions[1] / s->count),
				s->ntt[0] / s->count, s->ntt[1] / s->count);
	}
}

int profile_write(const struct study *study, enum config fcfs, const char *path)
{
	struct seen apps[WL_APPS] = {}, classes[CLASSES] = {};
	struct shared shared[WL_APPS] = {};
	FILE *out = fopen(path, "w");
	u32 i, p;

	if (!out) {
		fprintf(stderr, "chapter5: %s: %s\n", path, strerror(errno));
		return -1;
	}
	for (i = 0; i < study->mix_count; i++) {
		const struct mix *mix = &study->mixes[i];

		if (mix->size == SIZE_MOST)
			see_shared(&shared[mix->apps[mix->favoured]], study, i);
		for (p = 0; p < mix->size && mix->size == SIZE_MOST; p++) {
			see(&apps[mix->apps[p]], study, fcfs, i, p);
			see(&classes[wl_apps[mix->apps[p]].class2], study, fcfs, i, p);
		}
	}
	write_applications(out, apps);
	write_classes(out, classes);
	if (!study->no_shared)
		write_shared(out, shared);
	if (!fclose(out))
		return 0;
	fprintf(stderr, "chapter5: %s could not be written\n", path);
	return -1;
}
