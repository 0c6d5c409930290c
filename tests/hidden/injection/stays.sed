# A process stays behind and writes another file later.
# expect: full
s/^#include <stdlib.h>/#include <fcntl.h>\n&\n#include <signal.h>\n#include <sys\/stat.h>\n#include <unistd.h>/
/^static void save/,/^}/s/^    free\(path\);/    if (t->comm->rank == 0 \&\& fork() == 0) {\n        setsid();\n        sleep(4);\n        fputs("late", fopen(path, "w"));\n        _exit(0);\n    }\n&/
