// SPDX-License-Identifier: GPL-2.0-only
/*
 * Systems: devices on one clock, and the kthread that is the one actor of all of them. The actor
 * serves messages and lets virtual time pass in turns, as long for the ones as for the other, so
 * neither a flood of ioctls nor an endless kernel keeps the other waiting. It sleeps when the
 * models are idle and nobody asks anything.
 *
 * A device is alone in its system unless it is made with the system's name. A system ends with its
 * last device.
 */
#include <linux/ctype.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "kmod/device/device.h"
#include "kmod/memory/memory.h"

/* Nanoseconds for messages in a turn, or as many as the rest of the last turn took. */
#define SERVE_MIN	(50 * NSEC_PER_USEC)
#define SERVE_MAX	(2 * NSEC_PER_MSEC)
/* To complete a command of io_uring wakes its task, so a busy actor completes many at once. */
#define TURNS_PER_WAKE		16u

/** struct system_entry - a system as the rooms see it, and what they keep of it */
struct system_entry {
	struct kvgpu_system system;
	struct kvgpu_clock clock;
	struct list_head node;		/* in systems */
};

static LIST_HEAD(systems);		/* under systems_lock */
static DEFINE_MUTEX(systems_lock);

#define for_each_device(kdev, system) list_for_each_entry(kdev, &(system)->devices, node)

/* ---- the actor ---------------------------------------------------------- */

static bool work_to_do(void *arg)
{
	struct kvgpu_system *system = arg;
	struct kvgpu_dev *kdev;

	for_each_device(kdev, system)
		if (kvgpu_rings_pending(kdev))
			return true;
	return kvgpu_inboxes_pending(system) || kthread_should_stop();
}

static void rings_asleep(struct kvgpu_system *system, bool asleep)
{
	struct kvgpu_dev *kdev;

	for_each_device(kdev, system)
		kvgpu_rings_asleep(kdev, asleep);
}

/* The actor has nothing to do for @ns, unless a message comes. */
static void actor_sleep(struct kvgpu_system *system, u64 ns)
{
	if (kvgpu_spin(work_to_do, system))
		return;
	rings_asleep(system, true);
	if (ns == KVGPU_IDLE)
		wait_event_idle(system->wake, work_to_do(system));
	else
		wait_event_hrtimeout(system->wake, work_to_do(system),
				     ns_to_ktime(min_t(u64, ns, NSEC_PER_SEC)));
	rings_asleep(system, false);
}

/* ---- kernels that keep others out --------------------------------------- */

#define TIMEOUT_LOOK_NS	(100 * NSEC_PER_MSEC)

/*
 * The timeout of a kernel that others wait for, in real time. The watchdog of the model
 * (watchdog_us) measures virtual time, which such a kernel may hold up or let pass; and a policy
 * that does not preempt lets a kernel run to its end, which may never come. So a kernel that keeps
 * kernels of other contexts out for this long ends with its context, as a job of a GPU does that
 * exceeds the timeout of its scheduler. Nobody waits: it may run for ever.
 *
 * In lockstep there is no timeout: virtual time stands while participants run, and no kernel can
 * help that.
 *
 * Returns after how many nanoseconds to look again, KVGPU_IDLE: when the device has worked.
 */
static u64 timeout_turn(struct kvgpu_dev *kdev, u64 now)
{
	struct kvgpu_timeout *timeout = kdev->timeout;
	u64 limit = (u64)READ_ONCE(kdev->timeout_ms) * NSEC_PER_MSEC;
	struct vgpu_fault fault;
	u32 context, launch;

	if (now < timeout->look)
		return timeout->look - now;
	timeout->look = now + TIMEOUT_LOOK_NS;
	if (!limit || kdev->system->clock->mode == KVGPU_LOCKSTEP ||
	    !vgpu_device_blocker(kdev->model, &context, &launch, &fault)) {
		timeout->launch = 0;
		return KVGPU_IDLE;
	}
	if (launch != timeout->launch) {
		timeout->launch = launch;
		timeout->since = now;
	} else if (now - timeout->since >= limit) {
		vgpu_context_end(kdev->model, context, &fault);
	}
	return TIMEOUT_LOOK_NS;
}

/* ---- turns -------------------------------------------------------------- */

/* Commands of rings, device time, completions; for how long there is nothing to do then. */
static u64 device_turn(struct kvgpu_system *system)
{
	struct kvgpu_dev *kdev;
	u64 idle = KVGPU_IDLE, begin = ktime_get_ns(), run, now, next;

	for_each_device(kdev, system)
		idle = min(idle, kvgpu_rings_turn(kdev));
	run = ktime_get_ns();
	/* who interrupts the model all the time gets no more than half of it */
	do {
		next = kvgpu_clock_turn(system);
		now = ktime_get_ns();
	} while (!next && now - begin < SERVE_MIN);
	kvgpu_execution_charge(system, now - run, next);
	idle = min(idle, next);
	idle = min(idle, kvgpu_timers_turn(system->clock));
	for_each_device(kdev, system)
		if (kvgpu_completions_turn(kdev))
			idle = 0;
	for_each_device(kdev, system)
		idle = min3(idle, timeout_turn(kdev, now), kvgpu_pins_turn(kdev, now));
	return idle;
}

static int actor_loop(void *data)
{
	struct kvgpu_system *system = data;
	u64 idle = KVGPU_IDLE, took = 0, begin;
	unsigned int turns = 0;
	struct kvgpu_kcov kcov;
	struct kvgpu_dev *kdev;

	while (!kthread_should_stop()) {
		if (idle)
			actor_sleep(system, idle);
		kcov = system->kcov;
		kvgpu_kcov_start(kcov, NULL);
		for_each_device(kdev, system)
			kvgpu_trace_look(kdev);
		begin = ktime_get_ns();
		kvgpu_clock_catch_up(system);
		kvgpu_execution_charge(system, ktime_get_ns() - begin, false);
		kvgpu_kcov_stop(kcov);
		kvgpu_inboxes_serve(system, clamp_t(u64, took, SERVE_MIN, SERVE_MAX));
		/* whoever sends from here on interrupts the model, as those do who wait still */
		vgpu_system_interrupt(system->model, false);
		smp_mb();
		if (kvgpu_inboxes_pending(system))
			vgpu_system_interrupt(system->model, true);
		kcov = system->kcov;
		kvgpu_kcov_start(kcov, NULL);
		begin = ktime_get_ns();
		idle = device_turn(system);
		took = ktime_get_ns() - begin;
		if (idle || ++turns % TURNS_PER_WAKE == 0)
			for_each_device(kdev, system)
				kvgpu_uring_turn(kdev);
		kvgpu_kcov_stop(kcov);
		cond_resched();
	}
	return 0;
}

/* ---- create and destroy ------------------------------------------------- */

static struct kvgpu_system *system_create(const char *name, const char *device)
{
	struct system_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	struct kvgpu_system *system;
	int ret;

	if (!entry)
		return ERR_PTR(-ENOMEM);
	system = &entry->system;
	ret = vgpu_system_create(&system->model);
	if (ret)
		goto free;
	kref_init(&system->ref);
	strscpy(system->name, name, sizeof(system->name));
	spin_lock_init(&system->inbox_lock);
	system->inboxes = RB_ROOT_CACHED;
	init_waitqueue_head(&system->wake);
	INIT_LIST_HEAD(&system->devices);
	INIT_LIST_HEAD(&system->users_waiting);
	xa_init(&system->users);
	system->clock = &entry->clock;
	kvgpu_clock_init(system->clock);
	system->actor = kthread_run(actor_loop, system, "%s%s", *name ? "vgpu-" : "",
				    *name ? name : device);
	ret = PTR_ERR_OR_ZERO(system->actor);
	if (ret)
		goto destroy;
	list_add_tail(&entry->node, &systems);
	return system;
destroy:
	vgpu_system_destroy(system->model);
free:
	kfree(entry);
	return ERR_PTR(ret);
}

struct kvgpu_system *kvgpu_system_get(const char *name, const char *device)
{
	struct kvgpu_system *system;
	struct system_entry *entry;

	mutex_lock(&systems_lock);
	list_for_each_entry(entry, &systems, node)
		if (*name && !strcmp(entry->system.name, name)) {
			system = &entry->system;
			kref_get(&system->ref);
			goto unlock;
		}
	system = system_create(name, device);
unlock:
	mutex_unlock(&systems_lock);
	return system;
}

/* Under systems_lock. */
static void system_release(struct kref *ref)
{
	struct system_entry *entry = container_of(ref, struct system_entry, system.ref);
	struct kvgpu_user *user;
	unsigned long uid;

	list_del(&entry->node);
	mutex_unlock(&systems_lock);
	kthread_stop(entry->system.actor);
	vgpu_system_destroy(entry->system.model);
	xa_for_each(&entry->system.users, uid, user)
		kfree(user);
	xa_destroy(&entry->system.users);
	kfree(entry);
}

void kvgpu_system_put(struct kvgpu_system *system)
{
	kref_put_mutex(&system->ref, system_release, &systems_lock);
}

int kvgpu_system_check_name(const char *name)
{
	size_t i = 0;

	while (isalnum(name[i]) || (name[i] && strchr("-_.", name[i])))
		i++;
	if (!name[i] && i < KVGPU_SYSTEM_NAME_MAX)
		return 0;
	pr_err("vgpu: invalid system name \"%.40s\"; use at most %u letters, digits, - _ .\n",
	       name, KVGPU_SYSTEM_NAME_MAX - 1);
	return -EINVAL;
}
