/* fuzz_checkpoint.c: libFuzzer on the question which network a checkpoint holds: for any bytes the
 * run ends with a one-line message, or the description is one that model_new can be asked for. The
 * reader ends the run through die(), which is replaced here (make/tests.mk: --wrap=die); what it
 * leaves behind then is not freed, so leaks are not looked for. */
#include "checkpoint.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
const char *__asan_default_options(void);
void __wrap_die(int status, const char *format, ...) __attribute__((noreturn));

const char *__asan_default_options(void) { return "detect_leaks=0"; }

static jmp_buf refused;

void __wrap_die(int status, const char *format, ...)
{
    char message[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (status != 2 || !*message)
        abort();
    longjmp(refused, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char path[64];
    int file = memfd_create("checkpoint", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file < 0 || write(file, bytes, count) != (ssize_t)count)
        abort();
    ModelSpec spec;
    if (setjmp(refused) == 0) {
        checkpoint_model(path, &spec);
        if (!spec.name || !*spec.name || spec.h < 1 || spec.w < 1 || spec.c < 1 || spec.classes < 1)
            abort();
        free((char *)spec.name);
    }
    close(file);
    return 0;
}
