/* SPDX-License-Identifier: MIT */
/*
 * Generic netlink by hand, so that messages can be wrong on purpose: requests that are built byte
 * by byte, answers, refusals with their sentence.
 */
#ifndef NETLINK_CLIENT_H
#define NETLINK_CLIENT_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "vgpu_client.h"
#include "vgpu_netlink.h"

/** struct request - a message on its way out */
struct request {
	union {
		struct nlmsghdr head;
		uint8_t bytes[65536];
	};
};

/**
 * struct answer - what came back: the errno of the acknowledgement (0, or negative), its sentence,
 * and the messages before it
 */
struct answer {
	int error;
	char text[256];
	uint32_t messages;
	uint32_t used;
	uint8_t bytes[1 << 20];
};

static inline int nl_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC), on = 1;
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };

	CHECK(fd >= 0);
	/* with a port of its own: groups do not reach a socket without */
	CHECK(!bind(fd, (struct sockaddr *)&any, sizeof(any)));
	CHECK(!setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)));
	CHECK(!setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on)));
	return fd;
}

static inline void request(struct request *r, uint16_t type, uint16_t flags, uint8_t command)
{
	memset(r->bytes, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	r->head.nlmsg_type = type;
	r->head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	r->head.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
	r->head.nlmsg_seq = 1;
	*(struct genlmsghdr *)NLMSG_DATA(&r->head) =
		(struct genlmsghdr){ .cmd = command, .version = 1 };
}

static inline void attr(struct request *r, uint16_t type, const void *data, uint16_t bytes)
{
	struct nlattr *a = (struct nlattr *)(r->bytes + r->head.nlmsg_len);

	CHECK(r->head.nlmsg_len + NLA_HDRLEN + NLA_ALIGN(bytes) <= sizeof(r->bytes));
	memset(a, 0, NLA_HDRLEN + NLA_ALIGN(bytes));
	a->nla_type = type;
	a->nla_len = (uint16_t)(NLA_HDRLEN + bytes);
	memcpy((uint8_t *)a + NLA_HDRLEN, data, bytes);
	r->head.nlmsg_len += NLA_HDRLEN + NLA_ALIGN(bytes);
}

static inline void attr_u32(struct request *r, uint16_t type, uint32_t value)
{
	attr(r, type, &value, sizeof(value));
}

static inline void attr_text(struct request *r, uint16_t type, const char *text)
{
	attr(r, type, text, (uint16_t)(strlen(text) + 1));
}

/* The attribute @type in @bytes from @at on, NULL: it is not there. */
static inline const struct nlattr *attr_in(const uint8_t *at, uint32_t bytes, uint16_t type)
{
	while (bytes >= NLA_HDRLEN) {
		const struct nlattr *a = (const struct nlattr *)at;

		if (a->nla_len < NLA_HDRLEN || a->nla_len > bytes)
			return NULL;
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		if ((uint32_t)NLA_ALIGN(a->nla_len) >= bytes)
			return NULL;
		at += NLA_ALIGN(a->nla_len);
		bytes -= NLA_ALIGN(a->nla_len);
	}
	return NULL;
}

static inline const struct nlattr *attr_of(const struct nlmsghdr *head, uint16_t type)
{
	const uint32_t skip = NLMSG_HDRLEN + GENL_HDRLEN;

	return head->nlmsg_len > skip ?
		       attr_in((const uint8_t *)head + skip, head->nlmsg_len - skip, type) :
		       NULL;
}

static inline const void *attr_data(const struct nlattr *a)
{
	return (const uint8_t *)a + NLA_HDRLEN;
}

static inline uint32_t u32_of(const struct nlmsghdr *head, uint16_t type)
{
	const struct nlattr *a = attr_of(head, type);

	CHECK(a && a->nla_len == NLA_HDRLEN + 4);
	return *(const uint32_t *)attr_data(a);
}

static inline uint64_t u64_of(const struct nlmsghdr *head, uint16_t type)
{
	const struct nlattr *a = attr_of(head, type);
	uint64_t value;

	CHECK(a && a->nla_len == NLA_HDRLEN + 8);
	memcpy(&value, attr_data(a), sizeof(value));
	return value;
}

static inline const char *text_of(const struct nlmsghdr *head, uint16_t type)
{
	const struct nlattr *a = attr_of(head, type);

	CHECK(a);
	return attr_data(a);
}

static inline uint8_t command_of(const struct nlmsghdr *head)
{
	return ((const struct genlmsghdr *)NLMSG_DATA(head))->cmd;
}

static inline void acknowledged(struct answer *answer, const struct nlmsghdr *head)
{
	const uint8_t *data = NLMSG_DATA(head);
	/* an error: errno, the request's header; the end of a dump: errno */
	uint32_t skip = head->nlmsg_type == NLMSG_DONE ? 4 : sizeof(struct nlmsgerr);
	const struct nlattr *text = NULL;

	answer->error = *(const int *)data;
	if (head->nlmsg_flags & NLM_F_ACK_TLVS)
		text = attr_in(data + skip, head->nlmsg_len - NLMSG_HDRLEN - skip,
			       NLMSGERR_ATTR_MSG);
	snprintf(answer->text, sizeof(answer->text), "%s",
		 text ? (const char *)attr_data(text) : "");
}

/* Read until the acknowledgement or the end of a dump. */
static inline void nl_read(int fd, struct answer *answer)
{
	answer->used = 0;
	answer->messages = 0;
	for (;;) {
		uint32_t left, at = answer->used;
		ssize_t n = recv(fd, answer->bytes + at, sizeof(answer->bytes) - at, 0);

		CHECK(n > 0);
		for (left = (uint32_t)n; left; ) {
			struct nlmsghdr *head = (struct nlmsghdr *)(answer->bytes + at);

			CHECK(left >= NLMSG_HDRLEN && head->nlmsg_len <= left);
			if (head->nlmsg_type == NLMSG_ERROR || head->nlmsg_type == NLMSG_DONE) {
				acknowledged(answer, head);
				return;
			}
			answer->messages++;
			at += NLMSG_ALIGN(head->nlmsg_len);
			left -= NLMSG_ALIGN(head->nlmsg_len) < left ? NLMSG_ALIGN(head->nlmsg_len) :
								      left;
			answer->used = at;
		}
	}
}

/* Send @bytes of the request as they are. */
static inline int nl_ask_bytes(int fd, const struct request *r, uint32_t bytes,
			       struct answer *answer)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	CHECK_EQ(sendto(fd, r->bytes, bytes, 0, (struct sockaddr *)&kernel, sizeof(kernel)), bytes);
	nl_read(fd, answer);
	return answer->error;
}

static inline int nl_ask(int fd, const struct request *r, struct answer *answer)
{
	return nl_ask_bytes(fd, r, r->head.nlmsg_len, answer);
}

static inline const struct nlmsghdr *message(const struct answer *answer, uint32_t index)
{
	const uint8_t *at = answer->bytes;

	CHECK(index < answer->messages);
	while (index--)
		at += NLMSG_ALIGN(((const struct nlmsghdr *)at)->nlmsg_len);
	return (const struct nlmsghdr *)at;
}

/* Multicast groups of the family */
enum { NOTICES, SAMPLES, PUBLIC, GROUPS };
static const char *const group_names[GROUPS] = {
	[NOTICES] = VGPU_NL_GROUP_NOTICES,
	[SAMPLES] = VGPU_NL_GROUP_SAMPLES,
	[PUBLIC] = VGPU_NL_GROUP_PUBLIC,
};

static inline uint16_t family_in(const struct nlmsghdr *answer, uint32_t groups[GROUPS])
{
	const struct nlattr *list = attr_of(answer, CTRL_ATTR_MCAST_GROUPS), *group;

	CHECK(list);
	for (uint16_t i = 1; (group = attr_in(attr_data(list), list->nla_len - NLA_HDRLEN, i));
	     i++) {
		const struct nlattr *name = attr_in(attr_data(group), group->nla_len - NLA_HDRLEN,
						    CTRL_ATTR_MCAST_GRP_NAME);
		const struct nlattr *id = attr_in(attr_data(group), group->nla_len - NLA_HDRLEN,
						  CTRL_ATTR_MCAST_GRP_ID);

		CHECK(name && id);
		for (int known = 0; groups && known < GROUPS; known++)
			if (!strcmp(attr_data(name), group_names[known]))
				groups[known] = *(const uint32_t *)attr_data(id);
	}
	return *(const uint16_t *)attr_data(attr_of(answer, CTRL_ATTR_FAMILY_ID));
}

/*
 * Number of the family "vgpu", 0: there is none. @groups: those of its groups; NULL: not asked.
 * Threads may ask at the same time, each by a socket of its own.
 */
static inline uint16_t nl_family(int fd, uint32_t groups[GROUPS])
{
	struct answer *answer = malloc(sizeof(*answer));
	struct request *r = malloc(sizeof(*r));
	uint16_t family = 0;

	CHECK(answer && r);
	request(r, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	attr_text(r, CTRL_ATTR_FAMILY_NAME, VGPU_NL_FAMILY);
	if (!nl_ask(fd, r, answer) && answer->messages == 1)
		family = family_in(message(answer, 0), groups);
	free(answer);
	free(r);
	return family;
}

/* A socket that listens to @group, for ten seconds at a time; a negative errno. */
static inline int nl_listen(uint32_t group)
{
	struct timeval limit = { .tv_sec = 10 };
	int fd = nl_open(), error;

	CHECK(!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)));
	if (!setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)))
		return fd;
	error = -errno;
	close(fd);
	return error;
}

static inline int must_listen(uint32_t group)
{
	int fd = nl_listen(group);

	CHECK(fd >= 0);
	return fd;
}

/* The next message of a group, which must be @command. */
static inline const struct nlmsghdr *must_hear(int fd, uint8_t command)
{
	static uint8_t bytes[65536];
	const struct nlmsghdr *head = (const struct nlmsghdr *)bytes;
	ssize_t n = recv(fd, bytes, sizeof(bytes), 0);

	CHECK(n >= (ssize_t)(NLMSG_HDRLEN + GENL_HDRLEN) && (uint32_t)n == head->nlmsg_len);
	CHECK_EQ(command_of(head), command);
	CHECK_EQ(u32_of(head, VGPU_NL_A_DEVICE), 0);
	return head;
}

#endif
