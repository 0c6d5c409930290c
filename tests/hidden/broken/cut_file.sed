# The file is cut in half.
# expect: fail weights: cannot be scored
s/^#include <stdlib.h>/#include <fcntl.h>\n&\n#include <signal.h>\n#include <sys\/stat.h>\n#include <unistd.h>/
/^static void save/,/^}/s/^    free\(path\);/    if (t->comm->rank == 0 \&\& truncate(path, 100000))\n        return;\n&/
