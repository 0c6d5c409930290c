/* check_place.c: where in the student's file a step is: "lab2_ddp/3_train.c:141 (STEP 6b)".
 */
#include "check.h"
#include "check_steps.h"
#include "file.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SOURCE[] = "lab2_ddp/3_train.c"; /* in the project's folder, where checks run */

/* The number of the last line with this comment: the one at the code, where an earlier one tells of
 * it. 0: the student took it out. */
static int line_of(const char *comment)
{
    FILE *file = fopen(SOURCE, "r");
    char *line = NULL;
    size_t room = 0;
    int found = 0;
    for (int number = 1; file && getline(&line, &room, file) > 0; number++) {
        const char *at = strstr(line, comment);
        if (at && !isalnum((unsigned char)at[strlen(comment)]))
            found = number;
    }
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* fault with the place behind it; consumes fault. */
static char *with_place(char *fault, const char *part)
{
    char *comment = format_new("STEP %s", part);
    int line = line_of(comment);
    char *longer = line ? format_new("%s: see %s:%d (%s)", fault, SOURCE, line, comment) : NULL;
    free(comment);
    if (!longer)
        return fault;
    free(fault);
    return longer;
}

static char *text_new(const char *format, va_list arguments)
{
    char *text;
    REQUIRE(vasprintf(&text, format, arguments) >= 0, "out of memory: no room for a line");
    return text;
}

Verdict right(void) { return (Verdict){0}; }

Verdict wrong(const char *part, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Verdict verdict = {.fault = with_place(text_new(format, arguments), part)};
    va_end(arguments);
    return verdict;
}

Verdict missing(const Runs *r, const Facts *f, const char *part, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_new(format, arguments);
    va_end(arguments);
    bool ended = f == r->failed || f->left_out;
    char *failure = ended && r->failed ? facts_failure(r->failed) : NULL;
    char *fault = failure ? format_new("%s (%s)", text, failure) : format_new("%s", text);
    free(failure);
    free(text);
    return (Verdict){with_place(fault, ended ? r->blamed : part), ended ? step_of(r->blamed) : 0};
}
