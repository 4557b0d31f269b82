// SPDX-License-Identifier: MIT
/*
 * Workloads: the metrics of Eyerman and Eeckhout, as Tanasic 5.3.1 uses them; formulas in
 * docs/metrics.md. The only place, with the output, where times become floating point.
 */
#include <stdlib.h>

#include "workload.h"

static double mean_turnaround(const struct wl_process_outcome *outcome)
{
	return outcome->runs ? (double)outcome->turnaround_ps / (double)outcome->runs : 0;
}

int wl_metrics_compute(struct wl_metrics *metrics, const struct wl_process_outcome *isolated,
		       const struct wl_process_outcome *together, u32 count)
{
	double least = 0, most = 0;
	u32 i;

	*metrics = (struct wl_metrics){ .complete = true };
	metrics->processes = calloc(count, sizeof(*metrics->processes));
	if (!metrics->processes)
		return -1;
	for (i = 0; i < count; i++) {
		struct wl_process_metrics *m = &metrics->processes[i];

		m->isolated_ps = mean_turnaround(&isolated[i]);
		m->turnaround_ps = mean_turnaround(&together[i]);
		if (!isolated[i].runs || !together[i].runs) {
			metrics->complete = false;
			continue;
		}
		m->ntt = m->turnaround_ps / m->isolated_ps;
		metrics->antt += m->ntt / count;
		metrics->stp += 1 / m->ntt;
		if (!i || m->ntt < least)
			least = m->ntt;
		if (!i || m->ntt > most)
			most = m->ntt;
	}
	/* The least quotient of two normalised progresses, which are the inverses of the NTTs. */
	metrics->fairness = most ? least / most : 0;
	return 0;
}

void wl_metrics_free(struct wl_metrics *metrics)
{
	free(metrics->processes);
	metrics->processes = NULL;
}
