/* SPDX-License-Identifier: MIT */
/* Included before each program: its main() is a function of the command (Makefile: -Dmain=...). */
#ifndef SMK_PROGRAMS_H
#define SMK_PROGRAMS_H

extern "C" int main(int argc, char **argv);

#endif
