// SPDX-License-Identifier: MIT
/*
 * Trace records of managed memory: faults of processes, prefetches, migrations, evictions. Times
 * are worked out by hand: at 1 GB/s a granule crosses the interconnect in 65.536 us, a page in
 * 4.096; the host handles a fault in 2 us, 5 us from the SM, and the way back takes 5 us. What the
 * records say sums up to the statistics.
 */
#include <stdlib.h>

#include "fault_rig.h"
#include "vass_build.h"

#define BASE	HOST_MANAGED
#define PAGE	VGPU_PAGE_SIZE
#define GRANULE	0x10000u
#define MAPPED	(16 * GRANULE)
#define DEVICE	0x10000000ull
#define PAGES(pages, bytes)	((u64)(pages) << 32 | (bytes))

#define SETTINGS	"link_bandwidth=1000000000", "fault_data_round_trip_ps=0"
#define BIG		(65536 * 1000ull)	/* picoseconds of a granule, of a page */
#define SMALL		(4096 * 1000ull)

/* Thread n stores n to the base and n times the stride. */
static struct rig open_context(struct host *h)
{
	struct rig r = { .h = h, .context = host_open(h) };
	char message[256] = "";
	struct vass v;
	void *binary;
	u32 bytes;

	r.queue = host_queue(h, r.context);
	assert_int_equal(vgpu_memory_map_managed(h->dev, r.context, BASE, MAPPED), 0);
	vass_init(&v, 16, 16);
	vass_op(&v, VGPU_OP_SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	vass_op(&v, VGPU_OP_LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	vass_op(&v, VGPU_OP_LDP, VASS_MEM(4, 1), 4, 0, 0, 0, 8);
	vass_op(&v, VGPU_OP_MADWU, 0, 6, 0, 4, 2, 0);
	vass_op(&v, VGPU_OP_STG, VASS_MEM(4, 1), 0, 6, 0, 0, 0);
	vass_op(&v, VGPU_OP_EXIT, 0, 0, 0, 0, 0, 0);
	binary = vass_binary(&v, &bytes);
	if (vgpu_module_load(h->dev, r.context, binary, bytes, message, sizeof(message), &r.module))
		fail_msg("%s", message);
	free(binary);
	return r;
}

#define START(...)										\
	open_context(rig_host((const char *const[]){ SETTINGS, __VA_ARGS__ __VA_OPT__(,) NULL }))

static void touch_by_process(struct rig *r, u64 address)
{
	int error;
	u32 *word = (u32 *)host_access(r->h, r->context, address, &error);

	assert_int_equal(error, 0);
	++*word;
}

static void prefetch(struct rig *r, u64 address, u64 bytes, u32 to_device)
{
	host_push(r->h, r->context, r->queue,
		  (struct vgpu_cmd){ .op = VGPU_CMD_PREFETCH,
				     .prefetch = { .address = address,
						   .bytes = bytes,
						   .to_device = to_device } });
}

/** struct expected - a record; its time and what of it is a time are counted from the first one */
struct expected {
	u64 at;
	u16 type;
	u16 sm;
	u32 context, queue, kernel;
	u64 seq, a, b;
};

static bool is_about_pages(u16 type)
{
	return type >= VGPU_TRACE_PAGE_FAULT && type != VGPU_TRACE_SM_WARPS;
}

/* The fields of @got that are times: as they are counted. */
static u64 since(u64 time, u64 begin, bool is_time)
{
	return is_time && time ? time - begin : time;
}

/* The records about pages from record @from on are these, but for the number of the SM. */
static void records_are(struct host *h, size_t from, const struct expected *e, size_t count)
{
	u64 begin = VGPU_NEVER;

	for (size_t n = from; n < h->record_count; n++) {
		const struct vgpu_trace_record *got = &h->records[n];
		u16 type = got->type;
		bool seq_is_time = type == VGPU_TRACE_PAGE_FAULT_SERVED ||
				   type == VGPU_TRACE_HOST_FAULT_SERVED ||
				   type == VGPU_TRACE_HOST_FAULT_CANCELLED ||
				   type == VGPU_TRACE_MIGRATE_START ||
				   type == VGPU_TRACE_MIGRATE_END ||
				   type == VGPU_TRACE_MIGRATE_CANCELLED ||
				   type == VGPU_TRACE_WRITE_BACK;

		if (!is_about_pages(type))
			continue;
		if (begin == VGPU_NEVER)
			begin = got->time;
		assert_true(count);
		count--;
		assert_int_equal(type, e->type);
		assert_int_equal(got->time - begin, e->at);
		assert_int_equal(got->sm == VGPU_NO_SM, e->sm == VGPU_NO_SM);
		assert_int_equal(got->context, e->context);
		assert_int_equal(got->queue, e->queue);
		assert_int_equal(got->kernel, e->kernel);
		/* a fault was raised at 0 */
		if (type == VGPU_TRACE_PAGE_FAULT_SERVED || type == VGPU_TRACE_HOST_FAULT_SERVED)
			assert_int_equal(got->seq, begin);
		else
			assert_int_equal(since(got->seq, begin, seq_is_time), e->seq);
		assert_int_equal(since(got->a, begin, type == VGPU_TRACE_WRITE_BACK), e->a);
		assert_int_equal(got->b, e->b);
		e++;
	}
	assert_int_equal(count, 0);
}

#define RECORDS_ARE(h, from, ...)								\
	do {											\
		const struct expected list[] = { __VA_ARGS__ };					\
		records_are(h, from, list, VGPU_ARRAY_SIZE(list));				\
	} while (0)

#define IN	VGPU_DIRECTION_TO_DEVICE
#define OUT	VGPU_DIRECTION_TO_HOST
#define T(name)	VGPU_TRACE_##name

/* ---- tests -------------------------------------------------------------- */

static void there_and_back(void **state)
{
	struct rig r = START();
	u64 moved = 7 * VGPU_US, back = 2 * VGPU_US;
	size_t from;

	(void)state;
	touch_by_process(&r, BASE + PAGE);
	launch(&r, 1, BASE, 0);
	host_run(r.h);
	RECORDS_ARE(r.h, 0,
		    { 0, T(PAGE_FAULT), 0, 1, 1, 1, BASE, BASE, 16 },
		    { moved, T(MIGRATE_START), 0, 1, IN, 1, moved, BASE, PAGES(16, GRANULE) },
		    { moved + BIG + 5 * VGPU_US, T(MIGRATE_END), 0, 1, IN, 1, moved + BIG, BASE,
		      PAGES(16, GRANULE) },
		    { moved + BIG + 5 * VGPU_US, T(PAGE_FAULT_SERVED), 0, 1, 0, 1, 0, BASE, 16 });
	from = r.h->record_count;
	/* one page was written */
	touch_by_process(&r, BASE + PAGE);
	RECORDS_ARE(r.h, from,
		    { 0, T(HOST_FAULT), VGPU_NO_SM, 1, 0, 0, BASE, BASE, 16 },
		    { back, T(MIGRATE_START), VGPU_NO_SM, 1, OUT, 0, back, BASE, PAGES(16, PAGE) },
		    { back + SMALL + 5 * VGPU_US, T(MIGRATE_END), VGPU_NO_SM, 1, OUT, 0,
		      back + SMALL, BASE, PAGES(16, PAGE) },
		    { back + SMALL + 5 * VGPU_US, T(HOST_FAULT_SERVED), VGPU_NO_SM, 1, 0, 0, 0,
		      BASE, 16 });
	host_free(r.h);
}

/* No data: it crosses when it has been handled, in no time. */
static void untouched_pages(void **state)
{
	struct rig r = START();

	(void)state;
	launch(&r, 1, BASE + 3 * PAGE, 0);
	host_run(r.h);
	RECORDS_ARE(r.h, 0,
		    { 0, T(PAGE_FAULT), 0, 1, 1, 1, BASE, BASE, 16 },
		    { 7 * VGPU_US, T(MIGRATE_START), 0, 1, IN, 1, 7 * VGPU_US, BASE, PAGES(16, 0) },
		    { 12 * VGPU_US, T(MIGRATE_END), 0, 1, IN, 1, 7 * VGPU_US, BASE, PAGES(16, 0) },
		    { 12 * VGPU_US, T(PAGE_FAULT_SERVED), 0, 1, 0, 1, 0, BASE, 16 });
	host_free(r.h);
}

/* The second waits for the first: handled 2 us later, its data begins to cross when it may. */
static void data_waits_for_the_interconnect(void **state)
{
	struct rig r = START();
	u64 first = 7 * VGPU_US;

	(void)state;
	touch_by_process(&r, BASE);
	touch_by_process(&r, BASE + GRANULE);
	launch(&r, 2, BASE, GRANULE);
	host_run(r.h);
	RECORDS_ARE(r.h, 0,
		    { 0, T(PAGE_FAULT), 0, 1, 1, 1, BASE, BASE, 16 },
		    { 0, T(PAGE_FAULT), 0, 1, 2, 1, BASE, BASE + GRANULE, 16 },
		    { first, T(MIGRATE_START), 0, 1, IN, 1, first, BASE, PAGES(16, GRANULE) },
		    { 9 * VGPU_US, T(MIGRATE_START), 0, 1, IN, 1, first + BIG, BASE + GRANULE,
		      PAGES(16, GRANULE) },
		    { first + BIG + 5 * VGPU_US, T(MIGRATE_END), 0, 1, IN, 1, first + BIG, BASE,
		      PAGES(16, GRANULE) },
		    { first + BIG + 5 * VGPU_US, T(PAGE_FAULT_SERVED), 0, 1, 1, 1, 0, BASE, 16 },
		    { first + 2 * BIG + 5 * VGPU_US, T(MIGRATE_END), 0, 1, IN, 1, first + 2 * BIG,
		      BASE + GRANULE, PAGES(16, GRANULE) },
		    { first + 2 * BIG + 5 * VGPU_US, T(PAGE_FAULT_SERVED), 0, 1, 0, 1, 0,
		      BASE + GRANULE, 16 });
	host_free(r.h);
}

/* Room for two granules, which context 1 has: the older one goes, of which one page is dirty. */
static void evictions(void **state)
{
	struct rig r = START("vram_bytes=131072"), other = open_context(r.h);
	u64 moved = 7 * VGPU_US;
	size_t from;

	(void)state;
	time_of(&r, 1, BASE + 4 * GRANULE, 0);
	time_of(&r, 1, BASE, 0);
	touch_by_process(&other, BASE);
	from = r.h->record_count;
	launch(&other, 1, BASE, 0);
	host_run(r.h);
	RECORDS_ARE(r.h, from,
		    { 0, T(PAGE_FAULT), 0, 2, 1, 3, BASE, BASE, 16 },
		    { moved, T(EVICT), 0, 1, 2, 3, BASE, BASE + 4 * GRANULE, PAGES(16, PAGE) },
		    { moved, T(WRITE_BACK), 0, 2, 0, 3, moved, moved + SMALL, PAGE },
		    { moved, T(MIGRATE_START), 0, 2, IN, 3, moved + SMALL, BASE,
		      PAGES(16, GRANULE) },
		    { moved + SMALL + BIG + 5 * VGPU_US, T(MIGRATE_END), 0, 2, IN, 3,
		      moved + SMALL + BIG, BASE, PAGES(16, GRANULE) },
		    { moved + SMALL + BIG + 5 * VGPU_US, T(PAGE_FAULT_SERVED), 0, 2, 0, 3, 0, BASE,
		      16 });
	host_free(r.h);
}

/* A prefetch has no SM, and no fault. Nothing is read back that only the host has written. */
static void prefetches(void **state)
{
	struct rig r = START();
	size_t from;

	(void)state;
	touch_by_process(&r, BASE + GRANULE);
	prefetch(&r, BASE + GRANULE, PAGE, 1);
	host_run(r.h);
	RECORDS_ARE(r.h, 0,
		    { 0, T(PREFETCH), VGPU_NO_SM, 1, IN, 0, BASE, BASE + GRANULE, 16 },
		    { 0, T(MIGRATE_START), VGPU_NO_SM, 1, IN, 0, 0, BASE + GRANULE,
		      PAGES(16, GRANULE) },
		    { BIG, T(MIGRATE_END), VGPU_NO_SM, 1, IN, 0, BIG, BASE + GRANULE,
		      PAGES(16, GRANULE) });
	from = r.h->record_count;
	prefetch(&r, BASE, 2 * GRANULE, 0);
	host_run(r.h);
	RECORDS_ARE(r.h, from,
		    { 0, T(PREFETCH), VGPU_NO_SM, 1, OUT, 0, BASE, BASE + GRANULE, 16 },
		    { 0, T(MIGRATE_START), VGPU_NO_SM, 1, OUT, 0, 0, BASE + GRANULE, PAGES(16, 0) },
		    { 0, T(MIGRATE_END), VGPU_NO_SM, 1, OUT, 0, 0, BASE + GRANULE, PAGES(16, 0) });
	host_free(r.h);
}

static void pages_that_stay(void **state)
{
	u64 moved = 7 * VGPU_US;
	struct rig r = START("vram_bytes=65536");

	(void)state;
	/* device memory has left no room: four times, then the access is made where the page is */
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, 65536), 0);
	launch(&r, 1, BASE, 0);
	host_run(r.h);
	assert_int_equal(host_count_of(r.h, T(PAGE_FAULT_SERVED)), 4);
	assert_int_equal(host_count_of(r.h, T(MIGRATE_CANCELLED)), 4);
	assert_int_equal(host_count_of(r.h, T(MIGRATE_START)), 0);
	assert_int_equal(host_count_of(r.h, T(MIGRATE_END)), 0);
	host_free(r.h);
	/* unmapped at 10 us, while their data crosses, and at 1 us, before the fault was handled */
	for (u32 n = 0; n < 2; n++) {
		u64 at = (n ? 1 : 10) * VGPU_US;
		u64 begin;

		r = START();
		touch_by_process(&r, BASE);
		launch(&r, 1, BASE, 0);
		while (!host_count_of(r.h, T(PAGE_FAULT)))
			vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
		begin = r.h->records[r.h->record_count - 1].time;
		vgpu_device_run(r.h->dev, begin + at, 1000);
		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		if (n)
			RECORDS_ARE(r.h, 0,
				    { 0, T(PAGE_FAULT), 0, 1, 1, 1, BASE, BASE, 16 },
				    { at, T(MIGRATE_CANCELLED), 0, 1, IN, 1, 0, BASE,
				      PAGES(16, GRANULE) },
				    { at, T(PAGE_FAULT_CANCELLED), 0, 1, 0, 1, begin, BASE, 16 });
		else
			RECORDS_ARE(r.h, 0,
				    { 0, T(PAGE_FAULT), 0, 1, 1, 1, BASE, BASE, 16 },
				    { moved, T(MIGRATE_START), 0, 1, IN, 1, moved, BASE,
				      PAGES(16, GRANULE) },
				    { at, T(MIGRATE_CANCELLED), 0, 1, IN, 1, moved + BIG, BASE,
				      PAGES(16, GRANULE) },
				    { at, T(PAGE_FAULT_CANCELLED), 0, 1, 0, 1, begin, BASE, 16 });
		host_free(r.h);
	}
	/* a process that waits for pages when they go */
	r = START();
	time_of(&r, 1, BASE, 0);
	{
		u64 first, bytes;
		size_t from = r.h->record_count;

		assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context, BASE, true,
						    &first, &bytes, NULL),
				 -EAGAIN);
		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		RECORDS_ARE(r.h, from,
			    { 0, T(HOST_FAULT), VGPU_NO_SM, 1, 0, 0, BASE, BASE, 16 },
			    { 0, T(MIGRATE_CANCELLED), VGPU_NO_SM, 1, OUT, 0, 0, BASE,
			      PAGES(16, PAGE) },
			    { 0, T(HOST_FAULT_CANCELLED), VGPU_NO_SM, 1, 0, 0, 0, BASE, 16 });
	}
	host_free(r.h);
}

/** struct sums - what the records of a context say */
struct sums {
	u64 faults, host_faults, in, out, evicted, written, written_back;
};

static void add_up(const struct host *h, struct sums *sums)
{
	u64 free[VGPU_DIRECTIONS] = { 0 };

	for (size_t n = 0; n < h->record_count; n++) {
		const struct vgpu_trace_record *got = &h->records[n];
		struct sums *s = &sums[got->context];

		switch (got->type) {
		case T(PAGE_FAULT): s->faults++; break;
		case T(HOST_FAULT): s->host_faults++; break;
		case T(MIGRATE_START):
			/* one after another in each direction */
			assert_true(got->seq >= got->time);
			if ((u32)got->b) {
				assert_true(got->seq >= free[got->queue]);
				free[got->queue] = got->seq + (u32)got->b * 1000ull;
			}
			break;
		case T(MIGRATE_END):
			assert_true(got->seq <= got->time);
			*(got->queue == IN ? &s->in : &s->out) += (u32)got->b;
			break;
		case T(EVICT):
			s->evicted += got->b >> 32;
			s->out += (u32)got->b;
			s->written += (u32)got->b;
			break;
		case T(WRITE_BACK):
			assert_true(got->seq >= free[OUT]);
			assert_int_equal(got->a - got->seq, got->b * 1000);
			free[OUT] = got->a;
			s->written_back += got->b;
			break;
		default:
			break;
		}
	}
}

/* Two contexts that together have four times as much as there is, at random. */
static void sums_are_the_statistics(void **state)
{
	struct rig r[2] = { START("vram_bytes=524288") };
	struct sums sums[3] = { 0 };
	u64 random = 7, written = 0, written_back = 0;

	(void)state;
	r[1] = open_context(r[0].h);
	for (u32 round = 0; round < 600; round++) {
		struct rig *of = &r[round & 1];
		u64 address;

		random = random * 6364136223846793005ull + 1442695040888963407ull;
		address = BASE + (random >> 32) % 16 * GRANULE;
		if (round == 400) {
			assert_int_equal(vgpu_memory_unmap(of->h->dev, of->context, BASE, MAPPED),
					 0);
			assert_int_equal(vgpu_memory_map_managed(of->h->dev, of->context, BASE,
								 MAPPED), 0);
		} else if (random >> 62 == 0) {
			touch_by_process(of, address);
		} else if (random >> 62 == 1) {
			prefetch(of, address, GRANULE, random >> 61 & 1);
		} else {
			launch(of, 1 + (random >> 58) % 4, address & ~(u64)(4 * GRANULE - 1),
			       (u32)PAGE * (1 + random % 16));
		}
		vgpu_device_run(of->h->dev, VGPU_NEVER, 20);
	}
	host_run(r[0].h);
	assert_int_equal(r[0].h->fault_count, 0);
	add_up(r[0].h, sums);
	for (u32 n = 0; n < 2; n++) {
		const struct sums *s = &sums[r[n].context];
		struct vgpu_context_info info;

		assert_int_equal(vgpu_context_info(r[n].h->dev, r[n].context, &info), 0);
		assert_true(s->evicted && s->out && s->host_faults);
		assert_int_equal(s->faults, info.account.page_faults);
		assert_int_equal(s->host_faults, info.account.host_page_faults);
		assert_int_equal(s->in, info.account.page_bytes_in);
		assert_int_equal(s->out, info.account.page_bytes_out);
		assert_int_equal(s->evicted, info.account.pages_evicted);
		written += s->written;
		written_back += s->written_back;
	}
	assert_true(written);
	assert_int_equal(written, written_back);
	host_free(r[0].h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(untouched_pages),
		cmocka_unit_test(data_waits_for_the_interconnect),
		cmocka_unit_test(evictions),
		cmocka_unit_test(prefetches),
		cmocka_unit_test(pages_that_stay),
		cmocka_unit_test(sums_are_the_statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
