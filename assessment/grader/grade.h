/* grade.h: the assessment's grader of one submission: its parts, and what they pass on.
 *
 *   grade.c          the driver              grade_rubric.c   criteria and points
 *   grade_data.c     images to train and to score on
 *   grade_build.c    compile                 grade_run.c      train, against the clock
 *   grade_sandbox.c  where both happen       sandbox.sh       bubblewrap
 *   grade_score.c    the weights' accuracy   inspection.h     did the ranks share the work?
 *   grade_report.c   table, results.json     grade_figure.c   the points as bars
 *   grade.sh         one submission or a folder of them
 *
 * The grader trusts nothing that a submission prints. Each part returns a Finding; only
 * grade_rubric.c knows about points.
 */
#ifndef GRADE_H
#define GRADE_H
#include "args.h"
#include "data.h"
#include <jansson.h>
#include <stdbool.h>

typedef struct GradeOptions {
    const char *submission, *data, *data_dir, *device, *out, *rubric, *name;
    int np, images;             /* images: how many of the training set are used, 0: all */
    double budget;              /* seconds; 0: the rubric's */
    int64_t seed, secret;       /* secret: seed of the synthetic images */
    bool trust;                 /* grade without a sandbox where there is none */
    Option table[MOST_OPTIONS]; /* points into this struct: do not copy it */
} GradeOptions;

/* ---- findings and points ---- */

enum { BUILDS, RUNS, WEIGHTS, EQUAL, GRADIENTS, IMAGES, TRAINING, VALIDATION, CRITERIA };

/* The result for one criterion. found NULL: not judged. Strings are new. */
typedef struct Finding {
    bool passed, pending; /* pending: no points until a person has looked at it */
    double accuracy;      /* of TRAINING and VALIDATION */
    char *found;          /* a phrase: what was found */
    char *advice;         /* NULL where it passed */
} Finding;

typedef struct Criterion {
    const char *name, *asks; /* asks: a phrase for the table */
    double points;
    unsigned needs;        /* bit k: no points where criterion k failed */
    double at_least, from; /* accuracies: full points, no points */
} Criterion;

typedef struct Rubric {
    json_t *json;   /* owns the strings */
    json_t *models; /* names of the networks that are scored */
    double budget;  /* seconds */
    Criterion criteria[CRITERIA];
} Rubric;

/* Read the rubric for a data set ("cifar10"). Ends the run on any fault in it. */
Rubric rubric_read(const char *path, const char *data);
/* The same from memory. Returns NULL, or the fault (free() it); r is to be freed in both cases. */
char *rubric_parse(Rubric *r, const char *bytes, size_t size, const char *data);
void rubric_free(Rubric *r);
/* A finding on a measured accuracy: `what` names the images. */
Finding rubric_accuracy(const Criterion *c, const char *what, double correct, double count);
/* The first criterion that failed of those that this one needs, -1: none. */
int rubric_missing(const Rubric *r, const Finding *findings, int criterion);
double rubric_points(const Rubric *r, const Finding *findings, int criterion);

/* ---- the parts ---- */

/* A submission's files: all under dir, which is created afresh for each. */
typedef struct Paths {
    char *dir, *program, *data, *socket; /* absolute; socket: for the evidence */
    char *hand, *weights;                /* hand: the folder that the submission writes to */
    char *no_sandbox;                    /* why there is none, NULL: there is one */
    char *handed_in;                     /* a copy of `weights`, out of the submission's reach */
    char *build_log, *run_log, *score_log;
} Paths;

typedef struct GradeData {
    Dataset *given; /* what the submission gets: training and validation images */
    Images held;    /* what it never sees */
} GradeData;

/* Write the files that the submission may read into the folder; hold back the rest. */
GradeData grade_data_make(const GradeOptions *o, const char *data, const char *folder);
void grade_data_free(GradeData *d);
/* "cifar10" or "synthetic": what --data auto means here. */
const char *grade_data_kind(const GradeOptions *o);

/* The first line of a log that has `word` in it, from there on; else its last line; "" if it is
 * empty. free() it. */
char *log_line(const char *log, const char *word);

/* script: the build's compile command, called as: script SOURCE PROGRAM. */
Finding grade_build(const char *script, const char *submission, const Paths *at);

/* Why the sandbox cannot be used here, a new string; NULL: it can. */
char *sandbox_missing(void);
/* A command, word by word. */
typedef struct Words {
    char *word[512];
    int count;
} Words;
void words_add(Words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_free(Words *w);
/* The command's beginning: in the sandbox, with at->hand as /submission/hand; what it may read
 * follows with sandbox_show, then sandbox_end. */
void sandbox_begin(Words *w, const Paths *at);
void sandbox_show(Words *w, const char *path, const char *inside);
void sandbox_end(Words *w);
/* For people: what kept the submission in. */
char *sandbox_text(const Paths *at);
/* Copies a regular file that the submission wrote, NULL or a new string: why not. Follows no
 * link, waits for nothing. */
char *sandbox_take(const char *from, const char *to);
enum { MOST_GIB = 8, MOST_STARTED = 256, MOST_FILE = 1 << 28 }; /* of one submission; bytes */
/* Does the folder hold more than a submission may write? */
bool sandbox_is_full(const char *hand);
/* Copies the weights to at->handed_in when the budget or the run ends, whichever comes first. */
Finding grade_run(const GradeOptions *o, double budget, const Paths *at, double *seconds);
/* Fills in the findings WEIGHTS, TRAINING, VALIDATION. Returns the network's parameter count, 0:
 * unknown. */
int grade_score(const GradeOptions *o, const Rubric *r, const GradeData *d, const Paths *at,
                Finding *findings);

typedef struct Report {
    const GradeOptions *o;
    const Rubric *rubric;
    const Finding *findings;
    const char *images, *sandbox; /* for people: which ones; what kept the submission in */
    double budget, seconds;
} Report;

/* Print the table; write results.json and row.csv to o->out. Returns whether every criterion is
 * met. */
bool grade_report(const Report *r);
/* The points as a figure; NULL, or why it could not be saved (free() it). */
char *grade_figure(const Report *r, const char *path);
#endif
