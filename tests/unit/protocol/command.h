/* SPDX-License-Identifier: MIT */
/*
 * One exploration from the command line: PROTOCOL PROGRAM [OPTION=NUMBER ...]
 */
#ifndef TEST_COMMAND_H
#define TEST_COMMAND_H

/* Explore and print what is seen, beside what sequential consistency has; the exit status */
int ex_command(int argc, char **argv);

#endif
