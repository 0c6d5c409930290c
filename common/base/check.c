/* check.c: see check.h. The only state is the process's own: its rank, how to end the run, a
 * requested stop. */
#include "check.h"
#include "number.h"
#include "printable.h"
#include "start.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TEXT = 4000 }; /* bytes */

/* Ranks on several machines speak one after the other, so that the first can end the others. */
static const double APART = 0.1; /* seconds */
enum { MOST_APART = 10 };        /* ranks */

static int my_rank = -1, world_size = -1; /* -1: not registered: see the environment */
static void (*end_all)(int status);
static pthread_t may_end_all;             /* the thread that registered it */
static volatile sig_atomic_t stop_signal; /* the signal that requested a stop, 0: none */

void die_register(int rank, int size, void (*end_all_ranks)(int status))
{
    my_rank = rank;
    world_size = size;
    end_all = end_all_ranks;
    may_end_all = pthread_self();
}

/* On a watch's thread another one may be inside MPI, which then permits no call of it: this process
 * exits without calling MPI, and mpirun ends the others. */
static bool ends_all(void) { return end_all && pthread_equal(pthread_self(), may_end_all); }

/* An integer set by the launcher; the first variable that exists counts. */
static int from_environment(const char *open_mpi, const char *mpich, int otherwise)
{
    const char *text = getenv(open_mpi) ? getenv(open_mpi) : getenv(mpich);
    return text ? atoi(text) : otherwise;
}

static void sleep_seconds(double seconds)
{
    struct timespec left = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}

void die(int status, const char *format, ...)
{
    static atomic_flag dying = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&dying))
        pause(); /* another thread is already ending the run */

    /* An error before comm_open (a bad option) happens on every rank, too. */
    int rank = my_rank >= 0 ? my_rank : from_environment("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0);
    int size = world_size > 0 ? world_size
                              : from_environment("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1);
    char message[MOST_TEXT], safe[MOST_TEXT], line[MOST_TEXT + 64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    printable(safe, sizeof safe, message); /* it may quote a file or an option */
    if (size > 1)
        snprintf(line, sizeof line, "rank %d: error: %s\n", rank, safe);
    else
        snprintf(line, sizeof line, "error: %s\n", safe);

    fflush(stdout);
    if (rank > 0) {
        signal(SIGTERM, SIG_DFL); /* so that another rank's end stops this one while it waits */
        /* without MPI_Abort mpirun gives the other ranks a second */
        sleep_seconds((ends_all() ? 0.5 : 2) + APART * (rank < MOST_APART ? rank : MOST_APART));
    }
    if (start_first_word(status))
        dprintf(STDERR_FILENO, "%s", line); /* in one piece: ranks' lines must not mix */
    else
        sleep_seconds(1); /* the rank that spoke ends this one */
    if (ends_all())
        end_all(status);
    quick_exit(status); /* not exit(): other threads still use what its handlers tear down */
}

void note(const char *format, ...)
{
    char message[MOST_TEXT], safe[MOST_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "%s\n", printable(safe, sizeof safe, message));
}

/* A stop must not take forever; only after Ctrl-C it may, which a person can press again. In a run
 * of several ranks setup/guard.sh sees this file and watches the clock; for one process alone an
 * alarm does. */
static char stopping[4096];
static unsigned seconds_to_stop;

static void limit_stop(int signal_number)
{
    if (signal_number != SIGTERM && signal_number != SIGHUP)
        return;
    int file = *stopping ? open(stopping, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (file >= 0)
        close(file);
    alarm(seconds_to_stop);
}

static void on_signal(int signal_number)
{
    if (stop_signal == SIGINT && signal_number == SIGINT)
        _exit(128 + SIGINT);
    if (stop_signal != SIGINT)
        stop_signal = signal_number;
    int before = errno;
    limit_stop(signal_number);
    errno = before;
}

static void on_alarm(int signal_number)
{
    static const char line[] =
        "error: no stop within LABS_STOP_SECONDS (3) of SIGTERM or SIGHUP: ended at once\n";
    _exit(write(STDERR_FILENO, line, sizeof line - 1) < 0 ? EXIT_USAGE : 128 + SIGTERM);
}

static void handle(int signal_number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

/* SIGUSR1 stands for Ctrl-C: mpirun forwards it to all ranks without acting on it
 * (setup/launch.sh). */
void stop_on_signals(void)
{
    struct sigaction old;
    handle(SIGINT, on_signal);
    handle(SIGTERM, on_signal);
    handle(SIGUSR1, on_signal);
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup */
        handle(SIGHUP, on_signal);
    if (from_environment("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1) > 1) {
        const char *run = getenv("LABS_RUN");
        snprintf(stopping, sizeof stopping, "%s%s", run ? run : "", run ? "/stopping" : "");
        return;
    }
    int64_t limit = 3;
    number_whole(&limit, getenv("LABS_STOP_SECONDS"), 1, 999999);
    seconds_to_stop = (unsigned)limit;
    handle(SIGALRM, on_alarm);
}

bool stop_requested(void) { return stop_signal != 0; }

char *format_list(const char *format, va_list arguments)
{
    char *text;
    REQUIRE(vasprintf(&text, format, arguments) >= 0, "out of memory: no room for a line of text");
    return text;
}

char *format_new(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_list(format, arguments);
    va_end(arguments);
    return text;
}
