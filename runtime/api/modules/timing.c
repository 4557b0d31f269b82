// SPDX-License-Identifier: MIT
/*
 * VGPU_TIMING; see timing.h. What fits no launch is said when the process ends: by a misspelt name
 * nothing would be measured, and nobody would know.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "timing.h"

#define NAME_BYTES	1024u

/** struct rule - @first..@last: launches; @named: a kernel of this name has been launched */
struct rule {
	char *pattern;
	uint64_t first, last;
	uint16_t flag;
	bool named, used;
};

/** struct launched - a kernel that has been launched, and how often */
struct launched {
	struct launched *next;
	uint64_t launches;
	char name[];
};

static struct {
	bool read;
	pid_t process;
	struct rule *rules;
	unsigned int count;
	struct launched *launched;
	vgpuError_t error;
} timing;

/* ---- names ---------------------------------------------------------------- */

/* of libstdc++ or another library of the program; NULL: it has none */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status)
	__attribute__((weak));

/*
 * The name in the source of the function @mangled (Itanium C++ ABI): with its namespaces, without
 * arguments of templates. False: it has none in there.
 */
static bool name_in_source(const char *mangled, char *name, size_t size)
{
	const char *at = mangled + 2;
	size_t used = 0;

	if (strncmp(mangled, "_Z", 2))
		return false;
	at += *at == 'L';
	if (*at == 'N')
		at += 1 + strspn(at + 1, "rVKRO");
	if (!strncmp(at, "St", 2)) {
		used = (size_t)snprintf(name, size, "std");
		at += 2;
	}
	while (isdigit((unsigned char)*at)) {
		char *part;
		size_t length = strtoul(at, &part, 10);
		bool unnamed = !strncmp(part, "_GLOBAL__N_", 11);

		if (length > strlen(part) || used + length + 24 > size)
			return false;
		used += (size_t)snprintf(name + used, size - used, "%s%.*s", used ? "::" : "",
					 unnamed ? 21 : (int)length,
					 unnamed ? "(anonymous namespace)" : part);
		at = part + length;
		at += *at == 'L';
	}
	return used;
}

static bool fits_demangled(const char *pattern, const char *mangled)
{
	char *name;
	bool fits;
	int status;

	if (!__cxa_demangle)
		return false;
	name = __cxa_demangle(mangled, NULL, NULL, &status);
	fits = name && !fnmatch(pattern, name, 0);
	free(name);
	return fits;
}

bool rt_timing_fits(const char *pattern, const char *mangled)
{
	char name[NAME_BYTES];
	const char *last;

	if (!fnmatch(pattern, mangled, 0))
		return true;
	if (!name_in_source(mangled, name, sizeof(name)))
		return false;
	if (!fnmatch(pattern, name, 0))
		return true;
	last = strrchr(name, ':');
	return (last && !fnmatch(pattern, last + 1, 0)) || fits_demangled(pattern, mangled);
}

/* ---- rules ---------------------------------------------------------------- */

/* "N", "N-M", "N-" */
static bool read_launches(const char *text, struct rule *rule)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	rule->first = rule->last = strtoull(text, &end, 10);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		rule->last = strtoull(end + 1, &end, 10);
	else if (!strcmp(end, "-"))
		rule->last = UINT64_MAX, end++;
	return !*end && rule->first && rule->first <= rule->last;
}

static bool read_model(const char *text, struct rule *rule)
{
	if (!strcmp(text, "pipeline"))
		rule->flag = VGPU_LAUNCH_PIPELINE;
	else if (!strcmp(text, "interval"))
		rule->flag = VGPU_LAUNCH_INTERVAL;
	return rule->flag;
}

/* @text is taken apart in place. */
static bool read_rule(char *text, struct rule *rule)
{
	char *model = strrchr(text, ':'), *launches;

	*rule = (struct rule){ .pattern = text, .first = 1, .last = UINT64_MAX };
	if (!model || !read_model(model + 1, rule))
		return false;
	*model = 0;
	launches = strrchr(text, '@');
	if (launches)
		*launches++ = 0;
	return *text && (!launches || read_launches(launches, rule));
}

static vgpuError_t read_rules(const char *text)
{
	char *copy = strdup(text), *next, *at;

	for (at = copy; at; at = next) {
		struct rule *rules = realloc(timing.rules,
					     (timing.count + 1) * sizeof(*timing.rules));

		if (!rules)
			return vgpuErrorMemoryAllocation;
		timing.rules = rules;
		next = strchr(at, ',');
		if (next)
			*next++ = 0;
		if (!read_rule(at, &rules[timing.count])) {
			rt_message("VGPU_TIMING=%s: must be a list such as "
				   "'sgemm:pipeline,scan*@5-7:pipeline'; the models are interval "
				   "and pipeline",
				   text);
			return vgpuErrorInvalidValue;
		}
		timing.count++;
	}
	return copy ? vgpuSuccess : vgpuErrorMemoryAllocation;
}

static void report(void)
{
	if (getpid() != timing.process)
		return;
	for (unsigned int i = 0; i < timing.count; i++) {
		const struct rule *rule = &timing.rules[i];

		if (!rule->named)
			fprintf(stderr, "vgpu: VGPU_TIMING: no kernel `%s' was launched\n",
				rule->pattern);
		else if (!rule->used)
			fprintf(stderr,
				"vgpu: VGPU_TIMING: no launch of `%s' had a rule of its own: "
				"there were too few, or another rule comes first\n",
				rule->pattern);
	}
}

vgpuError_t rt_timing_open(void)
{
	const char *text = getenv("VGPU_TIMING");

	if (timing.read || !text || !*text)
		return timing.error;
	timing.read = true;
	timing.process = getpid();
	timing.error = read_rules(text);
	if (timing.error == vgpuSuccess)
		atexit(report);
	return timing.error;
}

/* ---- launches ------------------------------------------------------------- */

static struct launched *find_launched(const char *name)
{
	struct launched *launched;
	size_t bytes = strlen(name) + 1;

	for (launched = timing.launched; launched; launched = launched->next)
		if (!strcmp(launched->name, name))
			return launched;
	launched = calloc(1, sizeof(*launched) + bytes);
	if (!launched)
		return NULL;
	memcpy(launched->name, name, bytes);
	launched->next = timing.launched;
	timing.launched = launched;
	return launched;
}

/* Said once: a program may not look at errors of launches. */
static vgpuError_t refuse(const char *name, uint16_t flags)
{
	static const char text[] = "VGPU_TIMING: `%s' is to have timing=%s, for which this device "
				   "was not created: it needs timing_by_kernel=1";
	const char *model = flags == VGPU_LAUNCH_PIPELINE ? "pipeline" : "interval";
	static bool said;

	rt_message(text, name, model);
	if (!said) {
		fputs("vgpu: ", stderr);
		fprintf(stderr, text, name, model);
		fputc('\n', stderr);
	}
	said = true;
	return vgpuErrorNotSupported;
}

vgpuError_t rt_timing_of(const char *name, uint16_t *flags)
{
	struct launched *launched;
	uint16_t model = 0;

	if (!timing.count)
		return vgpuSuccess;
	launched = find_launched(name);
	if (!launched)
		return vgpuErrorMemoryAllocation;
	launched->launches++;
	for (unsigned int i = 0; i < timing.count; i++) {
		struct rule *rule = &timing.rules[i];

		if (!rt_timing_fits(rule->pattern, name))
			continue;
		rule->named = true;
		if (model || launched->launches < rule->first || launched->launches > rule->last)
			continue;
		rule->used = true;
		model = rule->flag;
	}
	*flags |= model;
	return model && !(rt.info.launch_flags & model) ? refuse(name, model) : vgpuSuccess;
}
