/* check_run.c: see check_run.h.
 */
#include "check_run.h"
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

int run_seconds(void)
{
    const char *text = getenv("LABS_CHECK_SECONDS");
    int seconds = text ? atoi(text) : 0;
    return seconds > 0 ? seconds : 60;
}

int run_words(const char *const words[], const char *log)
{
    char limit[16];
    const char *command[32] = {"timeout", "--kill-after=15", limit};
    snprintf(limit, sizeof limit, "%d", run_seconds());
    for (int i = 0; words[i]; i++) {
        ASSERT(i + 4 < (int)(sizeof command / sizeof *command));
        command[i + 3] = words[i];
    }
    fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0, "no process can be started: too many?");
    if (child == 0) {
        int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
        execvp(command[0], (char *const *)command);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int integer(json_t *fact, const char *key) { return (int)json_integer_value(json_object_get(fact, key)); }

/* Batches are handed out for training and for tests alike: what follows, an update or a test's result, tells which. */
static void take_fact(Facts *f, RankFacts *r, json_t *fact, json_t **batch, json_t *tested)
{
    const char *name = json_string_value(json_object_get(fact, "fact"));
    if (!name)
        return;
    if (!strcmp(name, "comm")) {
        r->rank = integer(fact, "rank");
        r->size = integer(fact, "size");
    } else if (!strcmp(name, "backend")) {
        r->local_rank = integer(fact, "local_rank");
        r->local_size = integer(fact, "local_size");
    } else if (!strcmp(name, "batch")) {
        json_array_extend(tested, json_object_get(fact, "images"));
        json_decref(*batch);
        *batch = json_incref(fact);
    } else if (!strcmp(name, "update")) {
        json_object_update_missing(fact, *batch);
        json_array_append(r->updates, fact);
        json_array_clear(tested);
    } else if (!strcmp(name, "evaluate")) {
        json_object_set_new(fact, "images", json_copy(tested));
        json_array_append(r->tests, fact);
        json_array_clear(tested);
    } else if (!strcmp(name, "to_do")) {
        f->to_do |= 1u << integer(fact, "step");
    }
    r->checkpoints += !strcmp(name, "checkpoint");
    r->resumes += !strcmp(name, "resume");
}

static void read_rank(Facts *f, int rank)
{
    RankFacts *r = &f->rank[rank];
    *r = (RankFacts){-1, -1, -1, -1, json_array(), json_array(), 0, 0};
    char *path = format_new("%s/rank-%d.jsonl", f->dir, rank), *line = NULL;
    FILE *file = fopen(path, "r");
    free(path);
    if (!file)
        return;
    json_t *batch = json_object(), *tested = json_array();
    for (size_t room = 0; getline(&line, &room, file) > 0;) {
        json_t *fact = json_loads(line, 0, NULL);
        if (fact)
            take_fact(f, r, fact, &batch, tested);
        json_decref(fact);
    }
    json_decref(batch);
    json_decref(tested);
    free(line);
    fclose(file);
}

Facts facts_run(const char *program, const char *work, const char *name, int ranks, const char *before,
                const char *arguments)
{
    Facts f = {.dir = format_new("%s/%s", work, name), .ranks = ranks};
    REQUIRE(mkdir(f.dir, 0777) == 0, "%s: the folder cannot be made", f.dir);
    setenv("LABS_AUDIT", f.dir, 1);
    char count[16], *log = format_new("%s/launch.log", f.dir);
    snprintf(count, sizeof count, "%d", ranks);
    char *script = format_new("R=$OMPI_COMM_WORLD_RANK; mkdir -p \"$1/out-$R/lab2_train\"; %s exec \"$0\" %s "
                              "--out \"$1/out-$R\" >\"$1/stdout-$R\" 2>\"$1/stderr-$R\"", before, arguments);
    f.status = run_words((const char *const[]){"common/setup/launch.sh", "--np", count, "bash", "-c", script, program,
                                               f.dir, NULL}, log);
    unsetenv("LABS_AUDIT");
    for (int r = 0; r < ranks; r++)
        read_rank(&f, r);
    free(script);
    free(log);
    return f;
}

void facts_free(Facts *f)
{
    for (int r = 0; r < f->ranks; r++) {
        json_decref(f->rank[r].updates);
        json_decref(f->rank[r].tests);
    }
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

char *first_line(const char *path)
{
    FILE *file = fopen(path, "r");
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

char *facts_failure(const Facts *f)
{
    if (f->status == 0)
        return NULL;
    if (f->status == 124 || f->status == 137)
        return format_new("%d ranks did not end within %d s: does one wait for another in a collective?", f->ranks,
                          run_seconds());
    char *said = NULL;
    for (int r = 0; r < f->ranks && !said; r++) {
        char *path = format_new("%s/stderr-%d", f->dir, r);
        said = first_line(path);
        free(path);
    }
    char *failure = format_new("the run on %d ranks ended with status %d%s%s", f->ranks, f->status, said ? ": " : "",
                               said ? said : "");
    free(said);
    return failure;
}

double facts_metric(const Facts *f, int row, const char *column)
{
    char *path = facts_path(f, 0, "metrics.csv"), *line = NULL;
    FILE *file = fopen(path, "r");
    free(path);
    if (!file)
        return NAN;
    size_t room = 0;
    int wanted = -1, number = 0;
    double value = NAN;
    for (int i = -1; i <= row && getline(&line, &room, file) > 0; i++) {
        char *save, *field = strtok_r(line, ",\n", &save);
        for (number = 0; field; field = strtok_r(NULL, ",\n", &save), number++) {
            if (i < 0 && !strcmp(field, column))
                wanted = number;
            if (i == row && number == wanted)
                value = atof(field);
        }
    }
    free(line);
    fclose(file);
    return value;
}

static json_t *update_value(const Facts *f, int rank, int update, const char *key)
{
    return json_object_get(json_array_get(f->rank[rank].updates, (size_t)update), key);
}

json_t *update_images(const Facts *f, int rank, int update) { return update_value(f, rank, update, "images"); }

const char *update_digest(const Facts *f, int rank, int update, const char *key)
{
    const char *text = json_string_value(update_value(f, rank, update, key));
    return text ? text : "";
}

double update_rate(const Facts *f, int rank, int update)
{
    json_t *rate = update_value(f, rank, update, "rate");
    return rate ? json_number_value(rate) : NAN;
}

int update_count(const Facts *f, int rank) { return (int)json_array_size(f->rank[rank].updates); }

char *check_folder_new(void)
{
    const char *base = getenv("TMPDIR");
    char *work = format_new("%s/lab2-check-XXXXXX", base && *base ? base : "/tmp");
    REQUIRE(mkdtemp(work), "%s: the folder cannot be made", work);
    return work;
}

void check_folder_free(char *work, bool remove)
{
    if (remove)
        run_words((const char *const[]){"rm", "-rf", work, NULL}, "/dev/null");
    else
        printf("the runs and what they said: %s\n", work);
    free(work);
}
