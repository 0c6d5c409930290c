/* worker.h: a program that trains on command and says how fast (train_rate.c and torch_rate.py
 * speak the same protocol), driven through pipes. Several wait at once, so that what is compared
 * takes turns within seconds. */
#ifndef WORKER_H
#define WORKER_H
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { SAMPLES = 64 };

typedef struct Worker {
    pid_t pid;
    FILE *to, *from;
    char version[64];
    bool there; /* it started */
    int samples;
    double rate[SAMPLES]; /* images per second */
    double peak;          /* bytes of memory, at most so far */
} Worker;

/* Start a command of the shell and wait until it is ready. Where it cannot start (no PyTorch),
 * `there` is false. */
Worker worker_start(const char *format, ...) __attribute__((format(printf, 1, 2)));
void worker_go(Worker *w, double seconds); /* give the command … */
void worker_take(Worker *w);               /* … and take the answer as a new sample */
void worker_stop(Worker *w);

double median(const double *v, int n);
#endif
