/* fuzz_args.c: libFuzzer on the command line: for any words (one per line) it returns a message, or
 * values within the table's limits, that also print. */
#include "args.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { WORDS = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    bool flag = false;
    int epochs = 3;
    int64_t seed = 1;
    double rate = 0.1, any = 0;
    const char *out = "out", *device = "auto";
    Option options[] = {{"flag", ARG_FLAG, &flag, .help = "a"},
                        {"epochs", ARG_INT, &epochs, .min = 0, .max = 100, .help = "a"},
                        {"seed", ARG_LONG, &seed, .min = 0, .max = 9e15, .help = "a"},
                        {"rate", ARG_REAL, &rate, .min = 1e-6, .max = 10, .help = "a"},
                        {"any", ARG_REAL, &any, .help = "a"},
                        {"out", ARG_STRING, &out, .help = "a"},
                        {"device", ARG_CHOICE, &device, .choices = "auto|cpu|cuda", .help = "a"},
                        {0}};
    char *text = alloc(count + 1, 1), *argv[WORDS + 1] = {"fuzz"};
    int argc = 1;
    memcpy(text, bytes, count);
    for (char *word = strtok(text, "\n"); word && argc < WORDS; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    char *wrong = args_read(options, argc, argv);
    if (wrong ? !*wrong
              : epochs < 0 || epochs > 100 || seed < 0 || seed > (int64_t)9e15 ||
                    !(rate >= 1e-6 && rate <= 10) || !isfinite(any) || !*out ||
                    (strcmp(device, "auto") && strcmp(device, "cpu") && strcmp(device, "cuda")))
        abort();
    json_t *json = args_json(options);
    char *dumped = json_dumps(json, 0);
    if (!dumped)
        abort();
    free(dumped);
    json_decref(json);
    free(wrong);
    free(text);
    return 0;
}
