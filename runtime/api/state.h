/* SPDX-License-Identifier: MIT */
/*
 * The runtime's state in one process: contents page of runtime/api. One mutex guards all of it; a
 * function named rt_*() is called with it held unless it says otherwise, and a wait for the device
 * gives it up meanwhile.
 *
 * Each context has a state of its own, with its connection to the device, memory, streams, events
 * and modules. Each device the program sees has a primary context, which is opened by the first
 * call that needs it, and those that were opened beside it (contexts.h). `rt' is the one of the
 * calling thread: the primary one of its device (vgpuSetDevice), unless a front end has made
 * another one current.
 *
 * Commands are numbered when they are put into a queue's batch, before they are submitted: a batch
 * is appended whole or a wrong command in it is replaced by a NOP, so the numbers always hold. Any
 * WAIT put into a batch names a command that has been submitted already; waits therefore only point
 * back in submission order and cannot form a circle, however many streams share a queue.
 */
#ifndef VGPU_RT_STATE_H
#define VGPU_RT_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "compile/compile.h"
#include "transport/transport.h"
#include "vgpu_runtime.h"

#define RT_DEVICES	16u		/* most devices a program sees */
#define RT_BESIDE	1024u		/* most contexts of a process beside the primary ones */
#define RT_QUEUES	32u		/* most hardware queues one process may ask for */
#define RT_ASIDE	4u		/* most of them that wait for other processes */
#define RT_ARENA	(64u << 10)	/* launch parameters of one batch */
#define RT_STAGE_MAX	(64u << 10)	/* largest pageable copy to the device that is staged */
#define RT_STAGE_ALL	(16u << 20)	/* staged bytes of one queue not known to be done */
#define RT_EAGER 8u /* launches in flight below which a launch is submitted at once */
#define RT_BATCH	32u		/* launches collected beyond that */
#define RT_GRAPH_LANES	7u		/* branches of a graph beside the first */
#define RT_BLOCK_X	1024u		/* CUDA's limits of a block and a grid */
#define RT_BLOCK_Z	64u
#define RT_SHARED	(48u << 10)	/* shared memory of a block, unless more is asked for */
#define RT_LEAST_REGS	16u		/* that a kernel is compiled again for */
#define RT_GRID_X	0x7fffffffu
#define RT_GRID_YZ	65535u

/* A copy of a program's bytes that a command in flight reads. */
struct rt_stage {
	struct rt_stage *next;
	uint64_t seq;
	size_t bytes;
	uint8_t data[];
};

struct rt_caller;

struct rt_queue {
	bool open;
	/* stands for records of other processes (events/ipc_event.c), for no work of this one */
	bool aside;
	/* counts closings: a waiter sees that its queue is another one now */
	uint64_t epoch;
	uint32_t hw;			/* the device's number */
	uint32_t streams;		/* that use it */
	uint32_t priority;		/* of the stream that it was got for */
	uint64_t last;			/* number of the newest command */
	uint64_t submitted;
	uint64_t completed;		/* as far as we know */
	uint32_t pending;		/* commands collected */
	uint32_t arena_used;
	uint64_t copy_bytes;		/* process memory of copies in the batch */
	size_t staged;
	struct rt_stage *stages, **stages_end;
	struct vgpu_cmd batch[VGPU_SUBMIT_MAX];
	uint8_t *arena;
	struct rt_caller *caller;	/* calls the program's functions in it (host_call.c) */
};

struct rt_node;
struct rt_capture;

/** struct rt_nodes - an array of nodes of graphs (graph/graph.h) */
struct rt_nodes {
	struct rt_node **list;
	size_t count, room;
};

struct vgpuStream {
	struct vgpuStream *next;
	struct rt_queue *queue;
	unsigned int flags;
	unsigned int priority;		/* VGPU_LAUNCH_PRIORITY of its launches */
	bool destroyed;			/* gone for the program, kept until its work is done */
	uint64_t last;			/* its newest command in queue */
	uint64_t seen_by_default;	/* newest command the default stream waits for already */
	/* newest command of the default stream it waits for already */
	uint64_t seen_of_default;
	uint64_t workspaces;		/* of cooperative launches (modules/grid.h); 0: none */
	uint64_t workspaces_used;
	/* what is put into it becomes nodes of a graph (graph/capture.h); NULL: it is executed */
	struct rt_capture *capture;
	struct rt_nodes after;		/* that the next node comes after */
};

struct rt_event_page;

struct rt_slot {
	struct rt_slot *next;
	uint64_t *stamp;
	struct rt_queue *queue;		/* whose command writes it */
	uint64_t seq;
};

struct vgpuEvent {
	struct vgpuEvent *next;
	unsigned int flags;
	struct rt_slot *slot;		/* NULL: never recorded */
	struct rt_queue *queue;
	uint64_t seq;
	struct rt_event_page *page;	/* of several processes (events/ipc_event.h) */
	uint64_t record;		/* there, of @seq; 0: none of this event is */
	uint64_t capture;		/* the last record was in this one; 0: in none */
	struct rt_nodes captured;	/* and stands for these nodes */
};

struct vgpuFunction {
	struct vgpuModule *module;
	uint32_t index;
	uint32_t max_dynamic_shared;
	struct rt_said *said;	/* modules/said.c; NULL: nothing; free() */
};

/** struct rt_image - a program that is loaded (image.c) */
struct rt_image {
	struct vgpu_program *program;
	uint32_t *ids;			/* the device's, of each binary */
	uint32_t count;			/* of them that are loaded */
};

/** struct rt_variant - a kernel compiled again: blocks leave fewer registers, another stack */
struct rt_variant {
	struct rt_variant *next;
	uint32_t of;			/* index of the kernel in the module's program */
	uint32_t regs;			/* most that a thread may have, 0: as in the module */
	uint32_t stack;			/* of its options, 0: as in the module */
	struct rt_image image;		/* of this kernel alone; no program: it cannot */
};

/** struct rt_managed - a .global variable of a module that is managed memory */
struct rt_managed {
	char *name;
	uint64_t address, bytes;
};

struct vgpuModule {
	struct vgpuModule *next;
	struct rt_image image;
	struct rt_variant *variants;
	struct vgpuFunction *functions;
	struct vgpu_compile_options options;	/* its own copy */
	struct rt_managed *managed;
	uint32_t managed_count;
	char *ptx;
	unsigned int arch;		/* that the PTX is for; 0: it does not say */
	bool of_library;		/* which unloads it, and nobody else (library.h) */
	uint64_t data;			/* device address of the data segment, 0: none */
	uint64_t launch_table;		/* of what kernels launch (launches.c); 0: none */
};

struct rt_block;

/** struct rt_heap - device memory as the program holds it (alloc.c) */
struct rt_heap {
	uint64_t base, bytes;		/* the reserved range; survives a reset */
	uint64_t limit;			/* most bytes of device memory; ~0: what there is */
	uint64_t used;			/* of that, not managed */
	struct rt_block *blocks;	/* by address */
	size_t count, room;
};

/** struct rt_malloc - the heap of malloc() in kernels (malloc.c) */
struct rt_malloc {
	uint64_t limit;			/* bytes, 0: the default */
	uint64_t base;			/* 0: not mapped yet */
	bool launched;			/* a kernel that uses it */
};

/** struct rt_launches - launches by kernels (launches.c) */
struct rt_launches {
	uint32_t limit;			/* most that are pending, 0: the default */
	uint64_t base;			/* of the pool, 0: not mapped yet */
};

/** struct rt_printf - the buffer of printf() in kernels (printf.c) */
struct rt_printf {
	uint64_t limit;			/* bytes, 0: the default */
	uint64_t base;			/* 0: not mapped yet */
	uint64_t seen;			/* words that were printed or lost */
	bool launched;			/* a kernel that uses it */
	bool pending;			/* such a kernel may have printed something new */
	bool told;			/* that output was lost */
	/* prints what a dead context has left; NULL: there is no buffer */
	void (*rescue)(void);
};

struct rt_advised;

/** struct rt_advised_ranges - what was said about managed memory (memory/advice.c) */
struct rt_advised_ranges {
	struct rt_advised *ranges;	/* by address */
	size_t count, room;
};

enum rt_phase { RT_NONE, RT_READY, RT_FAILED, RT_FORKED, RT_DESTROYED };

/** struct rt_state - a context */
struct rt_state {
	enum rt_phase phase;
	/* of one beside the primary ones: */
	int device;
	unsigned int number;		/* among all contexts, from RT_DEVICES on */
	void *front;			/* what a front end calls it; NULL: there is none of it */
	/* counts resets: what belongs to an earlier one is known by it */
	uint64_t generation;
	vgpuError_t open_error;		/* RT_FAILED */
	vgpuError_t sticky;		/* the context is dead */
	vgpuFault fault;
	const struct vgpu_transport_ops *ops;
	struct vgpu_transport *transport;
	struct vgpu_device_info info;
	/* threads without the lock that go on with it: in the transport, or for another context */
	unsigned int waiting;
	struct rt_heap heap;
	struct rt_malloc malloc;
	struct rt_launches by_kernels;
	uint32_t stack_limit;		/* bytes of a thread's stack, 0: the default */
	struct rt_printf printf;
	struct rt_advised_ranges advised;
	struct rt_queue queues[RT_QUEUES];
	unsigned int queue_limit;
	bool launch_blocking;		/* a launch returns when the kernel has ended */
	bool announces;			/* launches are announced to the device */
	unsigned int launches;		/* so many, for when that is looked up again */
	struct vgpuStream *streams;	/* all but the default one */
	struct vgpuStream default_stream;
	struct vgpuEvent *events;
	struct vgpuModule *modules;
	struct rt_slot *free_slots, *busy_slots;
	/* graph/exec.c: streams for the branches of graphs, as long as there are such graphs */
	struct vgpuStream *lanes[RT_GRAPH_LANES];
	unsigned int lane_users, next_lane;
	unsigned int unloads;		/* of modules, so far */
	/* host_call.c, with its lock: */
	unsigned int callers;		/* threads */
	unsigned int calls_waiting;	/* of them in the transport */
	bool calls_abandoned;		/* the process ends */
	bool resetting;			/* other processes are waited for no longer */
};

extern pthread_mutex_t rt_lock;
extern struct rt_state rt_devices[RT_DEVICES];	/* the primary contexts */
/* The others, in the order of their numbers. They stay, and serve again. */
extern struct rt_state *rt_beside[RT_BESIDE];
extern unsigned int rt_beside_count;
extern __thread struct rt_state *rt_current;
/* Called when the program has waited for work (memory/pool.h); NULL: nobody wants to know. */
extern void (*rt_when_synced)(void);
/* The thread has used a device. */
extern __thread bool rt_thread_entered;
#define rt (*rt_current)

static inline bool rt_is_primary(const struct rt_state *state)
{
	return state >= rt_devices && state < rt_devices + RT_DEVICES;
}

static inline int rt_device_of(const struct rt_state *state)
{
	return rt_is_primary(state) ? (int)(state - rt_devices) : state->device;
}

static inline int rt_device(void)
{
	return rt_device_of(rt_current);
}

/* It is open, or another thread waits for its work to close it. */
static inline bool rt_has_device(const struct rt_state *state)
{
	return state->transport && state->phase != RT_FORKED;
}

/* Its place in tables of all contexts (by_context.h). */
static inline unsigned int rt_number_of(const struct rt_state *state)
{
	return rt_is_primary(state) ? (unsigned int)(state - rt_devices) : state->number;
}

/* The context of this number, open or not; NULL: there is none, and no higher one. No lock. */
static inline struct rt_state *rt_context_number(unsigned int number)
{
	if (number < RT_DEVICES)
		return &rt_devices[number];
	number -= RT_DEVICES;
	return number < __atomic_load_n(&rt_beside_count, __ATOMIC_ACQUIRE) ? rt_beside[number] :
									      NULL;
}

/* For each context of the process: @state is a struct rt_state *. */
#define rt_for_each(state) \
	for (unsigned int number_ = 0; ((state) = rt_context_number(number_)); number_++)

/* The calling thread's context if that is of @device, else the primary one. */
static inline struct rt_state *rt_context_on(int device)
{
	return rt_device() == device ? rt_current : &rt_devices[device];
}

/* The program has waited for the device, a stream or an event, with @error. */
static inline vgpuError_t rt_synced(vgpuError_t error)
{
	if (error == vgpuSuccess && rt_when_synced)
		rt_when_synced();
	return error;
}

/*
 * The files are in layers: what a file calls stands above it here. What host_call.h, variables.h,
 * by_context.h and memory/advice.h declare stands above open.c, what memory/pool.h declares above
 * memory.c, what events/event_page.h and contexts.h declare below all.
 * tests/style/test_rooms.sh looks for circles.
 *
 * state.c: gives the lock back; the result of the call is @error, or the sticky one. Remembers it
 * for vgpuGetLastError().
 */
vgpuError_t rt_leave(vgpuError_t error);
/* The same for a call that holds no lock. */
vgpuError_t rt_result(vgpuError_t error);
/* What a query may answer without counting as a failure of the thread (cudaErrorNotReady). */
vgpuError_t rt_leave_quiet(vgpuError_t error);
vgpuError_t rt_remember(vgpuError_t error);
void rt_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* image.c: kernel @kernel of the image's program, and what the device calls it */
const struct vgpu_program_kernel *rt_image_kernel(const struct rt_image *image, uint32_t kernel,
						  uint32_t *id, uint32_t *number);
/* What the device calls so; NULL: it is not loaded any more. */
const struct rt_image *rt_image_find(uint32_t id, uint32_t number, struct vgpuModule **module,
				     uint32_t *kernel);
void rt_image_free(struct rt_image *image);

/* error.c */
vgpuError_t rt_error_of(int error);		/* negative errno from the transport */
void rt_context_died(void);

/* queue.c */
vgpuError_t rt_queue_get(unsigned int priority, struct rt_queue **queue);
/*
 * A queue that no stream has and rt_sync_all() does not wait for; its work is done. NULL: none is
 * left.
 */
struct rt_queue *rt_queue_get_aside(void);
void rt_queue_put(struct rt_queue *queue);
/* All of them: the device was closed. */
void rt_queues_forget(void);
vgpuError_t rt_put(struct rt_queue *queue, const struct vgpu_cmd *cmd, const void *params);
vgpuError_t rt_flush(struct rt_queue *queue);
vgpuError_t rt_flush_all(void);
/* Until the queue has completed @seq; the lock is given up while waiting. */
vgpuError_t rt_wait(struct rt_queue *queue, uint64_t seq);
/* The same with the lock kept: for what must not be seen half done. */
vgpuError_t rt_wait_held(struct rt_queue *queue, uint64_t seq);
/* Looks whether @seq is done: vgpuErrorNotReady when not. */
vgpuError_t rt_poll(struct rt_queue *queue, uint64_t seq);
vgpuError_t rt_sync_all(void);
/*
 * Copies between device and process, by @op, with the lock kept, and waits. It is the only work of
 * @queue, or behind all that it has.
 */
vgpuError_t rt_copy_held(struct rt_queue *queue, uint32_t op, uint64_t dst, uint64_t src,
			 uint64_t bytes);
/* Copies @bytes at @offset of the program's data to the device in this way. */
vgpuError_t rt_module_write(const struct vgpuModule *module, uint64_t offset, uint64_t bytes);
vgpuError_t rt_stage(struct rt_queue *queue, const void *src, size_t bytes, const void **staged);

/* host_map.c: have the current context, which is being opened, map all of it; a negative errno */
int rt_pinned_open(void);

/*
 * open.c: takes the lock and opens the current context if that has not happened; on failure the
 * lock is not held. vgpuErrorContextIsDestroyed.
 */
vgpuError_t rt_enter(void);
/* Opens the current context, which is not open. With the lock held. */
vgpuError_t rt_open(void);
/* A call that asks for a limit of the device. */
vgpuError_t rt_give_limit(uint64_t (*limit)(void), size_t *bytes);
/* Closes the current context, which is open, and nothing else. */
void rt_close(void);
/* The next device that is opened finds anew which there are, if none is open now. */
void rt_list_again(void);
/*
 * How many devices the program sees; 0: it cannot be said, vgpuGetLastMessage() says why. Takes the
 * lock itself.
 */
unsigned int rt_device_count(void);
/* Of one the program sees: the number it has without CUDA_VISIBLE_DEVICES, which names it. */
unsigned int rt_device_place(unsigned int device);

/*
 * alloc.c: device addresses; forgets everything on rt_alloc_reset(). The calls that map need the
 * device open.
 */
vgpuError_t rt_alloc(uint64_t bytes, bool managed, uint64_t *address);
vgpuError_t rt_alloc_free(uint64_t address);
/* The same for the runtime's own use: calls of the program do not find that memory. */
vgpuError_t rt_alloc_private(uint64_t bytes, uint64_t *address);
vgpuError_t rt_alloc_free_private(uint64_t address);
bool rt_alloc_find(uint64_t address, uint64_t *base, uint64_t *bytes);
/*
 * For other processes (memory/ipc.h): a name of the mapping that @address lies in, which it has for
 * as long as it is there, and where in it @address is. vgpuErrorInvalidValue: it is not device
 * memory of rt_alloc(), of the current context.
 */
vgpuError_t rt_alloc_name(uint64_t address, uint64_t name[2], uint64_t *offset);
bool rt_alloc_is_own(uint64_t address);	/* what rt_alloc_name() takes */
/* Is it one that rt_alloc_name() has given, of whatever context? */
bool rt_alloc_has_name(const uint64_t name[2]);
/* An address for @bytes of what the device's @handle names, from @offset on. */
vgpuError_t rt_alloc_view(uint32_t handle, uint64_t offset, uint64_t bytes, uint64_t *address);
vgpuError_t rt_alloc_free_view(uint64_t address);
/* Of what may be allocated, bytes: CUDA_MPS_PINNED_DEVICE_MEM_LIMIT is of all contexts. */
uint64_t rt_alloc_left(void);
/*
 * The context that @pointer lies in, else the current one: for calls that go where the memory is.
 */
struct rt_state *rt_owner(const void *pointer);
bool rt_is_device(const void *pointer);	/* in the range some context's addresses come from */
bool rt_is_managed(const void *pointer);	/* of the current context */
void rt_alloc_reset(void);

/* malloc.c: where the heap of malloc() in kernels is, which is mapped if it has to be */
struct vgpu_heap;
vgpuError_t rt_malloc_heap(struct vgpu_heap *heap);
void rt_malloc_reset(void);

/*
 * printf.c: where the buffer of printf() in kernels is, which is mapped if it has to be. What
 * kernels have printed up to now goes to stdout, by a copy on @queue, which nothing else should be
 * waiting for.
 */
struct vgpu_print;
vgpuError_t rt_printf_buffer(struct vgpu_print *buffer);
vgpuError_t rt_printf_flush(struct rt_queue *queue);
void rt_printf_reset(void);

/* load.c: loads the program's binaries, all or none */
vgpuError_t rt_image_load(struct rt_image *image);
/* A negative errno of the first that went wrong; none is loaded then, too. */
int rt_image_unload(struct rt_image *image);
/*
 * The image to launch blocks of @threads of the function with, and the kernel's index there. Where
 * an SM has not the registers, the kernel compiled again; NULL: it cannot do with so few.
 */
const struct rt_image *rt_image_for(const struct vgpuFunction *function, unsigned int threads,
				    uint32_t *kernel);

/* library.h: the PTX of an image that the compiler takes, the best first */
struct vgpu_image;
vgpuError_t rt_module_load_image(const struct vgpu_image *image,
				 const struct vgpu_compile_options *options,
				 struct vgpuModule **out);

/* module.c */
vgpuError_t rt_module_load(const char *ptx, const struct vgpu_compile_options *options,
			   struct vgpuModule **out);
vgpuError_t rt_module_function(struct vgpuModule *module, const char *name,
			       struct vgpuFunction **out);
vgpuError_t rt_module_global(struct vgpuModule *module, const char *name, uint64_t *address,
			     uint64_t *bytes);
vgpuError_t rt_module_unload(struct vgpuModule *module);
/*
 * Called with a module that goes, when no work of its context is left; NULL: by nobody. Textures
 * set it, whose references are modules' (textures/reference.c).
 */
extern void (*rt_module_goes)(const struct vgpuModule *module);
bool rt_module_known(const struct vgpuModule *handle);
void rt_modules_reset(void);
bool rt_function_known(const struct vgpuFunction *function);
/* Shared memory that a block of a function may have which asks for no more. */
static inline uint32_t rt_default_shared(void)
{
	return rt.info.shared_per_block < RT_SHARED ? rt.info.shared_per_block : RT_SHARED;
}

const struct vgpu_program_kernel *rt_kernel(const struct vgpuFunction *function);
/* Shared memory that its variables take, without the free bytes behind them. */
static inline uint32_t rt_own_shared(const struct vgpu_program_kernel *kernel)
{
	return kernel->vass.shared_bytes - kernel->zone_bytes;
}

/* function.c */
void rt_function_attributes(const struct vgpuFunction *function,
			    vgpuFunctionAttributes *attributes);
/* CUDA's numbers, cudaFuncAttribute and CUfunction_attribute, of what can be set */
#define RT_FUNCTION_MAX_DYNAMIC_SHARED	8
#define RT_FUNCTION_CARVEOUT		9
vgpuError_t rt_function_set(struct vgpuFunction *function, int attribute, int value);
/* Where parameter @index is in the block of parameters; @bytes may be NULL. */
vgpuError_t rt_function_param(const struct vgpuFunction *function, size_t index, size_t *offset,
			      size_t *bytes);
/* Blocks of @threads that an SM holds at once. */
int rt_occupancy(const struct vgpuFunction *function, unsigned int threads, size_t dynamic_shared);
/* The most dynamic shared memory with which it holds @blocks; vgpuErrorInvalidValue: fewer fit. */
vgpuError_t rt_function_room(const struct vgpuFunction *function, int blocks, int threads,
			     size_t *dynamic_shared);

/*
 * stream.c: the stream a handle names, and the waits that must stand before its next command. NULL
 * is the default stream: the device's, or the thread's where that was said.
 */
#define RT_STREAM_LEGACY	((vgpuStream_t)0x1)
#define RT_STREAM_PER_THREAD	((vgpuStream_t)0x2)
/* For the calling thread, needs no lock; returns what was said before. */
bool rt_thread_default(bool per_thread);
/* The highest VGPU_LAUNCH_PRIORITY of the device, 0: an older module, which has none. */
unsigned int rt_most_priority(void);
vgpuError_t rt_stream_of(vgpuStream_t handle, struct vgpuStream **stream);
/* The context that a stream of the program is of; NULL: of none. */
struct rt_state *rt_stream_context(vgpuStream_t handle);

void rt_stream_name(vgpuStream_t handle, const char *name);
vgpuError_t rt_stream_begin(struct vgpuStream *stream);
/* The stream's next command waits for command @seq of @queue. */
vgpuError_t rt_stream_wait(struct vgpuStream *stream, struct rt_queue *queue, uint64_t seq);
/* Waits for all the stream stands for: the default one for every blocking stream too. */
vgpuError_t rt_stream_sync(struct vgpuStream *stream);
vgpuError_t rt_stream_put(struct vgpuStream *stream, const struct vgpu_cmd *cmd,
			  const void *params);
/* The program's function behind all work of @stream. */
vgpuError_t rt_stream_host_function(struct vgpuStream *stream, void (*function)(void *),
				    void *argument);
/* A stream of the runtime's own, which does not block; NULL: there is none to be had. */
struct vgpuStream *rt_stream_make(void);
/* It goes when its work is done. */
void rt_stream_drop(struct vgpuStream *stream);
void rt_streams_reset(void);

/* events/event.c: put into @stream, whatever is captured */
vgpuError_t rt_event_record(struct vgpuEvent *event, struct vgpuStream *stream);
vgpuError_t rt_event_wait(struct vgpuEvent *event, struct vgpuStream *stream);
bool rt_event_known(const struct vgpuEvent *event);	/* of the current context */
/* The flags are CUDA's: 1: a node of the graph that is captured is for others. */
vgpuError_t rt_event_record_with(vgpuEvent_t event, vgpuStream_t stream, unsigned int flags);
void rt_events_reset(void);

/* events/range.c: ranges of the calling thread; names are cut to so many bytes */
#define RT_RANGE_BYTES	96
/* Returns how many there were before. */
unsigned int rt_range_push(const char *text);
/* False: there is none. */
bool rt_range_pop(void);
/* The newest command of @stream, which has not been submitted, was made in the innermost one. */
void rt_range_tell(const struct vgpuStream *stream);

/* modules/launch.h: puts a kernel into a stream */
vgpuError_t rt_launch(struct vgpuFunction *function, const unsigned int grid[3],
		      const unsigned int block[3], void **arguments, size_t dynamic_shared,
		      struct vgpuStream *stream);
/* The same for a grid whose blocks may wait for each other (modules/grid.h). */
vgpuError_t rt_launch_cooperative(struct vgpuFunction *function, const unsigned int grid[3],
				  const unsigned int block[3], void **arguments,
				  size_t dynamic_shared, struct vgpuStream *stream);

/*
 * host.c: process memory the program promised not to touch while a copy runs (cudaMallocHost,
 * cudaHostRegister)
 */
bool rt_is_pinned(const void *pointer, size_t bytes);
/* The device may write it in place, too. */
bool rt_is_mapped(const void *pointer, size_t bytes);
bool rt_pinned_range(const void *pointer, uint64_t *base, uint64_t *bytes);

/* memory.c: frees memory of any kind once @stream has come there; waits for that; no lock */
vgpuError_t rt_free_async(void *pointer, vgpuStream_t stream);
/* memory/copy.c */
vgpuError_t rt_copy(void *dst, const void *src, size_t bytes, vgpuMemcpyKind kind,
		    struct vgpuStream *stream, bool synchronous);

#endif
