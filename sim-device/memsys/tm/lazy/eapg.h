/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: early abort, pause-n-go (EAPG; thesis 002, 4.6, table 4.5)
 *
 * After S. Chen and L. Peng, HPCA 2016, as the thesis idealises it, beside the units of WarpTM. A
 * partition counts, for each word, the logs with a write of it that are there. The first one is
 * told to all cores, and that the last one has left. In between the word is in the conflict address
 * table of each core:
 *
 *   early abort	a thread whose transaction has loaded or stored it, and has not come to its
 *			end, aborts when the message comes
 *   pause-n-go		a transactional access to it waits until it is not there any more
 *
 * Ideal is what a host charges: a message is one flit, however many words it is about; counts of a
 * whole log take one cycle; the test of a core's transactions takes no time.
 *
 * Both tables are set-associative. A word without a place is not counted, or not in the table:
 * nobody aborts or waits for it. Whether transactions are serialisable does not depend on any of
 * this. Messages from one partition to one core stay in order.
 */
#ifndef VGPU_EAPG_H
#define VGPU_EAPG_H

#include "warptm.h"

/** vgpu_eapg_count - a log with a write of @address is here; true: the first, tell the cores */
bool vgpu_eapg_count(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address);
/** vgpu_eapg_uncount - this write has left (vgpu_wtm_left.has_word); true: the last, tell them */
bool vgpu_eapg_uncount(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address);

/*
 * A core's conflict address table: setup.conflict_ways * setup.conflict_sets lines of zeroed memory
 */

/** vgpu_eapg_insert - a partition says that @address is being committed */
void vgpu_eapg_insert(const struct vgpu_wtm *wtm, struct vgpu_eapg_line *table, u64 address);
/** vgpu_eapg_remove - it says that it is not any more; paused accesses to it are tried again */
void vgpu_eapg_remove(const struct vgpu_wtm *wtm, struct vgpu_eapg_line *table, u64 address);
/** vgpu_eapg_is_there - is @address being committed? An access to it waits */
bool vgpu_eapg_is_there(const struct vgpu_wtm *wtm, struct vgpu_eapg_line *table, u64 address);

#endif
