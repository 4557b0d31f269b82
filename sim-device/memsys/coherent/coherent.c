// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Coherent caches as a whole: made and taken apart, messages that are no requests of an L1, and
 * what is due at a cycle; see coherent.h.
 */
#include "coherent.h"

/* ---- messages ------------------------------------------------------------------ */

struct vgpu_cc_message *vgpu_cc_message_of(struct vgpu_mem_request *request)
{
	return vgpu_container_of(request, struct vgpu_cc_message, request);
}

struct vgpu_coh_message *vgpu_cc_carried(struct vgpu_mem_request *request)
{
	struct vgpu_l1d *l1 = request->l1;

	if (request->kind == VGPU_MEM_MESSAGE)
		return &vgpu_cc_message_of(request)->m;
	return &vgpu_cc_l1_of(l1)->carried[request - l1->requests];
}

struct vgpu_mem_path *vgpu_cc_path_of(struct vgpu_mem_request *request)
{
	return &vgpu_cc_l1_of(request->l1)->paths[request - request->l1->requests];
}

struct vgpu_mem_request *vgpu_cc_message_new(struct vgpu_memsys *memsys, u32 sm, u64 physical,
					     u8 kind)
{
	struct vgpu_coherent *c = memsys->coherent;
	struct vgpu_mem_request *request = c->free_message;

	c->free_message = request->next;
	c->free_messages--;
	request->l1 = &memsys->l1s[sm];
	request->physical = physical;
	request->bytes = NULL;
	request->mshr = VGPU_CC_NONE;
	request->kind = VGPU_MEM_MESSAGE;
	request->sectors = 0;
	request->here = false;
	request->aborted = false;
	request->counters = NULL;
	request->launch = 0;
	vgpu_cc_message_of(request)->class = VGPU_CLASS_INVALIDATE;
	vgpu_cc_message_of(request)->m = (struct vgpu_coh_message){ .kind = kind,
								    .core = (u16)sm };
	vgpu_cc_message_of(request)->used = true;
	return request;
}

void vgpu_cc_message_free(struct vgpu_memsys *memsys, struct vgpu_mem_request *request)
{
	struct vgpu_coherent *c = memsys->coherent;

	vgpu_cc_message_of(request)->used = false;
	request->next = c->free_message;
	c->free_message = request;
	c->free_messages++;
}

/* ---- what is due ------------------------------------------------------------------ */

static bool is_before(const struct vgpu_cc_due *a, const struct vgpu_cc_due *b)
{
	return a->at < b->at || (a->at == b->at && a->seq < b->seq);
}

/* @due moves to the place that it has in the heap, at @n or before; behind */
static void sift_up(struct vgpu_coherent *c, u32 n, struct vgpu_cc_due due)
{
	for (; n && is_before(&due, &c->due[(n - 1) / 2]); n = (n - 1) / 2)
		c->due[n] = c->due[(n - 1) / 2];
	c->due[n] = due;
}

static void sift_down(struct vgpu_coherent *c, u32 n, struct vgpu_cc_due due)
{
	u32 below;

	while ((below = 2 * n + 1) < c->due_count) {
		if (below + 1 < c->due_count && is_before(&c->due[below + 1], &c->due[below]))
			below++;
		if (!is_before(&c->due[below], &due))
			break;
		c->due[n] = c->due[below];
		n = below;
	}
	c->due[n] = due;
}

void vgpu_cc_due_add(struct vgpu_memsys *memsys, const struct vgpu_cc_due *due)
{
	struct vgpu_coherent *c = memsys->coherent;
	struct vgpu_cc_due new = *due;

	if (!VGPU_CHECK(c->due_count < c->due_room))
		return;
	new.seq = ++memsys->seq;
	sift_up(c, c->due_count++, new);
	vgpu_memsys_expect(memsys, new.at + memsys->config->l2_cycles);
}

static void remove_due(struct vgpu_coherent *c, u32 n)
{
	struct vgpu_cc_due last = c->due[--c->due_count];

	if (n == c->due_count)
		return;
	if (n && is_before(&last, &c->due[(n - 1) / 2]))
		sift_up(c, n, last);
	else
		sift_down(c, n, last);
}

void vgpu_cc_due_cancel(struct vgpu_memsys *memsys, u32 index, u32 at, enum vgpu_cc_what what)
{
	struct vgpu_coherent *c = memsys->coherent;

	for (u32 n = 0; n < c->due_count; n++) {
		const struct vgpu_cc_due *due = &c->due[n];

		if (due->what != what || due->where != index || due->a != at)
			continue;
		remove_due(c, n);
		return;
	}
}

u64 vgpu_cc_next(const struct vgpu_memsys *memsys)
{
	return memsys->coherent->due_count ? memsys->coherent->due[0].at : VGPU_NEVER;
}

static void post(struct vgpu_memsys *memsys, u32 sm, u64 at)
{
	memsys->coherent->l1s[sm].mailed = true;
	vgpu_cc_due_add(memsys, &(struct vgpu_cc_due){ .at = at, .where = sm,
						       .what = VGPU_CC_MAIL });
}

/*
 * The SM has had its window if it has anything to do: what is still there is for an L1 whose SM has
 * no block, or stands still.
 */
static void open_mail(struct vgpu_memsys *memsys, u32 sm, u64 cycle)
{
	struct vgpu_cc_l1 *cc = &memsys->coherent->l1s[sm];
	u32 window = memsys->config->icnt_cycles;
	u64 next;

	cc->mailed = false;
	vgpu_cc_receive_all(&memsys->l1s[sm], cycle - window);
	vgpu_l1d_submit(&memsys->l1s[sm]);
	next = vgpu_cc_next_message(&memsys->l1s[sm]);
	if (cc->mail)
		post(memsys, sm, next > cycle - window ? next + window : cycle + 1);
	for (u32 n = 0; n < memsys->config->l2_partitions; n++)
		if (memsys->coherent->l2s[n].stuck.head)
			vgpu_cc_unstick(memsys, n, cycle);
}

void vgpu_cc_mail(struct vgpu_memsys *memsys, u32 sm, u64 due)
{
	struct vgpu_cc_l1 *cc = &memsys->coherent->l1s[sm];

	cc->mail++;
	if (!cc->mailed)
		post(memsys, sm, due + memsys->config->icnt_cycles);
}

void vgpu_cc_due_do(struct vgpu_memsys *memsys)
{
	struct vgpu_cc_due due;

	due = memsys->coherent->due[0];
	remove_due(memsys->coherent, 0);
	switch (due.what) {
	case VGPU_CC_FETCHED:
		vgpu_cc_fetched(memsys, due.where, due.a, due.at);
		break;
	case VGPU_CC_RETRY:
		vgpu_cc_retry(memsys, due.where, due.a, due.at);
		break;
	case VGPU_CC_TOKEN:
		vgpu_cc_ring(memsys, due.where, due.a, due.b, due.at);
		break;
	case VGPU_CC_UNSTICK:
		memsys->coherent->l2s[due.where].unsticks = false;
		vgpu_cc_unstick(memsys, due.where, due.at);
		break;
	default:
		open_mail(memsys, due.where, due.at);
	}
}

/* ---- made and taken apart -------------------------------------------------------------- */

static void init_setup(struct vgpu_coherent *c, const struct vgpu_config *config)
{
	bool physical = c->protocol->clocked;

	c->sc_core = config->sc_core;
	c->setup = (struct vgpu_coh_setup){
		.cores = config->sms,
		.partitions = config->l2_partitions,
		.lease = config->coherence_lease ? config->coherence_lease :
			 physical		  ? VGPU_CC_TC_LEASE :
						    0,
		.limit = (1ull << (config->rcc_bits ? config->rcc_bits : 32)) - 1,
		.predicts = config->tc_predictor,
		.as_published = config->rcc_as_published,
	};
}

static int init_pools(struct vgpu_memsys *memsys)
{
	struct vgpu_coherent *c = memsys->coherent;
	const struct vgpu_config *config = memsys->config;

	c->message_count = VGPU_CC_MESSAGES + 2 * config->sms;
	c->messages = vgpu_mem_alloc_device(c->message_count * sizeof(*c->messages));
	/* reads in flight, a retry for each request, mail for each SM, tokens of the ring */
	c->due_room = config->l2_mshrs + config->sms * (config->l1_mshrs + config->l1_queue + 1) +
		      8 * config->l2_partitions;
	c->due = vgpu_mem_alloc_device(c->due_room * sizeof(*c->due));
	if (!c->messages || !c->due)
		return -ENOMEM;
	for (u32 n = c->message_count; n--;)
		vgpu_cc_message_free(memsys, &c->messages[n].request);
	return 0;
}

int vgpu_cc_init(struct vgpu_memsys *memsys, const struct vgpu_coh_protocol *protocol)
{
	struct vgpu_coherent *c = vgpu_mem_alloc_device(sizeof(*c));
	const struct vgpu_config *config = memsys->config;

	if (!c)
		return -ENOMEM;
	memsys->coherent = c;
	c->protocol = protocol;
	init_setup(c, config);
	c->l1s = vgpu_mem_alloc_device(config->sms * sizeof(*c->l1s));
	c->l2s = vgpu_mem_alloc_device(config->l2_partitions * sizeof(*c->l2s));
	if (!c->l1s || !c->l2s || init_pools(memsys))
		return -ENOMEM;
	for (u32 n = 0; n < config->sms; n++)
		if (vgpu_cc_l1_init(&memsys->l1s[n]))
			return -ENOMEM;
	for (u32 n = 0; n < config->l2_partitions; n++)
		if (vgpu_cc_l2_init(memsys, n))
			return -ENOMEM;
	return 0;
}

void vgpu_cc_fini(struct vgpu_memsys *memsys)
{
	struct vgpu_coherent *c = memsys->coherent;

	if (!c)
		return;
	for (u32 n = 0; c->l1s && n < memsys->config->sms; n++)
		vgpu_cc_l1_fini(&memsys->l1s[n]);
	for (u32 n = 0; c->l2s && n < memsys->config->l2_partitions; n++)
		vgpu_cc_l2_fini(memsys, n);
	vgpu_mem_free_device(c->due);
	vgpu_mem_free_device(c->messages);
	vgpu_mem_free_device(c->l2s);
	vgpu_mem_free_device(c->l1s);
	vgpu_mem_free_device(c);
	memsys->coherent = NULL;
}
