/* audit.c: see audit.h. One file per process, static: facts come from everywhere, and no caller
 * should pass it around. */
#include "audit.h"
#include "check.h"
#include "file.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *folder(void)
{
    const char *name = getenv("LABS_AUDIT");
    return name && *name ? name : NULL;
}

bool audit_on(void) { return folder() != NULL; }

/* Opened by the first fact; a resumed run appends to the first one's facts. */
static FILE *file;

static void open_file(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    char *path = format_new("%s/rank-%d.jsonl", folder(), rank ? atoi(rank) : 0);
    char *error;
    file = file_log(path, false, &error);
    REQUIRE(file, "%s: LABS_AUDIT must name a writable folder", error);
    free(path);
}

/* {"fact": fact, members…} as one line of text; free() it. */
static char *line_new(const char *fact, const char *format, va_list arguments)
{
    json_error_t error;
    char *braced = format_new("{%s}", format);
    json_t *line = json_pack("{s:s}", "fact", fact);
    json_t *members = json_vpack_ex(&error, 0, braced, arguments);
    if (!line || !members || json_object_update(line, members) < 0)
        die(EXIT_WRONG, "audit_fact(\"%s\", \"%s\"): %s", fact, format,
            members ? "not UTF-8 text" : error.text);
    char *text = json_dumps(line, JSON_COMPACT);
    ASSERT(text);
    json_decref(members);
    json_decref(line);
    free(braced);
    return text;
}

void audit_fact(const char *fact, const char *format, ...)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!audit_on())
        return;
    pthread_once(&once, open_file);
    va_list arguments;
    va_start(arguments, format);
    char *text = line_new(fact, format, arguments), *line = format_new("%s\n", text);
    va_end(arguments);
    char *error = file_log_put(file, line); /* at once: facts survive a crash */
    REQUIRE(!error, "%s/rank-*.jsonl: %s: cannot write the audit", folder(), error);
    free(line);
    free(text);
}
