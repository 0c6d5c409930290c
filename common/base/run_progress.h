/* run_progress.h: between run.c and run_progress.c. */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H
#include "run.h"

int terminal_columns(void);  /* width of stdout's terminal; 0: not a terminal */
void progress_clear(Run *r); /* erase the bar, to print a line instead */
#endif
