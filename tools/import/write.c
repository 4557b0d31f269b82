// SPDX-License-Identifier: MIT
/* Import of timelines: phases as lines of a job file. */
#include "import.h"

#define US(ps)	(unsigned long long)((ps) / 1000000), (unsigned int)((ps) % 1000000)

static int write_kernel(FILE *out, const struct wl_phase *phase)
{
	const struct vgpu_cmd_profiled *kernel = &phase->kernel;

	return fprintf(out,
		       "phase=kernel name=%s tbs=%llu tb_us=%llu.%06u threads=%u regs_per_tb=%u "
		       "shmem_per_tb=%u stream=%u\n",
		       phase->name, (unsigned long long)kernel->blocks, US(kernel->block_ps),
		       kernel->threads, kernel->regs_per_block, kernel->shared_bytes,
		       phase->stream);
}

int imp_write_phase(FILE *out, const struct wl_phase *phase)
{
	int length = 0;

	switch (phase->kind) {
	case WL_CPU:
		length = fprintf(out, "phase=cpu us=%llu.%06u", US(phase->amount));
		if (length >= 0 && phase->stream)
			length = fprintf(out, " stream=%u", phase->stream);
		return length < 0 || putc('\n', out) == EOF ? -1 : 0;
	case WL_H2D:
	case WL_D2H:
		length = fprintf(out, "phase=%s bytes=%llu stream=%u\n",
				 phase->kind == WL_H2D ? "h2d" : "d2h",
				 (unsigned long long)phase->amount, phase->stream);
		break;
	case WL_KERNEL:
		length = write_kernel(out, phase);
		break;
	case WL_SYNC:
		length = phase->target ? fprintf(out, "phase=sync for=%u\n", phase->target) :
					 fprintf(out, "phase=sync\n");
		break;
	default:
		length = fprintf(out, "phase=wait stream=%u for=%u\n", phase->stream,
				 phase->target);
	}
	return length < 0 ? -1 : 0;
}
