/* worker.h: a program that trains on command and reports its speed (train_rate.c and torch_rate.py
 * speak the same protocol), driven through pipes. Several wait at once, so the programs compared
 * take turns within seconds. */
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
    char device[400]; /* what it computes on, if it says so: a line "device …" before "ready" */
    bool there;       /* it started */
    int samples;
    double rate[SAMPLES];                         /* images per second */
    double exchanging[SAMPLES], waiting[SAMPLES]; /* share of the time: train_rate.c; 0 if unsaid */
    double peak;                                  /* bytes of memory, at most so far */
} Worker;

/* Start a shell command and wait until it is ready. If it cannot start (no PyTorch), `there` is
 * false. */
Worker worker_start(const char *format, ...) __attribute__((format(printf, 1, 2)));
void worker_go(Worker *w, double seconds); /* send the command … */
void worker_take(Worker *w);               /* … and read the answer as a new sample */
void worker_stop(Worker *w);
#endif
