/* child_alone.h: this process may start no other, become no other program and send no signal to
 * another: a call that would do so ends it by SIGSYS. Linux only: elsewhere nothing happens.
 */
#ifndef CHILD_ALONE_H
#define CHILD_ALONE_H

/* program: execv(program, …) with this very pointer is allowed, once: the program that it becomes
 * has other addresses. NULL: none. */
void child_stay_alone(const char *program);
#endif
