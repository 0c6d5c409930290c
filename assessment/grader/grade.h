/* grade.h: the assessment's grader, one submission: what its parts hand to each other.
 *
 *   grade.c          the driver              grade_rubric.c   criteria and points
 *   grade_data.c     images to train and to score on
 *   grade_build.c    compile                 grade_run.c      train, against the clock
 *   grade_score.c    the weights' accuracy   grade_audit.c    was the work shared?
 *   grade_report.c   table, results.json     grade_picture.c  the points as bars
 *   grade.sh         one submission or a folder of them
 *
 * The grader believes nothing that a submission prints. Each part gives a Finding; only
 * grade_rubric.c knows of points.
 */
#ifndef GRADE_H
#define GRADE_H
#include "args.h"
#include "data.h"
#include <jansson.h>
#include <stdbool.h>

typedef struct GradeOptions {
    const char *submission, *data, *data_dir, *device, *out, *rubric, *name;
    int np, images;             /* images: of the training set that are used, 0: all */
    double budget;              /* seconds; 0: the rubric's */
    int64_t seed, secret;       /* secret: decides the synthetic pictures */
    Option table[MOST_OPTIONS]; /* points into this struct: do not copy it */
} GradeOptions;

/* ---- findings and points ---- */

enum { BUILDS, RUNS, WEIGHTS, SHARED, TRAINING, VALIDATION, CRITERIA };

/* What came out for one criterion. found NULL: not judged. Strings are new. */
typedef struct Finding {
    bool passed;
    double accuracy; /* of TRAINING and VALIDATION */
    char *found;     /* a phrase: what was found */
    char *advice;    /* NULL where it passed */
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
void rubric_free(Rubric *r);
/* A finding on an accuracy that was measured: `what` names the pictures. */
Finding rubric_accuracy(const Criterion *c, const char *what, double correct, double count);
/* The first needed criterion that failed, -1: none. */
int rubric_missing(const Rubric *r, const Finding *findings, int criterion);
double rubric_points(const Rubric *r, const Finding *findings, int criterion);

/* ---- the parts ---- */

/* Where a submission's files lie: all under dir, which is made anew for each. */
typedef struct Places {
    char *dir, *program, *data, *audit, *weights, *scores; /* absolute */
    char *build_log, *run_log, *score_log;
} Places;

typedef struct Pictures {
    Dataset *given; /* what the submission was given: training and validation part */
    Images held;    /* what it never saw */
} Pictures;

/* Write the files that the submission may read into the folder, and keep what it may not. */
Pictures pictures_make(const GradeOptions *o, const char *data, const char *folder);
void pictures_free(Pictures *p);
/* "cifar10" or "synthetic": what --data auto means here. */
const char *pictures_kind(const GradeOptions *o);

/* The first line of a log that holds `word`, from there on, else its last line; "" where it is
 * empty. free() it. */
char *log_line(const char *log, const char *word);

/* script: the build's compile command, called as: script SOURCE PROGRAM. */
Finding grade_build(const char *script, const char *submission, const Places *at);
Finding grade_run(const GradeOptions *o, double budget, const Places *at, double *seconds);
/* Fills in the findings WEIGHTS, TRAINING, VALIDATION. Returns the network's number of parameters,
 * 0: not known. */
int grade_score(const GradeOptions *o, const Rubric *r, const Pictures *p, const Places *at,
                Finding *findings);
/* Was the work shared by np ranks? params: of the network, 0: not known. */
Finding grade_audit(const char *folder, int np, int params);

typedef struct Report {
    const GradeOptions *o;
    const Rubric *rubric;
    const Finding *findings;
    const char *pictures; /* for people: which they are */
    double budget, seconds;
} Report;

/* Print the table, write results.json and row.csv into o->out. Returns whether every criterion is
 * met. */
bool grade_report(const Report *r);
/* The points as a picture; false: it could not be saved (said on stderr). */
bool grade_picture(const Report *r, const char *path);
#endif
