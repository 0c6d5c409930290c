/* local_method.h: trainings whose ranks communicate now and then, each as a Method (method.h).
 *
 *   LOCAL_PLAIN    averages the gradients before every update: what the others are compared with
 *   LOCAL_SGD      averages the weights when local_due says so
 *   LOCAL_DELAYED  the same; the average arrives `delay` updates later (delayed_average)
 *   LOCAL_DILOCO   makes an outer step with the mean pseudo-gradient (outer_step)
 *   LOCAL_SPARSE   the same, of which few elements are sent (sparse_delta): all of it together
 *
 * The inner optimiser is SGD with momentum, whose velocity each rank keeps to itself. (DiLoCo's and
 * SparseLoCo's is AdamW; that is an exercise of lab 3.)
 */
#ifndef LOCAL_METHOD_H
#define LOCAL_METHOD_H
#include "comm.h"
#include "method.h"

typedef enum {
    LOCAL_PLAIN,
    LOCAL_SGD,
    LOCAL_DELAYED,
    LOCAL_DILOCO,
    LOCAL_SPARSE,
    LOCAL_KINDS
} LocalKind;

typedef struct LocalSpec {
    LocalKind kind;
    int64_t steps, every, plain;       /* as in local_due */
    int64_t delay;                     /* updates; at most `every` */
    double momentum;                   /* of the inner SGD */
    double outer_rate, outer_momentum; /* LOCAL_DILOCO, LOCAL_SPARSE */
    int keep;                          /* of SPARSE_CHUNK elements */
    double decay;                      /* of the residual */
    bool two_bits;
} LocalSpec;

typedef struct Local Local;

/* Borrows m and c. All ranks have the same weights now, and the same spec. */
Local *local_new(Model *m, Comm *c, LocalSpec spec);
void local_free(Local *l);
Method local_method(Local *l);
/* What this rank has sent so far, as rings do it: of an all-reduce 2 (P-1)/P times the vector, of
 * an all-gather (P-1) times its own part. */
double local_bytes(const Local *l);
#endif
