/* check_run.h: start the student's program on P ranks and read what it did: the audit's facts
 * (common/audit.h).
 *
 * The self-check trusts nothing that the program prints, only what the library noted meanwhile.
 */
#ifndef CHECK_RUN_H
#define CHECK_RUN_H
#include "audit.h"
#include "child.h"
#include <stdbool.h>
#include <stdio.h>

enum { MOST_RANKS = 4 };
/* As if the machine were several: of three ranks the third has another. */
#define RANKS_PER_MACHINE "2"

/* One run. Its files are in dir: rank-R.jsonl, stdout-R, stderr-R, out-R/lab2_train/… */
typedef struct Facts {
    char *dir;
    int ranks, status; /* status: 0, or how it ended */
    bool left_out;     /* not started, because an earlier run failed */
    bool timed_out;    /* killed at the time limit */
    char killed[64];   /* why it was killed, as in ChildEnd */
    unsigned to_do;    /* bit k: a rank reports step k as still to do */
    AuditRank rank[MOST_RANKS];
} Facts;

/* Run `program arguments` on `ranks` ranks, unless the run `earlier` (NULL: none) failed or was
 * left out: a hang costs seconds, and the next run would hang, too. arguments: shell words, in
 * which $R is the rank. before: shell commands that each rank runs first, or "". name: the run's
 * folder under `work`. */
Facts facts_run(const char *program, const char *work, const char *name, int ranks,
                const char *before, const char *arguments, const Facts *earlier);
void facts_free(Facts *f);
/* Run the command words[], which NULL ends, within the limits on time, memory and output, which
 * goes to `log`; NULL: it comes back as text. */
ChildEnd run_words(const char *const words[], const char *log);
int run_seconds(void); /* the time limit of a run */

char *check_folder_new(void); /* a new folder for a check's runs */
/* Frees the name; removes the folder, or prints where it is, for the student to look at. */
void check_folder_free(char *work, bool remove);

/* The first line with "error: ", from there on; NULL: none. free() it. Closes the file. */
char *error_line(FILE *from);
/* dir/out-rank/lab2_train/file; free() it */
char *facts_path(const Facts *f, int rank, const char *file);
long facts_stdout(const Facts *f, int rank); /* bytes that this rank printed */
/* Why the run failed, in a few words; NULL: it did not, or was left out. free() it. */
char *facts_failure(const Facts *f);
/* A value from rank 0's metrics.csv: row from 0, column by name; NaN if missing. */
double facts_metric(const Facts *f, int row, const char *column);
int facts_config(const Facts *f, const char *key); /* from rank 0's config.json; -1: missing */

/* Update 0, 1, … of a rank; beyond the last: no images, no digests, rate NaN. */
const AuditUpdate *facts_update(const Facts *f, int rank, int update);
/* Of all its micro-batches; of the update after the last: those handed out for it by the end. */
const AuditImages *facts_images(const Facts *f, int rank, int update);
#endif
