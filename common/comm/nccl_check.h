/* nccl_check.h: wraps every call of NCCL: an error ends the run with file, line, call and NCCL's
 * message. */
#ifndef NCCL_CHECK_H
#define NCCL_CHECK_H
#include "backend/cuda/cuda_check.h"
#include <nccl.h>

#define NCCL_CHECK(call) nccl_check((call), __FILE__, __LINE__, #call)

/* NCCL's detailed message for the last error, if this version has one. */
static inline const char *nccl_account(ncclComm_t comm)
{
#if NCCL_VERSION_CODE >= 21300
    const char *text = ncclGetLastError(comm);
    return text ? text : "";
#else
    return comm ? "" : "";
#endif
}

static inline void nccl_check(ncclResult_t code, const char *file, int line, const char *call)
{
    if (code != ncclSuccess)
        die(EXIT_USAGE, "%s:%d: %s: %s (%s): NCCL_DEBUG=WARN tells more, --comm mpi avoids NCCL",
            file, line, call, ncclGetErrorString(code), nccl_account(NULL));
}
#endif
