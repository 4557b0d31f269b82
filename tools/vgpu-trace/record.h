/* SPDX-License-Identifier: MIT */
/*
 * vgpu-trace: recording.
 */
#ifndef VGPU_TRACE_RECORD_H
#define VGPU_TRACE_RECORD_H

/* The command "record"; returns the exit status. */
int trace_record(int argc, char **argv);

#endif
