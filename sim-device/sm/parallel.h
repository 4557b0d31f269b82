/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * SMs on several processors: what a host that has threads offers (vgpu_host_ops.parallel, .turn,
 * .lock and .unlock). Whether it does has no influence on results, times or traces; but in kernels
 * with races others may win (ahead.c). The module has none.
 */
#ifndef VGPU_PARALLEL_H
#define VGPU_PARALLEL_H

#include "../platform.h"

/**
 * struct vgpu_parallel - where threads come from
 * @run, @turn, @lock, @unlock: see vgpu_host_ops.parallel and those behind it; NULL: there are
 *   none
 * @host: their first argument
 */
struct vgpu_parallel {
	void (*run)(void *host, void (*run)(void *arg, u32 n), void (*end)(void *arg, u32 n),
		    void *arg, u32 count);
	void (*turn)(void *host, u32 n);
	void (*lock)(void *host);
	void (*unlock)(void *host);
	void *host;
};

#endif
