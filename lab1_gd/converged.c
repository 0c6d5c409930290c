/* converged.c: exercise: when to stop. Contract: lab1.h. */
#include "check.h"
#include "lab1.h"

bool converged(const double *loss, int count, int window, double tolerance)
{
    (void)loss, (void)count, (void)window, (void)tolerance;
    TODO("true when the loss hardly fell over the last `window` updates");
}
