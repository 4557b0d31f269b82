// SPDX-License-Identifier: MIT
/*
 * Requests to the module's netlink family, by libnl: send, collect the answers, turn an errno into
 * a line that says what to do.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "client.h"
#include "parse.h"

/** struct collect - where answers go: a list of structs that grows */
struct collect {
	void *list;
	size_t count, room, size;
	void (*parse)(struct nlattr **attrs, void *to);
	bool failed;			/* no memory */
};

/* ---- errors ------------------------------------------------------------- */

static int fail(struct client *client, int status, const char *what)
{
	snprintf(client->error, sizeof(client->error), "%s", what);
	return status;
}

static int absent(struct client *client)
{
	return fail(
		client, CLIENT_ABSENT,
		"no vgpu device here: load the module (make modules, then insmod vgpu.ko as "
		"root), or run this in a guest (vgpu-vm --)");
}

/* The exit status for what the last request came back with. */
static int verdict(struct client *client, int error)
{
	if (!error && !client->failed)
		return CLIENT_OK;
	if (client->failed == -EPERM)
		return fail(client, CLIENT_FORBIDDEN,
			    "not permitted: setting anything needs root (CAP_SYS_ADMIN)");
	if (client->said[0])
		return fail(client, CLIENT_FAILED, client->said);
	return fail(client, CLIENT_FAILED,
		    client->failed ? strerror(-client->failed) : nl_geterror(error));
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	const struct nlmsghdr *head = (const struct nlmsghdr *)((const char *)error - NLMSG_HDRLEN);
	struct client *client = arg;
	struct nlattr *attrs[NLMSGERR_ATTR_MAX + 1] = { NULL };
	int skip = sizeof(*error);

	(void)from;
	client->failed = error->error;
	if (head->nlmsg_flags & NLM_F_ACK_TLVS &&
	    !nla_parse(attrs, NLMSGERR_ATTR_MAX, (struct nlattr *)((char *)error + skip),
		       (int)head->nlmsg_len - NLMSG_HDRLEN - skip, NULL) &&
	    attrs[NLMSGERR_ATTR_MSG])
		snprintf(client->said, sizeof(client->said), "%s",
			 nla_get_string(attrs[NLMSGERR_ATTR_MSG]));
	return NL_STOP;
}

/* ---- requests ----------------------------------------------------------- */

static int on_answer(struct nl_msg *message, void *arg)
{
	struct nlattr *attrs[VGPU_NL_A_MAX + 1];
	struct collect *collect = arg;
	char *at;

	if (genlmsg_parse(nlmsg_hdr(message), 0, attrs, VGPU_NL_A_MAX, NULL))
		return NL_SKIP;
	if (collect->count == collect->room) {
		size_t room = collect->room ? 2 * collect->room : 4;
		void *more = realloc(collect->list, room * collect->size);

		if (!more) {
			collect->failed = true;
			return NL_SKIP;
		}
		collect->list = more;
		collect->room = room;
	}
	at = (char *)collect->list + collect->count++ * collect->size;
	memset(at, 0, collect->size);
	collect->parse(attrs, at);
	return NL_OK;
}

static int on_end(struct nl_msg *message, void *arg)
{
	(void)message;
	*(bool *)arg = true;
	return NL_STOP;
}

static struct nl_msg *request(struct client *client, uint8_t command, int flags)
{
	struct nl_msg *message = nlmsg_alloc();

	if (message && !genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, client->family, 0, flags,
				    command, VGPU_NL_VERSION)) {
		nlmsg_free(message);
		message = NULL;
	}
	return message;
}

/*
 * Send @message, which is gone afterwards, and take in what comes until the end. @collect: NULL,
 * nothing is expected.
 */
static int send_and_collect(struct client *client, struct nl_msg *message, struct collect *collect)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	bool end = false;
	int error;

	client->failed = 0;
	client->said[0] = 0;
	if (!cb) {
		nlmsg_free(message);
		return fail(client, CLIENT_FAILED, "out of memory");
	}
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, client);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, &end);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, &end);
	if (collect)
		nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_answer, collect);
	error = nl_send_auto(client->socket, message);
	nlmsg_free(message);
	while (error >= 0 && !end && !client->failed)
		error = nl_recvmsgs(client->socket, cb);
	nl_cb_put(cb);
	if (collect && collect->failed)
		return fail(client, CLIENT_FAILED, "out of memory");
	return verdict(client, error < 0 ? error : 0);
}

/* The same for an answer of one element, which becomes *@one. */
static int send_for_one(struct client *client, struct nl_msg *message, struct collect *collect,
			void *one)
{
	int status = send_and_collect(client, message, collect);

	if (!status && collect->count)
		memcpy(one, collect->list, collect->size);
	free(collect->list);
	return status;
}

static int ask_list(struct client *client, uint8_t command, int only, struct collect *collect)
{
	struct nl_msg *message = request(client, command, NLM_F_DUMP);

	if (!message || (only >= 0 && nla_put_u32(message, VGPU_NL_A_DEVICE, (uint32_t)only))) {
		nlmsg_free(message);
		return fail(client, CLIENT_FAILED, "out of memory");
	}
	return send_and_collect(client, message, collect);
}

/* A list leaves out what a device says of each SM. */
static int ask_device(struct client *client, struct client_device *device)
{
	struct collect collect = { .size = sizeof(*device), .parse = parse_device };
	struct nl_msg *message = request(client, VGPU_NL_CMD_DEVICE_GET, NLM_F_ACK);

	if (!message || nla_put_u32(message, VGPU_NL_A_DEVICE, device->index)) {
		nlmsg_free(message);
		return fail(client, CLIENT_FAILED, "out of memory");
	}
	return send_for_one(client, message, &collect, device);
}

int client_devices(struct client *client, int only, struct client_device **list, size_t *count)
{
	struct collect collect = { .size = sizeof(**list), .parse = parse_device };
	int status = ask_list(client, VGPU_NL_CMD_DEVICE_GET, only, &collect);

	for (size_t i = 0; i < collect.count && !status; i++)
		status = ask_device(client, (struct client_device *)collect.list + i);
	if (!status && !collect.count) {
		if (only >= 0)
			snprintf(client->error, sizeof(client->error),
				 "no device %d; vgpu-smi -L lists the devices", only);
		status = only >= 0 ? CLIENT_ABSENT : absent(client);
	}
	if (status) {
		free(collect.list);
		return status;
	}
	*list = collect.list;
	*count = collect.count;
	return CLIENT_OK;
}

int client_contexts(struct client *client, int only, struct client_context **list, size_t *count)
{
	struct collect collect = { .size = sizeof(**list), .parse = parse_context };
	int status = ask_list(client, VGPU_NL_CMD_CONTEXT_GET, only, &collect);

	if (status) {
		free(collect.list);
		return status;
	}
	*list = collect.list;
	*count = collect.count;
	return CLIENT_OK;
}

int client_sms(struct client *client, int only, struct client_sm **list, size_t *count)
{
	struct collect collect = { .size = sizeof(**list), .parse = parse_sm };
	int status = ask_list(client, VGPU_NL_CMD_SM_GET, only, &collect);

	if (status) {
		free(collect.list);
		return status;
	}
	*list = collect.list;
	*count = collect.count;
	return CLIENT_OK;
}

int client_counts(struct client *client, int only, enum vgpu_nl_counts scope,
		  struct client_counts **list, size_t *count)
{
	struct collect collect = { .size = sizeof(**list), .parse = parse_counts };
	struct nl_msg *message = request(client, VGPU_NL_CMD_COUNTS_GET, NLM_F_DUMP);
	int status;

	if (!message || nla_put_u32(message, VGPU_NL_A_COUNTS_SCOPE, scope) ||
	    (only >= 0 && nla_put_u32(message, VGPU_NL_A_DEVICE, (uint32_t)only))) {
		nlmsg_free(message);
		return fail(client, CLIENT_FAILED, "out of memory");
	}
	status = send_and_collect(client, message, &collect);
	if (status) {
		free(collect.list);
		return status;
	}
	*list = collect.list;
	*count = collect.count;
	return CLIENT_OK;
}

int client_context(struct client *client, uint32_t device, uint32_t id,
		   struct client_context *context)
{
	struct collect collect = { .size = sizeof(*context), .parse = parse_context };
	struct nl_msg *message = request(client, VGPU_NL_CMD_CONTEXT_GET, NLM_F_ACK);

	if (!message || nla_put_u32(message, VGPU_NL_A_DEVICE, device) ||
	    nla_put_u32(message, VGPU_NL_A_CONTEXT, id)) {
		nlmsg_free(message);
		return fail(client, CLIENT_FAILED, "out of memory");
	}
	return send_for_one(client, message, &collect, context);
}

int client_set_knob(struct client *client, uint32_t device, const char *knob, const char *value)
{
	struct nl_msg *message = request(client, VGPU_NL_CMD_DEVICE_SET, NLM_F_ACK);

	if (!message || nla_put_u32(message, VGPU_NL_A_DEVICE, device) ||
	    nla_put_string(message, VGPU_NL_A_KNOB_NAME, knob) ||
	    nla_put_string(message, VGPU_NL_A_KNOB_VALUE, value)) {
		nlmsg_free(message);
		return fail(client, CLIENT_FAILED, "out of memory");
	}
	return send_and_collect(client, message, NULL);
}

int client_set_samples(struct client *client, uint32_t device, uint32_t ms)
{
	struct nl_msg *message = request(client, VGPU_NL_CMD_DEVICE_SET, NLM_F_ACK);

	if (!message || nla_put_u32(message, VGPU_NL_A_DEVICE, device) ||
	    nla_put_u32(message, VGPU_NL_A_SAMPLE_MS, ms)) {
		nlmsg_free(message);
		return fail(client, CLIENT_FAILED, "out of memory");
	}
	return send_and_collect(client, message, NULL);
}

int client_set_context(struct client *client, uint32_t device, uint32_t context,
		       const int32_t *priority, const uint32_t *tokens)
{
	struct nl_msg *message = request(client, VGPU_NL_CMD_CONTEXT_SET, NLM_F_ACK);

	if (!message || nla_put_u32(message, VGPU_NL_A_DEVICE, device) ||
	    nla_put_u32(message, VGPU_NL_A_CONTEXT, context) ||
	    (priority && nla_put_s32(message, VGPU_NL_A_PRIORITY, *priority)) ||
	    (tokens && nla_put_u32(message, VGPU_NL_A_TOKENS, *tokens))) {
		nlmsg_free(message);
		return fail(client, CLIENT_FAILED, "out of memory");
	}
	return send_and_collect(client, message, NULL);
}

int client_inject(struct client *client, uint32_t device, uint32_t kind, uint32_t xid,
		  uint32_t context)
{
	struct nl_msg *message = request(client, VGPU_NL_CMD_DEVICE_INJECT, NLM_F_ACK);

	if (!message || nla_put_u32(message, VGPU_NL_A_DEVICE, device) ||
	    nla_put_u32(message, VGPU_NL_A_INJECT, kind) ||
	    (xid && nla_put_u32(message, VGPU_NL_A_XID, xid)) ||
	    (context && nla_put_u32(message, VGPU_NL_A_CONTEXT, context))) {
		nlmsg_free(message);
		return fail(client, CLIENT_FAILED, "out of memory");
	}
	return send_and_collect(client, message, NULL);
}

/* ---- listening ---------------------------------------------------------- */

int client_listen(struct client *client, const char *group)
{
	int number = genl_ctrl_resolve_grp(client->socket, VGPU_NL_FAMILY, group);
	int error = number < 0 ? number : nl_socket_add_membership(client->socket, number);

	if (error == -NLE_PERM)
		return fail(client, CLIENT_FORBIDDEN,
			    "not permitted: this group needs root (CAP_SYS_ADMIN)");
	return error < 0 ? fail(client, CLIENT_FAILED, nl_geterror(error)) : CLIENT_OK;
}

/** struct hearing - one notice on its way to who waits for it */
struct hearing {
	struct client_notice *notice;
	bool heard;
};

static int on_notice(struct nl_msg *message, void *arg)
{
	struct nlattr *attrs[VGPU_NL_A_MAX + 1];
	struct hearing *hearing = arg;

	if (genlmsg_parse(nlmsg_hdr(message), 0, attrs, VGPU_NL_A_MAX, NULL))
		return NL_SKIP;
	memset(hearing->notice, 0, sizeof(*hearing->notice));
	hearing->notice->command = genlmsg_hdr(nlmsg_hdr(message))->cmd;
	parse_notice(attrs, hearing->notice);
	hearing->heard = true;
	return NL_STOP;
}

/* What nobody asked for has no number in a sequence. */
static int on_any(struct nl_msg *message, void *arg)
{
	(void)message;
	(void)arg;
	return NL_OK;
}

int client_next(struct client *client, struct client_notice *notice)
{
	struct hearing hearing = { .notice = notice };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int error = 0;

	if (!cb)
		return fail(client, CLIENT_FAILED, "out of memory");
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_any, NULL);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_notice, &hearing);
	while (!hearing.heard && error >= 0)
		error = nl_recvmsgs(client->socket, cb);
	nl_cb_put(cb);
	/* what libnl makes of ENOBUFS */
	if (error == -NLE_NOMEM && !hearing.heard) {
		memset(notice, 0, sizeof(*notice));
		return CLIENT_OK;
	}
	return hearing.heard ? CLIENT_OK : fail(client, CLIENT_FAILED, nl_geterror(error));
}

/* ---- opening ------------------------------------------------------------ */

int client_open(struct client *client)
{
	int on = 1, error;

	memset(client, 0, sizeof(*client));
	client->socket = nl_socket_alloc();
	if (!client->socket)
		return fail(client, CLIENT_FAILED, "out of memory");
	error = genl_connect(client->socket);
	if (error < 0) {
		client_close(client);
		return fail(client, CLIENT_FAILED, nl_geterror(error));
	}
	/* so that a refusal comes with its sentence */
	setsockopt(nl_socket_get_fd(client->socket), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(nl_socket_get_fd(client->socket), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	nl_socket_set_buffer_size(client->socket, 1 << 20, 0);
	client->family = genl_ctrl_resolve(client->socket, VGPU_NL_FAMILY);
	if (client->family >= 0)
		return CLIENT_OK;
	client_close(client);
	return absent(client);
}

void client_close(struct client *client)
{
	nl_socket_free(client->socket);
	client->socket = NULL;
}
