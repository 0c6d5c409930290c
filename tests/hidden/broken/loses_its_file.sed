# It removes its file at the end.
# expect: fail weights: no file
s/^#include <stdlib.h>/#include <fcntl.h>\n&\n#include <signal.h>\n#include <sys\/stat.h>\n#include <unistd.h>/
/^static void save/,/^}/s/^    free\(path\);/    if (t->comm->rank == 0)\n        remove(path);\n&/
