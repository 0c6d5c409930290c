/* test_run.c: a run's folder, configuration, metrics and output: in a pipe, and on a terminal
 * of a given width. */
#include "child.h"
#include "harness.h"
#include "run.h"
#include "timer.h"
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct Setup {
    RunOptions o;
    int epochs;
    double rate;
    bool augment;
    Option options[MOST_OPTIONS];
} Setup;

static void setup(Setup *s, const char *out, const char *epochs)
{
    *s = (Setup){.o = run_options_default(), .epochs = 3, .rate = 0.1, .augment = true};
    const Option all[] = {{"epochs", ARG_INT, &s->epochs, .min = 0, .max = 100, .help = "passes"},
                          {"rate", ARG_REAL, &s->rate, .min = 0, .max = 10,
                           .help = "learning rate"},
                          {"augment", ARG_FLAG, &s->augment, .help = "augmentation"},
                          RUN_OPTIONS(s->o),
                          {0}};
    OPTIONS_KEEP(s->options, all);
    static char folder[4200]; /* options point into it */
    snprintf(folder, sizeof folder, "--out=%s", out);
    char *argv[] = {"train", folder, (char *)epochs, "--no-augment", "--seed", "42", NULL};
    args_parse("train", "Train.", s->options, 6, argv);
}

static json_t *facts(void)
{
    return json_pack("{s:s, s:s, s:i}", "data", "Fashion-MNIST, 60,000 images", "device",
                     "CPU, 2 threads", "ranks", 2);
}

/* What body(argument) prints on stdout; on a terminal `columns` wide, or, with 0, in a pipe. */
static char *printed(int columns, void (*body)(void *), void *argument)
{
    if (!columns) {
        ChildEnd end = child_run(&(Child){.work = body, .context = argument, .streams = CHILD_OUT});
        assert_true(end.came_back);
        return keep(end.text);
    }
    int terminal, status;
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    fflush(NULL);
    pid_t child = forkpty(&terminal, NULL, NULL, &size);
    if (child < 0)
        SKIP("no pseudo-terminals here (/dev/pts)");
    if (child == 0) {
        body(argument);
        fflush(NULL);
        _exit(0);
    }
    char *text = keep(calloc(1 << 16, 1));
    size_t length = 0;
    for (ssize_t got; (got = read(terminal, text + length, (1 << 16) - 1 - length)) > 0;
         length += (size_t)got)
        ;
    close(terminal);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    return text;
}

static const char *out; /* the case's folder, for the children */

static void whole_run(void *unused)
{
    Setup s;
    setup(&s, out, "--epochs=5");
    Run *r = run_open("train", &s.o, s.options, facts(), true);
    run_metrics_header(r, "epoch,loss");
    run_metrics(r, "%d,%.3f", 0, 0.5);
    run_say(r, "epoch %d: loss %.3f", 0, 0.5);
    run_close(r);
}

TEST(folder)
{
    const char *path = out = path_in(scratch_dir(), "new/deeper");
    char *output = printed(0, whole_run, NULL);
    printf("%s", output);
    assert_non_null(strstr(output, "train\n"
                                   "  data      Fashion-MNIST, 60,000 images\n"
                                   "  device    CPU, 2 threads\n"
                                   "  ranks     2\n"
                                   "  seed      42\n"
                                   "  options   --epochs=5 --no-augment --out="));
    assert_non_null(strstr(output, "\nepoch 0: loss 0.500\nresults in "));
    assert_non_null(strstr(output, "/new/deeper/train ("));
    assert_string_equal(slurp(path_in(path, "train/metrics.csv"), NULL), "epoch,loss\n0,0.500\n");
    char expected[8192];
    snprintf(
        expected, sizeof expected,
        "{\n  \"program\": \"train\",\n  \"options\": {\n    \"epochs\": 5,\n    \"rate\": 0.1,\n"
        "    \"augment\": false,\n    \"device\": \"auto\",\n    \"precision\": \"fp32\",\n    "
        "\"comm\": \"auto\",\n"
        "    \"data\": \"auto\",\n    \"data-dir\": null,\n"
        "    \"seed\": 42,\n    \"threads\": 0,\n    \"out\": \"%s\",\n    \"trace\": false\n  },\n"
        "  \"data\": \"Fashion-MNIST, 60,000 images\",\n  \"device\": \"CPU, 2 threads\",\n  "
        "\"ranks\": 2\n}\n",
        path);
    assert_string_equal(slurp(path_in(path, "train/config.json"), NULL), expected);
}

/* A second run replaces the files. */
TEST(again)
{
    out = scratch_dir();
    printed(0, whole_run, NULL);
    printed(0, whole_run, NULL);
    assert_string_equal(slurp(path_in(out, "train/metrics.csv"), NULL), "epoch,loss\n0,0.500\n");
}

static void silent_run(void *unused)
{
    Setup s;
    setup(&s, out, "--epochs=5");
    Run *r = run_open("train", &s.o, s.options, facts(), false);
    run_metrics_header(r, "epoch,loss");
    run_metrics(r, "%d", 1);
    run_say(r, "not to be seen");
    run_progress(r, "epoch", 5, 5, "images", "");
    char *path = run_path(r, "x.png");
    assert_true(strstr(path, "/train/x.png") != NULL);
    free(path);
    run_close(r);
}

TEST(other_ranks)
{
    out = scratch_dir();
    char *output = printed(0, silent_run, NULL);
    assert_string_equal(output, "");
    assert_int_equal(access(path_in(out, "train/config.json"), F_OK), -1);
    assert_int_equal(access(path_in(out, "train/metrics.csv"), F_OK), -1);
}

/* Each line is on the disk at once: a run that is killed leaves its metrics. */
TEST(flushed)
{
    Setup s;
    out = scratch_dir();
    setup(&s, out, "--epochs=1");
    Run *r = run_open("train", &s.o, s.options, NULL, true);
    run_metrics_header(r, "step,rate");
    run_metrics(r, "%d,%g", 1, 0.25);
    assert_string_equal(slurp(path_in(out, "train/metrics.csv"), NULL), "step,rate\n1,0.25\n");
    run_close(r);
    run_close(NULL);
}

static void open_only(void *folder)
{
    out = folder;
    assert_non_null(freopen("/dev/null", "w", stdout));
    whole_run(NULL);
}

static void fill_disk(void *folder)
{
    Setup s;
    setup(&s, folder, "--epochs=1");
    assert_non_null(freopen("/dev/null", "w", stdout));
    Run *r = run_open("train", &s.o, s.options, NULL, true);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit little = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &little);
    for (int i = 0; i < 1000; i++)
        run_metrics(r, "%d", i);
}

TEST(wrong_places)
{
    const char *folder = scratch_dir();
    expect_death(2, open_only, "/proc/nowhere",
                 "/proc/nowhere/train: cannot make the folder /proc/nowhere", NULL);
    char *file = path_in(folder, "file");
    write_bytes(file, "", 0);
    expect_death(2, open_only, file, "is not a folder", NULL);
    expect_death(2, fill_disk, (void *)folder, "train/metrics.csv: File too large", NULL);
}

/* ---- progress ---- */

/* 1,000 calls in about 1.2 s, then the next piece of work. */
static void progress(void *unused)
{
    Setup s;
    setup(&s, out, "--epochs=5");
    Run *r = run_open("train", &s.o, s.options, NULL, true);
    for (int i = 0; i <= 1000; i++) {
        run_progress(r, "epoch 1/2", i * 60, 60000, "images", "loss 0.412");
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    run_progress(r, "epoch 2/2", 60, 60000, "images", "loss 0.411");
    run_say(r, "stopped");
    run_close(r);
}

TEST(bar)
{
    out = scratch_dir();
    const int widths[] = {120, 80, 50, 20};
    for (int i = 0; i < 4; i++) {
        double began = timer_now();
        char *output = printed(widths[i], progress, NULL), *text = strchr(output, '\r');
        double took = timer_now() - began;
        printf("%.400s\n", text);
        int redraws = 0, finished = 0;
        for (char *at = strtok(strstr(output, "options"), "\r"); at; at = strtok(NULL, "\r")) {
            char *end = strstr(at, "\033[K");
            if (!end || strncmp(at, "epoch", 5))
                continue;
            redraws++;
            finished += strstr(at, "100 %") != NULL;
            assert_in_range(end - at, 10, widths[i] - 1);
            if (widths[i] >= 80) /* the usual width: a bar, and all that matters */
                assert_true(memchr(at, '[', (size_t)(end - at)) && strstr(at, "loss 0.41"));
        }
        assert_true(redraws >= 5 && redraws <= 10 * took + 3);
        assert_int_equal(finished, 1);
    }
}

static void bar_text(void *unused)
{
    Run r = {.speaks = true, .terminal = true};
    run_progress(&r, "epoch 1/3", 0, 60000, "images", NULL);
    r.progress.began -= 10;
    r.progress.shown -= 1;
    run_progress(&r, "epoch 1/3", 25600, 60000, "images", "loss 0.412");
    run_say(&r, "between");
    r.progress.began -= 10;
    run_progress(&r, "epoch 1/3", 60000, 60000, "images", "loss 0.312");
    run_say(&r, "after");
}

TEST(bar_words)
{
    char *output = printed(110, bar_text, NULL);
    for (char *at = output; *at; at++)
        putchar(*at == '\033' ? '^' : *at == '\r' ? '|' : *at);
    assert_non_null(
        strstr(output,
               "\repoch 1/3  [>                                       ]   0 %       0/60,000 im"));
    const char *middle =
        strstr(output,
               "\repoch 1/3  [============>                ]  42 %  25,600/60,000 images  2,5");
    assert_non_null(middle);
    assert_non_null(
        strstr(middle, " images/s  0:13 left  loss 0.412\033[K\r\033[Kbetween\r\n\repoch 1/3  ["));
    const char *last = strstr(output,
                              "[===========================] 100 %  60,000/60,000 images  ");
    assert_non_null(last);
    /* the last bar stays */
    assert_non_null(strstr(last, " images/s  0:20 in all  loss 0.312\033[K\r\nafter\r\n"));
}

/* In a pipe: nothing for 10 s, a line, a line at the end; a new piece of work starts its own
 * count. */
static void plain(void *unused)
{
    Run r = {.speaks = true};
    for (int i = 0; i < 100; i++)
        run_progress(&r, "epoch 1/2", i, 1000, "images", "quiet");
    r.progress.shown -= 10;
    r.progress.began -= 10;
    run_progress(&r, "epoch 1/2", 400, 1000, "images", "loss 0.5");
    run_progress(&r, "epoch 1/2", 500, 1000, "images", "quiet");
    r.progress.began -= 10;
    run_progress(&r, "epoch 1/2", 1000, 1000, "images", "loss 0.4");
    run_progress(&r, "epoch 2/2", 900, 1000, "images", "quiet");
    r.progress.began -= 1;
    run_progress(&r, "epoch 2/2", 1000, 1000, "images", NULL);
    run_progress(&r, "once", 1, 1, "file", NULL);
    run_progress(&r, "more", 10, 20, "files", NULL); /* the one before was complete */
    r.progress.began -= 2;
    run_progress(&r, "more", 20, 20, "files", NULL);
    run_progress(&r, "broken off", 50, 100, "files", NULL);
    run_progress(&r, "again", 10, 100, "files", NULL); /* less than before */
    r.progress.began -= 2;
    run_progress(&r, "again", 100, 100, "files", NULL);
}

TEST(lines)
{
    char *output = printed(0, plain, NULL);
    printf("%s", output);
    assert_string_equal(output,
                        "epoch 1/2  40 %  400/1,000 images  40 images/s  0:15 left  loss 0.5\n"
                        "epoch 1/2  100 %  1,000/1,000 images  50 images/s  0:20 in all  loss 0.4\n"
                        "epoch 2/2  100 %  1,000/1,000 images  100 images/s  0:01 in all\n"
                        "once  100 %  1/1 file\n"
                        "more  100 %  20/20 files  5.0 files/s  0:02 in all\n"
                        "again  100 %  100/100 files  45 files/s  0:02 in all\n");
}

/* mpirun's ranks always have a pseudo-terminal: LABS_COLUMNS decides. */
TEST(under_mpirun)
{
    out = scratch_dir();
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    const char *const told[] = {NULL, "0", "100"};
    for (int i = 0; i < 3; i++) {
        if (told[i])
            setenv("LABS_COLUMNS", told[i], 1);
        char *output = printed(i < 2 ? 80 : 0, progress, NULL); /* LABS_COLUMNS wins */
        bool drawn = strstr(output, "\033[K") != NULL;
        assert_true(drawn == (i == 2));
        assert_non_null(strstr(output, drawn ? "\repoch 1/2  [" : "\nepoch 1/2  100 %"));
    }
}

TEST(defaults)
{
    unsetenv("DATA_DIR");
    RunOptions o = run_options_default();
    assert_null(o.data_dir);
    assert_string_equal(o.out, "build/out");
    assert_true(!strcmp(o.device, "auto") && !strcmp(o.comm, "auto") && !strcmp(o.data, "auto"));
    assert_true(o.threads == 0 && !o.trace);
    setenv("DATA_DIR", "/data", 1);
    assert_string_equal(run_options_default().data_dir, "/data");
    setenv("DATA_DIR", "", 1);
    assert_null(run_options_default().data_dir);
}

/* At first, when it is complete, and a few times a second; on every rank. */
TEST(due)
{
    Run r = {0};
    assert_true(run_progress_due(&r, 1, 1000));
    int times = 0;
    double began = timer_now();
    while (timer_now() - began < 0.5 || times == 0)
        times += run_progress_due(&r, 2, 1000);
    assert_true(times <= 20 * (timer_now() - began));
    assert_true(run_progress_due(&r, 1000, 1000) && run_progress_due(&r, 1000, 1000));
}

int main(int argc, char **argv)
{
    unsetenv("LABS_COLUMNS");
    unsetenv("OMPI_COMM_WORLD_RANK");
    return harness_main(argc, argv);
}
