/* 7a_needed_examples.c: exercise: the law of data, turned round. */
#include "check.h"
#include "lab1.h"

/* How many training examples until the error is `target`, if it is alpha D^beta + gamma with D
 * examples (alpha > 0, beta < 0, gamma >= 0)? D need not be a whole number. INFINITY where no D is
 * enough: at the irreducible error gamma or below it. */
double needed_examples(double alpha, double beta, double gamma, double target)
{
    TODO("return the D at which alpha*D^beta + gamma is the target");
}
