/* grade.h: the assessment's grader: its parts, and what they pass on.
 *
 *   grade.c          options                 grade_class.c    many submissions, one by one
 *   grade_one.c      one submission          class_sources.py whose they are, which file to grade
 *   grade_rubric.c   criteria and points     grade_data.c     images to train and to score on
 *   grade_build.c    compile                 grade_run.c      train, against the clock
 *   grade_sandbox.c  where both happen       sandbox.sh       bubblewrap
 *   grade_score.c    the weights' accuracy   inspection.h     did the ranks share the work?
 *   grade_report.c   table                   grade_figure.c   how it learned, and when
 *   grade_results.c  results.json            grade_pages.py   CSV, JUnit, HTML
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
    int np;                     /* ranks; 0: by secret */
    int images;                 /* how many of the training set are used, 0: all */
    double budget;              /* seconds; 0: the rubric's */
    int epochs;                 /* passes over the images given; 0: the rubric's */
    int64_t secret, seed;       /* of all that differs from run to run; --seed, -1: by secret */
    const char *self;           /* this program's file */
    char *compile;              /* the script that builds a submission: compile SOURCE PROGRAM */
    bool trust;                 /* grade without a sandbox if none works */
    bool again;                 /* of a class: also what was graded before */
    Option table[MOST_OPTIONS]; /* points into this struct: do not copy it */
} GradeOptions;

/* ---- findings and points ---- */

enum { BUILDS, RUNS, WEIGHTS, EQUAL, GRADIENTS, IMAGES, TRAINING, VALIDATION, CRITERIA };

/* The result for one criterion. found NULL: not judged. Strings are new. */
typedef struct Finding {
    bool passed, pending; /* pending: no points until a person has looked at it */
    bool machine;         /* the machine's fault: says nothing about the submission */
    bool claimed;         /* the same, but as the submission could have made it look */
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
    int epochs;     /* passes over the images given */
    int batch;      /* images per update, over all ranks, at least */
    Criterion criteria[CRITERIA];
} Rubric;

/* Read the rubric for a data set ("cifar10"). Ends the run on any fault in it. */
Rubric rubric_read(const char *path, const char *data);
/* The same from memory. Returns NULL, or the fault (free() it); r is to be freed in both cases. */
char *rubric_parse(Rubric *r, const char *bytes, size_t size, const char *data);
void rubric_free(Rubric *r);
/* A finding on a measured accuracy, in steps: `what` names the images. */
Finding rubric_accuracy(const Criterion *c, const char *what, double correct, double count);
/* The first criterion that was not met of those that this one needs, -1: none; one that failed
 * before one that is pending. */
int rubric_missing(const Rubric *r, const Finding *findings, int criterion);
/* A person will look at it, or at what it needs, and nothing that it needs has failed. */
bool rubric_pending(const Rubric *r, const Finding *findings, int criterion);
double rubric_points(const Rubric *r, const Finding *findings, int criterion);

/* How a training went: what the grader saw of it. */
enum { COURSE_POINTS = 32, COURSE_SLOTS = 60, COURSE_RANKS = 64 };
typedef struct Course {
    int updates;
    bool idle;                                          /* no rank computed a gradient */
    int points;                                         /* updates computed again: */
    double images[COURSE_POINTS], right[COURSE_POINTS]; /* trained on before; share of the batch */
    double slot;                                        /* seconds */
    int worked[COURSE_RANKS][COURSE_SLOTS];             /* images of a rank in each slot */
} Course;

typedef struct Report {
    const GradeOptions *o;
    const Rubric *rubric;
    Finding findings[CRITERIA];
    char *images, *sandbox;  /* for people: which ones; how the submission was confined */
    char *key;               /* of all that its points depend on: the same, the same points */
    double budget, seconds;  /* that it may run, that it ran */
    double allowed, trained; /* images, over all ranks */
    int batch;               /* images per update, over all ranks, at least */
    int attempt;             /* how often this name was graded here */
    bool complete;           /* no part is missing */
    Course course;
} Report;

/* ---- the parts ---- */

/* A submission's files: all under dir, which is created afresh for each. */
typedef struct Paths {
    char *dir, *program, *data, *socket; /* absolute; socket: for the evidence */
    char *apart;                         /* the socket's folder, where dir's path is too long */
    char *hand, *weights;                /* hand: the folder that the submission writes to */
    char *sandbox, *no_sandbox;          /* its kind; NULL: why none works */
    char *handed_in, *metrics; /* out of the submission's reach: copies of `weights` and of its own
                                * metrics.csv, which work logs cite and nothing judges */
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
/* The first line of a log with one of these words that does not quote the source; NULL: none.
 * free() it. */
char *log_line_of(const char *log, const char *const words[]);
/* A log's name in the report: where a class is graded without its path, the instructor's. */
const char *log_name(const GradeOptions *o, const char *log);

/* By o->compile, the build's command, called as: compile SOURCE PROGRAM. */
Finding grade_build(const GradeOptions *o, const Paths *at);
/* The path of a file of the build that this command belongs to: "libcommon.a". New. */
char *grade_built(const char *script, const char *file);

/* Why no sandbox can be used here; NULL: one can, and *kind says which. New strings. */
char *sandbox_missing(char **kind);
/* A command, word by word. */
typedef struct Words {
    char *word[512];
    int count;
} Words;
void words_add(Words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_put(Words *w, ...) __attribute__((sentinel)); /* several, as they are; NULL ends them */
void words_free(Words *w);
/* The command's beginning: in the sandbox, with at->hand as /submission/hand; what it may read
 * follows with sandbox_show, then sandbox_end. */
void sandbox_begin(Words *w, const Paths *at);
void sandbox_show(Words *w, const char *path, const char *inside);
void sandbox_show_there(Words *w, const char *path); /* by its own path, if it exists */
void sandbox_stay(Words *w);                         /* it runs in this folder, by its own path */
void sandbox_end(Words *w);
/* For people: how the submission was confined. */
char *sandbox_text(const Paths *at);
/* Copies a regular file that the submission wrote, NULL or a new string: why not. Follows no
 * link, waits for nothing. */
char *sandbox_take(const char *from, const char *to);
enum { MOST_GIB = 8, MOST_STARTED = 256, MOST_FILE = 1 << 28 }; /* of one submission; bytes */
/* Limits all that is written to at->hand, open files without a name included: a file system in
 * memory, which only this process and those that it starts see. Does nothing where that is not
 * allowed, or without bubblewrap. */
void sandbox_limit_files(const Paths *at);
/* Does the folder hold more than a submission may write? */
bool sandbox_is_full(const char *hand);
/* Its command leaves this file in the folder as soon as it runs: without it, it never did. */
#define SANDBOX_STARTED ".started"
bool sandbox_started(const Paths *at);
/* Copies the weights to at->handed_in when the budget or the run ends, whichever comes first. */
Finding grade_run(const Report *r, const Paths *at, double *seconds);
/* Fills in the findings WEIGHTS, TRAINING, VALIDATION; checks that the machine is fast enough for
 * the training claimed (GRADIENTS). */
void grade_score(Report *r, const GradeData *d, const Paths *at);

/* ---- grade_one.c, grade_class.c ---- */

/* Draws secret, seed and number of ranks, unless they were given. */
void grade_draw(GradeOptions *o);
/* The key of a submission, a new string: a digest of its source, the rubric, the grader and the
 * options. */
char *grade_key(const GradeOptions *o, const char *source, size_t size);
/* Grade o->submission, a file. Ends the run (exit 2) where that cannot be done. Returns whether
 * every criterion is met. */
bool grade_one(const GradeOptions *o);
/* Grade what is in o->submission, a folder or an archive. Returns the exit status. */
int grade_class(const GradeOptions *o);
/* Is it a folder, or named as an archive? */
bool is_class(const char *path);

/* ---- the report ---- */

double report_points(const Report *r, int criterion);
double report_total(const Report *r, double *most);
bool report_met(const Report *r, int criterion);
bool report_passed(const Report *r); /* every criterion is met */
/* "PASS", "FAIL", "PEND": a person will look at it; "-": not judged yet. */
const char *report_verdict(const Report *r, int criterion);
/* What was found, and why it gives no points; a new string. */
char *report_found(const Report *r, int criterion);
/* What to do about it; NULL: nothing, or a criterion that it needs comes first. */
const char *report_advice(const Report *r, int criterion);
void report_print(const Report *r); /* the table */

/* results.json in o->out, in Gradescope's form, with what pages need as its extra_data. */
void results_write(const Report *r);
/* A submission that could not be graded: why. */
void results_write_error(const char *out, const char *name, const char *why);
/* The file's object, checked; NULL: missing or incomplete. */
json_t *results_read(const char *out);
/* How often this name was graded to the end in this folder, with the next time. */
int results_attempt(const char *out);

/* summary.csv, junit.xml and report.html in the folder, from the results.json in each of these
 * subfolders (grade_pages.py). */
void pages_write(const char *folder, char *const *subfolders, int count);

/* How it learned, and when it worked; NULL, or why it could not be saved (free() it). */
char *grade_figure(const Report *r, const char *path);
#endif
