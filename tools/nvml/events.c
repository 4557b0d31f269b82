// SPDX-License-Identifier: MIT
/*
 * Events: a context had a fault, which is what NVIDIA's driver reports as an XID. They come from
 * the module's notices; an ordinary user gets those that are public, which do not say which fault.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include <netlink/socket.h>

#include "nvml_state.h"

/** struct nvml_event_set - @devices: bits of the places of those that are registered */
struct nvml_event_set {
	struct client client;
	uint64_t devices;
};

/* What NVIDIA's list of XIDs has for it. */
static unsigned long long xid_of(uint32_t fault)
{
	switch (fault) {
	case VGPU_FAULT_NONE: return 0;
	case VGPU_FAULT_UNMAPPED:
	case VGPU_FAULT_COPY_UNMAPPED:
	case VGPU_FAULT_COPY_HOST:
	case VGPU_FAULT_SYSTEM: return 31;		/* memory page fault */
	case VGPU_FAULT_WATCHDOG: return 8;		/* stopped responding */
	case VGPU_FAULT_RING:
	case VGPU_FAULT_COMMAND: return 32;		/* invalid push buffer */
	case VGPU_FAULT_ECC: return 48;			/* an error of two bits */
	case VGPU_FAULT_OFFLINE: return 79;		/* fallen off the bus */
	case VGPU_FAULT_MODEL: return 69;		/* an engine's own error */
	}
	return 13;					/* engine exception */
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types)
{
	nvmlReturn_t result = nvml_enter(device);

	if (result)
		return result;
	nvml_leave();
	if (!types)
		return NVML_ERROR_INVALID_ARGUMENT;
	*types = nvmlEventTypeXidCriticalError;
	return NVML_SUCCESS;
}

static nvmlReturn_t listen_to(struct client *client)
{
	if (client_open(client))
		return NVML_ERROR_DRIVER_NOT_LOADED;
	if (!client_listen(client, "notices") || !client_listen(client, "public"))
		return NVML_SUCCESS;
	client_close(client);
	return NVML_ERROR_UNKNOWN;
}

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set)
{
	nvmlReturn_t result = nvml_enter_system();
	struct nvml_event_set *created;

	if (result)
		return result;
	nvml_leave();
	if (!set)
		return NVML_ERROR_INVALID_ARGUMENT;
	created = calloc(1, sizeof(*created));
	if (!created)
		return NVML_ERROR_MEMORY;
	result = listen_to(&created->client);
	if (result)
		free(created);
	else
		*set = created;
	return result;
}

nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types,
				      nvmlEventSet_t set)
{
	nvmlReturn_t result = nvml_enter(device);

	if (result)
		return result;
	if (!set || !types)
		result = NVML_ERROR_INVALID_ARGUMENT;
	else if (types & ~nvmlEventTypeXidCriticalError)
		result = NVML_ERROR_NOT_SUPPORTED;
	else
		set->devices |= 1ull << (device - nvml_device_at(0));
	nvml_leave();
	return result;
}

/* The registered device that @notice is about; NULL: of none. */
static nvmlDevice_t device_of(const struct nvml_event_set *set, const struct client_notice *notice)
{
	nvmlDevice_t found = NULL;

	if ((notice->command != VGPU_NL_CMD_CONTEXT_DIED && notice->command != VGPU_NL_CMD_XID) ||
	    nvml_enter_system())
		return NULL;
	for (unsigned int n = 0; n < nvml_device_count(); n++)
		if (set->devices >> n & 1 && nvml_device_at(n)->index == notice->device)
			found = nvml_device_at(n);
	nvml_leave();
	return found;
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeout_ms)
{
	long long end = now_ms() + timeout_ms;
	struct client_notice notice;
	nvmlReturn_t result = nvml_enter_system();

	if (result)
		return result;
	nvml_leave();
	if (!set || !data)
		return NVML_ERROR_INVALID_ARGUMENT;
	for (;;) {
		struct pollfd one = { .fd = nl_socket_get_fd(set->client.socket),
				      .events = POLLIN };
		long long left = timeout_ms == ~0u ? 3600000 : end - now_ms();
		int ready = poll(&one, 1, left > 0 ? (int)left : 0);

		if (!ready && timeout_ms != ~0u)
			return NVML_ERROR_TIMEOUT;
		if (ready < 0 && errno != EINTR)
			return NVML_ERROR_UNKNOWN;
		if (ready <= 0)
			continue;
		if (client_next(&set->client, &notice))
			return NVML_ERROR_UNKNOWN;
		*data = (nvmlEventData_t){ .device = device_of(set, &notice),
					   .eventType = nvmlEventTypeXidCriticalError,
					   .eventData = notice.xid ? notice.xid :
								     xid_of(notice.fault),
					   .gpuInstanceId = ~0u,
					   .computeInstanceId = ~0u };
		if (data->device)
			return NVML_SUCCESS;
	}
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set)
{
	if (!set)
		return NVML_ERROR_INVALID_ARGUMENT;
	client_close(&set->client);
	free(set);
	return NVML_SUCCESS;
}
