// SPDX-License-Identifier: MIT
/*
 * Reading of PTX modules that are to be linked: words, items, and which names each module defines
 * and needs.
 */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin.h"
#include "join.h"

/* ---- words -------------------------------------------------------------- */

bool join_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

size_t join_next_word(const char **at, const char **word)
{
	const char *p = *at;
	size_t length;

	for (;;) {
		p += strspn(p, " \t\r\n\f");
		if (p[0] == '/' && p[1] == '/') {
			p += strcspn(p, "\n");
		} else if (p[0] == '/' && p[1] == '*') {
			const char *end = strstr(p + 2, "*/");

			p = end ? end + 2 : p + strlen(p);
		} else {
			break;
		}
	}
	*word = p;
	if (!*p) {
		*at = p;
		return 0;
	}
	if (*p == '"') {
		length = 1 + strcspn(p + 1, "\"");
		length += p[length] == '"';
	} else {
		for (length = *p == '.'; join_is_name(p[length]); length++)
			;
		if (!length)
			length = 1;
	}
	*at = p + length;
	return length;
}

static bool is_word(const char *word, size_t length, const char *text)
{
	return strlen(text) == length && !memcmp(word, text, length);
}

/* Behind the bracket that closes what *@at stands behind the opening of. */
static void skip_group(const char **at, char open, char close)
{
	unsigned int depth = 1;
	const char *word;
	size_t length;

	while (depth && (length = join_next_word(at, &word)))
		if (length == 1)
			depth += (*word == open) - (*word == close);
}

static bool is_line_directive(const char *word, size_t length)
{
	return is_word(word, length, ".version") || is_word(word, length, ".target") ||
	       is_word(word, length, ".address_size") || is_word(word, length, ".file") ||
	       is_word(word, length, ".loc");
}

bool join_next_item(const char **at, struct join_item *item)
{
	bool variable = false, named = false;
	const char *word;
	size_t length = join_next_word(at, &word);

	*item = (struct join_item){ .from = word };
	if (!length)
		return false;
	if (is_line_directive(word, length)) {
		*at = word + strcspn(word, "\n");
		item->skip = true;
		item->to = *at;
		return true;
	}
	for (; length; length = join_next_word(at, &word)) {
		if (is_word(word, length, ";"))
			break;
		if (is_word(word, length, "{") && !variable) {
			item->body = true;
			skip_group(at, '{', '}');
			break;
		}
		if (is_word(word, length, "(") && !variable) {
			skip_group(at, '(', ')');
			continue;
		}
		item->visible |= is_word(word, length, ".visible");
		item->weak |= is_word(word, length, ".weak") || is_word(word, length, ".common");
		item->external |= is_word(word, length, ".extern");
		item->entry |= is_word(word, length, ".entry");
		item->function |= is_word(word, length, ".func") || item->entry;
		item->skip |= is_word(word, length, ".section");
		variable |= is_word(word, length, ".global") || is_word(word, length, ".const") ||
			    is_word(word, length, ".shared");
		/* the first word that is no directive; numbers belong to .align and the like */
		if (!named && *word != '.' && join_is_name(*word) &&
		    !isdigit((unsigned char)*word) && (item->function || variable)) {
			item->name = word;
			item->length = length;
			named = true;
		}
	}
	item->to = *at;
	return true;
}

/* ---- names -------------------------------------------------------------- */

static struct join_name **slot_of(struct join *j, const char *text, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return &j->slots[(hash ^ hash >> 15) % JOIN_SLOTS];
}

struct join_name *join_find(struct join *j, const char *text, size_t length,
			    unsigned int module)
{
	struct join_name *name = *slot_of(j, text, length);

	while (name && (name->module != module || name->length != length ||
			memcmp(name->text, text, length)))
		name = name->next;
	return name;
}

struct join_name *join_find_exported(struct join *j, const char *text, size_t length)
{
	struct join_name *name = *slot_of(j, text, length);

	while (name && (!name->exported || !j->wanted[name->module] || name->length != length ||
			memcmp(name->text, text, length)))
		name = name->next;
	return name;
}

static bool add_name(struct join *j, const struct join_item *item, unsigned int module)
{
	struct join_name **slot = slot_of(j, item->name, item->length);
	struct join_name *name = join_find(j, item->name, item->length, module);
	bool defines = !item->external && (item->body || !item->function);

	if (!name) {
		name = calloc(1, sizeof(*name));
		if (!name)
			return false;
		name->text = item->name;
		name->length = item->length;
		name->module = module;
		name->next = *slot;
		*slot = name;
	}
	if (defines) {
		name->exported |= item->visible || item->weak || item->entry;
		name->weak |= item->weak;
		name->entry |= item->entry;
		name->needed = false;
	} else if (!name->exported) {
		name->needed = true;
	}
	return true;
}

/* Functions of CUDA's device runtime; those of CUDA 12 and later have names of their own. */
static bool is_of_device_runtime(const char *name, size_t length)
{
	return (length > 10 && !strncmp(name, "__cudaCDP2", 10)) ||
	       (length > 4 && !strncmp(name, "cuda", 4) && name[4] >= 'A' && name[4] <= 'Z');
}

/* NVIDIA's device runtime: the PTX compiler has another one (compile/link.c). */
static bool is_device_runtime(const char *at)
{
	struct join_item item;

	if (!strstr(at, "LaunchDeviceV2"))
		return false;
	while (join_next_item(&at, &item))
		if (!item.skip && item.name && item.function && item.body &&
		    is_of_device_runtime(item.name, item.length) && item.length > 14 &&
		    !strncmp(item.name + item.length - 14, "LaunchDeviceV2", 14))
			return true;
	return false;
}

/* Reads all modules; those with a kernel that others see are wanted. */
static int collect(struct join *j)
{
	struct vgpu_ptx_head head;

	for (unsigned int i = 0; i < j->count; i++) {
		const char *at = j->texts[i];
		struct join_item item;

		if (!vgpu_ptx_head(at, strlen(at), &head)) {
			snprintf(j->message, j->message_bytes,
				 "module %u to be linked is not PTX: it does not begin with "
				 ".version", i + 1);
			return -EINVAL;
		}
		if (is_device_runtime(at))
			continue;
		while (join_next_item(&at, &item)) {
			if (item.skip || !item.name || (item.entry && !item.body))
				continue;
			if (item.entry && (item.visible || item.weak))
				j->wanted[i] = true;
			else if (item.entry || (item.visible && !item.external && !item.function))
				j->perhaps[i] = true;
			if (!add_name(j, &item, i))
				return -ENOMEM;
		}
	}
	return 0;
}

bool join_is_of_runtime(const struct join_name *name)
{
	static const char *const names[] = { "malloc", "free", "vprintf", "__assertfail",
					     "__cuda_syscall_aligned_malloc" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is_word(name->text, name->length, names[i]))
			return true;
	return is_of_device_runtime(name->text, name->length);
}

static bool is_defined(const struct join_name *chain, const struct join_name *need)
{
	for (; chain; chain = chain->next)
		if (chain->exported && chain->length == need->length &&
		    !memcmp(chain->text, need->text, need->length))
			return true;
	return false;
}

/*
 * Modules with variables or static kernels are wanted, as the host may look for those, unless
 * something is missing that they need: the device runtime, which nvcc links to all programs, is
 * such a one.
 */
static void want_complete(struct join *j)
{
	for (unsigned int s = 0; s < JOIN_SLOTS; s++)
		for (const struct join_name *need = j->slots[s]; need; need = need->next)
			if (need->needed && !join_is_of_runtime(need) &&
			    !is_defined(j->slots[s], need))
				j->perhaps[need->module] = false;
	for (unsigned int i = 0; i < j->count; i++)
		j->wanted[i] |= j->perhaps[i];
}

void join_want_needed(struct join *j)
{
	bool changed = true, any = false;

	want_complete(j);
	for (unsigned int i = 0; i < j->count; i++)
		any |= j->wanted[i];
	for (unsigned int i = 0; !any && i < j->count; i++)
		j->wanted[i] = true;
	while (changed) {
		changed = false;
		for (unsigned int s = 0; s < JOIN_SLOTS; s++)
			for (const struct join_name *need = j->slots[s]; need; need = need->next) {
				if (!need->needed || !j->wanted[need->module] ||
				    join_find_exported(j, need->text, need->length))
					continue;
				for (const struct join_name *has = j->slots[s]; has;
				     has = has->next)
					if (has->exported && has->length == need->length &&
					    !memcmp(has->text, need->text, need->length)) {
						j->wanted[has->module] = changed = true;
						break;
					}
			}
	}
}

/* ---- all of it ---------------------------------------------------------- */

int join_open(struct join **out, const char *const *texts, unsigned int count, char *message,
	      size_t message_bytes)
{
	struct join *j = *out = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	j->texts = texts;
	j->count = count;
	j->message = message;
	j->message_bytes = message_bytes;
	j->wanted = calloc(count, sizeof(*j->wanted));
	j->perhaps = calloc(count, sizeof(*j->perhaps));
	return j->wanted && j->perhaps ? collect(j) : -ENOMEM;
}

void join_close(struct join *j)
{
	if (!j)
		return;
	for (unsigned int s = 0; s < JOIN_SLOTS; s++)
		while (j->slots[s]) {
			struct join_name *name = j->slots[s];

			j->slots[s] = name->next;
			free(name);
		}
	free(j->wanted);
	free(j->perhaps);
	free(j);
}
