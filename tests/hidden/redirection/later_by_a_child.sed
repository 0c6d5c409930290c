# A process left behind replaces the file when the run is over: it is gone with the run.
# expect: full
/^static void save/,/^}/s/^    free\(path\);/    if (t->comm->rank == 0 \&\& fork() == 0) {\n        setsid();\n        for (int i = 3; i < 100; i++)\n            close(i);\n        for (int i = 0; i < 3; i++)\n            close(i);\n        sleep(6);\n        FILE *f = fopen(path, "w");\n        if (f)\n            fclose(f);\n        _exit(0);\n    }\n&/
s/^#include <stdlib.h>/&\n#include <stdio.h>\n#include <unistd.h>/
