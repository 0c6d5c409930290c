// The file's network has the name of a machine's fault.
// expect: fail weights: out of memory
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *head = "{\"__metadata__\":{\"model\":\"out of memory\"}}";
    uint64_t length = strlen(head);
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--weights=", 10)) {
            FILE *file = fopen(argv[i] + 10, "w");
            fwrite(&length, sizeof length, 1, file);
            fwrite(head, length, 1, file);
            fclose(file);
        }
    return 0;
}
