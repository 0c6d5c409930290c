/* worker.c: see worker.h. */
#include "worker.h"
#include "check.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

Worker worker_start(const char *format, ...)
{
    char command[2048], line[512];
    int in[2], out[2];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    REQUIRE(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0, "no pipes for: %s", command);
    Worker w = {.pid = fork()};
    REQUIRE(w.pid >= 0, "cannot start: %s", command);
    if (w.pid == 0) {
        dup2(in[0], STDIN_FILENO), dup2(out[1], STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(in[0]), close(out[1]);
    w.to = fdopen(in[1], "w"), w.from = fdopen(out[0], "r");
    while (!w.there && fgets(line, sizeof line, w.from)) {
        sscanf(line, "device %399[^\n]", w.device);
        w.there = sscanf(line, "ready %63s", w.version) == 1 || !strcmp(line, "ready\n");
    }
    if (!w.there)
        worker_stop(&w);
    return w;
}

void worker_go(Worker *w, double seconds)
{
    fprintf(w->to, "%g\n", seconds);
    fflush(w->to);
}

void worker_take(Worker *w)
{
    char line[256];
    double images, seconds, peak, exchanging = 0, waiting = 0;
    REQUIRE(fgets(line, sizeof line, w->from) &&
                sscanf(line, "%lf %lf %lf %lf %lf", &images, &seconds, &peak, &exchanging,
                       &waiting) >= 3,
            "a measured program ended early");
    if (w->samples < SAMPLES) {
        w->exchanging[w->samples] = exchanging / seconds,
        w->waiting[w->samples] = waiting / seconds;
        w->rate[w->samples++] = images / seconds;
    }
    w->peak = peak * 1024;
}

void worker_stop(Worker *w)
{
    if (!w->to)
        return;
    fclose(w->to), fclose(w->from);
    waitpid(w->pid, NULL, 0);
    w->to = w->from = NULL;
}
