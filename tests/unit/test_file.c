/* test_file.c: a file under its final name is complete: full disks, killed writers, wrong paths.
 * And folders. */
#include "file.h"
#include "harness.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The order of these two, as file.c calls them, is what a power cut tests: so they are counted, and
 * can be made to fail. */
static int file_syncs, folder_syncs, renames, fail_sync;
static int synced_before_rename, synced_after_rename;

int fsync(int fd)
{
    struct stat found;
    fstat(fd, &found);
    if (S_ISDIR(found.st_mode)) {
        folder_syncs++;
        synced_after_rename += renames > 0;
        return 0;
    }
    file_syncs++;
    synced_before_rename += renames == 0;
    errno = EIO;
    return fail_sync ? -1 : 0;
}

int rename(const char *from, const char *to)
{
    renames++;
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

enum { WORDS = 1 << 18 }; /* 1 MiB of equal words: a mixture shows */

static char *write_words(const char *path, uint32_t word)
{
    static uint32_t words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = word;
    NewFile *f = file_begin(path);
    file_put(f, words, sizeof words);
    return file_commit(f);
}

/* The word that the whole file repeats; fails the case if it is anything else than WORDS equal
 * ones. */
static uint32_t whole_word(const char *path)
{
    static uint32_t words[WORDS + 1];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(words, 4, WORDS + 1, f), WORDS);
    fclose(f);
    for (int i = 1; i < WORDS; i++)
        assert_int_equal(words[i], words[0]);
    return words[0];
}

static int files_in(const char *folder)
{
    int count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

static void expect_error(char *error, const char *path, const char *word)
{
    if (!error || strncmp(error, path, strlen(path)) || !strstr(error, word))
        fail_msg("expected '%s … %s', got: %s", path, word, error ? error : "no error");
    printf("    %s\n", error);
    free(error);
}

TEST(replaces)
{
    const char *folder = scratch_dir(), *path = path_in(folder, "x");
    umask(022);
    for (uint32_t word = 1; word < 4; word++) {
        assert_null(write_words(path, word));
        assert_int_equal(whole_word(path), word);
    }
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0644); /* as any file of this person's */
    assert_int_equal(files_in(folder), 1);
}

/* While it is being written the old file is there, and nothing of the new one under its name. */
TEST(old_until_commit)
{
    const char *path = path_in(scratch_dir(), "x");
    assert_null(write_words(path, 1));
    NewFile *f = file_begin(path);
    file_print(f, "%d %s\n", 7, "new");
    assert_int_equal(whole_word(path), 1);
    assert_null(file_commit(f));
    assert_string_equal(slurp(path, NULL), "7 new\n");
}

TEST(power_cut)
{
    const char *folder = scratch_dir(), *path = path_in(folder, "x");
    assert_null(write_words(path, 1));
    assert_int_equal(file_syncs, 1);
    assert_int_equal(folder_syncs, 1);
    assert_int_equal(renames, 1);
    assert_int_equal(synced_before_rename, 1);
    assert_int_equal(synced_after_rename, 1);
    fail_sync = 1;
    expect_error(write_words(path, 2), path, "Input/output error");
    assert_int_equal(whole_word(path), 1);
    assert_int_equal(files_in(folder), 1);
}

TEST(wrong_places)
{
    const char *folder = scratch_dir();
    expect_error(write_words("/nowhere/x", 1), "/nowhere/x", "No such file");
    expect_error(write_words(folder, 1), folder, "is a folder");
    expect_error(write_words("/dev/full", 1), "/dev/full", "not a regular file");
    struct stat found;
    /* and it still exists */
    assert_true(stat("/dev/full", &found) == 0 && S_ISCHR(found.st_mode));
    expect_error(write_words("/proc/x", 1), "/proc/x", "");
    if (geteuid() == 0) /* permissions do not stop root */
        return;
    assert_int_equal(chmod(folder, 0500), 0);
    expect_error(write_words(path_in(folder, "x"), 1), folder, "Permission denied");
    chmod(folder, 0700);
}

/* Writes fail behind the first 100,000 bytes, as on a full disk: the old file stays, and no rest of
 * the new one. */
TEST(no_room)
{
    const char *folder = scratch_dir(), *path = path_in(folder, "x");
    assert_null(write_words(path, 1));
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit little = {100000, 100000};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    expect_error(write_words(path, 2), path, "File too large");
    NewFile *f = file_begin(path); /* the same piece by piece, the failure in the middle */
    for (int i = 0; i < 20000; i++)
        file_print(f, "%09d\n", i);
    expect_error(file_commit(f), path, "File too large");
    assert_int_equal(whole_word(path), 1);
    assert_int_equal(files_in(folder), 1);
}

TEST(full_disk)
{
    const char *folder = scratch_dir(), *path = path_in(folder, "x");
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", folder, "tmpfs", 0, "size=1536k"))
        SKIP("a small file system can only be mounted by root");
    assert_null(write_words(path, 1));
    expect_error(write_words(path, 2), path, "No space left on device");
    assert_int_equal(whole_word(path), 1);
    assert_int_equal(files_in(folder), 1);
    umount(folder);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Only what the buffer still holds does not fit: the last flush must be looked at too. */
TEST(full_at_the_end)
{
    const char *folder = scratch_dir(), *path = path_in(folder, "x");
    signal(SIGXFSZ, SIG_IGN);
    limit_files(10);
    NewFile *f = file_begin(path);
    file_print(f, "more than ten bytes");
    char *error = file_commit(f);
    limit_files(RLIM_INFINITY); /* what the test prints is a file, too */
    expect_error(error, path, "File too large");
    assert_int_equal(files_in(folder), 0);
}

/* A writer in a loop, killed some time after its first file: what has the final name is whole every
 * time, and nothing else is left. */
TEST(killed)
{
    const char *folder = scratch_dir(), *path = path_in(folder, "x");
    _Atomic int *writing = mmap(NULL, sizeof *writing, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(writing != MAP_FAILED);
    int halves = 0;
    int round = 0;
    for (; round < 60 || (!halves && round < 1000); round++) {
        int fd[2];
        assert_int_equal(pipe(fd), 0);
        pid_t child = fork();
        if (child == 0)
            for (uint32_t word = (uint32_t)round << 16;; word++) {
                *writing = 1;
                if (write_words(path, word))
                    _exit(1);
                *writing = 0;
                if (write(fd[1], "x", 1) != 1)
                    _exit(1);
            }
        char byte;
        assert_int_equal(read(fd[0], &byte, 1), 1);
        usleep((useconds_t)(937 * round % 10000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        halves += *writing;
        close(fd[0]);
        close(fd[1]);
        assert_int_equal(whole_word(path) >> 16, round);
        assert_null(write_words(path, (uint32_t)round << 16)); /* removes what could be left */
        assert_int_equal(files_in(folder), 1);
    }
    printf("    %d of %d writers were killed in the middle of a file\n", halves, round);
    assert_true(halves > 0); /* else the test proves nothing */
}

/* Where no file is without a name, a killed writer leaves its temporary file: the next writer of
 * the same path removes it, but not that of a writer that lives, nor any other file. */
TEST(leftovers)
{
    const char *folder = scratch_dir();
    const char *const names[] = {"x.123.tmp", "x.tmp",      "x.12a.tmp",
                                 "y.123.tmp", "x.123.tmp2", "x.77.tmp"};
    for (int i = 0; i < 6; i++)
        fclose(fopen(path_in(folder, names[i]), "w"));
    int living = open(path_in(folder, "x.77.tmp"), O_RDONLY);
    assert_int_equal(flock(living, LOCK_EX), 0);
    const char *path = path_in(folder, "x");
    assert_null(write_words(path, 1));
    assert_int_equal(files_in(folder), 6);
    assert_int_equal(access(path_in(folder, "x.123.tmp"), F_OK), -1);
    close(living);
    assert_null(write_words(path, 2));
    assert_int_equal(access(path_in(folder, "x.77.tmp"), F_OK), -1);
    char longest[256];
    memset(longest, 'n', 255);
    longest[255] = 0;
    assert_null(write_words(path_in(folder, longest), 3));
    assert_int_equal(whole_word(path_in(folder, longest)), 3);
}

/* Logs and reading: only regular files, and never waiting for a pipe. */
TEST(logs)
{
    const char *folder = scratch_dir(), *path = path_in(folder, "log");
    char *error, *bytes;
    size_t size;
    for (int fresh = 0; fresh < 2; fresh++) {
        FILE *log = file_log(path, fresh, &error);
        assert_null(error);
        assert_null(file_log_put(log, "one\n"));
        assert_null(file_log_put(log, "two\n"));
        fclose(log);
    }
    assert_null(file_read(&bytes, &size, path, 8));
    assert_int_equal(size, 8);
    assert_string_equal(bytes, "one\ntwo\n");
    free(bytes);
    expect_error(file_read(&bytes, &size, path, 7), path, "8 bytes");
    assert_int_equal(mkfifo(path_in(folder, "pipe"), 0600), 0);
    const char *const wrong[][2] = {{"pipe", "is not a regular file"},
                                    {"", "is a folder"},
                                    {"/dev/full", "is not a regular file"},
                                    {"no/where", "No such file"}};
    for (int i = 0; i < 4; i++) {
        path = *wrong[i][0] == '/' ? wrong[i][0] : path_in(folder, wrong[i][0]);
        expect_error(file_read(&bytes, &size, path, 100), path, wrong[i][1]);
        assert_null(file_log(path, false, &error));
        expect_error(error, path, wrong[i][1]);
        if (i < 3)
            expect_error(write_words(path, 1), path, wrong[i][1]);
    }
}

/* A log's line is written whole or not at all. */
TEST(log_no_room)
{
    char *path = path_in(scratch_dir(), "log"), *error;
    FILE *log = file_log(path, true, &error);
    limit_files(10); /* SIGXFSZ: see start_streams.c */
    assert_null(file_log_put(log, "seven!\n"));
    error = file_log_put(log, "too many\n");
    limit_files(RLIM_INFINITY);
    assert_string_equal(error, "File too large");
    free(error);
    fclose(log);
    assert_string_equal(slurp(path, NULL), "seven!\n");
}

TEST(folders)
{
    const char *folder = scratch_dir();
    for (int again = 0; again < 2; again++) {
        assert_null(file_make_folder(path_in(folder, "a/b//c/")));
        assert_int_equal(access(path_in(folder, "a/b/c"), W_OK), 0);
    }
    assert_null(file_make_folder("/"));
    assert_int_equal(chdir(folder), 0);
    assert_null(file_make_folder("here"));
    assert_null(file_make_folder("./a/../here/too"));
    assert_int_equal(access(path_in(folder, "here/too"), W_OK), 0);
    assert_null(write_words("a/file", 1));
    expect_error(file_make_folder("a/file/below"), "a/file/below", "a/file is not a folder");
    expect_error(file_make_folder("a/file"), "a/file", "is not a folder");
    expect_error(file_make_folder("/proc/x/y"), "/proc/x/y", "cannot make the folder /proc/x");
}

/* 0: removed. Deeper than a path can be long, or folders than can be open, without permissions. */
static int remove_deep(const char *folder)
{
    char name[201] = "";
    int top = open(folder, O_RDONLY | O_DIRECTORY);
    memset(name, 'd', 200);
    for (int i = 0, at = top; i < 1100 && at >= 0; i++) {
        int next = mkdirat(at, name, 0700) ? -1 : openat(at, name, O_RDONLY | O_DIRECTORY);
        close(openat(at, "file", O_WRONLY | O_CREAT, 0));
        fchmod(at, 0);
        if (at != top)
            close(at);
        at = next;
        if (at < 0)
            return 2;
        if (i == 1099)
            close(at);
    }
    return file_remove(folder) && access(folder, F_OK) != 0 ? 0 : 1;
}

TEST(removes)
{
    assert_int_equal(chdir(scratch_dir()) | chmod(".", 0777) | symlink("/proc", "link"), 0);
    assert_true(file_remove("link") && file_remove("link") && access("/proc/self", F_OK) == 0);
    assert_false(file_remove("/proc/self/fd"));
    pid_t child = fork();
    if (!child) {
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, 64});
        bool user = geteuid() || setuid(12345) == 0; /* permissions do not stop root */
        _exit(user && mkdir("deep", 0700) == 0 ? remove_deep("deep") : 3);
    }
    int status;
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}
