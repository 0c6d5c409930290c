/* run.c: see run.h; progress is in run_progress.c. */
#include "run.h"
#include "check.h"
#include "file.h"
#include "folder_lock.h"
#include "json_text.h"
#include "printable.h"
#include "run_progress.h"
#include "timer.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

RunOptions run_options_default(void)
{
    const char *data_dir = getenv("DATA_DIR");
    return (RunOptions){.device = "auto",
                        .precision = "fp32",
                        .comm = "auto",
                        .data = "auto",
                        .out = "build/out",
                        .seed = 1,
                        .data_dir = data_dir && *data_dir ? data_dir : NULL};
}

/* config.json: the program, its options in the table's order, then the facts. */
static void write_config(Run *r, const Option *options, json_t *facts)
{
    json_t *config = json_pack("{s:s, s:o}", "program", r->program, "options", args_json(options));
    ASSERT(config);
    json_object_update(config, facts);
    char *path = run_path(r, "config.json");
    json_write(path, config, 15);
    free(path);
    json_decref(config);
}

/* "  device    CPU, 2 threads", one line per fact. */
static void say_facts(Run *r, json_t *facts)
{
    const char *key;
    json_t *value;
    json_object_foreach (facts, key, value) {
        bool text = json_is_string(value);
        char *json = text
                       ? NULL
                       : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        char safe[512];
        run_say(r, "  %-9s %s", key,
                printable(safe, sizeof safe, text ? json_string_value(value) : json));
        free(json);
    }
}

/* "  options   --epochs=1 --trace": those on the command line. */
static void say_options(Run *r, const Option *options)
{
    char *line = format_new("%s", "");
    for (const Option *o = options; o->name; o++) {
        if (!o->given || !strcmp(o->name, "seed")) /* the seed has its own line */
            continue;
        char *text = args_text(o), *longer;
        if (o->kind == ARG_FLAG)
            longer = format_new("%s --%s%s", line, *(bool *)o->value ? "" : "no-", o->name);
        else
            longer = format_new("%s --%s=%s", line, o->name, text);
        free(text);
        free(line);
        line = longer;
    }
    run_say(r, "  %-9s%s", "options", *line ? line : " all at their defaults");
    free(line);
}

int run_number(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank ? atoi(rank) : 0;
}

static void open_files(Run *r, const Option *options, json_t *facts)
{
    char *error, *path = run_path(r, "metrics.csv");
    r->lock = folder_lock(r->dir, r->program);
    r->csv = file_log(path, true, &error);
    REQUIRE(r->csv, "%s", error);
    free(path);
    write_config(r, options, facts);
}

Run *run_open(const char *program, const RunOptions *o, const Option *options, json_t *facts,
              bool speaks)
{
    Run *r = alloc(1, sizeof *r);
    r->program = format_new("%s", program);
    r->dir = format_new("%s/%s", o->out, program);
    r->speaks = speaks;
    r->started = timer_now();
    r->opened = timer_real();
    /* On every rank: until step 9 of lab 2 is done any of them may save a checkpoint, perhaps
     * before rank 0 comes this far. */
    char *error = file_make_folder(r->dir);
    REQUIRE(!error || !speaks, "%s", error);
    free(error);
    if (speaks) {
        r->terminal = terminal_columns() > 0;
        /* A serial program under mpirun, say one that is still to be converted, runs several times:
         * the first of them has the folder. */
        if (run_number() == 0)
            open_files(r, options, facts);
        run_say(r, "%s", program);
        say_facts(r, facts);
        run_say(r, "  %-9s %lld", "seed", (long long)o->seed);
        say_options(r, options);
    }
    json_decref(facts);
    return r;
}

void run_close(Run *r)
{
    if (!r)
        return;
    run_say(r, "results in %s (%.1f s)", r->dir, timer_real() - r->opened);
    REQUIRE(!r->failure, "%s", r->failure);
    REQUIRE(!r->csv || fclose(r->csv) == 0, "%s/metrics.csv: %s", r->dir, strerror(errno));
    folder_unlock(r->lock);
    free(r->program);
    free(r->dir);
    free(r);
}

void run_fail(Run *r, char *message)
{
    if (r->failure)
        free(message);
    else
        r->failure = message;
}

void run_say(Run *r, const char *format, ...)
{
    if (!r->speaks)
        return;
    progress_clear(r);
    va_list arguments;
    va_start(arguments, format);
    char *text = format_list(format, arguments);
    va_end(arguments);
    size_t room = 4 * strlen(text) + 4; /* \xNN */
    char *safe = alloc(room, 1);
    puts(printable(safe, room, text));
    fflush(stdout); /* in a pipe, too: a person may be reading */
    free(safe);
    free(text);
}

/* In its first line; of a resumed run `text` is all earlier rows. */
static int commas_in(const char *text)
{
    int n = 0;
    for (; *text && *text != '\n'; text++)
        n += *text == ',';
    return n;
}

void run_metrics_header(Run *r, const char *columns)
{
    if (!r->csv)
        return;
    ASSERT(lseek(fileno(r->csv), 0, SEEK_CUR) == 0);
    r->commas = commas_in(columns);
    run_metrics(r, "%s", columns);
}

void run_metrics(Run *r, const char *format, ...)
{
    if (!r->csv)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *text = format_list(format, arguments), *line = format_new("%s\n", text);
    va_end(arguments);
    ASSERT(commas_in(text) == r->commas);
    /* at once, so that a full disk ends the run here instead of losing data silently */
    char *error = file_log_put(r->csv, line);
    REQUIRE(!error, "%s/metrics.csv: %s", r->dir, error);
    free(text);
    free(line);
}

char *run_path(const Run *r, const char *file) { return format_new("%s/%s", r->dir, file); }
