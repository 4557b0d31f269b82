// SPDX-License-Identifier: MIT
/*
 * Linking of PTX as text: several modules become one that the compiler reads like any other, with
 * lines that messages can name. Names that a module does not export get the module's number
 * behind them; of a weak function or variable the first definition stays; declarations of what
 * another module defines may stand beside the definition.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin.h"
#include "join.h"

static void put(struct join *j, const char *text, size_t length)
{
	if (j->bytes + length + 1 > j->room) {
		size_t room = (j->bytes + length + 1) * 2;
		char *grown = realloc(j->out, room);

		if (!grown) {
			j->no_memory = true;
			return;
		}
		j->out = grown;
		j->room = room;
	}
	memcpy(j->out + j->bytes, text, length);
	j->bytes += length;
	j->out[j->bytes] = 0;
}

/* An item's text, with the names that are the module's own told apart from those of others. */
static void put_item(struct join *j, const struct join_item *item, unsigned int module)
{
	const char *from = item->from, *at = item->from, *word;
	char suffix[32];

	snprintf(suffix, sizeof(suffix), "$m%u", module + 1);
	while (at < item->to) {
		size_t length = join_next_word(&at, &word);
		const struct join_name *name;

		if (!length || word >= item->to)
			break;
		if (!join_is_name(*word))
			continue;
		name = join_find(j, word, length, module);
		if (!name || name->exported || name->needed)
			continue;
		put(j, from, (size_t)(word + length - from));
		put(j, suffix, strlen(suffix));
		from = word + length;
	}
	put(j, from, (size_t)(item->to - from));
	put(j, "\n", 1);
}

/* Whether the item, which defines an exported name, is the definition that stays. */
static int is_first(struct join *j, const struct join_item *item, unsigned int module)
{
	const struct join_name *own = join_find(j, item->name, item->length, module);

	for (unsigned int i = 0; i < module; i++) {
		const struct join_name *other = join_find(j, item->name, item->length, i);

		if (!j->wanted[i] || !other || !other->exported)
			continue;
		if (own->weak)
			return 0;
		if (other->weak)
			continue;
		snprintf(j->message, j->message_bytes,
			 "`%.*s' is defined in module %u and again in module %u", (int)item->length,
			 item->name, i + 1, module + 1);
		return -EINVAL;
	}
	/* a weak definition goes for a strong one of a later module */
	for (unsigned int i = module + 1; own->weak && i < j->count; i++) {
		const struct join_name *other = join_find(j, item->name, item->length, i);

		if (j->wanted[i] && other && other->exported && !other->weak)
			return 0;
	}
	return 1;
}

/*
 * Of a kernel of another file that host code launches, clang writes down a function without a
 * body. Nothing calls it, and it cannot stand beside the kernel.
 */
static bool declares_kernel(struct join *j, const struct join_item *item)
{
	const struct join_name *defined = join_find_exported(j, item->name, item->length);

	return defined && defined->entry;
}

static int put_module(struct join *j, unsigned int module)
{
	const char *at = j->texts[module];
	struct join_item item;

	while (join_next_item(&at, &item)) {
		bool defines = !item.external && (item.body || !item.function);
		const struct join_name *name;

		if (item.skip || (item.entry && !item.body))
			continue;
		name = item.name ? join_find(j, item.name, item.length, module) : NULL;
		if (name && name->needed && item.function && declares_kernel(j, &item))
			continue;
		if (name && name->exported && defines) {
			int first = is_first(j, &item, module);

			if (first < 0)
				return first;
			if (!first)
				continue;
		}
		put_item(j, &item, module);
	}
	return 0;
}

/* The kernel up to the end of its parameters, as a declaration */
static void put_prototype(struct join *j, const struct join_item *item)
{
	const char *at = item->name + item->length;

	at += strspn(at, " \t\r\n");
	if (*at == '(')
		at = memchr(at, ')', (size_t)(item->to - at));
	else
		at = item->name + item->length - 1;
	if (!at)
		return;
	put(j, item->from, (size_t)(at + 1 - item->from));
	put(j, ";\n", 2);
}

/*
 * Where kernels launch kernels, those of any module may be named before they are there. What
 * modules declare themselves is not taken over, so all are declared first.
 */
static int put_prototypes(struct join *j)
{
	bool launches = false;

	for (unsigned int i = 0; i < j->count; i++)
		launches |= j->wanted[i] && strstr(j->texts[i], "LaunchDeviceV2");
	for (unsigned int i = 0; launches && i < j->count; i++) {
		const char *at = j->texts[i];
		struct join_item item;

		while (j->wanted[i] && join_next_item(&at, &item)) {
			int first = 0;

			if (item.skip || !item.entry || !item.body || !(item.visible || item.weak))
				continue;
			first = is_first(j, &item, i);
			if (first < 0)
				return first;
			if (first)
				put_prototype(j, &item);
		}
	}
	return 0;
}

static void put_head(struct join *j)
{
	struct vgpu_ptx_head newest = { 0 }, head;
	unsigned int arch = 0;
	char text[96];

	for (unsigned int i = 0; i < j->count; i++) {
		if (!j->wanted[i])
			continue;
		vgpu_ptx_head(j->texts[i], strlen(j->texts[i]), &head);
		if (head.major > newest.major ||
		    (head.major == newest.major && head.minor > newest.minor))
			newest = head;
		arch = head.arch > arch ? head.arch : arch;
	}
	snprintf(text, sizeof(text), ".version %u.%u\n.target sm_%u\n.address_size 64\n",
		 newest.major, newest.minor, arch);
	put(j, text, strlen(text));
}

int vgpu_ptx_join(const char *const *texts, unsigned int count, char **out, char *message,
		  size_t message_bytes)
{
	struct join *j;
	int error = join_open(&j, texts, count, message, message_bytes);

	*out = NULL;
	if (!error) {
		join_want_needed(j);
		put_head(j);
		error = put_prototypes(j);
	}
	for (unsigned int i = 0; i < count && !error; i++)
		if (j->wanted[i])
			error = put_module(j, i);
	if (!error && j->no_memory)
		error = -ENOMEM;
	if (error && j)
		free(j->out);
	else if (!error)
		*out = j->out;
	join_close(j);
	return error;
}
