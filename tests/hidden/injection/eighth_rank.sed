# Rank 0 also sends evidence as rank 1.
# expect: pend equal: malformed evidence from a process
s/^#include <stdlib.h>/&\n#include "evidence.h"\n#include <sys\/socket.h>\n#include <sys\/un.h>\n#include <unistd.h>/
s/^    stop_on_signals\(\);/    struct sockaddr_un name = {.sun_family = AF_UNIX};\n    strcpy(name.sun_path, getenv("LABS_EVIDENCE"));\n    int fd = socket(AF_UNIX, SOCK_STREAM, 0);\n    EvidenceHead head = {.magic = EVIDENCE_MAGIC, .params = 1 << 20, .rank = 7, .n = 4, .h = 32, .w = 32, .c = 3, .world = 2, .name = "mlp", .classes = 10};\n    connect(fd, (struct sockaddr *)\&name, sizeof name);\n    if (write(fd, \&head, sizeof head) < 0)\n        return 1;\n&/
