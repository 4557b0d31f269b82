// SPDX-License-Identifier: MIT
/*
 * Workloads: a study as a table for people and as CSV for scripts. Nothing here depends on real
 * time unless asked for, so the same study prints the same bytes.
 */
#include <string.h>

#include "workload.h"

static double us(double ps)
{
	return ps / 1e6;
}

static unsigned long long blocks_of(const struct wl_outcome *outcome, u32 count)
{
	unsigned long long blocks = 0;
	u32 i;

	for (i = 0; i < count; i++)
		blocks += outcome->processes[i].info.blocks;
	return blocks;
}

static double sm_share(const struct wl_study *study, u64 sm_time)
{
	double all = (double)study->together.time_ps * study->setup->config.sms;

	return all > 0 ? (double)sm_time / all : 0;
}

static void print_process(const struct wl_study *study, u32 i, FILE *out)
{
	const struct wl_process *process = &study->job->processes[i];
	const struct wl_process_metrics *m = &study->metrics.processes[i];
	const struct wl_process_outcome *o = &study->together.processes[i];

	fprintf(out, "%-16s %8u %5llu %16.3f ", process->name, process->priority,
		(unsigned long long)o->runs, us(m->isolated_ps));
	if (o->runs)
		fprintf(out, "%16.3f %9.4f", us(m->turnaround_ps), m->ntt);
	else
		fprintf(out, "%16s %9s", "-", "-");
	fprintf(out, " %12llu %8.2f%%\n", (unsigned long long)o->info.blocks,
		100 * sm_share(study, o->info.sm_time));
}

const char *wl_class_name(u64 access_class)
{
	static const char *const names[] = {
		[VGPU_ACCESS_UNKNOWN] = "not known",
		[VGPU_ACCESS_REGULAR] = "regular",
		[VGPU_ACCESS_IRREGULAR] = "irregular",
	};

	return access_class < sizeof(names) / sizeof(*names) ? names[access_class] : "?";
}

const char *wl_sharing_name(u64 sharing)
{
	static const char *const names[] = {
		[VGPU_SHARING_UNKNOWN] = "not known",
		[VGPU_SHARING_FOUND] = "found",
		[VGPU_SHARING_HINTED] = "by a hint",
		[VGPU_SHARING_DENIED] = "not, by a hint",
	};

	return sharing < sizeof(names) / sizeof(*names) ? names[sharing] : "?";
}

/* Of a process of whose memory something is known (docs/memory.md) */
static void print_memory(const struct wl_process *process, const struct vgpu_account *account,
			 FILE *out)
{
	if (!account->access_class && !account->data_shared)
		return;
	fprintf(out,
		"%s: accesses %s, data shared %s; %llu pages evicted (%llu ahead of time), SMs "
		"throttled %llu times\n",
		process->name, wl_class_name(account->access_class),
		wl_sharing_name(account->data_shared), (unsigned long long)account->pages_evicted,
		(unsigned long long)account->pages_evicted_ahead,
		(unsigned long long)account->throttles);
}

static void print_preemptions(const struct vgpu_latency *latency, FILE *out)
{
	double mean = latency->count ? (double)latency->total_ps / (double)latency->count : 0;

	fprintf(out, "preemptions %llu; latency us: mean %.3f, p50 %.3f, p99 %.3f\n",
		(unsigned long long)latency->count, us(mean),
		us((double)vgpu_latency_percentile(latency, 50)),
		us((double)vgpu_latency_percentile(latency, 99)));
}

int wl_print_table(const struct wl_study *study, bool speed, FILE *out)
{
	const struct vgpu_config *config = &study->setup->config;
	const struct wl_outcome *together = &study->together;
	u32 i, count = study->job->process_count;
	unsigned long long blocks = blocks_of(together, count);
	const char *state;

	fprintf(out, "%s: %u SMs, policy %s, preemption %s, seed %llu\n\n", config->name,
		config->sms, config->policy, config->preemption, (unsigned long long)config->seed);
	fprintf(out, "%-16s %8s %5s %16s %16s %9s %12s %9s\n", "process", "priority", "runs",
		"isolated us", "turnaround us", "NTT", "blocks", "SM time");
	for (i = 0; i < count; i++)
		print_process(study, i, out);
	if (study->metrics.complete)
		fprintf(out, "\nANTT %.4f, STP %.4f, fairness %.4f\n", study->metrics.antt,
			study->metrics.stp, study->metrics.fairness);
	else
		fprintf(out, "\nno ANTT, STP, fairness: a process has completed no run\n");
	fputs("SMs:", out);
	for (i = 0; (state = vgpu_sm_state_name(i)); i++)
		fprintf(out, "%s %s %.2f%%", i ? "," : "", state,
			100 * sm_share(study, together->stats.sm_time[i]));
	fputc('\n', out);
	print_preemptions(&together->preemptions, out);
	for (i = 0; i < count; i++)
		print_memory(&study->job->processes[i], &together->processes[i].info.account, out);
	fprintf(out, "%llu thread blocks, %llu events, %.3f us of virtual time\n", blocks,
		(unsigned long long)together->stats.events, us((double)together->time_ps));
	if (speed)
		fprintf(out,
			"speed: %.0f thread blocks per second of real time (%.3f s), %.0f of "
			"processor time (%.3f s)\n",
			(double)blocks / study->seconds, study->seconds,
			(double)blocks / study->cpu_seconds, study->cpu_seconds);
	return ferror(out) ? -1 : 0;
}

int wl_print_csv(const struct wl_study *study, bool speed, FILE *out)
{
	const struct vgpu_config *config = &study->setup->config;
	const struct wl_metrics *metrics = &study->metrics;
	const struct vgpu_latency *latency = &study->together.preemptions;
	u32 i;

	fprintf(out,
		"gpu,policy,preemption,seed,antt,stp,fairness,preemptions,process,priority,"
		"isolated_us,turnaround_us,ntt,runs,blocks,sm_share%s\n",
		speed ? ",seconds,cpu_seconds" : "");
	for (i = 0; i < study->job->process_count; i++) {
		const struct wl_process *process = &study->job->processes[i];
		const struct wl_process_metrics *m = &metrics->processes[i];
		const struct wl_process_outcome *o = &study->together.processes[i];

		fprintf(out, "%s,%s,%s,%llu,", config->name, config->policy, config->preemption,
			(unsigned long long)config->seed);
		if (metrics->complete)
			fprintf(out, "%.9f,%.9f,%.9f,", metrics->antt, metrics->stp,
				metrics->fairness);
		else
			fputs(",,,", out);
		fprintf(out, "%llu,%s,%u,%.6f,", (unsigned long long)latency->count, process->name,
			process->priority, us(m->isolated_ps));
		if (o->runs)
			fprintf(out, "%.6f,%.9f,", us(m->turnaround_ps), m->ntt);
		else
			fputs(",,", out);
		fprintf(out, "%llu,%llu,%.9f", (unsigned long long)o->runs,
			(unsigned long long)o->info.blocks, sm_share(study, o->info.sm_time));
		if (speed)
			fprintf(out, ",%.6f,%.6f", study->seconds, study->cpu_seconds);
		fputc('\n', out);
	}
	return ferror(out) ? -1 : 0;
}
