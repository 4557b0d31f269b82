// SPDX-License-Identifier: MIT
/*
 * What the device does, in a kernel, when an invariant of the model does not hold: no memory is
 * touched that is not its own (these run under ASan), and the context that it is about ends.
 */
#include "device/device.h"
#include "host.h"
#include "platform/user.h"

#define US	VGPU_US

static int setup(void **state)
{
	(void)state;
	vgpu_user_broken_goes_on();
	return 0;
}

/* An entry for which there is no room is never the first; the others are. */
static void queue_of_events_is_full(void **state)
{
	struct vgpu_pq_entry entries[200] = {};
	struct vgpu_pqueue t = {};
	u32 room = 0, i;

	(void)state;
	assert_int_equal(vgpu_pqueue_reserve(&t, 1), 0);
	while (t.free_count) {
		vgpu_pqueue_insert(&t, &entries[room], 10 + room, room);
		room++;
	}
	assert_int_equal(vgpu_user_broken(), 0);
	assert_true(room + 2 < VGPU_ARRAY_SIZE(entries));
	vgpu_pqueue_insert(&t, &entries[room], 1, room);
	vgpu_pqueue_insert(&t, &entries[room + 1], 2, room);
	assert_int_equal(vgpu_user_broken(), 2);
	assert_false(vgpu_pq_queued(&entries[room]));
	for (i = 0; i < room; i++) {
		assert_ptr_equal(vgpu_pqueue_first(&t), &entries[i]);
		vgpu_pqueue_remove(&t, &entries[i]);
	}
	assert_null(vgpu_pqueue_first(&t));
	vgpu_pqueue_free(&t);
}

static void more_released_than_reserved(void **state)
{
	struct vgpu_event events[20] = {};
	struct vgpu_sim sim;
	u32 i;

	(void)state;
	vgpu_sim_init(&sim);
	assert_int_equal(vgpu_event_reserve(&sim, 2), 0);
	vgpu_event_release(&sim, 3);
	assert_int_equal(vgpu_user_broken(), 1);
	assert_int_equal(sim.reserved, 2);
	/* so many can be scheduled as are reserved now */
	assert_int_equal(vgpu_event_reserve(&sim, 18), 0);
	for (i = 0; i < 20; i++)
		vgpu_event_at(&sim, &events[i], i);
	assert_int_equal(vgpu_user_broken(), 1);
	for (i = 0; i < 20; i++)
		vgpu_event_cancel(&sim, &events[i]);
	vgpu_sim_fini(&sim);
}

static u8 page[VGPU_PAGE_SIZE];
static u32 given_back;

static void *get_frame(void *host, u32 context)
{
	(void)host;
	(void)context;
	return page;
}

static void put_frame(void *host, void *frame)
{
	(void)host;
	assert_ptr_equal(frame, page);
	given_back++;
}

/* A frame that is given back twice would belong to two contexts then. */
static void frame_given_back_twice(void **state)
{
	struct vgpu_frame_table table = { .ops = { .get_frame = get_frame,
						   .put_frame = put_frame } };
	u64 number = vgpu_frame_get(&table, NULL, 1, 0), next;

	(void)state;
	vgpu_frame_put(&table, number);
	vgpu_frame_put(&table, number);
	assert_int_equal(vgpu_user_broken(), 1);
	assert_int_equal(given_back, 1);
	number = vgpu_frame_get(&table, NULL, 1, 0);
	next = vgpu_frame_get(&table, NULL, 2, 0);
	assert_true(number != next);
	vgpu_frame_put(&table, number);
	vgpu_frame_put(&table, next);
	vgpu_frames_fini(&table);
	assert_int_equal(vgpu_user_broken(), 1);
}

/* One context among two, which runs for a while */
struct rig {
	struct host *h;
	u32 broken, other, queue, other_queue;
};

static void rig_make(struct rig *r)
{
	r->h = host_new("k20c", "sms=2", NULL);
	r->broken = host_open(r->h);
	r->other = host_open(r->h);
	r->queue = host_queue(r->h, r->broken);
	r->other_queue = host_queue(r->h, r->other);
	for (int i = 0; i < 3; i++) {
		host_push(r->h, r->broken, r->queue, cmd_profiled(16, 10 * US, 1));
		host_push(r->h, r->other, r->other_queue, cmd_profiled(16, 10 * US, 1));
	}
	vgpu_device_run(r->h->dev, 20 * US, ~0u);
	assert_int_equal(vgpu_user_broken(), 0);
}

/* It has ended, and the other context has not noticed. */
static void rig_ends(struct rig *r)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_user_broken(), 1);
	host_run(r->h);
	assert_int_equal(r->h->fault_count, 1);
	assert_int_equal(r->h->dead[0], r->broken);
	assert_int_equal(r->h->faults[0].reason, VGPU_FAULT_MODEL);
	assert_int_equal(vgpu_context_info(r->h->dev, r->broken, &info), 0);
	assert_true(info.dead);
	assert_int_equal(vgpu_context_info(r->h->dev, r->other, &info), 0);
	assert_false(info.dead);
	assert_int_equal(info.kernels, 3);
	host_free(r->h);
	assert_int_equal(vgpu_user_broken(), 1);
}

static void command_completes_out_of_turn(void **state)
{
	struct rig r;

	(void)state;
	rig_make(&r);
	vgpu_command_done(r.h->dev->queues.table[r.queue]->head->next);
	rig_ends(&r);
}

static void queue_becomes_ready_without_commands(void **state)
{
	struct vgpu_command *head;
	struct vgpu_queue *queue;
	struct rig r;

	(void)state;
	rig_make(&r);
	queue = r.h->dev->queues.table[r.queue];
	head = queue->head;
	queue->head = NULL;
	vgpu_dispatch_ready(queue);
	queue->head = head;
	rig_ends(&r);
}

static void busy_sm_is_assigned(void **state)
{
	struct vgpu_exec *exec;
	struct rig r;
	u32 sm;

	(void)state;
	rig_make(&r);
	exec = &r.h->dev->exec;
	for (sm = 0; exec->smst[sm].ksr->ctx->sched.id != r.broken; sm++)
		assert_true(sm + 1 < r.h->config.sms);
	vgpu_exec_assign(exec, sm, exec->smst[sm].ksr);
	rig_ends(&r);
}

/* A policy by block that asks for what it may not have. */
static void wrong_schedule(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx;
	struct vgpu_ksr *ksr = NULL;

	while ((ctx = vgpu_exec_waiting(exec)) && vgpu_exec_has_room(exec))
		vgpu_exec_admit(exec, ctx);
	while ((ksr = vgpu_exec_next_kernel(exec, ksr)))
		for (u32 n = 0; vgpu_exec_has_blocks(ksr); n++)
			if (n % 2)
				assert_int_equal(vgpu_exec_reserve(exec, 0, ksr), -EINVAL);
			else
				vgpu_exec_dispatch(exec, 0, ksr);
}

static const struct vgpu_policy wrong_policy = {
	.name = "wrong",
	.by_block = true,
	.schedule = wrong_schedule,
};

/* What it does in a trial harms neither who has announced a launch nor who has one. */
static void a_wrong_policy_is_tried(void **state)
{
	struct vgpu_announcement what = { .blocks = 100 };
	struct vgpu_exec *exec;
	struct rig r;

	(void)state;
	rig_make(&r);
	exec = &r.h->dev->exec;
	exec->policy = &wrong_policy;
	assert_true(vgpu_exec_try(exec, &vgpu_context_find(r.h->dev, r.broken)->exec.sched, &what));
	assert_true(vgpu_user_broken() >= 2);
	assert_int_equal(r.h->fault_count, 0);
	assert_true(vgpu_exec_check(exec));
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "policy", "fcfs"), 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(queue_of_events_is_full, setup),
		cmocka_unit_test_setup(more_released_than_reserved, setup),
		cmocka_unit_test_setup(frame_given_back_twice, setup),
		cmocka_unit_test_setup(command_completes_out_of_turn, setup),
		cmocka_unit_test_setup(queue_becomes_ready_without_commands, setup),
		cmocka_unit_test_setup(busy_sm_is_assigned, setup),
		cmocka_unit_test_setup(a_wrong_policy_is_tried, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
