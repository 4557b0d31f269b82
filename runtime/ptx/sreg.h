/* SPDX-License-Identifier: MIT */
/*
 * Numbers of PTX's special registers in a ptx_operand: low byte the register, next byte the
 * component.
 */
#ifndef VGPU_PTX_SREG_H
#define VGPU_PTX_SREG_H

enum ptx_sreg {
	PTX_SR_TID,
	PTX_SR_NTID,
	PTX_SR_CTAID,
	PTX_SR_NCTAID,
	PTX_SR_LANEID,
	PTX_SR_WARPID,
	PTX_SR_NWARPID,
	PTX_SR_SMID,
	PTX_SR_NSMID,
	PTX_SR_GRIDID,
	PTX_SR_LANEMASK_EQ,
	PTX_SR_LANEMASK_LT,
	PTX_SR_LANEMASK_LE,
	PTX_SR_LANEMASK_GT,
	PTX_SR_LANEMASK_GE,
	PTX_SR_DYNSHARED,
	PTX_SR_TOTALSHARED,
	PTX_SR_CLOCK,
	PTX_SR_CLOCK_HI,
	PTX_SR_CLOCK64,
	PTX_SR_GLOBALTIMER,
	PTX_SR_GLOBALTIMER_LO,
	PTX_SR_GLOBALTIMER_HI,
	/* %envreg1, %envreg2: the two halves of the address of a cooperative launch's workspace */
	PTX_SR_WORKSPACE_HI,
	PTX_SR_WORKSPACE_LO,
	PTX_SR_DEPTH,	/* %envreg3: how deep in launches by kernels; 0: the process launched it */
	PTX_SR_ZERO, /* %envreg<n>: nobody sets the others */
	PTX_SR_COUNT
};

#endif
