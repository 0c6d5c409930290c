/* attacks.c: a submission that tries to read, change, stop and reach what is not its own. It prints
 * "reached: …" for what it should not have come to, and "all tried" at the end;
 * tests/e2e/grade_harm.sh replaces the words in capitals, and looks from outside what has become
 * of them. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static void reached(const char *what) { printf("reached: %s\n", what), fflush(stdout); }

static void try_file(const char *what, const char *path, int how)
{
    int fd = open(path, how, 0666);
    if (fd >= 0)
        reached(what), close(fd);
}

static void try_connect(const char *what, int family, const void *address, socklen_t length)
{
    int fd = socket(family, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, address, length) == 0)
        reached(what);
    close(fd);
}

/* Any process that is not of this run: its parent's name would be the grader's. */
static void try_processes(void)
{
    char path[300], text[4096];
    DIR *all = opendir("/proc");
    for (struct dirent *e; all && (e = readdir(all));) {
        snprintf(path, sizeof path, "/proc/%s/cmdline", e->d_name);
        FILE *f = fopen(path, "r");
        size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
        for (size_t i = 0; i < n; i++)
            text[i] = text[i] ? text[i] : ' ';
        text[n] = 0;
        if (strstr(text, "--secret") || strstr(text, "grader/grade"))
            reached("the grader's process");
        if (f)
            fclose(f);
    }
    if (all)
        closedir(all);
    if (kill(GRADER, 0) == 0)
        reached("the grader by its number");
    if (ptrace(PTRACE_ATTACH, GRADER, 0, 0) == 0)
        reached("the grader's memory");
    if (!kill(GRADER, SIGKILL) || !kill(GRADER, SIGSTOP))
        reached("an end of the grader");
}

static void try_rights(void)
{
    if (setuid(0) == 0 || geteuid() == 0)
        reached("root");
    if (mount("none", "/tmp", "tmpfs", 0, NULL) == 0)
        reached("a mount");
    if (unshare(CLONE_NEWUSER) == 0)
        reached("a new user namespace");
    if (sethostname("gone", 4) == 0)
        reached("the host's name");
}

/* Words for the next submission in the kernel's keys; calls that a training has no use for. */
static void try_calls(void)
{
    char room[256] = {0};
    if (syscall(SYS_add_key, "user", "labs", "word", 4, -3) >= 0 ||
        syscall(SYS_keyctl, 0, -3, 1) >= 0 || syscall(SYS_request_key, "user", "labs", 0, -3) >= 0)
        reached("the keys");
    if (syscall(SYS_io_uring_setup, 4, room) >= 0)
        reached("io_uring");
}

int main(void)
{
    if (getenv("OMPI_COMM_WORLD_RANK") && strcmp(getenv("OMPI_COMM_WORLD_RANK"), "0"))
        return 0;
    try_file("the canary", "CANARY", O_RDONLY);
    try_file("the canary, to write", "CANARY", O_WRONLY | O_APPEND);
    try_file("a neighbour's folder", "NEIGHBOUR/new", O_WRONLY | O_CREAT);
    try_file("the project", "PROJECT/assessment/rubric.json", O_RDONLY);
    try_file("the grader's program", "PROJECT/assessment/grader/grade", O_WRONLY);
    try_file("the system", "/usr/bin/canary", O_WRONLY | O_CREAT);
    try_file("accounts", "/etc/shadow", O_RDONLY);
    try_file("accounts", "/etc/passwd", O_WRONLY | O_APPEND);
    try_file("its own program", "/submission/train", O_WRONLY);
    try_file("the images", "/submission/data/cifar-10-batches-bin/data_batch_1.bin", O_WRONLY);
    try_file("the machine's root, by a process", "/proc/1/root/CANARY", O_RDONLY);
    try_file("the machine's memory", "/dev/mem", O_RDONLY);
    unlink("CANARY");
    if (getenv("LABS_SECRET"))
        reached("the environment");
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_port = htons(PORT),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    try_connect("a listener on loopback", AF_INET, &in, sizeof in);
    struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "\0labs-canary-PORT"};
    try_connect("an abstract socket", AF_UNIX, &un,
                (socklen_t)(sizeof un.sun_family + sizeof "\0labs-canary-PORT" - 1));
    if (shmget(PORT, 1, 0) >= 0)
        reached("shared memory of System V");
    int shm = shm_open("/labs-canary-PORT", O_RDWR, 0);
    if (shm >= 0)
        reached("shared memory");
    try_processes();
    try_rights();
    try_calls();
    symlink("CANARY", "/submission/hand/weights.safetensors");
    mkdir("/submission/hand/out", 0755); /* whose metrics.csv the grader keeps */
    symlink("NEIGHBOUR.out", "/submission/hand/out/assessment");
    if (fork() == 0 && setsid() >= 0) { /* lives on, if it can */
        sleep(600);
        _exit(0);
    }
    printf("all tried\n");
    fflush(stdout);
    sleep(2);                        /* it is read */
    for (int i = 0; i < 100000; i++) /* processes, as many as there may be */
        if (fork() < 0)
            break;
    return 0;
}
