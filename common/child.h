/* child.h: work in a process of its own, which may crash, hang, exit or print without end: this
 * process goes on, and is told how it ended.
 *
 *     ChildEnd end = child_run(&(Child){.command = words, .seconds = 60});
 *
 * The child has a session of its own (the terminal's Ctrl-C is not for it, but it is told to end
 * when this process ends), nothing on its standard input, and may write no file beyond 1 GiB. When
 * child_run returns, nothing is left of all that it started: on Linux whatever sessions its
 * descendants went to, elsewhere its process group. For that this process becomes the parent of
 * their orphans, and ends all children that it has: have no others meanwhile. Call it before
 * threads, MPI or a window are started.
 */
#ifndef CHILD_H
#define CHILD_H
#include <stdbool.h>

enum { CHILD_OUT = 1, CHILD_ERR = 2 }; /* standard output, standard error */

typedef struct Child {
    void (*work)(void *context); /* the child does work(context) … */
    void *context;
    /* … or, where work is NULL, these words, which NULL ends: a program, looked for in PATH, and
     * its arguments */
    const char *const *command;
    int streams;     /* CHILD_OUT | CHILD_ERR: these go into `log`; the other is this process's */
    const char *log; /* a file; NULL: the streams come back as text */
    double seconds;  /* after these it is killed; what it started has 3 more. 0: no limit */
} Child;

typedef struct ChildEnd {
    int status;     /* as in a shell: the exit status; 127: cannot be started; 128 + signal */
    int signal;     /* that ended it; 0: it exited by itself */
    bool came_back; /* work returned, and did not exit or die on the way; of a command never */
    bool timed_out; /* it was still there after `seconds` */
    double seconds; /* from its start to its end */
    char *text;     /* of the streams, the first 65,535 bytes; NULL: none is asked for. free() it */
} ChildEnd;

ChildEnd child_run(const Child *child);
#endif
