/* SPDX-License-Identifier: MIT */
/*
 * Kernels that use words of memory which a process uses, too, and what both do with them.
 */
#ifndef VGPU_WORDS_H
#define VGPU_WORDS_H

#include "vgpu_asm.h"
#include "vgpu_client.h"

enum { ADD, SPIN };

struct add_params {
	uint64_t words;
	uint32_t add;
	uint32_t stride;	/* bytes */
};

struct user {
	int fd;
	uint32_t queue, module;
};

/* ADD: thread n adds to word n; SPIN: until a word is not 0 */
static inline struct user user_of(int fd)
{
	struct program p = {};
	struct user u = { .fd = fd };

	kernel(&p, "add", sizeof(struct add_params));
	ldp8(&p, 0, offsetof(struct add_params, words));
	ldp4(&p, 2, offsetof(struct add_params, add));
	ldp4(&p, 3, offsetof(struct add_params, stride));
	global_id(&p, 4, 8);
	insn(&p, VGPU_OP_MADWU, 0, 6, 4, 3, 0, 0);		/* Q6 = R4 * R3 + Q0 */
	ldg4(&p, 5, 6);
	insn(&p, VGPU_OP_ADD, 0, 5, 5, 2, 0, 0);
	stg4(&p, 6, 5);
	finish(&p);
	kernel(&p, "spin", 8);
	ldp8(&p, 0, 0);
	ldg4(&p, 2, 0);
	insn(&p, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 0, 2, 0, 0, 0);
	insn(&p, VGPU_OP_BRA, 0, 0, 0, 0, 0, 1 | (uint64_t)VGPU_NO_RECONV << 32);
	guard(&p, 0);
	finish(&p);
	u.queue = must_queue(fd);
	u.module = must_load(fd, &p);
	return u;
}

static inline struct user user_begin(void)
{
	return user_of(must_open());
}

static inline uint64_t start_add(const struct user *u, uint64_t words, uint32_t count, uint32_t add,
			  uint32_t stride)
{
	struct add_params params = { .words = words, .add = add, .stride = stride };
	struct vgpu_cmd cmd =
		cmd_launch(u->module, ADD, count / 128, 128, &params, sizeof(params));

	return must_submit(u->fd, u->queue, &cmd, 1);
}

static inline void must_wait(const struct user *u, uint64_t seq)
{
	CHECK_EQ(wait_seq(u->fd, u->queue, seq, limit_ns(30)), 0);
}

static inline void must_add(const struct user *u, uint64_t words, uint32_t count, uint32_t add)
{
	must_wait(u, start_add(u, words, count, add, 4));
}

static inline void must_be(const volatile uint32_t *words, uint32_t count, uint32_t add)
{
	for (uint32_t n = 0; n < count; n++)
		CHECK_EQ(words[n], n + add);
}

static inline void number(volatile uint32_t *words, uint32_t count)
{
	for (uint32_t n = 0; n < count; n++)
		words[n] = n;
}

#endif
