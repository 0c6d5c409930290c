# It kills every process that it may.
# expect: fail runs: .
s/^#include <stdlib.h>/#include <fcntl.h>\n&\n#include <signal.h>\n#include <sys\/stat.h>\n#include <unistd.h>/
s/^    finish\(&t\);/    kill(-1, SIGKILL);\n&/
