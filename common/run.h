/* run.h: one run of a program: its folder, its configuration, its metrics, its output.
 *
 * Every run writes <out>/<program>/: config.json (options, data, device, ranks, seed), metrics.csv,
 * figures and, with --trace, trace.json. Only rank 0 writes and prints. Files are written
 * atomically (file.h), except metrics.csv, a log that is flushed line by line. A second run in the
 * same folder is refused while the first one runs (folder_lock.h); if mpirun starts a serial
 * program several times, only the first writes config.json and metrics.csv.
 *
 * A file that cannot be written ends the run (exit 2). So does standard output that cannot be
 * written (a full disk), but only at the end: the files are worth more. If the reader of a pipe
 * exits (`| head`), the run continues quietly, with the same exit status.
 */
#ifndef RUN_H
#define RUN_H
#include "args.h"
#include "folder_lock.h"
#include <stdio.h>

/* The options that every program has; put RUN_OPTIONS(run_options) into its table. Defaults:
 * run_options_default(). */
typedef struct RunOptions {
    const char *device, *precision, *comm, *data, *out, *data_dir;
    int64_t seed;
    int threads; /* per rank; 0: cores / ranks on this machine */
    bool trace;  /* write a timeline */
} RunOptions;

RunOptions run_options_default(void); /* all "auto", precision "fp32", out "build/out", seed 1;
                                       * data_dir from $DATA_DIR or NULL */

#define RUN_OPTIONS(o) RUN_OPTIONS_DATA(o, "auto|synthetic|fashion|cifar10", "data set")
/* The same, of a program that takes a language model, too. */
#define RUN_OPTIONS_TEXT(o) \
    RUN_OPTIONS_DATA(o, "auto|synthetic|fashion|cifar10|text|licences", \
                     "data set; text and licences are for a language model and change other " \
                     "defaults: config.json has them")
/* The same, of a program that takes other data sets. */
#define RUN_OPTIONS_DATA(o, sets, what) \
    {"device", ARG_CHOICE, &(o).device, .choices = "auto|cpu|cuda", .help = "where to compute"}, \
        {"precision", ARG_CHOICE, &(o).precision, .choices = "fp32|tf32|bf16|fp16", \
         .help = "numeric precision (on a CPU fp32 and bf16)"}, \
        {"comm", ARG_CHOICE, &(o).comm, .choices = "auto|self|mpi|nccl", \
         .help = "how ranks communicate; self: one rank alone"}, \
        {"data", ARG_CHOICE, &(o).data, .choices = (sets), .help = (what)}, \
        {"data-dir", ARG_STRING, &(o).data_dir, \
         .help = "folder to look for data sets in first (then data/ and /usr/share/datasets)"}, \
        {"seed", ARG_LONG, &(o).seed, .min = 0, .max = 9e15, .help = "seed of every random draw"}, \
        {"threads", ARG_INT,     &(o).threads, \
         .min = 0,  .max = 1024, .help = "threads per rank (0: cores / ranks)"}, \
        {"out", ARG_STRING, &(o).out, .help = "folder for results"}, \
    { \
        "trace", ARG_FLAG, &(o).trace, \
            .help = "write a timeline, trace.json, to open in ui.perfetto.dev" \
    }

typedef struct Run {
    char *program, *dir; /* dir: <out>/<program>, exists */
    bool speaks;         /* rank 0: prints and writes files */
    bool terminal;       /* stdout is a terminal: progress is a redrawn bar */
    FILE *csv;           /* metrics.csv, NULL where this rank does not write */
    int commas;          /* in each of its lines */
    FolderLock *lock;    /* of dir, on the rank that writes */
    char *failure;       /* run_fail()'s; NULL: none */
    void *context;       /* public: the program's, for what it reports */
    double started;      /* timer_now() then, */
    double opened;       /* and timer_real() */
    struct {
        double began, from; /* start of this piece of work, and `done` at that time */
        double shown, done; /* time of the last display, and `done` in the last call */
        bool over;          /* complete: the next call begins another */
        bool drawn;         /* a bar is on the screen */
        double due;         /* run_progress_due: time of the next */
    } progress;
} Run;

/* This process's rank under mpirun, before comm_open; 0 without mpirun. */
int run_number(void);

/* Make the folder, write config.json (the options' values and `facts`: data, device, world size,
 * …; facts is consumed, NULL is fine) and print them in a few lines. speaks: true on the rank that
 * prints and writes (rank 0), and in a serial program. */
Run *run_open(const char *program, const RunOptions *o, const Option *options, json_t *facts,
              bool speaks);
/* Print the path of the results, and free r; NULL is fine. After run_fail() the run ends here. */
void run_close(Run *r);
/* A result could not be written, but the run continues: run_close() then ends it with the first of
 * these messages (exit 2). message is consumed. */
void run_fail(Run *r, char *message);

/* Print a line on rank 0. The newline is added, here and in run_metrics. */
void run_say(Run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* metrics.csv: "epoch,loss,…" once, then line by line. */
void run_metrics_header(Run *r, const char *columns);
void run_metrics(Run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *run_path(const Run *r, const char *file); /* <dir>/<file>, a new string; free() it */

/* Show progress: on a terminal a redrawn bar with rate and time left (at most 10 times a second),
 * elsewhere a plain line about every 10 s and at the end. done of total units ("images"); note: a
 * few words such as "loss 0.412". Starts again when done decreases. */
void run_progress(Run *r, const char *what, double done, double total, const char *unit,
                  const char *note);
/* Is it time to call run_progress again? True a few times a second, and when done == total; on
 * every rank. For loops whose note is expensive: reading a loss waits for the GPU. */
bool run_progress_due(Run *r, double done, double total);
#endif
