// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The instruction cache of an SM: sets of lines, of which the one that was fetched of longest ago
 * goes. A line that is not there comes l1i_miss_cycles after it was first missed, as if the L2 had
 * all code. Until then its warps are not fetched of; others are. What is replayed is in the replay
 * queue and is not looked for.
 */
#include "pipeline.h"

/* Bytes of an instruction in device memory, as NVIDIA's have before Volta. */
#define INSTRUCTION_BYTES	8u
#define INSTRUCTIONS_A_LINE	(VGPU_LINE / INSTRUCTION_BYTES)

/** struct vgpu_code_line - which line of which kernel */
struct vgpu_code_line {
	u64 kernel;		/* its id */
	u32 number;		/* of the line, from 1; 0: none */
};

struct vgpu_code_way {
	struct vgpu_code_line line;
	u64 used;		/* ages when it was last fetched of */
};

struct vgpu_code_miss {
	struct vgpu_code_line line;
	u64 cycle;		/* when it comes */
};

struct vgpu_code_cache {
	u32 sets;
	u32 ways;
	u32 misses;
	struct vgpu_code_miss *miss;	/* in the order in which they come */
	struct vgpu_code_way way[];
};

int vgpu_code_cache_init(struct vgpu_pipe *p)
{
	u32 ways = p->config->l1i_ways, lines = p->config->l1i_bytes / VGPU_LINE;
	struct vgpu_code_cache *c;

	p->code_due = VGPU_NEVER;
	if (!lines)
		return 0;
	/* a warp waits for one line at most */
	c = vgpu_mem_alloc_device(sizeof(*c) + lines * sizeof(*c->way) +
				  p->warp_room * sizeof(*c->miss));
	if (!c)
		return -ENOMEM;
	c->sets = lines / ways;
	c->ways = ways;
	c->miss = (void *)&c->way[lines];
	p->code = c;
	return 0;
}

void vgpu_code_cache_fini(struct vgpu_pipe *p)
{
	vgpu_mem_free_device(p->code);
}

static struct vgpu_code_line line_of(const struct vgpu_pipe_warp *pw)
{
	return (struct vgpu_code_line){ pw->block->launch->kernel->id,
					pw->w->pc / INSTRUCTIONS_A_LINE + 1 };
}

static bool is_same(const struct vgpu_code_line *a, const struct vgpu_code_line *b)
{
	return a->number == b->number && a->kernel == b->kernel;
}

static struct vgpu_code_way *set_of(struct vgpu_code_cache *c, const struct vgpu_code_line *line)
{
	return &c->way[line->number % c->sets * c->ways];
}

/* Let go of the warps that are held for @line. Returns whether there were any, or there are. */
static bool for_held(struct vgpu_pipe *p, const struct vgpu_code_line *line, bool let_go)
{
	bool any = false;

	for (u32 word = 0; word < p->warp_words; word++)
		for (u64 bits = p->used[word]; bits; bits &= bits - 1) {
			struct vgpu_pipe_warp *pw =
				p->warps[word * 64 + (u32)__builtin_ctzll(bits)];
			struct vgpu_code_line its = line_of(pw);

			if (!(pw->held & VGPU_HELD_CODE) || !is_same(&its, line))
				continue;
			any = true;
			if (let_go) {
				pw->code_came = true;
				vgpu_pipe_let_go(p, pw, VGPU_HELD_CODE);
			}
		}
	return any;
}

/* Lines for which blocks waited that have left. Afterwards there are less than warps. */
static void drop_unwanted(struct vgpu_pipe *p)
{
	struct vgpu_code_cache *c = p->code;
	u32 kept = 0;

	for (u32 n = 0; n < c->misses; n++)
		if (for_held(p, &c->miss[n].line, false))
			c->miss[kept++] = c->miss[n];
	c->misses = kept;
}

bool vgpu_code_is_there(struct vgpu_pipe *p, struct vgpu_pipe_warp *pw)
{
	struct vgpu_code_cache *c = p->code;
	struct vgpu_code_line line = line_of(pw);
	struct vgpu_code_way *way = set_of(c, &line);
	bool came = pw->code_came;
	u32 n;

	pw->code_came = false;
	for (n = 0; n < c->ways; n++)
		if (is_same(&way[n].line, &line)) {
			way[n].used = p->ages;
			return true;
		}
	/* it has come, and gone again before it was the turn of this warp: none might get on */
	if (came)
		return true;
	for (n = 0; n < c->misses && !is_same(&c->miss[n].line, &line); n++)
		;
	if (n == c->misses && n == p->warp_room) {
		drop_unwanted(p);
		n = c->misses;
	}
	if (n == c->misses)
		c->miss[c->misses++] = (struct vgpu_code_miss){
			line, p->cycle + p->config->l1i_miss_cycles };
	p->code_due = c->miss[0].cycle;
	vgpu_pipe_hold(p, pw, VGPU_HELD_CODE);
	return false;
}

static void enter(struct vgpu_pipe *p, const struct vgpu_code_line *line)
{
	struct vgpu_code_way *way = set_of(p->code, line), *oldest = way;

	for (u32 n = 1; n < p->code->ways && oldest->line.number; n++)
		if (!way[n].line.number || way[n].used < oldest->used)
			oldest = &way[n];
	*oldest = (struct vgpu_code_way){ *line, p->ages };
}

void vgpu_code_comes(struct vgpu_pipe *p)
{
	struct vgpu_code_cache *c = p->code;
	u32 n;

	for (n = 0; n < c->misses && c->miss[n].cycle <= p->cycle; n++) {
		enter(p, &c->miss[n].line);
		for_held(p, &c->miss[n].line, true);
	}
	c->misses -= n;
	memmove(c->miss, &c->miss[n], c->misses * sizeof(*c->miss));
	p->code_due = c->misses ? c->miss[0].cycle : VGPU_NEVER;
}
