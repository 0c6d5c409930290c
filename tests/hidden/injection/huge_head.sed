# A message that asks for all of the grader's memory.
# expect: pend equal: malformed evidence from a process|could not be read
s/^#include <stdlib.h>/&\n#include "evidence.h"\n#include <sys\/socket.h>\n#include <sys\/un.h>\n#include <unistd.h>/
s/^    stop_on_signals\(\);/    struct sockaddr_un name = {.sun_family = AF_UNIX};\n    strcpy(name.sun_path, getenv("LABS_EVIDENCE"));\n    int fd = socket(AF_UNIX, SOCK_STREAM, 0);\n    EvidenceHead head = {.magic = EVIDENCE_MAGIC, .params = INT64_MAX, .n = INT32_MAX, .h = 1 << 15, .w = 1 << 15, .c = 4, .name = "mlp", .classes = 10};\n    if (connect(fd, (struct sockaddr *)\&name, sizeof name) || write(fd, \&head, sizeof head) < 0)\n        return 1;\n    close(fd);\n&/
