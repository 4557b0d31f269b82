// SPDX-License-Identifier: MIT
/*
 * A thread that waits for a communicator's operations. An embedded device runs while a thread waits
 * for it; the program may wait for one device, whose operation waits for one of another device.
 */
#include <stdlib.h>

#include "comm.h"

/** struct nccl_runner - @enqueued: operations, which the event of the communicator is behind */
struct nccl_runner {
	struct ncclComm *comm;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned int enqueued;
	bool ends;
};

static void *run(void *data)
{
	struct nccl_runner *runner = data;
	unsigned int seen = 0;

	cudaSetDevice(runner->comm->device);
	pthread_mutex_lock(&runner->lock);
	for (;;) {
		while (runner->enqueued == seen && !runner->ends)
			pthread_cond_wait(&runner->changed, &runner->lock);
		if (runner->enqueued == seen)
			break;
		seen = runner->enqueued;
		pthread_mutex_unlock(&runner->lock);
		cudaEventSynchronize(runner->comm->done);
		pthread_mutex_lock(&runner->lock);
	}
	pthread_mutex_unlock(&runner->lock);
	return NULL;
}

static struct nccl_runner *start(struct ncclComm *comm)
{
	struct nccl_runner *runner = calloc(1, sizeof(*runner));

	if (!runner)
		return NULL;
	runner->comm = comm;
	pthread_mutex_init(&runner->lock, NULL);
	pthread_cond_init(&runner->changed, NULL);
	if (!pthread_create(&runner->thread, NULL, run, runner))
		return runner;
	free(runner);
	return NULL;
}

void nccl_run(struct ncclComm *comm)
{
	if (!comm->runner)
		comm->runner = start(comm);
	if (!comm->runner)
		return;
	pthread_mutex_lock(&comm->runner->lock);
	comm->runner->enqueued++;
	pthread_cond_signal(&comm->runner->changed);
	pthread_mutex_unlock(&comm->runner->lock);
}

void nccl_run_end(struct ncclComm *comm)
{
	struct nccl_runner *runner = comm->runner;

	if (!runner)
		return;
	pthread_mutex_lock(&runner->lock);
	runner->ends = true;
	pthread_cond_signal(&runner->changed);
	pthread_mutex_unlock(&runner->lock);
	pthread_join(runner->thread, NULL);
	free(runner);
}
