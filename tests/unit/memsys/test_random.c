// SPDX-License-Identifier: MIT
/*
 * Random programs without data races, against a flat memory: each byte belongs in each phase to one
 * warp, which alone loads and stores it, or to all, who load it. Owners change at barriers, with
 * fences. So every load has one right value, whatever the caches do. Meanwhile frames are flushed
 * and forgotten, as copies and evictions do. And the same program gives the same responses in the
 * same cycles, wherever its memory is in this program.
 */
#include "mem_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMS		4u
#define WARPS		4u
#define LINES		96u	/* of memory, in frames 16 and up; the L1 has 32, L2 64 */
#define BASE		0x10000u
#define PHASES		8u
#define ACCESSES	150u	/* of a warp in a phase */
#define IN_FLIGHT	12u
#define ALL		(SMS * WARPS)	/* owner of a byte that nobody stores */

struct load {
	bool used;
	u64 mask[2];
	u32 line;
	u8 expected[128];
};

enum state { MAKING, RELEASING, AT_BARRIER, ACQUIRING };

struct warp {
	u32 number;
	enum state state;
	u32 made;
	u32 in_flight;
	struct load loads[IN_FLIGHT];
};

struct program {
	struct rig *rig;
	u64 seed;
	u32 phase;
	u32 waiting;		/* warps at the barrier */
	u8 flat[LINES * 128];
	struct warp warps[SMS * WARPS];
	u32 loads;
	u32 hits;
	u32 busy;
	u64 sum[LINES];		/* added to the counters, which are in lines of their own */
	u64 random;		/* of flushes */
};

/* The protocol with which programs run */
static const char *protocol = "gpu";

/* Barriers of programs are not made of accesses: logical time does not see them, but the host. */
static bool beyond_memory(void)
{
	return !strncmp(protocol, "rcc", 3);
}

static u64 mix(u64 x)
{
	x = (x ^ x >> 31) * 0x7fb5d329728ea185ull;
	x = (x ^ x >> 27) * 0x81dadef4bc2dd44dull;
	return x ^ x >> 33;
}

static u32 owner_of(const struct program *program, u32 byte)
{
	/* of neighbours: false sharing */
	return (u32)(mix(program->seed + program->phase * 7919ull + byte / 3 * 31) % (ALL + 4));
}

static u64 next_random(u64 *random)
{
	*random += 0x9e3779b97f4a7c15ull;
	return mix(*random);
}

static struct vgpu_mem_access access_of(struct rig_sm *sm, struct warp *warp, u64 cycle, u32 line,
					u32 kind)
{
	struct vgpu_mem_access access = rig_access(sm->rig, cycle, kind, BASE + line * 128, 1);

	access.mask[0] = 0;
	access.owner = sm;
	access.cookie = (u64)warp->number << 16;
	return access;
}

/* Bytes of @line that @warp may load or store */
static void mask_of(const struct program *program, const struct warp *warp, u32 line, bool store,
		    u64 mask[2], u64 random)
{
	mask[0] = 0;
	mask[1] = 0;
	for (u32 n = 0; n < 128; n++) {
		u32 owner = owner_of(program, line * 128 + n);

		if ((owner == warp->number || (!store && owner >= ALL)) && (random >> n % 61 & 1))
			mask[n / 64] |= 1ull << n % 64;
	}
}

static void check(const struct load *load, const u8 *data)
{
	for (u32 n = 0; n < 128; n++)
		if (load->mask[n / 64] >> n % 64 & 1)
			assert_int_equal(data[n], load->expected[n]);
}

static void add_all(struct vgpu_mem_atomic *atomic, u8 *line)
{
	for (u32 lanes = atomic->lanes; lanes; lanes &= lanes - 1) {
		u32 n = (u32)__builtin_ctz(lanes);
		u64 *at = (u64 *)(line + atomic->offset[n]);

		atomic->old[n] = *at;
		*at += atomic->a[n];
	}
}

/* True: made; false: busy. */
static bool make_load(struct rig_sm *sm, struct warp *warp, u64 cycle, u32 line, u64 random)
{
	static const u8 caches[] = { VGPU_CACHE_NONE, VGPU_CACHE_NONE, VGPU_CACHE_CA, VGPU_CACHE_CG,
				     VGPU_CACHE_CS, VGPU_CACHE_LU, VGPU_CACHE_CV };
	struct program *program = sm->data;
	struct vgpu_mem_access access = access_of(sm, warp, cycle, line, VGPU_MEM_LOAD);
	struct vgpu_mem_answer answer;
	struct load *load = warp->loads;

	mask_of(program, warp, line, false, access.mask, random);
	if (!(access.mask[0] | access.mask[1]))
		return true;
	while (load->used)
		load++;
	access.cookie |= (u64)(load - warp->loads);
	access.cache = caches[random % 7];
	if (random % 11 == 0) {
		access.cache = 0;
		access.order = VGPU_ORDER_RELAXED;
		access.scope = random & 1 ? VGPU_SCOPE_GPU : VGPU_SCOPE_CTA;
	}
	load->line = line;
	memcpy(load->mask, access.mask, sizeof(load->mask));
	memcpy(load->expected, program->flat + line * 128, 128);
	switch (vgpu_l1d_access(sm->l1, &access, &answer)) {
	case VGPU_MEM_BUSY:
		return false;
	case VGPU_MEM_DONE:
		check(load, answer.data);
		program->hits++;
		break;
	default:
		load->used = true;
		warp->in_flight++;
	}
	program->loads++;
	return true;
}

static bool make_store(struct rig_sm *sm, struct warp *warp, u64 cycle, u32 line, u64 random)
{
	struct program *program = sm->data;
	struct vgpu_mem_access access = access_of(sm, warp, cycle, line, VGPU_MEM_STORE);
	u8 data[128] __attribute__((aligned(8)));
	struct vgpu_mem_answer answer;
	enum vgpu_mem_result result;

	mask_of(program, warp, line, true, access.mask, random);
	if (!(access.mask[0] | access.mask[1]))
		return true;
	for (u32 n = 0; n < 128; n++)
		data[n] = (u8)mix(random + n);
	access.data = data;
	access.cache = random % 13 == 0 ? VGPU_CACHE_WT : VGPU_CACHE_NONE;
	/* nobody hears of some */
	access.owner = random % 3 ? sm : NULL;
	access.cookie |= IN_FLIGHT;
	result = vgpu_l1d_access(sm->l1, &access, &answer);
	if (result == VGPU_MEM_BUSY)
		return false;
	warp->in_flight += access.owner && result == VGPU_MEM_SENT ? 1 : 0;
	for (u32 n = 0; n < 128; n++)
		if (access.mask[n / 64] >> n % 64 & 1)
			program->flat[line * 128 + n] = data[n];
	return true;
}

/* Counters are behind the other lines, and belong to everybody. */
static bool make_add(struct rig_sm *sm, struct warp *warp, u64 cycle, u32 line, u64 random)
{
	struct program *program = sm->data;
	struct vgpu_mem_access access = access_of(sm, warp, cycle, LINES + line, VGPU_MEM_ATOMIC);
	struct vgpu_mem_atomic atomic = { .apply = add_all, .lanes = (u32)random | 1, .bytes = 8 };
	struct vgpu_mem_answer answer;
	u64 sum = 0;

	for (u32 n = 0; n < 32; n++) {
		atomic.offset[n] = (u8)((random >> n % 7 & 15) * 8);
		atomic.a[n] = mix(random + n) & 0xffff;
		sum += atomic.lanes >> n & 1 ? atomic.a[n] : 0;
		access.mask[atomic.offset[n] / 64] |= 0xffull << atomic.offset[n] % 64;
	}
	access.atomic = &atomic;
	access.order = VGPU_ORDER_RELAXED;
	access.scope = VGPU_SCOPE_GPU;
	access.cookie |= IN_FLIGHT;
	if (vgpu_l1d_access(sm->l1, &access, &answer) == VGPU_MEM_BUSY)
		return false;
	warp->in_flight++;
	program->sum[line] += sum;
	return true;
}

static bool make_fence(struct rig_sm *sm, struct warp *warp, u64 cycle, enum vgpu_order order)
{
	struct vgpu_mem_access access = access_of(sm, warp, cycle, 0, VGPU_MEM_FENCE);
	struct vgpu_mem_answer answer;

	access.order = (u8)order;
	access.scope = beyond_memory() ? VGPU_SCOPE_SYS : VGPU_SCOPE_GPU;
	access.cookie |= IN_FLIGHT + 1;
	switch (vgpu_l1d_access(sm->l1, &access, &answer)) {
	case VGPU_MEM_BUSY:
		return false;
	case VGPU_MEM_SENT:
		warp->in_flight++;
		return true;
	default:
		return true;
	}
}

static void all_go(struct program *program)
{
	program->waiting = 0;
	program->phase++;
	for (u32 n = 0; n < SMS * WARPS; n++) {
		program->warps[n].state = ACQUIRING;
		program->warps[n].made = 0;
	}
	for (u32 n = 0; n < SMS; n++) {
		struct rig_sm *sm = &program->rig->sms[n];

		/* after the present window, wherever they are */
		sm->next = sm->end;
		rig_kick(sm, sm->end + vgpu_memsys_window(program->rig->memsys));
	}
}

/* One step of @warp; false: it cannot go on now. */
static bool advance(struct rig_sm *sm, struct warp *warp, u64 cycle)
{
	struct program *program = sm->data;
	u64 random = mix(program->seed ^ (u64)warp->number << 48 ^ (u64)program->phase << 32 ^
			 warp->made);
	u32 line = (u32)(random >> 40) % LINES;
	bool made;

	switch (warp->state) {
	case MAKING:
		if (warp->made == ACCESSES) {
			warp->state = RELEASING;
			return true;
		}
		if (warp->in_flight == IN_FLIGHT)
			return false;
		made = random % 16 < 9  ? make_load(sm, warp, cycle, line, random >> 4) :
		       random % 16 < 15 ? make_store(sm, warp, cycle, line, random >> 4) :
					  make_add(sm, warp, cycle, line, random >> 4);
		warp->made += made;
		program->busy += !made;
		return made;
	case RELEASING:
		if (warp->in_flight || !make_fence(sm, warp, cycle, VGPU_ORDER_RELEASE))
			return false;
		warp->state = AT_BARRIER;
		return true;
	case AT_BARRIER:
		if (warp->in_flight || warp->made == ACCESSES + 1)
			return false;
		warp->made++;
		if (++program->waiting == SMS * WARPS && program->phase + 1 < PHASES)
			all_go(program);
		return true;
	default:
		if (warp->in_flight || !make_fence(sm, warp, cycle, VGPU_ORDER_ACQUIRE))
			return false;
		warp->state = MAKING;
		return true;
	}
}

static u64 program_step(struct rig_sm *sm, u64 cycle)
{
	struct program *program = sm->data;

	for (u32 n = 0; n < WARPS; n++)
		/* the others take turns */
		if (advance(sm, &program->warps[sm->index * WARPS + (n + cycle) % WARPS], cycle))
			return cycle + 1;
	return VGPU_NEVER;
}

static void program_came(struct rig_sm *sm, const struct vgpu_mem_response *response)
{
	struct program *program = sm->data;
	struct warp *warp = &program->warps[response->cookie >> 16];
	u32 number = response->cookie & 0xffff;

	warp->in_flight--;
	if (number >= IN_FLIGHT)
		return;
	assert_true(warp->loads[number].used);
	warp->loads[number].used = false;
	check(&warp->loads[number], response->data);
}

/* Every so often somebody else touches a frame. */
static void disturb(struct program *program)
{
	struct rig *rig = program->rig;

	while (vgpu_event_first(&rig->sim)) {
		u64 random = next_random(&program->random);
		u64 frame = BASE / 4096 + (random >> 8) % (LINES * 2 / 32);

		vgpu_sim_run(&rig->sim, rig->sim.now + 50000 + random % 400000, ~0u);
		switch (random >> 60) {
		case 0:
			vgpu_memsys_forget(rig->memsys, frame);
			break;
		case 1:
			vgpu_memsys_flush_all(rig->memsys);
			break;
		default:
			vgpu_memsys_flush(rig->memsys, frame, random >> 59 & 1);
		}
	}
}

static const char *with_protocol(const char *changes)
{
	static char text[512];

	snprintf(text, sizeof(text), "%s coherence=%s", changes, protocol);
	return text;
}

/* Returns what the responses were, and when. */
static u64 run_program(u64 seed, const char *changes, bool disturbed)
{
	struct rig *rig = rig_open(with_protocol(changes));
	struct program *program = calloc(1, sizeof(*program));
	u64 hash;

	program->rig = rig;
	program->seed = seed;
	program->random = seed;
	for (u32 n = 0; n < sizeof(program->flat); n++)
		program->flat[n] = (u8)mix(seed + n);
	memcpy(rig->memory + BASE, program->flat, sizeof(program->flat));
	for (u32 n = 0; n < SMS * WARPS; n++)
		program->warps[n].number = n;
	for (u32 n = 0; n < SMS; n++) {
		rig->sms[n].data = program;
		rig->sms[n].step = program_step;
		rig->sms[n].came = program_came;
		rig_kick(&rig->sms[n], 0);
	}
	if (disturbed)
		disturb(program);
	else
		rig_run(rig);
	assert_int_equal(program->phase, PHASES - 1);
	assert_int_equal(program->waiting, SMS * WARPS);
	assert_true(program->loads > SMS * WARPS * PHASES * ACCESSES / 4);
	for (u32 n = 0; n < SMS; n++)
		assert_true(vgpu_l1d_idle(rig->sms[n].l1));
	vgpu_memsys_flush_all(rig->memsys);
	assert_memory_equal(rig->memory + BASE, program->flat, sizeof(program->flat));
	for (u32 n = 0; n < LINES; n++) {
		u64 sum = 0;

		for (u32 word = 0; word < 16; word++)
			sum += ((u64 *)(rig->memory + BASE + (LINES + n) * 128))[word];
		assert_int_equal(sum, program->sum[n]);
	}
	hash = rig->hash ^ rig->sim.now;
	free(program);
	rig_close(rig);
	return hash;
}

/* Small caches, few registers, few places */
static const char *const machines[] = {
	"sms=4 l1_bytes=4096 l2_bytes=8192 l2_ways=4 l2_partitions=2 l2_mshrs=8 l1_mshrs=4 "
	"l1_queue=8",
	"sms=4 l1_bytes=0 l2_bytes=2048 l2_ways=2 l2_partitions=1 l2_mshrs=1 icnt_cycles=1 "
	"l2_cycles=0",
	"sms=4 l1_bytes=4096 l2_bytes=12288 l2_ways=4 l2_partitions=3 clock_khz=706000 l1_queue=1",
	"sms=4 l1_bytes=1024 l1_ways=2 l1_cycles=0 dram_cycles=0 l2_bytes=8192 icnt_sm_bytes=1",
	"sms=4 l1_global=0 l2_bytes=8192 l1_mshrs=1 icnt_l2_bytes=1 memory_bandwidth=100000000",
};

#define MACHINES	(sizeof(machines) / sizeof(machines[0]))

static void every_load_has_the_right_value(void **state)
{
	(void)state;
	for (u32 n = 0; n < MACHINES; n++)
		for (u64 seed = 1; seed <= 3; seed++)
			run_program(seed * 1000 + n, machines[n], false);
}

/* Under each of the protocols that are tables, with small times and leases, too */
static void so_it_has_under_each_protocol(void **state)
{
	static const char *const protocols[] = {
		"gpu-vi", "mesi", "rcc", "rcc rcc_bits=13", "rcc coherence_lease=3", "rcc-wo",
		"rcc-wo rcc_bits=13", "sc-ideal", "tcs", "tcs coherence_lease=100", "tcw",
		"tcw coherence_lease=5000", "tcs tc_predictor=1", "tcw tc_predictor=1",
	};

	(void)state;
	for (u32 p = 0; p < sizeof(protocols) / sizeof(protocols[0]); p++) {
		u64 hash;

		protocol = protocols[p];
		hash = run_program(p, machines[p % MACHINES], false);
		assert_int_equal(run_program(p, machines[p % MACHINES], false), hash);
		for (u32 n = 0; n < MACHINES; n++)
			run_program(p * 77 + n, machines[n], n);
	}
	protocol = "gpu";
}

static void it_has_while_others_touch_the_frames(void **state)
{
	(void)state;
	for (u32 n = 0; n < MACHINES; n++)
		for (u64 seed = 1; seed <= 3; seed++)
			run_program(seed * 77 + n, machines[n], true);
}

static void the_same_program_takes_the_same_cycles(void **state)
{
	(void)state;
	for (u32 n = 0; n < MACHINES; n++) {
		u64 hash = run_program(5, machines[n], true);

		assert_int_equal(run_program(5, machines[n], true), hash);
		assert_int_equal(run_program(5, machines[n], true), hash);
		assert_int_not_equal(run_program(6, machines[n], true), hash);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_load_has_the_right_value),
		cmocka_unit_test(it_has_while_others_touch_the_frames),
		cmocka_unit_test(so_it_has_under_each_protocol),
		cmocka_unit_test(the_same_program_takes_the_same_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
