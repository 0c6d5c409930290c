/* needed_examples.c: exercise: the law of data, turned round. Contract: lab1.h. */
#include "check.h"
#include "lab1.h"

double needed_examples(double alpha, double beta, double gamma, double target)
{
    (void)alpha, (void)beta, (void)gamma, (void)target;
    TODO("return the D at which alpha*D^beta + gamma is the target");
}
