/* 7a_needed_examples.c: exercise: invert the power law. */
#include "check.h"
#include "lab1.h"

/* How many training examples D does an error of `target` need, if the error is
 *     alpha D^beta + gamma          alpha > 0, beta < 0, gamma >= 0
 * D need not be an integer. Return INFINITY where no D is enough: for a target at or below gamma,
 * the irreducible error. The check asks for 1e-6, relative. */
double needed_examples(double alpha, double beta, double gamma, double target)
{
    TODO("return the D at which alpha*D^beta + gamma is the target");
}
