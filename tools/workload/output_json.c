// SPDX-License-Identifier: MIT
/*
 * Workloads: a study as one JSON object. Keys keep their order; what does not exist (a metric of a
 * process without a completed run) is null.
 */
#include <jansson.h>

#include "workload.h"

/* Takes @value; a NULL one, or no room, spoils the object: json_dumpf() then never sees it. */
static void json_put(json_t *object, const char *key, json_t *value, bool *failed)
{
	if (json_object_set_new(object, key, value))
		*failed = true;
}


static json_t *number_if(bool there, double value)
{
	return there ? json_real(value) : json_null();
}

static json_t *whole(u64 value)
{
	return json_integer((json_int_t)value);
}

static json_t *process_object(const struct wl_study *study, u32 i, bool *failed)
{
	const struct wl_process *process = &study->job->processes[i];
	const struct wl_process_metrics *m = &study->metrics.processes[i];
	const struct wl_process_outcome *o = &study->together.processes[i];
	json_t *object = json_object();

	json_put(object, "name", json_string(process->name), failed);
	json_put(object, "isolated_us", json_real(m->isolated_ps / 1e6), failed);
	json_put(object, "turnaround_us", number_if(o->runs, m->turnaround_ps / 1e6), failed);
	json_put(object, "ntt", number_if(o->runs, m->ntt), failed);
	json_put(object, "runs", whole(o->runs), failed);
	json_put(object, "priority", whole(process->priority), failed);
	json_put(object, "blocks", whole(o->info.blocks), failed);
	json_put(object, "kernels", whole(o->info.kernels), failed);
	json_put(object, "sm_us", json_real((double)o->info.sm_time / 1e6), failed);
	json_put(object, "access_class", json_string(wl_class_name(o->info.account.access_class)),
		 failed);
	json_put(object, "data_shared", json_string(wl_sharing_name(o->info.account.data_shared)),
		 failed);
	json_put(object, "pages_evicted", whole(o->info.account.pages_evicted), failed);
	json_put(object, "pages_evicted_ahead", whole(o->info.account.pages_evicted_ahead), failed);
	json_put(object, "throttles", whole(o->info.account.throttles), failed);
	return object;
}

static json_t *preemption_object(const struct vgpu_latency *latency, bool *failed)
{
	json_t *object = json_object();
	double mean = latency->count ? (double)latency->total_ps / (double)latency->count : 0;

	json_put(object, "count", whole(latency->count), failed);
	json_put(object, "mean_us", json_real(mean / 1e6), failed);
	json_put(object, "p50_us", json_real((double)vgpu_latency_percentile(latency, 50) / 1e6),
	    failed);
	json_put(object, "p99_us", json_real((double)vgpu_latency_percentile(latency, 99) / 1e6),
	    failed);
	return object;
}

static json_t *sm_object(const struct wl_study *study, bool *failed)
{
	json_t *object = json_object();
	const char *state;
	unsigned int i;

	for (i = 0; (state = vgpu_sm_state_name(i)); i++)
		json_put(object, state, json_real((double)study->together.stats.sm_time[i] / 1e6),
		    failed);
	return object;
}

int wl_print_json(const struct wl_study *study, bool speed, FILE *out)
{
	const struct vgpu_config *config = &study->setup->config;
	const struct wl_outcome *together = &study->together;
	bool complete = study->metrics.complete;
	json_t *object = json_object(), *processes = json_array();
	bool failed = !object || !processes;
	u64 blocks = 0;
	u32 i;

	for (i = 0; i < study->job->process_count; i++) {
		blocks += together->processes[i].info.blocks;
		if (json_array_append_new(processes, process_object(study, i, &failed)))
			failed = true;
	}
	json_put(object, "antt", number_if(complete, study->metrics.antt), &failed);
	json_put(object, "stp", number_if(complete, study->metrics.stp), &failed);
	json_put(object, "fairness", number_if(complete, study->metrics.fairness), &failed);
	json_put(object, "blocks", whole(blocks), &failed);
	json_put(object, "processes", processes, &failed);
	json_put(object, "gpu", json_string(config->name), &failed);
	json_put(object, "sms", whole(config->sms), &failed);
	json_put(object, "policy", json_string(config->policy), &failed);
	json_put(object, "preemption", json_string(config->preemption), &failed);
	json_put(object, "seed", whole(config->seed), &failed);
	json_put(object, "time_us", json_real((double)together->time_ps / 1e6), &failed);
	json_put(object, "events", whole(together->stats.events), &failed);
	json_put(object, "sm_us", sm_object(study, &failed), &failed);
	json_put(object, "preemptions", preemption_object(&together->preemptions, &failed),
		 &failed);
	if (speed) {
		json_put(object, "seconds", json_real(study->seconds), &failed);
		json_put(object, "cpu_seconds", json_real(study->cpu_seconds), &failed);
		json_put(object, "blocks_per_second", json_real((double)blocks / study->seconds),
		    &failed);
		json_put(object, "blocks_per_cpu_second",
			 json_real((double)blocks / study->cpu_seconds), &failed);
	}
	if (!failed)
		failed = json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) ||
			 fputc('\n', out) == EOF;
	json_decref(object);
	return failed || ferror(out) ? -1 : 0;
}
