// SPDX-License-Identifier: MIT
/*
 * How fast the memory hierarchy is simulated: accesses per second of processor time, one thread, on
 * the machine of Tanasic table 6.1: loads that hit in the L1, and streams of loads and stores whose
 * lines are in L2 or in DRAM. Median of RUNS runs with the range.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "memsys/memsys.h"

#define RUNS	7
#define SMS	16u

/** struct sm - a driver: it streams through its part of memory, again and again */
struct sm {
	struct vgpu_l1d *l1;
	struct vgpu_event event;
	u64 end;		/* of the last window */
	u64 next;		/* line */
	u64 left;		/* accesses */
	u64 came;
};

static struct vgpu_sim sim;
static struct vgpu_config config;
static struct vgpu_memsys *memsys;
static struct sm sms[SMS];
static u8 *memory;
static u64 lines;		/* of the part of an SM */
static u8 kind;
static u32 cache;
static u64 sum;

static void kick(struct sm *sm, u64 cycle)
{
	u64 time = vgpu_cycle_time(&config, cycle < sm->end ? sm->end : cycle);

	if (!vgpu_event_pending(&sm->event) || vgpu_event_time(&sm->event) > time)
		vgpu_event_at(&sim, &sm->event, time);
}

static void wake(void *owner, u32 sm, u64 cycle)
{
	(void)owner;
	kick(&sms[sm], cycle);
}

static const struct vgpu_memsys_ops ops = { .wake = wake };

/* False: the L1 is busy. */
static bool make(struct sm *sm, u64 cycle)
{
	static u8 data[VGPU_LINE] __attribute__((aligned(8)));
	u64 line = (u64)(sm - sms) * lines + sm->next;
	struct vgpu_mem_access access = {
		.cycle = cycle,
		.address = line << VGPU_LINE_SHIFT,
		.frame = 1 + (line >> 5),
		.line = memory + (line << VGPU_LINE_SHIFT),
		.mask = { ~0ull, ~0ull },
		.data = data,
		.owner = sm,
		.kind = kind,
		.cache = (u8)cache,
	};
	struct vgpu_mem_answer answer;
	enum vgpu_mem_result result = vgpu_l1d_access(sm->l1, &access, &answer);

	if (result == VGPU_MEM_BUSY)
		return false;
	if (result == VGPU_MEM_DONE) {
		sum += answer.data[0];
		sm->came++;
	}
	sm->next = sm->next + 1 == lines ? 0 : sm->next + 1;
	sm->left--;
	return true;
}

static void window(struct vgpu_event *event)
{
	struct sm *sm = vgpu_container_of(event, struct sm, event);
	u64 cycle = vgpu_cycle_from(&config, sim.now), next;
	const struct vgpu_mem_response *response;

	sm->end = cycle + vgpu_memsys_window(memsys);
	while (cycle < sm->end) {
		while ((response = vgpu_l1d_response(sm->l1, cycle))) {
			sum += response->data ? response->data[0] : 0;
			sm->came++;
		}
		if (sm->left && make(sm, cycle)) {
			cycle++;
			continue;
		}
		next = vgpu_l1d_next(sm->l1);
		cycle = next > cycle ? next : cycle + 1;
	}
	vgpu_l1d_submit(sm->l1);
	if (cycle != VGPU_NEVER)
		kick(sm, cycle);
}

static void run(u64 accesses)
{
	u64 before = 0, after = 0;

	for (u32 n = 0; n < SMS; n++) {
		before += sms[n].came;
		sms[n].left = accesses / SMS;
		kick(&sms[n], vgpu_cycle_from(&config, sim.now));
	}
	vgpu_sim_run(&sim, VGPU_NEVER, ~0u);
	for (u32 n = 0; n < SMS; n++)
		after += sms[n].came;
	if (after - before != accesses) {
		fprintf(stderr, "%llu of %llu accesses have ended\n",
			(unsigned long long)(after - before), (unsigned long long)accesses);
		exit(1);
	}
}

static double processor_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void measure(const char *name, u64 part, u8 what, u32 operator, u64 accesses)
{
	double rates[RUNS];
	struct bench_stat stat;

	lines = part / VGPU_LINE;
	kind = what;
	cache = operator;
	for (u32 n = 0; n < SMS; n++)
		sms[n].next = 0;
	run(lines * SMS);
	for (u32 n = 0; n < RUNS; n++) {
		double begin = processor_seconds();

		run(accesses);
		rates[n] = (double)accesses / (processor_seconds() - begin) / 1e6;
	}
	stat = bench_stat(rates, RUNS);
	printf("%-28s %7.2f million/s  (%.2f .. %.2f)\n", name, stat.median, stat.min, stat.max);
}

int main(void)
{
	vgpu_config_preset(&config, "tanasic-ch6");
	vgpu_config_set(&config, "timing", "pipeline");
	memory = aligned_alloc(4096, SMS << 20);
	vgpu_sim_init(&sim);
	if (!memory || vgpu_config_check(&config) || vgpu_event_reserve(&sim, SMS) ||
	    vgpu_memsys_create(&sim, &config, &ops, NULL, &memsys))
		return 1;
	memset(memory, 1, SMS << 20);
	for (u32 n = 0; n < SMS; n++) {
		sms[n].l1 = vgpu_memsys_l1d(memsys, n);
		sms[n].event.fire = window;
		vgpu_l1d_serve(sms[n].l1, 1);
	}
	measure("L1: loads that hit", 16 << 10, VGPU_MEM_LOAD, VGPU_CACHE_NONE, 3200000);
	measure("L2: loads", 64 << 10, VGPU_MEM_LOAD, VGPU_CACHE_NONE, 640000);
	measure("L2: loads past the L1", 64 << 10, VGPU_MEM_LOAD, VGPU_CACHE_CG, 640000);
	measure("L2: stores", 64 << 10, VGPU_MEM_STORE, VGPU_CACHE_NONE, 640000);
	measure("DRAM: loads", 1 << 20, VGPU_MEM_LOAD, VGPU_CACHE_NONE, 640000);
	measure("DRAM: stores", 1 << 20, VGPU_MEM_STORE, VGPU_CACHE_NONE, 640000);
	vgpu_memsys_destroy(memsys);
	free(memory);
	return sum ? 0 : 1;
}
