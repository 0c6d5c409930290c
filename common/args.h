/* args.h: one table of options drives parsing, --help and the configuration that a run prints and
 * saves.
 *
 *     int epochs = 3;
 *     Option options[] = {
 *         {"epochs", ARG_INT, &epochs, .min = 0, .max = 10000, .help = "passes over the data"},
 *         {0}};
 *     args_parse("train", "Train a network.", options, argc, argv);
 *
 * The value before parsing is the default, and --help shows it.
 */
#ifndef ARGS_H
#define ARGS_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum {
    ARG_FLAG,   /* bool:        --name sets it to true, --no-name to false */
    ARG_INT,    /* int:         min <= value <= max */
    ARG_LONG,   /* int64_t:     the same */
    ARG_REAL,   /* double:      the same; never NaN or infinite */
    ARG_STRING, /* const char*: not empty (the default may be NULL: none) */
    ARG_CHOICE, /* const char*: one of `choices`, "cpu|cuda" */
} ArgKind;

typedef struct {
    const char *name; /* NULL ends the table */
    ArgKind kind;
    void *value;
    double min, max; /* for numbers; both 0: any; ±INFINITY: no limit */
    const char *choices;
    const char *help; /* a phrase, with its unit */
    bool given;       /* set by args_parse: it was on the command line, or one of make's */
} Option;

/* Copies a program's table so that it outlives the function that fills it: Option
 * table[MOST_OPTIONS]; OPTIONS_KEEP(table, options); */
enum { MOST_OPTIONS = 48 };
#define OPTIONS_KEEP(table, options) \
    do { \
        _Static_assert(sizeof(options) <= MOST_OPTIONS * sizeof *(options), \
                       "MOST_OPTIONS is too small"); \
        memcpy(table, options, sizeof(options)); \
    } while (0)

/* Read argv into the options' values: "--name=value" or "--name value"; the last one counts.
 * --help (-h) prints idea and table and exits 0. An unknown option, a missing or bad value, or a
 * left-over word ends the program with one line naming what was expected (exit 2). Strings point
 * into argv.
 *
 * $LABS_OPTIONS, "--name=value --name=value", is read first: make's DEVICE, DATA and SEED. There an
 * option that the program does not have is ignored. */
void args_parse(const char *program, const char *idea, Option *options, int argc, char **argv);

/* The same without --help, for callers that continue: NULL, or an error message (free() it). */
char *args_read(Option *options, int argc, char **argv);

/* After args_parse: an option that was given although it has no effect without `with`
 * ("--model mlp") ends the run (exit 2); is_so: `with` holds. */
void args_only(const Option *options, const char *name, bool is_so, const char *with);

/* After args_parse: other defaults for options that were not on the command line, as pairs: --full
 * calls args_otherwise(options, "seeds", "5", "tries", "7", NULL). The names must be in the table
 * and the texts valid. */
void args_otherwise(Option *options, ...) __attribute__((sentinel));

/* The current values, as a new JSON object {name: value}; free with json_decref. */
json_t *args_json(const Option *options);

/* One option's current value as text: "0.1", "cpu", "yes"; a new string, free() it. */
char *args_text(const Option *option);
#endif
