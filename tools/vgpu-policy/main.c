// SPDX-License-Identifier: MIT
/*
 * vgpu-policy: scheduling policies as BPF: load, list, unload. docs/writing-a-policy.md.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "policy.h"

static const char usage[] =
	"usage: vgpu-policy load [-v] FILE.bpf.o | list | unload NAME\n"
	"\n"
	"Policies in files of their own, compiled to BPF, for the devices of module vgpu.\n"
	"\n"
	"  load FILE.bpf.o   register the policy of FILE; select it by the knob \"policy\"\n"
	"                    -v: say what the verifier says\n"
	"  list              names of policies that are loaded as BPF\n"
	"  unload NAME       unregister one; devices that have it go on with fcfs\n"
	"\n"
	"exit status: 0 success, 1 refused, 2 wrong usage\n";

static int load(const char *path, bool verbose)
{
	struct policy_type type;
	struct policy policy;

	if (policy_type_find(&type) || policy_open(&policy, path, &type) ||
	    policy_load(&policy, path, verbose) || policy_attach(&policy, &type))
		return 1;
	printf("%s\n", policy.name);
	return 0;
}

static int list(void)
{
	DIR *pins = opendir(POLICY_PINS);
	struct dirent *entry;

	if (!pins && errno != ENOENT) {
		fprintf(stderr, "vgpu-policy: " POLICY_PINS ": %s\n", strerror(errno));
		return 1;
	}
	while (pins && (entry = readdir(pins)) != NULL)
		if (*entry->d_name != '.')
			puts(entry->d_name);
	if (pins)
		closedir(pins);
	return 0;
}

static int unload(const char *name)
{
	char pin[512];

	snprintf(pin, sizeof(pin), POLICY_PINS "/%s", name);
	if (!strchr(name, '/') && !unlink(pin))
		return 0;
	fprintf(stderr, "vgpu-policy: %s: %s; vgpu-policy list shows what is loaded\n", name,
		strchr(name, '/') || errno == ENOENT ? "no such policy is loaded as BPF" :
						       strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "load"))
		return load(argv[2], false);
	if (argc == 4 && !strcmp(argv[1], "load") && !strcmp(argv[2], "-v"))
		return load(argv[3], true);
	if (argc == 2 && !strcmp(argv[1], "list"))
		return list();
	if (argc == 3 && !strcmp(argv[1], "unload"))
		return unload(argv[2]);
	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		fputs(usage, stdout);
		return 0;
	}
	fputs(usage, stderr);
	return 2;
}
