/* SPDX-License-Identifier: MIT */
/*
 * The input of the target vass: how its kernels are launched, then a VASS binary.
 */
#ifndef FUZZ_VASS_INPUT_H
#define FUZZ_VASS_INPUT_H

#include <stdint.h>

/**
 * struct vass_input - the first bytes of an input
 * @events: events after which another context's kernel is launched with a higher priority
 * @options: VASS_INPUT_*
 */
struct vass_input {
	uint8_t blocks;
	uint8_t threads;	/* in groups of 8, less 1 */
	uint8_t events;
	uint8_t options;
	uint32_t dynamic_shared;
	uint8_t binary[];
};

#define VASS_INPUT_SWITCH	0x01	/* preemption=switch, else drain-then-switch */
#define VASS_INPUT_ARRIVAL	0x02	/* pages arrive late: warps wait and restart */
#define VASS_INPUT_SWAP		0x04	/* single blocks leave and come back */
#define VASS_INPUT_NO_MEMORY	0x08	/* few frames */
#define VASS_INPUT_BY_BLOCK	0x10	/* preemption=flush with SWITCH, else chimera */

#endif
