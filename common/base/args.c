/* args.c: see args.h. popt splits the command line; what a value may be is decided here, from the table. */
#include "args.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>
#include "args_help.h"
#include "check.h"

static int options_count(const Option *options)
{
    int count = 0;
    while (options[count].name)
        count++;
    return count;
}

static bool read_whole(int64_t *value, const char *text, double min, double max)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return isdigit((unsigned char)*digits) && !*end && !errno && (double)*value >= min && (double)*value <= max;
}

/* Decimal only: strtod alone would also take "nan", "inf", "0x1p3" and leading blanks. */
static bool read_real(double *value, const char *text, double min, double max)
{
    char *end;
    *value = strtod(text, &end);
    bool decimal = *text && text[strspn(text, "0123456789+-.eE")] == 0;
    return decimal && !*end && isfinite(*value) && *value >= min && *value <= max;
}

static bool is_choice(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = choices; at; at = strchr(at, '|'), at += at != NULL)
        if (strcspn(at, "|") == length && !strncmp(at, text, length))
            return length > 0;
    return false;
}

/* Text into the option's value; false where it is not what the option takes. */
static bool read_value(const Option *o, const char *text)
{
    bool any = o->min == 0 && o->max == 0, good = false;
    double min = any ? -INFINITY : o->min, max = any ? INFINITY : o->max, real;
    int64_t whole;
    switch (o->kind) {
    case ARG_INT:
        if ((good = read_whole(&whole, text, fmax(min, INT_MIN), fmin(max, INT_MAX))))
            *(int *)o->value = (int)whole;
        break;
    case ARG_LONG:
        if ((good = read_whole(&whole, text, min, max)))
            *(int64_t *)o->value = whole;
        break;
    case ARG_REAL:
        if ((good = read_real(&real, text, min, max)))
            *(double *)o->value = real;
        break;
    case ARG_STRING:
    case ARG_CHOICE:
        if ((good = o->kind == ARG_STRING ? *text != 0 : is_choice(o->choices, text)))
            *(const char **)o->value = text;
        break;
    case ARG_FLAG:
        break; /* takes no text */
    }
    return good;
}

/* popt gives copies of the values. The text that they were copied from, behind a "=" or a word of its own, lives
 * as long as the process. */
static const char *original(char *copy, int argc, char **argv)
{
    const char *found = NULL;
    size_t length = strlen(copy);
    for (int i = 1; i < argc && !found; i++)
        if (strlen(argv[i]) >= length && !strcmp(argv[i] + strlen(argv[i]) - length, copy))
            found = argv[i] + strlen(argv[i]) - length;
    ASSERT(found);
    free(copy);
    return found;
}

/* popt answers with these: 1 for --help, and for option i YES(i), or NO(i) for --no-name. */
enum { HELP = 1 };
static int yes_of(int i) { return 2 * i + 2; }
static int no_of(int i) { return 2 * i + 3; }

/* popt's table; flags have two entries. The names of the second ones are to be freed. */
static struct poptOption *popt_table(const Option *options, int count)
{
    struct poptOption *table = alloc((unsigned long)count * 2 + 2, sizeof *table), *entry = table;
    *entry++ = (struct poptOption){.longName = "help", .shortName = 'h', .argInfo = POPT_ARG_NONE, .val = HELP};
    for (int i = 0; i < count; i++) {
        int info = options[i].kind == ARG_FLAG ? POPT_ARG_NONE : POPT_ARG_STRING;
        *entry++ = (struct poptOption){.longName = options[i].name, .argInfo = (unsigned)info, .val = yes_of(i)};
        if (options[i].kind == ARG_FLAG)
            *entry++ = (struct poptOption){.longName = format_new("no-%s", options[i].name), .val = no_of(i)};
    }
    return table;
}

static void popt_table_free(struct poptOption *table)
{
    for (struct poptOption *entry = table + 1; entry->longName; entry++)
        if (entry->val % 2)
            free((char *)entry->longName);
    free(table);
}

/* What popt could not split into options and values, as one line. */
static void refuse(const char *program, poptContext context, int result)
{
    const char *option = poptBadOption(context, 0), *word = poptGetArg(context);
    if (result == POPT_ERROR_BADOPT)
        die(EXIT_USAGE, "%s: %s: no such option; see --help", program, option);
    if (result == POPT_ERROR_NOARG)
        die(EXIT_USAGE, "%s: %s: expected a value behind it; see --help", program, option);
    if (result == POPT_ERROR_UNWANTEDARG)
        die(EXIT_USAGE, "%s: %s: takes no value; see --help", program, option);
    if (result < -1)
        die(EXIT_USAGE, "%s: %s: %s; see --help", program, option, poptStrerror(result));
    if (word)
        die(EXIT_USAGE, "%s: %s: expected only options, --name=value; see --help", program, word);
}

/* Looked for first, while the values are still the defaults that the page shows. */
static bool wants_help(poptContext context)
{
    int result;
    while ((result = poptGetNextOpt(context)) > 0 && result != HELP)
        free(poptGetOptArg(context));
    poptResetContext(context);
    return result == HELP;
}

void args_parse(const char *program, const char *idea, Option *options, int argc, char **argv)
{
    int count = options_count(options), result;
    struct poptOption *table = popt_table(options, count);
    poptContext context = poptGetContext(program, argc, (const char **)argv, table, 0);
    if (wants_help(context)) {
        const char *rank = getenv("OMPI_COMM_WORLD_RANK"); /* under mpirun one page is enough */
        if (!rank || atoi(rank) == 0)
            args_help(program, idea, options);
        exit(0);
    }
    while ((result = poptGetNextOpt(context)) > 0) {
        int i = result / 2 - 1;
        options[i].given = true;
        if (options[i].kind == ARG_FLAG) {
            *(bool *)options[i].value = result == yes_of(i);
            continue;
        }
        const char *text = original(poptGetOptArg(context), argc, argv);
        if (!read_value(&options[i], text)) {
            char *expected = args_expected(&options[i]);
            die(EXIT_USAGE, "%s: --%s=%s: expected %s; see --help", program, options[i].name, text, expected);
        }
    }
    refuse(program, context, result);
    poptFreeContext(context);
    popt_table_free(table);
}

void args_otherwise(Option *options, const char *name, const char *text)
{
    Option *o = options;
    while (o->name && strcmp(o->name, name))
        o++;
    ASSERT(o->name);
    if (!o->given)
        ASSERT(read_value(o, text));
}

json_t *args_json(const Option *options)
{
    json_t *all = json_object();
    for (const Option *o = options; o->name; o++) {
        const char *text = o->kind == ARG_STRING || o->kind == ARG_CHOICE ? *(const char **)o->value : NULL;
        json_t *value = o->kind == ARG_FLAG   ? json_boolean(*(bool *)o->value)
                        : o->kind == ARG_INT  ? json_integer(*(int *)o->value)
                        : o->kind == ARG_LONG ? json_integer(*(int64_t *)o->value)
                        : o->kind == ARG_REAL ? json_real(*(double *)o->value)
                        : text                ? json_string(text)
                                              : json_null();
        json_object_set_new(all, o->name, value ? value : json_null());
    }
    return all;
}
