// SPDX-License-Identifier: MIT
/*
 * Compiled kernels from the engine's side: which launches are refused, modules that are unloaded
 * under their kernels, faults that end one context only and name what did it, contexts that end at
 * every event while warps run.
 */
#include "device/device.h"
#include "host.h"

#define ADDRESS	0x40000000ull
#define BYTES	(64ull << 10)

enum { EXIT, STORE, SPIN, TRAP, KERNELS };

/*
 * Four kernels, one after the other. STORE: out[i] = i for every thread i, out the only parameter.
 */
static const struct vgpu_insn code[] = {
	{ .op = VGPU_OP_EXIT, .guard = VGPU_PT },

	{ .op = VGPU_OP_LDP, .guard = VGPU_PT, .flags = 3, .dst = 0 },
	{ .op = VGPU_OP_SREG, .guard = VGPU_PT, .dst = 2, .imm = VGPU_SR_TID_X },
	{ .op = VGPU_OP_SREG, .guard = VGPU_PT, .dst = 3, .imm = VGPU_SR_CTAID_X },
	{ .op = VGPU_OP_SREG, .guard = VGPU_PT, .dst = 4, .imm = VGPU_SR_NTID_X },
	{ .op = VGPU_OP_MAD, .guard = VGPU_PT, .dst = 2, .a = 3, .b = 4, .c = 2 },
	{ .op = VGPU_OP_MADWU,
	  .guard = VGPU_PT,
	  .flags = VGPU_F_IMM,
	  .dst = 0,
	  .a = 2,
	  .c = 0,
	  .imm = 4 },
	{ .op = VGPU_OP_STG, .guard = VGPU_PT, .flags = 2, .a = 0, .b = 2 },
	{ .op = VGPU_OP_EXIT, .guard = VGPU_PT },

	{ .op = VGPU_OP_BRA, .guard = VGPU_PT, .imm = (u64)VGPU_NO_RECONV << 32 },

	{ .op = VGPU_OP_TRAP, .guard = VGPU_PT },
	{ .op = VGPU_OP_EXIT, .guard = VGPU_PT },
};

static const u32 entries[KERNELS + 1] = { 0, 1, 9, 10, 12 };

struct binary {
	struct vgpu_vass_header header;
	struct vgpu_insn code[VGPU_ARRAY_SIZE(code)] __attribute__((aligned(16)));
	struct vgpu_vass_kernel kernels[KERNELS] __attribute__((aligned(16)));
	char names[16] __attribute__((aligned(16)));
};

/* The binary with @slack bytes behind it that nothing uses. */
static int load_with(struct host *h, u32 context, u32 slack, u32 *module)
{
	struct binary b = {
		.header = { .magic = VGPU_VASS_MAGIC,
			    .version = VGPU_VASS_VERSION,
			    .total_bytes = sizeof(b) + slack,
			    .code_offset = offsetof(struct binary, code),
			    .code_count = VGPU_ARRAY_SIZE(code),
			    .kernel_offset = offsetof(struct binary, kernels),
			    .kernel_count = KERNELS,
			    .names_offset = offsetof(struct binary, names),
			    .names_bytes = 8 },
		.names = "a\0b\0c\0d",
	};
	char message[200] = "";
	void *binary = test_calloc(1, sizeof(b) + slack);
	int err;
	u32 i;

	memcpy(b.code, code, sizeof(code));
	for (i = 0; i < KERNELS; i++)
		b.kernels[i] = (struct vgpu_vass_kernel){ .name = 2 * i,
							  .entry = entries[i],
							  .code_count = entries[i + 1] - entries[i],
							  .regs = 8,
							  .param_bytes = i == STORE ? 8 : 0 };
	b.kernels[EXIT].max_threads = 256;
	b.kernels[EXIT].shared_bytes = 1024;
	memcpy(binary, &b, sizeof(b));
	err = vgpu_module_load(h->dev, context, binary, sizeof(b) + slack, message, sizeof(message),
			       module);
	test_free(binary);
	assert_string_equal(message, "");
	return err;
}

static u32 load(struct host *h, u32 context)
{
	u32 module = 0;

	assert_int_equal(load_with(h, context, 0, &module), 0);
	return module;
}

static struct vgpu_cmd cmd_launch(u32 module, u32 kernel, u32 grid, u32 block)
{
	return (struct vgpu_cmd){ .op = VGPU_CMD_LAUNCH,
				  .launch = { .module = module,
					      .kernel = kernel,
					      .grid = { grid, 1, 1 },
					      .block = { block, 1, 1 },
					      .param_bytes = kernel == STORE ? 8 : 0 } };
}

static void launch(struct host *h, u32 context, u32 queue, struct vgpu_cmd cmd, u64 param)
{
	assert_int_equal(host_try(h, context, queue, &cmd, 0, &param), 0);
}

static void threads_run_and_times_are_accounted(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c), m = load(h, c), i;
	struct vgpu_context_info info;
	u32 *out = (u32 *)h->memory;

	(void)state;
	vgpu_memory_map(h->dev, c, ADDRESS, BYTES);
	launch(h, c, q, cmd_launch(m, STORE, 100, 96), ADDRESS);
	host_push(h, c, q, cmd_d2h(0, ADDRESS, 9600 * 4));
	host_run(h);
	for (i = 0; i < 9600; i++)
		assert_int_equal(out[i], i);
	vgpu_context_info(h->dev, c, &info);
	assert_int_equal(info.blocks, 100);
	assert_int_equal(info.instructions, 100 * 3 * 8);
	assert_int_equal(info.thread_instructions, 9600 * 8);
	assert_true(info.sm_time > 0);
	host_free(h);
}

static void launches_that_cannot_run_are_refused(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c), other = host_open(h), m = load(h, c);
	u32 r = host_queue(h, other);
	const struct vgpu_cmd good = cmd_launch(m, EXIT, 1, 1);
	struct vgpu_cmd cmd;
	u64 param = ADDRESS;
	u32 i;

	(void)state;
	/* A module belongs to its context. */
	assert_int_equal(host_try(h, other, r, &good, 0, NULL), -EINVAL);
#define REFUSE(change) \
	do { cmd = good; change; assert_int_equal(host_try(h, c, q, &cmd, 0, &param), -EINVAL); \
		} while (0)
	REFUSE(cmd.launch.module = 0);
	REFUSE(cmd.launch.module = m + 1);
	REFUSE(cmd.launch.module = ~0u);
	REFUSE(cmd.launch.kernel = KERNELS);
	REFUSE(cmd.launch.kernel = ~0u);
	for (i = 0; i < 3; i++) {
		REFUSE(cmd.launch.grid[i] = 0);
		REFUSE(cmd.launch.grid[i] = h->config.grid_limit[i] + 1);
		REFUSE(cmd.launch.block[i] = 0);
		REFUSE(cmd.launch.block[i] = h->config.block_limit[i] + 1);
	}
	/* 1,024 threads are within the device's limit, not within the kernel's */
	REFUSE(cmd.launch.block[0] = 1024);
	REFUSE(cmd.launch.kernel = SPIN; cmd.launch.block[0] = 64; cmd.launch.block[1] = 17);
	REFUSE(cmd.launch.grid[0] = 0x7fffffff; cmd.launch.grid[1] = 65535;
	       cmd.launch.grid[2] = 65535);
	REFUSE(cmd.launch.dynamic_shared = 48 * 1024 - 1023);
	REFUSE(cmd.launch.dynamic_shared = ~0u);
	REFUSE(cmd.launch.param_bytes = 8);
	REFUSE(cmd.launch.param_bytes = ~0u);
	REFUSE(cmd.launch.kernel = STORE; cmd.launch.param_bytes = 7);
	cmd = cmd_launch(m, STORE, 1, 1);
	assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
	cmd = good;
	cmd.launch.dynamic_shared = 47 * 1024;
	cmd.launch.block[0] = 256;
	assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), 0);
	host_run(h);
	assert_int_equal(h->completion_count, 1);
	host_free(h);
}

static void a_module_outlives_its_handle(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), q = host_queue(h, c), m = load(h, c), n = load(h, c);
	struct vgpu_cmd cmd = cmd_launch(m, EXIT, 1, 1);
	struct vgpu_context_info info;
	struct vgpu_device_counts counts;

	(void)state;
	assert_int_not_equal(m, n);
	vgpu_memory_map(h->dev, c, ADDRESS, BYTES);
	launch(h, c, q, cmd_launch(m, STORE, 100, 32), ADDRESS);
	launch(h, c, q, cmd_launch(m, STORE, 100, 32), ADDRESS);
	vgpu_device_run(h->dev, VGPU_US + 110 * VGPU_NS, ~0u);
	assert_int_equal(h->dev->exec.active_count, 1);
	assert_int_equal(vgpu_module_unload(h->dev, c, m), 0);
	assert_int_equal(vgpu_module_unload(h->dev, c, m), -ENOENT);
	assert_int_equal(host_try(h, c, q, &cmd, 0, NULL), -EINVAL);
	vgpu_context_info(h->dev, c, &info);
	assert_int_equal(info.modules, 1);
	vgpu_device_counts(h->dev, &counts);
	assert_int_equal(counts.modules, 2);
	host_run(h);
	assert_int_equal(host_done(h, c, q, 2)->status, 0);
	vgpu_device_counts(h->dev, &counts);
	assert_int_equal(counts.modules, 1);
	/* As with files, the lowest free handle is the next one. */
	assert_int_equal(load(h, c), m);
	host_free(h);
}

static void a_fault_ends_one_context_and_names_what_did_it(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h);
	u32 q = host_queue(h, a), r = host_queue(h, b), m = load(h, a), n = load(h, b);

	(void)state;
	vgpu_memory_map(h->dev, a, ADDRESS, VGPU_PAGE_SIZE);
	vgpu_memory_map(h->dev, b, ADDRESS, BYTES);
	host_push(h, a, q, cmd_nop());
	launch(h, a, q, cmd_launch(m, STORE, 33, 32), ADDRESS);
	launch(h, a, q, cmd_launch(m, EXIT, 1, 1), 0);
	launch(h, b, r, cmd_launch(n, STORE, 100, 64), ADDRESS);
	host_run(h);
	/* 1,024 threads fill the page: block 32 is beyond it. */
	assert_int_equal(h->fault_count, 1);
	assert_int_equal(h->dead[0], a);
	assert_int_equal(h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	assert_int_equal(h->faults[0].queue, q);
	assert_int_equal(h->faults[0].seq, 2);
	assert_int_equal(h->faults[0].module, m);
	assert_int_equal(h->faults[0].kernel, STORE);
	assert_int_equal(h->faults[0].block[0], 32);
	assert_int_equal(h->faults[0].pc, 6);
	assert_int_equal(h->faults[0].write, 1);
	assert_true(h->faults[0].address == ADDRESS + VGPU_PAGE_SIZE);
	assert_int_equal(host_done(h, a, q, 1)->status, 0);
	assert_int_equal(host_done(h, a, q, 3)->status, -EIO);
	assert_int_equal(host_done(h, b, r, 1)->status, 0);
	host_free(h);
}

static void an_endless_kernel_can_be_ended(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h);
	u32 q = host_queue(h, a), r = host_queue(h, b), m = load(h, a), n = load(h, b);

	(void)state;
	launch(h, a, q, cmd_launch(m, SPIN, 1000, 64), 0);
	launch(h, b, r, cmd_launch(n, SPIN, 1000, 64), 0);
	vgpu_device_run(h->dev, 20 * VGPU_US, ~0u);
	assert_int_equal(vgpu_context_close(h->dev, a), 0);
	assert_int_equal(host_done(h, a, q, 1)->status, -EIO);
	assert_int_equal(vgpu_device_knob_set(h->dev, "watchdog_us", "10"), 0);
	host_run(h);
	assert_int_equal(h->faults[0].reason, VGPU_FAULT_WATCHDOG);
	assert_int_equal(h->faults[0].kernel, SPIN);
	assert_true(h->faults[0].block[0] < 1000);
	assert_true(h->faults[0].pc <= 1);
	assert_int_equal(host_done(h, b, r, 1)->status, -EIO);
	host_free(h);
}

/*
 * Good, faulting, trapping and endless kernels of one context beside the work of another, cut off
 * at every event.
 */
static void a_context_can_close_at_every_event_of_its_warps(void **state)
{
	u32 kind, at, step;

	(void)state;
	for (kind = 0; kind < KERNELS; kind++) {
		/* The first events one by one, the later ones of a long run in strides. */
		for (at = 0, step = 1; at < 400; at += step, step = 1 + at / 40) {
			struct host *h = host_new("k20c", "sms=2", "watchdog_ps=20000000", NULL);
			u32 a = host_open(h), b = host_open(h);
			u32 q = host_queue(h, a), p = host_queue(h, a), r = host_queue(h, b);
			u32 m = load(h, a), n = load(h, b);

			vgpu_memory_map(h->dev, a, ADDRESS, BYTES);
			vgpu_memory_map(h->dev, b, ADDRESS, BYTES);
			launch(h, a, q, cmd_launch(m, STORE, 20, 256), ADDRESS);
			launch(h, a, p, cmd_launch(m, kind, 20, 256),
			       kind == STORE ? ADDRESS + BYTES - 8192 : 0);
			launch(h, b, r, cmd_launch(n, STORE, 20, 256), ADDRESS);
			host_push(h, b, r, cmd_d2h(0, ADDRESS, 5120 * 4));
			vgpu_device_run(h->dev, VGPU_NEVER, at);
			assert_int_equal(vgpu_context_close(h->dev, a), 0);
			assert_true(vgpu_exec_check(&h->dev->exec));
			host_run(h);
			assert_int_equal(h->completion_count, 4);
			assert_int_equal(host_done(h, b, r, 2)->status, 0);
			for (u32 i = 0; i < 5120; i++)
				assert_memory_equal(h->memory + 4 * i, &i, 4);
			host_free(h);
		}
	}
}

/* Unloading does not make room while a launch still holds the code; the end of the launch does. */
static void unloaded_modules_count_while_they_are_held(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h), other = host_open(h), q = host_queue(h, c);
	u32 slack = VGPU_VASS_MAX_BYTES - sizeof(struct binary), m, i;

	(void)state;
	launch(h, c, q, cmd_launch(load(h, c), SPIN, 1, 32), 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(load_with(h, c, slack, &m), 0);
		launch(h, c, q, cmd_launch(m, EXIT, 1, 32), 0);
		assert_int_equal(vgpu_module_unload(h->dev, c, m), 0);
	}
	assert_int_equal(load_with(h, c, slack, &m), -ENOSPC);
	assert_int_equal(load_with(h, other, slack, &m), 0);
	assert_int_equal(vgpu_context_close(h->dev, other), 0);
	m = load(h, c);
	assert_int_equal(vgpu_module_unload(h->dev, c, m), 0);
	assert_int_equal(vgpu_context_close(h->dev, c), 0);

	c = host_open(h);
	q = host_queue(h, c);
	for (i = 0; i < 8; i++) {
		assert_int_equal(load_with(h, c, slack, &m), 0);
		launch(h, c, q, cmd_launch(m, EXIT, 1, 32), 0);
		assert_int_equal(vgpu_module_unload(h->dev, c, m), 0);
		host_run(h);
	}
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_run_and_times_are_accounted),
		cmocka_unit_test(launches_that_cannot_run_are_refused),
		cmocka_unit_test(a_module_outlives_its_handle),
		cmocka_unit_test(unloaded_modules_count_while_they_are_held),
		cmocka_unit_test(a_fault_ends_one_context_and_names_what_did_it),
		cmocka_unit_test(an_endless_kernel_can_be_ended),
		cmocka_unit_test(a_context_can_close_at_every_event_of_its_warps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
