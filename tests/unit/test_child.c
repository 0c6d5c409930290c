/* test_child.c: a child process, however badly it ends; and exercises, which run in one. */
#include "check.h"
#include "child.h"
#include "exercise.h"
#include "harness.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void ends(void **state)
{
    ChildEnd end = child_run(&(Child){.work = come_back});
    assert_true(end.came_back && end.status == 0 && end.signal == 0 && !end.timed_out && !end.text);
    for (int status = 0; status < 256; status += 5) {
        end = child_run(&(Child){.work = exit_with, .context = &status});
        assert_true(!end.came_back && end.status == status && end.signal == 0);
    }
    end = child_run(&(Child){.work = raise_it, .context = &(int){SIGKILL}, .seconds = 30});
    assert_true(!end.came_back && end.signal == SIGKILL && end.status == 128 + SIGKILL &&
                !end.timed_out);
}

/* One that stops itself hangs, too. */
static void time_limit(void **state)
{
    ChildEnd ends[] = {
        child_run(&(Child){.work = hang, .seconds = 0.3}),
        child_run(&(Child){.work = raise_it, .context = &(int){SIGSTOP}, .seconds = 0.3}),
        child_run(&(Child){.command = (const char *[]){"sleep", "60", NULL}, .seconds = 0.3})};
    for (int i = 0; i < 3; i++) {
        assert_true(ends[i].timed_out && ends[i].signal == SIGKILL && !ends[i].came_back);
        assert_true(ends[i].seconds >= 0.3 && ends[i].seconds < 10);
    }
}

static void commands(void **state)
{
    ChildEnd end = child_run(
        &(Child){.command = (const char *[]){"sh", "-c", "cat; exit $1", "sh", "3", NULL},
                 .streams = CHILD_OUT});
    assert_true(end.status == 3 && !end.came_back);
    assert_string_equal(end.text, ""); /* nothing to read */
    free(end.text);
    end = child_run(&(Child){.command = (const char *[]){"/no/such", NULL}, .streams = CHILD_ERR});
    assert_int_equal(end.status, 127);
    assert_string_equal(end.text, "error: /no/such: No such file or directory\n");
    free(end.text);
}

/* ---- its output ---- */

static void streams(void **state)
{
    static const char *const texts[] = {"out", "err", "errout"}; /* stdout is written at the end */
    for (int which = 1; which <= 3; which++) {
        ChildEnd end = child_run(&(Child){.work = come_back, .streams = which});
        assert_string_equal(end.text, texts[which - 1]);
        free(end.text);
    }
    char *log = format_new("%s/log", scratch_dir()), line[20] = "";
    ChildEnd end = child_run(
        &(Child){.work = come_back, .streams = CHILD_OUT | CHILD_ERR, .log = log});
    assert_true(end.came_back && !end.text);
    FILE *file = fopen(log, "r");
    assert_true(file && fgets(line, sizeof line, file));
    assert_string_equal(line, "errout");
    fclose(file);
    free(log);
    end = child_run(&(Child){.work = come_back, .streams = CHILD_OUT, .log = "/no/folder/log"});
    assert_int_equal(end.status, EXIT_USAGE);
}

static void print_on(void *unused)
{
    for (;;)
        puts("PASS");
}

static void prints_without_end(void **state)
{
    ChildEnd end = child_run(&(Child){.work = print_on, .streams = CHILD_OUT, .seconds = 0.5});
    assert_true(end.timed_out);
    assert_int_equal(strlen(end.text), 65535);
    assert_memory_equal(end.text, "PASS\nPASS\n", 10);
    free(end.text);
}

static void write_far(void *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0666);
    if (ftruncate(fd, (off_t)1 << 30) == 0)
        pwrite(fd, "", 1, (off_t)1 << 30);
}

static void file_too_large(void **state)
{
    char *path = format_new("%s/large", scratch_dir());
    assert_int_equal(child_run(&(Child){.work = write_far, .context = path}).signal, SIGXFSZ);
    free(path);
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

static void descendants(void **state)
{
    char *path = format_new("%s/late", scratch_dir());
    ChildEnd end = child_run(
        &(Child){.work = leave_one, .context = path, .streams = CHILD_OUT | CHILD_ERR});
    assert_true(end.came_back && end.seconds < 1);
    assert_int_equal(waitpid(-1, NULL, 0), -1);
    sleep(3);
    assert_int_equal(access(path, F_OK), -1);
    free(end.text);
    free(path);
}

/* ---- exercises ---- */

static void to_do(void *unused) { TODO("one step"); }

static void judge(void *unused) { die(EXIT_WRONG, "f(2) is 3"); }

static void claim(void *unused)
{
    fprintf(stderr, "TODO in nothing\nerror: none\n");
    exit(0);
}

static void exercises(void **state)
{
    static const struct {
        void (*attempt)(void *);
        int argument;
        ExerciseState state;
        const char *why;
    } cases[] = {
        {come_back, 0, EXERCISE_DONE, NULL},
        {to_do, 0, EXERCISE_TODO, "one step"},
        {judge, 0, EXERCISE_WRONG, "f(2) is 3"},
        {raise_it, SIGABRT, EXERCISE_WRONG, "it crashed ("},
        {hang, 0, EXERCISE_WRONG, "it does not end"},
        {raise_it, SIGSTOP, EXERCISE_WRONG, "it does not end"},
        {exit_with, 0, EXERCISE_WRONG, "it ended the program with exit(0)"},
        {exit_with, 3, EXERCISE_WRONG, "it ended the program with exit(3)"},
        {exit_with, EXIT_TODO, EXERCISE_WRONG, "it ended the program with exit(77)"},
        {claim, 0, EXERCISE_WRONG, "it ended the program with exit(0)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int argument = cases[i].argument;
        ExerciseResult result = exercise_try(cases[i].attempt, &argument);
        assert_int_equal(result.state, cases[i].state);
        printf("    %s\n", result.why ? result.why : "done");
        assert_true(cases[i].why ? result.why && strstr(result.why, cases[i].why) : !result.why);
        free(result.why);
    }
}

static const Case cases[] = {{"ends", .run = ends},
                             {"time_limit", .run = time_limit},
                             {"commands", .run = commands},
                             {"streams", .run = streams},
                             {"prints_without_end", .run = prints_without_end},
                             {"file_too_large", .run = file_too_large},
                             {"descendants", .run = descendants},
                             {"exercises", .run = exercises}};
int main(int argc, char **argv)
{
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
