/* 1a_gradient.c: exercise: the gradient of the loss. */
#include "check.h"
#include "lab1.h"

/* The gradient of the mean squared error of the line w x + b, at (w, b), over n >= 1 points:
 *     *dw = dL/dw = 2/n sum (w x[i] + b - y[i]) x[i]
 *     *db = dL/db = 2/n sum (w x[i] + b - y[i])
 * x and y are [n]. Compute in double precision. The check compares with finite differences of the
 * loss L, to 1e-9 (absolute plus relative). */
void gradient(double *dw, double *db, const double *x, const double *y, int n, double w, double b)
{
    TODO("set *dw and *db to the gradient of the mean squared error over the n points");
}
