/* check_run.c: see check_run.h.
 */
#include "check_run.h"
#include "check.h"
#include "file.h"
#include "number.h"
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A collective that not all ranks have joined by then hangs: the run ends and says which. */
#define HANG_SECONDS "10"

int run_seconds(void)
{
    const char *text = getenv("LABS_CHECK_SECONDS");
    int64_t seconds = 60;
    REQUIRE(!text || number_whole(&seconds, text, 1, 1000000),
            "LABS_CHECK_SECONDS=%s: expected a whole number of seconds from 1 to 1000000", text);
    return (int)seconds;
}

ChildEnd run_words(const char *const words[], const char *log)
{
    return child_run(&(Child){.command = words,
                              .streams = CHILD_OUT | CHILD_ERR,
                              .log = log,
                              .seconds = run_seconds(),
                              .most_text = 1 << 20,
                              .most_file = CHILD_TRIED_MIB << 20,
                              .most_gib = 4,
                              .most_started = 100,
                              .spare = true});
}

static bool too_large(const Facts *f) { return f->status == 128 + SIGXFSZ; }

Facts facts_run(const char *program, const char *work, const char *name, int ranks,
                const char *before, const char *arguments, const Facts *earlier)
{
    Facts f = {.dir = format_new("%s/%s", work, name), .ranks = ranks};
    f.left_out = earlier && (earlier->left_out || earlier->status != 0);
    if (f.left_out)
        return f;
    REQUIRE(mkdir(f.dir, 0777) == 0, "%s: the folder cannot be created", f.dir);
    setenv("LABS_AUDIT", f.dir, 1);
    setenv("LABS_RANKS_PER_MACHINE", RANKS_PER_MACHINE, 1);
    setenv("LABS_RUNS", f.dir, 1); /* beyond a limit launch.sh's guard is killed, too */
    setenv("LABS_COMM_SECONDS", HANG_SECONDS, 0);
    char count[16], *log = format_new("%s/launch.log", f.dir);
    snprintf(count, sizeof count, "%d", ranks);
    char *script =
        format_new("R=$OMPI_COMM_WORLD_RANK; mkdir -p \"$1/out-$R/lab2_train\"; %s exec \"$0\" %s "
                   "--out \"$1/out-$R\" >\"$1/stdout-$R\" 2>\"$1/stderr-$R\"",
                   before, arguments);
    const char *words[] = {
        "common/setup/launch.sh", "--np", count, "bash", "-c", script, program, f.dir, NULL};
    ChildEnd end = run_words(words, log);
    f.status = end.status;
    f.timed_out = end.timed_out;
    memcpy(f.killed, end.killed, sizeof f.killed);
    unsetenv("LABS_AUDIT");
    unsetenv("LABS_RANKS_PER_MACHINE");
    unsetenv("LABS_RUNS");
    for (int r = 0; r < ranks; r++)
        f.to_do |= (f.rank[r] = audit_read(f.dir, r)).to_do;
    free(script);
    free(log);
    return f;
}

void facts_free(Facts *f)
{
    for (int r = 0; r < f->ranks; r++)
        audit_read_free(&f->rank[r]);
    free(f->dir);
    *f = (Facts){0};
}

char *facts_path(const Facts *f, int rank, const char *file)
{
    return format_new("%s/out-%d/lab2_train/%s", f->dir, rank, file);
}

long facts_stdout(const Facts *f, int rank)
{
    struct stat about;
    char *path = format_new("%s/stdout-%d", f->dir, rank);
    long size = stat(path, &about) == 0 ? (long)about.st_size : 0;
    free(path);
    return size;
}

/* Without its newline; NULL: none. free() it. */
static char *first_line(const char *path)
{
    FILE *file = file_try(path);
    char *line = NULL;
    size_t room = 0;
    ssize_t length = file ? getline(&line, &room, file) : -1;
    if (file)
        fclose(file);
    if (length <= 0) {
        free(line);
        return NULL;
    }
    line[strcspn(line, "\n")] = 0;
    return line;
}

char *error_line(FILE *from)
{
    char *line = NULL, *found = NULL;
    for (size_t room = 0; from && !found && getline(&line, &room, from) > 0;) {
        const char *at = strstr(line, "error: ");
        found = at ? format_new("%.*s", (int)strcspn(at, "\n"), at) : NULL;
    }
    free(line);
    if (from)
        fclose(from);
    return found;
}

static const char ERROR[] = "error: ";

/* What a rank said about an error, else the first line of one; NULL: nothing. free() it. */
static char *stderr_line(const Facts *f)
{
    char *error = NULL, *other = NULL;
    for (int r = 0; r < f->ranks && !error; r++) {
        char *path = format_new("%s/stderr-%d", f->dir, r);
        error = error_line(file_try(path));
        other = other ? other : first_line(path);
        free(path);
    }
    if (!error)
        return other;
    free(other);
    return error;
}

char *facts_failure(const Facts *f)
{
    if (f->left_out || f->status == 0)
        return NULL;
    if (f->timed_out)
        return format_new("%d ranks did not end within %d s: a collective that not all ranks call?",
                          f->ranks, run_seconds());
    if (*f->killed)
        return format_new("the run on %d ranks was ended: %s", f->ranks, f->killed);
    if (f->status == 128 + SIGSYS)
        return format_new("a rank of the run on %d sent a signal to all processes, or to the check",
                          f->ranks);
    if (too_large(f))
        return format_new("the run on %d ranks wrote more than %d MiB into one file: does it print "
                          "without end?",
                          f->ranks, CHILD_TRIED_MIB);
    char *line = stderr_line(f);
    if (line && !strncmp(line, ERROR, strlen(ERROR))) {
        char *words = format_new("%s", line + strlen(ERROR));
        free(line);
        return words;
    }
    char *failure = format_new("the run on %d ranks ended with status %d%s%s", f->ranks, f->status,
                               line ? ": " : "", line ? line : "");
    free(line);
    return failure;
}

double facts_metric(const Facts *f, int row, const char *column)
{
    char *path = facts_path(f, 0, "metrics.csv"), *line = NULL;
    FILE *file = file_try(path);
    free(path);
    if (!file)
        return NAN;
    size_t room = 0;
    int wanted = -1, number = 0; /* of a column */
    double value = NAN;
    for (int i = -1; i <= row && getline(&line, &room, file) > 0; i++) {
        char *save, *field = strtok_r(line, ",\n", &save);
        for (number = 0; field; field = strtok_r(NULL, ",\n", &save), number++) {
            if (i < 0 && !strcmp(field, column))
                wanted = number;
            if (i == row && number == wanted && !number_real(&value, field, -1e300, 1e300))
                value = NAN; /* not finite, or no number: never as expected */
        }
    }
    free(line);
    fclose(file);
    return value;
}

int facts_config(const Facts *f, const char *key)
{
    char *path = facts_path(f, 0, "config.json");
    FILE *file = file_try(path);
    json_t *config = file ? json_loadf(file, 0, NULL) : NULL;
    free(path);
    if (file)
        fclose(file);
    int64_t number = -1;
    number_json_whole(&number, json_object_get(config, key), 0, INT_MAX); /* else -1 */
    json_decref(config);
    return (int)number;
}

const AuditUpdate *facts_update(const Facts *f, int rank, int update)
{
    static const AuditUpdate none = {.rate = NAN};
    const AuditRank *r = &f->rank[rank];
    return update < r->updates ? &r->update[update] : &none;
}

const AuditImages *facts_images(const Facts *f, int rank, int update)
{
    const AuditRank *r = &f->rank[rank];
    return update == r->updates ? &r->handed : &facts_update(f, rank, update)->all;
}

char *check_folder_new(void)
{
    const char *base = getenv("TMPDIR");
    char *work = format_new("%s/lab2-check-XXXXXX", base && *base ? base : "/tmp");
    REQUIRE(mkdtemp(work), "%s: the folder cannot be created", work);
    return work;
}

void check_folder_free(char *work, bool remove)
{
    if (remove)
        file_remove(work);
    else
        printf("the runs and their output: %s\n", work);
    free(work);
}
