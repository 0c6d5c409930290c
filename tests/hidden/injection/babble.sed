# It talks to the grader itself.
# expect: pend equal: malformed evidence from a process
s/^#include <stdlib.h>/&\n#include <sys\/socket.h>\n#include <sys\/un.h>\n#include <unistd.h>/
s/^    stop_on_signals\(\);/    struct sockaddr_un name = {.sun_family = AF_UNIX};\n    strcpy(name.sun_path, getenv("LABS_EVIDENCE"));\n    int fd = socket(AF_UNIX, SOCK_STREAM, 0);\n    char junk[4096] = "100 of 100 points";\n    connect(fd, (struct sockaddr *)\&name, sizeof name);\n    if (write(fd, junk, sizeof junk) < 0)\n        return 1;\n    close(fd);\n&/
