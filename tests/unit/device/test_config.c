// SPDX-License-Identifier: MIT
/*
 * Configurations: the presets as the papers' tables have them, fields by name, what is refused;
 * occupancy of every kernel of Tanasic table 5.2.
 */
#include "device/device.h"
#include "host.h"

static void k20c_is_tanasic_table_5_1(void **state)
{
	struct vgpu_config c;

	(void)state;
	assert_int_equal(vgpu_config_preset(&c, "k20c"), 0);
	assert_string_equal(c.name, "k20c");
	assert_int_equal(c.clock_khz, 706000);
	assert_int_equal(c.sms, 13);
	assert_true(c.memory_bandwidth == 208000000000ull);
	assert_int_equal(c.regs_per_sm, 65536);
	assert_int_equal(c.blocks_per_sm, 16);
	assert_int_equal(c.threads_per_sm, 2048);
	assert_int_equal(c.shared_per_sm, 16 << 10);
	assert_int_equal(c.shared_steps[0], 32 << 10);
	assert_int_equal(c.shared_steps[1], 48 << 10);
	assert_int_equal(c.shared_steps[2], 0);
	assert_int_equal(c.link_burst, 4096);
	assert_true(c.link_bandwidth == 8000000000ull);
	assert_int_equal(c.copy_engines, 1);
	assert_string_equal(c.policy, "fcfs");
	assert_string_equal(c.preemption, "none");
}

static void tanasic_ch6_is_table_6_1(void **state)
{
	struct vgpu_config c;

	(void)state;
	assert_int_equal(vgpu_config_preset(&c, "tanasic-ch6"), 0);
	assert_int_equal(c.clock_khz, 1000000);
	assert_int_equal(c.sms, 16);
	assert_int_equal(c.blocks_per_sm, 16);
	assert_int_equal(c.threads_per_sm, 64 * 32);
	assert_int_equal(c.regs_per_sm * 4, 256 << 10);
	assert_int_equal(c.shared_per_sm, 32 << 10);
	assert_int_equal(c.shared_steps[0], 0);
	assert_int_equal(c.issue_width, 2);
	assert_true(c.memory_bandwidth == 250000000000ull);
	assert_int_equal(c.memory_latency_cycles, 200);
	assert_int_equal(c.l1_tlb_entries, 32);
	assert_int_equal(c.l1_tlb_ways, 8);
	assert_int_equal(c.l1_tlb_cycles, 0);
	assert_int_equal(c.l1_tlb_mshrs, 32);
	assert_int_equal(c.l2_tlb_entries, 1024);
	assert_int_equal(c.l2_tlb_ways, 8);
	assert_int_equal(c.l2_tlb_cycles, 70);
	assert_int_equal(c.l2_tlb_mshrs, 128);
	assert_int_equal(c.page_walkers, 64);
	assert_int_equal(c.page_walk_ps, 500 * VGPU_NS);
	assert_int_equal(c.l1_bytes, 32 << 10);
	assert_int_equal(c.l1_ways, 4);
	assert_int_equal(c.l1_cycles, 40);
	assert_int_equal(c.l1_mshrs, 32);
	assert_int_equal(c.l2_bytes, 2 << 20);
	assert_int_equal(c.l2_ways, 8);
	assert_int_equal(c.l2_cycles, 70);
	assert_int_equal(c.l2_mshrs, 512);
	assert_int_equal(c.dram_cycles, 200);
	assert_string_equal(c.timing, "interval");
	assert_int_equal(c.copy_engines, 2);
}

static void gtx980_is_smk_table_4_and_pep_table_2(void **state)
{
	struct vgpu_config c;

	(void)state;
	assert_int_equal(vgpu_config_preset(&c, "gtx980"), 0);
	assert_int_equal(c.clock_khz, 1216000);
	assert_int_equal(c.sms, 16);
	assert_int_equal(c.regs_per_sm * 4, 256 << 10);
	assert_int_equal(c.shared_per_sm, 96 << 10);
	assert_int_equal(c.threads_per_sm, 2048);
	assert_int_equal(c.blocks_per_sm, 32);
	assert_int_equal(c.copy_engines, 2);
	assert_int_equal(c.issue_width, 4);
	assert_true(c.memory_bandwidth == 7000000000ull * 4 * 8);
}

/* CUDA programming guide, compute capability 7.0; Volta whitepaper, Tesla V100 */
static void v100_is_nvidias_tables(void **state)
{
	struct vgpu_config c;

	(void)state;
	assert_int_equal(vgpu_config_preset(&c, "v100"), 0);
	assert_string_equal(c.compute_capability, "8.0");	/* of what there is */
	assert_int_equal(c.sms, 80);
	assert_int_equal(c.clock_khz, 1530000);
	assert_int_equal(c.regs_per_sm, 65536);
	assert_int_equal(c.shared_per_sm, 96 << 10);
	assert_int_equal(c.memory_bus_bits, 4096);
	assert_int_equal(c.threads_per_sm, 2048);
	assert_int_equal(c.threads_per_block, 1024);
	assert_int_equal(c.blocks_per_sm, 32);
	assert_int_equal(c.active_kernels, 128);
	assert_true(c.vram_bytes == 16ull << 30);
	assert_true(c.memory_bandwidth == 900000000000ull);
	assert_int_equal(c.l2_bytes, 6 << 20);
	assert_string_equal(c.block_placement, "breadth");
	assert_string_equal(c.policy, "fcfs");
}

/* CUDA programming guide, compute capabilities 8.0 and 9.0; whitepapers of Ampere and Hopper */
static void a100_and_h100_are_nvidias_tables(void **state)
{
	struct vgpu_config c;

	(void)state;
	assert_int_equal(vgpu_config_preset(&c, "a100"), 0);
	assert_int_equal(c.sms, 108);
	assert_int_equal(c.clock_khz, 1410000);
	assert_int_equal(c.regs_per_sm, 65536);
	assert_int_equal(c.shared_per_sm, 164 << 10);
	assert_int_equal(c.threads_per_sm, 2048);
	assert_int_equal(c.blocks_per_sm, 32);
	assert_int_equal(c.memory_bus_bits, 5120);
	assert_true(c.vram_bytes == 40ull << 30);
	assert_true(c.memory_bandwidth == 1555000000000ull);
	assert_int_equal(c.l2_bytes, 40 << 20);
	assert_true(c.link_bandwidth == 31500000000ull);
	assert_int_equal(vgpu_config_preset(&c, "h100"), 0);
	assert_int_equal(c.sms, 132);
	assert_int_equal(c.clock_khz, 1980000);
	assert_int_equal(c.regs_per_sm, 65536);
	assert_int_equal(c.shared_per_sm, 228 << 10);
	assert_int_equal(c.threads_per_sm, 2048);
	assert_int_equal(c.blocks_per_sm, 32);
	assert_int_equal(c.memory_bus_bits, 5120);
	assert_true(c.vram_bytes == 80ull << 30);
	assert_true(c.memory_bandwidth == 3352000000000ull);
	assert_int_equal(c.l2_bytes, 50 << 20);
	assert_true(c.link_bandwidth == 63000000000ull);
	assert_string_equal(c.block_placement, "breadth");
}

/* NVIDIA's list of CUDA GPUs: K20c 3.5, GTX 980 5.2; h100 has no clusters, which 9.0 promises */
static void capabilities_are_of_cudas_list(void **state)
{
	static const struct {
		const char *preset;
		unsigned int number;
	} presets[] = { { "k20c", 35 }, { "tanasic-ch6", 35 }, { "gtx980", 52 }, { "etc", 52 },
			{ "v100", 80 }, { "a100", 80 }, { "h100", 80 }, { "rcc", 30 } };
	static const char *const wrong[] = { "", "8", "8.", "8.1", "80", "8.00", " 8.0", "10.0",
					     "2.1", "sm_80", "-8.0", "9.1" };
	struct vgpu_config c;

	(void)state;
	for (unsigned int i = 0; i < sizeof(presets) / sizeof(*presets); i++) {
		assert_int_equal(vgpu_config_preset(&c, presets[i].preset), 0);
		assert_int_equal(vgpu_config_capability(&c), presets[i].number);
		assert_null(vgpu_config_check(&c));
	}
	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(vgpu_config_set(&c, "compute_capability", wrong[i]), 0);
		assert_int_equal(vgpu_config_capability(&c), 0);
		assert_non_null(strstr(vgpu_config_check(&c), "compute_capability"));
	}
	assert_int_equal(vgpu_config_set(&c, "compute_capability", "8.9"), 0);
	assert_int_equal(vgpu_config_capability(&c), 89);
	assert_null(vgpu_config_check(&c));
}

/* Thesis 002, table 3.3; latencies are measured by test_coherent_counts.c */
static void rcc_is_table_3_3(void **state)
{
	struct vgpu_config c;

	(void)state;
	assert_int_equal(vgpu_config_preset(&c, "rcc"), 0);
	assert_null(vgpu_config_check(&c));
	assert_int_equal(c.sms, 16);
	assert_int_equal(c.clock_khz, 1400000);
	assert_int_equal(c.threads_per_sm, 48 * 32);
	assert_int_equal(c.regs_per_sm, 32768);
	assert_int_equal(c.shared_per_sm, 48 << 10);
	assert_int_equal(c.l1_bytes, 32 << 10);
	assert_int_equal(c.l1_ways, 4);
	assert_int_equal(c.l1_mshrs, 128);
	assert_int_equal(c.l2_partitions, 8);
	assert_int_equal(c.l2_bytes, 1 << 20);
	assert_int_equal(c.l2_ways, 8);
	assert_int_equal(c.l2_mshrs, 8 * 128);
	assert_true(c.memory_bandwidth == 175000000000ull);
	/* 175 GB/s: 8 ports of 32 bytes at 700 MHz, 179.2 GB/s */
	assert_int_equal((u64)c.icnt_l2_bytes * c.l2_partitions * 1400, 32 * 8 * 700);
	assert_string_equal(c.warp_scheduler, "lrr");
	assert_string_equal(c.timing, "pipeline");
	assert_string_equal(c.issue_order, "in-order");
	assert_string_equal(c.coherence, "rcc");
	assert_int_equal(c.sc_core, 1);
	/* 32 bits of logical time and predicted leases are what 0 says */
	assert_int_equal(c.rcc_bits, 0);
	assert_int_equal(c.coherence_lease, 0);
}

/* The thesis of ETC, table 3.1; of its TLBs the reach: entries of 4 KB for those of 64 KB */
static void etc_is_table_3_1(void **state)
{
	struct vgpu_config c;

	(void)state;
	assert_int_equal(vgpu_config_preset(&c, "etc"), 0);
	assert_int_equal(c.sms, 30);
	assert_int_equal(c.clock_khz, 1020000);
	assert_int_equal(c.l1_bytes, 16 << 10);
	assert_int_equal(c.l1_ways, 4);
	assert_int_equal(c.l2_bytes, 2 << 20);
	assert_int_equal(c.l2_ways, 16);
	assert_int_equal(c.l2_partitions, 8);
	assert_int_equal(c.l1_tlb_entries * VGPU_PAGE_SIZE, (64 << 16) / 4);
	assert_int_equal(c.l2_tlb_entries * VGPU_PAGE_SIZE, 512 << 16);
	assert_int_equal(c.page_walkers, 64);
	assert_int_equal(c.fault_granule, 64 << 10);
	assert_int_equal(c.eviction_unit, 2 << 20);
	assert_int_equal(c.fault_round_trip_ps, 20 * VGPU_US);
	assert_true(c.link_bandwidth == 16000000000ull);
	assert_string_equal(c.evictor, "fifo");
	assert_string_equal(c.prefetcher, "tree");
	assert_string_equal(c.warp_scheduler, "gto");
	assert_int_equal(c.proactive_bytes, 2 << 20);
	assert_int_equal(c.classifier_cycles, 50000);
	assert_int_equal(c.classifier_lines, 10);
}

/* Tanasic 5.2.2: one SM is filled before the next */
static void the_papers_presets_fill_sms(void **state)
{
	static const char *const names[] = { "k20c", "tanasic-ch6", "gtx980" };
	struct vgpu_config c;

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(names); n++) {
		assert_int_equal(vgpu_config_preset(&c, names[n]), 0);
		assert_string_equal(c.block_placement, "depth");
	}
}

static void every_preset_makes_a_device(void **state)
{
	const char *name;
	u32 i;

	(void)state;
	for (i = 0; (name = vgpu_config_preset_name(i)); i++)
		host_free(host_new(name, NULL));
	assert_int_equal(i, 8);
	assert_int_equal(vgpu_config_preset(&(struct vgpu_config){}, "k20"), -ENOENT);
	assert_int_equal(vgpu_config_preset(&(struct vgpu_config){}, ""), -ENOENT);
}

static void an_empty_name_reads_as_an_empty_text(void **state)
{
	struct vgpu_config c;
	char text[8] = "before";

	(void)state;
	assert_int_equal(vgpu_config_preset(&c, "k20c"), 0);
	assert_int_equal(vgpu_config_set(&c, "policy", ""), 0);
	assert_int_equal(vgpu_config_get(&c, "policy", text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

static void fields_are_set_by_name(void **state)
{
	struct vgpu_config c;

	(void)state;
	vgpu_config_preset(&c, "k20c");
	assert_int_equal(vgpu_config_set(&c, "sms", "1000"), 0);
	assert_int_equal(c.sms, 1000);
	assert_int_equal(vgpu_config_set(&c, "vram_bytes", "1073741824\n"), 0);
	assert_true(c.vram_bytes == 1ull << 30);
	assert_int_equal(vgpu_config_set(&c, "grid_limit[1]", "7"), 0);
	assert_int_equal(c.grid_limit[1], 7);
	assert_int_equal(vgpu_config_set(&c, "seed", "18446744073709551615"), 0);
	assert_int_equal(vgpu_config_set(&c, "policy", "fcfs"), 0);
	assert_null(vgpu_config_check(&c));

	assert_int_equal(vgpu_config_set(&c, "sm", "4"), -ENOENT);
	assert_int_equal(vgpu_config_set(&c, "sms", "0"), -EINVAL);
	assert_int_equal(vgpu_config_set(&c, "sms", "1025"), -EINVAL);
	assert_int_equal(vgpu_config_set(&c, "sms", ""), -EINVAL);
	assert_int_equal(vgpu_config_set(&c, "sms", "-1"), -EINVAL);
	assert_int_equal(vgpu_config_set(&c, "sms", "4x"), -EINVAL);
	assert_int_equal(vgpu_config_set(&c, "sms", "4\n\n"), -EINVAL);
	assert_int_equal(vgpu_config_set(&c, "sms", "4294967297"), -EINVAL);
	assert_int_equal(vgpu_config_set(&c, "seed", "18446744073709551616"), -EINVAL);
	assert_int_equal(vgpu_config_set(&c, "policy", "a name of more than thirty-one characters"),
			 -EINVAL);
	assert_int_equal(c.sms, 1000);
}

static void nonsense_is_named(void **state)
{
	static const struct vgpu_host_ops none;
	struct vgpu_device *dev;
	struct vgpu_config c;

	(void)state;
	vgpu_config_preset(&c, "k20c");
	c.sms = 0;
	assert_string_equal(vgpu_config_check(&c), "sms must be 1..1024");
	assert_int_equal(vgpu_device_create(&c, &none, NULL, &dev), -EINVAL);
	vgpu_config_preset(&c, "k20c");
	c.shared_steps[1] = 20 << 10;
	assert_non_null(strstr(vgpu_config_check(&c), "shared_steps"));
	vgpu_config_preset(&c, "k20c");
	c.shared_steps[3] = 64 << 10;
	assert_non_null(strstr(vgpu_config_check(&c), "shared_steps"));
	vgpu_config_preset(&c, "k20c");
	c.threads_per_sm = 512;
	assert_non_null(strstr(vgpu_config_check(&c), "threads_per_block"));
	vgpu_config_preset(&c, "k20c");
	c.link_burst = 100;
	assert_non_null(strstr(vgpu_config_check(&c), "link_burst"));
	vgpu_config_preset(&c, "k20c");
	vgpu_config_set(&c, "policy", "luck");
	assert_non_null(strstr(vgpu_config_check(&c), "policy"));
	vgpu_config_preset(&c, "k20c");
	vgpu_config_set(&c, "preemption", "wish");
	assert_non_null(strstr(vgpu_config_check(&c), "preemption"));
}

/*
 * Tanasic table 5.2: registers and shared memory per block, and blocks per SM. The table does not
 * give threads: 32 stands where another resource decides, and where threads must (two or four times
 * fewer blocks than registers would allow) what they must be.
 */
static const struct {
	const char *kernel;
	u32 shared, regs, threads, blocks;
} table_5_2[] = {
	{ "lbm StreamCollide", 0, 4320, 32, 15 },
	{ "histo final", 0, 19456, 32, 3 },
	{ "histo prescan", 4096, 9216, 32, 4 },
	{ "histo intermediates", 0, 8964, 512, 4 },
	{ "histo main", 24576, 16896, 32, 1 },
	{ "tpacf genhists", 13312, 7680, 32, 1 },
	{ "spmv spmvjds", 0, 928, 32, 16 },
	{ "mri-q ComputeQ", 0, 5376, 256, 8 },
	{ "mri-q ComputePhiMag", 0, 6144, 512, 4 },
	{ "sad largersadcalc8", 0, 3328, 32, 16 },
	{ "sad largersadcalc16", 0, 832, 32, 16 },
	{ "sad mbsadcalc", 2224, 2135, 32, 7 },
	{ "sgemm mysgemmNT", 512, 4480, 32, 14 },
	{ "stencil block2Dregtiling", 0, 41984, 32, 1 },
	{ "cutcp lattice6overlap", 4116, 3328, 32, 3 },
	{ "mri-gridding binning", 0, 4096, 512, 4 },
	{ "mri-gridding scaninter1", 665, 1173, 32, 16 },
	{ "mri-gridding scanL1", 4368, 9216, 32, 3 },
	{ "mri-gridding uniformAdd", 16, 4096, 512, 4 },
	{ "mri-gridding reorder", 0, 8192, 512, 4 },
	{ "mri-gridding splitSort", 4484, 10240, 32, 3 },
	{ "mri-gridding griddingGPU", 1536, 3648, 32, 10 },
	{ "mri-gridding splitRearrange", 4160, 5888, 32, 3 },
	{ "mri-gridding scaninter2", 665, 1173, 32, 16 },
};

/*
 * SMK table 2, in tenths of a percent: its shares are those of so many blocks, of kernels of
 * Parboil with registers and shared memory of these sizes. (It counts 120 threads of StreamCollide
 * as 120, we as four warps.) The limiting resource is the one of which the next block would need
 * too much.
 */
static void occupancy_is_that_of_smk_table_2(void **state)
{
	static const struct {
		const char *kernel;
		u32 threads, regs_per_thread, shared;
		u32 blocks, registers_permille, shared_permille, threads_permille;
	} table[] = {
		{ "lattice6overlap", 128, 28, 4124, 16, 875, 671, 1000 },
		{ "StreamCollide", 120, 56, 0, 9, 922, 0, 527 },
		{ "mysgemmNT", 128, 44, 512, 11, 945, 57, 687 },
		{ "spmvjds", 192, 16, 0, 10, 468, 0, 937 },
		{ "block2Dregtiling", 128, 24, 0, 16, 750, 0, 1000 },
		{ "genhists", 256, 28, 13312, 7, 765, 947, 875 },
	};
	struct vgpu_config c;

	(void)state;
	assert_int_equal(vgpu_config_preset(&c, "gtx980"), 0);
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(table); i++) {
		u32 regs = table[i].threads * table[i].regs_per_thread, n = table[i].blocks;

		assert_int_equal(vgpu_occupancy(&c, table[i].threads, regs, table[i].shared, NULL),
				 n);
		assert_int_equal(1000 * n * regs / c.regs_per_sm, table[i].registers_permille);
		assert_int_equal(1000 * n * table[i].shared / c.shared_per_sm,
				 table[i].shared_permille);
		assert_int_equal(1000 * n * table[i].threads / c.threads_per_sm,
				 table[i].threads_permille);
	}
}

static void occupancy_is_that_of_table_5_2(void **state)
{
	struct vgpu_config c;
	u32 i;

	(void)state;
	vgpu_config_preset(&c, "k20c");
	for (i = 0; i < VGPU_ARRAY_SIZE(table_5_2); i++) {
		u32 shared;

		assert_int_equal(vgpu_occupancy(&c, table_5_2[i].threads, table_5_2[i].regs,
						table_5_2[i].shared, &shared),
				 table_5_2[i].blocks);
		/*
		 * histo's main kernel alone needs more shared memory than the default configuration
		 * has.
		 */
		assert_int_equal(shared, table_5_2[i].shared > 16384 ? 32768 : 16384);
	}
}

static void the_first_resource_used_up_decides(void **state)
{
	struct vgpu_config c;
	u32 shared;

	(void)state;
	vgpu_config_preset(&c, "k20c");
	assert_int_equal(vgpu_occupancy(&c, 1, 0, 0, NULL), 16);
	assert_int_equal(vgpu_occupancy(&c, 1024, 0, 0, NULL), 2);
	/* 33 threads are two warps: 2048 / 64 would be 32, the slots are 16 */
	assert_int_equal(vgpu_occupancy(&c, 129, 0, 0, NULL), 12);
	assert_int_equal(vgpu_occupancy(&c, 32, 65536, 0, NULL), 1);
	assert_int_equal(vgpu_occupancy(&c, 32, 65537, 0, NULL), 0);
	assert_int_equal(vgpu_occupancy(&c, 32, 0, 16384, &shared), 1);
	assert_int_equal(shared, 16384);
	assert_int_equal(vgpu_occupancy(&c, 32, 0, 16385, &shared), 1);
	assert_int_equal(shared, 32768);
	assert_int_equal(vgpu_occupancy(&c, 32, 0, 49152, &shared), 1);
	assert_int_equal(shared, 49152);
	assert_int_equal(vgpu_occupancy(&c, 32, 0, 49153, &shared), 0);
	assert_int_equal(vgpu_occupancy(&c, 0, 0, 0, NULL), 0);
	assert_int_equal(vgpu_occupancy(&c, 2049, 0, 0, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(k20c_is_tanasic_table_5_1),
		cmocka_unit_test(tanasic_ch6_is_table_6_1),
		cmocka_unit_test(gtx980_is_smk_table_4_and_pep_table_2),
		cmocka_unit_test(v100_is_nvidias_tables),
		cmocka_unit_test(capabilities_are_of_cudas_list),
		cmocka_unit_test(a100_and_h100_are_nvidias_tables),
		cmocka_unit_test(etc_is_table_3_1),
		cmocka_unit_test(rcc_is_table_3_3),
		cmocka_unit_test(the_papers_presets_fill_sms),
		cmocka_unit_test(every_preset_makes_a_device),
		cmocka_unit_test(an_empty_name_reads_as_an_empty_text),
		cmocka_unit_test(fields_are_set_by_name),
		cmocka_unit_test(nonsense_is_named),
		cmocka_unit_test(occupancy_is_that_of_smk_table_2),
		cmocka_unit_test(occupancy_is_that_of_table_5_2),
		cmocka_unit_test(the_first_resource_used_up_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
