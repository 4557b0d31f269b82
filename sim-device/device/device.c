// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The device as a whole, and the system of devices that share one clock: made from a configuration,
 * run, asked about itself, taken apart.
 */
#include "../placement/lists.h"
#include "../sim/text.h"
#include "device.h"

/*
 * Warp instructions that are handed to threads at least: to do so takes some microseconds, in which
 * one thread executes a thousand (docs/threads.md has what was measured).
 */
#define PARALLEL_LEAST	4096u

/* ---- systems ------------------------------------------------------------ */

int vgpu_system_create(struct vgpu_system **out)
{
	struct vgpu_system *system = vgpu_mem_alloc_device(sizeof(*system));

	if (!system)
		return -ENOMEM;
	vgpu_sim_init(&system->sim);
	vgpu_work_log_init(&system->work);
	*out = system;
	return 0;
}

void vgpu_system_destroy(struct vgpu_system *system)
{
	/* they still use it */
	if (!VGPU_CHECK(!system->devices))
		return;
	vgpu_sim_fini(&system->sim);
	vgpu_mem_free_device(system);
}

u64 vgpu_system_run(struct vgpu_system *system, u64 until, u32 max_events)
{
	return vgpu_sim_run(&system->sim, until, max_events);
}

u64 vgpu_system_next(struct vgpu_system *system, void **payer)
{
	const struct vgpu_event *first = vgpu_event_first(&system->sim);

	*payer = first && first->account ? first->account->payer : NULL;
	return first ? vgpu_event_time(first) : VGPU_NEVER;
}

void vgpu_system_stop(struct vgpu_system *system)
{
	system->sim.stop = true;
}

void vgpu_system_interrupt(struct vgpu_system *system, bool on)
{
	__atomic_store_n(&system->sim.interrupt, on, __ATOMIC_RELAXED);
}

void vgpu_system_horizon(struct vgpu_system *system, u64 time)
{
	system->sim.horizon = time;
}

u64 vgpu_system_now(const struct vgpu_system *system)
{
	return system->sim.now;
}

void vgpu_system_work(struct vgpu_system *system, vgpu_work_fn *fn, void *arg)
{
	struct vgpu_work_log *log = &system->work;
	u64 total = log->total;
	struct vgpu_work *work;

	log->total = 0;
	while ((work = vgpu_list_first(&log->clients, struct vgpu_work, node))) {
		const struct vgpu_context *ctx = vgpu_container_of(work, struct vgpu_context, work);

		fn(arg, ctx->dev->host, ctx->id, vgpu_work_read(work), total);
	}
}

/* ---- what the rooms tell the roof --------------------------------------- */

static void exec_fault(struct vgpu_exec_context *ctx, const struct vgpu_fault *fault)
{
	vgpu_context_die(vgpu_container_of(ctx, struct vgpu_context, exec), fault);
}

static u64 exec_oldest_command(const struct vgpu_exec_context *ctx)
{
	return vgpu_queues_oldest(&vgpu_container_of(ctx, const struct vgpu_context, exec)->queue);
}

static void exec_preempted(void *owner, u32 context, u32 sm, u64 requested)
{
	const struct vgpu_device *dev = owner;

	if (dev->ops->preempted)
		dev->ops->preempted(dev->host, context, sm, requested);
}

static void exec_active(struct vgpu_exec_context *ctx, bool active)
{
	vgpu_pressure_active(&vgpu_container_of(ctx, struct vgpu_context, exec)->pressure, active);
}

static void exec_shape(const struct vgpu_job *job, struct vgpu_launch *launch)
{
	vgpu_command_job_shape(job, launch);
	vgpu_pressure_launched(&vgpu_container_of(job->ctx, struct vgpu_context, exec)->pressure,
			       launch->params, launch->param_bytes);
}

static void exec_counted(void *owner, const struct vgpu_launch_counts *counts)
{
	const struct vgpu_device *dev = owner;

	if (dev->ops->counted)
		dev->ops->counted(dev->host, counts);
}

static void exec_dropped(void *owner, const char *what, const char *name, const char *reason,
			 const char *next)
{
	const struct vgpu_device *dev = owner;

	if (dev->ops->dropped)
		dev->ops->dropped(dev->host, what, name, reason, next);
}

const struct vgpu_exec_ops vgpu_device_exec_ops = {
	.active = exec_active,
	.shape = exec_shape,
	.done = vgpu_command_job_done,
	.fault = exec_fault,
	.oldest_command = exec_oldest_command,
	.preempted = exec_preempted,
	.counted = exec_counted,
	.dropped = exec_dropped,
};

static int transfer_move(void *owner, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes,
			 enum vgpu_move dir)
{
	const struct vgpu_device *dev = owner;

	return dev->ops->move(dev->host, context, cookie, offset, memory, bytes, dir);
}

static void transfer_fault(struct vgpu_transfer_context *ctx, const struct vgpu_fault *fault)
{
	vgpu_context_die(vgpu_container_of(ctx, struct vgpu_context, transfer), fault);
}

const struct vgpu_transfer_ops vgpu_device_transfer_ops = {
	.move = transfer_move,
	.done = vgpu_command_transfer_done,
	.fault = transfer_fault,
};

static void queue_completed(void *owner, const struct vgpu_command *command, int status)
{
	const struct vgpu_device *dev = owner;
	struct vgpu_completion completion = {
		.context = command->queue->ctx->id,
		.queue = command->queue->index,
		.seq = command->seq,
		.cookie = command->cookie,
		.time = dev->sim->now,
		.status = status,
	};

	vgpu_work_add(&vgpu_container_of(command->queue->ctx, struct vgpu_context, queue)->work,
		      VGPU_WORK_COMMAND);
	dev->ops->completed(dev->host, &completion);
}

static int queue_stamp(void *owner, const struct vgpu_command *command)
{
	const struct vgpu_device *dev = owner;
	u64 time = dev->sim->now;

	return dev->ops->move(dev->host, command->queue->ctx->id, command->cookie, 0, &time,
			      sizeof(time), VGPU_MOVE_TO_HOST);
}

static void queue_fault(struct vgpu_queue_context *ctx, const struct vgpu_fault *fault)
{
	vgpu_context_die(vgpu_container_of(ctx, struct vgpu_context, queue), fault);
}

const struct vgpu_queue_ops vgpu_device_queue_ops = {
	.completed = queue_completed,
	.stamp = queue_stamp,
	.fault = queue_fault,
};

/* ---- devices ------------------------------------------------------------ */

static int init_mmu(struct vgpu_device *dev)
{
	struct vgpu_frame_ops ops = {
		.get_frame = dev->ops->get_frame,
		.put_frame = dev->ops->put_frame,
		.managed_page = dev->ops->managed_page,
		.revoke = dev->ops->revoke,
		.protect = dev->ops->protect,
		.arrived = dev->ops->arrived,
		.process_wants = dev->ops->process_wants,
		.process_hold = dev->ops->process_hold,
		.process_page = dev->ops->process_page,
		.process_release = dev->ops->process_release,
		.allocation_freed = dev->ops->allocation_freed,
	};

	int err = vgpu_mmu_init(&dev->mmu, dev->sim, &dev->trace, &dev->config, &ops, dev->host);

	dev->mmu.evictor = vgpu_evictor_find(dev->config.evictor);
	dev->mmu.prefetcher = vgpu_prefetcher_find(dev->config.prefetcher);
	dev->mmu.pressure_ops = &vgpu_pressure_ops;
	return err;
}

static void flush_frame(void *caches, u64 number, bool write)
{
	vgpu_memsys_flush(caches, number, write);
}

static void forget_frame(void *caches, u64 number)
{
	vgpu_memsys_forget(caches, number);
}

static void replace_frame(void *caches)
{
	vgpu_memsys_replace(caches);
}

static const struct vgpu_cache_ops cache_ops = {
	.flush = flush_frame,
	.forget = forget_frame,
	.replace = replace_frame,
};

static void wake_sm(void *owner, u32 sm, u64 cycle)
{
	struct vgpu_device *dev = owner;

	vgpu_sm_answer(&dev->exec.sms[sm], cycle);
}

static void cost_line(void *owner, u64 frame, u32 line, u32 halves, bool write,
		      struct vgpu_line_traffic *traffic)
{
	vgpu_mmu_line(&((struct vgpu_device *)owner)->mmu, frame, line, halves, write, traffic);
}

static const struct vgpu_memsys_ops memsys_ops = {
	.wake = wake_sm,
	.line = cost_line,
};

/* Without it nobody else pays for it. */
static int init_memsys(struct vgpu_device *dev)
{
	int err;

	if (!vgpu_text_is(dev->config.timing, "pipeline") && !dev->config.timing_by_kernel)
		return 0;
	err = vgpu_memsys_create(dev->sim, &dev->config, &memsys_ops, dev, &dev->memsys);
	if (err)
		return err;
	dev->mmu.frames.cache_ops = &cache_ops;
	dev->mmu.frames.caches = dev->memsys;
	vgpu_memsys_compresses(dev->memsys, &dev->mmu.frames.compressed);
	dev->exec.memsys = dev->memsys;
	return 0;
}

static int init_rooms(struct vgpu_device *dev)
{
	int err = init_mmu(dev);

	if (!err)
		err = init_memsys(dev);
	if (!err)
		err = vgpu_queues_init(&dev->queues);
	if (!err)
		err = vgpu_transfers_init(&dev->transfers);
	dev->exec.outside = (struct vgpu_outside){
		.is = vgpu_policy_is_outside,
		.next = vgpu_policy_find("fcfs"),
		.next_small = vgpu_policy_find("npq"),
		.mechanism = vgpu_preemption_find("switch"),
	};
	return err ? err : vgpu_exec_init(&dev->exec, vgpu_policy_find(dev->config.policy),
					  vgpu_preemption_find(dev->config.preemption));
}

int vgpu_device_create_in(struct vgpu_system *system, const struct vgpu_config *config,
			  const struct vgpu_host_ops *ops, void *host, struct vgpu_device **out)
{
	struct vgpu_device *dev;
	int err;

	if (vgpu_config_check(config))
		return -EINVAL;
	dev = vgpu_mem_alloc_device(sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	dev->system = system;
	dev->sim = &system->sim;
	dev->config = *config;
	dev->ops = ops;
	dev->host = host;
	dev->trace = (struct vgpu_trace){ .sim = dev->sim, .emit = ops->trace, .host = host };
	vgpu_random_seed(&dev->random, config->seed);
	dev->exec.sim = dev->sim;
	dev->exec.trace = &dev->trace;
	dev->exec.random = &dev->random;
	dev->exec.config = &dev->config;
	dev->exec.ops = &vgpu_device_exec_ops;
	dev->exec.owner = dev;
	dev->exec.native = (struct vgpu_native){ .find = ops->native, .host = host };
	dev->exec.parallel = (struct vgpu_parallel){
		.run = ops->parallel,
		.hands = ops->hands,
		.turn = ops->turn,
		.lock = ops->lock,
		.unlock = ops->unlock,
		.gives_way = ops->gives_way,
		.host = host,
		.least = PARALLEL_LEAST,
	};
	dev->exec.watch = (struct vgpu_watch){ ops->watch, host };
	/* who watches is told of one thing after the other, by the interpreter */
	if (ops->watch) {
		dev->exec.native.find = NULL;
		dev->exec.parallel.run = NULL;
	}
	dev->transfers.sim = dev->sim;
	dev->transfers.trace = &dev->trace;
	dev->transfers.config = &dev->config;
	dev->transfers.link = &dev->mmu.faults.link;
	dev->transfers.ops = &vgpu_device_transfer_ops;
	dev->transfers.owner = dev;
	dev->queues.sim = dev->sim;
	dev->queues.trace = &dev->trace;
	dev->queues.config = &dev->config;
	dev->queues.ops = &vgpu_device_queue_ops;
	dev->queues.owner = dev;
	dev->queues.exec = &dev->exec;
	dev->queues.transfers = &dev->transfers;
	system->devices++;
	err = init_rooms(dev);
	if (err) {
		vgpu_device_destroy(dev);
		return err;
	}
	*out = dev;
	return 0;
}

int vgpu_device_create(const struct vgpu_config *config, const struct vgpu_host_ops *ops,
		       void *host, struct vgpu_device **out)
{
	struct vgpu_system *system;
	int err = vgpu_system_create(&system);

	if (err)
		return err;
	err = vgpu_device_create_in(system, config, ops, host, out);
	if (err)
		vgpu_system_destroy(system);
	else
		(*out)->owns_system = true;
	return err;
}

void vgpu_device_destroy(struct vgpu_device *dev)
{
	while (dev->contexts.count)
		vgpu_context_close(dev, dev->contexts.list[dev->contexts.count - 1]->id);
	vgpu_exec_fini(&dev->exec);
	vgpu_transfers_fini(&dev->transfers);
	vgpu_queues_fini(&dev->queues);
	dev->mmu.promised -= dev->retired_pages * VGPU_PAGE_SIZE;
	vgpu_mmu_fini(&dev->mmu);
	vgpu_memsys_destroy(dev->memsys);
	vgpu_mem_free_device(dev->contexts.list);
	dev->system->devices--;
	if (dev->owns_system)
		vgpu_system_destroy(dev->system);
	vgpu_mem_free_device(dev);
}

struct vgpu_system *vgpu_device_system(const struct vgpu_device *dev)
{
	return dev->system;
}

u64 vgpu_device_run(struct vgpu_device *dev, u64 until, u32 max_events)
{
	return vgpu_sim_run(dev->sim, until, max_events);
}

void vgpu_device_stop(struct vgpu_device *dev)
{
	dev->sim->stop = true;
}

u64 vgpu_device_now(const struct vgpu_device *dev)
{
	return dev->sim->now;
}

void vgpu_device_parallel(struct vgpu_device *dev, bool on)
{
	struct vgpu_sm_env *env = &dev->exec.sm_env;

	/* nobody else would execute what has been put off */
	vgpu_sms_catch_up(env);
	env->parallel.run = on ? dev->exec.parallel.run : NULL;
}

void vgpu_device_trace(struct vgpu_device *dev, bool on)
{
	dev->trace.on = on && dev->trace.emit;
}

void vgpu_device_drop_policy(struct vgpu_device *dev, const struct vgpu_policy *policy)
{
	vgpu_exec_drop_policy(&dev->exec, policy);
}

void vgpu_device_drop_preemption(struct vgpu_device *dev, const struct vgpu_preemption *preemption)
{
	vgpu_exec_drop_preemption(&dev->exec, preemption);
}

/* ---- asked about itself ------------------------------------------------- */

/* What a launch can ask for; both timing models only where SMs have both. */
static u32 launch_flags(const struct vgpu_device *dev)
{
	bool pipeline = vgpu_text_is(dev->config.timing, "pipeline");
	u32 flags = VGPU_LAUNCH_APART | VGPU_LAUNCH_PRIORITY(7) | VGPU_LAUNCH_COOPERATIVE;

	if (dev->config.timing_by_kernel)
		return flags | VGPU_LAUNCH_PIPELINE | VGPU_LAUNCH_INTERVAL;
	return flags | (pipeline ? VGPU_LAUNCH_PIPELINE : VGPU_LAUNCH_INTERVAL);
}

void vgpu_device_info(const struct vgpu_device *dev, struct vgpu_device_info *info)
{
	const struct vgpu_config *config = &dev->config;
	unsigned int i;
	u64 managed;

	memset(info, 0, sizeof(*info));
	vgpu_text_copy(info->name, sizeof(info->name), config->name);
	info->sms = config->sms;
	info->clock_khz = config->clock_khz;
	info->regs_per_sm = config->regs_per_sm;
	info->shared_per_sm = config->shared_per_sm;
	info->shared_config[0] = config->shared_per_sm;
	for (i = 0; i < VGPU_ARRAY_SIZE(config->shared_steps); i++)
		if (config->shared_steps[i]) {
			info->shared_per_sm = config->shared_steps[i];
			info->shared_config[i + 1] = config->shared_steps[i];
		}
	info->shared_per_block = info->shared_per_sm;
	info->threads_per_sm = config->threads_per_sm;
	info->threads_per_block = config->threads_per_block;
	info->blocks_per_sm = config->blocks_per_sm;
	info->warp_size = 32;
	info->hw_queues = config->hw_queues;
	info->vram_bytes = config->vram_bytes;
	info->vram_free = config->vram_bytes - dev->mmu.promised;
	info->managed_resident = dev->mmu.frames.managed << VGPU_PAGE_SHIFT;
	info->managed_host = dev->mmu.on_host << VGPU_PAGE_SHIFT;
	/* pages for which a new mapping leaves no room are evicted when room is needed */
	managed = dev->mmu.frames.units * VGPU_LCP_UNIT;
	info->vram_used = dev->mmu.promised;
	info->vram_used += managed < info->vram_free ? managed : info->vram_free;
	info->memory_bandwidth = config->memory_bandwidth;
	info->launch_flags = launch_flags(dev);
	info->compute_capability = vgpu_config_capability(config);
	info->memory_bus_bits = config->memory_bus_bits;
	info->l2_bytes = config->l2_bytes;
	info->link_bandwidth = config->link_bandwidth;
	info->time = dev->sim->now;
	info->copy_engines = config->copy_engines;
	info->contexts = dev->contexts.count;
	info->queues = dev->queues.count;
	vgpu_text_copy(info->policy, sizeof(info->policy), dev->exec.policy->name);
	vgpu_text_copy(info->preemption, sizeof(info->preemption), dev->exec.preemption->name);
}

const struct vgpu_config *vgpu_device_config(const struct vgpu_device *dev)
{
	return &dev->config;
}

void vgpu_device_counts(const struct vgpu_device *dev, struct vgpu_device_counts *counts)
{
	u64 modules = 0;
	u32 i;

	for (i = 0; i < dev->contexts.count; i++)
		modules += dev->contexts.list[i]->modules.alive;
	*counts = (struct vgpu_device_counts){
		.contexts = dev->contexts.count,
		.queues = dev->queues.count,
		.modules = modules,
		.commands = dev->queues.commands,
		.kernels = dev->exec.active_count,
		.blocks = dev->exec.blocks,
		.frames = dev->mmu.frames.count,
		.page_tables = dev->mmu.page_tables,
	};
}

int vgpu_device_sm_stats(const struct vgpu_device *dev, u32 sm, struct vgpu_sm_stats *stats)
{
	return vgpu_exec_sm_stats(&dev->exec, sm, stats);
}

int vgpu_device_sm_use(const struct vgpu_device *dev, u32 sm, struct vgpu_sm_use *use)
{
	return vgpu_exec_sm_use(&dev->exec, sm, use);
}

static void memsys_stats(const struct vgpu_memsys *memsys, struct vgpu_device_stats *stats)
{
	struct vgpu_memsys_stats counts;

	vgpu_memsys_stats(memsys, &counts);
	stats->l1_hits = counts.l1_hits;
	stats->l1_misses = counts.l1_misses;
	stats->l1_merged = counts.l1_merged;
	stats->l1_busy = counts.l1_busy;
	stats->l2_hits = counts.l2_hits;
	stats->l2_misses = counts.l2_misses;
	stats->l2_stall_cycles = counts.l2_stall_cycles;
	stats->atomics = counts.atomics;
	stats->dram_read = counts.dram_read;
	stats->dram_written = counts.dram_written;
	stats->stores = counts.stores;
	stats->load_cycles = counts.cycles[VGPU_MEM_LOAD];
	stats->store_cycles = counts.cycles[VGPU_MEM_STORE];
	stats->atomic_cycles = counts.cycles[VGPU_MEM_ATOMIC];
	stats->fence_cycles = counts.cycles[VGPU_MEM_FENCE];
	stats->flits_load = counts.flits[VGPU_CLASS_LOAD];
	stats->flits_store = counts.flits[VGPU_CLASS_STORE];
	stats->flits_atomic = counts.flits[VGPU_CLASS_ATOMIC];
	stats->flits_request = counts.flits[VGPU_CLASS_REQUEST];
	stats->flits_renew = counts.flits[VGPU_CLASS_RENEW];
	stats->flits_invalidate = counts.flits[VGPU_CLASS_INVALIDATE];
	stats->flits_recall = counts.flits[VGPU_CLASS_RECALL];
	stats->l1_expired = counts.l1_expired;
	stats->l1_renewed = counts.l1_renewed;
	stats->l1_line_wait = counts.l1_line_wait;
	stats->l2_fetch_wait = counts.l2_fetch_wait;
	stats->l2_lease_wait = counts.l2_lease_wait;
	stats->l2_ack_wait = counts.l2_ack_wait;
	stats->l2_room_wait = counts.l2_room_wait;
	stats->rollovers = counts.rollovers;
	stats->logical_time = counts.logical_time;
}

void vgpu_device_stats(const struct vgpu_device *dev, struct vgpu_device_stats *stats)
{
	struct vgpu_sm_stats one;
	unsigned int state;
	u32 i;

	memset(stats, 0, sizeof(*stats));
	stats->events = dev->sim->fired;
	for (i = 0; !vgpu_device_sm_stats(dev, i, &one); i++)
		for (state = 0; state < VGPU_SM_STATES; state++)
			stats->sm_time[state] += one.time[state];
	stats->instructions = vgpu_exec_instructions(&dev->exec);
	stats->copy0_busy = vgpu_transfers_busy(&dev->transfers, 0);
	stats->copy1_busy = vgpu_transfers_busy(&dev->transfers, 1);
	stats->preemptions = dev->exec.preemptions;
	stats->preemption_time = dev->exec.preemption_time;
	stats->save_area = dev->exec.save_area;
	stats->save_area_most = dev->exec.save_area_most;
	for (i = 0; i < dev->exec.config->sms; i++) {
		const struct vgpu_sm *sm = &dev->exec.sms[i];

		stats->stall_issue += sm->stalls[VGPU_STALL_ISSUE];
		stats->stall_control += sm->stalls[VGPU_STALL_CONTROL];
		stats->stall_data += sm->stalls[VGPU_STALL_DATA];
	}
	if (dev->memsys)
		memsys_stats(dev->memsys, stats);
	stats->ecc_corrected = dev->ecc_corrected;
	stats->ecc_uncorrected = dev->ecc_uncorrected;
	stats->retired_pages = dev->retired_pages;
	stats->xids = dev->xids;
	stats->last_xid = dev->last_xid;
	stats->offline = dev->offline;
}
