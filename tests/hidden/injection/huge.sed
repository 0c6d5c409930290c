# The file is made a terabyte long.
# expect: fail runs: 
s/^#include <stdlib.h>/#include <fcntl.h>\n&\n#include <signal.h>\n#include <sys\/stat.h>\n#include <unistd.h>/
/^static void save/,/^}/s/^    free\(path\);/    if (t->comm->rank == 0 \&\& truncate(path, (off_t)1 << 40))\n        abort();\n&/
