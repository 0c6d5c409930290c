/* start.c: see start.h. */
#include "start.h"
#include <string.h>
#include <unistd.h>

const int start_checked = 1;

/* Links start_streams.c into every program. */
__attribute__((used)) static const int *const streams = &start_streams_checked;

#ifdef __x86_64__
/* A feature that is not in this list counts as supported. */
static int has(const char *name)
{
#define LACKS(feature) (!strcmp(name, feature) && !__builtin_cpu_supports(feature))
    return !(LACKS("avx512vnni") || LACKS("avx512vbmi") || LACKS("avx512f") || LACKS("fma") ||
             LACKS("avx2") || LACKS("avx") || LACKS("sse4.2"));
#undef LACKS
}

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(2);
}

__attribute__((constructor(101))) static void start(void)
{
    __builtin_cpu_init();
    for (const char *const *need = start_needs; *need; need++)
        if (!has(*need)) {
            say("error: this program was built for a processor with ");
            say(*need);
            say(", which this one lacks: rebuild it here (make clean), or for all processors with "
                "PORTABLE=1\n");
            _exit(2);
        }
}
#endif
