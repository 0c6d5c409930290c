/* start.h: what a program does before main().
 *
 * Built for another processor (-march=native), it ends with a message instead of SIGILL. Started by
 * make or a script of ours (LABS_PARENT, setup/guard.sh) or as a rank, it gets SIGTERM when the
 * process that started it ends.
 *
 * start.c is compiled for the oldest processor of the architecture, and runs first.
 */
#ifndef START_H
#define START_H
#include <stdbool.h>

extern const char *const start_needs[]; /* names for __builtin_cpu_supports, ended by NULL */
extern const int start_streams_checked; /* makes start.c link start_streams.c */

/* Is this the first rank to say why the run ends, with this exit status? The file "said" in the
 * run's folder (LABS_RUN, setup/guard.sh) belongs to the one that makes it. Without such a folder
 * (no launch.sh, another machine) every rank is the first. */
bool start_first_word(int status);
#endif
