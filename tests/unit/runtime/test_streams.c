// SPDX-License-Identifier: MIT
/*
 * Streams and events: the legacy default-stream rules of docs/runtime.md, waits between streams,
 * sharing of hardware queues, virtual time. A slow kernel writes what another one reads: who came
 * first shows in the value.
 */
#include <pthread.h>

#include "rig.h"
#include "state.h"

#define LOOPS 20000u

static void default_stream_waits_for_blocking_streams(void **state)
{
	struct rig rig;
	vgpuStream_t stream;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(2);
	OK(vgpuStreamCreate(&stream, vgpuStreamDefault));
	OK(rig_slow(&rig, &words[0], 7, LOOPS, stream));
	OK(rig_copy(&rig, &words[1], &words[0], NULL));
	assert_int_equal(rig_read(&words[1]), 7);
	rig_end();
}

static void blocking_streams_wait_for_the_default_stream(void **state)
{
	struct rig rig;
	vgpuStream_t stream;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(2);
	OK(vgpuStreamCreate(&stream, vgpuStreamDefault));
	OK(rig_slow(&rig, &words[0], 7, LOOPS, NULL));
	OK(rig_copy(&rig, &words[1], &words[0], stream));
	OK(vgpuStreamSynchronize(stream));
	assert_int_equal(rig_read(&words[1]), 7);
	rig_end();
}

/*
 * Through the default stream two blocking streams are in order, although neither names the other.
 */
static void blocking_streams_meet_in_the_default_stream(void **state)
{
	vgpuStream_t first, second;
	struct rig rig;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(3);
	OK(vgpuStreamCreate(&first, vgpuStreamDefault));
	OK(vgpuStreamCreate(&second, vgpuStreamDefault));
	OK(rig_slow(&rig, &words[0], 7, LOOPS, first));
	OK(rig_add(&rig, &words[2], 1, NULL));
	OK(rig_copy(&rig, &words[1], &words[0], second));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(rig_read(&words[1]), 7);
	rig_end();
}

static void blocking_streams_are_independent_of_each_other(void **state)
{
	vgpuStream_t first, second;
	struct rig rig;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(2);
	OK(vgpuStreamCreate(&first, vgpuStreamDefault));
	OK(vgpuStreamCreate(&second, vgpuStreamDefault));
	OK(rig_slow(&rig, &words[0], 7, LOOPS, first));
	OK(rig_copy(&rig, &words[1], &words[0], second));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(rig_read(&words[1]), 0);
	rig_end();
}

static void non_blocking_streams_take_no_part(void **state)
{
	struct rig rig;
	vgpuStream_t stream;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(4);
	OK(vgpuStreamCreate(&stream, vgpuStreamNonBlocking));
	OK(rig_slow(&rig, &words[0], 7, LOOPS, NULL));
	OK(rig_copy(&rig, &words[1], &words[0], stream));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(rig_read(&words[1]), 0);
	OK(rig_slow(&rig, &words[2], 7, LOOPS, stream));
	OK(rig_copy(&rig, &words[3], &words[2], NULL));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(rig_read(&words[3]), 0);
	rig_end();
}

static void destroyed_streams_still_count(void **state)
{
	struct rig rig;
	vgpuStream_t stream;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(2);
	OK(vgpuStreamCreate(&stream, vgpuStreamDefault));
	OK(rig_slow(&rig, &words[0], 7, LOOPS * 10, stream));
	OK(vgpuStreamDestroy(stream));
	assert_int_equal(vgpuStreamSynchronize(stream), vgpuErrorInvalidResourceHandle);
	OK(rig_copy(&rig, &words[1], &words[0], NULL));
	assert_int_equal(rig_read(&words[1]), 7);
	rig_end();
}

static void events_order_streams(void **state)
{
	vgpuStream_t first, second;
	vgpuEvent_t event, never;
	struct rig rig;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(2);
	OK(vgpuStreamCreate(&first, vgpuStreamNonBlocking));
	OK(vgpuStreamCreate(&second, vgpuStreamNonBlocking));
	OK(vgpuEventCreate(&event, vgpuEventDisableTiming));
	OK(vgpuEventCreate(&never, vgpuEventDefault));
	OK(rig_slow(&rig, &words[0], 7, LOOPS, first));
	OK(vgpuEventRecord(event, first));
	OK(vgpuStreamWaitEvent(second, never, 0));
	OK(vgpuStreamWaitEvent(second, event, 0));
	OK(rig_copy(&rig, &words[1], &words[0], second));
	OK(vgpuStreamSynchronize(second));
	assert_int_equal(rig_read(&words[1]), 7);
	assert_int_equal(vgpuEventQuery(event), vgpuSuccess);
	rig_end();
}

/* A ring of waits over more streams than queues: order holds and nothing waits for ever. */
/* Nothing has submitted the wait when the stream it is for, and its queue, are gone. */
static void a_wait_for_a_stream_that_is_gone_is_over(void **state)
{
	vgpuStream_t first, second;
	vgpuEvent_t event;
	struct rig rig;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	OK(vgpuStreamCreate(&first, vgpuStreamNonBlocking));
	OK(vgpuStreamCreate(&second, vgpuStreamNonBlocking));
	OK(vgpuEventCreate(&event, vgpuEventDisableTiming));
	OK(rig_slow(&rig, &words[0], 7, LOOPS, first));
	OK(vgpuEventRecord(event, first));
	OK(vgpuStreamWaitEvent(second, event, 0));
	OK(vgpuStreamSynchronize(first));
	OK(vgpuStreamDestroy(first));
	OK(rig_add(&rig, &words[0], 1, second));
	OK(vgpuStreamSynchronize(second));
	assert_int_equal(rig_read(&words[0]), 8);
	OK(vgpuStreamDestroy(second));
	rig_end();
}

static void many_streams_share_few_queues(void **state)
{
	enum { STREAMS = 12, ROUNDS = 8 };
	vgpuStream_t streams[STREAMS];
	vgpuEvent_t events[STREAMS];
	struct rig rig;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, "3", NULL);
	words = rig_words(STREAMS * ROUNDS + 1);
	OK(rig_slow(&rig, &words[0], 99, LOOPS, NULL));
	for (int s = 0; s < STREAMS; s++) {
		OK(vgpuStreamCreate(&streams[s],
				    s % 3 ? vgpuStreamDefault : vgpuStreamNonBlocking));
		OK(vgpuEventCreate(&events[s], vgpuEventDefault));
	}
	OK(vgpuEventRecord(events[STREAMS - 1], NULL));
	for (int r = 0; r < ROUNDS; r++)
		for (int s = 0; s < STREAMS; s++) {
			int step = r * STREAMS + s;

			OK(vgpuStreamWaitEvent(streams[s], events[(s + STREAMS - 1) % STREAMS], 0));
			OK(rig_copy(&rig, &words[step + 1], &words[step], streams[s]));
			OK(vgpuEventRecord(events[s], streams[s]));
		}
	OK(vgpuDeviceSynchronize());
	assert_int_equal(rig_read(&words[STREAMS * ROUNDS]), 99);
	rig_end();
}

static void elapsed_time_is_virtual(void **state)
{
	vgpuEvent_t start, end, untimed, unrecorded;
	float shorter, longer, again;
	struct rig rig;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	OK(vgpuEventCreate(&start, vgpuEventDefault));
	OK(vgpuEventCreate(&end, vgpuEventDefault));
	OK(vgpuEventCreate(&untimed, vgpuEventDisableTiming));
	OK(vgpuEventCreate(&unrecorded, vgpuEventDefault));
	for (int i = 0; i < 3; i++) {
		OK(vgpuEventRecord(start, NULL));
		OK(rig_slow(&rig, words, 1, i == 1 ? 10 * LOOPS : LOOPS, NULL));
		OK(vgpuEventRecord(end, NULL));
		OK(vgpuEventSynchronize(end));
		OK(vgpuEventElapsedTime(i == 0 ? &shorter : i == 1 ? &longer : &again, start, end));
	}
	assert_true(shorter > 0 && longer > 5 * shorter && longer < 20 * shorter);
	assert_true(again == shorter);
	OK(vgpuEventElapsedTime(&again, end, start));
	assert_true(again < 0);
	OK(vgpuEventRecord(untimed, NULL));
	assert_int_equal(vgpuEventElapsedTime(&again, start, untimed),
			 vgpuErrorInvalidResourceHandle);
	assert_int_equal(vgpuEventElapsedTime(&again, start, unrecorded),
			 vgpuErrorInvalidResourceHandle);
	OK(vgpuEventRecord(start, NULL));
	OK(rig_slow(&rig, words, 1, 10000000, NULL));
	OK(vgpuEventRecord(end, NULL));
	assert_int_equal(vgpuEventQuery(end), vgpuErrorNotReady);
	assert_int_equal(vgpuEventElapsedTime(&again, start, end), vgpuErrorNotReady);
	assert_int_equal(vgpuStreamQuery(NULL), vgpuErrorNotReady);
	while (vgpuEventQuery(end) == vgpuErrorNotReady)
		;
	OK(vgpuEventElapsedTime(&again, start, end));
	OK(vgpuStreamQuery(NULL));
	rig_end();
}

/* A record that replaces one still pending: the newer place counts. */
static void records_replace_each_other(void **state)
{
	struct rig rig;
	vgpuEvent_t event, end;
	float ms;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	OK(vgpuEventCreate(&event, vgpuEventDefault));
	OK(vgpuEventCreate(&end, vgpuEventDefault));
	for (int i = 0; i < 200; i++) {
		OK(vgpuEventRecord(event, NULL));
		OK(rig_add(&rig, words, 1, NULL));
	}
	OK(vgpuEventRecord(event, NULL));
	OK(vgpuEventRecord(end, NULL));
	OK(vgpuEventSynchronize(event));
	assert_int_equal(rig_read(words), 200);
	OK(vgpuEventElapsedTime(&ms, event, end));
	assert_true(ms >= 0 && ms < 0.01f);
	rig_end();
}

/* Streams of one queue: a stream that waits for an event has not ended before that. */
static void a_wait_counts_in_a_shared_queue(void **state)
{
	vgpuStream_t working, waiting;
	vgpuEvent_t event, after;
	struct rig rig;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, "1", NULL);
	words = rig_words(1);
	OK(vgpuStreamCreate(&working, vgpuStreamNonBlocking));
	OK(vgpuStreamCreate(&waiting, vgpuStreamNonBlocking));
	OK(vgpuEventCreate(&event, vgpuEventDisableTiming));
	OK(vgpuEventCreate(&after, vgpuEventDisableTiming));
	OK(rig_slow(&rig, words, 7, 100 * LOOPS, working));
	OK(vgpuEventRecord(event, working));
	OK(vgpuStreamWaitEvent(waiting, event, 0));
	OK(vgpuEventRecord(after, waiting));
	assert_int_equal(vgpuStreamQuery(waiting), vgpuErrorNotReady);
	assert_int_equal(vgpuEventQuery(after), vgpuErrorNotReady);
	OK(vgpuEventSynchronize(after));
	OK(vgpuEventQuery(event));
	rig_end();
}

static void thousands_of_launches_are_all_done(void **state)
{
	struct rig rig;
	vgpuStream_t stream;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	OK(vgpuStreamCreate(&stream, vgpuStreamDefault));
	for (int i = 0; i < 20000; i++)
		OK(rig_add(&rig, words, 3, i & 1 ? stream : NULL));
	assert_int_equal(rig_read(words), 60000);
	rig_end();
}

static struct rig thread_rig;
static uint32_t *thread_words;

static void *thread(void *argument)
{
	size_t index = (size_t)argument;
	vgpuStream_t stream;
	uint32_t value = 0;
	void *memory;

	OK(vgpuStreamCreate(&stream, index & 1 ? vgpuStreamNonBlocking : vgpuStreamDefault));
	for (int i = 0; i < 200; i++) {
		OK(vgpuMalloc(&memory, 1000 + index * 4096));
		OK(rig_add(&thread_rig, &thread_words[index], 1, stream));
		OK(rig_add(&thread_rig, &thread_words[4], 1, stream));
		if (i % 16 == 0) {
			OK(vgpuMemcpyAsync(&value, &thread_words[index], 4, vgpuMemcpyDeviceToHost,
					   stream));
			assert_int_equal(value, i + 1);
		}
		OK(vgpuFree(memory));
	}
	OK(vgpuStreamSynchronize(stream));
	OK(vgpuStreamDestroy(stream));
	return NULL;
}

static void threads_work_side_by_side(void **state)
{
	pthread_t threads[4];

	(void)state;
	rig_begin(&thread_rig, NULL, NULL);
	thread_words = rig_words(5);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, thread, (void *)i), 0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(rig_read(&thread_words[4]), 800);
	rig_end();
}

static void streams_come_and_go(void **state)
{
	struct rig rig;
	vgpuStream_t streams[40];
	struct vgpu_context_info info;
	uint32_t *words;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 40; i++) {
			OK(vgpuStreamCreate(&streams[i], vgpuStreamDefault));
			OK(rig_add(&rig, words, 1, streams[i]));
		}
		for (int i = 0; i < 40; i++)
			OK(vgpuStreamDestroy(streams[i]));
	}
	assert_int_equal(rig_read(words), 200);
	OK(vgpuContextInfo(&info));
	assert_true(info.queues <= 8);
	rig_end();
}

static void count(void *calls)
{
	__atomic_fetch_add((int *)calls, 1, __ATOMIC_RELAXED);
}

/* The call says so of the one before it; nothing waits for the function then. */
static void a_function_behind_a_wrong_command_is_not_called(void **state)
{
	const struct vgpu_cmd wrong = { .op = 0xffff };
	struct rig rig;
	int calls = 0;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuDeviceSynchronize());
	pthread_mutex_lock(&rt_lock);
	OK(rt_put(rt.default_stream.queue, &wrong, NULL));
	pthread_mutex_unlock(&rt_lock);
	assert_int_not_equal(vgpuLaunchHostFunc(NULL, count, &calls), vgpuSuccess);
	OK(vgpuDeviceSynchronize());
	assert_int_equal(calls, 0);
	OK(vgpuLaunchHostFunc(NULL, count, &calls));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(calls, 1);
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_stream_waits_for_blocking_streams),
		cmocka_unit_test(blocking_streams_wait_for_the_default_stream),
		cmocka_unit_test(blocking_streams_meet_in_the_default_stream),
		cmocka_unit_test(blocking_streams_are_independent_of_each_other),
		cmocka_unit_test(non_blocking_streams_take_no_part),
		cmocka_unit_test(destroyed_streams_still_count),
		cmocka_unit_test(events_order_streams),
		cmocka_unit_test(a_wait_for_a_stream_that_is_gone_is_over),
		cmocka_unit_test(many_streams_share_few_queues),
		cmocka_unit_test(elapsed_time_is_virtual),
		cmocka_unit_test(records_replace_each_other),
		cmocka_unit_test(a_wait_counts_in_a_shared_queue),
		cmocka_unit_test(thousands_of_launches_are_all_done),
		cmocka_unit_test(threads_work_side_by_side),
		cmocka_unit_test(streams_come_and_go),
		cmocka_unit_test(a_function_behind_a_wrong_command_is_not_called),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
