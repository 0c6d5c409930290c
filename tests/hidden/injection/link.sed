# In place of the file there is a link.
# expect: fail weights: 
s/^#include <stdlib.h>/#include <fcntl.h>\n&\n#include <signal.h>\n#include <sys\/stat.h>\n#include <unistd.h>/
/^static void save/,/^}/s/^    free\(path\);/    if (t->comm->rank == 0) {\n        remove(path);\n        if (symlink("\/etc\/passwd", path))\n            return;\n    }\n&/
