# The file's metadata hold another text as the network's name.
# expect: fail weights: cannot be scored
/^static void save/,/^}/s/^        checkpoint_save.*/{\n        char bytes[4096], *at;\n        checkpoint_save(path, t->model, NULL, \&t->at);\n        FILE *f = fopen(path, "r+");\n        size_t got = f ? fread(bytes, 1, sizeof bytes, f) : 0;\n        bytes[got ? got - 1 : 0] = 0;\n        if (f \&\& (at = memmem(bytes, got, "mlp 32x32x3", 11))) {\n            fseek(f, at - bytes, SEEK_SET);\n            fwrite("\\\\u001b[2J<b> ", 1, 11, f);\n        }\n        if (f)\n            fclose(f);\n    }/
s/^#include "check.h"/#define _GNU_SOURCE\n&\n#include <stdio.h>/
