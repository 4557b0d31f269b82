/* SPDX-License-Identifier: MIT */
/*
 * One exploration from the command line: PROGRAM [OPTION=NUMBER ...]
 */
#ifndef TEST_TM_COMMAND_H
#define TEST_TM_COMMAND_H

/* Explore and print what is seen, beside what serial orders have; the exit status */
int tx_command(int argc, char **argv);

#endif
