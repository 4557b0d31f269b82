/* SPDX-License-Identifier: MIT */
/*
 * One exploration from the command line: PROGRAM [tm=PROTOCOL] [OPTION=NUMBER ...]
 */
#ifndef TEST_TM_COMMAND_H
#define TEST_TM_COMMAND_H

#include "explore.h"

/* Explore and print what is seen, beside what serial orders have; the exit status */
int tx_command(int argc, char **argv);
/* A line each, with a remark at what @serial does not have */
void tx_print_outcomes(const struct tx_outcomes *outcomes, const struct tx_outcomes *serial);

#endif
