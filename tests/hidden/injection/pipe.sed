# In place of the file there is a pipe.
# expect: fail weights: 
s/^#include <stdlib.h>/#include <fcntl.h>\n&\n#include <signal.h>\n#include <sys\/stat.h>\n#include <unistd.h>/
/^static void save/,/^}/s/^    free\(path\);/    if (t->comm->rank == 0) {\n        remove(path);\n        if (mkfifo(path, 0666))\n            return;\n    }\n&/
