// SPDX-License-Identifier: MIT
/*
 * .callprototype: what a function that is called by its address takes and gives. The lexer hands
 * over the text; of every result and parameter the bytes are all that counts.
 */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define BLANKS " \t\r\n\f"
#define MAX_BYTES (1u << 20) /* of one parameter */

static _Noreturn void malformed(struct ptx_parse *p, const char *at)
{
	ptx_fail(p->ctx, p->line,
		 "`.callprototype': `%.20s' where (.param .b32 _) and the like are "
		 "wanted",
		 at);
}

/* One ".param .align 8 .b8 _[24]": its bytes; *at moves behind it. */
static uint32_t read_element(struct ptx_parse *p, const char **at)
{
	uint64_t bytes = 0, count;
	bool space = false;
	size_t length;

	for (;;) {
		*at += strspn(*at, BLANKS);
		if (**at == ',' || **at == ')' || !**at)
			break;
		if (**at == '[') {
			char *end;

			count = strtoull(*at + 1, &end, 0);
			end += strspn(end, BLANKS);
			if (*end != ']' || !bytes || count > MAX_BYTES / bytes)
				malformed(p, *at);
			bytes *= count;
			*at = end + 1;
			continue;
		}
		if (**at != '.') { /* a name, or the number of .align */
			length = strcspn(*at, BLANKS ",)[.");
			*at += length;
			continue;
		}
		length = strcspn(*at + 1, BLANKS ",)[.");
		if (length == 5 && !memcmp(*at + 1, "param", 5))
			space = true;
		else if (length == 3 && !memcmp(*at + 1, "reg", 3))
			space = true;
		else if (ptx_mod_kinds(ptx_find_mod(&p->words, *at + 1, length)) & PTX_K_TYPE)
			bytes = ptx_type_bytes(ptx_find_mod(&p->words, *at + 1, length));
		*at += 1 + length;
	}
	if (!space || !bytes)
		malformed(p, *at);
	return (uint32_t)bytes;
}

/* "( ... )", which may be empty; returns how many there are. */
static uint32_t read_list(struct ptx_parse *p, struct ptx_prototype *proto, const char **at)
{
	uint32_t count = 0;

	(*at)++;
	*at += strspn(*at, BLANKS);
	while (**at != ')') {
		uint32_t bytes = read_element(p, at);

		*PTX_PUSH(p->ctx, proto, sizes) = bytes;
		count++;
		if (**at == ',')
			(*at)++;
		else if (**at != ')')
			malformed(p, *at);
	}
	(*at)++;
	return count;
}

void ptx_prototype(struct ptx_parse *p, const char *label, const char *text)
{
	struct ptx_prototype *proto;
	const char *at = text + strlen(".callprototype");

	ptx_declare_label(p, label);
	proto = PTX_PUSH(p->ctx, p->func, protos);
	memset(proto, 0, sizeof(*proto));
	proto->label = ptx_find(p, label)->number;
	at += strspn(at, BLANKS);
	if (*at == '(')
		proto->results_count = read_list(p, proto, &at);
	at += strspn(at, BLANKS);
	at += strcspn(at, BLANKS "("); /* the name, which is _ */
	at += strspn(at, BLANKS);
	if (*at == '(')
		read_list(p, proto, &at);
}
