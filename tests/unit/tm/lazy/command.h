/* SPDX-License-Identifier: MIT */
/*
 * One exploration from the command line: PROGRAM tm=KIND [OPTION=NUMBER ...]
 */
#ifndef TEST_TM_LAZY_COMMAND_H
#define TEST_TM_LAZY_COMMAND_H

#include "lazy.h"

/* Explore and print what is seen, beside what serial orders have; the exit status */
int lazy_command(const struct tx_program *program, const char *kind, int argc, char **argv);

#endif
