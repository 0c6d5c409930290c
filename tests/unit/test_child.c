/* test_child.c: a child process, however badly it ends. */
#include "check.h"
#include "child.h"
#include "harness.h"
#include "judge/child_family.h"
#include "timer.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static ChildEnd run(Child c)
{
    ChildEnd end = child_run(&c);
    keep(end.text);
    return end;
}

/* ---- how it ended ---- */

static void come_back(void *unused)
{
    printf("out");
    fprintf(stderr, "err");
}

static void exit_with(void *status) { exit(*(int *)status); }
static void raise_it(void *number) { raise(*(int *)number); }

static void hang(void *unused)
{
    for (;;)
        pause();
}

TEST(ends)
{
    ChildEnd end = run((Child){.work = come_back});
    assert_true(end.came_back && end.status == 0 && end.signal == 0 && !end.timed_out && !end.text);
    for (int status = 0; status < 256; status += 5) {
        end = run((Child){.work = exit_with, .context = &status});
        assert_true(!end.came_back && end.status == status && end.signal == 0);
    }
    end = run((Child){.work = raise_it, .context = &(int){SIGKILL}, .seconds = 30});
    assert_true(!end.came_back && end.signal == SIGKILL && end.status == 128 + SIGKILL &&
                !end.timed_out);
}

TEST(time_limit)
{
    ChildEnd ends[] = {run((Child){.work = hang, .seconds = 0.3}),
                       run((Child){.command = (const char *[]){"sleep", "60", NULL},
                                   .seconds = 0.3})};
    for (int i = 0; i < 2; i++) {
        assert_string_equal(ends[i].killed, "it does not end: still running after 0.3 s");
        assert_true(ends[i].timed_out && ends[i].signal == SIGKILL && !ends[i].came_back);
        assert_true(ends[i].seconds >= 0.3 && ends[i].seconds < 50);
    }
}

/* Busy for 0.8 s on a processor that three others want, too. */
static void work_in_a_crowd(void *unused)
{
    double began = timer_processor();
    while (timer_processor() - began < 0.8)
        continue;
}

static ChildEnd run_in_a_crowd(bool alone)
{
    cpu_set_t all, first;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&first);
    for (int i = 0; CPU_COUNT(&first) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &first);
    sched_setaffinity(0, sizeof first, &first);
    for (int i = 0; i < 3; i++)
        if (fork() == 0) { /* child_run() ends them, too */
            setsid();      /* Linux may share out a processor by sessions */
            for (;;)
                continue;
        }
    ChildEnd end = run((Child){.work = work_in_a_crowd, .seconds = 1, .alone = alone});
    sched_setaffinity(0, sizeof all, &all);
    return end;
}

TEST(busy_machine)
{
    if (isnan(timer_waited()))
        SKIP("this kernel does not say how long a process waited");
    ChildEnd alone = run_in_a_crowd(true);
    assert_true(alone.came_back && alone.seconds > 1);
    assert_true(run_in_a_crowd(false).timed_out);
}

/* One that stops itself would hang: it is noticed at once, also without a time limit. */
TEST(stops)
{
    ChildEnd end = run((Child){.work = raise_it, .context = &(int){SIGSTOP}});
    assert_string_equal(end.killed, "it stopped itself");
    assert_true(!end.timed_out && end.signal == SIGKILL && !end.came_back);
    end = run((Child){.command = (const char *[]){"sh", "-c", "(kill -STOP $$) & wait", NULL}});
    assert_string_equal(end.killed, "it stopped itself");
}

TEST(commands)
{
    ChildEnd end = run(
        (Child){.command = (const char *[]){"sh", "-c", "cat; exit $1", "sh", "3", NULL},
                .streams = CHILD_OUT});
    assert_true(end.status == 3 && !end.came_back);
    assert_string_equal(end.text, ""); /* nothing to read */
    end = run((Child){.command = (const char *[]){"/no/such", NULL}, .streams = CHILD_ERR});
    assert_int_equal(end.status, 127);
    assert_string_equal(end.text, "error: /no/such: No such file or directory\n");
}

/* ---- its output ---- */

TEST(streams)
{
    static const char *const texts[] = {"out", "err", "errout"}; /* stdout is written at the end */
    for (int which = 1; which <= 3; which++) {
        ChildEnd end = run((Child){.work = come_back, .streams = which});
        assert_string_equal(end.text, texts[which - 1]);
    }
    char *log = path_in(scratch_dir(), "log");
    ChildEnd end = run((Child){.work = come_back, .streams = CHILD_OUT | CHILD_ERR, .log = log});
    assert_true(end.came_back && !end.text);
    assert_string_equal(slurp(log, NULL), "errout");
    end = run((Child){.work = come_back, .streams = CHILD_OUT, .log = "/no/folder/log"});
    assert_int_equal(end.status, EXIT_USAGE);
}

static void print_on(void *unused)
{
    for (;;)
        puts("PASS");
}

TEST(prints_without_end)
{
    ChildEnd end = run((Child){.work = print_on, .streams = CHILD_OUT, .seconds = 0.5});
    assert_true(end.timed_out);
    assert_int_equal(strlen(end.text), 65535);
    assert_memory_equal(end.text, "PASS\nPASS\n", 10);
}

static void write_far(void *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0666);
    if (ftruncate(fd, (off_t)1 << 30) == 0)
        pwrite(fd, "", 1, (off_t)1 << 30);
}

TEST(file_too_large)
{
    char *path = path_in(scratch_dir(), "large");
    assert_int_equal(run((Child){.work = write_far, .context = path}).signal, SIGXFSZ);
    const char *const print[] = {"sh", "-c", "while :; do echo y; done", NULL};
    path = path_in(scratch_dir(), "log");
    ChildEnd end = run((Child){
        .command = print, .streams = CHILD_OUT, .log = path, .seconds = 20, .most_file = 4096});
    struct stat about;
    assert_true(!end.timed_out && stat(path, &about) == 0 && about.st_size == 4096);
}

TEST(text_limit)
{
    ChildEnd end = run(
        (Child){.work = print_on, .streams = CHILD_OUT, .seconds = 20, .most_text = 1 << 20});
    assert_string_equal(end.killed, "it printed more than 1024 KiB");
    assert_true(!end.timed_out && strlen(end.text) == 65535);
}

/* A zero byte does not hide the text behind it. */
static void print_zero(void *unused)
{
    putchar(0);
    printf("text");
}

TEST(zero_bytes)
{
    ChildEnd end = run((Child){.work = print_zero, .streams = CHILD_OUT});
    assert_string_equal(end.text, "?text");
}

/* ---- its leftovers ---- */

/* Its descendant has its own session, holds the pipe of the text open, and would make the file
 * later. */
static void leave_one(void *path)
{
    if (fork() == 0 && fork() == 0) {
        setsid();
        signal(SIGTERM, SIG_IGN);
        sleep(2);
        close(open(path, O_WRONLY | O_CREAT, 0666));
        sleep(60);
    }
}

TEST(descendants)
{
    char *path = path_in(scratch_dir(), "late");
    ChildEnd end = run(
        (Child){.work = leave_one, .context = path, .streams = CHILD_OUT | CHILD_ERR});
    assert_true(end.came_back && end.seconds < 30); /* not its 62 s */
    assert_int_equal(waitpid(-1, NULL, 0), -1);
    sleep(3);
    assert_int_equal(access(path, F_OK), -1);
}

/* ---- memory and processes ---- */

static void grow(void *unused)
{
    for (;;)
        memset(alloc(1 << 20, 1), 1, 1 << 20);
}

/* In a descendant: it counts, too. */
static void grow_below(void *unused)
{
    if (fork() == 0)
        grow(NULL);
    pause();
}

TEST(memory_limit)
{
    void (*const works[])(void *) = {grow, grow_below};
    for (int i = 0; i < 3; i++) {
        ChildEnd end = run(
            (Child){.work = works[i == 1], .seconds = 20, .most_gib = 0.25, .alone = i == 2});
        assert_string_equal(end.killed, "it used more than 0.25 GiB of memory");
        assert_int_equal(waitpid(-1, NULL, 0), -1);
    }
}

/* Memory that no process maps: in a file of its own, or in one that this process keeps. */
static void grow_unmapped(void *kept)
{
    static char bytes[1 << 20];
    int file = kept ? *(int *)kept : memfd_create("grow", 0);
    memset(bytes, 1, sizeof bytes);
    for (int i = 0; i < 400; i++)
        if (write(file, bytes, sizeof bytes) != sizeof bytes)
            exit(1);
    pause();
}

/* How much of the machine's shared memory others have freed: while the child's is kept, all that
 * becomes less. */
static atomic_bool listening;
static void *freed_by_others(void *freed)
{
    for (double before = family_shared(), now; listening; before = now) {
        usleep(2000);
        now = family_shared();
        *(double *)freed += fmax(before - now, 0);
    }
    return NULL;
}

TEST(unmapped_memory)
{
    int kept = memfd_create("kept", 0);
    for (int i = 0; i < 2; i++) {
        double freed = 0;
        pthread_t listener;
        listening = true;
        pthread_create(&listener, NULL, freed_by_others, &freed);
        ChildEnd end = run((Child){.work = grow_unmapped,
                                   .context = i ? &kept : NULL,
                                   .seconds = 20,
                                   .most_gib = 0.25,
                                   .confined = true});
        listening = false;
        pthread_join(listener, NULL);
        assert_string_equal(end.killed, "it used more than 0.25 GiB of memory");
        if (i && freed > 64e6)
            SKIP("another program frees shared memory");
        assert_int_equal(end.not_its, i);
    }
    close(kept);
}

/* Bounded, in case that nobody stops it. */
static void breed(void *unused)
{
    for (int i = 0; i < 8; i++)
        fork();
    sleep(60);
}

TEST(process_limit)
{
    ChildEnd end = run((Child){.work = breed, .seconds = 20, .most_started = 40});
    assert_string_equal(end.killed, "it started more than 40 processes");
    assert_int_equal(waitpid(-1, NULL, 0), -1);
}

static void start_one(void *unused) { fork(); }
static void signal_parent(void *unused) { kill(getppid(), SIGUSR1); }
static void become_true(void *unused) { execlp("true", "true", (char *)NULL); }
static void spawn(void *unused) { exit(system("true")); }

static void *thread(void *unused) { return unused; }
static void start_thread(void *unused)
{
    pthread_t helper;
    if (pthread_create(&helper, NULL, thread, NULL) != 0)
        exit(1);
    pthread_join(helper, NULL);
}

TEST(alone)
{
    void (*const works[])(void *) = {start_one, signal_parent, become_true, spawn};
    for (int i = 0; i < 4; i++)
        assert_int_equal(run((Child){.work = works[i], .alone = true}).signal, SIGSYS);
    assert_true(run((Child){.work = start_thread, .alone = true}).came_back);
    /* it may become the program that is asked for, which may become no other */
    const char *const first[] = {"/bin/sh", "-c", "exit 5", NULL}, *const second[] = {
                                                                       "/bin/sh", "-c",
                                                                       "exec /bin/true", NULL};
    assert_int_equal(run((Child){.command = first, .alone = true}).status, 5);
    assert_int_equal(run((Child){.command = second, .alone = true}).signal, SIGSYS);
}

/* Signal 0 does no harm where this goes wrong. */
static void signal_all(void *unused) { kill(-1, 0); }
static void ask_parent(void *unused) { kill(getppid(), 0); }
static void ask_itself(void *unused) { kill(getpid(), 0); }

TEST(spare)
{
    assert_int_equal(run((Child){.work = signal_all, .spare = true}).signal, SIGSYS);
    assert_int_equal(run((Child){.work = ask_parent, .spare = true}).signal, SIGSYS);
    assert_true(run((Child){.work = ask_itself, .spare = true}).came_back);
    const char *const below[] = {"sh", "-c", "sh -c 'kill -0 $PPID' && kill -0 -1", NULL};
    assert_int_not_equal(run((Child){.command = below, .spare = true}).status, 0);
}

static void use_keys_and_rings(void *unused)
{
    static const long calls[] = {SYS_keyctl,      SYS_add_key,
                                 SYS_request_key, SYS_io_uring_setup,
                                 SYS_ptrace,      SYS_userfaultfd,
                                 SYS_bpf,         SYS_perf_event_open,
                                 0x40000000L,     SYS_io_uring_enter};
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++)
        if (syscall(calls[i], 0, 0, 0, 0, 0) != -1 || errno != ENOSYS)
            exit(100 + i);
}

TEST(confined)
{
    ChildEnd end = run((Child){.work = use_keys_and_rings, .confined = true});
    assert_int_equal(end.status, 0);
    const char *const words[] = {"sh", "-c", "exit $(echo 7)", NULL};
    assert_int_equal(run((Child){.command = words, .confined = true}).status, 7);
}
