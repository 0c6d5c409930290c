/* args.c: see args.h. getopt_long splits the command line; the values are checked here, against the
 * table. */
#include "args.h"
#include "check.h"
#include "json_text.h"
#include "number.h"
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static bool is_choice(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = choices; at && length > 0; at = strchr(at, '|')) {
        at += *at == '|';
        if (strcspn(at, "|") == length && !strncmp(at, text, length))
            return true;
    }
    return false;
}

/* A limit of the table within a type's own. */
static int64_t whole_limit(double limit, int64_t low, int64_t high)
{
    return limit <= (double)low ? low : limit >= (double)high ? high : (int64_t)limit;
}

/* Parse text into the option's value; false: invalid. */
static bool read_value(const Option *o, const char *text)
{
    bool any = o->min == 0 && o->max == 0, good = false;
    double min = any ? -INFINITY : o->min, max = any ? INFINITY : o->max;
    int64_t whole;
    switch (o->kind) {
    case ARG_INT:
        if ((good = number_whole(&whole, text, whole_limit(min, INT_MIN, INT_MAX),
                                 whole_limit(max, INT_MIN, INT_MAX))))
            *(int *)o->value = (int)whole;
        break;
    case ARG_LONG:
        good = number_whole(o->value, text, whole_limit(min, INT64_MIN, INT64_MAX),
                            whole_limit(max, INT64_MIN, INT64_MAX));
        break;
    case ARG_REAL: good = number_real(o->value, text, min, max); break;
    case ARG_STRING:
    case ARG_CHOICE:
        if ((good = o->kind == ARG_STRING ? *text != 0 : is_choice(o->choices, text)))
            *(const char **)o->value = text;
        break;
    case ARG_FLAG: break; /* takes no text */
    }
    return good;
}

/* ---- the table as text: --help, with lines wrapped to WIDTH columns ---- */

enum { WIDTH = 100, COLUMN = 26 };     /* of the page; of the descriptions */
static const double MOST_SHOWN = 1e12; /* larger limits are not worth showing */

/* " from 0 to 10000", " of at least 0", or "" for any. */
static char *range_text(const Option *o)
{
    if (o->min == 0 && o->max == 0)
        return format_new("%s", "");
    if (isinf(o->max))
        return format_new(" of at least %.16g", o->min);
    if (isinf(o->min))
        return format_new(" of at most %.16g", o->max);
    return format_new(" from %.16g to %.16g", o->min, o->max);
}

/* "auto|cpu|cuda" as "auto, cpu or cuda". */
static char *choices_text(const char *choices)
{
    size_t length = strlen(choices);
    char *text = alloc(3 * length + 8, 1), *to = text;
    const char *last = strrchr(choices, '|');
    for (const char *from = choices; *from; from++) {
        if (*from == '|')
            to += sprintf(to, "%s", from == last ? " or " : ", ");
        else
            *to++ = *from;
    }
    return text;
}

static char *expected_text(const Option *o)
{
    if (o->kind == ARG_CHOICE)
        return choices_text(o->choices);
    if (o->kind == ARG_STRING)
        return format_new("a non-empty text");
    char *range = range_text(o);
    char *text = format_new("%s%s", o->kind == ARG_REAL ? "a number" : "a whole number", range);
    free(range);
    return text;
}

char *args_text(const Option *o)
{
    switch (o->kind) {
    case ARG_FLAG: return format_new("%s", *(bool *)o->value ? "yes" : "no");
    case ARG_INT: return format_new("%d", *(int *)o->value);
    case ARG_LONG: return format_new("%lld", (long long)*(int64_t *)o->value);
    case ARG_REAL: return format_new("%.10g", *(double *)o->value);
    default: return format_new("%s", *(const char **)o->value ? *(const char **)o->value : "");
    }
}

/* Width of UTF-8 text: its bytes without the continuation bytes. */
static int columns(const char *text, size_t bytes)
{
    int count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += (text[i] & 0xC0) != 0x80;
    return count;
}

/* Print words from column `at` on, breaking lines before WIDTH; further lines begin at `indent`.
 * Ends the line. */
static void print_wrapped(const char *text, int at, int indent)
{
    bool first = true;
    while (*text) {
        size_t word = strcspn(text, " ");
        int width = columns(text, word);
        if (!first && at + 1 + width > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            putchar(' ');
            at++;
        }
        printf("%.*s", (int)word, text);
        at += width;
        first = false;
        text += word + strspn(text + word, " ");
    }
    putchar('\n');
}

static char *option_head(const Option *o)
{
    switch (o->kind) {
    case ARG_FLAG: return format_new("  --[no-]%s", o->name);
    case ARG_CHOICE: return format_new("  --%s=%s", o->name, o->choices);
    case ARG_STRING: return format_new("  --%s=TEXT", o->name);
    case ARG_REAL: return format_new("  --%s=NUMBER", o->name);
    default: return format_new("  --%s=N", o->name);
    }
}

static void print_option(const Option *o)
{
    char *head = option_head(o), *value = args_text(o), *range = range_text(o);
    bool number = o->kind == ARG_INT || o->kind == ARG_LONG || o->kind == ARG_REAL,
         says = number && *range && o->max < MOST_SHOWN;
    const char *from = says ? range + (strncmp(range, " from ", 6) ? strlen(" of ") : 6) : "";
    char *text = *value || says ? format_new("%s (%s%s%s%s)", o->help, *value ? "default " : "",
                                             value, *value && says ? "; " : "", from)
                                : format_new("%s", o->help);
    int width = columns(head, strlen(head));
    printf("%s", head);
    if (width + 2 > COLUMN)
        printf("\n%*s", COLUMN, "");
    else
        printf("%*s", COLUMN - width, "");
    print_wrapped(text, COLUMN, COLUMN);
    free(text);
    free(range);
    free(value);
    free(head);
}

static void print_help(const char *program, const char *idea, const Option *options)
{
    char *title = format_new("%s: %s", program, idea);
    print_wrapped(title, 0, 0);
    free(title);
    printf("\nOptions (--name=value or --name value; the last one counts):\n");
    for (const Option *o = options; o->name; o++)
        print_option(o);
    printf("  %-*s%s\n", COLUMN - 2, "-h, --help", "this text");
}

/* ---- the command line ---- */

/* getopt_long's result for option i: YES + i, or NO + i for --no-name. */
enum { YES = 1000, NO = 2000 };

/* getopt_long's table, in which a flag is two options; free it by table_free. */
static struct option *table_new(const Option *options)
{
    unsigned long count = 0;
    while (options[count].name)
        count++;
    struct option *table = alloc(2 * count + 1, sizeof *table), *entry = table;
    for (int i = 0; options[i].name; i++) {
        bool flag = options[i].kind == ARG_FLAG;
        *entry++ = (struct option){options[i].name, flag ? no_argument : required_argument, NULL,
                                   YES + i};
        if (flag)
            *entry++ = (struct option){format_new("no-%s", options[i].name), no_argument, NULL,
                                       NO + i};
    }
    return table;
}

static void table_free(struct option *table)
{
    for (struct option *entry = table; entry->name; entry++)
        if (entry->val >= NO)
            free((char *)entry->name);
    free(table);
}

/* Is it a full name? getopt_long would take --epoch for --epochs. */
static bool is_known(const char *word, const struct option *table)
{
    size_t length = strcspn(word, "=");
    while (table->name && (strlen(table->name) != length || strncmp(table->name, word, length)))
        table++;
    return table->name != NULL;
}

/* Checked first, while the values are still the defaults that --help shows. */
static bool wants_help(char **argv)
{
    while (*argv && strcmp(*argv, "--help") && strcmp(*argv, "-h"))
        argv++;
    return *argv != NULL;
}

static char *take(Option *o, bool yes, const char *text)
{
    o->given = true;
    if (o->kind == ARG_FLAG)
        *(bool *)o->value = yes;
    else if (!read_value(o, text)) {
        char *expected = expected_text(o);
        char *wrong = format_new("--%s=%s: expected %s", o->name, text, expected);
        free(expected);
        return wrong;
    }
    return NULL;
}

/* The next word, at optind, with its value. */
static char *read_word(Option *options, const struct option *table, int argc, char **argv)
{
    const char *word = argv[optind];
    int found = getopt_long(argc, argv, "+:", table,
                            NULL); /* +: keep the order; :: print nothing */
    if (found == -1)               /* "--" may be the last word */
        return optind == argc ? NULL
                              : format_new("%s: expected only options, --name=value", argv[optind]);
    if (word[1] != '-' || !is_known(word + 2, table))
        return format_new("%s: no such option", word);
    if (found == ':' || found == '?')
        return format_new("%s: %s", word, found == ':' ? "expected a value" : "takes no value");
    return take(&options[found < NO ? found - YES : found - NO], found < NO, optarg);
}

char *args_read(Option *options, int argc, char **argv)
{
    struct option *table = table_new(options);
    char *wrong = NULL;
    for (optind = 1; optind < argc && !wrong;)
        wrong = read_word(options, table, argc, argv);
    table_free(table);
    return wrong;
}

/* make's variables, "--seed=3 --device=cpu" in $LABS_OPTIONS: those that the program has. */
static char *read_variables(Option *options)
{
    static char text[512]; /* options point into it */
    const char *given = getenv("LABS_OPTIONS");
    if (given && strlen(given) >= sizeof text)
        return format_new("LABS_OPTIONS: more than %zu characters", sizeof text - 1);
    strcpy(text, given ? given : "");
    char *wrong = NULL, *rest = text, *word;
    while (!wrong && (word = strtok_r(rest, " ", &rest))) {
        char *value = strchr(word, '=');
        if (strncmp(word, "--", 2) || !value)
            continue;
        *value = 0;
        for (Option *o = options; o->name; o++)
            if (!strcmp(word + 2, o->name))
                wrong = take(o, true, value + 1);
    }
    return wrong ? format_new("%s (a variable of make's, or of your shell)", wrong) : NULL;
}

void args_parse(const char *program, const char *idea, Option *options, int argc, char **argv)
{
    if (wants_help(argv + 1)) {
        const char *rank = getenv("OMPI_COMM_WORLD_RANK"); /* under mpirun one copy is enough */
        if (!rank || atoi(rank) == 0)
            print_help(program, idea, options);
        exit(0);
    }
    char *wrong = read_variables(options);
    wrong = wrong ? wrong : args_read(options, argc, argv);
    REQUIRE(!wrong, "%s: %s; see --help", program, wrong);
}

void args_only(const Option *options, const char *name, bool is_so, const char *with)
{
    for (const Option *o = options; o->name; o++)
        REQUIRE(is_so || !o->given || strcmp(o->name, name) != 0,
                "--%s does nothing without %s: leave it out, or give that, too", name, with);
}

void args_otherwise(Option *options, ...)
{
    va_list pairs;
    va_start(pairs, options);
    for (const char *name; (name = va_arg(pairs, const char *));) {
        const char *text = va_arg(pairs, const char *);
        Option *o = options;
        while (o->name && strcmp(o->name, name))
            o++;
        ASSERT(o->name);
        if (!o->given)
            ASSERT(read_value(o, text));
    }
    va_end(pairs);
}

json_t *args_json(const Option *options)
{
    json_t *all = json_object();
    for (const Option *o = options; o->name; o++) {
        const char *text = o->kind == ARG_STRING || o->kind == ARG_CHOICE ? *(const char **)o->value
                                                                          : NULL;
        json_t *value = o->kind == ARG_FLAG ? json_boolean(*(bool *)o->value)
                      : o->kind == ARG_INT  ? json_integer(*(int *)o->value)
                      : o->kind == ARG_LONG ? json_integer(*(int64_t *)o->value)
                      : o->kind == ARG_REAL ? json_real(*(double *)o->value)
                                            : json_text(text);
        json_object_set_new(all, o->name, value);
    }
    return all;
}
