/* child_alone.h: what a child process may not do to others, by a filter on its system calls that it
 * and all its descendants keep: a call that is forbidden ends its process by SIGSYS. Linux only:
 * elsewhere nothing happens.
 */
#ifndef CHILD_ALONE_H
#define CHILD_ALONE_H
#include <sys/types.h>

/* Start no process, become no other program, send no signal to another process. program:
 * execv(program, …) with this very pointer is allowed, once: the program that it becomes has other
 * addresses. NULL: none. */
void child_stay_alone(const char *program);
/* Send no signal to `process`, nor to all processes (kill(-1, …)). */
void child_spare(pid_t process);
/* Without the kernel's keys, in which it could leave words for others, io_uring, ptrace and other
 * calls that a training has no use for: they fail with ENOSYS. */
void child_confine(void);
#endif
