/* child.h: work in a child process, which may crash, hang, exit or print without end: this process
 * continues, and learns how the child ended.
 *
 *     ChildEnd end = child_run(&(Child){.command = words, .seconds = 60});
 *
 * The child runs in its own session (the terminal's Ctrl-C does not reach it, but it is terminated
 * when this process ends) and reads an empty standard input. When child_run returns, every process
 * that the child started is gone, even in another session. To do so this process adopts orphans and
 * ends all its children: have no others meanwhile. Call it before starting threads, MPI or a
 * window.
 */
#ifndef CHILD_H
#define CHILD_H
#include <stdbool.h>

enum { CHILD_OUT = 1, CHILD_ERR = 2 }; /* standard output, standard error */

/* MiB of a file of tried code: reached in a fraction of a second by a loop that prints without end,
 * and four times what a library needs: Open MPI 5's shared memory is a file of 16 MiB per rank. */
enum { CHILD_TRIED_MIB = 64 };

typedef struct Child {
    void (*work)(void *context); /* the child does work(context) … */
    void *context;
    /* … or, where work is NULL, this program (looked up in PATH) and its arguments, ended by
     * NULL */
    const char *const *command;
    int streams;     /* CHILD_OUT | CHILD_ERR: captured in `log`; the other stays this process's */
    const char *log; /* a file; NULL: the streams are returned as text */
    /* Limits, 0: none. Beyond one of them all its processes are killed. */
    /* Its descendants get 3 more to end. Of a child that is `alone` seconds in which its threads
     * waited for a processor do not count, up to ten times as many: a busy machine makes no right
     * function wrong. */
    double seconds;
    long most_text;   /* bytes of the streams, where they are returned as text */
    long most_file;   /* bytes of each file that it writes (it ends by SIGXFSZ); 0: 1 GiB */
    double most_gib;  /* memory of it and its descendants together */
    int most_started; /* processes at once */
    /* What ends it by SIGSYS: */
    bool alone; /* starting a process or program, or sending a signal */
    bool spare; /* sending a signal to this process, or to all */
    /* An untrusted program: keyrings, io_uring and the like fail (child_alone.h); most_gib also
     * counts what no process maps: by how much the machine's shared memory grows. */
    bool confined;
    /* NULL, or shared memory: killed once it is true. */
    const volatile bool *stop;
} Child;

typedef struct ChildEnd {
    int status;     /* as in a shell: exit status; 127: could not start; 128 + signal */
    int signal;     /* that ended it; 0: it exited */
    bool came_back; /* work returned, instead of exiting or crashing; false for a command */
    bool timed_out; /* it was still running after `seconds` */
    /* Why it was killed: "it used more than 1 GiB of memory", "it stopped itself"; "": it was
     * not. */
    char killed[64];
    bool not_its;   /* by most_gib, but it was another program's memory */
    double seconds; /* from its start to its end */
    char *text;     /* the streams' first 65,535 bytes; NULL: none captured. free() it */
} ChildEnd;

ChildEnd child_run(const Child *child);
#endif
