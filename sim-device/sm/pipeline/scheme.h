/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: preemptible page faults (Tanasic 6.2, 6.3)
 *
 * A warp whose load, store or atomic of global memory faults can leave its SM only if the access
 * can be made again later from what is saved. Two things prevent that in the baseline. Sparse
 * replay: younger instructions have committed, others have not, and nothing says which. RAW on
 * replay: a younger instruction has written a register that the access has read, and would read
 * again.
 *
 * A scheme is what an SM does about it. It decides, for accesses to global memory ("accesses"
 * below)
 *
 *   when the warp fetches again          at issue │ after the last TLB check │ at commit
 *   when the sources are released        at operand read │ after the last TLB check
 *   whether the access may be issued     if there is room for its operands
 *   what is saved of a warp that faulted
 *
 * by calling vgpu_pipe_fetch_on() and vgpu_pipe_release() from its hooks. Whatever it is, what
 * happens at a fault is the same (replay.c): the warp fetches no more, what is in flight ends, and
 * what cannot end because of the fault becomes the list of what is to be replayed.
 */
#ifndef VGPU_PIPE_SCHEME_H
#define VGPU_PIPE_SCHEME_H

#include "pipeline.h"

/**
 * struct vgpu_fault_scheme - what an SM does so that page faults are preemptible
 * @preemptible: a warp that has faulted is squashed, and may leave the SM. false: it waits in the
 *   pipeline, and what does not depend on it goes on
 * @logs: accesses read their operands from the log when they are replayed
 * @restarts: wrong on purpose: the warp begins again at the access, whatever has committed since
 * @admit: may access @e be issued now? If not it is asked again when vgpu_pipe_admit_again() has
 *   been called. NULL: always
 * @issued, @read, @checked, @committed: access @e has been issued, has read its operands, has
 *   passed its last TLB check, has committed. NULL: nothing is to be done
 * @squashed: @e, which faulted, goes back to be replayed. NULL: nothing is to be done
 * @context_bytes: what it adds to the context of a block, for all its warps. NULL: nothing
 */
struct vgpu_fault_scheme {
	const char *name;
	bool preemptible;
	bool logs;
	bool restarts;
	bool (*admit)(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
	void (*issued)(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
	void (*read)(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
	void (*checked)(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
	void (*committed)(struct vgpu_pipe *p, struct vgpu_pipe_entry *e);
	u64 (*context_bytes)(const struct vgpu_pipe_block *pb);
};

extern const struct vgpu_fault_scheme vgpu_scheme_stall;
extern const struct vgpu_fault_scheme vgpu_scheme_wd_commit;
extern const struct vgpu_fault_scheme vgpu_scheme_wd_lastcheck;
extern const struct vgpu_fault_scheme vgpu_scheme_replay_queue;
extern const struct vgpu_fault_scheme vgpu_scheme_operand_log;
extern const struct vgpu_fault_scheme vgpu_scheme_wrong;

/* What the replay queue has for an instruction: where it is, and the lanes that execute it. */
#define VGPU_REPLAY_BYTES	8u

/* Instructions in the replay queues of all warps of @pb. */
u32 vgpu_pipe_replays(const struct vgpu_pipe_block *pb);

#endif
