/* run_progress.h: between run.c and run_progress.c. */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H
#include "run.h"

int terminal_columns(void);  /* width of the terminal that stdout goes to; 0: it goes to none */
void progress_clear(Run *r); /* wipe the bar off the screen, so that a line can be printed in
                              * its place */
#endif
