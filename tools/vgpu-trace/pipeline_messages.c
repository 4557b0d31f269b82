// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: the messages between L1s and L2 that the accesses of instructions have caused, where
 * the caches run a protocol (trace_pipeline=1, coherence). For each line an access asks L2, which
 * may tell other L1s to drop it, and answers.
 */
#include <stdlib.h>

#include "trace.h"

int trace_message(struct trace *t, const struct vgpu_trace_record *rec)
{
	uint64_t from = rec->seq;
	struct message *m;

	if (trace_array_grow(&t->messages, &t->message_room, t->message_count,
			     sizeof(*t->messages)))
		return -1;
	m = &t->messages[t->message_count];
	*m = (struct message){
		.sm = rec->sm,
		.pc = rec->queue & 0xffffff,
		.warp = rec->b >> 8 & 0xff,
		.kind = rec->b & 0xff,
		.block = rec->b >> 16,
		.fetch = from,
		.leaves = from + (rec->a >> 32),
		.arrives = from + (uint32_t)rec->a,
		.order = t->message_count,
	};
	if (m->kind == VGPU_MESSAGE_INV)
		m->leaves = rec->a;
	t->message_count++;
	return 0;
}

static int by_instruction(const struct message *x, const struct message *y)
{
	if (x->sm != y->sm)
		return x->sm < y->sm ? -1 : 1;
	if (x->fetch != y->fetch)
		return x->fetch < y->fetch ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	if (x->warp != y->warp)
		return x->warp < y->warp ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int by_order(const void *a, const void *b)
{
	const struct message *x = a, *y = b;
	int order = by_instruction(x, y);

	return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

void trace_sort_messages(struct trace *t)
{
	if (t->message_count)
		qsort(t->messages, t->message_count, sizeof(*t->messages), by_order);
}

static int found(const void *key, const void *element)
{
	return by_instruction(key, element);
}

const struct message *trace_messages_of(const struct trace *t, const struct instruction *i,
					size_t *count)
{
	const struct message key = { .sm = i->sm, .pc = i->pc, .warp = i->warp, .block = i->block,
				     .fetch = i->fetch };
	const struct message *first = NULL, *last;

	*count = 0;
	if (t->message_count)
		first = bsearch(&key, t->messages, t->message_count, sizeof(key), found);
	if (!first)
		return NULL;
	last = first;
	while (first > t->messages && !by_instruction(&key, first - 1))
		first--;
	while (last + 1 < t->messages + t->message_count && !by_instruction(&key, last + 1))
		last++;
	*count = (size_t)(last - first) + 1;
	return first;
}

static int is_answer(const struct message *m)
{
	return m->kind > VGPU_MESSAGE_INV;
}

int trace_next_exchange(const struct message *m, size_t count, size_t *at, struct exchange *e)
{
	*e = (struct exchange){};
	/* what a ring has lost of */
	while (*at < count && (is_answer(&m[*at]) || m[*at].kind == VGPU_MESSAGE_INV))
		++*at;
	if (*at == count)
		return 0;
	e->ask = &m[(*at)++];
	if (*at < count && m[*at].kind == VGPU_MESSAGE_INV)
		e->invs = m[(*at)++].leaves;
	if (*at < count && is_answer(&m[*at]))
		e->answer = &m[(*at)++];
	return 1;
}

static const char *name_of(uint32_t kind)
{
	static const char *const names[VGPU_MESSAGES] = {
		[VGPU_MESSAGE_GETS] = "GETS",
		[VGPU_MESSAGE_WRITE] = "WRITE",
		[VGPU_MESSAGE_UPGRADE] = "UPGRADE",
		[VGPU_MESSAGE_ATOMIC] = "ATOMIC",
		[VGPU_MESSAGE_INV] = "INV",
		[VGPU_MESSAGE_DATA] = "DATA",
		[VGPU_MESSAGE_DATA_E] = "DATA_E",
		[VGPU_MESSAGE_RENEW] = "RENEW",
		[VGPU_MESSAGE_ACK] = "ACK",
		[VGPU_MESSAGE_ACK_GLOBAL] = "ACK_GLOBAL",
	};

	return kind < VGPU_MESSAGES && names[kind] ? names[kind] : "?";
}

const char *trace_exchange_name(const struct exchange *e, char *text, size_t size)
{
	char invs[32] = "";

	if (e->invs)
		snprintf(invs, sizeof(invs), ", %llu INV", (unsigned long long)e->invs);
	snprintf(text, size, "%s%s%s%s", name_of(e->ask->kind), invs, e->answer ? ", " : "",
		 e->answer ? name_of(e->answer->kind) : "");
	return text;
}

char trace_exchange_at(const struct exchange *e, uint64_t cycle)
{
	if (cycle < e->ask->leaves || (e->answer && cycle > e->answer->arrives))
		return 0;
	if (cycle < e->ask->arrives)
		return '>';
	if (!e->answer)
		return 0;
	return cycle < e->answer->leaves ? '=' : '<';
}
