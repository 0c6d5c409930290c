/* timer.c: see timer.h. */
#include "timer.h"
#include "file.h"
#include <dirent.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double (*_Atomic followed)(void); /* the process's clock, as is the machine's; NULL: that */

static double seconds_of(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double timer_real(void) { return seconds_of(CLOCK_MONOTONIC); }

double timer_processor(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

double timer_waited_of(int process)
{
    char folder[30];
    double nanoseconds = 0;
    bool known = false;
    snprintf(folder, sizeof folder, "/proc/%d/task", process);
    DIR *threads = opendir(folder);
    for (struct dirent *e; threads && (e = readdir(threads));) {
        char path[64], text[100];
        unsigned long long waited;
        snprintf(path, sizeof path, "%.30s/%.20s/schedstat", folder, e->d_name);
        if (sscanf(file_head(text, sizeof text, path), "%*u %llu", &waited) == 1) {
            nanoseconds += (double)waited;
            known = true;
        }
    }
    if (threads)
        closedir(threads);
    return known ? 1e-9 * nanoseconds : NAN;
}

double timer_waited(void) { return timer_waited_of(getpid()); }

double timer_now(void)
{
    double (*clock)(void) = followed;
    return clock ? clock() : timer_real();
}

void timer_follow(double (*clock)(void)) { followed = clock; }

bool timer_virtual(void) { return followed != NULL; }
