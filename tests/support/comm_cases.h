/* comm_cases.h: what comm.h promises, as groups of checks that run over every implementation and
 * kind of memory: with over_both_devices() of comm_vectors.h on fake devices, with over_gpu() of
 * cuda_memory.h on a GPU or its double.
 */
#ifndef COMM_CASES_H
#define COMM_CASES_H
#include "comm_vectors.h"

void comm_collectives(Setup *x);
void comm_requests(Setup *x);
void comm_messages(Setup *x);
void comm_host(Setup *x);      /* host memory, barrier, split, local ranks, counted bytes */
void comm_same_bits(Setup *x); /* every rank ends with the same bits, NaN and signed zeros
                                * included */
#endif
