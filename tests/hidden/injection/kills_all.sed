# It kills every process that it may.
# expect: fail runs: status|killed|ended by the grader
s/^#include <stdlib.h>/#include <fcntl.h>\n&\n#include <signal.h>\n#include <sys\/stat.h>\n#include <unistd.h>/
s/^    finish\(&t\);/    kill(-1, SIGKILL);\n&/
