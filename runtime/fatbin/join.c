// SPDX-License-Identifier: MIT
/*
 * Linking of PTX as text: several modules become one that the compiler reads like any other, with
 * lines that messages can name. Names that a module does not export get the module's number
 * behind them; of a weak function or variable the first definition stays; declarations of what
 * another module defines may stand beside the definition.
 *
 * A module is read word by word. At its top level stand items: a directive with its words, to ';'
 * or a body in braces.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin.h"

#define SLOTS	4096u

/** struct name - what a module defines or needs */
struct name {
	struct name *next;
	const char *text;
	size_t length;
	unsigned int module;
	bool exported, weak, needed;	/* needed: declared here, and defined elsewhere */
	bool entry;			/* defined here, as a kernel */
};

struct item {
	const char *from, *to;		/* its text */
	const char *name;
	size_t length;
	bool visible, external, weak, function, entry, body, skip;
};

struct join {
	struct name *slots[SLOTS];
	const char *const *texts;
	bool *wanted;			/* modules */
	bool *perhaps;			/* modules with what the host may look for */
	unsigned int count;
	char *out;
	size_t bytes, room;
	bool no_memory;
	char *message;
	size_t message_bytes;
};

/* ---- words -------------------------------------------------------------- */

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* The word or sign at *@at, which moves behind it. Comments and spaces are passed. 0: the end. */
static size_t next_word(const char **at, const char **word)
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
		for (length = *p == '.'; is_name(p[length]); length++)
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

	while (depth && (length = next_word(at, &word)))
		if (length == 1)
			depth += (*word == open) - (*word == close);
}

static bool is_line_directive(const char *word, size_t length)
{
	return is_word(word, length, ".version") || is_word(word, length, ".target") ||
	       is_word(word, length, ".address_size") || is_word(word, length, ".file") ||
	       is_word(word, length, ".loc");
}

/* The next item of a module; false: there is none. */
static bool next_item(const char **at, struct item *item)
{
	bool variable = false, named = false;
	const char *word;
	size_t length = next_word(at, &word);

	*item = (struct item){ .from = word };
	if (!length)
		return false;
	if (is_line_directive(word, length)) {
		*at = word + strcspn(word, "\n");
		item->skip = true;
		item->to = *at;
		return true;
	}
	for (; length; length = next_word(at, &word)) {
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
		if (!named && *word != '.' && is_name(*word) && !isdigit((unsigned char)*word) &&
		    (item->function || variable)) {
			item->name = word;
			item->length = length;
			named = true;
		}
	}
	item->to = *at;
	return true;
}

/* ---- names -------------------------------------------------------------- */

static struct name **slot_of(struct join *j, const char *text, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return &j->slots[(hash ^ hash >> 15) % SLOTS];
}

/* The name as @module has it; NULL: it has not. */
static struct name *find_name(struct join *j, const char *text, size_t length, unsigned int module)
{
	struct name *name = *slot_of(j, text, length);

	while (name && (name->module != module || name->length != length ||
			memcmp(name->text, text, length)))
		name = name->next;
	return name;
}

/* The definition that modules share. */
static struct name *find_exported(struct join *j, const char *text, size_t length)
{
	struct name *name = *slot_of(j, text, length);

	while (name && (!name->exported || !j->wanted[name->module] || name->length != length ||
			memcmp(name->text, text, length)))
		name = name->next;
	return name;
}

static bool add_name(struct join *j, const struct item *item, unsigned int module)
{
	struct name **slot = slot_of(j, item->name, item->length);
	struct name *name = find_name(j, item->name, item->length, module);
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
	struct item item;

	if (!strstr(at, "LaunchDeviceV2"))
		return false;
	while (next_item(&at, &item))
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
		struct item item;

		if (!vgpu_ptx_head(at, strlen(at), &head)) {
			snprintf(j->message, j->message_bytes,
				 "module %u to be linked is not PTX: it does not begin with "
				 ".version", i + 1);
			return -EINVAL;
		}
		if (is_device_runtime(at))
			continue;
		while (next_item(&at, &item)) {
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

static bool is_of_runtime(const struct name *name)
{
	static const char *const names[] = { "malloc", "free", "vprintf", "__assertfail",
					     "__cuda_syscall_aligned_malloc" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is_word(name->text, name->length, names[i]))
			return true;
	return is_of_device_runtime(name->text, name->length);
}

static bool is_defined(const struct name *chain, const struct name *need)
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
	for (unsigned int s = 0; s < SLOTS; s++)
		for (const struct name *need = j->slots[s]; need; need = need->next)
			if (need->needed && !is_of_runtime(need) && !is_defined(j->slots[s], need))
				j->perhaps[need->module] = false;
	for (unsigned int i = 0; i < j->count; i++)
		j->wanted[i] |= j->perhaps[i];
}

/* Modules that define what wanted ones need are wanted, too. */
static void want_needed(struct join *j)
{
	bool changed = true, any = false;

	want_complete(j);
	for (unsigned int i = 0; i < j->count; i++)
		any |= j->wanted[i];
	for (unsigned int i = 0; !any && i < j->count; i++)
		j->wanted[i] = true;
	while (changed) {
		changed = false;
		for (unsigned int s = 0; s < SLOTS; s++)
			for (const struct name *need = j->slots[s]; need; need = need->next) {
				if (!need->needed || !j->wanted[need->module] ||
				    find_exported(j, need->text, need->length))
					continue;
				for (const struct name *has = j->slots[s]; has; has = has->next)
					if (has->exported && has->length == need->length &&
					    !memcmp(has->text, need->text, need->length)) {
						j->wanted[has->module] = changed = true;
						break;
					}
			}
	}
}

/* ---- writing ------------------------------------------------------------ */

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
static void put_item(struct join *j, const struct item *item, unsigned int module)
{
	const char *from = item->from, *at = item->from, *word;
	char suffix[32];

	snprintf(suffix, sizeof(suffix), "$m%u", module + 1);
	while (at < item->to) {
		size_t length = next_word(&at, &word);
		const struct name *name;

		if (!length || word >= item->to)
			break;
		if (!is_name(*word))
			continue;
		name = find_name(j, word, length, module);
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
static int is_first(struct join *j, const struct item *item, unsigned int module)
{
	const struct name *own = find_name(j, item->name, item->length, module);

	for (unsigned int i = 0; i < module; i++) {
		const struct name *other = find_name(j, item->name, item->length, i);

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
		const struct name *other = find_name(j, item->name, item->length, i);

		if (j->wanted[i] && other && other->exported && !other->weak)
			return 0;
	}
	return 1;
}

/*
 * Of a kernel of another file that host code launches, clang writes down a function without a
 * body. Nothing calls it, and it cannot stand beside the kernel.
 */
static bool declares_kernel(struct join *j, const struct item *item)
{
	const struct name *defined = find_exported(j, item->name, item->length);

	return defined && defined->entry;
}

static int put_module(struct join *j, unsigned int module)
{
	const char *at = j->texts[module];
	struct item item;

	while (next_item(&at, &item)) {
		bool defines = !item.external && (item.body || !item.function);
		const struct name *name;

		if (item.skip || (item.entry && !item.body))
			continue;
		name = item.name ? find_name(j, item.name, item.length, module) : NULL;
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
static void put_prototype(struct join *j, const struct item *item)
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
		struct item item;

		while (j->wanted[i] && next_item(&at, &item)) {
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

static void free_names(struct join *j)
{
	for (unsigned int s = 0; s < SLOTS; s++)
		while (j->slots[s]) {
			struct name *name = j->slots[s];

			j->slots[s] = name->next;
			free(name);
		}
}

static bool is_strong(const struct name *name)
{
	return name->exported && !name->weak;
}

/* The newest name of a chain is its first. */
static const struct name *defined_again(struct join *j, const struct name **first)
{
	for (unsigned int s = 0; s < SLOTS; s++)
		for (const struct name *again = j->slots[s]; again; again = again->next)
			for (const struct name *other = again->next; other; other = other->next)
				if (is_strong(again) && is_strong(other) &&
				    other->length == again->length &&
				    !memcmp(other->text, again->text, again->length)) {
					*first = other;
					return again;
				}
	return NULL;
}

int vgpu_ptx_twice(const char *const *texts, unsigned int count, unsigned int *first,
		   unsigned int *again, char *name, size_t name_bytes)
{
	struct join *j = calloc(1, sizeof(*j));
	const struct name *one = NULL, *two;
	int result = -ENOMEM;

	if (!j)
		return -ENOMEM;
	j->texts = texts;
	j->count = count;
	j->message = name;
	j->message_bytes = name_bytes;
	j->wanted = calloc(count, sizeof(*j->wanted));
	j->perhaps = calloc(count, sizeof(*j->perhaps));
	if (j->wanted && j->perhaps)
		result = collect(j);
	two = result ? NULL : defined_again(j, &one);
	if (two) {
		*first = one->module;
		*again = two->module;
		snprintf(name, name_bytes, "%.*s", (int)two->length, two->text);
		result = 1;
	}
	free_names(j);
	free(j->wanted);
	free(j->perhaps);
	free(j);
	return result;
}

int vgpu_ptx_join(const char *const *texts, unsigned int count, char **out, char *message,
		  size_t message_bytes)
{
	struct join *j = calloc(1, sizeof(*j));
	int error = -ENOMEM;

	*out = NULL;
	if (!j)
		return -ENOMEM;
	j->texts = texts;
	j->count = count;
	j->message = message;
	j->message_bytes = message_bytes;
	j->wanted = calloc(count, sizeof(*j->wanted));
	j->perhaps = calloc(count, sizeof(*j->perhaps));
	if (j->wanted && j->perhaps)
		error = collect(j);
	if (!error) {
		want_needed(j);
		put_head(j);
		error = put_prototypes(j);
	}
	for (unsigned int i = 0; i < count && !error; i++)
		if (j->wanted[i])
			error = put_module(j, i);
	if (!error && j->no_memory)
		error = -ENOMEM;
	if (error)
		free(j->out);
	else
		*out = j->out;
	free_names(j);
	free(j->wanted);
	free(j->perhaps);
	free(j);
	return error;
}
