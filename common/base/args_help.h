/* args_help.h: what args.h's table looks like to a person. For args.c. */
#ifndef ARGS_HELP_H
#define ARGS_HELP_H
#include "args.h"

/* --help, on stdout, up to 100 columns wide. */
void args_help(const char *program, const char *idea, const Option *options);
char *args_expected(const Option *option); /* "a whole number from 0 to 10000"; a new string */
#endif
