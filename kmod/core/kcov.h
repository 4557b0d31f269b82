/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Coverage of the actor (KCOV), for make fuzz. What the actor does is done for processes that send
 * it messages: a message carries the handle of its sender, and the system keeps the newest one for
 * work that belongs to no message: rings, device time, completions. Sections do not nest, and a
 * section ends before its sender is told, so he finds there what his message executed.
 *
 * Without CONFIG_KCOV nothing of this is there.
 */
#ifndef KVGPU_KCOV_H
#define KVGPU_KCOV_H

#include <linux/kcov.h>

/** struct kvgpu_kcov - who collects coverage; 0: nobody */
struct kvgpu_kcov {
#ifdef CONFIG_KCOV
	u64 handle;
#endif
};

/* That of the process that runs, and of its children. */
static inline struct kvgpu_kcov kvgpu_kcov_current(void)
{
#ifdef CONFIG_KCOV
	return (struct kvgpu_kcov){ kcov_common_handle() };
#else
	return (struct kvgpu_kcov){};
#endif
}

/* Actor: begin a section; *@newest becomes @of unless that is nobody. NULL: leave it. */
static inline void kvgpu_kcov_start(struct kvgpu_kcov of, struct kvgpu_kcov *newest)
{
#ifdef CONFIG_KCOV
	if (of.handle && newest)
		*newest = of;
	if (of.handle)
		kcov_remote_start_common(of.handle);
#endif
}

static inline void kvgpu_kcov_stop(struct kvgpu_kcov of)
{
#ifdef CONFIG_KCOV
	if (of.handle)
		kcov_remote_stop();
#endif
}

#endif
