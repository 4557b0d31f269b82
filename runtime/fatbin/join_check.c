// SPDX-License-Identifier: MIT
/*
 * What keeps modules from being linked: names that two of them define, and names that one needs and
 * none defines. All are told, in the order of the modules and their texts.
 */
#include "fatbin.h"
#include "join.h"

static bool is_strong(const struct join_name *name)
{
	return name && name->exported && !name->weak;
}

/* Every item of the modules that has a name, once for each name, to @problem. */
static int each_name(const char *const *texts, unsigned int count, bool wanted_only,
		     bool (*problem)(struct join *j, struct join_name *name, unsigned int *first),
		     vgpu_ptx_tell *tell, void *of)
{
	char message[128];
	unsigned int first = 0;
	struct join *j;
	int result = join_open(&j, texts, count, message, sizeof(message));

	if (!result && wanted_only)
		join_want_needed(j);
	for (unsigned int i = 0; i < count && result >= 0; i++) {
		const char *at = texts[i];
		struct join_item item;

		while ((!wanted_only || j->wanted[i]) && join_next_item(&at, &item)) {
			struct join_name *name = NULL;

			if (!item.skip && item.name)
				name = join_find(j, item.name, item.length, i);
			if (!name || name->told || !problem(j, name, &first))
				continue;
			name->told = true;
			tell(of, name->text, name->length, i, first);
			result++;
		}
	}
	join_close(j);
	return result;
}

static bool is_twice(struct join *j, struct join_name *name, unsigned int *first)
{
	for (*first = 0; *first < name->module; ++*first)
		if (is_strong(name) &&
		    is_strong(join_find(j, name->text, name->length, *first)))
			return true;
	return false;
}

static bool is_missing(struct join *j, struct join_name *name, unsigned int *first)
{
	(void)first;
	return name->needed && !join_is_of_runtime(name) &&
	       !join_find_exported(j, name->text, name->length);
}

int vgpu_ptx_twice(const char *const *texts, unsigned int count, vgpu_ptx_tell *tell, void *of)
{
	return each_name(texts, count, false, is_twice, tell, of);
}

int vgpu_ptx_missing(const char *const *texts, unsigned int count, vgpu_ptx_tell *tell, void *of)
{
	return each_name(texts, count, true, is_missing, tell, of);
}
