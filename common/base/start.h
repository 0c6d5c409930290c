/* start.h: what a program does before main().
 *
 * Built for another processor (-march=native), the program ends with a message instead of SIGILL.
 * Started by make or one of our scripts (LABS_PARENT, setup/guard.sh) or as a rank, it gets SIGTERM
 * when that process ends.
 *
 * start.c is compiled for the oldest processor of the architecture, and runs first.
 */
#ifndef START_H
#define START_H
#include <stdbool.h>

extern const char *const start_needs[]; /* names for __builtin_cpu_supports, ended by NULL */
void start_streams(void);

/* Is this the first rank to report why the run ends, with this exit status? The first one creates
 * the file "said" in the run's folder (LABS_RUN, setup/guard.sh). Without that folder (no
 * launch.sh, another machine) every rank is the first. */
bool start_first_word(int status);
#endif
