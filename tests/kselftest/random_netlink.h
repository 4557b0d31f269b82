/* SPDX-License-Identifier: MIT */
/*
 * The random driver's netlink messages: well-formed, nearly so, and not at all; listeners that do
 * not read.
 */
#ifndef RANDOM_NETLINK_H
#define RANDOM_NETLINK_H

#include "netlink_client.h"
#include "random.h"

/** struct random_netlink - a thread's socket */
struct random_netlink {
	int socket;			/* 0: none yet */
	uint16_t family;
	uint32_t groups[GROUPS];
	struct request request;
};

static void netlink_make(struct thread *t, struct random_netlink *n)
{
	n->socket = nl_open();
	n->family = nl_family(n->socket, n->groups);
	for (size_t i = 0; i < GROUPS; i++)
		if (pick(t, 2))
			setsockopt(n->socket, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &n->groups[i],
				   sizeof(n->groups[i]));
}

static void netlink_attribute(struct thread *t, struct request *r)
{
	static const char *const knobs[] = { "policy", "preemption", "watchdog_us",
					     "transfer_policy", "kernel_statistics",
					     "nothing" };
	static const char *const values[] = { "fcfs", "dss",	 "npq", "drain", "switch",
					      "0",    "1",	"1000000", "-1",     "" };

	switch (pick(t, 9)) {
	case 0: return attr_u32(r, VGPU_NL_A_CONTEXT, (uint32_t)pick(t, 100));
	case 1: return attr_text(r, VGPU_NL_A_KNOB_NAME, knobs[pick(t, ARRAY_SIZE(knobs))]);
	case 2: return attr_text(r, VGPU_NL_A_KNOB_VALUE, values[pick(t, ARRAY_SIZE(values))]);
	case 3: return attr_u32(r, VGPU_NL_A_SAMPLE_MS, 10 + (uint32_t)pick(t, 100));
	case 4: return attr_u32(r, VGPU_NL_A_PRIORITY, (uint32_t)pick(t, 5) - 2);
	case 5: return attr_u32(r, VGPU_NL_A_TOKENS, (uint32_t)pick(t, 20));
	case 6: return attr_u32(r, VGPU_NL_A_COUNTS_SCOPE, (uint32_t)pick(t, 5));
	case 7: return attr(r, (uint16_t)pick(t, VGPU_NL_A_MAX), values, (uint16_t)pick(t, 60));
	default: return attr_u32(r, VGPU_NL_A_DEVICE, (uint32_t)pick(t, 3));
	}
}

static void netlink_ask(struct thread *t, struct random_netlink *n)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct request *r = &n->request;

	request(r, n->family, pick(t, 4) ? 0 : NLM_F_DUMP, (uint8_t)pick(t, VGPU_NL_CMD_COUNT + 1));
	if (pick(t, 8))
		attr_u32(r, VGPU_NL_A_DEVICE, 0);
	for (uint64_t i = pick(t, 4); i; i--)
		netlink_attribute(t, r);
	for (uint64_t i = pick(t, 4) ? 0 : pick(t, 8); i; i--)
		r->bytes[NLMSG_HDRLEN + pick(t, r->head.nlmsg_len - NLMSG_HDRLEN)] =
			(uint8_t)rnd(&t->seed);
	if (pick(t, 16) == 0)
		r->head.nlmsg_len -= (uint32_t)pick(t, 8);
	sendto(n->socket, r->bytes, r->head.nlmsg_len, MSG_DONTWAIT, (struct sockaddr *)&kernel,
	       sizeof(kernel));
}

static void random_netlink(struct thread *t, struct random_netlink *n)
{
	uint8_t bytes[8192];

	if (!n->socket)
		netlink_make(t, n);
	if (pick(t, 100) == 0) {
		close(n->socket);
		n->socket = 0;
		return;
	}
	netlink_ask(t, n);
	/* or does not read for a while */
	for (int i = 0; i < 8 && pick(t, 16); i++)
		if (recv(n->socket, bytes, sizeof(bytes), MSG_DONTWAIT) < 0)
			break;
}

#endif
