/* run.h: one run of a program: its folder, its configuration, its metrics, its voice.
 *
 * Every run writes <out>/<program>/: config.json (options, data, device, ranks, seed), metrics.csv,
 * pictures, trace.json where asked. Only rank 0 writes and speaks. Files appear under their final
 * names whole: metrics.csv is flushed line by line (a log), all others are renamed into place.
 */
#ifndef RUN_H
#define RUN_H
#include "args.h"
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

#define RUN_OPTIONS(o) \
    {"device", ARG_CHOICE, &(o).device, .choices = "auto|cpu|cuda", .help = "where to compute"}, \
        {"precision", ARG_CHOICE, &(o).precision, .choices = "fp32|tf32|bf16", \
         .help = "how a GPU computes"}, \
        {"comm", ARG_CHOICE, &(o).comm, .choices = "auto|self|mpi|nccl", \
         .help = "how ranks talk"}, \
        {"data", ARG_CHOICE, &(o).data, .choices = "auto|synthetic|fashion|cifar10", \
         .help = "data set"}, \
        {"data-dir", ARG_STRING, &(o).data_dir, .help = "folder that holds the data sets"}, \
        {"seed", ARG_LONG, &(o).seed, .min = 0, .max = 9e15, .help = "seed of every random draw"}, \
        {"threads", ARG_INT,     &(o).threads, \
         .min = 0,  .max = 1024, .help = "threads per rank (0: cores / ranks)"}, \
        {"out", ARG_STRING, &(o).out, .help = "folder for results"}, \
    { \
        "trace", ARG_FLAG, &(o).trace, .help = "write a timeline for Perfetto" \
    }

typedef struct Run {
    char *program, *dir; /* dir: <out>/<program>, exists */
    bool speaks;         /* rank 0: prints and writes files */
    bool terminal;       /* stdout is a terminal: progress is a bar that is redrawn */
    FILE *csv;           /* metrics.csv, NULL where this rank does not write */
    double started;      /* seconds, timer.h */
    struct {
        double began, from; /* when this piece of work began, and `done` then */
        double shown, done; /* when it was last shown, and `done` in the last call */
        bool over;          /* it is complete: the next call begins another */
        bool drawn;         /* a bar is on the screen */
        double due;         /* run_progress_due: when next */
    } progress;
} Run;

/* Make the folder, write config.json (the options' values and what `facts` adds: data, device,
 * world size, …; facts is consumed, NULL is fine) and say it in a few lines. speaks: true on the
 * rank that prints and writes (rank 0); a serial program says true. */
Run *run_open(const char *program, const RunOptions *o, const Option *options, json_t *facts,
              bool speaks);
void run_close(Run *r); /* says where the results lie, and frees r; NULL is fine */

/* A line for people, if r speaks. The end of the line is added, here and in metrics. */
void run_say(Run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* metrics.csv: "epoch,loss,…" once, then line by line. */
void run_metrics_header(Run *r, const char *columns);
void run_metrics(Run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *run_path(const Run *r, const char *file); /* <dir>/<file>, a new string; free() it */

/* How far it is: redraws a bar with rate and time left on a terminal (at most 10 times a second);
 * elsewhere a plain line about every 10 s and at the end. done of total units ("images"); note: a
 * few words such as "loss 0.412". Resets itself when done falls back. */
void run_progress(Run *r, const char *what, double done, double total, const char *unit,
                  const char *note);
/* Is it time to call run_progress again? Some times a second, and when done == total; on a rank
 * that does not speak, too. For loops whose note costs something: a GPU's loss has to be waited
 * for. */
bool run_progress_due(Run *r, double done, double total);
#endif
