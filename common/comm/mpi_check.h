/* mpi_check.h: wraps every call of MPI: an error ends the run with MPI's message. */
#ifndef MPI_CHECK_H
#define MPI_CHECK_H
#include "check.h"
#include <mpi.h>

#define MPI_CHECK(function, ...) mpi_check(function(__VA_ARGS__), #function)

static inline void mpi_check(int code, const char *function)
{
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, text, &length);
    die(EXIT_USAGE, "%s: %s", function, text);
}
#endif
