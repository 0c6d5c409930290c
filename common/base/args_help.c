/* args_help.c: --help and the words for values, from the option table. Lines are wrapped to 100 columns. */
#include "args_help.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

enum { WIDTH = 100, COLUMN = 26 }; /* of the page; of the descriptions */

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

char *args_expected(const Option *o)
{
    if (o->kind == ARG_CHOICE)
        return choices_text(o->choices);
    if (o->kind == ARG_STRING)
        return format_new("a text that is not empty");
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

/* Columns that UTF-8 text takes: its bytes without the continuation bytes. */
static int columns(const char *text, size_t bytes)
{
    int count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += (text[i] & 0xC0) != 0x80;
    return count;
}

/* Print words from column `at` on, breaking lines before WIDTH; further lines begin at `indent`. Ends the line. */
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
    bool number = o->kind == ARG_INT || o->kind == ARG_LONG || o->kind == ARG_REAL;
    const char *from = number ? range : "";
    char *text = *value ? format_new("%s%s%s (default %s)", o->help, *from ? "," : "", from, value)
                        : format_new("%s%s%s", o->help, *from ? "," : "", from);
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

void args_help(const char *program, const char *idea, const Option *options)
{
    char *title = format_new("%s: %s", program, idea);
    print_wrapped(title, 0, 0);
    free(title);
    printf("\nOptions (--name=value or --name value; the last of two wins):\n");
    for (const Option *o = options; o->name; o++)
        print_option(o);
    printf("  %-*s%s\n", COLUMN - 2, "-h, --help", "this text");
}
