// SPDX-License-Identifier: MIT
/*
 * The seam of protocols (memsys/coherence.h): small ones that delay requests, abort them, give
 * lines a time stamp, and invalidate lines of other L1s. Each does what "gpu" does not.
 */
#include "mem_rig.h"

#include "memsys/hierarchy.h"

#define X	0x10000u
#define LEASE	2000u	/* cycles */

static u32 plain_use(const struct vgpu_config *config, enum vgpu_mem_kind kind,
		     enum vgpu_order order, enum vgpu_scope scope, enum vgpu_cache cache)
{
	return vgpu_coherence_gpu.use(config, kind, order, scope, cache);
}

static struct rig *open_with(const struct vgpu_coherence_ops *ops)
{
	struct rig *rig = rig_open("sms=4");

	vgpu_memsys_use_protocol(rig->memsys, ops);
	rig_scripts(rig);
	return rig;
}

/* ---- stores invalidate the lines of other SMs ------------------------------ */

static void tell_others(struct vgpu_memsys *memsys, struct vgpu_mem_request *request,
			struct vgpu_l2_line *line, u64 cycle)
{
	(void)line;
	for (u32 sm = 0; request->kind == VGPU_MEM_STORE && sm < memsys->config->sms; sm++)
		if (sm != request->l1->sm)
			assert_int_equal(vgpu_memsys_message(memsys, sm, request->physical, 0,
							     cycle), 0);
}

static void drop(struct vgpu_l1d *l1, const struct vgpu_mem_request *message, u64 cycle)
{
	(void)cycle;
	vgpu_l1d_drop_physical(l1, message->physical);
}

static void a_protocol_may_invalidate(void **state)
{
	static const struct vgpu_coherence_ops ops = {
		.name = "invalidate", .use = plain_use, .after = tell_others, .message = drop,
	};
	struct rig *rig = open_with(&ops);
	struct rig_op *early, *late, *other;

	(void)state;
	rig_op(rig, 1, 0, RIG_LOAD, X, 0);
	rig_op(rig, 1, 0, RIG_LOAD, X + 128, 0);
	rig_op(rig, 0, 0, RIG_UNTIL, 0, 500);
	rig_op(rig, 0, 0, RIG_STORE, X, 7);
	rig_op(rig, 1, 0, RIG_UNTIL, 0, 510);
	early = rig_op(rig, 1, 0, RIG_LOAD, X, 0);
	rig_op(rig, 1, 0, RIG_UNTIL, 0, 800);
	late = rig_op(rig, 1, 0, RIG_LOAD, X, 0);
	other = rig_op(rig, 1, 0, RIG_LOAD, X + 128, 0);
	rig_go(rig);
	assert_true(early->hit);
	assert_int_equal(early->result, 0);
	assert_false(late->hit);
	assert_int_equal(late->result, 7);
	assert_true(other->hit);
	rig_close(rig);
}

/* Until so many are in flight, and they come back. */
static void messages_are_bounded(void **state)
{
	static const struct vgpu_coherence_ops ops = {
		.name = "invalidate", .use = plain_use, .message = drop,
	};
	struct rig *rig = open_with(&ops);
	u32 sent = 0;

	(void)state;
	while (!vgpu_memsys_message(rig->memsys, 1, X >> 7, 0, 0))
		sent++;
	assert_int_equal(sent, VGPU_MESSAGES);
	assert_null(vgpu_l1d_response(rig->sms[1].l1, 1u << 20));
	assert_int_equal(vgpu_memsys_message(rig->memsys, 1, X >> 7, 0, 0), 0);
	assert_null(vgpu_l1d_response(rig->sms[1].l1, 1u << 20));
	rig_run(rig);
	rig_close(rig);
}

/* ---- lines have leases, and stores wait for them --------------------------- */

static bool lease_runs(const struct vgpu_l1d *l1, u64 stamp, u64 cycle)
{
	(void)l1;
	return cycle < stamp;
}

static u64 wait_for_lease(struct vgpu_memsys *memsys, struct vgpu_mem_request *request,
			  struct vgpu_l2_line *line, u64 cycle)
{
	(void)memsys;
	return request->kind == VGPU_MEM_STORE && line && line->stamp > cycle ?
		       line->stamp - cycle : 0;
}

static void lend(struct vgpu_memsys *memsys, struct vgpu_mem_request *request,
		 struct vgpu_l2_line *line, u64 cycle)
{
	(void)memsys;
	if (request->kind != VGPU_MEM_LOAD)
		return;
	request->stamp = cycle + LEASE;
	line->stamp = request->stamp;
}

static void a_protocol_may_stamp_and_delay(void **state)
{
	static const struct vgpu_coherence_ops ops = {
		.name = "lease", .use = plain_use, .valid = lease_runs, .before = wait_for_lease,
		.after = lend,
	};
	struct rig *rig = open_with(&ops);
	struct rig_op *first, *during, *after, *store, *other;

	(void)state;
	first = rig_op(rig, 1, 0, RIG_LOAD, X, 0);
	rig_op(rig, 1, 0, RIG_UNTIL, 0, 1900);
	during = rig_op(rig, 1, 0, RIG_LOAD, X, 0);
	rig_op(rig, 1, 0, RIG_UNTIL, 0, 2400);
	after = rig_op(rig, 1, 0, RIG_LOAD, X, 0);
	rig_op(rig, 0, 0, RIG_UNTIL, 0, 500);
	store = rig_op(rig, 0, 0, RIG_STORE, X, 7);
	/* it does not hold up what comes behind it */
	other = rig_op(rig, 0, 0, RIG_LOAD, X + 128, 0);
	rig_go(rig);
	assert_int_equal(first->result, 0);
	assert_true(during->hit);
	assert_int_equal(during->result, 0);
	assert_false(after->hit);
	assert_int_equal(after->result, 7);
	/* lent at cycle 61 */
	assert_int_equal(store->done, 61 + LEASE + 70 + 1 + 20);
	assert_true(other->done < 1000);
	rig_close(rig);
}

/* A frame that goes takes the requests with it that a protocol has delayed. */
static void what_is_delayed_takes_effect_when_a_frame_goes(void **state)
{
	static const struct vgpu_coherence_ops ops = {
		.name = "lease", .use = plain_use, .valid = lease_runs, .before = wait_for_lease,
		.after = lend,
	};
	struct rig *rig = open_with(&ops);

	(void)state;
	rig_op(rig, 1, 0, RIG_LOAD, X, 0);
	rig_op(rig, 0, 0, RIG_UNTIL, 0, 500);
	rig_op(rig, 0, 0, RIG_STORE, X, 7);
	for (u32 sm = 0; sm < 2; sm++)
		rig_kick(&rig->sms[sm], 0);
	rig_run_to(rig, 1000);
	assert_int_equal(*rig_word(rig, X), 0);
	vgpu_memsys_forget(rig->memsys, X >> 12);
	assert_int_equal(*rig_word(rig, X), 7);
	*rig_word(rig, X) = 8;
	rig_run(rig);
	assert_int_equal(*rig_word(rig, X), 8);
	assert_true(vgpu_l1d_idle(rig->sms[0].l1));
	rig_close(rig);
}

/* ---- atomics are refused ---------------------------------------------------- */

static u64 refuse(struct vgpu_memsys *memsys, struct vgpu_mem_request *request,
		  struct vgpu_l2_line *line, u64 cycle)
{
	(void)memsys;
	(void)line;
	(void)cycle;
	request->aborted = request->kind == VGPU_MEM_ATOMIC;
	return 0;
}

static void never(struct vgpu_mem_atomic *atomic, u8 *line)
{
	(void)atomic;
	(void)line;
	fail_msg("an aborted atomic was executed");
}

static void a_protocol_may_abort(void **state)
{
	static const struct vgpu_coherence_ops ops = {
		.name = "refuse", .use = plain_use, .before = refuse,
	};
	struct rig *rig = open_with(&ops);
	struct vgpu_mem_atomic atomic = { .apply = never, .lanes = 1, .bytes = 4 };
	struct vgpu_mem_access access = rig_access(rig, 0, VGPU_MEM_ATOMIC, X, 4);
	const struct vgpu_mem_response *response;
	struct vgpu_mem_answer answer;

	(void)state;
	access.atomic = &atomic;
	access.owner = rig;
	assert_int_equal(vgpu_l1d_access(rig->sms[0].l1, &access, &answer), VGPU_MEM_SENT);
	vgpu_l1d_submit(rig->sms[0].l1);
	/* until it is on its way back, and before the driver takes it */
	rig_run_to(rig, 140);
	vgpu_event_cancel(&rig->sim, &rig->sms[0].event);
	response = vgpu_l1d_response(rig->sms[0].l1, 1000);
	assert_non_null(response);
	assert_true(response->aborted);
	assert_null(vgpu_l1d_response(rig->sms[0].l1, 1000));
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_protocol_may_invalidate),
		cmocka_unit_test(messages_are_bounded),
		cmocka_unit_test(a_protocol_may_stamp_and_delay),
		cmocka_unit_test(what_is_delayed_takes_effect_when_a_frame_goes),
		cmocka_unit_test(a_protocol_may_abort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
