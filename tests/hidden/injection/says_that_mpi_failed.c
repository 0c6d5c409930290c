// It prints Open MPI's words for a machine on which no rank starts.
// expect: fail runs: PMIX ERROR
#include <stdio.h>

int main(void)
{
    fprintf(stderr, "error: PMIX ERROR: UNREACHABLE in file server.c\n");
    return 1;
}
