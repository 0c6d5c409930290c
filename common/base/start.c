/* start.c: see start.h. */
#include "start.h"
#include <string.h>
#include <unistd.h>

const int start_checked = 1;

#ifdef __x86_64__
static int has(const char *name)
{
#define ASK(feature) \
    if (!strcmp(name, feature)) \
        return __builtin_cpu_supports(feature);
    ASK("avx512vnni")
    ASK("avx512vbmi")
    ASK("avx512f")
    ASK("fma") ASK("avx2") ASK("avx") ASK("sse4.2")
#undef ASK
        return 1;
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
            say(", which this one lacks: build it again here (make clean), or for all with "
                "PORTABLE=1\n");
            _exit(2);
        }
}
#endif
