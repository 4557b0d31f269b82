/* SPDX-License-Identifier: MIT */
/*
 * A kernel with much to execute on all SMs, of which slices are handed out (docs/threads.md): for
 * tests of who executes them.
 */
#ifndef VGPU_MIX_H
#define VGPU_MIX_H

#include <dirent.h>

#include "vgpu_asm.h"
#include "vgpu_module.h"
#include "vgpu_process.h"

#define ROUNDS	60u
#define BLOCKS	78u
#define THREADS	256u
#define COUNT	(BLOCKS * THREADS)
#define WORKERS	"/sys/kernel/debug/vgpu/workers"
#define PROCESSOR	"/sys/devices/system/cpu/cpu1/online"

struct mix_params {
	uint64_t out, key;
	uint32_t rounds;
	uint32_t unused;
};

/* out[id] = id, so many times multiplied and added to, the key first, which is the process's */
static inline uint32_t kernel_mix(struct program *p)
{
	uint32_t index = kernel(p, "mix", sizeof(struct mix_params)), top;

	ldp8(p, 0, offsetof(struct mix_params, out));
	ldp8(p, 2, offsetof(struct mix_params, key));
	ldp4(p, 4, offsetof(struct mix_params, rounds));
	global_id(p, 5, 8);
	ldg4(p, 6, 2);
	insn(p, VGPU_OP_ADD, 0, 6, 6, 5, 0, 0);
	insn(p, VGPU_OP_MADWU, VGPU_F_IMM, 10, 5, 0, 0, 4);	/* Q10 = R5 * 4 + Q0 */
	top = p->insns;
	insn(p, VGPU_OP_MUL, VGPU_F_IMM, 6, 6, 0, 0, 1664525u);
	insn(p, VGPU_OP_ADD, 0, 6, 6, 5, 0, 0);
	insn(p, VGPU_OP_SUB, VGPU_F_IMM, 4, 4, 0, 0, 1);
	stg4(p, 10, 6);
	insn(p, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 0, 4, 0, 0, 0);
	/* all lanes go around equally often */
	insn(p, VGPU_OP_BRA, 0, 0, 0, 0, 0, top | (uint64_t)VGPU_NO_RECONV << 32);
	guard(p, 0);
	finish(p);
	return index;
}

static inline uint32_t mixed(uint32_t id, uint32_t key)
{
	uint32_t value = id + key;

	for (uint32_t n = 0; n < ROUNDS; n++)
		value = value * 1664525u + id;
	return value;
}

struct mixer {
	struct user u;
	uint32_t index;
	volatile uint32_t *key;
	uint32_t *out;
	uint64_t stamps[2];
};

/* A wait of a process that is stopped, or gets a signal, ends. */
static inline int wait_on(const struct user *u, uint64_t seq, int64_t timeout_ns)
{
	double end = deadline(50);
	int ret;

	do
		ret = wait_seq(u->fd, u->queue, seq, timeout_ns);
	while ((ret == -EINTR || ret == -ETIMEDOUT) && seconds_now() < end);
	return ret;
}

static inline struct mixer *mixer_begin(uint32_t key)
{
	struct vgpu_cmd fill = cmd_fill(BASE, 0, 4, COUNT);
	struct mixer *m = calloc(1, sizeof(*m));
	struct program p = {};

	CHECK(m);
	m->u.fd = must_open();
	m->index = kernel_mix(&p);
	m->out = malloc(COUNT * 4ul);
	CHECK(m->out);
	CHECK_EQ(process_memory(m->u.fd), 0);
	m->u.module = must_load(m->u.fd, &p);
	m->u.queue = must_queue(m->u.fd);
	m->key = anonymous(PAGE);
	*m->key = key;
	CHECK_EQ(mem_map(m->u.fd, BASE, 1 << 20), 0);
	/* what is read before it is written would rule out that anything is executed ahead */
	CHECK_EQ(wait_on(&m->u, must_submit(m->u.fd, m->u.queue, &fill, 1), limit_ns(30)), 0);
	return m;
}

static inline void mixer_end(struct mixer *m)
{
	close(m->u.fd);
	free(m->out);
	free(m);
}

/* Returns the fence of a kernel that has been submitted. */
static inline uint64_t mix_begin(struct mixer *m)
{
	struct mix_params params = { .out = BASE, .key = at(m->key), .rounds = ROUNDS };
	struct vgpu_cmd cmds[] = {
		cmd_stamp(&m->stamps[0]),
		cmd_launch(m->u.module, m->index, BLOCKS, THREADS, &params, sizeof(params)),
		cmd_stamp(&m->stamps[1]),
		cmd_d2h(m->out, BASE, COUNT * 4ul),
	};

	memset(m->out, 0, COUNT * 4ul);
	return must_submit(m->u.fd, m->u.queue, cmds, 4);
}

/* It has ended: its results are right. Returns how long it took, in virtual time. */
static inline uint64_t mix_end(const struct mixer *m)
{
	for (uint32_t id = 0; id < COUNT; id++)
		CHECK_EQ(m->out[id], mixed(id, *m->key));
	return m->stamps[1] - m->stamps[0];
}

/* One that a thread waits for, in as many calls as it takes. */
static inline uint64_t must_mix_in(struct mixer *m, int64_t timeout_ns)
{
	CHECK_EQ(wait_on(&m->u, mix_begin(m), timeout_ns), 0);
	return mix_end(m);
}

static inline uint64_t must_mix(struct mixer *m)
{
	return must_mix_in(m, limit_ns(30));
}

static inline void reload(const char *parameters)
{
	CHECK_EQ(module_remove(), 0);
	CHECK_EQ(module_insert(parameters), 0);
}

static inline pid_t start_mixer(uint32_t key, double end)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		struct mixer *m = mixer_begin(key);

		do
			must_mix(m);
		while (seconds_now() < end);
		_exit(0);
	}
	return pid;
}

static inline bool set_online(const char *online)
{
	int fd = open(PROCESSOR, O_WRONLY);
	bool set = fd >= 0 && write(fd, online, 1) == 1;

	if (fd >= 0)
		close(fd);
	return set;
}

#endif
