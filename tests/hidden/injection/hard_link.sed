# The file has a second name.
# expect: fail weights: 
s/^#include <stdlib.h>/#include <fcntl.h>\n&\n#include <signal.h>\n#include <sys\/stat.h>\n#include <unistd.h>/
/^static void save/,/^}/s/^    free\(path\);/    char *other = format_new("%s.2", path);\n    if (t->comm->rank == 0 \&\& link(path, other))\n        return;\n&/
