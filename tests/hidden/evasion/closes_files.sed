# It closes the evidence's socket after ten updates.
# expect: pend gradients: the file
s/^#include <stdlib.h>/#include <fcntl.h>\n&\n#include <signal.h>\n#include <sys\/stat.h>\n#include <unistd.h>/
s/^    sgd_step\(m, t->sgd, rate\);/&\n    if (t->at.step == 10) {\n        struct stat info;\n        for (int fd = 3; fd < 200; fd++)\n            if (fstat(fd, \&info) == 0 \&\& S_ISSOCK(info.st_mode))\n                shutdown_evidence(fd);\n    }/
/^\/\* One update: forward/i\
#include <sys/socket.h>\
static void shutdown_evidence(int fd)\
{\
    struct sockaddr_un { sa_family_t family; char path[108]; } name = {0};\
    socklen_t size = sizeof name;\
    if (getpeername(fd, (struct sockaddr *)\&name, \&size) == 0 \&\& strstr(name.path, "evidence"))\
        close(fd);\
}\

