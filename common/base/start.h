/* start.h: a program built for another processor (-march=native) ends with a message instead of
 * SIGILL.
 *
 * start.c is compiled for the oldest processor of the architecture, and runs first. */
#ifndef START_H
#define START_H
extern const char *const start_needs[]; /* names for __builtin_cpu_supports, ended by NULL */
extern const int start_checked;         /* makes check.c link start.c */
extern const int start_streams_checked; /* makes start.c link start_streams.c */
#endif
