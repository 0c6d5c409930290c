/* timer.h: seconds on this machine's steady clock (CLOCK_MONOTONIC). Only differences mean
 * anything. */
#ifndef TIMER_H
#define TIMER_H
double timer_now(void);
#endif
