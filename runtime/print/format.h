/* SPDX-License-Identifier: MIT */
/*
 * The text of a record of printf() in kernels (print.h).
 */
#ifndef VGPU_PRINT_FORMAT_H
#define VGPU_PRINT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * vgpu_print_record - print what a record says
 * @words: what follows its header
 * @count: how many there are
 * @arguments: how many the header says
 *
 * The words come from a program and may be anything. A conversion whose arguments there are not, or
 * that CUDA does not have (%n), is printed as it is. false: the words end too early; what they say
 * before is printed.
 */
bool vgpu_print_record(FILE *out, const uint64_t *words, uint64_t count, uint32_t arguments);

/**
 * vgpu_print_assertion - print the record of a failed assert() as CUDA does
 * @words: what follows its header
 * @count: how many there are
 *
 * false: the words end too early, and nothing is printed.
 */
bool vgpu_print_assertion(FILE *out, const uint64_t *words, uint64_t count);

#endif
