// SPDX-License-Identifier: MIT
/*
 * The runtime's state in a process, the lock that guards it, and what a call leaves behind: the
 * last error of each thread, and its message. All other files stand on this one; it calls none.
 */
#include <stdarg.h>
#include <stdio.h>

#include "messages/log.h"
#include "state.h"

pthread_mutex_t rt_lock = PTHREAD_MUTEX_INITIALIZER;
struct rt_state rt_devices[RT_DEVICES];
struct rt_state *rt_beside[RT_BESIDE];
unsigned int rt_beside_count;
__thread struct rt_state *rt_current = rt_devices;
void (*rt_when_synced)(void);
__thread bool rt_thread_entered;

static __thread vgpuError_t last_error;
static __thread char last_message[1024];
static __thread bool message_is_new;	/* of this call, and not in the log */

vgpuError_t rt_remember(vgpuError_t error)
{
	if (error != vgpuSuccess)
		last_error = error;
	if (error != vgpuSuccess && message_is_new)
		rt_log(last_message);
	message_is_new = false;
	rt_log_tell();
	return error;
}

void rt_message(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_message, sizeof(last_message), format, args);
	va_end(args);
	message_is_new = true;
}

const char *vgpuGetLastMessage(void)
{
	return last_message;
}

vgpuError_t vgpuGetLastError(void)
{
	vgpuError_t error = last_error;

	last_error = vgpuSuccess;
	if (__atomic_load_n(&rt.sticky, __ATOMIC_RELAXED) != vgpuSuccess)
		return rt.sticky;
	return error;
}

vgpuError_t vgpuPeekAtLastError(void)
{
	if (__atomic_load_n(&rt.sticky, __ATOMIC_RELAXED) != vgpuSuccess)
		return rt.sticky;
	return last_error;
}

vgpuError_t rt_leave(vgpuError_t error)
{
	if (rt.sticky != vgpuSuccess)
		error = rt.sticky;
	pthread_mutex_unlock(&rt_lock);
	return rt_remember(error);
}

vgpuError_t rt_leave_quiet(vgpuError_t error)
{
	if (error != vgpuErrorNotReady)
		return rt_leave(error);
	pthread_mutex_unlock(&rt_lock);
	return error;
}

vgpuError_t rt_result(vgpuError_t error)
{
	return rt_remember(error);
}
