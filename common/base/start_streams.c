/* start_streams.c: what every program does about its standard streams and about writes that fail.
 *
 *   a stream that is closed     is opened on /dev/null: else the next file to be opened would take
 *                               its number, and messages would go into that file
 *   a pipe without a reader,    a write fails instead of killing the process without a word: the
 *   a file beyond `ulimit -f`   caller reports it. A handler, because SIG_IGN would pass on to
 *                               programs that we start
 *   standard output that was    ends an otherwise successful program with status 2 and a message;
 *   not written whole           not if its reader left (`| head`), who wants no more
 */
#include "start.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The features that all files but start.c are compiled for. */
const char *const start_needs[] = {
#ifdef __AVX512VNNI__
    "avx512vnni",
#endif
#ifdef __AVX512VBMI__
    "avx512vbmi",
#endif
#ifdef __AVX512F__
    "avx512f",
#endif
#ifdef __FMA__
    "fma",
#endif
#ifdef __AVX2__
    "avx2",
#endif
#ifdef __AVX__
    "avx",
#endif
#ifdef __SSE4_2__
    "sse4.2",
#endif
    0};

static void let_the_write_fail(int unused) {}

static void replace_default(int signal_number)
{
    struct sigaction now, action = {.sa_handler = let_the_write_fail, .sa_flags = SA_RESTART};
    if (sigaction(signal_number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        sigaction(signal_number, &action, NULL);
}

void start_streams(void)
{
    for (int stream = 0; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) != stream)
            _exit(2);
    replace_default(SIGPIPE);
    if (!getenv("LABS_AUDIT")) /* a run that is judged: output without end should end it */
        replace_default(SIGXFSZ);
}

static bool reader_left(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
}

__attribute__((destructor)) static void end(void)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || reader_left())
        return;
    dprintf(STDERR_FILENO, "error: standard output: %s: the output is truncated\n",
            errno ? strerror(errno) : "is the disk full?");
    _exit(2);
}
