/* start.h: a program that was built for another processor (-march=native) says so, instead of dying
 * of SIGILL.
 *
 * start.c is compiled for the oldest processor of the kind, and runs before anything else does. */
#ifndef START_H
#define START_H
extern const char *const start_needs[]; /* names as __builtin_cpu_supports takes them; NULL ends
                                         * the list */
extern const int start_checked;         /* for check.c to link this in */
#endif
