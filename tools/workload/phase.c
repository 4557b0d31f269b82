// SPDX-License-Identifier: MIT
/*
 * Workloads: the text of one phase, "kernel name=detect launches=2 tbs=528 …". One table says of
 * every key what it may be and which phases take it; reading and refusing both follow it.
 */
#include <errno.h>
#include <string.h>

#include "workload.h"

#define WORD_BYTES	128
#define BIT(kind)	(1u << (kind))

enum key_id {
	KEY_US,
	KEY_BYTES,
	KEY_NAME,
	KEY_LAUNCHES,
	KEY_TBS,
	KEY_TB_US,
	KEY_TB_CV,
	KEY_THREADS,
	KEY_REGS,
	KEY_SHMEM,
	KEY_TOUCHED,
	KEY_TOUCHES,
	KEY_ON_HOST,
	KEY_IDEMPOTENT,
	KEY_DIRTY_BASE,
	KEY_DIRTY_INCREMENT,
	KEY_LAUNCH_US,
	KEY_PRIORITY,
	KEY_STREAM,
	KEY_FOR,
	KEYS
};

/**
 * struct key - @decimals: digits kept behind the point; @missing: value when it is not given and
 * not required
 */
struct key {
	const char *name;
	unsigned int takes;		/* bit per phase kind */
	unsigned int required;
	unsigned int decimals;
	u64 min;
	u64 max;
	u64 missing;
	const char *right;
};

#define COPIES	(BIT(WL_H2D) | BIT(WL_D2H))
#define HOUR_PS	(3600ull * 1000 * VGPU_MS)

static const struct key keys[KEYS] = {
	[KEY_US] = { "us", BIT(WL_CPU), BIT(WL_CPU), WL_US_DECIMALS, 1, HOUR_PS, 0,
		     "microseconds, above 0 and up to an hour, at most six digits after the "
		     "decimal point" },
	[KEY_BYTES] = { "bytes", COPIES, COPIES, 0, 1, 1ull << 46, 0,
			"a number of bytes, 1..2^46" },
	[KEY_NAME] = { .name = "name",
		       .takes = BIT(WL_KERNEL),
		       .right = "a name of at most 31 characters" },
	[KEY_LAUNCHES] = { "launches", BIT(WL_KERNEL), 0, 0, 1, 1ull << 40, 1,
			   "a number of launches, 1..2^40" },
	[KEY_TBS] = { "tbs", BIT(WL_KERNEL), BIT(WL_KERNEL), 0, 1, 1ull << 40, 0,
		      "thread blocks of a launch, 1..2^40" },
	[KEY_TB_US] = { "tb_us", BIT(WL_KERNEL), BIT(WL_KERNEL), WL_US_DECIMALS, 1, HOUR_PS, 0,
			"microseconds of a thread block, above 0 and up to an hour, at most six "
			"digits after the decimal point" },
	[KEY_TB_CV] = { "tb_cv", BIT(WL_KERNEL), 0, 3, 0, 1000, 0,
			"coefficient of variation, 0..1, at most three digits after the decimal "
			"point" },
	[KEY_THREADS] = { "threads", BIT(WL_KERNEL), BIT(WL_KERNEL), 0, 1, 1024, 0,
			  "threads of a block, 1..1024" },
	[KEY_REGS] = { "regs_per_tb", BIT(WL_KERNEL), 0, 0, 0, 1u << 24, 0,
		       "32-bit registers of a block, 0..2^24" },
	[KEY_SHMEM] = { "shmem_per_tb", BIT(WL_KERNEL), 0, 0, 0, 1u << 24, 0,
			"bytes of shared memory of a block, 0..2^24" },
	[KEY_TOUCHED] = { "touched_bytes", BIT(WL_KERNEL), 0, 0, 0, 1ull << 33, 0,
			  "bytes of memory that a block touches, 0..2^33" },
	[KEY_TOUCHES] = { "touches_per_tb", BIT(WL_KERNEL), 0, 0, 1, VGPU_TOUCHES_MAX, 1,
			  "accesses of a block to the memory that it touches, 1..65536" },
	[KEY_ON_HOST] = { "touched_on_host", BIT(WL_KERNEL), 0, 0, 0, 1, 0,
			  "1: the process has written the memory before, 0: it has not" },
	[KEY_IDEMPOTENT] = { "idempotent", BIT(WL_KERNEL), 0, 3, 0, 1000, 0,
			     "the part of a thread block, from its start, in which it may be "
			     "flushed, 0..1, at most three digits after the decimal point" },
	[KEY_DIRTY_BASE] = { "dirty_base", BIT(WL_KERNEL), 0, 3, 0, 1000, 1000,
			     "the part of a block's context that it has written when a checkpoint "
			     "is made of it, 0..1, at most three digits after the decimal point" },
	[KEY_DIRTY_INCREMENT] = { "dirty_increment", BIT(WL_KERNEL), 0, 3, 0, 1000, 1000,
				  "the part of a block's context that it has written since its "
				  "checkpoint, 0..1, at most three digits after the decimal "
				  "point" },
	[KEY_LAUNCH_US] = { "launch_us", BIT(WL_KERNEL), 0, WL_US_DECIMALS, 0, HOUR_PS, 0,
			    "microseconds from the call that launches to its end, up to an hour, "
			    "at most six digits after the decimal point" },
	[KEY_PRIORITY] = { "priority", BIT(WL_KERNEL), 0, 0, 0, VGPU_LAUNCH_PRIORITY_MOST, 0,
			   "a number, 0..5, a higher one more important among the kernels of the "
			   "process" },
	[KEY_STREAM] = { "stream", BIT(WL_CPU) | COPIES | BIT(WL_KERNEL) | BIT(WL_WAIT),
			 BIT(WL_WAIT), 0, 1, WL_STREAMS_MAX, 0, "1..64" },
	[KEY_FOR] = { "for", BIT(WL_SYNC) | BIT(WL_WAIT), BIT(WL_WAIT), 0, 1, WL_STREAMS_MAX, 0,
		      "a stream, 1..64" },
};

static const char *const kinds[WL_PHASE_KINDS] = {
	[WL_CPU] = "cpu",	[WL_H2D] = "h2d",   [WL_D2H] = "d2h",
	[WL_KERNEL] = "kernel", [WL_SYNC] = "sync", [WL_WAIT] = "wait",
};

/*
 * The next word of *@text into @word (WORD_BYTES); false: there is none, or it is too long: then
 * @word is empty.
 */
static bool next_word(const char **text, char *word)
{
	size_t length;

	*text += strspn(*text, " \t");
	length = strcspn(*text, " \t");
	word[0] = 0;
	if (!length || length >= WORD_BYTES)
		return false;
	memcpy(word, *text, length);
	word[length] = 0;
	*text += length;
	return true;
}

/* "us, stream": what @kind takes. */
static void list_keys(enum wl_phase_kind kind, char *text, size_t size)
{
	size_t length = 0;
	unsigned int i;

	text[0] = 0;
	for (i = 0; i < KEYS && length < size; i++)
		if (keys[i].takes & BIT(kind))
			length += (size_t)snprintf(text + length, size - length, "%s%s",
						   length ? ", " : "", keys[i].name);
}

static int find_key(enum wl_phase_kind kind, const char *name, char *why)
{
	char list[WORD_BYTES * 2];
	unsigned int i;

	for (i = 0; i < KEYS; i++)
		if ((keys[i].takes & BIT(kind)) && !strcmp(keys[i].name, name))
			return (int)i;
	list_keys(kind, list, sizeof(list));
	snprintf(why, WL_MESSAGE_BYTES, "phase=%s takes no key '%s'; it takes %s", kinds[kind],
		 name, list);
	return -1;
}

static int read_key(enum wl_phase_kind kind, char *word, u64 *values, bool *given,
		    struct wl_phase *phase, char *why)
{
	char *text = strchr(word, '=');
	const struct key *key;
	int id, err = 0;

	if (!text) {
		snprintf(why, WL_MESSAGE_BYTES, "phase=%s: '%s' is no key=value", kinds[kind],
			 word);
		return -1;
	}
	*text++ = 0;
	id = find_key(kind, word, why);
	if (id < 0)
		return -1;
	key = &keys[id];
	if (given[id]) {
		snprintf(why, WL_MESSAGE_BYTES, "%s= occurs twice", key->name);
		return -1;
	}
	given[id] = true;
	if (id == KEY_NAME)
		err = !*text || strlen(text) >= WL_NAME_BYTES;
	else
		err = wl_decimal(text, key->decimals, &values[id]) || values[id] < key->min ||
		      values[id] > key->max;
	if (err) {
		snprintf(why, WL_MESSAGE_BYTES, "%s=%s: must be %s", key->name, text, key->right);
		return -1;
	}
	if (id == KEY_NAME)
		memcpy(phase->name, text, strlen(text) + 1);
	return 0;
}

static int find_kind(const char *name, enum wl_phase_kind *kind, char *why)
{
	unsigned int i;

	for (i = 0; i < WL_PHASE_KINDS; i++) {
		if (!strcmp(kinds[i], name)) {
			*kind = (enum wl_phase_kind)i;
			return 0;
		}
	}
	snprintf(why, WL_MESSAGE_BYTES,
		 "phase=%s: a phase is one of cpu, h2d, d2h, kernel, sync, wait", name);
	return -1;
}

static int check_required(enum wl_phase_kind kind, const bool *given, char *why)
{
	unsigned int i;

	for (i = 0; i < KEYS; i++) {
		if (!(keys[i].required & BIT(kind)) || given[i])
			continue;
		snprintf(why, WL_MESSAGE_BYTES, "phase=%s needs %s=, %s", kinds[kind], keys[i].name,
			 keys[i].right);
		return -1;
	}
	return 0;
}

/* What the blocks of a kernel touch. -1: @why says what is wrong with it. */
static int set_touches(struct vgpu_cmd_profiled *kernel, const u64 *values, const bool *given,
		       u64 launches, char *why)
{
	u64 bytes = values[KEY_TOUCHED], touches = values[KEY_TOUCHES];

	if (!bytes && (given[KEY_TOUCHES] || given[KEY_ON_HOST])) {
		snprintf(why, WL_MESSAGE_BYTES, "%s= needs touched_bytes=",
			 keys[given[KEY_TOUCHES] ? KEY_TOUCHES : KEY_ON_HOST].name);
		return -1;
	}
	if (!bytes)
		return 0;
	if (bytes % (touches * VGPU_PAGE_SIZE) || bytes / touches > VGPU_TOUCH_BYTES_MAX) {
		snprintf(why, WL_MESSAGE_BYTES,
			 "touched_bytes=%llu: must be a multiple of %llu (%llu x touches_per_tb) "
			 "and at most %llu (%llu x touches_per_tb)",
			 (unsigned long long)bytes, touches * VGPU_PAGE_SIZE, VGPU_PAGE_SIZE,
			 touches * VGPU_TOUCH_BYTES_MAX, VGPU_TOUCH_BYTES_MAX);
		return -1;
	}
	if (kernel->blocks > WL_TOUCHED_MAX / bytes ||
	    launches > WL_TOUCHED_MAX / (kernel->blocks * bytes)) {
		snprintf(why, WL_MESSAGE_BYTES,
			 "touched_bytes=%llu: all blocks of all launches touch more than 2^40 "
			 "bytes",
			 (unsigned long long)bytes);
		return -1;
	}
	kernel->touches = (u32)touches;
	kernel->touch_bytes = (u32)(bytes / touches);
	kernel->touch_flags = values[KEY_ON_HOST] ? 0 : VGPU_TOUCH_WRITE;
	return 0;
}

int wl_phase_parse(const char *text, struct wl_phase *phase, char *why)
{
	u64 values[KEYS];
	bool given[KEYS] = {};
	char word[WORD_BYTES];
	unsigned int i;

	memset(phase, 0, sizeof(*phase));
	for (i = 0; i < KEYS; i++)
		values[i] = keys[i].missing;
	next_word(&text, word);
	if (find_kind(word, &phase->kind, why))
		return -1;
	while (next_word(&text, word))
		if (read_key(phase->kind, word, values, given, phase, why))
			return -1;
	if (*text) {
		snprintf(why, WL_MESSAGE_BYTES, "phase=%s: a key=value of %d or more characters",
			 kinds[phase->kind], WORD_BYTES);
		return -1;
	}
	if (check_required(phase->kind, given, why))
		return -1;
	phase->stream = (u32)values[KEY_STREAM];
	phase->target = (u32)values[KEY_FOR];
	switch (phase->kind) {
	case WL_CPU:
		phase->amount = values[KEY_US];
		break;
	case WL_KERNEL:
		phase->amount = values[KEY_LAUNCHES];
		phase->kernel.blocks = values[KEY_TBS];
		phase->kernel.block_ps = values[KEY_TB_US];
		phase->kernel.block_cv_permille = (u16)values[KEY_TB_CV];
		phase->kernel.idempotent_permille = (u16)values[KEY_IDEMPOTENT];
		phase->kernel.clean_base_permille = (u16)(1000 - values[KEY_DIRTY_BASE]);
		phase->kernel.clean_increment_permille = (u16)(1000 - values[KEY_DIRTY_INCREMENT]);
		phase->kernel.threads = (u16)values[KEY_THREADS];
		phase->launch_ps = values[KEY_LAUNCH_US];
		phase->priority = (u32)values[KEY_PRIORITY];
		phase->kernel.regs_per_block = (u32)values[KEY_REGS];
		phase->kernel.shared_bytes = (u32)values[KEY_SHMEM];
		if (!given[KEY_NAME])
			strcpy(phase->name, "kernel");
		return set_touches(&phase->kernel, values, given, phase->amount, why);
	case WL_WAIT:
		if (phase->stream == phase->target) {
			snprintf(why, WL_MESSAGE_BYTES,
				 "for=%u: must be another stream than that which waits",
				 phase->target);
			return -1;
		}
		phase->amount = 1;
		break;
	case WL_SYNC:
		phase->amount = 1;
		break;
	default:
		phase->amount = values[KEY_BYTES];
	}
	return 0;
}
