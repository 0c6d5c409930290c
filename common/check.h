/* check.h: every error ends the whole run, once, with one clear message.
 *
 * A data-parallel run is P processes. If one of them only returned an error, the other P-1 would
 * hang in their next all-reduce. So an error that a program cannot recover from goes through die(),
 * which ends every rank.
 */
#ifndef CHECK_H
#define CHECK_H
#include <stdarg.h>
#include <stdbool.h>

/* Exit statuses of every program and script of the labs. */
enum {
    EXIT_WRONG = 1, /* it ran, and the answer is wrong (a failed check, a diverged run) */
    EXIT_USAGE = 2, /* bad option, bad file, missing environment; input that is not finite */
    EXIT_TODO = 77  /* not written yet, or the hardware is missing */
};

/* Print "error: MESSAGE" (with "rank R: " in front in a run of several ranks) on stderr and end all
 * ranks with `status`. An error that several ranks meet (a missing file) is printed once, by rank 0
 * if it is among them: the others wait 0.5 s (before comm_open 2 s), and then the first one
 * prints. The message names the mistake, where it is, and what to do. */
void die(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Print a line on stderr, as safely as die() does, and return. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How die() ends the other ranks: comm_mpi.c registers MPI_Abort. NULL, or where die() is called on
 * another thread than this: only this process ends, and mpirun ends the others a second later.
 * die() leaves by quick_exit(), so no atexit() handler runs. */
void die_register(int rank, int size, void (*end_all_ranks)(int status));

/* die() with EXIT_USAGE unless `condition` holds: for input from a person or a file. */
#define REQUIRE(condition, ...) \
    do { \
        if (!(condition)) \
            die(EXIT_USAGE, __VA_ARGS__); \
    } while (0)

/* die() with EXIT_WRONG and the line unless `condition` holds: for promises that only a bug in this
 * code can break. */
#define ASSERT(condition) \
    do { \
        if (!(condition)) \
            die(EXIT_WRONG, "%s:%d: broken: %s", __FILE__, __LINE__, #condition); \
    } while (0)

/* An exercise that is not written, or does not compile. */
typedef struct Unfinished {
    const char *file;
    int line;         /* 0: none */
    const char *text; /* "TODO in FILE, line LINE: …" */
} Unfinished;
/* An exercise that is not written yet: prints its file and line, and exits 77.
 *     TODO("one ring step: send chunk (rank - step), receive and add chunk (rank - step - 1)");
 * exercise_missing() lists those that a program contains without calling them: the
 * linker gathers pointers to their records in one section. */
#define TODO(what) TODO_AT(__FILE__, __LINE__, what)
#define TODO_AT(file, line, what) \
    do { \
        UNFINISHED(file, line, "TODO in " file ", line " TODO_TEXT(line) ": " what); \
        die(EXIT_TODO, "%s", unfinished.text); \
    } while (0)
#define TODO_TEXT(token) #token
/* The record alone. */
#define UNFINISHED(file, line, text) \
    static const Unfinished unfinished = {file, line, text}; \
    static const Unfinished *unfinished_listed \
        __attribute__((section("labs_todo"), used)) = &unfinished

/* count * size bytes, zeroed, 64-byte aligned (one cache line, one AVX-512 vector), or die().
 * free() it. */
void *alloc(unsigned long count, unsigned long size);
/* The array with room for one element after the first `count`: it doubles at 0, 1, 2, 4, …; or
 * die(). free() it. */
void *grown(void *array, unsigned long count, unsigned long size);
/* printf into a new string; free() it. */
char *format_new(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *format_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Has a stop been requested? After stop_on_signals(), Ctrl-C (SIGINT; SIGUSR1 from
 * setup/launch.sh), SIGTERM or a closed terminal (SIGHUP, unless it was ignored: nohup) requests
 * one; loops ask between steps. A second Ctrl-C ends the process at once; after SIGTERM and SIGHUP
 * it has LABS_STOP_SECONDS (3) to stop. In a run of several ranks agree on it with
 * comm_all_reduce_host(..., COMM_MAX), so that all stop at the same step. */
void stop_on_signals(void);
bool stop_requested(void);
#endif
