# A message whose end never comes, on a connection that stays open.
# expect: fail equal: no rank computed a gradient
s/^#include <stdlib.h>/&\n#include "evidence.h"\n#include <sys\/socket.h>\n#include <sys\/un.h>\n#include <unistd.h>/
s/^    stop_on_signals\(\);/    struct sockaddr_un name = {.sun_family = AF_UNIX};\n    strcpy(name.sun_path, getenv("LABS_EVIDENCE"));\n    int fd = socket(AF_UNIX, SOCK_STREAM, 0);\n    EvidenceHead head = {.magic = EVIDENCE_MAGIC, .params = 1 << 20, .n = 8, .h = 32, .w = 32, .c = 3, .stats_ranks = 1, .name = "mlp", .classes = 10};\n    if (connect(fd, (struct sockaddr *)\&name, sizeof name) || write(fd, \&head, sizeof head) < 0)\n        return 1;\n    unsetenv("LABS_EVIDENCE");\n&/
