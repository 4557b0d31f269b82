// SPDX-License-Identifier: MIT
/*
 * PEP before the end of a turn of round-robin, on one SM, computed on paper (docs/preemption.md).
 *
 * As in test_pep.c: a launch takes 1 us, the setup of the SM 0.1 us. Four blocks fit, the pipeline
 * drains in 0.5 us, a base checkpoint of the four takes 2 us and an increment 1 us; without a base
 * checkpoint it is 2 us. A turn takes 100 us, and 20 us before its end SMs are told, which they
 * know 1.3 us later.
 */
#include "device/device.h"
#include "host.h"

#define US	VGPU_US
#define TENTH	(VGPU_US / 10)
#define BLOCK	65536u	/* bytes of a context */

struct turns {
	struct host *h;
	u32 a, b, queue_a, queue_b;
};

static struct turns begin(void)
{
	struct turns t = {
		.h = host_new("k20c", "sms=1", "active_kernels=8", "memory_bandwidth=65536000000",
			      "pipeline_drain_ps=500000", "policy=round-robin", "preemption=pep",
			      "time_slice_ps=100000000", "pep_in_place=0", NULL),
	};

	t.a = host_open(t.h);
	t.b = host_open(t.h);
	t.queue_a = host_queue(t.h, t.a);
	t.queue_b = host_queue(t.h, t.b);
	return t;
}

/* Runs to @tenths, every tenth checked. */
static void run_to(struct turns *t, u64 tenths)
{
	struct vgpu_device *dev = t->h->dev;

	while (dev->sim->now < tenths * TENTH) {
		vgpu_device_run(dev, (dev->sim->now / TENTH + 1) * TENTH, ~0u);
		assert_true(vgpu_exec_check(&dev->exec));
	}
}

/* A kernel of @blocks of @block_us, of which half is dirty and then a quarter. */
static void launch(struct turns *t, u32 context, u32 queue, u64 blocks, u64 block_us)
{
	struct vgpu_cmd cmd = cmd_profiled(blocks, block_us * US, 4);

	cmd.profiled.clean_base_permille = 500;
	cmd.profiled.clean_increment_permille = 750;
	host_push(t->h, context, queue, cmd);
}

static struct vgpu_account account_of(struct turns *t, u32 context)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(t->h->dev, context, &info), 0);
	return info.account;
}

static u32 bases(const struct turns *t)
{
	return (u32)t->h->dev->exec.bases;
}

static void end(struct turns *t)
{
	host_run(t->h);
	assert_true(vgpu_exec_check(&t->h->dev->exec));
	assert_int_equal(bases(t), 0);
	assert_int_equal(t->h->dev->exec.save_area, 0);
	assert_int_equal(t->h->dev->exec.watched, 0);
	host_free(t->h);
}

/*
 * a's turn is from 1.0 to 101.0. At 82.3 the SM stands, is drained at 82.8, and goes on at 84.8. At
 * 101.0 it is b's: drained at 101.5, the increment until 102.5. b has a whole slice from then, so
 * its turn ends at 202.5, and the SM stands from 183.8 to 186.3.
 */
static void base_checkpoints_come_before_the_end_of_a_turn(void **state)
{
	struct turns t = begin();

	(void)state;
	launch(&t, t.a, t.queue_a, 4, 1000);
	launch(&t, t.b, t.queue_b, 4, 1000);
	run_to(&t, 822);
	assert_false(t.h->dev->exec.smst[0].checkpointing);
	run_to(&t, 824);
	assert_true(t.h->dev->exec.smst[0].checkpointing);
	run_to(&t, 849);
	assert_int_equal(bases(&t), 4);
	assert_int_equal(account_of(&t, t.a).save_area, 4 * BLOCK / 2);
	run_to(&t, 1009);
	assert_int_equal(t.h->preemptions, 0);
	run_to(&t, 1026);
	assert_int_equal(t.h->preemptions, 1);
	assert_int_equal(t.h->preemption_ps, 15 * TENTH);
	assert_int_equal(account_of(&t, t.a).saved_bytes, 4 * (BLOCK / 2 + BLOCK / 4));
	run_to(&t, 1864);
	assert_int_equal(bases(&t), 4);
	assert_int_equal(t.h->preemptions, 1);
	run_to(&t, 2041);
	assert_int_equal(t.h->preemptions, 2);
	assert_int_equal(t.h->preemption_ps, 15 * TENTH);
	assert_int_equal(host_time_of(t.h, VGPU_TRACE_KERNEL_START, 2), 1026 * TENTH);
	/* who gets the SM pays, and owes nothing */
	assert_int_equal(account_of(&t, t.b).announced_stall, 25 * TENTH);
	assert_int_equal(account_of(&t, t.a).announced_stall, 25 * TENTH);
	assert_int_equal(account_of(&t, t.b).announcements, 0);
	assert_int_equal(account_of(&t, t.b).announcements_broken, 0);
	end(&t);
}

/* The same with a mechanism that cannot: half of all at once, from 101.5 to 103.5. */
static void others_are_told_nothing(void **state)
{
	struct turns t = begin();

	(void)state;
	assert_int_equal(vgpu_device_knob_set(t.h->dev, "preemption", "switch"), 0);
	launch(&t, t.a, t.queue_a, 4, 1000);
	launch(&t, t.b, t.queue_b, 4, 1000);
	run_to(&t, 1010);
	assert_int_equal(account_of(&t, t.a).blocks_checkpointed, 0);
	run_to(&t, 1056);
	/* all of it is saved */
	assert_int_equal(t.h->preemption_ps, 45 * TENTH);
	end(&t);
}

/* One alone has no turn that ends. */
static void one_context_alone(void **state)
{
	struct turns t = begin();

	(void)state;
	launch(&t, t.a, t.queue_a, 4, 1000);
	run_to(&t, 10000);
	assert_int_equal(account_of(&t, t.a).blocks_checkpointed, 0);
	assert_int_equal(t.h->dev->exec.turn.at, VGPU_NEVER);
	host_run(t.h);
	assert_int_equal(host_time_of(t.h, VGPU_TRACE_KERNEL_END, 1), 10011 * TENTH);
	end(&t);
}

/*
 * Blocks of 90 us end at 91.1: they drain, and b has the SM from then on, alone. Its blocks are
 * not looked at.
 */
static void a_kernel_that_ends_before_its_turn(void **state)
{
	struct turns t = begin();

	(void)state;
	launch(&t, t.a, t.queue_a, 4, 90);
	launch(&t, t.b, t.queue_b, 8, 200);
	run_to(&t, 840);
	assert_int_equal(t.h->dev->exec.watched, 1);
	run_to(&t, 920);
	assert_int_equal(t.h->dev->exec.watched, 0);
	assert_int_equal(host_time_of(t.h, VGPU_TRACE_KERNEL_START, 2), 912 * TENTH);
	host_run(t.h);
	assert_int_equal(account_of(&t, t.a).blocks_checkpointed, 0);
	assert_int_equal(account_of(&t, t.b).blocks_checkpointed, 0);
	assert_int_equal(account_of(&t, t.b).announced_stall, 0);
	assert_int_equal(t.h->preemptions, 0);
	end(&t);
}

/*
 * Blocks of 45 us: at 82.3 the second four have 8.8 left, which is less than until the end. The
 * third four come at 91.1, run for 1,000 cycles (1.4 us) and do not end in time: their base
 * checkpoint is made by 95.1, and at 101.0 the increment is saved.
 */
static void blocks_that_come_before_the_end(void **state)
{
	struct turns t = begin();

	(void)state;
	launch(&t, t.a, t.queue_a, 400, 45);
	launch(&t, t.b, t.queue_b, 4, 1000);
	run_to(&t, 911);
	assert_int_equal(account_of(&t, t.a).blocks_checkpointed, 0);
	run_to(&t, 952);
	assert_int_equal(bases(&t), 4);
	run_to(&t, 1026);
	assert_int_equal(t.h->preemption_ps, 15 * TENTH);
	end(&t);
}

/*
 * b comes at 95.0, when the lead is less than that: the SM knows at 96.3, and its base checkpoint
 * is made at 98.8.
 */
static void who_comes_late_is_expected_at_once(void **state)
{
	struct turns t = begin();

	(void)state;
	launch(&t, t.a, t.queue_a, 4, 1000);
	run_to(&t, 940);
	launch(&t, t.b, t.queue_b, 4, 1000);
	run_to(&t, 962);
	assert_false(t.h->dev->exec.smst[0].checkpointing);
	run_to(&t, 989);
	assert_int_equal(bases(&t), 4);
	run_to(&t, 1026);
	assert_int_equal(t.h->preemption_ps, 15 * TENTH);
	end(&t);
}

/* ... and at 100.0, which is too late: a switch of all that is dirty, 101.0 to 103.5. */
static void who_comes_too_late_is_not_prepared_for(void **state)
{
	struct turns t = begin();

	(void)state;
	launch(&t, t.a, t.queue_a, 4, 1000);
	run_to(&t, 990);
	launch(&t, t.b, t.queue_b, 4, 1000);
	run_to(&t, 1036);
	assert_int_equal(account_of(&t, t.a).blocks_checkpointed, 0);
	assert_int_equal(t.h->preemption_ps, 25 * TENTH);
	end(&t);
}

/* Who waits goes away, before, during and after the base checkpoint: it is not needed. */
static void who_waits_goes_away(void **state)
{
	(void)state;
	for (u64 at = 805; at < 1005; at += 5) {
		struct turns t = begin();

		launch(&t, t.a, t.queue_a, 4, 1000);
		launch(&t, t.b, t.queue_b, 4, 1000);
		run_to(&t, at);
		vgpu_context_close(t.h->dev, t.b);
		assert_true(vgpu_exec_check(&t.h->dev->exec));
		run_to(&t, at + 30);
		assert_int_equal(bases(&t), 0);
		assert_int_equal(account_of(&t, t.a).save_area, 0);
		host_run(t.h);
		assert_int_equal(t.h->preemptions, 0);
		/* its blocks have stood while they were saved, if that has begun */
		assert_int_equal(host_time_of(t.h, VGPU_TRACE_KERNEL_END, 1),
				 (at < 823 ? 10011 : 10031) * TENTH);
		end(&t);
	}
}

/* The same of whose turn it is: b has the SM at once. */
static void whose_turn_it_is_goes_away(void **state)
{
	(void)state;
	for (u64 at = 805; at < 1045; at += 5) {
		struct turns t = begin();

		launch(&t, t.a, t.queue_a, 4, 1000);
		launch(&t, t.b, t.queue_b, 4, 1000);
		run_to(&t, at);
		vgpu_context_close(t.h->dev, t.a);
		assert_true(vgpu_exec_check(&t.h->dev->exec));
		assert_int_equal(bases(&t), 0);
		assert_int_equal(t.h->dev->exec.save_area, 0);
		host_run(t.h);
		assert_int_equal(account_of(&t, t.b).blocks_checkpointed, 0);
		end(&t);
	}
}

/*
 * With another policy nothing is to come; with another mechanism it does, and what there is helps.
 */
static void policy_and_mechanism_change(void **state)
{
	struct turns t = begin();

	(void)state;
	launch(&t, t.a, t.queue_a, 4, 1000);
	launch(&t, t.b, t.queue_b, 4, 1000);
	run_to(&t, 900);
	assert_int_equal(bases(&t), 4);
	assert_int_equal(vgpu_device_knob_set(t.h->dev, "policy", "fcfs"), 0);
	assert_int_equal(bases(&t), 0);
	assert_int_equal(vgpu_device_knob_set(t.h->dev, "policy", "round-robin"), 0);
	/* a new turn begins: it ends at 190.0 */
	run_to(&t, 1700);
	assert_int_equal(bases(&t), 0);
	run_to(&t, 1740);
	assert_int_equal(bases(&t), 4);
	assert_int_equal(vgpu_device_knob_set(t.h->dev, "preemption", "switch"), 0);
	run_to(&t, 1920);
	assert_int_equal(t.h->preemption_ps, 15 * TENTH);
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base_checkpoints_come_before_the_end_of_a_turn),
		cmocka_unit_test(others_are_told_nothing),
		cmocka_unit_test(one_context_alone),
		cmocka_unit_test(a_kernel_that_ends_before_its_turn),
		cmocka_unit_test(blocks_that_come_before_the_end),
		cmocka_unit_test(who_comes_late_is_expected_at_once),
		cmocka_unit_test(who_comes_too_late_is_not_prepared_for),
		cmocka_unit_test(who_waits_goes_away),
		cmocka_unit_test(whose_turn_it_is_goes_away),
		cmocka_unit_test(policy_and_mechanism_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
