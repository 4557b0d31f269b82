// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: managed memory. Which pages moved, why, and when their data crossed the interconnect;
 * which were evicted; and the sums of each context.
 *
 * A migration ends before the fault that raised it, at the same time: until then context and
 * address identify both. Refaults have no records: the pages that were evicted are remembered until
 * they come again. The records do not say what was freed, so pages of memory that was freed and
 * allocated anew at the same address count, too.
 */
#include <search.h>
#include <stdlib.h>

#include "trace.h"

/* Pages of a record: the device makes none with more. */
#define MOST_PAGES	(1u << 20)

const char *const trace_direction_names[VGPU_DIRECTIONS] = {
	[VGPU_DIRECTION_TO_DEVICE] = "to the device",
	[VGPU_DIRECTION_TO_HOST] = "to the host",
};

const char *const trace_cause_names[CAUSES] = {
	[CAUSE_KERNEL] = "faults of kernels",
	[CAUSE_PROCESS] = "faults of processes",
	[CAUSE_PREFETCH] = "prefetches",
	[CAUSE_EVICTION] = "evictions",
};

/* ---- pages that were evicted --------------------------------------------- */

struct page {
	uint64_t number;
	uint32_t context;
};

static int by_number(const void *a, const void *b)
{
	const struct page *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int add_page(struct trace *trace, const struct page *page)
{
	struct page *key = malloc(sizeof(*key)), **node;

	if (!key)
		return -1;
	*key = *page;
	node = tsearch(key, &trace->evicted, by_number);
	if (!node || *node != key)
		free(key);
	return node ? 0 : -1;
}

/* It is there no more; 1: it was. */
static uint64_t remove_page(struct trace *trace, const struct page *page)
{
	struct page **node = tfind(page, &trace->evicted, by_number), *key;

	if (!node)
		return 0;
	key = *node;
	tdelete(page, &trace->evicted, by_number);
	free(key);
	return 1;
}

static uint64_t refaults(struct trace *trace, const struct migration *m)
{
	uint64_t count = 0;

	for (uint64_t n = 0; n < m->pages && trace->evicted; n++)
		count += remove_page(trace, &(struct page){
						    .number = m->address / VGPU_PAGE_SIZE + n,
						    .context = m->context,
					    });
	return count;
}

/* ---- migrations ---------------------------------------------------------- */

static struct migration *add_migration(struct trace *trace, const struct migration *migration)
{
	if (trace_array_grow(&trace->migrations, &trace->migration_room, trace->migration_count,
			     sizeof(*migration)))
		return NULL;
	trace->migrations[trace->migration_count] = *migration;
	return &trace->migrations[trace->migration_count++];
}

static struct migration *open_migration(struct trace *trace, uint32_t process, uint64_t address)
{
	while (trace->migration_first < trace->migration_count &&
	       trace->migrations[trace->migration_first].closed)
		trace->migration_first++;
	for (size_t i = trace->migration_first; i < trace->migration_count; i++) {
		struct migration *m = &trace->migrations[i];

		if (!m->closed && m->context == process && m->address == address)
			return m;
	}
	return NULL;
}

/*
 * The migration of @rec, of type MIGRATE_*. Those of kernels begin with it; of others, too, if the
 * trace has not what raised them: they count as prefetches.
 */
static struct migration *migration_of(struct trace *trace, const struct vgpu_trace_record *rec,
				      uint32_t process)
{
	struct migration *m = open_migration(trace, process, rec->a);
	int of_kernel = rec->sm != 0xffff;

	if (m)
		return m;
	trace->processes[process].managed.kernel_faults += of_kernel;
	return add_migration(trace, &(struct migration){
					    .raised = rec->time,
					    .crosses = rec->time,
					    .crossed = rec->time,
					    .address = rec->a,
					    .bytes = (uint32_t)rec->b,
					    .pages = (uint32_t)(rec->b >> 32),
					    .context = process,
					    .kernel = rec->kernel,
					    .direction = rec->queue,
					    .cause = of_kernel ? CAUSE_KERNEL : CAUSE_PREFETCH,
				    });
}

static int migrate(struct trace *trace, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct managed *sums = &trace->processes[process].managed;
	struct migration *m;

	if (rec->queue >= VGPU_DIRECTIONS || rec->b >> 32 > MOST_PAGES) {
		trace->unmatched++;
		return 0;
	}
	m = migration_of(trace, rec, process);
	if (!m)
		return -1;
	m->bytes = (uint32_t)rec->b;
	if (rec->type == VGPU_TRACE_MIGRATE_START) {
		m->crosses = m->crossed = rec->seq;
		return 0;
	}
	m->end = rec->time;
	m->closed = m->cause == CAUSE_PREFETCH;
	if (rec->type == VGPU_TRACE_MIGRATE_CANCELLED) {
		m->outcome = MIGRATION_CANCELLED;
		sums->cancelled++;
		return 0;
	}
	m->outcome = MIGRATION_ARRIVED;
	m->crossed = rec->seq;
	if (rec->queue == VGPU_DIRECTION_TO_DEVICE) {
		sums->pages_in += m->pages;
		sums->bytes_in += m->bytes;
		sums->refaults += refaults(trace, m);
	} else {
		sums->pages_out += m->pages;
		sums->bytes_out += m->bytes;
	}
	return 0;
}

/* The fault of a kernel or a process has ended. It may be one of memory that is not managed. */
static void end_fault(struct trace *trace, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct managed *sums = &trace->processes[process].managed;
	struct migration *m = open_migration(trace, process, rec->a);
	uint64_t wait = rec->time - rec->seq;

	if (m) {
		m->raised = rec->seq;
		m->closed = 1;
	}
	switch (rec->type) {
	case VGPU_TRACE_PAGE_FAULT_SERVED:
		sums->kernel_wait += m ? wait : 0;
		break;
	case VGPU_TRACE_HOST_FAULT_SERVED:
		sums->process_wait += wait;
		/* fall through */
	case VGPU_TRACE_HOST_FAULT_CANCELLED:
		sums->process_faults += !m;	/* it was raised before the trace began */
		break;
	default:
		break;
	}
}

/* ---- evictions ----------------------------------------------------------- */

static int evict(struct trace *trace, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct managed *sums = &trace->processes[process].managed;
	uint32_t pages = (uint32_t)(rec->b >> 32), bytes = (uint32_t)rec->b;

	if (pages > MOST_PAGES || bytes / VGPU_PAGE_SIZE > pages) {
		trace->unmatched++;
		return 0;
	}
	if (trace_array_grow(&trace->evictions, &trace->eviction_room, trace->eviction_count,
			     sizeof(*trace->evictions)))
		return -1;
	trace->evictions[trace->eviction_count++] = (struct eviction){
		.time = rec->time,
		.mapping = rec->seq,
		.address = rec->a,
		.bytes = bytes,
		.pages = pages,
		.context = process,
		.winner = rec->queue,
	};
	sums->evicted_dirty += bytes / VGPU_PAGE_SIZE;
	sums->evicted_clean += pages - bytes / VGPU_PAGE_SIZE;
	sums->pages_out += pages;
	sums->bytes_out += bytes;
	for (uint32_t n = 0; n < pages; n++)
		if (add_page(trace, &(struct page){ .number = rec->a / VGPU_PAGE_SIZE + n,
						    .context = process }))
			return -1;
	return 0;
}

/* ---- records ------------------------------------------------------------- */

int trace_managed(struct trace *trace, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct managed *sums = &trace->processes[process].managed;
	struct migration m = {
		.raised = rec->time,
		.crosses = rec->time,
		.crossed = rec->time,
		.mapping = rec->seq,
		.address = rec->a,
		.pages = (uint32_t)rec->b,
		.context = process,
	};

	switch (rec->type) {
	case VGPU_TRACE_HOST_FAULT:
		m.cause = CAUSE_PROCESS;
		m.direction = VGPU_DIRECTION_TO_HOST;
		break;
	case VGPU_TRACE_PREFETCH:
		m.cause = CAUSE_PREFETCH;
		m.direction = rec->queue;
		break;
	case VGPU_TRACE_WRITE_BACK:
		m = (struct migration){
			.raised = rec->time,
			.end = rec->a,
			.crosses = rec->seq,
			.crossed = rec->a,
			.bytes = rec->b,
			.context = process,
			.kernel = rec->kernel,
			.direction = VGPU_DIRECTION_TO_HOST,
			.cause = CAUSE_EVICTION,
			.outcome = MIGRATION_ARRIVED,
			.closed = 1,
		};
		break;
	case VGPU_TRACE_MIGRATE_START:
	case VGPU_TRACE_MIGRATE_END:
	case VGPU_TRACE_MIGRATE_CANCELLED:
		return migrate(trace, rec, process);
	case VGPU_TRACE_PAGE_FAULT_SERVED:
	case VGPU_TRACE_PAGE_FAULT_CANCELLED:
	case VGPU_TRACE_HOST_FAULT_SERVED:
	case VGPU_TRACE_HOST_FAULT_CANCELLED:
		end_fault(trace, rec, process);
		return 0;
	case VGPU_TRACE_EVICT:
		return evict(trace, rec, process);
	default:
		return 0;
	}
	if (m.direction >= VGPU_DIRECTIONS || m.pages > MOST_PAGES) {
		trace->unmatched++;
		return 0;
	}
	sums->process_faults += m.cause == CAUSE_PROCESS;
	sums->prefetches += m.cause == CAUSE_PREFETCH;
	return add_migration(trace, &m) ? 0 : -1;
}

int trace_managed_used(const struct managed *m)
{
	return m->kernel_faults || m->process_faults || m->prefetches || m->pages_in ||
	       m->pages_out;
}

void trace_managed_free(struct trace *trace)
{
	while (trace->evicted) {
		struct page *page = *(struct page **)trace->evicted;

		remove_page(trace, page);
	}
	free(trace->migrations);
	free(trace->evictions);
}
