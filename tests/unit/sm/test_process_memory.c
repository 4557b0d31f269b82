// SPDX-License-Identifier: MIT
/*
 * Memory of the process that SMs use where nothing is mapped (mmu/process.c): values, times worked
 * out by hand, a host that is slow or refuses, pages that go, and accesses that touch other memory,
 * too.
 */
#include "fault_rig.h"

#define BASE	HOST_PROCESS
#define PAGE	VGPU_PAGE_SIZE
/* the first page behind the memory of the process, which the device has */
#define DEVICE	(BASE + HOST_PROCESS_PAGES * PAGE)

/* A nanosecond a byte; memory of the device is no bound. An SM cycle is a nanosecond, too. */
#define PLAIN	"link_bandwidth=1000000000", "memory_bandwidth=1000000000000000"

static struct rig start(const char *const *settings)
{
	struct rig r = { .h = rig_host(settings) };

	r.context = host_open(r.h);
	r.queue = host_queue(r.h, r.context);
	assert_int_equal(vgpu_process_enable(r.h->dev, r.context), 0);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, 32 * PAGE), 0);
	rig_load_add(&r, false);
	return r;
}

#define START(...) start((const char *const[]){ __VA_ARGS__ __VA_OPT__(,) NULL })

static u64 page_faults(struct rig *r)
{
	struct vgpu_context_info i;

	assert_int_equal(vgpu_context_info(r->h->dev, r->context, &i), 0);
	return i.account.page_faults;
}

static u32 word(struct rig *r, u64 address)
{
	u32 value;

	memcpy(&value, r->h->process + (address - BASE), sizeof(value));
	return value;
}

/* Answer @pages: the process has @as of what is wanted, and none of the others. */
static u32 answer_one(struct rig *r, struct vgpu_process_pages *pages, enum host_page as)
{
	u32 count = 0;

	assert_int_equal(pages->address % PAGE, 0);
	assert_in_range(pages->pages, 1, VGPU_PROCESS_PAGES);
	assert_true(pages->wanted && !(pages->wanted & ~(~0ull >> (64 - pages->pages))));
	for (u32 n = 0; n < pages->pages; n++) {
		u64 page = (pages->address - BASE) / PAGE + n;

		if (!(pages->wanted >> n & 1))
			continue;
		count++;
		if (page >= HOST_PROCESS_PAGES ||
		    as < (pages->write ? HOST_PAGE_WRITE : HOST_PAGE_READ))
			continue;
		r->h->process_pages[page] = as;
		pages->there |= 1ull << n;
	}
	vgpu_process_came(r->h->dev, r->context, pages);
	return count;
}

/* Answer all that is wanted. Returns how many pages it was. */
static u32 answer(struct rig *r, enum host_page as)
{
	struct vgpu_process_pages pages;
	u32 count = 0;

	while (vgpu_process_wanted(r->h->dev, r->context, &pages))
		count += answer_one(r, &pages, as);
	r->h->process_wants = 0;
	return count;
}

/* Run until nothing is due and nothing wanted. Returns how many pages were wanted. */
static u32 run(struct rig *r, enum host_page as)
{
	u32 count = 0;

	host_run(r->h);
	while (r->h->process_wants) {
		count += answer(r, as);
		host_run(r->h);
	}
	return count;
}

static u64 timed(struct rig *r, u32 threads, u64 base, u32 stride)
{
	u64 began = r->h->dev->sim->now;
	size_t before = r->h->completion_count;

	launch(r, threads, base, stride);
	run(r, HOST_PAGE_WRITE);
	assert_int_equal(r->h->fault_count, 0);
	assert_int_equal(r->h->completion_count, before + 1);
	return r->h->completions[before].time - began;
}

/* ---- tests -------------------------------------------------------------- */

static void values_and_times(void **state)
{
	struct rig r = START(PLAIN, "link_access_ps=3000000", "fault_round_trip_ps=12000000");
	u64 device, first, later;

	(void)state;
	timed(&r, 32, DEVICE, 4);
	device = timed(&r, 32, DEVICE, 4);
	first = timed(&r, 32, BASE, 4);
	later = timed(&r, 32, BASE, 4);
	assert_int_equal(page_faults(&r), 1);
	/* a row of 128 bytes there and back, and the time until a read has its data */
	assert_true(later - device >= 3 * VGPU_US + 2 * 128 * VGPU_NS);
	assert_true(later - device < 3 * VGPU_US + 2 * 128 * VGPU_NS + VGPU_US);
	/* a fault without data, raised at the beginning of the slice */
	assert_true(first - later > 11900 * VGPU_NS && first - later <= 12 * VGPU_US);
	for (u32 n = 0; n < 32; n++)
		assert_int_equal(word(&r, BASE + 4 * n), 2 * (n + 1));
	host_free(r.h);
}

/* Each lane in a page of its own: all are wanted at once, each once, a granule by a fault. */
static void many_pages(void **state)
{
	struct rig r = START(PLAIN);

	(void)state;
	launch(&r, 32, BASE + 8, PAGE);
	host_run(r.h);
	assert_int_equal(r.h->process_wants, r.context);
	assert_int_equal(answer(&r, HOST_PAGE_WRITE), 32);
	assert_int_equal(run(&r, HOST_PAGE_WRITE), 0);
	assert_int_equal(r.h->completion_count, 1);
	for (u32 n = 0; n < 32; n++)
		assert_int_equal(word(&r, BASE + 8 + n * PAGE), n + 1);
	/* half of the lanes are in memory of the device */
	timed(&r, 32, DEVICE - 16 * PAGE + 16, PAGE);
	assert_int_equal(word(&r, DEVICE - PAGE + 16), 16);
	assert_int_equal(page_faults(&r), 2 + 1);
	host_free(r.h);
}

/* The host does not answer: time goes on for others. */
static void slow_host(void **state)
{
	struct rig r = START(PLAIN, "policy=dss");
	u32 other = host_open(r.h), queue = host_queue(r.h, other);
	u64 seq, served;

	(void)state;
	launch(&r, 32, BASE, 4);
	host_run(r.h);
	assert_int_equal(r.h->completion_count, 0);
	seq = host_push(r.h, other, queue, cmd_profiled(1, VGPU_MS, 1));
	host_run(r.h);
	host_done(r.h, other, queue, seq);
	served = r.h->dev->sim->now;
	assert_int_equal(run(&r, HOST_PAGE_WRITE), 1);
	assert_int_equal(r.h->completion_count, 2);
	/* what is left then is the way back */
	assert_true(r.h->completions[1].time > served &&
		    r.h->completions[1].time < served + 12 * VGPU_US);
	assert_int_equal(word(&r, BASE + 4), 2);
	host_free(r.h);
}

static void refused(void **state)
{
	struct rig r = START(PLAIN);

	(void)state;
	/* to thread 3 */
	memset(r.h->process_pages, HOST_PAGE_WRITE, 3);
	launch(&r, 32, BASE, PAGE);
	assert_int_equal(run(&r, HOST_PAGE_NONE), 32 - 3);
	assert_int_equal(r.h->fault_count, 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	assert_true(r.h->faults[0].thread[0] >= 3);
	assert_int_equal(r.h->faults[0].address, BASE + r.h->faults[0].thread[0] * PAGE);
	assert_false(r.h->faults[0].write);
	assert_int_equal(word(&r, BASE), 0);
	host_free(r.h);
}

static void read_only(void **state)
{
	struct rig r = START(PLAIN);

	(void)state;
	launch(&r, 1, BASE, 0);
	assert_int_equal(run(&r, HOST_PAGE_READ), 2);
	assert_int_equal(r.h->fault_count, 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	assert_int_equal(r.h->faults[0].address, BASE);
	assert_true(r.h->faults[0].write);
	host_free(r.h);
}

/* All pages but a few more in each round have gone before the access is made again. */
static void pages_go(void **state)
{
	struct rig r = START(PLAIN);
	u32 rounds = 0;

	(void)state;
	launch(&r, 32, BASE, PAGE);
	host_run(r.h);
	while (!r.h->completion_count && rounds++ < 100) {
		answer(&r, HOST_PAGE_WRITE);
		if (4 * rounds < HOST_PROCESS_PAGES)
			memset(r.h->process_pages + 4 * rounds, HOST_PAGE_NONE,
			       HOST_PROCESS_PAGES - 4 * rounds);
		host_run(r.h);
	}
	/* the load in 8 rounds, and the store needs none; each granule was wanted till it stayed */
	assert_int_equal(rounds, 8);
	assert_int_equal(page_faults(&r), 4 * 2 + 4 * 1);
	assert_int_equal(r.h->fault_count, 0);
	for (u32 n = 0; n < 32; n++)
		assert_int_equal(word(&r, BASE + n * PAGE), n + 1);
	host_free(r.h);
}

/* What the process has comes along; what it has not, and nobody wants, is not asked for. */
static void neighbours(void **state)
{
	struct rig r = START(PLAIN);
	struct vgpu_process_pages pages;

	(void)state;
	/* pages 4 and 5 are at hand, 20 is of the device */
	memset(r.h->process_pages + 4, HOST_PAGE_READ, 2);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, BASE + 20 * PAGE, PAGE), 0);
	launch(&r, 1, BASE + 7 * PAGE, 4);
	host_run(r.h);
	assert_true(vgpu_process_wanted(r.h->dev, r.context, &pages));
	assert_int_equal(pages.address, BASE + 6 * PAGE);
	assert_int_equal(pages.pages, 10);
	assert_int_equal(pages.wanted, 1 << 1);
	assert_false(pages.write);
	/* the host has three of them */
	memset(r.h->process_pages + 7, HOST_PAGE_WRITE, 3);
	pages.there = 7 << 1;
	vgpu_process_came(r.h->dev, r.context, &pages);
	assert_int_equal(run(&r, HOST_PAGE_WRITE), 0);
	assert_int_equal(r.h->completion_count, 1);
	assert_int_equal(page_faults(&r), 1);
	timed(&r, 1, BASE + 8 * PAGE, 4);
	assert_int_equal(page_faults(&r), 1);
	timed(&r, 1, BASE + 10 * PAGE, 4);
	assert_int_equal(page_faults(&r), 2);
	/* up to a mapping, and to what is at hand for a write */
	launch(&r, 1, BASE + 18 * PAGE, 4);
	host_run(r.h);
	assert_true(vgpu_process_wanted(r.h->dev, r.context, &pages));
	assert_int_equal(pages.address, BASE + 16 * PAGE);
	assert_int_equal(pages.pages, 4);
	answer_one(&r, &pages, HOST_PAGE_READ);
	host_run(r.h);
	/* now the write */
	assert_true(vgpu_process_wanted(r.h->dev, r.context, &pages));
	assert_true(pages.write);
	assert_int_equal(pages.address, BASE + 16 * PAGE);
	answer_one(&r, &pages, HOST_PAGE_WRITE);
	host_run(r.h);
	assert_int_equal(word(&r, BASE + 18 * PAGE), 1);
	host_free(r.h);
}

/* Two warps on two pages of a granule. Returns when the second ended. */
static u64 two_pages(bool early)
{
	struct rig r = START(PLAIN);
	struct vgpu_process_pages pages = { 0 };
	u64 time;

	launch(&r, 64, BASE, PAGE / 16);
	/* both are wanted, or the second is found along with the first, before it is touched */
	while (!early && !r.h->process_wants)
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	if (early)
		host_run(r.h);
	assert_true(vgpu_process_wanted(r.h->dev, r.context, &pages));
	memset(r.h->process_pages, HOST_PAGE_WRITE, 16);
	pages.there = (1ull << pages.pages) - 1;
	vgpu_process_came(r.h->dev, r.context, &pages);
	host_run(r.h);
	assert_false(vgpu_process_wanted(r.h->dev, r.context, &pages));
	assert_int_equal(page_faults(&r), 1);
	assert_int_equal(r.h->completion_count, 1);
	time = r.h->completions[0].time;
	host_free(r.h);
	return time;
}

/* Real time does not decide when a page can be used, as long as it is there in time. */
static void same_time(void **state)
{
	(void)state;
	assert_int_equal(two_pages(true), two_pages(false));
}

/* A page that is touched while the fault is in flight is one that it waits for. */
static void joined(void **state)
{
	struct rig r = START(PLAIN);
	struct vgpu_process_pages pages, more;
	u32 queue = host_queue(r.h, r.context);

	(void)state;
	launch(&r, 1, BASE, 4);
	while (!r.h->process_wants)
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	assert_true(vgpu_process_wanted(r.h->dev, r.context, &pages));
	assert_int_equal(pages.wanted, 1);
	r.h->process_wants = 0;
	r.queue = queue;
	launch(&r, 1, BASE + 3 * PAGE, 4);
	host_run(r.h);
	answer_one(&r, &pages, HOST_PAGE_WRITE);
	assert_int_equal(r.h->process_wants, r.context);
	assert_true(vgpu_process_wanted(r.h->dev, r.context, &more));
	assert_int_equal(more.address, BASE);
	assert_int_equal(more.wanted, 1 << 3);
	host_run(r.h);
	assert_int_equal(r.h->completion_count, 0);
	answer_one(&r, &more, HOST_PAGE_WRITE);
	run(&r, HOST_PAGE_WRITE);
	assert_int_equal(r.h->completion_count, 2);
	assert_int_equal(page_faults(&r), 1);
	host_free(r.h);
}

static void push_prefetch(struct rig *r, u64 address, u64 bytes, u32 to_device)
{
	host_push(r->h, r->context, r->queue,
		  (struct vgpu_cmd){ .op = VGPU_CMD_PREFETCH,
				     .prefetch = { .address = address,
						   .bytes = bytes,
						   .to_device = to_device } });
}

/* Pages come ahead of the kernel, which faults for none. No transfer waits for them. */
static void prefetched(void **state)
{
	struct rig r = START(PLAIN);
	u32 other = host_open(r.h), queue = host_queue(r.h, other);
	struct vgpu_process_pages pages;
	u64 seq;

	(void)state;
	push_prefetch(&r, BASE + 4, 2 * PAGE, 0);
	host_run(r.h);
	assert_false(vgpu_process_wanted(r.h->dev, r.context, &pages));
	r.h->process_pages[5] = HOST_PAGE_WRITE;
	push_prefetch(&r, BASE + 4, 40 * PAGE, 1);
	launch(&r, 32, BASE + 8, PAGE);
	host_run(r.h);
	assert_int_equal(r.h->process_wants, r.context);
	assert_true(vgpu_process_wanted(r.h->dev, r.context, &pages));
	assert_true(pages.prefetch);
	assert_int_equal(pages.address, BASE);
	assert_int_equal(pages.pages, 5);
	assert_int_equal(pages.wanted, 0x1f);
	answer_one(&r, &pages, HOST_PAGE_WRITE);
	/* the process is slow: others copy */
	assert_int_equal(vgpu_memory_map(r.h->dev, other, DEVICE, PAGE), 0);
	seq = host_push(r.h, other, queue, cmd_h2d(DEVICE, 0, PAGE));
	host_run(r.h);
	host_done(r.h, other, queue, seq);
	assert_int_equal(run(&r, HOST_PAGE_WRITE), 35);
	assert_int_equal(page_faults(&r), 0);
	for (u32 n = 0; n < 32; n++)
		assert_int_equal(word(&r, BASE + 8 + n * PAGE), n + 1);
	/* what there is not is of no matter until it is used */
	push_prefetch(&r, BASE + 45 * PAGE, PAGE, 1);
	assert_int_equal(run(&r, HOST_PAGE_NONE), 1);
	assert_int_equal(r.h->fault_count, 0);
	push_prefetch(&r, BASE + 45 * PAGE, PAGE, 1);
	launch(&r, 1, BASE + 45 * PAGE, 0);
	assert_int_equal(run(&r, HOST_PAGE_NONE), 2);
	assert_int_equal(page_faults(&r), 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	host_free(r.h);
}

static void no_memory(void **state)
{
	struct rig r = START(PLAIN);
	struct vgpu_process_pages pages;

	(void)state;
	launch(&r, 32, BASE, PAGE / 8);
	host_run(r.h);
	assert_true(vgpu_process_wanted(r.h->dev, r.context, &pages));
	assert_int_equal(pages.wanted, 0xf);
	memset(r.h->process_pages, HOST_PAGE_WRITE, 2);
	pages.there = 3;
	pages.no_memory = 1 << 2 | 1 << 3;
	vgpu_process_came(r.h->dev, r.context, &pages);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_NO_MEMORY);
	assert_int_equal(r.h->faults[0].address, BASE + 2 * PAGE);
	assert_int_equal(r.h->faults[0].thread[0], 16);
	host_free(r.h);
}

/*
 * Of all pages of an access only one is there at a time, another one each time: the access is made
 * in parts, each lane's once.
 */
static void in_parts(void **state)
{
	bool atomics[] = { false, true };

	(void)state;
	for (u32 way = 0; way < 2; way++) {
		struct rig r = { .h = rig_host((const char *const[]){ PLAIN, NULL }) };
		u32 rounds = 0;

		r.context = host_open(r.h);
		r.queue = host_queue(r.h, r.context);
		assert_int_equal(vgpu_process_enable(r.h->dev, r.context), 0);
		rig_load_add(&r, atomics[way]);
		/* two lanes are in each page */
		launch(&r, 31, BASE + 8, PAGE / 2);
		host_run(r.h);
		while (!r.h->completion_count && rounds++ < 500) {
			answer(&r, HOST_PAGE_WRITE);
			memset(r.h->process_pages, HOST_PAGE_NONE, HOST_PROCESS_PAGES);
			r.h->process_pages[7 * rounds % 16] = HOST_PAGE_WRITE;
			host_run(r.h);
		}
		assert_int_equal(r.h->completion_count, 1);
		assert_int_equal(r.h->fault_count, 0);
		assert_true(rounds > 16 && rounds < 100);
		for (u32 n = 0; n < 31; n++)
			assert_int_equal(word(&r, BASE + 8 + n * PAGE / 2), n + 1);
		host_free(r.h);
	}
}

/* Answers for what is not wanted any more, or never was. */
static void late_answers(void **state)
{
	struct rig r = START(PLAIN);
	struct vgpu_process_pages pages = { .address = BASE, .pages = 1, .wanted = 1, .there = 1 };

	(void)state;
	vgpu_process_came(r.h->dev, r.context, &pages);
	launch(&r, 32, BASE, 4);
	host_run(r.h);
	assert_true(vgpu_process_wanted(r.h->dev, r.context, &pages));
	assert_false(vgpu_process_wanted(r.h->dev, r.context, &pages));
	/* meanwhile there is device memory */
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, BASE, PAGE), 0);
	host_run(r.h);
	assert_int_equal(r.h->completion_count, 1);
	vgpu_process_came(r.h->dev, r.context, &pages);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	/* and the context ends while it waits */
	launch(&r, 1, BASE + PAGE, 4);
	host_run(r.h);
	assert_true(vgpu_process_wanted(r.h->dev, r.context, &pages));
	vgpu_context_end(r.h->dev, r.context,
			 &(struct vgpu_fault){ .reason = VGPU_FAULT_WATCHDOG });
	pages.there = pages.wanted;
	vgpu_process_came(r.h->dev, r.context, &pages);
	host_run(r.h);
	assert_int_equal(r.h->completion_count, 2);
	host_free(r.h);
}

/* Without vgpu_process_enable() it is an address where nothing is. */
static void not_enabled(void **state)
{
	struct rig r = { .h = rig_host((const char *const[]){ NULL }) };

	(void)state;
	r.context = host_open(r.h);
	r.queue = host_queue(r.h, r.context);
	rig_load_add(&r, false);
	memset(r.h->process_pages, HOST_PAGE_WRITE, HOST_PROCESS_PAGES);
	launch(&r, 1, BASE, 4);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	assert_int_equal(vgpu_process_enable(r.h->dev, r.context), -EIO);
	assert_int_equal(vgpu_process_enable(r.h->dev, 99), -ENOENT);
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_and_times), cmocka_unit_test(many_pages),
		cmocka_unit_test(slow_host),	    cmocka_unit_test(refused),
		cmocka_unit_test(read_only),	    cmocka_unit_test(pages_go),
		cmocka_unit_test(late_answers),	    cmocka_unit_test(not_enabled),
		cmocka_unit_test(neighbours),	    cmocka_unit_test(same_time),
		cmocka_unit_test(joined),	    cmocka_unit_test(no_memory),
		cmocka_unit_test(in_parts),	    cmocka_unit_test(prefetched),
	};

	return cmocka_run_group_tests_name("memory of the process", tests, NULL, NULL);
}
