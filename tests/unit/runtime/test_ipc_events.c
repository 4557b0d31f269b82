// SPDX-License-Identifier: MIT
/*
 * Records of another process as this one waits for them (runtime/api/events/ipc_event.h): by
 * commands of its own device, which are no work that it waits for otherwise. The other process is a
 * child that has the page of the event and no device.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc_event.h"
#include "rig.h"

/** struct recorder - the child */
struct recorder {
	pid_t pid;
	int tell, hear;
};

enum { END = 1, BEGIN };

/* Makes a record, then does what it is told: ends it, makes another one. Ends with the pipe. */
static void record(int in, int out)
{
	struct rt_event_page *page;
	struct rt_event_name name;
	uint64_t last;
	char word;

	if (rt_event_page_create(&page))
		_exit(1);
	rt_event_page_name(page, &name);
	last = rt_event_page_begin(page);
	rt_event_page_publish(page, last);
	if (write(out, &name, sizeof(name)) != sizeof(name))
		_exit(1);
	while (read(in, &word, 1) == 1) {
		if (word == END) {
			rt_event_page_end(page, last);
		} else {
			last = rt_event_page_begin(page);
			rt_event_page_publish(page, last);
		}
		if (write(out, &word, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void start(struct recorder *recorder, struct rt_ipc_event *handle)
{
	int to[2], from[2];

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	recorder->pid = fork();
	assert_true(recorder->pid >= 0);
	if (!recorder->pid) {
		close(to[1]);
		close(from[0]);
		record(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	recorder->tell = to[1];
	recorder->hear = from[0];
	*handle = (struct rt_ipc_event){ .magic = RT_IPC_EVENT };
	assert_int_equal(read(recorder->hear, &handle->name, sizeof(handle->name)),
			 sizeof(handle->name));
}

static void tell(const struct recorder *recorder, char word)
{
	assert_int_equal(write(recorder->tell, &word, 1), 1);
	assert_int_equal(read(recorder->hear, &word, 1), 1);
}

static void end(const struct recorder *recorder)
{
	int status;

	close(recorder->tell);
	close(recorder->hear);
	assert_int_equal(waitpid(recorder->pid, &status, 0), recorder->pid);
	assert_int_equal(status, 0);
}

static void *end_record(void *recorder)
{
	tell(recorder, END);
	return NULL;
}

/* To look for a record holds up nothing but who waits for it. */
static void records_are_waited_for(void **state)
{
	struct recorder recorder;
	struct rt_ipc_event handle;
	pthread_t other;
	vgpuStream_t stream;
	vgpuEvent_t event;
	struct rig rig;
	uint32_t *words;

	(void)state;
	start(&recorder, &handle);
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	OK(rt_ipc_event_open(&handle, &event));
	for (int i = 0; i < 3; i++)
		assert_int_equal(vgpuEventQuery(event), vgpuErrorNotReady);
	OK(rig_add(&rig, words, 1, NULL));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(rig_read(words), 1);
	/* a stream waits for the record that was looked for, and so does the program */
	OK(vgpuStreamCreate(&stream, vgpuStreamNonBlocking));
	OK(vgpuStreamWaitEvent(stream, event, 0));
	OK(rig_add(&rig, words, 1, stream));
	assert_int_equal(vgpuStreamQuery(stream), vgpuErrorNotReady);
	assert_int_equal(pthread_create(&other, NULL, end_record, &recorder), 0);
	OK(vgpuEventSynchronize(event));
	OK(vgpuStreamSynchronize(stream));
	OK(vgpuEventQuery(event));
	assert_int_equal(pthread_join(other, NULL), 0);
	/* the next one is another one, which nobody has looked for yet */
	tell(&recorder, BEGIN);
	assert_int_equal(pthread_create(&other, NULL, end_record, &recorder), 0);
	OK(vgpuEventSynchronize(event));
	assert_int_equal(pthread_join(other, NULL), 0);
	tell(&recorder, BEGIN);
	assert_int_equal(vgpuEventQuery(event), vgpuErrorNotReady);
	OK(vgpuEventRecord(event, stream));
	OK(vgpuEventSynchronize(event));
	OK(vgpuEventQuery(event));
	assert_int_equal(rig_read(words), 2);
	OK(vgpuEventDestroy(event));
	end(&recorder);
	rig_end();
}

static void a_reset_waits_for_no_other_process(void **state)
{
	struct recorder recorder;
	struct rt_ipc_event handle;
	vgpuEvent_t event;
	struct rig rig;

	(void)state;
	start(&recorder, &handle);
	rig_begin(&rig, NULL, NULL);
	OK(rt_ipc_event_open(&handle, &event));
	assert_int_equal(vgpuEventQuery(event), vgpuErrorNotReady);
	OK(vgpuDeviceReset());
	OK(rt_ipc_event_open(&handle, &event));
	assert_int_equal(vgpuEventQuery(event), vgpuErrorNotReady);
	end(&recorder);
	OK(vgpuEventSynchronize(event));
	rig_end();
}

/* More records than there are queues for them: the rest is waited for without the device. */
static void many_events_are_waited_for(void **state)
{
	enum { EVENTS = RT_ASIDE + 2 };
	struct recorder recorders[EVENTS];
	struct rt_ipc_event handles[EVENTS];
	vgpuEvent_t events[EVENTS];
	struct rig rig;

	(void)state;
	for (int i = 0; i < EVENTS; i++)
		start(&recorders[i], &handles[i]);
	rig_begin(&rig, NULL, NULL);
	for (int i = 0; i < EVENTS; i++)
		OK(rt_ipc_event_open(&handles[i], &events[i]));
	for (int i = 0; i < 2 * EVENTS; i++)
		assert_int_equal(vgpuEventQuery(events[i % EVENTS]), vgpuErrorNotReady);
	for (int i = EVENTS; i-- > 0;) {
		end(&recorders[i]);
		OK(vgpuEventSynchronize(events[i]));
		OK(vgpuEventQuery(events[i]));
	}
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_waited_for),
		cmocka_unit_test(a_reset_waits_for_no_other_process),
		cmocka_unit_test(many_events_are_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
