# It kills its parents.
# expect: fail runs: status|killed|ended by the grader
s/^#include <stdlib.h>/#include <fcntl.h>\n&\n#include <signal.h>\n#include <sys\/stat.h>\n#include <unistd.h>/
s/^    finish\(&t\);/    kill(getppid(), SIGKILL);\n    sleep(1);\n&/
