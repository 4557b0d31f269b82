// SPDX-License-Identifier: MIT
/*
 * The calls that make communicators.
 */
#include <errno.h>
#include <string.h>

#include "comm.h"

VGPU_API ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
	int error;

	if (!id)
		return nccl_say(ncclInvalidArgument, "ncclGetUniqueId: id is NULL");
	error = nccl_board_make(id);
	return error ? nccl_say(ncclSystemError, "ncclGetUniqueId: %s", strerror(error))
		     : ncclSuccess;
}

/* Does the call wait? A structure of an earlier toolkit is shorter. */
static ncclResult_t read_config(const char *function, const ncclConfig_t *config, bool *waits)
{
	*waits = true;
	if (!config)
		return ncclSuccess;
	if (config->magic != NCCL_CONFIG_MAGIC)
		return nccl_say(ncclInvalidArgument,
				"%s: the configuration was not initialized by "
				"NCCL_CONFIG_INITIALIZER",
				function);
	if (config->size < offsetof(ncclConfig_t, blocking) + sizeof(config->blocking))
		return nccl_say(ncclInvalidArgument, "%s: a configuration of %zu bytes", function,
				config->size);
	if (config->blocking != NCCL_CONFIG_UNDEF_INT && config->blocking != 0 &&
	    config->blocking != 1)
		return nccl_say(ncclInvalidArgument, "%s: blocking is %d, not 0 or 1", function,
				config->blocking);
	*waits = config->blocking;
	return ncclSuccess;
}

/* The device of the thread, ready for work */
static ncclResult_t current_device(const char *function, int *device)
{
	ncclResult_t status = nccl_cuda(cudaGetDevice(device), function);

	return status == ncclSuccess ? nccl_cuda(cudaFree(NULL), function) : status;
}

static ncclResult_t init(const char *function, ncclComm_t *comm, int nranks, const ncclUniqueId *id,
			 int rank, const ncclConfig_t *config)
{
	struct nccl_joining joining = {.made = comm, .id = *id, .ranks = nranks, .rank = rank};
	ncclResult_t status = read_config(function, config, &joining.waits);

	if (status == ncclSuccess && !comm)
		status = nccl_say(ncclInvalidArgument, "%s: no place for the communicator",
				  function);
	if (status == ncclSuccess && (nranks < 1 || nranks > NCCL_RANKS_MAX))
		status = nccl_say(ncclInvalidArgument, "%s: %d ranks: 1 to %d", function, nranks,
				  NCCL_RANKS_MAX);
	if (status == ncclSuccess && (rank < 0 || rank >= nranks))
		status = nccl_say(ncclInvalidArgument, "%s: rank %d of %d", function, rank, nranks);
	if (status == ncclSuccess)
		status = current_device(function, &joining.device);
	if (comm)
		*comm = NULL;
	if (status != ncclSuccess) {
		nccl_group_refused(status);
		return status;
	}
	return nccl_do_join(&joining);
}

VGPU_API ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank)
{
	return init(__func__, comm, nranks, &id, rank, NULL);
}

VGPU_API ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId id,
					     int rank, ncclConfig_t *config)
{
	return init(__func__, comm, nranks, &id, rank, config);
}

/* One identifier is enough: the first. */
VGPU_API ncclResult_t ncclCommInitRankScalable(ncclComm_t *comm, int nranks, int rank, int ids,
					       ncclUniqueId *id, ncclConfig_t *config)
{
	if (!id || ids < 1 || ids > nranks)
		return nccl_say(ncclInvalidArgument, "%s: %d identifiers for %d ranks", __func__,
				ids, nranks);
	return init(__func__, comm, nranks, id, rank, config);
}

static ncclResult_t check_devices(int count, const int *devices)
{
	int there = 0;
	ncclResult_t status = nccl_cuda(cudaGetDeviceCount(&there), "ncclCommInitAll");

	if (status == ncclSuccess && (count < 1 || count > NCCL_RANKS_MAX || count > there))
		return nccl_say(ncclInvalidArgument, "ncclCommInitAll: %d devices of %d", count,
				there);
	for (int i = 0; status == ncclSuccess && devices && i < count; i++)
		if (devices[i] < 0 || devices[i] >= there)
			status = nccl_say(ncclInvalidArgument, "ncclCommInitAll: device %d of %d",
					  devices[i], there);
	return status;
}

VGPU_API ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices)
{
	struct nccl_joining joinings[NCCL_RANKS_MAX];
	ncclResult_t status;
	ncclUniqueId id;
	int before = 0;

	if (!comms)
		return nccl_say(ncclInvalidArgument, "ncclCommInitAll: no place for communicators");
	status = check_devices(count, devices);
	if (status == ncclSuccess)
		status = ncclGetUniqueId(&id);
	if (status != ncclSuccess)
		return status;
	cudaGetDevice(&before);
	for (int i = 0; i < count && status == ncclSuccess; i++) {
		joinings[i] = (struct nccl_joining){
			.made = &comms[i], .id = id, .ranks = count, .rank = i, .waits = true};
		status = nccl_cuda(cudaSetDevice(devices ? devices[i] : i), __func__);
		if (status == ncclSuccess)
			status = current_device(__func__, &joinings[i].device);
	}
	if (status == ncclSuccess)
		status = nccl_join_all(joinings, count);
	cudaSetDevice(before);
	return status;
}

VGPU_API ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *made,
				    ncclConfig_t *config)
{
	struct nccl_joining joining = {.made = made, .parent = comm, .color = color, .key = key};
	ncclResult_t status = nccl_check_ready(comm, __func__);

	if (status == ncclSuccess)
		status = read_config(__func__, config, &joining.waits);
	if (status == ncclSuccess && !made)
		status = nccl_say(ncclInvalidArgument, "%s: no place for the communicator",
				  __func__);
	if (status == ncclSuccess && color < NCCL_SPLIT_NOCOLOR)
		status = nccl_say(ncclInvalidArgument, "%s: color %d", __func__, color);
	if (status != ncclSuccess) {
		nccl_group_refused(status);
		return status;
	}
	*made = NULL;
	joining.device = comm->device;
	return nccl_do_join(&joining);
}

NCCL_API(ncclGetUniqueId);
NCCL_API(ncclCommInitRank);
NCCL_API(ncclCommInitRankConfig);
NCCL_API(ncclCommInitRankScalable);
NCCL_API(ncclCommInitAll);
NCCL_API(ncclCommSplit);
