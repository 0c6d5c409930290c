/* test_folder_lock.c: one holder at a time; the lock ends with it, not with its children. */
#include "check.h"
#include "folder_lock.h"
#include "harness.h"
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void lock_it(void *folder) { folder_lock(folder, "second"); }

static void refused(const char *folder, const char *words)
{
    expect_death(EXIT_USAGE, lock_it, (void *)folder, folder, words, NULL);
}

TEST(one_at_a_time)
{
    const char *folder = scratch_dir();
    char words[64];
    snprintf(words, sizeof words, "in use by process %d on ", (int)getpid());
    FolderLock *l = folder_lock(folder, "first");
    refused(folder, words);
    refused(folder, "first): wait for it, end it, or use another --out");
    folder_unlock(l);
    folder_unlock(folder_lock(folder, "again"));
    folder_unlock(NULL);
}

/* The old words of a file that nobody holds mean nothing. */
TEST(old_words)
{
    const char *folder = scratch_dir();
    char *path = path_in(folder, ".lock");
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fprintf(f, "process 1 on \033[2Jhost\n");
    fclose(f);
    FolderLock *l = folder_lock(folder, "first");
    f = fopen(path, "w"); /* while it is held: nothing, then anything */
    refused(folder, "in use by another process");
    for (int i = 0; i < 1000; i++)
        fprintf(f, "\033[2J\xff%d", i);
    fflush(f);
    refused(folder, "in use by \\x1b[2J\\xff0");
    fclose(f);
    folder_unlock(l);
}

/* Can another process lock it? (expect_death() would end the holder: child.h.) */
static bool is_free(const char *folder)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        folder_lock(folder, "other");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A holder that is killed, with a forked child that lives on and a program that it started. */
TEST(killed_holder)
{
    const char *folder = scratch_dir();
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    pid_t holder = fork();
    if (holder == 0) {
        setpgid(0, 0);
        FolderLock *l = folder_lock(folder, "holder");
        if (fork() == 0)
            sleep(60);
        if (fork() == 0)
            execlp("sleep", "sleep", "60", NULL);
        usleep(200000);
        if (write(fd[1], l ? "x" : "", 1) == 1)
            sleep(60);
        _exit(0);
    }
    char byte;
    assert_int_equal(read(fd[0], &byte, 1), 1);
    assert_false(is_free(folder));
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    assert_int_equal(kill(-holder, 0), 0); /* its children still run */
    assert_true(is_free(folder));
    kill(-holder, SIGKILL);
}

TEST(wrong_places)
{
    const char *folder = scratch_dir();
    char *path = path_in(folder, ".lock");
    assert_int_equal(mkfifo(path, 0600), 0);
    refused(folder, "is not a regular file: remove it");
    unlink(path);
    assert_int_equal(symlink("/etc/hostname", path), 0);
    refused(folder, "is a symbolic link");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    refused(folder, "Is a directory");
    rmdir(path);
    refused("/nowhere", "/nowhere/.lock: No such file");
    refused("/proc", "/proc/.lock");
}
