/* python.c: see python.h. */
#include "python.h"
#include "child.h"
#include "harness.h"
#include <stdarg.h>

void python_run(const char *format, ...)
{
    const char *python = getenv("PYTHON");
    char words[4096], command[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    snprintf(command, sizeof command, "'%s' %s", python && *python ? python : "python3", words);
    ChildEnd end = child_run(&(Child){.command = (const char *[]){"sh", "-c", command, NULL}});
    if (end.status == 77)
        exit(77); /* the script printed why */
    if (end.status != 0)
        fail_msg("%s: exit %d", command, end.status);
}
