/* SPDX-License-Identifier: MIT */
/*
 * Attributes of the module's messages into the structs of client.h. Private to tools/netlink/.
 */
#ifndef PARSE_H
#define PARSE_H

struct nlattr;

/* @to: struct client_device, zeroed */
void parse_device(struct nlattr **attrs, void *to);
/* @to: struct client_context */
void parse_context(struct nlattr **attrs, void *to);
/* @to: struct client_sm */
void parse_sm(struct nlattr **attrs, void *to);
/* @to: struct client_counts */
void parse_counts(struct nlattr **attrs, void *to);
/* @to: struct client_notice */
void parse_notice(struct nlattr **attrs, void *to);

#endif
