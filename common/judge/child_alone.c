/* child_alone.c: see child_alone.h. The kernel runs a small program, the filter, before each system
 * call of the process: seccomp(2).
 */
#include "child_alone.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifdef __x86_64__
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_MACHINE
#define LOAD(field) LOAD_AT(offsetof(struct seccomp_data, field))
#define LOAD_AT(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define SKIP_IF(value, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), n, 0)
#define SKIP_UNLESS(value, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, n)
#define SKIP_IF_ANY(bits, n) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), n, 0)
#define END(action) BPF_STMT(BPF_RET | BPF_K, action)
#define FORBID(call) SKIP_UNLESS(SYS_##call, 1), END(SECCOMP_RET_KILL_PROCESS)

static void install(struct sock_filter *filter, size_t length)
{
    struct sock_fprog all = {(unsigned short)length, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
}

void child_stay_alone(const char *program)
{
    uint64_t address = (uintptr_t)program;
    struct sock_filter filter[] = {
        LOAD(arch), SKIP_IF(THIS_MACHINE, 1),
        END(SECCOMP_RET_KILL_PROCESS), /* a 32-bit program numbers its calls differently */
        LOAD(nr),
#ifdef __x86_64__
        FORBID(fork), FORBID(vfork),
#endif
        FORBID(kill), FORBID(tkill), FORBID(rt_sigqueueinfo), FORBID(ptrace), FORBID(execveat),
        /* clone also makes threads, which are allowed */
        SKIP_UNLESS(SYS_clone, 4), LOAD(args[0]), SKIP_IF_ANY(CLONE_THREAD, 1),
        END(SECCOMP_RET_KILL_PROCESS), END(SECCOMP_RET_ALLOW),
        /* clone3's flags are in memory, where a filter does not see them; the C library then takes
         * clone */
        SKIP_UNLESS(SYS_clone3, 1), END(SECCOMP_RET_ERRNO | ENOSYS),
        /* the address in two halves, the low one first on both machines */
        SKIP_UNLESS(SYS_execve, 5), LOAD(args[0]), SKIP_UNLESS(address, 2),
        LOAD_AT(offsetof(struct seccomp_data, args[0]) + 4), SKIP_IF(address >> 32, 1),
        END(SECCOMP_RET_KILL_PROCESS), END(SECCOMP_RET_ALLOW)};
    install(filter, sizeof filter / sizeof *filter);
}

/* Each with the call's number loaded. */
#define MISSING(call) SKIP_UNLESS(call, 1), END(SECCOMP_RET_ERRNO | ENOSYS)
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

void child_confine(void)
{
    struct sock_filter filter[] = {LOAD(arch),
                                   SKIP_IF(THIS_MACHINE, 1),
                                   END(SECCOMP_RET_KILL_PROCESS),
                                   LOAD(nr),
#ifdef __x86_64__
                                   BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0,
                                            1), /* x32: other numbers */
                                   END(SECCOMP_RET_ERRNO | ENOSYS),
#endif
                                   MISSING(SYS_keyctl),
                                   MISSING(SYS_add_key),
                                   MISSING(SYS_request_key),
                                   MISSING(SYS_io_uring_setup),
                                   MISSING(SYS_io_uring_enter),
                                   MISSING(SYS_io_uring_register),
                                   MISSING(SYS_ptrace),
                                   MISSING(SYS_userfaultfd),
                                   MISSING(SYS_bpf),
                                   MISSING(SYS_perf_event_open),
                                   MISSING(SYS_memfd_secret),
                                   END(SECCOMP_RET_ALLOW)};
    install(filter, sizeof filter / sizeof *filter);
}

void child_spare(pid_t process)
{
    struct sock_filter filter[] = {
        LOAD(arch),
        SKIP_IF(THIS_MACHINE, 1),
        END(SECCOMP_RET_ALLOW),
        LOAD(nr),
        SKIP_UNLESS(SYS_kill, 4),
        LOAD(args[0]),
        SKIP_IF(process, 1),
        SKIP_UNLESS(-1, 1),
        END(SECCOMP_RET_KILL_PROCESS),
        END(SECCOMP_RET_ALLOW),
    };
    install(filter, sizeof filter / sizeof *filter);
}
#else
void child_confine(void) {}
void child_spare(pid_t process) {}
void child_stay_alone(const char *program) {}
#endif
