// SPDX-License-Identifier: MIT
/*
 * A device with timing=pipeline: copies, fills and the host see what SMs have stored, SMs see what
 * copies have written, and no cache refers to a frame that has gone. With timing=interval there are
 * no caches.
 */
#include "../device/host.h"

#include "device/device.h"
#include "mem_rig.h"

#define ADDRESS	0x100000ull

/* A device on which page @ADDRESS and the one behind it have frames */
static struct host *begin(u32 *context, u32 *queue)
{
	struct host *h = host_new("tanasic-ch6", "timing=pipeline", NULL);

	*context = host_open(h);
	*queue = host_queue(h, *context);
	assert_int_equal(vgpu_memory_map(h->dev, *context, ADDRESS, 8192), 0);
	host_push(h, *context, *queue, cmd_fill(ADDRESS, 2048, 0x11111111, 4));
	host_run(h);
	return h;
}

/* One access of SM @sm to the word at @address, to its end. Returns what a load has. */
static u32 access_word(struct host *h, u32 context, u32 sm, u32 kind, u64 address, u32 value)
{
	struct vgpu_l1d *l1 = vgpu_memsys_l1d(h->dev->memsys, sm);
	const struct vgpu_address_space *as = vgpu_context_find(h->dev, context)->as;
	u64 frame = vgpu_as_frame_number(as, address);
	u8 data[128] __attribute__((aligned(8))) = {};
	struct vgpu_mem_access access = {
		.cycle = vgpu_cycle_from(&h->dev->config, h->dev->sim->now),
		.address = address,
		.frame = frame,
		.line = vgpu_frame_at(&h->dev->mmu.frames, frame)->memory + (address & 0xf80),
		.data = data,
		.owner = h,
		.kind = (u8)kind,
	};
	const struct vgpu_mem_response *response;
	struct vgpu_mem_answer answer;
	u32 word = 0;

	assert_true(frame);
	access.mask[(address & 127) / 64] = 0xfull << (address & 63);
	memcpy(data + (address & 127), &value, sizeof(value));
	vgpu_l1d_serve(l1, context);
	if (vgpu_l1d_access(l1, &access, &answer) == VGPU_MEM_DONE) {
		memcpy(&word, answer.data + (address & 127), sizeof(word));
		return word;
	}
	vgpu_l1d_submit(l1);
	host_run(h);
	response = vgpu_l1d_response(l1, VGPU_NEVER);
	assert_non_null(response);
	if (response->data)
		memcpy(&word, response->data + (address & 127), sizeof(word));
	assert_null(vgpu_l1d_response(l1, VGPU_NEVER));
	return word;
}

static void copies_and_sms_see_each_other(void **state)
{
	u32 context, queue, word;
	struct host *h = begin(&context, &queue);

	(void)state;
	assert_int_equal(access_word(h, context, 0, VGPU_MEM_LOAD, ADDRESS, 0), 0x11111111);
	access_word(h, context, 0, VGPU_MEM_STORE, ADDRESS, 5);
	access_word(h, context, 1, VGPU_MEM_STORE, ADDRESS + 4, 6);
	/* to the host */
	host_push(h, context, queue, cmd_d2h(0, ADDRESS, 8));
	host_run(h);
	memcpy(&word, h->memory, 4);
	assert_int_equal(word, 5);
	memcpy(&word, h->memory + 4, 4);
	assert_int_equal(word, 6);
	/* within the device, and its bytes by the host */
	access_word(h, context, 0, VGPU_MEM_STORE, ADDRESS, 7);
	host_push(h, context, queue, cmd_d2d(ADDRESS + 4096, ADDRESS, 4));
	host_run(h);
	assert_int_equal(access_word(h, context, 2, VGPU_MEM_LOAD, ADDRESS + 4096, 0), 7);
	access_word(h, context, 2, VGPU_MEM_STORE, ADDRESS + 4100, 8);
	assert_int_equal(vgpu_memory_peek(h->dev, context, ADDRESS + 4100, &word, 4), 0);
	assert_int_equal(word, 8);
	/* from the host: L2 has the line, and the one that writes a part of it keeps the rest */
	word = 9;
	memcpy(h->memory, &word, 4);
	host_push(h, context, queue, cmd_h2d(ADDRESS, 0, 4));
	host_run(h);
	assert_int_equal(access_word(h, context, 3, VGPU_MEM_LOAD, ADDRESS, 0), 9);
	assert_int_equal(access_word(h, context, 3, VGPU_MEM_LOAD, ADDRESS + 4, 0), 6);
	host_push(h, context, queue, cmd_fill(ADDRESS, 1, 10, 4));
	host_run(h);
	assert_int_equal(access_word(h, context, 4, VGPU_MEM_LOAD, ADDRESS, 0), 10);
	host_free(h);
}

static void frames_that_go_leave_nothing_behind(void **state)
{
	u32 context, queue, other;
	struct host *h = begin(&context, &queue);
	struct vgpu_device_stats stats;

	(void)state;
	/* the heap has their bytes: whoever writes back a line of them later is caught */
	access_word(h, context, 0, VGPU_MEM_STORE, ADDRESS, 5);
	access_word(h, context, 0, VGPU_MEM_STORE, ADDRESS + 4096, 6);
	assert_int_equal(vgpu_memory_unmap(h->dev, context, ADDRESS, 8192), 0);
	vgpu_memsys_flush_all(h->dev->memsys);
	/* the frames are used again, by another context */
	other = host_open(h);
	queue = host_queue(h, other);
	assert_int_equal(vgpu_memory_map(h->dev, other, ADDRESS, 8192), 0);
	host_push(h, other, queue, cmd_fill(ADDRESS, 2048, 3, 4));
	host_run(h);
	assert_int_equal(access_word(h, other, 0, VGPU_MEM_LOAD, ADDRESS, 0), 3);
	assert_int_equal(access_word(h, other, 0, VGPU_MEM_LOAD, ADDRESS + 4096, 0), 3);
	access_word(h, other, 0, VGPU_MEM_STORE, ADDRESS, 5);
	vgpu_device_stats(h->dev, &stats);
	assert_int_equal(stats.l1_misses, 2);
	assert_int_equal(stats.l2_misses, 2);
	assert_int_equal(stats.dram_read, 256);
	/* a context ends with dirty lines, and then the device */
	vgpu_context_close(h->dev, other);
	vgpu_memsys_flush_all(h->dev->memsys);
	host_free(h);
}

static void interval_has_no_caches(void **state)
{
	struct host *h = host_new("tanasic-ch6", NULL);
	struct vgpu_device_stats stats;

	(void)state;
	assert_null(h->dev->memsys);
	assert_null(h->dev->mmu.frames.cache_ops);
	vgpu_device_stats(h->dev, &stats);
	assert_int_equal(stats.l2_hits, 0);
	host_free(h);
}

static void a_hierarchy_that_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *field, *value, *names;
	} wrong[] = {
		{ "l1_ways", "0", "l1_ways" },	 { "l1_bytes", "32769", "l1_bytes" },
		{ "l2_ways", "0", "l2_ways" },	 { "l2_bytes", "0", "l2_bytes" },
		{ "l2_partitions", "7", "l2_partitions" }, { "icnt_cycles", "0", "icnt_cycles" },
		{ "l1_mshrs", "0", "l1_mshrs" }, { "l1_queue", "0", "l1_queue" },
		{ "icnt_sm_bytes", "0", "icnt_sm_bytes" }, { "l2_mshrs", "7", "l2_mshrs" },
	};
	static const struct {
		const char *timing, *coherence, *field, *value, *names;
	} of_protocols[] = {
		{ "pipeline", "luck", "sc_core", "0", "coherence" },
		{ "interval", "luck", "sc_core", "0", "coherence" },
		{ "interval", "rcc", "sc_core", "0", "timing" },
		{ "interval", "gpu", "sc_core", "1", "sc_core" },
		{ "interval", "gpu", "sc_core", "0", NULL },
		{ "pipeline", "gpu", "sc_core", "1", NULL },
		{ "pipeline", "rcc", "timing_by_kernel", "1", "timing_by_kernel" },
		{ "pipeline", "rcc", "rcc_as_published", "1", NULL },
		{ "pipeline", "mesi", "rcc_as_published", "1", "rcc_as_published" },
		{ "pipeline", "tcs", "rcc_bits", "20", "rcc_bits" },
		{ "pipeline", "rcc", "rcc_bits", "12", "rcc_bits" },
		{ "pipeline", "rcc-wo", "rcc_bits", "13", NULL },
		{ "pipeline", "mesi", "coherence_lease", "10", "coherence_lease" },
		{ "pipeline", "gpu", "coherence_lease", "10", "coherence_lease" },
		{ "pipeline", "tcw", "coherence_lease", "10", NULL },
		{ "pipeline", "tcs", "tc_predictor", "1", NULL },
		{ "pipeline", "tcw", "tc_predictor", "1", NULL },
		{ "pipeline", "rcc", "tc_predictor", "1", "tc_predictor" },
		{ "pipeline", "gpu-vi", "sc_core", "1", NULL },
		{ "pipeline", "sc-ideal", "sc_core", "1", NULL },
	};
	struct vgpu_config config;

	(void)state;
	for (u32 n = 0; n < sizeof(wrong) / sizeof(wrong[0]); n++) {
		vgpu_config_preset(&config, "tanasic-ch6");
		assert_int_equal(vgpu_config_set(&config, wrong[n].field, wrong[n].value), 0);
		/* who does not use it need not have it right */
		assert_null(vgpu_config_check(&config));
		vgpu_config_set(&config, "timing", "pipeline");
		assert_non_null(vgpu_config_check(&config));
		assert_non_null(strstr(vgpu_config_check(&config), wrong[n].names));
	}
	for (u32 n = 0; n < sizeof(of_protocols) / sizeof(of_protocols[0]); n++) {
		vgpu_config_preset(&config, "tanasic-ch6");
		vgpu_config_set(&config, "timing", of_protocols[n].timing);
		vgpu_config_set(&config, "coherence", of_protocols[n].coherence);
		vgpu_config_set(&config, of_protocols[n].field, of_protocols[n].value);
		if (!of_protocols[n].names) {
			assert_null(vgpu_config_check(&config));
			continue;
		}
		assert_non_null(vgpu_config_check(&config));
		assert_non_null(strstr(vgpu_config_check(&config), of_protocols[n].names));
	}
	vgpu_config_preset(&config, "tanasic-ch6");
	vgpu_config_set(&config, "timing", "sundial");
	assert_non_null(strstr(vgpu_config_check(&config), "timing"));
}

static void every_preset_has_a_hierarchy(void **state)
{
	const char *name;

	(void)state;
	for (u32 n = 0; (name = vgpu_config_preset_name(n)); n++) {
		struct host *h = host_new(name, "timing=pipeline", NULL);

		assert_non_null(h->dev->memsys);
		assert_true(vgpu_memsys_window(h->dev->memsys) > 0);
		host_free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_and_sms_see_each_other),
		cmocka_unit_test(frames_that_go_leave_nothing_behind),
		cmocka_unit_test(interval_has_no_caches),
		cmocka_unit_test(a_hierarchy_that_cannot_be_is_refused),
		cmocka_unit_test(every_preset_has_a_hierarchy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
