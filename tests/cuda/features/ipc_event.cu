/* SPDX-License-Identifier: MIT */
/*
 * ipc_event: events of several processes, by handles that go through pipes. Two processes wait for
 * each other's records a hundred times, by streams, by cudaEventSynchronize() and by
 * cudaEventQuery(), and find what was done before each; where the device is theirs both, in its
 * memory, too. Then contexts and processes die with records that were not reached.
 *
 * A process waits for what another one says, and for its end, in a function of a stream, and is
 * itself in a wait for its device: so all of it goes on with a lockstep clock, too (docs/sysfs.md).
 */
#include "../common.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const int rounds = 50;

/* of all processes */
static volatile struct common {
	int done;			/* turns, by host functions */
	int go;
} *common;

static int in, out;	/* of a pipe each, to another process */

/* Turn @n adds 1, after a while, to what the turns before have left. */
__global__ void add_turn(int *data, int n, int loops)
{
	int i = threadIdx.x, kept = data[i];

	for (int k = 0; k < loops; k++)
		kept = kept * 3 % 65521;
	data[i] = data[i] == n && kept >= 0 ? n + 1 : -1000000;
}

__global__ void poke(int *data)
{
	*data = 1;
}

static void say(const void *what, size_t bytes)
{
	EXPECT(write(out, what, bytes) == (ssize_t)bytes);
}

static void in_a_stream(cudaHostFn_t function, void *argument)
{
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaLaunchHostFunc(stream, function, argument));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
}

/** struct words - what is read */
struct words {
	void *to;
	size_t bytes;
	ssize_t got;
};

static void read_words(void *argument)
{
	struct words *words = (struct words *)argument;

	words->got = read(in, words->to, words->bytes);
}

/* The other one may have ended: then so does this one. */
static void hear(void *what, size_t bytes)
{
	struct words words = { what, bytes, -1 };

	in_a_stream(read_words, &words);
	if (words.got == (ssize_t)bytes)
		return;
	mismatch("the other process said nothing");
	exit(finish());
}

static void say_word(void)
{
	char word = 1;

	say(&word, 1);
}

static void hear_word(void)
{
	char word;

	hear(&word, 1);
}

/* Is the device one that several processes have? */
static bool is_shared(void)
{
	const char *way = getenv("VGPU_TRANSPORT");

	return way ? strcmp(way, "embedded") : !access("/dev/vgpu", F_OK) ||
					       !access("/dev/nvidiactl", F_OK);
}

static bool is_lockstep(void)
{
	FILE *file = is_shared() ? fopen("/sys/class/vgpu/vgpu0/clock", "r") : NULL;
	char modes[64] = "";

	if (!file)
		return false;
	if (!fgets(modes, sizeof(modes), file))
		modes[0] = 0;
	fclose(file);
	return strstr(modes, "[lockstep]");
}

static cudaEvent_t created(cudaIpcEventHandle_t *handle)
{
	cudaEvent_t event;

	CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
	CHECK(cudaIpcGetEventHandle(handle, event));
	return event;
}

static cudaEvent_t heard(void)
{
	cudaIpcEventHandle_t handle;
	cudaEvent_t event;

	hear(&handle, sizeof(handle));
	CHECK(cudaIpcOpenEventHandle(&event, handle));
	return event;
}

/* ---- turns --------------------------------------------------------------- */

static void set_done(void *turn)
{
	common->done = (int)(intptr_t)turn + 1;
}

static void expect_done(void *turn)
{
	if (common->done < (int)(intptr_t)turn)
		mismatch("turn %d: got %d turns done before it", (int)(intptr_t)turn, common->done);
}

/* Waits for what the other process has recorded in @event, in one of three ways. */
static void wait_for(int way, cudaEvent_t event, cudaStream_t stream)
{
	cudaError_t error;

	switch (way % 3) {
	case 0:
		CHECK(cudaStreamWaitEvent(stream, event, 0));
		return;
	case 1:
		CHECK(cudaEventSynchronize(event));
		return;
	default:
		while ((error = cudaEventQuery(event)) == cudaErrorNotReady)
			usleep(200);
		CHECK(error);
	}
}

/* Turns first, first + 2, …; the other process has the others. */
static void take_turns(int first, cudaEvent_t own, cudaEvent_t other, int *data)
{
	cudaStream_t stream;
	cudaEvent_t local;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&local, cudaEventDisableTiming));
	for (int turn = first; turn < 2 * rounds; turn += 2) {
		/* the other one has recorded, which is not to say that it is over */
		if (turn)
			hear_word();
		if (turn)
			wait_for(turn / 2, other, stream);
		CHECK(cudaLaunchHostFunc(stream, expect_done, (void *)(intptr_t)turn));
		if (data)
			add_turn<<<1, 32, 0, stream>>>(data, turn, 500);
		CHECK(cudaLaunchHostFunc(stream, set_done, (void *)(intptr_t)turn));
		CHECK(cudaEventRecord(own, stream));
		say_word();
	}
	/* the process's own last record is waited for as that of any event */
	CHECK(cudaStreamWaitEvent(0, own, 0));
	CHECK(cudaEventRecord(local, 0));
	CHECK(cudaEventSynchronize(local));
	CHECK(cudaEventQuery(own));
	CHECK(cudaEventSynchronize(own));
	CHECK(cudaStreamDestroy(stream));
}

/* ---- the other processes ------------------------------------------------- */

static void until_told(void *)
{
	while (!common->go)
		usleep(500);
}

static void for_ever(void *)
{
	for (;;)
		pause();
}

/* Has half of the turns; then its context dies before a record. */
static void player(void)
{
	cudaEvent_t other = heard(), own;
	cudaIpcEventHandle_t handle;
	cudaIpcMemHandle_t memory;
	int *data = NULL;
	char word;
	float ms;

	if (is_shared()) {
		hear(&memory, sizeof(memory));
		CHECK(cudaIpcOpenMemHandle((void **)&data, memory, cudaIpcMemLazyEnablePeerAccess));
	}
	CHECK(cudaEventQuery(other));
	CHECK(cudaEventSynchronize(other));
	EXPECT_ERROR(cudaEventElapsedTime(&ms, other, other), cudaErrorInvalidResourceHandle);
	EXPECT_ERROR(cudaIpcGetEventHandle(&handle, other), cudaErrorInvalidResourceHandle);
	(void)cudaGetLastError();
	own = created(&handle);
	say(&handle, sizeof(handle));
	take_turns(1, own, other, data);
	/* destroyed by its maker, it is an event still, also to record in */
	hear_word();
	CHECK(cudaEventRecord(other, 0));
	CHECK(cudaEventSynchronize(other));
	CHECK(cudaEventDestroy(other));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaLaunchHostFunc(0, until_told, NULL));
	poke<<<1, 1>>>((int *)8);
	CHECK(cudaEventRecord(own, 0));
	say_word();
	EXPECT(cudaDeviceSynchronize() != cudaSuccess);
	/* a context that is dead cannot wait for its device, and so would hold the clock */
	if (is_lockstep())
		CHECK(cudaDeviceReset());
	if (read(in, &word, 1) != 1)
		mismatch("the other process said nothing at last");
}

/* Is killed before the stream comes to its record. */
static void victim(void)
{
	cudaEvent_t event = heard();

	CHECK(cudaLaunchHostFunc(0, for_ever, NULL));
	CHECK(cudaEventRecord(event, 0));
	say_word();
	hear_word();
}

static pid_t start(void (*run)(void), int ends[2])
{
	int to[2], from[2];
	pid_t child;

	if (pipe(to) || pipe(from))
		exit(1);
	child = fork();
	in = child ? from[0] : to[0];
	out = child ? to[1] : from[1];
	close(child ? to[0] : from[0]);
	close(child ? from[1] : to[1]);
	ends[0] = in;
	ends[1] = out;
	if (!child) {
		run();
		fflush(stdout);
		_exit(test.wrong ? 1 : 0);
	}
	return child;
}

/* ---- this process -------------------------------------------------------- */

static void refused(void)
{
	cudaIpcEventHandle_t handle, other;
	cudaEvent_t event, shared, opened;

	EXPECT_ERROR(cudaEventCreateWithFlags(&event, cudaEventInterprocess),
		     cudaErrorInvalidValue);
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	EXPECT_ERROR(cudaIpcGetEventHandle(&handle, event), cudaErrorInvalidResourceHandle);
	shared = created(&handle);
	EXPECT_ERROR(cudaIpcGetEventHandle(NULL, shared), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaIpcOpenEventHandle(NULL, handle), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaIpcOpenEventHandle(&opened, handle), cudaErrorDeviceUninitialized);
	CHECK(cudaIpcGetEventHandle(&other, shared));
	EXPECT(!memcmp(&other, &handle, sizeof(other)));
	other.reserved[8] ^= 1;
	EXPECT_ERROR(cudaIpcOpenEventHandle(&opened, other), cudaErrorInvalidResourceHandle);
	memset(&other, 0x5a, sizeof(other));
	EXPECT_ERROR(cudaIpcOpenEventHandle(&opened, other), cudaErrorInvalidResourceHandle);
	CHECK(cudaEventDestroy(shared));
	EXPECT_ERROR(cudaIpcOpenEventHandle(&opened, handle), cudaErrorInvalidResourceHandle);
	CHECK(cudaEventDestroy(event));
	(void)cudaGetLastError();
}

/* Memory that both have, where the device is both's. */
static int *give_memory(void)
{
	cudaIpcMemHandle_t memory;
	int *data;

	if (!is_shared())
		return NULL;
	CHECK(cudaMalloc(&data, 32 * sizeof(int)));
	CHECK(cudaMemset(data, 0, 32 * sizeof(int)));
	CHECK(cudaIpcGetMemHandle(&memory, data));
	say(&memory, sizeof(memory));
	return data;
}

static void play(void)
{
	cudaIpcEventHandle_t handle;
	cudaEvent_t own = created(&handle), other;
	int *data, host[32];

	say(&handle, sizeof(handle));
	data = give_memory();
	other = heard();
	CHECK(cudaEventQuery(other));
	take_turns(0, own, other, data);
	hear_word();
	CHECK(cudaEventSynchronize(other));
	EXPECT(common->done == 2 * rounds);
	if (data) {
		CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
		for (int i = 0; i < 32; i++)
			if (host[i] != 2 * rounds)
				mismatch("word %d: got %d, expected %d", i, host[i], 2 * rounds);
	}
	CHECK(cudaEventDestroy(own));
	say_word();
	/* its context dies before the record that it has made now */
	hear_word();
	EXPECT_ERROR(cudaEventQuery(other), cudaErrorNotReady);
	common->go = 1;
	CHECK(cudaEventSynchronize(other));
	say_word();
	CHECK(cudaEventDestroy(other));
}

/** struct end - of a process */
struct end {
	pid_t pid;
	int status;
};

static void wait_for_end(void *argument)
{
	struct end *end = (struct end *)argument;

	if (waitpid(end->pid, &end->status, 0) != end->pid)
		end->status = -1;
}

static int end_of(pid_t pid)
{
	struct end end = { pid, -1 };

	in_a_stream(wait_for_end, &end);
	return end.status;
}

static void kill_recorder(pid_t pid)
{
	cudaIpcEventHandle_t handle;
	cudaEvent_t event = created(&handle);
	cudaStream_t stream;
	int status;

	CHECK(cudaStreamCreate(&stream));
	say(&handle, sizeof(handle));
	hear_word();
	EXPECT_ERROR(cudaEventQuery(event), cudaErrorNotReady);
	/* which is nothing of this process that would have to end */
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamWaitEvent(stream, event, 0));
	EXPECT_ERROR(cudaEventQuery(event), cudaErrorNotReady);
	EXPECT_ERROR(cudaStreamQuery(stream), cudaErrorNotReady);
	EXPECT(!kill(pid, SIGKILL));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaEventSynchronize(event));
	CHECK(cudaEventQuery(event));
	status = end_of(pid);
	EXPECT(status != -1 && WIFSIGNALED(status));
	CHECK(cudaEventDestroy(event));
}

/* A reset does not wait for what others have recorded, though this process has looked for it. */
static void reset_before_record(pid_t pid)
{
	cudaIpcEventHandle_t handle;
	cudaEvent_t event = created(&handle);
	int status;

	say(&handle, sizeof(handle));
	hear_word();
	EXPECT_ERROR(cudaEventQuery(event), cudaErrorNotReady);
	CHECK(cudaDeviceReset());
	EXPECT(!kill(pid, SIGKILL));
	EXPECT(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

int main(int argc, char **argv)
{
	int to_player[2], to_victim[2], to_last[2], status;
	pid_t player_pid, victim_pid, last_pid;

	parse_size(argc, argv, "ipc_event", NULL, 0, 0, 0);
	common = (volatile struct common *)mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
						MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	player_pid = start(player, to_player);
	victim_pid = start(victim, to_victim);
	last_pid = start(victim, to_last);
	refused();
	in = to_player[0];
	out = to_player[1];
	play();
	status = end_of(player_pid);
	if (status)
		mismatch("the other process: got status %d, expected 0", status);
	in = to_victim[0];
	out = to_victim[1];
	kill_recorder(victim_pid);
	in = to_last[0];
	out = to_last[1];
	reset_before_record(last_pid);
	return finish();
}
